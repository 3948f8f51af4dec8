// SPDX-License-Identifier: GPL-3.0-or-later
// Integer and bit operations; see lane_loops.h for the rules of these files.
#pragma once

#include "gpu/simt/lanes/lane_loops.h"

namespace ridge::gpu::simt::RIDGE_LANES {
namespace {

template<class U>
inline constexpr u32 kBits = sizeof(U) * 8;

template<class U>
U mulHiUnsigned(U a, U b)
{
    using W = typename SignedOf<U>::wide;
    return static_cast<U>((static_cast<W>(a) * b) >> kBits<U>);
}

template<class U>
U mulHiSigned(U a, U b)
{
    // The unsigned product counts a negative factor 2^n too high.
    using S = typename SignedOf<U>::type;
    U high = mulHiUnsigned(a, b);
    high = static_cast<U>(high - (static_cast<S>(a) < 0 ? b : U{0}));
    return static_cast<U>(high - (static_cast<S>(b) < 0 ? a : U{0}));
}

/// Division by zero gives all ones, quotient and remainder alike, as the hardware's own sequences do.
template<class U>
U divSigned(U a, U b)
{
    using S = typename SignedOf<U>::type;
    if (b == 0)
        return static_cast<U>(~U{0});
    if (static_cast<U>(~b) == 0)
        return static_cast<U>(U{0} - a);
    return static_cast<U>(static_cast<S>(a) / static_cast<S>(b));
}

template<class U>
U remSigned(U a, U b)
{
    using S = typename SignedOf<U>::type;
    if (b == 0)
        return static_cast<U>(~U{0});
    if (static_cast<U>(~b) == 0)
        return 0;
    return static_cast<U>(static_cast<S>(a) % static_cast<S>(b));
}

template<class U, bool Signed>
typename SignedOf<U>::wide wideProduct(U a, U b)
{
    using W = typename SignedOf<U>::wide;
    using SW = typename SignedOf<W>::type;
    if constexpr (Signed)
        return static_cast<W>(SW{static_cast<typename SignedOf<U>::type>(a)} *
                              static_cast<typename SignedOf<U>::type>(b));
    else
        return static_cast<W>(W{a} * b);
}

template<class U, bool Signed>
OpFunction findMultiply(LaneOp op)
{
    using P = decltype(U{} * 1u); // 16-bit factors promote to int, whose product would overflow
    switch (op) {
    case LaneOp::MulLo:
        return &map2<U, U, U, [](U a, U b) { return static_cast<U>(P{a} * P{b}); }>;
    case LaneOp::MadLo:
        return &map3<U, U, U, U, [](U a, U b, U c) { return static_cast<U>(P{a} * P{b} + c); }>;
    case LaneOp::MulHi:
        return &map2<U, U, U, [](U a, U b) { return Signed ? mulHiSigned(a, b) : mulHiUnsigned(a, b); }>;
    case LaneOp::MadHi:
        return &map3<U, U, U, U, [](U a, U b, U c) {
            return static_cast<U>((Signed ? mulHiSigned(a, b) : mulHiUnsigned(a, b)) + c);
        }>;
    default:
        break;
    }
    if constexpr (sizeof(U) < 8) {
        using W = typename SignedOf<U>::wide;
        if (op == LaneOp::MulWide)
            return &map2<W, U, U, [](U a, U b) { return wideProduct<U, Signed>(a, b); }>;
        if (op == LaneOp::MadWide)
            return &map3<W, U, U, W, [](U a, U b, W c) { return static_cast<W>(wideProduct<U, Signed>(a, b) + c); }>;
    }
    return nullptr;
}

template<class U, bool Signed>
OpFunction findArithmetic(LaneOp op)
{
    using S = typename SignedOf<U>::type;
    using T = std::conditional_t<Signed, S, U>;
    switch (op) {
    case LaneOp::Add:
        return &map2<U, U, U, [](U a, U b) { return static_cast<U>(a + b); }>;
    case LaneOp::Sub:
        return &map2<U, U, U, [](U a, U b) { return static_cast<U>(a - b); }>;
    case LaneOp::Div:
        return &map2<U, U, U, [](U a, U b) {
            return Signed ? divSigned(a, b) : static_cast<U>(b == 0 ? static_cast<U>(~U{0}) : a / b);
        }>;
    case LaneOp::Rem:
        return &map2<U, U, U, [](U a, U b) {
            return Signed ? remSigned(a, b) : static_cast<U>(b == 0 ? static_cast<U>(~U{0}) : a % b);
        }>;
    case LaneOp::Min:
        return &map2<U, U, U, [](U a, U b) { return static_cast<T>(a) < static_cast<T>(b) ? a : b; }>;
    case LaneOp::Max:
        return &map2<U, U, U, [](U a, U b) { return static_cast<T>(b) < static_cast<T>(a) ? a : b; }>;
    case LaneOp::Abs:
        return &map1<U, U, [](U a) { return static_cast<U>(static_cast<S>(a) < 0 ? U{0} - a : a); }>;
    case LaneOp::Neg:
        return &map1<U, U, [](U a) { return static_cast<U>(U{0} - a); }>;
    case LaneOp::Sad:
        return &map3<U, U, U, U, [](U a, U b, U c) {
            return static_cast<U>((static_cast<T>(a) < static_cast<T>(b) ? b - a : a - b) + c);
        }>;
    case LaneOp::Shr:
        return &map2<U, U, u32, [](U a, u32 b) {
            const u32 amount = b < kBits<U> ? b : kBits<U> - 1;
            const U shifted = static_cast<U>(static_cast<T>(a) >> amount);
            return Signed || b < kBits<U> ? shifted : U{0};
        }>;
    default:
        return findMultiply<U, Signed>(op);
    }
}

template<class U>
OpFunction findBits(LaneOp op)
{
    switch (op) {
    case LaneOp::Mov:
        return &map1<U, U, [](U a) { return a; }>;
    case LaneOp::And:
        return &map2<U, U, U, [](U a, U b) { return static_cast<U>(a & b); }>;
    case LaneOp::Or:
        return &map2<U, U, U, [](U a, U b) { return static_cast<U>(a | b); }>;
    case LaneOp::Xor:
        return &map2<U, U, U, [](U a, U b) { return static_cast<U>(a ^ b); }>;
    case LaneOp::Not:
        return &map1<U, U, [](U a) { return static_cast<U>(~a); }>;
    case LaneOp::Cnot:
        return &map1<U, U, [](U a) { return static_cast<U>(a == 0 ? 1 : 0); }>;
    case LaneOp::Shl:
        return &map2<U, U, u32, [](U a, u32 b) {
            const u32 amount = b < kBits<U> ? b : 0;
            return b < kBits<U> ? static_cast<U>(a << amount) : U{0};
        }>;
    default:
        return nullptr;
    }
}

template<class U>
Step selectLanes(WarpRegisters& w, const MicroOp& op, u32 mask)
{
    const U* a = plane<const U>(w, op.a);
    const U* b = plane<const U>(w, op.b);
    U* d = plane<U>(w, op.d);
    const u32 chosen = *plane<u32>(w, op.c);
    alignas(64) U scratch[32];
    U* out = mask == kAll ? d : scratch;
    RIDGE_LANE_LOOP out[i] = (chosen >> i & 1u) != 0 ? a[i] : b[i];
    if (mask != kAll)
        blend(d, scratch, mask);
    return Step::Next;
}

/// add.cc, addc, sub.cc, subc, mad.cc, madc: c is the addend of a multiply-add, e the carry predicate.
template<class U>
Step carryLanes(WarpRegisters& w, const MicroOp& op, u32 mask)
{
    using W = typename SignedOf<U>::wide;
    const U* a = plane<const U>(w, op.a);
    const U* b = plane<const U>(w, op.b);
    const U* c = plane<const U>(w, op.c);
    U result[32];
    u32 carryOut = 0;
    const u32 kind = op.flags & kCarryKind;
    // A difference is a sum with the complement: its carry is set where nothing was borrowed. PTX only speaks of a
    // borrow, but the divisions of 128-bit numbers that nvcc writes read the flag of subc.cc with addc and rely on
    // this.
    const u32 flip = kind == kCarrySub ? kAll : 0;
    const u32 carryIn = (op.flags & kCarryReads) != 0 ? *plane<u32>(w, op.e) ^ flip : 0;
    for (int i = 0; i < 32; ++i) {
        const U in = static_cast<U>(carryIn >> i & 1u);
        W sum = 0;
        if (kind == kCarrySub) {
            sum = static_cast<W>(a[i]) - b[i] - in;
        } else {
            U first = a[i];
            if (kind == kCarryMadLo)
                first = static_cast<U>(a[i] * b[i]);
            else if (kind == kCarryMadHi)
                first = (op.flags & kCarrySigned) != 0 ? mulHiSigned(a[i], b[i]) : mulHiUnsigned(a[i], b[i]);
            sum = static_cast<W>(first) + (kind == kCarryAdd ? b[i] : c[i]) + in;
        }
        result[i] = static_cast<U>(sum);
        carryOut |= static_cast<u32>(sum >> kBits<U> & 1) << i;
    }
    blend(plane<U>(w, op.d), result, mask);
    if ((op.flags & kCarryWrites) != 0)
        writePredicate(w, op.e, carryOut ^ flip, mask);
    return Step::Next;
}

/// Everything of one integer type: U is its plane, Signed its interpretation.
template<class U, bool Signed>
OpFunction findInteger(LaneOp op)
{
    if (op == LaneOp::Selp)
        return &selectLanes<U>;
    if constexpr (sizeof(U) >= 4) {
        if (op == LaneOp::Carry)
            return &carryLanes<U>;
    }
    const OpFunction bits = findBits<U>(op);
    return bits != nullptr ? bits : findArithmetic<U, Signed>(op);
}

} // namespace
} // namespace ridge::gpu::simt::RIDGE_LANES
