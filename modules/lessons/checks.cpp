// SPDX-License-Identifier: GPL-3.0-or-later
// Checks over predictions, answers and artifacts, and the way from a check to the function of its kind.
#include "lessons/checks_rules.h"

#include "lessons/answers.h"
#include "lessons/drawn_curve.h"
#include "lessons/formula_names.h"
#include "lessons/instances.h"
#include "lessons/placeholders.h"

#include "base/units.h"

#include <algorithm>
#include <cmath>

namespace ridge::lessons {
namespace {

const PredictBlock* predictOf(const CheckSpec& check, const Lesson& lesson)
{
    const Block* block = lesson.block(check.block);
    return block ? std::get_if<PredictBlock>(&block->body) : nullptr;
}

Verdict noPredict(const CheckSpec& check)
{
    return {CheckState::Failed, "the check itself is wrong: '" + check.block + "' is no predict block of this lesson"};
}

Verdict notYetPredicted(const PredictBlock& predict, bool committed)
{
    if (committed)
        return {CheckState::Missing,
                "the prediction stands; now run " + predict.experiment + " at " + pointText(predict.at)};
    return {CheckState::Missing, "commit a prediction for " + predict.metric + " before running"};
}

Verdict alreadyKnown()
{
    return {CheckState::Failed,
            "your record held the result before you predicted it. Predict again: the block asks at another point."};
}

Verdict checkPredicted(const CheckSpec& check, const Lesson& lesson, const Evidence& evidence)
{
    const PredictBlock* predict = predictOf(check, lesson);
    if (!predict)
        return noPredict(check);
    bool committed = false, known = false;
    for (const EvidencePrediction& prediction : evidence.predictions) {
        if (prediction.block != check.block)
            continue;
        committed = true;
        known = known || prediction.known;
        if (!prediction.known && runAfter(prediction, *predict, evidence))
            return {CheckState::Passed,
                    "predicted " + formatQuantity(prediction.point, predict->unit) + " before the run"};
    }
    return known ? alreadyKnown() : notYetPredicted(*predict, committed);
}

/// One prediction that was near enough will do: who was off may predict again at another point.
Verdict checkEstimated(const CheckSpec& check, const Lesson& lesson, const Evidence& evidence)
{
    const PredictBlock* predict = predictOf(check, lesson);
    if (!predict)
        return noPredict(check);
    bool committed = false, known = false;
    Verdict off;
    std::int64_t newest = 0;
    for (const EvidencePrediction& prediction : evidence.predictions) {
        if (prediction.block != check.block)
            continue;
        committed = true;
        if (prediction.known) {
            known = true;
            continue;
        }
        const EvidenceRun* run = runAfter(prediction, *predict, evidence);
        if (!run || !run->metrics.contains(predict->metric))
            continue;
        const double result = run->metrics.at(predict->metric).value;
        const double factor = scorePrediction(prediction.point, prediction.low, prediction.high, result).factor;
        const std::string found = "predicted " + formatQuantity(prediction.point, predict->unit) + ", the run gave " +
                                  formatQuantity(result, predict->unit);
        if (std::isnan(factor) ? same(prediction.point, result) : factor <= check.factor * (1 + 1e-9))
            return {CheckState::Passed, found};
        if (prediction.seq < newest)
            continue;
        newest = prediction.seq;
        off = {CheckState::Failed, found + ", more than a factor of " + formatNumber(check.factor) + " apart"};
        const PredictBlock there = filled(*predict, pointOf(prediction, *predict));
        if (const Misconception* wrong = misconceptionOf(there.misconceptions, prediction.point))
            off.detail += ": " + wrong->explains;
        off.detail += " Predict again: the block asks at another point.";
    }
    if (off.state == CheckState::Failed)
        return off;
    return known ? alreadyKnown() : notYetPredicted(*predict, committed);
}

std::vector<const EvidenceAnswer*> answersTo(const std::string& id, const Evidence& evidence)
{
    std::vector<const EvidenceAnswer*> answers;
    for (const EvidenceAnswer& answer : evidence.answers)
        if (answer.block == id)
            answers.push_back(&answer);
    std::stable_sort(answers.begin(), answers.end(), [](const auto* a, const auto* b) { return a->seq < b->seq; });
    return answers;
}

/// Right once is right, but not after the solution was shown, until some time has passed.
bool rightByItself(const std::vector<const EvidenceAnswer*>& answers)
{
    const EvidenceAnswer* shown = nullptr;
    for (const EvidenceAnswer* answer : answers) {
        if (answer->given.shown)
            shown = answer;
        else if (answer->correct && (!shown || shown->given.vars != answer->given.vars ||
                                     (shown->time > 0 && answer->time - shown->time >= kCountsAgainAfter)))
            return true;
    }
    return false;
}

/// The state of one block; after wrong attempts the newest is told with its explanation.
Verdict answerTo(const std::string& id, const Lesson& lesson, const Evidence& evidence)
{
    const std::vector<const EvidenceAnswer*> answers = answersTo(id, evidence);
    if (answers.empty())
        return {CheckState::Missing, "not answered yet"};
    const Block* block = lesson.block(id);
    if (const auto* sheet = block ? std::get_if<WorksheetBlock>(&block->body) : nullptr;
        sheet && !rightByItself(answers)) // half full is not wrong
        return {CheckState::Missing, std::to_string(answers.back()->given.cells.size()) + " of " +
                                         countText(sheet->cells.size(), "cell") + " filled"};
    const auto* quiz = block ? std::get_if<QuizBlock>(&block->body) : nullptr;
    if (quiz ? answeredRight(*quiz, answers) : rightByItself(answers))
        return {CheckState::Passed, block && block->kind == "explain" ? "explained" : "answered"};
    const EvidenceAnswer& newest = *answers.back();
    if (block && block->kind == "explain")
        return {CheckState::Missing, newest.given.rating.empty()
                                         ? "your answer is kept; read the model answer and rate your own"
                                         : "rated “no”; write it again in your own words"};
    if (newest.correct)
        return {CheckState::Failed, quiz && !quiz->choices.empty()
                                        ? "right after a wrong answer; one more right answer in a row counts"
                                        : "right, but not at the first attempt with these numbers; take new ones"};
    const std::string given = block ? answerText(*block, newest.given) : std::string();
    if (newest.given.shown)
        return {CheckState::Failed, "the solution was shown; answer it with other numbers"};
    if (given.empty())
        return {CheckState::Failed,
                countText(answers.size(), "attempt") + ", none right yet; read the explanation and try again"};
    const std::string why = explanationOf(*block, newest.given);
    return {CheckState::Failed,
            "answered " + given + (why.empty() ? "; think again and try with new numbers" : ": " + why)};
}

Verdict checkAnswered(const CheckSpec& check, const Lesson& lesson, const Evidence& evidence)
{
    if (check.blocks.empty())
        return answerTo(check.block, lesson, evidence);
    int right = 0, open = 0;
    std::string wrong;
    for (const std::string& id : check.blocks) {
        const Verdict verdict = answerTo(id, lesson, evidence);
        right += verdict.state == CheckState::Passed ? 1 : 0;
        open += verdict.state == CheckState::Missing ? 1 : 0;
        if (verdict.state == CheckState::Failed)
            wrong += "; " + id + " " + verdict.detail;
    }
    const std::string count = std::to_string(right) + " of " + std::to_string(check.blocks.size()) + " right";
    if (right >= check.points)
        return {CheckState::Passed, count};
    return {right + open >= check.points ? CheckState::Missing : CheckState::Failed,
            count + ", " + std::to_string(check.points) + " needed" + wrong};
}

/// One curve that was near enough will do, as for a prediction.
Verdict checkDrawn(const CheckSpec& check, const Lesson& lesson, const Evidence& evidence)
{
    const Block* block = lesson.block(check.block);
    const auto* draw = block ? std::get_if<DrawBlock>(&block->body) : nullptr;
    if (!draw)
        return {CheckState::Failed, "the check itself is wrong: '" + check.block + "' is no draw block of this lesson"};
    Verdict newest{CheckState::Missing, "draw the curve of " + draw->metric + " before running"};
    for (const EvidenceAnswer& answer : evidence.answers) {
        if (answer.block != check.block || answer.given.curve.empty())
            continue;
        const std::vector<DrawnPoint> points = comparedCurve(*draw, answer, evidence);
        const std::size_t fresh =
            answer.given.curve.size() - std::min(answer.given.held.size(), answer.given.curve.size());
        if (fresh < kLeastDrawn) {
            newest = {CheckState::Missing, "your record held the results before the curve; draw another"};
            continue;
        }
        if (points.size() < fresh) {
            newest = {CheckState::Missing, "the curve is drawn; now run the sweep of " + draw->experiment + " (" +
                                               std::to_string(points.size()) + " of " + countText(fresh, "point") +
                                               ")"};
            continue;
        }
        const std::optional<double> error = curveError(points, draw->logScale);
        const std::string found = error ? "mean error " + formatNumber(std::round(*error * 1000) / 10) +
                                              " %, at most " + formatNumber(check.max.value_or(0) * 100) + " % counts"
                                        : "everything measured is 0";
        if (error && *error <= check.max.value_or(0) * (1 + 1e-9))
            return {CheckState::Passed, found};
        newest = {CheckState::Failed, found + ": " + draw->mechanism};
    }
    return newest;
}

Verdict checkShipped(const Evidence& evidence)
{
    if (evidence.artifacts == 0)
        return {CheckState::Missing, "ship the artifact of this lesson"};
    return {CheckState::Passed, countText(static_cast<std::size_t>(evidence.artifacts), "artifact") + " shipped"};
}

Verdict verdictOf(const CheckSpec& check, const Lesson& lesson, const Evidence& evidence)
{
    using MetricCheck = Verdict (*)(const CheckSpec&, const Evidence&);
    static const std::map<std::string, MetricCheck> metricChecks = {{"metric_formula", checkFormula},
                                                                    {"metric_ratio", checkRatio},
                                                                    {"metric_bound", checkBound},
                                                                    {"metric_order", checkOrder},
                                                                    {"metric_count", checkCount},
                                                                    {"plateaus", checkPlateaus},
                                                                    {"linear_fit", checkLinearFit},
                                                                    {"crossing", checkCrossing},
                                                                    {"knee", checkKnee},
                                                                    {"step", checkStep},
                                                                    {"winners", checkWinners},
                                                                    {"constraint", checkConstraint},
                                                                    {"graded", checkGraded},
                                                                    {"imported", checkImported}};
    if (const auto found = metricChecks.find(check.kind); found != metricChecks.end())
        return found->second(check, evidence);
    if (check.kind == "predicted")
        return checkPredicted(check, lesson, evidence);
    if (check.kind == "estimated")
        return checkEstimated(check, lesson, evidence);
    if (check.kind == "answered")
        return checkAnswered(check, lesson, evidence);
    if (check.kind == "drawn")
        return checkDrawn(check, lesson, evidence);
    if (check.kind == "shipped")
        return checkShipped(evidence);
    return {CheckState::Failed, "the check itself is wrong: unknown kind '" + check.kind + "'"};
}

} // namespace

ParamSet pointOf(const EvidencePrediction& prediction, const PredictBlock& predict)
{
    ParamSet point = predict.at;
    for (const ParamSet& other : predict.vary)
        point.insert(other.begin(), other.end()); // a parameter that is varied and not named in `at`
    ParamSet asked;
    for (const auto& [name, value] : point)
        if (const auto given = prediction.at.find(name); given != prediction.at.end())
            asked.insert(*given);
        else if (predict.at.contains(name))
            asked.emplace(name, value);
    return asked;
}

const EvidenceRun* runAfter(const EvidencePrediction& prediction, const PredictBlock& predict, const Evidence& evidence)
{
    const EvidenceRun* first = nullptr;
    const ParamSet point = pointOf(prediction, predict);
    for (const EvidenceRun& run : evidence.runs)
        if (run.experiment == predict.experiment && run.seq > prediction.seq && matches(run.params, point) &&
            (!first || run.seq < first->seq))
            first = &run;
    return first;
}

std::string pointText(const ParamSet& params)
{
    std::string text;
    for (const auto& [name, value] : params)
        text += (text.empty() ? "" : ", ") + name + " = " + toText(value);
    return text;
}

std::string countText(std::size_t count, const std::string& thing)
{
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

bool same(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

ParamSet only(const ParamSet& params, const std::vector<std::string>& names)
{
    ParamSet some;
    for (const std::string& name : names)
        if (const auto found = params.find(name); found != params.end())
            some.insert(*found);
    return some;
}

ParamSet without(ParamSet params, const std::vector<std::string>& names)
{
    for (const std::string& name : names)
        params.erase(name);
    return params;
}

std::vector<const EvidenceRun*> runsOf(const CheckSpec& check, const Evidence& evidence)
{
    std::vector<const EvidenceRun*> runs;
    for (const EvidenceRun& run : evidence.runs)
        if (run.experiment == check.experiment && run.metrics.contains(check.metric) &&
            matches(run.params, check.where) && (check.block.empty() || run.block == check.block))
            runs.push_back(&run);
    std::stable_sort(runs.begin(), runs.end(),
                     [](const EvidenceRun* a, const EvidenceRun* b) { return a->seq < b->seq; });
    return runs;
}

double metricOf(const EvidenceRun& run, const CheckSpec& check)
{
    return run.metrics.at(check.metric).value;
}

std::string metricTextOf(const EvidenceRun& run, const CheckSpec& check)
{
    const MetricValue& metric = run.metrics.at(check.metric);
    return formatQuantity(metric.value, metric.unit);
}

std::string unitOf(const CheckSpec& check, const Evidence& evidence)
{
    const std::vector<const EvidenceRun*> runs = runsOf(check, evidence);
    return runs.empty() ? std::string() : runs.back()->metrics.at(check.metric).unit;
}

std::vector<CheckOutcome> evaluateChecks(const Lesson& lesson, const Evidence& evidence)
{
    std::vector<CheckOutcome> outcomes;
    for (const CheckSpec& check : lesson.checks) {
        Verdict verdict = verdictOf(check, lesson, evidence);
        outcomes.push_back({check.id, check.title, verdict.state, std::move(verdict.detail)});
    }
    return outcomes;
}

RunsRead runsRead(const Lesson& lesson)
{
    RunsRead read;
    for (const CheckSpec& check : lesson.checks) {
        if (const PredictBlock* predict = predictOf(check, lesson)) {
            read.experiments.insert(predict->experiment);
            read.metrics.insert(predict->metric);
        }
        const Block* block = check.kind == "drawn" ? lesson.block(check.block) : nullptr;
        if (const auto* draw = block ? std::get_if<DrawBlock>(&block->body) : nullptr) {
            read.experiments.insert(draw->experiment);
            read.metrics.insert(draw->metric);
        }
        if (check.experiment.empty())
            continue;
        read.experiments.insert(check.experiment);
        // An axis may be a metric as well as a parameter.
        read.metrics.insert({check.metric, check.size, check.along});
        for (const MetricBounds& bound : check.bounds)
            read.metrics.insert(bound.metric);
        if (const auto names = formulaNames(check.formula); !check.formula.empty() && names)
            read.metrics.insert(names->begin(), names->end());
        if (check.kind == "crossing")
            read.bySweep.insert(check.experiment);
    }
    return read;
}

bool mayPass(const Lesson& lesson, const Evidence& evidence)
{
    return std::all_of(lesson.checks.begin(), lesson.checks.end(), [&](const CheckSpec& check) {
        if (check.kind == "answered")
            return checkAnswered(check, lesson, evidence).state == CheckState::Passed;
        if (check.kind == "shipped")
            return checkShipped(evidence).state == CheckState::Passed;
        if (check.kind == "drawn")
            return std::ranges::any_of(evidence.answers, [&](const EvidenceAnswer& answer) {
                return answer.block == check.block && !answer.given.curve.empty();
            });
        if (check.kind == "graded" || check.kind == "imported")
            return verdictOf(check, lesson, evidence).state == CheckState::Passed;
        if (check.kind == "predicted" || check.kind == "estimated")
            return std::any_of(evidence.predictions.begin(), evidence.predictions.end(),
                               [&](const EvidencePrediction& prediction) { return prediction.block == check.block; });
        return true;
    });
}

} // namespace ridge::lessons
