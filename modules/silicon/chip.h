// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ridge::silicon {

/// How far a figure of the table can be trusted; meanings in assets/chips/gpus.json, "conventions".
enum class Confidence { Verified, Published, Derived, Uncertain, Recalled, Unknown };

/// A figure with where it comes from. No value: nobody could be believed.
template<class T>
struct Sourced {
    std::optional<T> value;
    std::vector<std::string> sources; ///< keys of Catalogue::sources()
    Confidence confidence = Confidence::Unknown;
    std::string note;

    bool known() const { return value.has_value(); }
    T valueOr(T fallback) const { return value.value_or(fallback); }
};

/// Number formats for which a chip has a peak rate. …Fp16Acc: with fp16 accumulation, where that is faster.
enum class Precision { Fp32, Tf32, Fp16, Fp16Fp16Acc, Bf16, Fp8, Fp8Fp16Acc, Int8, Int4, Fp6, Fp4 };

/// One bandwidth to the outside. `bothWays` false: each direction has `bytesPerSecond` of its own.
struct Link {
    std::string name;
    Sourced<double> bytesPerSecond;
    bool bothWays = false;
};

/// What one SM can hold, per compute capability: the inputs of occupancy and of every launch check.
struct ChipLimits {
    std::uint32_t warpSize = 0;
    std::uint32_t maxWarpsPerSm = 0;
    std::uint32_t maxThreadsPerSm = 0;
    std::uint32_t maxBlocksPerSm = 0;
    std::uint32_t maxThreadsPerBlock = 0;
    std::uint32_t registersPerSm = 0;
    std::uint32_t registersPerBlock = 0;
    std::uint32_t maxRegistersPerThread = 0;
    std::uint32_t registerGranularityPerWarp = 0; ///< registers of a warp are rounded up to this
    std::uint32_t subPartitions = 0;              ///< each owns an equal part of the registers
    std::uint32_t sharedBytesPerSm = 0;
    std::uint32_t sharedBytesPerBlockDefault = 0; ///< without the opt-in of the driver
    std::uint32_t sharedBytesPerBlockOptin = 0;
    std::uint32_t sharedGranularityBytes = 0;
    std::uint32_t sharedReservedPerBlockBytes = 0; ///< the system's share of every block
    std::vector<std::uint32_t> sharedCarveoutsKb;  ///< legal sizes of shared memory, the rest of the pool is L1
    std::uint32_t barriersPerSm = 0;
    std::uint32_t unifiedL1Kb = 0;
};

struct Chip {
    std::string id;   ///< "h100-sxm"
    std::string name; ///< "H100 SXM5 80GB"
    std::string vendor;
    std::string architecture;
    int computeMajor = 0; ///< 0 for chips that are not NVIDIA's
    int computeMinor = 0;
    std::string gfx;       ///< AMD's name of the instruction set
    std::string chipClass; ///< "datacenter", "desktop", "laptop", "edge"
    int launchYear = 0;
    std::string unitKind;                 ///< "SM" or "CU"
    bool halfRateFp32Accumulate = false;  ///< GeForce: tensor rate halves when accumulating in fp32
    std::vector<std::string> driverNames; ///< as driver and NVML print them

    Sourced<std::uint32_t> units;
    Sourced<double> boostClockHz;
    Sourced<double> tensorClockHz;                           ///< at which the tensor peaks are quoted
    std::map<Precision, Sourced<double>> peakFlopsPerSecond; ///< dense; a format that is absent is not supported
    Sourced<double> memoryBytes;
    std::string memoryType;
    Sourced<double> memoryBytesPerSecond; ///< pins, reads and writes together
    Sourced<double> l2Bytes;
    Sourced<double> tdpWatts;
    std::optional<Link> pcie;
    std::optional<Link> gpuLink;
    std::vector<std::string> notes;

    bool isNvidia() const { return computeMajor > 0; }
    /// Whether the SIMT simulator can stand in for it: compute capability 7.0 or newer.
    bool canSimulate() const { return computeMajor >= 7; }
};

} // namespace ridge::silicon
