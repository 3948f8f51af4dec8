// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/engine.h"
#include "gpu/simt/timing/part_report.h"

namespace ridge::gpu::simt {

/// Warp instructions of a launch from which Estimate::Auto times a part of it.
inline constexpr std::uint64_t kMuchWork = 50'000'000;

/// What a launch is timed with.
struct PartSetup {
    const LaunchState& state; ///< fresh
    const LaunchShape& shape;
    const MachineKernel& machine;
    const ChipTiming& chip;
    LaunchControl& control;
};

/// Times some waves of a grid of equal blocks and some turns of their hottest loop, and draws the rest
/// (docs/chip-timing.md, "Launches timed in part"). Memory is as it was before. Nothing comes back where Estimate::Auto
/// asks for it and the launch is little work, or is not such a grid. Errors: "not-estimable" (Estimate::Always, and
/// why), those of Executor::run and TimingEngine::run.
Result<std::optional<PartTimed>> timePart(const PartSetup& setup);

} // namespace ridge::gpu::simt
