// SPDX-License-Identifier: GPL-3.0-or-later
// cvt between f32 pairs, packed halves and packed 8-bit floats, and to tf32 (PTX ISA, "cvt").
#include "gpu/simt/lanes/packed_convert.h"

#include "gpu/simt/lanes/scalar_ops.h"
#include "gpu/simt/lanes/small_float.h"

#include <cmath>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint32_t kRelu = 16;
constexpr std::uint32_t kTies = 32;

struct Flags {
    Rounding rounding;
    bool relu;
    bool ties;
};

Flags read(std::uint32_t flags)
{
    return {static_cast<Rounding>(flags & 3), (flags & kRelu) != 0, (flags & kTies) != 0};
}

/// A NaN stays what it is.
float clamp(float value, bool relu)
{
    return relu && (std::signbit(value) && !std::isnan(value)) ? 0.0f : value;
}

template<ScalarType To>
std::uint32_t encode(float value, const Flags& flags)
{
    value = clamp(value, flags.relu);
    switch (To) {
    case ScalarType::F16x2:
        return flags.rounding == Rounding::Nearest ? halfNearest(value) : halfFromDouble(value, flags.rounding);
    case ScalarType::BF16x2:
        return flags.rounding == Rounding::Nearest ? bfloatNearest(value) : bfloatFromDouble(value, flags.rounding);
    case ScalarType::E4M3x2:
        return e4m3FromSingle(value);
    default:
        return e5m2FromSingle(value);
    }
}

template<ScalarType To>
Step fromSingles(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    const Flags flags = read(op.flags);
    forLanes(mask, [&](int lane) {
        const std::uint32_t high = encode<To>(scalarPlane<float>(warp, op.a)[lane], flags);
        const std::uint32_t low = encode<To>(scalarPlane<float>(warp, op.b)[lane], flags);
        if constexpr (To == ScalarType::F16x2 || To == ScalarType::BF16x2)
            scalarPlane<std::uint32_t>(warp, op.d)[lane] = high << 16 | low;
        else
            scalarPlane<std::uint16_t>(warp, op.d)[lane] = static_cast<std::uint16_t>(high << 8 | low);
    });
    return Step::Next;
}

template<ScalarType To>
Step fromHalves(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    const Flags flags = read(op.flags);
    forLanes(mask, [&](int lane) {
        const std::uint32_t both = scalarPlane<std::uint32_t>(warp, op.a)[lane];
        const std::uint32_t high = encode<To>(halfToSingle(static_cast<std::uint16_t>(both >> 16)), flags);
        const std::uint32_t low = encode<To>(halfToSingle(static_cast<std::uint16_t>(both)), flags);
        scalarPlane<std::uint16_t>(warp, op.d)[lane] = static_cast<std::uint16_t>(high << 8 | low);
    });
    return Step::Next;
}

template<ScalarType From>
Step toHalves(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    const Flags flags = read(op.flags);
    const auto decode = [](std::uint32_t bits) {
        const auto byte = static_cast<std::uint8_t>(bits);
        return From == ScalarType::E4M3x2 ? e4m3ToSingle(byte) : e5m2ToSingle(byte);
    };
    forLanes(mask, [&](int lane) {
        const std::uint32_t both = scalarPlane<std::uint16_t>(warp, op.a)[lane];
        scalarPlane<std::uint32_t>(warp, op.d)[lane] =
            encode<ScalarType::F16x2>(decode(both >> 8), flags) << 16 | encode<ScalarType::F16x2>(decode(both), flags);
    });
    return Step::Next;
}

/// An f32 with ten mantissa bits; the lower thirteen are zero.
Step toTf32(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    const Flags flags = read(op.flags);
    constexpr std::uint32_t rest = 0x1fff;
    forLanes(mask, [&](int lane) {
        const float value = clamp(scalarPlane<float>(warp, op.a)[lane], flags.relu);
        std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
        if (std::isnan(value))
            bits = kNanSingle;
        else if (std::isfinite(value) && flags.ties)
            bits += 0x1000;
        else if (std::isfinite(value) && flags.rounding == Rounding::Nearest)
            bits += 0xfff + (bits >> 13 & 1);
        scalarPlane<std::uint32_t>(warp, op.d)[lane] = std::isnan(value) ? bits : bits & ~rest;
    });
    return Step::Next;
}

} // namespace

std::uint32_t packConvertFlags(const PackedConvert& c)
{
    return static_cast<std::uint32_t>(c.rounding) | (c.relu ? kRelu : 0u) | (c.ties ? kTies : 0u);
}

OpFunction findPackedConvert(const PackedConvert& c)
{
    using T = ScalarType;
    const auto is = [&c](T to, T from) { return c.to == to && c.from == from; };
    if (is(T::TF32, T::F32))
        return &toTf32;
    if (c.ties || (c.rounding != Rounding::Nearest && c.rounding != Rounding::Zero))
        return nullptr;
    if (is(T::F16x2, T::F32))
        return &fromSingles<T::F16x2>;
    if (is(T::BF16x2, T::F32))
        return &fromSingles<T::BF16x2>;
    if (c.rounding != Rounding::Nearest)
        return nullptr;
    if (is(T::E4M3x2, T::F32))
        return &fromSingles<T::E4M3x2>;
    if (is(T::E5M2x2, T::F32))
        return &fromSingles<T::E5M2x2>;
    if (is(T::E4M3x2, T::F16x2))
        return &fromHalves<T::E4M3x2>;
    if (is(T::E5M2x2, T::F16x2))
        return &fromHalves<T::E5M2x2>;
    if (is(T::F16x2, T::E4M3x2))
        return &toHalves<T::E4M3x2>;
    return is(T::F16x2, T::E5M2x2) ? &toHalves<T::E5M2x2> : nullptr;
}

} // namespace ridge::gpu::simt
