// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/rows_plot.h"

#include "app/drawing/charts/plot_paint.h"
#include "base/json.h"

#include <cmath>

namespace ridge::app {
namespace {

constexpr double kThickest = 22;      ///< px of a bar at 100 % text size
constexpr double kColumnsShare = 0.6; ///< of the width that columns may take beside the bars

} // namespace

PlotText RowsPlot::text() const
{
    return {m_data.title, m_data.caption, m_data.emptyText};
}

QString RowsPlot::summary() const
{
    return empty() ? m_data.emptyText : m_data.summary;
}

ChartTable RowsPlot::table() const
{
    ChartTable table = m_data.table;
    table.kind = m_data.kind;
    table.title = m_data.title;
    table.caption = m_data.caption;
    table.summary = summary();
    return table;
}

PlotAxes RowsPlot::axes() const
{
    PlotAxes axes;
    if (empty()) {
        axes.x.shown = axes.y.shown = axes.x.grid = axes.y.grid = false;
        return axes;
    }
    double low = 1, high = m_data.ratios ? 1 : 0;
    for (const RowsRow& row : m_data.rows)
        if (row.value && std::isfinite(*row.value)) {
            low = std::min(low, *row.value);
            high = std::max(high, *row.value);
        }
    axes.x.title = m_data.xTitle;
    if (m_data.ratios) {
        axes.x.scale.log = true;
        // Whole octaves with room for the numbers at the ends of the bars.
        axes.x.scale.min = std::exp2(std::floor(std::log2(low) - (low < 1 ? 0.8 : 0)));
        axes.x.scale.max = std::exp2(std::ceil(std::log2(std::max(high, 1.01)) + 0.7));
        for (double tick = axes.x.scale.min; tick <= axes.x.scale.max * 1.001; tick *= 2)
            axes.x.ticks.push_back(
                {tick, tick < 1 ? QStringLiteral("1/%1×").arg(1 / tick) : QStringLiteral("%1×").arg(tick)});
    } else {
        axes.x.scale = makeScale(ParamScale::Linear, {0, high > 0 ? high * 1.16 : 1}, true);
    }
    const auto count = static_cast<double>(m_data.rows.size());
    axes.y.scale.min = -0.5;
    axes.y.scale.max = count - 0.5;
    axes.y.grid = axes.y.shown = false; // names are a column of their own
    return axes;
}

double RowsPlot::columnWidth(const Theme& theme, QString RowsRow::*column, const QString& title) const
{
    double wide = 0;
    for (const RowsRow& row : m_data.rows) {
        const TextStyle style = column != &RowsRow::name ? TextStyle::Caption
                                : row.strong             ? TextStyle::Strong
                                                         : TextStyle::ChartLabel;
        wide = std::max(wide, textWidth(theme, style, row.*column));
    }
    if (wide == 0)
        return 0;
    return std::ceil(std::max(wide, textWidth(theme, TextStyle::Caption, title))) + space::m;
}

/// Widths of names, column before and column after the bars; where they would leave the bars too little, everything but
/// the bars stands on a line above them.
RowsPlot::Columns RowsPlot::columns(const Theme& theme, double width) const
{
    const Columns wanted{columnWidth(theme, &RowsRow::name, {}),
                         columnWidth(theme, &RowsRow::before, m_data.beforeTitle),
                         columnWidth(theme, &RowsRow::after, m_data.afterTitle), false};
    return wanted.names + wanted.before + wanted.after > kColumnsShare * width ? Columns{0, 0, 0, true} : wanted;
}

QMarginsF RowsPlot::margins(const Theme& theme, QSizeF available) const
{
    if (empty())
        return {};
    const Columns c = columns(theme, available.width());
    const bool heads = !c.stacked && (!m_data.beforeTitle.isEmpty() || !m_data.afterTitle.isEmpty());
    return {c.names + c.before, heads ? theme.lineHeight(TextStyle::Caption) + 2.0 : 0.0,
            std::max<double>(space::m, c.after), 0};
}

double RowsPlot::heightFor(const Theme& theme, double width) const
{
    if (empty())
        return 0;
    const double inner = width - 2 * space::m;
    const bool stacked = columns(theme, inner).stacked;
    const double line = theme.lineHeight(TextStyle::ChartLabel);
    const double row = stacked ? 2 * line + space::s : std::max<double>(line, theme.scaled(kThickest)) + space::xs;
    return 2 * theme.scaled(kControlHeight) + theme.lineHeight(TextStyle::Caption) +
           theme.lineHeight(TextStyle::ChartTick) + line + row * static_cast<double>(m_data.rows.size()) +
           textHeight(theme, TextStyle::Caption, m_data.caption, inner) + 3 * space::s;
}

std::optional<QRectF> RowsPlot::outline(const PlotFrame& frame, PlotCursor at) const
{
    const RowsRow& row = m_data.rows[static_cast<std::size_t>(at.group)];
    const double pitch = frame.plot.height() / static_cast<double>(m_data.rows.size());
    double middle = frame.placeY(static_cast<double>(m_data.rows.size()) - 1 - at.group);
    double tall = std::min<double>(frame.theme.scaled(kThickest), 0.68 * pitch);
    if (columns(frame.theme, frame.all.width() - 2 * space::m).stacked) {
        const double line = frame.theme.lineHeight(TextStyle::ChartLabel);
        tall = std::clamp(pitch - line - space::s, 4.0, line * 1.0);
        middle += pitch / 2 - tall / 2 - 3;
    }
    const double top = std::round(middle - tall / 2), bottom = std::round(middle + tall / 2);
    if (!row.value)
        return QRectF(QPointF(frame.plot.left(), top), QPointF(frame.plot.right(), bottom));
    const double origin = frame.placeX(m_data.ratios ? 1 : 0), end = frame.placeX(*row.value);
    return QRectF(QPointF(std::min(origin, end), top), QPointF(std::max(origin, end), bottom));
}

void RowsPlot::paint(QPainter& painter, const PlotFrame& frame, PlotCursor) const
{
    if (empty())
        return;
    const Theme& theme = frame.theme;
    const Columns c = columns(theme, frame.all.width() - 2 * space::m);
    if (!c.stacked) {
        const double small = theme.lineHeight(TextStyle::Caption), head = frame.plot.top() - small - 2;
        paintText(painter, theme, TextStyle::Caption, Role::Text3,
                  QRectF(frame.plot.left() - c.before, head, c.before - space::s, small),
                  Qt::AlignRight | Qt::AlignVCenter, m_data.beforeTitle);
        paintText(painter, theme, TextStyle::Caption, Role::Text3,
                  QRectF(frame.plot.right() + space::s, head, c.after, small), Qt::AlignLeft | Qt::AlignVCenter,
                  m_data.afterTitle);
    }
    for (std::size_t i = 0; i < m_data.rows.size(); ++i)
        paintRow(painter, frame, i);
    painter.setPen(QPen(theme.color(Role::BorderStrong), m_data.ratios ? 1.5 : 1));
    const double origin = snapped(frame.placeX(m_data.ratios ? 1 : 0));
    painter.drawLine(QPointF(origin, frame.plot.top()), QPointF(origin, frame.plot.bottom()));
}

void RowsPlot::paintRow(QPainter& painter, const PlotFrame& frame, std::size_t i) const
{
    const Theme& theme = frame.theme;
    const RowsRow& row = m_data.rows[i];
    const QRectF bar = *outline(frame, {static_cast<int>(i), 0});
    const double line = theme.lineHeight(TextStyle::ChartLabel);
    const QRectF band(frame.plot.left(), bar.center().y() - line / 2, frame.plot.width(), line);
    const Columns c = columns(theme, frame.all.width() - 2 * space::m);
    const double left = frame.all.left() + space::m;
    const QString both = row.before.isEmpty()  ? row.after
                         : row.after.isEmpty() ? row.before
                                               : row.before + QStringLiteral(" · ") + row.after;
    const TextStyle style = row.strong ? TextStyle::Strong : TextStyle::ChartLabel;
    if (c.stacked) {
        const QRectF above(left, bar.top() - line, frame.plot.right() - left, line);
        const double name = std::min(above.width(), textWidth(theme, style, row.name) + 2);
        paintText(painter, theme, style, Role::Text, above, Qt::AlignLeft | Qt::AlignVCenter, row.name);
        paintText(painter, theme, TextStyle::Caption, Role::Text2, above.adjusted(name + space::m, 0, 0, 0),
                  Qt::AlignRight | Qt::AlignVCenter, both);
    } else {
        paintText(painter, theme, style, Role::Text, QRectF(left, band.top(), c.names - space::xs, line),
                  Qt::AlignLeft | Qt::AlignVCenter, row.name);
        paintText(painter, theme, TextStyle::Caption, Role::Text2,
                  QRectF(frame.plot.left() - c.before, band.top(), c.before - space::s, line),
                  Qt::AlignRight | Qt::AlignVCenter, row.before);
        paintText(painter, theme, TextStyle::Caption, Role::Text2,
                  QRectF(frame.plot.right() + space::s, band.top(), c.after, line), Qt::AlignLeft | Qt::AlignVCenter,
                  row.after);
    }
    if (!row.value) {
        const double end = row.after.isEmpty() || c.stacked ? frame.all.right() - space::m : band.right();
        paintText(painter, theme, TextStyle::Caption, Role::Text3,
                  QRectF(band.left() + space::s, band.top(), end - band.left() - space::s, line),
                  Qt::AlignLeft | Qt::AlignVCenter, row.reason);
        return;
    }
    QColor color = theme.color(row.role);
    painter.save();
    if (row.strong) {
        painter.fillRect(bar, color);
    } else {
        painter.setPen(QPen(color, 1));
        color.setAlphaF(0.4F);
        painter.setBrush(color);
        painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    painter.restore();
    painter.setFont(theme.font(TextStyle::ChartLabel));
    painter.setPen(theme.color(Role::Text));
    const double wide = textWidth(theme, TextStyle::ChartLabel, row.label) + 2;
    const bool leftwards = m_data.ratios && *row.value < 1;
    // Beside the bar's end, or over it where the picture ends.
    const double x = leftwards ? std::max(frame.plot.left() + 2, bar.left() - space::xs - wide)
                               : std::min(frame.plot.right() - wide, bar.right() + space::xs + 2);
    paintOnGround(painter, QRectF(x, band.top(), wide, line), Qt::AlignLeft | Qt::AlignVCenter, row.label);
}

std::vector<int> RowsPlot::groups() const
{
    return empty() ? std::vector<int>{} : std::vector<int>(m_data.rows.size(), 1);
}

PlotCursor RowsPlot::hit(const PlotFrame& frame, QPointF at) const
{
    if (!frame.plot.contains(at) || empty())
        return {};
    const auto count = static_cast<int>(m_data.rows.size());
    const int row = static_cast<int>((at.y() - frame.plot.top()) / frame.plot.height() * count);
    return {std::clamp(row, 0, count - 1), 0};
}

QString RowsPlot::pointText(PlotCursor at) const
{
    const RowsRow& row = m_data.rows[static_cast<std::size_t>(at.group)];
    if (!row.value)
        return QStringLiteral("%1: %2").arg(row.name, row.reason);
    QStringList parts = {QStringLiteral("%1: %2").arg(row.name, row.label)};
    for (const QString& column : {row.before, row.after})
        if (!column.isEmpty())
            parts << column;
    return parts.join(QStringLiteral(", "));
}

Json RowsPlot::describe() const
{
    Json rows = Json::array();
    for (std::size_t i = 0; i < m_data.rows.size(); ++i)
        rows.push_back(pointText({static_cast<int>(i), 0}).toStdString());
    return {{"rows", rows}, {"bars", {qRound(m_drawn.left()), qRound(m_drawn.right())}}};
}

} // namespace ridge::app
