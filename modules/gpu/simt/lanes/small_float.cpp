// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lanes/small_float.h"

#include <bit>
#include <cmath>

namespace ridge::gpu::simt {

namespace {

struct Layout {
    int mantissaBits;
    int bias;
    int maxExponent; ///< of a finite value, unbiased
};
constexpr Layout kHalf{10, 15, 15};
constexpr Layout kBfloat{7, 127, 127};

double decode(std::uint16_t bits, const Layout& layout)
{
    const int exponent = (bits & 0x7fff) >> layout.mantissaBits;
    const int mantissa = bits & ((1 << layout.mantissaBits) - 1);
    double value = 0;
    if (exponent == 2 * layout.bias + 1)
        value = mantissa != 0 ? std::nan("") : HUGE_VAL;
    else if (exponent == 0)
        value = std::ldexp(mantissa, 1 - layout.bias - layout.mantissaBits);
    else
        value = std::ldexp(mantissa + (1 << layout.mantissaBits), exponent - layout.bias - layout.mantissaBits);
    return (bits & 0x8000) != 0 ? -value : value;
}

/// Whether |value| = whole + rest (0 <= rest < 1) goes up.
bool roundsUp(double whole, double rest, bool negative, Rounding rounding)
{
    switch (rounding) {
    case Rounding::Nearest:
        return rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2.0) != 0);
    case Rounding::Zero:
        return false;
    case Rounding::Down:
        return negative && rest > 0;
    case Rounding::Up:
        return !negative && rest > 0;
    }
    return false;
}

std::uint16_t encode(double value, const Layout& layout, Rounding rounding)
{
    if (std::isnan(value))
        return 0x7fff;
    const bool negative = std::signbit(value);
    const auto sign = static_cast<std::uint16_t>(negative ? 0x8000 : 0);
    const auto infinity = static_cast<std::uint16_t>((2 * layout.bias + 1) << layout.mantissaBits);
    const double magnitude = std::fabs(value);
    if (std::isinf(value))
        return static_cast<std::uint16_t>(sign | infinity);
    const int exponent = magnitude == 0 ? 1 - layout.bias : std::max(std::ilogb(magnitude), 1 - layout.bias);
    const double scaled = std::ldexp(magnitude, layout.mantissaBits - exponent); // in units of the last place
    const double whole = std::floor(scaled);
    const auto units =
        static_cast<std::uint64_t>(whole) + (roundsUp(whole, scaled - whole, negative, rounding) ? 1 : 0);
    // A carry out of the mantissa walks into the exponent field by itself, up to infinity.
    const auto field = static_cast<std::uint64_t>(exponent + layout.bias - 1) << layout.mantissaBits;
    const std::uint64_t bits = exponent > layout.maxExponent ? infinity : field + units;
    if (bits < infinity)
        return static_cast<std::uint16_t>(sign | bits);
    const bool toLargest = rounding == Rounding::Zero || (rounding == Rounding::Down && !negative) ||
                           (rounding == Rounding::Up && negative);
    return static_cast<std::uint16_t>(sign | (toLargest ? infinity - 1 : infinity));
}

} // namespace

double halfToDouble(std::uint16_t bits)
{
    return decode(bits, kHalf);
}

double bfloatToDouble(std::uint16_t bits)
{
    return decode(bits, kBfloat);
}

std::uint16_t halfFromDouble(double value, Rounding rounding)
{
    return encode(value, kHalf, rounding);
}

std::uint16_t bfloatFromDouble(double value, Rounding rounding)
{
    return encode(value, kBfloat, rounding);
}

std::uint16_t halfFused(std::uint16_t a, std::uint16_t b, std::uint16_t c, Rounding rounding)
{
    const double product = halfToDouble(a) * halfToDouble(b); // exact: 22 bits
    const double addend = halfToDouble(c);
    double sum = product + addend;
    // Round to odd, so that the second rounding sees that something was lost (Boldo and Melquiond 2008).
    if (std::isfinite(sum)) {
        const double back = sum - product;
        const double lost = (product - (sum - back)) + (addend - back);
        const auto bits = std::bit_cast<std::uint64_t>(sum);
        if (lost != 0 && (bits & 1) == 0)
            sum = std::bit_cast<double>((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
    }
    return encode(sum, kHalf, rounding);
}

} // namespace ridge::gpu::simt
