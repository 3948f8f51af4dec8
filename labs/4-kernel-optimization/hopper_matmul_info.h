// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "labs/harness/ladder.h"

namespace ridge::labs {

/// What factors are drawn from.
enum class HopperData { Uniform, Positive, Outliers, Integers };

/// What factors of rung fp8 are divided by before they are rounded: nothing, one number for each matrix, or one for
/// each block of 128 of k, of one row of A and of 128 rows of B.
enum class HopperScales { None, Tensor, Block };

/// A product C = A B^T of factors of 16 bits, or 8 in rung fp8, A m x k and B n x k, rounded to 16 bits, and the launch
/// and counts that follow from it. The one owner of these. All three lie row by row, rows padded to a multiple of 16
/// bytes, which TMA wants.
struct HopperMatmulShape {
    std::size_t rung = 0;
    bool bf16 = false;                        ///< the result, and the factors but for rung fp8
    bool twoLevel = true;                     ///< rung fp8: sums of kBlock of k are added up in FP32
    HopperScales scales = HopperScales::None; ///< none in the other rungs
    HopperData data = HopperData::Uniform;
    std::uint64_t m = 1, n = 1, k = 1;

    static constexpr std::uint64_t kTileRows = 128;
    static constexpr std::uint64_t kBlock = 128; ///< elements of k that rung fp8 sums on the tensor cores alone

    bool fp8() const; ///< the factors are e4m3
    /// Rows that a scale is for, and the scales that the kernel finds in memory: those of a block of k side by side,
    /// of A with room for a multiple of eight rows.
    static std::uint64_t rowsOfScale(bool ofB) { return ofB ? kBlock : 1; }
    std::uint64_t pitchOfScales(bool ofB) const { return ofB ? ceilDiv(n, kBlock) : ceilDiv(m, 8) * 8; }
    std::uint64_t scalesHeld(bool ofB) const;
    /// Bytes of the scales of both, without that room.
    std::uint64_t scaleBytes() const;
    std::uint64_t factorBytes() const { return fp8() ? 1 : 2; }
    std::uint64_t depth() const { return 128 / factorBytes(); }         ///< elements of k in a step
    std::uint64_t depthOfProduct() const { return 32 / factorBytes(); } ///< and in an instruction wgmma
    std::uint64_t pitchOfFactors() const { return ceilDiv(k * factorBytes(), 16) * 16 / factorBytes(); }
    std::uint64_t pitchOfResult() const { return ceilDiv(n, 8) * 8; }
    bool padded() const { return pitchOfFactors() != k || pitchOfResult() != n; }
    double flop() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
    /// Factors and scales read once and the product written once, without the padding.
    UsefulBytes bytes() const;
    std::uint64_t heldBytes() const;
    std::uint64_t cluster() const; ///< blocks, one above the other
    bool persistent() const;
    bool storesByMap() const; ///< C is a tensor map, else a pointer
    std::uint64_t tileColumns() const;
    std::uint32_t boxRowsOfB() const; ///< rows of B that one copy brings
    std::uint64_t tileRows() const { return ceilDiv(m, kTileRows * cluster()) * cluster(); }
    std::uint64_t tilesAcross() const { return ceilDiv(n, tileColumns()); }
    std::uint64_t tiles() const { return tileRows() * tilesAcross(); }
    gpu::Dim3 grid(std::uint32_t sms) const;
    std::uint32_t threads() const;
    std::uint32_t sharedBytes() const;
    /// Instructions wgmma, each of them issued by four warps and counted once.
    double products() const;
    /// Operands that one of them reads in shared memory, A by each warp and B once.
    double productBytes() const { return 64.0 * 32 + 32.0 * static_cast<double>(tileColumns()); }
    double productFlop() const { return 128.0 * static_cast<double>(depthOfProduct() * tileColumns()); }
    std::string kernel() const;
};

std::span<const Rung> hopperMatmulRungs();
ExperimentInfo hopperMatmulInfo();
HopperMatmulShape hopperMatmulShapeOf(const ParamSet& params);

} // namespace ridge::labs
