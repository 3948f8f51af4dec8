// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/sweep_plot.h"

#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_paint.h"
#include "app/drawing/charts/series_marker.h"
#include "base/json.h"

#include <cmath>
#include <limits>
#include <map>

namespace ridge::app {
namespace {

constexpr double kEndGap = space::m; // between the last mark and its direct label
constexpr double kRing = 9;          // radius of the cursor around a mark
constexpr double kMostAbove = 2.5;   // times the highest result, as far as an even axis goes for a prediction

constexpr int kNameRows = 3;

/// Names that stand at no point leave the axis, unless it is shared with other charts, at one of which they stand.
void dropUnusedNames(SweepChartData& data)
{
    if (data.xNames.isEmpty() || data.xMin || data.xMax)
        return;
    std::map<double, double> place; // old, new
    for (const ChartSeries& series : data.series)
        for (const ChartSeries::Point& point : series.points)
            place[point.x];
    for (const ChartPrediction& prediction : data.predictions)
        place[prediction.x];
    if (place.empty())
        return;
    QStringList names;
    for (auto& [old, now] : place) {
        names << data.xNames.value(static_cast<qsizetype>(old) - 1);
        now = static_cast<double>(names.size());
    }
    for (ChartSeries& series : data.series)
        for (ChartSeries::Point& point : series.points)
            point.x = place.at(point.x);
    for (ChartPrediction& prediction : data.predictions)
        prediction.x = place.at(prediction.x);
    data.xNames = std::move(names);
}

constexpr int kMostNameLines = 3;

/// "level shared, bytes read 32 MiB" as "level shared" where all of several series read 32 MiB.
std::vector<QString> shortNames(const std::vector<ChartSeries>& all)
{
    const QString comma = QStringLiteral(", ");
    std::vector<QString> names;
    for (const ChartSeries& series : all) {
        QStringList own;
        for (const QString& part : series.name.split(comma))
            if (all.size() < 2 || !std::ranges::all_of(all, [&](const ChartSeries& other) {
                    return other.name.split(comma).contains(part);
                }))
                own << part;
        names.push_back(own.isEmpty() ? series.name : own.join(comma));
    }
    return names;
}

/// Of a text that breaks between words.
double wrappedHeight(const Theme& theme, const QString& text, double width)
{
    return QFontMetricsF(theme.font(TextStyle::ChartLabel))
        .boundingRect(QRectF(0, 0, width, 1e4), Qt::TextWordWrap, text)
        .height();
}

} // namespace

SweepPlot::SweepPlot(SweepChartData data) : m_data(std::move(data))
{
    dropUnusedNames(m_data);
    m_names = shortNames(m_data.series);
    std::vector<double> xs, ys;
    for (const ChartSeries& series : m_data.series)
        for (const ChartSeries::Point& point : series.points) {
            xs.push_back(point.x);
            ys.push_back(point.y);
            if (point.limit)
                ys.push_back(*point.limit);
        }
    // On an even scale a guess far above all results would press their curves into a strip.
    const double highest = ys.empty() ? 0 : *std::max_element(ys.begin(), ys.end());
    const double most = m_data.yScale == ParamScale::Linear && highest > 0 ? highest * kMostAbove
                                                                           : std::numeric_limits<double>::infinity();
    for (const ChartPrediction& prediction : m_data.predictions) {
        xs.push_back(prediction.x);
        for (const double value : {prediction.point, prediction.low, prediction.high})
            if (value <= most)
                ys.push_back(value);
        if (prediction.result)
            ys.push_back(*prediction.result);
    }
    for (const auto& end : {m_data.xMin, m_data.xMax})
        if (end)
            xs.push_back(*end);
    for (const auto& end : {m_data.yMin, m_data.yMax})
        if (end)
            ys.push_back(*end);
    m_x = m_data.xNames.isEmpty() && m_data.xScale == ParamScale::Log2 && isReadInDecades(m_data.xUnit)
              ? makeDecades(xs)
              : makeScale(m_data.xNames.isEmpty() ? m_data.xScale : ParamScale::Linear, xs, false);
    if (!m_data.xNames.isEmpty()) { // half a name's room at both ends
        m_x.min = 0.5;
        m_x.max = static_cast<double>(m_data.xNames.size()) + 0.5;
    }
    m_y = m_data.yScale == ParamScale::Log2 && isReadInDecades(m_data.yUnit) ? makeDecades(ys)
                                                                             : makeScale(m_data.yScale, ys, true);
}

PlotText SweepPlot::text() const
{
    return {m_data.title, m_data.caption, chartEmptyText(m_data)};
}

QString SweepPlot::summary() const
{
    return chartSummary(m_data);
}

ChartTable SweepPlot::table() const
{
    return sweepTable(m_data);
}

bool SweepPlot::empty() const
{
    return std::none_of(m_data.series.begin(), m_data.series.end(),
                        [](const ChartSeries& s) { return !s.points.empty(); });
}

PlotAxes SweepPlot::axes() const
{
    PlotAxes axes;
    axes.x.title = titled(m_data.xTitle, m_data.xUnit);
    axes.x.scale = m_x;
    axes.x.zoom = !empty() && m_data.xNames.isEmpty();
    axes.x.rows = kNameRows;
    for (qsizetype i = 0; i < m_data.xNames.size(); ++i)
        axes.x.ticks.push_back({static_cast<double>(i + 1), m_data.xNames[i]});
    // Of times over decades the middle names the unit: 1, 10, 100, 1 k µs, not 1e-06 s.
    const auto [size, unit] = !m_y.log ? axisUnit(m_y.max, m_data.yUnit)
                              : m_y.decades && m_data.yUnit == QLatin1String("s")
                                  ? axisUnit(std::sqrt(m_y.min * m_y.max), m_data.yUnit)
                                  : std::pair(1.0, m_data.yUnit);
    axes.y.unit = size;
    axes.y.title = titled(m_data.yTitle, unit);
    axes.y.scale = m_y;
    return axes;
}

Json SweepPlot::describe() const
{
    Json json;
    json["labels"] = Json::array();
    for (const EndLabel& end : m_ends)
        json["labels"].push_back(m_names[static_cast<std::size_t>(end.series)].toStdString());
    json["inside"] = Json::array();
    for (const Label& label : m_labels)
        json["inside"].push_back(label.text.toStdString());
    if (m_unnamed > 0)
        json["unnamed"] = m_unnamed;
    if (m_selectedX)
        json["selectedX"] = *m_selectedX;
    return json;
}

QMarginsF SweepPlot::margins(const Theme& theme, QSizeF available) const
{
    double widest = 0;
    for (std::size_t i = 0; i < m_data.series.size(); ++i) {
        const ChartSeries& series = m_data.series[i];
        if (series.points.empty())
            continue;
        widest = std::max({widest, textWidth(theme, TextStyle::ChartLabel, m_names[i]),
                           textWidth(theme, TextStyle::Caption, provenanceText(series.provenance))});
    }
    const double right = widest == 0 ? space::m : std::min(std::ceil(widest) + kEndGap + 2, available.width() * 0.3);
    return {0, 0, right, 0};
}

/// Labels stand at the height of their curve's end and make room for each other without changing order.
void SweepPlot::layout(const PlotFrame& frame)
{
    m_ends.clear();
    const double left = frame.plot.right() + kEndGap;
    const double width = frame.all.right() - space::m - left;
    // A name that is longer than its room takes further lines: cut off, two series would read alike.
    const double line = frame.theme.lineHeight(TextStyle::ChartLabel);
    m_nameLines = 1;
    for (std::size_t i = 0; i < m_data.series.size(); ++i)
        if (!m_data.series[i].points.empty() && textWidth(frame.theme, TextStyle::ChartLabel, m_names[i]) > width + 0.5)
            m_nameLines = std::max(
                m_nameLines,
                std::min(kMostNameLines,
                         static_cast<int>(std::ceil(wrappedHeight(frame.theme, m_names[i], width) / line - 0.1))));
    const double height = m_nameLines * line + frame.theme.lineHeight(TextStyle::Caption);
    for (std::size_t i = 0; i < m_data.series.size(); ++i) {
        const auto& points = m_data.series[i].points;
        if (points.empty() || !frame.x.accepts(points.back().x) || !frame.y.accepts(points.back().y))
            continue;
        QPointF anchor = frame.place(points.back().x, points.back().y);
        anchor.setX(std::min(anchor.x(), frame.plot.right()));
        m_ends.push_back({static_cast<int>(i), anchor, QRectF(left, anchor.y() - height / 2, width, height)});
    }
    std::stable_sort(m_ends.begin(), m_ends.end(),
                     [](const EndLabel& a, const EndLabel& b) { return a.anchor.y() < b.anchor.y(); });
    // Where there are more than fit, every so many-th has its name, and the last place says how many have none.
    double ceiling = frame.plot.bottom() + height / 2;
    m_unnamed = 0;
    const auto room = static_cast<std::size_t>(std::max(2.0, std::floor(frame.plot.height() / height) + 1));
    if (m_ends.size() > room) {
        std::vector<EndLabel> named;
        for (std::size_t i = 0; i + 1 < room; ++i)
            named.push_back(m_ends[i * (m_ends.size() - 1) / (room - 2 > 0 ? room - 2 : 1)]);
        m_unnamed = static_cast<int>(m_ends.size() - named.size());
        m_ends = std::move(named);
        ceiling -= height;
        m_unnamedRect = QRectF(left, ceiling, width, height);
    }
    double floor = frame.plot.top() - height / 2;
    for (EndLabel& end : m_ends) {
        end.rect.moveTop(std::max(end.rect.top(), floor));
        floor = end.rect.bottom();
    }
    for (auto end = m_ends.rbegin(); end != m_ends.rend(); ++end) {
        end->rect.moveBottom(std::min(end->rect.bottom(), ceiling));
        ceiling = end->rect.top();
    }
    m_limits = limitLines(frame);
    placeLabels(frame);
}

std::vector<std::pair<QString, QRectF>> SweepPlot::namesAtEnds() const
{
    std::vector<std::pair<QString, QRectF>> all;
    for (const EndLabel& end : m_ends)
        all.emplace_back(m_names[static_cast<std::size_t>(end.series)], end.rect);
    return all;
}

std::vector<PlotCurve> SweepPlot::curves(const PlotFrame& frame) const
{
    std::vector<PlotCurve> curves;
    if (!m_data.xNames.isEmpty())
        return curves; // nothing lies between two names
    for (std::size_t i = 0; i < m_data.series.size(); ++i) {
        const ChartSeries& series = m_data.series[i];
        PlotCurve curve{seriesPen(frame.theme, static_cast<int>(i), series.provenance), {}};
        curve.points.reserve(static_cast<qsizetype>(series.points.size()));
        for (const ChartSeries::Point& p : series.points)
            curve.points.append({p.x, p.y});
        curves.push_back(std::move(curve));
    }
    return curves;
}

QRectF SweepPlot::emptyRect(const PlotFrame& frame) const
{
    QRectF where = Plot::emptyRect(frame);
    if (m_data.predictions.empty())
        return where;
    // Beside the mark, on the side that has more room.
    const double x = frame.placeX(m_data.predictions.front().x);
    if (x < where.center().x())
        where.setLeft(x + space::xxl);
    else
        where.setRight(x - space::xxl);
    where.setBottom(where.top() + frame.theme.lineHeight(TextStyle::Body) * 3);
    return where;
}

std::vector<int> SweepPlot::groups() const
{
    std::vector<int> sizes;
    for (const ChartSeries& series : m_data.series)
        sizes.push_back(static_cast<int>(series.points.size()));
    return sizes;
}

std::optional<QRectF> SweepPlot::outline(const PlotFrame& frame, PlotCursor at) const
{
    const ChartSeries::Point& point =
        m_data.series[static_cast<std::size_t>(at.group)].points[static_cast<std::size_t>(at.point)];
    if (!frame.x.accepts(point.x) || !frame.y.accepts(point.y))
        return std::nullopt;
    return QRectF(frame.place(point.x, point.y) - QPointF(kRing, kRing), QSizeF(2 * kRing, 2 * kRing));
}

QString SweepPlot::pointText(PlotCursor at) const
{
    return app::pointText(m_data, at.group, at.point);
}

} // namespace ridge::app
