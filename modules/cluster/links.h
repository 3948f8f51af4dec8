// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/topology.h"

namespace ridge::cluster {

/// Paths of fewest hops. Where several links lead on, a hash of the flow's number chooses one at every vertex, as the
/// equal-cost multipath routing of a switch does: two flows may meet on one link while another lies idle.
class Router {
public:
    /// The topology outlives the router.
    explicit Router(const Topology& topology);
    /// Links from vertex to vertex, in order; empty where nothing joins them, or of a vertex to itself. `flow` is its
    /// number and `seed` that of all hashes.
    void path(std::uint32_t from, std::uint32_t to, std::uint64_t flow, std::uint64_t seed,
              std::vector<std::uint32_t>& links);

private:
    const std::vector<std::uint16_t>& distancesTo(std::uint32_t to);
    const Topology& m_topology;
    Outgoing m_out, m_in;
    std::vector<std::vector<std::uint16_t>> m_distances; ///< by destination, made when first asked for
    std::size_t m_kept = 0;
};

/// B/s that a transfer alone gets on its path, and the latency of that path in s.
struct PathRate {
    double rate = 0, latency = 0;
    std::uint32_t hops = 0;
};
PathRate pathRate(const Topology& topology, std::span<const std::uint32_t> links);

/// Row by row, of every rank to every other one: PathRate::rate; 0 on the diagonal.
std::vector<double> pairwiseRates(const Topology& topology, std::uint64_t seed);

} // namespace ridge::cluster
