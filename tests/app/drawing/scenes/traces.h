// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene.h"

namespace ridge::app::testing {

/// Warp 0 reads element (lane × stride + offset) of a buffer "in" of `elementBytes` wide elements.
inline MemoryRequest globalRequest(std::uint64_t stride, std::uint8_t elementBytes = 4, std::uint64_t offset = 0,
                                   std::uint32_t mask = 0xffffffffU, std::uint32_t warp = 0)
{
    MemoryRequest request;
    request.accessBytes = elementBytes;
    request.activeMask = mask;
    request.warp = warp;
    for (std::uint64_t lane = 0; lane < kWarpSize; ++lane)
        request.addresses[lane] = 0x10000 + (warp * kWarpSize * stride + lane * stride + offset) * elementBytes;
    return request;
}

inline SceneFrame globalFrame(std::uint64_t stride, std::uint8_t elementBytes = 4, std::uint64_t offset = 0,
                              std::uint32_t mask = 0xffffffffU)
{
    SceneFrame frame;
    frame.title = QStringLiteral("stride = %1").arg(stride);
    frame.trace.kernel = "strided_copy";
    frame.trace.buffers = {{"in", 0x10000, 1U << 20}};
    frame.trace.requests = {globalRequest(stride, elementBytes, offset, mask),
                            globalRequest(stride, elementBytes, offset, mask, 1)};
    return frame;
}

/// Each lane reads word (lane × stride) of shared memory, `bytes` wide; stride 0 is a broadcast.
inline SceneFrame sharedFrame(std::uint64_t stride, std::uint8_t bytes = 4)
{
    SceneFrame frame;
    frame.title = QStringLiteral("stride = %1").arg(stride);
    MemoryRequest request;
    request.space = MemorySpace::Shared;
    request.accessBytes = bytes;
    request.activeMask = 0xffffffffU;
    for (std::uint64_t lane = 0; lane < kWarpSize; ++lane)
        request.addresses[lane] = lane * stride * bytes;
    frame.trace.requests = {request};
    return frame;
}

} // namespace ridge::app::testing
