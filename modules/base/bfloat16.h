// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace ridge {

/// Bits of the nearest bf16 number, ties to even. A NaN becomes 0x7fff, as cvt.rn.bf16.f32 gives it.
inline std::uint16_t toBf16(float value)
{
    if (std::isnan(value))
        return 0x7fff;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Exact: bf16 is the upper half of a float.
inline float fromBf16(std::uint16_t bits)
{
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

} // namespace ridge
