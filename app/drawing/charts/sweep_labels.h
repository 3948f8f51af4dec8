// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/sweep_plot.h"

namespace ridge::app {

constexpr double kMarkSize = 9; ///< px of a point of a curve
constexpr double kDiamondSize = 14;

/// Nearer points than some px are a curve, not marks.
bool hasMarks(const ChartSeries& series, const PlotFrame& frame);

} // namespace ridge::app
