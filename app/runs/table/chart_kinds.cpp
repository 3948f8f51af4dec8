// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/table/chart_kinds.h"

#include "app/drawing/charts/chart_text.h"
#include "app/runs/table/run_views.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>

namespace ridge::app {
namespace {

constexpr std::array kLineRoles = {Role::Series1, Role::Series2, Role::Series3, Role::Series4,
                                   Role::Series5, Role::Series6, Role::Series7, Role::Series8};
constexpr std::size_t kMostMarks = 64; ///< above it lines say what dots would hide

QString tr(const char* text)
{
    return QCoreApplication::translate("ChartKinds", text);
}

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

QString metricTitle(const ExperimentInfo& info, const std::string& name)
{
    const MetricSpec* spec = info.metric(name);
    return text(spec ? spec->title : name);
}

QString metricUnit(const ExperimentInfo& info, const std::string& name)
{
    const MetricSpec* spec = info.metric(name);
    return spec ? text(spec->unit) : QString();
}

QString emptyText(const ExperimentInfo& info, const ChartSpec& spec)
{
    return tr("Runs with “%1” appear here.").arg(inSentence(metricTitle(info, spec.y)));
}

Provenance provenanceOf(const ChartRuns& runs, const std::string& metric)
{
    return runs.back()->metrics.at(metric).provenance;
}

QString captionOf(const ChartRuns& runs, const std::string& metric)
{
    std::vector<Provenance> all;
    for (const record::RunRow* run : runs)
        all.push_back(run->metrics.at(metric).provenance);
    return captioned(originText(originOf(runs)), provenancesText(all));
}

/// Over which nobody counts how often a value doubled.
constexpr double kManyDoublings = 1e6;

AxisScale valueScale(ParamScale scale, const std::vector<double>& values)
{
    if (scale == ParamScale::Log2 && !values.empty()) {
        const auto [low, high] = std::ranges::minmax(values);
        if (low > 0 && high / low > kManyDoublings)
            return makeDecades(values);
    }
    return makeScale(scale, values, scale == ParamScale::Linear);
}

PlotAxis parameterAxis(const ExperimentInfo& info, const ChartSpec& spec, const std::vector<double>& values)
{
    PlotAxis axis;
    const ParamSpec* parameter = info.parameter(spec.x);
    axis.title = titled(text(parameter ? parameter->title : spec.x), text(parameter ? parameter->unit : ""));
    axis.scale = makeScale(spec.xScale, values, false);
    const QStringList names = axisNames(info, spec.x);
    for (const double value : values)
        if (const auto at = qsizetype(value) - 1; !names.isEmpty() && at >= 0 && at < names.size())
            axis.ticks.push_back({value, names[at]});
    return axis;
}

FigureData emptyFigure(const ExperimentInfo& info, const ChartSpec& spec)
{
    FigureData data;
    data.title = text(spec.title);
    data.emptyText = emptyText(info, spec);
    return data;
}

/// What all figures of runs share.
FigureData figureOf(const ExperimentInfo& info, const ChartSpec& spec, const ChartRuns& runs, const char* kind)
{
    FigureData data;
    data.title = text(spec.title);
    data.caption = captionOf(runs, spec.y);
    data.table.kind = QLatin1String(kind);
    data.table.origin = originOf(runs);
    data.yTitle = titled(metricTitle(info, spec.y), metricUnit(info, spec.y));
    return data;
}

/// What tells a run from the others of its picture: "attention, decode".
QString differences(const ExperimentInfo& info, const ChartRuns& runs, const record::RunRow& one)
{
    QStringList words;
    for (const ParamSpec* parameter : record::differing(info, runs, one))
        words << parameterWords(info, parameter->name, one.params.at(parameter->name));
    return words.join(QStringLiteral(", "));
}

QString placeName(const ExperimentInfo& info, const ChartSpec& spec, const record::RunRow& run)
{
    return parameterWords(info, spec.x, run.params.at(spec.x));
}

} // namespace

CostData costOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec)
{
    CostData data;
    data.title = text(spec.title);
    data.valueTitle = inSentence(metricTitle(info, spec.y));
    data.unit = metricUnit(info, spec.y);
    // A part that a run does not have costs it nothing, as an operator that its chain ends before.
    std::vector<std::string> parts;
    std::set<const record::RunRow*> having;
    for (const std::string& part : spec.parts)
        if (const ChartRuns with = record::runsWith(runs, {part}); !with.empty()) {
            parts.push_back(part);
            having.insert(with.begin(), with.end());
        }
    ChartRuns used;
    std::ranges::copy_if(runs, std::back_inserter(used), [&](const auto* run) { return having.contains(run); });
    for (const std::string& part : parts.empty() ? spec.parts : parts)
        data.parts.push_back(inSentence(metricTitle(info, part)));
    const auto bars = record::newestByPlace(used, info, spec.x);
    if (bars.empty()) {
        data.emptyText = emptyText(info, spec);
        return data;
    }
    ChartRuns drawn;
    for (const auto& [x, run] : bars) {
        CostBar bar{placeName(info, spec, *run), Provenance::Measured, {}};
        bool known = false; // where it comes from: the first part that there is
        for (const std::string& part : parts) {
            const auto metric = run->metrics.find(part);
            const bool has = metric != run->metrics.end() && std::isfinite(metric->second.value);
            if (has && !known)
                bar.provenance = metric->second.provenance;
            known = known || has;
            bar.values.push_back(has ? std::max(0.0, metric->second.value) : 0.0);
        }
        data.bars.push_back(std::move(bar));
        drawn.push_back(run);
    }
    data.origin = originOf(drawn);
    data.caption = originText(data.origin);
    return data;
}

