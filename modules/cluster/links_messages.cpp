// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/links_messages.h"

#include "cluster/links.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace ridge::cluster {
namespace {

constexpr std::uint64_t kMostMessages = 1u << 26;

struct Event {
    std::uint64_t at;
    std::uint32_t message; ///< chunk x transfers + transfer
    std::uint32_t hop;     ///< links that it has passed
};

/// A queue for times that never go back (Ahuja, Mehlhorn, Orlin, Tarjan 1990): an event lies by the highest bit in
/// which its time differs from the last one taken, and moves down at most once a bit.
class RadixHeap {
public:
    void push(const Event& event) { m_buckets[bucketOf(event.at)].push_back(event); }
    /// All events of the least time; false where there are none.
    bool take(std::vector<Event>& out)
    {
        out.clear();
        if (m_buckets[0].empty()) {
            std::size_t b = 1;
            while (b < m_buckets.size() && m_buckets[b].empty())
                ++b;
            if (b == m_buckets.size())
                return false;
            std::uint64_t least = ~0ull;
            for (const Event& event : m_buckets[b])
                least = std::min(least, event.at);
            m_last = least;
            m_moved.swap(m_buckets[b]);
            for (const Event& event : m_moved)
                m_buckets[bucketOf(event.at)].push_back(event);
            m_moved.clear();
        }
        out.swap(m_buckets[0]);
        return true;
    }

private:
    std::size_t bucketOf(std::uint64_t at) const
    {
        return at == m_last ? 0 : 64 - static_cast<std::size_t>(std::countl_zero(at ^ m_last));
    }
    std::array<std::vector<Event>, 65> m_buckets;
    std::vector<Event> m_moved;
    std::uint64_t m_last = 0;
};

} // namespace

