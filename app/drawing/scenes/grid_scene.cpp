// SPDX-License-Identifier: GPL-3.0-or-later
// Any grid over time: cache sets, banks, processing elements, a wafer. Time is stepped; the wheel magnifies the map.
#include "app/drawing/scenes/grid_picture.h"
#include "app/drawing/scenes/scene_text.h"
#include "app/drawing/scenes/trace_tones.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr std::size_t kMostTableCells = 1024;

QString tr(const char* words)
{
    return QCoreApplication::translate("ridge::app::GridScene", words);
}

class GridScene : public Scene {
public:
    QString id() const override { return QStringLiteral("grid"); }
    QString title() const override { return tr("Grid over time"); }
    bool timed() const override { return true; }
    bool planar() const override { return true; }
    bool supports(const SceneFrame& frame) const override { return frame.payloads.get<GridHistory>() != nullptr; }
    SceneTracks tracks(const Frames&, const SceneState&) const override { return {}; }

    std::size_t steps(const Frames& frames, const SceneState& state) const override
    {
        const GridHistory* history = shown(frames, state);
        return history && history->trace().steps.size() > 1 ? history->trace().steps.size() : 0;
    }

    double preferredHeight(const Frames& frames, double textScale) const override
    {
        double wanted = 300;
        for (const SceneFrame& frame : frames) {
            const auto* history = frame.payloads.get<GridHistory>();
            if (!history)
                continue;
            const GridTrace& trace = history->trace();
            // Of a square grid the width decides, which nobody knows here: as if it were that of a page.
            const double pitch = trace.square ? std::min(46.0, 620.0 / trace.columns) : 22 * textScale;
            wanted = std::max(wanted, GridPicture::around(*history, 420, textScale) +
                                          std::clamp(pitch * trace.rows, 60.0, trace.square ? 560.0 : 520.0));
        }
        return wanted;
    }

    SceneDrawing draw(const Frames& frames, const SceneState& state, QSizeF size, double textScale) const override
    {
        SceneBuilder builder(size, textScale);
        const GridHistory* history = shown(frames, state);
        if (!history)
            return builder.empty(frames.empty() ? tr("Run the experiment to see it here, step by step.")
                                                : tr("This run left no trace of a grid."));
        const double used = GridPicture(*history, state, builder).draw();
        return builder.finish(summary(frames[state.frame], *history, state), used + SceneBuilder::kMargin);
    }

    SceneState stepped(const Frames& frames, const SceneState& state, int delta) const override
    {
        const GridHistory* history = shown(frames, state);
        if (!history)
            return state;
        const GridTrace& trace = history->trace();
        const auto last = static_cast<std::int64_t>(trace.steps.size()) - 1;
        SceneState next = state;
        next.progress = progressOf(trace, static_cast<std::size_t>(std::clamp<std::int64_t>(
                                              static_cast<std::int64_t>(shownStep(trace, state)) + delta, 0, last)));
        return next;
    }

    /// The first arrow chooses what the step changed; the map follows the choice.
    SceneState moved(const Frames& frames, const SceneState& state, int dx, int dy) const override
    {
        const GridHistory* history = shown(frames, state);
        if (!history)
            return state;
        const GridTrace& trace = history->trace();
        const auto columns = static_cast<int>(trace.columns), rows = static_cast<int>(trace.rows);
        SceneState next = state;
        if (state.row < 0 || state.row >= columns * rows) {
            const std::size_t step = shownStep(trace, state);
            const std::uint32_t first = trace.firstChange(step);
            next.row = first < trace.steps[step].end ? static_cast<int>(trace.changes[first].cell) : 0;
        } else {
            const int column = std::clamp(state.row % columns + dx, 0, columns - 1);
            const int row = std::clamp(state.row / columns + dy, 0, rows - 1);
            next.row = row * columns + column;
        }
        const double shownShare = state.to - state.from;
        const double at = (next.row % columns + 0.5) / columns;
        if (at < state.from || at > state.to) {
            next.from = std::clamp(at - shownShare / 2, 0.0, 1 - shownShare);
            next.to = next.from + shownShare;
        }
        if (shownShare < 1)
            next.down = (next.row / columns + 0.5) / rows;
        return next;
    }

    SceneState picked(const Frames& frames, const SceneState& state, const SceneItem& item, QPointF at) const override
    {
        const GridHistory* history = shown(frames, state);
        SceneState next = state;
        if (!history)
            return next;
        if (item.id == QLatin1String("scrub"))
            next.progress = progressOf(history->trace(), stepAt(history->trace(), item, at));
        else if (const int cell = cellAt(history->trace(), item, at); cell >= 0)
            next.row = cell;
        return next;
    }

    /// Of a map whose cells are too many to be items each, the cell that was chosen.
    QString pointedId(const Frames& frames, const SceneState& state, const SceneItem& item) const override
    {
        return item.id.startsWith(QLatin1String("grid.")) && state.row >= 0 ? QStringLiteral("cell.%1").arg(state.row)
                                                                            : Scene::pointedId(frames, state, item);
    }

