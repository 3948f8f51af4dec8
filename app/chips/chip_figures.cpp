// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chips/chip_figures.h"

#include "base/experiment_info.h"
#include "base/units.h"
#include "silicon/roofline.h"

#include <QCoreApplication>

namespace ridge::app {
namespace {

using silicon::Catalogue;
using silicon::Chip;
using silicon::Precision;

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Chips", text);
}

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

QString number(double value)
{
    return text(formatNumber(value));
}

QString titlesOf(const Catalogue& catalogue, const std::vector<std::string>& keys)
{
    QStringList titles;
    for (const std::string& key : keys)
        if (const auto source = catalogue.sources().find(key); source != catalogue.sources().end())
            titles << text(source->second.title);
    return titles.join(QStringLiteral("; "));
}

QString confidenceText(silicon::Confidence confidence)
{
    const auto name = silicon::toText(confidence);
    return QString::fromLatin1(name.data(), qsizetype(name.size()));
}

ChipFigure unknown(const QString& note = {})
{
    ChipFigure figure;
    figure.text = tr("unknown");
    figure.note = note;
    return figure;
}

ChipFigure absent(const QString& words)
{
    ChipFigure figure;
    figure.state = ChipFigure::State::Absent;
    figure.text = words;
    return figure;
}

/// `scale`: how many of the table's base unit one of the shown unit is.
template<class T>
ChipFigure shown(const Catalogue& catalogue, const silicon::Sourced<T>& figure, double scale, const char* unit)
{
    if (!figure.known())
        return unknown(text(figure.note));
    ChipFigure out;
    out.state = ChipFigure::State::Known;
    out.value = static_cast<double>(*figure.value) / scale;
    out.text = number(out.value);
    if (*unit)
        out.text += QLatin1Char(' ') + QString::fromUtf8(unit);
    out.confidence = confidenceText(figure.confidence);
    out.source = titlesOf(catalogue, figure.sources);
    out.note = text(figure.note);
    return out;
}

ChipFigure computed(double value, const char* unit, const QString& how)
{
    ChipFigure out;
    out.state = ChipFigure::State::Known;
    out.value = value;
    out.text = number(value) + QLatin1Char(' ') + QString::fromUtf8(unit);
    out.confidence = tr("computed here");
    out.source = how;
    return out;
}

template<Precision precision>
ChipFigure peak(const Catalogue& catalogue, const Chip& chip)
{
    const auto found = chip.peakFlopsPerSecond.find(precision);
    if (found == chip.peakFlopsPerSecond.end())
        return absent(tr("not supported"));
    ChipFigure out = shown(catalogue, found->second, 1e12, precision == Precision::Int8 ? "TOP/s" : "TFLOP/s");
    if (out.known() && precision != Precision::Fp32)
        out.flag = tr("dense");
    return out;
}

/// Each direction's own bandwidth; a link published for both together carries half of it one way.
ChipFigure oneWay(const Catalogue& catalogue, const std::optional<silicon::Link>& link)
{
    if (!link)
        return absent(tr("none listed"));
    ChipFigure out = shown(catalogue, link->bytesPerSecond, link->bothWays ? 2e9 : 1e9, "GB/s");
    if (!out.known())
        return out;
    out.flag = link->bothWays ? tr("one way, %1 both ways together").arg(number(2 * out.value)) : tr("one way");
    if (!link->name.empty())
        out.flag = text(link->name) + QStringLiteral(", ") + out.flag;
    return out;
}

template<Precision precision>
ChipFigure ridge(const Catalogue& catalogue, const Chip& chip)
{
    if (!chip.peakFlopsPerSecond.contains(precision))
        return absent(tr("not supported"));
    const auto lines = silicon::roofline(catalogue, chip, precision);
    if (!lines)
        return unknown(text(lines.error().message));
    return computed(lines->ridge(), "FLOP/B",
                    lines->derived ? tr("peak (units × clock × FLOP a clock) ÷ memory bandwidth")
                                   : tr("dense peak ÷ memory bandwidth"));
}

ChipFigure perWatt(const Catalogue& catalogue, const Chip& chip)
{
    const ChipFigure rate = peak<Precision::Bf16>(catalogue, chip);
    if (!rate.known())
        return rate;
    if (!chip.tdpWatts.known())
        return unknown(text(chip.tdpWatts.note));
    return computed(rate.value * 1000 / *chip.tdpWatts.value, "GFLOP/s/W", tr("dense BF16 peak ÷ power limit"));
}

std::vector<FigureKind> makeKinds()
{
    using Group = FigureKind::Group;
    const QString tera = QStringLiteral("TFLOP/s"), giga = QStringLiteral("GB/s");
    const QString dense = tr("Peak rate, dense. Data sheets that count 2:4 sparsity print twice as much.");
    const QString oneWayHelp = tr("What one direction carries. A figure published for both directions is halved here.");
    const auto s = [](const char* key) { return QString::fromLatin1(key); };
    return {
        {s("fp32"), tr("FP32"), tera, tr("Peak rate outside the tensor cores."), Group::Compute, true,
         &peak<Precision::Fp32>},
        {s("tf32"), tr("TF32 tensor, dense"), tera, dense, Group::Compute, false, &peak<Precision::Tf32>},
        {s("fp16"), tr("FP16 tensor, dense"), tera, dense, Group::Compute, false, &peak<Precision::Fp16>},
        {s("bf16"), tr("BF16 tensor, dense"), tera, dense, Group::Compute, true, &peak<Precision::Bf16>},
        {s("fp8"), tr("FP8 tensor, dense"), tera, dense, Group::Compute, true, &peak<Precision::Fp8>},
        {s("int8"), tr("INT8 tensor, dense"), QStringLiteral("TOP/s"), dense, Group::Compute, false,
         &peak<Precision::Int8>},
        {s("units"),
         tr("SMs or CUs"),
         {},
         tr("Streaming multiprocessors; compute units on AMD."),
         Group::Compute,
         false,
         [](const Catalogue& catalogue, const Chip& chip) {
             return shown(catalogue, chip.units, 1, chip.unitKind.c_str());
         }},
        {s("clock"), tr("Boost clock"), QStringLiteral("MHz"), tr("The highest clock that is promised."),
         Group::Compute, false,
         [](const Catalogue& catalogue, const Chip& chip) { return shown(catalogue, chip.boostClockHz, 1e6, "MHz"); }},
        {s("memory"), tr("Memory"), QStringLiteral("GB"), tr("Capacity, in 10^9 bytes."), Group::Memory, true,
         [](const Catalogue& catalogue, const Chip& chip) {
             ChipFigure out = shown(catalogue, chip.memoryBytes, 1e9, "GB");
             out.flag = text(chip.memoryType);
             return out;
         }},
        {s("bandwidth"), tr("Memory bandwidth"), giga, tr("Of the memory pins; reads and writes share it."),
         Group::Memory, true,
         [](const Catalogue& catalogue, const Chip& chip) {
             ChipFigure out = shown(catalogue, chip.memoryBytesPerSecond, 1e9, "GB/s");
             if (out.known())
                 out.flag = tr("reads and writes together");
             return out;
         }},
        {s("l2"), tr("L2 cache"), QStringLiteral("MiB"), tr("Shared by all units."), Group::Memory, true,
         [](const Catalogue& catalogue, const Chip& chip) { return shown(catalogue, chip.l2Bytes, 1024.0 * 1024.0, "MiB"); }},
        {s("ridge_bf16"), tr("Ridge point, BF16"), QStringLiteral("FLOP/B"),
         tr("Kernels that do less with each byte of memory are memory-bound."), Group::Memory, true,
         &ridge<Precision::Bf16>},
        {s("ridge_fp32"), tr("Ridge point, FP32"), QStringLiteral("FLOP/B"),
         tr("Kernels that do less with each byte of memory are memory-bound."), Group::Memory, false,
         &ridge<Precision::Fp32>},
        {s("link"), tr("Link to other GPUs, one way"), giga, oneWayHelp, Group::Links, false,
         [](const Catalogue& catalogue, const Chip& chip) { return oneWay(catalogue, chip.gpuLink); }},
        {s("pcie"), tr("PCIe, one way"), giga, oneWayHelp, Group::Links, false,
         [](const Catalogue& catalogue, const Chip& chip) { return oneWay(catalogue, chip.pcie); }},
        {s("tdp"), tr("Power limit"), QStringLiteral("W"), tr("Board or module power, as sold."), Group::Machine, true,
         [](const Catalogue& catalogue, const Chip& chip) { return shown(catalogue, chip.tdpWatts, 1, "W"); }},
        {s("per_watt"), tr("BF16 peak per watt"), QStringLiteral("GFLOP/s/W"),
         tr("Of two data-sheet figures: what a kernel reaches is less."), Group::Machine, false, &perWatt},
        {s("year"),
         tr("Announced"),
         {},
         tr("The year of its launch."),
         Group::Machine,
         true,
         [](const Catalogue&, const Chip& chip) {
             if (chip.launchYear <= 0)
                 return unknown();
             ChipFigure out;
             out.state = ChipFigure::State::Known;
             out.value = chip.launchYear;
             out.text = QString::number(chip.launchYear);
             return out;
         }},
    };
}

} // namespace

