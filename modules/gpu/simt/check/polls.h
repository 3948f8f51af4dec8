// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

/// For each micro-op whether it is a volatile load or store that moves data: a store, or a load whose value does not
/// decide whether the load is done again. A load that waits for another thread (a flag in a loop) is none.
std::vector<bool> volatileDataOf(const KernelImage& image);

} // namespace ridge::gpu::simt