    QString told(const Frames& frames, const SceneState& state, const SceneItem& item, QPointF at) const override
    {
        const GridHistory* history = shown(frames, state);
        if (!history)
            return item.text;
        const GridTrace& trace = history->trace();
        if (item.id == QLatin1String("scrub")) {
            const std::size_t step = stepAt(trace, item, at);
            const std::string& caption = trace.steps[step].caption;
            return stepName(trace, step) + (caption.empty() ? QString() : QStringLiteral(": ") + text(caption));
        }
        const int cell = cellAt(trace, item, at);
        return cell < 0 ? item.text
                        : cellTold(*history, history->at(shownStep(trace, state)), static_cast<std::uint32_t>(cell));
    }

    std::vector<QStringList> table(const Frames& frames, const SceneState& state) const override
    {
        const GridHistory* history = shown(frames, state);
        if (!history)
            return {{tr("Row"), tr("Column"), tr("Content"), tr("Last changed"), tr("Why")}};
        const GridTrace& trace = history->trace();
        std::vector<QStringList> rows = {
            {text(trace.rowTitle), text(trace.columnTitle), tr("Content"), tr("Last changed"), tr("Why")}};
        const std::size_t step = shownStep(trace, state);
        const GridMoment now = history->at(step);
        const auto add = [&](std::uint32_t cell) {
            const auto name = [](const std::vector<std::string>& names, std::uint32_t at) {
                return names.empty() ? QString::number(at) : text(names[at]);
            };
            const std::uint32_t last = now.last[cell];
            const bool never = last == GridMoment::kNever;
            rows.push_back({name(trace.rowNames, cell / trace.columns), name(trace.columnNames, cell % trace.columns),
                            cellContent(trace, now, cell), never ? QString() : stepName(trace, history->stepOf(last)),
                            never ? QString() : text(trace.texts[trace.changes[last].note])});
        };
        if (trace.cells() <= kMostTableCells) {
            for (std::uint32_t cell = 0; cell < trace.cells(); ++cell)
                add(cell);
            return rows;
        }
        // Of a large grid what the step changed.
        const std::uint32_t first = trace.firstChange(step), end = trace.steps[step].end;
        for (std::uint32_t at = first; at < end && rows.size() <= kMostTableCells; ++at)
            add(trace.changes[at].cell);
        if (end - first > kMostTableCells)
            rows.push_back(
                {QString(), QString(), tr("and %1 more").arg(end - first - kMostTableCells), QString(), QString()});
        return rows;
    }

private:
    static const GridHistory* shown(const Frames& frames, const SceneState& state)
    {
        const SceneFrame* frame = shownFrame(frames, state);
        return frame ? frame->payloads.get<GridHistory>() : nullptr;
    }

    static std::size_t stepAt(const GridTrace& trace, const SceneItem& item, QPointF at)
    {
        const double share = std::clamp((at.x() - item.rect.left()) / item.rect.width(), 0.0, 1.0);
        return std::min(static_cast<std::size_t>(share * static_cast<double>(trace.steps.size())),
                        trace.steps.size() - 1);
    }

    /// −1: the item is no cell.
    static int cellAt(const GridTrace& trace, const SceneItem& item, QPointF at)
    {
        const QStringList parts = item.id.split(QLatin1Char('.'));
        if (parts[0] == QLatin1String("cell") && parts.size() == 2)
            return parts[1].toInt();
        if (parts[0] != QLatin1String("grid") || parts.size() != 5)
            return -1;
        const auto part = [&](int which) { return parts[which].toInt(); };
        const auto place = [](double share, int count) {
            return std::clamp(static_cast<int>(share * count), 0, count - 1);
        };
        const int row = part(1) + place((at.y() - item.rect.top()) / item.rect.height(), part(3));
        const int column = part(2) + place((at.x() - item.rect.left()) / item.rect.width(), part(4));
        return row * static_cast<int>(trace.columns) + column;
    }

    static QString summary(const SceneFrame& frame, const GridHistory& history, const SceneState& state)
    {
        const GridTrace& trace = history.trace();
        const std::size_t step = shownStep(trace, state);
        const GridMoment now = history.at(step);
        QString said = headText(frame) + text(trace.title) + QStringLiteral(", ") + stepName(trace, step);
        if (!trace.steps[step].caption.empty())
            said += QStringLiteral(": ") + text(trace.steps[step].caption);
        said += QStringLiteral(". ");
        if (trace.states.empty()) {
            const auto [least, largest] = std::minmax_element(now.values.begin(), now.values.end());
            return said + tr("%1 of the %2 cells: %3 to %4.")
                              .arg(text(trace.value->name), groupedText(static_cast<double>(trace.cells())),
                                   numberText(static_cast<double>(*least), trace.value->unit),
                                   numberText(static_cast<double>(*largest), trace.value->unit));
        }
        std::vector<std::size_t> counts(trace.states.size(), 0);
        for (const std::uint8_t each : now.states)
            ++counts[each];
        QStringList parts;
        for (std::size_t each = 0; each < counts.size(); ++each)
            if (counts[each] > 0)
                parts << QStringLiteral("%1 %2").arg(groupedText(static_cast<double>(counts[each])),
                                                     text(trace.states[each].name));
        return said + tr("Of %1 cells: %2.")
                          .arg(groupedText(static_cast<double>(trace.cells())), parts.join(QStringLiteral(", ")));
    }
};

} // namespace

std::unique_ptr<Scene> makeGridScene()
{
    return std::make_unique<GridScene>();
}

} // namespace ridge::app
