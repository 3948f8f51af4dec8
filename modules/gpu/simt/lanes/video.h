// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lanes/lanes.h"

#include <array>

namespace ridge::gpu::simt {

/// What PTX calls video instructions: arithmetic on bytes, half-words or words picked out of 32-bit registers, widened,
/// clamped, and combined with or merged into a third operand.
struct VideoSpec {
    enum class Kind : std::uint8_t { Add, Sub, AbsDiff, Min, Max, Average, Shl, Shr, Set, Mad };
    enum class Second : std::uint8_t { None, Add, Min, Max };
    /// What an operand of a scalar form names. Word: all of it.
    enum class Part : std::uint8_t { B0, B1, B2, B3, H0, H1, Word };

    Kind kind = Kind::Add;
    std::uint8_t elements = 1; ///< 1: scalar forms; 2 and 4: vadd2, vadd4 …
    bool signedD = false, signedA = false, signedB = false;
    bool saturate = false;
    Second second = Second::None;
    bool clampShift = false; ///< .clamp rather than .wrap
    Compare compare = Compare::Eq;
    bool negateProduct = false, negateC = false, plusOne = false; ///< Mad
    std::uint8_t scale = 0;                                       ///< Mad: 0, 7 or 15
    Part a = Part::Word, b = Part::Word, d = Part::Word;          ///< scalar forms
    std::array<std::uint8_t, 4> pickA{}, pickB{};                 ///< which element of {b, a} each element reads
    std::uint8_t mask = 0;                                        ///< elements of the result that are computed
};
/// For MicroOp::imm.
std::int64_t packVideo(const VideoSpec& spec);
VideoSpec unpackVideo(std::int64_t bits);

/// d = the instruction of imm on a, b and c.
OpFunction findVideoOp();

} // namespace ridge::gpu::simt
