// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

namespace ridge::gpu {

/// What CUDA leaves open and a kernel may not count on. A GPU has made these choices; a simulator can be told.
struct OpenChoices {
    /// Functional launches run the last warp of a block first, and of blocks that are resident together the last one.
    bool backwards = false;
    /// What lies in shared and local memory before anybody has written there, word by word.
    std::uint32_t unwritten = 0;
    /// Memory that kernels have to leave as it is: those who watch report a store there ("input-changed"), though its
    /// bytes be put back.
    std::vector<std::pair<DevicePtr, std::uint64_t>> inputs{};
};

/// A device that lets others make these choices.
class ChoosingDevice {
public:
    ChoosingDevice() = default;
    virtual ~ChoosingDevice() = default;
    ChoosingDevice(const ChoosingDevice&) = delete;
    ChoosingDevice& operator=(const ChoosingDevice&) = delete;
    /// From the next launch on.
    virtual void choose(const OpenChoices& choices) = 0;
};

/// Without effect on devices that have made their choice.
inline void choose(Device& device, const OpenChoices& choices)
{
    if (auto* choosing = dynamic_cast<ChoosingDevice*>(&device))
        choosing->choose(choices);
}

} // namespace ridge::gpu
