// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/parameters.h"
#include "cluster/collective_nccl.h"
#include "cluster/topology.h"

#include <optional>

namespace ridge::silicon {
struct Machine;
}

namespace ridge::labs {

/// What a machine of the engine "cluster" is: its graph, and what NCCL takes on it where that is known.
struct ClusterMachine {
    std::string id;
    cluster::TopologyShape shape;
    bool network = false; ///< it has network cards, or is a network; else there is one node, of any size
    std::optional<cluster::NcclSpec> nccl;
};

/// Errors: "bad-machine".
Result<ClusterMachine> clusterOf(const silicon::Machine& machine);

/// "machine" (that of the target) and the ids of all shipped ones.
const std::vector<std::string>& clusterSystems();

/// The machine that the parameter `system` names, or `target`; null where there is none and none is named. Errors:
/// "unknown-target", "bad-machine"; "bad-value" where the target is no machine and system is "machine".
Result<ClusterMachine> clusterSystem(const ParamSet& params, const silicon::Machine* target);

} // namespace ridge::labs
