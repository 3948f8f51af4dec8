// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/module.h"

namespace ridge::gpu::simt {

/// Short bodies of `if`, with or without `else`, run under the predicate instead of behind a branch, as ptxas has them:
/// what stands before and behind such a body is then one piece for the scheduler, so that the loads of two such bodies
/// are under way together, and a loop around them can be unrolled.
///
/// Found by asking ptxas 13.0 (sm_75, 80, 90, 120) with bodies of 1 to 16 instructions of some thirty kinds: up to
/// kShortBody machine instructions, a jump over the `else` counted; with a load of global memory in it up to
/// kShortBodyWithLoad. Never: atomics, exchange and votes of a warp, fences, calls, whole-number division, what is not
/// approximate in division and roots. Where nothing but the end of the kernel follows, lanes leave instead. A body that
/// has guards of its own keeps its branch (ptxas combines them), so do barriers and clocks. A conditional jump over an
/// unconditional one becomes one jump.
void predicateBranches(Module& module);

inline constexpr std::size_t kShortBody = 8;
inline constexpr std::size_t kShortBodyWithLoad = 20;

} // namespace ridge::gpu::simt
