// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/chip_timing.h"
#include "gpu/timing_report.h"

namespace ridge::gpu::simt {

/// What a block asks of an SM.
struct BlockNeeds {
    std::uint32_t threads = 1;
    std::uint32_t registersPerThread = 0;
    std::uint32_t sharedBytes = 0;
};

/// Blocks an SM holds, by NVIDIA's granularities (the rules of cuda_occupancy.h), and the carveout: the smallest legal
/// share of shared memory that holds as many blocks as the other limits allow. `achieved` is left at 0. A block that
/// does not fit at all gives blocksPerSm 0 and the limiter.
OccupancyTiming residency(const ChipTiming& chip, const BlockNeeds& needs);

} // namespace ridge::gpu::simt