LadderData ladderOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec)
{
    LadderData data;
    data.title = text(spec.title);
    data.valueTitle = inSentence(metricTitle(info, spec.y));
    data.unit = metricUnit(info, spec.y);
    const record::LadderRuns ladder = record::ladderRuns(runs, info, spec);
    if (ladder.rungs.empty()) {
        data.emptyText = emptyText(info, spec);
        return data;
    }
    ChartRuns drawn;
    for (const auto& [x, run] : ladder.rungs) {
        const MetricValue& value = run->metrics.at(spec.y);
        data.rungs.push_back({placeName(info, spec, *run), value.value, {}, {}, value.provenance});
        drawn.push_back(run);
    }
    data.limit = ladder.limit;
    for (const LimitSpec& one : info.limits)
        if (one.metric == spec.y)
            data.limitName = text(one.title);
    if (ladder.reference) {
        data.reference = ladder.reference;
        data.referenceName = inSentence(metricTitle(info, spec.parts.front()));
    }
    data.origin = originOf(drawn);
    data.caption = originText(data.origin);
    return data;
}

FigureData distributionOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec)
{
    const ChartRuns used = record::runsWith(runs, {spec.y});
    if (used.empty())
        return emptyFigure(info, spec);
    std::vector<double> sorted;
    for (const record::RunRow* run : used)
        sorted.push_back(run->metrics.at(spec.y).value);
    std::ranges::sort(sorted);
    FigureData data = figureOf(info, spec, used, "distribution");
    const QString unit = metricUnit(info, spec.y), title = metricTitle(info, spec.y);
    data.yTitle = tr("share of %1 runs at or below (%)").arg(sorted.size());
    data.axes.x.title = titled(title, unit);
    data.axes.x.scale = valueScale(spec.yScale, sorted);
    data.axes.y.scale = {false, false, 0, 100};
    data.table.columns = {{QStringLiteral("share"), tr("Share"), QStringLiteral("%"), true},
                          {QStringLiteral("value"), title, unit, true}};
    FigureLine line{{}, Role::Series1, 2, false, {}};
    const double step = 100.0 / static_cast<double>(sorted.size());
    line.points.append({sorted.front(), 0});
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        line.points.append({sorted[i], step * static_cast<double>(i)});
        line.points.append({sorted[i], step * static_cast<double>(i + 1)});
        data.table.rows.push_back({step * static_cast<double>(i + 1), sorted[i]});
    }
    data.lines.push_back(std::move(line));
    QStringList said;
    for (const int percent : {50, 95, 99}) {
        const double value = record::nearestRank(sorted, percent / 100.0);
        const QString name = tr("p%1").arg(percent);
        data.marks.push_back({name,
                              tr("%1 = %2").arg(name, quantity(value, unit)),
                              {value, double(percent)},
                              Role::Accent,
                              false,
                              true});
        said << tr("%1 %2").arg(name, quantity(value, unit));
    }
    data.summary = tr("%1 of %2 runs: %3.").arg(title).arg(sorted.size()).arg(said.join(QStringLiteral(", ")));
    return data;
}

