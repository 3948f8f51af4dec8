// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/kernel_time.h"

#include "silicon/roofline.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::workload {
namespace {

const std::array<std::string, 11> kNames{"fp64", "fp32",  "tf32",  "fp16", "bf16", "fp8",
                                         "fp4",  "nvfp4", "mxfp4", "int8", "int4"};

// Fitted by differential evolution on the mean of |log(model / measured)|. Matrix products: the 120 bf16 rows of A100
// and the 120 of H200; kHalfTile and kPartialWave of both together. Decode: all 116 rows of H200, and of A100 the 26
// with 32 / 32 heads. Of A100's 90 rows of grouped heads 24 are faster than its pins could read bf16; decodeGrouped is
// from the 61 that take at least 1 / 0.9 of that time. Prefill: the 14 rows of each.
constexpr KernelConstants kAmpere{.compute = 0.909,
                                  .memory = 0.765,
                                  .launch = 4.797e-6,
                                  .wave = 3.787e-6,
                                  .decodeLaunch = 13.3e-6,
                                  .decodeMemory = 0.834,
                                  .decodeGrouped = 10e-6,
                                  .decodeSingle = 3.2e-6,
                                  .decodeKnee = 17.8e-6,
                                  .prefillLaunch = 11.47e-6,
                                  .prefillCompute = 0.488,
                                  .prefillPasses = 4.837};
constexpr KernelConstants kHopper{.compute = 0.845,
                                  .memory = 0.895,
                                  .launch = 4.569e-6,
                                  .wave = 0.381e-6,
                                  .decodeLaunch = 10.84e-6,
                                  .decodeMemory = 0.972,
                                  .decodeGrouped = 21.3e-6,
                                  .decodeSingle = 10.0e-6,
                                  .decodeKnee = 16.3e-6,
                                  .prefillLaunch = 12.47e-6,
                                  .prefillCompute = 0.603,
                                  .prefillPasses = 5.242};
constexpr double kHalfTile = 2.386;    // a tile of harmonic side h computes at h / (h + this) of the peak's share
constexpr double kPartialWave = 0.849; // a last wave that is not full takes at least this share of a full one
// 8-bit products (120 fp8 rows of H200, activations quantized first) and 4-bit weights (108 rows of A100).
constexpr double kFp8Compute = 0.804, kFp8Wave = 0.278e-6, kQuantizeLaunch = 8.476e-6, kQuantizeMemory = 0.287;
constexpr double kInt4Compute = 0.838, kInt4Memory = 0.861, kInt4Launch = 20.8e-6, kInt4Wave = 0.38e-6;

struct Tile {
    int m, n;
};
constexpr std::array<Tile, 9> kTiles{
    {{256, 128}, {128, 256}, {128, 128}, {128, 64}, {64, 128}, {64, 64}, {32, 128}, {16, 128}, {16, 64}}};
constexpr std::array<int, 4> kSplits{1, 2, 4, 8};

silicon::Precision precisionOf(Dtype dtype)
{
    using silicon::Precision;
    switch (dtype) {
    case Dtype::Fp64: // no row of the table has it; asked for apart
    case Dtype::Fp32:
        return Precision::Fp32;
    case Dtype::Tf32:
        return Precision::Tf32;
    case Dtype::Fp16:
        return Precision::Fp16;
    case Dtype::Bf16:
        return Precision::Bf16;
    case Dtype::Fp8:
        return Precision::Fp8;
    case Dtype::Fp4:
    case Dtype::NvFp4:
    case Dtype::MxFp4:
        return Precision::Fp4;
    case Dtype::Int8:
        return Precision::Int8;
    case Dtype::Int4:
        return Precision::Bf16;
    }
    return Precision::Bf16;
}

double fourth(double value)
{
    return value * value * value * value;
}

/// Two things that overlap, as much as they do in a kernel.
double together(double a, double b)
{
    return std::sqrt(std::sqrt(fourth(a) + fourth(b)));
}

} // namespace

std::span<const std::string> dtypeNames()
{
    return kNames;
}

Dtype dtypeNamed(std::string_view name)
{
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    return found == kNames.end() ? Dtype::Bf16 : static_cast<Dtype>(found - kNames.begin());
}

