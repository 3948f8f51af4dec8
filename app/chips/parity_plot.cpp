// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chips/parity_plot.h"

#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_paint.h"
#include "app/drawing/charts/series_marker.h"
#include "base/json.h"
#include "base/target_kind.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPolygonF>
#include <cmath>

namespace ridge::app {
namespace {

constexpr double kMark = 8;

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Parity", text);
}

QString s(const std::string& text)
{
    return QString::fromStdString(text);
}

Provenance provenanceOf(const parity::Set& set)
{
    const TargetKind* kind = kindOf(set.target);
    return kind ? kind->provenance : Provenance::Modelled;
}

std::vector<KeyEntry> keyOf(const Theme& theme, const ParityData& data)
{
    std::vector<KeyEntry> entries;
    for (std::size_t i = 0; i < data.sets.size(); ++i)
        entries.push_back({s(data.sets[i].title), theme.series(static_cast<int>(i)), static_cast<int>(i),
                           provenanceOf(data.sets[i])});
    if (data.band)
        entries.push_back({tr("within %1").arg(percentText(*data.band)), theme.color(Role::Selection), -1, {}});
    return entries;
}

} // namespace

QString percentText(double share)
{
    const double percent = 100 * std::abs(share);
    const QString digits = QString::number(percent, 'f', percent < 9.95 ? 1 : 0);
    return (share < 0 ? QStringLiteral("−%1 %") : QStringLiteral("%1 %")).arg(digits);
}

const parity::Row& ParityPlot::row(PlotCursor at) const
{
    return m_data.sets[static_cast<std::size_t>(at.group)].rows[static_cast<std::size_t>(at.point)];
}

double ParityPlot::up(const parity::Row& row) const
{
    return m_data.ratio ? *row.modelled / row.measured : *row.modelled;
}

PlotText ParityPlot::text() const
{
    return {m_data.title, m_data.caption, tr("Choose a data set in the list: its rows are drawn here.")};
}

bool ParityPlot::empty() const
{
    return std::none_of(m_data.sets.begin(), m_data.sets.end(), [](const parity::Set& set) {
        return std::any_of(set.rows.begin(), set.rows.end(),
                           [](const parity::Row& row) { return row.modelled.has_value(); });
    });
}

QString ParityPlot::summary() const
{
    if (empty())
        return text().emptyText;
    QStringList parts;
    for (const parity::Set& set : m_data.sets) {
        const parity::Errors errors = parity::errorsOf(set);
        parts << tr("%1: %2 rows, off by %3 in the mean, nine in ten by at most %4, the worst by %5")
                     .arg(s(set.title))
                     .arg(errors.rows)
                     .arg(percentText(errors.mean), percentText(errors.ninety), percentText(errors.worst));
    }
    return parts.join(QStringLiteral("; ")) + QLatin1Char('.');
}

ChartTable ParityPlot::table() const
{
    ChartTable table;
    table.kind = QStringLiteral("parity");
    table.title = m_data.title;
    table.caption = m_data.caption;
    table.summary = summary();
    table.columns = {{QStringLiteral("set"), tr("Data set"), {}, false},
                     {QStringLiteral("point"), tr("Point"), {}, false},
                     {QStringLiteral("measured"), tr("Measured"), m_data.unit},
                     {QStringLiteral("modelled"), tr("Modelled"), m_data.unit},
                     {QStringLiteral("error"), tr("Error"), QStringLiteral("%")},
                     {QStringLiteral("source"), tr("Source"), {}, false}};
    for (const parity::Set& set : m_data.sets)
        for (const parity::Row& row : set.rows)
            table.rows.push_back({s(set.title), s(parity::wordsOf(set, row)), row.measured,
                                  row.modelled ? ChartCell(*row.modelled) : ChartCell(),
                                  row.modelled ? ChartCell(std::round(1000 * row.error()) / 10) : ChartCell(),
                                  s(set.source)});
    return table;
}

PlotAxes ParityPlot::axes() const
{
    PlotAxes axes;
    std::vector<double> values;
    for (const parity::Set& set : m_data.sets)
        for (const parity::Row& row : set.rows)
            if (row.modelled) {
                values.push_back(row.measured);
                values.push_back(*row.modelled);
            }
    const bool some = !values.empty();
    axes.x.scale = axes.y.scale = makeDecades(values);
    // The unit of what lies in the middle of the decades.
    const auto [size, unit] = axisUnit(std::sqrt(axes.x.scale.min * axes.x.scale.max), m_data.unit);
    axes.x.unit = axes.y.unit = some ? size : 1;
    axes.x.title = titled(tr("measured"), unit);
    axes.y.title = titled(tr("modelled"), unit);
    if (some && m_data.ratio) {
        // As far down as up, in whole powers of two.
        double most = 1 + m_data.band.value_or(0.1);
        for (const parity::Set& set : m_data.sets)
            for (const parity::Row& row : set.rows)
                if (row.modelled)
                    most = std::max({most, up(row), 1 / up(row)});
        const double end = std::exp2(std::ceil(4 * std::log2(most)) / 4);
        axes.y.scale = {true, true, 1 / end, end};
        axes.y.unit = 1;
        axes.y.title = tr("modelled ÷ measured");
        for (const double tick : {0.125, 0.25, 0.5, 2.0 / 3, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 4.0, 8.0})
            if (tick >= 1 / end && tick <= end && (end < 1.6 || (tick != 0.9 && tick != 1.1)))
                axes.y.ticks.push_back({tick, QStringLiteral("%1×").arg(tick, 0, 'g', 3)});
    }
    axes.x.zoom = axes.y.zoom = axes.x.shown = axes.y.shown = axes.x.grid = axes.y.grid = some;
    return axes;
}

