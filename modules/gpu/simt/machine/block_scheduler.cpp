// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/block_scheduler.h"

#include <algorithm>
#include <numeric>

namespace ridge::gpu::simt {

namespace {

/// Cycles a static scheduler assumes for what has no fixed latency: enough to move loads up, not so many that it would
/// empty the register file for them.
constexpr int kAssumedVariable = 32;
/// How many instructions behind the one that is next another may stand that goes in its place.
constexpr std::uint32_t kSoon = 32;
constexpr long kPlaces = 8192; ///< one point of a score outweighs any place in the program

bool mayMeet(const Draft& a, const Draft& b)
{
    if (a.neverWritten || b.neverWritten)
        return false;
    return a.space == b.space || a.space == Space::Generic || b.space == Space::Generic;
}

bool writesTuple(const DraftKernel& kernel, const Draft& draft)
{
    if (draft.isGuarded || draft.results.size() < 2)
        return false;
    const std::uint32_t tuple = kernel.registers[draft.results[0]].tuple;
    return tuple != kNone && std::all_of(draft.results.begin(), draft.results.end(), [&](std::uint32_t id) {
               return kernel.registers[id].tuple == tuple && takesRegister(kernel.registers[id]);
           });
}

} // namespace

/// One order in the making.
struct BlockScheduler::Pick {
    const BlockScheduler& block;
    const Numbering& numbers;
    long budget;
    Manner manner;
    BlockValues& values;
    bool& isTight;

    Order run()
    {
        std::vector<std::uint32_t> waiting = block.m_waiting;
        std::vector<int> earliest(block.m_size, 0);
        prepare();
        for (std::uint32_t at = 0; at < block.m_size; ++at) {
            if (waiting[at] == 0)
                addReady(at);
        }
        Order made;
        made.reserve(block.m_size);
        int cycle = 0;
        while (!ready.empty()) {
            const std::size_t chosen = choose(earliest, cycle);
            const std::uint32_t at = ready[chosen];
            ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(chosen));
            cycle = std::max(cycle, earliest[at]);
            for (const Edge& edge : block.m_edges.of(at)) {
                earliest[edge.to] = std::max(earliest[edge.to], cycle + edge.latency);
                if (--waiting[edge.to] == 0)
                    addReady(edge.to);
            }
            ++cycle;
            follow(at);
            made.push_back(at);
        }
        return made;
    }

    /// What comes first if nobody waits and registers are plenty, first.
    void addReady(std::uint32_t at)
    {
        const auto place = std::upper_bound(ready.begin(), ready.end(), at, [&](std::uint32_t a, std::uint32_t b) {
            return block.m_rank[a] > block.m_rank[b];
        });
        ready.insert(place, at);
    }

    void prepare()
    {
        values.change.assign(block.m_size, 0);
        values.readers.assign(values.uses.size(), 0);
        for (std::uint32_t at = 0; at < block.m_size; ++at) {
            for (const std::uint32_t value : numbers.written.of(at))
                values.change[at] += values.live[value] == 0 ? numbers.parts[value] : 0;
            for (const std::uint32_t value : numbers.read.of(at)) {
                values.change[at] -= diesWith(value) ? numbers.parts[value] : 0;
                values.readers[value] ^= at;
            }
        }
    }

    /// One read is left, and nobody reads it behind the block.
    bool diesWith(std::uint32_t value) const { return values.uses[value] == 1 && numbers.liveOut[value] == 0; }

    void setLive(std::uint32_t value, bool isLive)
    {
        if ((values.live[value] != 0) == isLive)
            return;
        values.live[value] = isLive ? 1 : 0;
        const int change = isLive ? numbers.parts[value] : -numbers.parts[value];
        values.count += change;
        for (const std::uint32_t writer : numbers.writers.of(value))
            values.change[writer] -= change;
    }

    void follow(std::uint32_t at)
    {
        for (const std::uint32_t value : numbers.read.of(at)) {
            values.readers[value] ^= at;
            --values.uses[value];
            if (diesWith(value))
                values.change[values.readers[value]] -= numbers.parts[value];
            else if (values.uses[value] == 0 && numbers.liveOut[value] == 0)
                setLive(value, false);
        }
        for (const std::uint32_t value : numbers.written.of(at))
            setLive(value, true);
    }

