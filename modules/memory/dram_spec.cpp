// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/dram.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

namespace ridge::memory {
namespace {

Error bad(std::string message, std::string fix)
{
    return {"bad-dram", std::move(message), "dram", std::move(fix)};
}

} // namespace

Result<void> checkSpec(const DramSpec& spec)
{
    for (const auto& [name, value, most] : {std::tuple{"pseudo-channels", spec.pseudoChannels, 64u},
                                            {"ranks", spec.ranks, 16u},
                                            {"bank groups", spec.groups, 64u},
                                            {"banks of a group", spec.banks, 64u},
                                            {"rows", spec.rows, 1u << 24},
                                            {"columns", spec.columns, 1u << 16},
                                            {"read queue", spec.readQueue, 4096u},
                                            {"write queue", spec.writeQueue, 4096u},
                                            {"pins", spec.pins, 4096u},
                                            {"prefetch", spec.prefetch, 64u},
                                            {"burst cycles", spec.timings.burst, 64u}})
        if (value == 0 || value > most)
            return bad(std::to_string(value) + " is no possible number of " + name,
                       "take 1 to " + std::to_string(most));
    for (const auto& [name, value] : {std::pair{"pseudo-channels", spec.pseudoChannels},
                                      {"ranks", spec.ranks},
                                      {"bank groups", spec.groups},
                                      {"banks of a group", spec.banks},
                                      {"rows", spec.rows},
                                      {"columns", spec.columns}})
        if (!std::has_single_bit(value))
            return bad(std::to_string(value) + " " + name + " cannot be told apart by address bits",
                       "take a power of two");
    if (spec.halfTicks != 1 && spec.halfTicks != 2)
        return bad("a cycle of " + std::to_string(spec.halfTicks) + " ticks is not possible", "take 1 or 2");
    if (!(spec.pinRate > 0) || !std::isfinite(spec.pinRate))
        return bad("the pin rate is no positive number", "give it in bits a second, as 6.4e9");
    const DramTimings& t = spec.timings;
    for (const std::uint32_t each :
         {t.cl,          t.cwl,           t.rcdRead,  t.rcdWrite, t.rp,      t.rpAll,         t.ras,
          t.rc,          t.writeRecovery, t.rtp,      t.ccdShort, t.ccdLong, t.ccdShortWrite, t.ccdLongWrite,
          t.ccdRank,     t.rankSwitch,    t.rrdShort, t.rrdLong,  t.faw,     t.wtrShort,      t.wtrLong,
          t.readToWrite, t.ppd,           t.rfc,      t.rfcBank,  t.refi,    t.refiBank,      t.rrefd})
        if (each > 1u << 20)
            return bad("a timing of " + std::to_string(each) + " cycles is not possible",
                       "take at most 1048576 cycles");
    if (t.refiBank == 0)
        return bad("tREFIpb is 0", "give the time between two refreshes of one bank each");
    if (t.refi <= t.rfc + t.rp)
        return bad("a refresh of " + std::to_string(t.rfc) + " cycles does not end within its interval of " +
                       std::to_string(t.refi),
                   "make tREFI longer than tRFC + tRP");
    return {};
}

Result<DramSpec> atRate(const DramSpec& spec, double pinRate)
{
    const double ratio = pinRate / spec.pinRate;
    if (!(ratio >= 0.25) || !(ratio <= 2))
        return bad(fmt::format("the timings of this memory are for {:g} Mb/s a pin and say nothing about {:g}",
                               spec.pinRate / 1e6, pinRate / 1e6),
                   "take a quarter to twice of its own rate");
    DramSpec other = spec;
    other.pinRate = pinRate;
    DramTimings& t = other.timings;
    for (std::uint32_t* each :
         {&t.cl,          &t.cwl,           &t.rcdRead, &t.rcdWrite, &t.rp,       &t.rpAll,    &t.ras,
          &t.rc,          &t.writeRecovery, &t.rtp,     &t.rrdLong,  &t.faw,      &t.wtrShort, &t.wtrLong,
          &t.readToWrite, &t.rfc,           &t.rfcBank, &t.refi,     &t.refiBank, &t.rrefd})
        *each = static_cast<std::uint32_t>(std::ceil(*each * ratio - 1e-9));
    const auto scale = [&](std::uint32_t& each, std::uint32_t least) {
        each = std::max(least, static_cast<std::uint32_t>(std::ceil(each * ratio - 1e-9)));
    };
    if (spec.ddr) {
        scale(t.ccdLong, t.ccdShort);
        scale(t.ccdLongWrite, t.ccdShortWrite);
    } else {
        scale(t.rrdShort, 1);
    }
    if (spec.turnaround)
        t.readToWrite = t.cl + t.burst + spec.turnaround - t.cwl;
    return other;
}

} // namespace ridge::memory
