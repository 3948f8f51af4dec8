// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/misc_ops.h"

#include "gpu/simt/run/cluster.h"
#include "gpu/simt/run/memory_access.h"

#include <algorithm>
#include <cstring>

namespace ridge::gpu::simt {

namespace {

template<class T>
T* plane(WarpRegisters& warp, std::uint32_t offset)
{
    return reinterpret_cast<T*>(warp.file + offset);
}

/// The one place where a kernel gets the time from. Recorded execution takes the cycle the timing model gives it, and
/// asks for it where there is none. Functional execution counts the warp instructions the launch has executed so far:
/// it grows, it is the same in every run, and it is no time. Beside other blocks that waits for its place in the order.
std::optional<std::uint64_t> clockNow(Warp& warp, const MicroOp& op)
{
    LaunchState& launch = *warp.launch;
    if (launch.stream != nullptr || launch.clock) {
        launch.wantsClock = !launch.clock;
        const auto now = launch.clock;
        launch.clock.reset();
        return now;
    }
    if (launch.log != nullptr) { // it has not counted what other blocks do
        static_cast<void>(leaveToOrder(launch));
        return std::nullopt;
    }
    const auto at = static_cast<std::size_t>(&op - launch.image->ops.data());
    return launch.counters.instExecuted + launch.image->places[at].countedBefore;
}

Step readClock(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    warp.launch->observed = true; // waiting for a time to come
    const auto now = clockNow(warp, op);
    if (!now)
        return Step::Wait;
    forMask(mask, [&](std::size_t lane) {
        if (op.flags == static_cast<std::uint32_t>(ClockPart::Whole))
            plane<std::uint64_t>(warp, op.d)[lane] = *now;
        else
            plane<std::uint32_t>(warp, op.d)[lane] =
                static_cast<std::uint32_t>(op.flags == static_cast<std::uint32_t>(ClockPart::High) ? *now >> 32 : *now);
    });
    return Step::Next;
}

Step hint(WarpRegisters&, const MicroOp&, std::uint32_t)
{
    return Step::Next;
}

template<Space Wanted>
Step isInSpace(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    std::uint32_t result = 0;
    forMask(mask, [&](std::size_t lane) {
        const Space space = spaceOfGeneric(plane<std::uint64_t>(warp, op.a)[lane]);
        result |= space == Wanted ? 1u << lane : 0u;
    });
    std::uint32_t& p = *plane<std::uint32_t>(warp, op.d);
    p = (p & ~mask) | result;
    return Step::Next;
}

/// isspacep.shared::cta: shared memory of the block itself.
Step isOwnShared(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    const LaunchState& launch = *static_cast<Warp&>(registers).launch;
    std::uint32_t result = 0;
    forMask(mask, [&](std::size_t lane) {
        const std::uint64_t address = plane<std::uint64_t>(registers, op.a)[lane];
        const bool own = spaceOfGeneric(address) == Space::Shared &&
                         placeOfShared(launch, address - kSharedWindow).rank == launch.rank;
        result |= own ? 1u << lane : 0u;
    });
    std::uint32_t& p = *plane<std::uint32_t>(registers, op.d);
    p = (p & ~mask) | result;
    return Step::Next;
}

Step elect(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    const auto* member = plane<std::uint32_t>(warp, static_cast<std::uint32_t>(op.imm));
    std::uint32_t named = 0;
    forMask(mask, [&](std::size_t lane) { named |= member[lane]; });
    warp.waitMask = named & warp.live;
    if ((warp.waitMask & ~mask) != 0)
        return Step::Wait;
    std::uint32_t leaders = 0;
    forMask(mask, [&](std::size_t lane) {
        const std::uint32_t peers = member[lane] & mask;
        const auto leader = static_cast<std::uint32_t>(std::countr_zero(peers == 0 ? 1u << lane : peers));
        plane<std::uint32_t>(warp, op.d)[lane] = leader;
        leaders |= leader == lane ? 1u << lane : 0u;
    });
    if (op.e != kNone) {
        std::uint32_t& p = *plane<std::uint32_t>(warp, op.e);
        p = (p & ~mask) | leaders;
    }
    return Step::Next;
}

/// The same offset in the block of another rank. A generic address that is not one of shared memory stays as it is.
Step mapRank(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    LaunchState& launch = *warp.launch;
    const std::uint32_t size = launch.cluster->size();
    const std::uint64_t window = (op.flags & 1) != 0 ? kSharedWindow : 0;
    Step step = Step::Next;
    forMask(mask, [&](std::size_t lane) {
        const std::uint64_t address = plane<std::uint64_t>(warp, op.a)[lane];
        const std::uint32_t rank = plane<std::uint32_t>(warp, op.b)[lane];
        if (rank >= size && step == Step::Next) {
            launch.fault = {Fault::Kind::NoSuchRank,
                            Space::Shared,
                            MemoryOp::Load,
                            0,
                            static_cast<std::uint32_t>(lane),
                            rank,
                            size};
            step = Step::Fault;
        }
        const bool isShared = window == 0 || spaceOfGeneric(address) == Space::Shared;
        const std::uint64_t offset = placeOfShared(launch, address - window).offset;
        const std::uint64_t tag = size == 1 ? 0 : (rank + kFirstTag) << kRankShift;
        plane<std::uint64_t>(warp, op.d)[lane] = isShared ? window + tag + offset : address;
    });
    return step;
}

Step rankOf(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    const LaunchState& launch = *static_cast<Warp&>(registers).launch;
    const std::uint64_t window = (op.flags & 1) != 0 ? kSharedWindow : 0;
    forMask(mask, [&](std::size_t lane) {
        const std::uint64_t address = plane<std::uint64_t>(registers, op.a)[lane];
        plane<std::uint32_t>(registers, op.d)[lane] = placeOfShared(launch, address - window).rank;
    });
    return Step::Next;
}

struct Pair {
    std::uint64_t low, high;
};

Step pairMove(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    forMask(mask, [&](std::size_t lane) {
        plane<Pair>(warp, op.d)[lane] = {plane<std::uint64_t>(warp, op.a)[lane],
                                         plane<std::uint64_t>(warp, op.b)[lane]};
    });
    return Step::Next;
}

Step pairSplit(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    forMask(mask, [&](std::size_t lane) {
        const Pair whole = plane<Pair>(warp, op.a)[lane];
        plane<std::uint64_t>(warp, op.d)[lane] = whole.low;
        plane<std::uint64_t>(warp, op.b)[lane] = whole.high;
    });
    return Step::Next;
}

Step pairCopy(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    forMask(mask, [&](std::size_t lane) { plane<Pair>(warp, op.d)[lane] = plane<Pair>(warp, op.a)[lane]; });
    return Step::Next;
}

std::uint64_t addressAt(WarpRegisters& registers, std::uint32_t offset, unsigned bytes, std::size_t lane)
{
    return bytes == 4 ? plane<std::uint32_t>(registers, offset)[lane] : plane<std::uint64_t>(registers, offset)[lane];
}

void setAddress(WarpRegisters& registers, std::uint32_t offset, unsigned bytes, std::size_t lane, std::uint64_t value)
{
    if (bytes == 4)
        plane<std::uint32_t>(registers, offset)[lane] = static_cast<std::uint32_t>(value);
    else
        plane<std::uint64_t>(registers, offset)[lane] = value;
}

Step stackTake(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    LaunchState& launch = *static_cast<Warp&>(registers).launch;
    const std::uint64_t end = launch.image->localBytes, begin = end - launch.image->allocaBytes;
    const auto align = static_cast<std::uint64_t>(op.imm);
    for (; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
        std::uint64_t& taken = plane<std::uint64_t>(registers, op.b)[lane];
        const std::uint64_t size = addressAt(registers, op.a, op.flags, lane), left = end - taken - begin;
        const std::uint64_t at = (end - taken - std::min(size, left)) & ~(align - 1);
        if (size > left || at < begin) {
            launch.fault = {Fault::Kind::StackTooSmall,
                            Space::Local,
                            MemoryOp::Store,
                            0,
                            static_cast<std::uint32_t>(lane),
                            size,
                            left};
            return Step::Fault;
        }
        taken = end - at;
        setAddress(registers, op.d, op.flags, lane, at);
    }
    return Step::Next;
}

Step stackSave(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    const std::uint64_t end = static_cast<Warp&>(registers).launch->image->localBytes;
    forMask(mask, [&](std::size_t lane) {
        setAddress(registers, op.d, op.flags, lane, end - plane<std::uint64_t>(registers, op.b)[lane]);
    });
    return Step::Next;
}

/// Only upwards: what lies below is no longer there.
Step stackBack(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    LaunchState& launch = *static_cast<Warp&>(registers).launch;
    const std::uint64_t end = launch.image->localBytes;
    for (; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
        std::uint64_t& taken = plane<std::uint64_t>(registers, op.b)[lane];
        const std::uint64_t at = addressAt(registers, op.a, op.flags, lane);
        if (at > end || at < end - taken) {
            launch.fault = {
                Fault::Kind::BadStack, Space::Local, MemoryOp::Store, 0, static_cast<std::uint32_t>(lane), at, 0};
            return Step::Fault;
        }
        taken = end - at;
    }
    return Step::Next;
}

} // namespace

OpFunction findMiscOp(MiscOp op)
{
    switch (op) {
    case MiscOp::Clock:
        return &readClock;
    case MiscOp::Hint:
        return &hint;
    case MiscOp::IsShared:
        return &isOwnShared;
    case MiscOp::IsClusterShared:
        return &isInSpace<Space::Shared>;
    case MiscOp::RankOf:
        return &rankOf;
    case MiscOp::IsLocal:
        return &isInSpace<Space::Local>;
    case MiscOp::IsGlobal:
        return &isInSpace<Space::Global>;
    case MiscOp::IsConst:
        return &isInSpace<Space::Const>;
    case MiscOp::IsParam:
        return &isInSpace<Space::Param>;
    case MiscOp::Elect:
        return &elect;
    case MiscOp::MapRank:
        return &mapRank;
    case MiscOp::PairMove:
        return &pairMove;
    case MiscOp::PairSplit:
        return &pairSplit;
    case MiscOp::PairCopy:
        return &pairCopy;
    case MiscOp::StackTake:
        return &stackTake;
    case MiscOp::StackSave:
        return &stackSave;
    case MiscOp::StackBack:
        return &stackBack;
    }
    return nullptr;
}

} // namespace ridge::gpu::simt
