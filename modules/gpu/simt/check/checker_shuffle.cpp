// SPDX-License-Identifier: GPL-3.0-or-later
// What lanes give each other: a shuffle hands on what its source lane has, defined or not; the value of a lane that
// takes no part is undefined (PTX ISA, shfl.sync).
#include "gpu/simt/check/checker.h"
#include "gpu/simt/run/shuffle.h"

#include "base/lane_mask.h"

namespace ridge::gpu::simt {

/// Before it runs: the result may take the place of an operand.
Checker::Sources Checker::sourcesOf(const Warp& warp, const MicroOp& op, std::uint32_t pc, std::uint32_t mask) const
{
    const auto* b = reinterpret_cast<const std::uint32_t*>(warp.file + op.b);
    const auto* c = reinterpret_cast<const std::uint32_t*>(warp.file + op.c);
    Sources sources{};
    forLanes(mask, [&](std::uint32_t lane) {
        const ShuffleSource from = shuffleSource(m_plans[pc].shuffle, lane, b[lane], c[lane]);
        sources[lane] = static_cast<std::uint8_t>(from.isInRange ? from.lane : lane);
    });
    return sources;
}

void Checker::shuffled(const Warp& warp, const MicroOp& op, std::uint32_t pc, std::uint32_t mask,
                       const Sources& sources)
{
    const std::uint32_t before = undefined(warp, op.a);
    const std::uint32_t asked = (undefined(warp, op.b) | undefined(warp, op.c)) & mask; // of nobody knows whom
    const std::uint32_t fromBefore = origin(warp, asked == 0                            ? op.a
                                                  : (undefined(warp, op.b) & mask) != 0 ? op.b
                                                                                        : op.c);
    std::uint32_t passed = asked, absent = 0;
    forLanes(mask, [&](std::uint32_t lane) {
        const std::uint32_t source = std::uint32_t{1} << sources[lane];
        if ((mask & source) == 0)
            absent |= std::uint32_t{1} << lane;
        else if ((before & source) != 0)
            passed |= std::uint32_t{1} << lane;
    });
    if (op.e != kNone)
        define(warp, op.e, mask);
    std::uint32_t& bits = undefined(warp, op.d);
    bits = (bits & ~mask) | passed | absent;
    if (absent == 0) {
        if (passed != 0)
            origin(warp, op.d) = fromBefore;
        return;
    }
    Origin made;
    made.pc = pc;
    made.warp = warp.index;
    made.lane = static_cast<std::uint32_t>(std::countr_zero(absent));
    made.block = warp.shadow->id;
    made.absent = sources[made.lane];
    origin(warp, op.d) = originAt(made);
}

void Checker::tellAbsent(Report& report, const Origin& from, const std::string& decides)
{
    report.message = whoText(*report.thread) + " asks for the value of lane " + std::to_string(from.absent) +
                     ", which takes no part in the shuffle" + decides;
    report.lookFor = "A shuffle inside a condition, or behind a return, that not all of its lanes take; a member mask "
                     "without the lane; a block whose threads do not fill its last warp.";
}

} // namespace ridge::gpu::simt
