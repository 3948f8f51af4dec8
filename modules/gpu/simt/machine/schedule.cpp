// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/draft.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace ridge::gpu::simt {

namespace {

/// Cycles a static scheduler assumes for what has no fixed latency: enough to move loads up, not so many that it would
/// empty the register file for them.
constexpr int kAssumedVariable = 32;
/// Registers that ptxas holds beyond the values that are live: the stack pointer, two reserved ones, and what keeps a
/// load's address and result apart. Fitted on the development half of the corpus (docs/validation.md).
constexpr std::size_t kBeyondLive = 12;

/// Registers a thread may have at each occupancy that a scheduler aims at: 65536 registers over the threads of an SM.
constexpr std::array<std::size_t, 9> kSteps{32, 40, 48, 64, 80, 96, 128, 168, 255};

/// Threads an SM holds (CUDA C++ programming guide, table of compute capabilities).
std::size_t threadsOfSm(int computeCapability)
{
    switch (computeCapability) {
    case 75:
        return 1024;
    case 86:
    case 87:
    case 89:
    case 120:
    case 121:
        return 1536;
    default:
        return 2048;
    }
}

/// The step on which so many live values end up.
std::size_t stepOf(std::size_t live)
{
    for (const std::size_t step : kSteps)
        if (live + kBeyondLive <= step)
            return step;
    return live + kBeyondLive;
}

/// How much a scheduler does for few registers.
struct Manner {
    bool looksAhead = false;       ///< before the budget is used up, not only after
    std::size_t window = SIZE_MAX; ///< how far ahead of the first instruction that waits another may be chosen
};
constexpr std::array<Manner, 3> kManners{{{false, SIZE_MAX}, {true, SIZE_MAX}, {true, 64}}};

struct Edge {
    std::uint32_t to = 0;
    int latency = 0;
};

class BlockScheduler {
public:
    BlockScheduler(DraftKernel& kernel, DraftBlock& block, const ScheduleLatencies& latencies,
                   const std::vector<bool>& liveIn, const std::vector<bool>& liveOut, std::size_t budget, Manner manner)
        : m_kernel(kernel), m_block(block), m_latencies(latencies), m_liveOut(liveOut), m_budget(budget),
          m_manner(manner), m_size(block.drafts.size())
    {
        for (std::uint32_t id = 0; id < liveIn.size(); ++id) {
            if (liveIn[id] && counts(id))
                m_live.insert({id, true});
        }
    }

    void run()
    {
        if (m_size < 3)
            return;
        build();
        measure();
        pick();
    }

private:
    int latencyOf(const Draft& draft) const
    {
        if (!isFixedLatency(draft.latency))
            return kAssumedVariable;
        return std::max<int>(1, m_latencies.cycles[static_cast<std::size_t>(draft.latency)]);
    }

    void edge(std::uint32_t from, std::uint32_t to, int latency)
    {
        if (from == to)
            return;
        m_edges[from].push_back({to, latency});
        ++m_waiting[to];
    }

    void build()
    {
        m_edges.resize(m_size);
        m_waiting.assign(m_size, 0);
        std::unordered_map<std::uint32_t, std::uint32_t> writer;
        std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> readers;
        m_version.assign(m_size, kNone);
        std::vector<std::uint32_t> memory; // since the last fence
        std::uint32_t fence = kNone;
        std::uint32_t clock = kNone;
        for (std::uint32_t at = 0; at < m_size; ++at) {
            const Draft& draft = m_block.drafts[at];
            for (const std::uint32_t id : draft.sources) {
                if (const auto found = writer.find(id); found != writer.end())
                    edge(found->second, at, latencyOf(m_block.drafts[found->second]));
                readers[id].push_back(at);
            }
            if (const auto found = writer.find(draft.base); found != writer.end())
                m_version[at] = found->second;
            for (const std::uint32_t id : draft.results) {
                if (const auto found = writer.find(id); found != writer.end())
                    edge(found->second, at, 1);
                for (const std::uint32_t reader : readers[id])
                    edge(reader, at, 0);
                readers[id].clear();
                writer[id] = at;
            }
            orderMemory(at, draft, memory, fence);
            if (draft.ordersAll)
                clock = at;
            else if (clock != kNone)
                edge(clock, at, 0);
            if (draft.isTerminator || draft.ordersAll) {
                for (std::uint32_t before = 0; before < at; ++before)
                    edge(before, at, 0);
            }
        }
    }

