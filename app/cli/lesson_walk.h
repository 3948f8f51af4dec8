// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/step_runs.h"
#include "lessons/answers.h"
#include "lessons/curriculum.h"
#include "lessons/learner.h"

namespace ridge::cli {

struct StepReport {
    std::string block, experiment, target, provenance, validity;
    std::size_t points = 0;
    std::vector<std::string> failedChecks;
    double seconds = 0;
};

struct PredictionReport {
    const lessons::Block* block = nullptr;
    double committed = 0;
    std::optional<double> result; ///< none when no run followed at its point
    lessons::PredictBlock asked;  ///< at the point that was asked about
    bool authored = true;         ///< at the block's own point or one of its `vary`
    bool reasoned = false;        ///< worked out from what the page had shown
    std::string id;               ///< of its row
};

struct AnswerReport {
    const lessons::Block* block = nullptr;
    lessons::AnswerGiven given;
    bool correct = false;
};

struct LessonReport {
    std::vector<StepReport> steps;
    std::vector<PredictionReport> predictions;
    std::vector<AnswerReport> answers;
    std::vector<lessons::CheckOutcome> checks;
    std::vector<std::string> failures; ///< what is wrong with the lesson itself, whoever learns
    std::optional<record::ArtifactRow> artifact;

    bool passed() const
    {
        return failures.empty() && std::all_of(checks.begin(), checks.end(), [](const auto& check) {
                   return check.state == lessons::CheckState::Passed;
               });
    }
};

/// One learner going through one lesson: every block in reading order, then the artifact and the checks, all of it
/// kept in `store`. The ideal learner commits what a block's `estimate` gives with what the page has shown so far; only
/// where there is none it is told the result. The wrong one answers everything twice. The cheat runs each point before
/// it predicts, repeats numbers that it was shown, and takes solutions over to the next instance. A request that fails
/// ends it: a lesson whose runs do not come to an end cannot be judged. Errors: of the catalogue, of the requests and
/// of the store.
Result<LessonReport> walkLesson(const lessons::Curriculum& curriculum, const lessons::Lesson& lesson,
                                lessons::Learner learner, const std::string& target, StepRuns& runs,
                                record::Store& store);

} // namespace ridge::cli
