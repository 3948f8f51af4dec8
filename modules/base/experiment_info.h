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
    std::string x; ///< a parameter
    std::string y; ///< a metric
    ParamScale xScale = ParamScale::Linear;
    ParamScale yScale = ParamScale::Linear;
};

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
    std::vector<std::string> targets; ///< target classes: "gpu", "sim", "cpu", "model"
    std::vector<MetricSpec> metrics;
    std::vector<ChartSpec> charts;
    std::vector<LimitSpec> limits;
    std::vector<std::string> kernels; ///< source files below kernels/, as "family/01_name.cu"
    std::string scene; ///< "lanes_sectors", "shared_banks" or empty: the scene that its traces are for first of all
    std::vector<std::string> scenes; ///< further ones that its traces support

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
