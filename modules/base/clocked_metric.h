// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"

namespace ridge {

/// Whether a simulated chip without a clock lacks this metric of an experiment: times, rates, what a launch that is
/// timed counts, and ratios of times. False for what it counts all the same, and for what it is told or measures on
/// this machine's processor.
bool needsClock(const ExperimentInfo& info, std::string_view metric);

} // namespace ridge