    void orderMemory(std::uint32_t at, const Draft& draft, std::vector<std::uint32_t>& memory, std::uint32_t& fence)
    {
        const bool touches = draft.readsMemory || draft.writesMemory;
        if (!touches && !draft.ordersMemory)
            return;
        if (fence != kNone)
            edge(fence, at, 1);
        for (const std::uint32_t before : memory) {
            const Draft& other = m_block.drafts[before];
            const bool meet = mayMeet(draft, other) && !apart(at, before);
            if (draft.ordersMemory || (meet && (draft.writesMemory || other.writesMemory)))
                edge(before, at, 0);
        }
        if (draft.ordersMemory) {
            memory.clear();
            fence = at;
        } else {
            memory.push_back(at);
        }
    }

    static bool mayMeet(const Draft& a, const Draft& b)
    {
        if (a.neverWritten || b.neverWritten)
            return false;
        return a.space == b.space || a.space == Space::Generic || b.space == Space::Generic;
    }

    /// One base register with one value, and offsets that do not touch.
    bool apart(std::uint32_t a, std::uint32_t b) const
    {
        const Draft& first = m_block.drafts[a];
        const Draft& second = m_block.drafts[b];
        return first.base == second.base && first.space == second.space && m_version[a] == m_version[b] &&
               first.bytes != 0 && second.bytes != 0 &&
               (first.offset + first.bytes <= second.offset || second.offset + second.bytes <= first.offset);
    }

    /// Longest way to the end of the block; uses left of each register.
    void measure()
    {
        m_height.assign(m_size, 0);
        for (std::size_t at = m_size; at-- > 0;) {
            for (const Edge& edge : m_edges[at])
                m_height[at] = std::max(m_height[at], m_height[edge.to] + edge.latency);
        }
        for (const Draft& draft : m_block.drafts) {
            for (const std::uint32_t id : draft.sources)
                ++m_uses[id];
        }
    }

    bool counts(std::uint32_t id) const
    {
        return !m_kernel.registers[id].isPredicate && !m_kernel.registers[id].isUniform;
    }

    /// Registers that become live minus those that die.
    int pressureOf(const Draft& draft) const
    {
        int change = 0;
        for (const std::uint32_t id : draft.results)
            change += counts(id) && !m_live.contains(id) ? 1 : 0;
        for (const std::uint32_t id : draft.sources) {
            const auto left = m_uses.find(id);
            if (counts(id) && left != m_uses.end() && left->second == 1 && !m_liveOut[id])
                --change;
        }
        return change;
    }

    void pick()
    {
        std::vector<std::uint32_t> ready;
        std::vector<int> earliest(m_size, 0);
        for (std::uint32_t at = 0; at < m_size; ++at) {
            if (m_waiting[at] == 0)
                ready.push_back(at);
        }
        std::vector<Draft> ordered;
        ordered.reserve(m_size);
        int cycle = 0;
        while (!ready.empty()) {
            const std::size_t chosen = choose(ready, earliest, cycle);
            const std::uint32_t at = ready[chosen];
            ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(chosen));
            cycle = std::max(cycle, earliest[at]);
            for (const Edge& edge : m_edges[at]) {
                earliest[edge.to] = std::max(earliest[edge.to], cycle + edge.latency);
                if (--m_waiting[edge.to] == 0)
                    ready.push_back(edge.to);
            }
            ++cycle;
            follow(m_block.drafts[at]);
            ordered.push_back(std::move(m_block.drafts[at]));
        }
        m_block.drafts = std::move(ordered);
    }

    void follow(const Draft& draft)
    {
        for (const std::uint32_t id : draft.sources) {
            auto& left = m_uses[id];
            if (--left == 0 && !m_liveOut[id])
                m_live.erase(id);
        }
        for (const std::uint32_t id : draft.results) {
            if (counts(id))
                m_live.insert({id, true});
        }
    }

