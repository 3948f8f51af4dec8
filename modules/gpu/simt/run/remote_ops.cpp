// SPDX-License-Identifier: GPL-3.0-or-later
// st.async and red.async: stores into the shared memory of a block of the cluster that tell an mbarrier of it.
#include "gpu/simt/run/async_parts.h"
#include "gpu/simt/run/atomics.h"

#include <cstring>

namespace ridge::gpu::simt {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

template<class U, bool Reduces>
Step storeAsync(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    LaunchState& launch = *warp.launch;
    const MemoryDetail& detail = launch.image->memory[op.detail];
    const u64 bytes = sizeof(U) * u64{detail.count};
    Step step = Step::Next;
    u32 remote = 0;
    forMask(mask, [&](std::size_t lane) {
        if (step != Step::Next)
            return;
        const SharedBytes to = sharedBytesAt(warp, lane, planeOf<u64>(warp, op.a)[lane], bytes, bytes, MemoryOp::Store);
        if (to.host == nullptr) {
            step = Step::Fault;
            return;
        }
        const SharedBytes barrier = sharedBytesAt(warp, lane, planeOf<u64>(warp, op.e)[lane], 8, 8, MemoryOp::Atomic);
        if (barrier.host == nullptr) {
            step = Step::Fault;
            return;
        }
        for (std::size_t at = 0; at < detail.count; ++at) {
            U value = planeOf<U>(warp, detail.operandB[at])[lane];
            if constexpr (Reduces) {
                U old;
                std::memcpy(&old, to.host, sizeof old);
                value = applyAtomic<U>(detail, Space::Shared, old, value, value);
            }
            std::memcpy(to.host + at * sizeof(U), &value, sizeof value);
        }
        remote += to.place.rank != launch.rank ? 1 : 0;
        completeBytesAt(warp, op, barrier, bytes);
    });
    if (step != Step::Next)
        return step;
    launch.changed = true;
    launch.counters.clusterRequests += remote != 0 ? 1 : 0;
    launch.counters.clusterBytes += remote * bytes;
    recordBulkShared(warp, op, MemoryOp::Store, laneCount(mask) * bytes, remote != 0);
    return step;
}

} // namespace

OpFunction findRemoteStore(AsyncOp op)
{
    switch (op) {
    case AsyncOp::RemoteStore:
        return &storeAsync<u32, false>;
    case AsyncOp::RemoteStoreWide:
        return &storeAsync<u64, false>;
    case AsyncOp::RemoteReduce:
        return &storeAsync<u32, true>;
    default:
        return &storeAsync<u64, true>;
    }
}

} // namespace ridge::gpu::simt
