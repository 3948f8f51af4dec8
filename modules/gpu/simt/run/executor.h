// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/check/progress_watch.h"
#include "gpu/simt/run/barriers.h"

#include <chrono>

namespace ridge::gpu::simt {

/// Sizes of a launch that has passed all checks.
struct LaunchShape {
    Dim3 grid;
    Dim3 block;
    std::uint32_t sharedBytes = 0; ///< static and dynamic
    std::uint32_t dynamicSharedBytes = 0;
    std::uint32_t smCount = 1;
    std::uint64_t residentBlocks = ~std::uint64_t{0}; ///< that the chip holds at once, by warps, blocks and shared memory
};

/// Runs the blocks of one launch one after another, and the warps of a block in turns that end at barriers, at exits,
/// and after a fixed number of instructions, so that the order is the same every time.
class Executor {
public:
    Executor(LaunchState& state, const LaunchShape& shape, StopRequested stop, double seconds);

    /// Errors: "out-of-memory" (of the host), those of a Fault, "barrier-deadlock", "cancelled", "time-limit".
    Result<void> run();

private:
    enum class Outcome : std::uint8_t { Turn, Blocked, Stopped };

    // Setting up (executor_setup.cpp).
    Result<void> prepare();
    void fillPlane(Warp& warp, const PlaneFill& fill);
    std::uint64_t fillValue(const Warp& warp, const PlaneFill& fill, std::uint32_t lane) const;
    std::uint64_t paramValue(const PlaneFill& fill) const;
    void startBlock(std::uint64_t block);

    // Running (executor.cpp).
    Result<void> runBlock(std::uint64_t block);
    Outcome runWarp(Warp& warp);
    bool pick(Warp& warp, Split& split, bool& turnOver);
    Outcome runSplit(Warp& warp, Split split);
    void park(Warp& warp, const BasicBlock& block, const MicroOp& op, Split split, std::uint32_t mask);
    bool meet(Warp& warp, Split& split);
    bool yieldIfSpinning(Warp& warp, Split& split, bool& endTurn);
    enum class After : std::uint8_t { GoOn, Reselect, Stop };
    After finishBlock(Warp& warp, const BasicBlock& block, Split& split);
    After branch(Warp& warp, const BasicBlock& block, Split& split);
    After branchByTable(Warp& warp, const BasicBlock& block, Split& split);
    After leave(Warp& warp, const BasicBlock& block, Split& split);
    After barrier(Warp& warp, const BasicBlock& block, Split& split);
    void releaseSync(Warp& warp);
    void count(std::uint64_t instructions, std::uint32_t mask);
    bool poll(const Warp& warp, std::uint32_t pc);
    std::uint32_t guarded(const Warp& warp, const MicroOp& op, std::uint32_t mask) const;

    // Explaining (diagnose.cpp).
    Error faultError(const Warp& warp, std::uint32_t pc) const;
    Error deadlockError() const;
    Error stuckError() const;
    Error timeError(const Warp& warp, std::uint32_t pc) const;
    std::string placeText(std::uint32_t pc) const;
    std::string threadText(const Warp& warp, std::uint32_t lane) const;

    LaunchState& m_state;
    const KernelImage& m_image;
    LaunchShape m_shape;
    StopRequested m_stop;
    std::chrono::steady_clock::time_point m_deadline;
    double m_seconds;
    std::vector<Warp> m_warps;
    BlockBarriers m_barriers;
    std::unique_ptr<AlignedBytes> m_registers;
    std::unique_ptr<AlignedBytes> m_shared;
    std::unique_ptr<AlignedBytes> m_local;
    std::vector<PlaneFill> m_blockFills; ///< those that change from block to block
    Dim3 m_blockId;                      ///< zero-based
    std::int64_t m_untilPoll = 0;
    std::int64_t m_turn = 0; ///< micro-ops left to the running warp
    bool m_progress = false; ///< something ran in this round
    ProgressWatch m_watch;
    std::optional<Error> m_error;
};

} // namespace ridge::gpu::simt