Result<MessageTimes> simulateMessages(const Topology& topology, const Schedule& schedule, double bytes,
                                      const MessageCosts& costs)
{
    const std::uint32_t n = schedule.shape.ranks;
    const auto count = static_cast<std::uint32_t>(schedule.transfers.size());
    if (topology.ranks.size() < n)
        return Error{"bad-collective",
                     std::to_string(n) + " ranks on " + std::to_string(topology.ranks.size()) + " GPUs", "ranks",
                     "give at most " + std::to_string(topology.ranks.size())};
    if (schedule.shape.algorithm == Algorithm::InNetwork)
        return Error{"bad-collective", "messages go from rank to rank; none is added on its way", "algorithm",
                     "take ring, or the flow level"};
    if (costs.chunks < 1 || std::uint64_t{count} * costs.chunks > kMostMessages)
        return Error{"too-many-transfers", std::to_string(std::uint64_t{count} * costs.chunks) + " messages", "chunks",
                     "take fewer ranks or chunks; 2^26 messages is the most"};

    // What each transfer waits for: what its sender got in the latest step before it in which it got anything.
    struct Flat {
        std::vector<std::uint32_t> first, next;
    } after;
    std::vector<std::uint8_t> waits(count, 0);
    std::vector<std::uint32_t> receives(n, 0); // of a chunk
    {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
        edges.reserve(count);
        struct Got {
            std::uint32_t step = 0;
            std::vector<std::uint32_t> now, before;
        };
        std::vector<Got> got(n);
        for (std::uint32_t step = 0; step < schedule.steps(); ++step)
            for (auto k = schedule.firstOfStep[step]; k < schedule.firstOfStep[step + 1]; ++k) {
                const Transfer& t = schedule.transfers[k];
                Got& mine = got[t.from];
                for (const auto one : mine.step == step + 1 ? mine.before : mine.now) {
                    edges.emplace_back(one, k);
                    ++waits[k];
                }
                Got& its = got[t.to];
                if (its.step != step + 1) {
                    its.before.swap(its.now);
                    its.now.clear();
                    its.step = step + 1;
                }
                its.now.push_back(k);
                ++receives[t.to];
            }
        after.first.assign(count + 1, 0);
        for (const auto& [one, k] : edges)
            ++after.first[one + 1];
        for (std::uint32_t i = 1; i <= count; ++i)
            after.first[i] += after.first[i - 1];
        after.next.resize(edges.size());
        auto place = after.first;
        for (const auto& [one, k] : edges)
            after.next[place[one]++] = k;
    }
    // Begins of a chunk, by rank.
    std::vector<std::vector<std::uint32_t>> begins(n);
    for (std::uint32_t k = 0; k < count; ++k)
        if (waits[k] == 0)
            begins[schedule.transfers[k].from].push_back(k);

    // Routes, each pair of ranks once.
    struct Leg {
        std::uint32_t link;
        std::uint32_t latency;
    };
    std::vector<Leg> legs;
    struct Plan {
        std::uint32_t leg, hops;     ///< from `leg` on
        std::uint64_t wire, latency; ///< ns: on each link, and all latencies
        std::uint64_t add;           ///< ns
        std::uint32_t to;
    };
    std::vector<Plan> plans(count);
    const double chunkBytes = std::floor(bytes / costs.chunks);
    {
        Router router(topology);
        std::vector<std::uint32_t> path;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> known(
            std::size_t{n} * std::min(n, 4096u) <= 1u << 24 ? std::size_t{n} * n : 0, {0, 0});
        for (std::uint32_t k = 0; k < count; ++k) {
            const Transfer& t = schedule.transfers[k];
            const std::size_t pair = std::size_t{t.from} * n + t.to;
            Plan& plan = plans[k];
            if (!known.empty() && known[pair].second)
                std::tie(plan.leg, plan.hops) = known[pair];
            else {
                router.path(topology.ranks[t.from], topology.ranks[t.to], pair, 0, path);
                plan.leg = static_cast<std::uint32_t>(legs.size());
                plan.hops = static_cast<std::uint32_t>(path.size());
                for (const auto link : path)
                    legs.push_back(
                        {link, static_cast<std::uint32_t>(std::llround(topology.links[link].latency * 1e9))});
                if (!known.empty())
                    known[pair] = {plan.leg, plan.hops};
            }
            const double size = std::floor(chunkBytes / schedule.blocks) * t.count;
            double least = 1e30;
            plan.latency = 0;
            for (std::uint32_t h = 0; h < plan.hops; ++h) {
                least = std::min(least, topology.links[legs[plan.leg + h].link].rate);
                plan.latency += legs[plan.leg + h].latency;
            }
            plan.wire = static_cast<std::uint64_t>(size / (least / 1e9));
            plan.add = t.adds && costs.memoryRate > 0 ? 3 * static_cast<std::uint64_t>(size / costs.memoryRate) : 0;
            plan.to = t.to;
        }
    }
    // Where a link is quicker than the least of a route, its own rate counts.
    std::vector<double> slow(topology.links.size());
    bool even = true;
    for (std::size_t l = 0; l < slow.size(); ++l) {
        slow[l] = topology.links[l].rate;
        even = even && slow[l] == slow[0];
    }

    MessageTimes result;
    std::vector<std::uint8_t> left(std::size_t{count} * costs.chunks);
    for (std::uint32_t c = 0; c < costs.chunks; ++c)
        std::copy(waits.begin(), waits.end(), left.begin() + static_cast<std::ptrdiff_t>(std::size_t{c} * count));
    std::vector<std::uint32_t> pending(std::size_t{n} * costs.chunks);
    for (std::uint32_t c = 0; c < costs.chunks; ++c)
        std::copy(receives.begin(), receives.end(), pending.begin() + static_cast<std::ptrdiff_t>(std::size_t{c} * n));
    std::vector<std::uint64_t> free(topology.links.size(), 0);
    RadixHeap heap;
    std::vector<Event> now;
    const bool queues = costs.congestion;

    const auto hop = [&](std::uint32_t message, const Plan& plan, std::uint32_t passed, std::uint64_t at) {
        if (!queues) {
            heap.push({at + plan.wire + plan.latency, message, plan.hops});
            return;
        }
        const Leg& leg = legs[plan.leg + passed];
        std::uint64_t wire = plan.wire;
        if (!even) {
            const Transfer& t = schedule.transfers[message % count];
            wire =
                static_cast<std::uint64_t>(std::floor(chunkBytes / schedule.blocks) * t.count / (slow[leg.link] / 1e9));
        }
        const std::uint64_t end = std::max(at, free[leg.link]) + wire;
        free[leg.link] = end;
        heap.push({end + leg.latency, message, passed + 1});
    };
    const auto send = [&](std::uint32_t message, std::uint32_t k, std::uint64_t at) {
        ++result.messages;
        if (plans[k].hops == 0)
            heap.push({at + costs.endpoint, message, 0});
        else
            hop(message, plans[k], 0, at + costs.endpoint);
    };
    const auto begin = [&](std::uint32_t rank, std::uint32_t chunk, std::uint64_t at) {
        for (const auto k : begins[rank])
            send(chunk * count + k, k, at);
    };
    // A rank that gets nothing is through with a chunk as soon as it has sent.
    const auto start = [&](std::uint32_t rank, std::uint32_t chunk, std::uint64_t at) {
        for (; chunk < costs.chunks; ++chunk) {
            begin(rank, chunk, at);
            if (receives[rank] > 0)
                break;
        }
    };
    for (std::uint32_t rank = 0; rank < n; ++rank)
        start(rank, 0, 0);
    while (heap.take(now))
        for (const Event& event : now) {
            std::uint32_t chunk = 0, k = event.message;
            for (; k >= count; k -= count)
                ++chunk;
            const Plan& plan = plans[k];
            if (event.hop < plan.hops) {
                hop(event.message, plan, event.hop, event.at);
                continue;
            }
            const std::uint64_t done = event.at + plan.add;
            std::uint8_t* const missing = left.data() + std::size_t{chunk} * count;
            for (auto e = after.first[k]; e < after.first[k + 1]; ++e)
                if (const auto j = after.next[e]; --missing[j] == 0)
                    send(chunk * count + j, j, done);
            const std::uint64_t end = done + costs.endpoint;
            result.nanoseconds = std::max(result.nanoseconds, end);
            if (--pending[std::size_t{chunk} * n + plan.to] == 0 && chunk + 1 < costs.chunks)
                start(plan.to, chunk + 1, end);
        }
    return result;
}

} // namespace ridge::cluster
