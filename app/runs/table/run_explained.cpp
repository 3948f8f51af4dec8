// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/table/run_explained.h"

#include "app/drawing/charts/chart_text.h"
#include "app/drawing/scenes/warp_state_look.h"
#include "base/units.h"
#include "base/warp_states.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::app {
namespace {

// The thresholds of the rule "Speed of light" of Nsight Compute: from 80 % a unit is called busy, below 60 % of
// everything the kernel waits for latency.
constexpr double kBusy = 0.8, kLatency = 0.6;
/// Traffic of twice the least is worth a sentence of its own.
constexpr double kWasteful = 0.5;

QString tr(const char* text)
{
    return QCoreApplication::translate("RunExplained", text);
}

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

QString percent(double share)
{
    return text(formatNumber(std::round(100 * share)));
}

/// "3.4", and "12" where that is exact enough.
QString times(double factor)
{
    return text(formatNumber(factor < 10 ? std::round(10 * factor) / 10 : std::round(factor)));
}

struct Nearness {
    std::string name;
    double share = 0; ///< of what the limit allows: 1 is at it
    bool isRate = true;
    MetricValue metric;
    LimitValue limit;
};

std::vector<Nearness> nearnessOf(const record::RunRow& run)
{
    std::vector<Nearness> found;
    for (const auto& [name, limit] : run.limits) {
        const auto metric = run.metrics.find(name);
        if (metric == run.metrics.end() || !(metric->second.value > 0) || !(limit.value > 0))
            continue;
        const bool isRate = limit.kind != "lower";
        const double value = metric->second.value;
        found.push_back({name, isRate ? value / limit.value : limit.value / value, isRate, metric->second, limit});
    }
    return found;
}

/// Whether a share or a number with a greatest value says how well work is done and not how much of it a unit has: at
/// its limit it holds nothing back.
bool saysNoPace(const std::string& metric)
{
    constexpr std::array<std::string_view, 3> ends = {"efficiency", "occupancy", "error"};
    constexpr std::array<std::string_view, 5> names = {"error_online", "proved", "pe_share", "logic_share",
                                                       "async_copy"};
    return std::ranges::any_of(ends, [&](std::string_view end) { return metric.ends_with(end); }) ||
           std::ranges::find(names, metric) != names.end();
}

QString titleOf(const std::string& metric, const ExperimentInfo* info)
{
    const MetricSpec* spec = info ? info->metric(metric) : nullptr;
    return text(spec ? spec->title : metric);
}

} // namespace

std::optional<RunExplanation> explainRun(const record::RunRow& run, const ExperimentInfo* info)
{
    const std::vector<Nearness> all = nearnessOf(run);
    const std::vector<WarpState> waiting = waits(run.metrics);
    if (run.status == "failed" || (all.empty() && waiting.empty()))
        return std::nullopt;
    // Rates and times say how well the machine is used; counts that have a least say how much is asked of it.
    const auto isPace = [](const Nearness& each) {
        return !saysNoPace(each.name) && (each.isRate || each.metric.unit == "s");
    };
    const Nearness *pace = nullptr, *waste = nullptr;
    for (const Nearness& each : all) {
        if (isPace(each) && (!pace || each.share > pace->share))
            pace = &each;
        if (!isPace(each) && !each.isRate && each.share <= kWasteful && (!waste || each.share < waste->share))
            waste = &each;
    }
    const bool isBusy = pace && pace->share >= kBusy;
    RunExplanation said;
    // What is a share already has 100 % as its limit.
    const bool isShare = pace && pace->metric.unit == "%" && pace->limit.value == 100;
    if (isBusy)
        said.saturates =
            (isShare ? tr("%1: %2 %. That holds it back.") : tr("%1 is at %2 % of its limit: that holds it back."))
                .arg(titleOf(pace->name, info), percent(pace->share));
    else if (isShare)
        said.saturates = (pace->share < kLatency ? tr("Nothing. What comes nearest is %1: %2 %.")
                                                 : tr("Nothing quite. What comes nearest is %1: %2 %."))
                             .arg(inSentence(titleOf(pace->name, info)), percent(pace->share));
    else if (pace)
        said.saturates = (pace->share < kLatency ? tr("Nothing: %1, the nearest to its limit, is at %2 %.")
                                                 : tr("Nothing quite: %1 comes nearest, at %2 % of its limit."))
                             .arg(titleOf(pace->name, info), percent(pace->share));
    if (!isBusy && !waiting.empty())
        said.saturates += (said.saturates.isEmpty() ? QString() : QStringLiteral(" ")) +
                          tr("Its warps wait: %1 % of their cycles for “%2”.")
                              .arg(percent(waiting.front().percent / 100), stateText(waiting.front().state));
    if (said.saturates.isEmpty())
        said.saturates = tr("No rate that it reports has a limit.");
    if (pace) {
        const QString value = text(formatQuantity(pace->metric.value, pace->metric.unit));
        const QString limit = text(formatQuantity(pace->limit.value, pace->metric.unit));
        said.roof =
            pace->share > 1
                ? tr("%1, where %2 is the limit: look at how it was timed before anything else.").arg(value, limit)
                : tr("%1, where %2 is the limit: at most %3 times as fast.").arg(value, limit, times(1 / pace->share));
    }
    if (waste) {
        said.gain = 1 / waste->share;
        said.change =
            tr("Less for the same: %1 is %2, and %3 would do. As far as that sets the pace, up to %4 times.")
                .arg(titleOf(waste->name, info), text(formatQuantity(waste->metric.value, waste->metric.unit)),
                     text(formatQuantity(waste->limit.value, waste->metric.unit)), times(said.gain));
    } else if (isBusy) {
        said.change = tr("The limit is reached: only asking for less of it helps, or a setting that raises the limit.");
    } else if (!waiting.empty()) {
        said.change = stateAdvice(waiting.front().state);
        const double left = 1 - waiting.front().percent / 100;
        double most = left > 0 ? 1 / left : 0;
        if (pace && pace->share > 0 && (most == 0 || 1 / pace->share < most))
            most = 1 / pace->share;
        if (!said.change.isEmpty() && most > 1) {
            said.gain = most;
            said.change += QLatin1Char(' ') + tr("Without that wait at most %1 times as fast.").arg(times(most));
        }
    }
    return said;
}

} // namespace ridge::app
