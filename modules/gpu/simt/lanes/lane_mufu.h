// SPDX-License-Identifier: GPL-3.0-or-later
// The approximate functions of f32 as the multi-function unit (MUFU) of an NVIDIA H200 gives them, bit for bit; see
// lane_loops.h for the rules of these files and mufu_tables.h for what was measured.
//
// The unit is a table and one quadratic (Oberman and Siu, "A High-Performance Area-Efficient Multifunction
// Interpolator", 2005): the upper bits of the argument choose a row, the lower 16 or 17 bits x give
// c0 + c1 x + c2 square(x), and what stands below the result is cut off. The squarer, the cuts and the constants that
// are added are those that envytools found in Tesla chips (nvhw/sfu.c, MIT licence) for all but the root and the
// hyperbolic tangent; these, and what is done to the arguments, come from the H200's results. The forms without .ftz
// are the instructions that ptxas 13.0 puts around the unit for sm_90.
//
// No branches: specials are chosen at the end, so that the compiler makes one loop over lanes of each function.
#pragma once

#include "gpu/simt/lanes/lane_float.h"
#include "gpu/simt/lanes/mufu_tables.h"

namespace ridge::gpu::simt::RIDGE_LANES {
namespace {
namespace unit {

using mufu::Row;

inline constexpr u32 kSign = 0x80000000u;
inline constexpr u32 kInfinity = 0x7f800000u;
inline constexpr u32 kNan = 0x7fffffffu;
inline constexpr u32 kOne = 0x3f800000u;
inline constexpr u32 kFraction = 0x7fffffu;
inline constexpr u32 kLeading = 0x800000u;

inline u32 exponentOf(u32 bits)
{
    return bits >> 23 & 255;
}

inline bool isNan(u32 bits)
{
    return (bits & ~kSign) > kInfinity;
}

/// The square of 17 bits, in units of 2^19: each partial product loses its own low bits before they are added.
inline u32 square(u32 x)
{
    u32 sum = 0;
#pragma GCC unroll 17
    for (int bit = 0; bit < 17; ++bit)
        sum += (0 - (x >> bit & 1)) & (x >> (18 - bit));
    return sum >> 1;
}

/// A significand of 24 bits, or 2^24, below the exponent of its leading bit; what is no normal number becomes zero.
inline u32 packed(s32 exponent, s64 significand)
{
    const s32 bits =
        exponent * static_cast<s32>(kLeading) + (static_cast<s32>(significand) - static_cast<s32>(kLeading));
    return bits < static_cast<s32>(kLeading) ? 0 : static_cast<u32>(bits);
}

/// A value of up to 52 bits in units of 2^-scale, cut to 24 bits: a double holds it exactly, and its upper bits are
/// those of the result.
inline u32 normalized(s64 value, u32 scale)
{
    constexpr u64 anchor = 0x4330000000000000u;
    const double exact = __builtin_bit_cast(double, static_cast<u64>(value) | anchor) - 0x1p52;
    const u32 bits = static_cast<u32>(__builtin_bit_cast(u64, exact) >> 29) - ((1023 - 127 + scale) << 23);
    return value == 0 ? 0 : bits;
}

inline u32 reciprocal(u32 bits)
{
    const u32 sign = bits & kSign;
    const u32 exponent = exponentOf(bits);
    const u32 x = bits & 0xffff;
    const Row& row = mufu::kReciprocal[bits >> 16 & 127];
    const s64 sum = s64{row.c0} * (1 << 13) + s64{row.c1} * s32(x) + row.c2 * s32(square(x << 1)) + 0x47e7;
    u32 result = sign | packed(253 - s32(exponent), sum >> 15);
    result = exponent == 0 ? sign | kInfinity : result;
    result = exponent == 255 ? sign : result;
    return isNan(bits) ? kNan : result;
}

inline u32 inverseRoot(u32 bits)
{
    const u32 exponent = exponentOf(bits);
    const u32 odd = ~exponent & 1;
    const u32 half = (exponent + 1) >> 1; // biased by 64
    const u32 x = bits & 0x1ffff;
    const Row& row = mufu::kInverseRoot[odd << 6 | (bits >> 17 & 63)];
    const s64 sum = s64{row.c0} * (1 << 14) + s64{row.c1} * s32(x) + row.c2 * s32(square(x) * 4) + 0x7fff;
    u32 result = packed(126 + 64 - s32(half), sum >> 16);
    // Powers of four pass the table by.
    result = (bits & (kFraction | kLeading)) == kLeading ? (127 + 64 - half) << 23 : result;
    result = exponent == 255 ? 0 : result;
    result = isNan(bits) || (bits & kSign) != 0 ? kNan : result;
    return exponent == 0 ? (bits & kSign) | kInfinity : result;
}

inline u32 root(u32 bits)
{
    const u32 exponent = exponentOf(bits);
    const u32 odd = ~exponent & 1;
    const u32 half = (exponent + 1) >> 1;
    const u32 x = bits & 0x1ffff;
    const Row& row = mufu::kRoot[odd << 6 | (bits >> 17 & 63)];
    const s64 sum = s64{row.c0} * (1 << 15) + s64{row.c1} * s32(x << odd) + row.c2 * s32(square(x) * 2) + 0xffff;
    u32 result = packed(127 - 64 + s32(half), sum >> 17);
    result = (bits & (kFraction | kLeading)) == kLeading ? (127 - 64 + half) << 23 : result;
    result = exponent == 255 ? kInfinity : result;
    result = isNan(bits) || (bits & kSign) != 0 ? kNan : result;
    return exponent == 0 ? bits & kSign : result;
}

inline u32 power(u32 bits)
{
    const u32 exponent = exponentOf(bits);
    const bool negative = (bits & kSign) != 0;
    const u32 significand = (bits & kFraction) | kLeading;
    const u32 left = exponent > 127 ? exponent - 127 : 0;
    const u32 right = exponent < 127 ? 127 - exponent : 0;
    const u32 magnitude = significand << (left & 7) >> (right < 31 ? right : 31);
    // All bits of a negative argument are inverted but for whole numbers: one unit of 2^-23 below -x.
    const u32 fixed = negative ? ((magnitude & kFraction) != 0 ? ~magnitude : 0 - magnitude) : magnitude;
    const u32 x = fixed & 0x1ffff;
    const Row& row = mufu::kPower[fixed >> 17 & 63];
    const s64 sum = s64{row.c0} * (1 << 13) + s64{row.c1} * s32(x) + row.c2 * s32(square(x)) + 0x77e2;
    const s32 whole = s32(fixed) >> 23;
    const bool isBeyond = exponent >= 127 + 8;
    u32 result = packed(whole < -127 ? 0 : whole > 127 ? 254 : 127 + whole, sum >> 15);
    result = isBeyond || whole > 127 ? kInfinity : result;
    result = isBeyond && negative ? 0 : result;
    result = exponent == 0 ? kOne : result;
    return isNan(bits) ? kNan : result;
}

inline u32 logarithm(u32 bits)
{
    const u32 exponent = exponentOf(bits);
    const u32 x = bits & 0x1ffff;
    const Row& row = mufu::kLogarithm[bits >> 17 & 63];
    const s64 sum = s64{row.c0} * (1 << 12) + s64{row.c1} * s32(x) + row.c2 * s32(square(x) * 2) + 0x3345;
    const s64 fixed = (sum >> 2) + (s64{s32(exponent)} << 36) - (s64{127} << 36);
    u32 result = normalized(fixed < 0 ? ~fixed : fixed, 36) | (fixed < 0 ? kSign : 0);
    result = bits == kOne ? 0 : result;
    result = exponent == 255 ? kInfinity : result;
    result = isNan(bits) || (bits & kSign) != 0 ? kNan : result;
    return exponent == 0 ? kSign | kInfinity : result;
}

/// The sine of an angle in radians and `ahead` quarters of a turn.
inline u32 sinusoid(u32 bits, u32 sign, u32 ahead)
{
    // FMUL.RZ by 1/(2 pi) keeps 24 bits, the unit of these 25 behind the point.
    constexpr u32 factor = 0x3e22f983u;
    constexpr s32 point = 2 * 127 + 23 - 25;
    const u64 product = u64{(bits & kFraction) | kLeading} * ((factor & kFraction) | kLeading);
    const u32 top = static_cast<u32>(product >> 47);
    const u64 significand = product >> (23 + top);
    const s32 shift = s32(exponentOf(bits) + (factor >> 23) + top) - point;
    const s32 left = shift < 0 ? 0 : shift > 25 ? 25 : shift;
    const s32 right = shift > 0 ? 0 : shift < -31 ? 31 : -shift;
    const u32 turns = static_cast<u32>(significand << left >> right);
    const u32 quarter = (turns >> 23) + ahead;
    const u32 fraction = (quarter & 1) != 0 ? ~turns & kFraction : turns & kFraction;
    const u32 x = fraction & 0x1ffff;
    const Row& row = mufu::kSine[fraction >> 17];
    const s64 sum = s64{row.c0} * (1 << 11) + s64{row.c1} * s32(x) + row.c2 * s32(square(x));
    const u32 result = normalized(sum, 37) | (sign ^ (quarter >> 1 & 1) << 31);
    return exponentOf(bits) == 255 ? kNan : result;
}

inline u32 tangent(u32 bits)
{
    constexpr u32 lowest = 119;
    constexpr u32 count = 11;
    const u32 exponent = exponentOf(bits);
    const u32 octave = exponent - lowest < count ? exponent - lowest : 0;
    const u32 facts = mufu::kTangentOctaves[octave];
    const u32 lead = facts >> 8 & 15;
    const u32 fraction = bits & kFraction;
    const u32 x = fraction >> (6 - lead) & 0x1ffff;
    const Row& row = mufu::kTangent[(facts & 255) + (fraction >> (23 - lead))];
    const s64 sum = s64{row.c0} * (1 << 15) + s64{row.c1} * s32(x) + row.c2 * s32(square(x) * 2);
    u32 result = (bits & kSign) | normalized(sum, 39 - (facts >> 16));
    result = exponent < lowest ? bits : result;
    result = exponent >= lowest + count ? (bits & kSign) | kOne : result;
    return isNan(bits) ? kNan : result;
}

/// x times a power of two, as FMUL without .FTZ.
inline u32 scaled(u32 bits, float factor)
{
    return __builtin_bit_cast(u32, __builtin_bit_cast(float, bits) * factor);
}

inline u32 oneNan(u32 bits)
{
    return isNan(bits) ? kNan : bits;
}

inline bool isBelowNormal(u32 bits)
{
    return (bits & kInfinity) == 0;
}

inline u32 wideReciprocal(u32 bits)
{
    const u32 magnitude = bits & ~kSign;
    const float factor = isBelowNormal(bits) ? 0x1p24f : magnitude > 0x7e800000u ? 0.25f : 1.0f;
    return oneNan(scaled(reciprocal(scaled(bits, factor)), factor));
}

inline u32 wideInverseRoot(u32 bits)
{
    const bool small = isBelowNormal(bits);
    return oneNan(scaled(inverseRoot(scaled(bits, small ? 0x1p24f : 1.0f)), small ? 0x1p12f : 1.0f));
}

inline u32 wideRoot(u32 bits)
{
    const bool small = isBelowNormal(bits);
    return oneNan(scaled(root(scaled(bits, small ? 0x1p24f : 1.0f)), small ? 0x1p-12f : 1.0f));
}

inline u32 widePower(u32 bits)
{
    const bool small = __builtin_bit_cast(float, bits) < -126.0f;
    const u32 result = power(scaled(bits, small ? 0.5f : 1.0f));
    return small ? scaled(result, __builtin_bit_cast(float, result)) : result;
}

inline u32 wideLogarithm(u32 bits)
{
    const bool small = isBelowNormal(bits);
    const u32 result = logarithm(scaled(bits, small ? 0x1p24f : 1.0f));
    return small ? oneNan(__builtin_bit_cast(u32, __builtin_bit_cast(float, result) - 24.0f)) : result;
}

/// div.approx and div.full: what ptxas makes of them, the reciprocal and one FMUL.
template<bool Full, bool Flush>
u32 quotient(u32 a, u32 b)
{
    const float up = !Flush && isBelowNormal(b) ? 0x1p24f : 1.0f;
    const float factor = Full && (b & ~kSign) > 0x7e800000u ? 0.25f : up;
    const u32 dividend = out<Flush, false, u32>(in<Flush>(a) * factor);
    const u32 inverse = reciprocal(scaled(b, factor));
    return out<Flush, false, u32>(in<false>(dividend) * in<false>(inverse));
}

} // namespace unit

OpFunction findUnit(LaneOp op, bool flush)
{
    switch (op) {
    case LaneOp::RcpApprox:
        return flush ? &map1<u32, u32, [](u32 a) { return unit::reciprocal(a); }>
                     : &map1<u32, u32, [](u32 a) { return unit::wideReciprocal(a); }>;
    case LaneOp::SqrtApprox:
        return flush ? &map1<u32, u32, [](u32 a) { return unit::root(a); }>
                     : &map1<u32, u32, [](u32 a) { return unit::wideRoot(a); }>;
    case LaneOp::Rsqrt:
        return flush ? &map1<u32, u32, [](u32 a) { return unit::inverseRoot(a); }>
                     : &map1<u32, u32, [](u32 a) { return unit::wideInverseRoot(a); }>;
    case LaneOp::Ex2:
        return flush ? &map1<u32, u32, [](u32 a) { return unit::power(a); }>
                     : &map1<u32, u32, [](u32 a) { return unit::widePower(a); }>;
    case LaneOp::Lg2:
        return flush ? &map1<u32, u32, [](u32 a) { return unit::logarithm(a); }>
                     : &map1<u32, u32, [](u32 a) { return unit::wideLogarithm(a); }>;
    // ptxas puts the same instructions for both forms.
    case LaneOp::Sin:
        return &map1<u32, u32, [](u32 a) { return unit::sinusoid(a, a & unit::kSign, 0); }>;
    case LaneOp::Cos:
        return &map1<u32, u32, [](u32 a) { return unit::sinusoid(a, 0, 1); }>;
    case LaneOp::Tanh:
        return &map1<u32, u32, [](u32 a) { return unit::tangent(a); }>;
    case LaneOp::DivApprox:
        return flush ? &map2<u32, u32, u32, [](u32 a, u32 b) { return unit::quotient<false, true>(a, b); }>
                     : &map2<u32, u32, u32, [](u32 a, u32 b) { return unit::quotient<false, false>(a, b); }>;
    case LaneOp::DivFull:
        return flush ? &map2<u32, u32, u32, [](u32 a, u32 b) { return unit::quotient<true, true>(a, b); }>
                     : &map2<u32, u32, u32, [](u32 a, u32 b) { return unit::quotient<true, false>(a, b); }>;
    default:
        return nullptr;
    }
}

} // namespace
} // namespace ridge::gpu::simt::RIDGE_LANES
