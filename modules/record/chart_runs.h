// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/rows.h"

namespace ridge::record {

/// Which stored runs a declared chart is of, and how its kind groups them (kChartKinds). The window and the portfolio
/// draw from these, so that one chart is one picture in both.

using ChartRuns = std::vector<const RunRow*>; ///< oldest first

/// Finished runs with a finite value of each of the metrics.
ChartRuns runsWith(const ChartRuns& runs, const std::vector<std::string>& metrics);

/// Where a parameter's value stands on an axis: itself, or the number of a choice, from 1. No value where it is
/// neither.
std::optional<double> placeOnAxis(const ExperimentInfo& info, const std::string& parameter, const ParamValue& value);

/// The newest run of each place on the axis of `parameter`, in its order.
std::map<double, const RunRow*> newestByPlace(const ChartRuns& runs, const ExperimentInfo& info,
                                              const std::string& parameter);

/// The parameters of `one` in which the runs differ, in the order of the experiment.
std::vector<const ParamSpec*> differing(const ExperimentInfo& info, const ChartRuns& runs, const RunRow& one);

/// Kind ladder: a rung for each x.
struct LadderRuns {
    std::map<double, const RunRow*> rungs;
    std::optional<double> limit;     ///< of y, where all rungs share it: one that depends on the rung is no line
    std::optional<double> reference; ///< the first of `parts`, of the newest rung that has it
};
LadderRuns ladderRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& chart);

/// Kind cdf: nearest rank, the least of `sorted` that `share` (0..1] of them do not exceed. `sorted` is not empty.
double nearestRank(const std::vector<double>& sorted, double share);

/// Points on two axes that are not beaten on both: nobody is at least as good on either and better on one. By index,
/// from the left; equal points together. `moreX`, `moreY`: more is better there. O(n log n).
std::vector<std::size_t> paretoFront(const std::vector<std::pair<double, double>>& points, bool moreX, bool moreY);

/// Kind pareto: the runs that no other is at least as good as in x and y and better than in one, from the left.
ChartRuns paretoRuns(const ChartRuns& runs, const ChartSpec& chart);

/// Kind roofline: of alike runs the newest, where all four values have a logarithm; `parts` are peak and bandwidth.
struct RoofRuns {
    ChartRuns runs;
    double peak = 0, bandwidth = 0; ///< of the newest
    double ridge() const { return peak / bandwidth; }
};
std::optional<RoofRuns> roofRuns(const ChartRuns& runs, const ChartSpec& chart);

/// Kind band: the runs of a place, over everything else in which they differ.
struct BandPlace {
    ChartRuns runs;
    double least = 0, median = 0, most = 0;
};
std::map<double, BandPlace> bandRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& chart);
/// All of a band, oldest first.
ChartRuns runsOf(const std::map<double, BandPlace>& band);

} // namespace ridge::record
