// SPDX-License-Identifier: GPL-3.0-or-later
// Which lanes took part in each source line, over the lanes and over time: what a branch within a warp costs.
#include "app/drawing/scenes/launch_view.h"
#include "app/drawing/scenes/scene_builder.h"
#include "app/drawing/scenes/scene_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace ridge::app {
namespace {

using LineUse = LaunchView::LineUse;
constexpr int kTones = 8;

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Divergence", text);
}

QString lineName(const LineUse& use)
{
    return use.sourceLine != 0 ? tr("line %1").arg(use.sourceLine) : tr("PTX %1").arg(use.ptxLine);
}

QString percent(double share)
{
    return percentText(share, 1);
}

QString useText(const LineUse& use)
{
    return tr("%1: %2 issues, %3 of 32 lanes on average, %4 of the lanes idle")
        .arg(lineName(use))
        .arg(use.issues)
        .arg(static_cast<double>(use.lanesInAll()) / static_cast<double>(use.issues), 0, 'f', 1)
        .arg(percent(use.idleShare()));
}

/// Indices of the lines to show: all, or those that lose most lanes where there are more than fit; in order.
std::vector<std::size_t> shownLines(const std::vector<LineUse>& lines, std::size_t room)
{
    std::vector<std::size_t> order(lines.size());
    std::iota(order.begin(), order.end(), 0);
    if (lines.size() <= room)
        return order;
    const auto lost = [&](std::size_t at) { return static_cast<double>(lines[at].issues) * lines[at].idleShare(); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lost(a) > lost(b); });
    order.resize(room);
    std::sort(order.begin(), order.end());
    return order;
}

double idleOfAll(const std::vector<LineUse>& lines)
{
    double issues = 0, lanes = 0;
    for (const LineUse& use : lines) {
        issues += static_cast<double>(use.issues);
        lanes += static_cast<double>(use.lanesInAll());
    }
    return issues > 0 ? 1 - lanes / (issues * kWarpSize) : 0;
}

double drawPicture(const LaunchView& view, const SceneState& state, SceneBuilder& b)
{
    const std::vector<LineUse>& lines = view.lines();
    const double left = b.left(), width = b.width(), pitch = b.text(22);
    double y = b.top();
    std::uint64_t issues = 0;
    for (const LineUse& use : lines)
        issues += use.issues;
    const auto worst = std::max_element(lines.begin(), lines.end(), [](const LineUse& p, const LineUse& q) {
        return static_cast<double>(p.issues) * p.idleShare() < static_cast<double>(q.issues) * q.idleShare();
    });
    const bool lost = worst != lines.end() && worst->idleShare() > 0;
    y = b.counters(
            {left, y}, width,
            {{QStringLiteral("idle"), percent(idleOfAll(lines)), tr("of the lanes were idle when their warp issued"),
              1},
             {QStringLiteral("issues"), QString::number(issues), tr("issues of the watched warps"), 1},
             {QStringLiteral("worst"), lost ? lineName(*worst) : tr("none"),
              lost ? tr("loses most lanes: %1 idle").arg(percent(worst->idleShare())) : tr("of the lines loses a lane"),
              1}}) +
        space::m;
    // name and source | 32 lanes | idle | over time
    const double lane = std::clamp(std::floor(width * 0.26 / kWarpSize), 4.0, 9.0);
    const double laneLeft = std::round(left + width * 0.36), laneRight = laneLeft + lane * kWarpSize;
    const double idleLeft = laneRight + space::s, idleWidth = b.textWidth(QStringLiteral("00.0 %")) + space::s;
    const double timeLeft = std::round(idleLeft + idleWidth + space::s);
    const int columns = static_cast<int>(std::max(40.0, left + width - timeLeft));
    const auto head = [&](double x, double room, const QString& text) {
        b.label(QRectF(x, y, room, b.text(16)), text, TextStyle::Caption, Role::Text3,
                Qt::AlignLeft | Qt::AlignVCenter);
    };
    head(left, laneLeft - left, tr("source line"));
    head(laneLeft, laneRight - laneLeft, tr("lanes 0 … 31"));
    head(idleLeft, idleWidth, tr("idle"));
    head(timeLeft, columns, tr("over time"));
    y += b.text(18);
    const QList<SceneBuilder::Key> keys = {
        {SceneBuilder::Look::Fill, Role::Series1, tr("lane took part")},
        {SceneBuilder::Look::Outline, Role::BorderStrong, tr("idle, or nothing issued")}};
    const double footer =
        b.footerHeight(width, keys, tr("%1 lines that lose fewer lanes are in the table").arg(lines.size()));
    const auto room = static_cast<std::size_t>(std::max(1.0, (b.bottom() - y - footer - space::s) / pitch));
    const std::vector<std::size_t> shown = shownLines(lines, room);
    for (const std::size_t index : shown) {
        const LineUse& use = lines[index];
        const QRectF row(left, y, width, pitch);
        if (static_cast<int>(index) == state.row)
            b.fill(row.adjusted(-4, 0, 4, 0), Role::Selection, 1, kControlRadius);
        const double nameWidth = b.textWidth(QStringLiteral("line 0000"));
        b.label(QRectF(left, y, nameWidth, pitch), lineName(use), TextStyle::Caption, Role::Text2,
                Qt::AlignLeft | Qt::AlignVCenter);
        const double textRoom = laneLeft - left - nameWidth - space::m;
        const auto fits = static_cast<qsizetype>(textRoom / b.textWidth(QStringLiteral("m"), 10.5));
        b.label(QRectF(left + nameWidth, y, textRoom, pitch),
                use.text.size() > fits ? use.text.left(std::max<qsizetype>(0, fits - 1)) + QStringLiteral("…")
                                       : use.text,
                TextStyle::Caption, Role::Text, Qt::AlignLeft | Qt::AlignVCenter);
        for (int at = 0; at < kWarpSize; ++at) {
            const double share =
                static_cast<double>(use.lanes[static_cast<std::size_t>(at)]) / static_cast<double>(use.issues);
            const QRectF cell(laneLeft + at * lane, y + 3, lane - 1, pitch - 6);
            b.fill(cell, Role::Surface2);
            if (share > 0)
                b.fill(cell, at == state.lane ? Role::Series2 : Role::Series1, 0.15 + 0.85 * share);
        }
        b.label(QRectF(idleLeft, y, idleWidth, pitch), percent(use.idleShare()), TextStyle::Caption,
                use.idleShare() > 0 ? Role::Text : Role::Text3, Qt::AlignLeft | Qt::AlignVCenter);
        Raster raster;
        raster.columns = columns;
        raster.rows = 1;
        raster.rect = QRectF(timeLeft, y + 3, columns, pitch - 6);
        for (int tone = 1; tone <= kTones; ++tone)
            raster.tones.push_back({Role::Series1, 0.15 + 0.85 * tone / kTones});
        for (int x = 0; x < columns; ++x) {
            const auto bin = static_cast<std::size_t>(x) * LaunchView::kBins / static_cast<std::size_t>(columns);
            const double full = static_cast<double>(use.binIssues[bin]) * kWarpSize;
            const auto tone = full > 0 ? std::max(1L, std::lround(kTones * use.binLanes[bin] / full)) : 0;
            raster.cells.push_back(static_cast<std::uint8_t>(tone));
        }
        b.raster(std::move(raster));
        b.item(QStringLiteral("line.%1").arg(index), useText(use), row);
        y += pitch;
    }
    y = std::max(y + space::s, b.bottom() - footer);
    const QString sentence =
        shown.size() < lines.size()
            ? tr("%1 lines that lose fewer lanes are in the table").arg(lines.size() - shown.size())
            : tr("stronger: more of the lanes took part");
    b.footer({left, y}, width, keys, sentence, Role::Text3);
    return y + b.footerHeight(width, keys, sentence);
}