    std::size_t choose(const std::vector<std::uint32_t>& ready, const std::vector<int>& earliest, int cycle) const
    {
        std::size_t best = 0;
        long bestScore = 0;
        bool isFirst = true;
        const std::size_t from = *std::min_element(ready.begin(), ready.end());
        for (std::size_t index = 0; index < ready.size(); ++index) {
            const std::uint32_t at = ready[index];
            if (at - from > m_manner.window)
                continue;
            const Draft& draft = m_block.drafts[at];
            const long wait = std::max(0, earliest[at] - cycle);
            long score = m_height[at] * 4L - std::min(wait, long{kAssumedVariable}) * 16L;
            const int change = pressureOf(draft);
            const long ahead = m_manner.looksAhead ? std::max(change, 0) : 0;
            if (static_cast<long>(m_live.size()) + ahead > static_cast<long>(m_budget))
                score -= 4096L * change;
            score = score * 8192 - static_cast<long>(at);
            if (isFirst || score > bestScore) {
                isFirst = false;
                best = index;
                bestScore = score;
            }
        }
        return best;
    }

    DraftKernel& m_kernel;
    DraftBlock& m_block;
    const ScheduleLatencies& m_latencies;
    const std::vector<bool>& m_liveOut;
    std::size_t m_budget;
    Manner m_manner;
    std::size_t m_size;
    std::vector<std::vector<Edge>> m_edges;
    std::vector<std::uint32_t> m_waiting;
    std::vector<int> m_height;
    std::vector<std::uint32_t> m_version; ///< of each memory access: who wrote its base register in this block
    std::unordered_map<std::uint32_t, std::uint32_t> m_uses;
    std::unordered_map<std::uint32_t, bool> m_live;
};

} // namespace

std::size_t pressureOf(const DraftKernel& kernel, const Liveness& live)
{
    std::size_t most = 0;
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block) {
        std::vector<bool> now = live.out[block];
        std::size_t count = 0;
        const auto counts = [&](std::uint32_t id) {
            return !kernel.registers[id].isPredicate && !kernel.registers[id].isUniform;
        };
        for (std::uint32_t id = 0; id < now.size(); ++id)
            count += now[id] && counts(id) ? 1 : 0;
        most = std::max(most, count);
        const auto& drafts = kernel.blocks[block].drafts;
        for (std::size_t at = drafts.size(); at-- > 0;) {
            for (const std::uint32_t id : drafts[at].results) {
                count -= now[id] && counts(id) && !drafts[at].isGuarded ? 1 : 0;
                now[id] = now[id] && drafts[at].isGuarded;
            }
            for (const std::uint32_t id : drafts[at].sources) {
                count += !now[id] && counts(id) ? 1 : 0;
                now[id] = true;
            }
            most = std::max(most, count);
        }
    }
    return most;
}

void schedule(DraftKernel& kernel, const ScheduleLatencies& latencies, int computeCapability,
              std::uint32_t registerLimit, std::size_t pressure)
{
    const Liveness live = livenessOf(kernel);
    kernel.maxLive = static_cast<std::uint32_t>(pressureOf(kernel, live));
    const std::size_t full = 65536 / threadsOfSm(computeCapability);
    const std::size_t most = registerLimit > kBeyondLive ? registerLimit - kBeyondLive : 1;
    std::vector<DraftBlock> best;
    std::size_t least = SIZE_MAX;
    for (const std::size_t step : kSteps) {
        const bool isLast = step == kSteps.back();
        if ((step < full || step < std::min<std::size_t>(pressure, kernel.maxLive) + kBeyondLive) && !isLast)
            continue;
        const std::size_t budget = std::min(step - kBeyondLive, most);
        // Where choosing freely holds too many values, the next try is more careful.
        for (const Manner& manner : kManners) {
            std::vector<DraftBlock> blocks = kernel.blocks;
            for (std::size_t block = 0; block < blocks.size(); ++block)
                BlockScheduler(kernel, blocks[block], latencies, live.in[block], live.out[block], budget, manner).run();
            std::swap(kernel.blocks, blocks);
            const std::size_t needed = stepOf(pressureOf(kernel, live));
            std::swap(kernel.blocks, blocks);
            if (needed < least || best.empty()) {
                least = needed;
                best = std::move(blocks);
            }
            if (least <= step || isLast || budget == most) {
                kernel.blocks = std::move(best);
                return;
            }
        }
    }
}

} // namespace ridge::gpu::simt
