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
    if (out.known() && precision != Precision::Fp32) {
        out.flag = tr("dense");
        out.flagSaid = true;
    }
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
    const QString both = link->bothWays ? tr("%1 both ways").arg(number(2 * out.value)) : QString();
    out.flag = link->name.empty() ? both
               : both.isEmpty()   ? text(link->name)
                                  : QStringLiteral("%1, %2").arg(text(link->name), both);
    return out;
}

template<Precision precision>
ChipFigure ridge(const Catalogue& catalogue, const Chip& chip)
{
    if (!chip.peakFlopsPerSecond.contains(precision))
        return absent(tr("not supported"));
    // A peak that is shown as unknown has no ridge point either.
    const auto lines = silicon::roofline(catalogue, chip, precision);
    if (!lines || !chip.peakFlopsPerSecond.at(precision).known())
        return unknown(tr("The peak or the bandwidth is not known"));
    return computed(lines->ridge(), "FLOP/B", tr("dense peak ÷ memory bandwidth"));
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
    const QString ridgeHelp = tr("A kernel that does less with each byte of memory is memory-bound.");
    std::vector<FigureKind> kinds;
    const auto add = [&kinds](const char* key, Group group, const QString& title, const QString& unit,
                              const QString& help, auto read, const QString& brief = {}) {
        kinds.push_back({QString::fromLatin1(key), title, unit, help, brief, group, read});
    };
    add("fp32", Group::Compute, tr("FP32"), tera, tr("Peak rate outside the tensor cores."), &peak<Precision::Fp32>,
        tr("FP32"));
    add("tf32", Group::Compute, tr("TF32 tensor, dense"), tera, dense, &peak<Precision::Tf32>);
    add("fp16", Group::Compute, tr("FP16 tensor, dense"), tera, dense, &peak<Precision::Fp16>);
    add("bf16", Group::Compute, tr("BF16 tensor, dense"), tera, dense, &peak<Precision::Bf16>, tr("BF16 dense"));
    add("fp8", Group::Compute, tr("FP8 tensor, dense"), tera, dense, &peak<Precision::Fp8>, tr("FP8 dense"));
    add("int8", Group::Compute, tr("INT8 tensor, dense"), QStringLiteral("TOP/s"), dense, &peak<Precision::Int8>);
    add("units", Group::Compute, tr("SMs or CUs"), {}, tr("Streaming multiprocessors; compute units on AMD."),
        [](const Catalogue& catalogue, const Chip& chip) {
            return shown(catalogue, chip.units, 1, chip.unitKind.c_str());
        });
    add("clock", Group::Compute, tr("Boost clock"), QStringLiteral("MHz"), tr("The highest clock that is promised."),
        [](const Catalogue& catalogue, const Chip& chip) { return shown(catalogue, chip.boostClockHz, 1e6, "MHz"); });
    add(
        "memory", Group::Memory, tr("Memory"), QStringLiteral("GB"), tr("Capacity, in 10^9 bytes."),
        [](const Catalogue& catalogue, const Chip& chip) {
            ChipFigure out = shown(catalogue, chip.memoryBytes, 1e9, "GB");
            out.flag = text(chip.memoryType);
            return out;
        },
        tr("Memory"));
    add(
        "bandwidth", Group::Memory, tr("Bandwidth, reads and writes"), giga,
        tr("Of the memory pins; reads and writes share it."),
        [](const Catalogue& catalogue, const Chip& chip) {
            ChipFigure out = shown(catalogue, chip.memoryBytesPerSecond, 1e9, "GB/s");
            out.flag = tr("reads and writes together");
            out.flagSaid = true;
            return out;
        },
        tr("Bandwidth"));
    add(
        "l2", Group::Memory, tr("L2 cache"), QStringLiteral("MiB"), tr("Shared by all units."),
        [](const Catalogue& catalogue, const Chip& chip) {
            return shown(catalogue, chip.l2Bytes, 1024.0 * 1024.0, "MiB");
        },
        tr("L2"));
    add("ridge_bf16", Group::Memory, tr("Ridge point, BF16"), QStringLiteral("FLOP/B"), ridgeHelp,
        &ridge<Precision::Bf16>, tr("BF16 ridge"));
    add("ridge_fp32", Group::Memory, tr("Ridge point, FP32"), QStringLiteral("FLOP/B"), ridgeHelp,
        &ridge<Precision::Fp32>);
    add("link", Group::Links, tr("Link to GPUs, one way"), giga, oneWayHelp,
        [](const Catalogue& catalogue, const Chip& chip) { return oneWay(catalogue, chip.gpuLink); });
    add("pcie", Group::Links, tr("PCIe, one way"), giga, oneWayHelp,
        [](const Catalogue& catalogue, const Chip& chip) { return oneWay(catalogue, chip.pcie); });
    add(
        "tdp", Group::Machine, tr("Power limit"), QStringLiteral("W"), tr("Board or module power, as sold."),
        [](const Catalogue& catalogue, const Chip& chip) { return shown(catalogue, chip.tdpWatts, 1, "W"); },
        tr("Power"));
    add("per_watt", Group::Machine, tr("BF16 peak per watt"), QStringLiteral("GFLOP/s/W"),
        tr("Of two data-sheet figures: what a kernel reaches is less."), &perWatt);
    add(
        "year", Group::Machine, tr("Year of launch"), {}, tr("As the vendor announced it."),
        [](const Catalogue&, const Chip& chip) {
            ChipFigure out = unknown();
            if (chip.launchYear > 0) {
                out.state = ChipFigure::State::Known;
                out.value = chip.launchYear;
                out.text = QString::number(chip.launchYear);
            }
            return out;
        },
        tr("Year"));
    return kinds;
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
                         near.isEmpty() ? "Open catalogue to see all chips."
                                        : "Did you mean " + near.join(QStringLiteral(", ")).toStdString() + "?"};
        }
        if (!ids.contains(id))
            ids << id;
    }
    if (ids.size() > kMostChips)
        return Error{"unknown-page", "The catalogue compares at most four chips at once.",
                     "catalogue/" + part.toStdString(),
                     "Leave " + std::to_string(ids.size() - kMostChips) + " of them out."};
    return ids;
}

} // namespace ridge::app
