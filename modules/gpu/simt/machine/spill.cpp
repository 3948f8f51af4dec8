// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/draft.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

constexpr int kRounds = 16;             ///< what is loaded again needs registers, too
constexpr std::uint32_t kNearby = 32;   ///< instructions of a block over which a value that is needed again stays
constexpr std::uint32_t kEarly = 24;    ///< instructions by which a load may stand before who needs it
constexpr std::uint64_t kLoopTurns = 8; ///< assumed: what an instruction in a loop costs
constexpr std::uint64_t kWaitCost = 8;  ///< of a store that has to wait for global memory, in stores

/// Positions [first, end): instructions of all blocks, one after the other.
struct Span {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
};

struct Candidate {
    std::uint32_t id = 0;
    std::vector<Span> gaps;  ///< where it is alive and nothing near touches it
    std::uint64_t freed = 0; ///< positions in them where too many values are alive
    std::uint64_t cost = 0;  ///< stores and loads that it would take, weighted by loops
    bool isBarred = false;
    bool isChosen = false;
};

/// How many values are alive where.
struct Crowd {
    std::vector<std::uint32_t> start; ///< position of the first instruction of each block, and the end
    std::vector<std::uint64_t> weight;
    std::vector<std::uint32_t> alive; ///< at each position, before or after the instruction
};

bool contains(const std::vector<std::uint32_t>& all, std::uint32_t id)
{
    return std::find(all.begin(), all.end(), id) != all.end();
}

bool reads(const Draft& draft, std::uint32_t id)
{
    return contains(draft.sources, id) || (draft.isGuarded && contains(draft.results, id));
}

Crowd crowdOf(const DraftKernel& kernel, const Liveness& live)
{
    Crowd crowd;
    crowd.alive = aliveAt(kernel, live);
    crowd.weight.assign(kernel.blocks.size(), 1);
    crowd.start.push_back(0);
    for (std::uint32_t block = 0; block < kernel.blocks.size(); ++block) {
        crowd.start.push_back(crowd.start.back() + static_cast<std::uint32_t>(kernel.blocks[block].drafts.size()));
        for (const std::uint32_t to : kernel.blocks[block].successors)
            for (std::uint32_t inside = to; inside <= block; ++inside)
                crowd.weight[inside] = std::min<std::uint64_t>(crowd.weight[inside] * kLoopTurns, 1 << 20);
    }
    return crowd;
}

/// One instruction reads it together with another register of its tuple, so that they have to lie side by side.
bool needsTuple(const DraftKernel& kernel, const Draft& draft, std::uint32_t id)
{
    const std::uint32_t tuple = kernel.registers[id].tuple;
    return tuple != kNone && (draft.isGuarded || std::ranges::any_of(kernel.tuples[tuple], [&](std::uint32_t part) {
                                  return part != id && contains(draft.sources, part);
                              }));
}

/// What each value would cost in memory, and what it would free.
class Gaps {
public:
    Gaps(const DraftKernel& kernel, const Liveness& live, const Crowd& crowd, std::uint32_t values)
        : m_kernel(kernel), m_live(live), m_crowd(crowd), m_crowded(crowd.alive.size() + 1, 0),
          m_last(kernel.registers.size(), kNone), candidates(kernel.registers.size())
    {
        for (std::size_t at = 0; at < crowd.alive.size(); ++at)
            m_crowded[at + 1] = m_crowded[at] + (crowd.alive[at] > values ? 1 : 0);
        for (std::uint32_t block = 0; block < kernel.blocks.size(); ++block)
            ofBlock(block);
    }

private:
    void ofBlock(std::uint32_t block)
    {
        const auto& drafts = m_kernel.blocks[block].drafts;
        const std::uint32_t start = m_crowd.start[block], end = m_crowd.start[block + 1];
        for (std::uint32_t at = 0; at < drafts.size(); ++at) {
            for (const std::uint32_t id : drafts[at].sources)
                touch(id, drafts[at], start, start + at, m_crowd.weight[block]);
            for (const std::uint32_t id : drafts[at].results)
                touch(id, drafts[at], start, start + at, m_crowd.weight[block]);
        }
        m_live.forEach(m_live.out[block],
                       [&](std::uint32_t id) { add(id, isHere(id, start) ? m_last[id] + 1 : start, end); });
    }

    bool isHere(std::uint32_t id, std::uint32_t start) const { return m_last[id] != kNone && m_last[id] >= start; }

