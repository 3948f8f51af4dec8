// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the multi-function unit (MUFU) of an NVIDIA H200; lane_mufu.h computes with them.
//
// All rows were solved for as whole numbers on results recorded on an H200 on 2026-11-27: all inputs of 18 binades
// (151 million results) and 512 inputs of every sign and exponent in each of the 15 forms of f32. All recorded results
// are equal, bit for bit, and no other row near the best quadratic gives those of its segment. Every input of a segment
// was recorded but for tanh outside [1, 2), which rests on 512 inputs an octave. The promises of PTX still hold but for
// a few cosines (`oracle --approximate`; docs/validation.md). No other chip was measured; the simulator uses this unit
// for all.
#pragma once

#include <cstdint>

namespace ridge::gpu::simt::mufu {

/// A quadratic over one segment; how far each term is shifted differs by function.
struct Row {
    std::int32_t c0;
    std::int32_t c1;
    std::int32_t c2;
};

// Plain arrays: an operator that the linker may take from a build for a newer processor has no place in the lanes.
extern const Row kReciprocal[128];
extern const Row kInverseRoot[128]; ///< of [1, 2), then of [2, 4); so is kRoot
extern const Row kRoot[128];
extern const Row kPower[64];
extern const Row kLogarithm[64];
extern const Row kSine[64];    ///< of a quarter of a turn
extern const Row kTangent[51]; ///< octaves from 2^-8 to 2^2, each of 1 to 16 rows
/// By octave: its first row; from bit 8 on log2 of its rows; from bit 16 on log2 of what a step of c0 is worth.
extern const std::uint32_t kTangentOctaves[11];

} // namespace ridge::gpu::simt::mufu
