// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace ridge::labs {

/// What an FP8 sum of products with these `magnitudes`, added in this order, may lose beside rounding, on any tensor
/// core: those of Hopper align the products of a step and the sum before it to the largest of them and cut all off
/// behind 13 fraction bits (tensorRules), so a product loses less than a unit there, or itself.
double lostByFp8(std::span<const double> magnitudes);

} // namespace ridge::labs
