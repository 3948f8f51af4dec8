// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/collective.h"

namespace ridge::cluster {

/// Nodes that are all alike on a network that blocks nothing: turning them round changes neither topology nor schedule,
/// so one node whose network loops back to itself stands for all of them. Flows of one step are shared out once,
/// however many ranks and steps there are.
struct FoldedCluster {
    std::uint32_t gpus = 8, nodes = 1; ///< gpus of a node
    double rate = 450e9, latency = 500e-9;
    std::uint32_t nics = 8; ///< of a node: divides gpus
    double nicRate = 50e9, netLatency = 1e-6;
    double overhead = 0; ///< s before each transfer
};

struct FoldedTime {
    double seconds = 0;
    std::uint64_t steps = 0;
    double gpuLoad = 0, nicLoad = 0; ///< of a step's time: the busiest GPU link, the busiest network card
};

/// Ring with `rings` rings at once, which leave the node by cards that lie evenly apart (1: the ring of makeSchedule);
/// Hierarchical; and Direct, in which all pairs send at once. Errors: "bad-collective": no nodes or GPUs, rings that do
/// not divide the cards, another algorithm.
Result<FoldedTime> foldedTime(const FoldedCluster& cluster, Operation operation, Algorithm algorithm, double bytes,
                              std::uint32_t rings = 1);

} // namespace ridge::cluster
