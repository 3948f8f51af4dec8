// SPDX-License-Identifier: GPL-3.0-or-later
// The approximate functions of f32 over every input, against libm in double precision.
#pragma once

#include "gpu/simt/lanes/lanes.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ridge::gpu::simt::oracle {

using u64 = std::uint64_t;

struct Approximation {
    std::string name; ///< "ex2.approx.f32"
    LaneOp op;
    double (*exact)(double);
    long double (*finer)(long double);
    const char* bound; ///< what the PTX ISA promises
    /// Whether a result keeps that promise; `ulp` is the unit in the last place of the exact result as an f32.
    bool (*within)(double x, double exact, double got, double ulp);
};

const std::vector<Approximation>& approximations();

struct Errors {
    u64 inputs = 0;
    u64 notRounded = 0; ///< results other than the f32 nearest to the exact one
    u64 outside = 0;    ///< results beyond the promise, special values and .ftz included
    double worst = 0;   ///< ulp
    float worstAt = 0;
    double ownError = 0;         ///< of the double precision against long double at every 4093rd input, in ulp of f32
    std::uint32_t outsideAt = 0; ///< bits of the first input whose result is outside
};

/// Every `step`-th of the 2^32 inputs.
Errors measure(const Approximation& one, u64 step);

/// Results of `form` ("sin.approx.ftz.f32") from elsewhere, for inputs first, first + 1 …, beside ours: one line of
/// JSON with {inputs, mismatches, classes (a NaN on one side alone), distance (floats between the two, at most), worst
/// (its input), gpu_ulp (their largest error), exponents: {exponent of the input: {inputs, mismatches, distance,
/// gpu_ulp}}}. No value for an unknown form.
std::optional<std::string> compareWith(const std::string& form, std::uint32_t first,
                                       std::span<const std::uint32_t> theirs);

std::string markdownHead();
std::string markdownRow(const Approximation& one, const Errors& errors, double seconds);

} // namespace ridge::gpu::simt::oracle
