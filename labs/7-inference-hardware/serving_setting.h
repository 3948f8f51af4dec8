// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment "serving": its parameters, and what they ask of the engine.
#pragma once

#include "base/experiment_info.h"
#include "base/seed.h"
#include "serving/frameworks.h"
#include "serving/summary.h"

namespace ridge::silicon {
struct Machine;
}

namespace ridge::labs {

std::vector<ParamSpec> servingParameters();
std::vector<MetricSpec> servingMetrics();

/// Requests of MLPerf's scenarios at least: the samples of its data set for Llama 2 70B (--num_total_samples of the
/// reference implementation's processorca.py).
inline constexpr std::size_t kMlperfSamples = 24576;

/// Whether a scenario asks for the best of several settings.
bool triesSettings(const std::string& scenario);

/// A server and its requests, ready to run.
struct ServingSetting {
    serving::ClusterConfig cluster;
    std::vector<serving::Request> requests;
    std::optional<serving::StepCost> cost;
    serving::Slo slo;
    std::uint32_t together = 1; ///< tokens of an answer that are sent at once
    double outside = 0;         ///< s that the framework adds before and after the engine
    double gpus = 1;            ///< of a replica
    double tensor = 1;          ///< of those the ones that share a layer
    double busyWatts = 0;       ///< of a GPU in a step
    double idleWatts = 0;
    double price = 0;         ///< a GPU and hour
    double leastTpot = 0;     ///< s: the weights that a token needs, once from memory; 0: not known
    bool singleQueue = false; ///< one request at a time, random arrivals, equal requests: M/D/1 has a closed form
    double rate = 0;          ///< requests a second, where they come at random
};

/// Errors: of models, chips and frameworks, "bad-serving" with the parameter and the fix, "bad-trace",
/// "does-not-fit".
Result<ServingSetting> servingSetting(const ParamSet& params, const silicon::Machine* machine, Rng& rng);

} // namespace ridge::labs
