// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/launch_control.h"
#include "gpu/simt/run/state.h"

namespace ridge::gpu::simt {

/// Micro-ops that blocks run aside in one go; a kernel that goes round without end shall come back to where the launch
/// can be ended.
inline constexpr std::int64_t kMostAside = 1 << 19;

/// Whether blocks of this kernel meet in nothing but bytes of global memory and printf: neither allocations nor phases
/// of barriers, both of which are the launch's.
bool canRunAside(const KernelImage& image);

/// What a block runs with beside others: the launch's own, but for what it counts. Stores need a StoreLog.
LaunchState stateAside(const LaunchState& launch);

/// What has been counted and traced aside becomes the launch's; it is forgotten there.
void takeOver(LaunchState& launch, Counters& counters, std::vector<MemoryRequest>& trace);

} // namespace ridge::gpu::simt
