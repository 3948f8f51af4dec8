// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/block_run.h"
#include "gpu/simt/run/loop_watch.h"

namespace ridge::gpu::simt {

/// A register whose content moves on by the same amount from turn to turn.
struct MovingPlane {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 4; ///< of a lane
};

/// Turns of a loop that a warp leaves out, behind its `front`th branch back.
struct LoopCut {
    std::uint32_t branch = kNone; ///< micro-op
    std::uint64_t period = 1;     ///< in turns, in which the planes move by the same amount
    std::uint64_t front = 0;      ///< more than the period
    std::uint64_t skip = 0;       ///< a multiple of the period
    std::vector<MovingPlane> planes;
};

/// Leaves turns out by moving on what every period moves alike. Any number of warps on any threads.
class LoopCutter : public LoopWatcher {
public:
    explicit LoopCutter(LoopCut cut) : m_cut(std::move(cut)) {}
    void turn(Warp& warp, std::uint32_t branch, bool whole) override;

private:
    LoopCut m_cut;
};

/// A branch back that all warps of a block take, each with all of its lanes but for its last turns.
struct LoopFound {
    std::uint32_t branch = kNone;
    std::uint64_t turns = 0;    ///< branches back with all lanes, of the warp with the fewest
    std::uint64_t microOps = 0; ///< of all warps from the first to the last of them
    bool isEven = true;         ///< every warp goes back as often, and always with all lanes
};

/// What one block did, or all blocks of one cluster, reduced to hashes.
struct BlockTrace {
    std::uint64_t executed = 0;         ///< warp instructions
    std::uint64_t fewest = 0, most = 0; ///< of the block with the fewest, and with the most
    std::uint64_t path = 0;             ///< which instructions every warp ran, with which lanes
    std::uint64_t touched = 0;          ///< and what of memory they touched
    std::uint64_t turns = 0;            ///< of the loop, as LoopFound's; 0: a warp never goes back
    std::vector<LoopFound> loops;
    /// [warp][turn]: instructions and addresses between two branches back; the last is what comes behind the loop.
    std::vector<std::vector<std::uint64_t>> parts;
    std::vector<std::vector<std::uint64_t>> paths; ///< the same of instructions alone
    std::vector<MovingPlane> moving;               ///< of the period asked for
};

/// What is asked of a block that is run alone.
struct TraceOrder {
    std::uint32_t branch = kNone; ///< the loop whose turns are told apart; kNone: none
    std::uint64_t period = 0;     ///< 0: planes are not looked at
    const LoopCut* cut = nullptr; ///< of this loop
};

/// Warp instructions of a cluster that may stand for others: of longer ones nothing comes back.
inline constexpr std::uint64_t kMostOfABlock = 4'000'000;

/// Runs the cluster with linear index `cluster` functionally, mostly one block; its stores go to memory or to
/// LaunchState::log. Nothing comes back where it needs other clusters or the clock. Errors: those of a Fault,
/// "barrier-deadlock", "cancelled", "time-limit".
Result<std::optional<BlockTrace>> traceBlock(LaunchState state, const LaunchShape& shape, LaunchControl& control,
                                             std::uint64_t cluster, const TraceOrder& order);

/// Whether two blocks ran the same instructions until their warps had `turns` turns behind them, and at most one more
/// turn than that.
bool isAlikeFor(const BlockTrace& a, const BlockTrace& b, std::uint64_t turns);

/// Whether the block that left turns out did what the whole one did, but for them.
bool isCutOf(const BlockTrace& cut, const BlockTrace& whole, std::uint64_t front, std::uint64_t skip);

} // namespace ridge::gpu::simt
