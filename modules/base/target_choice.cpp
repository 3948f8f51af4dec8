// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/target_choice.h"

#include "base/target_kind.h"

#include <algorithm>

namespace ridge {

TargetParts splitTarget(const std::string& target)
{
    const std::size_t colon = target.find(':');
    if (colon == 0 || colon == std::string::npos || findTargetKind(target.substr(0, colon)) != nullptr)
        return {{}, target};
    const std::string rest = target.substr(colon + 1);
    if (findTargetKind(rest.substr(0, rest.find(':'))) != nullptr)
        return {target.substr(0, colon), rest};
    return {{}, target};
}

std::string kindOfTarget(const std::string& target)
{
    const std::string local = splitTarget(target).local;
    return local.substr(0, local.find(':'));
}

bool canRun(const ExperimentInfo& info, const std::string& target)
{
    const std::string kind = kindOfTarget(target);
    if (std::ranges::find(info.targets, kind) == info.targets.end())
        return false;
    const TargetKind* known = findTargetKind(kind);
    if (known == nullptr || known->name != TargetName::Machine || info.machines.empty())
        return true;
    return std::ranges::find(info.machines, machineOfTarget(target)) != info.machines.end();
}

std::string targetFor(const ExperimentInfo& info, const std::string& target)
{
    if (canRun(info, target))
        return target;
    if (std::ranges::find(info.targets, kModelTarget) != info.targets.end())
        return kModelTarget;
    if (!info.defaultTarget.empty())
        return info.defaultTarget;
    // An experiment of machines alone that names no default takes the first that its engine has.
    for (const std::string& kind : info.targets)
        if (const TargetKind* known = findTargetKind(kind); known != nullptr && known->name == TargetName::Machine)
            if (!info.machines.empty())
                return kind + ':' + info.machines.front();
    return kDefaultSimulator;
}

std::string unaskedTarget(const ExperimentInfo& info, const std::string& measuring)
{
    return info.defaultTarget.empty() ? targetFor(info, measuring) : info.defaultTarget;
}

} // namespace ridge
