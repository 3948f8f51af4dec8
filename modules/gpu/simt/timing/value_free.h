// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

/// The kernel without the arithmetic whose results reach neither an address nor a branch: it runs the same instructions
/// and touches the same memory, and computes nothing else of use. The same where that cannot be told.
KernelImage withoutValues(const KernelImage& image);

} // namespace ridge::gpu::simt