class Divergence : public Scene {
public:
    QString id() const override { return QStringLiteral("divergence"); }
    QString title() const override { return tr("Lanes at work, by source line"); }
    SceneTracks tracks(const Frames&, const SceneState&) const override { return {}; }
    std::size_t steps(const Frames&, const SceneState&) const override { return 0; }
    bool supports(const SceneFrame& frame) const override
    {
        const auto* view = frame.payloads.get<LaunchView>();
        return view && !view->lines().empty();
    }
    double preferredHeight(const Frames& frames, double textScale) const override
    {
        std::size_t most = 6;
        for (const SceneFrame& frame : frames)
            if (const auto* view = frame.payloads.get<LaunchView>())
                most = std::max(most, view->lines().size());
        return 60 + (140 + 22.0 * static_cast<double>(std::min<std::size_t>(most, 16))) * textScale;
    }
    SceneState moved(const Frames& frames, const SceneState& state, int dx, int dy) const override
    {
        const LaunchView* view = shownLaunch(frames, state);
        if (!view || dy == 0)
            return Scene::moved(frames, state, dx, dy);
        SceneState next = state;
        next.row = std::clamp(state.row + dy, 0, std::max(0, static_cast<int>(view->lines().size()) - 1));
        return next;
    }
    /// The line of the source: where an item stands in the list is nobody's business.
    QString pointedId(const Frames& frames, const SceneState& state, const SceneItem& item) const override
    {
        const LaunchView* view = shownLaunch(frames, state);
        const int index = item.id.startsWith(QLatin1String("line.")) ? item.id.mid(5).toInt() : -1;
        if (!view || index < 0 || index >= static_cast<int>(view->lines().size()))
            return item.id;
        const LineUse& use = view->lines()[static_cast<std::size_t>(index)];
        return QStringLiteral("line.%1").arg(use.sourceLine != 0 ? use.sourceLine : use.ptxLine);
    }
    SceneState picked(const Frames&, const SceneState& state, const SceneItem& item, QPointF) const override
    {
        SceneState next = state;
        if (item.id.startsWith(QLatin1String("line.")))
            next.row = item.id.mid(5).toInt();
        return next;
    }

    SceneDrawing draw(const Frames& frames, const SceneState& state, QSizeF size, double textScale) const override
    {
        SceneBuilder builder(size, textScale);
        const LaunchView* view = shownLaunch(frames, state);
        if (!view || view->lines().empty())
            return builder.empty(view ? tr("No warp of this launch was watched.") : noLaunchText(frames, state));
        const double used = drawPicture(*view, state, builder);
        return builder.finish(headText(frames[state.frame]) +
                                  tr("%1 of the lanes were idle when their warps issued, in %2 source lines.")
                                      .arg(percent(idleOfAll(view->lines())))
                                      .arg(view->lines().size()),
                              used + SceneBuilder::kMargin);
    }

    std::vector<QStringList> table(const Frames& frames, const SceneState& state) const override
    {
        std::vector<QStringList> rows = {{tr("Line"), tr("Source"), tr("Issues"), tr("Lanes"), tr("Lanes idle")}};
        const LaunchView* view = shownLaunch(frames, state);
        if (!view)
            return rows;
        for (const LineUse& use : view->lines())
            rows.push_back({lineName(use), use.text, QString::number(use.issues), QString::number(use.lanesInAll()),
                            percent(use.idleShare())});
        return rows;
    }
};

} // namespace

std::unique_ptr<Scene> makeDivergenceScene()
{
    return std::make_unique<Divergence>();
}

} // namespace ridge::app
