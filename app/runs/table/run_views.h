// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/cost_bar.h"
#include "app/drawing/charts/heat_map.h"
#include "app/drawing/charts/histogram.h"
#include "app/drawing/charts/roofline_plot.h"
#include "app/drawing/charts/rows_plot.h"
#include "base/calibration.h"
#include "record/rows.h"

namespace ridge::app {

/// Other pictures of stored runs than the line over a parameter. Pure functions; where the runs cannot give a picture,
/// its empty text says why in one sentence.

/// Targets, number and verdicts of the runs, and the fingerprint of the newest.
ChartOrigin originOf(const std::vector<const record::RunRow*>& runs);

/// A metric over the two numeric parameters that vary most; `x` is one of them where it varies. The newest run counts
/// where several share a cell.
HeatMapData heatMapOfRuns(std::span<const record::RunRow> runs, const ExperimentInfo& info, const std::string& metric,
                          const std::string& x);

/// A metric of each point, one bar under the other in the order of the sweep: for parameters that are names, such as
/// the chip. A point without the result says why.
RowsData barsOfRuns(std::span<const record::RunRow> runs, const ExperimentInfo& info, const std::string& metric);

/// How a metric is distributed over the finished runs.
HistogramData histogramOfRuns(std::span<const record::RunRow> runs, const ExperimentInfo& info,
                              const std::string& metric);

/// Shares of warp cycles by state, one bar a run, the newest `most` of those that have them.
CostData warpStatesOfRuns(std::span<const record::RunRow> runs, const ExperimentInfo& info, std::size_t most = 8);

/// What a data sheet says about the chip of a run; empty where the chip is not known.
struct ChipLines {
    QString name;
    std::vector<RooflineRoof> roofs;
    std::vector<RooflineCeiling> ceilings;
};
ChipLines chipLinesOf(const JsonValue& fingerprint);
/// Adds the roofs and ceilings that a calibration found, as solid lines of their provenance.
void addCalibrated(ChipLines& lines, const MachineCalibration& calibration);

/// Runs on the roofline of their chip. Dots need operations, time and bytes of a level (metrics in FLOP, s and B);
/// without operations only bandwidths are drawn, the datasheet's and the most that a run reached, and the caption
/// says so.
RooflineData rooflineOfRuns(std::span<const record::RunRow> runs, const ExperimentInfo& info, const ChipLines& chip);

} // namespace ridge::app
