// SPDX-License-Identifier: GPL-3.0-or-later
// Bit fields, permutes, funnel shifts, dot products, packing and predicates; see lane_loops.h for the rules.
#pragma once

#include "gpu/simt/lanes/lane_integer.h"

namespace ridge::gpu::simt::RIDGE_LANES {
namespace {

template<class U>
u32 leadingZeros(U a)
{
    if (a == 0)
        return kBits<U>;
    return static_cast<u32>(sizeof(U) == 8 ? __builtin_clzll(a) : __builtin_clz(static_cast<u32>(a)));
}

template<class U>
U reverseBits(U a)
{
    U r = 0;
    for (u32 bit = 0; bit < kBits<U>; ++bit)
        r = static_cast<U>(r << 1 | (a >> bit & 1u));
    return r;
}

/// Position of the most significant bit that differs from the sign; all ones where there is none.
template<class U, bool Signed>
u32 findMsb(U a)
{
    if (Signed && (a >> (kBits<U> - 1)) != 0)
        a = static_cast<U>(~a);
    return a == 0 ? kAll : kBits<U> - 1 - leadingZeros(a);
}

template<class U, bool Signed>
U extractField(U a, u32 b, u32 c)
{
    const u32 pos = b & 0xff;
    const u32 len = c & 0xff;
    U sign = 0;
    if (Signed && len != 0) {
        const u32 at = pos + len - 1 < kBits<U> ? pos + len - 1 : kBits<U> - 1;
        sign = static_cast<U>(a >> at & 1u);
    }
    const U fill = sign != 0 ? static_cast<U>(~U{0}) : U{0};
    U field = pos < kBits<U> ? static_cast<U>(a >> pos) : fill;
    if (pos != 0 && pos < kBits<U>)
        field = static_cast<U>(field | static_cast<U>(fill << (kBits<U> - pos)));
    if (len >= kBits<U>)
        return field;
    const U keep = static_cast<U>((U{1} << len) - 1);
    return static_cast<U>((field & keep) | (fill & ~keep));
}

template<class U>
U insertField(U a, U b, u32 c, u32 d)
{
    const u32 pos = c & 0xff;
    const u32 len = d & 0xff;
    if (len == 0 || pos >= kBits<U>)
        return b;
    const U ones = len >= kBits<U> ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << len) - 1);
    const U keep = static_cast<U>(ones << pos);
    return static_cast<U>((b & ~keep) | (static_cast<U>(a << pos) & keep));
}

/// bfi has four sources; the fourth, the length, lies at e.
template<class U>
Step insertLanes(WarpRegisters& w, const MicroOp& op, u32 mask)
{
    const U* a = plane<const U>(w, op.a);
    const U* b = plane<const U>(w, op.b);
    const u32* c = plane<const u32>(w, op.c);
    const u32* len = plane<const u32>(w, op.e);
    U result[32];
    for (int i = 0; i < 32; ++i)
        result[i] = insertField(a[i], b[i], c[i], len[i]);
    blend(plane<U>(w, op.d), result, mask);
    return Step::Next;
}

template<class U, bool Signed>
OpFunction findBitField(LaneOp op)
{
    switch (op) {
    case LaneOp::Popc:
        return &map1<u32, U, [](U a) { return static_cast<u32>(__builtin_popcountll(a)); }>;
    case LaneOp::Clz:
        return &map1<u32, U, [](U a) { return leadingZeros(a); }>;
    case LaneOp::Brev:
        return &map1<U, U, [](U a) { return reverseBits(a); }>;
    case LaneOp::Bfind:
        return &map1<u32, U, [](U a) { return findMsb<U, Signed>(a); }>;
    case LaneOp::BfindShift:
        return &map1<u32, U, [](U a) {
            const u32 msb = findMsb<U, Signed>(a);
            return msb == kAll ? kAll : kBits<U> - 1 - msb;
        }>;
    case LaneOp::Bfe:
        return &map3<U, U, u32, u32, [](U a, u32 b, u32 c) { return extractField<U, Signed>(a, b, c); }>;
    case LaneOp::Bfi:
        return &insertLanes<U>;
    default:
        return nullptr;
    }
}

