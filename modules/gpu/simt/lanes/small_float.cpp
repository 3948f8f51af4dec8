// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lanes/small_float.h"

#include <bit>
#include <cmath>
#include <limits>

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

namespace {

/// product + addend, rounded to odd where a double cannot hold it.
double sumToOdd(double product, double addend)
{
    double sum = product + addend;
    // Round to odd, so that the second rounding sees that something was lost (Boldo and Melquiond 2008).
    if (std::isfinite(sum)) {
        const double back = sum - product;
        const double lost = (product - (sum - back)) + (addend - back);
        const auto bits = std::bit_cast<std::uint64_t>(sum);
        if (lost != 0 && (bits & 1) == 0)
            sum = std::bit_cast<double>((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
    }
    return sum;
}

/// `value` to nearest even in a 16-bit format of M mantissa bits; everything in integers, for loops.
template<int M, int Bias>
std::uint16_t nearest(double value)
{
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000);
    constexpr std::uint64_t infinity = std::uint64_t{2 * Bias + 1} << M;
    const int field = static_cast<int>(bits >> 52 & 0x7ff);
    if (field == 0x7ff)
        return (bits << 12) != 0 ? std::uint16_t{0x7fff} : static_cast<std::uint16_t>(sign | infinity);
    const int exponent = std::max(field - 1023, 1 - Bias);
    const int shift = 52 - M + exponent - (field - 1023);
    if (shift > 54 || field == 0) // a double's own denormals are far below
        return sign;
    const std::uint64_t mantissa = (std::uint64_t{1} << 52) | (bits & ((std::uint64_t{1} << 52) - 1));
    const std::uint64_t rest = mantissa & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    std::uint64_t units = mantissa >> shift;
    units += rest > half || (rest == half && (units & 1) != 0) ? 1 : 0;
    if (exponent > Bias)
        return static_cast<std::uint16_t>(sign | infinity);
    // A carry out of the mantissa walks into the exponent field by itself, up to infinity.
    const std::uint64_t magnitude = (static_cast<std::uint64_t>(exponent + Bias - 1) << M) + units;
    return static_cast<std::uint16_t>(sign | std::min(magnitude, infinity));
}

/// `value` in an 8-bit format, by way of an exact scaling: 3 or 2 mantissa bits, least exponent -6 or -14.
std::uint8_t toByte(float value, int mantissaBits, int leastExponent, float largest, std::uint8_t largestBits)
{
    if (std::isnan(value))
        return 0x7f;
    const auto sign = static_cast<std::uint8_t>(std::signbit(value) ? 0x80 : 0);
    const float magnitude = std::fabs(value);
    if (magnitude >= largest)
        return static_cast<std::uint8_t>(sign | largestBits);
    const int exponent = magnitude == 0 ? leastExponent : std::max(std::ilogb(magnitude), leastExponent);
    const auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, mantissaBits - exponent)));
    return static_cast<std::uint8_t>(sign |
                                     std::min(((exponent - leastExponent) << mantissaBits) + units, int{largestBits}));
}

} // namespace

std::uint16_t halfFused(std::uint16_t a, std::uint16_t b, std::uint16_t c, Rounding rounding)
{
    // The product is exact: 22 bits.
    const double sum = sumToOdd(double{halfToSingle(a)} * halfToSingle(b), halfToSingle(c));
    return rounding == Rounding::Nearest ? halfNearest(sum) : encode(sum, kHalf, rounding);
}

std::uint16_t bfloatFused(std::uint16_t a, std::uint16_t b, std::uint16_t c)
{
    return bfloatNearest(sumToOdd(double{bfloatToSingle(a)} * bfloatToSingle(b), bfloatToSingle(c)));
}

float halfToSingle(std::uint16_t bits)
{
    const std::uint32_t sign = std::uint32_t{bits} << 16 & 0x80000000u;
    const std::uint32_t exponent = bits >> 10 & 31u;
    const std::uint32_t mantissa = bits & 0x3ffu;
    if (exponent == 0) {
        const float value = static_cast<float>(mantissa) * 0x1p-24f;
        return sign != 0 ? -value : value;
    }
    const std::uint32_t field = exponent == 31 ? 0x7f800000u : (exponent + 112) << 23;
    return std::bit_cast<float>(sign | field | mantissa << 13);
}

std::uint16_t halfNearest(double value)
{
    return nearest<10, 15>(value);
}

std::uint16_t bfloatNearest(double value)
{
    return nearest<7, 127>(value);
}

float e4m3ToSingle(std::uint8_t bits)
{
    const int exponent = bits >> 3 & 15;
    const int mantissa = bits & 7;
    float value = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -9)
                                : std::ldexp(static_cast<float>(mantissa + 8), exponent - 10);
    if ((bits & 0x7f) == 0x7f)
        value = std::numeric_limits<float>::quiet_NaN();
    return (bits & 0x80) != 0 ? -value : value;
}

float e5m2ToSingle(std::uint8_t bits)
{
    return halfToSingle(static_cast<std::uint16_t>(bits << 8));
}

std::uint8_t e4m3FromSingle(float value)
{
    return toByte(value, 3, -6, 448.0f, 0x7e);
}

std::uint8_t e5m2FromSingle(float value)
{
    return toByte(value, 2, -14, 57344.0f, 0x7b);
}

} // namespace ridge::gpu::simt
