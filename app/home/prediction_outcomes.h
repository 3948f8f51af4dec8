// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/evidence.h"
#include "record/store.h"

#include <QDateTime>

namespace ridge::app {

/// A prediction whose point has been run since.
struct PredictionOutcome {
    std::string predictionId, lesson, block;
    QDateTime at;                   ///< when it was committed
    lessons::PredictionScore score; ///< against the first run that counts
};

/// Of the newest `limit` predictions those that have a result, oldest first.
Result<std::vector<PredictionOutcome>> predictionOutcomes(const record::Store& store, int limit);

/// How well somebody knows what they know.
struct Calibration {
    int predictions = 0;
    int held = 0;            ///< results inside their 80 % interval
    double medianFactor = 1; ///< by how much the points were off, never below 1; over those that have a factor
};
Calibration calibrationOf(std::span<const PredictionOutcome> outcomes);

/// A result outside the interval comes back 1, 3 and 10 days after the prediction, until it was looked at that often.
/// `looks` are the ids of predictions looked at again, one entry a look.
std::vector<PredictionOutcome> dueReviews(std::span<const PredictionOutcome> outcomes,
                                          std::span<const std::string> looks, const QDateTime& now);

/// Looks are answers to this block of the lesson: {"prediction": id}.
inline constexpr const char* kReviewBlock = "review";
Result<std::vector<std::string>> reviewLooks(const record::Store& store);
record::AnswerRow reviewLook(const PredictionOutcome& outcome);

} // namespace ridge::app
