// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of functions that are not inlined: a stack for each lane.
#include "gpu/simt/run/block_run.h"
#include "gpu/simt/run/ops.h"

#include <cstring>

namespace ridge::gpu::simt {

namespace {

std::uint64_t frameOf(const Warp& warp, std::uint32_t plane, std::size_t lane)
{
    return plane == kNone ? 0 : reinterpret_cast<const std::uint64_t*>(warp.file + plane)[lane];
}

template<bool ToCallee>
Step copyFrame(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    const std::uint64_t bytes = warp.launch->image->localBytes;
    for (; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
        const std::uint64_t frame = frameOf(warp, op.a, lane);
        const std::uint64_t mine = frame + op.b;
        const std::uint64_t theirs = frame + static_cast<std::uint64_t>(op.imm) + op.c;
        // Of a program without functions to call there is no stack: the call itself says what it was given.
        if (warp.launch->image->functions.empty())
            continue;
        if (theirs + op.flags > bytes - warp.launch->image->allocaBytes) {
            warp.launch->fault = {Fault::Kind::StackOverflow,       Space::Local, MemoryOp::Store, 0,
                                  static_cast<std::uint32_t>(lane), theirs,       kCallStackBytes};
            return Step::Fault;
        }
        std::byte* local = warp.local + lane * bytes;
        std::memcpy(local + (ToCallee ? theirs : mine), local + (ToCallee ? mine : theirs), op.flags);
    }
    return Step::Next;
}

/// Puts a lane's registers of a function aside, or back.
template<bool Save>
void moveRegisters(Warp& warp, const FunctionImage& function, std::size_t lane)
{
    std::vector<std::byte>& saved = warp.stacks[lane].saved;
    std::size_t bytes = function.predicatePages.size() * sizeof(std::uint32_t);
    for (const FunctionImage::Plane& plane : function.planes)
        bytes += plane.bytes;
    if (Save)
        saved.resize(saved.size() + bytes);
    std::byte* at = saved.data() + saved.size() - bytes;
    for (const FunctionImage::Plane& plane : function.planes) {
        std::byte* own = warp.file + plane.offset + lane * plane.bytes;
        std::memcpy(Save ? at : own, Save ? own : at, plane.bytes);
        at += plane.bytes;
    }
    for (const std::uint32_t page : function.predicatePages) {
        auto* words = reinterpret_cast<std::uint32_t*>(warp.file + page);
        std::uint32_t bits = 0;
        if (!Save)
            std::memcpy(&bits, at, sizeof bits);
        for (std::size_t word = 0; word < kWarpSize; ++word) {
            if (Save)
                bits |= (words[word] >> lane & 1) << word;
            else
                words[word] = (words[word] & ~(1u << lane)) | (bits >> word & 1) << lane;
        }
        if (Save)
            std::memcpy(at, &bits, sizeof bits);
        at += sizeof bits;
    }
    if (!Save)
        saved.resize(saved.size() - bytes);
}

} // namespace

OpFunction findFrameCopy(bool toCallee)
{
    return toCallee ? &copyFrame<true> : &copyFrame<false>;
}

/// Where each of the lanes goes on: one split for each place, the lowest first.
BlockRun::After BlockRun::scatter(Warp& warp, Split& split, const std::vector<Split>& unordered)
{
    std::vector<Split> parts = unordered;
    std::sort(parts.begin(), parts.end(), [](const Split& a, const Split& b) { return a.pc < b.pc; });
    m_state->counters.divergentBranches += parts.size() > 1 ? 1 : 0;
    split = parts.front();
    warp.splits.insert(warp.splits.end(), parts.begin() + 1, parts.end());
    return After::GoOn;
}

namespace {

void addLane(std::vector<Split>& parts, const Split& like, std::uint32_t pc, std::uint32_t mask)
{
    auto part = std::find_if(parts.begin(), parts.end(), [&](const Split& p) { return p.pc == pc; });
    if (part == parts.end()) {
        part = parts.insert(parts.end(), like);
        part->pc = pc;
        part->mask = 0;
    }
    part->mask |= mask;
}

} // namespace

BlockRun::After BlockRun::call(Warp& warp, const BasicBlock& block, Split& split)
{
    const MicroOp& op = m_image.ops[block.end];
    const std::uint32_t taken = guarded(warp, op, split.mask);
    std::vector<Split> parts;
    if (const std::uint32_t rest = split.mask & ~taken; rest != 0)
        addLane(parts, split, block.next, rest);
    if (warp.stacks.empty())
        warp.stacks.resize(kWarpSize);
    for (std::uint32_t left = taken; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        std::size_t index = op.flags;
        if (op.a != kNone) {
            const std::uint64_t pointer = reinterpret_cast<const std::uint64_t*>(warp.file + op.a)[lane];
            index = 0;
            while (index < m_image.functions.size() && m_image.functions[index].address != pointer)
                ++index;
            if (index == m_image.functions.size()) {
                m_state->fault = {Fault::Kind::BadFunction,
                                  Space::Global,
                                  MemoryOp::Load,
                                  0,
                                  static_cast<std::uint32_t>(lane),
                                  pointer,
                                  0};
                m_control->error = faultError(warp, block.end);
                return After::Stop;
            }
        }
        const FunctionImage& function = m_image.functions[index];
        const std::uint64_t frame = frameOf(warp, op.b, lane) + static_cast<std::uint64_t>(op.imm);
        if (frame + function.frameBytes > m_image.localBytes - m_image.allocaBytes) {
            m_state->fault = {Fault::Kind::StackOverflow,       Space::Local, MemoryOp::Store, 0,
                              static_cast<std::uint32_t>(lane), frame,        kCallStackBytes};
            m_control->error = faultError(warp, block.end);
            return After::Stop;
        }
        moveRegisters<true>(warp, function, lane);
        warp.stacks[lane].returns.push_back(block.next);
        reinterpret_cast<std::uint64_t*>(warp.file + function.frame)[lane] = frame;
        addLane(parts, split, function.entry, 1u << lane);
    }
    return scatter(warp, split, parts);
}

BlockRun::After BlockRun::returnFrom(Warp& warp, const BasicBlock& block, Split& split)
{
    const MicroOp& op = m_image.ops[block.end];
    const std::uint32_t taken = guarded(warp, op, split.mask);
    std::vector<Split> parts;
    if (const std::uint32_t rest = split.mask & ~taken; rest != 0)
        addLane(parts, split, block.next, rest);
    for (std::uint32_t left = taken; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        moveRegisters<false>(warp, m_image.functions[op.flags], lane);
        addLane(parts, split, warp.stacks[lane].returns.back(), 1u << lane);
        warp.stacks[lane].returns.pop_back();
    }
    return scatter(warp, split, parts);
}

} // namespace ridge::gpu::simt
