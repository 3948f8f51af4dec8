// SPDX-License-Identifier: GPL-3.0-or-later
// Arriving and waiting: the sixteen barriers of a block and the one of its cluster.
#include "gpu/simt/run/block_run.h"

namespace ridge::gpu::simt {
namespace {

/// Whether none of a warp's lanes can go on, so that the warp as a whole waits. `split` is the one that ran.
bool allWait(const Warp& warp, const Split& split)
{
    return split.mask == 0 && std::none_of(warp.splits.begin(), warp.splits.end(),
                                           [](const Split& s) { return s.state == Split::State::Ready; });
}

} // namespace

BlockRun::After BlockRun::barrier(Warp& warp, const BasicBlock& block, Split& split)
{
    const MicroOp& op = m_image.ops[block.end];
    const std::uint32_t here = guarded(warp, op, split.mask);
    split.pc = block.next;
    if (here == 0)
        return After::GoOn;
    ++m_state->counters.barriers;
    if (static_cast<BarrierKind>(op.flags) >= BarrierKind::ClusterArrive)
        return clusterBarrier(warp, block, split, here);
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(here));
    const std::uint32_t id = reinterpret_cast<const std::uint32_t*>(warp.file + op.a)[lane];
    if (id >= BlockBarriers::kCount) {
        m_state->fault = {Fault::Kind::BadBarrier, Space::Global, MemoryOp::Load, 0, lane, id, BlockBarriers::kCount};
        m_control->error = faultError(warp, block.end);
        return After::Stop;
    }
    const std::uint32_t threads = op.b == kNone ? 0 : reinterpret_cast<const std::uint32_t*>(warp.file + op.b)[lane];
    if (threads % kWarpSize != 0) {
        m_state->fault = {Fault::Kind::BadBarrier, Space::Global, MemoryOp::Load, 0, lane, threads, 0};
        m_control->error = faultError(warp, block.end);
        return After::Stop;
    }
    const bool waits = static_cast<BarrierKind>(op.flags) != BarrierKind::Arrive;
    if (waits) {
        Split waiting = split;
        waiting.mask = here;
        waiting.state = Split::State::AtBarrier;
        waiting.barrier = id;
        waiting.barrierOp = block.end;
        warp.splits.push_back(waiting);
        split.mask &= ~here;
    }
    if (m_state->stream != nullptr) {
        WarpStream& stream = *m_state->stream;
        stream.barriers.push_back({stream.firstVisit + static_cast<std::uint32_t>(stream.visits.size()) - 1, id,
                                   m_barriers.generation(id), waits && allWait(warp, split)});
    }
    m_barriers.arrive(warp, op, id, here);
    m_barriers.release(m_warps);
    return split.mask != 0 ? After::GoOn : After::Reselect;
}

BlockRun::After BlockRun::wrong(const Warp& warp, std::uint32_t pc, Fault::Kind kind, std::uint32_t lane)
{
    m_state->fault = {};
    m_state->fault.kind = kind;
    m_state->fault.lane = lane;
    m_control->error = faultError(warp, pc);
    return After::Stop;
}

/// Arriving lets everybody go on. Waiting holds lanes until all threads of the cluster have arrived at the phase they
/// arrived at themselves.
BlockRun::After BlockRun::clusterBarrier(Warp& warp, const BasicBlock& block, Split& split, std::uint32_t here)
{
    const bool arrives = static_cast<BarrierKind>(m_image.ops[block.end].flags) == BarrierKind::ClusterArrive;
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(here));
    const std::uint32_t held = arrives ? 0 : m_cluster->waiting(m_rank, warp, here);
    if (!arrives && held != here && m_cluster->generation() == 0)
        return wrong(warp, block.end, Fault::Kind::NoArrival, lane);
    const std::uint32_t phase = arrives || held != 0 ? m_cluster->phase() : m_cluster->lastPhase();
    if (held != 0) {
        Split waiting = split;
        waiting.mask = held;
        waiting.state = Split::State::AtBarrier;
        waiting.barrier = Cluster::kBarrier;
        waiting.barrierOp = block.end;
        warp.splits.push_back(waiting);
        split.mask &= ~held;
    }
    if (m_state->stream != nullptr && phase != kNoPhase) {
        WarpStream& stream = *m_state->stream;
        const bool waits = !arrives && (held == 0 || allWait(warp, split));
        // The visit ends with this instruction and has been noted.
        stream.phases.push_back(
            {stream.firstVisit + static_cast<std::uint32_t>(stream.visits.size()) - 1, block.end, phase, waits, true});
        m_state->phases->phases[phase].signals += arrives ? 1 : 0;
    }
    if (arrives && !m_cluster->arrive(m_rank, warp, here))
        return wrong(warp, block.end, Fault::Kind::ArrivedTwice, lane);
    m_cluster->release();
    return split.mask != 0 ? After::GoOn : After::Reselect;
}

} // namespace ridge::gpu::simt
