// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lanes/exact.h"
#include "gpu/simt/lanes/lane_reference.h"

namespace ridge::gpu::simt {

namespace {

using namespace exact;

u64 low(u64 value, unsigned bits)
{
    return bits == 64 ? value : value & ((u64{1} << bits) - 1);
}

Exact fromInteger(ScalarType type, u64 bits)
{
    const unsigned width = sizeOf(type) * 8;
    const u64 value = low(bits, width);
    const bool negative = isSigned(type) && (value >> (width - 1)) != 0;
    return whole(negative ? (u128{1} << width) - value : value, negative);
}

/// `magnitude` with its sign held to the range of `type`, then as bits, extended to the whole register.
u64 clamped(ScalarType type, u128 magnitude, bool negative)
{
    const unsigned width = sizeOf(type) * 8;
    const u128 most = (u128{1} << (isSigned(type) ? width - 1 : width)) - 1;
    const u128 least = isSigned(type) ? most + 1 : 0;
    if (negative)
        return 0 - static_cast<u64>(magnitude < least ? magnitude : least);
    return static_cast<u64>(magnitude < most ? magnitude : most);
}

u64 extended(ScalarType type, u64 bits)
{
    const unsigned width = sizeOf(type) * 8;
    const u64 value = low(bits, width);
    return isSigned(type) && (value >> (width - 1)) != 0 ? value | ~low(~u64{0}, width) : value;
}

u64 toInteger(const ConvertSpec& spec, const Exact& value)
{
    if (value.kind == Exact::Kind::NotANumber) {
        const bool wide = spec.from == ScalarType::F64 || sizeOf(spec.to) == 8;
        return wide ? extended(spec.to, u64{1} << (sizeOf(spec.to) * 8 - 1)) : 0;
    }
    return extended(spec.to, clamped(spec.to, toWhole(value, spec.rounding), value.negative));
}

u64 toFloat(const ConvertSpec& spec, Exact value)
{
    const Format f = formatOf(spec.to);
    if (spec.toInteger && value.kind == Exact::Kind::Finite && value.exponent < 0)
        value = whole(toWhole(value, spec.rounding), value.negative);
    u64 bits = encode(f, value, spec.rounding);
    const bool nan = value.kind == Exact::Kind::NotANumber;
    const bool negative = !nan && (bits & signBit(f, true)) != 0;
    if (spec.saturate) {
        const u64 top = encode(f, one(), Rounding::Nearest);
        bits = nan || negative ? 0 : bits < top ? bits : top; // positive floats order as their bits
    }
    if (spec.relu && negative)
        bits = 0;
    return spec.flush && spec.to == ScalarType::F32 ? flushed(f, bits) : bits;
}

/// e4m3 has numbers and one NaN where decode() would see infinities.
Exact decodeByte(bool e4m3, u64 bits)
{
    if (!e4m3)
        return decode(kE5M2, bits, false);
    if ((bits & 0x7f) == 0x7f)
        return notANumber();
    Exact value = whole(bits & 7, (bits & 0x80) != 0);
    const int field = static_cast<int>(bits >> 3 & 15);
    value.mantissa += field != 0 ? 8 : 0;
    value.exponent = (field != 0 ? field : 1) - 10;
    return value;
}

/// 8-bit floats in .satfinite: the neighbours are looked up, not computed.
u64 toByte(bool e4m3, const Exact& value)
{
    const unsigned largest = e4m3 ? 0x7e : 0x7b;
    if (value.kind == Exact::Kind::NotANumber)
        return 0x7f;
    Exact magnitude = value;
    magnitude.negative = false;
    unsigned below = 0;
    for (unsigned step = 64; step != 0; step /= 2) {
        if (below + step <= largest && order(decodeByte(e4m3, below + step), magnitude) <= 0)
            below += step;
    }
    unsigned nearest = below;
    if (below < largest) {
        // Both distances, doubled, meet at the sum of the neighbours.
        const Exact between = sum(decodeByte(e4m3, below), decodeByte(e4m3, below + 1), Rounding::Nearest);
        const int side = order(sum(magnitude, magnitude, Rounding::Nearest), between);
        nearest += side > 0 || (side == 0 && (below & 1) != 0) ? 1 : 0;
    }
    return nearest | (value.negative ? 0x80u : 0u);
}

} // namespace

std::uint64_t referenceConvert(const ConvertSpec& spec, std::uint64_t bits)
{
    if (!isFloat(spec.from)) {
        const Exact value = fromInteger(spec.from, bits);
        if (isFloat(spec.to))
            return toFloat(spec, value);
        return extended(spec.to,
                        spec.saturate ? clamped(spec.to, value.mantissa, value.negative) : extended(spec.from, bits));
    }
    const Exact value = decode(formatOf(spec.from), bits, spec.flush && spec.from == ScalarType::F32);
    return isFloat(spec.to) ? toFloat(spec, value) : toInteger(spec, value);
}

std::uint64_t referencePacked(const PackedConvert& spec, std::uint64_t bits)
{
    using T = ScalarType;
    const bool byte = spec.from == T::E4M3x2 || spec.from == T::E5M2x2;
    Exact value = byte ? decodeByte(spec.from == T::E4M3x2, bits)
                       : decode(formatOf(spec.from == T::F16x2 ? T::F16 : T::F32), bits, false);
    const bool nan = value.kind == Exact::Kind::NotANumber;
    if (spec.relu && value.negative && !nan)
        value = Exact{};
    switch (spec.to) {
    case T::TF32:
        return nan ? formatOf(T::F32).nan
                   : encode(formatOf(T::TF32), value, spec.rounding, spec.ties ? Ties::Away : Ties::ToEven) << 13;
    case T::F16x2:
        return encode(formatOf(T::F16), value, spec.rounding);
    case T::BF16x2:
        return encode(formatOf(T::BF16), value, spec.rounding);
    default:
        return toByte(spec.to == T::E4M3x2, value);
    }
}

} // namespace ridge::gpu::simt
