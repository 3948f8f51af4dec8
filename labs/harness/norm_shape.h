// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of kernels/norm and how they are launched, for every experiment that runs one.
#pragma once

#include "labs/harness/ladder.h"

#include <cstdint>
#include <span>
#include <string>

namespace ridge::labs {

enum NormRung : std::size_t {
    kNormCopy,
    kNormPasses,
    kNormOnline,
    kNormWarp,
    kNormRegisters,
    kNormVector,
    kNormPersistent,
    kNormCluster
};

inline constexpr double kNormEpsilon = 1e-5;

/// Rows of bf16 that are normalised, and the launch and the bytes that follow from them. The one owner of these.
struct NormShape {
    std::size_t rung = kNormCopy;
    bool layer = false; ///< LayerNorm, else RMSNorm
    std::uint64_t columns = 1, rows = 1;
    std::uint32_t smCount = 1;

    std::uint64_t elements() const { return rows * columns; }
    std::uint64_t rowsBytes() const { return 2 * elements(); }
    /// Each row in and out once, weights (LayerNorm: and biases) in once.
    UsefulBytes bytes() const;
    std::uint32_t cluster() const; ///< blocks that share a row
    std::uint32_t threads() const; ///< of a block
    std::uint64_t blocks() const;
    /// How often an element of x is loaded, on average.
    double rowReads() const;
    /// Additions that follow one another on the longest way into a sum.
    std::uint64_t chain() const;
    std::string kernel() const;
};

std::span<const Rung> normRungs();

} // namespace ridge::labs
