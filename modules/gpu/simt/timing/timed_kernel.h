// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"
#include "gpu/simt/timing/chip_timing.h"
#include "gpu/timing_report.h"

namespace ridge::gpu::simt {

/// How the SM model treats an instruction.
enum class OpKind : std::uint8_t {
    Compute, ///< a pipe of the sub-core for some cycles, a result after some more
    Memory,  ///< goes through the memory pipe with the accesses of a micro-op
    Mio,     ///< goes through the memory pipe without accesses: shuffles
    Barrier,
    Phase, ///< signals or waits for phases of mbarriers and clusters
    Bulk,  ///< for the copy engine
    Fence,
    AsyncCommit, ///< closes a group of asynchronous copies
    AsyncWait,   ///< until at most `latency` closed groups are under way
    GroupCommit, ///< closes a group of products by wgmma
    GroupWait,   ///< until at most `latency` closed groups of products are under way
};

/// A machine instruction with all that one chip decides about it.
struct TimedOp {
    OpKind kind = OpKind::Compute;
    Pipe pipe = Pipe::None;
    std::uint8_t stall = 1;
    std::uint8_t waitMask = 0;
    std::uint8_t writeCounter = kNoCounter;
    std::uint8_t readCounter = kNoCounter;
    bool isCopy = false; ///< asynchronous, a part of the open group of copies
    WarpPart part = WarpPart::All;
    bool pastL1 = false;                   ///< ld.cg, ld.cv: neither looks into the first cache nor fills it
    bool writesL2 = false;                 ///< a store or an atomic that may leave the SM
    bool readsConstants = false;           ///< LDC, ULDC
    bool readsOnly = false;                ///< AsyncWait: until sources in shared memory have been read
    bool afterCopies = false;              ///< Phase: its signal comes when the open group of copies has arrived
    bool countsValues = false;             ///< match.any
    bool isCluster = false;                ///< Phase: of the cluster's barrier
    std::uint8_t bankCycles = 0;           ///< extra, all sources in one bank
    std::uint8_t passes = 1;               ///< Memory: through the banks, of each lane that meets others there
    Stall reason = Stall::ShortScoreboard; ///< of those who wait for its result
    std::uint8_t otherInterval = 0;        ///< cycles on the FMA pipe, where it may run there as well; 0: it may not
    std::uint32_t interval = 1;            ///< cycles for which it keeps its pipe …
    std::uint32_t intervalRest = 0;        ///< … and 256ths of one, which add up from instruction to instruction
    std::uint32_t latency = 1;             ///< cycles to the result without contention
    /// Memory instructions time the accesses of micro-ops [microOp, microOpEnd), those of one PTX instruction. Where
    /// several machine instructions share them, this is number `share` of `shares`.
    std::uint32_t microOp = kNoMicroOp;
    std::uint32_t microOpEnd = kNoMicroOp;
    std::uint16_t share = 0;
    std::uint16_t shares = 1;
    std::uint32_t covers = kNoMicroOp;
};

/// Goes through the queue of global memory.
inline bool isGlobalOp(const TimedOp& op)
{
    return op.pipe == Pipe::Lsu || op.pipe == Pipe::Copy;
}

struct TimedKernel {
    const KernelImage* image = nullptr;
    const MachineKernel* machine = nullptr;
    std::vector<TimedOp> ops;
    bool dividesWarps = false; ///< has instructions for full warps alone
};

/// What the static scheduler must know of the chip.
ScheduleLatencies scheduleLatencies(const ChipTiming& chip);

TimedKernel timeKernel(const KernelImage& image, const MachineKernel& machine, const ChipTiming& chip);

} // namespace ridge::gpu::simt
