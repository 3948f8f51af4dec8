// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/overlays/machine_overlay.h"

#include "app/drawing/charts/chart_text.h"
#include "app/runs/table/run_data.h"
#include "app/theme/kept_units.h"
#include "base/json.h"
#include "base/parameters.h"
#include "base/units.h"
#include "record/chart_runs.h"

#include <QCoreApplication>
#include <algorithm>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("Overlay", text);
}

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

using Values = std::vector<ParamValue>;

void addValue(Values& values, const ParamSet& params, const std::string& name)
{
    const auto found = params.find(name);
    if (found != params.end() && std::find(values.begin(), values.end(), found->second) == values.end())
        values.push_back(found->second);
}

Values valuesOf(std::span<const record::RunRow* const> runs, const std::string& name)
{
    Values values;
    for (const record::RunRow* run : runs)
        addValue(values, run->params, name);
    return values;
}

bool contains(const Values& values, const ParamValue& value)
{
    return values.empty() || std::find(values.begin(), values.end(), value) != values.end();
}

bool sameMeasurement(const record::RunRow& point, const ExperimentInfo& info, const ChartSpec& chart,
                     std::span<const record::RunRow* const> runs)
{
    for (const ParamSpec& spec : info.parameters) {
        if (isNumber(spec.type) || spec.name == chart.x)
            continue;
        const auto own = point.params.find(spec.name);
        if (own != point.params.end() && !contains(valuesOf(runs, spec.name), own->second))
            return false;
    }
    return true;
}

/// Where a machine swept another number than the axis, only the values that the runs have, too, say the same.
void keepComparable(std::vector<const record::BaselinePoint*>& points, const ExperimentInfo& info,
                    const ChartSpec& chart, std::span<const record::RunRow* const> runs)
{
    for (const ParamSpec& spec : info.parameters) {
        if (!isNumber(spec.type) || spec.name == chart.x)
            continue;
        Values there;
        for (const record::BaselinePoint* point : points)
            addValue(there, point->run.params, spec.name);
        const Values here = valuesOf(runs, spec.name);
        if (there.size() > 1)
            std::erase_if(points, [&](const record::BaselinePoint* point) {
                const auto own = point->run.params.find(spec.name);
                return own != point->run.params.end() && !contains(here, own->second);
            });
    }
}

QString listed(const ParamSpec& spec, const Values& values)
{
    QStringList words;
    for (const ParamValue& value : values)
        words << text(valueText(spec, value));
    return words.join(QStringLiteral(", "));
}

QStringList differences(const MachineOverlay& overlay, const ExperimentInfo& info, const ChartSpec& chart,
                        std::span<const record::RunRow* const> runs)
{
    QStringList differs;
    for (const ParamSpec& spec : info.parameters) {
        if (spec.name == chart.x || !isNumber(spec.type))
            continue;
        Values there;
        for (const record::BaselinePoint* point : overlay.points)
            addValue(there, point->run.params, spec.name);
        const Values here = valuesOf(runs, spec.name);
        const bool same =
            std::all_of(there.begin(), there.end(), [&](const ParamValue& each) { return contains(here, each); });
        if (!there.empty() && !here.empty() && !same)
            differs << tr("%1: %2 here, %3 there").arg(text(spec.title), listed(spec, here), listed(spec, there));
    }
    return differs;
}

/// The parameters beside the axis in which the points themselves differ: each setting is a series.
QString settingOf(const record::RunRow& point, const MachineOverlay& overlay, const ExperimentInfo& info,
                  const ChartSpec& chart)
{
    QStringList parts;
    for (const ParamSpec& spec : info.parameters) {
        if (spec.name == chart.x)
            continue;
        Values values;
        for (const record::BaselinePoint* each : overlay.points)
            addValue(values, each->run.params, spec.name);
        if (const auto own = point.params.find(spec.name); values.size() > 1 && own != point.params.end())
            parts << parameterWords(info, spec.name, own->second);
    }
    return parts.join(QStringLiteral(", "));
}

