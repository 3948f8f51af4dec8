// SPDX-License-Identifier: GPL-3.0-or-later
// What went wrong, for the person who wrote the kernel.
#include "base/number_text.h"
#include "gpu/simt/run/cluster_run.h"

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

/// "40 s", "12 min", "3 h", "20 days".
std::string durationText(double seconds)
{
    constexpr double minute = 60, hour = 60 * minute, day = 24 * hour;
    const auto whole = [](double value) { return std::to_string(static_cast<std::uint64_t>(value + 0.5)); };
    return seconds < 2 * minute ? whole(seconds) + " s"
           : seconds < 2 * hour ? whole(seconds / minute) + " min"
           : seconds < 2 * day  ? whole(seconds / hour) + " h"
                                : whole(seconds / day) + " days";
}

std::string_view verb(MemoryOp op)
{
    return op == MemoryOp::Load ? "reads" : op == MemoryOp::Store ? "writes" : "updates";
}

} // namespace

std::string BlockRun::name() const
{
    return "block (" + std::to_string(m_blockId.x) + ", " + std::to_string(m_blockId.y) + ", " +
           std::to_string(m_blockId.z) + ")";
}

std::string BlockRun::placeText(std::uint32_t pc) const
{
    const OpPlace& place = m_image.places[pc];
    std::string text = "kernel " + m_image.name;
    if (place.sourceLine != 0)
        text += ", source line " + std::to_string(place.sourceLine);
    return text + ", PTX line " + std::to_string(place.ptxLine);
}

std::string BlockRun::threadText(const Warp& warp, std::uint32_t lane) const
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

Error BlockRun::faultError(const Warp& warp, std::uint32_t pc) const
{
    const Fault& fault = m_state->fault;
    m_state->stop = StopSite{pc, m_blockId, warp.index, fault.lane, fault};
    const std::string& text = m_image.texts[m_image.places[pc].text];
    const std::string who = threadText(warp, fault.lane) + ": " + text + " ";
    const std::string access = std::string(verb(fault.op)) + " " + std::to_string(fault.bytes) + " bytes at ";
    const bool isGlobal = fault.space == Space::Global || fault.space == Space::Const;
    const std::string place = placeText(pc);
    switch (fault.kind) {
    case Fault::Kind::OutOfBounds:
        if (isGlobal)
            return {"out-of-bounds", who + access + describeAddress(*m_state->memory, fault.address), place,
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
                    (isGlobal ? describeAddress(*m_state->memory, fault.address)
                              : "offset " + std::to_string(fault.address) + " of " + std::string(toText(fault.space)) +
                                    " memory") +
                    ", which is not a multiple of " + std::to_string(fault.bytes),
                place, "An access of n bytes needs an address that is a multiple of n; check casts to wider types."};
    case Fault::Kind::BadBarrier:
        if (fault.limit == 0)
            return {"launch-failed", who + "lets " + std::to_string(fault.address) + " threads meet at a barrier",
                    place, "The number of threads is a multiple of the warp's 32."};
        return {"launch-failed", who + "uses barrier " + std::to_string(fault.address), place,
                "A block has barriers 0 to 15."};
    case Fault::Kind::BadBranchIndex:
        return {"launch-failed",
                who + "jumps to entry " + std::to_string(fault.address) + " of a table of " +
                    std::to_string(fault.limit),
                place, "Check the value that the switch looks at."};
    case Fault::Kind::Assertion:
        return {"assertion-failed", threadText(warp, fault.lane) + ": " + m_state->faultText, place,
                "Look at the values that the assertion compares."};
    case Fault::Kind::BadFree:
        return {"out-of-bounds", who + "frees " + describeAddress(*m_state->memory, fault.address), place,
                "Free what malloc() in a kernel gave, once."};
    case Fault::Kind::NoSuchRank:
        return {"launch-failed",
                who + "asks for block " + std::to_string(fault.address) + " of its cluster, which has " +
                    std::to_string(fault.limit),
                place, "Ranks count from 0: check them against cluster.num_blocks(), and the cluster of the launch."};
    case Fault::Kind::ExitedBlock:
        return {"exited-block",
                who + access + "offset " + std::to_string(fault.address) + " of the shared memory of block " +
                    std::to_string(fault.limit) + " of its cluster, which has exited",
                place,
                "A block must not end while others still use its shared memory: let all meet at cluster.sync() before "
                "they return."};
    case Fault::Kind::ArrivedTwice:
        return {"launch-failed", who + "arrives at the cluster's barrier twice without waiting in between", place,
                "Each barrier.cluster.arrive needs a barrier.cluster.wait before the next one."};
    case Fault::Kind::NoArrival:
        return {"launch-failed", who + "waits at the cluster's barrier without having arrived", place,
                "Call barrier.cluster.arrive first, by the same threads."};
    case Fault::Kind::StackOverflow:
        return {"stack-overflow",
                who + "needs more than the " + std::to_string(fault.limit) + " bytes of a thread's call stack", place,
                "Look for a recursion without end, or make it shallower."};
    case Fault::Kind::StackTooSmall:
        return {"stack-overflow",
                who + "asks alloca for " + std::to_string(fault.address) + " bytes; of the " +
                    std::to_string(kAllocaBytes) + " that a thread has " + std::to_string(fault.limit) + " are left",
                place,
                "What alloca gives goes back when the function returns, not at the end of a loop's turn: call it in "
                "front of the loop, or give the array a constant size."};
    case Fault::Kind::BadStack:
        return {"launch-failed", who + "sets its stack to " + hexText(fault.address) + ", where it never was", place,
                "Restore what stacksave gave in the same function, unchanged."};
    case Fault::Kind::BadTensorMap:
        if (constexpr std::string_view memory = "tensor memory: "; m_state->faultText.starts_with(memory))
            return {"launch-failed", who + "misuses tensor memory: " + m_state->faultText.substr(memory.size()), place,
                    "Allocate columns with tcgen05.alloc before their first use and give back the same ones; a warp "
                    "reaches the 32 lanes of its place among four."};
        return {"launch-failed", who + "has no use for its tensor map: " + m_state->faultText, place,
                "Make the map with encodeTensorMap() and pass it as a __grid_constant__ parameter."};
    case Fault::Kind::NotPinned:
        return {"launch-failed", who + m_state->faultText, place,
                "Scale the values into that range, or round with .rn."};
    case Fault::Kind::BadFunction:
        return {"launch-failed", who + "calls " + hexText(fault.address) + ", which is no function", place,
                "Check the function pointer: one taken on the host does not work on the device."};
    default:
        return {"launch-failed", who + "stopped the kernel", place,
                "The kernel reached a trap: look for an assertion or __trap()."};
    }
}

