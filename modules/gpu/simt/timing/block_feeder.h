// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/barrier_unit.h"

namespace ridge::gpu::simt {

/// How a refill ended.
enum class Refilled : std::uint8_t {
    Whole,
    InOrder, ///< it must go on where LaunchState::log is null, in the order of SMs
    Failed,  ///< LaunchControl::error says why
};

/// Lets the blocks of an SM run their warps on, so that these have instructions to issue. Between epochs only.
class BlockFeeder {
public:
    BlockFeeder(const SmSetup& setup, ResidentWarps& warps, BarrierUnit& barriers)
        : m_kernel(*setup.kernel), m_warps(warps), m_barriers(barriers)
    {
    }

    bool wanting() const; ///< some warp wants instructions
    /// Goes on where the last call ended InOrder.
    Refilled refill(LaunchState& state, LaunchControl& control);
    bool endForBudget(LaunchState& state, LaunchControl& control);

    /// Whether a warp stands before a read of the clock and may go on.
    bool anyReadsClock() const;
    /// Gives these the clock.
    bool serveClocks(LaunchState& state, LaunchControl& control);

    /// Blocks of which no warp can run on without another block of the cluster.
    std::vector<const BlockRun*> stuckBlocks() const;

private:
    Refilled refillWarps(BlockSlot& block);
    bool closeRefill(BlockSlot& block, LaunchControl& control);
    bool readsClock(const WarpSlot& warp) const;

    const TimedKernel& m_kernel;
    ResidentWarps& m_warps;
    BarrierUnit& m_barriers;
    std::uint32_t m_clockWaiters = 0;
    /// Where refill() is.
    struct Place {
        std::size_t block = 0;
        std::size_t slot = 0;
        bool moved = false;    ///< a warp of the block has got something in this round
        bool held = false;     ///< the warp is in the middle of its turn …
        std::size_t ahead = 0; ///< … before which it had so many visits
    };
    Place m_place;
};

} // namespace ridge::gpu::simt
