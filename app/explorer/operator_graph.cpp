// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/operator_graph.h"

#include "app/drawing/charts/chart_text.h"
#include "app/drawing/scenes/scene_builder.h"
#include "app/drawing/scenes/scene_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr double kBoxWidth = 176, kBoxHeight = 40, kGap = 16, kColumnGap = 34;
constexpr double kLeastHeight = 260; ///< px at 100 %

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::OperatorGraph", text);
}

Role roleOf(workload::Bound bound)
{
    switch (bound) {
    case workload::Bound::Compute:
        return Role::Series1;
    case workload::Bound::Memory:
        return Role::Series2;
    case workload::Bound::Launch:
        return Role::Series6;
    case workload::Bound::Link:
        return Role::Series4;
    }
    return Role::Series2;
}

class OperatorGraphScene : public Scene {
public:
    QString id() const override { return QStringLiteral("operator_graph"); }
    QString title() const override { return tr("Graph of operators"); }
    bool supports(const SceneFrame& frame) const override { return frame.payloads.get<OperatorGraph>() != nullptr; }
    SceneTracks tracks(const Frames&, const SceneState&) const override { return {}; }
    std::size_t steps(const Frames&, const SceneState&) const override { return 0; }
    double preferredHeight(const Frames&, double textScale) const override { return kLeastHeight * textScale; }

    SceneDrawing draw(const Frames& frames, const SceneState& state, QSizeF size, double textScale) const override
    {
        SceneBuilder b(size, textScale);
        const SceneFrame* frame = shownFrame(frames, state);
        const auto* graph = frame ? frame->payloads.get<OperatorGraph>() : nullptr;
        if (!graph || graph->boxes.empty())
            return b.empty(tr("There is no operator to draw."));
        const QList<SceneBuilder::Key> keys = {{SceneBuilder::Look::Fill, Role::Series1, tr("arithmetic bounds it")},
                                               {SceneBuilder::Look::Fill, Role::Series2, tr("memory")},
                                               {SceneBuilder::Look::Fill, Role::Series6, tr("launches")},
                                               {SceneBuilder::Look::Fill, Role::Series4, tr("links")}};
        const QString sentence = tr("The bar under a box is its share of the step's time.");
        const double footer = b.footerHeight(b.width(), keys, sentence);
        const double boxWidth = kBoxWidth * std::max(1.0, textScale * 0.85), boxHeight = b.text(kBoxHeight);
        const double pitch = boxHeight + kGap, bandWidth = graph->widest * (boxWidth + kGap) + kColumnGap;
        // As many columns of levels as there is width for, and as few levels in each as that allows.
        const int most = std::max(1, int((b.width() + kColumnGap) / bandWidth));
        const int fits = std::max(1, int((b.bottom() - b.top() - footer - space::m) / pitch));
        const int needed = (graph->levels + fits - 1) / fits;
        const int columns = std::clamp(needed, 1, most);
        const int rows = (graph->levels + columns - 1) / columns;

        std::vector<QRectF> rects;
        for (const OperatorGraph::Box& box : graph->boxes) {
            const double band = b.left() + (box.level / rows) * bandWidth;
            const double middle = band + (bandWidth - kColumnGap) / 2;
            const double wide = box.abreast * (boxWidth + kGap) - kGap;
            rects.emplace_back(middle - wide / 2 + box.place * (boxWidth + kGap), b.top() + (box.level % rows) * pitch,
                               boxWidth, boxHeight);
        }
        for (const auto& [from, to] : graph->flow)
            if (from >= 0)
                connect(b, *graph, rects, from, to, rows, state.row);
        for (std::size_t i = 0; i < rects.size(); ++i)
            box(b, graph->boxes[i], rects[i], int(i), state.row == int(i));
        const double bottom = b.top() + rows * pitch;
        b.footer({b.left(), bottom}, b.width(), keys, sentence, Role::Text2);
        return b.finish(summaryOf(*graph), bottom + footer + SceneBuilder::kMargin);
    }

    std::vector<QStringList> table(const Frames& frames, const SceneState& state) const override
    {
        std::vector<QStringList> out = {{tr("Operator"), tr("What of it"), tr("Reads")}};
        const SceneFrame* frame = shownFrame(frames, state);
        const auto* graph = frame ? frame->payloads.get<OperatorGraph>() : nullptr;
        if (!graph)
            return out;
        for (std::size_t i = 0; i < graph->boxes.size(); ++i) {
            QStringList reads;
            for (const auto& [from, to] : graph->flow)
                if (to == int(i))
                    reads << (from < 0 ? tr("the input") : graph->boxes[std::size_t(from)].name);
            out.push_back({graph->boxes[i].name, graph->boxes[i].told, reads.join(tr(", "))});
        }
        return out;
    }

    SceneState moved(const Frames& frames, const SceneState& state, int dx, int dy) const override
    {
        SceneState next = state;
        const SceneFrame* frame = shownFrame(frames, state);
        const auto* graph = frame ? frame->payloads.get<OperatorGraph>() : nullptr;
        if (graph && !graph->boxes.empty())
            next.row =
                std::clamp(state.row + (std::abs(dx) > 1 ? dx * 10000 : dx + dy), 0, int(graph->boxes.size()) - 1);
        return next;
    }

