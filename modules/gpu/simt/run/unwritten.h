// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

/// A part of a warp's registers.
struct PlaneRange {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
};

/// Registers of which a kernel without calls may read what no instruction of its block has written: those that a path
/// from the entry reads first, and those that lanes look at in other lanes, which may have left. Everything that comes
/// from the launch is written.
std::vector<PlaneRange> readUnwritten(const KernelImage& image);

} // namespace ridge::gpu::simt
