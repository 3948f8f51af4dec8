// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/commands.h"

#include "serving/requests.h"

namespace ridge::cli {

/// What the experiment "serving" says of requests that a real server got.
struct LoadPrediction {
    ParamSet params; ///< complete, without the trace
    std::map<std::string, MetricValue> metrics;
};

/// "chip=h100-sxm,tp=1": the setting, tried with one request, so that nothing is sent for one that cannot be run.
/// Errors: those of readSettings and of the experiment, "bad-argument" where it sets what the load itself decides.
Result<ParamSet> readPredictionSetting(const std::string& text);

/// The same requests (arrival, prompt, output) under that setting.
Result<LoadPrediction> predictLoad(const ParamSet& setting, const std::vector<serving::Request>& requests,
                                   std::uint64_t seed);

} // namespace ridge::cli
