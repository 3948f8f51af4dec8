// SPDX-License-Identifier: GPL-3.0-or-later
// Models of chips: what fits into an SM, the roofline, two datasheets side by side.
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/figure_plot.h"
#include "app/drawing/charts/rows_plot.h"
#include "app/drawing/scenes/scene_text.h"
#include "app/drawing/scenes/sm_limits.h"
#include "app/lesson/reader/blocks/explore_parts.h"
#include "silicon/kernel_profile.h"
#include "silicon/occupancy.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ridge::app {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Explore", text);
}

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

QString flopRate(double value)
{
    return quantity(value, QStringLiteral("FLOP/s"));
}

QString byteRate(double value)
{
    return quantity(value, QStringLiteral("B/s"));
}

// --- occupancy ---

SmLimits::Resource resourceOf(silicon::Limiter limiter, int blocks, const silicon::Occupancy& o,
                              const silicon::ChipLimits& limits, int warps)
{
    SmLimits::Resource made;
    made.name = text(std::string(silicon::toText(limiter)));
    made.blocks = blocks;
    made.limits = std::find(o.limiters.begin(), o.limiters.end(), limiter) != o.limiters.end();
    const auto of = [](double part, double whole) {
        return tr("%1 of %2 a block").arg(groupedText(part), groupedText(whole));
    };
    switch (limiter) {
    case silicon::Limiter::Warps:
        made.asks = of(warps, limits.maxWarpsPerSm);
        break;
    case silicon::Limiter::Registers:
        made.asks = of(o.allocatedRegistersPerBlock, limits.registersPerSm);
        break;
    case silicon::Limiter::SharedMemory:
        made.asks = of(o.allocatedSharedBytesPerBlock, limits.sharedBytesPerSm);
        break;
    case silicon::Limiter::Blocks:
        made.name = tr("block slots");
        made.asks = of(1, limits.maxBlocksPerSm);
        break;
    case silicon::Limiter::Barriers:
        made.asks = of(1, limits.barriersPerSm);
        break;
    }
    return made;
}

SceneFrame occupancyFrame(const ParamSet& params)
{
    SceneFrame frame;
    const Result<silicon::Chip> chip = chipOf(params, "chip");
    if (!chip.ok())
        return frame;
    const auto limits = chipTable()->limits(chip->computeMajor, chip->computeMinor);
    if (!limits.ok())
        return frame;
    auto sm = std::make_shared<SmLimits>();
    sm->chip = text(chip->name);
    sm->warpSlots = int(limits->maxWarpsPerSm);
    sm->subPartitions = int(limits->subPartitions);
    sm->registers = limits->registersPerSm;
    sm->sharedBytes = limits->sharedBytesPerSm;
    const auto threads = std::uint32_t(integerOf(params, "block_threads"));
    sm->warpsPerBlock = int((threads + limits->warpSize - 1) / limits->warpSize);
    const auto found = silicon::occupancy(*limits, threads, std::uint32_t(integerOf(params, "registers")),
                                          std::uint32_t(integerOf(params, "shared_bytes")));
    if (!found.ok()) {
        sm->problem = tr("%1, %2").arg(text(found.error().message), text(found.error().fix));
    } else {
        sm->blocks = int(found->blocksPerSm);
        sm->registersUsed = double(found->allocatedRegistersPerBlock) * found->blocksPerSm;
        sm->sharedUsed = double(found->allocatedSharedBytesPerBlock) * found->blocksPerSm;
        // One barrier a block is never what runs out first; where it is, it is shown.
        for (const auto& [limiter, blocks] : found->blocksAllowed)
            if (const auto made = resourceOf(limiter, int(blocks), *found, *limits, sm->warpsPerBlock);
                made.limits || limiter != silicon::Limiter::Barriers)
                sm->resources.push_back(made);
    }
    frame.payloads.put(std::shared_ptr<const SmLimits>(std::move(sm)));
    return frame;
}

// --- roofline ---

