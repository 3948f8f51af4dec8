// SPDX-License-Identifier: GPL-3.0-or-later
// Google's TPUs: v1 from three numbers (Jouppi et al., ISCA 2017), later ones from arrays, bandwidth and the cost of a
// launch. Every constant has its source in the machine's file; these are functions of them.
#pragma once

#include "accelerator/systolic.h"

#include <optional>
#include <string>
#include <vector>

namespace ridge::accelerator {

/// What TPU v1 runs: a production network, as the paper describes it.
struct Tpu1Workload {
    const char* name;
    double batch;     ///< rows of a weight tile
    double weights;   ///< bytes; the whole network
    double intensity; ///< multiply-adds for each byte of weights
    double rate;      ///< cycles a row: 1 for 8 x 8 bits, 2 where activations have 16
    double use;       ///< used share of a tile's rows and columns
    double nonMatrix; ///< share of cycles in which the array has nothing to do with weights: an input of the model
    double rawStall, inputStall; ///< shares of cycles, inputs too: they overlap with the others
    double efficiency;           ///< delivered share of the roofline
    bool published;              ///< nonMatrix and stalls are the paper's; else taken over from its like
};
/// mlp0 mlp1 lstm0 lstm1 cnn0 cnn1
std::optional<Tpu1Workload> tpu1Workload(const std::string& name);

struct Tpu1Machine {
    std::uint32_t side = 256;
    double clock = 700e6;          ///< Hz
    double weightBytesPerS = 34e9; ///< DDR3 of the weights
};

/// Shares of cycles; the first four and weightStall + weightShift + nonMatrix add up to 1.
struct Tpu1Run {
    double arrayActive = 0, usefulMacs = 0, unusedMacs = 0, weightStall = 0, weightShift = 0, nonMatrix = 0;
    double rawStall = 0, inputStall = 0;
    double opsPerS = 0;   ///< 2 a multiply-add
    double time = 0;      ///< s, of a batch
    double dramBytes = 0; ///< of a batch
};
/// `batch` 0: the workload's.
Tpu1Run runTpu1(const Tpu1Machine& machine, Tpu1Workload workload, double batch = 0);
/// Seconds of a product whose weights come from DRAM, tile by tile, each while the one before multiplies.
double tpu1Product(const Tpu1Machine& machine, const Gemm& gemm, double rate);

/// A chip with some arrays and one memory.
struct TpuMachine {
    std::uint32_t side = 128, arrays = 4;
    double clock = 1e9, hbm = 800e9;    ///< Hz; B/s
    double dispatch = 0, step = 0;      ///< s of a kernel, and of a grid step of one with blocks
    double efficiency = 1;              ///< of the arrays, in the vendor's compiler
    double onChip = 0, onChipBytes = 0; ///< B/s and B of a memory that holds operands; 0: none
};

struct TpuRun {
    double time = 0, compute = 0, memory = 0; ///< s; time = dispatch + the longer of the others, block by block
    double bytes = 0;
};

/// Padded to the array's sides in n and k, to its height in m, split between the arrays. `word` bytes.
TpuRun tpuProduct(const TpuMachine& machine, const Gemm& gemm, double word);
/// The same with blocks as a Pallas kernel names them: a grid step fetches its blocks of A and B while the one before
/// multiplies. Errors: "bad-value" for a block of 0.
Result<TpuRun> tpuBlocks(const TpuMachine& machine, const Gemm& gemm, double word, const Gemm& block);

/// TPU v4 kernels of 16 bits, fitted to public ones: MACs, bytes and a launch add up (docs/validation.md). Of A and B
/// the one with the shorter outer side costs about twice as much a byte: the compiler moves it again.
struct Tpu4Law {
    double mac = 0;                             ///< seconds of a multiplication
    double shorter = 0, longer = 0, result = 0; ///< of a byte: of the operand with the smaller of m and n, the other, C
    double launch = 0;
};
double tpu4Kernel(const Gemm& gemm, const Tpu4Law& law);

/// Production performance of a TPU v4i with `megabytes` of CMEM, relative to the full 128: on straight lines of time
/// between 0, 72 and 128 MB (Jouppi et al., ISCA 2021, figure).
double tpu4iPerformance(double megabytes, const std::vector<double>& sizes, const std::vector<double>& shares);

} // namespace ridge::accelerator
