// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/kernel_builder.h"

namespace ridge::gpu::simt {

/// call: the function is inlined where it is known and does not reach itself, else it is called through a stack.
void lowerCall(KernelBuilder& builder, const Instruction& instruction);
void lowerReturn(KernelBuilder& builder, const Instruction& instruction);
/// The body of a function that is called, by its index in CalledFunctions.
void lowerCalled(KernelBuilder& builder, std::uint32_t index);
/// Copies one plane to another, where the stack of alloca is kept or put back: what a function takes from it goes back
/// when it returns.
void moveStack(KernelBuilder& builder, const Instruction& instruction, std::uint32_t to, std::uint32_t from);

} // namespace ridge::gpu::simt
