// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/table/run_views.h"

#include "app/drawing/charts/chart_text.h"
#include "app/runs/table/run_data.h"
#include "base/warp_states.h"

#include <QCoreApplication>
#include <set>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("RunViews", text);
}

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

std::vector<const record::RunRow*> withMetric(std::span<const record::RunRow> runs, const std::string& metric)
{
    std::vector<const record::RunRow*> used;
    for (const record::RunRow& run : runs)
        if (run.status == "finished" && run.metrics.contains(metric))
            used.push_back(&run);
    return used;
}

std::vector<Provenance> provenances(const std::vector<const record::RunRow*>& runs, const std::string& metric)
{
    std::set<Provenance> seen;
    for (const record::RunRow* run : runs)
        seen.insert(run->metrics.at(metric).provenance);
    return {seen.begin(), seen.end()};
}

struct MetricWords {
    QString title, unit;
};

MetricWords wordsOf(const ExperimentInfo& info, const std::string& metric)
{
    const MetricSpec* spec = info.metric(metric);
    return spec ? MetricWords{inSentence(text(spec->title)), text(spec->unit)} : MetricWords{text(metric), {}};
}

/// The bound that all runs share; none where it differs from run to run.
std::optional<double> sharedLimit(const std::vector<const record::RunRow*>& runs, const std::string& metric)
{
    std::optional<double> shared;
    for (const record::RunRow* run : runs) {
        const auto limit = run->limits.find(metric);
        if (limit == run->limits.end() || (shared && limit->second.value != *shared))
            return std::nullopt;
        shared = limit->second.value;
    }
    return shared;
}

QString limitName(const ExperimentInfo& info, const std::string& metric)
{
    for (const LimitSpec& limit : info.limits)
        if (limit.metric == metric)
            return text(limit.title);
    return {};
}

/// Numeric parameters with at least two values, in the order in which the experiment declares them, with those values.
std::vector<std::pair<const ParamSpec*, std::set<double>>> sweptNumbers(const std::vector<const record::RunRow*>& runs,
                                                                        const ExperimentInfo& info)
{
    std::vector<std::pair<const ParamSpec*, std::set<double>>> swept;
    for (const ParamSpec& spec : info.parameters) {
        std::set<double> values;
        for (const record::RunRow* run : runs) {
            const auto value = run->params.find(spec.name);
            if (const auto number = value == run->params.end() ? std::nullopt : asNumber(value->second))
                values.insert(*number);
        }
        if (values.size() > 1)
            swept.emplace_back(&spec, std::move(values));
    }
    return swept;
}

} // namespace

ChartOrigin originOf(const std::vector<const record::RunRow*>& runs)
{
    ChartOrigin origin;
    if (runs.empty())
        return origin;
    QStringList targets, verdicts;
    const record::RunRow* newest = runs.front();
    for (const record::RunRow* run : runs) {
        if (const QString target = text(run->target); !targets.contains(target))
            targets << target;
        if (const QString verdict = text(run->validity); !verdicts.contains(verdict) && !verdict.isEmpty())
            verdicts << verdict;
        newest = run->seq >= newest->seq ? run : newest;
    }
    origin.where = targets.join(QStringLiteral(", "));
    origin.n = runs.size();
    origin.verdict = verdicts.join(QStringLiteral(", "));
    origin.fingerprint = newest->fingerprint;
    return origin;
}

