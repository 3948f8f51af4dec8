// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/plan/systems.h"

#include "base/experiment_info.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace ridge::cluster {
namespace {

// Line rates: NVLink 3, 4 and 5 carry 300, 450 and 900 GB/s one way, an HDR port 25, an NDR port 50 (S. Bekman, Machine
// Learning Engineering, 2026). Shares in a node: an all-gather of 512 MiB over 8 GPUs reaches 205.4 of 300 GB/s on A100
// and 336.7 of 450 on H200, an all-reduce that the switches add up 460 of 450 (nccl-tests, from ai-dynamo/
// aiconfigurator, Apache-2.0); other systems are taken to be like the next older one. Between nodes: Alibaba's
// production nodes reach 0.86 to 0.88 of the line at 1 GiB (SimAI, busbw tables). Latencies: NCCL 2.30 takes 3.4 us for
// a hop inside a node and 14 us for one between nodes (nccl, src/graph/tuning.cc).
const char* kSource = "MLE 2026 (line rates), aiconfigurator and SimAI (shares), NCCL 2.30 (latencies)";

const std::array<PlanSystem, 8>& table()
{
    static const std::array<PlanSystem, 8> systems{{
        {"dgx-a100", "DGX A100", "a100-sxm-80", 8, {300e9, 0.70, 3.4e-6}, {25e9, 0.87, 14e-6}, 0, kSource},
        {"dgx-h100", "DGX H100", "h100-sxm", 8, {450e9, 0.75, 3.4e-6}, {50e9, 0.87, 14e-6}, 1.02, kSource},
        {"dgx-h200", "DGX H200", "h200-sxm", 8, {450e9, 0.75, 3.4e-6}, {50e9, 0.87, 14e-6}, 1.02, kSource},
        {"dgx-b200", "DGX B200", "b200", 8, {900e9, 0.75, 3.4e-6}, {50e9, 0.87, 14e-6}, 1.02, kSource},
        {"gb200-nvl72", "GB200 NVL72", "gb200", 72, {900e9, 0.75, 3.4e-6}, {50e9, 0.87, 14e-6}, 1.02, kSource},
        {"hgx-pairwise-nvlink",
         "A100 PCIe in NVLink pairs",
         "a100-pcie-80",
         4,
         {31e9, 0.77, 5.7e-6},
         {12.5e9, 0.87, 14e-6},
         0,
         kSource},
        {"l40s-pcie", "L40S on PCIe 4", "l40s", 8, {31e9, 0.77, 5.7e-6}, {25e9, 0.87, 14e-6}, 0, kSource},
        {"mi300x", "MI300X, fully connected", "mi300x", 8, {448e9, 0.70, 3.4e-6}, {50e9, 0.87, 14e-6}, 0, kSource},
    }};
    return systems;
}

/// Members that share a node.
double together(const PlanSystem& s, const Group& g)
{
    return std::clamp(std::floor(s.nodeGpus / std::max(1.0, g.stride)), 1.0, g.ranks);
}

double hops(const PlanSystem& s, const Group& g)
{
    const double in = together(s, g), nodes = std::ceil(g.ranks / in);
    // Beyond a few nodes trees take over: their depth and not the ring's length counts.
    return (in - 1) * s.node.latency + std::min(nodes - 1, 2 * std::log2(std::max(1.0, nodes))) * s.net.latency;
}

} // namespace

std::span<const PlanSystem> planSystems()
{
    return table();
}

Result<PlanSystem> findPlanSystem(std::string_view id)
{
    std::vector<std::string> ids;
    for (const PlanSystem& each : table()) {
        if (each.id == id)
            return each;
        ids.push_back(each.id);
    }
    std::string near;
    for (const std::string& name : nearestNames(id, ids))
        near += (near.empty() ? "" : ", ") + name;
    return Error{"unknown-system", "there is no system \"" + std::string(id) + "\"", "parameter system",
                 "take one of: " + (near.empty() ? ids.front() : near)};
}

double ringBandwidth(const PlanSystem& s, const Group& g)
{
    const double in = together(s, g);
    return in >= g.ranks ? s.node.usable() : std::min(s.node.usable(), in * s.net.usable());
}

double allReduceSeconds(const PlanSystem& s, const Group& g, double bytes)
{
    if (g.ranks <= 1 || bytes <= 0)
        return 0;
    double bandwidth = ringBandwidth(s, g);
    // In-network sums are used where all GPUs of the node take part.
    if (s.inSwitch > 0 && g.ranks == std::min<double>(s.nodeGpus, 8) && together(s, g) >= g.ranks)
        bandwidth = s.inSwitch * s.node.bytesPerSecond;
    return 2 * hops(s, g) + 2 * (g.ranks - 1) / g.ranks * bytes / bandwidth;
}

double gatherSeconds(const PlanSystem& s, const Group& g, double bytes)
{
    if (g.ranks <= 1 || bytes <= 0)
        return 0;
    return hops(s, g) + (g.ranks - 1) / g.ranks * bytes / ringBandwidth(s, g);
}

double allToAllSeconds(const PlanSystem& s, const Group& g, double bytes)
{
    if (g.ranks <= 1 || bytes <= 0)
        return 0;
    const double in = together(s, g), out = (g.ranks - in) / g.ranks;
    const double inside = (in - 1) / g.ranks * bytes / s.node.usable(), outside = out * bytes / s.net.usable();
    return (in < g.ranks ? s.net.latency : s.node.latency) * 2 + std::max(inside, outside);
}

double sendSeconds(const PlanSystem& s, double distance, double bytes)
{
    const PlanLink& link = distance >= s.nodeGpus ? s.net : s.node;
    return link.latency + bytes / link.usable();
}

} // namespace ridge::cluster
