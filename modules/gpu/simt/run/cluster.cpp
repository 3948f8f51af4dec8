// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/cluster.h"

namespace ridge::gpu::simt {

void Cluster::join(std::uint32_t rank, std::uint64_t block, std::byte* shared, std::vector<Warp>& warps)
{
    Member& member = m_members[rank];
    member.block = block;
    member.shared = shared;
    member.warps = &warps;
    member.arrived.assign(warps.size(), 0);
    member.tensorMemory.reset();
    if (rank != 0)
        return;
    m_generation = 0;
    m_anyArrived = false;
    m_lastPhase = kNoPhase;
    m_phase = m_state.phases == nullptr ? kNoPhase : m_state.phases->open(block, true);
}

bool Cluster::hasExited(std::uint32_t rank) const
{
    const std::vector<Warp>& warps = *m_members[rank].warps;
    return std::all_of(warps.begin(), warps.end(), [](const Warp& warp) { return warp.live == 0; });
}

bool Cluster::arrive(std::uint32_t rank, const Warp& warp, std::uint32_t mask)
{
    std::uint32_t& arrived = m_members[rank].arrived[warp.index];
    const bool isNew = (arrived & mask) == 0;
    arrived |= mask;
    m_anyArrived = true;
    return isNew;
}

void Cluster::openIfComplete()
{
    for (const Member& member : m_members) {
        for (std::size_t warp = 0; warp < member.arrived.size(); ++warp) {
            if (((*member.warps)[warp].live & ~member.arrived[warp]) != 0)
                return;
        }
    }
    m_anyArrived = false;
    ++m_generation;
    if (m_phase != kNoPhase) {
        m_state.phases->phases[m_phase].complete = true;
        m_lastPhase = m_phase;
        m_phase = m_state.phases->open(m_members.front().block, true);
    }
    for (Member& member : m_members) {
        std::fill(member.arrived.begin(), member.arrived.end(), 0);
        if (m_state.check != nullptr)
            m_state.check->clusterBarrierOpens(*member.warps);
        for (Warp& warp : *member.warps) {
            for (Split& split : warp.splits) {
                if (split.state == Split::State::AtBarrier && split.barrier == kBarrier)
                    split.state = Split::State::Ready;
            }
        }
    }
}

} // namespace ridge::gpu::simt
