// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/lesson_steps.h"

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

Result<StepPoints> pointsOf(const LessonStep& step, const ExperimentInfo& info)
{
    StepPoints result;
    std::vector<SweepAxis> axes;
    for (const std::string& text : step.sweep) {
        auto axis = parseSweep(info.parameters, text);
        if (!axis)
            return axis.error();
        result.given.push_back(axis->name);
        axes.push_back(std::move(*axis));
    }
    // A swept parameter that the block also presets follows the sweep.
    ParamSet fixed = step.set;
    for (const SweepAxis& axis : axes)
        fixed.erase(axis.name);
    for (const auto& [name, value] : fixed)
        result.given.push_back(name);
    auto points = expandSweep(fixed, axes);
    if (!points)
        return points.error();
    result.points = std::move(*points);
    return result;
}

Result<StepResult> runStep(const LessonStep& step, const std::string& target, const record::RunContextIds& ids,
                           const std::vector<ExperimentInfo>& catalogue, record::Store* store)
{
    auto info = findExperiment(catalogue, step.experiment);
    if (!info)
        return info.error();
    auto wanted = pointsOf(step, *info);
    if (!wanted)
        return wanted.error();
    const RunRequest request{step.experiment, target, 1, std::move(wanted->points), store != nullptr, {kSeconds, 0}};
    auto job = runJob(request, store, ids, true);
    if (!job)
        return job.error();
    return StepResult{std::move(*info), std::move(wanted->given), std::move(*job)};
}

} // namespace ridge::cli
