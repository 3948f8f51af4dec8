// SPDX-License-Identifier: GPL-3.0-or-later
// Models of time: published latencies, transfers over a link, where the GPU overtakes the CPU.
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/figure_plot.h"
#include "app/lesson/reader/blocks/explore_parts.h"
#include "silicon/crossover.h"
#include "silicon/published_latency.h"
#include "silicon/transfer.h"

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

QString seconds(double value)
{
    return quantity(value, QStringLiteral("s"));
}

/// Ticks 1 2 5 of a logarithmic axis in `unit`.
std::vector<Tick> decadeTicks(double least, double most, double unit, bool between)
{
    std::vector<Tick> ticks;
    for (int exponent = int(std::floor(std::log10(least / unit))); std::pow(10, exponent) <= most / unit; ++exponent)
        for (const double part : {1.0, 2.0, 5.0}) {
            const double value = part * std::pow(10, exponent);
            if ((part > 1 && !between) || value < least / unit * 0.999 || value > most / unit * 1.001)
                continue;
            ticks.push_back({value * unit, value >= 1e4 ? decadeLabel(value) : QString::number(value, 'g', 4)});
        }
    return ticks;
}

QString timeLabel(double value)
{
    return value >= 1      ? tr("%1 s").arg(value)
           : value >= 1e-3 ? tr("%1 ms").arg(value * 1e3)
           : value >= 1e-6 ? tr("%1 µs").arg(value * 1e6)
                           : tr("%1 ns").arg(value * 1e9);
}

/// Decades of time, each with the unit that suits it.
PlotAxis timeAxis(double least, double most)
{
    PlotAxis axis;
    axis.scale = {true, true, least, most};
    for (double exponent = std::ceil(std::log10(least)); std::pow(10, exponent) <= most; ++exponent)
        axis.ticks.push_back({std::pow(10, exponent), timeLabel(std::round(std::pow(10, exponent + 12)) / 1e12)});
    return axis;
}

// --- latency ---

