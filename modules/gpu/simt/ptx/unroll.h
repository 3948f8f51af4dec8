// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/module.h"

namespace ridge::gpu::simt {

/// Replicates the body of innermost loops whose number of turns is a constant, as ptxas does: the instructions that a
/// GPU executes then overlap across turns, and neighbouring loads of several turns can be merged.
///
/// A loop is one label, instructions without further branches, and the branch back; its counter starts, moves and is
/// compared with constants. Up to kUnrolledInstructions in all turns the loop disappears; else as many turns are put
/// side by side as divide their number and stay within kPartInstructions. `.pragma "nounroll"` is obeyed. Every copy
/// writes registers of its own names (the last one the original names), so that what a kernel computes stays the same.
///
/// Where only the launch knows the number of turns, a small loop whose counter moves by a constant (loop_counter.h)
/// becomes one of four turns at once, then two, then the loop as it was.
void unrollLoops(Module& module);

/// Both found by asking ptxas 13.0 (sm_80): 2 to 512 turns of 8 to 516 instructions, with and without shared loads. It
/// unrolls up to about 800 wholly (more where an array in registers is indexed by the counter), larger loops to about
/// 300.
inline constexpr std::size_t kUnrolledInstructions = 800;
inline constexpr std::size_t kPartInstructions = 300;

} // namespace ridge::gpu::simt
