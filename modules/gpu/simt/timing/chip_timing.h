// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/machine/machine_kernel.h"

#include <map>
#include <string>
#include <vector>

namespace ridge::gpu::simt {

/// Where a value of a chip file comes from.
struct ValueOrigin {
    std::string confidence; ///< "verified", "recalled", "partial", "derived", "fitted" or "assumption"
    std::vector<std::string> source;
    std::string note;
};

/// The numbers that the timing model takes from a chip, one file each in assets/chips/timing. Cycles are SM cycles.
/// docs/chip-timing.md says what each field means; the reader fills them in by these names.
struct ChipTiming {
    std::string id;
    std::string name;

    double clockMhz = 0; ///< at which cycles become seconds
    double sms = 0;
    double subCores = 4;
    double branchCycles = 0;       ///< from the issue of a taken branch to the next instruction of the warp
    double barrierCycles = 0;      ///< between two warps that arrive at a barrier
    double pathCycles = 0;         ///< from the last issue of one path of a divergent warp to the first of the next
    double wideFactor = 1;         ///< how many times as long as IMAD its forms with 64-bit products keep the pipe
    double matchCycles = 0;        ///< of match.any, for each value more that differs
    double membarCycles = 0;       ///< that MEMBAR of the GPU or the system takes once all stores have arrived
    double blockInterval = 0;      ///< between two blocks that take the places of others, and …
    double warpInterval = 0;       ///< … for each warp of them; 0: not known
    double blockCycles = 0;        ///< from the end of a block to when another can have its place
    double l0Instructions = 0;     ///< instruction cache of a sub-core
    double l1Instructions = 0;     ///< instruction cache of an SM
    double l0MissCycles = 0;       ///< a jump out of the L0 that the L1 serves
    double l1MissCycles = 0;       ///< a jump that L2 serves
    double constantMissCycles = 0; ///< until an SM's first read of the kernel's parameters is there; 0: not known
    double registerBanks = 2;      ///< of a sub-core
    double addsOnFma = 0;    ///< 1: additions and moves also run on the multipliers' pipe (IMAD.IADD, IMAD.MOV, IMAD.X)
    double mmaF32Factor = 1; ///< how much longer half products take that accumulate in f32 (GeForce: 2)
    double memoryQueue = 5;  ///< memory instructions a sub-core holds for the shared pipe
    double mioAcceptCycles = 1; ///< the shared pipe takes one memory instruction in this many cycles
    double tagsPerCycle = 4;    ///< lines that the L1 tag stage looks up in a cycle
    double l1BytesPerCycle = 0; ///< data stage, loads that hit
    double sharedBytesPerCycle = 0;
    double unifiedKb = 0; ///< L1 and shared memory together
    double l1Ways = 0;
    double pendingLines = 0;      ///< L1 lines and stores in flight, of an SM
    double storeQueue = 1;        ///< stores and atomics that wait in an SM for the way out, instructions of a warp
    double storeLines = 1e5;      ///< lines of stores and atomics out of an SM and in flight; 1e5: no bound is known
    double fillBytesPerCycle = 0; ///< from the network into an SM
    double sendBytesPerCycle = 0; ///< from an SM into the network
    double headerBytes = 0; ///< that a read, an atomic and a line stored in part take on that way besides their data
    double l2Kb = 0;
    double l2Slices = 0;     ///< of all partitions
    double l2Partitions = 1; ///< 2: an SM finds copies of far lines in its own partition
    double l2Ways = 0;
    double l2BytesPerCycle = 0;     ///< all slices
    double l2HitCycles = 0;         ///< load-to-use, near partition
    double l2FarCycles = 0;         ///< load-to-use, the other partition has the line
    double l2LinkBytesPerCycle = 0; ///< between the partitions, both ways together; 0: no bound is known
    double l2InBytesPerCycle = 0;   ///< from all SMs, data and headers; 0: no bound is known
    double l2RunLines = 1;          ///< consecutive lines that go to the same slice
    double l2AtomicsPerCycle = 0;   ///< of one slice, lanes that meet in one word one after another
    double l2AtomicCycles = 0;      ///< of a slice, for a sector of an atomic without a result; 0: as any sector
    double l2ResultBytes = 0;       ///< that a sector of an atomic with a result counts more on the way in
    double l2JoinCycles = 0;        ///< for which reads of one line by several SMs are served as one; 0: they are not
    double dramCycles = 0;          ///< load-to-use
    double dramChannels = 0;
    double dramReadBytes = 32;  ///< that are fetched at least, and in multiples
    double dramSharpness = 1.5; ///< of the bend between what is on the way and the pins' rate (MemoryGroup::crowd)
    double dramPeakGBs = 0;     ///< pins
    double dramReachedGBs = 0;  ///< best that was measured: the rate at which the channels serve
    double maxWarps = 0;        ///< of an SM
    double maxBlocks = 0;
    double registersPerSm = 0;
    double registerGranularity = 0; ///< registers of a warp are rounded up to this
    double sharedKbPerSm = 0;
    double sharedGranularity = 0;    ///< bytes
    double sharedReserved = 0;       ///< bytes of each block
    std::vector<double> carveoutsKb; ///< legal sizes of shared memory
    double gpcs = 1;                 ///< groups of SMs; the blocks of a cluster share one
    double clusterCycles = 0;        ///< load-to-use, shared memory of another SM of the cluster
    double clusterBytesPerCycle = 0; ///< from an SM to others of its cluster

    std::array<double, kLatencyClasses> latency{}; ///< cycles to the result
    std::array<double, kLatencyClasses> lanes{};   ///< results per cycle and SM of the class's pipe

    std::map<std::string, ValueOrigin> origins; ///< by path, "latency.fma"

    double dramBytesPerCycle() const { return dramReachedGBs * 1e3 / clockMhz; }
};

/// The SMs [first, end) of a GPC: pairs of SMs dealt out evenly, the first GPCs have one pair more.
struct GpcRange {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
};
GpcRange gpcRange(const ChipTiming& chip, std::uint32_t gpc);
std::uint32_t largestGpc(const ChipTiming& chip);

/// "fma", "global_load": the names of latency classes in chip files.
std::string_view chipName(LatencyClass latency);

} // namespace ridge::gpu::simt