std::shared_ptr<Plot> latencyPlot(const ParamSet& params)
{
    const bool ns = textOf(params, "unit") == "ns";
    std::vector<const silicon::PublishedLatency*> chips = {silicon::publishedLatency(textOf(params, "chip_a")),
                                                           silicon::publishedLatency(textOf(params, "chip_b"))};
    if (chips[0] == chips[1])
        chips.pop_back();
    const auto shown = [ns](const silicon::PublishedLatency& chip, double cycles) {
        return ns ? silicon::latencySeconds(chip, cycles) * 1e9 : cycles;
    };
    const QString unit = ns ? QStringLiteral("ns") : tr("cycles");
    FigureData data;
    data.title = chips.size() > 1 ? tr("Latency of a load on %1 and %2").arg(text(chips[0]->name), text(chips[1]->name))
                                  : tr("Latency of a load on %1").arg(text(chips[0]->name));
    data.yTitle = ns ? tr("Latency (ns)") : tr("Latency (cycles of the chip's own clock)");
    data.axes.x.title = tr("Memory that the chase runs over");
    const double least = std::exp2(13), most = std::exp2(30);
    data.axes.x.scale = {true, false, least, most};
    data.axes.x.ticks = binaryTicks(13, 30, 3, true);
    data.axes.y.scale = {true, true, ns ? 10.0 : 20.0, ns ? 500.0 : 1000.0};
    data.axes.y.ticks = decadeTicks(data.axes.y.scale.min, data.axes.y.scale.max, 1, true);

    std::vector<std::vector<ChartCell>> rows;
    QStringList notes, words;
    for (std::size_t i = 0; i < chips.size(); ++i) {
        const silicon::PublishedLatency& chip = *chips[i];
        const struct {
            QString name;
            double from, to, cycles;
            Role role;
            double nameAt; ///< where along the plateau its name stands, clear of the other chip's steps
        } levels[] = {{QStringLiteral("L1"), least, chip.l1Bytes, chip.l1Cycles, Role::Series2, 0.5},
                      {QStringLiteral("L2"), chip.l1Bytes, chip.l2Bytes, chip.l2Cycles, Role::Series3, 0.4},
                      {QStringLiteral("DRAM"), chip.l2Bytes, most, chip.dramCycles, Role::Series4, 0.84}};
        double before = 0;
        for (const auto& level : levels) {
            const double here = shown(chip, level.cycles);
            // The higher of two plateaus has its name above, the lower one below.
            const double nameAt = level.from * std::pow(level.to / level.from, level.nameAt);
            double other = 0;
            if (chips.size() > 1)
                other = shown(*chips[1 - i], silicon::latencyCycles(*chips[1 - i], nameAt));
            if (before > 0)
                data.lines.push_back({{}, Role::Text3, 1, i == 1, {{level.from, before}, {level.from, here}}});
            data.lines.push_back({tr("%1 %2: %3").arg(text(chip.name), level.name, QString::number(here, 'f', 0)),
                                  level.role,
                                  3.5,
                                  i == 1,
                                  {{level.from, here}, {level.to, here}},
                                  nameAt,
                                  here < other});
            before = here;
            rows.push_back({text(chip.name), level.name, level.name == QLatin1String("DRAM") ? ChartCell() : level.to,
                            level.cycles, silicon::latencySeconds(chip, level.cycles), tr("RECORDED")});
        }
        words << tr("%1 %2, %3 and %4 %5")
                     .arg(text(chip.name), QString::number(shown(chip, chip.l1Cycles), 'f', 0),
                          QString::number(shown(chip, chip.l2Cycles), 'f', 0),
                          QString::number(shown(chip, chip.dramCycles), 'f', 0), unit);
        if (!chip.note.empty())
            notes << tr("%1: %2.").arg(text(chip.name), text(chip.note));
    }
    data.summary = tr("Published latencies of L1, L2 and DRAM (RECORDED): %1.").arg(words.join(QStringLiteral("; ")));
    data.caption = tr("RECORDED: %1, at %2. Plateaus only; the steps stand at the caches' sizes. %3")
                       .arg(
                           text(std::string(silicon::kLatencySource)),
                           [&] {
                               QStringList clocks;
                               for (const auto* chip : chips)
                                   clocks << tr("%1 MHz").arg(chip->clockHz / 1e6);
                               return clocks.join(tr(" and "));
                           }(),
                           notes.join(QLatin1Char(' ')))
                       .trimmed();
    if (chips.size() > 1)
        data.caption.prepend(tr("%1 solid, %2 dashed. ").arg(text(chips[0]->name), text(chips[1]->name)));
    data.table = exploreTable(QStringLiteral("explore-latency"),
                              {{QStringLiteral("chip"), tr("Chip"), {}, false},
                               {QStringLiteral("level"), tr("Level"), {}, false},
                               {QStringLiteral("capacity"), tr("Capacity"), QStringLiteral("B")},
                               {QStringLiteral("cycles"), tr("Latency"), QStringLiteral("cycles")},
                               {QStringLiteral("time"), tr("Time"), QStringLiteral("s")},
                               {QStringLiteral("provenance"), tr("Provenance"), {}, false}},
                              std::move(rows));
    return std::make_shared<FigurePlot>(std::move(data));
}

// --- transfer ---

