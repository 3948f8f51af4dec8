// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lanes/exact.h"

#include <algorithm>
#include <bit>

namespace ridge::gpu::simt::exact {

Format formatOf(ScalarType type)
{
    switch (type) {
    case ScalarType::F16:
        return {11, 15, 0x7fff};
    case ScalarType::BF16:
        return {8, 127, 0x7fff};
    case ScalarType::F32:
        return {24, 127, 0x7fffffff};
    case ScalarType::TF32:
        return {11, 127, 0x3ffff};
    default:
        return {53, 1023, 0xfff8000000000000u};
    }
}

int topBit(u128 value)
{
    const auto high = static_cast<u64>(value >> 64);
    return high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<u64>(value));
}

namespace {

u128 shiftRightSticky(u128 value, int by)
{
    if (by <= 0)
        return value << -by;
    if (by > 127)
        return value != 0 ? 1 : 0;
    const u128 lost = value & ((u128{1} << by) - 1);
    return value >> by | (lost != 0 ? 1 : 0);
}

} // namespace

Exact decode(const Format& f, u64 bits, bool flush)
{
    const int fraction = f.precision - 1;
    const u64 ones = (u64{1} << f.exponentBits()) - 1;
    const u64 field = bits >> fraction & ones;
    const u64 low = bits & ((u64{1} << fraction) - 1);
    Exact e;
    e.negative = (bits >> (f.bits() - 1) & 1) != 0;
    if (field == ones) {
        e.kind = low == 0 ? Exact::Kind::Infinite : Exact::Kind::NotANumber;
        return e;
    }
    e.mantissa = field == 0 ? (flush ? 0 : low) : low | u64{1} << fraction;
    e.exponent = (field == 0 ? 1 : static_cast<int>(field)) - f.bias - fraction;
    return e;
}

u64 signBit(const Format& f, bool negative)
{
    return negative ? u64{1} << (f.bits() - 1) : 0;
}

u64 encode(const Format& f, const Exact& e, Rounding rounding, Ties ties)
{
    const int fraction = f.precision - 1;
    const u64 ones = (u64{1} << f.exponentBits()) - 1;
    const u64 sign = signBit(f, e.negative);
    if (e.kind == Exact::Kind::NotANumber)
        return f.nan;
    if (e.kind == Exact::Kind::Infinite)
        return sign | ones << fraction;
    if (e.mantissa == 0)
        return sign;
    const int top = topBit(e.mantissa);
    const int least = 1 - f.bias - fraction;                        // exponent of the last place of a denormal
    const int place = std::max(e.exponent + top - fraction, least); // exponent of the result's last place
    const int drop = place - e.exponent;
    u128 units = 0;
    bool half = false;
    bool rest = false;
    if (drop <= 0) {
        units = e.mantissa << -drop;
    } else if (drop > 127) {
        rest = true;
    } else {
        units = e.mantissa >> drop;
        half = (e.mantissa >> (drop - 1) & 1) != 0;
        rest = (e.mantissa & ((u128{1} << (drop - 1)) - 1)) != 0;
    }
    const bool inexact = half || rest;
    const bool up = rounding == Rounding::Nearest ? half && (rest || (units & 1) != 0 || ties == Ties::Away)
                    : rounding == Rounding::Up    ? inexact && !e.negative
                    : rounding == Rounding::Down  ? inexact && e.negative
                                                  : false;
    units += up ? 1 : 0;
    int exponent = place;
    if (units >> f.precision != 0) {
        units >>= 1;
        ++exponent;
    }
    const bool normal = (units >> fraction & 1) != 0;
    const int field = normal ? exponent + fraction + f.bias : 0;
    if (field >= static_cast<int>(ones)) {
        const bool toLargest = rounding == Rounding::Zero || (rounding == Rounding::Up && e.negative) ||
                               (rounding == Rounding::Down && !e.negative);
        return sign | (toLargest ? (ones << fraction) - 1 : ones << fraction);
    }
    return sign | static_cast<u64>(field) << fraction | (static_cast<u64>(units) & ((u64{1} << fraction) - 1));
}

Exact notANumber()
{
    Exact e;
    e.kind = Exact::Kind::NotANumber;
    return e;
}

Exact product(const Exact& a, const Exact& b)
{
    Exact r;
    r.negative = a.negative != b.negative;
    if (a.kind == Exact::Kind::NotANumber || b.kind == Exact::Kind::NotANumber)
        return notANumber();
    if (a.kind == Exact::Kind::Infinite || b.kind == Exact::Kind::Infinite) {
        r.kind = Exact::Kind::Infinite;
        return a.isZero() || b.isZero() ? notANumber() : r;
    }
    r.mantissa = a.mantissa * b.mantissa;
    r.exponent = a.exponent + b.exponent;
    return r;
}

namespace {

/// Moves the top bit to bit 125: room for a carry, and twenty bits below even a product of two doubles.
Exact normalised(Exact e)
{
    const int shift = 125 - topBit(e.mantissa);
    e.mantissa = shiftRightSticky(e.mantissa, -shift); // a sum may have carried into bit 126
    e.exponent -= shift;
    return e;
}

} // namespace

