// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/parameters.h"

#include <span>

namespace ridge {

/// The value of a formula over numeric parameters: + - * / ( ), unary minus, min, max, gcd (two or more arguments),
/// pow, mod, less (two; less(a, b) is 1 where a < b, else 0), ceil, floor, round, abs, sqrt, log2, numbers, names.
/// Errors: "bad-formula" (with the place in the text), "unknown-name".
Result<double> evaluateFormula(std::string_view formula, const ParamSet& params);

/// The parameters and metrics a formula reads, in order of first use. Errors: "bad-formula", "unknown-name" (a
/// function).
Result<std::vector<std::string>> formulaNames(std::string_view formula);

/// "; did you mean 'a' or 'b'?" or, where nothing is near, "; known: a, b, c".
std::string didYouMean(std::string_view given, std::span<const std::string> known);

} // namespace ridge