double shareOf(double value, double limit, bool lower)
{
    return 100 * (lower ? limit / value : value / limit);
}

} // namespace

std::vector<MachineOverlay> overlaysFor(const record::BaselineLibrary& library, const ExperimentInfo& info,
                                        const ChartSpec& chart, std::span<const record::RunRow* const> runs)
{
    std::vector<MachineOverlay> overlays;
    for (const record::Baseline& baseline : library.baselines) {
        MachineOverlay overlay{&baseline, {}, {}, {}};
        for (const record::BaselinePoint* point : record::pointsOf(baseline, info)) {
            const auto x = point->run.params.find(chart.x);
            if (x == point->run.params.end() || !point->run.metrics.contains(chart.y) ||
                !record::placeOnAxis(info, chart.x, x->second) || !sameMeasurement(point->run, info, chart, runs))
                continue;
            overlay.points.push_back(point);
        }
        keepComparable(overlay.points, info, chart, runs);
        if (overlay.points.empty())
            continue;
        for (const record::BaselinePoint* point : overlay.points)
            if (const QString note = text(point->note); !note.isEmpty() && !overlay.notes.contains(note))
                overlay.notes << note;
        overlay.differs = differences(overlay, info, chart, runs);
        overlays.push_back(std::move(overlay));
    }
    return overlays;
}

std::vector<MachineOverlay> overlaysAt(const record::BaselineLibrary& library, const ExperimentInfo& info,
                                       const record::RunRow& run)
{
    const auto toldOf = [&run](const record::BaselinePoint* point) {
        return hasAll(run.params, point->run.params) &&
               std::any_of(point->run.metrics.begin(), point->run.metrics.end(),
                           [&run](const auto& metric) { return run.metrics.contains(metric.first); });
    };
    std::vector<MachineOverlay> overlays;
    for (const record::Baseline& baseline : library.baselines) {
        const auto points = record::pointsOf(baseline, info);
        const auto same = std::find_if(points.begin(), points.end(), toldOf);
        if (same == points.end())
            continue;
        MachineOverlay overlay{&baseline, {*same}, {}, {}};
        if (!(*same)->note.empty())
            overlay.notes << text((*same)->note);
        overlays.push_back(std::move(overlay));
    }
    return overlays;
}

std::vector<BesideMetric> besideOwn(const ExperimentInfo& info, const record::RunRow& point, const record::RunRow& own)
{
    std::vector<BesideMetric> lines;
    for (const MetricSpec& spec : info.metrics) {
        const auto there = point.metrics.find(spec.name);
        if (there == point.metrics.end())
            continue;
        const auto words = [&spec](double value) { return keptUnits(text(formatQuantity(value, spec.unit))); };
        const auto here = own.metrics.find(spec.name);
        lines.push_back({text(spec.title), words(there->second.value),
                         here == own.metrics.end() ? QString() : tr("here %1").arg(words(here->second.value))});
    }
    return lines;
}