double weightBytes(Dtype dtype)
{
    switch (dtype) {
    case Dtype::Fp64:
        return 8;
    case Dtype::Fp32:
    case Dtype::Tf32:
        return 4;
    case Dtype::Fp16:
    case Dtype::Bf16:
        return 2;
    case Dtype::Fp8:
    case Dtype::Int8:
        return 1;
    case Dtype::Fp4:
        return 0.5;
    case Dtype::NvFp4:
        return 0.5 + 1.0 / 16; // an FP8 scale for 16
    case Dtype::MxFp4:
        return 0.5 + 1.0 / 32; // an E8M0 scale for 32
    case Dtype::Int4:
        return 0.5 + 2.0 / 128; // an fp16 scale for 128
    }
    return 2;
}

double activationBytes(Dtype dtype)
{
    return dtype == Dtype::Fp64 ? 8 : dtype == Dtype::Fp32 || dtype == Dtype::Tf32 ? 4 : 2;
}

Result<Device> deviceOf(const silicon::Catalogue& catalogue, const silicon::Chip& chip, Dtype dtype)
{
    if (dtype == Dtype::Fp64)
        return Error{"no-peak", "the table has no fp64 rate of " + chip.name, chip.id, "take fp32 or a smaller format"};
    const auto line = silicon::roofline(catalogue, chip, precisionOf(dtype));
    if (!line)
        return line.error();
    if (!chip.units.known())
        return Error{"no-units", "the table does not know how many units " + chip.name + " has", chip.id,
                     "take another chip"};
    if (!chip.memoryBytes.known())
        return Error{"no-memory", "the table does not know how much memory " + chip.name + " has", chip.id,
                     "take another chip"};
    Device device;
    device.dtype = dtype;
    device.units = *chip.units.value;
    device.flopsPerSecond = line->flopsPerSecond;
    device.bytesPerSecond = line->bytesPerSecond;
    device.memoryBytes = *chip.memoryBytes.value;
    device.l2Bytes = chip.l2Bytes.valueOr(0);
    device.halfFlopsPerSecond = line->flopsPerSecond;
    if (const auto half = silicon::roofline(catalogue, chip, silicon::Precision::Bf16))
        device.halfFlopsPerSecond = std::min(half->flopsPerSecond, line->flopsPerSecond);
    if (chip.gpuLink && chip.gpuLink->bytesPerSecond.known())
        device.linkBytesPerSecond = *chip.gpuLink->bytesPerSecond.value / (chip.gpuLink->bothWays ? 2 : 1);
    else if (chip.pcie && chip.pcie->bytesPerSecond.known())
        device.linkBytesPerSecond = *chip.pcie->bytesPerSecond.value / (chip.pcie->bothWays ? 2 : 1);
    // Asynchronous copies and products of whole warp groups came with 9.0; older chips, and those of others, are taken
    // to be like an A100.
    device.family = chip.computeMajor >= 9 ? kHopper : kAmpere;
    device.matmul = device.family;
    if (dtype == Dtype::Int4) {
        device.matmul.compute = kInt4Compute;
        device.matmul.memory = kInt4Memory;
        device.matmul.launch = kInt4Launch;
        device.matmul.wave = kInt4Wave;
    } else if (weightBytes(dtype) <= 1) {
        device.matmul.compute = kFp8Compute;
        device.matmul.wave = kFp8Wave;
        device.quantizeLaunch = kQuantizeLaunch;
        device.quantizeMemory = kQuantizeMemory;
    }
    return device;
}

double gemmBytes(const Device& device, const Gemm& gemm)
{
    const double weight = weightBytes(device.dtype), in = device.dtype == Dtype::Int4 ? 2 : weight;
    return gemm.count *
           (gemm.n * gemm.k * weight + gemm.m * gemm.k * in + gemm.m * gemm.n * activationBytes(device.dtype));
}

