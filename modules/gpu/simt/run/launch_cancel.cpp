// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/launch_cancel.h"

#include "gpu/simt/run/async_parts.h"

#include <cstring>

namespace ridge::gpu::simt {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Answer = std::array<u32, 4>;

bool answerTo(Warp& warp, const MicroOp& op, std::size_t lane, u32 rank, const SharedPlace& to,
              const SharedPlace& barrier)
{
    const bool spreads = op.flags != 0;
    const SharedBytes answer =
        sharedBytesAt(warp, lane, {spreads ? rank : to.rank, to.offset}, sizeof(Answer), 16, MemoryOp::Store);
    if (answer.host == nullptr)
        return false;
    const SharedBytes object =
        sharedBytesAt(warp, lane, {spreads ? rank : barrier.rank, barrier.offset}, 8, 8, MemoryOp::Atomic);
    if (object.host == nullptr)
        return false;
    if (warp.launch->check != nullptr && answer.place.rank == warp.launch->rank)
        warp.launch->check->bulkStarts(warp, op, lane, {answer.place.offset, sizeof(Answer), object.place.offset});
    std::memset(answer.host, 0, sizeof(Answer));
    recordBulkShared(warp, op, MemoryOp::Store, sizeof(Answer), answer.place.rank != warp.launch->rank);
    completeBytesAt(warp, op, object, sizeof(Answer));
    return true;
}

Step tryCancel(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    Step step = Step::Next;
    forMask(mask, [&](std::size_t lane) {
        const auto placeOf = [&](u32 offset) {
            const u64 address = planeOf<u64>(warp, offset)[lane];
            return placeOfShared(*warp.launch, address >= kSharedWindow ? address - kSharedWindow : address);
        };
        const SharedPlace to = placeOf(op.b), barrier = placeOf(op.e);
        const u32 blocks = op.flags != 0 ? static_cast<u32>(warp.launch->cluster->size()) : 1;
        for (u32 rank = 0; rank < blocks && step == Step::Next; ++rank)
            step = answerTo(warp, op, lane, rank, to, barrier) ? Step::Next : Step::Fault;
    });
    warp.launch->changed = true;
    return step;
}

Step wasCancelled(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    u32 yes = 0;
    forMask(mask, [&](std::size_t lane) { yes |= (planeOf<Answer>(registers, op.a)[lane][3] & 1) << lane; });
    u32& all = *planeOf<u32>(registers, op.d);
    all = (all & ~mask) | yes;
    return Step::Next;
}

Step firstBlock(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    forMask(mask, [&](std::size_t lane) {
        planeOf<u32>(registers, op.d)[lane] = planeOf<Answer>(registers, op.a)[lane][op.flags];
    });
    return Step::Next;
}

Step fillZero(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    Step step = Step::Next;
    forMask(mask, [&](std::size_t lane) {
        if (step != Step::Next)
            return;
        const u64 bytes = planeOf<u64>(warp, op.c)[lane];
        if (bytes % 8 != 0) {
            step = noteFault(warp, Fault::Kind::Misaligned, Space::Shared, MemoryOp::Store, 8, lane, bytes, 0);
            return;
        }
        const SharedBytes there = sharedBytesAt(warp, lane, planeOf<u64>(warp, op.a)[lane], bytes, 8, MemoryOp::Store);
        if (there.host == nullptr) {
            step = Step::Fault;
            return;
        }
        std::memset(there.host, 0, bytes);
        recordBulkShared(warp, op, MemoryOp::Store, bytes, there.place.rank != warp.launch->rank);
    });
    warp.launch->changed = true;
    return step;
}

} // namespace

OpFunction findCancelOp(CancelOp op)
{
    switch (op) {
    case CancelOp::Try:
        return &tryCancel;
    case CancelOp::Asks:
        return &wasCancelled;
    default:
        return &firstBlock;
    }
}

OpFunction findBulkFill()
{
    return &fillZero;
}

} // namespace ridge::gpu::simt
