// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

#include <optional>

namespace ridge::labs {

/// Unloaded latencies of a chip in SM cycles, and its L2, from its file in assets/chips/timing, which cites who
/// measured them.
struct ChipLatency {
    double memory = 0; ///< load-to-use from device memory
    double fma = 0;
    double l2BytesPerCycle = 0; ///< all slices
    double clockHz = 0;         ///< at which they were measured
};

/// No value for a chip without such a file.
std::optional<ChipLatency> chipLatency(const gpu::DeviceInfo& info);

} // namespace ridge::labs
