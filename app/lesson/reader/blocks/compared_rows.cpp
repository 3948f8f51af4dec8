// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/compared_rows.h"

#include "app/drawing/charts/chart_text.h"
#include "app/runs/overlays/machine_overlay.h"
#include "base/units.h"
#include "lessons/placeholders.h"

#include <QCoreApplication>
#include <algorithm>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("CompareBlock", text);
}

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

/// The newest run at the point on the simulator, or on anything else.
const record::RunRow* newestAt(const ComparedInput& input, bool onSimulator)
{
    const record::RunRow* newest = nullptr;
    for (const record::RunRow* run : input.runs)
        if (run->experiment == input.block.experiment && (run->target == input.simulator) == onSimulator &&
            lessons::matches(run->params, input.block.at) && run->metrics.contains(input.block.metric))
            newest = run;
    return newest;
}

/// What was told of the point agrees with what is asked for; what was not told counts as equal.
bool isAtPoint(const record::RunRow& point, const ParamSet& at)
{
    return std::ranges::all_of(at, [&](const auto& wanted) {
        const auto told = point.params.find(wanted.first);
        return told == point.params.end() || lessons::matches({*told}, {wanted});
    });
}

QString differences(const ExperimentInfo& info, const ParamSet& here, const ParamSet& there)
{
    QStringList differs;
    for (const ParamSpec& spec : info.parameters) {
        const auto own = here.find(spec.name), other = there.find(spec.name);
        if (own != here.end() && other != there.end() && !lessons::matches({*own}, {*other}))
            differs << tr("%1: %2 here, %3 there")
                           .arg(text(spec.title), text(valueText(spec, own->second)),
                                text(valueText(spec, other->second)));
    }
    return differs.join(QStringLiteral("; "));
}

ComparedMachine rowOf(const ComparedInput& input, const record::RunRow* run, const QString& name,
                      const QString& missing)
{
    ComparedMachine row;
    row.name = name;
    if (!run) {
        row.reason = missing;
        return row;
    }
    const MetricValue& metric = run->metrics.at(input.block.metric);
    row.name = tr("%1, %2").arg(name, text(run->target));
    row.value = metric.value;
    row.provenance = metric.provenance;
    row.source = tr("your run of this lesson");
    return row;
}

} // namespace

std::vector<ComparedMachine> comparedRows(const ComparedInput& input)
{
    const record::RunRow* simulated = newestAt(input, true);
    const record::RunRow* own = newestAt(input, false);
    const record::RunRow* here = own ? own : simulated;
    std::vector<ComparedMachine> rows;
    rows.push_back(rowOf(input, simulated, tr("Simulator"), tr("not run yet; the button below runs it")));
    for (const record::Baseline& baseline : input.baselines.baselines) {
        const std::vector<std::string>& wanted = input.block.recorded;
        if (!wanted.empty() && std::ranges::find(wanted, baseline.id) == wanted.end())
            continue;
        const auto points = record::pointsOf(baseline, input.experiment);
        const auto at = std::ranges::find_if(points, [&](const record::BaselinePoint* point) {
            return point->run.metrics.contains(input.block.metric) && isAtPoint(point->run, input.block.at);
        });
        if (at == points.end()) {
            if (!wanted.empty())
                rows.push_back({text(baseline.machine), {}, {}, {}, Provenance::Recorded, tr("not recorded here")});
            continue;
        }
        const record::RunRow& point = (*at)->run;
        ComparedMachine row{text(baseline.machine),
                            sourceText(baseline),
                            {},
                            point.metrics.at(input.block.metric).value,
                            Provenance::Recorded,
                            {}};
        if (!(*at)->note.empty())
            row.source += QStringLiteral(" · ") + text((*at)->note);
        if (here)
            row.differs = differences(input.experiment, here->params, point.params);
        rows.push_back(std::move(row));
    }
    rows.push_back(
        rowOf(input, own, tr("Yours"), simulated ? tr("you have run it on the simulator only") : tr("not run yet")));
    return rows;
}

RowsData comparedPlot(const std::vector<ComparedMachine>& rows, const QString& title, const QString& metricTitle,
                      const QString& unit, const QString& caption)
{
    RowsData data;
    data.kind = QStringLiteral("compared-machines");
    data.title = title;
    data.caption = caption;
    double most = 0;
    for (const ComparedMachine& row : rows)
        most = std::max(most, row.value.value_or(0));
    const auto [size, name] = axisUnit(most, unit);
    data.xTitle = titled(metricTitle, name);
    data.beforeTitle = tr("Provenance");
    data.table.columns = {{QStringLiteral("machine"), tr("Machine"), {}, false},
                          {QStringLiteral("value"), metricTitle, unit, true},
                          {QStringLiteral("provenance"), tr("Provenance"), {}, false},
                          {QStringLiteral("differs"), tr("Differs"), {}, false},
                          {QStringLiteral("source"), tr("Source"), {}, false}};
    QStringList said;
    for (const ComparedMachine& row : rows) {
        RowsRow bar;
        bar.name = row.name;
        bar.reason = row.reason;
        bar.role = row.provenance == Provenance::Recorded    ? Role::Series2
                   : row.provenance == Provenance::Simulated ? Role::Series1
                                                             : Role::Series3;
        bar.strong = true;
        ChartCell value;
        if (row.value) {
            bar.value = *row.value / size;
            bar.label = quantity(*row.value, unit);
            bar.before = provenanceText(row.provenance);
            value = *row.value;
            said << tr("%1 %2 (%3)").arg(row.name, bar.label, bar.before);
        }
        data.rows.push_back(std::move(bar));
        data.table.rows.push_back(
            {row.name, value, row.value ? provenanceText(row.provenance) : row.reason, row.differs, row.source});
    }
    data.summary = said.isEmpty() ? tr("No machine has a value here yet.")
                                  : tr("%1: %2.").arg(metricTitle, said.join(QStringLiteral(", ")));
    if (said.isEmpty())
        data.emptyText = data.summary;
    return data;
}

} // namespace ridge::app