    SceneState picked(const Frames&, const SceneState& state, const SceneItem& item, QPointF) const override
    {
        SceneState next = state;
        if (item.id.startsWith(QLatin1String("op.")))
            next.row = item.id.mid(3).toInt();
        return next;
    }

private:
    static void box(SceneBuilder& b, const OperatorGraph::Box& box, QRectF rect, int row, bool chosen)
    {
        b.fill(rect, Role::Surface, 1, kControlRadius);
        if (chosen)
            b.fill(rect, Role::Selection, 1, kControlRadius);
        b.outline(rect, chosen ? Role::Accent : Role::BorderStrong, chosen ? 2 : 1, kControlRadius);
        const double line = b.text(17);
        const QRectF in = rect.adjusted(6, 2, -6, 0);
        b.label(QRectF(in.left(), in.top(), in.width(), line), cut(b, box.name, in.width()), TextStyle::Caption,
                Role::Text, Qt::AlignLeft | Qt::AlignVCenter);
        b.label(QRectF(in.left(), in.top() + line - 1, in.width(), line), cut(b, box.note, in.width()),
                TextStyle::Caption, Role::Text2, Qt::AlignLeft | Qt::AlignVCenter);
        const QRectF bar(rect.left() + 1, rect.bottom() - 4, (rect.width() - 2) * box.share, 3);
        b.fill(bar, roleOf(box.bound), 1, 0);
        b.item(QStringLiteral("op.%1").arg(row), box.told, rect);
    }

    static QString cut(const SceneBuilder& b, QString words, double width)
    {
        if (b.textWidth(words) <= width)
            return words;
        while (words.size() > 1 && b.textWidth(words + QChar(0x2026)) > width)
            words.chop(1);
        return words + QChar(0x2026);
    }

    /// Straight down to the next level; past others, or into another column, along the side of the boxes.
    static void connect(SceneBuilder& b, const OperatorGraph& graph, const std::vector<QRectF>& rects, int from, int to,
                        int rows, int chosen)
    {
        const QRectF &a = rects[std::size_t(from)], &c = rects[std::size_t(to)];
        const int down = graph.boxes[std::size_t(to)].level - graph.boxes[std::size_t(from)].level;
        const bool marked = from == chosen || to == chosen;
        const Role role = marked ? Role::Accent : Role::Text3;
        const double width = marked ? 2 : 1;
        const bool sameColumn =
            graph.boxes[std::size_t(to)].level / rows == graph.boxes[std::size_t(from)].level / rows;
        if (down == 1 && sameColumn) {
            b.link({a.center().x(), a.bottom()}, {c.center().x(), c.top()}, role, width);
            return;
        }
        if (sameColumn) {
            const double x = std::max(a.right(), c.right()) + 6 + 3 * (std::abs(down) % 4);
            b.link({a.right(), a.center().y()}, {x, a.center().y()}, role, width);
            b.link({x, a.center().y()}, {x, c.center().y()}, role, width);
            b.link({x, c.center().y()}, {c.right(), c.center().y()}, role, width);
            return;
        }
        const bool on = c.left() > a.left();
        const QPointF start(on ? a.right() : a.left(), a.center().y()), end(on ? c.left() : c.right(), c.center().y());
        const double x = on ? end.x() - kColumnGap / 2 : start.x() - kColumnGap / 2;
        b.link(start, {x, start.y()}, role, width, marked ? 1 : 0.6);
        b.link({x, start.y()}, {x, end.y()}, role, width, marked ? 1 : 0.6);
        b.link({x, end.y()}, end, role, width, marked ? 1 : 0.6);
    }

    static QString summaryOf(const OperatorGraph& graph)
    {
        const auto largest = std::max_element(graph.boxes.begin(), graph.boxes.end(),
                                              [](const auto& a, const auto& b) { return a.share < b.share; });
        return tr("%1: %2 kinds of kernels in %3 levels; %4 takes the largest share, %5.")
            .arg(graph.title)
            .arg(graph.boxes.size())
            .arg(graph.levels)
            .arg(largest->name, percentText(std::round(largest->share * 1000), 1000));
    }
};

} // namespace

OperatorGraph operatorGraph(const ExploredStep& what)
{
    OperatorGraph out;
    const workload::Exploration& found = what.found;
    out.title = QString::fromStdString(what.subject->title);
    out.flow = workload::flowOf(*what.subject, what.step, found);
    const auto count = found.rows.size();
    std::vector<int> level(count, 0);
    // Longest way from the input. Rows of a backward pass read later ones: as many rounds as levels settle it.
    bool moved = true;
    for (std::size_t round = 0; moved && round <= count; ++round) {
        moved = false;
        for (const auto& [from, to] : out.flow)
            if (from >= 0 && level[std::size_t(to)] <= level[std::size_t(from)]) {
                level[std::size_t(to)] = level[std::size_t(from)] + 1;
                moved = true;
            }
    }
    std::vector<int> abreast;
    for (std::size_t i = 0; i < count; ++i) {
        const workload::Explored& one = found.rows[i];
        OperatorGraph::Box box;
        box.name = operatorName(found, int(i));
        box.note = tr("× %1 · %2").arg(groupedText(one.op.count * one.op.launches), boundText(one.bound));
        box.told = tr("%1: %2. %3")
                       .arg(box.name, QString::fromStdString(workload::shapesOf(one.op, what.step)),
                            operatorSentence(what, int(i)));
        box.share = one.share;
        box.bound = one.bound;
        box.level = level[i];
        if (std::size_t(box.level) >= abreast.size())
            abreast.resize(std::size_t(box.level) + 1, 0);
        box.place = abreast[std::size_t(box.level)]++;
        out.boxes.push_back(std::move(box));
    }
    for (OperatorGraph::Box& box : out.boxes) {
        box.abreast = abreast[std::size_t(box.level)];
        out.widest = std::max(out.widest, box.abreast);
    }
    out.levels = int(abreast.size());
    return out;
}

std::unique_ptr<Scene> makeOperatorGraphScene()
{
    return std::make_unique<OperatorGraphScene>();
}

} // namespace ridge::app
