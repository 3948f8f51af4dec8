// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

/// The variable of shared memory that the address of each micro-op is made from: an index into
/// KernelImage::sharedVariables, or kNone where it accesses none, or where more than one may be meant.
///
/// A register has a variable where everything that writes it takes the address of that one and adds numbers to it; a
/// pointer that was stored and loaded again, or chosen between two, has none.
std::vector<std::uint32_t> sharedVariableOf(const KernelImage& image);

/// "tile" of "_ZZ9transposedE4tile".
std::string plainName(const std::string& variable);

} // namespace ridge::gpu::simt
