// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/half_bits.h"

#include <cmath>
#include <initializer_list>

namespace ridge::labs {

double fromHalf(std::uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

std::uint16_t toHalf(double value)
{
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::fabs(value);
    const int exponent = size < 0x1p-14 ? -14 : std::ilogb(size);
    const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
    // 1024 units is where the exponent field begins; a carry out of the fraction counts it up, as it should.
    return static_cast<std::uint16_t>(sign | (static_cast<std::uint32_t>(exponent + 14) * 1024 + units));
}

std::uint32_t squarePlus(std::uint32_t x, std::uint32_t c)
{
    std::uint32_t next = 0;
    for (const int shift : {0, 16}) { // exact in double, rounded once
        const double value = fromHalf(static_cast<std::uint16_t>(x >> shift));
        next |= std::uint32_t{toHalf(value * value + fromHalf(static_cast<std::uint16_t>(c >> shift)))} << shift;
    }
    return next;
}

} // namespace ridge::labs
