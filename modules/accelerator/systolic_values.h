// SPDX-License-Identifier: GPL-3.0-or-later
// The values in a systolic array: what every PE holds in any cycle, without the
// cycles before it, and an engine that steps through them. Both follow the
// cycles of systolic.h, fold after fold: an operand that stays is pushed in from
// above, last row first; what streams enters row r (and, os, column c) one
// cycle later than the row before.
#pragma once

#include "accelerator/systolic.h"

#include <span>
#include <vector>

namespace ridge::accelerator {

/// Row-major, m x k and k x n. Products of int8 summed in int32; a sum of more
/// than 2^17 of them may wrap around, here as in plain arithmetic modulo 2^32.
struct Operands {
    Gemm gemm;
    std::vector<std::int8_t> a, b;
};

/// Numbers of SplitMix64 from `seed`. Both checked: m k and k n at most 2^28.
Operands randomOperands(const Gemm& gemm, std::uint64_t seed);
/// im2col of an image (in_h x in_w x channels) and filters (filters x kernel_h x kernel_w x channels); places over the
/// edge are 0.
Operands operandsOf(const Conv& conv, std::span<const std::int8_t> image, std::span<const std::int8_t> filters);
/// The definition: m x n sums.
std::vector<std::int32_t> plainProduct(const Operands& operands);

/// What all PEs hold after a cycle, by row, then column.
struct ArrayMoment {
    std::uint64_t cycle = 0, fold = 0, inFold = 0; ///< inFold: cycle of the fold
    std::vector<std::int16_t> held;                ///< weight or input that stays; os: the weight that passes
    std::vector<std::int16_t> moving;              ///< the operand that passes from left to right
    std::vector<std::int32_t> sum;                 ///< partial sum that leaves downwards; os: the sum that stays
    std::vector<std::uint8_t> active;              ///< 1: a multiplication of the layer in this cycle
    std::uint64_t activeCount = 0;
};

/// Any cycle, forwards and backwards. Memory: the operands, and of an output-stationary fold its sums at every
/// 128th cycle of the stream (at most 256 MiB; longer streams take more time).
class ArrayView {
public:
    /// Errors: "bad-array", "bad-layer", "too-large".
    static Result<ArrayView> make(const Array& array, Dataflow dataflow, Operands operands);
    std::uint64_t cycles() const { return m_folding.cycles(); }
    const Folding& folding() const { return m_folding; }
    const Array& array() const { return m_array; }
    /// `cycle` less than cycles(). A view is not for two threads at a time.
    void at(std::uint64_t cycle, ArrayMoment& moment);

private:
    ArrayView() = default;
    void enter(std::uint64_t fold);
    void stationary(std::int64_t t, ArrayMoment& moment) const;
    void outputs(std::int64_t t, ArrayMoment& moment) const;

    Array m_array;
    Dataflow m_dataflow = Dataflow::WeightStationary;
    Folding m_folding;
    std::uint64_t m_fold = ~0ull;
    std::vector<std::int8_t> m_stay, m_stream; ///< rows x cols of the whole, stream x rows
    // Of the fold: R x C and the stream by row, so that what one row of PEs sees in a cycle lies side by side
    // backwards.
    std::vector<std::int16_t> m_held, m_left, m_top;
    std::int64_t m_usedRows = 0, m_usedCols = 0, m_stride = 0;
    std::vector<std::int32_t> m_checkpoints;
    std::int64_t m_interval = 0;
};

/// Steps through a product cycle by cycle. Rows are never moved: a row of sums that sinks one row a cycle is a row
/// whose neighbour changes.
class ArrayEngine {
public:
    /// Errors: as ArrayView.
    static Result<ArrayEngine> make(const Array& array, Dataflow dataflow, Operands operands);
    bool done() const { return m_cycle == m_folding.cycles(); }
    std::uint64_t cycle() const { return m_cycle; } ///< cycles that have passed
    std::uint64_t cycles() const { return m_folding.cycles(); }
    void step(std::uint64_t count = 1);
    /// Sums as they left the array, m x n; the product once done.
    std::vector<std::int32_t> product() const;
    /// After the last step: what PE (row, col) holds.
    std::int32_t sum(std::uint32_t row, std::uint32_t col) const;
    std::int16_t held(std::uint32_t row, std::uint32_t col) const;

private:
    ArrayEngine() = default;
    void enter(std::uint64_t fold);
    void run(std::int64_t from, std::int64_t to);
    void runStationary(std::int64_t from, std::int64_t to);
    void runOutputs(std::int64_t from, std::int64_t to);

    Array m_array;
    Dataflow m_dataflow = Dataflow::WeightStationary;
    Folding m_folding;
    Gemm m_gemm;
    std::vector<std::int8_t> m_stay, m_stream;
    std::uint64_t m_cycle = 0, m_fold = ~0ull;
    std::int64_t m_usedRows = 0, m_usedCols = 0, m_stride = 0;
    std::vector<std::int16_t> m_weights; ///< ws, is: in the order in which they are pushed in, R x C
    std::vector<std::int16_t> m_left;    ///< what enters each row, backwards, R x m_stride
    std::vector<std::int16_t> m_top;     ///< os: what enters at the top, a row of C for each cycle
    std::vector<std::int32_t> m_sums;    ///< ws, is: by slot, see slotOf; os: by row
    std::vector<std::int32_t> m_results; ///< folding.rows or stream x cols
};

} // namespace ridge::accelerator
