// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "labs/harness/ladder.h"

namespace ridge::labs {

enum MatmulRung : std::size_t {
    kMatmulNaive,
    kMatmulCoalesced,
    kMatmulSharedTile,
    kMatmulColumnTile,
    kMatmulSquareTile,
    kMatmulVector,
    kMatmulPadded,
    kMatmulTiles,
    kMatmulDoubleBuffer
};

/// What a block computes at a time, and what each of its threads does of it.
struct MatmulTile {
    std::uint32_t rows = 1, columns = 1, depth = 1;  ///< BM, BN, BK
    std::uint32_t threadRows = 1, threadColumns = 1; ///< TM, TN

    std::uint32_t threads() const { return rows / threadRows * (columns / threadColumns); }
    /// Of the rung "tiles": A's part transposed with four words of padding a row, and B's.
    std::uint64_t sharedBytes() const { return std::uint64_t{4} * depth * (rows + 4 + columns); }
    std::string name() const; ///< "128_128_8_8_8"
    friend bool operator==(const MatmulTile&, const MatmulTile&) = default;
};

/// C = A B in FP32, A m × k, B k × n: the one owner of launches, operations and bytes.
struct MatmulShape {
    std::size_t rung = kMatmulNaive;
    MatmulTile tile;
    std::uint64_t m = 1, n = 1, k = 1;

    double flop() const;
    /// Each matrix crosses the pins once.
    UsefulBytes bytes() const;
    /// The traffic model: bytes of A and B that blocks load from global memory. A row of blocks reads its rows of A
    /// once a block, so each element of A is loaded as often as there are blocks across, and of B as there are blocks
    /// down: 4 k (m ⌈n / BN⌉ + n ⌈m / BM⌉), which is 4 m n k (1 / BM + 1 / BN) where the tiles divide the matrix.
    /// Without a tile every thread loads for itself: BM = BN = 1.
    double loadedBytes() const;
    std::string kernel() const;
    std::uint32_t launchThreads() const;
    gpu::Dim3 launchBlocks() const;
};

std::span<const Rung> matmulRungs();
/// The tiles that kernels/matmul/08_tiles.cu has kernels for.
std::span<const MatmulTile> matmulTiles();
ExperimentInfo matmulInfo();

/// Errors: "bad-tile", with the reason, for a tile that no kernel can have or none has.
Result<MatmulShape> matmulShapeOf(const ParamSet& params);

} // namespace ridge::labs
