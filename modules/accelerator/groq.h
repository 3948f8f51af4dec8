// SPDX-License-Identifier: GPL-3.0-or-later
// A chip without caches and arbiters, whose program is its schedule (Groq TSP, ISCA 2020), and beside it a machine
// with the same units whose memory is cached and shared.
//
// Units lie in a row: MXM, SXM, 44 slices of MEM, VXM, 44 slices, SXM, MXM. Vectors move along the row on streams, one
// place a cycle. An instruction that begins at cycle t gives its first vector to a unit d places away at t + function +
// d; all of it has passed N tiles later (T = N + d_func + delta of the paper).
#pragma once

#include "accelerator/systolic.h"
#include "base/seed.h"

#include <string>
#include <vector>

namespace ridge::accelerator {

struct LpuChip {
    double clock = 0.9e9;                 ///< Hz
    std::uint32_t planes = 4, side = 320; ///< of MXM, multiply-adds of one byte
    double sramBytes = 230e6, sramBytesPerS = 80e12;
    double installBytesPerCycle = 10240; ///< 409,600 weights in about 40 cycles
    static constexpr std::uint32_t kTiles = 20, kPlaces = 93, kVector = 46, kMostStreams = 64;
    double peak() const { return double(planes) * side * side * clock; } ///< multiply-adds of int8 a second
};

/// An instruction on `vectors` vectors.
struct LpuOp {
    std::string name;
    std::uint32_t place = 0;           ///< in the row, below kPlaces
    std::uint32_t vectors = 1;         ///< cycles that it holds its unit and its stream
    std::uint32_t function = 1;        ///< cycles until its first vector leaves
    bool memory = false;               ///< reads memory: a cached machine may miss
    std::vector<std::uint32_t> inputs; ///< ops before it
};

/// Layers of a network: each reads weights and activations for every plane, multiplies, adds and writes. Functions of
/// 5 (MEM), 12 (MXM), 4 (VXM) cycles are ours. Sizes 1 to 64 layers, 1 to 4 planes, 1 to 4096 vectors.
std::vector<LpuOp> lpuNetwork(std::uint32_t layers, std::uint32_t planes, std::uint32_t vectors);

struct LpuPlaced {
    std::uint64_t begin = 0;
    std::uint32_t stream = 0; ///< that its result moves on
};

struct LpuSchedule {
    std::vector<LpuPlaced> ops;
    std::uint64_t cycles = 0;
};

/// Places each op as early as its inputs, its unit and a stream allow. Errors: "bad-program" where an op uses a later
/// one, has no place or no vectors, or there are no streams.
Result<LpuSchedule> scheduleLpu(const std::vector<LpuOp>& ops, std::uint32_t streams);

/// What is wrong with a schedule: an input that has not arrived, a unit or a stream's place used twice. Empty: nothing.
std::string checkLpu(const std::vector<LpuOp>& ops, const LpuSchedule& schedule);

/// The other machine's memory.
struct SharedMemory {
    double hitRate = 0.95;
    std::uint32_t hitCycles = 4, missCycles = 200; ///< on top of the op's own
    std::uint32_t sharers = 3;                     ///< others that may want the port when an op does
    double load = 0.3;                             ///< with this probability each; one vector's cycle of wait each
};

/// One run of the program with that memory, units in program order; null: no caches and no sharers, so that the time
/// is the same each time. Fills `begins` where it is given.
std::uint64_t runLpu(const std::vector<LpuOp>& ops, const SharedMemory* memory, Rng* rng,
                     std::vector<std::uint64_t>* begins = nullptr);

/// Chips that hold this many bytes of weights in SRAM, nothing else counted.
double lpuChips(const LpuChip& chip, double weightBytes);

/// Of one token: every weight is put into the arrays once, by `atOnce` chips of a stage at a time, and results go
/// over `hops` links.
double lpuTokenSeconds(const LpuChip& chip, double weightBytes, double atOnce, double hops, double hopSeconds);

struct LpuRun {
    double cycles = 0;
};
/// A product: 320 x 320 pieces of B in the planes, rows of A stream through; planes share rows where there are fewer
/// pieces. `word` 1 or 2: two bytes take two planes and two passes, a quarter of the rate.
LpuRun lpuProduct(const LpuChip& chip, const Gemm& gemm, std::uint32_t word);

} // namespace ridge::accelerator
