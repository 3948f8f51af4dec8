// SPDX-License-Identifier: GPL-3.0-or-later
// Charts that are no curves: cost, ladder, cdf, series, pareto, band and roofline, from stored runs.
#include "base/units.h"
#include "portfolio/figure_parts.h"
#include "record/chart_runs.h"

#include <algorithm>
#include <cmath>

namespace ridge::folio {
namespace {

using record::ChartRuns;

std::string titleOf(const ExperimentInfo& info, const std::string& metric)
{
    const MetricSpec* spec = info.metric(metric);
    return spec ? spec->title : metric;
}

std::string unitOf(const ExperimentInfo& info, const std::string& metric)
{
    const MetricSpec* spec = info.metric(metric);
    return spec ? spec->unit : std::string();
}

double valueOf(const record::RunRow& run, const std::string& metric)
{
    return run.metrics.at(metric).value;
}

/// The runs of one experiment.
ChartRuns runsOf(std::span<const record::RunRow> runs, const ExperimentInfo& info)
{
    ChartRuns own;
    for (const record::RunRow& run : runs)
        if (run.experiment == info.id)
            own.push_back(&run);
    return own;
}

SweepFigure figureOf(const ExperimentInfo& info, const ChartSpec& chart, const ChartRuns& runs)
{
    SweepFigure figure;
    figure.kind = chart.kind;
    figure.title = chart.title;
    figure.yTitle = titleOf(info, chart.y);
    figure.yUnit = unitOf(info, chart.y);
    figure.yLog = chart.yScale == ParamScale::Log2;
    figure.xLog = chart.xScale == ParamScale::Log2;
    if (const ParamSpec* x = info.parameter(chart.x)) {
        figure.xTitle = x->title;
        figure.xUnit = x->unit;
    } else {
        figure.xTitle = titleOf(info, chart.x);
        figure.xUnit = unitOf(info, chart.x);
    }
    for (const LimitSpec& limit : info.limits)
        if (limit.metric == chart.y)
            figure.limitTitle = limit.title;
    figure.origin = originOf(runs, chart.y);
    return figure;
}

/// What tells a run from the others of its picture: "attention decode".
std::string differences(const ExperimentInfo& info, const ChartRuns& runs, const record::RunRow& one)
{
    ParamSet own;
    for (const ParamSpec* parameter : record::differing(info, runs, one))
        own[parameter->name] = one.params.at(parameter->name);
    return settingText(own, &info);
}

ChartRuns valuesOf(const std::map<double, const record::RunRow*>& places)
{
    ChartRuns runs;
    for (const auto& [place, run] : places)
        runs.push_back(run);
    return runs;
}

/// A part that a run does not have costs it nothing; one that no run has is left out.
std::optional<SweepFigure> costOf(const ChartRuns& runs, const ExperimentInfo& info, ChartSpec chart)
{
    const FigureAxis axis(info, chart.x);
    std::erase_if(chart.parts, [&](const std::string& part) { return record::runsWith(runs, {part}).empty(); });
    const auto has = [](const record::RunRow& run, const std::string& part) {
        const auto metric = run.metrics.find(part);
        return metric != run.metrics.end() && std::isfinite(metric->second.value);
    };
    ChartRuns used = record::runsWith(runs, {});
    std::erase_if(used, [&](const record::RunRow* run) {
        return std::ranges::none_of(chart.parts, [&](const std::string& part) { return has(*run, part); });
    });
    const auto bars = record::newestByPlace(used, info, chart.x);
    if (bars.empty())
        return {};
    SweepFigure figure = figureOf(info, chart, valuesOf(bars));
    figure.numbers.head = {figure.xTitle};
    for (const std::string& part : chart.parts) {
        figure.series.push_back({firstLower(titleOf(info, part)), Provenance::Simulated, {}});
        figure.numbers.head.push_back(withUnit(titleOf(info, part), unitOf(info, part)));
    }
    figure.numbers.head.insert(figure.numbers.head.end(), {withUnit("Sum", figure.yUnit), "Provenance"});
    std::size_t told = 0;
    for (const auto& [place, run] : bars) {
        const std::string name = axis.words(run->params.at(chart.x));
        figure.xNames.push_back(name);
        std::vector<std::string> row{name};
        double sum = 0, largest = -1;
        std::string most;
        const auto known = std::ranges::find_if(chart.parts, [&](const auto& part) { return has(*run, part); });
        for (std::size_t i = 0; i < chart.parts.size(); ++i) {
            const bool there = has(*run, chart.parts[i]);
            const double value = there ? std::max(0.0, valueOf(*run, chart.parts[i])) : 0;
            FigurePoint point{double(figure.xNames.size()), value, {}};
            point.provenance = run->metrics.at(there ? chart.parts[i] : *known).provenance;
            figure.series[i].points.push_back(std::move(point));
            row.push_back(formatNumber(value));
            sum += value;
            if (value > largest) {
                largest = value;
                most = figure.series[i].name;
            }
        }
        row.push_back(formatNumber(sum));
        row.push_back(lowered(run->metrics.at(*known).provenance));
        figure.numbers.rows.push_back(std::move(row));
        if (++told <= 4)
            figure.summary += (figure.summary.empty() ? "" : " ") + name + ": " + formatQuantity(sum, figure.yUnit) +
                              ", most of it " + most + " (" + formatQuantity(largest, figure.yUnit) + ").";
    }
    if (told > 4)
        figure.summary += " " + std::to_string(told - 4) + " more bars are in the table.";
    return figure;
}

std::optional<SweepFigure> ladderOf(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& chart)
{
    const FigureAxis axis(info, chart.x);
    const record::LadderRuns ladder = record::ladderRuns(runs, info, chart);
    if (ladder.rungs.empty())
        return {};
    SweepFigure figure = figureOf(info, chart, valuesOf(ladder.rungs));
    figure.series.push_back({{}, Provenance::Simulated, {}});
    for (const auto& [place, run] : ladder.rungs) {
        figure.xNames.push_back(axis.words(run->params.at(chart.x)));
        FigurePoint point{double(figure.xNames.size()), valueOf(*run, chart.y), {}};
        point.provenance = run->metrics.at(chart.y).provenance;
        point.limit = ladder.limit;
        figure.series.front().points.push_back(std::move(point));
    }
    if (ladder.reference) {
        figure.reference = ladder.reference;
        figure.referenceName = firstLower(titleOf(info, chart.parts.front()));
    }
    figure.numbers.head = {figure.xTitle, withUnit(figure.yTitle, figure.yUnit)};
    if (ladder.limit)
        figure.numbers.head.push_back("Of the limit (%)");
    if (figure.reference)
        figure.numbers.head.push_back("Of " + figure.referenceName + " (%)");
    figure.numbers.head.push_back("Provenance");
    const FigurePoint* best = nullptr;
    for (const FigurePoint& point : figure.series.front().points) {
        std::vector<std::string> row{figure.xNames[static_cast<std::size_t>(point.x) - 1], formatNumber(point.y)};
        if (point.limit)
            row.push_back(formatNumber(100 * point.y / *point.limit));
        if (figure.reference)
            row.push_back(formatNumber(100 * point.y / *figure.reference));
        row.push_back(lowered(*point.provenance));
        figure.numbers.rows.push_back(std::move(row));
        best = best && best->y >= point.y ? best : &point;
    }
    figure.summary = "Most: " + figure.xNames[static_cast<std::size_t>(best->x) - 1] + " with " +
                     formatQuantity(best->y, figure.yUnit);
    if (best->limit)
        figure.summary += ", " + formatQuantity(100 * best->y / *best->limit, "%") + " of the limit";
    if (figure.reference)
        figure.summary += ", " + formatQuantity(100 * best->y / *figure.reference, "%") + " of " + figure.referenceName;
    figure.summary += ".";
    return figure;
}

std::optional<SweepFigure> distributionOf(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& chart)
{
    const ChartRuns used = record::runsWith(runs, {chart.y});
    if (used.empty())
        return {};
    SweepFigure figure = figureOf(info, chart, used);
    figure.xTitle = figure.yTitle;
    figure.xUnit = figure.yUnit;
    figure.xLog = figure.yLog;
    figure.yLog = false;
    figure.limitTitle.clear();
    figure.yTitle = "Share of " + std::to_string(used.size()) + " runs at or below";
    figure.yUnit = "%";
    std::vector<double> sorted;
    for (const record::RunRow* run : used)
        sorted.push_back(valueOf(*run, chart.y));
    std::ranges::sort(sorted);
    FigureSeries steps{{}, used.back()->metrics.at(chart.y).provenance, {}};
    steps.dots = false;
    figure.numbers.head = {"Share (%)", withUnit(figure.xTitle, figure.xUnit)};
    const double share = 100.0 / static_cast<double>(sorted.size());
    steps.points.push_back({sorted.front(), 0, {}});
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        steps.points.push_back({sorted[i], share * static_cast<double>(i), {}});
        steps.points.push_back({sorted[i], share * static_cast<double>(i + 1), {}});
        figure.numbers.rows.push_back({formatNumber(share * static_cast<double>(i + 1)), formatNumber(sorted[i])});
    }
    figure.series.push_back(std::move(steps));
    figure.summary = figure.xTitle + " of " + std::to_string(sorted.size()) + " runs:";
    for (const int percent : {50, 95, 99}) {
        const double value = record::nearestRank(sorted, percent / 100.0);
        FigurePoint mark{value, double(percent), {}};
        mark.name = "p" + std::to_string(percent) + " " + formatQuantity(value, figure.xUnit);
        figure.summary += (figure.marks.empty() ? " " : ", ") + mark.name;
        figure.marks.push_back(std::move(mark));
    }
    figure.summary += ".";
    return figure;
}

std::optional<SweepFigure> seriesOf(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& chart)
{
    std::vector<std::string> metrics = {chart.y};
    metrics.insert(metrics.end(), chart.parts.begin(), chart.parts.end());
    const FigureAxis axis(info, chart.x);
    const auto places = record::newestByPlace(record::runsWith(runs, metrics), info, chart.x);
    if (places.empty())
        return {};
    SweepFigure figure = figureOf(info, chart, valuesOf(places));
    figure.xNames = axis.names();
    for (const std::string& name : metrics) {
        FigureSeries series{firstLower(titleOf(info, name)), places.rbegin()->second->metrics.at(name).provenance, {}};
        for (const auto& [place, run] : places) {
            FigurePoint point{place, valueOf(*run, name), {}};
            point.provenance = run->metrics.at(name).provenance;
            if (const auto limit = run->limits.find(name); name == chart.y && limit != run->limits.end())
                point.limit = limit->second.value;
            series.points.push_back(std::move(point));
        }
        figure.series.push_back(std::move(series));
    }
    dropUnused(figure);
    return figure;
}

std::optional<SweepFigure> paretoOf(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& chart)
{
    const ChartRuns used = record::runsWith(runs, {chart.x, chart.y});
    if (used.empty())
        return {};
    const ChartRuns unbeaten = record::paretoRuns(runs, chart);
    SweepFigure figure = figureOf(info, chart, used);
    figure.limitTitle.clear();
    FigureSeries front{"none is better in both", used.back()->metrics.at(chart.y).provenance, {}};
    FigureSeries others{"another is better", front.provenance, {}};
    others.joined = false;
    figure.numbers.head = {"Run", withUnit(figure.xTitle, figure.xUnit), withUnit(figure.yTitle, figure.yUnit),
                           "On the front", "Provenance"};
    for (const record::RunRow* run : used) {
        const bool best = std::ranges::find(unbeaten, run) != unbeaten.end();
        FigurePoint point{valueOf(*run, chart.x), valueOf(*run, chart.y), {}};
        point.provenance = run->metrics.at(chart.y).provenance;
        point.name = differences(info, used, *run);
        figure.numbers.rows.push_back({point.name.empty() ? run->target : point.name, formatNumber(point.x),
                                       formatNumber(point.y), best ? "yes" : "no", lowered(*point.provenance)});
        (best ? front : others).points.push_back(std::move(point));
    }
    for (FigureSeries* series : {&front, &others})
        std::ranges::stable_sort(series->points, {}, &FigurePoint::x);
    figure.summary = std::to_string(front.points.size()) + " of " + std::to_string(used.size()) +
                     " runs are beaten by none: from " + formatQuantity(front.points.front().y, figure.yUnit) + " at " +
                     formatQuantity(front.points.front().x, figure.xUnit) + " to " +
                     formatQuantity(front.points.back().y, figure.yUnit) + " at " +
                     formatQuantity(front.points.back().x, figure.xUnit) + ".";
    figure.series.push_back(std::move(front));
    if (!others.points.empty())
        figure.series.push_back(std::move(others));
    return figure;
}

std::optional<SweepFigure> rooflineOf(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& chart)
{
    const auto roof = record::roofRuns(runs, chart);
    if (!roof)
        return {};
    const ChartRuns& used = roof->runs;
    SweepFigure figure = figureOf(info, chart, used);
    figure.limitTitle.clear();
    figure.xLog = figure.yLog = true;
    const double peak = roof->peak, bandwidth = roof->bandwidth, ridge = roof->ridge();
    double least = ridge / 4, most = ridge * 4;
    FigureSeries memory{"bound by memory", used.back()->metrics.at(chart.y).provenance, {}};
    memory.joined = false;
    FigureSeries compute = memory;
    compute.name = "bound by arithmetic";
    figure.numbers.head = {"Run",
                           withUnit(figure.xTitle, figure.xUnit),
                           withUnit(figure.yTitle, figure.yUnit),
                           "Of the roof (%)",
                           "Bound",
                           "Provenance"};
    for (const record::RunRow* run : used) {
        FigurePoint point{valueOf(*run, chart.x), valueOf(*run, chart.y), {}};
        point.provenance = run->metrics.at(chart.y).provenance;
        point.name = differences(info, used, *run);
        const bool left = point.x < ridge;
        least = std::min(least, point.x);
        most = std::max(most, point.x);
        figure.numbers.rows.push_back({point.name.empty() ? run->target : point.name, formatNumber(point.x),
                                       formatNumber(point.y),
                                       formatNumber(100 * point.y / std::min(peak, point.x * bandwidth)),
                                       left ? "memory" : "arithmetic", lowered(*point.provenance)});
        (left ? memory : compute).points.push_back(std::move(point));
    }
    figure.guide = {{least, least * bandwidth, {}}, {ridge, peak, {}}, {most, peak, {}}};
    figure.guideName = "roofline, ridge at " + formatQuantity(ridge, figure.xUnit);
    figure.summary = std::to_string(memory.points.size()) + " of " + std::to_string(used.size()) +
                     " runs lie left of the ridge at " + formatQuantity(ridge, figure.xUnit) +
                     ": memory is their bound.";
    for (FigureSeries* series : {&memory, &compute})
        if (!series->points.empty())
            figure.series.push_back(std::move(*series));
    return figure;
}

std::optional<SweepFigure> bandOf(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& chart)
{
    const FigureAxis axis(info, chart.x);
    const auto places = record::bandRuns(runs, info, chart);
    const ChartRuns drawn = record::runsOf(places);
    if (drawn.empty())
        return {};
    SweepFigure figure = figureOf(info, chart, drawn);
    figure.limitTitle.clear();
    figure.xNames = axis.names();
    FigureSeries median{"median", drawn.back()->metrics.at(chart.y).provenance, {}};
    figure.numbers.head = {withUnit(figure.xTitle, figure.xNames.empty() ? figure.xUnit : std::string()),
                           withUnit("Least", figure.yUnit), withUnit("Median", figure.yUnit),
                           withUnit("Most", figure.yUnit), "Runs"};
    double widest = -1;
    std::string where;
    for (const auto& [place, own] : places) {
        FigurePoint point{place, own.median, {}};
        point.low = own.least;
        point.high = own.most;
        const std::string name = axis.words(own.runs.front()->params.at(chart.x));
        figure.numbers.rows.push_back({figure.xNames.empty() ? formatNumber(place) : name, formatNumber(*point.low),
                                       formatNumber(point.y), formatNumber(*point.high),
                                       std::to_string(own.runs.size())});
        if (*point.high - *point.low > widest) {
            widest = *point.high - *point.low;
            where = name;
        }
        median.points.push_back(std::move(point));
    }
    figure.summary = "Median, least and most of " + firstLower(figure.yTitle) + " over " +
                     std::to_string(places.size()) + (places.size() == 1 ? " place" : " places") +
                     "; the runs differ most at " + where + ", by " + formatQuantity(widest, figure.yUnit) + ".";
    figure.series.push_back(std::move(median));
    dropUnused(figure);
    return figure;
}

} // namespace

std::optional<SweepFigure> figureOfKind(std::span<const record::RunRow> all, const ExperimentInfo& info,
                                        const ChartSpec& chart)
{
    const ChartRuns runs = runsOf(all, info);
    if (chart.kind == "cost")
        return costOf(runs, info, chart);
    if (chart.kind == "ladder")
        return ladderOf(runs, info, chart);
    if (chart.kind == "cdf")
        return distributionOf(runs, info, chart);
    if (chart.kind == "series")
        return seriesOf(runs, info, chart);
    if (chart.kind == "pareto")
        return paretoOf(runs, info, chart);
    if (chart.kind == "roofline")
        return rooflineOf(runs, info, chart);
    if (chart.kind == "band")
        return bandOf(runs, info, chart);
    return {};
}

} // namespace ridge::folio
