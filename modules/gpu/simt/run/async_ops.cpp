// SPDX-License-Identifier: GPL-3.0-or-later
// cp.async and cp.async.bulk; what other asynchronous instructions share.
#include "gpu/simt/run/async_parts.h"
#include "gpu/simt/run/atomics.h"
#include "gpu/simt/run/record.h"

#include <cstring>

namespace ridge::gpu::simt {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

u64 sharedOffset(u64 address)
{
    return address >= kSharedWindow ? address - kSharedWindow : address;
}

/// cp.async: a load from global memory and a store to shared memory, both checked and counted. Bytes past those that
/// are read become zero.
Step copy(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    const u32 bytes = op.flags;
    const u32 ignored = op.e == kNone ? 0 : *planeOf<u32>(warp, op.e) & mask;
    std::array<u32, kWarpSize> wanted{};
    PlacedAccess from;
    PlacedAccess to;
    from.lanes.bytes = to.lanes.bytes = bytes;
    from.lanes.mask = 0;
    to.lanes.mask = mask;
    from.space = Space::Global;
    from.wanted = wanted.data();
    to.space = Space::Shared;
    forMask(mask, [&](std::size_t lane) {
        wanted[lane] = op.c == kNone ? bytes : std::min(planeOf<u32>(warp, op.c)[lane], bytes);
        wanted[lane] = (ignored >> lane & 1) != 0 ? 0 : wanted[lane];
        from.lanes.mask |= wanted[lane] != 0 ? 1u << lane : 0u;
    });
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        from.lanes.address[lane] = planeOf<u64>(warp, op.a)[lane];
        to.lanes.address[lane] = sharedOffset(planeOf<u64>(warp, op.b)[lane]);
    }
    if (from.lanes.mask != 0) {
        if (const Step step = resolve(warp, op, from, MemoryOp::Load); step != Step::Next)
            return step;
    }
    if (const Step step = resolve(warp, op, to, MemoryOp::Store); step != Step::Next)
        return step;
    if (warp.launch->check != nullptr) {
        warp.launch->check->seen(warp, op, from, MemoryOp::Load);
        warp.launch->check->seen(warp, op, to, MemoryOp::Store);
    }
    warp.launch->changed = true;
    forMask(mask, [&](std::size_t lane) {
        std::byte* target = hostOf(to, lane);
        std::memset(target, 0, bytes);
        if (wanted[lane] != 0)
            std::memcpy(target, hostOf(from, lane), wanted[lane]);
    });
    return Step::Next;
}

template<class U>
void reduceElements(const MemoryDetail& detail, Space space, std::byte* target, const std::byte* source, u64 bytes)
{
    for (u64 at = 0; at + sizeof(U) <= bytes; at += sizeof(U)) {
        U old, value;
        std::memcpy(&old, target + at, sizeof old);
        std::memcpy(&value, source + at, sizeof value);
        old = applyAtomic<U>(detail, space, old, value, value);
        std::memcpy(target + at, &old, sizeof old);
    }
}

/// Copies, or for cp.reduce combines element by element.
void moveBytes(const MicroOp& op, const MemoryDetail& detail, std::byte* target, const std::byte* source, u64 bytes)
{
    if ((op.flags & kBulkReduces) == 0) {
        std::memmove(target, source, bytes);
        return;
    }
    reduceBytes(detail, (op.flags & kBulkToGlobal) != 0 ? Space::Global : Space::Shared, target, source, bytes);
}

