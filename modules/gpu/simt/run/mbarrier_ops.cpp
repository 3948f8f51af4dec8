// SPDX-License-Identifier: GPL-3.0-or-later
// Barrier objects in shared memory (PTX ISA, "mbarrier").
#include "gpu/simt/run/async_parts.h"

#include <cstring>

namespace ridge::gpu::simt {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

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

/// The phases of the barrier at `at`, for the clock.
PhaseBook::Pair& phasesOf(const LaunchState& launch, const SharedBytes& at)
{
    const auto [found, isNew] = launch.phases->barriers.try_emplace(at.host);
    if (isNew)
        found->second.current = launch.phases->open(launch.cluster->block(at.place.rank), false);
    return found->second;
}

void note(Warp& warp, const MicroOp& op, std::uint32_t phase, bool waits, bool isRemote)
{
    const LaunchState& launch = *warp.launch;
    WarpStream& stream = *launch.stream;
    const PhaseNote made{stream.firstVisit + static_cast<u32>(stream.visits.size()),
                         static_cast<u32>(&op - launch.image->ops.data()), phase, waits, isRemote};
    // Lanes of one instruction signal together.
    for (std::size_t at = stream.phases.size();
         at-- > 0 && stream.phases[at].visit == made.visit && stream.phases[at].microOp == made.microOp;) {
        if (stream.phases[at].phase == phase && stream.phases[at].waits == waits)
            return;
    }
    stream.phases.push_back(made);
    launch.phases->phases[phase].signals += waits ? 0 : 1;
}

/// Applies change(barrier) to the barrier at `at`; `signals` where others may be waiting for that.
template<class Change>
void update(Warp& warp, const MicroOp& op, const SharedBytes& at, bool signals, Change change)
{
    Barrier barrier = Barrier::read(at.host);
    const u64 before = barrier.phase;
    change(barrier);
    barrier.write(at.host);
    warp.launch->changed = true;
    if (warp.launch->stream == nullptr || !signals)
        return;
    PhaseBook::Pair& phases = phasesOf(*warp.launch, at);
    note(warp, op, phases.current, false, at.place.rank != warp.launch->rank);
    if (barrier.phase == before)
        return;
    warp.launch->phases->phases[phases.current].complete = true;
    phases.last = phases.current;
    phases.current = warp.launch->phases->open(warp.launch->cluster->block(at.place.rank), false);
}

/// Calls change(barrier, lane) for the barrier of each lane, ascending.
template<class Change>
Step forBarriers(WarpRegisters& registers, const MicroOp& op, u32 mask, bool signals, Change change)
{
    Warp& warp = static_cast<Warp&>(registers);
    Step step = Step::Next;
    forMask(mask, [&](std::size_t lane) {
        if (step != Step::Next)
            return;
        const SharedBytes at = sharedBytesAt(warp, lane, planeOf<u64>(warp, op.a)[lane], 8, 8, MemoryOp::Atomic);
        if (at.host == nullptr)
            step = Step::Fault;
        else
            update(warp, op, at, signals, [&](Barrier& barrier) { change(barrier, lane); });
    });
    return step;
}

Step initBarrier(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    Step step = Step::Next;
    forMask(mask, [&](std::size_t lane) {
        const SharedBytes at = sharedBytesAt(warp, lane, planeOf<u64>(warp, op.a)[lane], 8, 8, MemoryOp::Store);
        if (at.host == nullptr) {
            step = Step::Fault;
            return;
        }
        const u64 count = planeOf<u32>(warp, op.b)[lane] & 0xfffff;
        Barrier{count, count, 0, 0}.write(at.host);
        if (warp.launch->stream != nullptr)
            warp.launch->phases->barriers.erase(at.host);
    });
    warp.launch->changed = true;
    return step;
}

Step invalidateBarrier(WarpRegisters& warp, const MicroOp& op, u32 mask)
{
    return forBarriers(warp, op, mask, false, [](Barrier& barrier, std::size_t) { barrier = {}; });
}

/// One arrival at the same place of several blocks.
Step arriveAtRanks(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    Step step = Step::Next;
    forMask(mask, [&](std::size_t lane) {
        const u32 ranks = planeOf<std::uint16_t>(warp, op.e)[lane];
        const SharedBytes own = sharedBytesAt(warp, lane, planeOf<u64>(warp, op.a)[lane], 8, 8, MemoryOp::Atomic);
        step = own.host == nullptr ? Step::Fault : step;
        for (u32 rank = 0; step == Step::Next && rank < 16; ++rank) {
            if ((ranks >> rank & 1) == 0)
                continue;
            const SharedBytes at =
                sharedBytesAt(warp, lane, SharedPlace{rank, own.place.offset}, 8, 8, MemoryOp::Atomic);
            if (at.host == nullptr)
                step = Step::Fault;
            else
                update(warp, op, at, true, [](Barrier& barrier) {
                    barrier.pending = (barrier.pending - 1) & 0xfffff;
                    barrier.settle();
                });
        }
    });
    return step;
}

Step arriveAtBarrier(WarpRegisters& warp, const MicroOp& op, u32 mask)
{
    if ((op.flags & kArriveRanks) != 0)
        return arriveAtRanks(warp, op, mask);
    return forBarriers(warp, op, mask, true, [&](Barrier& barrier, std::size_t lane) {
        if ((op.flags & kArriveNothing) != 0)
            return;
        const u64 count = op.b == kNone ? 1 : planeOf<u32>(warp, op.b)[lane];
        if (op.c != kNone)
            barrier.bytes += planeOf<u32>(warp, op.c)[lane];
        if (op.d != kNone)
            planeOf<u64>(warp, op.d)[lane] = barrier.word();
        barrier.pending -= std::min(count, barrier.pending);
        if ((op.flags & kArriveDrops) != 0)
            barrier.expected -= std::min(count, barrier.expected);
        barrier.settle();
    });
}

Step expectBytes(WarpRegisters& warp, const MicroOp& op, u32 mask)
{
    return forBarriers(warp, op, mask, false,
                       [&](Barrier& barrier, std::size_t lane) { barrier.bytes += planeOf<u32>(warp, op.b)[lane]; });
}

Step completeBytes(WarpRegisters& warp, const MicroOp& op, u32 mask)
{
    return forBarriers(warp, op, mask, true, [&](Barrier& barrier, std::size_t lane) {
        barrier.bytes -= planeOf<u32>(warp, op.b)[lane];
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
        const SharedBytes at = sharedBytesAt(warp, lane, planeOf<u64>(warp, op.a)[lane], 8, 8, MemoryOp::Load);
        if (at.host == nullptr) {
            step = Step::Fault;
            return;
        }
        const bool byParity = (op.flags & 1) != 0;
        const u64 phase =
            byParity ? planeOf<u32>(warp, op.b)[lane] & 1 : Barrier::decode(planeOf<u64>(warp, op.b)[lane]).phase;
        const Barrier barrier = Barrier::read(at.host);
        if (barrier.phase == phase) {
            warp.launch->barrierLook = {at.place.offset, barrier.pending, barrier.bytes};
            return;
        }
        done |= 1u << lane;
        if (warp.launch->check != nullptr && at.place.rank == warp.launch->rank)
            warp.launch->check->barrierSeen(warp, at.place.offset);
        if (warp.launch->stream == nullptr)
            return;
        if (const u32 last = phasesOf(*warp.launch, at).last; last != kNoPhase)
            note(warp, op, last, true, false);
    });
    ++warp.launch->barrierTests;
    // A look that finds what it waits for need not be repeated.
    warp.launch->observed = warp.launch->observed || done != mask;
    u32& p = *planeOf<u32>(warp, op.d);
    p = (p & ~mask) | done;
    return step;
}

Step pendingCount(WarpRegisters& warp, const MicroOp& op, u32 mask)
{
    forMask(mask, [&](std::size_t lane) {
        planeOf<u32>(warp, op.d)[lane] = static_cast<u32>(Barrier::decode(planeOf<u64>(warp, op.a)[lane]).pending);
    });
    return Step::Next;
}

} // namespace

void completeBytesAt(Warp& warp, const MicroOp& op, const SharedBytes& barrier, u64 bytes)
{
    update(warp, op, barrier, true, [&](Barrier& object) {
        object.bytes -= static_cast<std::int64_t>(bytes);
        object.settle();
    });
}

OpFunction findBarrierObjectOp(AsyncOp op)
{
    switch (op) {
    case AsyncOp::BarrierInit:
        return &initBarrier;
    case AsyncOp::BarrierInvalidate:
        return &invalidateBarrier;
    case AsyncOp::BarrierArrive:
        return &arriveAtBarrier;
    case AsyncOp::BarrierExpect:
        return &expectBytes;
    case AsyncOp::BarrierComplete:
        return &completeBytes;
    case AsyncOp::BarrierTest:
        return &testBarrier;
    default:
        return &pendingCount;
    }
}

} // namespace ridge::gpu::simt
