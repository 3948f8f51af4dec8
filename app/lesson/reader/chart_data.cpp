// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/chart_data.h"

#include "app/drawing/charts/chart_text.h"
#include "base/units.h"
#include "lessons/placeholders.h"
#include "record/chart_runs.h"

#include <QCoreApplication>
#include <cmath>
#include <set>

namespace ridge::app {

namespace {

struct Group {
    const record::RunRow* newest = nullptr;
    ParamSet others; ///< every parameter but the one on the x axis
    std::map<double, const record::RunRow*> points;
};

QString translated(const char* text)
{
    return QCoreApplication::translate("ridge::app::Chart", text);
}

std::vector<Group> groupRuns(const ChartRequest& request)
{
    std::map<std::string, Group> groups;
    for (const record::RunRow* row : request.runs) {
        const auto x = row->params.find(request.chart.x);
        if (row->status != "finished" || x == row->params.end() || !row->metrics.contains(request.chart.y))
            continue;
        const auto at = record::placeOnAxis(request.experiment, request.chart.x, x->second);
        if (!at)
            continue;
        ParamSet others = row->params;
        others.erase(request.chart.x);
        Group& group = groups[row->target + ridge::toJson(others).dump()];
        group.others = std::move(others);
        group.newest = row;
        group.points[*at] = row;
    }
    std::vector<Group> sorted;
    for (auto& [key, group] : groups)
        sorted.push_back(std::move(group));
    std::ranges::sort(sorted, {}, [](const Group& group) { return group.newest->seq; });
    if (sorted.size() > request.maxSeries)
        sorted.erase(sorted.begin(), sorted.end() - std::ptrdiff_t(request.maxSeries));
    return sorted;
}

/// What tells the series apart, and only that.
QString seriesName(const ExperimentInfo& experiment, const Group& group, const std::vector<Group>& all)
{
    std::set<std::string> targets;
    std::map<std::string, std::set<std::string>> values;
    for (const Group& one : all) {
        targets.insert(one.newest->target);
        for (const auto& [name, value] : one.others)
            values[name].insert(toText(value));
    }
    QStringList parts;
    if (targets.size() > 1 || all.size() == 1)
        parts += QString::fromStdString(group.newest->target);
    for (const auto& [name, value] : group.others)
        if (values[name].size() > 1)
            parts += parameterWords(experiment, name, value);
    return parts.join(QStringLiteral(", "));
}

void addLimit(SweepChartData& data, const ExperimentInfo& experiment, const std::string& metric)
{
    const auto limit = std::ranges::find(experiment.limits, metric, &LimitSpec::metric);
    if (limit == experiment.limits.end())
        return;
    data.limitTitle = QString::fromStdString(limit->title);
    data.limitKind = QString::fromStdString(limit->kind);
}

void addPredictions(SweepChartData& data, const ChartRequest& request, const std::vector<Group>& groups)
{
    for (const record::PredictionRow* row : request.predictions) {
        const auto x = row->params.find(request.chart.x);
        if (row->experiment != request.experiment.id || row->metric != request.chart.y || x == row->params.end())
            continue;
        const auto at = record::placeOnAxis(request.experiment, request.chart.x, x->second);
        if (!at)
            continue;
        ChartPrediction mark{.x = *at, .point = row->point, .low = row->low, .high = row->high};
        // Only the series of its own setting can answer it: beside another one's result it would be a miss or a hit
        // that nobody made.
        ParamSet others = row->params;
        others.erase(request.chart.x);
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (!lessons::matches(groups[i].others, others))
                continue;
            mark.series = static_cast<int>(i);
            const auto point = groups[i].points.find(mark.x);
            if (point == groups[i].points.end())
                continue;
            const MetricValue& result = point->second->metrics.at(request.chart.y);
            mark.result = result.value;
            mark.provenance = result.provenance;
            if (point->second->predictionId == row->id)
                break; // the run that was made for it; the same setting may have run on another chip, too
        }
        data.predictions.push_back(mark);
    }
}

QString caption(const std::vector<Group>& groups)
{
    std::size_t points = 0;
    std::set<std::string> targets, spoiled;
    for (const Group& group : groups) {
        points += group.points.size();
        targets.insert(group.newest->target);
        for (const auto& [x, row] : group.points)
            if (row->validity != "valid")
                spoiled.insert(row->validity);
    }
    if (points == 0)
        return {};
    QStringList names, verdicts;
    for (const auto& target : targets)
        names += QString::fromStdString(target);
    for (const auto& verdict : spoiled)
        verdicts += QString::fromStdString(verdict);
    return QStringLiteral("%1 · n = %2 · %3")
        .arg(names.join(QStringLiteral(", ")))
        .arg(points)
        .arg(verdicts.isEmpty() ? translated("all points valid") : verdicts.join(QStringLiteral(", ")));
}

ChartOrigin origin(const std::vector<Group>& groups)
{
    ChartOrigin origin;
    QStringList targets, verdicts;
    const record::RunRow* newest = nullptr;
    for (const Group& group : groups) {
        origin.n += group.points.size();
        if (const QString target = QString::fromStdString(group.newest->target); !targets.contains(target))
            targets << target;
        for (const auto& [x, row] : group.points)
            if (const QString verdict = QString::fromStdString(row->validity); !verdicts.contains(verdict))
                verdicts << verdict;
        newest = newest && newest->seq > group.newest->seq ? newest : group.newest;
    }
    origin.where = targets.join(QStringLiteral(", "));
    origin.verdict = verdicts.join(QStringLiteral(", "));
    if (newest)
        origin.fingerprint = newest->fingerprint;
    return origin;
}

} // namespace

