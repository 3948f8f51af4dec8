// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that differ by names rather than by numbers: a bar each.
#include "app/drawing/charts/chart_text.h"
#include "app/runs/table/run_data.h"
#include "app/runs/table/run_views.h"
#include "base/units.h"

#include <map>
#include <set>

namespace ridge::app {
namespace {

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

QString shortText(Provenance provenance)
{
    const auto label = shortLabel(provenance);
    return QString::fromLatin1(label.data(), static_cast<qsizetype>(label.size()));
}

/// What tells this run from the others: values alone where one parameter does, else with their names.
QString nameOf(const record::RunRow& run, const ExperimentInfo& info, const QStringList& varied, bool manyTargets)
{
    QString name;
    const auto value = varied.size() == 1 ? run.params.find(varied.front().toStdString()) : run.params.end();
    const ParamSpec* only = value == run.params.end() ? nullptr : info.parameter(value->first);
    if (only && !isNumber(only->type))
        name = text(valueText(*only, value->second));
    else if (!varied.isEmpty())
        name = parameterText(run.params, &info, varied);
    if (manyTargets || name.isEmpty())
        name = name.isEmpty() ? text(run.target) : name + QStringLiteral(" · ") + text(run.target);
    return name;
}

} // namespace

RowsData barsOfRuns(std::span<const record::RunRow> runs, const ExperimentInfo& info, const std::string& metric)
{
    const auto tr = [](const char* words) { return QCoreApplication::translate("RunBars", words); };
    RowsData data;
    data.kind = QStringLiteral("bars");
    const MetricSpec* spec = info.metric(metric);
    const QString title = spec ? text(spec->title) : text(metric), unit = spec ? text(spec->unit) : QString();
    data.title = tr("%1 of each point").arg(asStart(title));

    std::set<std::string> targets;
    for (const record::RunRow& run : runs)
        targets.insert(run.target);
    const QStringList varied = variedParameters(runs, &info);
    // In the order of the sweep; of a point that ran again the newest.
    std::map<QString, std::size_t> places;
    std::vector<const record::RunRow*> shown;
    for (const record::RunRow& run : runs) {
        const auto [place, fresh] = places.try_emplace(nameOf(run, info, varied, targets.size() > 1), shown.size());
        if (fresh)
            shown.push_back(&run);
        else if (run.seq >= shown[place->second]->seq)
            shown[place->second] = &run;
    }

    std::set<Provenance> kinds;
    std::vector<const record::RunRow*> drawn;
    const RowsRow* least = nullptr;
    const RowsRow* most = nullptr;
    data.rows.reserve(shown.size());
    double largest = 0;
    for (const record::RunRow* run : shown)
        if (const auto found = run->metrics.find(metric); found != run->metrics.end() && run->status == "finished")
            largest = std::max(largest, std::abs(found->second.value));
    const auto [size, shownUnit] = axisUnit(largest, unit);
    for (const record::RunRow* run : shown) {
        RowsRow row;
        row.name = nameOf(*run, info, varied, targets.size() > 1);
        const auto found = run->metrics.find(metric);
        std::vector<ChartCell> cells = {row.name};
        if (run->status != "finished" || found == run->metrics.end()) {
            row.reason = run->error ? text(run->error->message) : tr("no such result at this point");
            cells.insert(cells.end(), {ChartCell(), ChartCell(row.reason)});
            data.rows.push_back(row);
        } else {
            row.value = found->second.value / size;
            row.label = quantity(found->second.value, unit);
            row.role = Role::Accent;
            kinds.insert(found->second.provenance);
            row.after = shortText(found->second.provenance);
            cells.insert(cells.end(), {ChartCell(found->second.value), ChartCell(row.after)});
            drawn.push_back(run);
            data.rows.push_back(row);
            const RowsRow& here = data.rows.back();
            least = !least || *here.value < *least->value ? &here : least;
            most = !most || *here.value > *most->value ? &here : most;
        }
        data.table.rows.push_back(std::move(cells));
    }
    if (drawn.empty()) {
        data.emptyText = tr("No run gave this result.");
        return data;
    }
    if (kinds.size() == 1) // said once, below
        for (RowsRow& row : data.rows)
            row.after.clear();
    data.xTitle = titled(title, shownUnit);
    data.table.columns = {{QStringLiteral("point"), tr("Point"), {}, false},
                          {QStringLiteral("value"), asStart(title), unit},
                          {QStringLiteral("source"), tr("Source"), {}, false}};
    data.table.origin = originOf(drawn);
    data.caption = originText(data.table.origin);
    for (const Provenance kind : kinds)
        data.caption += QStringLiteral(" · ") + provenanceText(kind);
    data.summary = tr("%1: the most is %2 at %3, the least %4 at %5.")
                       .arg(asStart(title), most->label, most->name, least->label, least->name);
    return data;
}

} // namespace ridge::app
