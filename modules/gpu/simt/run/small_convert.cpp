// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/small_convert.h"

#include "gpu/simt/lanes/small_float.h"
#include "gpu/simt/run/async_parts.h"
#include "gpu/simt/run/float_format.h"
#include "gpu/simt/run/matrix_parts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace ridge::gpu::simt {

namespace {

struct Target {
    FloatFormat format;
    unsigned bits;  ///< of one value
    unsigned shift; ///< places up in them
    std::uint32_t notANumber;
};

/// In the order of NarrowTarget; what has no NaN gives its largest value.
constexpr std::array<Target, 9> kTargets{{{{3, 4, false}, 8, 0, 0x7f},
                                          {{2, 5, true}, 8, 0, 0x7f},
                                          {{2, 3, false, false}, 8, 0, 0x1f},
                                          {{3, 2, false, false}, 8, 0, 0x1f},
                                          {{1, 2, false, false}, 4, 0, 0x7},
                                          {{0, 8, false}, 8, 0, 0xff},
                                          {{10, 5, true}, 16, 0, 0x7fff},
                                          {{7, 8, true}, 16, 0, 0x7fff},
                                          {{10, 8, true}, 32, 13, 0x7fffffff}}};

const Target& targetOf(NarrowTarget target)
{
    return kTargets[static_cast<std::size_t>(target)];
}

/// The largest finite value as its bits.
std::uint32_t largest(const FloatFormat& format)
{
    const std::uint32_t ones = (1u << format.exponent) - 1;
    if (format.hasInfinity)
        return (ones << format.fraction) - 1;
    return (ones << format.fraction | ((1u << format.fraction) - 1)) - (format.hasNan ? 1 : 0);
}

bool goesUp(double whole, double rest, const NarrowConvert& convert)
{
    if (convert.tiesAway)
        return rest >= 0.5;
    return convert.rounding == Rounding::Nearest && (rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2.0) != 0));
}

/// The exponent of a magnitude; a float between two powers of two goes down or up.
std::uint32_t powerOf(double magnitude, const NarrowConvert& convert)
{
    constexpr int kBias = 127;
    constexpr std::uint32_t most = 0xff;
    if (std::isnan(magnitude))
        return most;
    if (std::isinf(magnitude))
        return convert.isFinite ? most - 1 : most;
    const double least = std::ldexp(1.0, -kBias);
    int power = magnitude < least ? -kBias : std::ilogb(magnitude);
    if (convert.rounding == Rounding::Up && magnitude > std::ldexp(1.0, power))
        ++power;
    const auto bits = static_cast<std::uint32_t>(power + kBias);
    return convert.isFinite ? std::min(bits, most - 1) : bits;
}

NarrowConvert unpackedConvert(std::uint32_t flags)
{
    NarrowConvert convert;
    convert.to = static_cast<NarrowTarget>(flags & 15);
    convert.from = static_cast<NarrowSource>(flags >> 4 & 3);
    convert.rounding = static_cast<Rounding>(flags >> 6 & 3);
    convert.tiesAway = (flags >> 8 & 1) != 0;
    convert.relu = (flags >> 9 & 1) != 0;
    convert.isFinite = (flags >> 10 & 1) != 0;
    convert.isPair = (flags >> 11 & 1) != 0;
    return convert;
}

/// One of the two values of a register.
double halfOf(std::uint32_t word, NarrowSource source, bool upper)
{
    if (source == NarrowSource::Power) {
        const std::uint32_t power = word >> (upper ? 8 : 0) & 0xff;
        return power == 0xff ? std::nan("") : std::ldexp(1.0, static_cast<int>(power) - 127);
    }
    const auto bits = static_cast<std::uint16_t>(upper ? word >> 16 : word);
    return source == NarrowSource::Half ? halfToDouble(bits) : bfloatToDouble(bits);
}

Step convertNarrow(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    const NarrowConvert convert = unpackedConvert(op.flags);
    const unsigned bits = bitsOf(convert.to) * (convert.isPair ? 2 : 1);
    forMask(mask, [&](std::size_t lane) {
        const auto valueOf = [&](bool upper) -> double {
            if (convert.from == NarrowSource::Single)
                return plane<float>(registers, upper ? op.a : op.b)[lane];
            const std::uint32_t word = convert.from == NarrowSource::Power
                                           ? plane<std::uint16_t>(registers, op.a)[lane]
                                           : plane<std::uint32_t>(registers, op.a)[lane];
            return halfOf(word, convert.from, upper);
        };
        std::uint32_t made = narrowed(valueOf(false), convert);
        if (convert.isPair)
            made |= narrowed(valueOf(true), convert) << bitsOf(convert.to);
        if (bits <= 16)
            plane<std::uint16_t>(registers, op.d)[lane] = static_cast<std::uint16_t>(made);
        else
            plane<std::uint32_t>(registers, op.d)[lane] = made;
    });
    return Step::Next;
}

constexpr std::uint32_t kSingleInfinity = 0x7f800000, kSingleSign = 0x80000000, kNoNumber = 0x7fff;

/// The carry out of the dropped bits and the random ones walks into what stays.
std::uint32_t stochasticBfloat(std::uint32_t magnitude, std::uint32_t random, bool isFinite)
{
    constexpr std::uint32_t kMost = 0x7f7f;
    const std::uint32_t made = magnitude == kSingleInfinity ? magnitude >> 16 : (magnitude + random) >> 16;
    return isFinite ? std::min(made, kMost) : made;
}

