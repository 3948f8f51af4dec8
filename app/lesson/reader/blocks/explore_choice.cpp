// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of a GPU: what each of a short list does for a workload, and what a token costs there.
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/rows_plot.h"
#include "app/lesson/reader/blocks/explore_parts.h"
#include "workload/gpu_choice.h"

#include <QCoreApplication>
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

QString boundText(workload::StepBound bound)
{
    switch (bound) {
    case workload::StepBound::Memory:
        return tr("memory-bound");
    case workload::StepBound::Compute:
        return tr("compute-bound");
    case workload::StepBound::Link:
        return tr("link-bound");
    }
    return {};
}

QString priceText(double price)
{
    return QString::number(price, 'g', 3);
}

std::shared_ptr<Plot> choicePlot(const ParamSet& params)
{
    const workload::Workload& work = *workload::workload(textOf(params, "workload"));
    const bool cost = textOf(params, "view") == "cost";
    const double ratio = realOf(params, "price_ratio");
    if (!chipTable().ok())
        return refusal(text(work.title), chipTable().error());

    RowsData data;
    data.kind = QStringLiteral("explore-gpu-choice");
    data.title = cost ? tr("%1: cost of a million tokens").arg(text(work.title))
                      : tr("%1: tokens a second").arg(text(work.title));
    data.xTitle = cost ? tr("Cost of 10⁶ tokens, in hours of a GPU of the cheapest class")
                       : tr("Tokens a second of all GPUs that hold the workload");
    data.beforeTitle = cost ? tr("GPUs × price") : tr("GPUs");
    data.afterTitle = tr("Bound");
    std::vector<std::vector<ChartCell>> rows;
    std::vector<const std::vector<std::string>*> keys;
    std::size_t best = 0;
    double bestValue = 0;
    std::size_t feasible = 0;
    std::vector<silicon::Chip> chips; // the sources that keys point to
    chips.reserve(workload::candidates().size());
    const ChartCell none;
    for (const workload::Candidate& candidate : workload::candidates()) {
        const Result<silicon::Chip> found = chipTable()->find(candidate.chip);
        if (!found.ok())
            continue;
        chips.push_back(*found);
        const silicon::Chip& chip = chips.back();
        const double price = workload::relativePrice(candidate, ratio);
        RowsRow row;
        row.name = text(chip.name);
        const auto choice = workload::chooseGpus(*chipTable(), chip, work);
        if (!choice.ok()) {
            row.reason = text(choice.error().message);
            rows.push_back({row.name, none, price, none, none, none, row.reason});
            data.rows.push_back(std::move(row));
            continue;
        }
        const double million = workload::costPerMillionTokens(*choice, price);
        row.value = cost ? million : choice->tokensPerSecond;
        row.label = *row.value < 100 ? QString::number(*row.value, 'f', *row.value < 10 ? 2 : 1)
                                     : quantity(std::round(*row.value), {});
        row.before = cost ? tr("%1 × %2").arg(choice->gpus).arg(priceText(price)) : QString::number(choice->gpus);
        row.after = boundText(choice->bound);
        keys.push_back(&chip.memoryBytes.sources);
        keys.push_back(&chip.memoryBytesPerSecond.sources);
        rows.push_back(
            {row.name, double(choice->gpus), price, choice->tokensPerSecond, choice->stepSeconds, million, row.after});
        ++feasible;
        if (feasible == 1 || (cost ? *row.value < bestValue : *row.value > bestValue)) {
            best = data.rows.size();
            bestValue = *row.value;
        }
        data.rows.push_back(std::move(row));
    }
    if (feasible > 0) {
        data.rows[best].strong = true;
        data.rows[best].role = Role::Accent;
        const QString value = data.rows[best].label;
        data.summary =
            cost ? tr("%1: of %2 GPUs that can hold it, %3 has the cheapest tokens with %4 hours of the cheapest class "
                      "a "
                      "million, where a class costs %5 times the class below it (MODELLED).")
                       .arg(text(work.title))
                       .arg(feasible)
                       .arg(data.rows[best].name, value, priceText(ratio))
                 : tr("%1: of %2 GPUs that can hold it, %3 is fastest with %4 tokens a second from %5 (MODELLED).")
                       .arg(text(work.title))
                       .arg(feasible)
                       .arg(data.rows[best].name, value,
                            data.rows[best].before == QLatin1String("1") ? tr("one") : data.rows[best].before);
    } else {
        data.summary = tr("%1: none of the GPUs shown can hold it (MODELLED).").arg(text(work.title));
    }
    data.caption = tr("%1. Least time by the datasheets (dense BF16, pin bandwidth, one way of the link). ")
                       .arg(text(work.about)) +
                   (cost ? tr("Prices are yours: L4 and L40S 1, A100 to MI300X %1, B200 %2. ")
                               .arg(priceText(ratio), priceText(ratio * ratio))
                         : QString()) +
                   sourcesText(tr("datasheets"), keys);
    data.table = exploreTable(data.kind,
                              {{QStringLiteral("chip"), tr("GPU"), {}, false},
                               {QStringLiteral("gpus"), tr("Needed"), {}},
                               {QStringLiteral("price"), tr("Price of one, an hour"), {}},
                               {QStringLiteral("tokens"), tr("Rate"), QStringLiteral("tokens/s")},
                               {QStringLiteral("step"), tr("Step"), QStringLiteral("s")},
                               {QStringLiteral("cost"), tr("Cost of 10⁶ tokens"), {}},
                               {QStringLiteral("bound"), tr("Bound, or why not"), {}, false}},
                              std::move(rows));
    return std::make_shared<RowsPlot>(std::move(data));
}

} // namespace

std::map<std::string, ExploreModel> choiceModels()
{
    return {{"gpu_choice", {Provenance::Modelled, {}, nullptr, choicePlot, 400}}};
}

} // namespace ridge::app