double ParityPlot::keyHeight(const Theme& theme, double width) const
{
    return paintKey(nullptr, theme, QRectF(0, 0, width, 1e4), keyOf(theme, m_data));
}

QMarginsF ParityPlot::margins(const Theme& theme, QSizeF available) const
{
    return {0, empty() ? 0.0 : keyHeight(theme, available.width() * 0.8) + space::xs, space::m, 0};
}

std::vector<PlotCurve> ParityPlot::curves(const PlotFrame& frame) const
{
    if (empty())
        return {};
    const QPen pen(frame.theme.color(Role::Text2), 1.5);
    if (m_data.ratio)
        return {{pen, {QPointF(frame.x.min, 1), QPointF(frame.x.max, 1)}}};
    const double low = std::max(frame.x.min, frame.y.min), high = std::min(frame.x.max, frame.y.max);
    if (!(low < high))
        return {};
    return {{pen, {QPointF(low, low), QPointF(high, high)}}};
}

void ParityPlot::paintUnder(QPainter& painter, const PlotFrame& frame) const
{
    if (empty() || !m_data.band)
        return;
    const double up = 1 + *m_data.band, down = 1 - *m_data.band;
    const double first = m_data.ratio ? 1 : frame.x.min, last = m_data.ratio ? 1 : frame.x.max;
    const QPolygonF band({frame.place(frame.x.min, first * up), frame.place(frame.x.max, last * up),
                          frame.place(frame.x.max, last * down), frame.place(frame.x.min, first * down)});
    painter.save();
    painter.setClipRect(frame.plot);
    painter.setPen(Qt::NoPen);
    painter.setBrush(frame.theme.color(Role::Selection));
    painter.drawPolygon(band);
    painter.restore();
}

void ParityPlot::paint(QPainter& painter, const PlotFrame& frame, PlotCursor) const
{
    if (empty())
        return;
    const double wide = std::max(frame.plot.width(), frame.all.width() * 0.8);
    const double key = keyHeight(frame.theme, wide);
    paintKey(&painter, frame.theme, QRectF(frame.plot.left(), frame.plot.top() - key - space::xs, wide, key),
             keyOf(frame.theme, m_data));
    painter.save();
    painter.setClipRect(frame.plot.adjusted(-1, -1, 1, 1));
    for (std::size_t i = 0; i < m_data.sets.size(); ++i)
        for (std::size_t point = 0; point < m_data.sets[i].rows.size(); ++point) {
            const auto at = outline(frame, {static_cast<int>(i), static_cast<int>(point)});
            if (at)
                paintSeriesMarker(painter, at->center(), kMark, frame.theme.series(static_cast<int>(i)),
                                  static_cast<int>(i), provenanceOf(m_data.sets[i]));
        }
    painter.restore();
}

std::vector<int> ParityPlot::groups() const
{
    std::vector<int> groups;
    for (const parity::Set& set : m_data.sets)
        groups.push_back(static_cast<int>(set.rows.size()));
    return empty() ? std::vector<int>{} : groups;
}

std::optional<QRectF> ParityPlot::outline(const PlotFrame& frame, PlotCursor at) const
{
    const parity::Row& one = row(at);
    if (!one.modelled || !frame.x.accepts(one.measured) || !frame.y.accepts(up(one)))
        return std::nullopt;
    const QPointF centre = frame.place(one.measured, up(one));
    if (!frame.plot.adjusted(-1, -1, 1, 1).contains(centre))
        return std::nullopt;
    return QRectF(centre - QPointF(kMark, kMark) / 2, QSizeF(kMark, kMark));
}

QString ParityPlot::pointText(PlotCursor at) const
{
    const parity::Set& set = m_data.sets[static_cast<std::size_t>(at.group)];
    const parity::Row& one = row(at);
    const QString words = s(parity::wordsOf(set, one));
    if (!one.modelled)
        return tr("%1: measured %2, not run").arg(words, quantity(one.measured, m_data.unit));
    const QString error = (one.error() > 0 ? QStringLiteral("+") : QString()) + percentText(one.error());
    return tr("%1: measured %2, modelled %3, %4")
        .arg(words, quantity(one.measured, m_data.unit), quantity(*one.modelled, m_data.unit), error);
}

Json ParityPlot::describe() const
{
    Json series = Json::array();
    for (std::size_t i = 0; i < m_data.sets.size(); ++i)
        series.push_back({{"set", m_data.sets[i].id},
                          {"rows", m_data.sets[i].rows.size()},
                          {"first", pointText({static_cast<int>(i), 0}).toStdString()}});
    Json json;
    json["series"] = series;
    if (m_data.band)
        json["band"] = *m_data.band;
    json["ratio"] = m_data.ratio;
    return json;
}

} // namespace ridge::app
