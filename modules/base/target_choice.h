// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"

#include <algorithm>

namespace ridge {

/// What answers for closed-form models, and the simulator that stands in where there is no GPU.
inline constexpr const char* kModelTarget = "model";
inline constexpr const char* kDefaultSimulator = "sim:h100-sxm";

/// A target and where it is: "lab:gpu:0" is gpu:0 of the remote target lab, "gpu:0" is one of this machine (`remote` is
/// empty). What stands before the first colon is the name of a remote target only where a kind of target follows it, so
/// that a mistyped local one stays what it is.
struct TargetParts {
    std::string remote, local;
};

inline TargetParts splitTarget(const std::string& target)
{
    const std::size_t colon = target.find(':');
    if (colon == 0 || colon == std::string::npos)
        return {{}, target};
    const std::string rest = target.substr(colon + 1);
    const std::string kind = rest.substr(0, rest.find(':'));
    for (const char* known : {"gpu", "sim", "cpu", kModelTarget})
        if (kind == known)
            return {target.substr(0, colon), rest};
    return {{}, target};
}

/// "gpu" of "gpu:0" and of "lab:gpu:0".
inline std::string kindOfTarget(const std::string& target)
{
    const std::string local = splitTarget(target).local;
    return local.substr(0, local.find(':'));
}

/// Where an experiment runs when `target` was asked for: there if it can, else as a model, else on the default
/// simulator. The one rule for lessons, Lab and command line.
inline std::string targetFor(const ExperimentInfo& info, const std::string& target)
{
    const auto runsOn = [&](const std::string& kind) {
        return std::find(info.targets.begin(), info.targets.end(), kind) != info.targets.end();
    };
    if (runsOn(kindOfTarget(target)))
        return target;
    return runsOn(kModelTarget) ? kModelTarget : kDefaultSimulator;
}

} // namespace ridge
