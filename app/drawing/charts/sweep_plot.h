// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot.h"
#include "app/drawing/charts/sweep_chart.h"

namespace ridge::app {

/// Curves of a metric over a swept parameter, with limit, predictions and names at the curves' ends.
class SweepPlot : public Plot {
public:
    explicit SweepPlot(SweepChartData data);
    void setSelectedX(std::optional<double> x) { m_selectedX = x; }
    const SweepChartData& data() const { return m_data; }

    PlotText text() const override;
    QString summary() const override;
    ChartTable table() const override;
    bool empty() const override;
    PlotAxes axes() const override;
    Json describe() const override;
    QMarginsF margins(const Theme& theme, QSizeF available) const override;
    void layout(const PlotFrame& frame) override;
    std::vector<PlotCurve> curves(const PlotFrame& frame) const override;
    QRectF emptyRect(const PlotFrame& frame) const override;
    void paintUnder(QPainter& painter, const PlotFrame& frame) const override;
    void paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const override;
    std::vector<int> groups() const override;
    std::optional<QRectF> outline(const PlotFrame& frame, PlotCursor at) const override;
    QString pointText(PlotCursor at) const override;

private:
    struct EndLabel {
        int series = 0;
        QPointF anchor; ///< last point of the curve
        QRectF rect;
    };

    QPolygonF limitLine(const PlotFrame& frame) const;
    QRectF limitLabelRect(const PlotFrame& frame, const QPolygonF& line, QSizeF text) const;
    void paintLimit(QPainter& painter, const PlotFrame& frame) const;
    void paintMarkers(QPainter& painter, const PlotFrame& frame) const;
    void paintPredictions(QPainter& painter, const PlotFrame& frame) const;
    void paintEnds(QPainter& painter, const PlotFrame& frame) const;

    SweepChartData m_data;
    AxisScale m_x, m_y;
    std::vector<EndLabel> m_ends;
    int m_unnamed = 0; ///< curves for whose names there is no room; the table has them
    QRectF m_unnamedRect;
    std::optional<double> m_selectedX;
};

} // namespace ridge::app
