// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/draft.h"
#include "gpu/simt/machine/lists.h"

#include <algorithm>
#include <array>
#include <numeric>

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

constexpr long kPlaces = 8192; ///< one point of a score outweighs any place in the program

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
    std::vector<std::uint8_t> live;
    long count = 0;
};

using Order = std::vector<std::uint32_t>; ///< of a block's instructions

/// Holds a block's instructions as the program has them, and what has to stand before what.
class BlockScheduler {
public:
    /// Takes the block's instructions. `first` and `second` are any notes about its registers.
    BlockScheduler(DraftKernel& kernel, std::size_t block, const ScheduleLatencies& latencies, const Liveness& live,
                   Notes& first, Notes& second)
        : m_latencies(latencies), m_drafts(std::move(kernel.blocks[block].drafts)), m_size(m_drafts.size())
    {
        kernel.blocks[block].drafts.resize(m_size);
        first.forget();
        number(kernel, block, live, first);
        first.forget();
        second.forget();
        build(first, second);
        measure();
    }

    /// `isTight`: the budget decided something. Where it did not, a larger one makes the same order.
    const Order& order(std::size_t budget, Manner manner, Values& values, bool& isTight)
    {
        Loose& loose = m_loose[manner.window < m_size ? 1 : 0];
        if (budget >= loose.budget)
            return loose.order;
        bool isTightHere = false;
        Order made(m_size);
        if (m_size < 3) {
            std::iota(made.begin(), made.end(), 0);
        } else {
            values.uses = m_uses;
            values.live = m_liveIn;
            values.count = std::count(m_liveIn.begin(), m_liveIn.end(), 1);
            made = Pick{*this, static_cast<long>(budget), manner, values, isTightHere}.run();
        }
        isTight = isTight || isTightHere;
        Loose& kept = isTightHere ? m_tight : loose;
        kept = {budget, std::move(made)};
        return kept.order;
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

    struct Found {
        std::uint32_t from = 0;
        Edge edge;
    };

    void edge(std::uint32_t from, std::uint32_t to, int latency)
    {
        if (from == to)
            return;
        m_found.push_back({from, {to, latency}});
        ++m_waiting[to];
    }

    void build(Notes& writer, Notes& lastReader)
    {
        struct Reader {
            std::uint32_t at = 0;
            std::uint32_t before = kNone; ///< the reader of the same register before this one
        };
        m_waiting.assign(m_size, 0);
        std::vector<Reader> readers;
        m_version.assign(m_size, kNone);
        std::vector<std::uint32_t> memory; // since the last fence
        std::uint32_t fence = kNone;
        std::uint32_t clock = kNone;
        for (std::uint32_t at = 0; at < m_size; ++at) {
            const Draft& draft = m_drafts[at];
            for (const std::uint32_t id : draft.sources) {
                if (const std::uint32_t from = writer.get(id); from != kNone)
                    edge(from, at, latencyOf(m_drafts[from]));
                readers.push_back({at, lastReader.get(id)});
                lastReader.set(id, static_cast<std::uint32_t>(readers.size() - 1));
            }
            if (draft.base != kNone)
                m_version[at] = writer.get(draft.base);
            for (const std::uint32_t id : draft.results) {
                if (const std::uint32_t from = writer.get(id); from != kNone)
                    edge(from, at, 1);
                for (std::uint32_t reader = lastReader.get(id); reader != kNone; reader = readers[reader].before)
                    edge(readers[reader].at, at, 0);
                lastReader.set(id, kNone);
                writer.set(id, at);
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
        sortEdges();
    }

    /// By where they begin, else in the order in which they were found.
    void sortEdges()
    {
        m_edges.first.assign(m_size + 1, 0);
        for (const Found& found : m_found)
            ++m_edges.first[found.from + 1];
        std::partial_sum(m_edges.first.begin(), m_edges.first.end(), m_edges.first.begin());
        std::vector<std::uint32_t> next(m_edges.first.begin(), m_edges.first.end() - 1);
        m_edges.items.resize(m_found.size());
        for (const Found& found : m_found)
            m_edges.items[next[found.from]++] = found.edge;
        m_found = {};
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

    /// Instructions far from the end of the block go first, then those that the program has first.
    void measure()
    {
        std::vector<int> height(m_size, 0); // longest way to the end
        m_rank.resize(m_size);
        m_mostMore.resize(m_size);
        for (std::size_t at = m_size; at-- > 0;) {
            for (const Edge& edge : m_edges.of(at))
                height[at] = std::max(height[at], height[edge.to] + edge.latency);
            m_rank[at] = height[at] * 4L * kPlaces - static_cast<long>(at);
            m_mostMore[at] = static_cast<long>(m_written.of(at).size());
        }
    }

    /// A number for each value, in the order of the program; those that take no register of a thread have none.
    void number(const DraftKernel& kernel, std::size_t block, const Liveness& live, Notes& current)
    {
        const auto fresh = [&](std::uint32_t id, bool isLive) {
            m_uses.push_back(0);
            m_liveIn.push_back(isLive ? 1 : 0);
            m_liveOut.push_back(0);
            current.set(id, static_cast<std::uint32_t>(m_uses.size() - 1));
        };
        live.forEach(live.in[block], [&](std::uint32_t id) {
            if (takesRegister(kernel.registers[id]))
                fresh(id, true);
        });
        for (const Draft& draft : m_drafts) {
            for (const std::uint32_t id : draft.sources) {
                if (!takesRegister(kernel.registers[id]))
                    continue;
                if (current.get(id) == kNone)
                    fresh(id, false);
                m_read.items.push_back(current.get(id));
                ++m_uses[current.get(id)];
            }
            for (const std::uint32_t id : draft.results) {
                if (!takesRegister(kernel.registers[id]))
                    continue;
                if (!draft.isGuarded || current.get(id) == kNone)
                    fresh(id, false);
                m_written.items.push_back(current.get(id));
            }
            m_read.close();
            m_written.close();
        }
        live.forEach(live.out[block], [&](std::uint32_t id) {
            if (const std::uint32_t value = current.get(id); value != kNone)
                m_liveOut[value] = 1;
        });
    }

    /// One order in the making.
    struct Pick {
        const BlockScheduler& block;
        long budget;
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
                for (const Edge& edge : block.m_edges.of(at)) {
                    earliest[edge.to] = std::max(earliest[edge.to], cycle + edge.latency);
                    if (--waiting[edge.to] == 0)
                        ready.push_back(edge.to);
                }
                ++cycle;
                follow(at);
                made.push_back(at);
            }
            return made;
        }

        /// Registers that become live minus those that die.
        int pressureOf(std::uint32_t at) const
        {
            int change = 0;
            for (const std::uint32_t value : block.m_written.of(at))
                change += values.live[value] == 0 ? 1 : 0;
            for (const std::uint32_t value : block.m_read.of(at))
                change -= values.uses[value] == 1 && block.m_liveOut[value] == 0 ? 1 : 0;
            return change;
        }

        void follow(std::uint32_t at)
        {
            for (const std::uint32_t value : block.m_read.of(at)) {
                if (--values.uses[value] == 0 && block.m_liveOut[value] == 0 && values.live[value] != 0) {
                    values.live[value] = 0;
                    --values.count;
                }
            }
            for (const std::uint32_t value : block.m_written.of(at)) {
                values.count += values.live[value] != 0 ? 0 : 1;
                values.live[value] = 1;
            }
        }

        std::size_t choose(const std::vector<std::uint32_t>& ready, const std::vector<int>& earliest, int cycle)
        {
            std::size_t best = 0;
            long bestScore = 0;
            bool isFirst = true;
            const bool isNarrow = manner.window < block.m_size;
            const std::size_t from = isNarrow ? *std::min_element(ready.begin(), ready.end()) : 0;
            for (std::size_t index = 0; index < ready.size(); ++index) {
                const std::uint32_t at = ready[index];
                if (isNarrow && at - from > manner.window)
                    continue;
                const int wait = std::clamp(earliest[at] - cycle, 0, kAssumedLoad);
                long score = block.m_rank[at] - wait * (16L * kPlaces);
                // What an instruction leaves alive decides only near the budget.
                if (values.count + block.m_mostMore[at] > budget) {
                    const int change = pressureOf(at);
                    const long ahead = values.count + std::max(change, 0);
                    isTight = isTight || ahead > budget;
                    if ((manner.looksAhead ? ahead : values.count) > budget)
                        score -= 4096L * kPlaces * change;
                }
                if (isFirst || score > bestScore) {
                    isFirst = false;
                    best = index;
                    bestScore = score;
                }
            }
            return best;
        }
    };

    /// An order that a budget did not influence.
    struct Loose {
        std::size_t budget = SIZE_MAX;
        Order order;
    };

    const ScheduleLatencies& m_latencies;
    std::vector<std::uint32_t> m_uses;             ///< of each value
    std::vector<std::uint8_t> m_liveIn, m_liveOut; ///< of each value
    Lists<std::uint32_t> m_read, m_written;        ///< values, of each instruction
    std::vector<Draft> m_drafts;
    std::size_t m_size;
    std::vector<Found> m_found;
    Lists<Edge> m_edges;
    std::array<Loose, 2> m_loose; ///< whole blocks; through a window
    Loose m_tight;                ///< the last that the budget did influence
    std::vector<std::uint32_t> m_waiting;
    std::vector<long> m_rank, m_mostMore; ///< of each instruction: place among others; values it adds at most
    std::vector<std::uint32_t> m_version; ///< of each memory access: who wrote its base register in this block
};

} // namespace

/// Cycles that one warp takes for the blocks, each once, where what comes from memory takes long.
long timeOf(const DraftKernel& kernel, const ScheduleLatencies& latencies)
{
    long total = 0;
    Notes written(kernel.registers.size()); // where in `ready`
    std::vector<long> ready;
    for (const DraftBlock& block : kernel.blocks) {
        written.forget();
        ready.clear();
        long now = 0;
        for (const Draft& draft : block.drafts) {
            for (const std::uint32_t id : draft.sources)
                if (const std::uint32_t at = written.get(id); at != kNone)
                    now = std::max(now, ready[at]);
            const int latency = isLoad(draft) ? kAssumedLoad
                                : !isFixedLatency(draft.latency)
                                    ? 30
                                    : latencies.cycles[static_cast<std::size_t>(draft.latency)];
            for (const std::uint32_t id : draft.results) {
                written.set(id, static_cast<std::uint32_t>(ready.size()));
                ready.push_back(now + latency);
            }
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
    Notes first(kernel.registers.size()), second(kernel.registers.size());
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block)
        blocks.emplace_back(kernel, block, latencies, live, first, second);
    Values values;
    std::vector<Order> orders(blocks.size()), best, least, last;
    std::size_t used = 0; // by `last`
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
                if (orders != last) {
                    used = allocator.run().registers;
                    last = orders;
                }
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
