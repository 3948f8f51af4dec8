// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"

#include <cstdint>

#include <filesystem>
#include <optional>

namespace ridge::silicon {

/// What is worth telling about a GPU beside its numbers. Everything is optional: empty or 0 is left out.
struct GpuFacts {
    std::string name;
    int computeMajor = 0;
    int computeMinor = 0;
    std::uint32_t smCount = 0;
    std::uint64_t memoryBytes = 0;
    std::uint64_t l2Bytes = 0;
    double clockHz = 0;
    double memoryClockHz = 0;
    std::uint32_t memoryBusBits = 0;
    double powerLimitWatts = 0;
    std::string driver;      ///< "580.159.04", from NVML
    std::string cudaVersion; ///< "13.0": the newest the driver accepts
    int pcieGeneration = 0;
    int pcieWidth = 0;
    std::optional<bool> ecc;
    std::string uuid; ///< goes in only as a salted hash
};

/// Where the operating system tells about itself; a test points them elsewhere.
struct SystemFiles {
    std::filesystem::path cpuinfo = "/proc/cpuinfo";
    std::filesystem::path meminfo = "/proc/meminfo";
    std::filesystem::path osRelease = "/etc/os-release";
    std::filesystem::path powerSupply = "/sys/class/power_supply";
};

/// {cpu, cores, ram_gib, os, kernel, arch, app, power}: enough to judge a number, too little to recognise a person:
/// no host or user name, no serial number, no address.
Json machineFingerprint(const SystemFiles& files = {});

/// The same for a GPU.
Json gpuFingerprint(const GpuFacts& facts);

/// 16 hex digits that tell two devices apart without telling which they are.
std::string hashedDeviceId(const std::string& uuid);

/// "ac", "battery" or "unknown" (desktops and servers report nothing).
std::string powerSource(const std::filesystem::path& powerSupply = "/sys/class/power_supply");

/// Version of this program, "0.1.0".
std::string appVersion();

} // namespace ridge::silicon
