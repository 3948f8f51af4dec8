// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "labs/harness/ladder.h"

#include <array>

namespace ridge::labs {

enum FusionRung : std::size_t { kFusionOperators, kFusionElementwise, kFusionOne };

/// Operators of the chain, in its order. The names are those of the kernels.
enum FusionOperator : std::uint32_t {
    kFusionBias = 1,
    kFusionGelu,
    kFusionDropout,
    kFusionResidual,
    kFusionNorm,
    kFusionScale,
    kFusionClamp,
    kFusionRound
};
inline constexpr std::array<const char*, 9> kFusionNames = {"",     "bias",  "gelu",  "dropout", "residual",
                                                            "norm", "scale", "clamp", "round"};
inline constexpr std::uint32_t kFusionLongest = 8;

/// Operators first to last, which share a kernel.
struct FusionGroup {
    std::uint32_t first = 1, last = 1;
    bool has(std::uint32_t op) const { return first <= op && op <= last; }
    bool operator==(const FusionGroup&) const = default;
};

/// A chain of operators over rows, and the launches that follow from it.
struct FusionShape {
    std::size_t rung = kFusionOne;
    std::uint32_t operators = 5;
    bool bf16 = false;
    std::uint64_t columns = 1, rows = 1;

    std::uint64_t elements() const { return rows * columns; }
    std::uint64_t elementBytes() const { return bf16 ? 2 : 4; }
    std::uint64_t tensorBytes() const { return elements() * elementBytes(); }
    bool has(std::uint32_t op) const { return op <= operators; }
    std::vector<FusionGroup> groups() const;
    FusionShape with(std::size_t other) const;

    std::uint32_t rowThreads() const; ///< of a block that takes a row through the norm
    /// Columns of a row, as a share, that no thread of the block has a register for.
    double beyondRegisters() const;
    /// Additions that follow one another on the longest way into a sum over a row.
    std::uint64_t chain() const;

    std::string kernel(const FusionGroup& group) const;
    std::size_t file(const FusionGroup& group) const; ///< rung in whose file the kernel of a group is
    std::uint64_t blocks(const FusionGroup& group) const;
    std::uint32_t threads(const FusionGroup& group) const;
};

/// What one operator makes its kernel move and compute.
struct FusionEntry {
    double read = 0, written = 0; ///< bytes
    double flops = 0;
    double bytes() const { return read + written; }
};
using FusionLedger = std::array<FusionEntry, kFusionLongest + 1>; ///< by FusionOperator

/// The ledger of a chain: a kernel reads what its first operator works on and what its operators take besides, and
/// writes what its last one gives. Rows that do not fit the registers of a block are read again by a kernel that has
/// the norm, and taken through the operators before it again. The one owner of these.
FusionLedger fusionLedger(const FusionShape& shape);
FusionEntry fusionTotal(const FusionLedger& ledger);
/// What any way must read and write once: the ends of the chain, and what its operators take besides.
UsefulBytes fusionUseful(const FusionShape& shape);

std::span<const Rung> fusionRungs();
ExperimentInfo fusionInfo();
FusionShape fusionShapeOf(const ParamSet& params);

} // namespace ridge::labs
