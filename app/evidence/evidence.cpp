// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/evidence/evidence.h"
#include "app/evidence/demonstration.h"

#include "base/json.h"
#include "base/paths.h"
#include "lessons/placeholders.h"

namespace ridge::app {
namespace {

/// The runs that belong into the artifact: the newest complete request of each block that started any.
std::vector<record::RunRow> runsOfArtifact(const std::vector<record::RunRow>& runs)
{
    std::map<std::string, std::string> newestSweep;
    std::vector<record::RunRow> chosen;
    for (const record::RunRow& row : runs) {
        if (row.status != "finished" || row.block.empty() || isDemonstration(row))
            continue;
        const auto [it, first] = newestSweep.emplace(row.block, row.sweepId);
        if (it->second == row.sweepId)
            chosen.push_back(row);
    }
    std::reverse(chosen.begin(), chosen.end());
    return chosen;
}

Json chartsOf(const lessons::Lesson& lesson)
{
    Json charts = Json::array();
    for (const lessons::Block* block : lesson.blocks()) {
        if (const auto* sweep = std::get_if<lessons::SweepBlock>(&block->body); sweep && !sweep->chart.empty())
            charts.push_back(Json{{"block", block->id},
                                  {"experiment", sweep->experiment},
                                  {"chart", sweep->chart},
                                  {"caption", sweep->caption}});
    }
    return charts;
}

/// A processor that other programs use, or a machine on battery, gives rough times. They count, so that a lesson can
/// be taken on a laptop and beside other work; the runs keep their verdict wherever they are shown. What a GPU's clocks
/// and samples say against a run does not count.
bool countsAsEvidence(const record::RunRow& row)
{
    return row.status == "finished" && !isDemonstration(row) &&
           (row.validity == "valid" || row.validity == "contended" || row.validity == "on battery");
}

} // namespace

Result<std::vector<KernelSource>> kernelSources(std::span<const std::string> experiments,
                                                const std::vector<ExperimentInfo>& catalogue)
{
    const auto data = dataFolder();
    if (!data)
        return data.error();
    std::vector<KernelSource> sources;
    for (const std::string& id : experiments) {
        const auto info = findExperiment(catalogue, id);
        if (!info)
            return info.error();
        for (const std::string& kernel : info->kernels) {
            auto text = readFile(*data / "kernels" / kernel);
            if (!text)
                return text.error();
            sources.push_back({kernel, std::move(*text)});
        }
    }
    return sources;
}

Result<std::vector<record::ArtifactCode>> storeKernels(record::Store& store, std::span<const std::string> experiments,
                                                       const std::vector<ExperimentInfo>& catalogue)
{
    auto sources = kernelSources(experiments, catalogue);
    if (!sources)
        return sources.error();
    std::vector<record::ArtifactCode> code;
    for (KernelSource& source : *sources) {
        auto stored = store.putFile(std::move(source.text));
        stored.waitForFinished();
        if (!stored.result())
            return stored.result().error();
        code.push_back({source.name, *stored.result()});
    }
    return code;
}

Json toJson(const lessons::AnswerGiven& given)
{
    if (given.number)
        return Json{{"number", *given.number}};
    if (given.choice)
        return Json{{"choice", *given.choice}};
    return Json{{"order", given.order}};
}

lessons::AnswerGiven answerFromJson(const Json& json)
{
    lessons::AnswerGiven given;
    if (!json.is_object())
        return given;
    if (const auto number = json.find("number"); number != json.end() && number->is_number())
        given.number = number->get<double>();
    if (const auto choice = json.find("choice"); choice != json.end() && choice->is_number_integer())
        given.choice = choice->get<int>();
    if (const auto order = json.find("order"); order != json.end() && order->is_array())
        for (const Json& step : *order)
            if (step.is_number_integer())
                given.order.push_back(step.get<int>());
    return given;
}

Result<lessons::Evidence> evidenceFromStore(const record::Store& store, const std::string& lessonId)
{
    record::RunFilter filter;
    filter.lesson = lessonId;
    const auto runs = store.runs(filter);
    if (!runs)
        return runs.error();
    const auto predictions = store.predictions(lessonId);
    if (!predictions)
        return predictions.error();
    const auto answers = store.answers(lessonId);
    if (!answers)
        return answers.error();
    const auto artifacts = store.artifacts(lessonId);
    if (!artifacts)
        return artifacts.error();
    return evidenceFromRows(*runs, *predictions, *answers, artifacts->size());
}

lessons::Evidence evidenceFromRows(const std::vector<record::RunRow>& runs,
                                   const std::vector<record::PredictionRow>& predictions,
                                   const std::vector<record::AnswerRow>& answers, std::size_t artifacts)
{
    lessons::Evidence evidence;
    for (const record::RunRow& row : runs)
        if (countsAsEvidence(row))
            evidence.runs.push_back({row.id, row.experiment, row.target, row.block, row.params, row.metrics,
                                     row.validity, row.seq, row.sweepId});
    for (const record::PredictionRow& row : predictions)
        evidence.predictions.push_back({row.block, row.point, row.low, row.high, row.seq});
    for (const record::AnswerRow& row : answers)
        evidence.answers.push_back({row.block, row.correct, row.seq, answerFromJson(*row.answer)});
    evidence.artifacts = static_cast<int>(artifacts);
    return evidence;
}

Result<record::ArtifactRow> composeArtifact(record::Store& store, const lessons::Lesson& lesson,
                                            const std::vector<ExperimentInfo>& experiments,
                                            const std::string& reflection)
{
    const lessons::ArtifactBlock* block = lesson.artifact();
    if (!block)
        return Error{"artifact-incomplete", "the lesson has no artifact", "lesson " + lesson.id, ""};
    const auto evidence = evidenceFromStore(store, lesson.id);
    if (!evidence)
        return evidence.error();
    for (const std::string& needed : block->requires_) {
        const bool has = std::any_of(evidence->runs.begin(), evidence->runs.end(),
                                     [&](const lessons::EvidenceRun& run) { return run.block == needed; });
        if (!has)
            return Error{"artifact-incomplete", "the block \"" + needed + "\" has no run yet", "lesson " + lesson.id,
                         "run it, then ship"};
    }
    record::RunFilter filter;
    filter.lesson = lesson.id;
    const auto all = store.runs(filter);
    if (!all)
        return all.error();
    const auto runs = runsOfArtifact(*all);
    if (runs.empty())
        return Error{"artifact-incomplete", "there is no finished run", "lesson " + lesson.id,
                     "run a block, then ship"};
    const auto used = lesson.experiments();
    auto code = storeKernels(store, std::vector<std::string>(used.begin(), used.end()), experiments);
    if (!code)
        return code.error();
    const auto predictions = store.predictions(lesson.id);
    if (!predictions)
        return predictions.error();

    record::ArtifactRow row;
    row.lesson = lesson.id;
    row.kind = block->kind;
    row.title = block->title;
    row.question = block->question;
    row.claim = lessons::fillTemplate(block->claim, *evidence).text;
    row.reflection = reflection;
    row.level = block->level;
    for (const record::PredictionRow& prediction : *predictions)
        row.predictionIds.push_back(prediction.id);
    for (const record::RunRow& run : runs)
        row.runIds.push_back(run.id);
    row.charts = chartsOf(lesson);
    row.code = std::move(*code);
    row.fingerprint = runs.back().fingerprint;
    row.provenance = runs.back().provenance;
    return row;
}

} // namespace ridge::app
