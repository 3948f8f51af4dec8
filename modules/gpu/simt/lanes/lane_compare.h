// SPDX-License-Identifier: GPL-3.0-or-later
// setp and the conversions that deserve a vector loop; see lane_loops.h for the rules of these files.
#pragma once

#include "gpu/simt/lanes/lane_float.h"

namespace ridge::gpu::simt::RIDGE_LANES {
namespace {

template<class U, auto Holds>
Step compareLanes(WarpRegisters& w, const MicroOp& op, u32 mask)
{
    const U* a = plane<const U>(w, op.a);
    const U* b = plane<const U>(w, op.b);
    u32 result = 0;
    RIDGE_LANE_LOOP result |= Holds(a[i], b[i]) ? u32{1} << i : u32{0};
    u32 inverse = ~result;
    if ((op.flags & 3) != kBoolNone) {
        const u32 c = *plane<u32>(w, op.c) ^ ((op.flags & kBoolFlipC) != 0 ? kAll : 0);
        switch (op.flags & 3) {
        case kBoolAnd:
            result &= c;
            inverse &= c;
            break;
        case kBoolOr:
            result |= c;
            inverse |= c;
            break;
        default:
            result ^= c;
            inverse ^= c;
            break;
        }
    }
    writePredicate(w, op.d, result, mask);
    if (op.e != kAll)
        writePredicate(w, op.e, inverse, mask);
    return Step::Next;
}

template<class U, class T>
OpFunction findIntegerCompare(Compare compare)
{
    switch (compare) {
    case Compare::Eq:
        return &compareLanes<U, [](U a, U b) { return a == b; }>;
    case Compare::Ne:
        return &compareLanes<U, [](U a, U b) { return a != b; }>;
    case Compare::Lt:
        return &compareLanes<U, [](U a, U b) { return static_cast<T>(a) < static_cast<T>(b); }>;
    case Compare::Le:
        return &compareLanes<U, [](U a, U b) { return static_cast<T>(a) <= static_cast<T>(b); }>;
    case Compare::Gt:
        return &compareLanes<U, [](U a, U b) { return (static_cast<T>(a) > static_cast<T>(b)); }>;
    case Compare::Ge:
        return &compareLanes<U, [](U a, U b) { return (static_cast<T>(a) >= static_cast<T>(b)); }>;
    default:
        return nullptr;
    }
}

template<class U, bool X, auto Ordered, bool WhenUnordered>
OpFunction floatCompare()
{
    return &compareLanes<U, [](U ua, U ub) {
        const Real<U> a = in<X>(ua);
        const Real<U> b = in<X>(ub);
        return static_cast<bool>((a != a) | (b != b)) ? WhenUnordered : Ordered(a, b);
    }>;
}

template<class U, bool X>
OpFunction findFloatCompare(Compare compare)
{
    using R = Real<U>;
    switch (compare) {
    case Compare::Eq:
        return floatCompare<U, X, [](R a, R b) { return a == b; }, false>();
    case Compare::Ne:
        return floatCompare<U, X, [](R a, R b) { return a != b; }, false>();
    case Compare::Lt:
        return floatCompare<U, X, [](R a, R b) { return a < b; }, false>();
    case Compare::Le:
        return floatCompare<U, X, [](R a, R b) { return a <= b; }, false>();
    case Compare::Gt:
        return floatCompare<U, X, [](R a, R b) { return (a > b); }, false>();
    case Compare::Ge:
        return floatCompare<U, X, [](R a, R b) { return (a >= b); }, false>();
    case Compare::Equ:
        return floatCompare<U, X, [](R a, R b) { return a == b; }, true>();
    case Compare::Neu:
        return floatCompare<U, X, [](R a, R b) { return a != b; }, true>();
    case Compare::Ltu:
        return floatCompare<U, X, [](R a, R b) { return a < b; }, true>();
    case Compare::Leu:
        return floatCompare<U, X, [](R a, R b) { return a <= b; }, true>();
    case Compare::Gtu:
        return floatCompare<U, X, [](R a, R b) { return (a > b); }, true>();
    case Compare::Geu:
        return floatCompare<U, X, [](R a, R b) { return (a >= b); }, true>();
    case Compare::Num:
        return floatCompare<U, X, [](R, R) { return true; }, false>();
    case Compare::Nan:
        return floatCompare<U, X, [](R, R) { return false; }, true>();
    }
    return nullptr;
}

/// Conversions frequent in address arithmetic and loops; the rest is findScalarOp's.
OpFunction findConvert(const ConvertSpec& c)
{
    using T = ScalarType;
    if (c.saturate || c.flush || c.toRegister != sizeOf(c.to) || c.fromRegister != sizeOf(c.from))
        return nullptr;
    const auto is = [&c](T to, T from) { return c.to == to && c.from == from; };
    if (is(T::S64, T::S32) || is(T::U64, T::S32))
        return &map1<u64, u32, [](u32 a) { return static_cast<u64>(static_cast<s64>(static_cast<s32>(a))); }>;
    if (is(T::U64, T::U32) || is(T::S64, T::U32))
        return &map1<u64, u32, [](u32 a) { return u64{a}; }>;
    if ((c.to == T::U32 || c.to == T::S32) && (c.from == T::U64 || c.from == T::S64))
        return &map1<u32, u64, [](u64 a) { return static_cast<u32>(a); }>;
    if ((c.to == T::U32 || c.to == T::S32) && c.from == T::U16)
        return &map1<u32, u16, [](u16 a) { return u32{a}; }>;
    if ((c.to == T::U32 || c.to == T::S32) && c.from == T::S16)
        return &map1<u32, u16, [](u16 a) { return static_cast<u32>(s32{static_cast<s16>(a)}); }>;
    if ((c.to == T::U16 || c.to == T::S16) && (c.from == T::U32 || c.from == T::S32))
        return &map1<u16, u32, [](u32 a) { return static_cast<u16>(a); }>;
    if (c.rounding == Rounding::Nearest && is(T::F32, T::S32))
        return &map1<u32, u32, [](u32 a) { return __builtin_bit_cast(u32, static_cast<float>(static_cast<s32>(a))); }>;
    if (is(T::F64, T::S32))
        return &map1<u64, u32, [](u32 a) { return __builtin_bit_cast(u64, static_cast<double>(static_cast<s32>(a))); }>;
    if (is(T::F64, T::F32) && !c.toInteger)
        return &map1<u64, u32, [](u32 a) { return out<false, false, u64>(static_cast<double>(in<false>(a))); }>;
    if (is(T::F32, T::F64) && c.rounding == Rounding::Nearest && !c.toInteger)
        return &map1<u32, u64, [](u64 a) { return out<false, false, u32>(static_cast<float>(in<false>(a))); }>;
    return nullptr;
}

} // namespace
} // namespace ridge::gpu::simt::RIDGE_LANES
