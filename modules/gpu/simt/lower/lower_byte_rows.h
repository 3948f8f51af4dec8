// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/families.h"

namespace ridge::gpu::simt {

/// ldmatrix of .m16n16 and .m8n16, stmatrix of .m16n8: elements of a byte or less. `modifiers`: those behind
/// .sync.aligned. False: it is another shape.
bool lowerByteRows(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers);

} // namespace ridge::gpu::simt