std::shared_ptr<Plot> transferPlot(const ParamSet& params)
{
    const silicon::TransferLink& link = *silicon::transferLink(textOf(params, "link"));
    const double a = realOf(params, "latency_us") * 1e-6, b = link.reached, bytes = realOf(params, "bytes");
    const double whole = silicon::transferSeconds(a, b, bytes), half = silicon::halfBandwidthBytes(a, b);
    const double rate = silicon::transferRate(a, b, bytes);
    const QString bandwidth = QStringLiteral("B/s");

    FigureData data;
    data.title = tr("One copy over %1").arg(text(link.name));
    data.yTitle = tr("Time of a copy");
    data.axes.x.title = tr("Size of the copy");
    const double least = 1024, most = std::exp2(30);
    data.axes.x.scale = {true, false, least, most};
    data.axes.x.ticks = binaryTicks(10, 30, 5, true);
    data.axes.y = timeAxis(0.5e-6, 0.2);
    QList<QPointF> curve;
    for (double exponent = 10; exponent <= 30.01; exponent += 0.25)
        curve.append({std::exp2(exponent), silicon::transferSeconds(a, b, std::exp2(exponent))});
    const double floor = data.axes.y.scale.min, start = std::max(least, floor * b);
    const bool small = bytes < std::exp2(20);
    data.lines.push_back({tr("waiting: a = %1").arg(seconds(a)),
                          Role::Series8,
                          1.5,
                          true,
                          {{least, a}, {most, a}},
                          std::exp2(small ? 26.5 : 14),
                          true});
    data.lines.push_back({tr("moving: S ÷ %1").arg(quantity(b, bandwidth)),
                          Role::Series6,
                          1.5,
                          true,
                          {{start, start / b}, {most, most / b}},
                          std::exp2(small ? 25 : 18),
                          true});
    data.lines.push_back({tr("t = a + S ÷ b"), Role::Series6, 3, false, curve, std::exp2(small ? 25.5 : 13)});
    data.guides.push_back({half, tr("half of b at a · b = %1").arg(quantity(half, QStringLiteral("B"))),
                           tr("mostly waiting"), tr("mostly moving")});
    data.marks.push_back({tr("the copy"),
                          tr("%1 in %2: %3").arg(binarySize(bytes), seconds(whole), quantity(rate, bandwidth)),
                          {bytes, whole},
                          Role::Accent,
                          false,
                          true});
    data.bars.push_back({tr("This copy"),
                         seconds(whole),
                         {{tr("waiting"), Role::Series8, a, seconds(a)},
                          {tr("moving"), Role::Series6, bytes / b, seconds(bytes / b)}}});
    const double share = 100 * rate / b;
    data.summary =
        tr("%1 over %2 take %3: %4 of waiting and %5 of moving, which is %6 or %7 % of the link's %8; half of "
           "it is reached at %9 (MODELLED).")
            .arg(binarySize(bytes), text(link.name), seconds(whole), seconds(a), seconds(bytes / b),
                 quantity(rate, bandwidth), QString::number(share, 'g', 3), quantity(b, bandwidth),
                 quantity(half, QStringLiteral("B")));
    data.caption = tr("MODELLED with b = %1, %2 of the %3 that the link is built for. %4.")
                       .arg(quantity(b, bandwidth),
                            link.reachedKnown ? tr("reached by large copies,") : tr("the nominal rate, all"),
                            quantity(link.nominal, bandwidth), text(link.source));
    const ChartCell none;
    data.table = exploreTable(QStringLiteral("explore-transfer"),
                              {{QStringLiteral("item"), tr("Item"), {}, false},
                               {QStringLiteral("size"), tr("Size"), QStringLiteral("B")},
                               {QStringLiteral("time"), tr("Time"), QStringLiteral("s")},
                               {QStringLiteral("waiting"), tr("Waiting"), QStringLiteral("s")},
                               {QStringLiteral("moving"), tr("Moving"), QStringLiteral("s")},
                               {QStringLiteral("rate"), tr("Rate"), bandwidth}},
                              {{tr("this copy"), bytes, whole, a, bytes / b, rate},
                               {tr("half of b"), half, 2 * a, a, a, b / 2},
                               {tr("the link"), none, none, none, none, b}});
    return std::make_shared<FigurePlot>(std::move(data));
}

// --- crossover ---

