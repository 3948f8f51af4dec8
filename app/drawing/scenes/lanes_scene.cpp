// SPDX-License-Identifier: GPL-3.0-or-later
// Any lanes over time: pipelines, links, banks, requests. The axis is magnified with the wheel; a step goes to what
// begins next.
#include "app/drawing/scenes/lanes_picture.h"
#include "app/drawing/scenes/scene_text.h"
#include "app/drawing/scenes/trace_tones.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr std::size_t kMostTableRows = 2000;

QString tr(const char* words)
{
    return QCoreApplication::translate("ridge::app::LanesScene", words);
}

class LanesScene : public Scene {
public:
    QString id() const override { return QStringLiteral("lanes"); }
    QString title() const override { return tr("Lanes over time"); }
    bool timed() const override { return true; }
    bool planar() const override { return true; }
    bool supports(const SceneFrame& frame) const override { return frame.payloads.get<LaneIndex>() != nullptr; }

    SceneTracks tracks(const Frames& frames, const SceneState& state) const override
    {
        const LaneIndex* index = shown(frames, state);
        return {index ? index->trace().spans.size() : 0, tr("Span")};
    }

    std::size_t steps(const Frames& frames, const SceneState& state) const override
    {
        const LaneIndex* index = shown(frames, state);
        return index ? index->trace().spans.size() : 0;
    }

    double preferredHeight(const Frames& frames, double textScale) const override
    {
        double wanted = 300;
        for (const SceneFrame& frame : frames)
            if (const auto* index = frame.payloads.get<LaneIndex>())
                wanted = std::max(wanted, LanesPicture::around(*index, 420, textScale) +
                                              std::clamp(LanesPicture::lanesHeight(*index, textScale), 60.0, 540.0));
        return wanted;
    }

    SceneDrawing draw(const Frames& frames, const SceneState& state, QSizeF size, double textScale) const override
    {
        SceneBuilder builder(size, textScale);
        const LaneIndex* index = shown(frames, state);
        if (!index)
            return builder.empty(frames.empty() ? tr("Run the experiment to see what happens when.")
                                                : tr("This run left no trace of lanes."));
        const double used = LanesPicture(*index, state, builder).draw();
        return builder.finish(summary(frames[state.frame], *index), used + SceneBuilder::kMargin);
    }

    /// To what begins next, or before, on any lane; the view follows.
    SceneState stepped(const Frames& frames, const SceneState& state, int delta) const override
    {
        const LaneIndex* index = shown(frames, state);
        if (!index || index->trace().spans.empty())
            return state;
        const LaneTrace& trace = index->trace();
        const auto& order = index->byBegin();
        const double now = state.progress * index->end();
        std::ptrdiff_t place = 0;
        if (state.request < trace.spans.size() &&
            std::abs(trace.spans[state.request].begin - now) <= 1e-9 * index->end()) {
            place = static_cast<std::ptrdiff_t>(index->placeOf(static_cast<std::uint32_t>(state.request))) + delta;
        } else {
            const auto after =
                std::partition_point(order.begin(), order.end(),
                                     [&](std::uint32_t span) { return trace.spans[span].begin <= now; }) -
                order.begin();
            place = delta > 0 ? after + delta - 1 : after + delta;
        }
        if (place < 0 || place >= static_cast<std::ptrdiff_t>(order.size()))
            return state;
        return placed(*index, state, order[static_cast<std::size_t>(place)]);
    }

    SceneState moved(const Frames& frames, const SceneState& state, int dx, int dy) const override
    {
        if (dy == 0)
            return panned(state, dx * 0.1);
        const LaneIndex* index = shown(frames, state);
        if (!index)
            return state;
        const LaneTrace& trace = index->trace();
        const auto lanes = static_cast<int>(trace.lanes.size());
        const int now = state.row >= 0                       ? state.row
                        : state.request < trace.spans.size() ? static_cast<int>(trace.spans[state.request].lane)
                                                             : 0;
        SceneState next = state;
        next.row = std::clamp(now + dy, 0, lanes - 1);
        next.down = (next.row + 0.5) / lanes;
        // Its span at the cursor, else the last one before.
        const double time = state.progress * index->end();
        const LaneIndex::Row& row = index->rows()[index->firstRow(static_cast<std::uint32_t>(next.row))];
        const auto after = std::partition_point(row.spans.begin(), row.spans.end(),
                                                [&](std::uint32_t span) { return trace.spans[span].begin <= time; });
        if (!row.spans.empty())
            next.request = after == row.spans.begin() ? row.spans.front() : *std::prev(after);
        return next;
    }

    SceneState picked(const Frames& frames, const SceneState& state, const SceneItem& item, QPointF at) const override
    {
        const LaneIndex* index = shown(frames, state);
        const int row = index ? rowOf(item) : -1;
        if (row < 0)
            return state;
        SceneState next = state;
        next.progress = std::clamp(timeAt(*index, state, item, at) / index->end(), 0.0, 1.0);
        next.row = static_cast<int>(index->rows()[static_cast<std::size_t>(row)].lane);
        if (const std::uint32_t span = spanAt(*index, state, item, at); span != LaneTraceBuilder::kNone)
            next.request = span;
        return next;
    }

