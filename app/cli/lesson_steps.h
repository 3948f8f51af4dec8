// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/job.h"
#include "lessons/lesson.h"

namespace ridge::cli {

/// The simulator that stands in where there is no GPU.
inline constexpr const char* kDefaultSimulator = "sim:h100-sxm";

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

/// Where an experiment runs when `target` was asked for: there if it can; else on "model", else on the default
/// simulator.
std::string targetFor(const ExperimentInfo& info, const std::string& target);

} // namespace ridge::cli
