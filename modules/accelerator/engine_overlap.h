// SPDX-License-Identifier: GPL-3.0-or-later
// Engines of one chip that work on slices of a graph at the same time: matrix engine, vector cores, network.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <vector>

namespace ridge::accelerator {

/// An operation of a chain: each needs the one before it, slice by slice.
struct EngineOp {
    std::uint32_t engine = 0; ///< below kMostEngines
    double seconds = 0;       ///< of the whole
};

struct EngineSpan {
    std::uint32_t op = 0, slice = 0;
    double begin = 0, end = 0;
};

struct EngineRun {
    static constexpr std::uint32_t kMostEngines = 4;
    double time = 0;
    double busy[kMostEngines] = {};
    std::vector<EngineSpan> spans; ///< by begin
};

/// Slices run as soon as their engine is free and the same slice of the operation before is done; of those that can,
/// the lowest slice, then the earliest operation. `overhead` is paid by each slice of each operation. Slices 1: one
/// thing after the other. Errors: "bad-graph" for no or more than kMostEngineSpans pieces, or an unknown engine.
Result<EngineRun> runEngines(const std::vector<EngineOp>& ops, std::uint32_t slices, double overhead = 0);
inline constexpr std::uint64_t kMostEngineSpans = 1u << 17;

} // namespace ridge::accelerator
