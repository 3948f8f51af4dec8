// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/drawn_curve.h"

#include "lessons/placeholders.h"

#include <algorithm>
#include <cmath>

namespace ridge::lessons {

std::string axisOf(const std::string& sweep)
{
    const std::size_t equals = sweep.find('=');
    return equals == std::string::npos ? std::string() : sweep.substr(0, equals);
}

ParamSet settingOf(const DrawBlock& block, int instance)
{
    ParamSet set = block.set;
    if (instance > 0 && !block.again.empty())
        for (const auto& [name, value] : block.again[static_cast<std::size_t>(instance - 1) % block.again.size()])
            set[name] = value;
    return set;
}

std::optional<double> curveError(std::span<const DrawnPoint> points, bool logScale)
{
    if (points.empty())
        return std::nullopt;
    const bool positive =
        std::ranges::all_of(points, [](const DrawnPoint& p) { return p.drawn > 0 && p.measured > 0; });
    double off = 0, size = 0;
    for (const DrawnPoint& point : points) {
        off += logScale && positive ? std::abs(std::log(point.drawn / point.measured))
                                    : std::abs(point.drawn - point.measured);
        size += std::abs(point.measured);
    }
    if (logScale && positive)
        return std::exp(off / static_cast<double>(points.size())) - 1;
    return size > 0 ? std::optional(off / size) : std::nullopt;
}

std::vector<DrawnPoint> comparedCurve(const DrawBlock& block, const EvidenceAnswer& answer, const Evidence& evidence)
{
    std::vector<DrawnPoint> points;
    const std::string axis = axisOf(block.sweep);
    const ParamSet setting = settingOf(block, answer.given.instance);
    for (const auto& [x, y] : answer.given.curve) {
        if (std::ranges::find(answer.given.held, x) != answer.given.held.end())
            continue;
        ParamSet wanted = setting;
        wanted[axis] = x;
        const EvidenceRun* newest = nullptr;
        for (const EvidenceRun& run : evidence.runs)
            if (run.experiment == block.experiment && run.seq > answer.seq && run.metrics.contains(block.metric) &&
                matches(run.params, wanted) && (!newest || run.seq >= newest->seq))
                newest = &run;
        if (newest)
            points.push_back({x, y, newest->metrics.at(block.metric).value});
    }
    return points;
}

int nextInstance(const DrawBlock& block, const std::vector<int>& drawn, const std::function<bool(int)>& held)
{
    const int last = static_cast<int>(block.again.size());
    for (int instance = 0; instance <= last; ++instance)
        if (std::ranges::find(drawn, instance) == drawn.end() && !held(instance))
            return instance;
    return last;
}

} // namespace ridge::lessons
