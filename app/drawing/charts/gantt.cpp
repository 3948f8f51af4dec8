// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/gantt.h"

#include "app/drawing/charts/chart_text.h"
#include "base/json.h"

#include <QCoreApplication>

namespace ridge::app {
namespace {

constexpr double kThickest = 28;
constexpr std::size_t kFewLanes = 12;

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Gantt", text);
}

bool drawable(const GanttSpan& span)
{
    return std::isfinite(span.start) && std::isfinite(span.length) && span.length >= 0;
}

} // namespace

GanttPlot::GanttPlot(GanttData data) : m_data(std::move(data)), m_lanes(m_data.lanes.size())
{
    bool any = false;
    for (const GanttSpan& span : m_data.spans) {
        if (!drawable(span) || span.lane < 0 || span.lane >= static_cast<int>(m_lanes.size()))
            continue;
        m_lanes[static_cast<std::size_t>(span.lane)].spans.push_back(span);
        m_from = any ? std::min(m_from, span.start) : span.start;
        m_to = any ? std::max(m_to, span.start + span.length) : span.start + span.length;
        any = true;
    }
    for (Lane& lane : m_lanes) {
        std::stable_sort(lane.spans.begin(), lane.spans.end(),
                         [](const GanttSpan& a, const GanttSpan& b) { return a.start < b.start; });
        double reach = -std::numeric_limits<double>::infinity();
        for (const GanttSpan& span : lane.spans) {
            const double end = span.start + span.length;
            lane.busy += std::max(0.0, end - std::max(reach, span.start));
            reach = std::max(reach, end);
            lane.reach.push_back(reach);
        }
    }
}

PlotText GanttPlot::text() const
{
    return {m_data.title, captioned(m_data.caption, provenanceText(m_data.provenance)),
            m_data.emptyText.isEmpty() ? tr("Spans appear here once a run has recorded what ran when.")
                                       : m_data.emptyText};
}

bool GanttPlot::empty() const
{
    return std::all_of(m_lanes.begin(), m_lanes.end(), [](const Lane& lane) { return lane.spans.empty(); });
}

QString GanttPlot::summary() const
{
    if (empty())
        return text().emptyText;
    std::size_t spans = 0;
    QStringList busy;
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        spans += m_lanes[i].spans.size();
        if (i < 8)
            busy << tr("%1 %2 %")
                        .arg(m_data.lanes[i])
                        .arg(m_to > m_from ? qRound(100 * m_lanes[i].busy / (m_to - m_from)) : 0);
    }
    QString words = tr("%1 spans in %2 lanes over %3 (%4): busy share of %5")
                        .arg(spans)
                        .arg(m_lanes.size())
                        .arg(quantity(m_to - m_from, m_data.unit), provenanceText(m_data.provenance),
                             busy.join(QStringLiteral(", ")));
    if (m_lanes.size() > 8)
        words += tr(" and %1 lanes more").arg(m_lanes.size() - 8);
    return words + QLatin1Char('.');
}

ChartTable GanttPlot::table() const
{
    ChartTable table;
    table.kind = QStringLiteral("gantt");
    table.title = m_data.title;
    table.caption = m_data.caption;
    table.summary = summary();
    table.origin = m_data.origin;
    table.columns = {{QStringLiteral("lane"), tr("Lane"), {}, false},
                     {QStringLiteral("name"), tr("Name"), {}, false},
                     {QStringLiteral("kind"), tr("Kind"), {}, false},
                     {QStringLiteral("start"), tr("Start"), m_data.unit},
                     {QStringLiteral("length"), tr("Length"), m_data.unit},
                     {QStringLiteral("provenance"), tr("Provenance"), {}, false}};
    for (std::size_t i = 0; i < m_lanes.size(); ++i)
        for (const GanttSpan& span : m_lanes[i].spans) {
            const auto kind = static_cast<std::size_t>(std::max(0, span.kind));
            table.rows.push_back({m_data.lanes[i], span.name,
                                  kind < m_data.kinds.size() ? ChartCell(m_data.kinds[kind]) : ChartCell(), span.start,
                                  span.length, provenanceText(m_data.provenance)});
        }
    return table;
}

