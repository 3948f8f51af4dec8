// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of a cluster that end although others may still use their shared memory. Which comes first is chance; what the
// simulator's own order brings about is an error by itself (Fault::Kind::ExitedBlock).
#include "gpu/simt/check/checked_lanes.h"

#include "base/lane_mask.h"

namespace ridge::gpu::simt {

void Checker::visit(const Warp& warp, const MemoryDetail& detail, std::uint32_t pc, const Lanes& lanes)
{
    if (m_plans[pc].synchronises)
        return visitsEnd(warp);
    forLanes(lanes.mask, [&](std::uint32_t lane) {
        BlockShadow* const owner = lanes.block[lane];
        if (lanes.space[lane] == Space::Shared && owner != nullptr && owner != warp.shadow)
            owner->visitors[warp.shadow] = {pc, threadOf(m_blockDim, warp.shadow->id, warp.index, lane), detail.op,
                                            lanes.address[lane], std::uint32_t{detail.elementBytes} * detail.count};
    });
}

void Checker::visitsEnd(const Warp& warp)
{
    for (auto& [warps, block] : m_blocks)
        block->visitors.erase(warp.shadow);
}

void Checker::blockEnds(const std::vector<Warp>& warps)
{
    const BlockShadow& block = *warps.front().shadow;
    for (const auto& [reader, visit] : block.visitors) {
        m_findings.add("exited-block", visit.pc, kNone, [&, found = visit] {
            Report report = reportOf("exited-block", found.pc, found.thread);
            report.cuda = "cudaErrorIllegalAddress";
            report.access = accessOf(*m_state.memory, Space::Shared, found.op, found.bytes, found.address);
            report.message = whoText(found.thread) +
                             (found.op == MemoryOp::Load ? " reads offset " : " writes offset ") +
                             std::to_string(found.address) + " of the shared memory of block (" +
                             std::to_string(block.id.x) + ", " + std::to_string(block.id.y) + ", " +
                             std::to_string(block.id.z) + "), which may have ended by then: nothing makes it wait";
            report.lookFor = "A block must not end while others still use its shared memory: let all meet at "
                             "cluster.sync() before they return.";
            return report;
        });
    }
}

} // namespace ridge::gpu::simt
