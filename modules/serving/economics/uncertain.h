// SPDX-License-Identifier: GPL-3.0-or-later
// What a result is worth whose inputs are not known exactly.
#pragma once

#include "base/seed.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ridge::serving {

/// A number that lies within value x (1 - spread) and value x (1 + spread), most likely in the middle (a triangle).
struct UncertainInput {
    std::string name;
    double value = 0;
    double spread = 0;
    double most = 0; ///< no draw is above it; 0: none
};

struct Swing {
    std::string name;
    double low = 0, high = 0; ///< results with this input at its lower and upper end, all others in the middle
    double width() const { return high > low ? high - low : low - high; }
};

struct UncertainResult {
    double middle = 0; ///< with all inputs in the middle
    double mean = 0, p5 = 0, p50 = 0, p95 = 0;
    std::vector<Swing> swings; ///< by width, widest first: a tornado chart
};

using Formula = std::function<double(std::span<const double> inputs)>;

/// `samples` draws, at least 1. Inputs are drawn one by one and are independent.
UncertainResult explore(std::span<const UncertainInput> inputs, const Formula& formula, std::uint64_t samples,
                        Rng& rng);

/// Calls of the formula that come before those of the draws: the middle, and both ends of each uncertain input.
std::uint64_t callsBeforeDraws(std::span<const UncertainInput> inputs);

/// Of sorted numbers, by linear interpolation; `share` 0 to 1.
double percentileOf(std::span<const double> sorted, double share);

} // namespace ridge::serving
