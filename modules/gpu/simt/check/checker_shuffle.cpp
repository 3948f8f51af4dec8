// SPDX-License-Identifier: GPL-3.0-or-later
// What lanes give each other: a shuffle hands on what its source lane has, defined or not; the value of a lane that
// takes no part is undefined, and so is all that a lane gets which its own member mask leaves out (PTX ISA, shfl.sync).
#include "gpu/simt/check/checker.h"
#include "gpu/simt/run/shuffle.h"

#include "base/lane_mask.h"

namespace ridge::gpu::simt {

namespace {

constexpr std::uint8_t kLeftOut = 0x80; ///< beside the source of a lane that its member mask does not name

} // namespace

/// Before it runs: the result may take the place of an operand.
Checker::Sources Checker::sourcesOf(const Warp& warp, const MicroOp& op, std::uint32_t pc, std::uint32_t mask) const
{
    const auto* b = reinterpret_cast<const std::uint32_t*>(warp.file + op.b);
    const auto* c = reinterpret_cast<const std::uint32_t*>(warp.file + op.c);
    const auto* members = reinterpret_cast<const std::uint32_t*>(warp.file + op.imm);
    Sources sources{};
    forLanes(mask, [&](std::uint32_t lane) {
        const ShuffleSource from = shuffleSource(m_plans[pc].shuffle, lane, b[lane], c[lane]);
        sources[lane] = static_cast<std::uint8_t>(from.isInRange ? from.lane : lane);
        if ((members[lane] >> lane & 1) == 0)
            sources[lane] |= kLeftOut;
    });
    return sources;
}

void Checker::shuffled(const Warp& warp, const MicroOp& op, std::uint32_t pc, std::uint32_t mask,
                       const Sources& sources)
{
    const std::uint32_t asked = (lacking(warp, op.b) | lacking(warp, op.c)) & mask; // of nobody knows whom
    const std::uint32_t fromBefore = origin(warp, asked == 0 ? op.a : (lacking(warp, op.b) & mask) != 0 ? op.b : op.c);
    constexpr std::size_t kBytes = 4;
    std::array<std::uint32_t, kBytes> before{}, passed{};
    for (std::size_t at = 0; at < kBytes; ++at)
        before[at] = lackingByte(warp, op.a, at) & mask;
    const std::uint32_t* wasComputed = computed(warp, op.a);
    const std::uint32_t computedBefore = wasComputed != nullptr ? *wasComputed : 0;
    std::uint32_t absent = 0, handed = 0, anyPassed = asked;
    forLanes(mask, [&](std::uint32_t lane) {
        const bool isLeftOut = (sources[lane] & kLeftOut) != 0;
        const std::uint32_t source = std::uint32_t{1} << (sources[lane] & ~kLeftOut), own = std::uint32_t{1} << lane;
        if ((mask & source) == 0 || isLeftOut)
            absent |= own;
        for (std::size_t at = 0; at < kBytes; ++at)
            passed[at] |= (before[at] & source) != 0 ? own : 0u;
        handed |= (computedBefore & source) != 0 ? own : 0u;
    });
    for (const std::uint32_t lanes : passed)
        anyPassed |= lanes;
    if (op.e != kNone)
        define(warp, op.e, mask);
    setLacking(warp, op.d, mask, absent | (m_widths[op.d / 4] == kBytes ? asked : anyPassed));
    for (std::size_t at = 0; at < kBytes && m_widths[op.d / 4] == kBytes; ++at)
        setLackingByte(warp, op.d, at, mask, passed[at] | asked | absent);
    setComputed(warp, op.d, mask, handed);
    if (absent == 0) {
        if (anyPassed != 0)
            origin(warp, op.d) = fromBefore;
        return;
    }
    Origin made;
    made.pc = pc;
    made.warp = warp.index;
    made.lane = static_cast<std::uint32_t>(std::countr_zero(absent));
    made.block = warp.shadow->id;
    made.absent = (sources[made.lane] & kLeftOut) != 0 ? made.lane : sources[made.lane];
    origin(warp, op.d) = originAt(made);
}

void Checker::tellAbsent(Report& report, const Origin& from, const std::string& decides)
{
    if (from.absent == from.lane) {
        report.message = whoText(*report.thread) +
                         " takes part in an exchange between lanes with a member mask that leaves it out, so that what "
                         "it gets is left "
                         "open" +
                         decides;
        report.lookFor = "A mask for fewer lanes than come to the instruction: one of half a warp that the whole warp "
                         "executes, a mask from before a branch.";
        return;
    }
    report.message = whoText(*report.thread) + " asks for the value of lane " + std::to_string(from.absent) +
                     ", which takes no part in the shuffle" + decides;
    report.lookFor = "A shuffle inside a condition, or behind a return, that not all of its lanes take; a member mask "
                     "without the lane; a block whose threads do not fill its last warp.";
}

} // namespace ridge::gpu::simt
