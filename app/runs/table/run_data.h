// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/sweep_chart.h"
#include "base/experiment_info.h"
#include "record/rows.h"

#include <QStringList>

namespace ridge::app {

/// Pure functions over stored runs, shared by the Lab, the run table and the portfolio.

/// "stride 8, access 4 B, GPU H200 SXM": the parameters as the experiment titles them and their values; by name where
/// it is not known. "stride 2" needs no "elements": the title says what is counted.
QString parameterText(const ParamSet& params, const ExperimentInfo* info, const QStringList& only = {});

/// Names of the parameters that differ between the runs, in the order the experiment declares them.
QStringList variedParameters(std::span<const record::RunRow> runs, const ExperimentInfo* info);

/// The metric a run is summed up by: the y of the first chart, else the first one it has. Empty: it has none.
std::string headlineMetric(const record::RunRow& run, const ExperimentInfo* info);

/// One chart over stored runs. Failed runs and runs without the metric are left out; runs that differ in more than
/// `chart.x` become one series each. `chart.x` may be any parameter.
SweepChartData chartOfRuns(std::span<const record::RunRow> runs, const ExperimentInfo& info, const ChartSpec& chart);

/// The chart the experiment declares under this id, else its first one, else (x, y) from what the runs have.
ChartSpec chartSpec(const ExperimentInfo& info, const std::string& id);

/// RFC 4180, one line a run: identity, every parameter, every metric with its unit in the header, verdict.
QString runsToCsv(std::span<const record::RunRow> runs);
Json runsToJson(std::span<const record::RunRow> runs);
Json runToJson(const record::RunRow& run);

/// record::rerunCommands for a view.
QStringList rerunCommands(std::span<const record::RunRow> runs);

/// "matches_reference" -> "Matches reference", "gpu_ram" -> "GPU RAM": a name made for machines as people write it.
QString readableName(const std::string& name);

/// What distinguishes a run from others of its experiment: the parameter its chart is over, and all that are not at
/// their default.
QStringList tellingParameters(const record::RunRow& run, const ExperimentInfo& info);
QStringList tellingParameters(const ParamSet& params, const std::string& target, const ExperimentInfo& info);

/// Names made readable; nested objects flattened with " · ". For showing a fingerprint in plain words.
std::vector<std::pair<QString, QString>> readableJson(const Json& json);

} // namespace ridge::app
