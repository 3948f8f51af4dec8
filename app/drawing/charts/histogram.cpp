// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/histogram.h"

#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/label_place.h"
#include "app/drawing/charts/plot_paint.h"
#include "app/drawing/charts/series_marker.h"
#include "base/json.h"

#include <QCoreApplication>

namespace ridge::app {
namespace {

constexpr int kMostBins = 60;
constexpr std::size_t kQuartiles = 4; ///< fewer samples have no middle half worth drawing

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Histogram", text);
}

int binsFor(const HistogramStats& stats)
{
    if (stats.max <= stats.min)
        return 1;
    const double n = static_cast<double>(stats.n);
    const double width = 2 * (stats.q3 - stats.q1) / std::cbrt(n);
    const double bins = width > 0 ? (stats.max - stats.min) / width : std::sqrt(n);
    return std::clamp(static_cast<int>(std::ceil(std::min(bins, 1e6))), std::min(5, static_cast<int>(stats.n)),
                      kMostBins);
}

} // namespace

std::optional<double> quantile(const std::vector<double>& sorted, double q)
{
    if (sorted.empty())
        return std::nullopt;
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const auto high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

HistogramStats histogramOf(const std::vector<double>& samples)
{
    HistogramStats stats;
    std::vector<double> sorted;
    for (const double sample : samples)
        if (std::isfinite(sample))
            sorted.push_back(sample);
    stats.n = sorted.size();
    stats.leftOut = samples.size() - sorted.size();
    if (sorted.empty())
        return stats;
    std::sort(sorted.begin(), sorted.end());
    stats.min = sorted.front();
    stats.max = sorted.back();
    stats.median = *quantile(sorted, 0.5);
    stats.q1 = *quantile(sorted, 0.25);
    stats.q3 = *quantile(sorted, 0.75);
    stats.p95 = *quantile(sorted, 0.95);
    const int bins = binsFor(stats);
    // One value alone gets a bin of its own around it.
    const double pad = stats.max > stats.min ? 0 : std::max(std::abs(stats.max) * 0.05, 1e-12);
    const double low = stats.min - pad, width = (stats.max - stats.min + 2 * pad) / bins;
    for (int i = 0; i <= bins; ++i)
        stats.edges.push_back(i == bins ? stats.max + pad : low + i * width);
    stats.counts.assign(static_cast<std::size_t>(bins), 0);
    for (const double sample : sorted)
        ++stats.counts[static_cast<std::size_t>(std::clamp(static_cast<int>((sample - low) / width), 0, bins - 1))];
    return stats;
}

HistogramPlot::HistogramPlot(HistogramData data) : m_data(std::move(data)), m_stats(histogramOf(m_data.samples)) {}

PlotText HistogramPlot::text() const
{
    return {m_data.title, captioned(m_data.caption, provenancesText(m_data.provenance)),
            m_data.emptyText.isEmpty() ? tr("The distribution appears here as runs come in.") : m_data.emptyText};
}

QString HistogramPlot::summary() const
{
    if (empty())
        return text().emptyText;
    const auto value = [&](double number) { return quantity(number, m_data.unit); };
    QString words = tr("%1 (%2), n = %3: median %4, middle half from %5 to %6, 95th percentile %7, range %8 to %9")
                        .arg(asStart(m_data.valueTitle), provenancesText(m_data.provenance))
                        .arg(m_stats.n)
                        .arg(value(m_stats.median), value(m_stats.q1), value(m_stats.q3), value(m_stats.p95),
                             value(m_stats.min), value(m_stats.max));
    if (m_data.limit)
        words += tr("; limit %1, %2").arg(value(*m_data.limit), m_data.limitName);
    if (m_stats.leftOut > 0)
        words += tr("; %1 left out because they are not numbers").arg(m_stats.leftOut);
    return words + QLatin1Char('.');
}

ChartTable HistogramPlot::table() const
{
    ChartTable table;
    table.kind = QStringLiteral("histogram");
    table.title = m_data.title;
    table.caption = m_data.caption;
    table.summary = summary();
    table.origin = m_data.origin;
    table.columns = {{QStringLiteral("item"), tr("Item"), {}, false},
                     {QStringLiteral("from"), tr("From"), m_data.unit},
                     {QStringLiteral("to"), tr("To"), m_data.unit},
                     {QStringLiteral("count"), tr("Count"), {}},
                     {QStringLiteral("provenance"), tr("Provenance"), {}, false}};
    const ChartCell none;
    const QString provenance = provenancesText(m_data.provenance);
    for (std::size_t i = 0; i < m_stats.counts.size(); ++i)
        table.rows.push_back(
            {tr("bin"), m_stats.edges[i], m_stats.edges[i + 1], static_cast<double>(m_stats.counts[i]), provenance});
    if (empty())
        return table;
    table.rows.push_back({tr("median"), m_stats.median, none, none, provenance});
    table.rows.push_back({tr("middle half"), m_stats.q1, m_stats.q3, none, provenance});
    table.rows.push_back({tr("95th percentile"), m_stats.p95, none, none, provenance});
    if (m_data.limit)
        table.rows.push_back({tr("limit: %1").arg(m_data.limitName), *m_data.limit, none, none, none});
    return table;
}

PlotAxes HistogramPlot::axes() const
{
    PlotAxes axes;
    if (empty()) {
        axes.x.shown = axes.y.shown = axes.x.grid = axes.y.grid = false;
        return axes;
    }
    std::vector<double> xs = {m_stats.edges.front(), m_stats.edges.back()};
    // A limit far away would leave the distribution no room; then it is told in words alone.
    const double span = std::max(m_stats.max - m_stats.min, std::abs(m_stats.max) * 0.1);
    if (m_data.limit && *m_data.limit > m_stats.min - span && *m_data.limit < m_stats.max + span)
        xs.push_back(*m_data.limit);
    axes.x.scale = makeScale(ParamScale::Linear, xs, false);
    const auto [size, unit] = axisUnit(std::max(std::abs(m_stats.min), std::abs(m_stats.max)), m_data.unit);
    axes.x.unit = size;
    axes.x.title = titled(m_data.valueTitle, unit);
    axes.x.zoom = true;
    axes.x.grid = true;
    const auto most = static_cast<double>(*std::max_element(m_stats.counts.begin(), m_stats.counts.end()));
    axes.y.scale = makeScale(ParamScale::Linear, {0, most}, true);
    axes.y.title = tr("runs");
    if (most <= 5) { // whole runs only
        axes.y.scale.max = most + 0.5;
        for (int count = 0; count <= static_cast<int>(most); ++count)
            axes.y.ticks.push_back({static_cast<double>(count), QString::number(count)});
    }
    return axes;
}

QMarginsF HistogramPlot::margins(const Theme& theme, QSizeF) const
{
    return {0, empty() ? 0.0 : theme.lineHeight(TextStyle::Caption) + space::s, space::m, 0};
}

void HistogramPlot::layout(const PlotFrame& frame)
{
    m_marks.clear();
    if (empty())
        return;
    // Units without a prefix stand at the axis and would only make the names long.
    const bool prefixed = axisUnit(1, m_data.unit).second != m_data.unit || axisUnit(1e-6, m_data.unit).first != 1;
    const auto value = [&](double number) { return quantity(number, prefixed ? m_data.unit : QString()); };
    QString median = tr("median %1").arg(value(m_stats.median));
    if (m_stats.n >= kQuartiles)
        median += tr(", IQR %1").arg(value(m_stats.q3 - m_stats.q1));
    m_marks.push_back({median, m_stats.median, {}});
    if (m_stats.n > 1)
        m_marks.push_back({tr("p95 %1").arg(value(m_stats.p95)), m_stats.p95, {}});
    if (m_data.limit)
        m_marks.push_back({tr("limit %1").arg(value(*m_data.limit)), *m_data.limit, {}});
    std::erase_if(m_marks, [&](const Mark& mark) {
        const double at = frame.x.fraction(mark.value);
        return at < 0 || at > 1;
    });
    const double height = frame.theme.lineHeight(TextStyle::Caption);
    std::vector<double> wanted, sizes;
    for (const Mark& mark : m_marks) {
        sizes.push_back(std::ceil(textWidth(frame.theme, TextStyle::Caption, mark.text)) + space::m);
        wanted.push_back(frame.placeX(mark.value) - sizes.back() / 2);
    }
    const double low = frame.plot.left() - space::s, high = frame.all.right() - space::xs;
    const auto places = spreadApart(wanted, sizes, low, high);
    double taken = 0;
    for (std::size_t i = 0; i < m_marks.size(); ++i) {
        taken += sizes[i];
        // Names that do not fit side by side give way to the first ones; the summary has them all.
        if (taken <= high - low)
            m_marks[i].label = QRectF(places[i], frame.plot.top() - height - space::xs, sizes[i], height);
    }
}

Json HistogramPlot::describe() const
{
    Json json;
    json["marks"] = Json::array();
    for (const Mark& mark : m_marks)
        json["marks"].push_back({{"text", mark.text.toStdString()}, {"labelled", !mark.label.isNull()}});
    return json;
}

std::optional<QRectF> HistogramPlot::outline(const PlotFrame& frame, PlotCursor at) const
{
    const auto bin = static_cast<std::size_t>(at.point);
    return QRectF(QPointF(frame.placeX(m_stats.edges[bin]), frame.placeY(static_cast<double>(m_stats.counts[bin]))),
                  QPointF(frame.placeX(m_stats.edges[bin + 1]), frame.plot.bottom()));
}

void HistogramPlot::paintUnder(QPainter& painter, const PlotFrame& frame) const
{
    if (m_stats.n < kQuartiles)
        return;
    const QRectF half(QPointF(frame.placeX(m_stats.q1), frame.plot.top()),
                      QPointF(frame.placeX(m_stats.q3), frame.plot.bottom()));
    painter.fillRect(half.intersected(frame.plot), frame.theme.color(Role::Selection));
}

void HistogramPlot::paint(QPainter& painter, const PlotFrame& frame, PlotCursor) const
{
    if (empty())
        return;
    const Theme& theme = frame.theme;
    const Provenance provenance = m_data.provenance.empty() ? Provenance::Measured : m_data.provenance.front();
    painter.save();
    painter.setClipRect(frame.plot);
    for (int bin = 0; bin < static_cast<int>(m_stats.counts.size()); ++bin) {
        if (m_stats.counts[static_cast<std::size_t>(bin)] == 0)
            continue;
        QRectF bar = *outline(frame, {0, bin});
        bar.setLeft(std::round(bar.left()) + (bar.width() > 6 ? 1 : 0));
        bar.setRight(std::max(bar.left() + 1, std::round(bar.right())));
        paintProvenanceRect(painter, bar, theme.series(0), provenance);
    }
    painter.restore();
    for (const Mark& mark : m_marks) {
        const bool median = mark.value == m_stats.median && &mark == &m_marks.front();
        const double x = snapped(frame.placeX(mark.value));
        QPen pen(theme.color(Role::Text), median ? 2 : 1.5);
        if (!median)
            pen.setStyle(Qt::DashLine);
        pen.setCapStyle(Qt::FlatCap);
        painter.setPen(pen);
        painter.drawLine(QPointF(x, frame.plot.top() - 2), QPointF(x, frame.plot.bottom()));
        if (mark.label.isNull())
            continue;
        if (std::abs(mark.label.center().x() - x) > mark.label.width() / 2) {
            painter.setPen(QPen(theme.color(Role::BorderStrong), 1));
            painter.drawLine(QPointF(x, frame.plot.top() - 2),
                             QPointF(std::clamp(x, mark.label.left() + space::m, mark.label.right() - space::m),
                                     mark.label.bottom()));
        }
        paintText(painter, theme, TextStyle::Caption, Role::Text, mark.label, Qt::AlignCenter, mark.text);
    }
    if (m_stats.n < kQuartiles)
        return;
    // The middle half as a bracket over its band, which the bars hide in part.
    const double y = frame.plot.top() + 1, left = frame.placeX(m_stats.q1), right = frame.placeX(m_stats.q3);
    painter.setClipRect(frame.plot.adjusted(-1, -2, 1, 0));
    painter.setPen(QPen(theme.color(Role::Text), 1.5));
    painter.drawLine(QPointF(left, y), QPointF(right, y));
    for (const double x : {left, right})
        painter.drawLine(QPointF(x, y), QPointF(x, y + 5));
}

std::vector<int> HistogramPlot::groups() const
{
    return {static_cast<int>(m_stats.counts.size())};
}

QString HistogramPlot::pointText(PlotCursor at) const
{
    const auto bin = static_cast<std::size_t>(at.point);
    const auto count = m_stats.counts[bin];
    return tr("%1 to %2: %3 of %4")
        .arg(quantity(m_stats.edges[bin], m_data.unit), quantity(m_stats.edges[bin + 1], m_data.unit))
        .arg(count)
        .arg(m_stats.n);
}

PlotCursor HistogramPlot::hit(const PlotFrame& frame, QPointF at) const
{
    if (empty() || !frame.plot.contains(at))
        return {};
    for (int bin = 0; bin < static_cast<int>(m_stats.counts.size()); ++bin)
        if (const QRectF bar = *outline(frame, {0, bin}); at.x() >= bar.left() && at.x() < bar.right())
            return {0, bin};
    return {};
}

} // namespace ridge::app
