// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/table/run_data.h"

#include "app/drawing/charts/chart_text.h"
#include "app/runs/table/run_views.h"
#include "base/target_choice.h"
#include "base/units.h"
#include "record/chart_runs.h"

#include <QCoreApplication>
#include <algorithm>
#include <set>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("RunData", text);
}

std::string seriesKey(const record::RunRow& run, const std::string& x, const std::set<std::string>& varied)
{
    std::string key;
    for (const auto& [name, value] : run.params)
        if (name != x && varied.contains(name))
            key += name + '=' + toText(value) + ' ';
    return key + '@' + run.target + '#' + std::string(toText(run.provenance));
}

QString seriesName(const record::RunRow& run, const std::string& x, const std::set<std::string>& varied,
                   const ExperimentInfo& info, bool manyTargets)
{
    QStringList names;
    for (const std::string& name : varied)
        if (name != x)
            names << QString::fromStdString(name);
    QStringList parts;
    if (!names.isEmpty())
        parts << parameterText(run.params, &info, names);
    if (manyTargets || parts.isEmpty())
        parts << QString::fromStdString(run.target);
    return parts.join(QStringLiteral(", "));
}

QString countText(std::size_t runs)
{
    return runs == 1 ? tr("1 run") : tr("%1 runs").arg(runs);
}

QString captionOf(const std::vector<const record::RunRow*>& used)
{
    std::set<QString> targets;
    std::set<QString> validity;
    for (const record::RunRow* run : used) {
        targets.insert(QString::fromStdString(run->target));
        validity.insert(QString::fromStdString(run->validity));
    }
    const QStringList where(targets.begin(), targets.end());
    const QStringList verdicts(validity.begin(), validity.end());
    return QStringLiteral("%1 · %2 · %3")
        .arg(where.join(QStringLiteral(", ")), countText(used.size()), verdicts.join(QStringLiteral(", ")));
}

std::vector<const record::RunRow*> usable(std::span<const record::RunRow> runs, const ExperimentInfo& info,
                                          const ChartSpec& chart)
{
    std::vector<const record::RunRow*> used;
    for (const record::RunRow& run : runs) {
        const auto x = run.params.find(chart.x);
        if (run.status == "finished" && run.metrics.contains(chart.y) && x != run.params.end() &&
            record::placeOnAxis(info, chart.x, x->second))
            used.push_back(&run);
    }
    return used;
}

} // namespace

QString parameterText(const ParamSet& params, const ExperimentInfo* info, const QStringList& only)
{
    QStringList parts;
    const auto asked = [&only](const std::string& name) {
        return only.isEmpty() || only.contains(QString::fromStdString(name));
    };
    std::set<std::string> shown;
    if (info)
        for (const ParamSpec& spec : info->parameters) {
            shown.insert(spec.name);
            const auto found = params.find(spec.name);
            if (found == params.end() || !asked(spec.name))
                continue;
            std::string value = valueText(spec, found->second);
            if (!countsThings(spec.unit) && !takesPrefix(spec.unit))
                value += ' ' + spec.unit;
            parts << inSentence(QString::fromStdString(spec.title)) + QLatin1Char(' ') + QString::fromStdString(value);
        }
    for (const auto& [name, value] : params)
        if (!shown.contains(name) && asked(name))
            parts << QString::fromStdString(name + ' ' + toText(value));
    return parts.join(QStringLiteral(", "));
}

QStringList tellingParameters(const record::RunRow& run, const ExperimentInfo& info)
{
    return tellingParameters(run.params, run.target, info);
}

QStringList tellingParameters(const ParamSet& params, const std::string& target, const ExperimentInfo& info)
{
    const std::string axis = chartSpec(info, {}).x;
    const std::string kind = kindOfTarget(target);
    QStringList names;
    for (const ParamSpec& spec : info.parameters) {
        const auto value = params.find(spec.name);
        const auto special = spec.defaultFor.find(kind);
        const ParamValue& usual = special == spec.defaultFor.end() ? spec.defaultValue : special->second;
        if (value != params.end() && (spec.name == axis || toText(value->second) != toText(usual)))
            names << QString::fromStdString(spec.name);
    }
    return names.isEmpty() && !info.parameters.empty() ? QStringList{QString::fromStdString(axis)} : names;
}

