// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ridge {

/// Factors up to which a measurement is worth all, and beyond which nothing.
inline constexpr double kFullCredit = 1.2, kNoCredit = 10;

/// What a measurement is worth that misses its bound by a factor (control CK7 of the product, after Stanford CS149):
/// 1 within 1.2, 1.2 / factor up to 10, else 0. Nothing for what is no factor (negative, not a number).
constexpr double ratioCredit(double factor)
{
    if (!(factor > 0) || factor > kNoCredit)
        return 0;
    return factor <= kFullCredit ? 1 : kFullCredit / factor;
}

} // namespace ridge
