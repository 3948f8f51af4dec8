// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace ridge {

/// "12.4 GB/s", "32 sectors/request", "1 sector/request", "12.5 %", "2.6×", "1.5 ms": three significant digits
/// (integers below 10 000 exactly), SI prefix for s, B, B/s, Hz, FLOP, FLOP/s. Prefixes are decimal, as on data sheets;
/// a number of bytes that a binary prefix writes out exactly in three digits has that one: 62 914 560 B is "60 MiB",
/// 80e9 B is "80 GB". Every other place writes a percentage the same way, with a blank (tst_layers).
std::string formatQuantity(double value, std::string_view unit);

/// Whether formatQuantity writes this unit with prefixes and it has none of its own: "s", "B", "FLOP/s", not "GB/s".
bool takesPrefix(std::string_view unit);

/// Whether a unit only says what is counted ("warps", "instructions", none), which adds nothing to a title that says
/// it already.
bool countsThings(std::string_view unit);

/// The number alone with the same digits, no unit and no prefix.
std::string formatNumber(double value);

/// Reads what a person types for a quantity whose unit is known: "12", "12 GB/s", "1.2e4", "12k", "32 us", "4 MiB",
/// "x3.5" (for unit "×"). A unit, if given, must agree in kind. The value returned is in `unit`. Errors:
/// "bad-quantity".
Result<double> parseQuantity(std::string_view text, std::string_view unit);

} // namespace ridge
