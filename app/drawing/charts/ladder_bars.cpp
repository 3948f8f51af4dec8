// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/ladder_bars.h"

#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_paint.h"
#include "app/drawing/charts/series_marker.h"
#include "base/json.h"

#include <QCoreApplication>

namespace ridge::app {
namespace {

constexpr double kThickest = 34; ///< px of a bar at 100 % text size

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Ladder", text);
}

bool drawable(double value)
{
    return std::isfinite(value) && value >= 0;
}

QString percent(double part, double whole)
{
    const double share = 100 * part / whole;
    return QStringLiteral("%1 %").arg(QString::number(share, 'f', share < 9.95 ? 1 : 0));
}

/// Ticks at whole percents of `whole`, in the values of the axis.
std::vector<Tick> percentTicks(double whole, double highest, int most)
{
    AxisScale scale;
    scale.max = 100 * highest / whole;
    std::vector<Tick> ticks;
    for (const Tick& tick : makeTicks(scale, most))
        ticks.push_back({tick.value * whole / 100, tick.label + QStringLiteral(" %")});
    return ticks;
}

bool positive(const std::optional<double>& value)
{
    return value && std::isfinite(*value) && *value > 0;
}

} // namespace

double LadderPlot::highest() const
{
    double most = 0;
    for (const LadderRung& rung : m_data.rungs)
        for (const double value : {rung.value, rung.high.value_or(0)})
            if (drawable(value))
                most = std::max(most, value);
    for (const auto& line : {m_data.limit, m_data.reference})
        if (positive(line))
            most = std::max(most, *line);
    return most > 0 ? most : 1;
}

PlotText LadderPlot::text() const
{
    std::vector<Provenance> origins;
    for (const LadderRung& rung : m_data.rungs)
        origins.push_back(rung.provenance);
    return {m_data.title, captioned(m_data.caption, markedProvenances(origins)),
            m_data.emptyText.isEmpty() ? tr("The rungs appear here as their runs come in.") : m_data.emptyText};
}

bool LadderPlot::empty() const
{
    return std::none_of(m_data.rungs.begin(), m_data.rungs.end(),
                        [](const LadderRung& rung) { return drawable(rung.value); });
}

QString LadderPlot::summary() const
{
    const LadderRung* best = nullptr;
    for (const LadderRung& rung : m_data.rungs)
        if (drawable(rung.value) && (!best || rung.value > best->value))
            best = &rung;
    if (!best)
        return text().emptyText;
    QString words = tr("%1 of %2 rungs: highest is %3 with %4 (%5)")
                        .arg(asStart(m_data.valueTitle))
                        .arg(m_data.rungs.size())
                        .arg(best->name, quantity(best->value, m_data.unit), provenanceText(best->provenance));
    if (positive(m_data.limit))
        words += tr(", %1 of %2").arg(percent(best->value, *m_data.limit), m_data.limitName);
    if (positive(m_data.reference))
        words += tr(", %1 of %2").arg(percent(best->value, *m_data.reference), m_data.referenceName);
    const LadderRung& first = m_data.rungs.front();
    if (best != &first && drawable(first.value) && first.value > 0)
        words += tr(", %1 times %2").arg(QString::number(best->value / first.value, 'g', 3), first.name);
    return words + QLatin1Char('.');
}

