// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/extrapolate.h"

namespace ridge::gpu::simt {

/// A grid of equal blocks without a loop that could be cut.
struct WaveGrid {
    std::uint64_t blocks = 0;
    std::uint64_t resident = 1; ///< blocks that the chip holds: a wave
    std::uint64_t l2Lines = 0;
    double dramBytesPerCycle = 0; ///< as reached; 0: no bound
};

/// How long a wave takes once waves are alike.
struct WavePace {
    bool isKnown =
        false; ///< three waves have ended behind the first, or since L2 was full; six where DRAM is the bound
    bool isFilling = false;   ///< L2 is not full yet, and the grid will fill it
    double period = 0;        ///< cycles from the end of a block to that of the one a wave later
    double doubt = 0;         ///< of it, in cycles
    double dramReadBytes = 0; ///< that a wave moves
    double dramWriteBytes = 0;
};

/// From the cycles at which blocks ended (ascending) while others still began. The first wave starts together, and
/// while L2 fills nothing has to leave it for what comes: waves of that time are not looked at where the grid goes on
/// beyond it. What DRAM bounds swings slowly, by a few per cent. Ends of blocks come in steps, but over a whole wave
/// these even out. The doubt is how far later waves are from sooner ones, and twice the standard error of their mean.
WavePace paceOfWaves(const std::vector<std::uint64_t>& completions, const std::vector<MemorySample>& samples,
                     const WaveGrid& grid);

} // namespace ridge::gpu::simt