Exact sum(Exact a, Exact b, Rounding rounding)
{
    if (a.kind == Exact::Kind::NotANumber || b.kind == Exact::Kind::NotANumber)
        return notANumber();
    const bool infinite = a.kind == Exact::Kind::Infinite || b.kind == Exact::Kind::Infinite;
    if (infinite && a.kind == b.kind && a.negative != b.negative)
        return notANumber();
    if (infinite)
        return a.kind == Exact::Kind::Infinite ? a : b;
    if (a.isZero() && b.isZero()) {
        a.negative = a.negative == b.negative ? a.negative : rounding == Rounding::Down;
        return a;
    }
    if (a.isZero() || b.isZero())
        return a.isZero() ? b : a;
    a = normalised(a);
    b = normalised(b);
    if (a.exponent < b.exponent)
        std::swap(a, b);
    b.mantissa = shiftRightSticky(b.mantissa, a.exponent - b.exponent);
    if (a.negative == b.negative) {
        a.mantissa += b.mantissa;
        return a;
    }
    if (a.mantissa < b.mantissa) {
        a.mantissa = b.mantissa - a.mantissa;
        a.negative = b.negative;
    } else {
        a.mantissa -= b.mantissa;
    }
    if (a.mantissa == 0)
        a.negative = rounding == Rounding::Down;
    return a;
}

Exact quotient(const Exact& a, const Exact& b)
{
    Exact r;
    r.negative = a.negative != b.negative;
    if (a.kind == Exact::Kind::NotANumber || b.kind == Exact::Kind::NotANumber ||
        (a.kind == b.kind && (a.isZero() ? b.isZero() : a.kind == Exact::Kind::Infinite)))
        return notANumber();
    if (a.kind == Exact::Kind::Infinite || b.isZero()) {
        r.kind = Exact::Kind::Infinite;
        return r;
    }
    if (b.kind == Exact::Kind::Infinite || a.isZero())
        return r;
    const Exact x = normalised(a);
    r.mantissa = x.mantissa / b.mantissa;
    // A divisor of many bits leaves few of the quotient: give it more by dividing the remainder on.
    u128 rest = x.mantissa % b.mantissa;
    r.exponent = x.exponent - b.exponent;
    for (int more = 0; more < 60 && topBit(r.mantissa) < 120; ++more) {
        rest <<= 1;
        r.mantissa = r.mantissa << 1 | (rest >= b.mantissa ? 1 : 0);
        rest -= rest >= b.mantissa ? b.mantissa : 0;
        --r.exponent;
    }
    r.mantissa |= rest != 0 ? 1 : 0;
    return r;
}

Exact root(const Exact& a)
{
    if (a.kind == Exact::Kind::NotANumber || (a.negative && !a.isZero()))
        return notANumber();
    if (a.kind == Exact::Kind::Infinite || a.isZero())
        return a;
    Exact x = normalised(a);
    if ((x.exponent & 1) != 0) {
        x.mantissa >>= 1; // the lowest bits are zero
        ++x.exponent;
    }
    u128 low = 0;
    for (int bit = 63; bit >= 0; --bit) {
        const u128 next = low | u128{1} << bit;
        if (next * next <= x.mantissa)
            low = next;
    }
    // Two bits below the last place of a double are enough once the rest is known.
    x.mantissa = low << 1 | (low * low != x.mantissa ? 1 : 0);
    x.exponent = x.exponent / 2 - 1;
    return x;
}

Exact one()
{
    Exact e;
    e.mantissa = 1;
    return e;
}

Exact whole(u128 magnitude, bool negative)
{
    Exact e;
    e.mantissa = magnitude;
    e.negative = negative;
    return e;
}

int order(const Exact& a, const Exact& b)
{
    Exact minus = b;
    minus.negative = !b.negative;
    if (a.kind == Exact::Kind::Infinite && b.kind == Exact::Kind::Infinite && a.negative == b.negative)
        return 0;
    const Exact difference = sum(a, minus, Rounding::Nearest);
    return difference.isZero() ? 0 : difference.negative ? -1 : 1;
}

u64 flushed(const Format& f, u64 bits)
{
    const u64 exponent = ((u64{1} << f.exponentBits()) - 1) << (f.precision - 1);
    return (bits & exponent) == 0 ? bits & signBit(f, true) : bits;
}

u128 toWhole(const Exact& e, Rounding rounding)
{
    constexpr u128 large = u128{1} << 100;
    if (e.kind == Exact::Kind::Infinite)
        return large;
    if (e.mantissa == 0)
        return 0;
    if (e.exponent + topBit(e.mantissa) >= 100)
        return large;
    if (e.exponent >= 0)
        return e.mantissa << e.exponent;
    const int drop = -e.exponent;
    const u128 units = drop > 127 ? 0 : e.mantissa >> drop;
    const bool half = drop <= 128 && (e.mantissa >> (drop - 1) & 1) != 0;
    const bool rest = drop > 128 || (e.mantissa & ((u128{1} << (drop - 1)) - 1)) != 0;
    const bool up = rounding == Rounding::Nearest ? half && (rest || (units & 1) != 0)
                    : rounding == Rounding::Up    ? (half || rest) && !e.negative
                    : rounding == Rounding::Down  ? (half || rest) && e.negative
                                                  : false;
    return units + (up ? 1 : 0);
}

} // namespace ridge::gpu::simt::exact
