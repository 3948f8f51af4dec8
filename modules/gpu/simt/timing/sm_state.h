// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/sector_cache.h"
#include "gpu/simt/timing/sm_setup.h"

#include <algorithm>

namespace ridge::gpu::simt {

inline constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};
inline constexpr std::uint32_t kCodeLine = 8; ///< instructions of 16 bytes in a line of 128

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

/// PhaseState by the number of the phase: a table in one piece, since every turn of a loop looks into it.
class PhaseStates {
public:
    const PhaseState* find(std::uint32_t phase) const
    {
        if (m_entries.empty())
            return nullptr;
        const Entry& entry = m_entries[placeOf(phase)];
        return entry.phase == phase ? &entry.state : nullptr;
    }
    PhaseState& operator[](std::uint32_t phase)
    {
        if (2 * (m_count + 1) > m_entries.size())
            grow();
        Entry& entry = m_entries[placeOf(phase)];
        m_count += entry.phase == kNoPhase ? 1 : 0;
        entry.phase = phase;
        return entry.state;
    }
    void clear()
    {
        m_entries.clear();
        m_count = 0;
    }

private:
    struct Entry {
        std::uint32_t phase = kNoPhase;
        PhaseState state;
    };
    /// Where the phase is, or would be.
    std::size_t placeOf(std::uint32_t phase) const
    {
        const std::size_t mask = m_entries.size() - 1;
        std::size_t at = (phase * std::uint64_t{0x9e3779b97f4a7c15u} >> 32) & mask;
        while (m_entries[at].phase != phase && m_entries[at].phase != kNoPhase)
            at = (at + 1) & mask;
        return at;
    }
    void grow()
    {
        std::vector<Entry> before(std::max<std::size_t>(2 * m_entries.size(), 16));
        before.swap(m_entries);
        for (const Entry& entry : before) {
            if (entry.phase != kNoPhase)
                m_entries[placeOf(entry.phase)] = entry;
        }
    }

    std::vector<Entry> m_entries; ///< a power of two, at most half of them taken
    std::size_t m_count = 0;
};

/// A resident warp, and how far it is in the stream of what its block has run. What is looked at every cycle lies in
/// its first three lines of this computer's cache.
struct alignas(64) WarpSlot {
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
    std::array<ResultCounter, 6> counters{};
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
    std::uint32_t copyGroupsDone = 0;             ///< so many of the first have arrived, …
    std::uint64_t copiesDoneAt = 0;               ///< … the last of them then
    std::uint64_t productsDone = 0;               ///< when all that wgmma was asked for is there, …
    std::array<std::uint64_t, 8> productGroups{}; ///< … that of the last groups that were closed, a ring, …
    std::uint32_t productGroupsClosed = 0;        ///< … and how many there were
    std::uint32_t storesInFlight = 0;
    std::uint64_t storesLeave = 0; ///< when the last of them is out of the SM

    /// A result whose time is known.
    void resultAt(std::uint8_t counter, Stall why, std::uint64_t cycle)
    {
        if (counter == kNoCounter)
            return;
        ResultCounter& result = counters[counter];
        result.clearAt = std::max(result.clearAt, cycle);
        result.reason = why;
    }
    /// One that waits for memory.
    void resultPending(const TimedOp& by)
    {
        if (by.writeCounter == kNoCounter)
            return;
        ++counters[by.writeCounter].unknown;
        counters[by.writeCounter].reason = by.reason;
    }
    /// When all groups of products but the last `open` are done: in the order in which they were asked for.
    std::uint64_t productsDoneBut(std::uint32_t open) const
    {
        const auto kept = std::min<std::uint32_t>(productGroupsClosed, std::uint32_t(productGroups.size()));
        return open < kept ? productGroups[(productGroupsClosed - 1 - open) % productGroups.size()] : 0;
    }
    CopyGroup& openCopyGroup()
    {
        copyGroups.resize(copyGroupsClosed + 1);
        return copyGroups.back();
    }
};

struct BlockSlot {
    std::unique_ptr<BlockRun> run;
    std::uint32_t liveWarps = 0;
    std::vector<std::uint32_t> slots; ///< of its warps, by their index in the block
    std::array<std::vector<std::uint16_t>, BlockBarriers::kCount> arrived; ///< by generation
    bool wanting = false;
    bool stuck = false; ///< no warp can run on, unless another block of the cluster lets it
    PhaseStates phases;
    std::size_t span = 0; ///< of the SM's block spans
};

struct FinishedBlock {
    std::unique_ptr<BlockRun> run;
    std::uint64_t cycle = 0;
};

/// A quarter of the SM: the warps from which it issues one instruction a cycle, and its pipes.
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

    bool has(std::uint32_t slot) const { return slot >= first && slot < end; }

    /// The pipe that takes the instruction first.
    Pipe pipeFor(const TimedOp& op) const
    {
        const bool other = op.otherInterval != 0 &&
                           pipeFree[static_cast<std::size_t>(Pipe::Fma)] < pipeFree[static_cast<std::size_t>(op.pipe)];
        return other ? Pipe::Fma : op.pipe;
    }
    /// An instruction of a pipe of the sub-core's own has issued.
    void occupy(Pipe with, const TimedOp& op, std::uint64_t now)
    {
        const auto pipe = static_cast<std::size_t>(with);
        const bool isOther = with != op.pipe;
        const std::uint32_t rest = pipeRest[pipe] + (isOther ? 0 : op.intervalRest);
        pipeFree[pipe] = now + (isOther ? op.otherInterval : op.interval) + rest / 256;
        pipeRest[pipe] = rest % 256;
    }
    /// Whether an instruction line is there. It is from now on: the next one is fetched ahead, so that only jumps miss.
    bool fetchLine(std::uint32_t line)
    {
        const std::size_t lines = codeLines.size();
        const bool known = codeLines[line % lines] == line || (line > 0 && codeLines[(line - 1) % lines] == line - 1);
        codeLines[line % lines] = line;
        return known;
    }
    void queued(std::uint64_t cycle)
    {
        queue[queueNext] = cycle;
        queueNext = (queueNext + 1) % queue.size();
    }
};

/// Sums of one SM.
struct SmTally {
    StallCycles stalls{};
    TimingCounters counters;
    std::uint64_t blocks = 0;
    std::uint64_t lastCycle = 0; ///< one past the last at which a warp was resident
};

/// When warps began a turn.
struct TurnTally {
    std::uint64_t cycles = 0; ///< of all of them, added up
    std::uint64_t warps = 0;
};

/// Sums of one machine instruction, over all SMs that a thread has run: three lines of the cache.
struct alignas(64) OpTally {
    std::uint64_t issued = 0;
    std::uint64_t sectors = 0;
    std::uint64_t requests = 0, requestSectors = 0; ///< of lanes: without the copy engine
    std::uint64_t sharedWavefronts = 0, sharedLeast = 0;
    StallCycles stalls{};
};

/// What a report takes from one SM.
struct SmSums {
    SmTally tally;
    std::vector<BlockSpan> spans;
    std::vector<std::vector<TurnTally>> turns; ///< as Sm::turnTally() gives them
};

} // namespace ridge::gpu::simt