FigureData seriesOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec)
{
    std::vector<std::string> metrics = {spec.y};
    metrics.insert(metrics.end(), spec.parts.begin(), spec.parts.end());
    const ChartRuns used = record::runsWith(runs, metrics);
    const auto byX = record::newestByPlace(used, info, spec.x);
    if (byX.empty())
        return emptyFigure(info, spec);
    FigureData data = figureOf(info, spec, used, "series");
    const QString unit = metricUnit(info, spec.y); // the lines' names say what they are
    data.yTitle = unit == QLatin1String("1") ? QString() : unit;
    std::vector<double> xs, ys;
    data.table.columns = {{QStringLiteral("x"), text(spec.x), {}, false}};
    for (const std::string& name : metrics)
        data.table.columns.push_back({text(name), metricTitle(info, name), metricUnit(info, name), true});
    for (const auto& [x, run] : byX) {
        xs.push_back(x);
        std::vector<ChartCell> row = {placeName(info, spec, *run)};
        for (const std::string& name : metrics) {
            ys.push_back(run->metrics.at(name).value);
            row.emplace_back(ys.back());
        }
        data.table.rows.push_back(std::move(row));
    }
    data.axes.x = parameterAxis(info, spec, xs);
    data.axes.y.scale = valueScale(spec.yScale, ys);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        FigureLine line{inSentence(metricTitle(info, metrics[i])), kLineRoles[i % kLineRoles.size()], 2, false, {}};
        for (const auto& [x, run] : byX) {
            line.points.append({x, run->metrics.at(metrics[i]).value});
            if (byX.size() * metrics.size() <= kMostMarks)
                data.marks.push_back({tr("%1, %2: %3")
                                          .arg(line.name, placeName(info, spec, *run),
                                               quantity(line.points.back().y(), metricUnit(info, metrics[i]))),
                                      {},
                                      line.points.back(),
                                      line.role,
                                      provenanceOf(used, metrics[i]) != Provenance::Measured,
                                      false});
        }
        data.lines.push_back(std::move(line));
    }
    const record::RunRow& last = *byX.rbegin()->second;
    QStringList said;
    for (const std::string& name : metrics)
        said << tr("%1 %2").arg(inSentence(metricTitle(info, name)),
                                quantity(last.metrics.at(name).value, metricUnit(info, name)));
    data.summary = tr("At %1: %2.").arg(placeName(info, spec, last), said.join(QStringLiteral(", ")));
    return data;
}

FigureData paretoOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec)
{
    const ChartRuns used = record::runsWith(runs, {spec.x, spec.y});
    if (used.empty())
        return emptyFigure(info, spec);
    FigureData data = figureOf(info, spec, used, "pareto");
    const QString xUnit = metricUnit(info, spec.x), yUnit = metricUnit(info, spec.y);
    std::vector<double> xs, ys;
    for (const record::RunRow* run : used) {
        xs.push_back(run->metrics.at(spec.x).value);
        ys.push_back(run->metrics.at(spec.y).value);
    }
    data.axes.x.title = titled(metricTitle(info, spec.x), xUnit);
    data.axes.x.scale = valueScale(spec.xScale, xs);
    data.axes.y.scale = valueScale(spec.yScale, ys);
    data.table.columns = {{QStringLiteral("point"), tr("Point"), {}, false},
                          {text(spec.x), metricTitle(info, spec.x), xUnit, true},
                          {text(spec.y), metricTitle(info, spec.y), yUnit, true},
                          {QStringLiteral("front"), tr("Beaten"), {}, false}};
    const ChartRuns front = record::paretoRuns(runs, spec);
    const auto pointOf = [&](const record::RunRow* run) {
        return QPointF(run->metrics.at(spec.x).value, run->metrics.at(spec.y).value);
    };
    FigureLine line{tr("none is better in both"), Role::Accent, 2, false, {}};
    for (const record::RunRow* run : front)
        line.points.append(pointOf(run));
    for (const record::RunRow* run : used) {
        const bool best = std::ranges::find(front, run) != front.end();
        const QString name = differences(info, used, *run);
        const QPointF at = pointOf(run);
        data.marks.push_back({tr("%1: %2, %3").arg(name, quantity(at.x(), xUnit), quantity(at.y(), yUnit)),
                              {},
                              at,
                              best ? Role::Accent : Role::Text3,
                              !best,
                              false});
        data.table.rows.push_back({name, at.x(), at.y(), best ? tr("no") : tr("yes")});
    }
    data.summary = tr("%1 of %2 points are beaten by none: from %3 at %4 to %5 at %6.")
                       .arg(front.size())
                       .arg(used.size())
                       .arg(quantity(line.points.front().y(), yUnit), quantity(line.points.front().x(), xUnit),
                            quantity(line.points.back().y(), yUnit), quantity(line.points.back().x(), xUnit));
    data.lines.push_back(std::move(line));
    return data;
}

