// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge lesson run`: the experiments of a lesson without a window, its checks, and the artifact.
#include "cli/commands.h"

#include "base/paths.h"
#include "classroom/withholding_policy.h"
#include "cli/lesson_steps.h"
#include "evidence/evidence.h"
#include "evidence/mastery.h"
#include "lessons/curriculum.h"
#include "record/artifact_export.h"
#include "record/clock.h"

#include <cstdio>

namespace ridge::cli {
namespace {

/// What the assignments that were accepted keep back, as of now.
struct Kept {
    classroom::FeedbackPolicy policy = classroom::FeedbackPolicy::ofHome(homeFolder());
    std::string now = record::timeStamp().toStdString();
};

Result<void> runAndPrint(const LessonStep& step, const std::string& lesson, const std::string& target,
                         const std::vector<ExperimentInfo>& catalogue, record::Store& store, const Kept& kept)
{
    const auto info = findExperiment(catalogue, step.experiment);
    if (!info)
        return info.error();
    const std::string here = targetFor(*info, target);
    const auto result = runStep(step, here, {lesson, step.block, {}}, catalogue, &store);
    if (!result)
        return result.error();
    const auto held = kept.policy.held(lesson, classroom::Outcome::Result, kept.now);
    std::printf("── %s: %s on %s, %s\n\n%s\n", step.block.c_str(), info->title.c_str(), here.c_str(),
                std::string(toText(result->job.started.provenance)).c_str(),
                held ? ("stored. " + heldText(*held) + "\n").c_str()
                     : jobTable(*info, result->job, result->given).c_str());
    return {};
}

/// Gives whether one that is told has failed.
bool printChecks(const lessons::Lesson& lesson, const std::vector<lessons::CheckOutcome>& outcomes, const Kept& kept)
{
    const bool values = !kept.policy.held(lesson.id, classroom::Outcome::Result, kept.now);
    bool failed = false;
    std::printf("── checks\n\n");
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const lessons::CheckOutcome& outcome = outcomes[i];
        if (const auto held = kept.policy.held(lesson, lesson.checks[i], kept.now)) {
            std::printf("  – %s: %s\n", outcome.title.c_str(), heldText(*held).c_str());
            continue;
        }
        failed = failed || outcome.state == lessons::CheckState::Failed;
        const char* mark = outcome.state == lessons::CheckState::Passed   ? "✓"
                           : outcome.state == lessons::CheckState::Failed ? "✗"
                                                                          : "·";
        std::printf("  %s %s: %s\n", mark, outcome.title.c_str(), values ? outcome.detail.c_str() : "");
    }
    std::printf("\n");
    return failed;
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
    const auto target = chooseTarget(options.target.empty() ? lesson->target : options.target);
    if (!target)
        return report(target.error());
    const auto store = record::Store::open(homeFolder());
    if (!store)
        return report(store.error());

    const Kept kept;
    std::printf("%s  %s\n%s\n\n", lesson->id.c_str(), lesson->title.c_str(), lesson->question.c_str());
    for (const LessonStep& step : stepsOf(*lesson))
        if (auto done = runAndPrint(step, lesson->id, *target, *catalogue, **store, kept); !done)
            return report(done.error());
    auto artifact = app::composeArtifact(**store, *lesson, *catalogue, "");
    if (!artifact)
        return report(artifact.error());
    const auto id = (*store)->append(*artifact).result();
    if (!id)
        return report(id.error());
    const auto evidence = app::evidenceFromStore(**store, *lesson);
    if (!evidence)
        return report(evidence.error());
    const auto outcomes = lessons::evaluateChecks(*lesson, *evidence);
    const bool failed = printChecks(*lesson, outcomes, kept);
    const auto owed = app::outcomeOwed(**store, *lesson);
    if (!owed)
        return report(owed.error());
    if (*owed)
        if (const auto noted = (*store)->append(**owed).result(); !noted)
            return report(noted.error());
    std::printf("artifact %s in %s\n", id->c_str(), (*store)->folder().c_str());
    if (!options.out.empty()) {
        artifact->id = *id;
        record::ExportExtras extras;
        extras.held = classroom::withholdingOf(kept.policy, kept.now);
        const auto folder = record::exportArtifact(
            **store, *id, std::filesystem::path(options.out) / record::exportFolderName(*artifact), extras);
        if (!folder)
            return report(folder.error());
        std::printf("exported to %s\n", folder->c_str());
    }
    return failed ? Failed : Done;
}

} // namespace ridge::cli
