// SPDX-License-Identifier: GPL-3.0-or-later
// Half precision (binary16) and bfloat16, one or two a register. Sums, products and fused products are correctly
// rounded; denormals are kept unless .ftz says otherwise; an arithmetic NaN is 0x7fff (PTX ISA, "Half Precision
// Floating Point Instructions").
#include "gpu/simt/lanes/scalar_ops.h"
#include "gpu/simt/lanes/small_float.h"

#include <array>
#include <cmath>

namespace ridge::gpu::simt {

namespace {

using u16 = std::uint16_t;

struct Half {
    static constexpr u16 exponent = 0x7c00, one = 0x3c00;
    static float single(u16 bits) { return halfToSingle(bits); }
    static u16 nearest(double value) { return halfNearest(value); }
    static u16 fused(u16 a, u16 b, u16 c) { return halfFused(a, b, c, Rounding::Nearest); }
};

struct Bfloat {
    static constexpr u16 exponent = 0x7f80, one = 0x3f80;
    static float single(u16 bits) { return bfloatToSingle(bits); }
    static u16 nearest(double value) { return bfloatNearest(value); }
    static u16 fused(u16 a, u16 b, u16 c) { return bfloatFused(a, b, c); }
};

constexpr u16 kNan = 0x7fff;
constexpr u16 kSign = 0x8000;

template<class F>
bool isNan(u16 bits)
{
    return (bits & 0x7fff) > F::exponent;
}

template<class F>
u16 flush(u16 bits)
{
    return (bits & F::exponent) == 0 ? static_cast<u16>(bits & kSign) : bits;
}

template<class F>
u16 extremum(u16 a, u16 b, bool least, bool propagate)
{
    if (isNan<F>(a) || isNan<F>(b)) {
        const bool both = isNan<F>(a) && isNan<F>(b);
        return propagate || both ? kNan : isNan<F>(a) ? b : a;
    }
    const float x = F::single(a);
    const float y = F::single(b);
    if (x == y)
        return static_cast<u16>(least ? a | b : a & b); // -0 below +0
    return (x < y) == least ? a : b;
}

/// A double holds sums of two values of either format to far more than twice their precision, and products exactly, so
/// that the second rounding cannot be seen (Figueroa 1995).
template<class F>
u16 compute(LaneOp op, u16 a, u16 b, u16 c)
{
    switch (op) {
    case LaneOp::Add:
        return F::nearest(double{F::single(a)} + F::single(b));
    case LaneOp::Sub:
        return F::nearest(double{F::single(a)} - F::single(b));
    case LaneOp::Mul:
        return F::nearest(double{F::single(a)} * F::single(b));
    case LaneOp::Fma:
        return F::fused(a, b, c);
    case LaneOp::Min:
        return extremum<F>(a, b, true, false);
    case LaneOp::Max:
        return extremum<F>(a, b, false, false);
    case LaneOp::MinNaN:
        return extremum<F>(a, b, true, true);
    case LaneOp::MaxNaN:
        return extremum<F>(a, b, false, true);
    case LaneOp::Ex2: // the bound of PTX is wider than one rounding of the exact value
        return F::nearest(std::exp2(double{F::single(a)}));
    case LaneOp::Tanh:
        return F::nearest(std::tanh(double{F::single(a)}));
    case LaneOp::Abs:
        return a & 0x7fff;
    default:
        return a ^ kSign; // Neg
    }
}

template<class F>
u16 finish(u16 r, const ArithmeticSpec& spec)
{
    if (spec.saturate) {
        const float value = F::single(r);
        r = value > 0 ? (value < 1 ? r : F::one) : u16{0};
    }
    if (spec.relu)
        r = isNan<F>(r) ? kNan : (r & kSign) != 0 ? u16{0} : r;
    return spec.flush ? flush<F>(r) : r;
}

template<LaneOp Op, class F, class U>
Step halfLanes(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    const ArithmeticSpec spec = unpackArithmetic(op.flags);
    const auto part = [&](std::uint32_t at, int lane, unsigned shift) {
        const auto bits = static_cast<u16>(scalarPlane<U>(warp, at)[lane] >> shift);
        return spec.flush ? flush<F>(bits) : bits;
    };
    forLanes(mask, [&](int lane) {
        U result = 0;
        for (unsigned shift = 0; shift < sizeof(U) * 8; shift += 16) {
            u16 a = part(op.a, lane, shift);
            u16 b = part(op.b, lane, shift);
            const auto sign = static_cast<u16>((a ^ b) & kSign);
            if (spec.xorSign) {
                a &= 0x7fff;
                b &= 0x7fff;
            }
            u16 r = compute<F>(Op, a, b, part(op.c, lane, shift));
            if (spec.xorSign && r != kNan)
                r = static_cast<u16>(r | sign);
            r = finish<F>(r, spec);
            result = static_cast<U>(result | static_cast<U>(static_cast<U>(r) << shift));
        }
        scalarPlane<U>(warp, op.d)[lane] = result;
    });
    return Step::Next;
}

template<LaneOp Op>
OpFunction forType(ScalarType type)
{
    switch (type) {
    case ScalarType::F16:
        return &halfLanes<Op, Half, std::uint16_t>;
    case ScalarType::F16x2:
        return &halfLanes<Op, Half, std::uint32_t>;
    case ScalarType::BF16:
        return &halfLanes<Op, Bfloat, std::uint16_t>;
    default:
        return &halfLanes<Op, Bfloat, std::uint32_t>;
    }
}

bool holds(Compare compare, float a, float b)
{
    const bool unordered = std::isnan(a) || std::isnan(b);
    switch (compare) {
    case Compare::Eq:
        return a == b;
    case Compare::Ne:
        return !unordered && a != b;
    case Compare::Lt:
        return a < b;
    case Compare::Le:
        return a <= b;
    case Compare::Gt:
        return a > b;
    case Compare::Ge:
        return a >= b;
    case Compare::Equ:
        return unordered || a == b;
    case Compare::Neu:
        return unordered || a != b;
    case Compare::Ltu:
        return unordered || a < b;
    case Compare::Leu:
        return unordered || a <= b;
    case Compare::Gtu:
        return unordered || a > b;
    case Compare::Geu:
        return unordered || a >= b;
    case Compare::Num:
        return !unordered;
    case Compare::Nan:
        return unordered;
    }
    return false;
}

std::uint32_t combine(std::uint32_t result, std::uint32_t c, std::uint32_t flags)
{
    switch (flags & 3) {
    case kBoolAnd:
        return result & c;
    case kBoolOr:
        return result | c;
    case kBoolXor:
        return result ^ c;
    default:
        return result;
    }
}

/// Packed: p is the lower half's result and q the upper's. Else q is the inverse, as for wider types. The comparison
/// stands in the upper bits of the flags.
template<class F, class U, bool Flush>
Step compareHalves(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    const auto compare = static_cast<Compare>(op.flags >> kCompareShift);
    std::array<std::uint32_t, 2> result{};
    forLanes(mask, [&](int lane) {
        const U a = scalarPlane<U>(warp, op.a)[lane];
        const U b = scalarPlane<U>(warp, op.b)[lane];
        for (unsigned half = 0; half < sizeof(U) / 2; ++half) {
            auto x = static_cast<u16>(a >> (16 * half));
            auto y = static_cast<u16>(b >> (16 * half));
            x = Flush ? flush<F>(x) : x;
            y = Flush ? flush<F>(y) : y;
            result[half] |= holds(compare, F::single(x), F::single(y)) ? 1u << lane : 0u;
        }
    });
    const std::uint32_t c = *scalarPlane<std::uint32_t>(warp, op.c) ^ ((op.flags & kBoolFlipC) != 0 ? ~0u : 0u);
    const std::uint32_t second = sizeof(U) == 4 ? result[1] : ~result[0];
    const auto write = [&](std::uint32_t at, std::uint32_t bits) {
        std::uint32_t& p = *scalarPlane<std::uint32_t>(warp, at);
        p = (p & ~mask) | (combine(bits, c, op.flags) & mask);
    };
    write(op.d, result[0]);
    if (op.e != ~std::uint32_t{0})
        write(op.e, second);
    return Step::Next;
}

template<class F, class U>
OpFunction compareFor(bool flushes)
{
    return flushes ? &compareHalves<F, U, true> : &compareHalves<F, U, false>;
}

OpFunction findHalfCompare(const LaneKey& key)
{
    switch (key.type) {
    case ScalarType::F16:
        return compareFor<Half, std::uint16_t>(key.flush);
    case ScalarType::F16x2:
        return compareFor<Half, std::uint32_t>(key.flush);
    case ScalarType::BF16:
        return compareFor<Bfloat, std::uint16_t>(key.flush);
    default:
        return compareFor<Bfloat, std::uint32_t>(key.flush);
    }
}

} // namespace

OpFunction findHalfOp(const LaneKey& key)
{
    const bool bfloat = key.type == ScalarType::BF16 || key.type == ScalarType::BF16x2;
    const bool half = key.type == ScalarType::F16 || key.type == ScalarType::F16x2;
    const bool flushes = key.flush && bfloat && key.op != LaneOp::Ex2;
    if ((!half && !bfloat) || key.rounding != Rounding::Nearest || (bfloat && key.saturate) || flushes)
        return nullptr;
    switch (key.op) {
    case LaneOp::Add:
        return forType<LaneOp::Add>(key.type);
    case LaneOp::Sub:
        return forType<LaneOp::Sub>(key.type);
    case LaneOp::Mul:
        return forType<LaneOp::Mul>(key.type);
    case LaneOp::Fma:
        return forType<LaneOp::Fma>(key.type);
    case LaneOp::Min:
        return forType<LaneOp::Min>(key.type);
    case LaneOp::Max:
        return forType<LaneOp::Max>(key.type);
    case LaneOp::MinNaN:
        return forType<LaneOp::MinNaN>(key.type);
    case LaneOp::MaxNaN:
        return forType<LaneOp::MaxNaN>(key.type);
    case LaneOp::Ex2:
        return forType<LaneOp::Ex2>(key.type);
    case LaneOp::Tanh:
        return forType<LaneOp::Tanh>(key.type);
    case LaneOp::Abs:
        return forType<LaneOp::Abs>(key.type);
    case LaneOp::Neg:
        return forType<LaneOp::Neg>(key.type);
    case LaneOp::SetPredicate:
        return findHalfCompare(key);
    default:
        return nullptr;
    }
}

} // namespace ridge::gpu::simt
