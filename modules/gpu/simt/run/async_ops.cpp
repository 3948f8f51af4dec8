// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/async_ops.h"

#include "gpu/simt/run/memory_access.h"
#include "gpu/simt/tensor_map.h"

#include <cstring>

namespace ridge::gpu::simt {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

template<class T>
T* plane(WarpRegisters& warp, u32 offset)
{
    return reinterpret_cast<T*>(warp.file + offset);
}

u64 sharedOffset(u64 address)
{
    return address >= kSharedWindow ? address - kSharedWindow : address;
}

Step fault(Warp& warp, Fault::Kind kind, Space space, MemoryOp op, u32 bytes, std::size_t lane, u64 address, u64 limit)
{
    warp.launch->fault = {kind, space, op, bytes, static_cast<u32>(lane), address, limit};
    return Step::Fault;
}

/// `bytes` of shared memory at `address`; null with a fault noted where they are not all there or not aligned.
std::byte* sharedBytes(Warp& warp, std::size_t lane, u64 address, u64 bytes, u64 align, MemoryOp op)
{
    const u64 at = sharedOffset(address);
    const u64 limit = warp.launch->sharedBytes;
    const auto wide = static_cast<u32>(bytes);
    if (at % align != 0) {
        fault(warp, Fault::Kind::Misaligned, Space::Shared, op, static_cast<u32>(align), lane, at, 0);
        return nullptr;
    }
    if (at > limit || bytes > limit - at) {
        fault(warp, Fault::Kind::OutOfBounds, Space::Shared, op, wide, lane, at, limit);
        return nullptr;
    }
    return warp.launch->shared + at;
}

std::byte* globalBytes(Warp& warp, std::size_t lane, u64 address, u64 bytes, u64 align, MemoryOp op)
{
    const Allocation* found = warp.launch->memory->find(address, bytes);
    if (address % align != 0 || found == nullptr) {
        fault(warp, found == nullptr ? Fault::Kind::OutOfBounds : Fault::Kind::Misaligned, Space::Global, op,
              static_cast<u32>(found == nullptr ? bytes : align), lane, address, 0);
        return nullptr;
    }
    return found->host.get() + (address - found->begin);
}

/// cp.async: a load from global memory and a store to shared memory, both checked and counted. Bytes past those that
/// are read become zero.
Step copy(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    const u32 bytes = op.flags;
    const u32 ignored = op.e == kNone ? 0 : *plane<u32>(warp, op.e) & mask;
    std::array<u32, kWarpSize> wanted{};
    PlacedAccess from;
    PlacedAccess to;
    from.lanes.bytes = to.lanes.bytes = bytes;
    from.lanes.mask = 0;
    to.lanes.mask = mask;
    from.space = Space::Global;
    to.space = Space::Shared;
    forMask(mask, [&](std::size_t lane) {
        wanted[lane] = op.c == kNone ? bytes : std::min(plane<u32>(warp, op.c)[lane], bytes);
        wanted[lane] = (ignored >> lane & 1) != 0 ? 0 : wanted[lane];
        from.lanes.mask |= wanted[lane] != 0 ? 1u << lane : 0u;
    });
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        from.lanes.address[lane] = plane<u64>(warp, op.a)[lane];
        to.lanes.address[lane] = sharedOffset(plane<u64>(warp, op.b)[lane]);
    }
    if (from.lanes.mask != 0) {
        if (const Step step = resolve(warp, op, from, MemoryOp::Load); step != Step::Next)
            return step;
    }
    if (const Step step = resolve(warp, op, to, MemoryOp::Store); step != Step::Next)
        return step;
    warp.launch->changed = true;
    forMask(mask, [&](std::size_t lane) {
        std::byte* target = hostOf(to, lane);
        std::memset(target, 0, bytes);
        if (wanted[lane] != 0)
            std::memcpy(target, hostOf(from, lane), wanted[lane]);
    });
    return Step::Next;
}

/// A barrier object's 64 bits. PTX leaves them open; here, from the bottom: arrivals still missing (20 bits), arrivals
/// of a phase (20), bytes still missing (23, signed), parity of the phase (1).
struct Barrier {
    u64 pending = 0;
    u64 expected = 0;
    std::int64_t bytes = 0;
    u64 phase = 0;

    static Barrier read(const std::byte* at)
    {
        u64 word = 0;
        std::memcpy(&word, at, sizeof word);
        return decode(word);
    }
    static Barrier decode(u64 word)
    {
        return {word & 0xfffff, word >> 20 & 0xfffff, static_cast<std::int64_t>(word << 1) >> 41, word >> 63};
    }
    u64 word() const { return pending | expected << 20 | (static_cast<u64>(bytes) & 0x7fffff) << 40 | phase << 63; }
    void settle()
    {
        if (pending != 0 || bytes != 0)
            return;
        phase ^= 1;
        pending = expected;
    }
    void write(std::byte* at) const
    {
        const u64 value = word();
        std::memcpy(at, &value, sizeof value);
    }
};

