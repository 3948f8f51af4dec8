// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/driver.h"
#include "gpu/cuda/nvml.h"
#include "gpu/device.h"
#include "silicon/chip_catalogue.h"

namespace ridge::gpu::cuda {

/// What the driver tells about one GPU without a context.
struct DeviceFacts {
    CuDevice handle = 0;
    int index = 0;
    std::string name;
    std::string pciBusId;
    std::string uuid;
    std::uint64_t memoryBytes = 0;
    int driverCudaVersion = 0; ///< 13000
    int computeMajor = 0;
    int computeMinor = 0;
    std::uint32_t smCount = 0;
    std::uint64_t l2Bytes = 0;
    double clockHz = 0;
    double memoryClockHz = 0;
    std::uint32_t memoryBusBits = 0;
    std::uint32_t maxThreadsPerBlock = 0;
    Dim3 maxBlock;
    Dim3 maxGrid;
    std::uint32_t sharedPerBlock = 0;
    std::uint32_t sharedPerBlockOptin = 0;
    bool watchdog = false; ///< it drives a display: long kernels are killed
    int computeMode = 0;
    bool ecc = false;
};

/// Errors: "driver-failed".
Result<DeviceFacts> readDeviceFacts(const Driver& driver, int index);

/// Why this GPU cannot be used although it is there: too old, or forbidden. No value: it can.
std::optional<Error> obstacle(const DeviceFacts& facts);

/// Facts, catalogue row (may be null) and NVML (may be null) as the rest of the program wants them.
DeviceInfo describeDevice(const DeviceFacts& facts, const silicon::Chip* chip, const Nvml* nvml);

} // namespace ridge::gpu::cuda
