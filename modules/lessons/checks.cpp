// SPDX-License-Identifier: GPL-3.0-or-later
// Checks over predictions, answers and artifacts, and the way from a check to the function of its kind.
#include "lessons/checks_rules.h"

#include "lessons/answers.h"
#include "lessons/placeholders.h"

#include "base/units.h"

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

Verdict checkPredicted(const CheckSpec& check, const Lesson& lesson, const Evidence& evidence)
{
    const PredictBlock* predict = predictOf(check, lesson);
    if (!predict)
        return noPredict(check);
    bool committed = false;
    for (const EvidencePrediction& prediction : evidence.predictions) {
        if (prediction.block != check.block)
            continue;
        committed = true;
        if (runAfter(prediction, *predict, evidence))
            return {CheckState::Passed,
                    "predicted " + formatQuantity(prediction.point, predict->unit) + " before the run"};
    }
    return notYetPredicted(*predict, committed);
}

/// One prediction that was near enough will do: who was off may think again and run again.
Verdict checkEstimated(const CheckSpec& check, const Lesson& lesson, const Evidence& evidence)
{
    const PredictBlock* predict = predictOf(check, lesson);
    if (!predict)
        return noPredict(check);
    bool committed = false;
    Verdict off;
    std::int64_t newest = 0;
    for (const EvidencePrediction& prediction : evidence.predictions) {
        if (prediction.block != check.block)
            continue;
        committed = true;
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
        if (const Misconception* wrong = misconceptionOf(predict->misconceptions, prediction.point))
            off.detail += ": " + wrong->explains;
    }
    return off.state == CheckState::Failed ? off : notYetPredicted(*predict, committed);
}

/// The state of one block: right once is right; after wrong attempts the newest is told with its explanation.
Verdict answerTo(const std::string& id, const Lesson& lesson, const Evidence& evidence)
{
    std::size_t wrong = 0;
    const EvidenceAnswer* newest = nullptr;
    for (const EvidenceAnswer& answer : evidence.answers) {
        if (answer.block != id)
            continue;
        if (answer.correct)
            return {CheckState::Passed, "answered"};
        ++wrong;
        if (!newest || answer.seq >= newest->seq)
            newest = &answer;
    }
    if (!newest)
        return {CheckState::Missing, "not answered yet"};
    const Block* block = lesson.block(id);
    const std::string given = block ? answerText(*block, newest->given) : std::string();
    if (given.empty())
        return {CheckState::Failed,
                countText(wrong, "attempt") + ", none right yet; read the explanation and try again"};
    return {CheckState::Failed, "answered " + given + ": " + explanationOf(*block, newest->given)};
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

Verdict checkShipped(const Evidence& evidence)
{
    if (evidence.artifacts == 0)
        return {CheckState::Missing, "ship the artifact of this lesson"};
    return {CheckState::Passed, countText(static_cast<std::size_t>(evidence.artifacts), "artifact") + " shipped"};
}

Verdict verdictOf(const CheckSpec& check, const Lesson& lesson, const Evidence& evidence)
{
    using MetricCheck = Verdict (*)(const CheckSpec&, const Evidence&);
    static const std::map<std::string, MetricCheck> metricChecks = {
        {"metric_formula", checkFormula}, {"metric_ratio", checkRatio}, {"metric_bound", checkBound},
        {"metric_order", checkOrder},     {"metric_count", checkCount}, {"plateaus", checkPlateaus},
        {"linear_fit", checkLinearFit},   {"crossing", checkCrossing},  {"knee", checkKnee},
        {"winners", checkWinners}};
    if (const auto found = metricChecks.find(check.kind); found != metricChecks.end())
        return found->second(check, evidence);
    if (check.kind == "predicted")
        return checkPredicted(check, lesson, evidence);
    if (check.kind == "estimated")
        return checkEstimated(check, lesson, evidence);
    if (check.kind == "answered")
        return checkAnswered(check, lesson, evidence);
    if (check.kind == "shipped")
        return checkShipped(evidence);
    return {CheckState::Failed, "the check itself is wrong: unknown kind '" + check.kind + "'"};
}

} // namespace

const EvidenceRun* runAfter(const EvidencePrediction& prediction, const PredictBlock& predict, const Evidence& evidence)
{
    const EvidenceRun* first = nullptr;
    for (const EvidenceRun& run : evidence.runs)
        if (run.experiment == predict.experiment && run.seq > prediction.seq && matches(run.params, predict.at) &&
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

} // namespace ridge::lessons
