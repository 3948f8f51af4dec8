// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::gpu {

/// Why a resident warp did not issue in a cycle, with the names of Nsight Compute's warp states.
enum class Stall : std::uint8_t {
    Selected, ///< it did issue
    NotSelected,
    Wait,
    LongScoreboard,
    ShortScoreboard,
    MioThrottle,
    LgThrottle,
    MathPipeThrottle,
    Barrier,
    Membar,
    BranchResolving,
    NoInstruction,
    ImcMiss,
    DispatchStall,
    Drain,
    Sleeping,
    TexThrottle,
    Gmma,
};
inline constexpr std::size_t kStalls = static_cast<std::size_t>(Stall::Gmma) + 1;
std::string_view toText(Stall stall); ///< "long_scoreboard": as in smsp__average_warps_issue_stalled_long_scoreboard

/// Warp-cycles by state; their sum is the number of warp-cycles.
using StallCycles = std::array<std::uint64_t, kStalls>;

/// What a source line (or a PTX line where the PTX has no line table) took.
struct LineTiming {
    std::uint32_t sourceLine = 0;   ///< 0: no line table
    std::uint32_t ptxLine = 0;      ///< the first one of it
    std::uint64_t instructions = 0; ///< machine instructions issued, a warp each
    std::uint64_t sectors = 0;      ///< 32-byte sectors that its loads, stores and atomics touched in global memory
    std::uint64_t requests = 0;     ///< warp instructions that touched global memory, without copies of the copy engine
    std::uint64_t requestSectors = 0;          ///< sectors of those
    std::uint64_t sharedWavefronts = 0;        ///< passes through the banks of its shared loads and stores
    std::uint64_t sharedMinimumWavefronts = 0; ///< what they would be had no two lanes met in a bank
    StallCycles stalls{};                      ///< warp-cycles in which this line was the next to issue
};

/// Warp-level event counts of the timing model. Names follow Nsight Compute where they mean the same
/// (docs/counters.md).
struct TimingCounters {
    std::uint64_t instIssued = 0;                     ///< smsp__inst_executed: machine instructions
    std::uint64_t activeCycles = 0;                   ///< sm__cycles_active.sum
    std::uint64_t warpCycles = 0;                     ///< sm__warps_active.sum
    std::uint64_t l1Requests = 0;                     ///< l1tex__t_requests of global, local: warp instructions
    std::uint64_t l1TagWavefronts = 0;                ///< cycles of the tag stage
    std::uint64_t l1DataWavefronts = 0;               ///< l1tex__data_pipe_lsu_wavefronts
    std::uint64_t l1SectorHits = 0;                   ///< l1tex__t_sectors_lookup_hit
    std::uint64_t l1SectorMisses = 0;                 ///< l1tex__t_sectors_lookup_miss
    std::uint64_t l2Requests = 0;                     ///< lts__t_requests
    std::uint64_t l2SectorHits = 0;                   ///< lts__t_sectors_lookup_hit
    std::uint64_t l2SectorMisses = 0;                 ///< lts__t_sectors_lookup_miss
    std::uint64_t dramReadBytes = 0;                  ///< dram__bytes_read
    std::uint64_t dramWriteBytes = 0;                 ///< dram__bytes_write
    std::uint64_t sharedWavefronts = 0;               ///< l1tex__data_pipe_lsu_wavefronts_mem_shared
    std::uint64_t registerConflicts = 0;              ///< cycles lost to register banks
    std::array<std::uint64_t, 17> pipeInstructions{}; ///< by simt::Pipe
};

struct SmTiming {
    std::uint64_t cycles = 0; ///< until its last warp ended
    std::uint64_t blocks = 0;
    std::uint64_t instructions = 0;
    std::uint64_t warpCycles = 0;
};

/// 16 counters for each SM and bucket of cycles; buckets widen so that all of them stay below 64 MB.
struct Timeline {
    static constexpr std::size_t kCounters = 16;
    std::uint64_t bucketCycles = 0;
    std::uint32_t sms = 0;
    std::vector<std::string> names;    ///< kCounters
    std::vector<std::uint32_t> values; ///< [bucket][sm][counter]
};

