// SPDX-License-Identifier: GPL-3.0-or-later
// How long a kernel takes, as everything above kernels asks it: the one function of workload, capacity, planning and
// serving.
//
// A matrix product is cut into tiles, tiles run in waves over the SMs, and a wave takes as long as its matrix units
// need; memory is read at a share of the pins; a launch costs a constant:
//     t = (compute^4 + memory^4)^(1/4) + launch,   the best over a small menu of tiles and splits of k.
// Constants are one set a family of GPUs, fitted on kernel latencies of an A100 and an H200 that NVIDIA's collector
// measured (ai-dynamo/aiconfigurator, Apache-2.0); docs/validation.md, "Kernel time", says on which rows, and how far
// the others are off.
#pragma once

#include "base/result.h"
#include "silicon/chip_catalogue.h"

#include <span>
#include <string>

namespace ridge::workload {

/// Int4: weights of 4 bits in groups of 128, products in bf16.
enum class Dtype { Fp64, Fp32, Tf32, Fp16, Bf16, Fp8, Fp4, NvFp4, MxFp4, Int8, Int4 };

std::span<const std::string> dtypeNames(); ///< in the order of Dtype
Dtype dtypeNamed(std::string_view name);   ///< a name of dtypeNames(); Bf16 for all others
double weightBytes(Dtype dtype);           ///< of one weight, its share of scales included
double activationBytes(Dtype dtype);       ///< of one value between kernels: 2, or more for wider formats

/// Constants of a family. Times in s, shares of the datasheet's rates.
struct KernelConstants {
    double compute = 0; ///< of the peak, for tiles of endless size
    double memory = 0;  ///< of the pins
    double launch = 0;
    double wave = 0;          ///< to fill and drain the pipeline, a wave
    double decodeLaunch = 0;  ///< of attention of one token
    double decodeMemory = 0;  ///< of the pins
    double decodeGrouped = 0; ///< added where query heads share KV heads, once there is much to read
    double decodeSingle = 0;  ///< and where they do not
    double decodeKnee = 0;    ///< time at the pins after which that is reached
    double prefillLaunch = 0, prefillCompute = 0;
    double prefillPasses = 0; ///< passes over queries, keys, values and outputs
};

/// What a chip does in one format, ready to be asked. A value without allocations.
struct Device {
    double units = 0; ///< SMs or compute units
    double flopsPerSecond = 0;
    double halfFlopsPerSecond = 0; ///< in bf16 or fp16, in which attention computes at most
    double bytesPerSecond = 0;
    double l2Bytes = 0;
    double memoryBytes = 0;
    double linkBytesPerSecond = 0; ///< one way to the other GPUs of the server; 0: none is known
    Dtype dtype = Dtype::Bf16;
    KernelConstants matmul;    ///< for `dtype`
    KernelConstants family;    ///< for attention and everything else
    double quantizeLaunch = 0; ///< fp8: of the kernel that quantizes activations
    double quantizeMemory = 0; ///< and its share of the pins
};

/// Errors: "no-peak" (the chip does not compute in this format, with those that it does), "no-bandwidth",
/// "no-units", "no-memory".
Result<Device> deviceOf(const silicon::Catalogue& catalogue, const silicon::Chip& chip, Dtype dtype);

/// C[m,n] = A[m,k] B[k,n], B the weights.
struct Gemm {
    double m = 0, n = 0, k = 0;
    double count = 1;           ///< alike and in one launch, as the heads of attention or experts
    bool quantizeInput = false; ///< fp8: A is in bf16 and quantized first, by a kernel of its own
};

struct KernelTime {
    double seconds = 0;
    double compute = 0, memory = 0; ///< of the tile that was chosen
    int tileM = 0, tileN = 0, split = 1;
    double waves = 0;
};

double gemmBytes(const Device& device, const Gemm& gemm); ///< read and written once, without a quantization
KernelTime gemmTime(const Device& device, const Gemm& gemm);

/// Attention of `batch` sequences. Decode: one new token each over `context` that are cached. Prefill: `fresh` tokens
/// each over themselves and `context` before them.
struct Attention {
    double queryHeads = 0, kvHeads = 0;
    double queryDim = 0, valueDim = 0; ///< of a head: 128 and 128
    double batch = 1, context = 0, fresh = 1;
    bool causal = true;
    double window = 0;      ///< tokens that each sees at most, itself included; causal only; 0: all before it
    double kvBytes = 2;     ///< of a value in the cache
    double kvBytesRead = 0; ///< of all heads and sequences together; 0: computed from the heads
    double others = 0;      ///< tokens of another sequence, whose keys are asked in place of its own; not causal
    double keys() const { return others > 0 ? others : context + fresh; } ///< of a sequence
};

double attentionFlops(const Attention& attention);
double attentionKvBytes(const Attention& attention); ///< that are read once
KernelTime decodeAttentionTime(const Device& device, const Attention& attention);
KernelTime prefillAttentionTime(const Device& device, const Attention& attention);

/// Kernels that read and write `bytes` and compute next to nothing.
double streamTime(const Device& device, double bytes);

/// All-reduce of `bytes` over `gpus` of one server as a ring; a stand-in until the collective engine is asked.
double allReduceTime(const Device& device, double bytes, double gpus);

} // namespace ridge::workload