    std::size_t choose(const std::vector<int>& earliest, int cycle)
    {
        std::size_t best = 0;
        long bestScore = 0;
        bool isFirst = true;
        const bool isNarrow = manner.window < block.m_size;
        const std::size_t from = isNarrow ? *std::min_element(ready.begin(), ready.end()) : 0;
        const bool isFar = values.count + numbers.mostOfAll <= budget; // the budget cannot decide anything
        for (std::size_t index = 0; index < ready.size(); ++index) {
            const std::uint32_t at = ready[index];
            if (!isFirst && isFar && block.m_rank[at] <= bestScore)
                break; // nor can any that follows
            if (isNarrow && at - from > manner.window)
                continue;
            const int wait = std::clamp(earliest[at] - cycle, 0, kAssumedLoad);
            long score = block.m_rank[at] - wait * (16L * kPlaces);
            // What an instruction leaves alive decides only near the budget.
            if (!manner.inTurn && values.count + numbers.mostMore[at] > budget) {
                const int change = values.change[at];
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
        if (manner.inTurn && values.count + std::max(values.change[ready[best]], 0) > budget) {
            isTight = true;
            return inTurn(earliest, cycle);
        }
        return best;
    }

    /// What the program has next, or, where that waits, what it has soon and can go on with the registers there are.
    std::size_t inTurn(const std::vector<int>& earliest, int cycle) const
    {
        const auto next = std::min_element(ready.begin(), ready.end());
        const auto instead = std::find_if(ready.begin(), ready.end(), [&](std::uint32_t at) {
            return at - *next < kSoon && earliest[at] <= cycle && values.change[at] <= 0;
        });
        const bool waits = earliest[*next] > cycle && instead != ready.end();
        return static_cast<std::size_t>((waits ? instead : next) - ready.begin());
    }

    std::vector<std::uint32_t> ready{}; ///< by rank
};

BlockScheduler::BlockScheduler(DraftKernel& kernel, std::size_t block, const ScheduleLatencies& latencies,
                               int computeCapability, const Liveness& live, Notes& first, Notes& second)
    : m_latencies(latencies), m_capability(computeCapability), m_drafts(std::move(kernel.blocks[block].drafts)),
      m_size(m_drafts.size())
{
    kernel.blocks[block].drafts.resize(m_size);
    const bool writesTuples =
        std::any_of(m_drafts.begin(), m_drafts.end(), [&](const Draft& draft) { return writesTuple(kernel, draft); });
    for (const bool byTuples : {false, true}) {
        first.forget();
        if (!byTuples || writesTuples)
            m_numberings.emplace_back(kernel, m_drafts, block, live, first, byTuples);
    }
    first.forget();
    second.forget();
    build(first, second);
    measure();
}

const Order& BlockScheduler::order(std::size_t budget, Manner manner, BlockValues& values, bool& isTight)
{
    manner.byTuples = manner.byTuples && hasTuples();
    Loose& loose = m_loose[(manner.window < m_size ? 1u : 0u) + (manner.byTuples ? 2u : 0u)];
    if (budget >= loose.budget)
        return loose.order;
    bool isTightHere = false;
    Order made(m_size);
    if (m_size < 3) {
        std::iota(made.begin(), made.end(), 0);
    } else {
        const Numbering& numbers = m_numberings[manner.byTuples ? 1 : 0];
        values.uses = numbers.uses;
        values.live = numbers.liveIn;
        values.count = std::count(numbers.liveIn.begin(), numbers.liveIn.end(), 1);
        made = Pick{*this, numbers, static_cast<long>(budget), manner, values, isTightHere}.run();
    }
    isTight = isTight || isTightHere;
    Loose& kept = isTightHere ? m_tight : loose;
    kept = {budget, std::move(made)};
    return kept.order;
}

void BlockScheduler::lend(const Order& order, DraftBlock& block)
{
    for (std::size_t at = 0; at < m_size; ++at)
        block.drafts[at] = std::move(m_drafts[order[at]]);
}
void BlockScheduler::takeBack(const Order& order, DraftBlock& block)
{
    for (std::size_t at = 0; at < m_size; ++at)
        m_drafts[order[at]] = std::move(block.drafts[at]);
}

int BlockScheduler::latencyOf(const Draft& draft) const
{
    if (!isFixedLatency(draft.latency))
        return isLoad(draft) ? kAssumedLoad : kAssumedVariable;
    return std::max<int>(1, m_latencies.cycles[static_cast<std::size_t>(draft.latency)]);
}

void BlockScheduler::edge(std::uint32_t from, std::uint32_t to, int latency)
{
    if (from == to)
        return;
    m_found.push_back({from, {to, latency}});
    ++m_waiting[to];
}

void BlockScheduler::build(Notes& writer, Notes& lastReader)
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
                edge(from, at, resultDistance(m_drafts[from], draft, id, latencyOf(m_drafts[from]), m_capability));
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
        if (clock != kNone)
            edge(clock, at, 0);
        if (draft.isTerminator || draft.ordersAll) {
            for (std::uint32_t before = clock == kNone ? 0 : clock + 1; before < at; ++before)
                edge(before, at, 0);
        }
        clock = draft.ordersAll ? at : clock;
    }
    m_edges = gathered<Edge>(m_size, [&](const auto& take) {
        for (const Found& found : m_found)
            take(found.from, found.edge);
    });
    m_found = {};
}