KernelTime gemmTime(const Device& device, const Gemm& gemm)
{
    KernelTime best;
    if (gemm.m <= 0 || gemm.n <= 0 || gemm.k <= 0 || gemm.count <= 0)
        return best;
    const KernelConstants& c = device.matmul;
    const double bytes = gemmBytes(device, gemm);
    const double perByte = 1 / (device.bytesPerSecond * c.memory);
    const double perFlop = device.units / (device.flopsPerSecond * c.compute);
    double least = INFINITY;
    for (const Tile& tile : kTiles) {
        const double tiles = std::ceil(gemm.m / tile.m) * std::ceil(gemm.n / tile.n) * gemm.count;
        const double side = double(tile.m) * tile.n / (tile.m + tile.n);
        const double work = 2.0 * tile.m * tile.n * perFlop * (side + kHalfTile) / side;
        for (const int split : kSplits) {
            const double waves = tiles * split / device.units, whole = std::floor(waves), rest = waves - whole;
            const double depth = std::ceil(gemm.k / split / 64) * 64; // the kernel's step along k
            const double compute =
                (whole + (rest > 0 ? std::max(kPartialWave, rest) : 0)) * work * depth + (whole + (rest > 0)) * c.wave;
            // Each part of a split writes its sums in fp32 and they are read once more.
            const double memory = (bytes + (split > 1 ? 8.0 * split * gemm.m * gemm.n * gemm.count : 0)) * perByte;
            const double both = fourth(compute) + fourth(memory);
            if (both < least) {
                least = both;
                best = {0, compute, memory, tile.m, tile.n, split, whole + (rest > 0)};
            }
        }
    }
    best.seconds = std::sqrt(std::sqrt(least)) + c.launch;
    if (gemm.quantizeInput && device.quantizeMemory > 0) // reads 2 bytes a value and writes 1
        best.seconds +=
            device.quantizeLaunch + 3 * gemm.m * gemm.k * gemm.count / (device.bytesPerSecond * device.quantizeMemory);
    return best;
}

double attentionFlops(const Attention& a)
{
    // A token of a causal sequence sees those before it and itself. With a window, `growing` tokens see fewer than it.
    const double growing = a.window > 0 ? std::clamp(a.window - a.context, 0.0, a.fresh) : a.fresh;
    const double pairs = a.causal ? growing * a.context + growing * (growing + 1) / 2 + (a.fresh - growing) * a.window
                                  : a.fresh * a.keys();
    return 2 * a.batch * a.queryHeads * (a.queryDim + a.valueDim) * pairs;
}

double attentionKvBytes(const Attention& a)
{
    if (a.kvBytesRead > 0)
        return a.kvBytesRead;
    return a.batch * a.kvHeads * (a.queryDim + a.valueDim) * a.keys() * a.kvBytes;
}

KernelTime decodeAttentionTime(const Device& device, const Attention& a)
{
    const KernelConstants& c = device.family;
    KernelTime time;
    const double pins = attentionKvBytes(a) / device.bytesPerSecond;
    time.memory = pins / c.decodeMemory;
    time.compute = attentionFlops(a) / (device.halfFlopsPerSecond * c.prefillCompute);
    const double added = a.queryHeads > a.kvHeads ? c.decodeGrouped : c.decodeSingle;
    time.seconds = together(time.compute, time.memory) + c.decodeLaunch + added * (1 - std::exp(-pins / c.decodeKnee));
    return time;
}

KernelTime prefillAttentionTime(const Device& device, const Attention& a)
{
    const KernelConstants& c = device.family;
    KernelTime time;
    time.compute = attentionFlops(a) / (device.halfFlopsPerSecond * c.prefillCompute);
    const double queries = 2 * a.batch * a.fresh * a.queryHeads * (a.queryDim + a.valueDim);
    const double cached = a.batch * a.kvHeads * (a.queryDim + a.valueDim) * a.context * a.kvBytes;
    const double fresh = 2 * a.batch * a.kvHeads * (a.queryDim + a.valueDim) * (a.keys() - a.context);
    time.memory = (c.prefillPasses * (queries + fresh) + cached) / device.bytesPerSecond;
    time.seconds = time.compute + time.memory + c.prefillLaunch;
    return time;
}

double streamTime(const Device& device, double bytes)
{
    return bytes / (device.bytesPerSecond * device.family.memory) + device.family.launch;
}

double allReduceTime(const Device& device, double bytes, double gpus)
{
    if (gpus <= 1 || device.linkBytesPerSecond <= 0)
        return 0;
    // From all-reduces of 1 KiB and 64 MiB on 8 A100 (nccl-tests, 21.8 and 595 us): 2 us + 2.5 us a GPU, and 74 % of
    // the link.
    return 2e-6 + 2.5e-6 * gpus + 2 * (gpus - 1) / gpus * bytes / (0.74 * device.linkBytesPerSecond);
}

} // namespace ridge::workload
