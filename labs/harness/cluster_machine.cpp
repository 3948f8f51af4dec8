// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/cluster_machine.h"

#include "labs/harness/declare.h"
#include "silicon/machines.h"

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

struct Number {
    const char* name;
    const char* unit;
    double* to;
};

constexpr const char* kOfTheTarget = "machine"; ///< the system that the run's target names

} // namespace

const std::vector<std::string>& clusterSystems()
{
    static const std::vector<std::string> systems{
        kOfTheTarget, "dgx-a100",  "dgx-h100",    "dgx-h200",      "dgx-b200",    "gb200-nvl72",
        "pcie-tree",  "dgx1-v100", "mi300x-xgmi", "tpu-v5e-torus", "tpu-v4-cube", "hgx-pairwise-nvlink",
        "chain-3",    "ring-8",    "switch-8",    "fat-tree",      "dragonfly",   "rail-optimised"};
    return systems;
}

Result<ClusterMachine> clusterOf(const silicon::Machine& machine)
{
    ClusterMachine result;
    result.id = machine.id;
    result.network = machine.has("nic_rate");
    cluster::TopologyShape& s = result.shape;
    const auto kind = machine.text("topology");
    if (!kind)
        return kind.error();
    const auto& kinds = cluster::topologyKindNames();
    const auto found = std::find(kinds.begin(), kinds.end(), *kind);
    if (found == kinds.end())
        return Error{"bad-machine", "there is no topology \"" + *kind + "\"", machine.file + ": topology",
                     "write switch, fat-tree, torus …"};
    s.kind = static_cast<cluster::TopologyKind>(found - kinds.begin());
    const auto gpus = machine.count("gpus", "GPUs");
    if (!gpus)
        return gpus.error();
    s.gpus = static_cast<std::uint32_t>(std::min<std::uint64_t>(*gpus, 1u << 20));
    s.nics = s.gpus;
    for (const auto& [name, to] : {std::pair{"nics", &s.nics}, {"nodes", &s.nodes}})
        if (machine.has(name)) {
            const auto value = machine.count(name);
            if (!value)
                return value.error();
            *to = static_cast<std::uint32_t>(std::min<std::uint64_t>(*value, 1u << 20));
        }
    if (machine.has("dims")) {
        const auto dims = machine.numbers("dims");
        if (!dims)
            return dims.error();
        for (std::size_t i = 0; i < dims->size() && i < 3; ++i)
            s.dims[i] = (*dims)[i] >= 1 && (*dims)[i] <= 4096 ? static_cast<std::uint32_t>((*dims)[i]) : 0;
    }
    for (const Number& each : {Number{"rate", "B/s", &s.rate},
                               {"latency", "s", &s.latency},
                               {"pcie_rate", "B/s", &s.pcieRate},
                               {"host_rate", "B/s", &s.hostRate},
                               {"nic_rate", "B/s", &s.nicRate},
                               {"net_latency", "s", &s.netLatency},
                               {"oversubscription", "1", &s.oversubscription}})
        if (machine.has(each.name)) {
            const auto value = machine.number(each.name, each.unit);
            if (!value)
                return value.error();
            *each.to = *value;
        }
    if (!machine.has("nccl_base"))
        return result;
    cluster::NcclSpec n;
    for (const Number& each : {Number{"nccl_base", "s", &n.base},
                               {"nccl_hop", "s", &n.hop},
                               {"nccl_rate", "B/s", &n.rate},
                               {"nccl_copy_rate", "B/s", &n.copyRate},
                               {"nccl_ramp", "s", &n.ramp},
                               {"nccl_ramp_power", "1", &n.rampPower},
                               {"nccl_ll_share", "1", &n.llShare},
                               {"nccl_ll128_share", "1", &n.ll128Share},
                               {"nccl_ll128_base", "s", &n.ll128Base},
                               {"nccl_ll128_hop", "s", &n.ll128Hop},
                               {"nccl_simple_base", "s", &n.simpleBase},
                               {"nccl_simple_hop", "s", &n.simpleHop},
                               {"nccl_direct_hop", "s", &n.directHop},
                               {"nccl_direct_rate", "B/s", &n.directRate},
                               {"nccl_direct_copy_rate", "B/s", &n.directCopyRate},
                               {"nccl_direct_setup", "s", &n.directSetup},
                               {"nccl_direct_small_rate", "B/s", &n.directSmallRate},
                               {"nccl_direct_ramp", "s", &n.directRamp},
                               {"nccl_direct_ramp_power", "1", &n.directRampPower},
                               {"nccl_net_ring_hop", "s", &n.netRingHop},
                               {"nccl_net_tree_hop", "s", &n.netTreeHop},
                               {"nccl_net_share", "1", &n.netShare}}) {
        const auto value = machine.number(each.name, each.unit);
        if (!value)
            return value.error();
        if (!(*value > 0) || *value > 1e15)
            return Error{"bad-machine", std::string(each.name) + " is no number above 0",
                         machine.file + ": " + each.name, "write what NCCL takes on this system"};
        *each.to = *value;
    }
    for (const Number& each : {Number{"nccl_across_rate", "B/s", &n.acrossRate},
                               {"nccl_nvls_base", "s", &n.nvlsBase},
                               {"nccl_nvls_rate", "B/s", &n.nvlsRate}})
        if (machine.has(each.name)) {
            const auto value = machine.number(each.name, each.unit);
            if (!value)
                return value.error();
            *each.to = *value;
        }
    n.netRate = s.nicRate * s.nics / s.gpus;
    result.nccl = n;
    return result;
}

Result<ClusterMachine> clusterSystem(const ParamSet& params, const silicon::Machine* target)
{
    const std::string& name = choice(params, "system");
    if (name == kOfTheTarget) {
        if (target == nullptr)
            return Error{"bad-value", "the target is no machine, so system must name one", "parameter system",
                         "give --set system=dgx-h100, or --target machine:dgx-h100"};
        return clusterOf(*target);
    }
    const auto machines = silicon::shippedMachines();
    if (!machines)
        return machines.error();
    const auto found = silicon::findMachine(*machines, name, "cluster");
    if (!found)
        return found.error();
    return clusterOf(*found);
}

} // namespace ridge::labs
