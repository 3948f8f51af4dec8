// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/rounder.h"

#include <algorithm>
#include <bit>
#include <cfloat>

namespace ridge::memory {
namespace {

constexpr double kScaleBits = 16; // as files of INT4-g128 weights have it: 4.125 bits an element

struct Range {
    double low = 0, high = 0; ///< with 0 between them
    double most() const { return std::max(-low, high); }
};

Range rangeOf(const double* x, std::size_t count)
{
    constexpr std::size_t lanes = 4; // that a compiler makes vectors of
    double low[lanes] = {}, high[lanes] = {};
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (std::size_t j = 0; j < lanes; ++j) {
            low[j] = x[i + j] < low[j] ? x[i + j] : low[j];
            high[j] = x[i + j] > high[j] ? x[i + j] : high[j];
        }
    Range range;
    for (; i < count; ++i) {
        range.low = std::min(range.low, x[i]);
        range.high = std::max(range.high, x[i]);
    }
    for (std::size_t j = 0; j < lanes; ++j) {
        range.low = std::min(range.low, low[j]);
        range.high = std::max(range.high, high[j]);
    }
    return range;
}

/// To nearest even by adding what leaves no bits below the point. Limits are whole numbers, so cutting comes first.
void encodeIntegers(const double* x, std::size_t count, double scale, double zero, double low, double high,
                    std::int32_t* codes)
{
    constexpr double magic = 0x1.8p52;
    for (std::size_t i = 0; i < count; ++i) {
        double v = x[i] / scale;
        v = v < low - zero ? low - zero : v;
        v = v > high - zero ? high - zero : v;
        v = (v + magic) - magic;
        codes[i] = static_cast<std::int32_t>(v + zero);
    }
}

double powerOf(int exponent)
{
    return std::ldexp(1.0, exponent);
}

/// OCP MX v1.0, 6.3: the largest power of two in the block over the largest of the element.
double mxScale(const NumberFormat& element, double most)
{
    const int emax = element.integer ? 0 : std::ilogb(element.largest()); // 8, 15, 2, 4, 2
    const int exponent = most == 0 ? -127 : std::clamp(std::ilogb(most) - emax, -127, 127);
    return powerOf(exponent);
}

} // namespace

FloatKernel::FloatKernel(const NumberFormat& format)
    : largest(format.largest()), minPower(format.smallestNormal()), magic(std::ldexp(1.0, 52 - format.fractionBits)),
      minField(static_cast<std::uint64_t>(format.minExponent() + 1023)), fractionBits(format.fractionBits),
      signShift(format.bits() - 1)
{
}

void FloatKernel::encode(const double* x, std::size_t count, double scale, std::int32_t* codes) const
{
    constexpr std::uint64_t exponentMask = std::uint64_t{0x7ff} << 52;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t bits = std::bit_cast<std::uint64_t>(x[i] / scale);
        double size = std::bit_cast<double>(bits & ~(std::uint64_t{1} << 63));
        size = size < largest ? size : largest;
        double power = std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) & exponentMask);
        power = power > minPower ? power : minPower;
        const double shifted = power * magic;
        const std::uint64_t units =
            std::bit_cast<std::uint64_t>(size + shifted) - std::bit_cast<std::uint64_t>(shifted);
        const std::uint64_t field = (std::bit_cast<std::uint64_t>(power) >> 52) - minField;
        const std::uint64_t code = (field << fractionBits) + units + (bits >> 63 << signShift);
        codes[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(code));
    }
}

Rounder::Rounder(const QuantScheme& scheme, double most)
    : m_kind(scheme.format->kind), m_element(*scheme.format->element),
      m_scaling(scheme.format->block == 0 ? scheme.scaling : Scaling::Absmax),
      m_floats(m_element.integer ? *findFormat("fp32") : m_element)
{
    if (m_kind == QuantKind::Nvfp4)
        m_tensorScale =
            static_cast<float>(std::min<double>(FLT_MAX, most / (findFormat("e4m3")->largest() * m_element.largest())));
    if (!m_element.integer && m_element.bits() <= 16) {
        m_table.resize(std::size_t{1} << m_element.bits());
        for (std::size_t code = 0; code < m_table.size(); ++code)
            m_table[code] = memory::decode(m_element, code);
    }
}

GroupScale Rounder::scaleOf(const double* x, std::size_t count) const
{
    const bool integer = m_element.integer;
    const double top = static_cast<double>(m_element.largestCode()); // of an integer
    const Range range = m_scaling == Scaling::None ? Range{} : rangeOf(x, count);
    GroupScale group = groupWith(1, 0);
    if (m_kind == QuantKind::Mx) {
        group.scale = mxScale(m_element, range.most()) * (integer ? powerOf(m_element.unit) : 1);
    } else if (m_kind == QuantKind::Nvfp4) {
        static const NumberFormat& blockScale = *findFormat("e4m3");
        const double wanted = m_tensorScale > 0 ? range.most() / m_element.largest() / m_tensorScale : 0;
        // 0: too small beside the rest of the tensor
        group.scale = memory::decode(blockScale, memory::encode(blockScale, wanted).bits) * m_tensorScale;
    } else if (minmax()) {
        group.scale = std::max(range.high / group.high - range.low / group.high, DBL_MIN);
        group.zero = std::clamp(std::nearbyint(-range.low / group.scale), group.low, group.high);
    } else if (m_scaling == Scaling::Absmax) {
        group.scale = std::max(range.most() / (integer ? top : m_element.largest()), DBL_MIN);
    }
    return group;
}

GroupScale Rounder::groupWith(double scale, double zero) const
{
    const double top = static_cast<double>(m_element.largestCode());
    if (minmax())
        return {scale, zero, 0, 2 * top + 1};
    return {scale, zero, m_scaling == Scaling::None ? -top - 1 : -top, top};
}

void Rounder::encode(const double* x, std::size_t count, const GroupScale& group, std::int32_t* codes) const
{
    if (group.scale == 0)
        std::fill_n(codes, count, 0);
    else if (m_element.integer)
        encodeIntegers(x, count, group.scale, group.zero, group.low, group.high, codes);
    else
        m_floats.encode(x, count, group.scale, codes);
}

double Rounder::decode(std::int32_t code, const GroupScale& group) const
{
    if (m_element.integer)
        return (code - group.zero) * group.scale;
    const auto bits = static_cast<std::uint32_t>(code);
    return (m_table.empty() ? memory::decode(m_element, bits) : m_table[bits]) * group.scale;
}

double Rounder::scaleBits() const
{
    if (m_kind == QuantKind::Mx || m_kind == QuantKind::Nvfp4)
        return 8;
    return m_scaling == Scaling::None ? 0 : kScaleBits + (minmax() ? m_element.bits() : 0);
}

double mostOf(const double* x, std::size_t count)
{
    return rangeOf(x, count).most();
}

std::size_t groupOf(const QuantScheme& scheme, std::size_t count, std::size_t columns)
{
    return scheme.format->block != 0                    ? scheme.format->block
           : scheme.granularity == Granularity::Group   ? scheme.group
           : scheme.granularity == Granularity::Channel ? columns
                                                        : count;
}

} // namespace ridge::memory
