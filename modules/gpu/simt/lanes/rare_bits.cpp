// SPDX-License-Identifier: GPL-3.0-or-later
// Integer operations that compilers seldom write; one build, lane by lane, as the pseudo-code of the PTX ISA gives
// them.
#include "gpu/simt/lanes/scalar_ops.h"

#include <cstdlib>

namespace ridge::gpu::simt {

namespace {

using u32 = std::uint32_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

constexpr u32 kAll = ~u32{0};

u32 dot2(u32 a, u32 b, u32 c, u32 flags)
{
    for (const u32 at : {0u, 1u}) {
        const u32 word = a >> (16 * at) & 0xffff;
        const u32 byte = b >> (8 * at + ((flags & kDotUpper) != 0 ? 16 : 0)) & 0xff;
        const s32 x = (flags & kDotSignedA) != 0 ? static_cast<std::int16_t>(word) : static_cast<s32>(word);
        const s32 y = (flags & kDotSignedB) != 0 ? static_cast<std::int8_t>(byte) : static_cast<s32>(byte);
        c += static_cast<u32>(x * y);
    }
    return c;
}

/// Product of the low 24 bits: 48 bits, of which .lo are the low and .hi the high 32.
template<bool Signed>
u32 product24(u32 a, u32 b, bool high)
{
    const auto narrow = [](u32 v) { return Signed ? s64{static_cast<s32>(v << 8) >> 8} : s64{v & 0xffffff}; };
    const s64 product = narrow(a) * narrow(b);
    return static_cast<u32>(high ? product >> 16 : product);
}

u32 bitMask(u32 a, u32 b, bool clamp)
{
    const u32 sum = (a & 31) + (b & 31);
    const bool outside = clamp && a >= 32;
    const bool open = sum >= 32 || outside || (clamp && b >= 32);
    const u32 from = outside ? 0 : kAll << (a & 31);
    const u32 past = open ? 0 : (b & 31) == 0 ? kAll : kAll << sum;
    return from & ~past;
}

u32 extendFrom(u32 a, u32 b, bool clamp, bool isSignedType)
{
    const u32 width = b & 31;
    const bool whole = clamp && b >= 32;
    const u32 mask = whole ? 0 : kAll << width;
    const bool negative = isSignedType && width != 0 && !whole && (a >> (width - 1) & 1) != 0;
    return (a & ~mask) | (negative ? mask : 0);
}

/// Position of the |offset|-th set bit from `base` on, upwards or downwards; all ones where there is none.
u32 findNthSet(u32 mask, u32 base, s32 offset)
{
    if (offset == 0)
        return base < 32 && (mask >> base & 1) != 0 ? base : kAll;
    s64 left = std::llabs(s64{offset}) - 1;
    for (s64 at = base; at >= 0 && at<32; at += offset> 0 ? 1 : -1) {
        if ((mask >> at & 1) != 0 && left-- == 0)
            return static_cast<u32>(at);
    }
    return kAll;
}

template<LaneOp Op, bool Signed>
u32 compute(u32 a, u32 b, u32 c, u32 flags)
{
    switch (Op) {
    case LaneOp::Dp2a:
        return dot2(a, b, c, flags);
    case LaneOp::Mul24Lo:
        return product24<Signed>(a, b, false);
    case LaneOp::Mul24Hi:
        return product24<Signed>(a, b, true);
    case LaneOp::Mad24Lo:
        return product24<Signed>(a, b, false) + c;
    case LaneOp::Mad24Hi:
        return product24<Signed>(a, b, true) + c;
    case LaneOp::Bmsk:
        return bitMask(a, b, true);
    case LaneOp::BmskWrap:
        return bitMask(a, b, false);
    case LaneOp::SzextClamp:
        return extendFrom(a, b, true, Signed);
    case LaneOp::SzextWrap:
        return extendFrom(a, b, false, Signed);
    default:
        return findNthSet(a, b, static_cast<s32>(c));
    }
}

template<LaneOp Op, bool Signed>
Step lanes(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    forLanes(mask, [&](int lane) {
        scalarPlane<u32>(warp, op.d)[lane] =
            compute<Op, Signed>(scalarPlane<u32>(warp, op.a)[lane], scalarPlane<u32>(warp, op.b)[lane],
                                scalarPlane<u32>(warp, op.c)[lane], op.flags);
    });
    return Step::Next;
}

template<LaneOp Op>
OpFunction forSign(ScalarType type)
{
    return isSigned(type) ? &lanes<Op, true> : &lanes<Op, false>;
}

} // namespace

OpFunction findRareBitOp(const LaneKey& key)
{
    switch (key.op) {
    case LaneOp::Dp2a:
        return forSign<LaneOp::Dp2a>(key.type);
    case LaneOp::Mul24Lo:
        return forSign<LaneOp::Mul24Lo>(key.type);
    case LaneOp::Mul24Hi:
        return forSign<LaneOp::Mul24Hi>(key.type);
    case LaneOp::Mad24Lo:
        return forSign<LaneOp::Mad24Lo>(key.type);
    case LaneOp::Mad24Hi:
        return forSign<LaneOp::Mad24Hi>(key.type);
    case LaneOp::Bmsk:
        return forSign<LaneOp::Bmsk>(key.type);
    case LaneOp::BmskWrap:
        return forSign<LaneOp::BmskWrap>(key.type);
    case LaneOp::SzextClamp:
        return forSign<LaneOp::SzextClamp>(key.type);
    case LaneOp::SzextWrap:
        return forSign<LaneOp::SzextWrap>(key.type);
    case LaneOp::Fns:
        return forSign<LaneOp::Fns>(key.type);
    default:
        return nullptr;
    }
}

} // namespace ridge::gpu::simt
