// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/resident_warps.h"

namespace ridge::gpu::simt {

/// The barriers of the blocks on an SM: it takes one warp after another that arrives, and lets go those that wait.
class BarrierUnit {
public:
    BarrierUnit(const SmSetup& setup, ResidentWarps& warps) : m_setup(setup), m_warps(warps) {}

    void arrive(WarpSlot& warp);
    /// Lets go the warps of every barrier at which all have arrived that will.
    void open(BlockSlot& block);

private:
    const SmSetup& m_setup;
    ResidentWarps& m_warps;
    std::uint64_t m_free = 0; ///< when the next arrival is taken
};

} // namespace ridge::gpu::simt