QString orderText(silicon::CrossoverWork work, double n)
{
    const double exponent = std::log2(n);
    const QString number = std::abs(exponent - std::round(exponent)) < 1e-9 && n >= 1024
                               ? powerOfTwo(int(std::round(exponent)))
                               : quantity(std::round(n), {});
    return work == silicon::CrossoverWork::Saxpy ? tr("%1 elements").arg(number) : tr("order %1").arg(number);
}

FigureBar barOf(const QString& name, const silicon::CrossoverTime& time, bool gpu)
{
    FigureBar bar{name, seconds(time.total()), {}};
    bar.parts.push_back(
        {gpu ? tr("launch") : tr("threads wake"), Role::Series8, time.launchSeconds, seconds(time.launchSeconds)});
    if (time.copySeconds > 0)
        bar.parts.push_back({tr("copies"), Role::Series6, time.copySeconds, seconds(time.copySeconds)});
    // The shorter one of the two is hidden behind the longer one.
    const bool memory = time.memoryBound();
    bar.parts.push_back({tr("memory"), Role::Series4, memory ? time.memorySeconds : 0,
                         memory ? seconds(time.memorySeconds) : tr("hidden")});
    bar.parts.push_back({tr("arithmetic"), Role::Series7, memory ? 0 : time.arithmeticSeconds,
                         memory ? tr("hidden") : seconds(time.arithmeticSeconds)});
    return bar;
}

