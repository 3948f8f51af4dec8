// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/table/run_agreement.h"

#include "app/runs/table/run_views.h"
#include "app/ui/panels.h"
#include "base/json.h"
#include "base/target_choice.h"
#include "base/target_kind.h"
#include "base/units.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <set>

namespace ridge::app {
namespace {

constexpr int kMostLookedAt = 300;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ridge::app::RunAgreement)
};

const ExperimentInfo* findInfo(const std::vector<ExperimentInfo>& experiments, const std::string& id)
{
    const auto found = std::find_if(experiments.begin(), experiments.end(),
                                    [&id](const ExperimentInfo& info) { return info.id == id; });
    return found == experiments.end() ? nullptr : &*found;
}

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

const TargetKind* sideOf(const record::RunRow& run)
{
    return kindOf(run.target);
}

bool isMeasured(const TargetKind* side)
{
    return side != nullptr && side->measuresKernels();
}

bool isSimulated(const TargetKind* side)
{
    return side != nullptr && side->simulatesKernels();
}

/// Digests of the kernels that ran: the same text on both sides is the same kernel.
std::set<std::string> kernelsOf(const record::RunRow& run)
{
    std::set<std::string> found;
    const auto kernels = run.fingerprint->find("kernels");
    if (kernels == run.fingerprint->end() || !kernels->is_array())
        return found;
    for (const Json& kernel : *kernels)
        if (kernel.is_object() && kernel.contains("source_sha256") && kernel["source_sha256"].is_string())
            found.insert(kernel["source_sha256"].get<std::string>());
    return found;
}

bool holds(const record::RunRow& run)
{
    return std::all_of(run.checks.begin(), run.checks.end(), [](const CheckResult& check) { return check.passed; });
}

QString checksOf(const record::RunRow& run)
{
    QStringList said;
    for (const CheckResult& check : run.checks)
        said << (check.detail.empty() ? text(check.name) : text(check.detail));
    return said.join(QStringLiteral("; "));
}

/// "13 % more", "as much", "2.4 times as much".
QString against(double simulated, double measured)
{
    const double ratio = simulated / measured;
    const auto digits = [](double value) { return text(formatNumber(std::round(value * 10) / 10)); };
    if (ratio >= 2)
        return Words::tr("%1 times as much").arg(digits(ratio));
    const double percent = 100 * (ratio - 1);
    if (std::abs(percent) < 0.05)
        return Words::tr("as much");
    return percent > 0 ? Words::tr("%1 % more").arg(digits(percent)) : Words::tr("%1 % less").arg(digits(-percent));
}

/// A time or a rate: what the clock of either side gave.
bool isTime(const std::string& unit)
{
    return unit == "s" || unit == "ms" || unit == "us" || unit == "µs" || unit == "ns" || unit.ends_with("/s");
}

void addFigures(RunAgreement& found, const record::RunRow& simulated, const record::RunRow& measured,
                const ExperimentInfo* info, bool sameChip)
{
    for (const auto& [name, gpu] : measured.metrics) {
        const auto sim = simulated.metrics.find(name);
        // What is computed from the chip's table on both sides is no comparison.
        if (sim == simulated.metrics.end() || sim->second.unit != gpu.unit || gpu.provenance != Provenance::Measured ||
            sim->second.provenance != Provenance::Simulated)
            continue;
        const MetricSpec* spec = info ? info->metric(name) : nullptr;
        const auto quantity = [](const MetricValue& value) { return text(formatQuantity(value.value, value.unit)); };
        const bool comparable = gpu.value > 0 && sim->second.value > 0 && (sameChip || !isTime(gpu.unit));
        RunAgreement::Figure figure{spec ? text(spec->title) : text(name), quantity(sim->second), quantity(gpu),
                                    comparable ? against(sim->second.value, gpu.value) : QString()};
        if (comparable && isTime(gpu.unit) && found.time.isEmpty())
            found.time = Words::tr("%1: %2 on the simulator (SIMULATED), %3 on the GPU (MEASURED), so %4.")
                             .arg(figure.title, figure.simulated, figure.measured, figure.difference);
        found.figures.push_back(std::move(figure));
    }
}

QString missing(const record::RunRow& run, bool otherKernel, const QString& noGpu)
{
    if (isMeasured(sideOf(run)))
        return otherKernel
                   ? Words::tr("Not compared: the simulator ran another version of the kernel at this point.")
                   : Words::tr("Not compared yet: nothing of this machine ran at this point on a simulated chip.");
    if (!noGpu.isEmpty())
        return Words::tr("Not compared on this machine: %1 What was measured elsewhere is no measurement here.")
            .arg(noGpu);
    return otherKernel ? Words::tr("Not compared: the GPU ran another version of the kernel at this point.")
                       : Words::tr("Not compared yet: nothing of this machine ran at this point on its GPU.");
}

} // namespace

