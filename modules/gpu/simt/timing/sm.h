// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/block_run.h"
#include "gpu/simt/timing/memory_system.h"
#include "gpu/simt/timing/sm_state.h"
#include "gpu/simt/timing/timed_kernel.h"

namespace ridge::gpu::simt {

/// What all SMs of a launch share and none of them changes.
struct SmSetup {
    const ChipTiming* chip = nullptr;
    const TimedKernel* kernel = nullptr;
    const PhaseBook* phases = nullptr; ///< changes between epochs only
    std::uint32_t l1Bytes = 0;
    std::uint64_t firstEvent = 0; ///< cycles of the event window
    std::uint64_t endEvent = 0;
    std::size_t eventCapacity = 0; ///< of one SM; the last ones are kept
    std::uint32_t watchSms = 0;    ///< TimingOptions::watchSms
    WatchedTurns turns;
};

/// One streaming multiprocessor: sub-cores that issue, the memory pipe, L1. It runs alone for an epoch; what it asks
/// of the memory behind it goes into requests(), answers come through deliver().
class Sm {
public:
    Sm(const SmSetup& setup, std::uint32_t index);

    /// Places that new blocks of `warps` warps find at the cycle where the SM stands. That of a block which has ended
    /// is there `sm.block_cycles` later.
    bool hasRoom(std::uint32_t warps, std::uint32_t mostBlocks) const { return room(warps, mostBlocks) != 0; }
    std::uint32_t room(std::uint32_t warps, std::uint32_t mostBlocks) const; ///< blocks
    /// When the next place is there that a block has left; kNever: none is to come.
    std::uint64_t nextPlace() const { return m_left.empty() ? kNever : m_left.front(); }
    std::uint32_t liveBlocks() const { return m_liveBlocks; }
    /// Takes a block whose streams have been filled; its warps may issue from `cycle` on.
    void startBlock(std::unique_ptr<BlockRun> run, std::uint64_t cycle);
    /// Blocks that have ended since the last call.
    std::vector<FinishedBlock> takeFinished();
    bool hasFinished() const { return !m_finished.empty(); }

    /// Runs until `until`, or until a warp is about to read the clock: false then, with the cycle in now().
    bool run(std::uint64_t until);
    std::uint64_t now() const { return m_now; }
    /// Earliest cycle at which something can happen without an answer from outside.
    std::uint64_t nextEvent() const;
    bool busy() const { return m_liveBlocks != 0; }

    /// Some warp wants instructions from its block.
    bool wanting() const;
    /// One resident warp and what it waits for; empty where there is none.
    std::string describeWaiting() const;
    std::optional<StopSite> waitingSite() const; ///< the same for a report
    /// An idle SM's time goes on with that of the others.
    void standAt(std::uint64_t cycle);

    std::vector<L2Request>& requests() { return m_requests; }
    const std::vector<L2Request>& waitingRequests() const { return m_requests; }
    void deliver(const L2Reply& reply);

    /// How a refill ended.
    enum class Refilled : std::uint8_t {
        Whole,
        InOrder, ///< it must go on where LaunchState::log is null, in the order of SMs
        Failed,  ///< LaunchControl::error says why
    };
    /// Asks blocks for more instructions, which they run with this state. Goes on where the last call ended InOrder.
    Refilled refill(LaunchState& state, LaunchControl& control);
    /// Ends the launch for its budget of instructions, where a block has a warp that still runs.
    bool endForBudget(LaunchState& state, LaunchControl& control);
    /// Signals for phases that blocks of other SMs may wait for, since the last call.
    std::vector<PhaseSignal> takeSignals() { return std::exchange(m_outSignals, {}); }
    const std::vector<PhaseSignal>& waitingSignals() const { return m_outSignals; }
    /// The serial phase: a signal for block `block` arrives, where that is on this SM.
    void receiveSignal(std::uint64_t block, const PhaseSignal& signal);
    /// The serial phase: looks again whether warps that wait for phases may go on.
    void recheckPhases();
    /// Blocks of which no warp can run on without another block of the cluster.
    std::vector<const BlockRun*> stuckBlocks() const;

    /// Gives the clock to the warps that run() stopped for.
    bool serveClocks(LaunchState& state, LaunchControl& control);

