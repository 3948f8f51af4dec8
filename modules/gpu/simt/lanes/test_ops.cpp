// SPDX-License-Identifier: GPL-3.0-or-later
// testp, slct, min and max with .xorsign.abs, and arithmetic on pairs of 16-bit integers.
#include "gpu/simt/lanes/scalar_ops.h"

#include <cmath>

namespace ridge::gpu::simt {

namespace {

template<LaneOp Op, class F>
bool isOfClass(F value)
{
    switch (Op) {
    case LaneOp::TestFinite:
        return std::isfinite(value);
    case LaneOp::TestInfinite:
        return std::isinf(value);
    case LaneOp::TestNumber:
        return !std::isnan(value);
    case LaneOp::TestNotANumber:
        return std::isnan(value);
    case LaneOp::TestNormal:
        return std::fpclassify(value) == FP_NORMAL;
    default:
        return std::fpclassify(value) == FP_SUBNORMAL;
    }
}

template<LaneOp Op, class F>
Step testLanes(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    std::uint32_t result = 0;
    forLanes(mask, [&](int lane) { result |= isOfClass<Op>(scalarPlane<F>(warp, op.a)[lane]) ? 1u << lane : 0u; });
    std::uint32_t& p = *scalarPlane<std::uint32_t>(warp, op.d);
    p = (p & ~mask) | result;
    return Step::Next;
}

template<LaneOp Op>
OpFunction testFor(ScalarType type)
{
    if (type == ScalarType::F32)
        return &testLanes<Op, float>;
    return type == ScalarType::F64 ? &testLanes<Op, double> : nullptr;
}

/// a where c >= 0, else b. c is an s32, or an f32 (flags bit 0) whose denormals may count as zero (bit 1); a NaN
/// selects b.
template<class U>
Step selectBySign(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    forLanes(mask, [&](int lane) {
        const std::uint32_t c = scalarPlane<std::uint32_t>(warp, op.c)[lane];
        bool first = static_cast<std::int32_t>(c) >= 0;
        if ((op.flags & kSlctReal) != 0)
            first = std::bit_cast<float>((op.flags & kSlctFlush) != 0 ? flushSingle(c) : c) >= 0.0f;
        scalarPlane<U>(warp, op.d)[lane] = scalarPlane<U>(warp, first ? op.a : op.b)[lane];
    });
    return Step::Next;
}

template<bool Less, bool Propagate>
Step signedExtremum(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    const ArithmeticSpec spec = unpackArithmetic(op.flags);
    forLanes(mask, [&](int lane) {
        std::uint32_t a = scalarPlane<std::uint32_t>(warp, op.a)[lane];
        std::uint32_t b = scalarPlane<std::uint32_t>(warp, op.b)[lane];
        a = spec.flush ? flushSingle(a) : a;
        b = spec.flush ? flushSingle(b) : b;
        const std::uint32_t sign = (a ^ b) & 0x80000000u;
        const float x = std::fabs(std::bit_cast<float>(a));
        const float y = std::fabs(std::bit_cast<float>(b));
        const bool anyNan = std::isnan(x) || std::isnan(y);
        const float r = Less ? std::fmin(x, y) : std::fmax(x, y);
        const bool nan = (Propagate && anyNan) || std::isnan(r);
        scalarPlane<std::uint32_t>(warp, op.d)[lane] = nan ? kNanSingle : std::bit_cast<std::uint32_t>(r) | sign;
    });
    return Step::Next;
}

template<LaneOp Op, bool Signed>
Step wordPairs(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    const bool relu = unpackArithmetic(op.flags).relu;
    const auto part = [&](std::uint32_t at, int lane, unsigned shift) {
        const auto bits = static_cast<std::uint16_t>(scalarPlane<std::uint32_t>(warp, at)[lane] >> shift);
        return Signed ? static_cast<std::int32_t>(static_cast<std::int16_t>(bits)) : static_cast<std::int32_t>(bits);
    };
    forLanes(mask, [&](int lane) {
        std::uint32_t result = 0;
        for (const unsigned shift : {0u, 16u}) {
            const std::int32_t a = part(op.a, lane, shift);
            const std::int32_t b = part(op.b, lane, shift);
            std::int32_t r = Op == LaneOp::Add ? a + b : Op == LaneOp::Min ? std::min(a, b) : std::max(a, b);
            r = relu ? std::max(r, 0) : r;
            result |= (static_cast<std::uint32_t>(r) & 0xffffu) << shift;
        }
        scalarPlane<std::uint32_t>(warp, op.d)[lane] = result;
    });
    return Step::Next;
}

} // namespace

OpFunction findTestOp(const LaneKey& key)
{
    switch (key.op) {
    case LaneOp::TestFinite:
        return testFor<LaneOp::TestFinite>(key.type);
    case LaneOp::TestInfinite:
        return testFor<LaneOp::TestInfinite>(key.type);
    case LaneOp::TestNumber:
        return testFor<LaneOp::TestNumber>(key.type);
    case LaneOp::TestNotANumber:
        return testFor<LaneOp::TestNotANumber>(key.type);
    case LaneOp::TestNormal:
        return testFor<LaneOp::TestNormal>(key.type);
    case LaneOp::TestSubnormal:
        return testFor<LaneOp::TestSubnormal>(key.type);
    case LaneOp::Slct:
        return sizeOf(key.type) == 2   ? &selectBySign<std::uint16_t>
               : sizeOf(key.type) == 4 ? &selectBySign<std::uint32_t>
                                       : &selectBySign<std::uint64_t>;
    default:
        return nullptr;
    }
}

OpFunction findSignedExtremum(const LaneKey& key)
{
    switch (key.op) {
    case LaneOp::Min:
        return &signedExtremum<true, false>;
    case LaneOp::Max:
        return &signedExtremum<false, false>;
    case LaneOp::MinNaN:
        return &signedExtremum<true, true>;
    case LaneOp::MaxNaN:
        return &signedExtremum<false, true>;
    default:
        return nullptr;
    }
}

OpFunction findWordPairOp(const LaneKey& key)
{
    const bool isSignedPair = key.type == ScalarType::S16x2;
    if (!isSignedPair && key.type != ScalarType::U16x2)
        return nullptr;
    switch (key.op) {
    case LaneOp::Add:
        return &wordPairs<LaneOp::Add, false>;
    case LaneOp::Min:
        return isSignedPair ? &wordPairs<LaneOp::Min, true> : &wordPairs<LaneOp::Min, false>;
    case LaneOp::Max:
        return isSignedPair ? &wordPairs<LaneOp::Max, true> : &wordPairs<LaneOp::Max, false>;
    default:
        return nullptr;
    }
}

} // namespace ridge::gpu::simt