u32 permuteSelector(u32 mode, u32 c)
{
    const u32 n = c & 3;
    switch (static_cast<PrmtMode>(mode)) {
    case PrmtMode::F4e:
        return (n + 3) << 12 | (n + 2) << 8 | (n + 1) << 4 | n;
    case PrmtMode::B4e:
        return ((n + 5) & 7) << 12 | ((n + 6) & 7) << 8 | ((n + 7) & 7) << 4 | n;
    case PrmtMode::Rc8:
        return n * 0x1111u;
    case PrmtMode::Ecl:
        return 3u << 12 | (n > 2 ? n : 2u) << 8 | (n > 1 ? n : 1u) << 4 | n;
    case PrmtMode::Ecr:
        return n << 12 | (n < 2 ? n : 2u) << 8 | (n < 1 ? n : 1u) << 4;
    case PrmtMode::Rc16:
        return (n & 1) != 0 ? 0x3232u : 0x1010u;
    case PrmtMode::Index:
        break;
    }
    return c;
}

u32 permuteBytes(u32 a, u32 b, u32 selector)
{
    const u64 bytes = u64{b} << 32 | a;
    u32 r = 0;
    for (u32 at = 0; at < 4; ++at) {
        const u32 nibble = selector >> (4 * at) & 15u;
        u32 byte = static_cast<u32>(bytes >> (8 * (nibble & 7))) & 0xffu;
        if ((nibble & 8) != 0)
            byte = (byte & 0x80) != 0 ? 0xffu : 0u;
        r |= byte << (8 * at);
    }
    return r;
}

u32 lookUp3(u32 a, u32 b, u32 c, u32 table)
{
    const auto term = [table](u32 bit) { return 0u - (table >> bit & 1u); };
    return (term(0) & ~a & ~b & ~c) | (term(1) & ~a & ~b & c) | (term(2) & ~a & b & ~c) | (term(3) & ~a & b & c) |
           (term(4) & a & ~b & ~c) | (term(5) & a & ~b & c) | (term(6) & a & b & ~c) | (term(7) & a & b & c);
}

u32 dot4(u32 a, u32 b, u32 c, u32 flags)
{
    for (u32 at = 0; at < 32; at += 8) {
        const u32 byteA = a >> at & 0xff;
        const u32 byteB = b >> at & 0xff;
        const s32 x = (flags & kDotSignedA) != 0 ? s32{static_cast<s8>(byteA)} : static_cast<s32>(byteA);
        const s32 y = (flags & kDotSignedB) != 0 ? s32{static_cast<s8>(byteB)} : static_cast<s32>(byteB);
        c += static_cast<u32>(x * y);
    }
    return c;
}

template<bool Left, bool Clamp>
u32 funnel(u32 low, u32 high, u32 c)
{
    const u32 n = Clamp ? (c < 32 ? c : 32u) : c & 31u;
    const u64 both = u64{high} << 32 | low;
    return static_cast<u32>(Left ? both << n >> 32 : both >> n);
}

OpFunction findWord(LaneOp op)
{
    switch (op) {
    case LaneOp::FunnelLeftWrap:
        return &map3<u32, u32, u32, u32, [](u32 a, u32 b, u32 c) { return funnel<true, false>(a, b, c); }>;
    case LaneOp::FunnelLeftClamp:
        return &map3<u32, u32, u32, u32, [](u32 a, u32 b, u32 c) { return funnel<true, true>(a, b, c); }>;
    case LaneOp::FunnelRightWrap:
        return &map3<u32, u32, u32, u32, [](u32 a, u32 b, u32 c) { return funnel<false, false>(a, b, c); }>;
    case LaneOp::FunnelRightClamp:
        return &map3<u32, u32, u32, u32, [](u32 a, u32 b, u32 c) { return funnel<false, true>(a, b, c); }>;
    case LaneOp::Lop3:
        return &map3Flags<u32, u32, u32, u32, [](u32 a, u32 b, u32 c, u32 f) { return lookUp3(a, b, c, f); }>;
    case LaneOp::Prmt:
        return &map3Flags<u32, u32, u32, u32,
                          [](u32 a, u32 b, u32 c, u32 f) { return permuteBytes(a, b, permuteSelector(f, c)); }>;
    case LaneOp::Dp4a:
        return &map3Flags<u32, u32, u32, u32, [](u32 a, u32 b, u32 c, u32 f) { return dot4(a, b, c, f); }>;
    default:
        return nullptr;
    }
}