ChartTable LadderPlot::table() const
{
    ChartTable table;
    table.kind = QStringLiteral("ladder");
    table.title = m_data.title;
    table.caption = m_data.caption;
    table.summary = summary();
    table.origin = m_data.origin;
    const QString share = QStringLiteral("%");
    table.columns = {{QStringLiteral("rung"), tr("Rung"), {}, false},
                     {m_data.valueTitle, asStart(m_data.valueTitle), m_data.unit},
                     {QStringLiteral("low"), tr("From"), m_data.unit},
                     {QStringLiteral("high"), tr("To"), m_data.unit},
                     {QStringLiteral("of_limit"), tr("Of limit"), share},
                     {QStringLiteral("of_reference"), tr("Of %1").arg(m_data.referenceName), share},
                     {QStringLiteral("provenance"), tr("Provenance"), {}, false}};
    const ChartCell none;
    const auto cell = [&](const std::optional<double>& value) { return value ? ChartCell(*value) : none; };
    for (const LadderRung& rung : m_data.rungs)
        table.rows.push_back({rung.name, rung.value, cell(rung.low), cell(rung.high),
                              positive(m_data.limit) ? ChartCell(100 * rung.value / *m_data.limit) : none,
                              positive(m_data.reference) ? ChartCell(100 * rung.value / *m_data.reference) : none,
                              provenanceText(rung.provenance)});
    if (positive(m_data.limit))
        table.rows.push_back({tr("limit: %1").arg(m_data.limitName), *m_data.limit, none, none, none, none, none});
    if (positive(m_data.reference))
        table.rows.push_back({m_data.referenceName, *m_data.reference, none, none, none, none, none});
    return table;
}

PlotAxes LadderPlot::axes() const
{
    PlotAxes axes;
    if (empty()) {
        axes.x.shown = axes.y.shown = axes.x.grid = axes.y.grid = false;
        return axes;
    }
    const double top = highest();
    axes.x.scale.max = top * 1.02;
    if (positive(m_data.limit)) {
        axes.x.ticks = percentTicks(*m_data.limit, top, 6);
        axes.x.title = tr("of limit: %1, %2").arg(m_data.limitName, quantity(*m_data.limit, m_data.unit));
    } else {
        axes.x.scale = makeScale(ParamScale::Linear, {0, top}, true);
        const auto [size, unit] = axisUnit(top, m_data.unit);
        axes.x.unit = size;
        axes.x.title = titled(m_data.valueTitle, unit);
    }
    const auto count = static_cast<double>(m_data.rungs.size());
    axes.y.scale.min = -0.5;
    axes.y.scale.max = count - 0.5;
    axes.y.grid = false;
    for (std::size_t i = 0; i < m_data.rungs.size(); ++i)
        axes.y.ticks.push_back({count - 1 - static_cast<double>(i), m_data.rungs[i].name});
    return axes;
}

QString LadderPlot::zoomRefusal() const
{
    return tr("Bars start at zero and are always shown whole.");
}

/// Value, percent of limit, percent of reference: what stands beside a bar.
QStringList LadderPlot::columnsOf(const LadderRung& rung) const
{
    QStringList columns = {quantity(rung.value, m_data.unit)};
    if (positive(m_data.limit))
        columns << percent(rung.value, *m_data.limit);
    if (positive(m_data.reference))
        columns << percent(rung.value, *m_data.reference);
    return columns;
}

std::vector<double> LadderPlot::columnWidths(const Theme& theme) const
{
    std::vector<double> widths;
    const QStringList heads = {{}, tr("of limit"), tr("of %1").arg(m_data.referenceName)};
    for (const LadderRung& rung : m_data.rungs) {
        const QStringList columns = columnsOf(rung);
        widths.resize(static_cast<std::size_t>(columns.size()), 0);
        for (qsizetype i = 0; i < columns.size(); ++i)
            widths[static_cast<std::size_t>(i)] =
                std::max(widths[static_cast<std::size_t>(i)],
                         std::ceil(textWidth(theme, TextStyle::ChartLabel, columns[i])) + space::m);
    }
    // A head may take more room than its numbers, but not push the bars away.
    for (std::size_t i = 1; i < widths.size(); ++i) {
        const bool reference = i + 1 == widths.size() && positive(m_data.reference);
        widths[i] = std::max(
            widths[i],
            std::min(96.0, std::ceil(textWidth(theme, TextStyle::Caption, heads[reference ? 2 : 1])) + space::m));
    }
    return widths;
}

QMarginsF LadderPlot::margins(const Theme& theme, QSizeF available) const
{
    if (empty())
        return {};
    double right = 0;
    for (const double width : columnWidths(theme))
        if (right == 0 || right + width < available.width() * 0.42)
            right += width;
    // The second scale needs its ticks and its name; heads of the columns share its line.
    const double top = theme.lineHeight(TextStyle::Caption) +
                       (positive(m_data.reference) ? theme.lineHeight(TextStyle::ChartTick) + space::s : 0);
    return {0, top, right, 0};
}

