// SPDX-License-Identifier: GPL-3.0-or-later
// Gemmini (UC Berkeley): a 16 x 16 weight-stationary array with a scratchpad and an accumulator, driven by a loop of
// DMA loads, preloads, multiplications and stores that overlap.
#pragma once

#include "accelerator/systolic.h"

namespace ridge::accelerator {

/// Sizes are those of Gemmini's default configuration. The four constants in cycles are fitted to the four RTL runs of
/// NPUsim's repository (64, 128, 256, 512 cubed; docs/validation.md).
struct GemminiArray {
    std::uint32_t side = 16;
    std::uint64_t scratchpadRows = 16384, accumulatorRows = 1024; ///< of `side` words; half of each is in use by a tile
    double tileCycles = 16.517; ///< of one product of side^3: its rows, and what the controller loses between two
    double storeCycles = 68;    ///< of one result tile, 4.25 a row; only those of the last outer tile are not hidden
    double launchCycles = 1665; ///< until the first multiplication, and the last fence
    double dmaBytesPerCycle = 16;
};

struct GemminiRun {
    double cycles = 0;
    double compute = 0, dma = 0;
    std::uint64_t dramBytes = 0;
    std::uint32_t tileI = 1, tileJ = 1, tileK = 1; ///< outer tile, in sides
};

/// The outer tile is chosen as Gemmini's library does: square in the accumulator, as deep as the scratchpad allows,
/// then each side grown while it fits.
GemminiRun runGemmini(const GemminiArray& array, const Gemm& gemm);

} // namespace ridge::accelerator
