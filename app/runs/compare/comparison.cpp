// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/compare/comparison.h"

#include "app/drawing/charts/chart_text.h"
#include "app/runs/table/run_data.h"
#include "base/json.h"
#include "base/units.h"
#include "base/warp_states.h"

#include <QCoreApplication>
#include <algorithm>

namespace ridge::app {
namespace {

using Group = ComparedRow::Group;
using Cell = ComparedRow::Cell;

QString tr(const char* text)
{
    return QCoreApplication::translate("Comparison", text);
}

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

const ExperimentInfo* infoOf(std::span<const ExperimentInfo> experiments, const std::string& id)
{
    const auto found =
        std::find_if(experiments.begin(), experiments.end(), [&](const ExperimentInfo& info) { return info.id == id; });
    return found == experiments.end() ? nullptr : &*found;
}

double medianOf(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

bool isAt(const record::RunRow& run, const std::optional<ComparedPoint>& at)
{
    if (!at)
        return true;
    const auto value = run.params.find(at->parameter);
    return value != run.params.end() && sameValue(value->second, at->value);
}

QString factorText(double value, double base)
{
    if (value == base)
        return {};
    if (base == 0 || value == 0 || (value < 0) != (base < 0))
        return (value > base ? QStringLiteral("+") : QString()) + text(formatNumber(value - base));
    return QStringLiteral("×") + text(formatNumber(value / base));
}

Cell metricCell(const Pin& pin, const std::string& metric, const std::optional<ComparedPoint>& at)
{
    std::vector<double> values;
    std::string unit;
    for (const record::RunRow& run : pin.runs)
        if (const auto value = run.metrics.find(metric); value != run.metrics.end() && isAt(run, at)) {
            values.push_back(value->second.value);
            unit = value->second.unit;
        }
    if (values.empty())
        return {};
    const double median = medianOf(values);
    QString shown = text(formatQuantity(median, unit));
    if (values.size() > 1)
        shown = tr("%1 (median of %2)").arg(shown).arg(values.size());
    return {shown, median, {}};
}

/// What a set of runs has for a parameter: the value, or how far it goes.
Cell parameterCell(const Pin& pin, const ParamSpec& spec, const std::optional<ComparedPoint>& at)
{
    std::vector<const ParamValue*> seen;
    for (const record::RunRow& run : pin.runs)
        if (const auto value = run.params.find(spec.name); value != run.params.end() && isAt(run, at))
            if (std::none_of(seen.begin(), seen.end(), [&](const ParamValue* each) { return *each == value->second; }))
                seen.push_back(&value->second);
    if (seen.empty())
        return {};
    if (seen.size() == 1)
        return {text(valueText(spec, *seen.front())), {}, {}};
    std::vector<double> numbers;
    QStringList names;
    for (const ParamValue* value : seen) {
        names << text(valueText(spec, *value));
        if (const auto number = asNumber(*value))
            numbers.push_back(*number);
    }
    if (numbers.size() != seen.size())
        return {names.join(QStringLiteral(", ")), {}, {}};
    const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    const auto end = [&](double value) {
        return text(takesPrefix(spec.unit) ? formatQuantity(value, spec.unit) : formatNumber(value));
    };
    return {tr("%1 … %2 (%3 values)").arg(end(*low), end(*high)).arg(numbers.size()), {}, {}};
}

void finishRow(Comparison& result, ComparedRow row)
{
    const auto empty = [](const Cell& cell) { return cell.text.isEmpty(); };
    if (std::all_of(row.cells.begin(), row.cells.end(), empty))
        return;
    row.differs = std::any_of(row.cells.begin(), row.cells.end(),
                              [&](const Cell& cell) { return cell.text != row.cells.front().text; });
    if (const auto base = row.cells.front().value)
        for (std::size_t i = 1; i < row.cells.size(); ++i)
            if (row.cells[i].value)
                row.cells[i].change = factorText(*row.cells[i].value, *base);
    result.rows.push_back(std::move(row));
}

void addFacts(Comparison& result, std::span<const Pin> pins, Group group,
              const std::function<std::vector<std::pair<QString, QString>>(const Pin&)>& factsOf)
{
    std::vector<QString> names;
    std::vector<std::vector<std::pair<QString, QString>>> facts;
    for (const Pin& pin : pins) {
        facts.push_back(factsOf(pin));
        for (const auto& [name, value] : facts.back())
            if (std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(name);
    }
    for (const QString& name : names) {
        ComparedRow row{group, name, {}, {}, false};
        for (const auto& own : facts) {
            const auto found =
                std::find_if(own.begin(), own.end(), [&](const auto& fact) { return fact.first == name; });
            row.cells.push_back({found == own.end() ? QString() : found->second, {}, {}});
        }
        finishRow(result, std::move(row));
    }
}

QString field(const Json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? text(found->get<std::string>()) : QString();
}

std::vector<std::pair<QString, QString>> codeFacts(const Pin& pin)
{
    const record::RunRow& run = pin.runs.front();
    std::vector<std::pair<QString, QString>> facts = {{tr("Experiment"), text(run.experiment)},
                                                      {tr("Version"), QString::number(run.version)}};
    const Json& print = *run.fingerprint;
    const auto kernels = print.is_object() ? print.find("kernels") : print.end();
    if (print.is_object() && kernels != print.end() && kernels->is_array())
        for (const Json& kernel : *kernels) {
            const QString name = field(kernel, "name");
            facts.emplace_back(tr("Source of %1").arg(name), field(kernel, "source_sha256").left(12));
            facts.emplace_back(tr("Compiler of %1").arg(name),
                               (field(kernel, "compiler") + u' ' + field(kernel, "version")).trimmed());
        }
    return facts;
}

/// The instruction set that each kernel was compiled for: one source is another one's on another chip.
std::vector<std::pair<QString, QString>> architectureFacts(const Json& print)
{
    std::vector<std::pair<QString, QString>> facts;
    const auto kernels = print.find("kernels");
    if (kernels == print.end() || !kernels->is_array())
        return facts;
    for (const Json& kernel : *kernels)
        facts.emplace_back(tr("Architecture of %1").arg(field(kernel, "name")), field(kernel, "arch"));
    return facts;
}

std::vector<std::pair<QString, QString>> machineFacts(const Pin& pin)
{
    const record::RunRow& run = pin.runs.front();
    std::vector<std::pair<QString, QString>> facts = {{tr("Target"), text(run.target)},
                                                      {tr("Provenance"), text(std::string(toText(run.provenance)))}};
    if (!run.fingerprint->is_object())
        return facts;
    Json print = *run.fingerprint;
    for (auto& fact : architectureFacts(print))
        facts.push_back(std::move(fact));
    print.erase("kernels");
    if (const auto target = print.find("target"); target != print.end() && target->is_object())
        if (const auto assumed = target->find("timing_assumptions"); assumed != target->end() && assumed->is_array())
            *assumed = std::to_string(assumed->size()) + " values";
    for (auto& fact : readableJson(print))
        facts.push_back(std::move(fact));
    return facts;
}

/// "B against A: 1 parameter and the machine differ; time is ×1.35." About the first two, which most comparisons are.
QString summaryOf(const Comparison& comparison, std::span<const Pin> pins, const QString& wanted)
{
    if (pins.size() < 2)
        return tr("Pin a second run to compare it with this one.");
    std::array<int, 4> count{};
    QString result;
    for (const ComparedRow& row : comparison.rows) {
        if (!row.differs)
            continue;
        ++count[static_cast<std::size_t>(row.group)];
        const bool asked = row.name == wanted;
        if (row.group == Group::Result && (result.isEmpty() || asked) && !row.cells[1].change.isEmpty())
            result = tr("%1 of %2 is %3 that of %4")
                         .arg(inSentence(row.name), pins[1].letter, row.cells[1].change, pins[0].letter);
    }
    QStringList parts;
    const auto of = [&](Group group) { return count[static_cast<std::size_t>(group)]; };
    if (of(Group::Parameters) > 0)
        parts << (of(Group::Parameters) == 1 ? tr("one parameter") : tr("%1 parameters").arg(of(Group::Parameters)));
    if (of(Group::Code) > 0)
        parts << tr("the code");
    if (of(Group::Machine) > 0)
        parts << tr("the machine");
    const QString what = parts.isEmpty() ? tr("Nothing but the result can differ: same parameters, code and machine")
                                         : tr("What differs: %1").arg(parts.join(QStringLiteral(", ")));
    return result.isEmpty() ? what + u'.' : what + QStringLiteral("; ") + result + u'.';
}

ChartSeries::Point pointOf(const record::RunRow& run, const ChartSpec& chart, double x, bool ofLimit)
{
    const double y = run.metrics.at(chart.y).value;
    const auto limit = run.limits.find(chart.y);
    if (!ofLimit)
        return {x, y, limit == run.limits.end() ? std::optional<double>() : limit->second.value};
    const double share = limit->second.kind == "lower" ? limit->second.value / y : y / limit->second.value;
    return {x, 100 * share, 100.0};
}

/// Where it stands along the bottom; nothing where it cannot be drawn.
std::optional<double> placeOf(const record::RunRow& run, const ChartSpec& chart, const ComparedAxis& axis, bool ofLimit)
{
    const auto x = run.params.find(chart.x);
    const auto y = run.metrics.find(chart.y);
    if (x == run.params.end() || y == run.metrics.end())
        return std::nullopt;
    const auto limit = run.limits.find(chart.y);
    if (ofLimit && (limit == run.limits.end() || limit->second.value <= 0 || y->second.value <= 0))
        return std::nullopt;
    return axis.placeOf(x->second);
}

/// The series of one pin: one for each setting of the other parameters that its sweep went over.
void addSeries(SweepChartData& data, const Pin& pin, const ExperimentInfo* info, const ChartSpec& chart,
               const ComparedAxis& axis, bool ofLimit)
{
    const QStringList varied = variedParameters(pin.runs, info);
    std::map<QString, std::size_t> index;
    for (const record::RunRow& run : pin.runs) {
        const auto x = placeOf(run, chart, axis, ofLimit);
        if (!x)
            continue;
        QStringList others = varied;
        others.removeAll(text(chart.x));
        const QString setting = others.isEmpty() ? QString() : parameterText(run.params, info, others);
        const auto [place, fresh] = index.try_emplace(setting, data.series.size());
        if (fresh)
            data.series.push_back({pin.letter + (setting.isEmpty() ? QString() : QStringLiteral("  ") + setting),
                                   run.metrics.at(chart.y).provenance,
                                   {}});
        data.series[place->second].points.push_back(pointOf(run, chart, *x, ofLimit));
        if (const auto limit = run.limits.find(chart.y); limit != run.limits.end())
            data.limitKind = ofLimit ? QStringLiteral("upper") : text(limit->second.kind);
    }
    for (const auto& [setting, place] : index)
        std::stable_sort(data.series[place].points.begin(), data.series[place].points.end(),
                         [](const auto& a, const auto& b) { return a.x < b.x; });
}

SweepChartData titled(std::span<const Pin> pins, std::span<const ExperimentInfo> experiments, const ChartSpec& chart,
                      const ComparedAxis& axis, bool ofLimit)
{
    SweepChartData data;
    data.title = text(chart.title);
    data.xNames = axis.names;
    data.xScale = chart.xScale;
    data.yScale = ofLimit ? ParamScale::Linear : chart.yScale;
    data.limitTitle = ofLimit ? tr("limit") : QString();
    for (const Pin& pin : pins) {
        const ExperimentInfo* info = infoOf(experiments, pin.runs.front().experiment);
        const ParamSpec* x = info ? info->parameter(chart.x) : nullptr;
        const MetricSpec* y = info ? info->metric(chart.y) : nullptr;
        if (!x || !y)
            continue;
        data.xTitle = text(x->title);
        data.xUnit = text(x->unit);
        data.yTitle = text(y->title);
        data.yUnit = ofLimit ? tr("% of its limit") : text(y->unit);
        for (const LimitSpec& limit : info->limits)
            if (limit.metric == chart.y && !ofLimit)
                data.limitTitle = text(limit.title);
        break;
    }
    return data;
}

} // namespace

Comparison compare(std::span<const Pin> pins, std::span<const ExperimentInfo> experiments,
                   const std::optional<ComparedPoint>& at, const std::string& metric)
{
    Comparison result;
    if (pins.empty())
        return result;
    const Comparable known = comparable(pins, experiments);
    QString wanted;
    for (const MetricSpec& spec : known.metrics) {
        ComparedRow row{Group::Result, text(spec.title), text(spec.help), {}, false};
        if (spec.name == metric)
            wanted = row.name;
        for (const Pin& pin : pins)
            row.cells.push_back(metricCell(pin, spec.name, at));
        const bool idle =
            isWarpState(spec.name) && std::all_of(row.cells.begin(), row.cells.end(),
                                                  [](const Cell& cell) { return cell.value.value_or(0) == 0; });
        if (!idle)
            finishRow(result, std::move(row));
    }
    for (const ParamSpec& parameter : known.parameters) {
        ComparedRow row{Group::Parameters, text(parameter.title), text(parameter.help), {}, false};
        for (const Pin& pin : pins) {
            Cell cell = parameterCell(pin, parameter, at);
            // Where a unit takes a prefix, the text has both already.
            if (!cell.text.isEmpty() && !countsThings(parameter.unit) && !takesPrefix(parameter.unit))
                cell.text += u' ' + text(parameter.unit);
            row.cells.push_back(std::move(cell));
        }
        finishRow(result, std::move(row));
    }
    addFacts(result, pins, Group::Code, codeFacts);
    addFacts(result, pins, Group::Machine, machineFacts);
    result.summary = summaryOf(result, pins, wanted);
    return result;
}

Comparable comparable(std::span<const Pin> pins, std::span<const ExperimentInfo> experiments)
{
    Comparable result;
    const auto addMetric = [&](const MetricSpec& spec) {
        if (std::none_of(result.metrics.begin(), result.metrics.end(),
                         [&](const MetricSpec& known) { return known.name == spec.name; }))
            result.metrics.push_back(spec);
    };
    const auto addParameter = [&](const ParamSpec& spec) {
        if (std::none_of(result.parameters.begin(), result.parameters.end(),
                         [&](const ParamSpec& known) { return known.name == spec.name; }))
            result.parameters.push_back(spec);
    };
    for (const Pin& pin : pins) {
        const record::RunRow& first = pin.runs.front();
        if (const ExperimentInfo* info = infoOf(experiments, first.experiment)) {
            for (const MetricSpec& spec : info->metrics)
                if (first.metrics.contains(spec.name))
                    addMetric(spec);
            for (const ParamSpec& spec : info->parameters)
                addParameter(spec);
        }
        // What an experiment this version does not know has measured, by its own names.
        for (const auto& [name, value] : first.metrics)
            addMetric({name, readableName(name).toStdString(), value.unit, {}});
        for (const auto& [name, value] : first.params) {
            ParamSpec spec;
            spec.name = name;
            spec.title = readableName(name).toStdString();
            addParameter(spec);
        }
    }
    return result;
}

SweepChartData overlayChart(std::span<const Pin> pins, std::span<const ExperimentInfo> experiments,
                            const ChartSpec& chart, bool ofLimit)
{
    const ComparedAxis axis = comparedAxis(pins, experiments, chart.x, chart.y);
    SweepChartData data = titled(pins, experiments, chart, axis, ofLimit);
    QStringList lines;
    for (const Pin& pin : pins) {
        const std::size_t before = data.series.size();
        addSeries(data, pin, infoOf(experiments, pin.runs.front().experiment), chart, axis, ofLimit);
        const bool drawn = data.series.size() > before;
        lines << QStringLiteral("%1: %2").arg(pin.letter, drawn ? originLine(pin) : tr("has no such result"));
    }
    data.caption = lines.join(QStringLiteral("   "));
    return data;
}

std::vector<SweepChartData> chartsSideBySide(std::span<const Pin> pins, std::span<const ExperimentInfo> experiments,
                                             const ChartSpec& chart, bool ofLimit)
{
    const ComparedAxis axis = comparedAxis(pins, experiments, chart.x, chart.y);
    std::vector<SweepChartData> charts;
    std::optional<double> xMin, xMax, yMin, yMax;
    const auto widen = [](std::optional<double>& low, std::optional<double>& high, double value) {
        low = std::min(low.value_or(value), value);
        high = std::max(high.value_or(value), value);
    };
    for (const Pin& pin : pins) {
        SweepChartData data = titled(std::span(&pin, 1), experiments, chart, axis, ofLimit);
        addSeries(data, pin, infoOf(experiments, pin.runs.front().experiment), chart, axis, ofLimit);
        data.title = pin.letter + QStringLiteral("  ") + pin.name;
        data.caption = originLine(pin);
        for (const ChartSeries& series : data.series)
            for (const ChartSeries::Point& point : series.points) {
                widen(xMin, xMax, point.x);
                widen(yMin, yMax, point.y);
                if (point.limit)
                    widen(yMin, yMax, *point.limit);
            }
        charts.push_back(std::move(data));
    }
    for (SweepChartData& data : charts) {
        data.xMin = xMin;
        data.xMax = xMax;
        data.yMin = yMin;
        data.yMax = yMax;
    }
    return charts;
}

QString originLine(const Pin& pin)
{
    const record::RunRow& run = pin.runs.front();
    QStringList parts = {text(run.target)};
    if (run.fingerprint->is_object()) {
        const Json& print = *run.fingerprint;
        if (const auto target = print.find("target"); target != print.end() && target->is_object())
            for (const char* key : {"name", "driver"})
                if (target->contains(key) && (*target)[key].is_string())
                    parts << text((*target)[key].get<std::string>());
        if (const auto kernels = print.find("kernels");
            kernels != print.end() && kernels->is_array() && !kernels->empty() && kernels->front().is_object())
            parts
                << text(kernels->front().value("compiler", "") + " " + kernels->front().value("version", "")).trimmed();
    }
    parts << text(run.createdAt).left(10);
    if (pin.fromFile())
        parts << tr("from a file");
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

} // namespace ridge::app
