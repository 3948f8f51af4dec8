// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/lesson_evidence.h"
#include "record/store.h"

#include <QDateTime>

namespace ridge::app {

/// A prediction whose point has been run since.
struct PredictionOutcome {
    std::string predictionId, lesson, block;
    QDateTime at;                   ///< when it was committed
    double result = 0;              ///< what the run gave, in the prediction's unit
    lessons::PredictionScore score; ///< against the first run that counts
};

/// The newest `limit` predictions that have a result, oldest first; 0: all.
Result<std::vector<PredictionOutcome>> predictionOutcomes(const record::Store& store, int limit);

/// How well somebody knows what they know. Never used for a grade.
struct Calibration {
    int predictions = 0;
    int held = 0;            ///< results inside their 80 % interval
    double medianFactor = 1; ///< by how much the points were off, never below 1; over those that have a factor
    double meanScore = 0;    ///< interval score on a log2 scale (product PR5), 0 is best; over those that have a factor
};
Calibration calibrationOf(std::span<const PredictionOutcome> outcomes);

} // namespace ridge::app
