// SPDX-License-Identifier: GPL-3.0-or-later
// A loop nest over the levels of a memory hierarchy, as Timeloop has them: which words each level reads, is filled with
// and is updated with, counted by walking through the nest.
//
// Terminology. A convolution has the dimensions of Dim. A level's loops, outermost first, cut what the level above
// gives it into the tiles of the level below; loops in space run on copies of the level below at the same time. A level
// keeps the tensors that it does not bypass.
#pragma once

#include "base/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ridge::accelerator {

/// R, S filter rows and columns; P, Q output rows and columns; C channels; K filters.
enum class Dim : std::uint8_t { R, S, P, Q, C, K };
inline constexpr std::size_t kDims = 6;
enum class Tensor : std::uint8_t { Weights, Inputs, Outputs };

struct MappingLoop {
    Dim dim = Dim::R;
    std::uint32_t bound = 1;
    bool space = false;
};

struct MappingLevel {
    std::string name;
    std::vector<MappingLoop> loops;              ///< outermost first
    std::array<bool, 3> keeps{true, true, true}; ///< by Tensor; the outermost level keeps all
    double readEnergy = 0, writeEnergy = 0;      ///< J a word
};

struct LevelCounts {
    /// Words, all copies together. Updates come from below; drains are outputs that leave for the level above.
    std::array<std::uint64_t, 3> reads{}, fills{}, updates{}, drains{};
};

struct MappingRun {
    std::uint64_t computes = 0, cycles = 0;
    std::vector<LevelCounts> levels; ///< as given, outermost first
    double energy = 0;               ///< J, multiply-adds included
};

/// Errors: "bad-mapping" (no level, a level without a tensor at the outermost, a bound of 0), "too-large" (more than
/// 2^24 steps to walk). `macEnergy` in J.
Result<MappingRun> runMapping(const std::vector<MappingLevel>& levels, double macEnergy);

} // namespace ridge::accelerator
