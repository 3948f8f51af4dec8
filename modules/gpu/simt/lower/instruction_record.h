// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/kernel_builder.h"

namespace ridge::gpu::simt {

/// Keeps of an instruction what machine/ needs: its operands, resolved. Its micro-ops are those from `firstPending` on.
/// One hook for all opcodes, so that a new lowering need not know of it.
void recordInstruction(KernelBuilder& builder, const Instruction& instruction, std::size_t firstPending);
/// Does the same for a copy that passes an argument or a result of an inlined call.
void recordCopy(KernelBuilder& builder, PendingOp& pending);

} // namespace ridge::gpu::simt
