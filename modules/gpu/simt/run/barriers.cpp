// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/barriers.h"

namespace ridge::gpu::simt {

namespace {

std::uint32_t* word(const Warp& warp, std::uint32_t offset)
{
    return reinterpret_cast<std::uint32_t*>(warp.file + offset);
}

BarrierKind kindOf(const MicroOp& op)
{
    return static_cast<BarrierKind>(op.flags);
}

/// What bar.red leaves in the registers of the lanes that waited.
void writeResult(const Warp& warp, const Split& split, std::uint32_t votes, std::uint32_t voters)
{
    const MicroOp& op = warp.launch->image->ops[split.barrierOp];
    switch (kindOf(op)) {
    case BarrierKind::ReducePopc:
        for (std::uint32_t mask = split.mask; mask != 0; mask &= mask - 1)
            word(warp, op.d)[std::countr_zero(mask)] = votes;
        break;
    case BarrierKind::ReduceAnd:
    case BarrierKind::ReduceOr: {
        if (op.d == kNone)
            break;
        const bool holds = kindOf(op) == BarrierKind::ReduceAnd ? votes == voters : votes != 0;
        std::uint32_t& predicate = *word(warp, op.d);
        predicate = (predicate & ~split.mask) | (holds ? split.mask : 0);
        break;
    }
    default:
        break;
    }
}

} // namespace

void BlockBarriers::reset()
{
    for (Barrier& barrier : m_barriers) {
        std::fill(barrier.arrived.begin(), barrier.arrived.end(), 0);
        barrier.expected = barrier.votes = barrier.voters = 0;
        barrier.arriving = 0;
        barrier.arrivals.clear();
    }
    m_pending = 0;
}

void BlockBarriers::arrive(const Warp& warp, const MicroOp& op, std::uint32_t id, std::uint32_t mask)
{
    Barrier& barrier = m_barriers[id];
    const int lane = std::countr_zero(mask);
    barrier.arrived[warp.index] |= mask;
    barrier.expected = op.b == kNone ? 0 : word(warp, op.b)[lane];
    ++barrier.arriving;
    m_pending |= 1u << id;
    if (kindOf(op) == BarrierKind::Sync || kindOf(op) == BarrierKind::Arrive)
        return;
    barrier.votes += static_cast<std::uint32_t>(std::popcount((*word(warp, op.c) ^ op.e) & mask));
    barrier.voters += static_cast<std::uint32_t>(std::popcount(mask));
}

bool BlockBarriers::isComplete(const Barrier& barrier, const std::vector<Warp>& warps) const
{
    std::uint32_t threads = 0;
    bool all = true;
    for (std::size_t at = 0; at < warps.size(); ++at) {
        const bool here = (warps[at].live & ~barrier.arrived[at]) == 0;
        all = all && here;
        threads += here && barrier.arrived[at] != 0 ? static_cast<std::uint32_t>(kWarpSize) : 0;
    }
    return barrier.expected == 0 ? all : threads >= barrier.expected;
}

void BlockBarriers::open(Barrier& barrier, std::uint32_t id, std::vector<Warp>& warps)
{
    if (LaunchWatcher* check = warps.front().launch->check)
        check->barrierOpens(id, barrier.arrived, barrier.expected != 0, warps);
    for (Warp& warp : warps) {
        for (Split& split : warp.splits) {
            if (split.state != Split::State::AtBarrier || split.barrier != id)
                continue;
            writeResult(warp, split, barrier.votes, barrier.voters);
            const BarrierKind kind = kindOf(warp.launch->image->ops[split.barrierOp]);
            const bool hasResult =
                kind == BarrierKind::ReducePopc || kind == BarrierKind::ReduceAnd || kind == BarrierKind::ReduceOr;
            if (warp.launch->steps != nullptr && hasResult)
                warp.launch->steps->barrierResult(warp, split.barrierOp, split.mask);
            split.state = Split::State::Ready;
        }
    }
    std::fill(barrier.arrived.begin(), barrier.arrived.end(), 0);
    barrier.expected = barrier.votes = barrier.voters = 0;
    barrier.arrivals.push_back(barrier.arriving);
    barrier.arriving = 0;
}

void BlockBarriers::release(std::vector<Warp>& warps)
{
    for (std::uint32_t left = m_pending; left != 0; left &= left - 1) {
        const auto id = static_cast<std::uint32_t>(std::countr_zero(left));
        if (!isComplete(m_barriers[id], warps))
            continue;
        open(m_barriers[id], id, warps);
        m_pending &= ~(1u << id);
    }
}

} // namespace ridge::gpu::simt
