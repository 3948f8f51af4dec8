// SPDX-License-Identifier: GPL-3.0-or-later
// f32 and f64 in round-to-nearest-even; see lane_loops.h for the rules of these files.
#pragma once

#include "gpu/simt/lanes/lane_bitfield.h"

namespace ridge::gpu::simt::RIDGE_LANES {
namespace {

/// One float format over its bit pattern. A NaN that arithmetic produces has one pattern, as PTX says of f32, so that
/// results do not depend on the host's rules for payloads.
template<class U>
struct Format;
template<>
struct Format<u32> {
    using F = float;
    static constexpr u32 sign = 0x80000000u, exponent = 0x7f800000u, nan = 0x7fffffffu;
    static F fused(F a, F b, F c) { return __builtin_fmaf(a, b, c); }
    static F root(F a) { return __builtin_sqrtf(a); }
};
template<>
struct Format<u64> {
    using F = double;
    static constexpr u64 sign = 0x8000000000000000u, exponent = 0x7ff0000000000000u, nan = 0xfff8000000000000u;
    static F fused(F a, F b, F c) { return __builtin_fma(a, b, c); }
    static F root(F a) { return __builtin_sqrt(a); }
};

template<class U>
using Real = typename Format<U>::F;

template<class U>
U flushed(U bits)
{
    return (bits & Format<U>::exponent) == 0 ? bits & Format<U>::sign : bits;
}

template<bool Flush, class U>
Real<U> in(U bits)
{
    return __builtin_bit_cast(Real<U>, Flush ? flushed(bits) : bits);
}

template<bool Flush, bool Saturate, class U>
U out(Real<U> value)
{
    if (Saturate) // a NaN becomes +0
        value = value > 0 ? (value < 1 ? value : Real<U>{1}) : Real<U>{0};
    U bits = __builtin_bit_cast(U, value);
    bits = value != value ? Format<U>::nan : bits;
    return Flush ? flushed(bits) : bits;
}

/// The number where one operand is NaN (PropagateNaN: NaN); -0 below +0.
template<bool Flush, bool Less, bool PropagateNaN, class U>
U extremum(U ua, U ub)
{
    ua = Flush ? flushed(ua) : ua;
    ub = Flush ? flushed(ub) : ub;
    const Real<U> a = in<false>(ua);
    const Real<U> b = in<false>(ub);
    U r = (Less ? a < b : a > b) ? ua : ub;
    r = a == b ? (Less ? ua | ub : ua & ub) : r;
    r = b != b ? (PropagateNaN ? Format<U>::nan : ua) : r;
    r = a != a ? (PropagateNaN ? Format<U>::nan : ub) : r;
    return (r & static_cast<U>(~Format<U>::sign)) > Format<U>::exponent ? Format<U>::nan : r;
}

template<class U, bool Flush, bool Saturate>
OpFunction findRounded(LaneOp op)
{
    switch (op) {
    case LaneOp::Add:
        return &map2<U, U, U, [](U a, U b) { return out<Flush, Saturate, U>(in<Flush>(a) + in<Flush>(b)); }>;
    case LaneOp::Sub:
        return &map2<U, U, U, [](U a, U b) { return out<Flush, Saturate, U>(in<Flush>(a) - in<Flush>(b)); }>;
    case LaneOp::Mul:
        return &map2<U, U, U, [](U a, U b) { return out<Flush, Saturate, U>(in<Flush>(a) * in<Flush>(b)); }>;
    case LaneOp::Fma:
        return &map3<U, U, U, U, [](U a, U b, U c) {
            return out<Flush, Saturate, U>(Format<U>::fused(in<Flush>(a), in<Flush>(b), in<Flush>(c)));
        }>;
    default:
        return nullptr;
    }
}

template<class U, bool Flush>
OpFunction findUnrounded(LaneOp op)
{
    constexpr U magnitude = static_cast<U>(~Format<U>::sign);
    switch (op) {
    case LaneOp::Div:
        return &map2<U, U, U, [](U a, U b) { return out<Flush, false, U>(in<Flush>(a) / in<Flush>(b)); }>;
    case LaneOp::Rcp:
        return &map1<U, U, [](U a) { return out<Flush, false, U>(1 / in<Flush>(a)); }>;
    case LaneOp::Sqrt:
        return &map1<U, U, [](U a) { return out<Flush, false, U>(Format<U>::root(in<Flush>(a))); }>;
    case LaneOp::Min:
        return &map2<U, U, U, [](U a, U b) { return extremum<Flush, true, false>(a, b); }>;
    case LaneOp::Max:
        return &map2<U, U, U, [](U a, U b) { return extremum<Flush, false, false>(a, b); }>;
    case LaneOp::MinNaN:
        return &map2<U, U, U, [](U a, U b) { return extremum<Flush, true, true>(a, b); }>;
    case LaneOp::MaxNaN:
        return &map2<U, U, U, [](U a, U b) { return extremum<Flush, false, true>(a, b); }>;
    case LaneOp::Abs:
        return &map1<U, U, [](U a) { return static_cast<U>((Flush ? flushed(a) : a) & magnitude); }>;
    case LaneOp::Neg:
        return &map1<U, U, [](U a) { return static_cast<U>((Flush ? flushed(a) : a) ^ Format<U>::sign); }>;
    case LaneOp::CopySign:
        return &map2<U, U, U, [](U a, U b) { return static_cast<U>((a & Format<U>::sign) | (b & magnitude)); }>;
    default:
        return nullptr;
    }
}

template<class U>
OpFunction findFloat(const LaneKey& key)
{
    if (key.saturate)
        return key.flush ? findRounded<U, true, true>(key.op) : findRounded<U, false, true>(key.op);
    if (const OpFunction found = key.flush ? findRounded<U, true, false>(key.op) : findRounded<U, false, false>(key.op))
        return found;
    return key.flush ? findUnrounded<U, true>(key.op) : findUnrounded<U, false>(key.op);
}

} // namespace
} // namespace ridge::gpu::simt::RIDGE_LANES