std::shared_ptr<Plot> rooflinePlot(const ParamSet& params)
{
    const Result<silicon::Chip> chip = chipOf(params, "chip");
    if (!chip.ok())
        return refusal(tr("Roofline"), chip.error());
    const silicon::Precision precision = *silicon::precisionFromText(textOf(params, "precision"));
    const auto roof = silicon::roofline(*chipTable(), *chip, precision);
    if (!roof.ok())
        return refusal(tr("Roofline of %1").arg(text(chip->name)), roof.error());

    const double least = 1.0 / 16, most = 4096, intensity = realOf(params, "intensity");
    const double ridge = roof->ridge(), reached = roof->bound(intensity);
    const bool memory = intensity < ridge;
    const bool tensor = precision != silicon::Precision::Fp32;
    const QString unit = QStringLiteral("FLOP/B");
    const QString kernel = tr("%1: %2").arg(quantity(intensity, unit), flopRate(reached));

    FigureData data;
    data.title = tr("Roofline of %1, %2").arg(text(chip->name), precisionName(precision));
    data.yTitle = tr("Attainable rate (FLOP/s)");
    data.axes.x.title = tr("Arithmetic intensity (FLOP/B)");
    data.axes.x.scale = {true, true, least, most};
    data.axes.y.scale = {true, true, roof->bytesPerSecond * least / 2, roof->flopsPerSecond * 5};
    const double corner = std::clamp(ridge, least, most);
    // Names stand where the kernel's point is not.
    const bool low = std::log2(intensity) < (std::log2(least) + std::log2(corner)) / 2;
    const auto between = [](double from, double to, double share) { return from * std::pow(to / from, share); };
    if (corner > least)
        data.lines.push_back({tr("memory: %1 × intensity").arg(byteRate(roof->bytesPerSecond)),
                              Role::Series4,
                              3,
                              false,
                              {{least, least * roof->bytesPerSecond}, {corner, corner * roof->bytesPerSecond}},
                              between(least, corner, low ? 0.66 : 0.36)});
    if (corner < most)
        data.lines.push_back({tensor ? tr("%1, dense: %2").arg(precisionName(precision), flopRate(roof->flopsPerSecond))
                                     : tr("FP32: %1").arg(flopRate(roof->flopsPerSecond)),
                              tensor ? Role::Series5 : Role::Series8,
                              3,
                              false,
                              {{corner, roof->flopsPerSecond}, {most, roof->flopsPerSecond}},
                              {},
                              true});
    data.guides.push_back(
        {ridge, tr("ridge point %1").arg(quantity(ridge, unit)), tr("memory-bound"), tr("compute-bound")});
    data.marks.push_back({tr("the kernel"), kernel, {intensity, reached}, Role::Accent, false, true});
    const double share = 100 * reached / roof->flopsPerSecond;
    data.summary = tr("A kernel of %1 on %2 reaches at most %3 in %4, %5 % of the peak: it is %6, since the ridge "
                      "point lies at %7.")
                       .arg(quantity(intensity, unit), text(chip->name), flopRate(reached), precisionName(precision),
                            QString::number(share, 'g', 3), memory ? tr("memory-bound") : tr("compute-bound"),
                            quantity(ridge, unit));
    const auto peak = chip->peakFlopsPerSecond.find(precision);
    std::vector<const std::vector<std::string>*> keys = {&chip->memoryBytesPerSecond.sources};
    if (peak != chip->peakFlopsPerSecond.end())
        keys.push_back(&peak->second.sources);
    data.caption = sourcesText(roof->derived ? tr("the datasheet bandwidth and a peak of units × clock")
                                             : tr("the datasheet's dense peak and bandwidth"),
                               keys);
    const ChartCell none;
    data.table =
        exploreTable(QStringLiteral("explore-roofline"),
                     {{QStringLiteral("item"), tr("Item"), {}, false},
                      {QStringLiteral("intensity"), tr("Intensity"), unit},
                      {QStringLiteral("rate"), tr("Rate"), QStringLiteral("FLOP/s")},
                      {QStringLiteral("bandwidth"), tr("Bandwidth"), QStringLiteral("B/s")},
                      {QStringLiteral("bound"), tr("Bound"), {}, false}},
                     {{tr("kernel"), intensity, reached, reached / intensity, memory ? tr("memory") : tr("compute")},
                      {tr("ridge point"), ridge, roof->flopsPerSecond, roof->bytesPerSecond, tr("both")},
                      {tr("memory roof"), none, none, roof->bytesPerSecond, none},
                      {tr("compute roof"), none, roof->flopsPerSecond, none, none}});
    return std::make_shared<FigurePlot>(std::move(data));
}