/// One lane's copy to every block that `ranks` names, from `source` on the host.
bool bulkToShared(Warp& warp, const MicroOp& op, std::size_t lane, const std::byte* source, u64 bytes)
{
    const MemoryDetail& detail = warp.launch->image->memory[op.detail];
    const SharedPlace to = placeOfShared(*warp.launch, sharedOffset(planeOf<u64>(warp, op.b)[lane]));
    const SharedPlace barrier = placeOfShared(*warp.launch, sharedOffset(planeOf<u64>(warp, op.e)[lane]));
    const u32 ranks = op.d == kNone ? 0 : planeOf<std::uint16_t>(warp, op.d)[lane];
    for (u32 rank = 0; rank < 16; ++rank) {
        if (op.d == kNone ? rank != 0 : (ranks >> rank & 1) == 0)
            continue;
        const bool spreads = op.d != kNone;
        const SharedPlace target{spreads ? rank : to.rank, to.offset};
        const SharedBytes bytesThere = sharedBytesAt(warp, lane, target, bytes, 16, MemoryOp::Store);
        if (bytesThere.host == nullptr)
            return false;
        const SharedBytes object =
            sharedBytesAt(warp, lane, {spreads ? rank : barrier.rank, barrier.offset}, 8, 8, MemoryOp::Atomic);
        if (object.host == nullptr)
            return false;
        if (warp.launch->check != nullptr && bytesThere.place.rank == warp.launch->rank)
            warp.launch->check->bulkStarts(warp, op, lane, {bytesThere.place.offset, bytes, object.place.offset});
        moveBytes(op, detail, bytesThere.host, source, bytes);
        recordBulkShared(warp, op, MemoryOp::Store, bytes, target.rank != warp.launch->rank);
        completeBytesAt(warp, op, object, bytes);
    }
    return true;
}

bool bulkLane(Warp& warp, const MicroOp& op, std::size_t lane)
{
    Counters& counters = warp.launch->counters;
    const u64 from = planeOf<u64>(warp, op.a)[lane];
    const u64 bytes = planeOf<u32>(warp, op.c)[lane];
    ++counters.bulkCopies;
    if ((op.flags & kBulkToGlobal) != 0) {
        const u64 to = planeOf<u64>(warp, op.b)[lane];
        const SharedBytes source = sharedBytesAt(warp, lane, from, bytes, 16, MemoryOp::Load);
        std::byte* target =
            source.host == nullptr ? nullptr : globalBytesAt(warp, lane, to, bytes, 16, MemoryOp::Store);
        if (target == nullptr)
            return false;
        moveBytes(op, warp.launch->image->memory[op.detail], target, source.host, bytes);
        counters.bulkStoreBytes += bytes;
        recordBulkGlobal(warp, op, lane, MemoryOp::Store, {{to, bytes}});
        return true;
    }
    if ((op.flags & kBulkInside) != 0) {
        const SharedBytes source = sharedBytesAt(warp, lane, from, bytes, 16, MemoryOp::Load);
        counters.clusterBytes += bytes;
        return source.host != nullptr && bulkToShared(warp, op, lane, source.host, bytes);
    }
    const std::byte* source = globalBytesAt(warp, lane, from, bytes, 16, MemoryOp::Load);
    if (source == nullptr)
        return false;
    counters.bulkLoadBytes += bytes;
    recordBulkGlobal(warp, op, lane, MemoryOp::Load, {{from, bytes}});
    return bulkToShared(warp, op, lane, source, bytes);
}

Step bulkCopy(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    Step step = Step::Next;
    if ((op.flags & (kBulkToGlobal | kBulkReduces)) == kBulkToGlobal)
        mask = distinctLanes(warp, mask, {op.a, op.b}, std::array{op.c});
    forMask(mask, [&](std::size_t lane) {
        if (step == Step::Next && !bulkLane(warp, op, lane))
            step = Step::Fault;
    });
    warp.launch->changed = true;
    return step;
}

Access bulkAccess(Warp& warp, const MicroOp& op, Space space, MemoryOp kind, u64 bytes)
{
    Access access;
    access.microOp = static_cast<u32>(&op - warp.launch->image->ops.data());
    access.space = space;
    access.op = kind;
    access.bytes = 16;
    access.lanes = 1;
    access.bulkBytes = static_cast<u32>(bytes);
    access.wavefronts = static_cast<std::uint16_t>((bytes + 127) / 128);
    return access;
}

} // namespace

void reduceBytes(const MemoryDetail& detail, Space space, std::byte* target, const std::byte* source, u64 bytes)
{
    switch (detail.elementBytes) {
    case 2:
        return reduceElements<std::uint16_t>(detail, space, target, source, bytes);
    case 4:
        return reduceElements<u32>(detail, space, target, source, bytes);
    default:
        return reduceElements<u64>(detail, space, target, source, bytes);
    }
}

