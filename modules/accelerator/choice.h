// SPDX-License-Identifier: GPL-3.0-or-later
// One workload on machines of every kind, by what their datasheets allow: chips, bound, latency, energy.
#pragma once

#include "base/result.h"

#include <string>

namespace ridge::accelerator {

enum class ChoiceKind {
    Memory, ///< weights in DRAM or HBM of each chip; chips share every layer
    Lpu,    ///< weights in SRAM of a chain of chips, installed in arrays when used
    Wafer,  ///< weights in SRAM of a wafer where they fit, else streamed in
};

struct ChoiceMachine {
    std::string id, title;
    ChoiceKind kind = ChoiceKind::Memory;
    double flopsPerS = 0;       ///< dense, in the workload's format, of a chip
    double bytesPerS = 0;       ///< of the memory that holds weights; Lpu: at which they are installed
    double memoryBytes = 0;     ///< of a chip, for weights and caches
    double streamBytesPerS = 0; ///< Wafer: into it
    double linkBytesPerS = 0;   ///< one way; 0: not known, and nothing is counted
    double watts = 0;           ///< of a chip at full load; 0: not known
    bool scales = true;         ///< false: there is one chip, as in a laptop
};

/// What a step needs. Weights are read once a step.
struct ChoiceWork {
    double flops = 0, weightBytes = 0, stateBytes = 0; ///< state: caches that are read
    double exchangeBytes = 0; ///< that each chip sends to share a step with others; nothing on one chip
    double exchanges = 0;     ///< one after the other
    double results = 1;       ///< tokens or images of a step
};

enum class ChoiceBound { Compute, Memory, Link };

struct ChoiceRun {
    bool possible = true; ///< it fits as many chips as may be used
    double chips = 1;
    double time = 0; ///< s of a step
    double compute = 0, memory = 0, link = 0;
    ChoiceBound bound = ChoiceBound::Memory;
    double utilization = 0; ///< of all chips' peak
    double resultsPerS = 0;
    double joules = 0;                ///< of a result; 0: power not known
    double breakEvenFlopsPerByte = 0; ///< ridge
};

/// Least chips that hold the weights and caches, at least `chips`. Time: Memory: the longer of arithmetic and bytes,
/// over all chips, and what they send, with `exchangeSeconds` each time. Lpu: stages one after another, so that
/// every weight is installed once, over all chips `atOnce` of a stage, or arithmetic. Wafer: SRAM or arithmetic where
/// the weights fit; else the stream. Errors: "bad-machine" where a rate is 0.
Result<ChoiceRun> runChoice(const ChoiceMachine& machine, const ChoiceWork& work, double chips, double atOnce,
                            double exchangeSeconds);

} // namespace ridge::accelerator
