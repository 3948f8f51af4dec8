// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lanes/reference.h"

#include <algorithm>
#include <bit>

namespace ridge::gpu::simt {

namespace {

using u64 = std::uint64_t;
__extension__ typedef unsigned __int128 u128;

struct Format {
    int precision; ///< bits of the significand, the hidden one included
    int bias;
    u64 nan;
    int bits() const { return precision + exponentBits(); }
    int exponentBits() const { return bias == 1023 ? 11 : bias == 127 ? 8 : 5; }
};

Format formatOf(ScalarType type)
{
    switch (type) {
    case ScalarType::F16:
        return {11, 15, 0x7fff};
    case ScalarType::BF16:
        return {8, 127, 0x7fff};
    case ScalarType::F32:
        return {24, 127, 0x7fffffff};
    default:
        return {53, 1023, 0xfff8000000000000u};
    }
}

/// value = ±mantissa * 2^exponent; the last bit of the mantissa may stand for everything lost below it.
struct Exact {
    enum class Kind { Finite, Infinite, NotANumber } kind = Kind::Finite;
    bool negative = false;
    u128 mantissa = 0;
    int exponent = 0;
    bool isZero() const { return kind == Kind::Finite && mantissa == 0; }
};

int topBit(u128 value)
{
    const auto high = static_cast<u64>(value >> 64);
    return high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<u64>(value));
}

u128 shiftRightSticky(u128 value, int by)
{
    if (by <= 0)
        return value << -by;
    if (by > 127)
        return value != 0 ? 1 : 0;
    const u128 lost = value & ((u128{1} << by) - 1);
    return value >> by | (lost != 0 ? 1 : 0);
}

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

u64 encode(const Format& f, const Exact& e, Rounding rounding)
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
    const bool up = rounding == Rounding::Nearest ? half && (rest || (units & 1) != 0)
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

/// Moves the top bit to bit 125: room for a carry, and twenty bits below even a product of two doubles.
Exact normalised(Exact e)
{
    const int shift = 125 - topBit(e.mantissa);
    e.mantissa <<= shift;
    e.exponent -= shift;
    return e;
}

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

/// -1, 0 or 1; both are numbers.
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

u64 extremum(const Format& f, const LaneKey& key, u64 a, u64 b)
{
    const bool least = key.op == LaneOp::Min || key.op == LaneOp::MinNaN;
    const bool propagate = key.op == LaneOp::MinNaN || key.op == LaneOp::MaxNaN;
    a = key.flush ? flushed(f, a) : a;
    b = key.flush ? flushed(f, b) : b;
    const Exact x = decode(f, a, false);
    const Exact y = decode(f, b, false);
    const bool nanA = x.kind == Exact::Kind::NotANumber;
    const bool nanB = y.kind == Exact::Kind::NotANumber;
    if (nanA || nanB)
        return propagate || (nanA && nanB) ? f.nan : nanA ? b : a;
    const int o = order(x, y);
    if (o == 0)
        return x.negative == least ? a : b; // zeros of different sign
    return (o < 0) == least ? a : b;
}

bool holds(Compare compare, const Exact& a, const Exact& b)
{
    const bool unordered = a.kind == Exact::Kind::NotANumber || b.kind == Exact::Kind::NotANumber;
    if (compare == Compare::Num || compare == Compare::Nan)
        return unordered == (compare == Compare::Nan);
    if (unordered)
        return compare >= Compare::Equ;
    const int o = order(a, b);
    switch (compare) {
    case Compare::Eq:
    case Compare::Equ:
        return o == 0;
    case Compare::Ne:
    case Compare::Neu:
        return o != 0;
    case Compare::Lt:
    case Compare::Ltu:
        return o < 0;
    case Compare::Le:
    case Compare::Leu:
        return o <= 0;
    case Compare::Gt:
    case Compare::Gtu:
        return o > 0;
    default:
        return o >= 0;
    }
}

u64 finished(const Format& f, const LaneKey& key, const Exact& value)
{
    u64 bits = encode(f, value, key.rounding);
    if (key.saturate) {
        const Exact rounded = decode(f, bits, false);
        const bool above = rounded.kind != Exact::Kind::NotANumber && !rounded.negative && !rounded.isZero();
        bits = !above ? 0 : order(rounded, one()) > 0 ? encode(f, one(), Rounding::Nearest) : bits;
    }
    if (key.relu && bits != f.nan && (bits & signBit(f, true)) != 0)
        bits = 0;
    return key.flush ? flushed(f, bits) : bits;
}

} // namespace

bool isReferenceOp(const LaneKey& key)
{
    const bool type = key.type == ScalarType::F16 || key.type == ScalarType::BF16 || key.type == ScalarType::F32 ||
                      key.type == ScalarType::F64;
    switch (key.op) {
    case LaneOp::Add:
    case LaneOp::Sub:
    case LaneOp::Mul:
    case LaneOp::Fma:
    case LaneOp::Div:
    case LaneOp::Rcp:
    case LaneOp::Sqrt:
    case LaneOp::Min:
    case LaneOp::Max:
    case LaneOp::MinNaN:
    case LaneOp::MaxNaN:
    case LaneOp::Abs:
    case LaneOp::Neg:
    case LaneOp::SetPredicate:
        return type;
    default:
        return false;
    }
}

std::uint64_t referenceLane(const LaneKey& key, std::uint64_t a, std::uint64_t b, std::uint64_t c)
{
    const Format f = formatOf(key.type);
    const Exact x = decode(f, a, key.flush);
    const Exact y = decode(f, b, key.flush);
    const Exact z = decode(f, c, key.flush);
    switch (key.op) {
    case LaneOp::Add:
        return finished(f, key, sum(x, y, key.rounding));
    case LaneOp::Sub: {
        Exact minus = y;
        minus.negative = !y.negative;
        return finished(f, key, sum(x, minus, key.rounding));
    }
    case LaneOp::Mul:
        return finished(f, key, product(x, y));
    case LaneOp::Fma:
        return finished(f, key, sum(product(x, y), z, key.rounding));
    case LaneOp::Div:
        return finished(f, key, quotient(x, y));
    case LaneOp::Rcp:
        return finished(f, key, quotient(one(), x));
    case LaneOp::Sqrt:
        return finished(f, key, root(x));
    case LaneOp::Abs:
        return (key.flush ? flushed(f, a) : a) & ~signBit(f, true);
    case LaneOp::Neg:
        return (key.flush ? flushed(f, a) : a) ^ signBit(f, true);
    case LaneOp::SetPredicate:
        return holds(key.compare, x, y) ? 1 : 0;
    default:
        return extremum(f, key, a, b);
    }
}

std::uint64_t referenceConvert(ScalarType to, ScalarType from, Rounding rounding, std::uint64_t bits)
{
    return encode(formatOf(to), decode(formatOf(from), bits, false), rounding);
}

} // namespace ridge::gpu::simt
