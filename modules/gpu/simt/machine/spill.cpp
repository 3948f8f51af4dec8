// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/draft.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

constexpr int kRounds = 12;

struct Candidate {
    std::uint32_t id = 0;
    std::uint64_t span = 0; ///< instructions over which it is live
    std::uint32_t touches = 0;
};

bool maySpill(const VirtualRegister& info)
{
    return !info.isPredicate && !info.isUniform && info.tuple == kNone;
}

/// The values that keep a register for long and are touched rarely.
std::vector<std::uint32_t> victims(const DraftKernel& kernel, std::size_t count, const std::vector<bool>& fresh)
{
    const Liveness live = livenessOf(kernel);
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

/// Every read of `id` loads it into a register of its own, every write stores it.
void rewrite(DraftKernel& kernel, std::uint32_t id, std::vector<bool>& fresh)
{
    const auto newRegister = [&] {
        kernel.registers.push_back({});
        fresh.push_back(true);
        return static_cast<std::uint32_t>(kernel.registers.size() - 1);
    };
    for (DraftBlock& block : kernel.blocks) {
        std::vector<Draft> made;
        made.reserve(block.drafts.size());
        for (Draft& draft : block.drafts) {
            const bool reads = std::find(draft.sources.begin(), draft.sources.end(), id) != draft.sources.end();
            const bool writes = std::find(draft.results.begin(), draft.results.end(), id) != draft.results.end();
            if (!reads && !writes) {
                made.push_back(std::move(draft));
                continue;
            }
            const std::uint32_t here = newRegister();
            const std::uint32_t covers = draft.covers;
            if (reads || draft.isGuarded)
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
    RegisterAllocation made = allocate(kernel);
    std::vector<bool> fresh(kernel.registers.size(), false);
    std::uint32_t spilled = 0;
    for (int round = 0; round < kRounds && made.registers > limit; ++round) {
        const std::vector<std::uint32_t> chosen = victims(kernel, made.registers - limit, fresh);
        if (chosen.empty())
            break;
        for (const std::uint32_t id : chosen)
            rewrite(kernel, id, fresh);
        spilled += static_cast<std::uint32_t>(chosen.size());
        made = allocate(kernel);
    }
    made.spillBytes = spilled * 4;
    // What tuples still need beyond the limit ptxas would find by splitting them; registers are counted as it would.
    made.registers = std::min(made.registers, limit);
    return made;
}

} // namespace ridge::gpu::simt
