// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/draft.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

constexpr int kRounds = 12;         ///< over whole blocks
constexpr int kStraightRounds = 48; ///< more of them in straight code, a peak each
constexpr std::size_t kNearby = 32; ///< instructions of straight code over which a value that was loaded again stays

struct Candidate {
    std::uint32_t id = 0;
    std::uint64_t span = 0; ///< instructions over which it is live
    std::uint32_t touches = 0;
};

bool maySpill(const VirtualRegister& info)
{
    return !info.isPredicate && !info.isUniform && info.tuple == kNone;
}

/// Whole blocks over which each value is live, and how often it is touched.
std::vector<Candidate> livesThrough(const DraftKernel& kernel, const Liveness& live)
{
    std::vector<Candidate> candidates(kernel.registers.size());
    for (std::uint32_t id = 0; id < candidates.size(); ++id)
        candidates[id].id = id;
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block) {
        const auto& drafts = kernel.blocks[block].drafts;
        for (std::uint32_t id = 0; id < candidates.size(); ++id)
            candidates[id].span += live.in[block][id] && live.out[block][id] ? drafts.size() : 0;
        for (const Draft& draft : drafts) {
            for (const std::uint32_t id : draft.sources)
                ++candidates[id].touches;
            for (const std::uint32_t id : draft.results)
                ++candidates[id].touches;
        }
    }
    return candidates;
}

/// In straight code: the spans of the values that are alive where most are, in the block where most are.
void keepThoseAtThePeak(const DraftKernel& kernel, const Liveness& live, std::vector<Candidate>& candidates)
{
    constexpr std::uint64_t shortest = 16; ///< instructions for which a register is worth a store and a load
    std::uint64_t most = 0;
    std::vector<std::uint64_t> spans(candidates.size(), 0);
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block) {
        const auto& drafts = kernel.blocks[block].drafts;
        const std::vector<bool>&in = live.in[block], &out = live.out[block];
        std::vector<std::size_t> first(in.size(), drafts.size()), last(in.size(), 0);
        for (std::size_t at = 0; at < drafts.size(); ++at) {
            for (const auto* touched : {&drafts[at].sources, &drafts[at].results}) {
                for (const std::uint32_t id : *touched) {
                    first[id] = std::min(first[id], at);
                    last[id] = at;
                }
            }
        }
        std::vector<std::int64_t> change(drafts.size() + 1, 0);
        for (std::size_t id = 0; id < in.size(); ++id) {
            first[id] = in[id] ? 0 : first[id];
            last[id] = out[id] ? drafts.size() : last[id];
            if (first[id] < last[id]) {
                ++change[first[id]];
                --change[last[id]];
            }
        }
        std::int64_t alive = 0;
        std::size_t peak = 0;
        std::uint64_t here = 0;
        for (std::size_t at = 0; at < drafts.size(); ++at) {
            alive += change[at];
            if (static_cast<std::uint64_t>(alive) > here) {
                here = static_cast<std::uint64_t>(alive);
                peak = at;
            }
        }
        if (here <= most)
            continue;
        most = here;
        for (std::size_t id = 0; id < in.size(); ++id) {
            const bool covers = first[id] <= peak && peak < last[id] && last[id] - first[id] >= shortest;
            spans[id] = covers ? last[id] - first[id] : 0;
        }
    }
    for (std::size_t id = 0; id < candidates.size(); ++id)
        candidates[id].span = spans[id];
}

/// The values that keep a register for long and are touched rarely: over whole blocks, or (`inside`) in straight code.
std::vector<std::uint32_t> victims(const DraftKernel& kernel, std::size_t count, const std::vector<bool>& fresh,
                                   bool inside)
{
    const Liveness live = livenessOf(kernel);
    std::vector<Candidate> candidates = livesThrough(kernel, live);
    if (inside)
        keepThoseAtThePeak(kernel, live, candidates);
    std::erase_if(candidates, [&](const Candidate& one) {
        return one.touches == 0 || one.span == 0 || !maySpill(kernel.registers[one.id]) || fresh[one.id];
    });
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.span * b.touches > b.span * a.touches; });
    std::vector<std::uint32_t> chosen;
    for (std::size_t at = 0; at < std::min(count, candidates.size()); ++at)
        chosen.push_back(candidates[at].id);
    return chosen;
}

std::uint16_t mnemonicOf(DraftKernel& kernel, std::string_view name)
{
    const auto found = std::find(kernel.mnemonics.begin(), kernel.mnemonics.end(), name);
    if (found == kernel.mnemonics.end())
        kernel.mnemonics.emplace_back(name);
    return static_cast<std::uint16_t>(std::find(kernel.mnemonics.begin(), kernel.mnemonics.end(), name) -
                                      kernel.mnemonics.begin());
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

/// Every read of `id` loads it into a register of its own, every write stores it; touches that lie within `window`
/// instructions of each other share the register.
void rewrite(DraftKernel& kernel, std::uint32_t id, std::vector<bool>& fresh, std::size_t window)
{
    const auto newRegister = [&] {
        kernel.registers.push_back({});
        fresh.push_back(true);
        return static_cast<std::uint32_t>(kernel.registers.size() - 1);
    };
    for (DraftBlock& block : kernel.blocks) {
        std::vector<Draft> made;
        made.reserve(block.drafts.size());
        std::uint32_t here = kNone;
        std::size_t touched = 0;
        for (std::size_t at = 0; at < block.drafts.size(); ++at) {
            Draft& draft = block.drafts[at];
            const bool reads = std::find(draft.sources.begin(), draft.sources.end(), id) != draft.sources.end();
            const bool writes = std::find(draft.results.begin(), draft.results.end(), id) != draft.results.end();
            if (!reads && !writes) {
                made.push_back(std::move(draft));
                continue;
            }
            const bool isHere = here != kNone && at - touched <= window;
            here = isHere ? here : newRegister();
            touched = at;
            const std::uint32_t covers = draft.covers;
            if (!isHere && (reads || draft.isGuarded))
                made.push_back(localAccess(kernel, true, here, covers));
            std::replace(draft.sources.begin(), draft.sources.end(), id, here);
            std::replace(draft.results.begin(), draft.results.end(), id, here);
            if (draft.base == id)
                draft.base = here;
            made.push_back(std::move(draft));
            if (writes)
                made.push_back(localAccess(kernel, false, here, covers));
        }
        block.drafts = std::move(made);
    }
}

} // namespace

RegisterAllocation allocateWithin(DraftKernel& kernel, std::uint32_t limit)
{
    RegisterAllocation made = allocate(kernel, livenessOf(kernel));
    std::vector<bool> fresh(kernel.registers.size(), false);
    std::uint32_t spilled = 0;
    for (int round = 0; round < kRounds + kStraightRounds && made.registers > limit; ++round) {
        std::vector<std::uint32_t> chosen;
        if (round < kRounds)
            chosen = victims(kernel, made.registers - limit, fresh, false);
        std::size_t window = 0;
        if (chosen.empty()) {
            chosen = victims(kernel, made.registers - limit, fresh, true);
            window = kNearby;
        }
        if (chosen.empty())
            break;
        for (const std::uint32_t id : chosen)
            rewrite(kernel, id, fresh, window);
        spilled += static_cast<std::uint32_t>(chosen.size());
        made = allocate(kernel, livenessOf(kernel));
    }
    made.spillBytes = spilled * 4;
    // What tuples still need beyond the limit ptxas would find by splitting them; registers are counted as it would.
    made.registers = std::min(made.registers, limit);
    return made;
}

} // namespace ridge::gpu::simt