std::optional<QRectF> LadderPlot::outline(const PlotFrame& frame, PlotCursor at) const
{
    const LadderRung& rung = m_data.rungs[static_cast<std::size_t>(at.group)];
    if (!drawable(rung.value))
        return std::nullopt;
    const double middle = frame.placeY(static_cast<double>(m_data.rungs.size()) - 1 - at.group);
    const double thick = std::min(frame.theme.scaled(kThickest) * 1.0,
                                  std::max(3.0, 0.64 * frame.plot.height() / static_cast<double>(m_data.rungs.size())));
    return QRectF(QPointF(frame.plot.left(), std::round(middle - thick / 2)),
                  QPointF(frame.placeX(rung.value), std::round(middle + thick / 2)));
}

PlotCursor LadderPlot::hit(const PlotFrame& frame, QPointF at) const
{
    if (!frame.plot.contains(at) || empty())
        return {};
    const auto count = static_cast<int>(m_data.rungs.size());
    const int rung = static_cast<int>((at.y() - frame.plot.top()) / frame.plot.height() * count);
    return drawable(m_data.rungs[static_cast<std::size_t>(std::clamp(rung, 0, count - 1))].value)
               ? PlotCursor{std::clamp(rung, 0, count - 1), 0}
               : PlotCursor{};
}

std::vector<int> LadderPlot::groups() const
{
    std::vector<int> sizes;
    for (const LadderRung& rung : m_data.rungs)
        sizes.push_back(drawable(rung.value) ? 1 : 0);
    return sizes;
}

QString LadderPlot::pointText(PlotCursor at) const
{
    const LadderRung& rung = m_data.rungs[static_cast<std::size_t>(at.group)];
    QStringList parts = {tr("%1: %2").arg(rung.name, quantity(rung.value, m_data.unit))};
    if (rung.low && rung.high)
        parts << tr("from %1 to %2").arg(quantity(*rung.low, m_data.unit), quantity(*rung.high, m_data.unit));
    if (positive(m_data.limit))
        parts << tr("%1 of %2").arg(percent(rung.value, *m_data.limit), m_data.limitName);
    if (positive(m_data.reference))
        parts << tr("%1 of %2").arg(percent(rung.value, *m_data.reference), m_data.referenceName);
    parts << provenanceText(rung.provenance);
    return parts.join(QStringLiteral(", "));
}

void LadderPlot::paint(QPainter& painter, const PlotFrame& frame, PlotCursor) const
{
    if (empty())
        return;
    paintBars(painter, frame);
    if (positive(m_data.limit)) {
        const double x = snapped(frame.placeX(*m_data.limit));
        painter.setPen(QPen(frame.theme.color(Role::Text), 2));
        painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom() + 4));
    }
    paintReference(painter, frame);
    paintNumbers(painter, frame);
}

void LadderPlot::paintBars(QPainter& painter, const PlotFrame& frame) const
{
    const Theme& theme = frame.theme;
    for (std::size_t i = 0; i < m_data.rungs.size(); ++i) {
        const LadderRung& rung = m_data.rungs[i];
        const auto bar = outline(frame, {static_cast<int>(i), 0});
        if (!bar)
            continue;
        paintProvenanceRect(painter, *bar, theme.series(0), rung.provenance);
        if (rung.low && rung.high && drawable(*rung.low) && drawable(*rung.high)) {
            const double y = bar->center().y(), tall = std::min(6.0, bar->height() / 3);
            const double from = frame.placeX(*rung.low), to = frame.placeX(*rung.high);
            // On a light edge, so that it can be told from a dark bar.
            for (const auto& [role, width] : {std::pair(Role::Surface, 4.0), std::pair(Role::Text, 1.5)}) {
                painter.setPen(QPen(theme.color(role), width));
                painter.drawLine(QPointF(from, y), QPointF(to, y));
                for (const double x : {from, to})
                    painter.drawLine(QPointF(x, y - tall), QPointF(x, y + tall));
            }
        }
    }
    painter.setPen(QPen(theme.color(Role::BorderStrong), 1));
    const double x = snapped(frame.plot.left());
    painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
}

