// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/trace.h"
#include "gpu/device.h"
#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

struct Warp;
struct PlacedAccess;

/// A bulk or tensor copy whose mbarrier nobody has seen complete.
struct BulkCopy {
    std::uint64_t address = 0, bytes = 0, barrier = 0; ///< offsets in shared memory
};

/// What the executor tells who watches a launch (the Checker). It does so only where LaunchState::check names one.
class LaunchWatcher {
public:
    virtual ~LaunchWatcher() = default;

    virtual void startBlock(const Dim3& id, std::uint64_t linear, std::vector<Warp>& warps) = 0;
    /// A barrier is complete; warps' splits still wait at it. `counted`: it has a number of threads of its own.
    virtual void barrierOpens(std::uint32_t id, const std::vector<std::uint32_t>& arrived, bool counted,
                              const std::vector<Warp>& warps) = 0;
    /// All threads of the block that `warps` are have ended.
    virtual void blockEnds(const std::vector<Warp>& warps) = 0;
    /// The barrier of a cluster is complete; `warps` are those of one of its blocks.
    virtual void clusterBarrierOpens(const std::vector<Warp>& warps) = 0;
    /// __syncwarp() or a fence; the watcher sees shuffles and votes by itself.
    virtual void warpSync(const Warp& warp) = 0;
    virtual void terminator(Warp& warp, std::uint32_t pc, std::uint32_t mask) = 0;
    /// What an instruction on matrices, or a cp.async, is about to touch.
    virtual void seen(const Warp& warp, const MicroOp& op, const PlacedAccess& access, MemoryOp kind) = 0;
    /// A bulk copy into the block's own shared memory begins, and a thread has found a phase of an mbarrier over.
    virtual void bulkStarts(const Warp& warp, const MicroOp& op, std::size_t lane, const BulkCopy& copy) = 0;
    /// A bulk or tensor copy of a thread touches these bytes of device memory; reductions do so as atomics, unseen.
    virtual void globalSeen(const Warp& warp, const MicroOp& op, std::size_t lane, std::uint64_t address,
                            std::uint64_t bytes, MemoryOp kind) = 0;
    virtual void barrierSeen(const Warp& warp, std::uint64_t barrier) = 0;
    /// A micro-op of the watcher's own copy of the kernel.
    virtual Step run(Warp& warp, const MicroOp& op, std::uint32_t mask) = 0;
};

/// What the executor tells who writes a block's steps down (the StepRecorder).
class StepWatcher {
public:
    virtual ~StepWatcher() = default;

    virtual Step run(Warp& warp, const MicroOp& op, std::uint32_t mask) = 0;
    virtual void terminator(const Warp& warp, std::uint32_t pc, std::uint32_t mask) = 0;
    /// Lanes that waited at a bar.warp.sync go on: their step. Those that need not wait have it in run().
    virtual void warpBarrierOpens(const Warp& warp, std::uint32_t pc, std::uint32_t mask) = 0;
    /// The barrier that lanes came to with a bar.red opens and has left its result in their registers: a second step.
    virtual void barrierResult(const Warp& warp, std::uint32_t pc, std::uint32_t mask) = 0;
    /// What runs a bar.warp.sync in the watcher's copy of the kernel.
    virtual OpFunction warpBarrier() const = 0;
};

} // namespace ridge::gpu::simt