PlotAxes GanttPlot::axes() const
{
    PlotAxes axes;
    axes.y.grid = false;
    if (empty()) {
        axes.x.shown = axes.y.shown = axes.x.grid = false;
        return axes;
    }
    axes.x.scale.min = m_from;
    axes.x.scale.max = m_to > m_from ? m_to : m_from + 1;
    const auto [size, unit] = axisUnit(m_to, m_data.unit);
    axes.x.unit = size;
    axes.x.title = titled(m_data.timeTitle, unit);
    axes.x.zoom = true;
    const auto count = static_cast<double>(m_lanes.size());
    axes.y.scale.min = -0.5;
    axes.y.scale.max = count - 0.5;
    axes.y.zoom = m_lanes.size() > kFewLanes;
    for (std::size_t i = 0; i < m_lanes.size(); ++i)
        axes.y.ticks.push_back({count - 1 - static_cast<double>(i), m_data.lanes[i]});
    return axes;
}

Json GanttPlot::describe() const
{
    return {{"painted", m_painted}};
}

std::vector<KeyEntry> GanttPlot::key(const Theme& theme) const
{
    std::vector<KeyEntry> entries;
    for (std::size_t i = 0; i < m_data.kinds.size(); ++i)
        entries.push_back({m_data.kinds[i], theme.series(static_cast<int>(i)), -1, Provenance::Measured});
    return entries;
}

QMarginsF GanttPlot::margins(const Theme& theme, QSizeF available) const
{
    if (empty())
        return {};
    double name = 0;
    for (const QString& lane : m_data.lanes)
        name = std::max(name, textWidth(theme, TextStyle::ChartTick, lane));
    const double width = available.width() - std::min(name, available.width() * 0.32) - 2 * space::l;
    return {0, paintKey(nullptr, theme, QRectF(0, 0, width, 1), key(theme)) + space::s, space::l, 0};
}

/// The spans that may reach into [from, to].
std::pair<std::size_t, std::size_t> GanttPlot::visible(const Lane& lane, double from, double to) const
{
    const auto first = std::lower_bound(lane.reach.begin(), lane.reach.end(), from) - lane.reach.begin();
    const auto last = std::upper_bound(lane.spans.begin(), lane.spans.end(), to,
                                       [](double at, const GanttSpan& span) { return at < span.start; }) -
                      lane.spans.begin();
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(std::max(first, last))};
}

QRectF GanttPlot::laneRect(const PlotFrame& frame, int lane) const
{
    const double middle = frame.placeY(static_cast<double>(m_lanes.size()) - 1 - lane);
    const double pitch = frame.plot.height() / (frame.y.max - frame.y.min);
    const double thick = std::min<double>(frame.theme.scaled(kThickest), std::max(1.0, pitch * 0.76));
    return QRectF(frame.plot.left(), std::round(middle - thick / 2), frame.plot.width(),
                  std::max(1.0, std::round(thick)));
}

QRectF GanttPlot::rectOf(const PlotFrame& frame, const GanttSpan& span) const
{
    const QRectF lane = laneRect(frame, span.lane);
    const double left = frame.placeX(span.start);
    return QRectF(left, lane.top(), std::max(1.0, frame.placeX(span.start + span.length) - left), lane.height());
}

void GanttPlot::paint(QPainter& painter, const PlotFrame& frame, PlotCursor) const
{
    if (empty())
        return;
    const double top = margins(frame.theme, frame.all.size()).top();
    paintKey(&painter, frame.theme, QRectF(frame.plot.left(), frame.plot.top() - top, frame.plot.width(), top),
             key(frame.theme));
    painter.save();
    painter.setClipRect(frame.plot);
    painter.setRenderHint(QPainter::Antialiasing, false);
    m_painted = 0;
    for (int lane = 0; lane < static_cast<int>(m_lanes.size()); ++lane)
        if (laneRect(frame, lane).intersects(frame.plot))
            m_painted += paintLane(painter, frame, lane);
    painter.restore();
}

