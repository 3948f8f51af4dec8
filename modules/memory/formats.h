// SPDX-License-Identifier: GPL-3.0-or-later
// Number formats as data, and casts to them that are exact for every double.
#pragma once

#include "base/result.h"
#include "base/seed.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ridge::memory {

/// Which patterns of a floating-point format are no numbers.
enum class Specials : std::uint8_t {
    None,              ///< all are numbers: the FP6 and FP4 formats of OCP MX v1.0
    Ieee,              ///< the largest exponent is infinity and NaN: IEEE 754, e5m2
    LastIsNan,         ///< the last pattern of each sign: e4m3 (OCP OFP8), e8m0 (MX)
    NegativeZeroIsNan, ///< one NaN, where -0 would be: the "fnuz" kinds
};

/// A binary format of at most 64 bits. Floating point: [sign] exponent fraction, value (1 + f/2^F) 2^(e - bias), with
/// subnormals below the smallest exponent. Integer: two's complement times 2^unit.
struct NumberFormat {
    std::string_view id, title;
    bool integer = false;
    int exponentBits = 0;
    int fractionBits = 0; ///< of an integer: all bits but the sign
    int bias = 0;
    Specials specials = Specials::Ieee;
    bool hasSign = true;
    bool subnormals = true; ///< false: exponent 0 is an exponent as the others and there is no zero (e8m0)
    int unit = 0;           ///< of an integer: the value of its last bit is 2^unit

    int bits() const { return (hasSign ? 1 : 0) + exponentBits + fractionBits; }
    bool hasInfinity() const { return !integer && specials == Specials::Ieee; }
    bool hasNan() const { return !integer && specials != Specials::None; }
    int minExponent() const { return subnormals ? 1 - bias : -bias; } ///< of a normal number
    std::uint64_t largestCode() const;                                ///< of the positive finite numbers
    double largest() const;
    double smallestNormal() const; ///< of an integer: its unit
    double smallest() const;       ///< above 0
};

/// The formats that the lab knows, widest first.
std::span<const NumberFormat> numberFormats();
/// Also by "fp8" (e4m3) and "fp4" (e2m1). Null: there is none.
const NumberFormat* findFormat(std::string_view id);

/// A format of one's own. Errors: "bad-format" where its numbers are no doubles (exponent bits 1 to 11, fraction bits 0
/// to 52, exponents within those of a double) or no number is left beside the special patterns.
Result<void> checkFormat(const NumberFormat& format);

enum class Rounding : std::uint8_t { NearestEven, NearestAway, TowardZero, Up, Down, Stochastic };
/// What becomes of a number past the largest after it was rounded, and of infinity. A directed rounding towards zero
/// stops at the largest in any case, as IEEE 754 has it (7.4).
enum class Overflow : std::uint8_t { Saturate, Infinity, Nan };

/// Infinity where the format has more than 8 bits and has one. Formats of 8 bits and fewer saturate, as the casts of
/// PTX do (cvt.satfinite, which these formats require) and those of ONNX by default.
Overflow usualOverflow(const NumberFormat& format);
/// Errors: "bad-overflow" where the format has no infinity or no NaN.
Result<void> checkOverflow(const NumberFormat& format, Overflow overflow);

struct Encoded {
    std::uint64_t bits = 0;
    bool inexact = false;  ///< rounded, saturated or lost
    bool overflow = false; ///< past the largest
};

/// `overflow` must suit the format. Stochastic takes the upper neighbour with the share of the gap that lies below the
/// value, from `rng`, which it needs. NaN: the format's quiet NaN with the sign; where there is none the largest number
/// (PTX cvt to FP6 and FP4) and 0 of integers. An unsigned format makes NaN of what is below 0, and its smallest of 0.
Encoded encode(const NumberFormat& format, double value, Rounding rounding, Overflow overflow, Rng* rng = nullptr);
/// To nearest even, with the usual overflow.
Encoded encode(const NumberFormat& format, double value);
double decode(const NumberFormat& format, std::uint64_t bits);

/// The next finite number above or below, by value; none past the ends and of what is no number.
std::optional<std::uint64_t> neighbour(const NumberFormat& format, std::uint64_t bits, bool above);
/// Between a finite number and the next of its exponent: what its last bit counts.
double spacingAt(const NumberFormat& format, std::uint64_t bits);

} // namespace ridge::memory
