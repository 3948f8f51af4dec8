// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/lesson_steps.h"

#include "base/sweep_points.h"

namespace ridge::cli {
namespace {

constexpr double kSeconds = 600; ///< a sweep that measures the processor takes long on a machine that does more

} // namespace

std::optional<LessonStep> stepOf(const lessons::Block& block)
{
    if (const auto* run = std::get_if<lessons::RunBlock>(&block.body))
        return LessonStep{block.id, run->experiment, run->set, {}};
    if (const auto* sweep = std::get_if<lessons::SweepBlock>(&block.body))
        return LessonStep{block.id, sweep->experiment, sweep->set, sweep->sweep};
    return std::nullopt;
}

std::vector<LessonStep> stepsOf(const lessons::Lesson& lesson)
{
    std::vector<LessonStep> steps;
    for (const lessons::Block* block : lesson.blocks())
        if (std::optional<LessonStep> step = stepOf(*block))
            steps.push_back(std::move(*step));
    return steps;
}

Result<StepResult> runStep(const LessonStep& step, const std::string& target, const record::RunContextIds& ids,
                           const std::vector<ExperimentInfo>& catalogue, record::Store* store)
{
    auto info = findExperiment(catalogue, step.experiment);
    if (!info)
        return info.error();
    auto points = blockPoints(info->parameters, step.set, step.sweep);
    if (!points)
        return points.error();
    std::vector<std::string> given;
    for (const auto& [name, value] : points->front())
        given.push_back(name);
    const RunRequest request{step.experiment, target, 1, std::move(*points), store != nullptr, {kSeconds, 0}};
    auto job = runJob(request, store, ids, true);
    if (!job)
        return job.error();
    return StepResult{std::move(*info), std::move(given), std::move(*job)};
}

} // namespace ridge::cli
