// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/work_clock.h"
#include "gpu/open_choices.h"

#include <optional>

namespace ridge::gpu::simt {

struct LaunchState; // gpu/simt/run/state.h

/// Sizes of a launch that has passed all checks.
struct LaunchShape {
    Dim3 grid;
    Dim3 block;
    std::uint32_t sharedBytes = 0; ///< static and dynamic
    std::uint32_t dynamicSharedBytes = 0;
    std::uint32_t smCount = 1;
    std::uint64_t residentBlocks = 1; ///< that the chip holds at the same time
    Dim3 cluster;                     ///< blocks of a cluster; it divides the grid
    bool explicitCluster = false;     ///< kernel or launch gave it
    OpenChoices choices;

    std::uint64_t clusters() const { return grid.count() / cluster.count(); }
};

/// Linear index of the block with rank `rank` in the `index`th cluster; x runs fastest in both.
inline std::uint64_t blockOfCluster(const LaunchShape& shape, std::uint64_t index, std::uint32_t rank)
{
    const Dim3& c = shape.cluster;
    const std::uint64_t across = shape.grid.x / c.x, down = shape.grid.y / c.y;
    const std::uint64_t x = index % across * c.x + rank % c.x;
    const std::uint64_t y = index / across % down * c.y + rank / c.x % c.y;
    const std::uint64_t z = index / across / down * c.z + rank / c.x / c.y;
    return x + shape.grid.x * (y + shape.grid.y * z);
}

inline std::uint64_t clusterOfBlock(const LaunchShape& shape, std::uint64_t block)
{
    const Dim3& c = shape.cluster;
    const std::uint64_t x = block % shape.grid.x / c.x;
    const std::uint64_t y = block / shape.grid.x % shape.grid.y / c.y;
    const std::uint64_t z = block / shape.grid.x / shape.grid.y / c.z;
    return x + shape.grid.x / c.x * (y + shape.grid.y / c.y * z);
}

/// What can end a launch from outside, and the error that did. One for all blocks of a launch.
struct LaunchControl {
    StopRequested stop;
    WorkClock clock;    ///< since the launch began, or went on
    double seconds = 0; ///< the limit
    bool timeIsUp() const { return clock.past(seconds); }
    std::int64_t untilPoll = 0;
    std::optional<Error> error;
    std::function<bool(const Error&)> goOn; ///< DeviceOptions::goOn
    std::uint64_t moreInstructions = 0;     ///< what goOn() adds to LaunchOptions::mostInstructions …
    std::uint64_t moreCycles = 0;           ///< … and mostCycles
};

/// Where the error is that a budget is spent: whether somebody wants the launch to go on. Then there is no error any
/// more. Who cancels it while it stands still makes "cancelled" of it.
bool goesOn(LaunchState& state, LaunchControl& control);

inline LaunchControl controlFor(StopRequested stop, double seconds)
{
    LaunchControl control;
    control.stop = std::move(stop);
    control.seconds = seconds;
    return control;
}

} // namespace ridge::gpu::simt
