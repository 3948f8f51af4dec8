// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic in the host's rounding modes. Built with -frounding-math; volatile operands keep every operation between
// the two changes of mode.
#include "gpu/simt/lanes/scalar_ops.h"

#include <cfenv>
#include <cmath>

namespace ridge::gpu::simt {

namespace {

class RoundingScope {
public:
    explicit RoundingScope(Rounding rounding) : m_before(std::fegetround())
    {
        constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
        std::fesetround(modes[static_cast<int>(rounding)]);
    }
    ~RoundingScope() { std::fesetround(m_before); }
    RoundingScope(const RoundingScope&) = delete;
    RoundingScope& operator=(const RoundingScope&) = delete;

private:
    int m_before;
};

template<class F>
F compute(LaneOp op, F a, F b, F c)
{
    volatile F x = a;
    volatile F y = b;
    volatile F z = c;
    volatile F r = 0;
    switch (op) {
    case LaneOp::Add:
        r = x + y;
        break;
    case LaneOp::Sub:
        r = x - y;
        break;
    case LaneOp::Mul:
        r = x * y;
        break;
    case LaneOp::Div:
        r = x / y;
        break;
    case LaneOp::Rcp:
        r = F{1} / x;
        break;
    case LaneOp::Sqrt:
        r = std::sqrt(x);
        break;
    default:
        r = std::fma(x, y, z);
        break;
    }
    return r;
}

template<LaneOp Op>
Step directedSingle(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    const ArithmeticSpec spec = unpackArithmetic(op.flags);
    const RoundingScope scope(spec.rounding);
    const auto read = [&](std::uint32_t at, int lane) {
        const std::uint32_t bits = scalarPlane<std::uint32_t>(warp, at)[lane];
        return std::bit_cast<float>(spec.flush ? flushSingle(bits) : bits);
    };
    forLanes(mask, [&](int lane) {
        const float r = compute(Op, read(op.a, lane), read(op.b, lane), read(op.c, lane));
        scalarPlane<std::uint32_t>(warp, op.d)[lane] = finishSingle(r, spec);
    });
    return Step::Next;
}

template<LaneOp Op>
Step directedDouble(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    const RoundingScope scope(unpackArithmetic(op.flags).rounding);
    const auto read = [&](std::uint32_t at, int lane) {
        return std::bit_cast<double>(scalarPlane<std::uint64_t>(warp, at)[lane]);
    };
    forLanes(mask, [&](int lane) {
        const double r = compute(Op, read(op.a, lane), read(op.b, lane), read(op.c, lane));
        scalarPlane<std::uint64_t>(warp, op.d)[lane] = finishDouble(r);
    });
    return Step::Next;
}

template<LaneOp Op>
OpFunction forType(ScalarType type)
{
    if (type == ScalarType::F32)
        return &directedSingle<Op>;
    return type == ScalarType::F64 ? &directedDouble<Op> : nullptr;
}

} // namespace

OpFunction findDirectedOp(const LaneKey& key)
{
    if (key.rounding == Rounding::Nearest)
        return nullptr;
    switch (key.op) {
    case LaneOp::Add:
        return forType<LaneOp::Add>(key.type);
    case LaneOp::Sub:
        return forType<LaneOp::Sub>(key.type);
    case LaneOp::Mul:
        return forType<LaneOp::Mul>(key.type);
    case LaneOp::Div:
        return forType<LaneOp::Div>(key.type);
    case LaneOp::Rcp:
        return forType<LaneOp::Rcp>(key.type);
    case LaneOp::Sqrt:
        return forType<LaneOp::Sqrt>(key.type);
    case LaneOp::Fma:
        return forType<LaneOp::Fma>(key.type);
    default:
        return nullptr;
    }
}

float singleFromDouble(double value, Rounding rounding)
{
    const RoundingScope scope(rounding);
    volatile double x = value;
    volatile float r = static_cast<float>(x);
    return r;
}

float singleFromInteger(std::uint64_t bits, bool isSignedValue, Rounding rounding)
{
    const RoundingScope scope(rounding);
    volatile std::uint64_t x = bits;
    volatile float r = isSignedValue ? static_cast<float>(static_cast<std::int64_t>(x)) : static_cast<float>(x);
    return r;
}

double doubleFromInteger(std::uint64_t bits, bool isSignedValue, Rounding rounding)
{
    const RoundingScope scope(rounding);
    volatile std::uint64_t x = bits;
    volatile double r = isSignedValue ? static_cast<double>(static_cast<std::int64_t>(x)) : static_cast<double>(x);
    return r;
}

} // namespace ridge::gpu::simt
