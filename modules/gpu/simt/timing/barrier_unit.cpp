// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/barrier_unit.h"

namespace ridge::gpu::simt {

void BarrierUnit::arrive(WarpSlot& warp)
{
    const auto& passes = warp.stream->barriers;
    if (warp.nextBarrier == passes.size() || passes[warp.nextBarrier].visit != warp.visitNumber)
        return; // its guard was false
    const BarrierPass& pass = passes[warp.nextBarrier++];
    BlockSlot& block = m_warps.blockOf(warp);
    auto& arrived = block.arrived[pass.id];
    if (arrived.size() <= pass.generation)
        arrived.resize(pass.generation + 1, 0);
    ++arrived[pass.generation];
    m_free = std::max(m_free, m_warps.now()) + static_cast<std::uint64_t>(m_setup.chip->barrierCycles);
    if (pass.waits) {
        warp.atBarrier = true;
        warp.barrierId = pass.id;
        warp.barrierGeneration = pass.generation;
    }
    const std::uint32_t expected = block.run->arrivalsOf(pass.id, pass.generation);
    if (expected != 0 && arrived[pass.generation] >= expected) {
        m_warps.note(TimingEvent::Kind::BarrierOpen, m_warps.slotOf(warp), warp.op, pass.id);
        open(block);
    }
}

void BarrierUnit::open(BlockSlot& block)
{
    const auto cycles =
        static_cast<std::uint64_t>(m_setup.chip->latency[static_cast<std::size_t>(LatencyClass::Barrier)]);
    for (const std::uint32_t slot : block.slots) {
        WarpSlot& warp = m_warps.slots()[slot];
        if (!warp.active || !warp.atBarrier)
            continue;
        const std::uint32_t expected = block.run->arrivalsOf(warp.barrierId, warp.barrierGeneration);
        if (expected == 0 || block.arrived[warp.barrierId][warp.barrierGeneration] < expected)
            continue;
        warp.atBarrier = false;
        if (warp.lastIssue != m_warps.now())
            m_warps.charge(warp, Stall::Barrier);
        else
            warp.reason = Stall::Barrier;
        m_warps.wakeAt(warp, std::max(m_free, m_warps.now()) + cycles);
    }
}

} // namespace ridge::gpu::simt
