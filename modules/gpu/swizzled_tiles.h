// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

namespace ridge::gpu {

/// A device that makes tensor maps with the swizzle of 128 bytes: the 16-byte pieces of a row of the tile change places
/// as the row's number modulo 8 says, which is how wgmma wants its factors. Devices with bulk tensor copies are ones.
class SwizzledTiles {
public:
    SwizzledTiles() = default;
    virtual ~SwizzledTiles() = default;
    SwizzledTiles(const SwizzledTiles&) = delete;
    SwizzledTiles& operator=(const SwizzledTiles&) = delete;
    /// As Device::tensorMap(); a row of the tile has at most 128 bytes, and the tile lies at a multiple of 1024.
    virtual Result<TensorMapArg> swizzledMap(const TensorTile& tile) = 0;
};

/// Errors: those of Device::tensorMap().
inline Result<TensorMapArg> swizzledMap(Device& device, const TensorTile& tile)
{
    if (auto* maker = dynamic_cast<SwizzledTiles*>(&device))
        return maker->swizzledMap(tile);
    return Error{"unsupported-instruction", device.info().name + " has no swizzled tensor maps", device.info().target,
                 "use a GPU of compute capability 9.0 or newer, or sim:h100-sxm"};
}

} // namespace ridge::gpu