void BlockScheduler::orderMemory(std::uint32_t at, const Draft& draft, std::vector<std::uint32_t>& memory,
                                 std::uint32_t& fence)
{
    const bool touches = draft.readsMemory || draft.writesMemory;
    if (!touches && !draft.ordersMemory)
        return;
    if (fence != kNone)
        edge(fence, at, 1);
    for (const std::uint32_t before : memory) {
        const Draft& other = m_drafts[before];
        const bool meet = mayMeet(draft, other) && !apart(at, before);
        const bool inTurn = draft.latency == LatencyClass::Wgmma && other.latency == LatencyClass::Wgmma;
        if (draft.ordersMemory || inTurn || (meet && (draft.writesMemory || other.writesMemory)))
            edge(before, at, 0);
    }
    if (draft.ordersMemory) {
        memory.clear();
        fence = at;
    } else {
        memory.push_back(at);
    }
}

/// One base register with one value, and offsets that do not touch.
bool BlockScheduler::apart(std::uint32_t a, std::uint32_t b) const
{
    const Draft& first = m_drafts[a];
    const Draft& second = m_drafts[b];
    return first.base == second.base && first.space == second.space && m_version[a] == m_version[b] &&
           first.bytes != 0 && second.bytes != 0 &&
           (first.offset + first.bytes <= second.offset || second.offset + second.bytes <= first.offset);
}

/// Instructions far from the end of the block go first, then those that the program has first.
void BlockScheduler::measure()
{
    std::vector<int> height(m_size, 0); // longest way to the end
    m_rank.resize(m_size);
    for (std::size_t at = m_size; at-- > 0;) {
        for (const Edge& edge : m_edges.of(at))
            height[at] = std::max(height[at], height[edge.to] + edge.latency);
        m_rank[at] = height[at] * 4L * kPlaces - static_cast<long>(at);
    }
}

Numbering::Numbering(const DraftKernel& kernel, const std::vector<Draft>& drafts, std::size_t block,
                     const Liveness& live, Notes& current, bool byTuples)
{
    const auto fresh = [&](std::uint32_t id, bool isLive) {
        uses.push_back(0);
        parts.push_back(1);
        liveIn.push_back(isLive ? 1 : 0);
        liveOut.push_back(0);
        current.set(id, static_cast<std::uint32_t>(uses.size() - 1));
    };
    live.forEach(live.in[block], [&](std::uint32_t id) {
        if (takesRegister(kernel.registers[id]))
            fresh(id, true);
    });
    for (const Draft& draft : drafts) {
        for (const std::uint32_t id : draft.sources) {
            if (!takesRegister(kernel.registers[id]))
                continue;
            if (current.get(id) == kNone)
                fresh(id, false);
            const auto before = read.open();
            if (std::find(before.begin(), before.end(), current.get(id)) != before.end())
                continue;
            read.items.push_back(current.get(id));
            ++uses[current.get(id)];
        }
        const bool isTuple = byTuples && writesTuple(kernel, draft);
        for (const std::uint32_t id : draft.results) {
            if (!takesRegister(kernel.registers[id]))
                continue;
            if (isTuple && id != draft.results[0]) {
                current.set(id, current.get(draft.results[0]));
                ++parts[current.get(id)];
                continue;
            }
            if (!draft.isGuarded || current.get(id) == kNone)
                fresh(id, false);
            written.items.push_back(current.get(id));
        }
        read.close();
        written.close();
    }
    live.forEach(live.out[block], [&](std::uint32_t id) {
        if (const std::uint32_t value = current.get(id); value != kNone)
            liveOut[value] = 1;
    });
    writers = gathered<std::uint32_t>(uses.size(), [&](const auto& take) {
        for (std::uint32_t at = 0; at < drafts.size(); ++at)
            for (const std::uint32_t value : written.of(at))
                take(value, at);
    });
    mostMore.resize(drafts.size());
    for (std::size_t at = 0; at < drafts.size(); ++at) {
        for (const std::uint32_t value : written.of(at))
            mostMore[at] += parts[value];
        mostOfAll = std::max(mostOfAll, mostMore[at]);
    }
}

} // namespace ridge::gpu::simt