/// No value where a subnormal half drops other bits than the 13, or where what is too large would be rounded.
std::optional<std::uint32_t> stochasticHalf(std::uint32_t magnitude, std::uint32_t random, bool isFinite)
{
    constexpr std::uint32_t kDropped = 13, kRebias = (127 - 15) << 10, kMost = 0x7bff, kInfinity = 0x7c00;
    constexpr std::uint32_t kLeastNormal = 0x38800000, kTooLarge = 0x47800000; // 2^-14, 2^16
    if (magnitude >= kTooLarge && isFinite)
        return kMost;
    if (magnitude == kSingleInfinity)
        return kInfinity;
    if (magnitude >= kTooLarge)
        return std::nullopt;
    if (magnitude < kLeastNormal) {
        const double units = std::ldexp(double{std::bit_cast<float>(magnitude)}, 24);
        return units == std::floor(units) ? std::optional(static_cast<std::uint32_t>(units)) : std::nullopt;
    }
    const std::uint32_t made = ((magnitude + (random & ((1u << kDropped) - 1))) >> kDropped) - kRebias;
    return isFinite ? std::min(made, kMost) : made;
}

Step convertStochastic(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    const NarrowConvert convert = unpackedConvert(op.flags);
    Step step = Step::Next;
    forMask(mask, [&](std::size_t lane) {
        const std::uint32_t random = plane<std::uint32_t>(registers, op.c)[lane];
        std::uint32_t word = 0;
        for (const bool upper : {false, true}) {
            const std::uint32_t bits = plane<std::uint32_t>(registers, upper ? op.a : op.b)[lane];
            const std::uint32_t magnitude = bits & ~kSingleSign, mine = upper ? random >> 16 : random & 0xffff;
            std::optional<std::uint32_t> made = kNoNumber;
            if (magnitude <= kSingleInfinity) {
                made = convert.to == NarrowTarget::BF16 ? stochasticBfloat(magnitude, mine, convert.isFinite)
                                                        : stochasticHalf(magnitude, mine, convert.isFinite);
                const bool isNegative = bits != magnitude;
                if (isNegative && convert.relu)
                    made = 0;
                else if (isNegative && made)
                    *made |= 0x8000;
            }
            if (!made && step == Step::Next) {
                Warp& warp = static_cast<Warp&>(registers);
                std::array<char, 32> text{};
                std::to_chars(text.data(), text.data() + text.size() - 1, std::bit_cast<float>(bits));
                warp.launch->faultText = "rounds " + std::string(text.data()) +
                                         " to a half by random bits, and the PTX ISA says how only where 13 bits are "
                                         "dropped: from 2^-14 on, below 2^16";
                step = noteFault(warp, Fault::Kind::NotPinned, Space::Global, MemoryOp::Load, 0, lane, 0, 0);
            }
            word |= made.value_or(0) << (upper ? 16 : 0);
        }
        plane<std::uint32_t>(registers, op.d)[lane] = word;
    });
    return step;
}

} // namespace

unsigned bitsOf(NarrowTarget target)
{
    return targetOf(target).bits;
}

std::uint32_t narrowed(double value, const NarrowConvert& convert)
{
    const Target& target = targetOf(convert.to);
    const FloatFormat& format = target.format;
    if (convert.to == NarrowTarget::UE8M0)
        return powerOf(std::fabs(value), convert);
    if (std::isnan(value))
        return target.notANumber;
    const bool isNegative = std::signbit(value);
    if (isNegative && convert.relu)
        return 0;
    const std::uint32_t sign = isNegative ? 1u << (format.fraction + format.exponent + target.shift) : 0;
    const std::uint32_t most = largest(format);
    const int bias = (1 << (format.exponent - 1)) - 1;
    const double magnitude = std::fabs(value);
    if (std::isinf(value))
        return sign | most << target.shift;
    const int exponent = magnitude == 0 ? 1 - bias : std::max(std::ilogb(magnitude), 1 - bias);
    if (exponent > bias + 1) // beyond the last binade of every format
        return sign | most << target.shift;
    const double scaled = std::ldexp(magnitude, format.fraction - exponent); // in units of the last place
    const double whole = std::floor(scaled);
    const auto units = static_cast<std::uint32_t>(whole) + (goesUp(whole, scaled - whole, convert) ? 1 : 0);
    // A carry out of the mantissa walks into the exponent by itself.
    const std::uint32_t bits = (static_cast<std::uint32_t>(exponent + bias - 1) << format.fraction) + units;
    return sign | std::min(bits, most) << target.shift;
}

std::uint32_t packed(const NarrowConvert& convert)
{
    return static_cast<std::uint32_t>(convert.to) | static_cast<std::uint32_t>(convert.from) << 4 |
           static_cast<std::uint32_t>(convert.rounding) << 6 | static_cast<std::uint32_t>(convert.tiesAway) << 8 |
           static_cast<std::uint32_t>(convert.relu) << 9 | static_cast<std::uint32_t>(convert.isFinite) << 10 |
           static_cast<std::uint32_t>(convert.isPair) << 11;
}

OpFunction findNarrowConvert()
{
    return &convertNarrow;
}

OpFunction findStochasticConvert()
{
    return &convertStochastic;
}

} // namespace ridge::gpu::simt
