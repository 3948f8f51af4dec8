// SPDX-License-Identifier: GPL-3.0-or-later
// Clusters as a planner sees them: nodes of alike GPUs, a link inside the node and one out of it.
#pragma once

#include "base/result.h"

#include <span>
#include <string>
#include <string_view>

namespace ridge::cluster {

/// The link of one GPU in one direction: its rate in bytes/s and the share that a long message reaches.
struct PlanLink {
    double bytesPerSecond = 0;
    double share = 1;   ///< of the line rate, in long collectives
    double latency = 0; ///< s, of a message between two neighbours
    double usable() const { return bytesPerSecond * share; }
};

struct PlanSystem {
    std::string id, title;
    std::string chip; ///< of the chip table
    double nodeGpus = 8;
    PlanLink node;       ///< inside
    PlanLink net;        ///< a GPU's share of the node's ports
    double inSwitch = 0; ///< share of the node's line rate (as nccl-tests' bus bandwidth) of an all-reduce that the
                         ///< switches add up; 0: they do not
    std::string source;
};

std::span<const PlanSystem> planSystems();
/// Errors: "unknown-system" with the nearest.
Result<PlanSystem> findPlanSystem(std::string_view id);

/// A group of `ranks` GPUs, of which every `stride`-th GPU in a row is one.
struct Group {
    double ranks = 1, stride = 1;
};

/// Bytes/s at which a ring of the group passes its message on: the node's link, or the ports of the members that share
/// a node, whichever is less.
double ringBandwidth(const PlanSystem& system, const Group& group);
/// s. `bytes` is the whole message: what each GPU has before an all-reduce or reduce-scatter, and after an all-gather.
double allReduceSeconds(const PlanSystem& system, const Group& group, double bytes);
double gatherSeconds(const PlanSystem& system, const Group& group, double bytes); ///< or reduce-scatter
/// `bytes`: what each GPU sends, its own part included.
double allToAllSeconds(const PlanSystem& system, const Group& group, double bytes);
/// Of one message to a GPU that is `distance` further on.
double sendSeconds(const PlanSystem& system, double distance, double bytes);

} // namespace ridge::cluster
