// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot.h"
#include "base/provenance.h"

#include <QImage>

namespace ridge::app {

/// A metric over two swept parameters.
struct HeatMapData {
    QString title, caption;
    ChartOrigin origin;
    QString xTitle, xUnit, yTitle, yUnit, valueTitle, unit;
    std::vector<double> xs, ys;               ///< swept values, ascending
    std::vector<std::optional<double>> cells; ///< ys × xs, row by row from the first y; none: not run yet
    std::vector<Provenance> provenance;       ///< those that occur
    std::optional<double> limit;              ///< the bound of the metric, told in words
    QString limitName;
    QString emptyText;
};

/// Equal cells in cividis, drawn as one picture however many they are; the number stands in a cell where it fits.
class HeatMapPlot : public Plot {
public:
    explicit HeatMapPlot(HeatMapData data);
    const HeatMapData& data() const { return m_data; }
    std::optional<double> value(int row, int column) const; ///< finite, of a cell that has run

    PlotText text() const override;
    QString summary() const override;
    ChartTable table() const override;
    bool empty() const override;
    PlotAxes axes() const override;
    Json describe() const override;
    QMarginsF margins(const Theme& theme, QSizeF available) const override;
    void layout(const PlotFrame& frame) override;
    void paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const override;
    std::vector<int> groups() const override; ///< rows from the top
    std::optional<QRectF> outline(const PlotFrame& frame, PlotCursor at) const override;
    QString pointText(PlotCursor at) const override;
    PlotCursor hit(const PlotFrame& frame, QPointF at) const override;
    bool roundOutline() const override { return false; }

private:
    int rows() const { return static_cast<int>(m_data.ys.size()); }
    int columns() const { return static_cast<int>(m_data.xs.size()); }
    QColor colorOf(const Theme& theme, double value) const;
    std::vector<Tick> legendTicks(int most) const;
    void paintLegend(QPainter& painter, const PlotFrame& frame) const;
    void paintCells(QPainter& painter, const PlotFrame& frame) const;
    void paintValues(QPainter& painter, const PlotFrame& frame) const;

    HeatMapData m_data;
    AxisScale m_scale; ///< of the colours; logarithmic where the numbers span a factor of a hundred
    QImage m_picture;  ///< a pixel a cell
    bool m_valuesShown = false;
};

/// Cividis at a fraction from 0 to 1, between the six anchors of the theme (Nuñez, Anderton, Renslow 2018).
QColor cividis(const Theme& theme, double fraction);

} // namespace ridge::app
