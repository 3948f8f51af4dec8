// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "host/sampling.h"

#include <cstddef>
#include <span>

namespace ridge::host {

/// y = a·x + y once, by all threads. Both arrays have the same length.
void axpy(Team& team, float a, std::span<const float> x, std::span<float> y);

/// The same over and over, `a` with alternating signs so that y stays where it was. A pass ends when all threads have
/// done their part, as a parallel loop does. Small arrays stay in the caches. Errors: "cancelled".
Result<Timing> timeAxpy(Team& team, float a, std::span<const float> x, std::span<float> y, const Sampling& how);

/// n × n matrices, row by row.
struct Sgemm {
    std::size_t n = 0; ///< a multiple of 64
    const float* a = nullptr;
    const float* b = nullptr;
    float* c = nullptr;
};

/// C = A·B over and over, by all threads: blocked for the caches after Goto and van de Geijn ("Anatomy of
/// high-performance matrix multiplication", ACM TOMS 34(3), 2008), operands packed, a tile of C in vector registers.
/// C holds the product afterwards. Errors: "bad-value" (n), "out-of-memory", "cancelled".
Result<Timing> timeSgemm(Team& team, const Sgemm& matrices, const Sampling& how);

} // namespace ridge::host
