// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace ridge::memory {
namespace {

constexpr NumberFormat floatFormat(std::string_view id, std::string_view title, int exponent, int fraction, int bias,
                                   Specials specials)
{
    NumberFormat format;
    format.id = id;
    format.title = title;
    format.exponentBits = exponent;
    format.fractionBits = fraction;
    format.bias = bias;
    format.specials = specials;
    return format;
}

constexpr NumberFormat integerFormat(std::string_view id, std::string_view title, int bits, int unit = 0)
{
    NumberFormat format;
    format.id = id;
    format.title = title;
    format.integer = true;
    format.fractionBits = bits - 1;
    format.unit = unit;
    format.specials = Specials::None;
    return format;
}

constexpr NumberFormat scaleFormat() // OCP MX v1.0: exponents alone, 0xff is NaN
{
    NumberFormat format = floatFormat("e8m0", "E8M0, scale of MX blocks", 8, 0, 127, Specials::LastIsNan);
    format.hasSign = false;
    format.subnormals = false;
    return format;
}

// IEEE 754-2019 table 3.5; bfloat16 and TF32 as PTX ISA 5.2.3 has them; OCP OFP8 v1.0 table 1; OCP MX v1.0 sections 5.3
// and 5.4; the fnuz kinds (Noune et al. 2022) and e3m4, IEEE e4m3 as ml_dtypes 0.6.0 names them.
constexpr NumberFormat kFormats[] = {
    floatFormat("fp64", "FP64", 11, 52, 1023, Specials::Ieee),
    floatFormat("fp32", "FP32", 8, 23, 127, Specials::Ieee),
    floatFormat("tf32", "TF32, 19 bits", 8, 10, 127, Specials::Ieee),
    floatFormat("fp16", "FP16", 5, 10, 15, Specials::Ieee),
    floatFormat("bf16", "BF16", 8, 7, 127, Specials::Ieee),
    floatFormat("e5m2", "FP8 E5M2", 5, 2, 15, Specials::Ieee),
    floatFormat("e4m3", "FP8 E4M3", 4, 3, 7, Specials::LastIsNan),
    floatFormat("e3m4", "FP8 E3M4", 3, 4, 3, Specials::Ieee),
    floatFormat("e4m3_ieee", "FP8 E4M3 with infinities", 4, 3, 7, Specials::Ieee),
    floatFormat("e5m2fnuz", "FP8 E5M2 FNUZ", 5, 2, 16, Specials::NegativeZeroIsNan),
    floatFormat("e4m3fnuz", "FP8 E4M3 FNUZ", 4, 3, 8, Specials::NegativeZeroIsNan),
    floatFormat("e3m2", "FP6 E3M2", 3, 2, 3, Specials::None),
    floatFormat("e2m3", "FP6 E2M3", 2, 3, 1, Specials::None),
    floatFormat("e2m1", "FP4 E2M1", 2, 1, 1, Specials::None),
    scaleFormat(),
    integerFormat("int16", "INT16", 16),
    integerFormat("int8", "INT8", 8),
    integerFormat("int7", "INT7", 7),
    integerFormat("int6", "INT6", 6),
    integerFormat("int5", "INT5", 5),
    integerFormat("int4", "INT4", 4),
    integerFormat("int3", "INT3", 3),
    integerFormat("int2", "INT2", 2),
    integerFormat("mxint8", "MXINT8, in 64ths", 8, -6),
};

constexpr std::uint64_t ones(int bits)
{
    return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

std::uint64_t signBit(const NumberFormat& format)
{
    return format.hasSign ? std::uint64_t{1} << (format.bits() - 1) : 0;
}

std::uint64_t magnitudeMask(const NumberFormat& format)
{
    return ones(format.exponentBits + format.fractionBits);
}

/// Exponent all ones and fraction 0 where that is infinity.
std::uint64_t infinityCode(const NumberFormat& format)
{
    return ones(format.exponentBits) << format.fractionBits;
}

std::uint64_t nanCode(const NumberFormat& format, bool negative)
{
    const std::uint64_t sign = negative ? signBit(format) : 0;
    switch (format.specials) {
    case Specials::Ieee: // the quiet one: first bit of the fraction
        return sign | infinityCode(format) | std::uint64_t{1} << (format.fractionBits - 1);
    case Specials::LastIsNan:
        return sign | magnitudeMask(format);
    case Specials::NegativeZeroIsNan:
        return signBit(format);
    case Specials::None:
        break;
    }
    return format.integer ? 0 : format.largestCode();
}

struct Units {
    std::uint64_t count = 0;
    bool inexact = false;
};

/// whole × 2^-shift as a whole number; `whole` below 2^53.
Units shifted(std::uint64_t whole, int shift, Rounding rounding, bool negative, Rng* rng)
{
    if (shift <= 0)
        return {whole << -shift, false};
    const bool far = shift >= 64; // nothing stays, and it is less than a half
    const std::uint64_t kept = far ? 0 : whole >> shift;
    const std::uint64_t rest = far ? whole : whole & ones(shift);
    if (rest == 0)
        return {kept, false};
    const std::uint64_t half = far ? ~std::uint64_t{0} : std::uint64_t{1} << (shift - 1);
    bool up = false;
    switch (rounding) {
    case Rounding::NearestEven:
        up = rest > half || (rest == half && (kept & 1) != 0);
        break;
    case Rounding::NearestAway:
        up = rest >= half;
        break;
    case Rounding::TowardZero:
        break;
    case Rounding::Up:
        up = !negative;
        break;
    case Rounding::Down:
        up = negative;
        break;
    case Rounding::Stochastic: {
        if (rng == nullptr)
            throw std::logic_error("stochastic rounding needs random numbers");
        int drawn = shift; // random bits: up where they make a number below `rest`, those above 63 must all be 0
        up = true;
        for (; drawn > 63 && up; drawn -= std::min(drawn - 63, 63))
            up = rng->next() >> (64 - std::min(drawn - 63, 63)) == 0;
        up = up && rng->next() >> (64 - drawn) < rest;
        break;
    }
    }
    return {kept + (up ? 1 : 0), true};
}

/// The value without its sign as whole × 2^exponent.
struct Parts {
    std::uint64_t whole = 0;
    int exponent = 0;
    int top() const { return exponent + std::bit_width(whole) - 1; } ///< floor(log2)
};

Parts partsOf(double size)
{
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(size);
    const int field = static_cast<int>(bits >> 52 & ones(11));
    const std::uint64_t fraction = bits & ones(52);
    return field == 0 ? Parts{fraction, -1074} : Parts{fraction | std::uint64_t{1} << 52, field - 1075};
}

Encoded encodeInteger(const NumberFormat& format, double value, Rounding rounding, Rng* rng)
{
    const bool negative = std::signbit(value);
    const std::uint64_t most = (std::uint64_t{1} << format.fractionBits) - (negative ? 0 : 1);
    Units units{most + 1, true};
    if (std::isfinite(value)) {
        const Parts parts = partsOf(std::fabs(value));
        if (parts.whole == 0)
            return {};
        if (parts.top() - format.unit < format.bits())
            units = shifted(parts.whole, format.unit - parts.exponent, rounding, negative, rng);
    }
    const bool over = units.count > most;
    const std::uint64_t size = over ? most : units.count;
    return {(negative ? ~size + 1 : size) & ones(format.bits()), units.inexact || over, over};
}

} // namespace

std::uint64_t NumberFormat::largestCode() const
{
    if (integer)
        return ones(fractionBits);
    switch (specials) {
    case Specials::Ieee:
        return infinityCode(*this) - 1;
    case Specials::LastIsNan:
        return magnitudeMask(*this) - 1;
    case Specials::NegativeZeroIsNan:
    case Specials::None:
        break;
    }
    return magnitudeMask(*this);
}

double NumberFormat::largest() const
{
    return decode(*this, largestCode());
}

double NumberFormat::smallestNormal() const
{
    return std::ldexp(1.0, integer ? unit : minExponent());
}

double NumberFormat::smallest() const
{
    return integer ? smallestNormal() : decode(*this, subnormals ? 1 : 0);
}

std::span<const NumberFormat> numberFormats()
{
    return kFormats;
}

const NumberFormat* findFormat(std::string_view id)
{
    if (id == "fp8")
        id = "e4m3";
    if (id == "fp4")
        id = "e2m1";
    for (const NumberFormat& format : kFormats)
        if (format.id == id)
            return &format;
    return nullptr;
}

Result<void> checkFormat(const NumberFormat& format)
{
    const auto bad = [&](const std::string& what, const std::string& fix) {
        return Error{"bad-format", what, "format " + std::string(format.id), fix};
    };
    if (format.integer) {
        if (!format.hasSign || format.fractionBits < 1 || format.fractionBits > 52)
            return bad("an integer of " + std::to_string(format.bits()) + " bits is not supported",
                       "take 2 to 53 bits, with a sign");
        if (format.unit < -1022 || format.unit > 900)
            return bad("the unit 2^" + std::to_string(format.unit) + " is out of range", "take -1022 to 900");
        return {};
    }
    if (format.exponentBits < 1 || format.exponentBits > 11)
        return bad(std::to_string(format.exponentBits) + " exponent bits are not supported", "take 1 to 11");
    if (format.fractionBits < 0 || format.fractionBits > 52)
        return bad(std::to_string(format.fractionBits) + " fraction bits are not supported", "take 0 to 52");
    if (format.specials == Specials::Ieee && (format.fractionBits < 1 || format.exponentBits < 2))
        return bad("infinity and NaN leave no number",
                   "take a fraction bit and two exponent bits or more, or other special patterns");
    if (format.specials == Specials::NegativeZeroIsNan && (!format.hasSign || !format.subnormals))
        return bad("NaN takes the place of -0, but there is no -0", "give it a sign and a zero");
    if (format.minExponent() - format.fractionBits < -1074 ||
        static_cast<int>(ones(format.exponentBits)) - format.bias - (format.specials == Specials::Ieee ? 1 : 0) > 1023)
        return bad("the bias " + std::to_string(format.bias) + " makes numbers that are no doubles",
                   "take a bias near " + std::to_string((1 << (format.exponentBits - 1)) - 1));
    return {};
}

Overflow usualOverflow(const NumberFormat& format)
{
    return format.bits() > 8 && format.hasInfinity() ? Overflow::Infinity : Overflow::Saturate;
}

Result<void> checkOverflow(const NumberFormat& format, Overflow overflow)
{
    const bool infinity = overflow == Overflow::Infinity;
    if ((infinity && !format.hasInfinity()) || (overflow == Overflow::Nan && !format.hasNan()))
        return Error{"bad-overflow", std::string(format.id) + (infinity ? " has no infinity" : " has no NaN"),
                     "overflow", infinity && format.hasNan() ? "take saturate or nan" : "take saturate"};
    return {};
}

Encoded encode(const NumberFormat& format, double value, Rounding rounding, Overflow overflow, Rng* rng)
{
    const bool negative = std::signbit(value);
    if (std::isnan(value))
        return {nanCode(format, negative), !format.hasNan(), false};
    if (format.integer)
        return encodeInteger(format, value, rounding, rng);
    if (!format.hasSign && value < 0)
        return {nanCode(format, false), true, false};
    const std::uint64_t sign = negative ? signBit(format) : 0;
    const std::uint64_t leading = std::uint64_t{1} << format.fractionBits;
    const std::uint64_t largest = format.largestCode();
    std::uint64_t code = 0;
    bool inexact = false, over = std::isinf(value);
    if (!over) {
        const Parts parts = partsOf(std::fabs(value));
        if (parts.whole == 0) {
            const bool noNegativeZero = format.specials == Specials::NegativeZeroIsNan;
            return {noNegativeZero ? 0 : sign, !format.subnormals, false};
        }
        const int exponent = std::max(parts.top(), format.minExponent());
        const Units units =
            shifted(parts.whole, exponent - format.fractionBits - parts.exponent, rounding, negative, rng);
        inexact = units.inexact;
        // A leading one counts the exponent field up by one, and so does a carry out of the fraction.
        code = static_cast<std::uint64_t>(exponent - format.minExponent()) << format.fractionBits;
        code += format.subnormals ? units.count : std::max(units.count, leading) - leading;
        over = code > largest;
    }
    if (over) {
        const bool inwards = std::isfinite(value) && (rounding == Rounding::TowardZero ||
                                                      rounding == (negative ? Rounding::Up : Rounding::Down));
        if (overflow == Overflow::Nan && !inwards)
            return {nanCode(format, negative), true, true};
        if (overflow == Overflow::Infinity && !inwards)
            return {sign | infinityCode(format), std::isfinite(value), true};
        return {sign | largest, true, true};
    }
    if (code == 0 && format.specials == Specials::NegativeZeroIsNan)
        return {0, inexact, false};
    return {sign | code, inexact, false};
}

Encoded encode(const NumberFormat& format, double value)
{
    return encode(format, value, Rounding::NearestEven, usualOverflow(format));
}

double decode(const NumberFormat& format, std::uint64_t bits)
{
    bits &= ones(format.bits());
    const bool negative = (bits & signBit(format)) != 0;
    if (format.integer) {
        const auto whole = static_cast<double>(bits & ones(format.fractionBits));
        return std::ldexp(negative ? whole - std::ldexp(1.0, format.fractionBits) : whole, format.unit);
    }
    const std::uint64_t size = bits & magnitudeMask(format);
    const double sign = negative ? -1.0 : 1.0;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (format.specials == Specials::NegativeZeroIsNan && negative && size == 0)
        return nan;
    if (size > format.largestCode())
        return format.specials == Specials::Ieee && size == infinityCode(format)
                   ? sign * std::numeric_limits<double>::infinity()
                   : nan;
    const int field = static_cast<int>(size >> format.fractionBits);
    const std::uint64_t fraction = size & ones(format.fractionBits);
    const bool normal = field > 0 || !format.subnormals;
    const std::uint64_t whole = fraction | (normal ? std::uint64_t{1} << format.fractionBits : 0);
    const int exponent = (normal ? field - format.bias : format.minExponent()) - format.fractionBits;
    return sign * std::ldexp(static_cast<double>(whole), exponent);
}

std::optional<std::uint64_t> neighbour(const NumberFormat& format, std::uint64_t bits, bool above)
{
    bits &= ones(format.bits());
    if (!std::isfinite(decode(format, bits)))
        return {};
    if (format.integer) {
        const std::uint64_t last = above ? ones(format.fractionBits) : signBit(format);
        if (bits == last)
            return {};
        return (above ? bits + 1 : bits - 1) & ones(format.bits());
    }
    const std::uint64_t sign = signBit(format);
    const std::uint64_t size = bits & magnitudeMask(format);
    const bool negative = (bits & sign) != 0;
    if (size == 0 && format.subnormals) // both zeros have the same neighbours
        return above || !format.hasSign ? (above ? std::optional<std::uint64_t>(1) : std::nullopt)
                                        : std::optional<std::uint64_t>(sign | 1);
    if (negative != above) { // away from zero
        if (size == format.largestCode())
            return {};
        return bits + 1;
    }
    if (size == 0)
        return {};
    if (size == 1 && negative && format.specials == Specials::NegativeZeroIsNan)
        return 0;
    return bits - 1;
}

double spacingAt(const NumberFormat& format, std::uint64_t bits)
{
    if (format.integer)
        return std::ldexp(1.0, format.unit);
    const int field = static_cast<int>((bits & magnitudeMask(format)) >> format.fractionBits);
    const int exponent = format.subnormals ? std::max(field, 1) : field;
    return std::ldexp(1.0, exponent - format.bias - format.fractionBits);
}

} // namespace ridge::memory
