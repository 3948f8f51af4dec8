// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/ops.h"

namespace ridge::gpu::simt {

/// Whose value a lane asks for, and whether that lane lies in its segment; else it keeps its own.
struct ShuffleSource {
    std::uint32_t lane = 0;
    bool isInRange = false;
};

/// `b` and `c` are the lane's own operands of shfl: lane or distance, clamp and segment (PTX ISA, shfl.sync).
constexpr ShuffleSource shuffleSource(WarpOp mode, std::uint32_t lane, std::uint32_t b, std::uint32_t c)
{
    const std::uint32_t by = b & 31, clamp = c & 31, segment = c >> 8 & 31;
    const std::uint32_t first = lane & segment, last = first | (clamp & ~segment);
    switch (mode) {
    case WarpOp::ShuffleUp:
        return {lane - by,
                static_cast<std::int32_t>(lane) - static_cast<std::int32_t>(by) >= static_cast<std::int32_t>(last)};
    case WarpOp::ShuffleDown:
        return {lane + by, lane + by <= last};
    case WarpOp::ShuffleButterfly:
        return {lane ^ by, (lane ^ by) <= last};
    default:
        return {first | (by & ~segment), (first | (by & ~segment)) <= last};
    }
}

} // namespace ridge::gpu::simt
