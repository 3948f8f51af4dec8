// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/table/chart_kinds.h"

#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/pareto_front.h"
#include "app/runs/table/run_views.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

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

/// Finished, with all of the metrics.
ChartRuns usable(const ChartRuns& runs, const std::vector<std::string>& metrics)
{
    ChartRuns used;
    for (const record::RunRow* run : runs)
        if (run->status == "finished" && std::ranges::all_of(metrics, [&](const std::string& name) {
                const auto metric = run->metrics.find(name);
                return metric != run->metrics.end() && std::isfinite(metric->second.value);
            }))
            used.push_back(run);
    return used;
}

/// The newest run of each place on the axis, in its order.
std::map<double, const record::RunRow*> newestByX(const ChartRuns& runs, const ExperimentInfo& info,
                                                  const ChartSpec& spec)
{
    std::map<double, const record::RunRow*> newest;
    for (const record::RunRow* run : runs) {
        const auto x = run->params.find(spec.x);
        const auto at = x == run->params.end() ? std::nullopt : placeOnAxis(info, spec.x, x->second);
        if (!at)
            continue;
        const record::RunRow*& kept = newest[*at];
        if (!kept || run->seq >= kept->seq)
            kept = run;
    }
    return newest;
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

AxisScale valueScale(ParamScale scale, const std::vector<double>& values)
{
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

/// The parameters of a run in which the runs of a picture differ: "attention, decode".
QString differences(const ExperimentInfo& info, const ChartRuns& runs, const record::RunRow& one)
{
    QStringList words;
    for (const ParamSpec& parameter : info.parameters) {
        const auto own = one.params.find(parameter.name);
        const bool varies = own != one.params.end() && std::ranges::any_of(runs, [&](const record::RunRow* run) {
                                const auto other = run->params.find(parameter.name);
                                return other != run->params.end() && other->second != own->second;
                            });
        if (varies)
            words << parameterWords(info, parameter.name, own->second);
    }
    return words.join(QStringLiteral(", "));
}

QString placeName(const ExperimentInfo& info, const ChartSpec& spec, const record::RunRow& run)
{
    return parameterWords(info, spec.x, run.params.at(spec.x));
}

} // namespace

double percentileOf(const std::vector<double>& sorted, double share)
{
    const double rank = std::ceil(share * static_cast<double>(sorted.size()) - 1e-9);
    return sorted[static_cast<std::size_t>(std::clamp(rank, 1.0, static_cast<double>(sorted.size()))) - 1];
}

CostData costOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec)
{
    CostData data;
    data.title = text(spec.title);
    data.valueTitle = inSentence(metricTitle(info, spec.y));
    data.unit = metricUnit(info, spec.y);
    for (const std::string& part : spec.parts)
        data.parts.push_back(inSentence(metricTitle(info, part)));
    const auto bars = newestByX(usable(runs, spec.parts), info, spec);
    if (bars.empty() || spec.parts.empty()) {
        data.emptyText = emptyText(info, spec);
        return data;
    }
    ChartRuns drawn;
    for (const auto& [x, run] : bars) {
        CostBar bar{placeName(info, spec, *run), run->metrics.at(spec.parts.front()).provenance, {}};
        for (const std::string& part : spec.parts)
            bar.values.push_back(std::max(0.0, run->metrics.at(part).value));
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
    const auto rungs = newestByX(usable(runs, {spec.y}), info, spec);
    if (rungs.empty()) {
        data.emptyText = emptyText(info, spec);
        return data;
    }
    ChartRuns drawn;
    std::optional<double> limit;
    bool shared = true;
    const record::RunRow* reference = nullptr;
    for (const auto& [x, run] : rungs) {
        const MetricValue& value = run->metrics.at(spec.y);
        data.rungs.push_back({placeName(info, spec, *run), value.value, {}, {}, value.provenance});
        drawn.push_back(run);
        const auto bound = run->limits.find(spec.y);
        shared = shared && bound != run->limits.end() && (!limit || *limit == bound->second.value);
        if (bound != run->limits.end())
            limit = bound->second.value;
        if (!spec.parts.empty() && run->metrics.contains(spec.parts.front()) &&
            (!reference || run->seq > reference->seq))
            reference = run;
    }
    if (shared)
        data.limit = limit;
    for (const LimitSpec& one : info.limits)
        if (one.metric == spec.y)
            data.limitName = text(one.title);
    if (reference) {
        data.reference = reference->metrics.at(spec.parts.front()).value;
        data.referenceName = inSentence(metricTitle(info, spec.parts.front()));
    }
    data.origin = originOf(drawn);
    data.caption = originText(data.origin);
    return data;
}

FigureData distributionOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec)
{
    const ChartRuns used = usable(runs, {spec.y});
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
        const double value = percentileOf(sorted, percent / 100.0);
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
    const ChartRuns used = usable(runs, metrics);
    const auto byX = newestByX(used, info, spec);
    if (byX.empty())
        return emptyFigure(info, spec);
    FigureData data = figureOf(info, spec, used, "series");
    data.yTitle = metricUnit(info, spec.y);
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
    const ChartRuns used = usable(runs, {spec.x, spec.y});
    if (used.empty())
        return emptyFigure(info, spec);
    FigureData data = figureOf(info, spec, used, "pareto");
    const QString xUnit = metricUnit(info, spec.x), yUnit = metricUnit(info, spec.y);
    std::vector<QPointF> points;
    std::vector<double> xs, ys;
    for (const record::RunRow* run : used) {
        xs.push_back(run->metrics.at(spec.x).value);
        ys.push_back(run->metrics.at(spec.y).value);
        points.emplace_back(xs.back(), ys.back());
    }
    data.axes.x.title = titled(metricTitle(info, spec.x), xUnit);
    data.axes.x.scale = valueScale(spec.xScale, xs);
    data.axes.y.scale = valueScale(spec.yScale, ys);
    data.table.columns = {{QStringLiteral("point"), tr("Point"), {}, false},
                          {text(spec.x), metricTitle(info, spec.x), xUnit, true},
                          {text(spec.y), metricTitle(info, spec.y), yUnit, true},
                          {QStringLiteral("front"), tr("Beaten"), {}, false}};
    const std::vector<std::size_t> front = paretoFront(points, !spec.leastX, !spec.leastY);
    FigureLine line{tr("none is better in both"), Role::Accent, 2, false, {}};
    for (const std::size_t i : front)
        line.points.append(points[i]);
    for (std::size_t i = 0; i < used.size(); ++i) {
        const bool best = std::ranges::find(front, i) != front.end();
        const QString name = differences(info, used, *used[i]);
        data.marks.push_back({tr("%1: %2, %3").arg(name, quantity(xs[i], xUnit), quantity(ys[i], yUnit)),
                              {},
                              points[i],
                              best ? Role::Accent : Role::Text3,
                              !best,
                              false});
        data.table.rows.push_back({name, xs[i], ys[i], best ? tr("no") : tr("yes")});
    }
    data.lines.push_back(std::move(line));
    data.summary = tr("%1 of %2 points are beaten by none: from %3 at %4 to %5 at %6.")
                       .arg(front.size())
                       .arg(used.size())
                       .arg(quantity(ys[front.front()], yUnit), quantity(xs[front.front()], xUnit),
                            quantity(ys[front.back()], yUnit), quantity(xs[front.back()], xUnit));
    return data;
}

