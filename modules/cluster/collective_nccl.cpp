// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/collective_nccl.h"

#include <algorithm>
#include <cmath>

namespace ridge::cluster {
namespace {

constexpr double kRampEnd = 268.435456; // MB: measured times are lines above 256 MiB

double rampOf(double seconds, double power, double bytes)
{
    return bytes > 0 ? seconds * std::pow(std::min(bytes / 1e6, kRampEnd), power) : 0;
}

double wireShare(Operation operation, double n)
{
    return operation == Operation::Broadcast ? 1 : busFactor(operation, static_cast<std::uint32_t>(n));
}

} // namespace

const std::vector<std::string>& protocolNames()
{
    static const std::vector<std::string> names{"ll", "ll128", "simple"};
    return names;
}

Result<std::vector<NcclChoice>> ncclChoices(const NcclSpec& s, const NcclCall& call)
{
    const double n = call.ranks, m = call.nodes;
    if (call.ranks < 1 || call.nodes < 1 || call.ranks % call.nodes != 0)
        return Error{"bad-collective",
                     std::to_string(call.ranks) + " ranks on " + std::to_string(call.nodes) + " nodes", "ranks, nodes",
                     "give ranks that the nodes divide, at least one a node"};
    if (call.nodes > 1 && !(s.netRate > 0))
        return Error{"bad-collective", "the system has no network for " + std::to_string(call.nodes) + " nodes",
                     "nodes", "give nodes 1, or a system with network cards"};
    if (!(call.bytes >= 0 && call.bytes <= 1e18))
        return Error{"bad-collective", "the bytes are no number from 0 to 1e18", "bytes", "give at most 1e18"};
    std::vector<NcclChoice> choices;
    const double bytes = call.bytes, g = n / m;
    if (call.ranks == 1) { // a copy
        choices.push_back({call.operation == Operation::AllToAll ? Algorithm::Direct : Algorithm::Ring,
                           Protocol::Simple, s.base + (s.copyRate > 0 ? bytes / s.copyRate : 0), 0});
        return choices;
    }
    const double ramp = rampOf(s.ramp, s.rampPower, bytes);
    if (call.operation == Operation::AllToAll) {
        const double wire = wireShare(call.operation, n) * bytes;
        const double start = s.base + s.directHop * (std::min(g, 8.0) - 1) + (m > 1 ? s.netRingHop * std::log2(m) : 0);
        const double rest = bytes / n / s.directCopyRate + rampOf(s.directRamp, s.directRampPower, bytes);
        double rate = s.directRate;
        if (call.nodes > 1) // what leaves the node shares its cards
            rate = std::min(rate, s.netRate * s.netShare * (n - 1) / (n - g));
        const double small = wire / n / s.directSmallRate + wire / rate, large = s.directSetup + wire / rate;
        const auto steps = static_cast<std::uint64_t>(call.ranks - 1);
        choices.push_back({Algorithm::Direct, Protocol::Simple, start + std::min(small, large) + rest, steps});
        return choices;
    }
    const bool both = call.operation == Operation::AllReduce, broadcast = call.operation == Operation::Broadcast;
    const double wire = wireShare(call.operation, n) * bytes;
    double rate = s.acrossRate > 0 && g > 2 ? s.acrossRate : s.rate;
    if (call.nodes > 1) // a ring leaves and enters each node once, on all its cards
        rate = std::min(rate, s.netRate * s.netShare * g);
    const double ringSteps = (both ? 2 : 1) * (n - 1), between = (both ? 2 : 1) * (m > 1 ? m : 0);
    const double inner = std::max(0.0, ringSteps - between);
    const double treeSteps = (both ? 2 : 1) * ((g - 1) + std::ceil(std::log2(m)));
    const double copied = broadcast ? 0 : bytes / n / s.copyRate;
    struct Of {
        Protocol protocol;
        double base, hop, share;
    };
    for (const Of& p : {Of{Protocol::Ll, 0, 0, s.llShare}, Of{Protocol::Ll128, s.ll128Base, s.ll128Hop, s.ll128Share},
                        Of{Protocol::Simple, s.simpleBase, s.simpleHop, 1}}) {
        const double extra = p.base + ramp + copied;
        choices.push_back(
            {Algorithm::Ring, p.protocol,
             s.base + extra + (s.hop + p.hop) * inner + (s.netRingHop + p.hop) * between + wire / (rate * p.share),
             static_cast<std::uint64_t>(ringSteps)});
        if (!both && !broadcast)
            continue;
        // In a node NCCL's tree is a chain up and down; every rank sends and gets the data once each way.
        const double treeWire = (both ? 2 : 1) * bytes;
        choices.push_back({Algorithm::Tree, p.protocol,
                           s.base + extra + (both ? 2 : 1) * (g - 1) * (s.hop + p.hop) +
                               (both ? 2 : 1) * std::ceil(std::log2(m)) * (s.netTreeHop + p.hop) +
                               treeWire / (rate * p.share * s.ll128Share),
                           static_cast<std::uint64_t>(treeSteps)});
    }
    if (both && call.switchAdds && s.nvlsRate > 0 && g >= s.nvlsLeast) {
        double nvls = (1 + 1 / g) * bytes / s.nvlsRate;
        if (call.nodes > 1) // the sums of the GPUs' shares go over the network, both at once
            nvls = std::max(nvls, 2 * (m - 1) / m * bytes / (g * s.netRate * s.netShare));
        choices.push_back({Algorithm::InNetwork, Protocol::Simple,
                           s.nvlsBase + ramp + (m > 1 ? 2 * std::ceil(std::log2(m)) * s.netTreeHop : 0) + nvls,
                           static_cast<std::uint64_t>(2 + (m > 1 ? 2 * std::ceil(std::log2(m)) : 0))});
    }
    std::stable_sort(choices.begin(), choices.end(),
                     [](const NcclChoice& a, const NcclChoice& b) { return a.seconds < b.seconds; });
    return choices;
}

} // namespace ridge::cluster
