// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/small_formats.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridge::labs {

namespace {

std::uint32_t topField(const SmallFormat& format)
{
    return (1u << format.exponentBits) - 1;
}

int bias(const SmallFormat& format)
{
    return (1 << (format.exponentBits - 1)) - 1;
}

/// Bits of the largest finite number.
std::uint32_t largestBits(const SmallFormat& format)
{
    // Without infinities only the very last pattern is no number.
    const std::uint32_t infinity = topField(format) << format.fractionBits;
    return format.hasInfinity ? infinity - 1 : (infinity | ((1u << format.fractionBits) - 1)) - 1;
}

} // namespace

double SmallFormat::largest() const
{
    return valueOf(*this, largestBits(*this));
}

std::uint32_t roundTo(const SmallFormat& format, double value)
{
    const std::uint32_t sign = std::signbit(value) ? 1u << (format.bits() - 1) : 0;
    const double size = std::fabs(value);
    if (size == 0)
        return sign;
    const int smallest = 1 - bias(format); // exponent of the smallest normal number; below it units stay the same
    const int exponent = std::max(smallest, std::isinf(size) ? 1 << format.exponentBits : std::ilogb(size));
    const double units = std::isinf(size) ? size : std::nearbyint(std::ldexp(size, format.fractionBits - exponent));
    const double most = std::ldexp(format.largest(), format.fractionBits - exponent);
    if (units > most) // that rounds to a number past the largest
        return sign | (format.hasInfinity ? topField(format) << format.fractionBits : largestBits(format));
    // The leading one of a normal number counts the exponent field up by one, and so does a carry out of the fraction.
    const auto field = static_cast<std::uint32_t>(exponent - smallest) << format.fractionBits;
    return sign | (field + static_cast<std::uint32_t>(units));
}

double valueOf(const SmallFormat& format, std::uint32_t bits)
{
    const std::uint32_t field = bits >> format.fractionBits & topField(format);
    const std::uint32_t fraction = bits & ((1u << format.fractionBits) - 1);
    const bool negative = (bits >> (format.bits() - 1) & 1) != 0;
    double size = 0;
    if (format.hasInfinity && field == topField(format))
        size = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    else if (!format.hasInfinity && field == topField(format) && fraction == (1u << format.fractionBits) - 1)
        size = std::numeric_limits<double>::quiet_NaN();
    else if (field == 0)
        size = std::ldexp(fraction, 1 - bias(format) - format.fractionBits);
    else
        size = std::ldexp(fraction + (1u << format.fractionBits),
                          static_cast<int>(field) - bias(format) - format.fractionBits);
    return negative ? -size : size;
}

} // namespace ridge::labs
