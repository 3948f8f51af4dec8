// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/block_run.h"
#include "gpu/simt/timing/sector_cache.h"
#include "gpu/simt/timing/timed_kernel.h"

namespace ridge::gpu::simt {

inline constexpr std::uint64_t kNever = ~std::uint64_t{0};
inline constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};

/// A serial phase comes every so many cycles. No answer of L2 is sooner, so nothing is lost.
inline constexpr std::uint64_t kEpoch = 64;
/// A warp issues at most one instruction a cycle: with this many ahead it cannot run dry in an epoch.
inline constexpr std::int64_t kRefillBelow = 2 * static_cast<std::int64_t>(kEpoch);

/// One of the six counters of a warp: instructions whose results are on their way.
struct ResultCounter {
    std::uint64_t clearAt = 0; ///< when the results whose time is known are all there
    std::uint32_t unknown = 0; ///< results that wait for memory
    Stall reason = Stall::ShortScoreboard;
};

/// Asynchronous copies that one commit closes.
struct CopyGroup {
    std::uint32_t pending = 0;
    std::uint64_t doneAt = 0;
    std::uint64_t readAt = 0;     ///< bulk copies: when their source in shared memory has been read
    std::vector<PhaseNote> notes; ///< signals that wait for it
};

/// What has happened of a phase (run/phases.h) on an SM that has a block which may wait for it.
struct PhaseState {
    std::uint32_t signals = 0;
    std::uint64_t last = 0; ///< cycle of the latest
};

/// A signal for another SM.
struct PhaseSignal {
    std::uint32_t phase = kNoPhase;
    std::uint64_t cycle = 0; ///< when it is there
};

/// The copies of one instruction of the copy engine: when all are done their phases are signalled.
struct BulkCopies {
    bool active = false;
    std::uint32_t remaining = 0; ///< transactions
    std::uint32_t block = 0;     ///< slot of the block that issued it, and which block that was
    std::uint64_t blockIndex = 0;
    std::uint64_t doneAt = 0;
    std::vector<PhaseNote> notes;
};

struct WarpSlot {
    bool active = false;
    bool atBarrier = false;
    bool dry = false;        ///< has consumed its stream
    bool listed = false;     ///< wants a refill
    bool wantsClock = false; ///< its stream ends at a read of the clock
    bool branched = false;   ///< the last instruction was a branch
    bool partial = false;    ///< the visit is only a part of its basic block
    bool isDivided = false;  ///< a lane is missing, and the kernel has instructions that are there for all lanes alone
    std::uint8_t owedWaits = 0; ///< counters that instructions which were left out would have waited for
    Stall reason = Stall::NoInstruction;
    std::uint32_t block = 0; ///< slot of its block
    std::uint32_t warp = 0;  ///< in the block
    std::uint32_t generation = 0;
    std::uint32_t age = 0;     ///< of its block: larger is younger
    std::uint64_t readyAt = 0; ///< do not look at it before
    std::uint64_t since = 0;   ///< charged up to here
    std::uint64_t lastIssue = 0;
    std::uint32_t op = 0; ///< machine instruction that is next
    std::uint32_t opEnd = 0;
    std::uint32_t codeLine = kNoLine;  ///< of the instruction it has fetched
    std::uint32_t codeChunk = kNoLine; ///< known to be in the SM's instruction cache
    Visit visit;
    std::uint32_t visitNumber = 0;
    WarpStream* stream = nullptr;
    // Places in the stream.
    std::size_t nextVisit = 0;
    std::size_t firstAccess = 0; ///< of the visit
    std::size_t firstLine = 0;
    std::size_t hintAccess = 0; ///< where the next access probably is
    std::size_t hintLine = 0;
    std::size_t nextBarrier = 0;
    std::size_t firstPhase = 0;          ///< notes of the visit start here
    std::uint32_t turns = 0;             ///< of SmSetup::turns
    std::uint32_t waitsPhase = kNoPhase; ///< it cannot go on before
    std::int64_t opsAhead = 0;
    BlockRun::Turn lastTurn = BlockRun::Turn::Ran;
    std::uint32_t barrierId = 0;
    std::uint32_t barrierGeneration = 0;
    std::uint32_t copyGroupsClosed = 0;           ///< since the warp started
    std::vector<CopyGroup> copyGroups;            ///< all of them, and the open one at the end
    std::uint64_t productsDone = 0;               ///< when all that wgmma was asked for is there, …
    std::array<std::uint64_t, 8> productGroups{}; ///< … that of the last groups that were closed, a ring, …
    std::uint32_t productGroupsClosed = 0;        ///< … and how many there were
    std::uint32_t storesInFlight = 0;
    std::uint64_t storesLeave = 0; ///< when the last of them is out of the SM
    std::array<ResultCounter, 6> counters{};
};

