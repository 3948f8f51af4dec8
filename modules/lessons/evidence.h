// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/protocol.h"
#include "lessons/lesson.h"

namespace ridge::lessons {

/// What a learner did, as far as checks look at it. Made from the store by the app and by `ridge`.
struct EvidenceRun {
    std::string id;
    std::string experiment;
    std::string target;
    std::string block; ///< lesson block that started it, may be empty
    ParamSet params;
    std::map<std::string, MetricValue> metrics;
    std::string validity;
    std::int64_t seq = 0;
    std::string sweep = {}; ///< shared by the runs of one request
};
struct EvidencePrediction {
    std::string block;
    double point = 0, low = 0, high = 0;
    std::int64_t seq = 0;
};
/// What was given to a quiz (number or choice) or an order (indices into the right order).
struct AnswerGiven {
    std::optional<double> number;
    std::optional<int> choice;
    std::vector<int> order = {};
};
struct EvidenceAnswer {
    std::string block;
    bool correct = false;
    std::int64_t seq = 0;
    AnswerGiven given = {};
};
struct Evidence {
    std::vector<EvidenceRun> runs; ///< only completed and valid ones
    std::vector<EvidencePrediction> predictions;
    std::vector<EvidenceAnswer> answers;
    int artifacts = 0; ///< shipped for this lesson
};

enum class CheckState { Missing, Failed, Passed };

struct CheckOutcome {
    std::string id;
    std::string title;
    CheckState state = CheckState::Missing;
    std::string detail; ///< what was found, or what is still to be done
};

std::vector<CheckOutcome> evaluateChecks(const Lesson& lesson, const Evidence& evidence);

/// The first run at the predicted point that came after the prediction; null when there is none yet.
const EvidenceRun* runAfter(const EvidencePrediction& prediction, const PredictBlock& predict,
                            const Evidence& evidence);

/// Arithmetic over numeric parameters (a check adds the metrics of the run to them): + - * / ( ), min, max, gcd, ceil,
/// floor, log2, numbers, names. Errors: "bad-formula" (with the place in the text), "unknown-name".
Result<double> evaluateFormula(std::string_view formula, const ParamSet& params);

/// How far a prediction was off, for the reveal: factor ≥ 1 and direction, and whether the interval held the result.
struct PredictionScore {
    double factor = 1;     ///< max(p/r, r/p) for positive numbers; NaN when either is not positive
    double difference = 0; ///< prediction − result
    bool insideInterval = false;
    double intervalScore = 0; ///< S on log2 scale, a = 0.2 (product section PR5); linear when not positive
};
PredictionScore scorePrediction(double point, double low, double high, double result);

} // namespace ridge::lessons