    void touch(std::uint32_t id, const Draft& draft, std::uint32_t start, std::uint32_t at, std::uint64_t weight)
    {
        if (m_last[id] == at)
            return; // read and written
        Candidate& one = candidates[id];
        const bool isFirst = !isHere(id, start);
        if (reads(draft, id) && (isFirst || at - m_last[id] > kNearby)) {
            add(id, isFirst ? start : m_last[id] + 1, at);
            one.cost += weight;
            one.isBarred = one.isBarred || needsTuple(m_kernel, draft, id);
        }
        if (contains(draft.results, id))
            one.cost += weight * (draft.latency == LatencyClass::GlobalLoad ? kWaitCost : 1);
        m_last[id] = at;
    }

    void add(std::uint32_t id, std::uint32_t first, std::uint32_t end)
    {
        if (first >= end)
            return;
        std::vector<Span>& gaps = candidates[id].gaps;
        if (!gaps.empty() && gaps.back().end == first)
            gaps.back().end = end;
        else
            gaps.push_back({first, end});
        candidates[id].freed += m_crowded[end] - m_crowded[first];
    }

    const DraftKernel& m_kernel;
    const Liveness& m_live;
    const Crowd& m_crowd;
    std::vector<std::uint32_t> m_crowded; ///< positions before this one where too many are alive
    std::vector<std::uint32_t> m_last;    ///< where each register was touched last

public:
    std::vector<Candidate> candidates; ///< of each register
};

bool covers(const Candidate& one, std::uint32_t position)
{
    const auto after = std::upper_bound(one.gaps.begin(), one.gaps.end(), position,
                                        [](std::uint32_t at, const Span& gap) { return at < gap.first; });
    return after != one.gaps.begin() && position < std::prev(after)->end;
}

/// Peak by peak, the value that frees most for what it costs. Takes the chosen out of the crowd.
std::vector<std::uint32_t> victims(const DraftKernel& kernel, const Liveness& live, Crowd& crowd, std::uint32_t values,
                                   const std::vector<bool>& fresh)
{
    std::vector<Candidate> candidates = Gaps(kernel, live, crowd, values).candidates;
    for (std::uint32_t id = 0; id < candidates.size(); ++id)
        candidates[id].id = id;
    std::erase_if(candidates, [&](const Candidate& one) {
        return one.isBarred || one.freed == 0 || fresh[one.id] || !takesRegister(kernel.registers[one.id]);
    });
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.freed * b.cost > b.freed * a.cost; });
    std::vector<std::uint32_t> chosen;
    std::vector<bool> hopeless(crowd.alive.size(), false);
    for (;;) {
        std::uint32_t peak = kNone;
        for (std::uint32_t at = 0; at < crowd.alive.size(); ++at)
            if (crowd.alive[at] > values && !hopeless[at] && (peak == kNone || crowd.alive[at] > crowd.alive[peak]))
                peak = at;
        if (peak == kNone)
            return chosen;
        const auto best = std::find_if(candidates.begin(), candidates.end(),
                                       [&](const Candidate& one) { return !one.isChosen && covers(one, peak); });
        if (best == candidates.end()) {
            hopeless[peak] = true;
            continue;
        }
        best->isChosen = true;
        chosen.push_back(best->id);
        for (const Span& gap : best->gaps)
            for (std::uint32_t at = gap.first; at < gap.end; ++at)
                --crowd.alive[at];
    }
}

Draft localAccess(DraftKernel& kernel, bool isLoad, std::uint32_t id, std::uint32_t covers)
{
    Draft draft;
    draft.mnemonic = mnemonicOf(kernel, isLoad ? "LDL" : "STL");
    draft.pipe = Pipe::Lsu;
    draft.latency = isLoad ? LatencyClass::LocalLoad : LatencyClass::LocalStore;
    draft.readsMemory = isLoad;
    draft.writesMemory = !isLoad;
    draft.space = Space::Local;
    draft.covers = covers;
    (isLoad ? draft.results : draft.sources).push_back(id);
    return draft;
}

/// Stores what is written, and loads it again for who reads it later: where there is room, well before.
class Rewrite {
public:
    Rewrite(DraftKernel& kernel, const std::vector<std::uint32_t>& ids, Crowd& crowd, std::uint32_t values,
            std::vector<bool>& fresh)
        : m_kernel(kernel), m_crowd(crowd), m_values(values), m_fresh(fresh), m_states(kernel.registers.size())
    {
        for (const std::uint32_t id : ids)
            m_states[id].isChosen = m_fresh[id] = true;
    }

