// SPDX-License-Identifier: GPL-3.0-or-later
// A row of attention: the average of values with softmax weights, in the arithmetic of a format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::labs {

inline constexpr double kUnitOfFp32 = 0x1p-24;

struct RowFormat {
    double (*rounded)(double); ///< to nearest even; NaN stays
    double unit;               ///< largest relative error of a rounding
    double smallest;           ///< largest absolute error of one, of the smallest numbers
};

/// "fp16", "bf16", "fp32", "fp64".
RowFormat rowFormatOf(const std::string& name);

struct SoftmaxRow {
    std::vector<double> scores, values; ///< values: [score][column]
    std::uint64_t columns = 1;
};

double largestScore(const SoftmaxRow& row);

/// In extended precision.
std::vector<double> exactAverage(const SoftmaxRow& row);

/// Each weight is e to the score less `top`: with the largest score the second of two passes, with 0 what overflows.
/// Every operation is rounded to `format`, those of the two sums to `sums`.
std::vector<double> averageWith(const SoftmaxRow& row, double top, const RowFormat& format, const RowFormat& sums);

struct RowResult {
    std::vector<double> average;
    std::uint64_t rescales = 0; ///< blocks after the first in which the maximum grew
};

/// One pass: the maximum of what was read so far; when it grows, the sums are scaled down.
RowResult onlineAverage(const SoftmaxRow& row, std::uint64_t block, const RowFormat& format, const RowFormat& sums);

} // namespace ridge::labs
