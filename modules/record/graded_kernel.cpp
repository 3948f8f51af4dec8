// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/graded_kernel.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/units.h"
#include "record/calibrator.h"
#include "record/worker/shell_words.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace ridge::record {
namespace {

constexpr std::size_t kPrintedKept = 80; ///< bytes of what a kernel printed, as much as a verdict quotes

} // namespace

std::optional<double> pointsOf(const GradeVerdict& verdict)
{
    return verdict.accepted && verdict.outOf < 100 ? std::optional(verdict.outOf) : std::nullopt;
}

bool isGradedKernel(const ArtifactRow& artifact)
{
    const Json& figures = *artifact.figures;
    return artifact.kind == "kernel" && artifact.lesson.starts_with(kGradedKernelPrefix) && artifact.runIds.empty() &&
           artifact.code.size() == 1 && figures.is_array() && !figures.empty() &&
           std::all_of(figures.begin(), figures.end(), [](const Json& figure) {
               return figure.is_object() && figure.value("source", Json()) == kGradingSource;
           });
}

std::optional<KernelStanding> standingOf(const ArtifactRow& artifact)
{
    if (artifact.removed || !isGradedKernel(artifact))
        return std::nullopt;
    double points = 0, outOf = 100;
    for (const Json& figure : *artifact.figures) {
        const Json value = figure.value("value", Json()), name = figure.value("name", Json());
        const double number = value.is_number() ? value.get<double>() : 0;
        if (name == "points")
            points = number;
        else if (name == kPointsOf)
            outOf = number;
    }
    return KernelStanding{points > 0, outOf > 0 ? 100 * points / outOf : 0};
}

std::map<std::string, KernelStanding> bestStandings(const std::vector<ArtifactRow>& artifacts)
{
    std::map<std::string, KernelStanding> best;
    for (const ArtifactRow& artifact : artifacts)
        if (const auto standing = standingOf(artifact)) {
            const std::string task = artifact.lesson.substr(std::string_view(kGradedKernelPrefix).size());
            const auto [found, fresh] = best.emplace(task, *standing);
            if (!fresh &&
                std::pair(standing->right, standing->percent) > std::pair(found->second.right, found->second.percent))
                found->second = *standing;
        }
    return best;
}

std::map<std::string, KernelStanding> bestStandings(const Store& store, const std::string& task)
{
    const auto artifacts = task.empty() ? store.artifacts() : store.artifacts(std::string(kGradedKernelPrefix) + task);
    return artifacts ? bestStandings(*artifacts) : std::map<std::string, KernelStanding>();
}

std::string standingText(const std::map<std::string, KernelStanding>& standings, const std::string& task)
{
    const auto found = standings.find(task);
    if (found == standings.end())
        return "not begun";
    return found->second.right ? "accepted, " + formatNumber(std::round(found->second.percent)) + " %"
                               : std::string("rejected so far");
}

std::optional<std::string> gradeCommand(const ArtifactRow& artifact, std::string file)
{
    if (!isGradedKernel(artifact))
        return std::nullopt;
    const auto word = [](const std::string& text) { return shellQuoted(QString::fromStdString(text)).toStdString(); };
    const std::string task = artifact.lesson.substr(std::string_view(kGradedKernelPrefix).size());
    std::string line =
        "ridge kernel grade " + word(file.empty() ? artifact.code.front().name : file) + " --task " + word(task);
    const Json& machine = *artifact.fingerprint;
    if (machine.is_object() && machine.value(kGradedOn, Json()).is_string())
        line += " --target " + word(machine[kGradedOn].get<std::string>());
    return line;
}

std::optional<GradeRoof> calibratedRoof(const record::Store& store, const GradeFacts& facts)
{
    if (facts.provenance != Provenance::Measured)
        return std::nullopt;
    const auto plan = CalibrationPlan::shipped();
    if (!plan)
        return std::nullopt;
    const auto calibration = record::storedCalibration(store, *plan, facts.target);
    const CalibrationFigure* copy = calibration ? calibration->find("copy_bandwidth") : nullptr;
    if (!copy || copy->value.value <= 0)
        return std::nullopt;
    GradeRoof roof = facts.roof;
    roof.bytesPerSecond = copy->value.value;
    if (const CalibrationFigure* fp32 = calibration->find("fma_fp32"))
        roof.flopsPerSecond = fp32->value.value;
    if (const CalibrationFigure* tf32 = calibration->find("mma_tf32")) // three of them make an FP32 product
        roof.flopsPerSecond = std::max(roof.flopsPerSecond, tf32->value.value / 3);
    roof.source = "the calibrated roof of " + facts.target;
    return roof;
}

KeptGrading keptGrading(const KernelGradeRequest& request, GradeFacts facts, const GradeVerdict& verdict)
{
    facts.fingerprint = {};
    facts.roof = verdict.roof;
    for (LaunchFacts& launch : facts.launches) {
        launch.printed.resize(std::min(launch.printed.size(), kPrintedKept));
        for (JsonValue& report : launch.reports) {
            // The rest of it names files and addresses; the code is what a verdict is made of.
            const auto code = report->find("code");
            report = Json{{"code", code == report->end() ? Json("launch-failed") : *code}};
        }
    }
    return {sha256Hex(request.source.text), request.secret, std::move(facts)};
}

Json toJson(const KeptGrading& grading)
{
    return Json{
        {"source_sha256", grading.sourceSha256}, {"secret", grading.secret}, {"facts", ridge::toJson(grading.facts)}};
}

Result<KeptGrading> keptGradingFromJson(const Json& json)
{
    const auto text = [&](const char* key) {
        const auto found = json.find(key);
        return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    if (!json.is_object() || text("source_sha256").empty() || text("secret").empty() || !json.contains("facts"))
        return Error{"bad-row", "is no grading that was kept", "grading", ""};
    auto facts = gradeFactsFromJson(json["facts"]);
    if (!facts)
        return facts.error();
    return KeptGrading{text("source_sha256"), text("secret"), std::move(*facts)};
}

} // namespace ridge::record
