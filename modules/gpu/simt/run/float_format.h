// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/tensor_math.h"

namespace ridge::gpu::simt {

/// A float format that fits into 32 bits, mantissa at the bottom.
struct FloatFormat {
    int fraction = 0; ///< bits
    int exponent = 0; ///< bits
    bool hasInfinity = false;
    bool hasNan = true; ///< without infinity: all ones is NaN
};
inline constexpr FloatFormat kE4M3{3, 4, false};
inline constexpr FloatFormat kE5M2{2, 5, true};

const FloatFormat& formatOf(Element element);
TensorTerm decodeTerm(const FloatFormat& format, std::uint32_t bits);

} // namespace ridge::gpu::simt
