// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/figure_plot.h"

namespace ridge::app {

/// A drawn curve with what was measured beside it.
struct DrawnCurve {
    QString title, xTitle, xName, yTitle, unit; ///< xName: "stride", for "stride = 4"
    bool xLog = false, yLog = true;
    double yMin = 0, yMax = 1;
    std::vector<std::pair<double, double>> drawn;    ///< ascending in x
    std::vector<std::pair<double, double>> measured; ///< the same; empty while nothing was run
    Provenance provenance = Provenance::Simulated;   ///< of what was measured
    std::optional<double> error;                     ///< as a share
    bool open = true;                                ///< the handles can still be pulled
};

/// Handles on a dashed line, results as filled dots on a solid one. The table has both.
FigureData drawnFigure(const DrawnCurve& curve);

/// "4": a place of the axis in three digits.
QString axisNumber(double value);

} // namespace ridge::app
