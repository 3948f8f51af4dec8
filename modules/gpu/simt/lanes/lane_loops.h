// SPDX-License-Identifier: GPL-3.0-or-later
// Included by the lane builds only (RIDGE_LANES names the build). Everything here has internal linkage and uses no
// library function, so that code made for a newer processor can never be linked into the baseline build.
#pragma once

#include "gpu/simt/lanes/lanes.h"

#include <cstring>
#include <type_traits>

#if defined(__clang__)
#define RIDGE_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < 32; ++i)
#else
#define RIDGE_LANE_LOOP _Pragma("GCC ivdep") for (int i = 0; i < 32; ++i)
#endif

namespace ridge::gpu::simt::RIDGE_LANES {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

template<class U>
struct SignedOf;
template<>
struct SignedOf<u16> {
    using type = s16;
    using wide = u32;
};
template<>
struct SignedOf<u32> {
    using type = s32;
    using wide = u64;
};
template<>
struct SignedOf<u64> {
    using type = s64;
    using wide = u128;
};

inline constexpr u32 kAll = ~u32{0};

template<class T>
T* plane(WarpRegisters& w, u32 offset)
{
    return static_cast<T*>(__builtin_assume_aligned(w.file + offset, 4));
}

template<class T>
__attribute__((noinline)) void blend(T* to, const T* from, u32 mask)
{
    for (int i = 0; i < 32; ++i)
        to[i] = (mask >> i & 1u) != 0 ? from[i] : to[i];
}

/// d[i] = F(a[i]) in the lanes of `mask`. Lanes outside it are computed too and thrown away: no operation traps.
template<class D, class A, auto F>
Step map1(WarpRegisters& w, const MicroOp& op, u32 mask)
{
    const A* a = plane<const A>(w, op.a);
    D* d = plane<D>(w, op.d);
    alignas(64) D scratch[32];
    D* out = mask == kAll ? d : scratch;
    RIDGE_LANE_LOOP out[i] = F(a[i]);
    if (mask != kAll)
        blend(d, scratch, mask);
    return Step::Next;
}

template<class D, class A, class B, auto F>
Step map2(WarpRegisters& w, const MicroOp& op, u32 mask)
{
    const A* a = plane<const A>(w, op.a);
    const B* b = plane<const B>(w, op.b);
    D* d = plane<D>(w, op.d);
    alignas(64) D scratch[32];
    D* out = mask == kAll ? d : scratch;
    RIDGE_LANE_LOOP out[i] = F(a[i], b[i]);
    if (mask != kAll)
        blend(d, scratch, mask);
    return Step::Next;
}

template<class D, class A, class B, class C, auto F>
Step map3(WarpRegisters& w, const MicroOp& op, u32 mask)
{
    const A* a = plane<const A>(w, op.a);
    const B* b = plane<const B>(w, op.b);
    const C* c = plane<const C>(w, op.c);
    D* d = plane<D>(w, op.d);
    alignas(64) D scratch[32];
    D* out = mask == kAll ? d : scratch;
    RIDGE_LANE_LOOP out[i] = F(a[i], b[i], c[i]);
    if (mask != kAll)
        blend(d, scratch, mask);
    return Step::Next;
}

/// As map3, with the operation's flags as a fourth argument.
template<class D, class A, class B, class C, auto F>
Step map3Flags(WarpRegisters& w, const MicroOp& op, u32 mask)
{
    const A* a = plane<const A>(w, op.a);
    const B* b = plane<const B>(w, op.b);
    const C* c = plane<const C>(w, op.c);
    D* d = plane<D>(w, op.d);
    const u32 flags = op.flags;
    alignas(64) D scratch[32];
    D* out = mask == kAll ? d : scratch;
    RIDGE_LANE_LOOP out[i] = F(a[i], b[i], c[i], flags);
    if (mask != kAll)
        blend(d, scratch, mask);
    return Step::Next;
}

inline void writePredicate(WarpRegisters& w, u32 offset, u32 value, u32 mask)
{
    u32* p = plane<u32>(w, offset);
    *p = (*p & ~mask) | (value & mask);
}

} // namespace
} // namespace ridge::gpu::simt::RIDGE_LANES
