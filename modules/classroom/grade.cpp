// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/grade.h"

#include "base/json.h"
#include "base/target_kind.h"
#include "evidence/evidence.h"
#include "lessons/answers.h"
#include "lessons/instances.h"
#include "lessons/placeholders.h"

#include <algorithm>
#include <cmath>

namespace ridge::classroom {
namespace {

constexpr double kNear = 2; // a prediction that was right, as the mastery rule has it

/// The evidence that counts: without refused runs, with the values that re-execution gave.
lessons::Evidence countingEvidence(const lessons::Lesson& lesson, const record::LearnerRows& rows,
                                   const RunJudgement& judged, bool hidden)
{
    lessons::Evidence evidence =
        app::evidenceFromRows(rows.runs, rows.predictions, rows.answers, app::shippedArtifacts(rows.artifacts));
    app::markKnown(evidence, rows.runs, rows.predictions, lesson);
    app::addWork(evidence, rows.artifacts);
    std::erase_if(evidence.runs, [&](const lessons::EvidenceRun& run) { return judged.refused.contains(run.id); });
    const auto take = [](lessons::EvidenceRun& run, const auto& values) {
        if (const auto found = values.find(run.id); found != values.end())
            run.metrics = found->second;
    };
    for (lessons::EvidenceRun& run : evidence.runs) {
        take(run, judged.metrics);
        if (hidden)
            take(run, judged.hidden);
    }
    return evidence;
}

bool isMeasured(const lessons::EvidenceRun& run, const std::string& metric)
{
    const auto found = run.metrics.find(metric);
    return found != run.metrics.end() && found->second.provenance == Provenance::Measured;
}

lessons::CheckState stateWithSlack(const lessons::CheckSpec& check, const lessons::Evidence& evidence, double factor)
{
    lessons::Lesson one;
    one.checks = {check};
    // A bound below zero gets wider in the other direction.
    const auto widen = [factor](std::optional<double>& bound, bool upper) {
        if (bound)
            bound = upper == (*bound > 0) ? *bound * factor : *bound / factor;
    };
    widen(one.checks.front().min, false);
    widen(one.checks.front().max, true);
    return lessons::evaluateChecks(one, evidence).front().state;
}

/// How far measured runs miss the bounds of a check: the least factor by which the bounds have to be widened.
double missOf(const lessons::CheckSpec& check, const lessons::Evidence& evidence)
{
    if (stateWithSlack(check, evidence, kNoCredit) != lessons::CheckState::Passed)
        return kNoCredit * 2;
    double low = 1, high = kNoCredit;
    for (int i = 0; i < 20; ++i) { // to a millionth
        const double middle = std::sqrt(low * high);
        (stateWithSlack(check, evidence, middle) == lessons::CheckState::Passed ? high : low) = middle;
    }
    return high;
}

double creditOf(const lessons::CheckSpec& check, const lessons::CheckOutcome& outcome,
                const lessons::Evidence& evidence)
{
    if (outcome.state == lessons::CheckState::Passed)
        return 1;
    if (outcome.state != lessons::CheckState::Failed || (!check.min && !check.max))
        return 0;
    lessons::Evidence measured = evidence;
    std::erase_if(measured.runs, [&](const lessons::EvidenceRun& run) {
        return run.experiment == check.experiment && !isMeasured(run, check.metric);
    });
    return ratioCredit(missOf(check, measured));
}

constexpr const char* kNotHidden = "passed as handed in, not with the hidden case: ";

void fail(CheckCredit& credit, const std::string& detail)
{
    credit.state = lessons::CheckState::Failed;
    credit.credit = 0;
    credit.detail = kNotHidden + detail;
}

/// The check with one request of the learner's as it came out at a hidden setting: by itself, and where that is too
/// little to tell, among everything else.
lessons::CheckOutcome atHiddenSetting(const lessons::CheckSpec& check, lessons::Evidence evidence,
                                      const std::map<std::string, RunJudgement::Varied>& varied)
{
    for (lessons::EvidenceRun& run : evidence.runs)
        if (const auto found = varied.find(run.id); found != varied.end()) {
            run.params = found->second.params;
            run.metrics = found->second.metrics;
        }
    lessons::Lesson one;
    one.checks = {check};
    lessons::Evidence alone = evidence;
    std::erase_if(alone.runs, [&](const lessons::EvidenceRun& run) { return !varied.contains(run.id); });
    const lessons::CheckOutcome outcome = lessons::evaluateChecks(one, alone).front();
    return outcome.state == lessons::CheckState::Missing ? lessons::evaluateChecks(one, evidence).front() : outcome;
}

std::vector<CheckCredit> creditsOf(const lessons::Lesson& lesson, const record::LearnerRows& rows,
                                   const RunJudgement& judged)
{
    const lessons::Evidence evidence = countingEvidence(lesson, rows, judged, false);
    const auto outcomes = lessons::evaluateChecks(lesson, evidence);
    std::vector<CheckCredit> credits;
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        credits.push_back({outcomes[i].id, outcomes[i].title, outcomes[i].state, outcomes[i].detail,
                           creditOf(lesson.checks[i], outcomes[i], evidence)});
    for (std::size_t i = 0; i < credits.size(); ++i)
        if (const auto varied = judged.varied.find(lesson.checks[i].id);
            varied != judged.varied.end() && credits[i].state == lessons::CheckState::Passed)
            if (const auto outcome = atHiddenSetting(lesson.checks[i], evidence, varied->second);
                outcome.state == lessons::CheckState::Failed)
                fail(credits[i], outcome.detail);
    if (judged.hidden.empty())
        return credits;
    const auto hidden = lessons::evaluateChecks(lesson, countingEvidence(lesson, rows, judged, true));
    for (std::size_t i = 0; i < credits.size(); ++i) {
        // A law, a ratio or a bound has to hold for data that nobody saw; what was predicted or answered has no data.
        if (credits[i].state != lessons::CheckState::Passed || hidden[i].state == lessons::CheckState::Passed ||
            lesson.checks[i].kind == "estimated")
            continue;
        fail(credits[i], hidden[i].detail);
    }
    return credits;
}

bool everyBlock(const lessons::Lesson& lesson, const std::vector<std::string>& kinds, const std::set<std::string>& done)
{
    for (const lessons::Block* block : lesson.blocks())
        if (std::find(kinds.begin(), kinds.end(), block->kind) != kinds.end() && !done.contains(block->id))
            return false;
    return true;
}

LessonSteps stepsOf(const lessons::Lesson& lesson, const record::LearnerRows& rows, const lessons::Evidence& evidence,
                    const std::vector<CheckCredit>& checks)
{
    std::set<std::string> predicted, ran;
    for (const lessons::EvidencePrediction& prediction : evidence.predictions)
        predicted.insert(prediction.block);
    for (const lessons::EvidenceRun& run : evidence.runs)
        ran.insert(run.block);
    LessonSteps steps;
    steps.predicted = everyBlock(lesson, {"predict"}, predicted);
    steps.ran = everyBlock(lesson, {"run", "sweep"}, ran);
    steps.passed = true;
    for (std::size_t i = 0; i < checks.size(); ++i)
        if (lesson.checks[i].kind != "shipped" && checks[i].credit < 1)
            steps.passed = false;
    steps.shipped = evidence.artifacts > 0;
    steps.explained = !rows.reasons.empty() ||
                      std::any_of(evidence.answers.begin(), evidence.answers.end(),
                                  [](const lessons::EvidenceAnswer& answer) { return !answer.given.rating.empty(); }) ||
                      std::any_of(rows.artifacts.begin(), rows.artifacts.end(),
                                  [](const record::ArtifactRow& artifact) { return !artifact.reflection.empty(); });
    return steps;
}

Finding findingOf(const lessons::Block& block, const lessons::PredictBlock& predict,
                  const lessons::EvidencePrediction& prediction, const lessons::Evidence& evidence,
                  const std::vector<record::RunRow>& runs)
{
    Finding finding{"prediction",     block.id,       predict.metric, predict.unit,
                    prediction.point, prediction.low, prediction.high};
    if (const lessons::EvidenceRun* run = lessons::runAfter(prediction, predict, evidence))
        if (const auto value = run->metrics.find(predict.metric); value != run->metrics.end()) {
            finding.result = value->second.value;
            finding.target = run->target;
            if (const auto row = std::ranges::find(runs, run->id, &record::RunRow::id); row != runs.end())
                finding.hardware = hardwareOf(*row);
            finding.provenance = toText(value->second.provenance);
            const double factor =
                lessons::scorePrediction(prediction.point, prediction.low, prediction.high, *finding.result).factor;
            finding.right = std::isnan(factor) ? prediction.point == *finding.result : factor <= kNear;
        }
    const lessons::PredictBlock there = lessons::filled(predict, lessons::pointOf(prediction, predict));
    if (const lessons::Misconception* wrong = lessons::misconceptionOf(there.misconceptions, prediction.point))
        finding.misconception = wrong->id;
    return finding;
}

Finding findingOf(const lessons::Block& block, const lessons::EvidenceAnswer& answer)
{
    Finding finding;
    finding.kind = "answer";
    finding.block = block.id;
    finding.right = lessons::isRight(block, answer.given);
    const lessons::Block there = lessons::asked(block, answer.given);
    const auto* quiz = std::get_if<lessons::QuizBlock>(&there.body);
    if (finding.right || quiz == nullptr)
        return finding;
    if (answer.given.choice)
        finding.misconception = "choice-" + std::to_string(*answer.given.choice + 1);
    if (answer.given.number) {
        finding.point = *answer.given.number;
        finding.unit = quiz->unit;
        if (const auto* wrong = lessons::misconceptionOf(quiz->misconceptions, *answer.given.number))
            finding.misconception = wrong->id;
    }
    return finding;
}

/// The first prediction and the first answer at each block: what somebody thought before the lesson told.
std::vector<Finding> findingsOf(const lessons::Lesson& lesson, const lessons::Evidence& evidence,
                                const std::vector<record::RunRow>& runs)
{
    std::vector<Finding> findings;
    const auto first = [](const auto& list, const std::string& block) {
        const typename std::decay_t<decltype(list)>::value_type* oldest = nullptr;
        for (const auto& one : list)
            if (one.block == block && (oldest == nullptr || one.seq < oldest->seq))
                oldest = &one;
        return oldest;
    };
    for (const lessons::Block* block : lesson.blocks()) {
        if (const auto* predict = std::get_if<lessons::PredictBlock>(&block->body)) {
            if (const auto* prediction = first(evidence.predictions, block->id))
                findings.push_back(findingOf(*block, *predict, *prediction, evidence, runs));
        } else if (block->kind == "quiz" || block->kind == "order") {
            if (const auto* answer = first(evidence.answers, block->id))
                findings.push_back(findingOf(*block, *answer));
        } else if (block->kind == "explain") {
            const lessons::EvidenceAnswer* newest = nullptr;
            for (const lessons::EvidenceAnswer& answer : evidence.answers)
                if (answer.block == block->id && (newest == nullptr || answer.seq > newest->seq))
                    newest = &answer;
            if (newest == nullptr)
                continue;
            Finding finding;
            finding.kind = "explanation";
            finding.block = block->id;
            finding.text = newest->given.text;
            finding.rating = newest->given.rating;
            finding.right = lessons::isRight(*block, newest->given);
            findings.push_back(std::move(finding));
        }
    }
    return findings;
}

const char* stateText(lessons::CheckState state)
{
    return state == lessons::CheckState::Passed   ? "passed"
           : state == lessons::CheckState::Failed ? "failed"
                                                  : "missing";
}

lessons::CheckState stateFrom(const std::string& text)
{
    return text == "passed"   ? lessons::CheckState::Passed
           : text == "failed" ? lessons::CheckState::Failed
                              : lessons::CheckState::Missing;
}

} // namespace

bool looksAt(const lessons::CheckSpec& check, const record::RunRow& run)
{
    if (check.experiment.empty() || run.experiment != check.experiment ||
        (!check.metric.empty() && !run.metrics.contains(check.metric)) || !lessons::matches(run.params, check.where) ||
        (!check.block.empty() && run.block != check.block))
        return false;
    std::vector<ParamSet> named = check.order; // of a ratio both sides, of an order all of them; else none
    for (const ParamSet& side : {check.at, check.over})
        if (!side.empty())
            named.push_back(side);
    return named.empty() ||
           std::ranges::any_of(named, [&](const ParamSet& at) { return lessons::matches(run.params, at); });
}

LessonGrade gradeLesson(const lessons::Lesson& lesson, const record::LearnerRows& rows, const RunJudgement& judged)
{
    LessonGrade grade;
    grade.lesson = lesson.id;
    grade.checks = creditsOf(lesson, rows, judged);
    const lessons::Evidence evidence = countingEvidence(lesson, rows, judged, false);
    grade.steps = stepsOf(lesson, rows, evidence, grade.checks);
    grade.findings = findingsOf(lesson, evidence, rows.runs);
    double sum = 0;
    for (const CheckCredit& check : grade.checks)
        sum += check.credit;
    grade.points = grade.checks.empty() ? 0 : std::min(100.0, 100 * sum / static_cast<double>(grade.checks.size()));
    return grade;
}

std::string hardwareOf(const record::RunRow& run)
{
    const Json& fingerprint = *run.fingerprint;
    const Json target = fingerprint.is_object() ? fingerprint.value("target", Json::object()) : Json::object();
    const auto named = [&](const Json& from, const char* key) {
        const auto found = from.is_object() ? from.find(key) : from.end();
        return from.is_object() && found != from.end() && found->is_string() ? found->template get<std::string>()
                                                                             : std::string();
    };
    const auto parsed = parseTarget(run.target);
    if (parsed && parsed->remote.empty() && parsed->kind->isShipped())
        return parsed->name + " (simulated)";
    if (parsed && parsed->kind->provenance == Provenance::Modelled)
        return {};
    for (const std::string& name : {named(target, "name"), named(target, "model"), named(fingerprint, "cpu")})
        if (!name.empty())
            return name;
    return run.target;
}

std::vector<std::string> hardwareOf(const std::vector<record::RunRow>& runs)
{
    std::set<std::string> names;
    for (const record::RunRow& run : runs)
        if (std::string name = hardwareOf(run); !name.empty())
            names.insert(std::move(name));
    return {names.begin(), names.end()};
}

record::GradeRow toRow(const LessonGrade& grade)
{
    record::GradeRow row;
    row.lesson = grade.lesson;
    row.points = grade.points;
    row.steps = Json{{"predicted", grade.steps.predicted},
                     {"ran", grade.steps.ran},
                     {"passed", grade.steps.passed},
                     {"shipped", grade.steps.shipped},
                     {"explained", grade.steps.explained}};
    Json checks = Json::array(), findings = Json::array();
    for (const CheckCredit& check : grade.checks)
        checks.push_back(Json{{"check", check.check},
                              {"title", check.title},
                              {"state", stateText(check.state)},
                              {"detail", check.detail},
                              {"credit", check.credit}});
    for (const Finding& one : grade.findings) {
        findings.push_back(Json{{"kind", one.kind},
                                {"block", one.block},
                                {"metric", one.metric},
                                {"unit", one.unit},
                                {"point", one.point},
                                {"low", one.low},
                                {"high", one.high},
                                {"result", one.result ? Json(*one.result) : Json()},
                                {"target", one.target},
                                {"provenance", one.provenance},
                                {"hardware", one.hardware},
                                {"misconception", one.misconception},
                                {"right", one.right}});
        if (!one.text.empty())
            findings.back()["text"] = one.text;
        if (!one.rating.empty())
            findings.back()["rating"] = one.rating;
    }
    row.outcomes = std::move(checks);
    row.findings = std::move(findings);
    return row;
}

LessonGrade gradeOf(const record::GradeRow& row)
{
    LessonGrade grade;
    grade.lesson = row.lesson;
    grade.points = row.points;
    const auto flag = [&](const char* name) { return row.steps->is_object() && row.steps->value(name, false); };
    grade.steps = {flag("predicted"), flag("ran"), flag("passed"), flag("shipped"), flag("explained")};
    for (const Json& one : *row.outcomes)
        grade.checks.push_back({one.value("check", ""), one.value("title", ""), stateFrom(one.value("state", "")),
                                one.value("detail", ""), one.value("credit", 0.0)});
    for (const Json& one : *row.findings) {
        Finding finding{one.value("kind", ""),   one.value("block", ""), one.value("metric", ""), one.value("unit", ""),
                        one.value("point", 0.0), one.value("low", 0.0),  one.value("high", 0.0)};
        if (const auto result = one.find("result"); result != one.end() && result->is_number())
            finding.result = result->get<double>();
        finding.target = one.value("target", "");
        finding.provenance = one.value("provenance", "");
        finding.hardware = one.value("hardware", "");
        finding.misconception = one.value("misconception", "");
        finding.right = one.value("right", false);
        finding.text = one.value("text", "");
        finding.rating = one.value("rating", "");
        grade.findings.push_back(std::move(finding));
    }
    return grade;
}

} // namespace ridge::classroom
