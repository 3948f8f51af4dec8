// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace ridge::labs {

/// The value of an fp16 number.
double fromHalf(std::uint16_t bits);

/// To nearest even, for |value| below 2^15.
std::uint16_t toHalf(double value);

/// fma.rn.f16x2 of (x, x, c), each half rounded once.
std::uint32_t squarePlus(std::uint32_t x, std::uint32_t c);

} // namespace ridge::labs
