// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/check/progress_watch.h"
#include "gpu/simt/run/block_run.h"

namespace ridge::gpu::simt {

/// Runs the blocks of one launch one after another, and the warps of a block in turns that end at barriers, at exits,
/// and after a fixed number of instructions, so that the order is the same every time. Only where a block waits for
/// another do more of them run at once, up to as many as the chip holds.
class Executor {
public:
    Executor(LaunchState& state, const LaunchShape& shape, LaunchControl& control, std::uint64_t first = 0);

    /// Errors: "out-of-memory" (of the host), those of a Fault, "barrier-deadlock", "cancelled", "time-limit",
    /// "never-resident" (the blocks that run wait for one that cannot start), "no-progress" (all wait in loops),
    /// "endless-loop" (a loop that provably never ends).
    Result<void> run();

private:
    Result<void> runTogether(std::unique_ptr<BlockRun> first);
    Error stuckError(const std::vector<std::unique_ptr<BlockRun>>& alive) const;
    Result<std::unique_ptr<BlockRun>> obtain();

    LaunchState& m_state;
    const LaunchShape& m_shape;
    LaunchControl& m_control;
    std::vector<std::unique_ptr<BlockRun>> m_spare;
    ProgressWatch m_watch;
    std::uint64_t m_next; ///< the block that starts next
};

/// The blocks from `first` on, functionally. Errors as Executor::run().
Result<void> runBlocks(LaunchState& state, const LaunchShape& shape, LaunchControl& control, std::uint64_t first);

} // namespace ridge::gpu::simt
