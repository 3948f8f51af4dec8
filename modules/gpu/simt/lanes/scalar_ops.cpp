// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lanes/scalar_ops.h"

#include "gpu/simt/lanes/product_loops.h"

#include <cmath>

namespace ridge::gpu::simt {

namespace {

/// rcp/rsqrt.approx.ftz.f64: the high word of the result, the low word zero (PTX ISA).
template<LaneOp Op>
Step grossLanes(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    constexpr std::uint64_t high = ~std::uint64_t{0} << 32;
    constexpr std::uint64_t exponent = 0x7ffull << 52;
    const auto flushDouble = [](std::uint64_t bits) { return (bits & exponent) == 0 ? bits & (1ull << 63) : bits; };
    forLanes(mask, [&](int lane) {
        const double x = std::bit_cast<double>(flushDouble(scalarPlane<std::uint64_t>(warp, op.a)[lane]));
        const double r = Op == LaneOp::Rcp ? 1 / x : 1 / std::sqrt(x);
        scalarPlane<std::uint64_t>(warp, op.d)[lane] = flushDouble(finishDouble(r)) & high;
    });
    return Step::Next;
}

/// rsqrt.approx.f64, denormals kept, rounded once as far as the host has a wider format.
Step rsqrtDouble(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    forLanes(mask, [&](int lane) {
        const double x = std::bit_cast<double>(scalarPlane<std::uint64_t>(warp, op.a)[lane]);
        scalarPlane<std::uint64_t>(warp, op.d)[lane] =
            finishDouble(static_cast<double>(1 / std::sqrt(static_cast<long double>(x))));
    });
    return Step::Next;
}

} // namespace

std::uint32_t flushSingle(std::uint32_t bits)
{
    return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}

std::uint32_t finishSingle(float value, const ArithmeticSpec& spec)
{
    if (spec.saturate)
        value = value > 0 ? (value < 1 ? value : 1.0f) : 0.0f;
    const std::uint32_t bits = std::isnan(value) ? kNanSingle : std::bit_cast<std::uint32_t>(value);
    return spec.flush ? flushSingle(bits) : bits;
}

std::uint64_t finishDouble(double value)
{
    return std::isnan(value) ? kNanDouble : std::bit_cast<std::uint64_t>(value);
}

std::uint32_t packArithmetic(const ArithmeticSpec& spec)
{
    return static_cast<std::uint32_t>(spec.rounding) | (spec.flush ? 4u : 0u) | (spec.saturate ? 8u : 0u) |
           (spec.relu ? 16u : 0u) | (spec.xorSign ? 32u : 0u);
}

ArithmeticSpec unpackArithmetic(std::uint32_t flags)
{
    return {static_cast<Rounding>(flags & 3), (flags & 4) != 0, (flags & 8) != 0, (flags & 16) != 0, (flags & 32) != 0};
}

OpFunction findApproximateOp(const LaneKey& key)
{
    if (key.type != ScalarType::F64)
        return nullptr;
    if (key.op == LaneOp::Rcp && key.flush)
        return &grossLanes<LaneOp::Rcp>;
    if (key.op == LaneOp::Rsqrt)
        return key.flush ? &grossLanes<LaneOp::Rsqrt> : &rsqrtDouble;
    return nullptr;
}

OpFunction findScalarOp(const LaneKey& key)
{
    if (key.op == LaneOp::Convert)
        return findConvertOp(key);
    if (key.xorSign && key.type == ScalarType::F32)
        return findSignedExtremum(key);
    if (const OpFunction found = findDirectedOp(key))
        return found;
    if (const OpFunction found = findHalfOp(key))
        return found;
    if (const OpFunction found = findWordPairOp(key))
        return found;
    if (const OpFunction found = findTestOp(key))
        return found;
    if (const OpFunction found = findRareBitOp(key))
        return found;
    return findApproximateOp(key);
}

std::uint32_t laneFlags(const LaneKey& key)
{
    if (key.op == LaneOp::Convert)
        return packConvert(key.convert);
    return packArithmetic({key.rounding, key.flush, key.saturate, key.relu, key.xorSign});
}

bool isAvailable(LaneBuild build)
{
    if (build == LaneBuild::Baseline)
        return true;
#if defined(RIDGE_LANES_AVX2)
    static const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    static const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") != 0 &&
                               __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                               __builtin_cpu_supports("avx512vl") != 0;
    return build == LaneBuild::Avx2 ? avx2 : avx512;
#else
    return false;
#endif
}

OpFunction findLaneOpIn(LaneBuild build, const LaneKey& key)
{
    // The gross f64 reciprocals share names with the exact ones.
    if (key.type == ScalarType::F64 && key.flush)
        return findApproximateOp(key);
    // Pairs of words have the width of one: the loops over integers would carry from one into the other.
    const bool isPair = key.type == ScalarType::U16x2 || key.type == ScalarType::S16x2;
    if (key.relu || key.xorSign || isPair)
        return findScalarOp(key);
    OpFunction found = nullptr;
#if defined(RIDGE_LANES_AVX2)
    if (build != LaneBuild::Baseline)
        found = build == LaneBuild::Avx512 ? lanes_avx512::find(key) : lanes_avx2::find(key);
    else
        found = lanes_baseline::find(key);
#else
    found = build == LaneBuild::Baseline ? lanes_baseline::find(key) : nullptr;
#endif
    return found != nullptr ? found : findScalarOp(key);
}

namespace {

LaneBuild bestBuild()
{
    return isAvailable(LaneBuild::Avx512) ? LaneBuild::Avx512
           : isAvailable(LaneBuild::Avx2) ? LaneBuild::Avx2
                                          : LaneBuild::Baseline;
}

} // namespace

OpFunction findLaneOp(const LaneKey& key)
{
    static const LaneBuild build = bestBuild();
    return findLaneOpIn(build, key);
}

ProductLoops productLoopsOf([[maybe_unused]] LaneBuild build)
{
#if defined(RIDGE_LANES_AVX2)
    if (build != LaneBuild::Baseline)
        return build == LaneBuild::Avx512 ? lanes_avx512::productLoops() : lanes_avx2::productLoops();
#endif
    return lanes_baseline::productLoops();
}

const ProductLoops& productLoops()
{
    static const ProductLoops loops = productLoopsOf(bestBuild());
    return loops;
}

} // namespace ridge::gpu::simt