/// Calls change(barrier, lane) for the barrier of each lane, ascending.
template<class Change>
Step forBarriers(WarpRegisters& registers, const MicroOp& op, u32 mask, u32 addresses, Change change)
{
    Warp& warp = static_cast<Warp&>(registers);
    static_cast<void>(op);
    Step step = Step::Next;
    forMask(mask, [&](std::size_t lane) {
        if (step != Step::Next)
            return;
        std::byte* at = sharedBytes(warp, lane, plane<u64>(warp, addresses)[lane], 8, 8, MemoryOp::Atomic);
        if (at == nullptr) {
            step = Step::Fault;
            return;
        }
        Barrier barrier = Barrier::read(at);
        change(barrier, lane);
        barrier.write(at);
    });
    warp.launch->changed = true;
    return step;
}

Step initBarrier(WarpRegisters& warp, const MicroOp& op, u32 mask)
{
    return forBarriers(warp, op, mask, op.a, [&](Barrier& barrier, std::size_t lane) {
        const u64 count = plane<u32>(warp, op.b)[lane] & 0xfffff;
        barrier = {count, count, 0, 0};
    });
}

Step invalidateBarrier(WarpRegisters& warp, const MicroOp& op, u32 mask)
{
    return forBarriers(warp, op, mask, op.a, [](Barrier& barrier, std::size_t) { barrier = {}; });
}

Step arriveAtBarrier(WarpRegisters& warp, const MicroOp& op, u32 mask)
{
    return forBarriers(warp, op, mask, op.a, [&](Barrier& barrier, std::size_t lane) {
        const u64 count = op.b == kNone ? 1 : plane<u32>(warp, op.b)[lane];
        if (op.c != kNone)
            barrier.bytes += plane<u32>(warp, op.c)[lane];
        if (op.d != kNone)
            plane<u64>(warp, op.d)[lane] = barrier.word();
        barrier.pending -= std::min(count, barrier.pending);
        if ((op.flags & kArriveDrops) != 0)
            barrier.expected -= std::min(count, barrier.expected);
        barrier.settle();
    });
}

Step expectBytes(WarpRegisters& warp, const MicroOp& op, u32 mask)
{
    return forBarriers(warp, op, mask, op.a,
                       [&](Barrier& barrier, std::size_t lane) { barrier.bytes += plane<u32>(warp, op.b)[lane]; });
}

Step completeBytes(WarpRegisters& warp, const MicroOp& op, u32 mask)
{
    return forBarriers(warp, op, mask, op.a, [&](Barrier& barrier, std::size_t lane) {
        barrier.bytes -= plane<u32>(warp, op.b)[lane];
        barrier.settle();
    });
}

/// Whether the phase in question is over. A kernel asks in a loop: others must run in between.
Step testBarrier(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    u32 done = 0;
    Step step = Step::Next;
    forMask(mask, [&](std::size_t lane) {
        const std::byte* at = sharedBytes(warp, lane, plane<u64>(warp, op.a)[lane], 8, 8, MemoryOp::Load);
        if (at == nullptr) {
            step = Step::Fault;
            return;
        }
        const bool byParity = (op.flags & 1) != 0;
        const u64 phase =
            byParity ? plane<u32>(warp, op.b)[lane] & 1 : Barrier::decode(plane<u64>(warp, op.b)[lane]).phase;
        done |= Barrier::read(at).phase != phase ? 1u << lane : 0u;
    });
    warp.launch->observed = true;
    u32& p = *plane<u32>(warp, op.d);
    p = (p & ~mask) | (done & mask);
    return step;
}

Step pendingCount(WarpRegisters& warp, const MicroOp& op, u32 mask)
{
    forMask(mask, [&](std::size_t lane) {
        plane<u32>(warp, op.d)[lane] = static_cast<u32>(Barrier::decode(plane<u64>(warp, op.a)[lane]).pending);
    });
    return Step::Next;
}

/// Tells the barrier of a finished copy about its bytes.
bool complete(Warp& warp, const MicroOp& op, std::size_t lane, u64 bytes)
{
    if (op.e == kNone)
        return true;
    std::byte* at = sharedBytes(warp, lane, plane<u64>(warp, op.e)[lane], 8, 8, MemoryOp::Atomic);
    if (at == nullptr)
        return false;
    Barrier barrier = Barrier::read(at);
    barrier.bytes -= static_cast<std::int64_t>(bytes);
    barrier.settle();
    barrier.write(at);
    return true;
}

