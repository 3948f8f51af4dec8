// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/trace.h"

#include <string>

namespace ridge {

/// The chip that a launch was simulated on.
struct TracedChip {
    std::string name;       ///< "H100 SXM5 80GB (simulated)"
    std::string confidence; ///< of the chip file's weakest value that matters: "verified" … "assumption"
    std::uint32_t sms = 0;
    std::uint32_t warpSlots = 0; ///< of an SM
    double clockHz = 0;
    double memoryBytesPerSecond = 0; ///< pins; 0: unknown
    std::uint64_t l2Bytes = 0;
    bool operator==(const TracedChip&) const = default;
};

struct TracedOccupancy {
    double theoretical = 0; ///< 0 … 1
    double achieved = 0;    ///< warps per active cycle ÷ warp slots
    std::uint32_t blocksPerSm = 0, warpsPerBlock = 0;
    std::uint32_t registersPerThread = 0;
    std::uint32_t sharedBytesPerBlock = 0;
    std::uint32_t sharedCarveoutBytes = 0, l1Bytes = 0; ///< of an SM
    std::string limiter;                                ///< "warps", "registers", "shared memory", "blocks", "grid"
    bool operator==(const TracedOccupancy&) const = default;
};

/// What was counted on the blocks that were simulated in time (docs/counters.md). Bytes are sectors × 32.
struct TracedCounters {
    std::uint64_t instructions = 0; ///< machine instructions, a warp each
    std::uint64_t warpCycles = 0, activeCycles = 0;
    std::uint64_t l1Requests = 0, l1SectorHits = 0, l1SectorMisses = 0;
    std::uint64_t l2Requests = 0, l2SectorHits = 0, l2SectorMisses = 0;
    std::uint64_t dramReadBytes = 0, dramWriteBytes = 0;
    std::uint64_t sharedWavefronts = 0;
    std::uint64_t globalLoadBytes = 0, globalStoreBytes = 0; ///< that lanes asked for, whole launch
    std::uint64_t globalLoadRequests = 0, globalStoreRequests = 0;
    std::uint64_t globalLoadSectors = 0, globalStoreSectors = 0;
    std::uint64_t sharedRequests = 0;
    bool operator==(const TracedCounters&) const = default;
};

struct TracedExtrapolation {
    bool used = false;
    std::uint64_t blocks = 0, simulatedBlocks = 0, simulatedCycles = 0;
    double relativeError = 0; ///< half-width of a 95 % interval of the total
    bool operator==(const TracedExtrapolation&) const = default;
};

/// A machine instruction with what it waits for: counters 0 … 5 of its warp, as in the control bits of real machine
/// code.
struct TracedInstruction {
    static constexpr std::uint8_t kNone = 0xff;
    std::string text; ///< "LDG.E.32"
    std::uint32_t ptxLine = 0, sourceLine = 0;
    std::uint8_t waitMask = 0;         ///< counters that must be zero before it issues
    std::uint8_t writeCounter = kNone; ///< the one that its result clears
    std::uint8_t readCounter = kNone;  ///< the one that clears when its sources have been read
    bool operator==(const TracedInstruction&) const = default;
};

struct TracedLine {
    std::uint32_t sourceLine = 0, ptxLine = 0; ///< 0: no line table
    std::string text;                          ///< of the source line, empty where it is not known
    std::uint64_t instructions = 0;            ///< issued, a warp each
    std::uint64_t sectors = 0;                 ///< of global memory
    std::vector<std::uint64_t> stateCycles;    ///< by LaunchTrace::states
    bool operator==(const TracedLine&) const = default;
};

struct TracedBlock {
    std::uint64_t block = 0;
    std::uint32_t sm = 0;
    std::uint64_t begin = 0, end = 0; ///< cycles
    bool operator==(const TracedBlock&) const = default;
};

/// What each SM did in each bucket of cycles: warp-cycles by a few groups of states.
struct TracedGrid {
    std::uint64_t bucketCycles = 0;
    std::vector<std::string> counters; ///< "inst_issued", "warp_cycles", "long_scoreboard" …
    std::vector<std::uint32_t> values; ///< [bucket][sm][counter]
    bool operator==(const TracedGrid&) const = default;
};

/// A stretch of a warp's life in one state.
struct WarpInterval {
    std::uint32_t begin = 0; ///< cycle
    std::uint32_t cycles = 0;
    std::uint32_t op = 0;    ///< instruction that it issues, or would issue next
    std::uint32_t lanes = 0; ///< active mask of an issue, else 0
    std::uint8_t state = 0;  ///< index into LaunchTrace::states; 0 is "selected": it issues
    std::uint32_t end() const { return begin + cycles; }
    bool operator==(const WarpInterval&) const = default;
};

/// A warp from its first cycle to its last, or to where the watch ended.
struct WarpTrack {
    std::uint32_t sm = 0, slot = 0;
    std::uint64_t block = 0;
    std::uint32_t warp = 0;              ///< in the block
    bool whole = false;                  ///< to its end
    std::vector<WarpInterval> intervals; ///< each begins where the one before ends
    bool operator==(const WarpTrack&) const = default;
};

/// What a timing model knows of one launch; what the scenes of docs/authoring.md draw. Layout in docs/protocol.md.
struct LaunchTrace {
    static constexpr std::size_t kMostBytes = 64u << 20; ///< a larger one is refused

    std::string kernel;
    TracedChip chip;
    std::vector<std::uint32_t> grid{1, 1, 1}, block{1, 1, 1};
    std::uint64_t cycles = 0; ///< of the whole launch, with what was extrapolated
    TracedExtrapolation extrapolation;
    TracedOccupancy occupancy;
    TracedCounters counters;
    std::vector<std::string> states;        ///< "selected", "not_selected" … as in Nsight Compute
    std::vector<std::uint64_t> stateCycles; ///< warp-cycles by state; they sum to counters.warpCycles
    std::vector<TracedLine> lines;
    std::vector<TracedInstruction> machine;
    std::uint64_t blocksInAll = 0; ///< of which the first ones follow
    std::vector<TracedBlock> blocks;
    TracedGrid sms;
    std::uint32_t watchedSms = 0;            ///< SMs 0 … n − 1 were watched warp by warp …
    std::vector<std::uint64_t> watchedUntil; ///< … up to these cycles
    std::vector<WarpTrack> warps;            ///< by SM, then begin
    bool operator==(const LaunchTrace&) const = default;

    std::size_t buckets() const;
    std::size_t events() const; ///< intervals of all warps
};

std::string encodeLaunchTrace(const LaunchTrace& trace);

/// Errors: "bad-trace" (not one, cut short, damaged, larger than kMostBytes, indices that point nowhere),
/// "newer-trace".
Result<LaunchTrace> decodeLaunchTrace(std::string_view bytes);

} // namespace ridge
