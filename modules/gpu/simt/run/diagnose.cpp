// SPDX-License-Identifier: GPL-3.0-or-later
// What went wrong, for the person who wrote the kernel.
#include "gpu/simt/run/executor.h"

namespace ridge::gpu::simt {

namespace {

std::string lanesText(std::uint32_t mask)
{
    if (mask == ~std::uint32_t{0})
        return "all lanes";
    std::string text;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        if ((mask >> lane & 1) == 0)
            continue;
        int last = lane;
        while (last + 1 < kWarpSize && (mask >> (last + 1) & 1) != 0)
            ++last;
        text += (text.empty() ? "lane " : ", ") + std::to_string(lane);
        if (last > lane)
            text += "-" + std::to_string(last);
        lane = last;
    }
    return text;
}

std::string_view verb(MemoryOp op)
{
    return op == MemoryOp::Load ? "reads" : op == MemoryOp::Store ? "writes" : "updates";
}

} // namespace

std::string Executor::placeText(std::uint32_t pc) const
{
    const OpPlace& place = m_image.places[pc];
    std::string text = "kernel " + m_image.name;
    if (place.sourceLine != 0)
        text += ", source line " + std::to_string(place.sourceLine);
    return text + ", PTX line " + std::to_string(place.ptxLine);
}

std::string Executor::threadText(const Warp& warp, std::uint32_t lane) const
{
    const std::uint32_t thread = warp.index * kWarpSize + lane;
    const Dim3& b = m_shape.block;
    const auto triple = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
        return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
    };
    return "block " + triple(m_blockId.x, m_blockId.y, m_blockId.z) + ", thread " +
           triple(thread % b.x, thread / b.x % b.y, thread / b.x / b.y) + " (warp " + std::to_string(warp.index) +
           ", lane " + std::to_string(lane) + ")";
}

Error Executor::faultError(const Warp& warp, std::uint32_t pc) const
{
    const Fault& fault = m_state.fault;
    m_state.stop = StopSite{pc, m_blockId, warp.index, fault.lane, fault};
    const std::string& text = m_image.texts[m_image.places[pc].text];
    const std::string who = threadText(warp, fault.lane) + ": " + text + " ";
    const std::string access = std::string(verb(fault.op)) + " " + std::to_string(fault.bytes) + " bytes at ";
    const bool isGlobal = fault.space == Space::Global || fault.space == Space::Const;
    const std::string place = placeText(pc);
    switch (fault.kind) {
    case Fault::Kind::OutOfBounds:
        if (isGlobal)
            return {"out-of-bounds", who + access + describeAddress(*m_state.memory, fault.address), place,
                    "Check the index against the number of elements, the guard of the last block (if (i < n)), and "
                    "that the buffer is still allocated."};
        return {"out-of-bounds",
                who + access + "offset " + std::to_string(fault.address) + " of " + std::string(toText(fault.space)) +
                    " memory, which has " + std::to_string(fault.limit) + " bytes here",
                place,
                fault.space == Space::Shared ? "Check the index against the size of the shared array, and that the "
                                               "launch gives enough dynamic shared memory."
                                             : "Check the index against the size of the array."};
    case Fault::Kind::Misaligned:
        return {"misaligned",
                who + access +
                    (isGlobal ? describeAddress(*m_state.memory, fault.address)
                              : "offset " + std::to_string(fault.address) + " of " + std::string(toText(fault.space)) +
                                    " memory") +
                    ", which is not a multiple of " + std::to_string(fault.bytes),
                place, "An access of n bytes needs an address that is a multiple of n; check casts to wider types."};
    case Fault::Kind::BadBarrier:
        return {"launch-failed", who + "uses barrier " + std::to_string(fault.address), place,
                "A block has barriers 0 to 15."};
    case Fault::Kind::BadBranchIndex:
        return {"launch-failed",
                who + "jumps to entry " + std::to_string(fault.address) + " of a table of " +
                    std::to_string(fault.limit),
                place, "Check the value that the switch looks at."};
    default:
        return {"launch-failed", who + "stopped the kernel", place,
                "The kernel reached a trap: look for an assertion or __trap()."};
    }
}