    /// Charges all resident warps up to now, so that sums are whole.
    void settle();
    const SmTally& tally() const { return m_tally; }
    const std::vector<OpTally>& opTally() const { return m_ops; }
    const std::vector<TimingEvent>& events() const { return m_events; }
    std::size_t eventStart() const { return m_eventNext; }
    const std::vector<BlockSpan>& spans() const { return m_spans; }
    /// [block, as in spans()][turns that the warp has behind it] of the loop that is watched; nothing at 0.
    const std::vector<std::vector<TurnTally>>& turnTally() const { return m_turns; }

private:
    // Filling (sm_blocks.cpp).
    Refilled refillWarps(BlockSlot& block);
    bool closeRefill(BlockSlot& block, LaunchControl& control);

    // Choosing (sm.cpp).
    void cycle();
    bool issueFrom(std::uint32_t subCore);
    bool ready(std::uint32_t subCore, std::uint32_t slot);
    bool fetch(WarpSlot& warp);
    bool enterVisit(WarpSlot& warp, const Visit& visit);
    void noteTurn(WarpSlot& warp);
    void skipForeign(WarpSlot& warp);
    std::uint64_t codeArrives(std::uint32_t chunk);
    bool readsClock(const WarpSlot& warp) const; ///< it stands before a read of the clock and may go on
    bool block(WarpSlot& warp, Stall reason, std::uint64_t until);
    void charge(WarpSlot& warp, Stall next);
    static std::uint64_t productsDone(const WarpSlot& warp, const TimedOp& op);
    Pipe pipeFor(const SubCore& core, const TimedOp& op) const;
    void issue(std::uint32_t subCore, std::uint32_t slot);
    void retire(WarpSlot& warp);
    void arrive(WarpSlot& warp, std::uint32_t slot);
    void openBarriers(BlockSlot& block);
    std::uint64_t earliest() const;
    void note(TimingEvent::Kind kind, std::uint32_t slot, std::uint32_t op, std::uint32_t payload);

    // Phases and the copy engine (sm_async.cpp).
    bool phasesOpen(WarpSlot& warp, const TimedOp& op);
    bool isOpen(const BlockSlot& block, std::uint32_t phase) const;
    void signalPhases(WarpSlot& warp, const TimedOp& op, std::uint64_t cycle);
    void signalPhase(std::uint32_t block, const PhaseNote& note, std::uint64_t cycle);
    void countSignal(BlockSlot& block, std::uint32_t phase, std::uint64_t cycle);
    void wakeAt(std::uint32_t slot, std::uint64_t cycle);
    void issueBulk(SubCore& core, WarpSlot& warp, std::uint32_t slot, const TimedOp& op);
    void bulkLines(WarpSlot& warp, std::uint32_t slot, const TimedOp& op, const Access& access, const LineTouch* lines,
                   std::uint64_t from, std::uint32_t bulk);
    void bulkDone(std::uint32_t bulk, std::uint64_t cycle);
    std::uint64_t remoteAccess(std::uint64_t bytes, std::uint64_t accepted);
    std::uint64_t groupOperands(WarpSlot& warp, const TimedOp& op);
    void insertRequest(const L2Request& request);
    /// Accesses of the visit that belong to the instruction: the first, how many, and the first of their lines.
    struct Found {
        std::size_t first = 0, count = 0, line = 0;
    };
    Found findAccesses(const WarpSlot& warp, const TimedOp& op) const;

    // Memory (sm_memory.cpp).
    bool hasCredit(const TimedOp& op);
    bool mayStore() const;
    void wakeStarved();
    void queueStore(std::uint32_t lines);
    bool queueIsFull(SubCore& core, WarpSlot& warp, const TimedOp& op);
    bool copiesDone(WarpSlot& warp, const TimedOp& op);
    std::uint64_t accept(SubCore& core, const TimedOp& op);
    void issueMio(SubCore& core, WarpSlot& warp, const TimedOp& op);
    void issueMemory(SubCore& core, WarpSlot& warp, std::uint32_t slot, const TimedOp& op);
    void sharedAccess(WarpSlot& warp, const TimedOp& op, const Access& access, std::uint64_t accepted);
    std::uint32_t headerOf(const TimedOp& op, const Access& access, const LineTouch* lines) const;
    void globalAccess(WarpSlot& warp, std::uint32_t slot, const TimedOp& op, const Access& access,
                      const LineTouch* lines, std::uint64_t accepted);
    void lookUp(std::uint64_t line, std::uint8_t sectors, std::uint32_t transaction, std::uint64_t cycle, bool pastL1);
    std::uint64_t request(const L2Request& request, std::uint32_t bytes); ///< when it leaves
    void receive(const L2Reply& reply);
    void complete(std::uint32_t transaction, std::uint64_t cycle);
    const WarpSlot* firstActive() const;
    void keepLocal(const Access& access, const LineTouch* lines);
    std::uint32_t newTransaction(const Transaction& transaction);
    void pendingResult(WarpSlot& warp, const TimedOp& op);
    void knownResult(WarpSlot& warp, std::uint8_t counter, Stall reason, std::uint64_t cycle);
    void wake(WarpSlot& warp);

