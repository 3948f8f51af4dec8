// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/async_ops.h"
#include "gpu/simt/run/cluster.h"
#include "gpu/simt/run/memory_access.h"

namespace ridge::gpu::simt {

/// What asynchronous copies and mbarriers share.

template<class T>
T* planeOf(WarpRegisters& warp, std::uint32_t offset)
{
    return reinterpret_cast<T*>(warp.file + offset);
}

inline Step noteFault(Warp& warp, Fault::Kind kind, Space space, MemoryOp op, std::uint32_t bytes, std::size_t lane,
                      std::uint64_t address, std::uint64_t limit)
{
    warp.launch->fault = {kind, space, op, bytes, static_cast<std::uint32_t>(lane), address, limit};
    return Step::Fault;
}

/// Bytes of shared memory on the host, and whose they are. Null with a fault noted where they are not all there.
struct SharedBytes {
    std::byte* host = nullptr;
    SharedPlace place;
};
/// `address` may be generic and may name another block of the cluster.
SharedBytes sharedBytesAt(Warp& warp, std::size_t lane, std::uint64_t address, std::uint64_t bytes, std::uint64_t align,
                          MemoryOp op);
SharedBytes sharedBytesAt(Warp& warp, std::size_t lane, const SharedPlace& place, std::uint64_t bytes,
                          std::uint64_t align, MemoryOp op);
/// Null with a fault noted where they are not all in one allocation.
std::byte* globalBytesAt(Warp& warp, std::size_t lane, std::uint64_t address, std::uint64_t bytes, std::uint64_t align,
                         MemoryOp op);

/// Tells an mbarrier that `bytes` of a copy have arrived.
void completeBytesAt(Warp& warp, const MicroOp& op, const SharedBytes& barrier, std::uint64_t bytes);

/// Combines elements of `detail` (atomic, type, elementBytes) one by one: target = target op source.
void reduceBytes(const MemoryDetail& detail, Space space, std::byte* target, const std::byte* source,
                 std::uint64_t bytes);

/// Bytes that the copy engine or wgmma moves, for counters and for the clock. Global memory by its ranges, one access.
void recordBulkGlobal(Warp& warp, const MicroOp& op, std::size_t lane, MemoryOp kind,
                      const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges);
void recordBulkShared(Warp& warp, const MicroOp& op, MemoryOp kind, std::uint64_t bytes, bool isRemote);

OpFunction findBarrierObjectOp(AsyncOp op); ///< mbarrier_ops.cpp
OpFunction findTensorCopy();                ///< tensor_copy.cpp
OpFunction findRemoteStore(AsyncOp op);     ///< remote_ops.cpp

} // namespace ridge::gpu::simt
