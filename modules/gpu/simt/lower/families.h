// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/modifiers.h"

namespace ridge::gpu::simt {

using Lowering = void (*)(KernelBuilder&, const Instruction&);

/// The lowering of an opcode in each family of instructions; null where it is not of that family.
Lowering findArithmetic(std::string_view opcode); ///< lower_arithmetic.cpp
Lowering findBitwise(std::string_view opcode);    ///< lower_bits.cpp
Lowering findMove(std::string_view opcode);       ///< lower_move.cpp: mov, cvt, cvta, setp, selp
Lowering findMemory(std::string_view opcode);     ///< lower_memory.cpp
Lowering findControl(std::string_view opcode);    ///< lower_control.cpp
Lowering findWarp(std::string_view opcode);       ///< lower_warp.cpp: shfl, vote, match, redux, barriers, fences

} // namespace ridge::gpu::simt
