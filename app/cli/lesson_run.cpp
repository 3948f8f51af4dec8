// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge lesson run`: the experiments of a lesson without a window, its checks, and the artifact.
#include "cli/commands.h"

#include "app/evidence/evidence.h"
#include "app/evidence/mastery.h"
#include "base/paths.h"
#include "cli/lesson_steps.h"
#include "lessons/curriculum.h"
#include "record/artifact_export.h"

#include <cstdio>

namespace ridge::cli {
namespace {

Result<void> runAndPrint(const LessonStep& step, const std::string& lesson, const std::string& target,
                         const std::vector<ExperimentInfo>& catalogue, record::Store& store)
{
    const auto info = findExperiment(catalogue, step.experiment);
    if (!info)
        return info.error();
    const std::string here = targetFor(*info, target);
    const auto result = runStep(step, here, {lesson, step.block, {}}, catalogue, &store);
    if (!result)
        return result.error();
    std::printf("── %s: %s on %s, %s\n\n%s\n", step.block.c_str(), info->title.c_str(), here.c_str(),
                std::string(toText(result->job.started.provenance)).c_str(),
                jobTable(*info, result->job, result->given).c_str());
    return {};
}

void printChecks(const std::vector<lessons::CheckOutcome>& outcomes)
{
    std::printf("── checks\n\n");
    for (const lessons::CheckOutcome& outcome : outcomes) {
        const char* mark = outcome.state == lessons::CheckState::Passed   ? "✓"
                           : outcome.state == lessons::CheckState::Failed ? "✗"
                                                                          : "·";
        std::printf("  %s %s: %s\n", mark, outcome.title.c_str(), outcome.detail.c_str());
    }
    std::printf("\n");
}

} // namespace

int lessonRunCommand(const LessonRunOptions& options)
{
    const auto data = dataFolder();
    if (!data)
        return report(data.error());
    const auto loaded = lessons::loadCurriculum(*data / "curriculum");
    const auto lesson = lessons::loadLesson(loaded.curriculum, options.lesson);
    if (!lesson)
        return report(lesson.error());
    const auto catalogue = loadCatalogue();
    if (!catalogue)
        return report(catalogue.error());
    const auto target = chooseTarget(options.target);
    if (!target)
        return report(target.error());
    const auto store = record::Store::open(homeFolder());
    if (!store)
        return report(store.error());

    std::printf("%s  %s\n%s\n\n", lesson->id.c_str(), lesson->title.c_str(), lesson->question.c_str());
    for (const LessonStep& step : stepsOf(*lesson))
        if (auto done = runAndPrint(step, lesson->id, *target, *catalogue, **store); !done)
            return report(done.error());
    auto artifact = app::composeArtifact(**store, *lesson, *catalogue, "");
    if (!artifact)
        return report(artifact.error());
    const auto id = (*store)->append(*artifact).result();
    if (!id)
        return report(id.error());
    const auto evidence = app::evidenceFromStore(**store, lesson->id);
    if (!evidence)
        return report(evidence.error());
    const auto outcomes = lessons::evaluateChecks(*lesson, *evidence);
    printChecks(outcomes);
    const auto owed = app::outcomeOwed(**store, *lesson);
    if (!owed)
        return report(owed.error());
    if (*owed)
        if (const auto noted = (*store)->append(**owed).result(); !noted)
            return report(noted.error());
    std::printf("artifact %s in %s\n", id->c_str(), (*store)->folder().c_str());
    if (!options.out.empty()) {
        artifact->id = *id;
        const auto folder = record::exportArtifact(
            **store, *id, std::filesystem::path(options.out) / record::exportFolderName(*artifact));
        if (!folder)
            return report(folder.error());
        std::printf("exported to %s\n", folder->c_str());
    }
    const bool failed = std::any_of(outcomes.begin(), outcomes.end(), [](const lessons::CheckOutcome& outcome) {
        return outcome.state == lessons::CheckState::Failed;
    });
    return failed ? Failed : Done;
}

} // namespace ridge::cli
