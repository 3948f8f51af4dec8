// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/dashboard/prediction_plot.h"

#include "app/class/dashboard/bins_plot.h"
#include "app/class/dashboard/class_texts.h"
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_chart.h"

#include <QVBoxLayout>
#include <algorithm>

namespace ridge::app {
namespace {

QString binText(const classroom::HistogramBin& bin, const QString& unit)
{
    return rangeText(bin.low, bin.high, unit);
}

QString hiddenSummary(const classroom::PredictionHistogram& histogram, const QString& unit)
{
    const auto most = std::ranges::max_element(histogram.bins, {}, &classroom::HistogramBin::count);
    if (most == histogram.bins.end() || most->count == 0)
        return {};
    return PredictionPlot::tr("Predictions of %1 learners; most, %2 of them, from %3.")
        .arg(histogram.learners)
        .arg(most->count)
        .arg(binText(*most, unit));
}

QString revealedSummary(const classroom::PredictionHistogram& histogram, const QString& unit)
{
    if (!histogram.result)
        return PredictionPlot::tr(" Nobody has run it yet.");
    const double result = *histogram.result;
    QString text =
        (histogram.foundBy.empty() ? PredictionPlot::tr(" The class found %1")
                                   : PredictionPlot::tr(" %1 found %2").arg(QString::fromStdString(histogram.foundBy)))
            .arg(quantity(result, unit));
    if (!histogram.provenance.empty())
        text += PredictionPlot::tr(" (%1)").arg(QString::fromStdString(histogram.provenance));
    const bool last = !histogram.bins.empty() && result == histogram.bins.back().high;
    for (const classroom::HistogramBin& bin : histogram.bins)
        if (result >= bin.low && (result < bin.high || (last && &bin == &histogram.bins.back())))
            return text + PredictionPlot::tr("; %1 of %2 predicted from %3, where it lies.")
                              .arg(bin.count)
                              .arg(histogram.learners)
                              .arg(binText(bin, unit));
    return text + PredictionPlot::tr(", which lies outside the slider.");
}

} // namespace

PredictionPlot::PredictionPlot(Theme& theme, QWidget* parent) : QWidget(parent), m_chart(new PlotChart(theme))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_chart);
    setFocusProxy(m_chart);
    refresh();
}

void PredictionPlot::setHistogram(classroom::PredictionHistogram histogram)
{
    if (histogram.lesson != m_histogram.lesson || histogram.block != m_histogram.block)
        m_revealed = false;
    m_histogram = std::move(histogram);
    refresh();
}

void PredictionPlot::setRevealed(bool on)
{
    if (on == m_revealed)
        return;
    m_revealed = on;
    refresh();
}

QString PredictionPlot::summary() const
{
    return m_chart->summary();
}

void PredictionPlot::refresh()
{
    BinsData data;
    data.kind = QStringLiteral("predictions");
    data.title = QString::fromStdString(m_histogram.question);
    data.unit = QString::fromStdString(m_histogram.unit);
    data.xTitle = tr("predicted");
    data.log = m_histogram.logScale;
    data.predictions = true;
    data.bins = m_histogram.bins;
    data.emptyText = tr("Nobody has predicted this yet.");
    data.caption = tr("n = %1 · each learner's first prediction; what lies beyond the slider counts at its end")
                       .arg(m_histogram.learners);
    data.summary = hiddenSummary(m_histogram, data.unit);
    if (m_revealed) {
        data.summary += revealedSummary(m_histogram, data.unit);
        if (m_histogram.result)
            data.result = BinsResult{*m_histogram.result, m_histogram.resultLow.value_or(*m_histogram.result),
                                     m_histogram.resultHigh.value_or(*m_histogram.result),
                                     QString::fromStdString(m_histogram.provenance)};
    } else if (!data.summary.isEmpty()) {
        data.summary += tr(" The result is not shown yet.");
    }
    m_chart->setPlot(std::make_shared<BinsPlot>(std::move(data)));
    setAccessibleName(tr("Predictions of the class"));
    setAccessibleDescription(m_chart->summary());
}

} // namespace ridge::app

#include "moc_prediction_plot.cpp"
