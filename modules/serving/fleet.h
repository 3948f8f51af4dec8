// SPDX-License-Identifier: GPL-3.0-or-later
// Replicas behind a router, fed with a trace or by clients that wait for their answers. Discrete events: arrivals,
// transfers, failures, checks of the autoscaler; between them every replica works by itself.
#pragma once

#include "serving/replica.h"

#include <functional>
#include <span>

namespace ridge::serving {

/// Shared: one queue, from which whoever has room takes. PrefixAware: who has the prefix, unless it has `imbalance`
/// requests more than the least loaded.
enum class Router { RoundRobin, LeastLoaded, PrefixAware, Shared };
/// What the autoscaler looks at. Queue: requests that wait a replica. Ttft: the mean of answers since the last look.
/// Utilization: the share of time in which a step runs, as a GPU's utilization counts it.
enum class ScaleOn { Nothing, Queue, Ttft, Utilization };

struct AutoscalerConfig {
    ScaleOn on = ScaleOn::Nothing;
    std::uint32_t most = 1; ///< replicas
    double target = 1;      ///< above it one more replica starts, below half of it one stops
    double every = 10;      ///< s between looks
    double startup = 60;    ///< s until a new replica takes requests
};

struct ClusterConfig {
    ReplicaConfig replica;
    std::uint32_t replicas = 1;        ///< at the begin, and at least
    std::uint32_t prefillReplicas = 0; ///< above 0: disaggregated; so many do prompts, all others tokens after them
    double transferPerToken = 0;       ///< s a token of the cache takes from one to the other
    double transferLatency = 0;        ///< s
    Router router = Router::LeastLoaded;
    std::uint32_t imbalance = 8;
    AutoscalerConfig autoscaler;
    double failAt = -1;        ///< s at which the first replica loses everything; below 0: never
    double repair = kNever;    ///< s until it is back
    std::uint32_t clients = 0; ///< above 0: so many that each wait for an answer before they ask again; arrivals of
                               ///< the trace do not count
    bool drawn = false;        ///< keeps what a picture needs, at the price of speed
    std::function<bool(double)> goOn = {}; ///< asked now and then with the share of arrivals so far; false stops
};

struct ClusterResult {
    std::vector<RequestState> requests;
    std::vector<Interval> intervals;
    std::vector<Deed> deeds;
    std::vector<Sample> samples;
    double makespan = 0; ///< s from 0 to the last step's end
    std::uint64_t batches = 0, tokens = 0, restarts = 0, cachedTokens = 0;
    double busy = 0;         ///< s of steps, of all replicas
    double up = 0;           ///< s of all replicas
    double blockSeconds = 0; ///< used blocks x s of steps
    std::uint64_t peakBlocks = 0, peakRunning = 0;
    std::uint32_t peakReplicas = 0;
    std::uint64_t blocksLeft = 0; ///< used at the end, which is none but for cached prefixes
    bool stopped = false;
};

/// Errors: "bad-cluster" (no replicas, no blocks, nobody to decode …), "does-not-fit" (Replica::run), each with the
/// fix.
Result<ClusterResult> simulate(const ClusterConfig& config, const StepCost& cost, std::span<const Request> requests);

} // namespace ridge::serving
