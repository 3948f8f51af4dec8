// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/draft.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

namespace ridge::gpu::simt {

namespace {

/// Cycles a static scheduler assumes for what has no fixed latency: enough to move loads up, not so many that it would
/// empty the register file for them.
constexpr int kAssumedVariable = 32;
/// The same for what comes from memory: whoever waits for it stands behind every load that does not have to.
constexpr int kAssumedLoad = 300;
/// Registers that ptxas holds beyond the values that are live: the stack pointer, two reserved ones, and what keeps a
/// load's address and result apart. It decides from which occupancy on an order is looked for. Fitted on the
/// development half of the corpus (docs/validation.md).
constexpr std::size_t kBeyondLive = 8;
/// Registers that the order may leave over at least and at most, so that what is allocated fits.
constexpr std::size_t kLeastSlack = 2, kMostSlack = 12;

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

bool isLoad(const Draft& draft)
{
    return draft.latency == LatencyClass::GlobalLoad || draft.latency == LatencyClass::LocalLoad ||
           draft.latency == LatencyClass::GlobalAtomic;
}

/// What is alive and how often it will still be read, of each value of a block: a register that is written anew holds
/// another value.
struct Values {
    std::vector<std::uint32_t> uses;
    std::vector<bool> live;
    long count = 0;
};

/// The values of one draft.
struct Touched {
    std::vector<std::uint32_t> read;
    std::vector<std::uint32_t> written;
};

using Order = std::vector<std::uint32_t>; ///< of a block's instructions

/// Holds a block's instructions as the program has them, and what has to stand before what.
class BlockScheduler {
public:
    BlockScheduler(const DraftKernel& kernel, std::size_t block, const ScheduleLatencies& latencies,
                   const Liveness& live)
        : m_latencies(latencies), m_drafts(kernel.blocks[block].drafts), m_size(m_drafts.size())
    {
        number(kernel, block, live);
        build();
        measure();
    }

    /// `isTight`: the budget decided something.
    Order order(std::size_t budget, Manner manner, Values& values, bool& isTight) const
    {
        Order made(m_size);
        std::iota(made.begin(), made.end(), 0);
        if (m_size < 3)
            return made;
        values.uses = m_uses;
        values.live = m_liveIn;
        values.count = std::count(m_liveIn.begin(), m_liveIn.end(), true);
        made = Pick{*this, budget, manner, values, isTight}.run();
        return made;
    }

