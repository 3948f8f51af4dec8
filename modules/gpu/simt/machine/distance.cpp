// SPDX-License-Identifier: GPL-3.0-or-later
// Cycles that stand between instructions of one warp. Source: control fields of what ptxas 13.0 makes of the
// development corpus for 7.5, 8.0, 9.0 and 12.0 (docs/validation.md, "Lowering to machine instructions").
#include "gpu/simt/machine/draft.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

constexpr int kGuard = 13; ///< from a predicate to what it guards; Volta and Turing: one less
constexpr int kAddress = 5;
constexpr int kAddressBefore80 = 8;
constexpr int kBetweenPipes = 1; ///< beyond the latency within one
constexpr int kMemoryQueue = 4;
constexpr int kSpecialUnit = 8;
constexpr int kConstantQueue = 8;
constexpr int kBarrierToMemory = 6;

bool isArithmetic(Pipe pipe)
{
    return pipe == Pipe::Alu || pipe == Pipe::Fma;
}

bool isMemoryQueue(Pipe pipe)
{
    return pipe == Pipe::Lsu || pipe == Pipe::Shared || pipe == Pipe::Shuffle;
}

} // namespace

int resultDistance(const Draft& from, const Draft& to, std::uint32_t id, int latency, int computeCapability)
{
    if (to.guard == id)
        return std::max(latency, computeCapability < 80 ? kGuard - 1 : kGuard);
    if (!isArithmetic(from.pipe))
        return latency;
    if (isArithmetic(to.pipe))
        return latency + (from.pipe != to.pipe ? kBetweenPipes : 0);
    if (isMemoryQueue(to.pipe))
        return std::max(latency, computeCapability < 80 ? kAddressBefore80 : kAddress);
    return latency;
}

int pipeDistance(Pipe from, Pipe to)
{
    if (isMemoryQueue(from) && isMemoryQueue(to))
        return kMemoryQueue;
    if (from == Pipe::Xu && to == Pipe::Xu)
        return kSpecialUnit;
    if (from == Pipe::Constant && to == Pipe::Constant)
        return kConstantQueue;
    if (from == Pipe::Barrier && (isMemoryQueue(to) || to == Pipe::Branch))
        return kBarrierToMemory;
    return 1;
}

} // namespace ridge::gpu::simt
