// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

/// How branches go that leave out nothing but a few instructions of arithmetic right behind them, outside every loop:
/// "if the sum is not 0, divide by it".
enum class ShortBranches : std::uint8_t { AsComputed, NotTaken, Taken };

struct ValueFree {
    KernelImage image;
    std::uint32_t assumed = 0; ///< micro-ops behind branches that were not asked about
};

/// The kernel without the arithmetic whose results reach neither an address nor a branch: it runs the same instructions
/// and touches the same memory, and computes nothing else of use. The same where that cannot be told. Other than with
/// AsComputed it runs the same only where such branches go that way.
ValueFree withoutValues(const KernelImage& image, ShortBranches branches);

} // namespace ridge::gpu::simt
