// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_task.h"

namespace ridge::labs {

/// How the elements of a task's inputs are drawn.
enum class DataKind : std::uint8_t {
    Plain, ///< rand(SEED) of docs/kernels.md: uniform in [-1, 1); integers of their full range
    /// Positive, in [1, 2), with fractions that every format of 10 or 7 bits rounds down: errors of rounded inputs add
    /// up in a long sum instead of cancelling.
    Biased,
    /// Either sign, magnitudes from 2^-20 to 2^20, so that what only small errors of large results leave is lost. Among
    /// them what random numbers next to never are: zeros, alone and 32 in a row, numbers of few bits, 2,048 of one
    /// sign. Bounded whole numbers are mostly one and the same; with a sign, one in a thousand is larger than the
    /// bound.
    Wide,
    Constant, ///< all elements of a buffer alike
    FewBits,  ///< 1 and -1, which every float format has, with their products and all sums of them that are not long
};
std::string_view toText(DataKind kind);

/// The values of a task's parameters at given sizes; in the order of the parameters, bytes little-endian. Outputs hold
/// what stands there before the launch: zeros where the task says so, else a pattern of the seed that is not a number
/// in any float format and that no kernel can know.
struct TaskData {
    ParamSet sizes;
    std::vector<std::vector<std::byte>> values;
};

/// Element i of each parameter depends on the seed, the parameter's place and i alone. Errors: those of wholeAt().
Result<TaskData> drawData(const KernelTask& task, const ParamSet& sizes, DataKind kind, std::uint64_t seed);

/// The same data but for a 32nd part of one buffer, in a row, where numbers have the other sign, but for one in 64 that
/// is as large as wide data are, and integers all of their bits turned over; bounded ones become the next below their
/// bound, the last 0. Which buffer of the inputs and which part follow from the seed.
TaskData altered(const KernelTask& task, const TaskData& data, std::uint64_t seed);

/// What anybody can have: plain, with the seeds 1, 2, … for the first, second … drawn parameter.
Result<TaskData> publicData(const KernelTask& task, const ParamSet& sizes);

} // namespace ridge::labs
