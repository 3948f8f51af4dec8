// SPDX-License-Identifier: GPL-3.0-or-later
// A step of many ranks is as long as that of the slowest: order statistics of jitter.
#pragma once

#include "base/seed.h"

#include <span>
#include <string>

namespace ridge::cluster {

/// What a rank's step takes beyond its usual time, as a share of it. Normal: mean 0 and the given deviation.
/// Exponential: the given mean. Straggler: with a probability the rank is slower by a factor, else exact.
enum class Jitter { None, Normal, Exponential, Straggler };
std::span<const std::string> jitterNames(); ///< none normal exponential straggler

struct JitterSetting {
    Jitter kind = Jitter::None;
    double spread = 0;      ///< deviation or mean, share of the step
    double probability = 0; ///< of a straggler, a rank and step
    double factor = 1;      ///< of a straggler's step
};

/// Mean of the longest of `ranks` steps, in usual steps. Exponential: 1 + spread x (1 + 1/2 + … + 1/n). Normal: the
/// integral of 1 - F^n, to 1e-7. Straggler: 1 + (factor - 1)(1 - (1 - probability)^n).
double expectedLongest(const JitterSetting& jitter, double ranks);

/// Mean of the longest of `ranks` drawn steps, over `steps` steps; `deviation` gets the standard error of that mean.
double simulatedLongest(const JitterSetting& jitter, std::uint64_t ranks, std::uint64_t steps, Rng& rng,
                        double* deviation = nullptr);

double harmonic(double n); ///< 1 + 1/2 + … + 1/n

} // namespace ridge::cluster