    void run()
    {
        for (std::uint32_t block = 0; block < m_kernel.blocks.size(); ++block)
            ofBlock(block);
    }

private:
    struct State {
        bool isChosen = false;
        std::uint32_t block = kNone; ///< in which `here` holds the value
        std::uint32_t here = kNone;
        std::uint32_t touched = 0;
    };
    struct Insertion {
        std::uint32_t before = 0; ///< instruction of the block
        Draft draft;
    };

    void ofBlock(std::uint32_t block)
    {
        auto& drafts = m_kernel.blocks[block].drafts;
        m_insertions.clear();
        for (std::uint32_t at = 0; at < drafts.size(); ++at) {
            std::vector<std::uint32_t> touched;
            for (const auto* ids : {&drafts[at].sources, &drafts[at].results})
                for (const std::uint32_t id : *ids)
                    if (id < m_states.size() && m_states[id].isChosen && !contains(touched, id))
                        touched.push_back(id);
            for (const std::uint32_t id : touched)
                touch(id, block, at);
        }
        if (m_insertions.empty())
            return;
        std::stable_sort(m_insertions.begin(), m_insertions.end(),
                         [](const Insertion& a, const Insertion& b) { return a.before < b.before; });
        std::vector<Draft> made;
        made.reserve(drafts.size() + m_insertions.size());
        auto next = m_insertions.begin();
        for (std::uint32_t at = 0; at <= drafts.size(); ++at) {
            for (; next != m_insertions.end() && next->before == at; ++next)
                made.push_back(std::move(next->draft));
            if (at < drafts.size())
                made.push_back(std::move(drafts[at]));
        }
        drafts = std::move(made);
    }

    void touch(std::uint32_t id, std::uint32_t block, std::uint32_t at)
    {
        Draft& draft = m_kernel.blocks[block].drafts[at];
        State& state = m_states[id];
        const bool wasHere = state.block == block, writes = contains(draft.results, id);
        if (reads(draft, id) && !(wasHere && at - state.touched <= kNearby)) {
            state.here = static_cast<std::uint32_t>(m_kernel.registers.size());
            m_kernel.registers.push_back({});
            m_fresh.push_back(true);
            const std::uint32_t place = early(block, wasHere ? state.touched + 1 : 0, at);
            m_insertions.push_back({place, localAccess(m_kernel, true, state.here, draft.covers)});
        }
        if (reads(draft, id)) {
            std::replace(draft.sources.begin(), draft.sources.end(), id, state.here);
            draft.base = draft.base == id ? state.here : draft.base;
        }
        if (writes && draft.isGuarded)
            std::replace(draft.results.begin(), draft.results.end(), id, state.here);
        else if (writes)
            state.here = id;
        if (writes)
            m_insertions.push_back({at + 1, localAccess(m_kernel, false, state.here, draft.covers)});
        state.block = block;
        state.touched = at;
    }

    /// Where the load stands: as early as there is a register for it.
    std::uint32_t early(std::uint32_t block, std::uint32_t first, std::uint32_t at)
    {
        std::uint32_t place = at;
        const std::uint32_t start = m_crowd.start[block];
        while (place > first && at - place < kEarly && m_crowd.alive[start + place - 1] < m_values &&
               !m_kernel.blocks[block].drafts[place - 1].ordersAll)
            ++m_crowd.alive[start + --place];
        return place;
    }

    DraftKernel& m_kernel;
    Crowd& m_crowd;
    const std::uint32_t m_values;
    std::vector<bool>& m_fresh;
    std::vector<State> m_states; ///< of each register that there was
    std::vector<Insertion> m_insertions;
};

} // namespace

RegisterAllocation allocateWithin(DraftKernel& kernel, std::uint32_t limit)
{
    Liveness live = livenessOf(kernel);
    RegisterAllocation made = Allocator(kernel, live).run(limit);
    if (made.registers <= limit)
        return made;
    const std::uint32_t values = valuesWithin(limit);
    std::vector<bool> fresh(kernel.registers.size(), false); // already moved, or made for it
    std::uint32_t spilled = 0;
    for (int round = 0; round < kRounds; ++round) {
        Crowd crowd = crowdOf(kernel, live);
        const std::vector<std::uint32_t> chosen = victims(kernel, live, crowd, values, fresh);
        if (chosen.empty())
            break;
        Rewrite(kernel, chosen, crowd, values, fresh).run();
        spilled += static_cast<std::uint32_t>(chosen.size());
        live = livenessOf(kernel);
    }
    made = Allocator(kernel, live).run(limit);
    made.spillBytes = spilled * 4;
    // What tuples need beyond the limit ptxas would find by moving them; registers are counted as it would.
    made.registers = std::min(made.registers, limit);
    return made;
}

} // namespace ridge::gpu::simt