std::shared_ptr<Plot> crossoverPlot(const ParamSet& params)
{
    using silicon::CrossoverWork;
    const CrossoverWork work = textOf(params, "work") == "sgemm" ? CrossoverWork::Sgemm : CrossoverWork::Saxpy;
    const bool copies = textOf(params, "copies") == "yes";
    const double most = silicon::largestCrossover(work), asked = realOf(params, "n"), n = std::min(asked, most);
    const silicon::CrossoverTime cpu = silicon::cpuTime(work, n), gpu = silicon::gpuTime(work, n, copies);
    const QString name = work == CrossoverWork::Saxpy ? QStringLiteral("SAXPY") : QStringLiteral("SGEMM");

    FigureData data;
    data.title =
        tr("%1 on a CPU and on a GPU, %2").arg(name, copies ? tr("with copies there and back") : tr("data on the GPU"));
    data.yTitle = tr("Time");
    data.axes.x.title = work == CrossoverWork::Saxpy ? tr("Elements n") : tr("Order n of the matrices");
    const int last = int(std::round(std::log2(most)));
    data.axes.x.scale = {true, false, 64, most};
    data.axes.x.ticks = binaryTicks(6, last, work == CrossoverWork::Saxpy ? 4 : 2, false);
    QList<QPointF> cpuCurve, gpuCurve;
    for (double exponent = 6; exponent <= last + 0.01; exponent += 0.25) {
        const double at = std::exp2(exponent);
        cpuCurve.append({at, silicon::cpuTime(work, at).total()});
        gpuCurve.append({at, silicon::gpuTime(work, at, copies).total()});
    }
    data.axes.y = timeAxis(0.4e-6, 2 * std::max(cpuCurve.last().y(), gpuCurve.last().y()));
    const auto crossing = silicon::crossover(work, copies);
    // The names stand at the end where the marks are not.
    const bool left = std::log2(n) > (6 + last) / 2.0;
    const double cpuName = std::exp2(left ? 8.0 + (last - 6) * 0.08 : last - (last - 6) * 0.16);
    const double gpuName = std::exp2(left ? 8.0 + (last - 6) * 0.12 : last - (last - 6) * 0.10);
    const bool cpuAbove = silicon::cpuTime(work, cpuName).total() > silicon::gpuTime(work, cpuName, copies).total();
    data.lines.push_back({tr("CPU"), Role::Text2, 3, false, cpuCurve, cpuName, !cpuAbove});
    data.lines.push_back({tr("GPU"), Role::Accent, 3, false, gpuCurve, gpuName, cpuAbove});
    data.marks.push_back(
        {tr("the CPU at this n"), tr("CPU %1").arg(seconds(cpu.total())), {n, cpu.total()}, Role::Text2, false, true});
    data.marks.push_back({tr("the GPU at this n"),
                          tr("GPU %1").arg(seconds(gpu.total())),
                          {n, gpu.total()},
                          Role::Accent,
                          false,
                          false});
    if (crossing)
        data.guides.push_back(
            {*crossing, tr("they meet at %1").arg(orderText(work, *crossing)), tr("CPU first"), tr("GPU first")});
    data.bars = {barOf(tr("CPU"), cpu, false), barOf(tr("GPU"), gpu, true)};
    const bool gpuWins = gpu.total() < cpu.total();
    const double ratio = gpuWins ? cpu.total() / gpu.total() : gpu.total() / cpu.total();
    data.summary =
        tr("%1 of %2 takes %3 on the CPU and %4 on the GPU, so the %5 is first by a factor of %6 (MODELLED); %7.")
            .arg(name, orderText(work, n), seconds(cpu.total()), seconds(gpu.total()), gpuWins ? tr("GPU") : tr("CPU"),
                 QString::number(ratio, 'g', 3),
                 crossing ? tr("they meet at %1").arg(orderText(work, *crossing))
                          : tr("the GPU is never first, since the link is slower than the CPU's memory"));
    data.caption =
        tr("MODELLED, the best case of both. CPU: 8 cores at 4 GHz with two channels of DDR5-5600 (assumed). GPU: "
           "H100 by its datasheet. Copies: pinned, PCIe 5. Memory traffic and arithmetic overlap, so the longer "
           "one counts. The table has every number with its source.");
    if (asked > most)
        data.caption.prepend(tr("Drawn for order %1, the largest here. ").arg(powerOfTwo(14)));
    const ChartCell none;
    std::vector<std::vector<ChartCell>> rows;
    for (const auto& [who, time] : {std::pair(tr("CPU"), cpu), std::pair(tr("GPU"), gpu)})
        rows.push_back({who, n, time.launchSeconds, time.copySeconds, time.memorySeconds, time.arithmeticSeconds,
                        time.total(), none});
    if (crossing)
        rows.push_back(
            {tr("they meet"), *crossing, none, none, none, none, silicon::cpuTime(work, *crossing).total(), none});
    for (const silicon::CrossoverConstant* constant : silicon::crossoverConstants())
        rows.push_back({QStringLiteral("%1: %2").arg(QString::fromUtf8(constant->meaning),
                                                     quantity(constant->value, QString::fromUtf8(constant->unit))),
                        none, none, none, none, none, none,
                        *constant->source ? ChartCell(QString::fromUtf8(constant->source)) : tr("assumption")});
    const QString s = QStringLiteral("s");
    data.table = exploreTable(QStringLiteral("explore-crossover"),
                              {{QStringLiteral("item"), tr("Item"), {}, false},
                               {QStringLiteral("n"), QStringLiteral("n"), {}},
                               {QStringLiteral("launch"), tr("Launch"), s},
                               {QStringLiteral("copies"), tr("Copies"), s},
                               {QStringLiteral("memory"), tr("Memory"), s},
                               {QStringLiteral("arithmetic"), tr("Arithmetic"), s},
                               {QStringLiteral("total"), tr("Total"), s},
                               {QStringLiteral("source"), tr("Source"), {}, false}},
                              std::move(rows));
    return std::make_shared<FigurePlot>(std::move(data));
}

} // namespace

std::map<std::string, ExploreModel> timeModels()
{
    return {{"latency", {Provenance::Recorded, {}, nullptr, latencyPlot, 420}},
            {"transfer", {Provenance::Modelled, {}, nullptr, transferPlot, 440, "bytes"}},
            {"crossover", {Provenance::Modelled, {}, nullptr, crossoverPlot, 520, "n"}}};
}

} // namespace ridge::app