Error Executor::deadlockError() const
{
    std::string message = "block (" + std::to_string(m_blockId.x) + ", " + std::to_string(m_blockId.y) + ", " +
                          std::to_string(m_blockId.z) + ") can never go on:";
    std::string place;
    std::size_t shown = 0;
    std::uint32_t exitedWarps = 0;
    m_state.stop = StopSite{kNone, m_blockId, 0, kNone, {}};
    for (const Warp& warp : m_warps) {
        if (warp.live == 0) {
            ++exitedWarps;
            continue;
        }
        for (const Split& split : warp.splits) {
            const bool atBarrier = split.state == Split::State::AtBarrier;
            const std::uint32_t pc = atBarrier ? split.barrierOp : split.pc;
            if (place.empty()) {
                place = placeText(pc);
                m_state.stop = StopSite{
                    pc, m_blockId, warp.index, static_cast<std::uint32_t>(std::countr_zero(split.mask)), {}};
            }
            if (++shown > 16)
                continue;
            const OpPlace& where = m_image.places[pc];
            message += "\n  warp " + std::to_string(warp.index) + ", " + lanesText(split.mask) + " wait at " +
                       m_image.texts[where.text];
            message += where.sourceLine != 0 ? " in source line " + std::to_string(where.sourceLine)
                                             : " in PTX line " + std::to_string(where.ptxLine);
            if (!atBarrier)
                message += " for " + lanesText(split.waitMask & warp.live & ~split.mask);
        }
        if (const std::uint32_t exited = warp.threads & ~warp.live; exited != 0)
            message += "\n  warp " + std::to_string(warp.index) + ", " + lanesText(exited) + " have exited";
    }
    if (shown > 16)
        message += "\n  … and " + std::to_string(shown - 16) + " more groups of lanes wait";
    if (exitedWarps != 0)
        message += "\n  " + std::to_string(exitedWarps) + " warps have exited";
    return {"barrier-deadlock", std::move(message), std::move(place),
            "Every thread of the block must reach the same barrier: move it out of the if, or let threads that have "
            "nothing to do reach it too."};
}

/// The block's state came back: it will do so for ever.
Error Executor::stuckError() const
{
    std::string message = "block (" + std::to_string(m_blockId.x) + ", " + std::to_string(m_blockId.y) + ", " +
                          std::to_string(m_blockId.z) + ") goes round in circles: registers, positions and memory are "
                          "exactly what they were before";
    std::string place;
    for (const Warp& warp : m_warps) {
        for (const Split& split : warp.splits) {
            if (split.state != Split::State::Ready)
                continue;
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(split.mask));
            if (place.empty()) {
                place = placeText(split.pc);
                m_state.stop = StopSite{split.pc, m_blockId, warp.index, lane, {}};
            }
            message += "\n  warp " + std::to_string(warp.index) + ", " + lanesText(split.mask) + " loop at " +
                       placeText(split.pc);
        }
    }
    const std::uint64_t blocks = m_shape.grid.count();
    if (!m_watch.looksAtGlobal(m_state) || blocks == 1)
        return {"endless-loop", std::move(message), std::move(place),
                "Look for a loop whose condition nothing in it changes, or a lock that its owner never gives back."};
    if (blocks > m_shape.residentBlocks)
        return {"never-resident-block",
                message + "\nIt waits for memory that another block must write. The grid has " + std::to_string(blocks) +
                    " blocks, the chip holds " + std::to_string(m_shape.residentBlocks) + " at once: block " +
                    std::to_string(m_shape.residentBlocks) + " can never start while the others wait",
                std::move(place),
                "A block may only wait for blocks that are on the chip with it: launch at most " +
                    std::to_string(m_shape.residentBlocks) + " blocks, or end the kernel where all must meet."};
    return {"endless-loop",
            message + "\nIt waits for memory that another block must write; blocks run one after another here",
            std::move(place),
            "If nothing writes that memory, the wait never ends. If a block with a higher number does, a GPU would "
            "start it beside this one, which functional execution does not."};
}

Error Executor::timeError(const Warp& warp, std::uint32_t pc) const
{
    const auto first = static_cast<std::uint32_t>(std::countr_zero(warp.active));
    m_state.stop = StopSite{pc, m_blockId, warp.index, first, {}};
    std::array<char, 32> seconds{};
    std::snprintf(seconds.data(), seconds.size(), "%g s", m_seconds);
    return {"time-limit",
            "the launch of '" + m_image.name + "' took longer than " + seconds.data() + "; " +
                threadText(warp, first) +
                " was still running there",
            placeText(pc),
            "Look for a loop whose condition never becomes false, or a wait for another block (blocks run one after "
            "another here); else use a smaller problem or raise the time limit."};
}

} // namespace ridge::gpu::simt
