// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/grade/task_data.h"

#include <map>

namespace ridge::labs {

/// What an output must hold: results in double precision, and the sum of the magnitudes of the terms of each, which
/// errors of rounding are in proportion to.
struct Expected {
    std::vector<double> values, magnitudes;
};

/// Expected results of each output by the name of its parameter, computed here on the CPU.
/// Errors: "bad-task" where the task names no function that there is.
Result<std::map<std::string, Expected>> expectedResults(const KernelTask& task, const TaskData& data);

/// What an error may be, as a part of the sum of magnitudes, after `roundings` roundings in `type`: the smaller of
/// gamma(n) = n u / (1 − n u), which no order of operations exceeds (Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd ed. 2002, sections 3.1 and 4.2), and 8 sqrt(n) u, which is exceeded with a probability below
/// 2 n exp(−32) ≈ 2.5e-14 n where roundings are independent (Higham and Mary, A New Approach to Probabilistic Rounding
/// Error Analysis, SIAM J. Sci. Comput. 41(5), 2019, theorem 3.1 with lambda = 8). u is 2^-53, 2^-24, 2^-11, 2^-8 for
/// f64, f32, f16, bf16. 0 roundings and integers: 0, results are exact.
double allowedError(DataType type, std::uint64_t roundings);

/// Whether a result keeps to `allowed` times the sum of magnitudes of element `at`. What is no finite number does not.
bool isRight(double found, const Expected& expected, std::size_t at, double allowed);

/// One output as it was found, held against what it must be.
struct Compared {
    std::uint64_t elements = 0, wrong = 0, unwritten = 0;
    double worstRelative = 0; ///< infinite where a result is no number
    std::string example;      ///< the first wrong element in words
};

/// `before`: the bytes that stood there before the launch; an element that still has them was not written, unless the
/// output begins as zeros. A result that is not a finite number is wrong whatever was expected.
Compared compare(const TaskParameter& output, std::uint64_t roundings, const Expected& expected,
                 const std::vector<std::byte>& before, const std::vector<std::byte>& found);

} // namespace ridge::labs
