// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/dashboard/bins_plot.h"

#include "app/class/dashboard/class_texts.h"
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_paint.h"
#include "app/drawing/charts/prediction_mark.h"
#include "base/json.h"

#include <QCoreApplication>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr double kLeastMark = 9, kLargestMark = 16; ///< px of a diamond
constexpr double kLineOfMarks = 1.15;               ///< from one diamond to the next above it, in diamonds
constexpr double kDecades = 1000;                   ///< beyond this span logarithmic ticks are powers of ten,
constexpr double kSmall = 0.05;                     ///< and where powers of two would be long fractions
constexpr double kDot = 10;

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Bins", text);
}

/// A median over numbers of several kinds looks like the weakest of them: a formula's, then one that was executed.
Provenance weakestOf(const QString& names)
{
    for (const Provenance one : {Provenance::Modelled, Provenance::Simulated, Provenance::Recorded})
        if (names.contains(provenanceText(one)))
            return one;
    return Provenance::Measured;
}

} // namespace

BinsPlot::BinsPlot(BinsData data) : m_data(std::move(data))
{
    for (const classroom::HistogramBin& bin : m_data.bins) {
        m_learners += std::max(0, bin.count);
        m_most = std::max(m_most, bin.count);
    }
}

PlotText BinsPlot::text() const
{
    return {m_data.title, empty() ? QString() : m_data.caption, m_data.emptyText};
}

QString BinsPlot::summary() const
{
    return empty() ? m_data.emptyText : m_data.summary;
}

ChartTable BinsPlot::table() const
{
    ChartTable table;
    table.kind = m_data.kind;
    table.title = m_data.title;
    table.caption = m_data.caption;
    table.summary = summary();
    table.columns = {{QStringLiteral("item"), tr("Item"), {}, false},
                     {QStringLiteral("from"), tr("From"), m_data.unit},
                     {QStringLiteral("to"), tr("To"), m_data.unit},
                     {QStringLiteral("learners"), tr("Learners"), {}},
                     {QStringLiteral("provenance"), tr("Provenance"), {}, false}};
    const ChartCell none;
    const ChartCell kind = m_data.predictions ? ChartCell(tr("PREDICTED")) : none;
    for (const classroom::HistogramBin& bin : m_data.bins)
        table.rows.push_back({tr("bin"), bin.low, bin.high, static_cast<double>(bin.count), kind});
    if (m_data.result) {
        const ChartCell provenance = m_data.result->provenance;
        table.rows.push_back({tr("result, median of the class"), m_data.result->median, none, none, provenance});
        table.rows.push_back({tr("results of the class"), m_data.result->low, m_data.result->high, none, provenance});
    }
    return table;
}

PlotAxes BinsPlot::axes() const
{
    PlotAxes axes;
    if (empty()) {
        axes.x.shown = axes.y.shown = axes.x.grid = axes.y.grid = false;
        return axes;
    }
    double low = m_data.bins.front().low, high = m_data.bins.back().high;
    if (!(high > low))
        high = low + 1;
    axes.x.scale.log = m_data.log && low > 0;
    if (m_data.result && axes.x.scale.accepts(m_data.result->median)) {
        low = std::min(low, m_data.result->median);
        high = std::max(high, m_data.result->median);
    }
    axes.x.scale.min = low;
    axes.x.scale.max = high;
    const auto [size, unit] = axisUnit(std::max(std::abs(low), std::abs(high)), m_data.unit);
    axes.x.scale.decades = axes.x.scale.log && (high / low > kDecades || low / size < kSmall);
    axes.x.unit = size;
    axes.x.title = titled(m_data.xTitle, unit);
    axes.x.grid = false;
    axes.y.scale = makeScale(ParamScale::Linear, {0, static_cast<double>(m_most)}, true);
    axes.y.title = tr("learners");
    if (m_most <= 5) { // whole learners only
        axes.y.scale.max = m_most + 0.5;
        for (int count = 0; count <= m_most; ++count)
            axes.y.ticks.push_back({static_cast<double>(count), QString::number(count)});
    }
    return axes;
}

QMarginsF BinsPlot::margins(const Theme& theme, QSizeF) const
{
    const double label = m_data.result ? theme.lineHeight(TextStyle::ChartLabel) + kDot + space::s : 0;
    // Half of the last tick's label stands beyond the axis.
    const double beside = textWidth(theme, TextStyle::ChartTick, QStringLiteral("888")) / 2;
    return {0, empty() ? 0.0 : label, std::max<double>(space::m, beside), 0};
}

QRectF BinsPlot::binRect(const PlotFrame& frame, std::size_t bin) const
{
    const classroom::HistogramBin& one = m_data.bins[bin];
    QRectF rect(QPointF(frame.placeX(one.low), frame.placeY(one.count)),
                QPointF(frame.placeX(one.high), frame.plot.bottom()));
    rect.setLeft(std::round(rect.left()) + 1);
    rect.setRight(std::max(rect.left() + 2, std::round(rect.right()) - 1));
    return rect;
}

QString BinsPlot::resultText() const
{
    const QString value = quantity(m_data.result->median, m_data.unit);
    return m_data.result->provenance.isEmpty() ? tr("result %1").arg(value)
                                               : tr("result %1, %2").arg(value, m_data.result->provenance);
}

