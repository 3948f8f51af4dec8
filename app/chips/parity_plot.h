// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot.h"
#include "parity/parity.h"

namespace ridge::app {

struct ParityData {
    QString title, caption;
    QString unit;                  ///< of all sets, as the engines give it: "s"
    std::vector<parity::Set> sets; ///< one series each
    std::optional<double> band;    ///< a share either side of the line
    bool ratio = false;            ///< upwards modelled over measured, which shows small errors over many decades
};

/// A share as a percentage: "4.6 %", "−28 %".
QString percentText(double share);

/// What was measured against what is modelled, a point a row, on two axes alike: a point on the diagonal is right, one
/// above it says too much; or the ratio of the two. Modelled values are MODELLED or SIMULATED, so the marks are open.
class ParityPlot : public Plot {
public:
    explicit ParityPlot(ParityData data) : m_data(std::move(data)) {}
    const ParityData& data() const { return m_data; }

    PlotText text() const override;
    QString summary() const override;
    ChartTable table() const override;
    bool empty() const override;
    PlotAxes axes() const override;
    Json describe() const override;
    QMarginsF margins(const Theme& theme, QSizeF available) const override;
    std::vector<PlotCurve> curves(const PlotFrame& frame) const override;
    void paintUnder(QPainter& painter, const PlotFrame& frame) const override;
    void paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const override;
    std::vector<int> groups() const override;
    std::optional<QRectF> outline(const PlotFrame& frame, PlotCursor at) const override;
    QString pointText(PlotCursor at) const override;

private:
    const parity::Row& row(PlotCursor at) const;
    double up(const parity::Row& row) const; ///< what it has on the y axis
    double keyHeight(const Theme& theme, double width) const;

    ParityData m_data;
};

} // namespace ridge::app
