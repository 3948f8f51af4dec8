// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/families.h"

namespace ridge::gpu::simt {

/// tcgen05 (PTX ISA, "TensorCore 5th Generation Family Instructions"): what one block does with .cta_group::1.
void lowerTensorMemory(KernelBuilder& builder, const Instruction& instruction);

} // namespace ridge::gpu::simt