void BinsPlot::layout(const PlotFrame& frame)
{
    m_markSize = 0;
    m_resultLabel = {};
    if (empty())
        return;
    if (m_data.predictions && m_most > 0) {
        double narrowest = frame.plot.width();
        for (std::size_t bin = 0; bin < m_data.bins.size(); ++bin)
            narrowest = std::min(narrowest, binRect(frame, bin).width());
        const double step = frame.placeY(0) - frame.placeY(1);
        const double size = std::min({step / kLineOfMarks, narrowest - 2, kLargestMark * frame.theme.textScale()});
        m_markSize = size >= kLeastMark ? std::floor(size) : 0;
    }
    if (!m_data.result)
        return;
    const double width = std::ceil(textWidth(frame.theme, TextStyle::ChartLabel, resultText())) + space::s;
    const double x = frame.placeX(m_data.result->median);
    const double left = std::clamp(x - width / 2, frame.all.left() + space::xs,
                                   std::max(frame.all.left() + space::xs, frame.all.right() - space::xs - width));
    const double height = frame.theme.lineHeight(TextStyle::ChartLabel);
    m_resultLabel = QRectF(left, frame.plot.top() - kDot - space::xs - height, width, height);
}

void BinsPlot::paint(QPainter& painter, const PlotFrame& frame, PlotCursor) const
{
    if (empty())
        return;
    const Theme& theme = frame.theme;
    for (std::size_t bin = 0; bin < m_data.bins.size(); ++bin) {
        const int count = m_data.bins[bin].count;
        if (count <= 0)
            continue;
        const QRectF bar = binRect(frame, bin);
        if (m_markSize > 0) {
            painter.fillRect(bar, theme.color(Role::Selection));
            painter.setBackground(theme.color(Role::Selection));
            const double step = frame.placeY(0) - frame.placeY(1);
            for (int i = 0; i < count; ++i)
                paintDiamond(painter, QPointF(bar.center().x(), frame.plot.bottom() - (i + 0.5) * step), m_markSize,
                             theme.series(0));
            painter.setBackground(theme.color(Role::Surface));
        } else {
            painter.fillRect(bar, theme.series(0));
        }
    }
    // The number stands over its bar: the axis says it only to the nearest line.
    painter.setFont(theme.font(TextStyle::ChartTick));
    const double height = theme.lineHeight(TextStyle::ChartTick);
    for (std::size_t bin = 0; bin < m_data.bins.size(); ++bin) {
        const QRectF bar = binRect(frame, bin);
        const QString number = QString::number(m_data.bins[bin].count);
        if (m_data.bins[bin].count <= 0 || textWidth(theme, TextStyle::ChartTick, number) > bar.width() ||
            bar.top() - height < frame.plot.top() - space::s)
            continue;
        painter.setPen(theme.color(Role::Text));
        painter.drawText(QRectF(bar.left(), bar.top() - height, bar.width(), height), Qt::AlignCenter, number);
    }
    if (m_data.result)
        paintResult(painter, frame);
}

void BinsPlot::paintResult(QPainter& painter, const PlotFrame& frame) const
{
    const Theme& theme = frame.theme;
    const BinsResult& result = *m_data.result;
    if (!frame.x.accepts(result.median))
        return;
    const double x = snapped(frame.placeX(result.median));
    const double y = frame.plot.top() - kDot / 2 - 1;
    painter.setPen(QPen(theme.color(Role::Text), 2, Qt::SolidLine, Qt::FlatCap));
    painter.drawLine(QPointF(x, y), QPointF(x, frame.plot.bottom()));
    const auto inside = [&](double value) {
        return frame.x.accepts(value) ? std::clamp(frame.placeX(value), frame.plot.left(), frame.plot.right())
                                      : frame.plot.left();
    };
    if (result.high > result.low) {
        const double left = inside(result.low), right = inside(result.high);
        painter.setPen(QPen(theme.color(Role::Text), 1.5));
        painter.drawLine(QPointF(left, y), QPointF(right, y));
        for (const double end : {left, right})
            painter.drawLine(QPointF(end, y - 4), QPointF(end, y + 4));
    }
    app::paintResult(painter, QPointF(x, y), kDot, theme.color(Role::Text), weakestOf(result.provenance));
    paintText(painter, theme, TextStyle::ChartLabel, Role::Text, m_resultLabel, Qt::AlignCenter, resultText());
}

std::vector<int> BinsPlot::groups() const
{
    return empty() ? std::vector<int>{} : std::vector<int>{static_cast<int>(m_data.bins.size())};
}

std::optional<QRectF> BinsPlot::outline(const PlotFrame& frame, PlotCursor at) const
{
    const QRectF bar = binRect(frame, static_cast<std::size_t>(at.point));
    return bar.height() < 2 ? QRectF(bar.left(), frame.plot.bottom() - 2, bar.width(), 2) : bar;
}

QString BinsPlot::pointText(PlotCursor at) const
{
    const classroom::HistogramBin& bin = m_data.bins[static_cast<std::size_t>(at.point)];
    return tr("%1: %2 of %3 learners").arg(rangeText(bin.low, bin.high, m_data.unit)).arg(bin.count).arg(m_learners);
}

PlotCursor BinsPlot::hit(const PlotFrame& frame, QPointF at) const
{
    if (empty() || !frame.plot.contains(at))
        return {};
    for (std::size_t bin = 0; bin < m_data.bins.size(); ++bin)
        if (const QRectF bar = binRect(frame, bin); at.x() >= bar.left() - 1 && at.x() < bar.right() + 1)
            return {0, static_cast<int>(bin)};
    return {};
}

Json BinsPlot::describe() const
{
    Json counts = Json::array();
    for (const classroom::HistogramBin& bin : m_data.bins)
        counts.push_back(bin.count);
    Json json{{"counts", counts}};
    if (m_data.result)
        json["result"] = resultText().toStdString();
    return json;
}

} // namespace ridge::app
