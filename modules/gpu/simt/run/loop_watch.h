// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/state.h"

namespace ridge::gpu::simt {

/// Is told of the branches back of all warps, on whichever thread runs them.
class LoopWatcher {
public:
    LoopWatcher() = default;
    virtual ~LoopWatcher() = default;
    LoopWatcher(const LoopWatcher&) = delete;
    LoopWatcher& operator=(const LoopWatcher&) = delete;

    /// The warp goes back by the branch at micro-op `branch`; `whole`: all of its living lanes together. It may change
    /// the warp's registers.
    virtual void turn(Warp& warp, std::uint32_t branch, bool whole) = 0;
};

} // namespace ridge::gpu::simt
