// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/phase_unit.h"

namespace ridge::gpu::simt {

bool PhaseUnit::isOpen(std::uint32_t phase, const PhaseState* state) const
{
    const PhaseBook::Phase& known = m_setup.phases->phases[phase];
    return known.complete && (state == nullptr ? 0 : state->signals) >= known.signals;
}

bool PhaseUnit::pass(WarpSlot& warp, const TimedOp& op)
{
    const auto& notes = warp.stream->phases;
    BlockSlot& owner = m_warps.blockOf(warp);
    std::uint64_t last = 0;
    for (std::size_t at = warp.firstPhase; at < notes.size() && notes[at].visit == warp.visitNumber; ++at) {
        const PhaseNote& note = notes[at];
        if (!note.waits || note.microOp < op.microOp || note.microOp >= op.microOpEnd)
            continue;
        const Stall reason = op.isCluster ? Stall::Barrier : Stall::LongScoreboard;
        const PhaseState* const state = owner.phases.find(note.phase);
        if (!isOpen(note.phase, state)) {
            m_waiters += warp.waitsPhase == kNoPhase ? 1 : 0;
            warp.waitsPhase = note.phase;
            return m_warps.hold(warp, reason, kNever);
        }
        if (state != nullptr)
            last = std::max(last, state->last);
    }
    return last <= m_warps.now() || m_warps.hold(warp, op.isCluster ? Stall::Barrier : Stall::LongScoreboard, last);
}

void PhaseUnit::signal(WarpSlot& warp, const TimedOp& op, std::uint64_t cycle)
{
    const auto& notes = warp.stream->phases;
    CopyGroup* copies = op.afterCopies && !warp.copyGroups.empty() ? &warp.copyGroups.back() : nullptr;
    for (std::size_t at = warp.firstPhase; at < notes.size() && notes[at].visit == warp.visitNumber; ++at) {
        if (notes[at].waits || notes[at].microOp < op.microOp || notes[at].microOp >= op.microOpEnd)
            continue;
        if (copies != nullptr && copies->pending != 0)
            copies->notes.push_back(notes[at]);
        else
            signal(warp.block, notes[at], copies == nullptr ? cycle : std::max(cycle, copies->doneAt));
    }
}

void PhaseUnit::signal(std::uint32_t block, const PhaseNote& note, std::uint64_t cycle)
{
    if (note.isRemote)
        m_outgoing.push_back({note.phase, cycle + static_cast<std::uint64_t>(m_setup.chip->clusterCycles)});
    else
        count(m_warps.blocks()[block], note.phase, cycle);
}

void PhaseUnit::count(BlockSlot& block, std::uint32_t phase, std::uint64_t cycle)
{
    PhaseState& state = block.phases[phase];
    ++state.signals;
    state.last = std::max(state.last, cycle);
    if (!isOpen(phase, &state))
        return;
    for (const std::uint32_t slot : block.slots) {
        WarpSlot& warp = m_warps.slots()[slot];
        if (warp.active && warp.waitsPhase == phase)
            release(warp, state.last);
    }
}

void PhaseUnit::release(WarpSlot& warp, std::uint64_t cycle)
{
    warp.waitsPhase = kNoPhase;
    --m_waiters;
    m_warps.wakeAt(warp, std::max(cycle, m_warps.now()));
}

void PhaseUnit::receive(std::uint64_t block, const PhaseSignal& signal)
{
    for (BlockSlot& slot : m_warps.blocks()) {
        if (slot.run && slot.run->block() == block)
            count(slot, signal.phase, signal.cycle);
    }
}

void PhaseUnit::recheck()
{
    if (m_waiters == 0)
        return;
    for (WarpSlot& warp : m_warps.slots()) {
        if (warp.active && warp.waitsPhase != kNoPhase &&
            isOpen(warp.waitsPhase, m_warps.blockOf(warp).phases.find(warp.waitsPhase)))
            release(warp, m_warps.now());
    }
}

} // namespace ridge::gpu::simt
