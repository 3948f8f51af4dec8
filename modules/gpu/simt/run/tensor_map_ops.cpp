// SPDX-License-Identifier: GPL-3.0-or-later
// tensormap.replace and tensormap.cp_fenceproxy: maps that a kernel makes or changes itself.
#include "gpu/simt/run/tensor_map_ops.h"

#include "gpu/simt/image/tensor_map.h"
#include "gpu/simt/run/async_parts.h"

#include <cstring>

namespace ridge::gpu::simt {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 kMapAlign = 64;

std::byte* mapAt(Warp& warp, std::size_t lane, u64 address, u32 space)
{
    const bool isShared = space == kMapShared || (space == kMapGeneric && spaceOfGeneric(address) == Space::Shared);
    return isShared ? sharedBytesAt(warp, lane, address, kTensorMapBytes, kMapAlign, MemoryOp::Store).host
                    : globalBytesAt(warp, lane, address, kTensorMapBytes, kMapAlign, MemoryOp::Store);
}

Step replace(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    Step step = Step::Next;
    forMask(mask, [&](std::size_t lane) {
        if (step != Step::Next)
            return;
        step = Step::Fault;
        std::byte* map = mapAt(warp, lane, planeOf<u64>(warp, op.a)[lane], op.flags);
        if (map == nullptr)
            return;
        const u64 value = op.b == kNone ? static_cast<u64>(op.imm) : planeOf<u64>(warp, op.b)[lane];
        if (const auto done = replaceTensorField(map, static_cast<TensorField>(op.c), op.e, value); !done) {
            warp.launch->faultText = done.error().message + ". " + done.error().fix;
            noteFault(warp, Fault::Kind::BadTensorMap, Space::Global, MemoryOp::Store, 0, lane, 0, 0);
            return;
        }
        step = Step::Next;
    });
    warp.launch->changed = true;
    return step;
}

Step copyMap(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    warp.waitMask = warp.live; // .sync.aligned
    if ((warp.live & ~mask) != 0)
        return Step::Wait;
    const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
    const SharedBytes from =
        sharedBytesAt(warp, lane, planeOf<u64>(warp, op.a)[lane], kTensorMapBytes, kMapAlign, MemoryOp::Load);
    if (from.host == nullptr)
        return Step::Fault;
    std::byte* to =
        globalBytesAt(warp, lane, planeOf<u64>(warp, op.b)[lane], kTensorMapBytes, kMapAlign, MemoryOp::Store);
    if (to == nullptr)
        return Step::Fault;
    std::memcpy(to, from.host, kTensorMapBytes);
    warp.launch->changed = true;
    return Step::Next;
}

} // namespace

OpFunction findMapReplace()
{
    return &replace;
}

OpFunction findMapCopy()
{
    return &copyMap;
}

} // namespace ridge::gpu::simt
