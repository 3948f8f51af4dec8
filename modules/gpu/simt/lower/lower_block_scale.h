// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/families.h"

namespace ridge::gpu::simt {

/// mma.sync, or where `isSparse` mma.sp, with a kind: f8f6f4, and with scales of blocks mxf8f6f4, mxf4 and mxf4nvf4
/// (PTX ISA, "mma"). `modifiers`: those behind .sync.aligned.
void lowerSmallProduct(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers,
                       bool isSparse = false);

/// cvt.rn.f16x2 and .bf16x2 of two floats of 4, 6 or 8 bits, but for those that lowerCvt() has itself. False: it is
/// none of these.
bool lowerSmallConvert(KernelBuilder& builder, const Instruction& instruction);

} // namespace ridge::gpu::simt