SweepChartData makeChartData(const ChartRequest& request)
{
    SweepChartData data;
    const ParamSpec* x = request.experiment.parameter(request.chart.x);
    const MetricSpec* y = request.experiment.metric(request.chart.y);
    data.title = QString::fromStdString(request.chart.title);
    data.xTitle = QString::fromStdString(x ? x->title : request.chart.x);
    data.xUnit = x ? QString::fromStdString(x->unit) : QString();
    data.yTitle = QString::fromStdString(y ? y->title : request.chart.y);
    data.yUnit = y ? QString::fromStdString(y->unit) : QString();
    data.xNames = axisNames(request.experiment, request.chart.x);
    data.xScale = request.chart.xScale;
    data.yScale = request.chart.yScale;
    const auto groups = groupRuns(request);
    for (const Group& group : groups) {
        ChartSeries series;
        series.name = seriesName(request.experiment, group, groups);
        series.provenance = group.newest->metrics.at(request.chart.y).provenance;
        for (const auto& [at, row] : group.points) {
            const auto limit = row->limits.find(request.chart.y);
            series.points.push_back({at, row->metrics.at(request.chart.y).value,
                                     limit == row->limits.end() ? std::nullopt : std::optional(limit->second.value)});
        }
        data.series.push_back(std::move(series));
    }
    addLimit(data, request.experiment, request.chart.y);
    addPredictions(data, request, groups);
    data.caption = caption(groups);
    data.origin = origin(groups);
    return data;
}

const ChartSpec* chartOf(const ExperimentInfo& experiment, const std::string& id)
{
    for (const ChartSpec& chart : experiment.charts)
        if (chart.id == id)
            return &chart;
    return experiment.charts.empty() ? nullptr : &experiment.charts.front();
}

void showOther(PlotChart* chart, std::shared_ptr<Plot> plot, const Theme& theme, bool shown)
{
    chart->setVisible(plot && shown);
    if (!plot || !shown)
        return;
    constexpr double kLeast = 340, kWide = 600; // px
    const double needed = plot->heightFor(theme, std::max<double>(chart->width(), kWide));
    chart->setPlot(std::move(plot));
    chart->setMinimumHeight(static_cast<int>(std::ceil(std::max(kLeast, needed))));
}

QString metricText(const MetricValue& metric)
{
    return QString::fromStdString(formatQuantity(metric.value, metric.unit));
}

} // namespace ridge::app