QStringList variedParameters(std::span<const record::RunRow> runs, const ExperimentInfo* info)
{
    std::map<std::string, std::set<std::string>> values;
    for (const record::RunRow& run : runs)
        for (const auto& [name, value] : run.params)
            values[name].insert(toText(value));
    QStringList varied;
    if (info)
        for (const ParamSpec& spec : info->parameters)
            if (values[spec.name].size() > 1)
                varied << QString::fromStdString(spec.name);
    for (const auto& [name, seen] : values)
        if (seen.size() > 1 && !varied.contains(QString::fromStdString(name)))
            varied << QString::fromStdString(name);
    return varied;
}

std::string headlineMetric(const record::RunRow& run, const ExperimentInfo* info)
{
    if (info) {
        for (const ChartSpec& chart : info->charts)
            if (run.metrics.contains(chart.y))
                return chart.y;
        for (const MetricSpec& metric : info->metrics)
            if (run.metrics.contains(metric.name))
                return metric.name;
    }
    return run.metrics.empty() ? std::string() : run.metrics.begin()->first;
}

ChartSpec chartSpec(const ExperimentInfo& info, const std::string& id)
{
    for (const ChartSpec& chart : info.charts)
        if (chart.id == id)
            return chart;
    if (!info.charts.empty())
        return info.charts.front();
    ChartSpec made;
    made.title = info.title;
    if (!info.parameters.empty()) {
        made.x = info.parameters.front().name;
        made.xScale = info.parameters.front().scale;
    }
    if (!info.metrics.empty())
        made.y = info.metrics.front().name;
    return made;
}

SweepChartData chartOfRuns(std::span<const record::RunRow> runs, const ExperimentInfo& info, const ChartSpec& chart)
{
    SweepChartData data;
    data.title = QString::fromStdString(chart.title);
    data.xNames = axisNames(info, chart.x);
    data.xScale = chart.xScale;
    data.yScale = chart.yScale;
    if (const ParamSpec* x = info.parameter(chart.x)) {
        data.xTitle = QString::fromStdString(x->title);
        data.xUnit = QString::fromStdString(x->unit);
    }
    if (const MetricSpec* y = info.metric(chart.y)) {
        data.yTitle = QString::fromStdString(y->title);
        data.yUnit = QString::fromStdString(y->unit);
    }
    const std::vector<const record::RunRow*> used = usable(runs, info, chart);
    std::vector<record::RunRow> plain;
    std::set<std::string> targets;
    for (const record::RunRow* run : used) {
        plain.push_back(*run);
        targets.insert(run->target);
    }
    std::set<std::string> varied;
    for (const QString& name : variedParameters(plain, &info))
        varied.insert(name.toStdString());

    std::map<std::string, std::size_t> index;
    for (const record::RunRow* run : used) {
        const auto [place, fresh] = index.try_emplace(seriesKey(*run, chart.x, varied), data.series.size());
        if (fresh)
            data.series.push_back({seriesName(*run, chart.x, varied, info, targets.size() > 1), run->provenance, {}});
        ChartSeries::Point point{
            *record::placeOnAxis(info, chart.x, run->params.at(chart.x)), run->metrics.at(chart.y).value, {}};
        if (const auto limit = run->limits.find(chart.y); limit != run->limits.end()) {
            point.limit = limit->second.value;
            data.limitKind = QString::fromStdString(limit->second.kind);
        }
        data.series[place->second].points.push_back(point);
    }
    for (ChartSeries& series : data.series)
        std::stable_sort(series.points.begin(), series.points.end(),
                         [](const auto& a, const auto& b) { return a.x < b.x; });
    for (const LimitSpec& limit : info.limits)
        if (limit.metric == chart.y)
            data.limitTitle = QString::fromStdString(limit.title);
    if (!used.empty())
        data.caption = captionOf(used);
    data.origin = originOf(used);
    return data;
}

} // namespace ridge::app
