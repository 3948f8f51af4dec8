// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/figure_parts.h"

#include "base/units.h"

#include <algorithm>
#include <cmath>

namespace ridge::folio {
namespace {

const ChartSpec* chartOf(const ExperimentInfo& info, const std::string& id)
{
    for (const ChartSpec& chart : info.charts)
        if (chart.id == id)
            return &chart;
    return info.charts.empty() ? nullptr : &info.charts.front();
}

std::string joined(const std::set<std::string>& words)
{
    std::string out;
    for (const std::string& word : words)
        out += (out.empty() ? "" : ", ") + word;
    return out;
}

} // namespace

std::string lowered(Provenance provenance)
{
    std::string text(toText(provenance));
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::string withUnit(const std::string& title, const std::string& unit)
{
    return unit.empty() || unit == "1" ? title : title + " (" + unit + ")";
}

std::string firstLower(std::string text)
{
    // "L2 size" and "SM count" keep their capitals.
    if (text.size() > 1 && std::isupper(static_cast<unsigned char>(text[0])) &&
        std::islower(static_cast<unsigned char>(text[1])))
        text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
}

std::vector<std::string> FigureAxis::names() const
{
    std::vector<std::string> all;
    if (named())
        for (const ParamValue& value : m_spec->choices)
            all.push_back(toText(value));
    return all;
}

std::optional<double> FigureAxis::place(const ParamValue& value) const
{
    if (!named())
        return asNumber(value);
    const auto all = names();
    const auto found = std::find(all.begin(), all.end(), toText(value));
    if (found == all.end())
        return {};
    return static_cast<double>(found - all.begin() + 1);
}

std::string FigureAxis::words(const ParamValue& value) const
{
    if (!m_spec)
        return toText(value);
    const bool bare = named() || countsThings(m_spec->unit) || takesPrefix(m_spec->unit);
    return valueText(*m_spec, value) + (bare ? "" : " " + m_spec->unit);
}

std::string originOf(const std::vector<const record::RunRow*>& runs, const std::string& metric)
{
    std::set<std::string> targets, verdicts, labels;
    for (const record::RunRow* run : runs) {
        targets.insert(run->target);
        verdicts.insert(run->validity);
        if (const auto value = run->metrics.find(metric); value != run->metrics.end())
            labels.insert(lowered(value->second.provenance));
    }
    return joined(targets) + " · " + joined(labels) + " · " + std::to_string(runs.size()) +
           (runs.size() == 1 ? " run" : " runs") + " · " + joined(verdicts);
}

void dropUnused(SweepFigure& figure)
{
    if (figure.xNames.empty())
        return;
    std::set<int> used;
    for (const FigureSeries& series : figure.series)
        for (const FigurePoint& point : series.points)
            used.insert(static_cast<int>(point.x));
    std::map<int, int> moved;
    std::vector<std::string> names;
    for (int place : used) {
        names.push_back(figure.xNames[static_cast<std::size_t>(place) - 1]);
        moved[place] = static_cast<int>(names.size());
    }
    figure.xNames = std::move(names);
    for (FigureSeries& series : figure.series)
        for (FigurePoint& point : series.points)
            point.x = moved[static_cast<int>(point.x)];
    std::erase_if(figure.predictions,
                  [&](const FigurePrediction& prediction) { return !moved.contains(static_cast<int>(prediction.x)); });
    for (FigurePrediction& prediction : figure.predictions)
        prediction.x = moved[static_cast<int>(prediction.x)];
}

std::string settingText(const ParamSet& params, const ExperimentInfo* info)
{
    std::string out;
    const auto add = [&](const std::string& title, const std::string& value, const std::string& unit) {
        out += (out.empty() ? "" : ", ") + title + " " + value + (countsThings(unit) ? "" : " " + unit);
    };
    std::set<std::string> said;
    if (info)
        for (const ParamSpec& spec : info->parameters)
            if (const auto found = params.find(spec.name); found != params.end()) {
                add(firstLower(spec.title), valueText(spec, found->second),
                    takesPrefix(spec.unit) ? std::string() : spec.unit);
                said.insert(spec.name);
            }
    for (const auto& [name, value] : params)
        if (!said.contains(name))
            add(name, toText(value), {});
    return out;
}

std::optional<SweepFigure> sweepOf(std::span<const record::RunRow> runs,
                                   std::span<const record::PredictionRow> predictions, const ExperimentInfo& info,
                                   const std::string& id)
{
    const ChartSpec* chart = chartOf(info, id);
    if (!chart)
        return {};
    if (chart->kind != "curve" && std::ranges::find(kChartKinds, chart->kind) != kChartKinds.end())
        return figureOfKind(runs, info, *chart);
    const FigureAxis axis(info, chart->x);
    SweepFigure figure;
    figure.title = chart->title;
    figure.xLog = chart->xScale == ParamScale::Log2 && !axis.named();
    figure.yLog = chart->yScale == ParamScale::Log2;
    figure.xNames = axis.names();
    if (const ParamSpec* x = info.parameter(chart->x)) {
        figure.xTitle = x->title;
        figure.xUnit = x->unit;
    }
    if (const MetricSpec* y = info.metric(chart->y)) {
        figure.yTitle = y->title;
        figure.yUnit = y->unit;
    }
    for (const LimitSpec& limit : info.limits)
        if (limit.metric == chart->y)
            figure.limitTitle = limit.title;

    std::vector<const record::RunRow*> used;
    std::map<std::string, std::set<std::string>> values;
    std::set<std::string> targets;
    for (const record::RunRow& run : runs) {
        const auto x = run.params.find(chart->x);
        if (run.experiment != info.id || run.status != "finished" || !run.metrics.contains(chart->y) ||
            x == run.params.end() || !axis.place(x->second))
            continue;
        used.push_back(&run);
        for (const auto& [name, value] : run.params)
            if (name != chart->x)
                values[name].insert(toText(value));
        targets.insert(run.target);
    }
    if (used.empty())
        return {};
    std::map<std::string, std::size_t> places;
    for (const record::RunRow* run : used) {
        ParamSet own;
        for (const auto& [name, value] : run->params)
            if (const auto found = values.find(name); found != values.end() && found->second.size() > 1)
                own[name] = value;
        const MetricValue& value = run->metrics.at(chart->y);
        std::string name = settingText(own, &info);
        if (name.empty() || targets.size() > 1)
            name += (name.empty() ? "" : ", ") + run->target;
        const auto [place, fresh] =
            places.try_emplace(name + std::string(toText(value.provenance)), figure.series.size());
        if (fresh)
            figure.series.push_back({name, value.provenance, {}});
        FigurePoint point{*axis.place(run->params.at(chart->x)), value.value, {}};
        if (const auto limit = run->limits.find(chart->y); limit != run->limits.end())
            point.limit = limit->second.value;
        figure.series[place->second].points.push_back(point);
    }
    for (FigureSeries& series : figure.series)
        std::stable_sort(series.points.begin(), series.points.end(),
                         [](const FigurePoint& a, const FigurePoint& b) { return a.x < b.x; });
    for (const record::PredictionRow& row : predictions) {
        const auto x = row.params.find(chart->x);
        if (row.experiment != info.id || row.metric != chart->y || x == row.params.end() || !axis.place(x->second))
            continue;
        // It stands on a line that these runs draw, wherever on it; one about other settings does not.
        ParamSet others = row.params;
        others.erase(chart->x);
        if (std::ranges::none_of(used, [&](const auto* run) { return hasAll(run->params, others); }))
            continue;
        FigurePrediction prediction{*axis.place(x->second), row.point, row.low, row.high, {}};
        for (const record::RunRow* run : used)
            if (hasAll(run->params, row.params))
                prediction.result = run->metrics.at(chart->y).value;
        figure.predictions.push_back(prediction);
    }
    dropUnused(figure);
    figure.origin = originOf(used, chart->y);
    return figure;
}

FigureTable tableOf(const SweepFigure& figure)
{
    if (!figure.numbers.head.empty())
        return figure.numbers;
    FigureTable table;
    const bool many = figure.series.size() > 1;
    const bool limited = std::any_of(figure.series.begin(), figure.series.end(), [](const FigureSeries& series) {
        return std::any_of(series.points.begin(), series.points.end(),
                           [](const FigurePoint& point) { return point.limit.has_value(); });
    });
    if (many)
        table.head.push_back("Series");
    table.head.push_back(withUnit(figure.xTitle, figure.xNames.empty() ? figure.xUnit : std::string()));
    table.head.push_back(withUnit(figure.yTitle, figure.yUnit));
    if (limited)
        table.head.push_back(withUnit("Limit", figure.yUnit));
    table.head.push_back("Provenance");
    for (const FigureSeries& series : figure.series)
        for (const FigurePoint& point : series.points) {
            std::vector<std::string> row;
            if (many)
                row.push_back(series.name);
            row.push_back(figure.xNames.empty() ? formatNumber(point.x)
                                                : figure.xNames[static_cast<std::size_t>(point.x) - 1]);
            row.push_back(formatNumber(point.y));
            if (limited)
                row.push_back(point.limit ? formatNumber(*point.limit) : std::string("–"));
            row.push_back(lowered(point.provenance.value_or(series.provenance)));
            table.rows.push_back(std::move(row));
        }
    return table;
}

std::optional<double> factorOf(const RevealFigure& figure)
{
    if (!figure.result || figure.point <= 0 || *figure.result <= 0)
        return {};
    return std::max(*figure.result / figure.point, figure.point / *figure.result);
}

std::string sentenceOf(const RevealFigure& figure)
{
    std::string text = "Predicted " + formatQuantity(figure.point, figure.unit) + ", with an 80 % interval from " +
                       formatQuantity(figure.low, figure.unit) + " to " + formatQuantity(figure.high, figure.unit);
    if (!figure.result)
        return text + ". " + (figure.held.empty() ? "It was not run." : figure.held);
    const bool inside = figure.low <= *figure.result && *figure.result <= figure.high;
    text += "; the result is " + formatQuantity(*figure.result, figure.unit) + " (" + lowered(figure.provenance) +
            "), " + (inside ? "inside the interval" : "outside the interval");
    if (const auto factor = factorOf(figure))
        text += *factor < 1.005 ? " and as predicted"
                                : ", off by a factor of " + formatNumber(std::round(*factor * 100) / 100);
    return text + ".";
}

std::string sentenceOf(const SweepFigure& figure)
{
    if (!figure.summary.empty())
        return figure.summary;
    const auto at = [&](const FigurePoint& point) {
        return figure.xNames.empty() ? formatNumber(point.x) : figure.xNames[static_cast<std::size_t>(point.x) - 1];
    };
    std::string text = figure.yTitle + " over " + firstLower(figure.xTitle) + ".";
    std::size_t told = 0;
    for (const FigureSeries& series : figure.series) {
        if (++told > 4)
            return text + " " + std::to_string(figure.series.size() - 4) + " more series are in the table.";
        const auto [least, most] =
            std::minmax_element(series.points.begin(), series.points.end(),
                                [](const FigurePoint& a, const FigurePoint& b) { return a.y < b.y; });
        text += " " + (figure.series.size() > 1 ? series.name + ": from " : std::string("From ")) +
                formatQuantity(least->y, figure.yUnit) + " at " + at(*least) + " to " +
                formatQuantity(most->y, figure.yUnit) + " at " + at(*most) + ".";
    }
    return text;
}

} // namespace ridge::folio
