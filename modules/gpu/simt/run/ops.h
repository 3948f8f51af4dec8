// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

/// Load, store or atomic; null where the form is not supported.
OpFunction findMemoryOp(const MemoryDetail& detail);

/// Instructions in which lanes of a warp look at each other. MicroOp::imm is the plane of the member mask.
enum class WarpOp : std::uint8_t {
    ShuffleUp,
    ShuffleDown,
    ShuffleButterfly,
    ShuffleIndex, ///< a value, b lane, c clamp and segment, e predicate
    VoteAll,
    VoteAny,
    VoteUniform,
    VoteBallot, ///< a predicate, flags bit 0 negates it
    MatchAny32,
    MatchAny64,
    MatchAll32,
    MatchAll64, ///< a value, e predicate (all)
    ReduceAdd,
    ReduceMinSigned,
    ReduceMinUnsigned,
    ReduceMaxSigned,
    ReduceMaxUnsigned,
    ReduceAnd,
    ReduceOr,
    ReduceXor,
    ReduceMinFloat, ///< flags: ReduceFlags
    ReduceMaxFloat,
    ActiveMask,
    Sync,  ///< bar.warp.sync
    Fence, ///< membar, fence, nanosleep: nothing to order here, but a sign of waiting for another thread
};
enum ReduceFlags : std::uint32_t { kReduceAbs = 1, kReduceNan = 2 };
OpFunction findWarpOp(WarpOp op);
bool isWarpOp(OpFunction run); ///< one of them

/// Moves `flags` bytes of local memory between offset b past the caller's frame (plane a, kNone: 0) and offset c past
/// the callee's, which starts imm bytes later: to the callee, or back (run/calls.cpp).
OpFunction findFrameCopy(bool toCallee);

} // namespace ridge::gpu::simt
