// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/evidence.h"

#include "lessons/formula_names.h"
#include "lessons/placeholders.h"

#include "base/units.h"

#include <cmath>
#include <set>

namespace ridge::lessons {
namespace {

struct Verdict {
    CheckState state = CheckState::Missing;
    std::string detail;
};

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

ParamSet only(const ParamSet& params, const std::vector<std::string>& names)
{
    ParamSet some;
    for (const std::string& name : names)
        if (const auto found = params.find(name); found != params.end())
            some.insert(*found);
    return some;
}

bool agree(double value, double wanted, double tolerance)
{
    return std::abs(value - wanted) <= std::max(tolerance, 1e-9) * std::max(1.0, std::abs(wanted));
}

/// The law must hold at every run it speaks of, and be shown at enough different points: points differ when a
/// parameter that the formula reads differs, so that repeating one point under other settings proves nothing more.
Verdict checkFormula(const CheckSpec& check, const Evidence& evidence)
{
    const Result<std::vector<std::string>> names = formulaNames(check.formula);
    if (!names.ok())
        return {CheckState::Failed, "the check itself is wrong: " + toText(names.error())};
    std::set<ParamSet> points;
    for (const EvidenceRun& run : evidence.runs) {
        const auto metric = run.metrics.find(check.metric);
        if (run.experiment != check.experiment || metric == run.metrics.end() || !matches(run.params, check.where))
            continue;
        const ParamSet point = only(run.params, names.value());
        const Result<double> wanted = evaluateFormula(check.formula, run.params);
        if (!wanted.ok())
            return {CheckState::Failed, toText(wanted.error())};
        if (!agree(metric->second.value, wanted.value(), check.tolerance))
            return {CheckState::Failed, "at " + pointText(point) + " the run gave " +
                                            formatNumber(metric->second.value) + ", " + check.formula + " is " +
                                            formatNumber(wanted.value())};
        points.insert(point);
    }
    const auto needed = static_cast<std::size_t>(std::max(1, check.points));
    if (points.size() < needed)
        return {CheckState::Missing, countText(points.size(), "point") + " of " + std::to_string(needed) +
                                         " run; run " + check.experiment + " at " +
                                         std::to_string(needed - points.size()) + " more"};
    return {CheckState::Passed, check.metric + " = " + check.formula + " at " + countText(points.size(), "point")};
}

/// Two runs can be compared when they differ in nothing but what the check varies.
bool comparable(const EvidenceRun& a, const EvidenceRun& b, const CheckSpec& check)
{
    if (a.target != b.target)
        return false;
    ParamSet left = a.params;
    ParamSet right = b.params;
    for (const ParamSet* varied : {&check.at, &check.over})
        for (const auto& [name, value] : *varied) {
            left.erase(name);
            right.erase(name);
        }
    return left == right;
}

Verdict checkRatio(const CheckSpec& check, const Evidence& evidence)
{
    std::vector<const EvidenceRun*> numerators, denominators;
    for (const EvidenceRun& run : evidence.runs) {
        if (run.experiment != check.experiment || !run.metrics.contains(check.metric))
            continue;
        if (matches(run.params, check.at))
            numerators.push_back(&run);
        if (matches(run.params, check.over))
            denominators.push_back(&run);
    }
    Verdict verdict{CheckState::Missing, {}};
    for (const EvidenceRun* a : numerators)
        for (const EvidenceRun* b : denominators) {
            const double base = b->metrics.at(check.metric).value;
            if (!comparable(*a, *b, check) || base == 0)
                continue;
            const double ratio = a->metrics.at(check.metric).value / base;
            const bool holds = (!check.min || ratio >= *check.min - 1e-9) && (!check.max || ratio <= *check.max + 1e-9);
            verdict = {holds ? CheckState::Passed : CheckState::Failed, check.metric + " at " + pointText(check.at) +
                                                                            " is " + formatNumber(ratio) +
                                                                            " of that at " + pointText(check.over)};
            if (holds)
                return verdict;
        }
    if (verdict.state == CheckState::Missing)
        verdict.detail = "run " + check.experiment + " at " + pointText(check.at) + " and at " + pointText(check.over) +
                         ", all else equal and on the same target";
    return verdict;
}

Verdict checkPredicted(const CheckSpec& check, const Lesson& lesson, const Evidence& evidence)
{
    const Block* block = lesson.block(check.block);
    const auto* predict = block ? std::get_if<PredictBlock>(&block->body) : nullptr;
    if (!predict)
        return {CheckState::Failed,
                "the check itself is wrong: '" + check.block + "' is no predict block of this lesson"};
    bool committed = false;
    for (const EvidencePrediction& prediction : evidence.predictions) {
        if (prediction.block != check.block)
            continue;
        committed = true;
        for (const EvidenceRun& run : evidence.runs)
            if (run.experiment == predict->experiment && run.seq > prediction.seq && matches(run.params, predict->at))
                return {CheckState::Passed, "predicted " + formatNumber(prediction.point) + " before the run"};
    }
    if (committed)
        return {CheckState::Missing,
                "the prediction stands; now run " + predict->experiment + " at " + pointText(predict->at)};
    return {CheckState::Missing, "commit a prediction for " + predict->metric + " before running"};
}

Verdict checkAnswered(const CheckSpec& check, const Evidence& evidence)
{
    std::size_t wrong = 0;
    for (const EvidenceAnswer& answer : evidence.answers) {
        if (answer.block != check.block)
            continue;
        if (answer.correct)
            return {CheckState::Passed, "answered"};
        ++wrong;
    }
    if (wrong > 0)
        return {CheckState::Failed,
                countText(wrong, "attempt") + ", none right yet; read the explanation and try again"};
    return {CheckState::Missing, "not answered yet"};
}

Verdict verdictOf(const CheckSpec& check, const Lesson& lesson, const Evidence& evidence)
{
    if (check.kind == "metric_formula")
        return checkFormula(check, evidence);
    if (check.kind == "metric_ratio")
        return checkRatio(check, evidence);
    if (check.kind == "predicted")
        return checkPredicted(check, lesson, evidence);
    if (check.kind == "answered")
        return checkAnswered(check, evidence);
    if (check.kind == "shipped")
        return evidence.artifacts > 0
                   ? Verdict{CheckState::Passed,
                             countText(static_cast<std::size_t>(evidence.artifacts), "artifact") + " shipped"}
                   : Verdict{CheckState::Missing, "ship the artifact of this lesson"};
    return {CheckState::Failed, "the check itself is wrong: unknown kind '" + check.kind + "'"};
}

} // namespace

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