// --- generations ---

struct SheetLine {
    QString name, unit;
    Role role;
    const silicon::Sourced<double>* a;
    const silicon::Sourced<double>* b;
    double shareA = 1, shareB = 1; ///< of the figure that is one direction
    bool absentMeansUnsupported = false;
    bool binary = false; ///< a size in binary prefixes
};

const silicon::Sourced<double>* peakOf(const silicon::Chip& chip, silicon::Precision precision)
{
    const auto found = chip.peakFlopsPerSecond.find(precision);
    return found == chip.peakFlopsPerSecond.end() ? nullptr : &found->second;
}

const silicon::Sourced<double>* linkOf(const std::optional<silicon::Link>& link)
{
    return link ? &link->bytesPerSecond : nullptr;
}

double oneWay(const std::optional<silicon::Link>& link)
{
    return link && link->bothWays ? 0.5 : 1;
}

std::vector<SheetLine> sheet(const silicon::Chip& a, const silicon::Chip& b)
{
    const QString rate = QStringLiteral("FLOP/s"), bytes = QStringLiteral("B"), band = QStringLiteral("B/s");
    std::vector<SheetLine> lines;
    for (const silicon::Precision precision :
         {silicon::Precision::Fp32, silicon::Precision::Tf32, silicon::Precision::Fp16, silicon::Precision::Bf16,
          silicon::Precision::Fp8}) {
        const bool tensor = precision != silicon::Precision::Fp32;
        lines.push_back({tensor ? tr("%1, dense").arg(precisionName(precision)) : precisionName(precision), rate,
                         tensor ? Role::Series5 : Role::Series8, peakOf(a, precision), peakOf(b, precision), 1, 1,
                         true});
    }
    lines.push_back({tr("Memory bandwidth"), band, Role::Series4, &a.memoryBytesPerSecond, &b.memoryBytesPerSecond});
    lines.push_back({tr("Memory"), bytes, Role::Series4, &a.memoryBytes, &b.memoryBytes});
    lines.push_back({tr("L2 cache"), bytes, Role::Series3, &a.l2Bytes, &b.l2Bytes, 1, 1, false, true});
    lines.push_back({tr("GPU link, one way"), band, Role::Series6, linkOf(a.gpuLink), linkOf(b.gpuLink),
                     oneWay(a.gpuLink), oneWay(b.gpuLink)});
    lines.push_back(
        {tr("PCIe, one way"), band, Role::Series6, linkOf(a.pcie), linkOf(b.pcie), oneWay(a.pcie), oneWay(b.pcie)});
    lines.push_back({tr("Power limit"), QStringLiteral("W"), Role::Series7, &a.tdpWatts, &b.tdpWatts});
    return lines;
}

QString figureText(const SheetLine& line, const silicon::Sourced<double>* figure, double share)
{
    if (figure && figure->known())
        return line.binary ? binarySize(*figure->value * share) : quantity(*figure->value * share, line.unit);
    return line.absentMeansUnsupported && !figure ? tr("none") : tr("not known");
}

QString ratioText(double ratio)
{
    return QString::number(ratio, 'f', ratio < 9.995 ? 2 : 1) + QStringLiteral("×");
}

