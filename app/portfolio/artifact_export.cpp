// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/artifact_export.h"

#include "app/drawing/charts/sweep_chart.h"
#include "app/portfolio/artifact_bundle.h"
#include "app/runs/table/chart_kinds.h"
#include "app/runs/table/run_data.h"
#include "app/theme/drag_folder.h"

#include <QBuffer>
#include <QImage>
#include <QMimeData>
#include <QUrl>
#include <cmath>

namespace ridge::app {
namespace {

constexpr double kWide = 960, kTall = 540; // px

/// The kind of chart that the experiment declares.
Result<std::string> chartPng(const ChartRuns& runs, const ExperimentInfo& info, const ChartSpec& spec)
{
    Theme theme(nullptr, Theme::Scope::Detached);
    if (auto loaded = theme.load(QStringLiteral("light")); !loaded)
        return loaded.error();
    auto plot = plotOfChart(runs, info, spec);
    double tall = kTall;
    std::unique_ptr<PlotChart> chart;
    if (plot) {
        tall = std::max(tall, plot->heightFor(theme, kWide));
        chart = std::make_unique<PlotChart>(theme);
        chart->setPlot(std::move(plot));
    } else {
        std::vector<record::RunRow> rows;
        for (const record::RunRow* run : runs)
            rows.push_back(*run);
        auto curve = std::make_unique<SweepChart>(theme);
        curve->setData(chartOfRuns(rows, info, spec));
        chart = std::move(curve);
    }
    const QImage image = chart->renderImage(QSize(int(kWide), int(std::ceil(tall))), 2.0);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG"))
        return Error{"cannot-write", "the chart could not be drawn", spec.title, {}};
    return bytes.toStdString();
}

/// The artifact's charts as pictures; one whose experiment is unknown here becomes a note for the README.
Result<record::ExportExtras> drawCharts(const ArtifactBundle& bundle, std::span<const ExperimentInfo> experiments)
{
    record::ExportExtras extras;
    if (!bundle.row.charts->is_array())
        return extras;
    for (const Json& entry : *bundle.row.charts) {
        if (!entry.is_object())
            continue;
        const std::string experiment = entry.value("experiment", std::string());
        const auto info = std::find_if(experiments.begin(), experiments.end(),
                                       [&](const ExperimentInfo& known) { return known.id == experiment; });
        if (info == experiments.end()) {
            extras.notes.push_back(
                "The chart of " + experiment +
                " is not drawn: this program does not know the experiment. Its runs are in runs.csv.");
            continue;
        }
        auto png =
            chartPng(runsOfChart(bundle.runs, entry), *info, chartSpec(*info, entry.value("chart", std::string())));
        if (!png)
            return png.error();
        extras.files.push_back({"chart-" + std::to_string(extras.files.size() + 1) + ".png", std::move(*png)});
    }
    return extras;
}

} // namespace

Result<std::filesystem::path> exportArtifact(const record::Store& store, const std::string& id,
                                             std::span<const ExperimentInfo> experiments,
                                             const std::filesystem::path& parent, const record::Withholding& held)
{
    auto bundle = loadArtifact(store, id);
    if (!bundle)
        return bundle.error();
    Result<record::ExportExtras> extras = record::ExportExtras{};
    if (record::withhold(held, bundle->row, bundle->runs, bundle->reproductions).result.empty())
        extras = drawCharts(*bundle, experiments);
    if (!extras)
        return extras.error();
    extras->held = held;
    return record::exportArtifact(store, id, parent / record::exportFolderName(bundle->row), *extras);
}

QMimeData* artifactDragMime(const record::Store& store, const record::ArtifactRow& row,
                            std::span<const ExperimentInfo> experiments, const record::Withholding& held,
                            const QImage& picture)
{
    auto* mime = new QMimeData;
    mime->setText(QString::fromStdString(row.title + "\n" + row.claim));
    mime->setImageData(picture);
    if (const QString place = newDragFolder(); !place.isEmpty())
        if (const auto exported = exportArtifact(store, row.id, experiments, place.toStdString(), held))
            mime->setUrls({QUrl::fromLocalFile(QString::fromStdString(exported->string()))});
    return mime;
}

} // namespace ridge::app