/// mov between a wide register and a vector of narrow ones. The narrow planes lie at a (or d), b, c and e;
/// an offset of ~0 is the sink.
template<class W, class N>
Step packLanes(WarpRegisters& w, const MicroOp& op, u32 mask)
{
    const u32 parts[4] = {op.a, op.b, op.c, op.e};
    W result[32] = {};
    for (u32 part = 0; part < sizeof(W) / sizeof(N); ++part) {
        const N* from = plane<const N>(w, parts[part]);
        for (int i = 0; i < 32; ++i)
            result[i] = static_cast<W>(result[i] | static_cast<W>(W{from[i]} << (part * kBits<N>)));
    }
    blend(plane<W>(w, op.d), result, mask);
    return Step::Next;
}

template<class W, class N>
Step unpackLanes(WarpRegisters& w, const MicroOp& op, u32 mask)
{
    const u32 parts[4] = {op.d, op.b, op.c, op.e};
    const W* from = plane<const W>(w, op.a);
    W source[32];
    std::memcpy(source, from, sizeof source); // a destination may be the source
    for (u32 part = 0; part < sizeof(W) / sizeof(N); ++part) {
        if (parts[part] == kAll)
            continue;
        N result[32];
        for (int i = 0; i < 32; ++i)
            result[i] = static_cast<N>(source[i] >> (part * kBits<N>));
        blend(plane<N>(w, parts[part]), result, mask);
    }
    return Step::Next;
}

OpFunction findPacking(LaneOp op)
{
    switch (op) {
    case LaneOp::Pack2x16:
        return &packLanes<u32, u16>;
    case LaneOp::Pack2x32:
        return &packLanes<u64, u32>;
    case LaneOp::Pack4x16:
        return &packLanes<u64, u16>;
    case LaneOp::Unpack2x16:
        return &unpackLanes<u32, u16>;
    case LaneOp::Unpack2x32:
        return &unpackLanes<u64, u32>;
    case LaneOp::Unpack4x16:
        return &unpackLanes<u64, u16>;
    default:
        return nullptr;
    }
}

/// Logic on predicates: whole words of lane bits. flags bit 0 and 1 negate a and b.
template<auto F>
Step predicateLanes(WarpRegisters& w, const MicroOp& op, u32 mask)
{
    const u32 a = *plane<u32>(w, op.a) ^ ((op.flags & 1) != 0 ? kAll : 0);
    const u32 b = *plane<u32>(w, op.b) ^ ((op.flags & 2) != 0 ? kAll : 0);
    writePredicate(w, op.d, F(a, b), mask);
    return Step::Next;
}

OpFunction findPredicate(LaneOp op)
{
    switch (op) {
    case LaneOp::PredicateMov:
        return &predicateLanes<[](u32 a, u32) { return a; }>;
    case LaneOp::PredicateAnd:
        return &predicateLanes<[](u32 a, u32 b) { return a & b; }>;
    case LaneOp::PredicateOr:
        return &predicateLanes<[](u32 a, u32 b) { return a | b; }>;
    case LaneOp::PredicateXor:
        return &predicateLanes<[](u32 a, u32 b) { return a ^ b; }>;
    case LaneOp::PredicateNot:
        return &predicateLanes<[](u32 a, u32) { return ~a; }>;
    default:
        return nullptr;
    }
}

} // namespace
} // namespace ridge::gpu::simt::RIDGE_LANES
