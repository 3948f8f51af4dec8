// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/barriers.h"
#include "gpu/simt/run/cluster.h"
#include "gpu/simt/run/launch_control.h"
#include "gpu/simt/run/stream.h"
#include "gpu/simt/run/unwritten.h"

namespace ridge::gpu::simt {

/// One thread block in execution: its warps, registers, shared memory, barriers and splits. Several may be alive at
/// once; they share one LaunchState, so one of them runs at a time and nothing depends on host threads.
class BlockRun {
public:
    /// How a warp's turn ended.
    enum class Turn : std::uint8_t {
        Ran,      ///< its budget is spent; there is more to do
        Spun,     ///< it only goes round in a loop that looks at memory others write
        Blocked,  ///< every lane waits for lanes that have not come, or has exited
        AtClock,  ///< it is about to read the clock and LaunchState::clock has no value for it
        Observed, ///< recording: it has looked at memory that others write; let time pass before it looks again
        InOrder,  ///< LaunchState::log: the next micro-op has to see what other blocks did, or they it; bindTo() a
                  ///< state without a log and let the same warp advance()
        Failed,   ///< LaunchControl::error says why
    };
    /// How a round over all warps ended.
    enum class Round : std::uint8_t {
        Finished,
        Progress,
        Spun,    ///< every warp waits or spins
        Blocked, ///< every warp waits at barriers: only another block of the cluster can help
        InOrder, ///< Turn::InOrder; the next round() goes on with the same warp
        Failed,
    };

    /// Once one of a launch is made, others may be made and prepared on several threads.
    BlockRun(LaunchState& state, const LaunchShape& shape, LaunchControl& control);

    /// Reserves registers and memory; once. Errors: "out-of-memory" (of the host).
    Result<void> prepare();
    /// Makes it the block with linear index `block`, at its first instruction, and a member of `cluster`. All blocks of
    /// a cluster start before one of them runs.
    void start(std::uint64_t block, std::shared_ptr<Cluster> cluster, std::uint32_t rank);
    /// Alone in its cluster. What takes long is left to the first turn, which another thread may give.
    void start(std::uint64_t block);
    /// From now on every visit and access goes into stream(warp). `slot`: a number that no other living block has;
    /// it tells local memory of different warps apart.
    void record(std::uint32_t slot);

    /// From now on it runs with this state and control in the place of those it was made with.
    void bindTo(LaunchState& state, LaunchControl& control);
    /// Runs one warp for about `budget` micro-ops or until its turn ends otherwise. A turn that ended InOrder goes on
    /// where it was, with what was left of its budget.
    Turn advance(std::size_t warp, std::int64_t budget);
    /// Gives every living warp a turn.
    Round round();
    /// From now on what nobody writes is 0 in every block, whichever it was before: those are the planes in which a
    /// kernel may find something that it has not put there (run/unwritten.h).
    void clearAtStart(const std::vector<PlaneRange>& planes) { m_cleared = &planes; }

    bool finished() const;
    bool alive(std::size_t warp) const { return m_warps[warp].live != 0; }
    std::size_t warpCount() const { return m_warps.size(); }
    std::uint64_t block() const { return m_block; }
    const Dim3& blockId() const { return m_blockId; }
    std::uint64_t executed() const { return m_executed; } ///< warp instructions since it started
    const Cluster& cluster() const { return *m_cluster; }
    std::uint32_t rank() const { return m_rank; }
    WarpStream& stream(std::size_t warp) { return m_streams[warp]; }
    /// Arrivals of warps at barrier `id` until it opened for the `generation`th time; 0: not opened yet.
    std::uint32_t arrivalsOf(std::uint32_t id, std::uint32_t generation) const
    {
        return m_barriers.arrivalsOf(id, generation);
    }

    /// Why no warp of this block can go on.
    Error deadlockError() const;
    std::string name() const; ///< "block (1, 0, 0)"
    /// Why it will run for ever, where ProgressWatch has proved it.
    Error endlessError() const;
    /// Ends the launch because its budget of instructions is spent, where a warp still runs; `ended`: or none does.
    bool endForBudget(bool ended);
    StopSite site() const; ///< of a group of lanes that waits or loops
    const std::vector<Warp>& warps() const { return m_warps; }

private:
    enum class After : std::uint8_t { GoOn, Reselect, Stop };

