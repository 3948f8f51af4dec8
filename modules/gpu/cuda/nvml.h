// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ridge::gpu::cuda {

/// Reasons for a lowered clock (nvmlClocksEventReasons).
inline constexpr std::uint64_t kThrottlePowerCap = 0x4;
inline constexpr std::uint64_t kThrottleHardware = 0x8;
inline constexpr std::uint64_t kThrottleThermal = 0x20 | 0x40;
inline constexpr std::uint64_t kThrottlePowerBrake = 0x80;

/// State of a GPU at one moment. What the library does not tell stays empty.
struct GpuState {
    std::optional<double> smClockHz;
    std::optional<double> memoryClockHz;
    std::optional<double> watts;
    std::optional<double> celsius;
    std::optional<double> joules; ///< since the driver was loaded
    std::uint64_t throttleReasons = 0;
    std::vector<std::uint32_t> computeProcesses; ///< process ids, ours among them
};

struct GpuFixed {
    std::string driver; ///< "580.159.04"
    double powerLimitWatts = 0;
    int pcieGeneration = 0; ///< now: an idle link shows a low one
    int pcieWidth = 0;
    int pcieGenerationMost = 0; ///< of this GPU in this slot
    int pcieWidthMost = 0;
};

/// What a GPU may draw. Enforced is what holds; a person may set it from least to most. Laptops often tell only some.
struct PowerLimits {
    std::optional<double> enforcedWatts;
    std::optional<double> defaultWatts;
    std::optional<double> leastWatts;
    std::optional<double> mostWatts;
};

/// NVML for one GPU: clocks, power, throttling, other processes. Opened at run time ($RIDGE_LIBNVML, else
/// libnvidia-ml.so.1); nothing depends on it, its absence only makes a timing less certain.
class Nvml {
public:
    virtual ~Nvml() = default;
    virtual GpuFixed fixed() const = 0;
    virtual GpuState sample() const = 0;
    virtual PowerLimits powerLimits() const = 0;
};

/// `pciBusId` as cuDeviceGetPCIBusId gives it. Null when NVML is not there or does not know the GPU.
std::unique_ptr<Nvml> openNvml(const std::string& pciBusId);

} // namespace ridge::gpu::cuda
