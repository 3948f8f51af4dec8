// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/sweep_chart.h"

#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/sweep_plot.h"
#include "base/json.h"

namespace ridge::app {

SweepChart::SweepChart(Theme& theme, QWidget* parent)
    : PlotChart(theme, parent), m_theme(theme), m_sweep(std::make_shared<SweepPlot>(SweepChartData{}))
{
    setPlot(m_sweep);
    connect(this, &PlotChart::cursorMoved, this, [this](PlotCursor at) {
        const auto& series = m_data.series[static_cast<std::size_t>(at.group)];
        Q_EMIT pointSelected(series.points[static_cast<std::size_t>(at.point)].x);
    });
}

void SweepChart::setData(SweepChartData data)
{
    m_data = std::move(data);
    m_sweep = std::make_shared<SweepPlot>(m_data);
    m_sweep->setSelectedX(m_selectedX);
    setPlot(m_sweep);
}

void SweepChart::setSelectedX(std::optional<double> x)
{
    m_selectedX = x;
    m_sweep->setSelectedX(x);
    canvas()->viewport()->update();
}

Json SweepChart::describe() const
{
    Json json = chartJson(data());
    json["layout"] = canvas()->describeLayout();
    json["view"] = tableShown() ? "table" : "chart";
    return json;
}

QImage SweepChart::renderImage(QSize size, double scale) const
{
    // Without the selection, which belongs to the scene beside the chart on the screen.
    ChartCanvas picture(m_theme);
    picture.setPlot(std::make_shared<SweepPlot>(data()));
    return picture.image(size, scale);
}

QString SweepChart::toCsv() const
{
    return tableCsv(sweepTable(data()));
}

} // namespace ridge::app

#include "moc_sweep_chart.cpp"
