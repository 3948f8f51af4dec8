// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "gpu/device.h"

#include <chrono>
#include <optional>

namespace ridge::gpu::simt {

/// Sizes of a launch that has passed all checks.
struct LaunchShape {
    Dim3 grid;
    Dim3 block;
    std::uint32_t sharedBytes = 0; ///< static and dynamic
    std::uint32_t dynamicSharedBytes = 0;
    std::uint32_t smCount = 1;
    std::uint64_t residentBlocks = 1; ///< that the chip holds at the same time
};

/// What can end a launch from outside, and the error that did. One for all blocks of a launch.
struct LaunchControl {
    StopRequested stop;
    std::chrono::steady_clock::time_point deadline;
    double seconds = 0; ///< the limit, for the message
    std::int64_t untilPoll = 0;
    std::optional<Error> error;
};

inline LaunchControl controlFor(StopRequested stop, double seconds)
{
    const auto limit = std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e9));
    LaunchControl control;
    control.stop = std::move(stop);
    control.deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(limit);
    control.seconds = seconds;
    return control;
}

} // namespace ridge::gpu::simt
