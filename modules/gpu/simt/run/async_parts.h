// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/async_ops.h"
#include "gpu/simt/run/cluster.h"
#include "gpu/simt/run/memory_access.h"

#include <initializer_list>
#include <span>

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

/// `mask` without the lanes that have the same in all of these planes, of 64 and of 32 bits, as a lane before them. A
/// plain copy to global memory goes out once for such lanes: ptxas 13.5 emits one instruction where it can prove that
/// all lanes have the same, else a loop over those that differ. Copies that an mbarrier counts and reductions go out
/// for each.
inline std::uint32_t distinctLanes(WarpRegisters& warp, std::uint32_t mask, std::initializer_list<std::uint32_t> wide,
                                   std::span<const std::uint32_t> narrow)
{
    std::uint32_t kept = 0;
    forMask(mask, [&](std::size_t lane) {
        bool isNew = true;
        forMask(kept, [&](std::size_t other) {
            bool same = true;
            for (const std::uint32_t at : wide)
                same = same && planeOf<std::uint64_t>(warp, at)[lane] == planeOf<std::uint64_t>(warp, at)[other];
            for (const std::uint32_t at : narrow)
                same = same && planeOf<std::uint32_t>(warp, at)[lane] == planeOf<std::uint32_t>(warp, at)[other];
            isNew = isNew && !same;
        });
        kept |= isNew ? 1u << lane : 0u;
    });
    return kept;
}

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
