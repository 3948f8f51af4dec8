// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks on an SM: how they come, are fed with instructions, and go. Between epochs only.
#include "gpu/simt/timing/sm.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace ridge::gpu::simt {

namespace {

constexpr std::int64_t kAhead = 512; ///< micro-ops that one refill runs

/// Forgets what the warp has consumed.
void compact(WarpSlot& warp)
{
    WarpStream& stream = *warp.stream;
    if (warp.nextVisit < 64 && warp.nextVisit != stream.visits.size())
        return;
    const auto cut = [](auto& items, std::size_t count) {
        items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count));
    };
    cut(stream.visits, warp.nextVisit);
    cut(stream.accesses, warp.firstAccess);
    cut(stream.lines, warp.firstLine);
    cut(stream.barriers, warp.nextBarrier);
    cut(stream.phases, warp.firstPhase);
    stream.firstVisit += static_cast<std::uint32_t>(warp.nextVisit);
    warp.hintAccess -= warp.firstAccess;
    warp.hintLine -= warp.firstLine;
    warp.nextVisit = warp.firstAccess = warp.firstLine = warp.nextBarrier = warp.firstPhase = 0;
}

/// Lets the block run the warp on and counts what came. Returns how its turn ended.
BlockRun::Turn advance(WarpSlot& warp, BlockRun& run, const TimedKernel& kernel)
{
    compact(warp);
    const WarpStream& stream = *warp.stream;
    const std::size_t before = stream.visits.size();
    warp.lastTurn = run.advance(warp.warp, kAhead);
    for (std::size_t at = before; at < stream.visits.size(); ++at) {
        const MachineBlock& block = kernel.machine->blocks[kernel.image->places[stream.visits[at].from].block];
        warp.opsAhead += block.end - block.first;
    }
    return warp.lastTurn;
}

} // namespace

bool Sm::wanting() const
{
    return std::any_of(m_blocks.begin(), m_blocks.end(),
                       [](const BlockSlot& block) { return block.run && block.wanting; });
}

const WarpSlot* Sm::firstActive() const
{
    const auto found = std::find_if(m_slots.begin(), m_slots.end(), [](const WarpSlot& warp) { return warp.active; });
    return found == m_slots.end() ? nullptr : &*found;
}

std::optional<StopSite> Sm::waitingSite() const
{
    const WarpSlot* warp = firstActive();
    if (warp == nullptr)
        return std::nullopt;
    const TimedOp& op = m_kernel.ops[std::min<std::size_t>(warp->op, m_kernel.ops.size() - 1)];
    StopSite site;
    site.pc = op.covers != kNoMicroOp ? op.covers : op.microOp;
    site.pc = site.pc < m_kernel.image->places.size() ? site.pc : kNone;
    site.block = m_blocks[warp->block].run->blockId();
    site.warp = warp->warp;
    site.lane = warp->visit.mask != 0 ? static_cast<std::uint32_t>(std::countr_zero(warp->visit.mask)) : kNone;
    return site;
}

std::string Sm::describeWaiting() const
{
    const WarpSlot* warp = firstActive();
    if (warp == nullptr)
        return {};
    std::string text = m_blocks[warp->block].run->name() + ", warp " + std::to_string(warp->warp) + " (" +
                       std::string(toText(warp->reason)) + ", cycle " + std::to_string(m_now) + ", SM " +
                       std::to_string(m_index) + ")";
    if (const std::uint32_t at = waitingSite()->pc; at != kNone) {
        const OpPlace& place = m_kernel.image->places[at];
        text += place.sourceLine != 0 ? ", source line " + std::to_string(place.sourceLine) : "";
        text += ", PTX line " + std::to_string(place.ptxLine);
    }
    return text;
}

std::uint32_t Sm::room(std::uint32_t warps, std::uint32_t mostBlocks) const
{
    const auto empty = static_cast<std::uint32_t>(m_left.size());
    const auto left = static_cast<std::uint32_t>(m_slots.size()) - m_liveWarps - empty * warps;
    return std::min(mostBlocks - std::min(mostBlocks, m_liveBlocks + empty), left / warps);
}

void Sm::standAt(std::uint64_t cycle)
{
    m_now = std::max(m_now, cycle);
    m_left.erase(m_left.begin(),
                 std::find_if(m_left.begin(), m_left.end(), [&](std::uint64_t until) { return until > m_now; }));
}

void Sm::startBlock(std::unique_ptr<BlockRun> run, std::uint64_t cycle)
{
    if (m_liveBlocks == 0)
        m_now = m_activeSince = std::max(m_now, cycle);
    auto place = std::find_if(m_blocks.begin(), m_blocks.end(), [](const BlockSlot& block) { return !block.run; });
    if (place == m_blocks.end())
        place = m_blocks.emplace(m_blocks.end());
    BlockSlot& block = *place;
    block.run = std::move(run);
    block.slots.clear();
    for (auto& arrived : block.arrived)
        arrived.clear();
    block.liveWarps = static_cast<std::uint32_t>(block.run->warpCount());
    block.wanting = true;
    block.stuck = false;
    block.phases.clear();
    block.span = m_spans.size();
    m_spans.push_back({block.run->block(), m_index, m_now, m_now});
    ++m_liveBlocks;
    for (std::uint32_t at = 0; at < block.liveWarps; ++at) {
        SubCore& core = *std::min_element(m_cores.begin(), m_cores.end(),
                                          [](const SubCore& a, const SubCore& b) { return a.liveWarps < b.liveWarps; });
        std::uint32_t slot = core.first;
        while (m_slots[slot].active)
            ++slot;
        WarpSlot& warp = m_slots[slot];
        const std::uint32_t generation = warp.generation;
        warp = {};
        warp.generation = generation;
        warp.active = true;
        warp.listed = true;
        warp.dry = true;
        warp.block = static_cast<std::uint32_t>(place - m_blocks.begin());
        warp.warp = at;
        warp.age = m_started;
        warp.readyAt = kNever;
        warp.since = m_now;
        warp.stream = &block.run->stream(at);
        block.slots.push_back(slot);
        ++core.liveWarps;
        ++m_liveWarps;
        note(TimingEvent::Kind::BlockStart, slot, 0, static_cast<std::uint32_t>(block.run->block()));
    }
    ++m_started;
}

