// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace ridge::labs {

/// A binary floating-point format of at most 32 bits: sign, exponent, fraction.
struct SmallFormat {
    int exponentBits = 8;
    int fractionBits = 23;
    bool hasInfinity = true; ///< e4m3 (OCP 8-bit floating point, 2023) has none: its largest finite number is 448

    int bits() const { return 1 + exponentBits + fractionBits; }
    double largest() const; ///< finite: 65504 for FP16
};

inline constexpr SmallFormat kFp32{8, 23, true};
inline constexpr SmallFormat kTf32{8, 10, true};
inline constexpr SmallFormat kFp16{5, 10, true};
inline constexpr SmallFormat kBf16{8, 7, true};
inline constexpr SmallFormat kE4m3{4, 3, false};

/// Bits of the nearest number of the format, ties to even. What is too large becomes infinite, or the largest finite
/// number where there is no infinity (cvt.rn.satfinite). `value` must not be NaN.
std::uint32_t roundTo(const SmallFormat& format, double value);

/// The number that the bits stand for.
double valueOf(const SmallFormat& format, std::uint32_t bits);

} // namespace ridge::labs
