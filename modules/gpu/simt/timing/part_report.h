// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"
#include "gpu/timing_report.h"

namespace ridge::gpu::simt {

/// A part of a launch, or what is said of all of it.
struct PartTimed {
    TimingReport timing;
    Counters counters;
};

/// What is counted in a launch grows evenly with the turns of its loop, and with its blocks.
struct PartGrowth {
    double fewTurns = 0, moreTurns = 0, turns = 0; ///< of two parts and of the whole
    double times = 1;                              ///< blocks of the whole launch for each one timed
};

std::uint64_t scaled(std::uint64_t value, double times);
/// Turns the counts of the longer of two parts into those of the whole launch.
void growCounts(PartTimed& more, const PartTimed& few, const PartGrowth& growth);
/// The same where only blocks were left out.
void multiplyCounts(PartTimed& part, double times);
/// Counts and cycles are those of the whole launch from here on.
void markWhole(TimingReport& timing);

} // namespace ridge::gpu::simt
