// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/chart_text.h"
#include "app/runs/table/run_data.h"
#include "app/runs/table/run_views.h"
#include "base/json.h"
#include "silicon/chip_catalogue.h"
#include "silicon/roofline.h"

#include <QCoreApplication>

namespace ridge::app {
namespace {

constexpr std::size_t kMostKernels = 8; ///< more than there are series colours would not be told apart

QString tr(const char* text)
{
    return QCoreApplication::translate("RunViews", text);
}

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

const silicon::Chip* chipOf(const silicon::Catalogue& catalogue, const Json& target)
{
    const std::string id = target.value("chip", std::string());
    for (const silicon::Chip& chip : catalogue.chips())
        if (!id.empty() && chip.id == id)
            return &chip;
    const std::string name = target.value("name", std::string());
    return name.empty() ? nullptr : catalogue.findByDriverName(name);
}

QString sourceOf(const silicon::Catalogue& catalogue, const silicon::Sourced<double>& figure)
{
    QStringList titles;
    for (const std::string& key : figure.sources)
        if (const auto source = catalogue.sources().find(key); source != catalogue.sources().end())
            titles << text(source->second.title);
    return titles.join(QStringLiteral("; "));
}

struct Figures {
    std::optional<double> seconds, operations;
    std::vector<std::pair<MemoryLevel, double>> bytes;
    Provenance provenance = Provenance::Measured; ///< of the time
};

/// What a run counted, by the names and units that experiments report under.
Figures figuresOf(const record::RunRow& run)
{
    Figures figures;
    const auto positive = [&](const char* name) -> std::optional<double> {
        const auto metric = run.metrics.find(name);
        return metric != run.metrics.end() && metric->second.value > 0 ? std::optional(metric->second.value)
                                                                       : std::nullopt;
    };
    figures.seconds = positive("time");
    if (figures.seconds)
        figures.provenance = run.metrics.at("time").provenance;
    for (const auto& [name, metric] : run.metrics)
        if (metric.unit == "FLOP" && metric.value > 0)
            figures.operations = metric.value;
    const std::pair<MemoryLevel, std::vector<const char*>> kNames[] = {{MemoryLevel::L1, {"l1_bytes", "bytes_moved"}},
                                                                       {MemoryLevel::L2, {"l2_bytes"}},
                                                                       {MemoryLevel::Hbm, {"dram_bytes"}}};
    for (const auto& [level, names] : kNames)
        for (const char* name : names)
            if (const auto bytes = positive(name)) {
                figures.bytes.emplace_back(level, *bytes);
                break;
            }
    return figures;
}

/// For each level the most bytes a second that a run moved there.
std::vector<RooflineRoof> reached(const std::vector<std::pair<const record::RunRow*, Figures>>& runs)
{
    std::vector<RooflineRoof> best;
    for (const auto& [run, figures] : runs)
        for (const auto& [level, bytes] : figures.bytes) {
            RooflineRoof roof{level, bytes / *figures.seconds, false, figures.provenance,
                              tr("reached by the run of %1").arg(text(run->createdAt))};
            const auto same = std::find_if(best.begin(), best.end(),
                                           [&roof](const RooflineRoof& other) { return other.level == roof.level; });
            if (same == best.end())
                best.push_back(std::move(roof));
            else if (roof.bytesPerSecond > same->bytesPerSecond)
                *same = std::move(roof);
        }
    return best;
}

} // namespace

ChipLines chipLinesOf(const JsonValue& fingerprint)
{
    ChipLines lines;
    if (!fingerprint->is_object() || !fingerprint->contains("target") || !fingerprint->at("target").is_object())
        return lines;
    static const Result<silicon::Catalogue> catalogue = silicon::shippedCatalogue();
    const silicon::Chip* chip = catalogue ? chipOf(*catalogue, fingerprint->at("target")) : nullptr;
    if (!chip)
        return lines;
    lines.name = text(chip->name);
    if (const auto& pins = chip->memoryBytesPerSecond; pins.known())
        lines.roofs.push_back({MemoryLevel::Hbm, *pins.value, true, Provenance::Recorded, sourceOf(*catalogue, pins)});
    const std::pair<silicon::Precision, const char*> kPeaks[] = {{silicon::Precision::Fp32, "FP32"},
                                                                 {silicon::Precision::Bf16, "BF16 tensor"}};
    for (const auto& [precision, name] : kPeaks)
        if (const auto roof = silicon::roofline(*catalogue, *chip, precision)) {
            const auto peak = chip->peakFlopsPerSecond.find(precision);
            const QString source = roof->derived || peak == chip->peakFlopsPerSecond.end()
                                       ? tr("units × clock × operations a clock")
                                       : sourceOf(*catalogue, peak->second);
            lines.ceilings.push_back(
                {QString::fromLatin1(name), roof->flopsPerSecond, true, Provenance::Recorded, source});
        }
    return lines;
}

void addCalibrated(ChipLines& lines, const MachineCalibration& calibration)
{
    static const std::map<std::string, MemoryLevel> levels{
        {"l1", MemoryLevel::L1}, {"l2", MemoryLevel::L2}, {"dram", MemoryLevel::Hbm}};
    for (const CalibrationFigure& figure : calibration.figures) {
        const std::string& roof = figure.step.roof;
        const Provenance by = figure.value.provenance;
        const QString source = tr("%1, calibration of %2").arg(text(figure.step.title), text(figure.createdAt));
        // Bandwidths come in GB/s, rates in Gop/s.
        if (const auto level = levels.find(roof); level != levels.end())
            lines.roofs.push_back({level->second, figure.value.value * 1e9, false, by, source});
        else if (roof == "FP32" || roof == "BF16 tensor") // those that the data sheet is drawn for
            lines.ceilings.push_back({text(roof), figure.value.value * 1e9, false, by, source});
    }
}

RooflineData rooflineOfRuns(std::span<const record::RunRow> runs, const ExperimentInfo& info, const ChipLines& chip)
{
    RooflineData data;
    data.title = chip.name.isEmpty() ? tr("Roofline of the runs") : tr("Roofline of the runs on %1").arg(chip.name);
    std::vector<std::pair<const record::RunRow*, Figures>> used;
    std::vector<const record::RunRow*> rows;
    std::vector<record::RunRow> plain;
    for (const record::RunRow& run : runs) {
        Figures figures = run.status == "finished" ? figuresOf(run) : Figures{};
        if (!figures.seconds || (figures.bytes.empty() && !figures.operations))
            continue;
        used.emplace_back(&run, std::move(figures));
        rows.push_back(&run);
        plain.push_back(run);
    }
    if (used.empty()) {
        data.emptyText = runs.empty() ? tr("The roofline appears here as runs come in.")
                                      : tr("A roofline needs time and bytes; these runs report no such pair.");
        return data;
    }
    data.origin = originOf(rows);
    data.caption = originText(data.origin);
    data.roofs = chip.roofs;
    for (RooflineRoof& roof : reached(used)) {
        // What a calibration found says more than what these runs happened to reach.
        const bool calibrated = std::any_of(chip.roofs.begin(), chip.roofs.end(), [&](const RooflineRoof& other) {
            return other.level == roof.level && !other.datasheet;
        });
        if (!calibrated)
            data.roofs.push_back(std::move(roof));
    }
    const bool counted = std::any_of(used.begin(), used.end(), [](const auto& run) { return run.second.operations; });
    if (!counted) {
        data.caption += QStringLiteral(" · ") +
                        tr("These runs count no floating-point operations, so none has a dot; dashed: what the data "
                           "sheet promises, solid: the most that a run reached.");
        return data;
    }
    data.ceilings = chip.ceilings;
    const QStringList varied = variedParameters(plain, &info);
    const std::size_t first = used.size() > kMostKernels ? used.size() - kMostKernels : 0;
    for (std::size_t i = first; i < used.size(); ++i) {
        const auto& [run, figures] = used[i];
        if (!figures.operations || figures.bytes.empty())
            continue;
        RooflineKernel kernel;
        kernel.name = varied.isEmpty() ? text(info.title) : parameterText(run->params, &info, varied);
        kernel.provenance = figures.provenance;
        kernel.flopsPerSecond = *figures.operations / *figures.seconds;
        for (const auto& [level, bytes] : figures.bytes)
            kernel.intensity.emplace_back(level, *figures.operations / bytes);
        data.kernels.push_back(std::move(kernel));
    }
    if (first > 0)
        data.caption += tr(" · dots of the last %1 of %2 runs").arg(kMostKernels).arg(used.size());
    return data;
}

} // namespace ridge::app
