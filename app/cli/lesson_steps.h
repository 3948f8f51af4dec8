// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/target_choice.h"
#include "cli/job.h"
#include "lessons/lesson.h"

namespace ridge::cli {

/// One request of a lesson: what a run or sweep block, or one attempt at a challenge, sets in motion.
struct LessonStep {
    std::string block, experiment;
    ParamSet set;
    std::vector<std::string> sweep; ///< axes as a sweep block writes them
};

/// The run and sweep blocks in reading order.
std::vector<LessonStep> stepsOf(const lessons::Lesson& lesson);
/// No value for blocks that run nothing.
std::optional<LessonStep> stepOf(const lessons::Block& block);

struct StepResult {
    ExperimentInfo info;
    std::vector<std::string> given; ///< parameters that the step sets or sweeps
    JobResult job;
};

/// Runs a step on a target, with a progress bar on a terminal. A null store keeps nothing. Errors: of the catalogue, of
/// the sweep, of the worker and of the store.
Result<StepResult> runStep(const LessonStep& step, const std::string& target, const record::RunContextIds& ids,
                           const std::vector<ExperimentInfo>& catalogue, record::Store* store);

} // namespace ridge::cli