struct BlockSlot {
    std::unique_ptr<BlockRun> run;
    std::uint32_t liveWarps = 0;
    std::vector<std::uint32_t> slots; ///< of its warps, by their index in the block
    std::array<std::vector<std::uint16_t>, BlockBarriers::kCount> arrived; ///< by generation
    bool wanting = false;
    bool stuck = false; ///< no warp can run on, unless another block of the cluster lets it
    std::unordered_map<std::uint32_t, PhaseState> phases;
    std::size_t span = 0; ///< of the SM's block spans
};

struct FinishedBlock {
    std::unique_ptr<BlockRun> run;
    std::uint64_t cycle = 0;
};

struct SubCore {
    std::uint32_t first = 0; ///< warp slots [first, end)
    std::uint32_t end = 0;
    std::uint32_t liveWarps = 0;
    std::uint32_t lastSlot = kNoLine; ///< that issued last
    std::uint64_t nextReady = kNever; ///< earliest readyAt of its slots, or earlier
    std::uint64_t bankFree = 0;
    std::array<std::uint64_t, kPipes> pipeFree{};
    std::array<std::uint32_t, kPipes> pipeRest{}; ///< 256ths of a cycle past pipeFree
    std::vector<std::uint64_t> queue;             ///< when the shared pipe took the last memory instructions, a ring
    std::size_t queueNext = 0;
    std::vector<std::uint32_t> codeLines; ///< direct-mapped L0 of instruction lines
};

/// A warp instruction that waits for memory.
struct Transaction {
    std::uint32_t next = kNoLine; ///< free list
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    std::uint32_t remaining = 0; ///< lines
    std::uint32_t dataCycles = 1;
    std::uint8_t counter = kNoCounter;
    bool isStore = false;
    std::uint32_t copyGroup = kNoLine;
    std::uint32_t bulk = kNoLine; ///< of Sm::m_bulk; kNoLine: it is not a bulk copy
    std::uint64_t doneAt = 0;
};

struct Waiter {
    std::uint32_t next = kNoLine;
    std::uint32_t transaction = 0;
    std::uint8_t sectors = 0;
};

/// Sums of one SM.
struct SmTally {
    StallCycles stalls{};
    TimingCounters counters;
    std::uint64_t blocks = 0;
    std::uint64_t lastCycle = 0; ///< one past the last at which a warp was resident
};

/// The loop whose turns are told apart.
struct WatchedTurns {
    std::uint32_t end = kNoLine;  ///< one past the branch back; kNoLine: none
    std::uint32_t head = kNoLine; ///< the micro-op to which it goes
};

/// When warps began a turn.
struct TurnTally {
    std::uint64_t cycles = 0; ///< of all of them, added up
    std::uint64_t warps = 0;
};

/// Sums of one machine instruction on one SM.
struct OpTally {
    std::uint64_t issued = 0;
    std::uint64_t sectors = 0;
    std::uint64_t requests = 0, requestSectors = 0; ///< of lanes: without the copy engine
    std::uint64_t sharedWavefronts = 0, sharedLeast = 0;
    StallCycles stalls{};
};

} // namespace ridge::gpu::simt