FigureData rooflineOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec)
{
    const auto roof = record::roofRuns(runs, spec);
    if (!roof)
        return emptyFigure(info, spec);
    const ChartRuns& used = roof->runs;
    FigureData data = figureOf(info, spec, used, "roofline");
    const QString xUnit = metricUnit(info, spec.x), yUnit = metricUnit(info, spec.y);
    const double peak = roof->peak, bandwidth = roof->bandwidth, ridge = roof->ridge();
    std::vector<double> xs{ridge / 4, ridge * 4}, ys{peak};
    for (const record::RunRow* run : used) {
        xs.push_back(run->metrics.at(spec.x).value);
        ys.push_back(run->metrics.at(spec.y).value);
    }
    const auto [least, most] = std::ranges::minmax(xs);
    ys.push_back(least * bandwidth);
    data.axes.x.title = titled(metricTitle(info, spec.x), xUnit);
    data.axes.x.scale = valueScale(spec.xScale, xs);
    data.axes.y.scale = valueScale(spec.yScale, ys);
    data.lines.push_back(
        {tr("roofline"), Role::Text2, 2, false, {{least, least * bandwidth}, {ridge, peak}, {most, peak}}});
    data.table.columns = {{QStringLiteral("point"), tr("Point"), {}, false},
                          {text(spec.x), metricTitle(info, spec.x), xUnit, true},
                          {text(spec.y), metricTitle(info, spec.y), yUnit, true},
                          {QStringLiteral("roof"), tr("Of the roof"), QStringLiteral("%"), true},
                          {QStringLiteral("bound"), tr("Bound"), {}, false}};
    int left = 0;
    for (const record::RunRow* run : used) {
        const QPointF at(run->metrics.at(spec.x).value, run->metrics.at(spec.y).value);
        const bool memory = at.x() < ridge;
        left += memory ? 1 : 0;
        const QString name = differences(info, used, *run);
        data.marks.push_back({tr("%1: %2, %3").arg(name, quantity(at.x(), xUnit), quantity(at.y(), yUnit)), name, at,
                              memory ? Role::Series4 : Role::Series5, true, false});
        data.table.rows.push_back({name, at.x(), at.y(), 100 * at.y() / std::min(peak, at.x() * bandwidth),
                                   memory ? tr("memory") : tr("compute")});
    }
    data.summary = tr("%1 of %2 points lie left of the ridge at %3: memory is their bound.")
                       .arg(left)
                       .arg(used.size())
                       .arg(quantity(ridge, xUnit));
    return data;
}

FigureData bandOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec)
{
    const auto places = record::bandRuns(runs, info, spec);
    if (places.empty())
        return emptyFigure(info, spec);
    const ChartRuns used = record::runsOf(places);
    FigureData data = figureOf(info, spec, used, "band");
    const QString unit = metricUnit(info, spec.y);
    std::vector<double> xs, ys;
    FigureBand band;
    FigureLine median{tr("median"), Role::Series1, 2, false, {}};
    data.table.columns = {{QStringLiteral("x"), text(spec.x), {}, false},
                          {QStringLiteral("least"), tr("Least"), unit, true},
                          {QStringLiteral("median"), tr("Median"), unit, true},
                          {QStringLiteral("most"), tr("Most"), unit, true},
                          {QStringLiteral("n"), tr("Runs"), {}, true}};
    double widest = -1;
    QString where;
    for (const auto& [x, place] : places) {
        xs.push_back(x);
        ys.insert(ys.end(), {place.least, place.most});
        band.low.append({x, place.least});
        band.high.append({x, place.most});
        median.points.append({x, place.median});
        const QString name = placeName(info, spec, *place.runs.front());
        data.marks.push_back(
            {tr("%1: median %2, %3 to %4 in %5 runs")
                 .arg(name, quantity(place.median, unit), quantity(place.least, unit), quantity(place.most, unit))
                 .arg(place.runs.size()),
             {},
             {x, place.median},
             Role::Series1,
             false,
             false});
        data.table.rows.push_back({name, place.least, place.median, place.most, double(place.runs.size())});
        if (place.most - place.least > widest) {
            widest = place.most - place.least;
            where = name;
        }
    }
    data.axes.x = parameterAxis(info, spec, xs);
    data.axes.y.scale = valueScale(spec.yScale, ys);
    data.bands.push_back(std::move(band));
    data.lines.push_back(std::move(median));
    data.summary = tr("Median over %1 places; the runs differ most at %2, by %3.")
                       .arg(places.size())
                       .arg(where, quantity(widest, unit));
    return data;
}

std::shared_ptr<Plot> plotOfChart(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec)
{
    if (spec.kind == "cost")
        return std::make_shared<CostPlot>(costOfRuns(runs, info, spec));
    if (spec.kind == "ladder")
        return std::make_shared<LadderPlot>(ladderOfRuns(runs, info, spec));
    if (spec.kind == "cdf")
        return std::make_shared<FigurePlot>(distributionOfRuns(runs, info, spec));
    if (spec.kind == "series")
        return std::make_shared<FigurePlot>(seriesOfRuns(runs, info, spec));
    if (spec.kind == "pareto")
        return std::make_shared<FigurePlot>(paretoOfRuns(runs, info, spec));
    if (spec.kind == "roofline")
        return std::make_shared<FigurePlot>(rooflineOfRuns(runs, info, spec));
    if (spec.kind == "band")
        return std::make_shared<FigurePlot>(bandOfRuns(runs, info, spec));
    return nullptr;
}

} // namespace ridge::app
