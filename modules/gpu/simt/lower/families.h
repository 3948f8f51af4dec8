// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/modifiers.h"
#include "gpu/simt/ptx/names.h"

namespace ridge::gpu::simt {

using Lowering = void (*)(KernelBuilder&, const Instruction&);

/// The lowering of an opcode in each family of instructions; null where it is not of that family.
Lowering findArithmetic(std::string_view opcode); ///< lower_arithmetic.cpp
Lowering findBitwise(std::string_view opcode);    ///< lower_bits.cpp
Lowering findVideo(std::string_view opcode);      ///< lower_video.cpp: vadd, vmad, vset4 …
Lowering findMove(std::string_view opcode);       ///< lower_move.cpp: mov, cvta
Lowering findCompare(std::string_view opcode);    ///< lower_compare.cpp: setp, set, selp, slct, testp
Lowering findConvert(std::string_view opcode);    ///< lower_convert.cpp: cvt
Lowering findMemory(std::string_view opcode);     ///< lower_memory.cpp
Lowering findControl(std::string_view opcode);    ///< lower_control.cpp
Lowering findWarp(std::string_view opcode);       ///< lower_warp.cpp: shfl, vote, match, redux, barriers, fences
Lowering findMatrix(std::string_view opcode);     ///< lower_matrix.cpp: mma, wmma, ldmatrix, stmatrix, movmatrix
Lowering findWarpgroup(std::string_view opcode);  ///< lower_wgmma.cpp: wgmma
Lowering findAsync(std::string_view opcode);      ///< lower_async.cpp: cp.async, bulk copies, mbarrier
Lowering findMiscellany(std::string_view opcode); ///< lower_miscellany.cpp: hints, isspacep, elect, setmaxnreg …

/// .global, .shared::cta, … taken out of the modifiers (lower_memory.cpp).
std::optional<Space> takeSpaceOf(Modifiers& modifiers);
/// Emits `op` with the address of `operand`, checked and counted as an access of kind `kind`.
void emitAddressed(KernelBuilder& builder, const Instruction& instruction, const Operand& operand,
                   std::optional<Space> stated, MemoryOp kind, MicroOp op);

void lowerRemoteStore(KernelBuilder& builder, const Instruction& instruction); ///< st.async, red.async
OpFunction findPairMove(bool unpack); ///< mov.b128 {a, b} (lower_miscellany.cpp)
OpFunction findPairCopy();
bool isClockRegister(const Operand& operand);
void lowerClock(KernelBuilder& builder, const Instruction& instruction, ScalarType type); ///< mov from %clock …

} // namespace ridge::gpu::simt