    QString told(const Frames& frames, const SceneState& state, const SceneItem& item, QPointF at) const override
    {
        const LaneIndex* index = shown(frames, state);
        if (!index)
            return item.text;
        const LaneTrace& trace = index->trace();
        const double time = timeAt(*index, state, item, at);
        if (item.id.startsWith(QLatin1String("counter.lane."))) {
            const std::size_t counter = item.id.mid(13).toULongLong();
            const LaneIndex::Extent extent = index->extent(counter, time, time);
            return item.text +
                   tr("; %1 at %2")
                       .arg(extent.any ? numberText(extent.first, trace.counters[counter].unit) : tr("nothing"),
                            numberText(time, trace.unit));
        }
        if (rowOf(item) < 0)
            return item.text;
        const std::uint32_t span = spanAt(*index, state, item, at);
        return span == LaneTraceBuilder::kNone
                   ? tr("%1 at %2: nothing")
                         .arg(text(trace.lanes[index->rows()[static_cast<std::size_t>(rowOf(item))].lane].name),
                              numberText(time, trace.unit))
                   : spanName(trace, span) + QStringLiteral(": ") + spanTold(*index, span);
    }

    /// The spans of the chosen lane and what else the time that is shown holds.
    std::vector<QStringList> table(const Frames& frames, const SceneState& state) const override
    {
        std::vector<QStringList> rows = {{tr("Lane"), tr("Span"), tr("State"), tr("Begin"), tr("End"), tr("Number")}};
        const LaneIndex* index = shown(frames, state);
        if (!index)
            return rows;
        const LaneTrace& trace = index->trace();
        const double begin = state.from * index->end(), end = state.to * index->end();
        for (const LaneIndex::Row& row : index->rows())
            for (std::size_t place = state.from > 0 ? index->firstAfter(row, begin) : 0; place < row.spans.size();
                 ++place) {
                const LaneSpan& span = trace.spans[row.spans[place]];
                if (span.begin > end)
                    break;
                if (rows.size() > kMostTableRows) {
                    rows.push_back({tr("more: magnify the time axis"), {}, {}, {}, {}, {}});
                    return rows;
                }
                rows.push_back({text(trace.lanes[span.lane].name), text(trace.texts[span.label]),
                                text(trace.states[span.state].name), numberText(span.begin), numberText(span.end),
                                span.id == 0 ? QString() : QString::number(span.id)});
            }
        return rows;
    }

private:
    static const LaneIndex* shown(const Frames& frames, const SceneState& state)
    {
        const SceneFrame* frame = shownFrame(frames, state);
        return frame ? frame->payloads.get<LaneIndex>() : nullptr;
    }

    static int rowOf(const SceneItem& item)
    {
        return item.id.startsWith(QLatin1String("track.")) ? item.id.mid(6).toInt() : -1;
    }

    static double timeAt(const LaneIndex& index, const SceneState& state, const SceneItem& item, QPointF at)
    {
        const double share = (at.x() - item.rect.left()) / item.rect.width();
        return (state.from + share * (state.to - state.from)) * index.end();
    }

    /// The span under the pointer, else the nearest within a few pixels.
    static std::uint32_t spanAt(const LaneIndex& index, const SceneState& state, const SceneItem& item, QPointF at)
    {
        const LaneIndex::Row& row = index.rows()[static_cast<std::size_t>(rowOf(item))];
        for (const double way : {0.0, -1.0, 1.0, -2.0, 2.0, -LanesPicture::kNear, LanesPicture::kNear}) {
            const std::uint32_t span = index.at(row, timeAt(index, state, item, at + QPointF(way, 0)));
            if (span != LaneTraceBuilder::kNone)
                return span;
        }
        return LaneTraceBuilder::kNone;
    }

    /// A span chosen, the cursor at its begin and in sight.
    static SceneState placed(const LaneIndex& index, SceneState state, std::uint32_t span)
    {
        const LaneTrace& trace = index.trace();
        state.request = span;
        state.row = -1;
        state.progress = std::clamp(trace.spans[span].begin / index.end(), 0.0, 1.0);
        const double share = state.to - state.from;
        if (state.progress < state.from || state.progress > state.to) {
            state.from = std::clamp(state.progress - share / 4, 0.0, 1.0 - share);
            state.to = state.from + share;
        }
        return state;
    }

    static QString summary(const SceneFrame& frame, const LaneIndex& index)
    {
        const LaneTrace& trace = index.trace();
        std::vector<double> time(trace.states.size(), 0);
        for (const LaneSpan& span : trace.spans)
            time[span.state] += span.end - span.begin;
        QStringList parts;
        for (std::size_t state = 0; state < time.size(); ++state)
            if (time[state] > 0)
                parts << QStringLiteral("%1 %2").arg(text(trace.states[state].name),
                                                     numberText(time[state], trace.unit));
        return headText(frame) + tr("%1: %2 lanes over %3. Time of all spans: %4.")
                                     .arg(text(trace.title))
                                     .arg(trace.lanes.size())
                                     .arg(numberText(index.end(), trace.unit),
                                          parts.isEmpty() ? tr("none") : parts.join(QStringLiteral(", ")));
    }
};

} // namespace

std::unique_ptr<Scene> makeLanesScene()
{
    return std::make_unique<LanesScene>();
}

} // namespace ridge::app