    /// Lends the instructions to `block` in this order; takeBack with the same order returns them.
    void lend(const Order& order, DraftBlock& block)
    {
        for (std::size_t at = 0; at < m_size; ++at)
            block.drafts[at] = std::move(m_drafts[order[at]]);
    }
    void takeBack(const Order& order, DraftBlock& block)
    {
        for (std::size_t at = 0; at < m_size; ++at)
            m_drafts[order[at]] = std::move(block.drafts[at]);
    }

private:
    int latencyOf(const Draft& draft) const
    {
        if (!isFixedLatency(draft.latency))
            return isLoad(draft) ? kAssumedLoad : kAssumedVariable;
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
            const Draft& draft = m_drafts[at];
            for (const std::uint32_t id : draft.sources) {
                if (const auto found = writer.find(id); found != writer.end())
                    edge(found->second, at, latencyOf(m_drafts[found->second]));
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
            const Draft& other = m_drafts[before];
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
        const Draft& first = m_drafts[a];
        const Draft& second = m_drafts[b];
        return first.base == second.base && first.space == second.space && m_version[a] == m_version[b] &&
               first.bytes != 0 && second.bytes != 0 &&
               (first.offset + first.bytes <= second.offset || second.offset + second.bytes <= first.offset);
    }

    /// Longest way to the end of the block.
    void measure()
    {
        m_height.assign(m_size, 0);
        for (std::size_t at = m_size; at-- > 0;) {
            for (const Edge& edge : m_edges[at])
                m_height[at] = std::max(m_height[at], m_height[edge.to] + edge.latency);
        }
    }

    /// A number for each value, in the order of the program; those that take no register of a thread have none.
    void number(const DraftKernel& kernel, std::size_t block, const Liveness& live)
    {
        std::unordered_map<std::uint32_t, std::uint32_t> current;
        const auto fresh = [&](bool isLive) {
            m_uses.push_back(0);
            m_liveIn.push_back(isLive);
            m_liveOut.push_back(false);
            return static_cast<std::uint32_t>(m_uses.size() - 1);
        };
        live.forEach(live.in[block], [&](std::uint32_t id) {
            if (takesRegister(kernel.registers[id]))
                current[id] = fresh(true);
        });
        m_touched.resize(m_size);
        for (std::size_t at = 0; at < m_size; ++at) {
            for (const std::uint32_t id : m_drafts[at].sources) {
                if (!takesRegister(kernel.registers[id]))
                    continue;
                if (!current.contains(id))
                    current[id] = fresh(false);
                m_touched[at].read.push_back(current[id]);
                ++m_uses[current[id]];
            }
            for (const std::uint32_t id : m_drafts[at].results) {
                if (!takesRegister(kernel.registers[id]))
                    continue;
                if (!m_drafts[at].isGuarded || !current.contains(id))
                    current[id] = fresh(false);
                m_touched[at].written.push_back(current[id]);
            }
        }
        live.forEach(live.out[block], [&](std::uint32_t id) {
            if (const auto found = current.find(id); found != current.end())
                m_liveOut[found->second] = true;
        });
    }

    /// One order in the making.
    struct Pick {
        const BlockScheduler& block;
        std::size_t budget;
        Manner manner;
        Values& values;
        bool& isTight;

        Order run()
        {
            std::vector<std::uint32_t> ready, waiting = block.m_waiting;
            std::vector<int> earliest(block.m_size, 0);
            for (std::uint32_t at = 0; at < block.m_size; ++at) {
                if (waiting[at] == 0)
                    ready.push_back(at);
            }
            Order made;
            made.reserve(block.m_size);
            int cycle = 0;
            while (!ready.empty()) {
                const std::size_t chosen = choose(ready, earliest, cycle);
                const std::uint32_t at = ready[chosen];
                ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(chosen));
                cycle = std::max(cycle, earliest[at]);
                for (const Edge& edge : block.m_edges[at]) {
                    earliest[edge.to] = std::max(earliest[edge.to], cycle + edge.latency);
                    if (--waiting[edge.to] == 0)
                        ready.push_back(edge.to);
                }
                ++cycle;
                follow(block.m_touched[at]);
                made.push_back(at);
            }
            return made;
        }

        /// Registers that become live minus those that die.
        int pressureOf(const Touched& touched) const
        {
            int change = 0;
            for (const std::uint32_t value : touched.written)
                change += !values.live[value] ? 1 : 0;
            for (const std::uint32_t value : touched.read)
                change -= values.uses[value] == 1 && !block.m_liveOut[value] ? 1 : 0;
            return change;
        }

        void follow(const Touched& touched)
        {
            for (const std::uint32_t value : touched.read) {
                if (--values.uses[value] == 0 && !block.m_liveOut[value] && values.live[value]) {
                    values.live[value] = false;
                    --values.count;
                }
            }
            for (const std::uint32_t value : touched.written) {
                values.count += values.live[value] ? 0 : 1;
                values.live[value] = true;
            }
        }

        std::size_t choose(const std::vector<std::uint32_t>& ready, const std::vector<int>& earliest, int cycle)
        {
            std::size_t best = 0;
            long bestScore = 0;
            bool isFirst = true;
            const std::size_t from = *std::min_element(ready.begin(), ready.end());
            for (std::size_t index = 0; index < ready.size(); ++index) {
                const std::uint32_t at = ready[index];
                if (at - from > manner.window)
                    continue;
                const long wait = std::max(0, earliest[at] - cycle);
                long score = block.m_height[at] * 4L - std::min(wait, long{kAssumedLoad}) * 16L;
                const int change = pressureOf(block.m_touched[at]);
                const long most = static_cast<long>(budget), ahead = values.count + std::max(change, 0);
                isTight = isTight || ahead > most;
                if ((manner.looksAhead ? ahead : values.count) > most)
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
    };

    const ScheduleLatencies& m_latencies;
    std::vector<std::uint32_t> m_uses; ///< of each value
    std::vector<bool> m_liveIn;        ///< of each value
    std::vector<bool> m_liveOut;
    std::vector<Touched> m_touched; ///< of each instruction
    std::vector<Draft> m_drafts;
    std::size_t m_size;
    std::vector<std::vector<Edge>> m_edges;
    std::vector<std::uint32_t> m_waiting;
    std::vector<int> m_height;
    std::vector<std::uint32_t> m_version; ///< of each memory access: who wrote its base register in this block
};

} // namespace

/// Cycles that one warp takes for the blocks, each once, where what comes from memory takes long.
long timeOf(const DraftKernel& kernel, const ScheduleLatencies& latencies)
{
    long total = 0;
    for (const DraftBlock& block : kernel.blocks) {
        std::unordered_map<std::uint32_t, long> ready;
        long now = 0;
        for (const Draft& draft : block.drafts) {
            for (const std::uint32_t id : draft.sources)
                if (const auto found = ready.find(id); found != ready.end())
                    now = std::max(now, found->second);
            const int latency = isLoad(draft) ? kAssumedLoad
                                : !isFixedLatency(draft.latency)
                                    ? 30
                                    : latencies.cycles[static_cast<std::size_t>(draft.latency)];
            for (const std::uint32_t id : draft.results)
                ready[id] = now + latency;
            ++now;
        }
        total += now;
    }
    return total;
}

void schedule(DraftKernel& kernel, const ScheduleLatencies& latencies, int computeCapability,
              std::uint32_t registerLimit, std::size_t pressure)
{
    const Liveness live = livenessOf(kernel);
    kernel.maxLive = static_cast<std::uint32_t>(pressureOf(kernel, live));
    const std::size_t full = 65536 / threadsOfSm(computeCapability) / 8 * 8; // registers are handed out by eights
    Allocator allocator(kernel, live);
    std::vector<BlockScheduler> blocks;
    blocks.reserve(kernel.blocks.size());
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block)
        blocks.emplace_back(kernel, block, latencies, live);
    Values values;
    std::vector<Order> orders(blocks.size()), best, least;
    std::size_t leastRegisters = SIZE_MAX;
    const auto lend = [&](const std::vector<Order>& all) {
        for (std::size_t block = 0; block < blocks.size(); ++block)
            blocks[block].lend(all[block], kernel.blocks[block]);
    };
    for (const std::size_t step : kSteps) {
        const bool isLast = step == kSteps.back();
        if ((step < full || step < std::min<std::size_t>(pressure, kernel.maxLive) + kBeyondLive) && !isLast)
            continue;
        const std::size_t most = std::min<std::size_t>(step, registerLimit);
        long bestTime = 0;
        bool isTight = true; // else every manner makes the same
        for (std::size_t manner = 0; manner < kManners.size() && isTight; ++manner) {
            for (std::size_t slack = kLeastSlack; slack <= kMostSlack;) {
                isTight = false;
                for (std::size_t block = 0; block < blocks.size(); ++block)
                    orders[block] =
                        blocks[block].order(most > slack ? most - slack : 1, kManners[manner], values, isTight);
                lend(orders);
                const std::size_t used = allocator.run().registers;
                const long time = used > most ? 0 : timeOf(kernel, latencies);
                for (std::size_t block = 0; block < blocks.size(); ++block)
                    blocks[block].takeBack(orders[block], kernel.blocks[block]);
                if (used < leastRegisters) {
                    leastRegisters = used;
                    least = orders;
                }
                if (used > most) {
                    slack += std::max<std::size_t>(1, (used - most) / 2);
                    continue;
                }
                if (best.empty() || time < bestTime) {
                    best = orders;
                    bestTime = time;
                }
                break; // with fewer registers it would wait more often
            }
        }
        if (!best.empty() || isLast || most == registerLimit)
            break;
    }
    lend(best.empty() ? least : best);
}

} // namespace ridge::gpu::simt
