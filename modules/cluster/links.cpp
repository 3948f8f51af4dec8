// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/links.h"

#include "base/seed.h"

#include <algorithm>
#include <limits>

namespace ridge::cluster {
namespace {

constexpr std::uint16_t kFar = 0xffff;
constexpr std::size_t kMostKept = 64u << 20; // distances

std::uint64_t hashed(std::uint64_t flow, std::uint64_t vertex, std::uint64_t seed)
{
    return Rng(seed ^ flow * 0x9e3779b97f4a7c15ull ^ vertex * 0xd1342543de82ef95ull).next();
}

} // namespace

Router::Router(const Topology& topology)
    : m_topology(topology), m_out(outgoing(topology)), m_distances(topology.vertices.size())
{
    m_in.first.assign(topology.vertices.size() + 1, 0);
    for (const Link& link : topology.links)
        ++m_in.first[link.to + 1];
    for (std::size_t v = 1; v < m_in.first.size(); ++v)
        m_in.first[v] += m_in.first[v - 1];
    m_in.links.resize(topology.links.size());
    auto next = m_in.first;
    for (std::uint32_t i = 0; i < topology.links.size(); ++i)
        m_in.links[next[topology.links[i].to]++] = i;
}

const std::vector<std::uint16_t>& Router::distancesTo(std::uint32_t to)
{
    auto& distances = m_distances[to];
    if (!distances.empty())
        return distances;
    m_kept += m_distances.size();
    if (m_kept > kMostKept) { // begin again: a path is the same whenever it is asked for
        for (auto& each : m_distances)
            std::vector<std::uint16_t>().swap(each);
        m_kept = m_distances.size();
    }
    distances.assign(m_topology.vertices.size(), kFar);
    distances[to] = 0;
    std::vector<std::uint32_t> queue{to};
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const auto v = queue[i];
        for (auto e = m_in.first[v]; e < m_in.first[v + 1]; ++e) {
            const auto from = m_topology.links[m_in.links[e]].from;
            if (distances[from] == kFar && distances[v] + 1 < kFar) {
                distances[from] = static_cast<std::uint16_t>(distances[v] + 1);
                queue.push_back(from);
            }
        }
    }
    return distances;
}

void Router::path(std::uint32_t from, std::uint32_t to, std::uint64_t flow, std::uint64_t seed,
                  std::vector<std::uint32_t>& links)
{
    links.clear();
    if (from == to || from >= m_topology.vertices.size() || to >= m_topology.vertices.size())
        return;
    const auto& distances = distancesTo(to);
    if (distances[from] == kFar)
        return;
    for (std::uint32_t at = from; at != to;) {
        std::uint32_t ways = 0, chosen = 0;
        for (auto e = m_out.first[at]; e < m_out.first[at + 1]; ++e)
            ways += distances[m_topology.links[m_out.links[e]].to] + 1 == distances[at];
        auto left = ways > 1 ? static_cast<std::uint32_t>(hashed(flow, at, seed) % ways) : 0;
        for (auto e = m_out.first[at]; e < m_out.first[at + 1]; ++e)
            if (distances[m_topology.links[m_out.links[e]].to] + 1 == distances[at] && left-- == 0) {
                chosen = m_out.links[e];
                break;
            }
        links.push_back(chosen);
        at = m_topology.links[chosen].to;
    }
}

PathRate pathRate(const Topology& topology, std::span<const std::uint32_t> links)
{
    PathRate result;
    result.rate = links.empty() ? 0 : std::numeric_limits<double>::infinity();
    result.hops = static_cast<std::uint32_t>(links.size());
    for (const auto link : links) {
        result.rate = std::min(result.rate, topology.links[link].rate);
        result.latency += topology.links[link].latency;
    }
    return result;
}

std::vector<double> pairwiseRates(const Topology& topology, std::uint64_t seed)
{
    Router router(topology);
    const std::size_t n = topology.ranks.size();
    std::vector<double> rates(n * n, 0);
    std::vector<std::uint32_t> links;
    for (std::size_t to = 0; to < n; ++to)
        for (std::size_t from = 0; from < n; ++from)
            if (from != to) {
                router.path(topology.ranks[from], topology.ranks[to], from * n + to, seed, links);
                rates[from * n + to] = pathRate(topology, links).rate;
            }
    return rates;
}

} // namespace ridge::cluster
