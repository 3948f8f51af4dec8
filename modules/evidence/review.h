// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "evidence/discretion.h"
#include "lessons/curriculum.h"
#include "record/store.h"

namespace ridge::app {

/// One question of a review: a prediction of old, to be made again at another point.
struct ReviewTask {
    std::string ofPredictionId;
    std::string lesson, block;
    bool surprise = true; ///< the result lay outside its interval; else a lesson that is due to be passed again
    int nth = 1;          ///< how many-th review of that prediction it is
};

/// The block under which the `nth` review (from 1) of a prediction is stored: beside the lesson's own block and not in
/// it, so that the lesson's page goes on showing what was predicted there.
std::string reviewBlock(const std::string& block, int nth);

/// What to review now: surprises that are due (1, 3 and 10 days), then one prediction of each lesson that was passed
/// three days ago or longer and is not Mastered. Neighbours are of different modules, at least of different lessons,
/// where that can be done. `mixed`: more than one lesson takes part, which is what a step up asks for.
struct ReviewSession {
    std::vector<ReviewTask> tasks;
    bool mixed = false;
};
/// `now`: ISO 8601 UTC. Lessons of which `discretion` keeps predictions or standing back wait until they may be told:
/// that one comes back would say that it missed. Errors: those of the store.
Result<ReviewSession> reviewSession(const record::Store& store, const lessons::Curriculum& curriculum,
                                    const std::string& now, const Discretion& discretion = {});

/// What comes back next, when nothing is due now.
struct NextReviews {
    int days = 0; ///< from today in the learner's own time; 0: later today
    int count = 0;
};
/// The first day on which something will be due, and how much of it by that day's end; none where nothing waits.
/// Errors: those of the store.
Result<std::optional<NextReviews>> nextReviews(const record::Store& store, const lessons::Curriculum& curriculum,
                                               const std::string& now, const Discretion& discretion = {});

/// The same question at another point: one parameter of the block's `at` takes another value that the lesson's own
/// sweeps and controls offer, or the experiment's suggested sweep. `asked` are points that were asked before; they come
/// again only when nothing else is left. The same seed gives the same point. Errors: "no-other-instance" (the block
/// asks about an experiment that can be changed in nothing), "unknown-experiment".
Result<ParamSet> changedInstance(const lessons::Lesson& lesson, const lessons::Block& predict,
                                 const ExperimentInfo& experiment, std::string_view targetClass,
                                 const std::vector<ParamSet>& asked, std::uint64_t seed);

/// The points at which a predict block may be asked, in the order in which they are tried: the authored one; those of
/// its `vary`, where it has any, in the learner's order; else what the lesson's sweeps or the experiment's suggested
/// ones visit; then values in between and beyond, inside the parameter's range.
std::vector<ParamSet> pointsToAsk(const lessons::Lesson& lesson, const lessons::Block& predict,
                                  const ExperimentInfo& experiment, std::string_view targetClass, std::uint64_t seed);

/// The first of them whose result the store does not hold and at which nothing was asked yet (`asked`: parameters of
/// predictions). Where all are known, one whose result is older than lessons::kCountsAgainAfter, else the authored one.
/// Errors: those of the store.
Result<ParamSet> nextPoint(const record::Store& store, const lessons::Lesson& lesson, const lessons::Block& predict,
                           const ExperimentInfo& experiment, std::string_view targetClass,
                           const std::vector<ParamSet>& asked, std::uint64_t seed);

/// The rows that a review leaves once its run is there: itself, and in a mixed session the outcome for its lesson. A
/// review hits within a factor of two, or, where there is no factor, inside its interval.
struct ReviewResult {
    record::ReviewRow review;
    std::optional<record::OutcomeRow> outcome;
};
/// Errors: "bad-review" when the run is not of the prediction.
Result<ReviewResult> reviewResult(const ReviewTask& task, bool mixed, const record::PredictionRow& prediction,
                                  const record::RunRow& run);

} // namespace ridge::app
