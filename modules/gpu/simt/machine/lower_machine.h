// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "gpu/simt/image/kernel_image.h"
#include "gpu/simt/machine/machine_kernel.h"

namespace ridge::gpu::simt {

/// A kernel as machine-like instructions, made by a small mini-ptxas: constants and parameters folded, addresses fused,
/// 64-bit operations split, divisions expanded, registers estimated, blocks scheduled with stall counts and counters.
///
/// `computeCapability` is 70 … 120. blocks[i] of the result belongs to blocks[i] of the image. A conditional branch
/// that ptxas would replace by predicates on a short body has no branch instruction here; its body keeps its own block.
/// Errors: "unsupported-capability" below 7.0.
Result<MachineKernel> lowerToMachine(const KernelImage& image, int computeCapability,
                                     const ScheduleLatencies& latencies);

/// Latencies that Huerta et al. (MICRO 2025) measured on Ampere; what a chip file does not say.
ScheduleLatencies defaultScheduleLatencies();

} // namespace ridge::gpu::simt
