// SPDX-License-Identifier: GPL-3.0-or-later
// Where pins come from again after a restart.
#include "app/runs/compare/pin_sources.h"

#include "app/drawing/charts/chart_text.h"
#include "app/runs/compare/compare_page.h"
#include "app/runs/table/run_data.h"
#include "app/runs/table/run_document.h"
#include "app/ui/panels.h"
#include "base/units.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>

namespace ridge::app {
namespace {

QString nameOf(const AppContext& context, const std::vector<record::RunRow>& runs)
{
    const record::RunRow& first = runs.front();
    const ExperimentInfo* info = context.experiment(first.experiment);
    QStringList parts = {QString::fromStdString(info ? info->title : first.experiment)};
    const QStringList varied = variedParameters(runs, info);
    if (varied.isEmpty() && info)
        parts << parameterText(first.params, info, tellingParameters(first, *info));
    for (const QString& name : varied) {
        std::vector<double> values;
        for (const record::RunRow& run : runs)
            if (const auto value = run.params.find(name.toStdString()); value != run.params.end())
                if (const auto number = asNumber(value->second))
                    values.push_back(*number);
        const ParamSpec* spec = info ? info->parameter(name.toStdString()) : nullptr;
        const QString title = spec ? inSentence(QString::fromStdString(spec->title)) : name;
        if (values.empty()) {
            parts << title;
            continue;
        }
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        parts << QCoreApplication::translate("Pin", "%1 %2 … %3")
                     .arg(title, QString::fromStdString(formatNumber(*low)),
                          QString::fromStdString(formatNumber(*high)));
    }
    return parts.join(QStringLiteral(", "));
}

Pin pinOfRuns(const AppContext& context, const QString& path, std::vector<record::RunRow> runs)
{
    Pin pin;
    pin.key = QStringLiteral("file:") + QFileInfo(path).absoluteFilePath();
    pin.name = QStringLiteral("%1 (%2)").arg(nameOf(context, runs), QFileInfo(path).fileName());
    pin.runs = std::move(runs);
    return pin;
}

Result<Pin> pinOfFile(const AppContext& context, const QString& path)
{
    auto runs = readRunDocument(path);
    if (!runs)
        return runs.error();
    return pinOfRuns(context, path, std::move(*runs));
}

} // namespace

Result<void> ComparePage::addFile(const QString& path, std::vector<record::RunRow> runs)
{
    return addPin(pinOfRuns(m_context, path, std::move(runs)));
}

Result<void> ComparePage::addFile(const QString& path)
{
    return addPin(pinOfFile(m_context, path));
}

Result<void> ComparePage::addPin(Result<Pin> pin)
{
    const Result<void> added = pin ? m_context.pins().add(std::move(*pin)) : Result<void>(pin.error());
    m_error->setVisible(!added);
    if (!added)
        m_error->setError(added.error());
    return added;
}

Result<void> ComparePage::open(const QString& part)
{
    m_wanted = part.split(QLatin1Char(','), Qt::SkipEmptyParts);
    return pinWanted();
}

Result<void> ComparePage::pinWanted()
{
    if (!ready())
        return {}; // pins are called by the titles of the catalogue
    Result<void> all = {};
    for (const QString& key : std::exchange(m_wanted, {}))
        if (auto pinned = pinByKey(m_context, key); !pinned)
            all = pinned; // the others are pinned all the same
    return all;
}

namespace {

/// What another machine gave for an experiment, from the shipped library.
Result<void> pinBaseline(AppContext& context, const QString& key, const QString& id, const QString& experiment)
{
    const ExperimentInfo* info = context.experiment(experiment.toStdString());
    for (const record::Baseline& baseline : context.baselines().baselines) {
        if (!info || QString::fromStdString(baseline.id) != id)
            continue;
        Pin pin;
        pin.key = key;
        pin.name = QCoreApplication::translate("Pin", "%1, %2 (recorded)")
                       .arg(QString::fromStdString(info->title), QString::fromStdString(baseline.machine));
        for (const record::BaselinePoint* point : record::pointsOf(baseline, *info))
            pin.runs.push_back(point->run);
        return context.pins().add(std::move(pin));
    }
    return Error{"unknown-page", "There is no such recorded baseline.", key.toStdString(),
                 "`ridge baselines` lists what there is."};
}

} // namespace

Result<void> pinByKey(AppContext& context, const QString& key)
{
    const QString kind = key.section(QLatin1Char(':'), 0, 0);
    const QString id = key.section(QLatin1Char(':'), 1);
    if (kind == QLatin1String("file")) {
        auto pin = pinOfFile(context, id);
        return pin ? context.pins().add(std::move(*pin)) : Result<void>(pin.error());
    }
    if (kind == QLatin1String("baseline"))
        return pinBaseline(context, key, id.section(QLatin1Char('/'), 0, 0), id.section(QLatin1Char('/'), 1));
    record::RunFilter filter;
    if (kind == QLatin1String("sweep"))
        filter.sweepId = id.toStdString();
    else if (kind == QLatin1String("run"))
        filter.ids = {id.toStdString()};
    const bool known = !id.isEmpty() && (!filter.sweepId.empty() || !filter.ids.empty());
    auto runs = known && context.store() ? context.store()->runs(filter) : std::vector<record::RunRow>();
    if (!runs)
        return runs.error();
    if (runs->empty())
        return Error{"unknown-page", "There are no runs to pin under this name.", key.toStdString(),
                     "Name runs as run:<id>, sweep:<id>, file:<path> or baseline:<id>/<experiment>."};
    context.feedback().withhold(*runs);
    std::reverse(runs->begin(), runs->end()); // as they were made
    return context.pins().add(pinOf(context, std::move(*runs)));
}

Pin pinOf(const AppContext& context, std::vector<record::RunRow> runs)
{
    Pin pin;
    if (runs.empty())
        return pin;
    const record::RunRow& first = runs.front();
    pin.key = runs.size() == 1 || first.sweepId.empty()
                  ? QStringLiteral("run:") + QString::fromStdString(first.id)
                  : QStringLiteral("sweep:") + QString::fromStdString(first.sweepId);
    pin.name = nameOf(context, runs);
    pin.runs = std::move(runs);
    return pin;
}

QStringList pinKeys(const PinBoard& board)
{
    QStringList keys;
    for (const Pin& pin : board.pins())
        keys << pin.key;
    return keys;
}

} // namespace ridge::app
