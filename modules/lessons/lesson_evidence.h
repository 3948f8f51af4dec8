// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/protocol.h"
#include "lessons/lesson.h"

#include <set>

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
    ParamSet at = {};   ///< the point that was asked about, with all parameters; empty: the block's own
    bool known = false; ///< the record held the result of that point when it was made, and not for long
};
/// What was given to a quiz (number or choice), an order (indices into the right order), an explain block (text, later
/// with a rating), a draw block (curve), a worksheet (cells) or a scene (item).
struct AnswerGiven {
    std::optional<double> number;
    std::optional<int> choice;
    std::vector<int> order = {};
    std::string text = {};
    std::string rating = {};                           ///< "no", "partly" or "yes"; empty: not rated yet
    std::vector<std::pair<double, double>> curve = {}; ///< x and y, ascending in x
    std::vector<double> held = {};                     ///< x of which the record held the result before
    std::map<std::string, double> cells = {};          ///< filled rightly by then
    std::string cell = {};                             ///< that was tried with `number`
    int instance = 0;         ///< of a worksheet or a curve: which numbers or which setting it was asked with
    std::string item = {};    ///< "bank.3"
    bool shown = false;       ///< the solution was asked for
    bool hasInstance = false; ///< false: a row from before questions had instances
    int variant = 0;
    ParamSet vars = {};
};
struct EvidenceAnswer {
    std::string block;
    bool correct = false;
    std::int64_t seq = 0;
    AnswerGiven given = {};
    std::int64_t time = 0; ///< seconds since 1970; 0: not known
};
/// The newest grade of a kernel for a task, as far as checks look at it.
struct EvidenceGrade {
    std::string task;
    bool right = false; ///< in every case
    double percent = 0; ///< score against the reference
};
/// A figure that was read from a log of the learner's own.
struct EvidenceFigure {
    std::string format, name, unit;
    double value = 0;
};
struct Evidence {
    std::vector<EvidenceRun> runs; ///< only completed ones that may count (modules/evidence)
    std::vector<EvidencePrediction> predictions;
    std::vector<EvidenceAnswer> answers;
    int artifacts = 0;                        ///< shipped for this lesson
    std::vector<EvidenceGrade> grades = {};   ///< of kernels, of any lesson
    std::vector<EvidenceFigure> figures = {}; ///< imported into artifacts, of any lesson
};

enum class CheckState { Missing, Failed, Passed };

struct CheckOutcome {
    std::string id;
    std::string title;
    CheckState state = CheckState::Missing;
    std::string detail; ///< what was found, or what is still to be done
};

std::vector<CheckOutcome> evaluateChecks(const Lesson& lesson, const Evidence& evidence);

/// What the checks of a lesson read of its runs; the rest may be left out of the evidence they are evaluated with.
struct RunsRead {
    std::set<std::string> experiments;
    std::set<std::string> metrics;
    std::set<std::string> bySweep; ///< experiments of which it matters which runs belong to one request
};
RunsRead runsRead(const Lesson& lesson);

/// False where a check is not passed whatever runs there are: a question is open, nothing was shipped, a prediction is
/// missing. Looks at no run.
bool mayPass(const Lesson& lesson, const Evidence& evidence);

/// The point that a prediction asks about: what it has of the parameters that the block names or varies.
ParamSet pointOf(const EvidencePrediction& prediction, const PredictBlock& predict);

/// The first run at the predicted point that came after the prediction; null when there is none yet.
const EvidenceRun* runAfter(const EvidencePrediction& prediction, const PredictBlock& predict,
                            const Evidence& evidence);

/// Arithmetic over numeric parameters (a check adds the metrics of the run to them), see base/formula.h. Errors:
/// "bad-formula" (with the place in the text), "unknown-name".
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