void addOverlay(SweepChartData& data, const ExperimentInfo& info, const ChartSpec& chart, const MachineOverlay& overlay)
{
    std::map<QString, ChartSeries> series;
    for (const record::BaselinePoint* point : overlay.points) {
        const QString setting = settingOf(point->run, overlay, info, chart);
        ChartSeries& own = series[setting];
        own.name = text(overlay.baseline->machine) + (setting.isEmpty() ? QString() : QStringLiteral(", ") + setting);
        own.provenance = Provenance::Recorded;
        const auto limit = point->run.limits.find(chart.y);
        const bool known = limit != point->run.limits.end();
        if (known && data.limitKind.isEmpty())
            data.limitKind = text(limit->second.kind);
        own.points.push_back({*record::placeOnAxis(info, chart.x, point->run.params.at(chart.x)),
                              point->run.metrics.at(chart.y).value,
                              known ? std::optional(limit->second.value) : std::nullopt});
    }
    for (auto& [setting, one] : series) {
        std::stable_sort(one.points.begin(), one.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
        data.series.push_back(std::move(one));
    }
    const QString words = tr("recorded: %1, n = %2").arg(text(overlay.baseline->machine)).arg(overlay.points.size());
    data.caption += (data.caption.isEmpty() ? QString() : QStringLiteral(" · ")) + words;
    data.origin.where +=
        (data.origin.where.isEmpty() ? QString() : QStringLiteral(", ")) + text(overlay.points.front()->run.target);
    data.origin.n += overlay.points.size();
    Json print = data.origin.fingerprint->is_object() ? *data.origin.fingerprint : Json::object();
    print["recorded"][overlay.baseline->id] = record::baselineCard(*overlay.baseline);
    data.origin.fingerprint = std::move(print);
}

SweepChartData ofOwnRoofline(SweepChartData data)
{
    const bool lower = data.limitKind == QLatin1String("lower");
    int without = 0;
    std::vector<ChartSeries::Point> measured; // with their limits, for the predictions of these points
    for (ChartSeries& series : data.series) {
        std::vector<ChartSeries::Point> shares;
        for (const ChartSeries::Point& point : series.points) {
            if (!point.limit || !(*point.limit > 0) || !(point.y > 0)) {
                ++without;
                continue;
            }
            if (series.provenance != Provenance::Recorded)
                measured.push_back(point);
            shares.push_back({point.x, shareOf(point.y, *point.limit, lower), 100.0});
        }
        series.points = std::move(shares);
    }
    std::vector<ChartPrediction> predictions;
    for (const ChartPrediction& prediction : data.predictions) {
        const auto at = std::find_if(measured.begin(), measured.end(),
                                     [&](const ChartSeries::Point& point) { return point.x == prediction.x; });
        if (at == measured.end() || !(prediction.point > 0) || !(prediction.low > 0) || !(prediction.high > 0))
            continue;
        ChartPrediction share{prediction.x,
                              shareOf(prediction.point, *at->limit, lower),
                              shareOf(prediction.low, *at->limit, lower),
                              shareOf(prediction.high, *at->limit, lower),
                              {},
                              prediction.provenance};
        if (share.low > share.high)
            std::swap(share.low, share.high);
        if (prediction.result && *prediction.result > 0)
            share.result = shareOf(*prediction.result, *at->limit, lower);
        predictions.push_back(share);
    }
    data.predictions = std::move(predictions);
    data.yUnit = tr("% of own roofline");
    data.yScale = ParamScale::Linear;
    data.yMin.reset();
    data.yMax.reset();
    data.limitTitle = tr("own roofline");
    data.limitKind = QStringLiteral("upper");
    if (without > 0)
        data.caption +=
            QStringLiteral(" · ") + (without == 1 ? tr("one point has no limit and is left out")
                                                  : tr("%1 points have no limit and are left out").arg(without));
    return data;
}

bool hasLimits(const SweepChartData& data)
{
    return std::any_of(data.series.begin(), data.series.end(), [](const ChartSeries& series) {
        return std::any_of(series.points.begin(), series.points.end(), [](const ChartSeries::Point& point) {
            return point.limit && *point.limit > 0 && point.y > 0;
        });
    });
}

QString sourceText(const record::Baseline& baseline)
{
    QStringList parts = {baseline.published ? tr("Published by others: %1").arg(text(baseline.source))
                                            : text(baseline.source)};
    if (!baseline.where.empty())
        parts << text(baseline.where);
    parts << text(baseline.date);
    return parts.join(QStringLiteral(" · "));
}

QString machineText(const record::Baseline& baseline)
{
    QStringList parts;
    for (const auto& [name, value] : readableJson(*baseline.fingerprint))
        if (!value.isEmpty())
            parts << QStringLiteral("%1: %2").arg(name, value);
    return parts.join(QStringLiteral(" · "));
}

} // namespace ridge::app