    const SmSetup& m_setup;
    const TimedKernel& m_kernel;
    std::uint32_t m_index;
    std::uint64_t m_now = 0;
    std::vector<std::uint64_t> m_left; ///< until when no block can have the places of ended ones, ascending
    std::uint32_t m_liveBlocks = 0;
    std::uint32_t m_liveWarps = 0;
    std::uint32_t m_started = 0; ///< blocks, for their age
    std::uint64_t m_branchCycles, m_pathCycles;
    std::vector<SubCore> m_cores;
    std::vector<WarpSlot> m_slots; ///< [sub-core][slot]
    std::vector<BlockSlot> m_blocks;
    std::vector<FinishedBlock> m_finished;
    std::uint64_t m_activeSince = 0;
    std::uint32_t m_clockWaiters = 0;
    bool m_starved = false;       ///< a slot waits for lines in flight
    bool m_storesStarved = false; ///< a slot waits for its stores' lines
    /// Where refill() is.
    struct RefillPlace {
        std::size_t block = 0;
        std::size_t slot = 0;
        bool moved = false;    ///< a warp of the block has got something in this round
        bool held = false;     ///< the warp is in the middle of its turn …
        std::size_t ahead = 0; ///< … before which it had so many visits
    };
    RefillPlace m_refill;

    std::uint64_t m_mioFree = 0;
    std::uint64_t m_matchFree = 0; ///< the unit that compares the values of lanes
    std::uint64_t m_tagFree = 0;
    std::uint64_t m_dataFree = 0;
    std::uint64_t m_bankFree = 0;         ///< the data stage as far as shared memory has it
    std::uint64_t m_constantsAt = kNever; ///< when the kernel's parameters are in the constant cache
    std::uint64_t m_nextBlock = 0;        ///< when the next place of a block that has left may be taken
    std::uint64_t m_barrierFree = 0;      ///< when the next arrival at a barrier is taken
    std::uint64_t m_sendFree = 0;         ///< in bytes of the port
    std::uint64_t m_fillFree = 0;
    std::uint64_t m_remoteFree = 0; ///< the port to other SMs, in bytes
    std::uint64_t m_bulkFree = 0;   ///< the copy engine
    std::vector<BulkCopies> m_bulk;
    std::vector<PhaseSignal> m_outSignals;
    std::uint32_t m_phaseWaiters = 0;
    SectorCache m_l1;
    std::vector<Waiter> m_waiters;
    std::uint32_t m_freeWaiter = kNoLine;
    std::vector<Transaction> m_transactions;
    std::uint32_t m_freeTransaction = kNoLine;
    std::uint32_t m_pendingLines = 0;
    std::uint32_t m_storeLines = 0;          ///< of them
    std::vector<std::uint32_t> m_lastStores; ///< lines of the last stores, as many as the queue holds: a ring
    std::size_t m_nextStore = 0;
    std::uint32_t m_queuedLines = 0; ///< of m_lastStores
    std::uint32_t m_order = 0;
    std::vector<L2Request> m_requests;
    std::vector<L2Reply> m_inbox;           ///< a heap, earliest first
    std::vector<std::uint64_t> m_codeReady; ///< of each 64 instructions; kNever: not asked for yet

    SmTally m_tally;
    std::vector<OpTally> m_ops;
    std::vector<TimingEvent> m_events;
    std::size_t m_eventNext = 0;
    std::vector<BlockSpan> m_spans;
    std::vector<std::vector<TurnTally>> m_turns;
};

} // namespace ridge::gpu::simt
