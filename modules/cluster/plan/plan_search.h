// SPDX-License-Identifier: GPL-3.0-or-later
// The fastest plans of a job, found by looking at all of them.
#pragma once

#include "cluster/plan/plan.h"

#include <functional>

namespace ridge::cluster {

struct SearchLimits {
    double mostTensor = 0;      ///< 0: a node
    double mostMicroBatch = 16; ///< sequences
    bool recompute = true;      ///< whether to look at plans that compute activations again
    bool zero = true;           ///< whether to look at stages 2 and 3 of ZeRO
    std::size_t keep = 20;      ///< best plans, at most
};

struct FoundPlan {
    TrainingPlan plan;
    PlanResult result;
};

struct SearchResult {
    std::vector<FoundPlan> best; ///< by step time
    std::uint64_t looked = 0;    ///< plans whose memory and time were computed
    std::uint64_t fitting = 0;
    bool stopped = false;
    /// Of those that do not fit, the one that is short of least memory; for when nothing fits.
    FoundPlan nearest;
};

/// Every whole division of the GPUs into tp (powers of two up to a node), pp, cp, ep and dp, with every micro-batch
/// (powers of two), schedule, number of pieces, recomputation, ZeRO stage and with sequence parallelism where tp is 2
/// or more. A plan that does not fit is given up after its memory is known. `stop` is asked from time to time.
SearchResult searchPlans(const TrainingJob& job, const SearchLimits& limits, const std::function<bool()>& stop = {});

} // namespace ridge::cluster
