// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lanes/lanes.h"

namespace ridge::gpu::simt {

/// Half precision (binary16) and bfloat16 as bit patterns. Every value of either is exact in a double.
double halfToDouble(std::uint16_t bits);
double bfloatToDouble(std::uint16_t bits);

/// Correctly rounded; a NaN becomes 0x7fff, as in PTX.
std::uint16_t halfFromDouble(double value, Rounding rounding);
std::uint16_t bfloatFromDouble(double value, Rounding rounding);

/// a*b + c with one rounding to half precision.
std::uint16_t halfFused(std::uint16_t a, std::uint16_t b, std::uint16_t c, Rounding rounding);

} // namespace ridge::gpu::simt
