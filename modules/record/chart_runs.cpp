// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/chart_runs.h"

#include "base/median.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ridge::record {
namespace {

double valueOf(const RunRow& run, const std::string& metric)
{
    return run.metrics.at(metric).value;
}

std::optional<double> placeOf(const RunRow& run, const ExperimentInfo& info, const std::string& parameter)
{
    const auto value = run.params.find(parameter);
    return value == run.params.end() ? std::nullopt : placeOnAxis(info, parameter, value->second);
}

} // namespace

ChartRuns runsWith(const ChartRuns& runs, const std::vector<std::string>& metrics)
{
    ChartRuns used;
    for (const RunRow* run : runs)
        if (run->status == "finished" && std::ranges::all_of(metrics, [&](const std::string& name) {
                const auto metric = run->metrics.find(name);
                return metric != run->metrics.end() && std::isfinite(metric->second.value);
            }))
            used.push_back(run);
    return used;
}

std::optional<double> placeOnAxis(const ExperimentInfo& info, const std::string& parameter, const ParamValue& value)
{
    if (const auto number = asNumber(value))
        return number;
    const ParamSpec* spec = info.parameter(parameter);
    if (!spec || spec->type != ParamType::Choice)
        return std::nullopt;
    const auto found = std::ranges::find(spec->choices, value);
    return found == spec->choices.end() ? std::nullopt : std::optional(double(found - spec->choices.begin() + 1));
}

std::map<double, const RunRow*> newestByPlace(const ChartRuns& runs, const ExperimentInfo& info,
                                              const std::string& parameter)
{
    std::map<double, const RunRow*> newest;
    for (const RunRow* run : runs)
        if (const auto place = placeOf(*run, info, parameter)) {
            const RunRow*& kept = newest[*place];
            if (!kept || run->seq >= kept->seq)
                kept = run;
        }
    return newest;
}

std::vector<const ParamSpec*> differing(const ExperimentInfo& info, const ChartRuns& runs, const RunRow& one)
{
    std::vector<const ParamSpec*> varied;
    for (const ParamSpec& parameter : info.parameters) {
        const auto own = one.params.find(parameter.name);
        if (own != one.params.end() && std::ranges::any_of(runs, [&](const RunRow* run) {
                const auto other = run->params.find(parameter.name);
                return other != run->params.end() && other->second != own->second;
            }))
            varied.push_back(&parameter);
    }
    return varied;
}

LadderRuns ladderRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& chart)
{
    LadderRuns ladder;
    ladder.rungs = newestByPlace(runsWith(runs, {chart.y}), info, chart.x);
    std::optional<double> limit;
    bool shared = !ladder.rungs.empty();
    const RunRow* reference = nullptr;
    for (const auto& [place, run] : ladder.rungs) {
        const auto bound = run->limits.find(chart.y);
        shared = shared && bound != run->limits.end() && (!limit || *limit == bound->second.value);
        if (bound != run->limits.end())
            limit = bound->second.value;
        if (!chart.parts.empty() && run->metrics.contains(chart.parts.front()) &&
            (!reference || run->seq >= reference->seq))
            reference = run;
    }
    if (shared)
        ladder.limit = limit;
    if (reference)
        ladder.reference = valueOf(*reference, chart.parts.front());
    return ladder;
}

double nearestRank(const std::vector<double>& sorted, double share)
{
    const double rank = std::ceil(share * static_cast<double>(sorted.size()) - 1e-9);
    return sorted[static_cast<std::size_t>(std::clamp(rank, 1.0, static_cast<double>(sorted.size()))) - 1];
}

std::vector<std::size_t> paretoFront(const std::vector<std::pair<double, double>>& points, bool moreX, bool moreY)
{
    // As if less were better on both.
    const auto x = [&](std::size_t i) { return moreX ? -points[i].first : points[i].first; };
    const auto y = [&](std::size_t i) { return moreY ? -points[i].second : points[i].second; };
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order,
                      [&](std::size_t a, std::size_t b) { return std::pair(x(a), y(a)) < std::pair(x(b), y(b)); });
    std::vector<std::size_t> front;
    for (const std::size_t i : order)
        if (front.empty() || y(i) < y(front.back()) || (y(i) == y(front.back()) && x(i) == x(front.back())))
            front.push_back(i);
    std::ranges::sort(front, {}, [&](std::size_t i) { return points[i].first; });
    return front;
}

ChartRuns paretoRuns(const ChartRuns& runs, const ChartSpec& chart)
{
    const ChartRuns used = runsWith(runs, {chart.x, chart.y});
    std::vector<std::pair<double, double>> points;
    for (const RunRow* run : used)
        points.emplace_back(valueOf(*run, chart.x), valueOf(*run, chart.y));
    ChartRuns front;
    for (const std::size_t i : paretoFront(points, !chart.leastX, !chart.leastY))
        front.push_back(used[i]);
    return front;
}

std::optional<RoofRuns> roofRuns(const ChartRuns& runs, const ChartSpec& chart)
{
    if (chart.parts.size() < 2)
        return {};
    const std::vector<std::string> metrics{chart.x, chart.y, chart.parts[0], chart.parts[1]};
    RoofRuns roof;
    for (const RunRow* run : runsWith(runs, metrics)) {
        if (std::ranges::any_of(metrics, [&](const std::string& name) { return valueOf(*run, name) <= 0; }))
            continue;
        std::erase_if(roof.runs, [&](const RunRow* other) { return other->params == run->params; });
        roof.runs.push_back(run);
    }
    if (roof.runs.empty())
        return {};
    roof.peak = valueOf(*roof.runs.back(), chart.parts[0]);
    roof.bandwidth = valueOf(*roof.runs.back(), chart.parts[1]);
    return roof;
}

std::map<double, BandPlace> bandRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& chart)
{
    std::map<double, BandPlace> band;
    for (const RunRow* run : runsWith(runs, {chart.y}))
        if (const auto place = placeOf(*run, info, chart.x))
            band[*place].runs.push_back(run);
    for (auto& [place, own] : band) {
        std::vector<double> values;
        for (const RunRow* run : own.runs)
            values.push_back(valueOf(*run, chart.y));
        own.least = std::ranges::min(values);
        own.most = std::ranges::max(values);
        own.median = medianOf(std::move(values));
    }
    return band;
}

ChartRuns runsOf(const std::map<double, BandPlace>& band)
{
    ChartRuns runs;
    for (const auto& [place, own] : band)
        runs.insert(runs.end(), own.runs.begin(), own.runs.end());
    std::ranges::sort(runs, {}, &RunRow::seq);
    return runs;
}

} // namespace ridge::record
