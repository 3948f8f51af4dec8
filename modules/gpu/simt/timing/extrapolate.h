// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace ridge::gpu::simt {

/// The steady state of a launch that was not simulated to its end.
struct Steady {
    bool known = false;
    double cyclesPerBlock = 0; ///< of the whole chip
    double deviation = 0;      ///< standard error of cyclesPerBlock, from wave to wave
    std::size_t first = 0;     ///< the block behind whose end it begins
};

/// What L2 and DRAM had done by the end of a block.
struct MemorySample {
    std::uint64_t dramBytes = 0;  ///< read and written
    std::uint64_t heldBytes = 0;  ///< written to L2 and not yet to DRAM
    std::uint64_t freshLines = 0; ///< places of L2 that are no longer empty
    std::uint64_t executed = 0;   ///< warp instructions of all blocks that have ended
    std::uint64_t dramReadBytes = 0;
};

/// The blocks that were not timed.
struct Rest {
    double blocks = 0;
    double executed = 0; ///< their warp instructions, from functional execution
};

/// What bounds a launch that goes on for ever.
struct MemoryBounds {
    double dramBytesPerCycle = 0; ///< as reached
    std::uint64_t l2Lines = 0;
};

/// From the cycles at which blocks ended (ascending), leaving out the first `resident` of them, which started
/// together, and of four further waves and more the first half. Known from one whole further wave on.
Steady steadyState(const std::vector<std::uint64_t>& completions, std::uint64_t resident);

/// Cycles that the rest takes. An L2 that still fills swallows what they write; once it is full, as much as
/// they write has to leave it, and no block is done sooner than DRAM moves its share. `samples`: one for each block
/// that ended.
/// Blocks that execute more or less than those of the steady state take longer or shorter in proportion.
double restCycles(const Steady& steady, const std::vector<MemorySample>& samples, const MemoryBounds& bounds,
                  const Rest& rest);

/// Half of a 95 % interval of those cycles: what the waves differ by, and half of what the proportion above changes.
double restDoubt(const Steady& steady, const std::vector<MemorySample>& samples, const Rest& rest);

} // namespace ridge::gpu::simt