/// Where and when a block was resident.
struct BlockSpan {
    std::uint64_t block = 0; ///< linear
    std::uint32_t sm = 0;
    std::uint64_t begin = 0; ///< cycle at which its warps may issue
    std::uint64_t end = 0;   ///< one past the last cycle of its last warp
};

struct OccupancyTiming {
    double theoretical = 0;      ///< 0 … 1
    double achieved = 0;         ///< average active warps per active cycle / warp slots
    std::uint32_t warpSlots = 0; ///< of an SM
    std::uint32_t blocksPerSm = 0;
    std::uint32_t warpsPerBlock = 0;
    std::uint32_t registersPerThread = 0;
    std::uint32_t sharedBytesPerBlock = 0; ///< with the system's share, rounded
    std::uint32_t sharedCarveoutBytes = 0; ///< of the unified memory of an SM
    std::uint32_t l1Bytes = 0;             ///< the rest of it
    std::string limiter;                   ///< "warps", "registers", "shared memory", "blocks", "grid"
};

/// How much of the launch was simulated cycle by cycle.
struct Extrapolation {
    bool used = false;
    std::uint64_t blocks = 0;          ///< of the grid
    std::uint64_t simulatedBlocks = 0; ///< exactly
    std::uint64_t simulatedCycles = 0;
    double cyclesPerBlock = 0; ///< of the steady state, all SMs together
    double relativeError = 0;  ///< half-width of a 95 % interval of the total, from block to block; 0 when not used
    std::uint64_t turns = 0;   ///< of the loop of which a part was timed; 0: loops were timed whole
    std::uint64_t simulatedTurns = 0; ///< the most of them that were
    bool wholeCounters = false;       ///< counters, stalls and lines are estimates for all blocks, not those timed
    bool resultsLeftOut = false;      ///< the rest was not executed, and memory is as it was
};

/// 16 bytes of what happened (simt/timing/events.h reads them).
struct TimingEvent {
    enum class Kind : std::uint8_t { Issue, Stall, Request, Reply, BlockStart, BlockEnd, BarrierOpen, WarpEnd };
    std::uint32_t cycle = 0;
    std::uint16_t sm = 0;
    std::uint8_t slot = 0; ///< warp slot of the SM
    Kind kind = Kind::Issue;
    std::uint32_t op = 0;      ///< machine instruction
    std::uint32_t payload = 0; ///< Issue: active lanes; Stall: reason << 24 | cycles; Request: sectors; Block…: block
    bool operator==(const TimingEvent&) const = default;
};
static_assert(sizeof(TimingEvent) == 16);

/// The text and place of machine instruction `op` of an event.
struct MachineLine {
    std::string text;
    std::uint32_t ptxLine = 0;
    std::uint32_t sourceLine = 0;
    std::uint8_t waitMask = 0;        ///< counters of the warp, bits 0 … 5, that must be zero before it issues
    std::uint8_t writeCounter = 0xff; ///< the one that its result clears; 0xff: none
    std::uint8_t readCounter = 0xff;  ///< the one that clears when its sources have been read
};

/// What the timing model says about one launch. Launch overhead is not in it.
struct TimingReport {
    std::string chip;
    std::uint64_t cycles = 0;
    double seconds = 0;
    double clockHz = 0;
    std::string confidence; ///< of the chip file: "verified", "partial", "assumption" (the weakest that matters)
    std::vector<std::string> assumptions; ///< fields of the chip file that are only assumed
    OccupancyTiming occupancy;
    StallCycles stalls{};
    TimingCounters counters;
    std::vector<LineTiming> lines; ///< by source line, then PTX line
    std::vector<SmTiming> sms;
    Timeline timeline;
    std::vector<TimingEvent> events; ///< the last ones of the window asked for, ascending by cycle, SM, order
    std::vector<MachineLine> machine;
    std::vector<BlockSpan> blocks; ///< those simulated in time, by SM and then begin
    Extrapolation extrapolation;
    std::uint64_t hash = 0; ///< of cycles, counters, stalls and events: equal for equal runs
};

} // namespace ridge::gpu