int GanttPlot::paintLane(QPainter& painter, const PlotFrame& frame, int at) const
{
    const Theme& theme = frame.theme;
    const Lane& lane = m_lanes[static_cast<std::size_t>(at)];
    const QRectF row = laneRect(frame, at);
    painter.fillRect(QRectF(row.left(), row.center().y(), row.width(), 1), theme.color(Role::Grid));
    const auto [first, last] = visible(lane, frame.x.min, frame.x.max);
    std::vector<double> done(std::max<std::size_t>(1, m_data.kinds.size()), frame.plot.left() - 1);
    painter.setFont(theme.font(TextStyle::Caption));
    const double line = theme.lineHeight(TextStyle::Caption);
    int painted = 0;
    for (std::size_t i = first; i < last; ++i) {
        const GanttSpan& span = lane.spans[i];
        QRectF box = rectOf(frame, span).intersected(frame.plot);
        if (box.isEmpty())
            continue;
        const auto kind = static_cast<std::size_t>(std::max(0, span.kind)) % done.size();
        // A pixel column is painted once for each kind: thousands of spans there look the same.
        if (std::floor(box.right()) <= done[kind])
            continue;
        box.setLeft(std::max(std::floor(box.left()), done[kind]));
        const bool gap = box.width() > 4;
        box.setRight(std::max(box.left() + 1, std::floor(box.right())));
        done[kind] = box.right();
        const QColor color = theme.series(static_cast<int>(kind));
        painter.fillRect(gap ? box.adjusted(0, 0, -1, 0) : box, color);
        ++painted;
        if (box.height() < line || box.width() < 24)
            continue;
        // A name stands whole or not at all, up to a shortened one in spans that hold most of it.
        const double room = box.width() - space::s, needed = textWidth(theme, TextStyle::Caption, span.name);
        if (room < needed * 0.6)
            continue;
        painter.setPen(inkOn(theme, color));
        painter.drawText(box.adjusted(space::xs, 0, -space::xs, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetricsF(painter.font()).elidedText(span.name, Qt::ElideRight, room + 0.5));
    }
    return painted;
}

std::vector<int> GanttPlot::groups() const
{
    std::vector<int> sizes;
    for (const Lane& lane : m_lanes)
        sizes.push_back(static_cast<int>(lane.spans.size()));
    return sizes;
}

std::optional<QRectF> GanttPlot::outline(const PlotFrame& frame, PlotCursor at) const
{
    return rectOf(frame, m_lanes[static_cast<std::size_t>(at.group)].spans[static_cast<std::size_t>(at.point)]);
}

QString GanttPlot::pointText(PlotCursor at) const
{
    const GanttSpan& span = m_lanes[static_cast<std::size_t>(at.group)].spans[static_cast<std::size_t>(at.point)];
    const auto kind = static_cast<std::size_t>(std::max(0, span.kind));
    QString words = tr("%1: %2").arg(m_data.lanes[static_cast<std::size_t>(at.group)], span.name);
    if (kind < m_data.kinds.size() && m_data.kinds[kind] != span.name)
        words += QStringLiteral(", ") + m_data.kinds[kind];
    return words + tr(", from %1 for %2, %3")
                       .arg(quantity(span.start, m_data.unit), quantity(span.length, m_data.unit),
                            provenanceText(m_data.provenance));
}

PlotCursor GanttPlot::hit(const PlotFrame& frame, QPointF at) const
{
    if (empty() || !frame.plot.contains(at))
        return {};
    for (int lane = 0; lane < static_cast<int>(m_lanes.size()); ++lane) {
        if (!laneRect(frame, lane).adjusted(0, -1, 0, 1).contains(at))
            continue;
        // Two pixels of reach, so that a span of one pixel can be met.
        const double pixel = (frame.x.max - frame.x.min) / frame.plot.width();
        const double time = frame.x.valueAt((at.x() - frame.plot.left()) / frame.plot.width());
        const auto& spans = m_lanes[static_cast<std::size_t>(lane)].spans;
        const auto [first, last] = visible(m_lanes[static_cast<std::size_t>(lane)], time - 2 * pixel, time + 2 * pixel);
        int best = -1;
        double bestGap = 2 * pixel;
        for (std::size_t i = first; i < last; ++i) {
            const double gap = std::max({0.0, spans[i].start - time, time - spans[i].start - spans[i].length});
            if (gap < bestGap) {
                bestGap = gap;
                best = static_cast<int>(i);
            }
        }
        if (best >= 0)
            return {lane, best};
    }
    return {};
}

} // namespace ridge::app