std::vector<record::RunRow> runsOfTheOtherSide(const record::Store& store, const record::RunRow& run)
{
    record::RunFilter filter;
    filter.experiment = run.experiment;
    filter.limit = kMostLookedAt;
    const TargetKind* const side = sideOf(run);
    if (isSimulated(side))
        filter.target = kFirstGpu;
    else if (!isMeasured(side))
        return {};
    auto found = store.runs(filter);
    if (!found)
        return {};
    // Rows that were merged from elsewhere are of another machine.
    std::erase_if(*found,
                  [&](const record::RunRow& each) { return each.origin != store.origin() || sideOf(each) == side; });
    return std::move(*found);
}

std::optional<RunAgreement> compareSides(const record::RunRow& run, const std::vector<record::RunRow>& others,
                                         const ExperimentInfo* info, const QString& noGpu)
{
    const TargetKind* const side = sideOf(run);
    const std::set<std::string> kernels = kernelsOf(run);
    if ((!isMeasured(side) && !isSimulated(side)) || run.status != "finished" || kernels.empty())
        return std::nullopt;
    const QString chip = chipLinesOf(run.fingerprint).name;
    const record::RunRow* best = nullptr;
    bool sameChip = false, otherKernel = false;
    for (const record::RunRow& each : others) {
        if (each.status != "finished" || sideOf(each) == side || each.params != run.params)
            continue;
        if (kernelsOf(each) != kernels) {
            otherKernel = true;
            continue;
        }
        const bool same = !chip.isEmpty() && chipLinesOf(each.fingerprint).name == chip;
        if (!best || (same && !sameChip)) {
            best = &each;
            sameChip = same;
        }
    }
    RunAgreement found;
    if (!best) {
        found.sentence = missing(run, otherKernel, noGpu);
        return found;
    }
    const record::RunRow& simulated = isSimulated(side) ? run : *best;
    const record::RunRow& measured = isSimulated(side) ? *best : run;
    found.other = best->id;
    if (simulated.checks.empty() || measured.checks.empty()) {
        found.sentence = Words::tr("Both ran, but not both results were held against the CPU's.");
    } else if (holds(simulated) && holds(measured)) {
        found.state = RunAgreement::State::Agree;
        found.sentence =
            Words::tr("Simulator and GPU agree: the results of both match the CPU's (%1).")
                .arg(checksOf(simulated) == checksOf(measured)
                         ? checksOf(simulated)
                         : Words::tr("simulator: %1; GPU: %2").arg(checksOf(simulated), checksOf(measured)));
    } else {
        found.state = RunAgreement::State::Disagree;
        found.sentence =
            holds(simulated) ? Words::tr("Simulator and GPU disagree: only the simulator's result matches the CPU's. "
                                         "The GPU: %1.")
                                   .arg(checksOf(measured))
            : holds(measured) ? Words::tr("Simulator and GPU disagree: only the GPU's result matches the CPU's. The "
                                          "simulator: %1.")
                                    .arg(checksOf(simulated))
                              : Words::tr("Neither result matches the CPU's. Simulator: %1; GPU: %2.")
                                    .arg(checksOf(simulated), checksOf(measured));
    }
    addFigures(found, simulated, measured, info, sameChip);
    if (!sameChip)
        found.time = Words::tr("They are different chips (%1, %2): times are not compared.")
                         .arg(text(simulated.target), text(measured.target));
    return found;
}

QString agreementOfRuns(const std::vector<record::RunRow>& runs, const record::Store& store,
                        const std::vector<ExperimentInfo>& experiments, const QString& noGpu)
{
    int agree = 0, disagree = 0, open = 0;
    QString why;
    std::map<std::string, std::vector<record::RunRow>> others; // of an experiment and a side
    for (const record::RunRow& run : runs) {
        const auto known = others.try_emplace(run.experiment + '\n' + kindOfTarget(run.target));
        if (known.second)
            known.first->second = runsOfTheOtherSide(store, run);
        const auto found = compareSides(run, known.first->second, findInfo(experiments, run.experiment), noGpu);
        if (!found)
            continue;
        agree += found->state == RunAgreement::State::Agree;
        disagree += found->state == RunAgreement::State::Disagree;
        if (found->state == RunAgreement::State::NotCompared && open++ == 0)
            why = found->sentence;
    }
    if (agree + disagree == 0)
        return why;
    QString said =
        disagree > 0
            ? Words::tr("Simulator and GPU disagree at %1 of %2 points.").arg(disagree).arg(agree + disagree + open)
            : Words::tr("Simulator and GPU agree at %1 of %2 points.").arg(agree).arg(agree + open);
    return open > 0 ? said + QLatin1Char(' ') + Words::tr("The others are not compared.") : said;
}

QString whyNoGpu(const AppContext& context)
{
    const AppContext::Target gpu = context.targetInfo(QString::fromLatin1(kFirstGpu));
    if (gpu.available)
        return {};
    // Without what the loader said, which the page of what works here has.
    return gpu.reason.isEmpty() ? Words::tr("there is no GPU that can be used.")
                                : asSentence(gpu.reason.section(QStringLiteral(": "), 0, 0));
}

} // namespace ridge::app