/// The vendor's line and its own scale along the top.
void LadderPlot::paintReference(QPainter& painter, const PlotFrame& frame) const
{
    if (!positive(m_data.reference))
        return;
    const Theme& theme = frame.theme;
    const double x = snapped(frame.placeX(*m_data.reference));
    painter.setPen(QPen(theme.color(Role::Text2), 1.5, Qt::DashLine, Qt::FlatCap));
    painter.drawLine(QPointF(x, frame.plot.top() - 4), QPointF(x, frame.plot.bottom()));
    painter.setPen(QPen(theme.color(Role::BorderStrong), 1));
    const double top = snapped(frame.plot.top());
    painter.drawLine(QPointF(frame.plot.left(), top), QPointF(frame.plot.right(), top));
    const double tick = theme.lineHeight(TextStyle::ChartTick);
    const double widest = textWidth(theme, TextStyle::ChartTick, QStringLiteral("100 %")) + space::l;
    const auto ticks =
        percentTicks(*m_data.reference, frame.x.max, std::clamp(static_cast<int>(frame.plot.width() / widest), 3, 6));
    for (const Tick& one : ticks) {
        const double at = snapped(frame.placeX(one.value));
        painter.setPen(QPen(theme.color(Role::BorderStrong), 1));
        painter.drawLine(QPointF(at, top - 4), QPointF(at, top));
        paintText(painter, theme, TextStyle::ChartTick, Role::Text2, QRectF(at - 40, top - 5 - tick, 80, tick),
                  Qt::AlignHCenter | Qt::AlignVCenter, one.label);
    }
    const double line = theme.lineHeight(TextStyle::Caption);
    const QString name = tr("of %1, %2").arg(m_data.referenceName, quantity(*m_data.reference, m_data.unit));
    const double wide = std::min(frame.all.width() - 2 * space::m, textWidth(theme, TextStyle::Caption, name) + 2);
    const double left = std::clamp(frame.plot.center().x() - wide / 2, frame.all.left() + space::m,
                                   frame.all.right() - space::m - wide);
    paintText(painter, theme, TextStyle::Caption, Role::Text2, QRectF(left, top - 7 - tick - line, wide, line),
              Qt::AlignHCenter | Qt::AlignVCenter, name);
}

void LadderPlot::paintNumbers(QPainter& painter, const PlotFrame& frame) const
{
    const Theme& theme = frame.theme;
    const std::vector<double> widths = columnWidths(theme);
    const double line = theme.lineHeight(TextStyle::ChartLabel), small = theme.lineHeight(TextStyle::Caption);
    const double right = frame.all.right() - space::m;
    double left = frame.plot.right();
    for (std::size_t column = 0; column < widths.size() && left + widths[column] <= right + 1; ++column) {
        const bool reference = column + 1 == widths.size() && column > 0 && positive(m_data.reference);
        const QRectF head(left, frame.plot.top() - 4 - small, widths[column], small);
        if (column > 0)
            paintText(painter, theme, TextStyle::Caption, Role::Text3, head.adjusted(4, 0, 0, 0),
                      Qt::AlignRight | Qt::AlignVCenter,
                      reference ? tr("of %1").arg(m_data.referenceName) : tr("of limit"));
        for (std::size_t i = 0; i < m_data.rungs.size(); ++i) {
            const LadderRung& rung = m_data.rungs[i];
            const double y = frame.placeY(static_cast<double>(m_data.rungs.size()) - 1 - static_cast<double>(i));
            const QString words = drawable(rung.value) ? columnsOf(rung)[static_cast<qsizetype>(column)]
                                  : column == 0        ? tr("no value")
                                                       : QString();
            paintText(painter, theme, TextStyle::ChartLabel, column == 0 ? Role::Text : Role::Text2,
                      QRectF(left, y - line / 2, widths[column], line), Qt::AlignRight | Qt::AlignVCenter, words);
        }
        left += widths[column];
    }
}

} // namespace ridge::app
