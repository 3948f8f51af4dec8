// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "silicon/chip.h"

namespace ridge::silicon {

/// What holds the number of blocks per SM down.
enum class Limiter { Warps, Registers, SharedMemory, Blocks, Barriers };

std::string_view toText(Limiter limiter); ///< "warps", "registers", "shared memory", "blocks", "barriers"

struct Occupancy {
    std::uint32_t blocksPerSm = 0;
    std::uint32_t warpsPerSm = 0;
    double fraction = 0;                            ///< warpsPerSm / the SM's warp slots
    std::vector<Limiter> limiters;                  ///< all that allow no more than blocksPerSm
    std::map<Limiter, std::uint32_t> blocksAllowed; ///< by each resource that the kernel uses
    std::uint32_t allocatedRegistersPerBlock = 0;   ///< after rounding
    std::uint32_t allocatedSharedBytesPerBlock = 0; ///< with the reserve, after rounding
};

/// Theoretical occupancy with the largest shared-memory carveout. Registers are given to whole warps, in units of
/// registerGranularityPerWarp and separately in each sub-partition; shared memory to whole blocks, with the reserve,
/// in units of sharedGranularityBytes. Agrees with NVIDIA's cuda_occupancy.h (tests/silicon/tst_occupancy.cpp).
/// `barriers`: named barriers the block uses; one for a plain __syncthreads(); they are a limiter only
/// where they allow fewer blocks than the SM has slots.
/// Errors: "bad-launch", naming the resource and the legal value, for a block that cannot run at all.
Result<Occupancy> occupancy(const ChipLimits& limits, std::uint32_t threadsPerBlock, std::uint32_t registersPerThread,
                            std::uint32_t sharedBytesPerBlock, std::uint32_t barriers = 1);

} // namespace ridge::silicon
