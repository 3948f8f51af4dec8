// SPDX-License-Identifier: GPL-3.0-or-later
// Floats in whole numbers alone, for the reference of the tests: no host arithmetic, no code shared with the lanes;
// slow.
#pragma once

#include "gpu/simt/lanes/lanes.h"

namespace ridge::gpu::simt::exact {

using u64 = std::uint64_t;
__extension__ typedef unsigned __int128 u128;

struct Format {
    int precision; ///< bits of the significand, the hidden one included
    int bias;
    u64 nan;
    int bits() const { return precision + exponentBits(); }
    int exponentBits() const { return bias == 1023 ? 11 : bias == 127 ? 8 : 5; }
};

/// F16, BF16, F32, TF32 (19 bits, without the thirteen below), else F64.
Format formatOf(ScalarType type);
inline constexpr Format kE5M2{3, 15, 0x7f};

/// value = ±mantissa * 2^exponent; the last bit of the mantissa may stand for everything lost below it.
struct Exact {
    enum class Kind { Finite, Infinite, NotANumber } kind = Kind::Finite;
    bool negative = false;
    u128 mantissa = 0;
    int exponent = 0;
    bool isZero() const { return kind == Kind::Finite && mantissa == 0; }
};

enum class Ties : std::uint8_t { ToEven, Away };

int topBit(u128 value); ///< of a value other than 0
Exact decode(const Format& format, u64 bits, bool flush);
u64 encode(const Format& format, const Exact& value, Rounding rounding, Ties ties = Ties::ToEven);
u64 signBit(const Format& format, bool negative);
u64 flushed(const Format& format, u64 bits); ///< a denormal becomes a zero of its sign

Exact one();
Exact notANumber();
Exact whole(u128 magnitude, bool negative);
Exact product(const Exact& a, const Exact& b);
/// `rounding` decides over the sign of a zero.
Exact sum(Exact a, Exact b, Rounding rounding);
Exact quotient(const Exact& a, const Exact& b);
Exact root(const Exact& a);
int order(const Exact& a, const Exact& b); ///< -1, 0 or 1; both are numbers

/// The magnitude of the integer that `value` becomes; 2^100 for all that is as large or larger.
u128 toWhole(const Exact& value, Rounding rounding);

} // namespace ridge::gpu::simt::exact
