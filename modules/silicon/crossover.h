// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace ridge::silicon {

/// y = a x + y over n elements, or C = A B with matrices of order n; FP32.
enum class CrossoverWork { Saxpy, Sgemm };

/// A number of the model and where it comes from. An empty source: an assumption, and the view says so.
struct CrossoverConstant {
    const char* name;
    double value;
    const char* unit;
    const char* meaning;
    const char* source;
};

inline constexpr CrossoverConstant kCpuFlops{"cpu_flops", 8 * 4e9 * 32, "FLOP/s",
                                             "a desktop CPU: 8 cores at 4 GHz, 2 FMA units of 8 FP32 lanes each", ""};
inline constexpr CrossoverConstant kCpuBandwidth{
    "cpu_bandwidth", 2 * 8 * 5.6e9, "B/s", "its memory: two channels of 8 bytes at 5.6 GT/s",
    "DDR5-5600 by its name: channels × bytes × transfers; that a desktop CPU has two channels is an assumption"};
inline constexpr CrossoverConstant kCpuStart{"cpu_start", 1e-6, "s", "waking the CPU's threads", ""};
inline constexpr CrossoverConstant kGpuFlops{"gpu_flops", 66.9e12, "FLOP/s", "H100 SXM, FP32 without tensor cores",
                                             "H100 datasheet, assets/chips/gpus.json"};
inline constexpr CrossoverConstant kGpuBandwidth{"gpu_bandwidth", 3350e9, "B/s", "H100 SXM, HBM3",
                                                 "H100 datasheet, assets/chips/gpus.json"};
inline constexpr CrossoverConstant kGpuLaunch{"gpu_launch", 5e-6, "s", "from a launch call to the start on an idle GPU",
                                              "4-6 us driver path, RTX 5070 Ti (pegainfer)"};
inline constexpr CrossoverConstant kCopyStart{"copy_start", 6e-6, "s", "what each copy takes beside moving its bytes",
                                              "5 to 7 us a cudaMemcpyAsync (DualPath, arXiv 2602.21548, 5.2)"};
inline constexpr CrossoverConstant kCopyRate{"copy_rate", 52e9, "B/s", "pinned copies over PCIe 5 x16",
                                             "52 GB/s on an H200 (Azure)"};

/// All of them, for tables.
std::span<const CrossoverConstant* const> crossoverConstants();

/// Where the time goes. Memory traffic and arithmetic run at the same time, so only the longer one of them takes part
/// in the total; the other one is hidden behind it.
struct CrossoverTime {
    double launchSeconds = 0;     ///< GPU: launch; CPU: waking the threads
    double copySeconds = 0;       ///< there and back; 0 where the data is on the GPU
    double memorySeconds = 0;     ///< bytes / bandwidth
    double arithmeticSeconds = 0; ///< FLOP / peak
    bool memoryBound() const { return memorySeconds > arithmeticSeconds; }
    double total() const;
};

/// The least bytes and the FLOP: SAXPY 12 n and 2 n, SGEMM 12 n^2 and 2 n^3.
double crossoverBytes(CrossoverWork work, double n);
double crossoverFlop(CrossoverWork work, double n);

/// Both machines at their datasheet rates, so both are best cases; caches are left out. Copies: two in and one out, of
/// 4 n bytes each for SAXPY and 4 n^2 for SGEMM. n is at least 1.
CrossoverTime cpuTime(CrossoverWork work, double n);
CrossoverTime gpuTime(CrossoverWork work, double n, bool copies);

/// The largest n: 2^26 elements (SAXPY), order 2^14 (SGEMM: the matrices of 2^16 and more would not fit beside others).
double largestCrossover(CrossoverWork work);

/// The smallest n (a real number) from which on the GPU is faster; no value where that is nowhere up to
/// largestCrossover.
std::optional<double> crossover(CrossoverWork work, bool copies);

} // namespace ridge::silicon
