// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/block_run.h"
#include "gpu/simt/timing/timed_kernel.h"

namespace ridge::gpu::simt {

inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

/// The loop whose turns are told apart.
struct WatchedTurns {
    std::uint32_t end = kNoMicroOp;  ///< one past the branch back; kNoMicroOp: none
    std::uint32_t head = kNoMicroOp; ///< the micro-op to which it goes
};

/// What all SMs of a launch share and none of them changes.
struct SmSetup {
    const ChipTiming* chip = nullptr;
    const TimedKernel* kernel = nullptr;
    const PhaseBook* phases = nullptr; ///< changes between epochs only
    std::uint32_t l1Bytes = 0;
    std::uint64_t firstEvent = 0; ///< cycles of the event window
    std::uint64_t endEvent = 0;
    std::size_t eventCapacity = 0; ///< of one SM; the last ones are kept
    std::uint32_t watchSms = 0;    ///< TimingOptions::watchSms
    WatchedTurns turns;
};

} // namespace ridge::gpu::simt
