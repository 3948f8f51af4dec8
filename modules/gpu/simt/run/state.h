// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"
#include "gpu/simt/image/kernel_image.h"
#include "gpu/simt/run/memory.h"
#include "gpu/simt/run/observer.h"
#include "gpu/simt/run/phases.h"
#include "gpu/simt/run/stream.h"
#include "gpu/simt/run/tensor_math.h"
#include "gpu/simt/run/traffic.h"

#include <bit>
#include <cstdlib>

namespace ridge::gpu::simt {

class Cluster;     // gpu/simt/run/cluster.h
class StoreLog;    // gpu/simt/run/store_log.h
class LoopWatcher; // gpu/simt/run/loop_watch.h
struct BlockShadow;

/// std::popcount is a call on processors without the instruction; most warps are whole.
inline std::uint32_t laneCount(std::uint32_t mask)
{
    return mask == ~std::uint32_t{0} ? kWarpSize : static_cast<std::uint32_t>(std::popcount(mask));
}

/// What stopped a launch at an instruction.
struct Fault {
    enum class Kind : std::uint8_t {
        None,
        OutOfBounds,
        Misaligned,
        BadBarrier,
        BadBranchIndex,
        Trap,
        Assertion,     ///< LaunchState::faultText says which
        BadFree,       ///< free() of what malloc() did not give
        NoSuchRank,    ///< mapa: a block of the cluster that does not exist
        StackOverflow, ///< of calls; `limit` is the size of a thread's stack
        StackTooSmall, ///< for alloca of `address` bytes; `limit` are left
        BadStack,      ///< stackrestore of `address`, which stacksave never gave
        BadTensorMap,  ///< LaunchState::faultText says why
        BadFunction,   ///< a call through a pointer that points to no function
        ExitedBlock,   ///< shared memory of a block of the cluster that has ended; `limit` is its rank
        ArrivedTwice,  ///< barrier.cluster.arrive without a wait in between
        NoArrival,     ///< barrier.cluster.wait without an arrival before
        NotPinned,     ///< a value for which the PTX ISA leaves the result open; LaunchState::faultText says which
    };
    Kind kind = Kind::None;
    Space space = Space::Global;
    MemoryOp op = MemoryOp::Load;
    std::uint32_t bytes = 0;
    std::uint32_t lane = 0;
    std::uint64_t address = 0; ///< BadBarrier: the number of the barrier; BadBranchIndex: the index
    std::uint64_t limit = 0;   ///< bytes of a space that is not global; targets of the table
};

/// Where the launch stopped, noted beside the Error that says so.
struct StopSite {
    std::uint32_t pc = kNone; ///< kNone: nowhere in particular
    Dim3 block;               ///< zero-based
    std::uint32_t warp = 0;
    std::uint32_t lane = kNone; ///< kNone: the whole block
    Fault fault;
};

/// The allocation that an instruction used last: most instructions stay in one.
struct AllocationView {
    std::uint64_t begin = 1;
    std::uint64_t end = 0;
    std::byte* host = nullptr;
};

/// Bytes aligned for planes and vector loads.
class AlignedBytes {
public:
    explicit AlignedBytes(std::size_t size)
        : m_bytes(static_cast<std::byte*>(std::aligned_alloc(kAlign, roundUp(size)))), m_size(roundUp(size))
    {
    }
    std::byte* data() { return m_bytes.get(); }
    std::size_t size() const { return m_size; }
    bool ok() const { return m_bytes != nullptr; }

private:
    static constexpr std::size_t kAlign = 64;
    static std::size_t roundUp(std::size_t size)
    {
        return (std::max<std::size_t>(size, 1) + kAlign - 1) / kAlign * kAlign;
    }
    std::unique_ptr<std::byte, Allocation::Release> m_bytes;
    std::size_t m_size;
};

/// What an mbarrier misses before its phase is over.
struct BarrierLook {
    std::uint64_t offset = 0; ///< in shared memory
    std::uint64_t arrivals = 0;
    std::int64_t bytes = 0;
};

/// Everything the micro-ops of one launch share.
struct LaunchState {
    const KernelImage* image = nullptr;
    GlobalMemory* memory = nullptr;
    std::vector<AllocationView> views; ///< one per MemoryDetail
    std::byte* shared = nullptr;
    std::uint64_t sharedBytes = 0;
    Cluster* cluster = nullptr;  ///< of the block that runs; it may be alone in it
    std::uint32_t rank = 0;      ///< of the block in its cluster
    PhaseBook* phases = nullptr; ///< while recording
    TensorRules tensor;          ///< of the chip
    std::byte* params = nullptr;
    std::uint64_t paramBytes = 0;
    std::uint32_t blockIndex = 0; ///< linear; grids beyond 2^32 blocks wrap in traces only
    Counters counters;
    std::vector<MemoryRequest> trace;
    LaunchOptions options;
    Fault fault;
    std::string faultText;              ///< Assertion
    std::string printed;                ///< by printf, in the order of execution
    bool printedCut = false;            ///< there was more than is kept
    std::uint64_t heapBytes = 0;        ///< malloc() of this launch
    bool observed = false;              ///< an instruction ran that may be waiting for another thread
    bool changed = false;               ///< a store, or an atomic that left another value in memory
    std::uint64_t globalAtomics = 0;    ///< warp-level atomics on global memory: a loop of them may wait for a block
    std::uint64_t barrierTests = 0;     ///< looks at mbarriers
    BarrierLook barrierLook;            ///< the last one that found its phase not over
    std::optional<std::uint64_t> clock; ///< cycle for the next read of the clock, while recording
    bool wantsClock = false;            ///< an instruction was not run because `clock` has no value
    /// Takes the stores to global memory; what needs a place in the order of all blocks does not run then, and says so
    /// by `wantsOrder`. Null: stores go to memory, in the order in which everything runs.
    StoreLog* log = nullptr;
    bool wantsOrder = false;
    WarpStream* stream = nullptr;    ///< of the warp that runs; null unless recording
    std::uint32_t accessesNoted = 0; ///< entries of stream->accesses that belong to finished visits
    LaunchWatcher* check = nullptr;  ///< watches the launch; null: nobody does
    LoopWatcher* loops = nullptr;    ///< is told of every turn of a loop; null: nobody is
    StepWatcher* steps = nullptr;    ///< writes down what one block does; null: nobody does
    std::optional<StopSite> stop;    ///< with the Error that ended the launch
};

/// The answer of a micro-op that has done nothing yet and needs its place in the order of all blocks.
inline Step leaveToOrder(LaunchState& launch)
{
    launch.wantsOrder = true;
    return Step::Wait;
}

/// Lanes of a warp that run together.
struct Split {
    enum class State : std::uint8_t { Ready, AtBarrier, AtSync };
    std::uint32_t pc = 0;
    std::uint32_t mask = 0;
    State state = State::Ready;
    bool resumed = false;        ///< goes on where its last turn ended
    bool yielded = false;        ///< has let the others go first
    std::uint32_t waitMask = 0;  ///< AtSync: lanes that must come
    std::uint32_t barrier = 0;   ///< AtBarrier: its number …
    std::uint32_t barrierOp = 0; ///< … and the micro-op that waits
    std::uint32_t spins = 0;     ///< backward branches since the last change of split
};

/// What a lane must find again when a called function returns.
struct LaneStack {
    std::vector<std::uint32_t> returns; ///< micro-ops
    std::vector<std::byte> saved;       ///< registers of outer activations
};

/// Where a warp is in the loop that a LoopWatcher looks at.
struct LoopPlace {
    std::uint64_t turns = 0;     ///< that have ended
    std::vector<std::byte> kept; ///< registers of an earlier one
};

struct Warp : WarpRegisters {
    LaunchState* launch = nullptr;
    std::uint32_t index = 0;       ///< in the block
    std::uint64_t number = 0;      ///< among the warps that live at the same time
    std::uint32_t live = 0;        ///< lanes that have not exited
    std::uint32_t threads = 0;     ///< lanes that exist
    std::uint32_t active = 0;      ///< lanes of the split that runs
    std::uint32_t waitMask = 0;    ///< lanes an operation that answered Step::Wait needs
    std::byte* local = nullptr;    ///< of lane 0; the next lane's follows after localBytes
    std::vector<LaneStack> stacks; ///< of the lanes; empty until something is called
    std::vector<Split> splits;     ///< all but the running one while a split runs
    BlockShadow* shadow = nullptr; ///< what LaunchState::check knows of the block
    LoopPlace loop;
};

} // namespace ridge::gpu::simt