QString ChipFigure::provenance() const
{
    QStringList parts;
    if (!confidence.isEmpty())
        parts << confidence + (source.isEmpty() ? QString() : QStringLiteral(": ") + source);
    if (!note.isEmpty())
        parts << note;
    return parts.join(QStringLiteral(". "));
}

const std::vector<FigureKind>& figureKinds()
{
    static const std::vector<FigureKind> kinds = makeKinds();
    return kinds;
}

const FigureKind* figureKind(const QString& key)
{
    const auto& kinds = figureKinds();
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&key](const FigureKind& k) { return k.key == key; });
    return found == kinds.end() ? nullptr : &*found;
}

QString groupTitle(FigureKind::Group group)
{
    switch (group) {
    case FigureKind::Group::Compute:
        return tr("Compute");
    case FigureKind::Group::Memory:
        return tr("Memory");
    case FigureKind::Group::Links:
        return tr("Links");
    case FigureKind::Group::Machine:
        return tr("Power and age");
    }
    return {};
}

std::optional<double> figureRatio(const ChipFigure& value, const ChipFigure& first)
{
    if (!value.known() || !first.known() || first.value == 0)
        return std::nullopt;
    return value.value / first.value;
}

QString ratioText(double ratio)
{
    // Three digits say all that two data sheets can; 0.00512 keeps its three.
    return QString::number(ratio, 'g', 3) + QStringLiteral("×");
}