std::vector<FinishedBlock> Sm::takeFinished()
{
    return std::exchange(m_finished, {});
}

Sm::Refilled Sm::refill(LaunchState& state, LaunchControl& control)
{
    for (; m_refill.block < m_blocks.size(); ++m_refill.block) {
        BlockSlot& block = m_blocks[m_refill.block];
        if (!block.wanting || !block.run)
            continue;
        block.run->bindTo(state, control);
        if (const Refilled how = refillWarps(block); how != Refilled::Whole)
            return how;
        if (!closeRefill(block, control))
            return Refilled::Failed;
    }
    m_refill = {};
    return Refilled::Whole;
}

/// Warps that wait for each other at barriers take turns until all have enough or nothing moves any more.
Sm::Refilled Sm::refillWarps(BlockSlot& block)
{
    do {
        for (; m_refill.slot < block.slots.size(); ++m_refill.slot) {
            WarpSlot& warp = m_slots[block.slots[m_refill.slot]];
            if (!m_refill.held) {
                if (!warp.active || !warp.listed || warp.wantsClock || warp.opsAhead >= kRefillBelow ||
                    warp.stream->finished)
                    continue;
                m_refill.ahead = warp.stream->visits.size() - warp.nextVisit;
            }
            const BlockRun::Turn turn = advance(warp, *block.run, m_kernel);
            m_refill.held = turn == BlockRun::Turn::InOrder;
            if (m_refill.held)
                return Refilled::InOrder;
            if (turn == BlockRun::Turn::Failed)
                return Refilled::Failed;
            if (turn == BlockRun::Turn::AtClock) {
                warp.wantsClock = true;
                ++m_clockWaiters;
            }
            // One step at a time where it looks at what others write: it shall see them in time.
            const bool more = warp.stream->visits.size() - warp.nextVisit > m_refill.ahead;
            m_refill.moved = m_refill.moved || (more && turn != BlockRun::Turn::Observed);
        }
        m_refill.slot = 0;
    } while (std::exchange(m_refill.moved, false));
    return Refilled::Whole;
}

/// Wakes the warps that have instructions again. False: none of the block can ever go on.
bool Sm::closeRefill(BlockSlot& block, LaunchControl& control)
{
    block.wanting = false;
    bool anyCan = false;
    for (const std::uint32_t slot : block.slots) {
        WarpSlot& warp = m_slots[slot];
        if (!warp.active)
            continue;
        anyCan = anyCan || warp.lastTurn != BlockRun::Turn::Blocked || warp.nextVisit < warp.stream->visits.size();
        warp.listed = warp.listed && !warp.wantsClock && warp.opsAhead < kRefillBelow && !warp.stream->finished;
        block.wanting = block.wanting || warp.listed;
        if (!warp.dry || (warp.nextVisit == warp.stream->visits.size() && !warp.wantsClock && !warp.stream->finished))
            continue;
        warp.dry = false;
        charge(warp, warp.reason);
        wake(warp);
    }
    block.stuck = !anyCan && block.liveWarps != 0;
    if (block.stuck && block.run->cluster().size() == 1) {
        control.error = block.run->deadlockError();
        return false;
    }
    openBarriers(block);
    return true;
}

bool Sm::endForBudget(LaunchState& state, LaunchControl& control)
{
    for (const bool ended : {false, true}) { // where no warp has anything left to run, the blocks are what is many
        for (BlockSlot& block : m_blocks) {
            if (!block.run)
                continue;
            block.run->bindTo(state, control);
            if (block.run->endForBudget(ended))
                return true;
        }
    }
    return false;
}

bool Sm::serveClocks(LaunchState& state, LaunchControl& control)
{
    for (WarpSlot& warp : m_slots) {
        if (!readsClock(warp))
            continue;
        state.clock = m_now;
        BlockRun& run = *m_blocks[warp.block].run;
        run.bindTo(state, control);
        const BlockRun::Turn turn = advance(warp, run, m_kernel);
        state.clock.reset();
        if (turn == BlockRun::Turn::Failed)
            return false;
        warp.wantsClock = turn == BlockRun::Turn::AtClock;
        m_clockWaiters -= warp.wantsClock ? 0 : 1;
        if (!warp.wantsClock && warp.opsAhead < kRefillBelow)
            warp.listed = m_blocks[warp.block].wanting = true;
    }
    return true;
}

} // namespace ridge::gpu::simt
