// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lesson_evidence.h"

#include <cmath>
#include <limits>

namespace ridge::lessons {
namespace {

/// An 80 % interval leaves a = 0.2 outside: each unit by which it misses costs 2/a = 10 units of width.
constexpr double kMissCost = 2.0 / 0.2;

double intervalScore(double low, double high, double result)
{
    return (high - low) + kMissCost * std::max(0.0, low - result) + kMissCost * std::max(0.0, result - high);
}

} // namespace

PredictionScore scorePrediction(double point, double low, double high, double result)
{
    if (low > high)
        std::swap(low, high);
    PredictionScore score;
    score.difference = point - result;
    score.factor =
        point > 0 && result > 0 ? std::max(point / result, result / point) : std::numeric_limits<double>::quiet_NaN();
    score.insideInterval = low <= result && result <= high;
    const bool positive = low > 0 && high > 0 && result > 0;
    score.intervalScore =
        positive ? intervalScore(std::log2(low), std::log2(high), std::log2(result)) : intervalScore(low, high, result);
    return score;
}

} // namespace ridge::lessons
