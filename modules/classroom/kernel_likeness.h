// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::classroom {

/// The words of a kernel's code without what a copy is disguised by: no comments, white space, braces or line breaks,
/// and names that the code makes up itself as numbers in the order in which they come first, those of a block and of a
/// for anew in each. What CUDA and C++ call something keeps its name, so that atomicAdd is no atomicSub.
std::vector<std::string> normalisedCode(std::string_view source);

/// What handed-in kernels are compared by. Advice for whoever looks at a class (control CK12): no grade depends on it.
struct KernelShape {
    std::string text;      ///< SHA-256 of the bytes
    std::string shape;     ///< SHA-256 of the words
    int ownWords = 0;      ///< of these not already in what the task begins with; 0: nothing to compare
    bool solution = false; ///< the same words as the solution that ships
    /// Runs of kGramWords words, names left out, that the task does not begin with, as hashes in rising order, each as
    /// often as it occurs. What stands where is no part of it: a statement that was moved, or split in two, changes the
    /// few at its ends.
    std::vector<std::uint32_t> grams;
    double nearSolution = 0; ///< nearness() to the solution that ships
    bool operator==(const KernelShape&) const = default;
};

/// `starter`: what learners begin with, `solution`: the one that ships.
KernelShape kernelShape(const std::string& source, const std::string& starter, const std::string& solution);
/// With the files of a task. Errors: those of shippedTask, "cannot-read", "bad-markers".
Result<KernelShape> kernelShapeFor(const std::string& source, const std::string& task);

/// How much of two kernels' own code is the same, in whatever order: twice the grams that both have ÷ all of both, 0 to
/// 1. 0 where one has none.
double nearness(const KernelShape& one, const KernelShape& other);
/// From here on two kernels of kFewWords words or more are told to be alike. Measured (docs/instructors.md): a copy
/// with one statement moved or split 0.92 and above, one with everything that can be moved or split 0.83 and above;
/// kernels of the same task that were written apart 0.69 and below.
inline constexpr double kNear = 0.78;
inline constexpr std::size_t kGramWords = 4;

/// Where a grade's `execution` has it.
inline constexpr const char* kKernelShape = "kernel_shape";
Json toJson(const KernelShape& shape);
/// None where the document holds none.
std::optional<KernelShape> kernelShapeFromJson(const Json& json);

/// Below this many own words several people come to the same code by themselves, and likeness says little. The
/// solutions that ship have 39 to 448 words; a guide for the reader of a report, and not measured on people.
inline constexpr int kFewWords = 80;

} // namespace ridge::classroom