FigureData rooflineOfRuns(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec)
{
    if (spec.parts.size() < 2)
        return emptyFigure(info, spec);
    ChartRuns used;
    for (const record::RunRow* run : usable(runs, {spec.x, spec.y, spec.parts[0], spec.parts[1]})) {
        const bool drawable = run->metrics.at(spec.x).value > 0 && run->metrics.at(spec.y).value > 0 &&
                              run->metrics.at(spec.parts[0]).value > 0 && run->metrics.at(spec.parts[1]).value > 0;
        if (!drawable) // logarithms
            continue;
        std::erase_if(used, [&](const record::RunRow* other) { return other->params == run->params; });
        used.push_back(run);
    }
    if (used.empty())
        return emptyFigure(info, spec);
    FigureData data = figureOf(info, spec, used, "roofline");
    const QString xUnit = metricUnit(info, spec.x), yUnit = metricUnit(info, spec.y);
    const double peak = used.back()->metrics.at(spec.parts[0]).value;
    const double bandwidth = used.back()->metrics.at(spec.parts[1]).value;
    const double ridge = peak / bandwidth;
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
    const ChartRuns used = usable(runs, {spec.y});
    std::map<double, std::vector<double>> byX;
    std::map<double, const record::RunRow*> one;
    for (const record::RunRow* run : used) {
        const auto x = run->params.find(spec.x);
        const auto at = x == run->params.end() ? std::nullopt : placeOnAxis(info, spec.x, x->second);
        if (!at)
            continue;
        byX[*at].push_back(run->metrics.at(spec.y).value);
        one[*at] = run;
    }
    if (byX.empty())
        return emptyFigure(info, spec);
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
    for (auto& [x, values] : byX) {
        std::ranges::sort(values);
        const std::size_t n = values.size();
        const double middle = n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
        xs.push_back(x);
        ys.insert(ys.end(), {values.front(), values.back()});
        band.low.append({x, values.front()});
        band.high.append({x, values.back()});
        median.points.append({x, middle});
        const QString name = placeName(info, spec, *one.at(x));
        data.marks.push_back(
            {tr("%1: median %2, %3 to %4 in %5 runs")
                 .arg(name, quantity(middle, unit), quantity(values.front(), unit), quantity(values.back(), unit))
                 .arg(n),
             {},
             {x, middle},
             Role::Series1,
             false,
             false});
        data.table.rows.push_back({name, values.front(), middle, values.back(), double(n)});
    }
    data.axes.x = parameterAxis(info, spec, xs);
    data.axes.y.scale = valueScale(spec.yScale, ys);
    data.bands.push_back(std::move(band));
    data.lines.push_back(std::move(median));
    double widest = 0, at = xs.front();
    for (const auto& [x, values] : byX)
        if (values.back() - values.front() > widest) {
            widest = values.back() - values.front();
            at = x;
        }
    data.summary = tr("Median over %1 places; the runs differ most at %2, by %3.")
                       .arg(byX.size())
                       .arg(placeName(info, spec, *one.at(at)), quantity(widest, unit));
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
