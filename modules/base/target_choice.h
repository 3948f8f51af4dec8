// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"

#include <algorithm>

namespace ridge {

/// What answers for closed-form models, and the simulator that stands in where there is no GPU.
inline constexpr const char* kModelTarget = "model";
inline constexpr const char* kDefaultSimulator = "sim:h100-sxm";

/// Where an experiment runs when `target` was asked for: there if it can, else as a model, else on the default
/// simulator. The one rule for lessons, Lab and command line.
inline std::string targetFor(const ExperimentInfo& info, const std::string& target)
{
    const auto runsOn = [&](const std::string& kind) {
        return std::find(info.targets.begin(), info.targets.end(), kind) != info.targets.end();
    };
    if (runsOn(target.substr(0, target.find(':'))))
        return target;
    return runsOn(kModelTarget) ? kModelTarget : kDefaultSimulator;
}

} // namespace ridge