    void bind();
    void begin();
    void join(std::uint64_t block, std::shared_ptr<Cluster> cluster, std::uint32_t rank);
    void fillUnwritten(std::byte* begin, std::size_t bytes) const;
    void fillPlane(Warp& warp, const PlaneFill& fill);
    std::uint64_t fillValue(const Warp& warp, const PlaneFill& fill, std::uint32_t lane) const;
    std::uint64_t paramValue(const PlaneFill& fill) const;

    Turn runWarp(Warp& warp);
    Turn hold(const Split& split, std::uint32_t pc);
    bool pick(Warp& warp, Split& split, bool& turnOver);
    Turn runSplit(Warp& warp, Split split, std::uint32_t from);
    Turn interrupt(Warp& warp, const BasicBlock& block, const MicroOp& op, Step step, Split split, std::uint32_t mask);
    Turn pauseObserved(Warp& warp, Split split);
    void park(Warp& warp, const BasicBlock& block, const MicroOp& op, Split split, std::uint32_t mask);
    bool meet(Warp& warp, Split& split);
    bool yieldIfSpinning(Warp& warp, Split& split, bool& endTurn);
    After finishBlock(Warp& warp, const BasicBlock& block, Split& split);
    After branch(Warp& warp, const BasicBlock& block, Split& split);
    After branchByTable(Warp& warp, const BasicBlock& block, Split& split);
    After leave(Warp& warp, const BasicBlock& block, Split& split);
    After barrier(Warp& warp, const BasicBlock& block, Split& split);
    After clusterBarrier(Warp& warp, const BasicBlock& block, Split& split, std::uint32_t here);
    After wrong(const Warp& warp, std::uint32_t pc, Fault::Kind kind, std::uint32_t lane);
    After call(Warp& warp, const BasicBlock& block, Split& split);       // calls.cpp
    After returnFrom(Warp& warp, const BasicBlock& block, Split& split); // calls.cpp
    After scatter(Warp& warp, Split& split, const std::vector<Split>& unordered);
    void releaseSync(Warp& warp);
    void count(std::uint64_t instructions, std::uint32_t mask);
    void note(std::uint32_t from, std::uint32_t end, std::uint32_t mask);
    bool poll(const Warp& warp, std::uint32_t pc);
    std::uint32_t guarded(const Warp& warp, const MicroOp& op, std::uint32_t mask) const;

    // Explaining (diagnose.cpp).
    Error faultError(const Warp& warp, std::uint32_t pc) const;
    Error timeError(const Warp& warp, std::uint32_t pc) const;
    Error budgetError(const Warp& warp, std::uint32_t pc) const;
    std::string placeText(std::uint32_t pc) const;
    std::string threadText(const Warp& warp, std::uint32_t lane) const;

    LaunchState* m_state;
    std::uint64_t m_executed = 0;
    const KernelImage& m_image;
    const LaunchShape& m_shape;
    LaunchControl* m_control;
    std::vector<Warp> m_warps;
    std::vector<WarpStream> m_streams; ///< empty unless recording
    BlockBarriers m_barriers;
    std::unique_ptr<AlignedBytes> m_registers;
    std::unique_ptr<AlignedBytes> m_shared;
    std::unique_ptr<AlignedBytes> m_local;
    std::vector<PlaneFill> m_blockFills; ///< those that change from block to block
    std::shared_ptr<Cluster> m_cluster;
    std::uint32_t m_rank = 0;
    std::uint64_t m_block = 0;
    Dim3 m_blockId;                 ///< zero-based
    std::int64_t m_turn = 0;        ///< micro-ops left to the running warp
    bool m_progress = false;        ///< something ran in this round
    bool m_fresh = false;           ///< started, and has had no turn yet
    bool m_spun = false;            ///< the split that ran last gave up waiting
    std::size_t m_roundAt = 0;      ///< the warp where the next round() begins
    std::size_t m_roundWaiting = 0; ///< warps of this round that wait
    const std::vector<PlaneRange>* m_cleared = nullptr;
    /// A split that stopped in the middle of a basic block, of which nothing has been counted or noted yet.
    struct Held {
        Split split; ///< at the block's start
        std::uint32_t pc = 0;
        std::uint32_t accessesNoted = 0;
        bool observed = false;
    };
    std::optional<Held> m_held;
};

} // namespace ridge::gpu::simt
