// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/block_feeder.h"
#include "gpu/simt/timing/block_places.h"
#include "gpu/simt/timing/kernel_caches.h"
#include "gpu/simt/timing/memory_unit.h"

#include <deque>

namespace ridge::gpu::simt {

/// One streaming multiprocessor. It chooses the warps that issue, and has a part for all else: memory, phases,
/// barriers, what feeds its blocks. It runs alone for an epoch; what it asks of the memory behind it goes into
/// requests(), answers come through deliver().
class Sm {
public:
    Sm(const SmSetup& setup, std::uint32_t index);
    Sm(const Sm&) = delete; // its parts know each other
    Sm& operator=(const Sm&) = delete;

    /// Places that new blocks of `warps` warps find at the cycle where the SM stands. That of a block which has ended
    /// is there `sm.block_cycles` later.
    bool hasRoom(std::uint32_t warps, std::uint32_t mostBlocks) const { return room(warps, mostBlocks) != 0; }
    std::uint32_t room(std::uint32_t warps, std::uint32_t mostBlocks) const; ///< blocks
    /// When the next place is there that a block has left; kNever: none is to come.
    std::uint64_t nextPlace() const { return m_places.next(); }
    std::uint32_t liveBlocks() const { return m_liveBlocks; }
    /// Takes a block whose streams have been filled; its warps may issue from `cycle` on.
    void startBlock(std::unique_ptr<BlockRun> run, std::uint64_t cycle);
    /// Blocks that have ended since the last call.
    std::vector<FinishedBlock> takeFinished() { return std::exchange(m_finished, {}); }
    bool hasFinished() const { return !m_finished.empty(); }

    /// Runs until `until`, or until a warp is about to read the clock: false then, with the cycle in now().
    bool run(std::uint64_t until);
    std::uint64_t now() const { return m_warps.now(); }
    /// Earliest cycle at which something can happen without an answer from outside.
    std::uint64_t nextEvent() const { return std::max(earliest(), now()); }
    bool busy() const { return m_liveBlocks != 0; }

    /// Some warp wants instructions from its block.
    bool wanting() const { return m_feeder.wanting(); }
    /// One resident warp and what it waits for; empty where there is none.
    std::string describeWaiting() const;
    std::optional<StopSite> waitingSite() const; ///< the same for a report
    /// An idle SM's time goes on with that of the others.
    void standAt(std::uint64_t cycle);

    std::vector<L2Request>& requests() { return m_memory.requests(); }
    const std::vector<L2Request>& waitingRequests() const { return m_memory.requests(); }
    void deliver(const L2Reply& reply) { m_memory.deliver(reply); }

    /// Asks blocks for more instructions, which they run with this state. Goes on where the last call ended InOrder.
    Refilled refill(LaunchState& state, LaunchControl& control) { return m_feeder.refill(state, control); }
    /// Ends the launch for its budget of instructions, where a block has a warp that still runs.
    bool endForBudget(LaunchState& state, LaunchControl& control) { return m_feeder.endForBudget(state, control); }
    /// Signals for phases that blocks of other SMs may wait for, since the last call.
    std::vector<PhaseSignal> takeSignals() { return m_phases.takeOutgoing(); }
    const std::vector<PhaseSignal>& waitingSignals() const { return m_phases.outgoing(); }
    /// The serial phase: a signal for block `block` arrives, where that is on this SM.
    void receiveSignal(std::uint64_t block, const PhaseSignal& signal) { m_phases.receive(block, signal); }
    /// The serial phase: looks again whether warps that wait for phases may go on.
    void recheckPhases() { m_phases.recheck(); }
    /// Blocks of which no warp can run on without another block of the cluster.
    std::vector<const BlockRun*> stuckBlocks() const { return m_feeder.stuckBlocks(); }

    /// Gives the clock to the warps that run() stopped for.
    bool serveClocks(LaunchState& state, LaunchControl& control) { return m_feeder.serveClocks(state, control); }

    /// Charges all resident warps up to now, so that sums are whole.
    void settle() { m_warps.settle(); }
    const SmTally& tally() const { return m_warps.sums().tally; }
    /// Where run(), refill() and settle() add what each machine instruction does; before any of them.
    void countInto(std::vector<OpTally>& ops) { m_warps.countInto(ops); }
    const std::vector<TimingEvent>& events() const { return m_warps.events().events(); }
    std::size_t eventStart() const { return m_warps.events().start(); }
    const std::vector<BlockSpan>& spans() const { return m_warps.sums().spans; }
    /// [block, as in spans()][turns that the warp has behind it] of the loop that is watched; nothing at 0.
    const std::vector<std::vector<TurnTally>>& turnTally() const { return m_warps.sums().turns; }

private:
    bool issueFrom(SubCore& core);
    bool ready(SubCore& core, WarpSlot& warp);
    bool hasPlace(SubCore& core, WarpSlot& warp, const TimedOp& op);
    void issue(SubCore& core, WarpSlot& warp);
    void retire(WarpSlot& warp);
    std::uint64_t earliest() const;
    // The warp's stream.
    bool fetch(WarpSlot& warp);
    bool enterVisit(WarpSlot& warp, const Visit& visit);
    void skipForeign(WarpSlot& warp);
    void noteTurn(WarpSlot& warp);

    const SmSetup& m_setup;
    const TimedKernel& m_kernel;
    std::uint32_t m_index;
    std::uint64_t m_branchCycles, m_pathCycles;
    ResidentWarps m_warps;
    PhaseUnit m_phases;
    MemoryUnit m_memory;
    BarrierUnit m_barriers;
    BlockFeeder m_feeder;
    KernelCaches m_caches;
    BlockPlaces m_places;
    std::uint32_t m_liveBlocks = 0;
    std::uint32_t m_liveWarps = 0;
    std::uint32_t m_started = 0; ///< blocks, for their age
    std::uint64_t m_activeSince = 0;
    std::vector<FinishedBlock> m_finished;
};

using Sms = std::deque<Sm>; ///< they stay where they are

} // namespace ridge::gpu::simt
