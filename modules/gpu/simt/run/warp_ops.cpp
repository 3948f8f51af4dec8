// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions in which lanes of a warp look at each other.
#include "gpu/simt/run/record.h"
#include "gpu/simt/run/shuffle.h"
#include "gpu/simt/run/state.h"

#include <algorithm>
#include <cstring>

namespace ridge::gpu::simt {

namespace {

template<class T>
T* planeOf(WarpRegisters& warp, std::uint64_t offset)
{
    return reinterpret_cast<T*>(warp.file + offset);
}

template<class F>
void forMask(std::uint32_t mask, F f)
{
    for (; mask != 0; mask &= mask - 1)
        f(static_cast<std::size_t>(std::countr_zero(mask)));
}

void writeBits(WarpRegisters& warp, std::uint32_t offset, std::uint32_t bits, std::uint32_t mask)
{
    auto* p = planeOf<std::uint32_t>(warp, offset);
    *p = (*p & ~mask) | (bits & mask);
}

const std::uint32_t* members(WarpRegisters& warp, const MicroOp& op)
{
    return planeOf<std::uint32_t>(warp, static_cast<std::uint64_t>(op.imm));
}

/// Whether every live lane named by the member masks is here; if not, notes whom to wait for.
bool allHere(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    std::uint32_t named = 0;
    forMask(mask, [&](std::size_t lane) { named |= members(warp, op)[lane]; });
    warp.waitMask = named & warp.live;
    return (warp.waitMask & ~mask) == 0;
}

template<WarpOp Mode>
Step shuffle(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    if (!allHere(warp, op, mask))
        return Step::Wait;
    const auto* a = planeOf<std::uint32_t>(warp, op.a);
    const auto* b = planeOf<std::uint32_t>(warp, op.b);
    const auto* c = planeOf<std::uint32_t>(warp, op.c);
    std::array<std::uint32_t, kWarpSize> result{};
    std::uint32_t inRange = 0;
    forMask(mask, [&](std::size_t at) {
        const ShuffleSource from = shuffleSource(Mode, static_cast<std::uint32_t>(at), b[at], c[at]);
        result[at] = a[from.isInRange ? from.lane : at];
        inRange |= from.isInRange ? 1u << at : 0u;
    });
    auto* d = planeOf<std::uint32_t>(warp, op.d);
    forMask(mask, [&](std::size_t lane) { d[lane] = result[lane]; });
    if (op.e != kNone)
        writeBits(warp, op.e, inRange, mask);
    return Step::Next;
}

template<WarpOp Mode>
Step vote(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    if (!allHere(warp, op, mask))
        return Step::Wait;
    const std::uint32_t flip = (op.flags & 1) != 0 ? ~std::uint32_t{0} : 0;
    const std::uint32_t holds = (*planeOf<std::uint32_t>(warp, op.a) ^ flip) & mask;
    const std::uint32_t* member = members(warp, op);
    std::uint32_t result = 0;
    forMask(mask, [&](std::size_t lane) {
        const std::uint32_t voters = member[lane] & mask;
        const std::uint32_t ayes = holds & voters;
        if constexpr (Mode == WarpOp::VoteBallot) {
            planeOf<std::uint32_t>(warp, op.d)[lane] = ayes;
        } else {
            const bool all = ayes == voters;
            const bool yes = Mode == WarpOp::VoteAll ? all : Mode == WarpOp::VoteAny ? ayes != 0 : all || ayes == 0;
            result |= yes ? 1u << lane : 0u;
        }
    });
    if constexpr (Mode != WarpOp::VoteBallot)
        writeBits(warp, op.d, result, mask);
    return Step::Next;
}

template<class T, bool All>
Step match(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    if (!allHere(warp, op, mask))
        return Step::Wait;
    const T* a = planeOf<T>(warp, op.a);
    const std::uint32_t* member = members(warp, op);
    std::array<std::uint32_t, kWarpSize> result{};
    std::uint32_t agree = 0;
    std::uint16_t values = 0; // that differ
    forMask(mask, [&](std::size_t lane) {
        const std::uint32_t peers = member[lane] & mask;
        std::uint32_t same = 0;
        forMask(peers, [&](std::size_t other) { same |= a[other] == a[lane] ? 1u << other : 0u; });
        const bool all = same == peers;
        result[lane] = All && !all ? 0 : same;
        agree |= all ? 1u << lane : 0u;
        values += static_cast<std::size_t>(std::countr_zero(same)) == lane ? 1 : 0;
    });
    if (!All)
        recordValues(static_cast<Warp&>(warp), op, values);
    auto* d = planeOf<std::uint32_t>(warp, op.d);
    forMask(mask, [&](std::size_t lane) { d[lane] = result[lane]; });
    if (All && op.e != kNone)
        writeBits(warp, op.e, agree, mask);
    return Step::Next;
}

std::uint32_t combine(WarpOp kind, std::uint32_t x, std::uint32_t y)
{
    const auto sx = static_cast<std::int32_t>(x);
    const auto sy = static_cast<std::int32_t>(y);
    switch (kind) {
    case WarpOp::ReduceAdd:
        return x + y;
    case WarpOp::ReduceMinSigned:
        return sx < sy ? x : y;
    case WarpOp::ReduceMinUnsigned:
        return std::min(x, y);
    case WarpOp::ReduceMaxSigned:
        return sx < sy ? y : x;
    case WarpOp::ReduceMaxUnsigned:
        return std::max(x, y);
    case WarpOp::ReduceAnd:
        return x & y;
    case WarpOp::ReduceOr:
        return x | y;
    default:
        return x ^ y;
    }
}

template<WarpOp Kind>
Step reduce(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    if (!allHere(warp, op, mask))
        return Step::Wait;
    const auto* a = planeOf<std::uint32_t>(warp, op.a);
    const std::uint32_t* member = members(warp, op);
    std::array<std::uint32_t, kWarpSize> result{};
    forMask(mask, [&](std::size_t lane) {
        std::uint32_t peers = member[lane] & mask;
        if (peers == 0) // the lane left itself out of its mask: PTX leaves this open
            peers = 1u << lane;
        std::uint32_t total = a[static_cast<std::size_t>(std::countr_zero(peers))];
        forMask(peers & (peers - 1), [&](std::size_t other) { total = combine(Kind, total, a[other]); });
        result[lane] = total;
    });
    auto* d = planeOf<std::uint32_t>(warp, op.d);
    forMask(mask, [&](std::size_t lane) { d[lane] = result[lane]; });
    return Step::Next;
}

/// Of two floats; a NaN gives way to a number unless `nan` is set. -0 is below +0.
std::uint32_t extremum(std::uint32_t x, std::uint32_t y, bool least, bool nan)
{
    const float fx = std::bit_cast<float>(x), fy = std::bit_cast<float>(y);
    if (fx != fx || fy != fy) {
        const bool both = fx != fx && fy != fy;
        return nan || both ? 0x7fffffffu : fx != fx ? y : x;
    }
    if (fx == fy)
        return least ? x | y : x & y;
    return (fx < fy) == least ? x : y;
}

template<bool Least>
Step reduceFloat(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    if (!allHere(warp, op, mask))
        return Step::Wait;
    const auto* a = planeOf<std::uint32_t>(warp, op.a);
    const std::uint32_t keep = (op.flags & kReduceAbs) != 0 ? 0x7fffffffu : ~0u;
    const bool nan = (op.flags & kReduceNan) != 0;
    std::array<std::uint32_t, kWarpSize> result{};
    forMask(mask, [&](std::size_t lane) {
        std::uint32_t peers = members(warp, op)[lane] & mask;
        if (peers == 0)
            peers = 1u << lane;
        std::uint32_t total = a[static_cast<std::size_t>(std::countr_zero(peers))] & keep;
        total = extremum(total, total, Least, nan); // one NaN is canonical, too
        forMask(peers & (peers - 1), [&](std::size_t other) { total = extremum(total, a[other] & keep, Least, nan); });
        result[lane] = total;
    });
    auto* d = planeOf<std::uint32_t>(warp, op.d);
    forMask(mask, [&](std::size_t lane) { d[lane] = result[lane]; });
    return Step::Next;
}

Step activeMask(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    auto* d = planeOf<std::uint32_t>(warp, op.d);
    forMask(mask, [&](std::size_t lane) { d[lane] = mask; });
    return Step::Next;
}

void tellChecker(const WarpRegisters& registers)
{
    const Warp& warp = static_cast<const Warp&>(registers);
    if (warp.launch->check != nullptr)
        warp.launch->check->warpSync(warp);
}

Step sync(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    if (!allHere(warp, op, mask))
        return Step::Wait;
    tellChecker(warp);
    return Step::Next;
}

Step fence(WarpRegisters& warp, const MicroOp&, std::uint32_t)
{
    if (LaunchState& launch = *static_cast<Warp&>(warp).launch; launch.log != nullptr)
        return leaveToOrder(launch);
    static_cast<Warp&>(warp).launch->observed = true;
    tellChecker(warp);
    return Step::Next;
}

constexpr std::array<OpFunction, 25> kOps{
    &shuffle<WarpOp::ShuffleUp>,
    &shuffle<WarpOp::ShuffleDown>,
    &shuffle<WarpOp::ShuffleButterfly>,
    &shuffle<WarpOp::ShuffleIndex>,
    &vote<WarpOp::VoteAll>,
    &vote<WarpOp::VoteAny>,
    &vote<WarpOp::VoteUniform>,
    &vote<WarpOp::VoteBallot>,
    &match<std::uint32_t, false>,
    &match<std::uint64_t, false>,
    &match<std::uint32_t, true>,
    &match<std::uint64_t, true>,
    &reduce<WarpOp::ReduceAdd>,
    &reduce<WarpOp::ReduceMinSigned>,
    &reduce<WarpOp::ReduceMinUnsigned>,
    &reduce<WarpOp::ReduceMaxSigned>,
    &reduce<WarpOp::ReduceMaxUnsigned>,
    &reduce<WarpOp::ReduceAnd>,
    &reduce<WarpOp::ReduceOr>,
    &reduce<WarpOp::ReduceXor>,
    &reduceFloat<true>,
    &reduceFloat<false>,
    &activeMask,
    &sync,
    &fence,
};

} // namespace

OpFunction findWarpOp(WarpOp op)
{
    return kOps[static_cast<std::size_t>(op)];
}

bool isWarpOp(OpFunction run)
{
    return std::find(kOps.begin(), kOps.end(), run) != kOps.end();
}

} // namespace ridge::gpu::simt
