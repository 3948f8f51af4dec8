// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"
#include "gpu/simt/simt_device.h"

namespace ridge::gpu::simt {

/// Whether the launch fits the chip and the kernel. Errors: "bad-launch", naming the resource and the nearest legal
/// value.
Result<void> checkLaunch(const KernelImage& kernel, const Launch& launch, const ChipLimits& limits);

/// The launch with its grid in blocks, which kernels with .blocksareclusters take in clusters. An axis that becomes too
/// large for 32 bits is the largest number, which no chip allows.
Launch inBlocks(const KernelImage& kernel, const Launch& launch);

/// The cluster that the launch has: what it gives, else what the kernel requires, else one block.
Dim3 clusterOf(const KernelImage& kernel, const Launch& launch);
/// Blocks of this launch that an SM holds, at least one. Registers do not count here: PTX has not allocated them.
std::uint64_t blocksPerSm(const KernelImage& kernel, const Launch& launch, const ChipLimits& limits);

/// The kernel's parameter block. Errors: "bad-launch" (number or size of arguments).
Result<std::vector<std::byte>> packArguments(const KernelImage& kernel, const Launch& launch);

} // namespace ridge::gpu::simt
