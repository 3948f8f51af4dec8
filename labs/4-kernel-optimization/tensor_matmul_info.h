// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "labs/harness/ladder.h"

namespace ridge::labs {

inline constexpr const char* kFragmentsKernel = "tensor_matmul/00_fragments.cu";

/// A product C = A B of 16-bit factors, and the launch and counts that follow from it. The one owner of these.
struct TensorMatmulShape {
    std::size_t rung = 0;
    bool bf16 = false;
    bool byK = false;      ///< B row by row (k x n), else column by column (n x k)
    bool integers = false; ///< factors from -2 to 2, else uniform in [-1, 1)
    std::uint64_t m = 1, n = 1, k = 1;

    bool tensor() const { return rung > 0; }
    double flop() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
    /// Factors read once and the product written once.
    UsefulBytes bytes() const;
    std::uint64_t rowOfB() const { return byK ? n : k; } ///< elements from one row of B's storage to the next
    std::uint64_t tileRows() const;
    std::uint64_t tileColumns() const;
    std::uint32_t threads() const;
    std::uint64_t blockRows() const { return ceilDiv(m, tileRows()); }
    std::uint64_t blockColumns() const { return ceilDiv(n, tileColumns()); }
    /// Instructions mma.m16n8k16 of all warps, those on zeros beyond the edge included.
    double products() const;
    std::string kernel() const;
};

/// Bytes that one copy of a row may take: the widest of 16, 8, 4 and 2 that divides every row.
std::uint32_t copyWidth(std::uint64_t rowElements);

std::span<const Rung> tensorMatmulRungs();
ExperimentInfo tensorMatmulInfo();
TensorMatmulShape tensorMatmulShapeOf(const ParamSet& params);

} // namespace ridge::labs
