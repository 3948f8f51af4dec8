// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/sweep_points.h"

namespace ridge {
namespace {

Result<std::vector<SweepAxis>> axesOf(std::span<const ParamSpec> specs, std::span<const std::string> sweeps)
{
    std::vector<SweepAxis> axes;
    for (const std::string& text : sweeps) {
        auto axis = parseSweep(specs, text);
        if (!axis)
            return axis.error();
        axes.push_back(std::move(*axis));
    }
    return axes;
}

} // namespace

Result<std::vector<ParamSet>> sweepPoints(std::span<const ParamSpec> specs, const ParamSet& fixed,
                                          std::span<const std::string> sweeps)
{
    const auto axes = axesOf(specs, sweeps);
    return axes ? expandSweep(fixed, *axes) : axes.error();
}

Result<std::vector<ParamSet>> blockPoints(std::span<const ParamSpec> specs, ParamSet preset,
                                          std::span<const std::string> sweeps)
{
    const auto axes = axesOf(specs, sweeps);
    if (!axes)
        return axes.error();
    for (const SweepAxis& axis : *axes)
        preset.erase(axis.name);
    return expandSweep(preset, *axes);
}

} // namespace ridge