QString vendorName(const Chip& chip)
{
    return text(chip.vendor);
}

QString chipName(const Chip& chip)
{
    return text(chip.name);
}

QString architectureName(const Chip& chip)
{
    if (chip.isNvidia())
        return QStringLiteral("%1, %2.%3").arg(text(chip.architecture)).arg(chip.computeMajor).arg(chip.computeMinor);
    return chip.gfx.empty() ? text(chip.architecture)
                            : QStringLiteral("%1, %2").arg(text(chip.architecture), text(chip.gfx));
}

QString className(const std::string& chipClass)
{
    return chipClass == "datacenter" ? tr("data centre") : text(chipClass);
}

const Chip* findChip(const Catalogue& catalogue, const QString& id)
{
    for (const Chip& chip : catalogue.chips())
        if (chip.id == id.toStdString())
            return &chip;
    return nullptr;
}

Result<QStringList> chipsOfPart(const Catalogue& catalogue, const QString& part)
{
    QStringList ids;
    for (const QString& given : part.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const QString id = given.trimmed();
        if (!findChip(catalogue, id)) {
            std::vector<std::string> known;
            for (const Chip& chip : catalogue.chips())
                known.push_back(chip.id);
            QStringList near;
            for (const std::string& name : nearestNames(id.toStdString(), known))
                near << text(name);
            return Error{"unknown-page", "There is no chip " + id.toStdString() + " in the catalogue.", "catalogue",
                         near.isEmpty()
                             ? "Open catalogue to see all chips."
                             : "Did you mean " + near.join(QStringLiteral(", ")).toStdString() + "?"};
        }
        if (!ids.contains(id))
            ids << id;
    }
    if (ids.size() > kMostChips)
        return Error{"unknown-page", "The catalogue compares at most four chips at once.", "catalogue/" + part.toStdString(),
                     "Leave " + std::to_string(ids.size() - kMostChips) + " of them out."};
    return ids;
}

} // namespace ridge::app
