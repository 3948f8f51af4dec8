// SPDX-License-Identifier: GPL-3.0-or-later
// A systolic array in closed form: folds, cycles, reads of its buffers.
//
// Terminology. C[m,n] = A[m,k] B[k,n]. A is the input ("ifmap"), B the weights
// ("filter"), C the output ("ofmap"). One operand stays in the processing
// elements (PEs), the others move. An operand larger than the array is cut in
// folds, row folds x column folds, which run one after the other.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string_view>

namespace ridge::accelerator {

/// What stays in a PE: the output's sum, a weight, or an input.
enum class Dataflow { OutputStationary, WeightStationary, InputStationary };

/// "os", "ws", "is". Errors: "bad-dataflow".
Result<Dataflow> dataflowNamed(std::string_view name);
const char* nameOf(Dataflow dataflow);

struct Array {
    std::uint32_t rows = 32, cols = 32; ///< PEs, 1 to kMostSide each
    static constexpr std::uint32_t kMostSide = 65536;
    std::uint64_t elements() const { return std::uint64_t{rows} * cols; }
    bool operator==(const Array&) const = default;
};

struct Gemm {
    std::uint64_t m = 1, n = 1, k = 1; ///< 1 to kMostSide each, at most kMostMacs multiplications
    static constexpr std::uint64_t kMostSide = 1u << 24;
    static constexpr std::uint64_t kMostMacs = std::uint64_t{1} << 56;
    std::uint64_t macs() const { return m * n * k; }
    bool operator==(const Gemm&) const = default;
};

/// A convolution without padding: an input of in_h x in_w x channels, filters
/// of kernel_h x kernel_w x channels. A padded one has the padding in in_h and in_w.
struct Conv {
    std::uint32_t inH = 1, inW = 1, kernelH = 1, kernelW = 1, channels = 1, filters = 1;
    std::uint32_t strideH = 1, strideW = 1;

    /// Rounded up, as SCALE-Sim does: a last window may reach over the edge.
    std::uint64_t outH() const { return (std::uint64_t{inH} - kernelH + strideH - 1) / strideH + 1; }
    std::uint64_t outW() const { return (std::uint64_t{inW} - kernelW + strideW - 1) / strideW + 1; }
    std::uint64_t window() const { return std::uint64_t{kernelH} * kernelW * channels; }
    bool operator==(const Conv&) const = default;
};

/// Errors: "bad-array", "bad-layer" with what does not fit.
Result<void> checkArray(const Array& array);
Result<void> checkGemm(const Gemm& gemm);
Result<void> checkConv(const Conv& conv);

/// im2col: a row of A is the window of an output pixel, a column of B a filter.
Gemm gemmOf(const Conv& conv);
/// The convolution whose windows do not overlap: m rows of k.
Conv convOf(const Gemm& gemm);

/// How a product lies on the array.
struct Folding {
    std::uint64_t rows = 0, cols = 0, stream = 0; ///< S_r, S_c and T of Samajdar et al. 2020
    std::uint64_t rowFolds = 0, colFolds = 0;
    std::uint64_t perFold = 0; ///< cycles: R + C + T - 2, and R more where an operand is loaded first
    std::uint64_t folds() const { return rowFolds * colFolds; }
    std::uint64_t cycles() const { return folds() * perFold; } ///< one fold after the other, nothing overlapped
};

/// Both checked.
Folding foldingOf(const Array& array, Dataflow dataflow, const Gemm& gemm);

/// Words between the array and its buffers.
struct SramCounts {
    std::uint64_t a = 0, b = 0; ///< read
    std::uint64_t writes = 0;   ///< results and partial sums
    bool operator==(const SramCounts&) const = default;
};
SramCounts sramCounts(const Array& array, Dataflow dataflow, const Gemm& gemm);

/// An array with what real ones have: weights are loaded while the fold before
/// streams, folds follow each other without a gap, sums stay in accumulators,
/// DRAM moves while the array works.
struct RealArray {
    double dramWordsPerCycle = 10;                        ///< both directions together; 0: no limit
    std::uint64_t bufferWords[3] = {65536, 65536, 65536}; ///< of A, B and C; half of each is being filled
    std::uint64_t launchCycles = 0;                       ///< until the first word moves
};

struct RealRun {
    std::uint64_t cycles = 0, stalls = 0;               ///< stalls: the array waits for DRAM, launch included
    std::uint64_t compute = 0;                          ///< cycles without them
    std::uint64_t dramA = 0, dramB = 0, dramWrites = 0; ///< words
    SramCounts sram;
};

/// DRAM words are the fewest of the loop orders that the buffers allow: an operand
/// that does not fit is read once for each fold of the dimension it lacks.
RealRun runReal(const Array& array, Dataflow dataflow, const Gemm& gemm, const RealArray& real);

} // namespace ridge::accelerator