Error clusterDeadlock(const std::vector<const BlockRun*>& waiting)
{
    Error all = waiting.front()->deadlockError();
    for (std::size_t at = 1; at < std::min<std::size_t>(waiting.size(), 4); ++at)
        all.message += "\n" + waiting[at]->deadlockError().message;
    if (waiting.size() > 4)
        all.message += "\nand " + std::to_string(waiting.size() - 4) + " more blocks of the cluster wait";
    const Cluster& cluster = waiting.front()->cluster();
    if (cluster.size() > 1) {
        all.message += "\n  the cluster has " + std::to_string(cluster.size()) + " blocks, " +
                       std::to_string(cluster.size() - waiting.size()) + " of them have exited";
        all.fix = "Every thread of the cluster must reach the same barrier: cluster.sync() inside an if that not all "
                  "blocks take the same way never opens.";
    }
    // The first one is where reports point to.
    static_cast<void>(waiting.front()->deadlockError());
    return all;
}

Error BlockRun::deadlockError() const
{
    std::string message = name() + " can never go on:";
    std::string place;
    std::size_t shown = 0;
    std::uint32_t exitedWarps = 0;
    m_state->stop = site();
    for (const Warp& warp : m_warps) {
        if (warp.live == 0) {
            ++exitedWarps;
            continue;
        }
        for (const Split& split : warp.splits) {
            const bool atBarrier = split.state == Split::State::AtBarrier;
            const std::uint32_t pc = atBarrier ? split.barrierOp : split.pc;
            if (place.empty())
                place = placeText(pc);
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

StopSite BlockRun::site() const
{
    StopSite found{kNone, m_blockId, 0, kNone, {}};
    for (const Warp& warp : m_warps) {
        for (const Split& split : warp.splits) {
            const bool loops = split.state == Split::State::Ready;
            if (found.pc != kNone && !loops)
                continue;
            const std::uint32_t pc = split.state == Split::State::AtBarrier ? split.barrierOp : split.pc;
            found = {pc, m_blockId, warp.index, static_cast<std::uint32_t>(std::countr_zero(split.mask)), {}};
            if (loops) // whoever waits at a barrier waits for this one
                return found;
        }
    }
    return found;
}

Error BlockRun::endlessError() const
{
    m_state->stop = site();
    std::string message = name() + " goes round in circles: registers, positions and memory are what they were before";
    std::size_t shown = 0;
    for (const Warp& warp : m_warps) {
        for (const Split& split : warp.splits) {
            if (split.state == Split::State::Ready && ++shown <= 16)
                message += "\n  warp " + std::to_string(warp.index) + ", " + lanesText(split.mask) + " loop at " +
                           placeText(split.pc);
        }
    }
    return {"endless-loop", std::move(message),
            m_state->stop->pc == kNone ? std::string() : placeText(m_state->stop->pc),
            "Look for a loop whose condition nothing in it changes, or a value that the compiler reads once because it "
            "is not volatile."};
}

Error BlockRun::budgetError(const Warp& warp, std::uint32_t pc) const
{
    const auto first = static_cast<std::uint32_t>(std::countr_zero(warp.active));
    m_state->stop = StopSite{pc, m_blockId, warp.index, first, {}};
    return {
        "instruction-limit",
        "the launch of '" + m_image.name + "' executed more than the " +
            std::to_string(m_state->options.mostInstructions) + " warp instructions it may; " +
            (warp.live == 0 ? "it had come to " + name() : threadText(warp, first) + " was still running there"),
        placeText(pc),
        "Look for a loop whose condition never becomes false; to go on beyond this place, allow more instructions."};
}

bool goesOn(LaunchState& state, LaunchControl& control)
{
    if (!control.goOn || !control.error)
        return false;
    const std::string code = control.error->code;
    if (code != "time-limit" && code != "instruction-limit" && code != "cycle-limit")
        return false;
    const auto asked = std::chrono::steady_clock::now();
    const bool wanted = control.goOn(*control.error);
    const auto answered = std::chrono::steady_clock::now();
    if (!wanted && control.stop && control.stop()) {
        control.error = Error{"cancelled", "the launch of '" + state.image->name + "' was cancelled", {}, {}};
        state.stop.reset();
    }
    if (!wanted)
        return false;
    if (code == "time-limit")
        control.clock = WorkClock();
    else
        control.clock.leaveOut(answered - asked);
    state.options.mostInstructions += code == "instruction-limit" ? control.moreInstructions : 0;
    state.options.mostCycles += code == "cycle-limit" ? control.moreCycles : 0;
    control.error.reset();
    state.stop.reset();
    return true;
}

bool BlockRun::endForBudget(bool ended)
{
    if (ended) {
        Warp& warp = m_warps.front();
        warp.active = 1;
        m_control->error = budgetError(warp, m_image.blocks.back().end);
        return true;
    }
    for (Warp& warp : m_warps) {
        if (warp.live == 0 || warp.splits.empty())
            continue;
        const Split& split = warp.splits.front();
        warp.active = split.mask;
        m_control->error = budgetError(warp, split.state == Split::State::AtBarrier ? split.barrierOp : split.pc);
        return true;
    }
    return false;
}

Error BlockRun::timeError(const Warp& warp, std::uint32_t pc) const
{
    const auto first = static_cast<std::uint32_t>(std::countr_zero(warp.active));
    m_state->stop = StopSite{pc, m_blockId, warp.index, first, {}};
    const std::string seconds = shortText(m_control->seconds) + " s";
    // Blocks start in order: where many have ended, the grid is large rather than a loop endless.
    const Dim3& grid = m_shape.grid;
    const std::uint64_t index = m_blockId.x + grid.x * (m_blockId.y + std::uint64_t{grid.y} * m_blockId.z);
    if (index > 2 * m_shape.residentBlocks && m_shape.cluster.count() == 1)
        return {"time-limit",
                "the launch of '" + m_image.name + "' took longer than " + seconds + "; it had come to block " +
                    std::to_string(index) + " of " + std::to_string(grid.count()),
                placeText(pc),
                "All blocks would take about " +
                    durationText(m_control->seconds * static_cast<double>(grid.count()) / static_cast<double>(index)) +
                    ": use a smaller grid, or raise the time limit."};
    return {"time-limit",
            "the launch of '" + m_image.name + "' took longer than " + seconds + "; " + threadText(warp, first) +
                " was still running there",
            placeText(pc),
            "Look for a loop whose condition never becomes false; else use a smaller problem or raise the time "
            "limit."};
}

} // namespace ridge::gpu::simt