std::shared_ptr<Plot> generationsPlot(const ParamSet& params)
{
    const Result<silicon::Chip> a = chipOf(params, "chip_a"), b = chipOf(params, "chip_b");
    if (!a.ok() || !b.ok())
        return refusal(tr("Two generations"), a.ok() ? b.error() : a.error());
    const silicon::KernelProfile& profile = *silicon::kernelProfile(textOf(params, "profile"));
    const auto speedup = silicon::predictedSpeedup(*chipTable(), *a, *b, profile);
    const QString nameA = text(a->name), nameB = text(b->name), kernel = text(profile.title);

    RowsData data;
    data.kind = QStringLiteral("explore-generations");
    data.title = tr("From %1 to %2").arg(nameA, nameB);
    data.ratios = true;
    data.xTitle = tr("%1 ÷ %2").arg(nameB, nameA);
    data.beforeTitle = nameA;
    data.afterTitle = nameB;
    const ChartCell none;
    std::vector<std::vector<ChartCell>> rows;
    RowsRow first;
    first.name = kernel;
    first.role = Role::Accent;
    first.strong = true;
    const auto bound = [](silicon::Bound where) {
        return where == silicon::Bound::Memory ? tr("memory-bound") : tr("compute-bound");
    };
    if (speedup.ok()) {
        first.value = speedup->ratio;
        first.label = tr("%1 predicted").arg(ratioText(speedup->ratio));
        first.before = bound(speedup->from.bound);
        first.after = bound(speedup->to.bound);
        rows.push_back({tr("predicted speed-up, %1").arg(kernel), first.before, first.after, speedup->ratio});
        data.summary = tr("From %1 to %2 the roofline predicts %3 for %4, which is %5 on the first and %6 on the "
                          "second (MODELLED).")
                           .arg(nameA, nameB, ratioText(speedup->ratio), kernel, first.before, first.after);
    } else {
        first.reason = text(speedup.error().message);
        rows.push_back({tr("predicted speed-up, %1").arg(kernel), first.reason, none, none});
        data.summary = tr("No speed-up of %1 from %2 to %3 can be predicted: %4.")
                           .arg(kernel, nameA, nameB, text(speedup.error().message));
    }
    data.rows.push_back(first);
    std::vector<const std::vector<std::string>*> keys;
    for (const SheetLine& line : sheet(*a, *b)) {
        RowsRow row;
        row.name = line.name;
        row.role = line.role;
        row.before = figureText(line, line.a, line.shareA);
        row.after = figureText(line, line.b, line.shareB);
        for (const auto* figure : {line.a, line.b})
            if (figure && figure->known())
                keys.push_back(&figure->sources);
        if (line.a && line.b && line.a->known() && line.b->known() && *line.a->value > 0) {
            row.value = *line.b->value * line.shareB / (*line.a->value * line.shareA);
            row.label = ratioText(*row.value);
        } else {
            const bool inA = line.a && line.a->known(), inB = line.b && line.b->known();
            row.reason = inA || inB ? tr("only %1").arg(inA ? nameA : nameB) : tr("no figure");
        }
        rows.push_back({line.name, row.before, row.after, row.value ? ChartCell(*row.value) : none});
        data.rows.push_back(std::move(row));
    }
    data.caption = sourcesText(tr("datasheets"), keys);
    data.table = exploreTable(data.kind,
                              {{QStringLiteral("figure"), tr("Figure"), {}, false},
                               {QStringLiteral("a"), nameA, {}, false},
                               {QStringLiteral("b"), nameB, {}, false},
                               {QStringLiteral("ratio"), tr("Ratio"), QStringLiteral("×")}},
                              std::move(rows));
    return std::make_shared<RowsPlot>(std::move(data));
}

} // namespace

std::map<std::string, ExploreModel> chipModels()
{
    return {{"occupancy", {Provenance::Modelled, QStringLiteral("sm_limits"), occupancyFrame, nullptr, 440}},
            {"roofline", {Provenance::Modelled, {}, nullptr, rooflinePlot, 400, "intensity"}},
            {"generations", {Provenance::Modelled, {}, nullptr, generationsPlot, 480}}};
}

} // namespace ridge::app
