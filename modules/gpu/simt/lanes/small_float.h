// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lanes/lanes.h"

#include <bit>

namespace ridge::gpu::simt {

/// Half precision (binary16) and bfloat16 as bit patterns. Every value of either is exact in a double.
double halfToDouble(std::uint16_t bits);
double bfloatToDouble(std::uint16_t bits);

/// Correctly rounded; a NaN becomes 0x7fff, as in PTX.
std::uint16_t halfFromDouble(double value, Rounding rounding);
std::uint16_t bfloatFromDouble(double value, Rounding rounding);

/// a*b + c with one rounding to half precision.
std::uint16_t halfFused(std::uint16_t a, std::uint16_t b, std::uint16_t c, Rounding rounding);

/// As halfFused, for bfloat16.
std::uint16_t bfloatFused(std::uint16_t a, std::uint16_t b, std::uint16_t c);

/// The same conversions to nearest even, for loops.
float halfToSingle(std::uint16_t bits);
inline float bfloatToSingle(std::uint16_t bits)
{
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
}
std::uint16_t halfNearest(double value);
std::uint16_t bfloatNearest(double value);

/// 8-bit floats (OCP 8-bit Floating Point Specification 1.0): e4m3 has no infinity and one NaN, e5m2 is a short half.
float e4m3ToSingle(std::uint8_t bits);
float e5m2ToSingle(std::uint8_t bits);
/// To nearest even; what is too large, infinity included, becomes the largest finite value (.satfinite), a NaN 0x7f.
std::uint8_t e4m3FromSingle(float value);
std::uint8_t e5m2FromSingle(float value);

} // namespace ridge::gpu::simt
