// SPDX-License-Identifier: GPL-3.0-or-later
// What SCALE-Sim 3.0.0 prints for a layer, without its traces: cycles, buffer
// accesses, DRAM accesses and stalls. The rules were read in its source (commit
// 1d62b68) and are stated where they are surprising; a run of its own is the
// oracle of the tests. This is a second opinion about an array and not the
// truth about one: weights are loaded with the array idle, partial sums go to
// DRAM and do not come back (docs/validation.md).
#pragma once

#include "accelerator/systolic.h"

#include <functional>

namespace ridge::accelerator {

struct ScaleSimSetup {
    Array array;
    Dataflow dataflow = Dataflow::OutputStationary;
    std::uint64_t bufferBytes[3] = {65536, 65536, 65536}; ///< of A, B, C; half is being filled
    std::uint32_t word = 1;                               ///< bytes; SCALE-Sim itself has 1
    /// USER: DRAM moves `readWords` and `writeWords` a cycle and may stall the
    /// array. CALC: it is asked what it would have to move; reads never stall.
    bool user = false;
    std::uint32_t readWords[2] = {10, 10}; ///< of A and B; SCALE-Sim's Ifmap- and FilterSRAMBankBandwidth
    std::uint32_t writeWords = 10;         ///< SCALE-Sim's Bandwidth, which slows writes only
};

struct ScaleSimRun {
    std::uint64_t cycles = 0; ///< "Total Cycles": the number of the last cycle, stalls included
    std::uint64_t stalls = 0;
    double overallUtilization = 0; ///< multiplications over PEs x Total Cycles, 0 to 1
    double mappingEfficiency = 0;  ///< used PEs, mean of the folds
    SramCounts sram;               ///< with SCALE-Sim's own count of writes: os adds rows + columns a fold
    std::uint64_t dramA = 0, dramB = 0, dramWrites = 0;
};

/// Cycles and buffer accesses of a CALC run, from three products. DRAM counts are 0.
ScaleSimRun scaleSimClosed(const ScaleSimSetup& setup, const Gemm& gemm);

/// Everything. `keepOn` is asked every few thousand cycles. Errors: "bad-array",
/// "bad-layer", "too-large" (more than 2^32 words through the buffers, 2^31
/// cycles, or an operand of more than 2^27 words, 2^25 in USER), "cancelled".
Result<ScaleSimRun> scaleSim(const ScaleSimSetup& setup, const Conv& conv, const std::function<bool()>& keepOn = {});

} // namespace ridge::accelerator
