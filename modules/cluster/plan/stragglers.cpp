// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/plan/stragglers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace ridge::cluster {
namespace {

const std::array<std::string, 4> kNames{"none", "normal", "exponential", "straggler"};

/// log of the normal distribution's F, with small tails kept exact.
double logNormalBelow(double x)
{
    const double tail = 0.5 * std::erfc(std::abs(x) / std::numbers::sqrt2);
    return x > 0 ? std::log1p(-tail) : std::log(std::max(tail, 1e-320));
}

/// Mean of the largest of n standard normal numbers.
double normalLargest(double n)
{
    if (n <= 1)
        return 0;
    // Simpson's rule over 1 - F^n above 0 and -F^n below.
    constexpr int kParts = 4000;
    const auto integrate = [&](double from, double to, const auto& f) {
        const double width = (to - from) / kParts;
        double sum = f(from) + f(to);
        for (int i = 1; i < kParts; ++i)
            sum += (i % 2 ? 4 : 2) * f(from + i * width);
        return sum * width / 3;
    };
    return integrate(0, 12, [&](double x) { return -std::expm1(n * logNormalBelow(x)); }) -
           integrate(-12, 0, [&](double x) { return std::exp(n * logNormalBelow(x)); });
}

} // namespace

std::span<const std::string> jitterNames()
{
    return kNames;
}

double harmonic(double n)
{
    double sum = 0;
    if (n < 1000) {
        for (double i = n; i >= 1; --i)
            sum += 1 / i;
        return sum;
    }
    return std::log(n) + std::numbers::egamma + 1 / (2 * n) - 1 / (12 * n * n);
}

double expectedLongest(const JitterSetting& j, double ranks)
{
    switch (j.kind) {
    case Jitter::None:
        return 1;
    case Jitter::Normal:
        return 1 + j.spread * normalLargest(ranks);
    case Jitter::Exponential:
        return 1 + j.spread * harmonic(ranks);
    case Jitter::Straggler:
        return 1 + (j.factor - 1) * -std::expm1(ranks * std::log1p(-std::min(j.probability, 1.0)));
    }
    return 1;
}

double simulatedLongest(const JitterSetting& j, std::uint64_t ranks, std::uint64_t steps, Rng& rng, double* deviation)
{
    double sum = 0, squares = 0;
    for (std::uint64_t step = 0; step < steps; ++step) {
        double longest = -INFINITY;
        for (std::uint64_t rank = 0; rank < ranks; ++rank) {
            double x = 0;
            if (j.kind == Jitter::Exponential) {
                x = -j.spread * std::log1p(-rng.uniform());
            } else if (j.kind == Jitter::Normal) { // two at a time (Box and Muller)
                const double size = std::sqrt(-2 * std::log1p(-rng.uniform()));
                const double turn = 2 * std::numbers::pi * rng.uniform();
                x = j.spread * size * std::cos(turn);
                if (++rank < ranks)
                    x = std::max(x, j.spread * size * std::sin(turn));
            } else if (j.kind == Jitter::Straggler) {
                x = rng.uniform() < j.probability ? j.factor - 1 : 0;
            }
            longest = std::max(longest, x);
        }
        sum += 1 + longest;
        squares += (1 + longest) * (1 + longest);
    }
    const double n = static_cast<double>(steps), mean = sum / n;
    if (deviation)
        *deviation = std::sqrt(std::max(0.0, squares / n - mean * mean) / n);
    return mean;
}

} // namespace ridge::cluster