Step bulkCopy(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    Step step = Step::Next;
    forMask(mask, [&](std::size_t lane) {
        if (step != Step::Next)
            return;
        const u64 from = plane<u64>(warp, op.a)[lane];
        const u64 to = plane<u64>(warp, op.b)[lane];
        const u64 bytes = plane<u32>(warp, op.c)[lane];
        const bool toGlobal = (op.flags & kBulkToGlobal) != 0;
        const bool fromShared = toGlobal || (op.flags & kBulkInside) != 0;
        const std::byte* source = fromShared ? sharedBytes(warp, lane, from, bytes, 16, MemoryOp::Load)
                                             : globalBytes(warp, lane, from, bytes, 16, MemoryOp::Load);
        std::byte* target = source == nullptr ? nullptr
                            : toGlobal        ? globalBytes(warp, lane, to, bytes, 16, MemoryOp::Store)
                                              : sharedBytes(warp, lane, to, bytes, 16, MemoryOp::Store);
        if (target == nullptr) {
            step = Step::Fault;
            return;
        }
        std::memmove(target, source, bytes);
        step = complete(warp, op, lane, bytes) ? Step::Next : Step::Fault;
    });
    warp.launch->changed = true;
    return step;
}

/// Moves one box. Elements outside the tensor are filled on the way in and left out on the way back.
bool moveBox(Warp& warp, const MicroOp& op, std::size_t lane, const TensorMap& map,
             const std::array<std::int64_t, 5>& start)
{
    const bool toGlobal = (op.flags & kBulkToGlobal) != 0;
    u64 elements = 1;
    for (const std::uint16_t size : map.box)
        elements *= size;
    const u64 base = sharedOffset(plane<u64>(warp, op.b)[lane]);
    const u64 span = elements * map.elementBytes;
    if (sharedBytes(warp, lane, base, span, 128, toGlobal ? MemoryOp::Load : MemoryOp::Store) == nullptr)
        return false;
    constexpr std::array<std::uint8_t, 8> nan{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
    for (u64 element = 0; element < elements; ++element) {
        u64 rest = element;
        u64 address = map.address;
        bool inside = true;
        for (std::size_t i = 0; i < 5; ++i) {
            const std::int64_t index = start[i] + static_cast<std::int64_t>(rest % map.box[i] * map.step[i]);
            rest /= map.box[i];
            inside = inside && index >= 0 && index < std::int64_t{map.size[i]};
            address += static_cast<u64>(index) * (i == 0 ? map.elementBytes : map.stride[i - 1]);
        }
        const u64 at = swizzled(map.swizzle, base + element * map.elementBytes);
        std::byte* mine = warp.launch->shared + std::min(at, warp.launch->sharedBytes - map.elementBytes);
        if (!inside) {
            if (!toGlobal && map.fillNan)
                std::memcpy(mine, nan.data() + 8 - map.elementBytes, map.elementBytes);
            else if (!toGlobal)
                std::memset(mine, 0, map.elementBytes);
            continue;
        }
        std::byte* theirs = globalBytes(warp, lane, address, map.elementBytes, map.elementBytes,
                                        toGlobal ? MemoryOp::Store : MemoryOp::Load);
        if (theirs == nullptr)
            return false;
        std::memcpy(toGlobal ? theirs : mine, toGlobal ? mine : theirs, map.elementBytes);
    }
    return toGlobal || complete(warp, op, lane, span);
}

const std::byte* mapBytes(Warp& warp, std::size_t lane, u64 address)
{
    if (spaceOfGeneric(address) != Space::Param)
        return globalBytes(warp, lane, address, kTensorMapBytes, 64, MemoryOp::Load);
    const u64 at = address - kParamWindow;
    if (at <= warp.launch->paramBytes && kTensorMapBytes <= warp.launch->paramBytes - at)
        return warp.launch->params + at;
    fault(warp, Fault::Kind::OutOfBounds, Space::Param, MemoryOp::Load, kTensorMapBytes, lane, at,
          warp.launch->paramBytes);
    return nullptr;
}

Step tensorCopy(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    const MemoryDetail& detail = warp.launch->image->memory[op.detail];
    Step step = Step::Next;
    forMask(mask, [&](std::size_t lane) {
        if (step != Step::Next)
            return;
        step = Step::Fault;
        const std::byte* bytes = mapBytes(warp, lane, plane<u64>(warp, op.a)[lane]);
        if (bytes == nullptr)
            return;
        const auto map = decodeTensorMap(bytes);
        if (!map || map->rank != detail.count) {
            warp.launch->faultText = map ? "the tensor map has another number of dimensions" : map.error().message;
            fault(warp, Fault::Kind::BadTensorMap, Space::Global, MemoryOp::Load, 0, lane, 0, 0);
            return;
        }
        std::array<std::int64_t, 5> start{};
        for (std::size_t i = 0; i < detail.count; ++i)
            start[i] = plane<std::int32_t>(warp, detail.data[i])[lane];
        step = moveBox(warp, op, lane, *map, start) ? Step::Next : Step::Fault;
    });
    warp.launch->changed = true;
    return step;
}

} // namespace

OpFunction findAsyncOp(AsyncOp op)
{
    constexpr std::array<OpFunction, 10> table{&copy,        &initBarrier,   &invalidateBarrier, &arriveAtBarrier,
                                               &expectBytes, &completeBytes, &testBarrier,       &pendingCount,
                                               &bulkCopy,    &tensorCopy};
    return table[static_cast<std::size_t>(op)];
}

} // namespace ridge::gpu::simt