SharedBytes sharedBytesAt(Warp& warp, std::size_t lane, u64 address, u64 bytes, u64 align, MemoryOp op)
{
    return sharedBytesAt(warp, lane, placeOfShared(*warp.launch, sharedOffset(address)), bytes, align, op);
}

SharedBytes sharedBytesAt(Warp& warp, std::size_t lane, const SharedPlace& place, u64 bytes, u64 align, MemoryOp op)
{
    LaunchState& launch = *warp.launch;
    const u64 at = place.offset;
    if (at % align != 0) {
        noteFault(warp, Fault::Kind::Misaligned, Space::Shared, op, static_cast<u32>(align), lane, at, 0);
        return {};
    }
    if (place.rank >= launch.cluster->size()) {
        noteFault(warp, Fault::Kind::NoSuchRank, Space::Shared, op, 0, lane, place.rank, launch.cluster->size());
        return {};
    }
    if (at > launch.sharedBytes || bytes > launch.sharedBytes - at) {
        noteFault(warp, Fault::Kind::OutOfBounds, Space::Shared, op, static_cast<u32>(bytes), lane, at,
                  launch.sharedBytes);
        return {};
    }
    if (place.rank != launch.rank && launch.cluster->hasExited(place.rank)) {
        noteFault(warp, Fault::Kind::ExitedBlock, Space::Shared, op, static_cast<u32>(bytes), lane, at, place.rank);
        return {};
    }
    return {launch.cluster->shared(place.rank) + at, place};
}

std::byte* globalBytesAt(Warp& warp, std::size_t lane, u64 address, u64 bytes, u64 align, MemoryOp op)
{
    const Allocation* found = warp.launch->memory->find(address, bytes);
    if (address % align != 0 || found == nullptr) {
        noteFault(warp, found == nullptr ? Fault::Kind::OutOfBounds : Fault::Kind::Misaligned, Space::Global, op,
                  static_cast<u32>(found == nullptr ? bytes : align), lane, address, 0);
        return nullptr;
    }
    return found->host.get() + (address - found->begin);
}

void recordBulkGlobal(Warp& warp, const MicroOp& op, std::size_t lane, MemoryOp kind,
                      const std::vector<std::pair<u64, u64>>& ranges)
{
    if (warp.launch->check != nullptr && (op.flags & kBulkReduces) == 0)
        for (const auto& [begin, length] : ranges)
            warp.launch->check->globalSeen(warp, op, lane, begin, length, kind);
    WarpStream* stream = warp.launch->stream;
    if (stream == nullptr)
        return;
    const std::size_t before = stream->lines.size();
    u64 bytes = 0;
    for (const auto& [begin, length] : ranges) {
        appendRange(begin, begin + length, before, stream->lines);
        bytes += length;
    }
    Access access = bulkAccess(warp, op, Space::Global, kind, bytes);
    access.lineCount = static_cast<std::uint16_t>(stream->lines.size() - before);
    stream->accesses.push_back(access);
}

void recordBulkShared(Warp& warp, const MicroOp& op, MemoryOp kind, u64 bytes, bool isRemote)
{
    WarpStream* stream = warp.launch->stream;
    if (stream == nullptr)
        return;
    Access access = bulkAccess(warp, op, Space::Shared, kind, bytes);
    access.isRemote = isRemote;
    stream->accesses.push_back(access);
}

OpFunction findAsyncOp(AsyncOp op)
{
    switch (op) {
    case AsyncOp::Copy:
        return &copy;
    case AsyncOp::BulkCopy:
        return &bulkCopy;
    case AsyncOp::TensorCopy:
        return findTensorCopy();
    case AsyncOp::RemoteStore:
    case AsyncOp::RemoteStoreWide:
    case AsyncOp::RemoteReduce:
    case AsyncOp::RemoteReduceWide:
        return findRemoteStore(op);
    default:
        return findBarrierObjectOp(op);
    }
}

} // namespace ridge::gpu::simt
