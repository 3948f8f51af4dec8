// SPDX-License-Identifier: GPL-3.0-or-later
// A NeuronCore as NKI's programmer sees it: a product cut into tiles of a scratchpad, moved by DMA queues, multiplied
// by the tensor engine into banks of PSUM, copied out by the vector or scalar engine.
//
// Rules of cost: AWS Neuron SDK, NKI documentation (commit 81ce03ae). A matmul instruction takes at most 128 rows of k,
// 128 columns of the stationary and 512 of the moving operand, and starts every max(n, 64) cycles, four times that in
// fp32. Loading the stationary operand is four times as fast as streaming it and hides behind the instruction before.
// The vector engine takes one column a cycle, and some 100 cycles an instruction; the scalar engine 264 at least.
#pragma once

#include "accelerator/systolic.h"
#include "base/result.h"

#include <vector>

namespace ridge::accelerator {

struct NeuronCore {
    double tensorClock = 2.4e9, vectorClock = 0.96e9, scalarClock = 1.2e9; ///< Hz
    std::uint64_t sbufBytes = 28u << 20;                                   ///< over 128 partitions
    std::uint32_t psumBanks = 8;                                           ///< of 2 KiB a partition: 512 sums in fp32
    double bytesPerS = 2.9e12 / 8;                                         ///< of HBM, a core's share
    double dmaSetup = 2e-6;                                                ///< s, of a transfer, before its first byte
    std::uint32_t queues = 16; ///< DMA queues: transfers of which each waits for its own set-up
    static constexpr std::uint32_t kPartitions = 128, kMoving = 512, kBankBytes = 2048;
    double peak() const { return double(kPartitions) * kPartitions * tensorClock; } ///< multiply-adds a second
};

enum class Evict { Vector, Scalar };

/// How a product is cut. A tile of A is k x m, one of B k x n; both lie in SBUF, rows of k over the partitions.
struct NeuronTiles {
    std::uint32_t m = 128, n = 512, k = 128;
    std::uint32_t buffers = 2; ///< of each tile: 2 loads the next while this one is multiplied
    Evict evict = Evict::Vector;
};

struct TileFit {
    std::uint64_t sbufPerPartition = 0; ///< bytes, of all buffers
    std::uint64_t sbufLimit = 0;
    std::uint32_t banks = 0, bankLimit = 0; ///< of PSUM
    bool fits() const { return sbufPerPartition <= sbufLimit && banks <= bankLimit; }
};

/// One piece of work on an engine, in s.
struct NeuronSpan {
    enum class Lane { Load, Tensor, Evict, Store } lane = Lane::Load;
    double begin = 0, end = 0;
    std::uint64_t step = 0; ///< (m, n, k) tile for loads and products, (m, n) tile for the others
};

struct NeuronRun {
    double time = 0;                                                  ///< s
    double tensorBusy = 0, dmaBusy = 0, setupTime = 0, evictBusy = 0; ///< s; DMA's without set-up
    std::uint64_t steps = 0, transfers = 0, instructions = 0;
    double loadBytes = 0, storeBytes = 0;
    double intensity = 0;          ///< operations a loaded byte
    std::vector<NeuronSpan> spans; ///< the first `keep` of them
};

/// Errors: "bad-layer" (checkGemm), "bad-tile" where a size is 0, `word` is not 1, 2 or 4, or there are more than
/// kMostSteps steps.
Result<TileFit> tileFit(const NeuronCore& core, const Gemm& gemm, const NeuronTiles& tiles, std::uint32_t word);

inline constexpr std::uint64_t kMostNeuronSteps = 1u << 21;

/// Runs it tile by tile: loops over m, n and innermost k; an engine begins when it is free, its operands are there and
/// its buffer is. Errors: those of tileFit, and "tile-too-large" where the tiles do not fit.
Result<NeuronRun> runNeuron(const NeuronCore& core, const Gemm& gemm, const NeuronTiles& tiles, std::uint32_t word,
                            std::size_t keep = 0);

struct NeuronBest {
    NeuronTiles tiles;
    double time = 0;
    std::uint32_t tried = 0;
};
/// The fastest of all tiles that are powers of two (m from 128, n from 64, k from 128) and fit. Errors: as runNeuron.
Result<NeuronBest> bestTiles(const NeuronCore& core, const Gemm& gemm, std::uint32_t buffers, Evict evict,
                             std::uint32_t word);

} // namespace ridge::accelerator
