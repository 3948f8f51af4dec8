// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/cost_bar.h"
#include "app/drawing/charts/figure_plot.h"
#include "app/drawing/charts/ladder_bars.h"
#include "record/chart_runs.h"

namespace ridge::app {

/// The pictures that an experiment declares beside the line over a parameter (kChartKinds). Pure functions of finished
/// runs, oldest first; where there are none, or none with the metrics, the empty text says so.

using record::ChartRuns;

/// A bar for each x, the newest run of each, in the order of the parameter.
CostData costOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec);
/// A rung for each x; the limit where all runs share it, the reference of the newest run that has one.
LadderData ladderOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec);
/// The share of runs at or below each value of y, with the 50th, 95th and 99th percentile marked (nearest rank).
FigureData distributionOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec);
/// y and parts over x, the newest run of each x.
FigureData seriesOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec);
/// Every run a point; those that no other one beats in both metrics are joined.
FigureData paretoOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec);
/// Every run a dot, named by the parameters in which the runs differ, under min(peak, x times bandwidth) of the newest
/// of them; `parts` are peak and bandwidth. Of alike runs the newest.
FigureData rooflineOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec);
/// Least, median and most of y at each x, over everything else in which the runs differ.
FigureData bandOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec);

/// The picture of a chart of that kind; null for a curve, which SweepChart draws, and for a kind that is not known.
std::shared_ptr<Plot> plotOfChart(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec);

} // namespace ridge::app
