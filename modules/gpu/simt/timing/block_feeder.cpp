// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/block_feeder.h"

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

bool BlockFeeder::wanting() const
{
    return std::any_of(m_warps.blocks().begin(), m_warps.blocks().end(),
                       [](const BlockSlot& block) { return block.run && block.wanting; });
}

Refilled BlockFeeder::refill(LaunchState& state, LaunchControl& control)
{
    for (; m_place.block < m_warps.blocks().size(); ++m_place.block) {
        BlockSlot& block = m_warps.blocks()[m_place.block];
        if (!block.wanting || !block.run)
            continue;
        block.run->bindTo(state, control);
        if (const Refilled how = refillWarps(block); how != Refilled::Whole)
            return how;
        if (!closeRefill(block, control))
            return Refilled::Failed;
    }
    m_place = {};
    return Refilled::Whole;
}

/// Warps that wait for each other at barriers take turns until all have enough or nothing moves any more.
Refilled BlockFeeder::refillWarps(BlockSlot& block)
{
    do {
        for (; m_place.slot < block.slots.size(); ++m_place.slot) {
            WarpSlot& warp = m_warps.slots()[block.slots[m_place.slot]];
            if (!m_place.held) {
                if (!warp.active || !warp.listed || warp.wantsClock || warp.opsAhead >= kRefillBelow ||
                    warp.stream->finished)
                    continue;
                m_place.ahead = warp.stream->visits.size() - warp.nextVisit;
            }
            const BlockRun::Turn turn = advance(warp, *block.run, m_kernel);
            m_place.held = turn == BlockRun::Turn::InOrder;
            if (m_place.held)
                return Refilled::InOrder;
            if (turn == BlockRun::Turn::Failed)
                return Refilled::Failed;
            if (turn == BlockRun::Turn::AtClock) {
                warp.wantsClock = true;
                ++m_clockWaiters;
            }
            // A warp that reads what others write takes one step at a time, so that it sees their writes in time.
            const bool more = warp.stream->visits.size() - warp.nextVisit > m_place.ahead;
            m_place.moved = m_place.moved || (more && turn != BlockRun::Turn::Observed);
        }
        m_place.slot = 0;
    } while (std::exchange(m_place.moved, false));
    return Refilled::Whole;
}

/// Wakes the warps that have instructions again. False: none of the block can ever go on.
bool BlockFeeder::closeRefill(BlockSlot& block, LaunchControl& control)
{
    block.wanting = false;
    bool anyCan = false;
    for (const std::uint32_t slot : block.slots) {
        WarpSlot& warp = m_warps.slots()[slot];
        if (!warp.active)
            continue;
        anyCan = anyCan || warp.lastTurn != BlockRun::Turn::Blocked || warp.nextVisit < warp.stream->visits.size();
        warp.listed = warp.listed && !warp.wantsClock && warp.opsAhead < kRefillBelow && !warp.stream->finished;
        block.wanting = block.wanting || warp.listed;
        if (!warp.dry || (warp.nextVisit == warp.stream->visits.size() && !warp.wantsClock && !warp.stream->finished))
            continue;
        warp.dry = false;
        m_warps.charge(warp, warp.reason);
        m_warps.wake(warp);
    }
    block.stuck = !anyCan && block.liveWarps != 0;
    if (block.stuck && block.run->cluster().size() == 1) {
        control.error = block.run->deadlockError();
        return false;
    }
    m_barriers.open(block);
    return true;
}

bool BlockFeeder::endForBudget(LaunchState& state, LaunchControl& control)
{
    for (const bool ended : {false, true}) { // where no warp has anything left to run, the blocks are what is many
        for (BlockSlot& block : m_warps.blocks()) {
            if (!block.run)
                continue;
            block.run->bindTo(state, control);
            if (block.run->endForBudget(ended))
                return true;
        }
    }
    return false;
}

bool BlockFeeder::serveClocks(LaunchState& state, LaunchControl& control)
{
    for (WarpSlot& warp : m_warps.slots()) {
        if (!readsClock(warp))
            continue;
        state.clock = m_warps.now();
        BlockRun& run = *m_warps.blockOf(warp).run;
        run.bindTo(state, control);
        const BlockRun::Turn turn = advance(warp, run, m_kernel);
        state.clock.reset();
        if (turn == BlockRun::Turn::Failed)
            return false;
        warp.wantsClock = turn == BlockRun::Turn::AtClock;
        m_clockWaiters -= warp.wantsClock ? 0 : 1;
        if (!warp.wantsClock && warp.opsAhead < kRefillBelow)
            warp.listed = m_warps.blockOf(warp).wanting = true;
    }
    return true;
}

bool BlockFeeder::readsClock(const WarpSlot& warp) const
{
    return warp.active && warp.wantsClock && !warp.atBarrier && warp.op == warp.opEnd &&
           warp.nextVisit == warp.stream->visits.size() && warp.readyAt <= m_warps.now();
}

bool BlockFeeder::anyReadsClock() const
{
    return m_clockWaiters != 0 &&
           std::ranges::any_of(m_warps.slots(), [&](const WarpSlot& warp) { return readsClock(warp); });
}

std::vector<const BlockRun*> BlockFeeder::stuckBlocks() const
{
    std::vector<const BlockRun*> stuck;
    for (const BlockSlot& block : m_warps.blocks()) {
        if (block.run && block.stuck)
            stuck.push_back(block.run.get());
    }
    return stuck;
}

} // namespace ridge::gpu::simt