HeatMapData heatMapOfRuns(std::span<const record::RunRow> runs, const ExperimentInfo& info, const std::string& metric,
                          const std::string& x)
{
    HeatMapData data;
    const MetricWords words = wordsOf(info, metric);
    data.valueTitle = words.title;
    data.unit = words.unit;
    const auto used = withMetric(runs, metric);
    auto swept = sweptNumbers(used, info);
    if (swept.size() < 2) {
        data.emptyText = swept.empty()
                             ? tr("A heat map needs a sweep over two parameters with numbers; nothing varies here.")
                             : tr("A heat map needs a sweep over two parameters; here only %1 varies.")
                                   .arg(inSentence(text(swept.front().first->title)));
        return data;
    }
    std::stable_partition(swept.begin(), swept.end(), [&](const auto& one) { return one.first->name == x; });
    // Beside the chosen one the parameter with most values: a third is held at its newest value.
    std::stable_sort(swept.begin() + (swept.front().first->name == x ? 1 : 0), swept.end(),
                     [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
    const ParamSpec& across = *swept[0].first;
    const ParamSpec& up = *swept[1].first;
    data.title =
        tr("%1 over %2 and %3").arg(asStart(words.title), inSentence(text(across.title)), inSentence(text(up.title)));
    data.xTitle = inSentence(text(across.title));
    data.xUnit = text(across.unit);
    data.yTitle = inSentence(text(up.title));
    data.yUnit = text(up.unit);
    data.xs.assign(swept[0].second.begin(), swept[0].second.end());
    data.ys.assign(swept[1].second.begin(), swept[1].second.end());
    data.cells.resize(data.xs.size() * data.ys.size());
    std::vector<const record::RunRow*> drawn;
    std::vector<std::int64_t> newest(data.cells.size(), -1);
    QStringList held;
    for (const record::RunRow* run : used) {
        bool other = false;
        for (std::size_t i = 2; i < swept.size(); ++i)
            other = other || run->params.at(swept[i].first->name) != used.back()->params.at(swept[i].first->name);
        if (other)
            continue;
        const auto column = std::lower_bound(data.xs.begin(), data.xs.end(), *asNumber(run->params.at(across.name)));
        const auto row = std::lower_bound(data.ys.begin(), data.ys.end(), *asNumber(run->params.at(up.name)));
        const auto cell = static_cast<std::size_t>((row - data.ys.begin())) * data.xs.size() +
                          static_cast<std::size_t>(column - data.xs.begin());
        if (run->seq < newest[cell])
            continue;
        newest[cell] = run->seq;
        data.cells[cell] = run->metrics.at(metric).value;
        drawn.push_back(run);
    }
    for (std::size_t i = 2; i < swept.size(); ++i)
        held << tr("at %1 %2")
                    .arg(inSentence(text(swept[i].first->title)),
                         text(toText(used.back()->params.at(swept[i].first->name))));
    data.provenance = provenances(drawn, metric);
    data.limit = sharedLimit(drawn, metric);
    data.limitName = limitName(info, metric);
    data.origin = originOf(drawn);
    data.caption = originText(data.origin);
    if (!held.isEmpty())
        data.caption += QStringLiteral(" · ") + held.join(QStringLiteral(", "));
    return data;
}

HistogramData histogramOfRuns(std::span<const record::RunRow> runs, const ExperimentInfo& info,
                              const std::string& metric)
{
    HistogramData data;
    const MetricWords words = wordsOf(info, metric);
    data.title = tr("%1 over the runs").arg(asStart(words.title));
    data.valueTitle = words.title;
    data.unit = words.unit;
    const auto used = withMetric(runs, metric);
    if (used.empty())
        data.emptyText = tr("No finished run has the metric “%1”.").arg(words.title);
    for (const record::RunRow* run : used)
        data.samples.push_back(run->metrics.at(metric).value);
    data.provenance = provenances(used, metric);
    data.limit = sharedLimit(used, metric);
    data.limitName = limitName(info, metric);
    data.origin = originOf(used);
    data.caption = originText(data.origin);
    return data;
}

CostData warpStatesOfRuns(std::span<const record::RunRow> runs, const ExperimentInfo& info, std::size_t most)
{
    CostData data;
    data.title = tr("Warp states");
    data.valueTitle = tr("share of warp cycles");
    data.unit = QStringLiteral("%");
    std::vector<const record::RunRow*> used;
    for (const record::RunRow& run : runs)
        if (run.status == "finished" && std::any_of(run.metrics.begin(), run.metrics.end(),
                                                    [](const auto& metric) { return isWarpState(metric.first); }))
            used.push_back(&run);
    if (used.empty()) {
        data.emptyText = runs.empty() ? tr("Warp states appear here as runs come in.")
                                      : tr("Warp states come from the simulator's timing model; these runs have none.");
        return data;
    }
    const std::size_t all = used.size();
    if (used.size() > most)
        used.erase(used.begin(), used.end() - static_cast<std::ptrdiff_t>(most));
    std::map<std::string, double> sums;
    for (const record::RunRow* run : used)
        for (const auto& [name, metric] : run->metrics)
            if (isWarpState(name))
                sums[name] += metric.value;
    // Issued first, then waits by size: the order in which the question "why so slow?" is asked.
    std::vector<std::pair<std::string, double>> states(sums.begin(), sums.end());
    const auto issued = [](const std::string& name) { return name == "stall_selected"; };
    std::stable_sort(states.begin(), states.end(), [&](const auto& a, const auto& b) {
        return issued(a.first) != issued(b.first) ? issued(a.first) : a.second > b.second;
    });
    for (const auto& [name, sum] : states)
        data.parts.push_back(text(name.substr(6)).replace(QLatin1Char('_'), QLatin1Char(' ')));
    std::vector<record::RunRow> plain;
    for (const record::RunRow* run : used)
        plain.push_back(*run);
    const QStringList varied = variedParameters(plain, &info);
    for (const record::RunRow* run : used) {
        const QString name = varied.isEmpty() ? text(run->target) : parameterText(run->params, &info, varied);
        CostBar bar{name, run->provenance, {}};
        for (const auto& [state, sum] : states) {
            const auto metric = run->metrics.find(state);
            bar.values.push_back(metric == run->metrics.end() ? 0 : metric->second.value);
            if (metric != run->metrics.end())
                bar.provenance = metric->second.provenance;
        }
        data.bars.push_back(std::move(bar));
    }
    data.origin = originOf(used);
    data.caption = originText(data.origin);
    if (all > most)
        data.caption += tr(" · the last %1 of %2 runs").arg(most).arg(all);
    return data;
}

} // namespace ridge::app
