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
    /// The words inside the picture and where they stand, after layout.
    std::vector<std::pair<QString, QRectF>> placedLabels() const;
    /// Names beside the picture, with the room that each has, after layout.
    std::vector<std::pair<QString, QRectF>> namesAtEnds() const;

private:
    struct EndLabel {
        int series = 0;
        QPointF anchor; ///< last point of the curve
        QRectF rect;
    };

    /// A bound of one series, or of all of them.
    struct LimitLine {
        int series = -1; ///< -1: it holds for every series that has one
        QPolygonF line;
        bool constant = false;
        QString name;
    };
    struct Label {
        QRectF rect;
        QString text;
        int series = -1; ///< whose colour it has
    };
    /// What labels must not cover, and what they should not cross.
    struct Crowd {
        std::vector<QRectF> marks;
        std::vector<std::pair<QPointF, QPointF>> lines;
    };
    std::vector<LimitLine> limitLines(const PlotFrame& frame) const;
    Crowd crowd(const PlotFrame& frame) const;
    void placeLabels(const PlotFrame& frame);
    QRectF limitLabelRect(const PlotFrame& frame, const LimitLine& limit, QSizeF text, const Crowd& crowd) const;
    QColor colorOf(const PlotFrame& frame, int series, Role otherwise) const;
    /// Where a prediction stands; one far above all results stands at the upper edge.
    QPointF placeOf(const PlotFrame& frame, const ChartPrediction& prediction) const;
    bool isAbove(const PlotFrame& frame, const ChartPrediction& prediction) const;
    QString predictionLabel(const PlotFrame& frame, const ChartPrediction& prediction) const;
    void paintLimits(QPainter& painter, const PlotFrame& frame) const;
    void paintLabels(QPainter& painter, const PlotFrame& frame) const;
    void paintMarkers(QPainter& painter, const PlotFrame& frame) const;
    void paintPredictions(QPainter& painter, const PlotFrame& frame) const;
    void paintEnds(QPainter& painter, const PlotFrame& frame) const;

    SweepChartData m_data;
    AxisScale m_x, m_y;
    std::vector<QString> m_names; ///< of the series beside the picture: what they have in common is left out
    std::vector<EndLabel> m_ends;
    int m_nameLines = 1; ///< that the longest of them takes
    std::vector<LimitLine> m_limits;
    std::vector<Label> m_labels;
    int m_unnamed = 0; ///< curves for whose names there is no room; the table has them
    QRectF m_unnamedRect;
    std::optional<double> m_selectedX;
};

} // namespace ridge::app
