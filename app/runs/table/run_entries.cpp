// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the table from rows of the record: texts are made once, and once a point for all runs that share it.
#include "app/runs/table/runs_model.h"

#include "app/runs/table/run_data.h"
#include "app/ui/panels.h"
#include "base/json.h"
#include "base/units.h"

#include <QDateTime>
#include <algorithm>

namespace ridge::app {
namespace {

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

const ExperimentInfo* known(std::span<const ExperimentInfo> experiments, const std::string& id)
{
    const auto found = std::find_if(experiments.begin(), experiments.end(),
                                    [&id](const ExperimentInfo& info) { return info.id == id; });
    return found == experiments.end() ? nullptr : &*found;
}

record::RunHead headOf(const record::RunRow& run, std::span<const ExperimentInfo> experiments)
{
    record::RunHead head;
    head.id = run.id;
    head.sweepId = run.sweepId;
    head.lesson = run.lesson;
    head.block = run.block;
    head.experiment = run.experiment;
    head.target = run.target;
    head.provenance = run.provenance;
    head.params = toJson(run.params).dump();
    head.metric = headlineMetric(run, known(experiments, run.experiment));
    if (!head.metric.empty()) {
        head.unit = run.metrics.at(head.metric).unit;
        head.value = run.metrics.at(head.metric).value;
    }
    head.validity = run.validity;
    head.failed = run.status == "failed";
    head.errorCode = run.error ? run.error->code : std::string();
    head.createdAt = run.createdAt;
    return head;
}

/// A run without what its experiment's charts show is summed up by whatever it has; without a unit to tell what that
/// is, the number would be taken for the result.
bool isBare(const record::RunHead& run, const ExperimentInfo* info)
{
    return info && !run.metric.empty() && (run.unit.empty() || run.unit == "1") && !info->charts.empty() &&
           std::none_of(info->charts.begin(), info->charts.end(),
                        [&run](const ChartSpec& chart) { return chart.y == run.metric; });
}

} // namespace

const QString& RunsModel::Entry::cell(Column column) const
{
    if (column == When)
        return when;
    return column == Result ? result : point->cells[column];
}

RunsModel::Entry RunsModel::Maker::operator()(const record::RunHead& run, bool withheld)
{
    std::shared_ptr<const Point>& shared =
        m_points[run.experiment + '\n' + run.target + '\n' + run.params + '\n' + run.lesson + '\n' + run.metric + '\n' +
                 std::string(toText(run.provenance)) + '\n' + (run.failed ? "!" + run.errorCode : run.validity)];
    if (!shared) {
        auto point = std::make_shared<Point>();
        const auto json = parseJson(run.params, "params");
        auto params = json ? paramSetFromJson(*json, "params") : ridge::Result<ParamSet>(ParamSet());
        if (params)
            point->params = std::move(*params);
        const ExperimentInfo* info = known(m_experiments, run.experiment);
        const QString everything = parameterText(point->params, info);
        auto& cells = point->cells;
        cells[Experiment] = text(info ? info->title : run.experiment);
        const MetricSpec* metric = info ? info->metric(run.metric) : nullptr;
        point->metric = text(metric ? metric->title : run.metric);
        cells[Parameters] =
            info ? parameterText(point->params, info, tellingParameters(point->params, run.target, *info)) : everything;
        cells[Target] = text(run.target);
        const auto label = shortLabel(run.provenance);
        cells[Source] = QString::fromLatin1(label.data(), static_cast<qsizetype>(label.size()));
        cells[Lesson] = text(run.lesson);
        cells[Verdict] = run.failed ? tr("failed: %1").arg(run.errorCode.empty() ? tr("unknown") : text(run.errorCode))
                                    : text(run.validity);
        QStringList all;
        for (const QString& cell : cells)
            all << cell;
        all << everything << text(run.experiment);
        for (const auto& [name, value] : point->params) // as a command would say it
            all << text(name + '=' + toText(value));
        point->words = all.join(QLatin1Char('\n')).toLower();
        shared = std::move(point);
    }
    Entry entry;
    entry.id = run.id;
    entry.sweep = text(run.sweepId.empty() ? run.id : run.sweepId);
    entry.position = run.position;
    entry.at = QDateTime::fromString(text(run.createdAt), Qt::ISODateWithMs).toMSecsSinceEpoch();
    entry.failed = run.failed;
    entry.when = readableTime(run.createdAt);
    if (withheld)
        entry.result = tr("shown later");
    else if (isBare(run, known(m_experiments, run.experiment)))
        entry.result = QStringLiteral("–");
    else if (!run.metric.empty())
        entry.result = text(formatQuantity(run.value, run.unit));
    entry.words = (entry.when + QLatin1Char('\n') + entry.result).toLower();
    entry.value = withheld ? 0 : run.value;
    entry.point = shared;
    return entry;
}

RunsModel::Entry RunsModel::makeEntry(const record::RunRow& run, std::span<const ExperimentInfo> experiments,
                                      bool withheld)
{
    return Maker(experiments)(headOf(run, experiments), withheld);
}

} // namespace ridge::app
