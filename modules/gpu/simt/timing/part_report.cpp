// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/part_report.h"

#include <algorithm>
#include <cmath>

namespace ridge::gpu::simt {

namespace {

std::uint64_t rounded(double value)
{
    return static_cast<std::uint64_t>(std::max(0.0, std::round(value)));
}

/// Every count of `to` beside that of `other`, a report of the same kernel.
template<typename F>
static void forEachCount(TimingReport& to, const TimingReport& other, const F& f)
{
    for (std::size_t at = 0; at < kStalls; ++at)
        f(to.stalls[at], other.stalls[at]);
    TimingCounters& c = to.counters;
    const TimingCounters& o = other.counters;
    for (const auto field :
         {&TimingCounters::instIssued, &TimingCounters::activeCycles, &TimingCounters::warpCycles,
          &TimingCounters::l1Requests, &TimingCounters::l1TagWavefronts, &TimingCounters::l1DataWavefronts,
          &TimingCounters::l1SectorHits, &TimingCounters::l1SectorMisses, &TimingCounters::l2Requests,
          &TimingCounters::l2SectorHits, &TimingCounters::l2SectorMisses, &TimingCounters::dramReadBytes,
          &TimingCounters::dramWriteBytes, &TimingCounters::sharedWavefronts, &TimingCounters::registerConflicts})
        f(c.*field, o.*field);
    for (std::size_t at = 0; at < c.pipeInstructions.size(); ++at)
        f(c.pipeInstructions[at], o.pipeInstructions[at]);
    for (std::size_t at = 0; at < to.lines.size() && at < other.lines.size(); ++at) {
        LineTiming& line = to.lines[at];
        const LineTiming& with = other.lines[at];
        for (const auto field :
             {&LineTiming::instructions, &LineTiming::sectors, &LineTiming::requests, &LineTiming::requestSectors,
              &LineTiming::sharedWavefronts, &LineTiming::sharedMinimumWavefronts})
            f(line.*field, with.*field);
        for (std::size_t stall = 0; stall < kStalls; ++stall)
            f(line.stalls[stall], with.stalls[stall]);
    }
    for (std::size_t at = 0; at < to.sms.size() && at < other.sms.size(); ++at) {
        f(to.sms[at].instructions, other.sms[at].instructions);
        f(to.sms[at].warpCycles, other.sms[at].warpCycles);
    }
}

} // namespace

std::uint64_t scaled(std::uint64_t value, double times)
{
    return rounded(static_cast<double>(value) * times);
}

void growCounts(PartTimed& more, const PartTimed& few, const PartGrowth& growth)
{
    const double turns = growth.turns - growth.moreTurns, between = growth.moreTurns - growth.fewTurns;
    const auto whole = [&](std::uint64_t high, std::uint64_t low) {
        const auto from = static_cast<double>(low), to = static_cast<double>(high);
        return rounded((to + (to - from) / between * turns) * growth.times);
    };
    for (const auto counter : kCounters)
        more.counters.*counter = whole(more.counters.*counter, few.counters.*counter);
    forEachCount(more.timing, few.timing, [&](std::uint64_t& to, std::uint64_t low) { to = whole(to, low); });
}

void multiplyCounts(PartTimed& part, double times)
{
    for (const auto counter : kCounters)
        part.counters.*counter = scaled(part.counters.*counter, times);
    forEachCount(part.timing, part.timing, [&](std::uint64_t& to, std::uint64_t) { to = scaled(to, times); });
}

void markWhole(TimingReport& timing)
{
    timing.extrapolation.wholeCounters = true;
    timing.hash = timing.hash * 31 + timing.cycles;
}

} // namespace ridge::gpu::simt
