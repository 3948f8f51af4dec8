// SPDX-License-Identifier: GPL-3.0-or-later
// What the checker sees of instructions on matrices and of cp.async, whose bytes nobody may count on before the thread
// that started it has waited for it.
#include "gpu/simt/check/checked_lanes.h"
#include "gpu/simt/run/memory_access.h"

#include <algorithm>
#include <cstring>

namespace ridge::gpu::simt {

void Checker::seen(const Warp& warp, const MicroOp& op, const PlacedAccess& access, MemoryOp kind)
{
    const auto pc = static_cast<std::uint32_t>(&op - m_image.ops.data());
    const bool writes = kind != MemoryOp::Load;
    const std::uint32_t bytes = access.lanes.bytes;
    const bool isCopy = m_image.texts[m_image.places[pc].text].starts_with("cp.async");
    m_hasSeen = true;
    forMask(access.lanes.mask, [&](std::size_t at) {
        const auto lane = static_cast<std::uint32_t>(at);
        const std::uint64_t address = access.lanes.address[at];
        if (access.space == Space::Global) {
            if (writes)
                m_defined.define(address, bytes);
            globalSeen(warp, op, at, address, access.wanted != nullptr ? access.wanted[at] : bytes, kind);
        }
        if (access.space != Space::Shared || access.isRemote)
            return;
        const RaceSide side{pc, warp.index, lane, warp.shadow->linear, kind};
        onTheWay(side, warp, address, bytes);
        std::optional<RaceSide> other;
        for (std::uint32_t byte = 0; byte < bytes && !other; ++byte)
            other = warp.shadow->races.conflict(side, address + byte, writes);
        // Warps that store the same rows harm nobody.
        const bool same =
            access.rows != nullptr && std::memcmp(hostOf(access, at), access.rows + at * bytes, bytes) == 0;
        if (other && !same)
            reportRace(side, warp, Space::Shared, address, bytes, *other);
        if (writes)
            std::ranges::fill(part(warp.shadow->shared, address, bytes), std::uint8_t{1});
        if (isCopy)
            return startCopy(side, warp, address, bytes);
        for (std::uint32_t byte = 0; byte < bytes; ++byte)
            warp.shadow->races.note(side, address + byte, writes && !(other && same));
    });
}

void Checker::startCopy(const RaceSide& side, const Warp& warp, std::uint64_t address, std::uint32_t bytes)
{
    BlockShadow& block = *warp.shadow;
    const std::uint32_t thread = side.warp * kWarpSize + side.lane;
    if (block.fillers.empty())
        block.fillers.resize(block.shared.size());
    std::ranges::fill(part(block.fillers, address, bytes), BlockShadow::Filler{side.pc, thread, false});
    BlockShadow::Thread& own = block.threads[thread];
    // A loop that copies to one place and never waits has one copy on its way there.
    std::erase_if(own.copies,
                  [&](const BlockShadow::Copy& copy) { return copy.pc == side.pc && copy.address == address; });
    own.copies.push_back({side.pc, own.closed, address, bytes});
}

void Checker::closeGroup(const Warp& warp, std::uint32_t mask)
{
    forMask(mask, [&](std::size_t lane) { ++warp.shadow->threads[warp.index * kWarpSize + lane].closed; });
}

void Checker::awaitCopies(const Warp& warp, std::uint32_t mask, std::int64_t left)
{
    BlockShadow& block = *warp.shadow;
    forMask(mask, [&](std::size_t lane) {
        const auto thread = static_cast<std::uint32_t>(warp.index * kWarpSize + lane);
        BlockShadow::Thread& own = block.threads[thread];
        const auto arrived = [&](const BlockShadow::Copy& copy) {
            return left == kAllCopies || copy.group + left < own.closed;
        };
        for (const BlockShadow::Copy& copy : own.copies) {
            if (!arrived(copy))
                continue;
            const RaceSide side{copy.pc, warp.index, static_cast<std::uint32_t>(lane), block.linear, MemoryOp::Store};
            for (std::uint64_t byte = copy.address; byte < copy.address + copy.bytes; ++byte)
                block.races.note(side, byte, true);
            for (BlockShadow::Filler& filler : part(block.fillers, copy.address, copy.bytes))
                if (filler.pc == copy.pc && filler.thread == thread)
                    filler = {};
        }
        own.copies.erase(std::remove_if(own.copies.begin(), own.copies.end(), arrived), own.copies.end());
    });
}

void Checker::bulkStarts(const Warp& warp, const MicroOp& op, std::size_t lane, const BulkCopy& copy)
{
    BlockShadow& block = *warp.shadow;
    const auto pc = static_cast<std::uint32_t>(&op - m_image.ops.data());
    const auto thread = static_cast<std::uint32_t>(warp.index * kWarpSize + lane);
    if (block.fillers.empty())
        block.fillers.resize(block.shared.size());
    std::ranges::fill(part(block.fillers, copy.address, copy.bytes), BlockShadow::Filler{pc, thread, true});
    const auto known = std::ranges::find_if(block.bulks, [&](const BulkCopy& bulk) {
        return bulk.address == copy.address && bulk.barrier == copy.barrier;
    });
    if (known != block.bulks.end())
        known->bytes = std::max(known->bytes, copy.bytes);
    else
        block.bulks.push_back(copy);
}

void Checker::barrierSeen(const Warp& warp, std::uint64_t barrier)
{
    BlockShadow& block = *warp.shadow;
    for (const BulkCopy& bulk : block.bulks) {
        if (bulk.barrier != barrier)
            continue;
        for (BlockShadow::Filler& filler : part(block.fillers, bulk.address, bulk.bytes))
            if (filler.isBulk)
                filler = {};
    }
    std::erase_if(block.bulks, [&](const BulkCopy& bulk) { return bulk.barrier == barrier; });
}

/// Bytes that a copy may still be filling are nobody's to read or write, the thread's that started it neither.
void Checker::onTheWay(const RaceSide& side, const Warp& warp, std::uint64_t address, std::uint32_t bytes)
{
    const BlockShadow& block = *warp.shadow;
    const auto fillers = part(block.fillers, address, bytes);
    const auto found = std::ranges::find_if(fillers, [](const auto& filler) { return filler.pc != kNone; });
    if (found == fillers.end())
        return;
    m_findings.add("shared-race", side.pc, found->pc, [&] {
        Report report = reportOf("shared-race", side.pc, threadOf(m_blockDim, block.id, side.warp, side.lane));
        report.access = accessOf(*m_state.memory, Space::Shared, side.op, bytes, address);
        report.otherPlace = placeOf(m_image, found->pc);
        report.other = threadOf(m_blockDim, block.id, found->thread / kWarpSize, found->thread % kWarpSize);
        const std::string line = report.otherPlace->sourceLine != 0
                                     ? "line " + std::to_string(report.otherPlace->sourceLine)
                                     : "PTX line " + std::to_string(report.otherPlace->ptxLine);
        report.message = whoText(*report.thread) + (side.op == MemoryOp::Load ? " reads" : " writes") + " offset " +
                         std::to_string(address + static_cast<std::uint64_t>(found - fillers.begin())) +
                         " of shared memory, which the " + (found->isBulk ? "bulk" : "asynchronous") + " copy that " +
                         whoText(*report.other) + " started in " + line + " may still be filling: " +
                         (found->isBulk ? "nobody has waited for its mbarrier" : "that thread has not waited for it");
        report.lookFor =
            found->isBulk
                ? "A missing wait for the phase of the mbarrier (mbarrier.try_wait, barrier.wait()) in front of the "
                  "first use of the data."
                : "A missing or too lenient wait (cp.async.wait_group, __pipeline_wait_prior(), consumer_wait()) of "
                  "the threads that copy, in front of the __syncthreads() that shows the data to the others.";
        return report;
    });
}

} // namespace ridge::gpu::simt
