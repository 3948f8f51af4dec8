// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/phase_unit.h"

namespace ridge::gpu::simt {

bool PhaseUnit::isOpen(const BlockSlot& block, std::uint32_t phase) const
{
    const PhaseBook::Phase& known = m_setup.phases->phases[phase];
    const auto state = block.phases.find(phase);
    const std::uint32_t seen = state == block.phases.end() ? 0 : state->second.signals;
    return known.complete && seen >= known.signals;
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
        if (!isOpen(owner, note.phase)) {
            m_waiters += warp.waitsPhase == kNoPhase ? 1 : 0;
            warp.waitsPhase = note.phase;
            return m_warps.hold(warp, reason, kNever);
        }
        if (const auto state = owner.phases.find(note.phase); state != owner.phases.end())
            last = std::max(last, state->second.last);
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
    if (!isOpen(block, phase))
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
        if (warp.active && warp.waitsPhase != kNoPhase && isOpen(m_warps.blockOf(warp), warp.waitsPhase))
            release(warp, m_warps.now());
    }
}

} // namespace ridge::gpu::simt
