// SPDX-License-Identifier: GPL-3.0-or-later
// cvt, lane by lane: every pair of types, register widths, rounding modes, .sat and .ftz (PTX ISA, "cvt").
#include "gpu/simt/lanes/scalar_ops.h"
#include "gpu/simt/lanes/small_float.h"

#include <algorithm>
#include <cmath>

namespace ridge::gpu::simt {

namespace {

std::uint64_t readRegister(WarpRegisters& warp, std::uint32_t offset, unsigned bytes, int lane)
{
    switch (bytes) {
    case 2:
        return scalarPlane<std::uint16_t>(warp, offset)[lane];
    case 4:
        return scalarPlane<std::uint32_t>(warp, offset)[lane];
    default:
        return scalarPlane<std::uint64_t>(warp, offset)[lane];
    }
}

void writeRegister(WarpRegisters& warp, std::uint32_t offset, unsigned bytes, int lane, std::uint64_t value)
{
    switch (bytes) {
    case 2:
        scalarPlane<std::uint16_t>(warp, offset)[lane] = static_cast<std::uint16_t>(value);
        break;
    case 4:
        scalarPlane<std::uint32_t>(warp, offset)[lane] = static_cast<std::uint32_t>(value);
        break;
    default:
        scalarPlane<std::uint64_t>(warp, offset)[lane] = value;
        break;
    }
}

/// The low bytes of `value` as the integer type `type`, sign- or zero-extended to 64 bits.
std::uint64_t extend(std::uint64_t value, ScalarType type)
{
    const unsigned bits = sizeOf(type) * 8;
    if (bits == 64)
        return value;
    const std::uint64_t low = value & ((std::uint64_t{1} << bits) - 1);
    const bool negative = isSigned(type) && (low >> (bits - 1) & 1) != 0;
    return negative ? low | ~std::uint64_t{0} << bits : low;
}

std::uint64_t largest(ScalarType type)
{
    const unsigned bits = sizeOf(type) * 8 - (isSigned(type) ? 1 : 0);
    return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

std::uint64_t smallest(ScalarType type)
{
    return isSigned(type) ? ~largest(type) : 0;
}

std::uint64_t integerToInteger(std::uint64_t value, const ConvertSpec& c)
{
    if (!c.saturate)
        return value;
    if (isSigned(c.from) && static_cast<std::int64_t>(value) < 0) {
        const auto low = static_cast<std::int64_t>(smallest(c.to));
        return static_cast<std::int64_t>(value) < low ? static_cast<std::uint64_t>(low) : value;
    }
    return std::min(value, largest(c.to));
}

double toIntegral(double value, Rounding rounding)
{
    switch (rounding) {
    case Rounding::Nearest:
        return std::nearbyint(value); // the host rounds to nearest even
    case Rounding::Zero:
        return std::trunc(value);
    case Rounding::Down:
        return std::floor(value);
    case Rounding::Up:
        return std::ceil(value);
    }
    return value;
}

std::uint64_t floatToInteger(double value, const ConvertSpec& c)
{
    if (std::isnan(value)) // PTX ISA 9.0, "cvt": 0 between narrow types, else the middle of the range
        return c.from == ScalarType::F64 || sizeOf(c.to) == 8 ? std::uint64_t{1} << (sizeOf(c.to) * 8 - 1) : 0;
    const double whole = toIntegral(value, c.rounding);
    const int bits = static_cast<int>(sizeOf(c.to) * 8) - (isSigned(c.to) ? 1 : 0);
    if (whole >= std::ldexp(1.0, bits))
        return largest(c.to);
    if (isSigned(c.to))
        return whole < -std::ldexp(1.0, bits) ? smallest(c.to)
                                              : static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
    return whole < 0 ? 0 : static_cast<std::uint64_t>(whole);
}

double readFloat(std::uint64_t bits, const ConvertSpec& c)
{
    switch (c.from) {
    case ScalarType::F16:
        return halfToSingle(static_cast<std::uint16_t>(bits));
    case ScalarType::BF16:
        return bfloatToSingle(static_cast<std::uint16_t>(bits));
    case ScalarType::F32: {
        const auto single = static_cast<std::uint32_t>(bits);
        return std::bit_cast<float>(c.flush ? flushSingle(single) : single);
    }
    default:
        return std::bit_cast<double>(bits);
    }
}

std::uint64_t writeFloat(double value, const ConvertSpec& c)
{
    if (c.saturate)
        value = value > 0 ? std::min(value, 1.0) : 0.0; // a NaN becomes +0
    if (c.relu && std::signbit(value) && !std::isnan(value))
        value = 0;
    const bool nearest = c.rounding == Rounding::Nearest;
    switch (c.to) {
    case ScalarType::F16:
        return nearest ? halfNearest(value) : halfFromDouble(value, c.rounding);
    case ScalarType::BF16:
        return nearest ? bfloatNearest(value) : bfloatFromDouble(value, c.rounding);
    case ScalarType::F32:
        return finishSingle(singleFromDouble(value, c.rounding), {c.rounding, c.flush, false});
    default:
        return finishDouble(value);
    }
}

/// An integer as a double whose last bit says whether something was lost, for a second rounding.
double toOdd(std::uint64_t value, bool isSignedValue)
{
    const bool negative = isSignedValue && static_cast<std::int64_t>(value) < 0;
    std::uint64_t magnitude = negative ? 0 - value : value;
    if (magnitude >> 53 != 0)
        magnitude = (magnitude >> 11 | ((magnitude & 2047) != 0 ? 1 : 0)) << 11;
    return negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
}

std::uint64_t integerToFloat(std::uint64_t value, const ConvertSpec& c)
{
    const bool isSignedValue = isSigned(c.from);
    if (c.to == ScalarType::F32)
        return finishSingle(singleFromInteger(value, isSignedValue, c.rounding), {c.rounding, false, c.saturate});
    if (c.to == ScalarType::BF16)
        return writeFloat(toOdd(value, isSignedValue), c);
    const double real = doubleFromInteger(value, isSignedValue, c.rounding);
    // What a double cannot hold exactly is far beyond the largest half.
    return c.to == ScalarType::F16 ? writeFloat(real, c) : finishDouble(c.saturate ? std::clamp(real, 0.0, 1.0) : real);
}

std::uint64_t convertOne(std::uint64_t raw, const ConvertSpec& c)
{
    if (!isFloat(c.from)) {
        const std::uint64_t value = extend(raw, c.from);
        return isFloat(c.to) ? integerToFloat(value, c) : extend(integerToInteger(value, c), c.to);
    }
    const double value = readFloat(raw, c);
    if (!isFloat(c.to))
        return extend(floatToInteger(value, c), c.to);
    return writeFloat(c.toInteger ? toIntegral(value, c.rounding) : value, c);
}

Step convertLanes(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    const ConvertSpec spec = unpackConvert(op.flags);
    forLanes(mask, [&](int lane) {
        const std::uint64_t raw = readRegister(warp, op.a, spec.fromRegister, lane);
        writeRegister(warp, op.d, spec.toRegister, lane, convertOne(raw, spec));
    });
    return Step::Next;
}

} // namespace

std::uint32_t packConvert(const ConvertSpec& c)
{
    return static_cast<std::uint32_t>(c.to) | static_cast<std::uint32_t>(c.from) << 5 | c.toRegister << 10 |
           c.fromRegister << 14 | static_cast<std::uint32_t>(c.rounding) << 18 | (c.toInteger ? 1u << 20 : 0u) |
           (c.saturate ? 1u << 21 : 0u) | (c.flush ? 1u << 22 : 0u) | (c.relu ? 1u << 23 : 0u);
}

ConvertSpec unpackConvert(std::uint32_t flags)
{
    ConvertSpec c;
    c.to = static_cast<ScalarType>(flags & 31);
    c.from = static_cast<ScalarType>(flags >> 5 & 31);
    c.toRegister = flags >> 10 & 15;
    c.fromRegister = flags >> 14 & 15;
    c.rounding = static_cast<Rounding>(flags >> 18 & 3);
    c.toInteger = (flags >> 20 & 1) != 0;
    c.saturate = (flags >> 21 & 1) != 0;
    c.flush = (flags >> 22 & 1) != 0;
    c.relu = (flags >> 23 & 1) != 0;
    return c;
}

OpFunction findConvertOp(const LaneKey& key)
{
    const ConvertSpec& c = key.convert;
    const auto packed = [](ScalarType t) { return t == ScalarType::F16x2 || t == ScalarType::BF16x2; };
    const bool narrow = sizeOf(c.to) == 0 || sizeOf(c.from) == 0 || c.toRegister < std::max(2u, sizeOf(c.to)) ||
                        c.fromRegister < sizeOf(c.from);
    return packed(c.to) || packed(c.from) || narrow ? nullptr : &convertLanes;
}

} // namespace ridge::gpu::simt
