// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/families.h"

namespace ridge::gpu::simt {

/// cvt to floats of 4 and 6 bits and to ue8m0, of two bfloat16 to floats of 8 bits, of ue8m0 to bfloat16, and to halves
/// and tf32 with .satfinite. False: it is none of these.
bool lowerNarrowConvert(KernelBuilder& builder, const Instruction& instruction);

/// cvt.rs, to two halves or bfloat16.
void lowerStochasticConvert(KernelBuilder& builder, const Instruction& instruction);

} // namespace ridge::gpu::simt
