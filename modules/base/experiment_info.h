// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/parameters.h"

namespace ridge {

struct MetricSpec {
    std::string name;
    std::string title;
    std::string unit; ///< "sectors/request", "GB/s", "bytes", "%", "1" …
    std::string help; ///< one sentence: what it counts and what a good value is
};

struct ChartSpec {
    std::string id;
    std::string title;
    std::string x; ///< a parameter; of a pareto or roofline chart a metric
    std::string y; ///< a metric
    ParamScale xScale = ParamScale::Linear;
    ParamScale yScale = ParamScale::Linear;
    std::string kind = "curve";          ///< one of kChartKinds
    std::vector<std::string> parts = {}; ///< metrics in the unit of y. cost: what a bar is made of; series: further
                                         ///< lines; ladder: the vendor's result, if there is one; roofline: the peak,
                                         ///< and the bandwidth in the unit of y over that of x
    bool leastX = true, leastY = true;   ///< pareto: less is better
};

/// curve: y over x, a line for each setting. cost: stacked bars, one for each x. ladder: bars from zero for each x with
/// percent of limit and reference. cdf: share of the points of a request at or below y. series: y and parts over x as
/// lines of one picture. pareto: y over x, the points that no other beats joined. band: least, median and most of y at
/// each x, over all else that varies (seeds). roofline: y (a rate) over x (an intensity), each run a dot under the roof
/// of the newest of them.
inline constexpr std::array<std::string_view, 8> kChartKinds = {"curve",  "cost",   "ladder", "cdf",
                                                                "series", "pareto", "band",   "roofline"};

/// The physical bound of a metric. Its value depends on parameters and chip and comes with every sample.
struct LimitSpec {
    std::string metric;
    std::string title;   ///< what the line is called: "32 lanes × 4 B ÷ 32 B"
    std::string kind;    ///< "upper" (cannot exceed) or "lower" (cannot go below)
    std::string formula; ///< readable formula
    std::string source;  ///< where constants and rule come from
};

/// What an experiment declares about itself. `ridge-worker describe` prints it; nothing else knows an experiment.
struct ExperimentInfo {
    std::string id;
    int version = 1;
    std::string title;
    int module = 0;      ///< curriculum module 1..7
    std::string summary; ///< one sentence
    std::vector<ParamSpec> parameters;
    std::vector<std::string> targets; ///< ids of kinds of targets (base/target_kind.h)
    std::vector<MetricSpec> metrics;
    std::vector<ChartSpec> charts;
    std::vector<LimitSpec> limits;
    std::vector<std::string> kernels; ///< source files below kernels/, as "family/01_name.cu"
    std::string scene; ///< "lanes_sectors", "shared_banks" or empty: the scene that its traces are for first of all
    std::vector<std::string> scenes; ///< further ones that its traces support
    /// Its data are the same for every seed, so that nobody need run it again for another one: the fingerprint says so,
    /// and RunContext::rng() holds it to that.
    bool drawsNothing = false;
    std::string engine;    ///< of experiments on machines: which machines can answer ("cache"); empty for all others
    int engineVersion = 0; ///< of the engine: part of the fingerprint of a run on a machine
    std::string defaultTarget; ///< where it runs when what was asked for cannot: "machine:cache-teaching"; may be empty
    std::vector<std::string> machines; ///< ids of the machines of its engine; `ridge-worker describe` fills them in

    const ParamSpec* parameter(std::string_view name) const;
    const MetricSpec* metric(std::string_view name) const;
    std::vector<std::string> allScenes() const; ///< `scene`, if there is one, then `scenes`
};

Json toJson(const ExperimentInfo& info);
Result<ExperimentInfo> experimentInfoFromJson(const Json& json);

/// {"protocol": 1, "experiments": […]}
Json catalogueToJson(std::span<const ExperimentInfo> experiments);
Result<std::vector<ExperimentInfo>> catalogueFromJson(const Json& json);

/// Errors: "unknown-experiment" with the nearest known names.
Result<ExperimentInfo> findExperiment(std::span<const ExperimentInfo> experiments, std::string_view id);

/// Up to three of `known` that look most like `given`, for "did you mean".
std::vector<std::string> nearestNames(std::string_view given, std::span<const std::string> known);

} // namespace ridge
