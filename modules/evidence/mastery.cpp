// SPDX-License-Identifier: GPL-3.0-or-later
#include "evidence/mastery.h"

#include "base/json.h"
#include "evidence/evidence.h"
#include "evidence/first_answers.h"

#include <algorithm>
#include <cmath>

namespace ridge::app {

namespace {

bool allPass(const std::vector<lessons::CheckOutcome>& checks)
{
    return !checks.empty() && std::ranges::all_of(checks, [](const lessons::CheckOutcome& check) {
        return check.state == lessons::CheckState::Passed;
    });
}

/// The oldest prediction of a block that a run answers, with that run.
struct FirstGuess {
    const lessons::EvidencePrediction* prediction = nullptr;
    const lessons::EvidenceRun* run = nullptr;
};

FirstGuess firstGuess(const lessons::Block& block, const lessons::PredictBlock& predict,
                      const lessons::Evidence& evidence)
{
    FirstGuess first;
    for (const lessons::EvidencePrediction& prediction : evidence.predictions) {
        if (prediction.block != block.id || (first.prediction && first.prediction->seq < prediction.seq))
            continue;
        const lessons::EvidenceRun* run = lessons::runAfter(prediction, predict, evidence);
        if (run && run->metrics.contains(predict.metric))
            first = {&prediction, run};
    }
    return first;
}

/// The runs that answered first predictions, and what the questions got at the first attempt: the view `mastery` reads
/// the latter.
Json evidenceIds(const lessons::Lesson& lesson, const lessons::Evidence& evidence)
{
    Json runs = Json::array();
    for (const lessons::Block* block : lesson.blocks())
        if (const auto* predict = std::get_if<lessons::PredictBlock>(&block->body))
            if (const FirstGuess guess = firstGuess(*block, *predict, evidence); guess.run)
                runs.push_back(guess.run->id);
    const FirstAnswers first = firstAnswersOf(lesson, evidence);
    return Json{{"runs", runs}, {"first_answers", {{"of", first.of}, {"right", first.right}}}};
}

/// Every exit question: written and rated where it is an `explain` block, answered rightly once where it is another.
bool explained(const lessons::Lesson& lesson, const lessons::Evidence& evidence)
{
    bool any = false;
    for (const lessons::Section& section : lesson.sections) {
        if (section.title != lessons::kSectionTitles.back())
            continue;
        for (const lessons::Segment& segment : section.segments) {
            const auto* block = std::get_if<lessons::Block>(&segment);
            if (!block || (block->kind != "quiz" && block->kind != "order" && block->kind != "explain"))
                continue;
            any = true;
            if (std::ranges::none_of(evidence.answers, [&](const lessons::EvidenceAnswer& answer) {
                    return answer.block == block->id && answer.correct;
                }))
                return false;
        }
    }
    return any;
}

} // namespace

std::string masteryText(record::MasteryLevel level)
{
    switch (level) {
    case record::MasteryLevel::None:
        return "Not yet";
    case record::MasteryLevel::Met:
        return "Met";
    case record::MasteryLevel::Solid:
        return "Solid";
    case record::MasteryLevel::Mastered:
        return "Mastered";
    }
    return {};
}

std::optional<double> worstFirstFactor(const lessons::Lesson& lesson, const lessons::Evidence& evidence)
{
    std::optional<double> worst;
    for (const lessons::Block* block : lesson.blocks()) {
        const auto* predict = std::get_if<lessons::PredictBlock>(&block->body);
        if (!predict)
            continue;
        const FirstGuess guess = firstGuess(*block, *predict, evidence);
        if (!guess.prediction)
            continue;
        const auto score =
            lessons::scorePrediction(guess.prediction->point, guess.prediction->low, guess.prediction->high,
                                     guess.run->metrics.at(predict->metric).value);
        if (std::isnan(score.factor) && !score.insideInterval)
            return std::nullopt;
        worst = std::max(worst.value_or(1), std::isnan(score.factor) ? 1 : score.factor);
    }
    return worst;
}

Result<std::optional<record::OutcomeRow>> outcomeOwed(const record::Store& store, const lessons::Lesson& lesson)
{
    const auto outcomes = store.outcomes(lesson.id);
    if (!outcomes)
        return outcomes.error();
    const bool noted = std::ranges::any_of(
        *outcomes, [](const record::OutcomeRow& row) { return row.context == "lesson" && row.state == "passed"; });
    if (noted)
        return std::optional<record::OutcomeRow>();
    const auto evidence = evidenceFromStore(store, lesson);
    if (!evidence)
        return evidence.error();
    if (!allPass(lessons::evaluateChecks(lesson, *evidence)))
        return std::optional<record::OutcomeRow>();
    record::OutcomeRow row;
    row.lesson = lesson.id;
    row.state = "passed";
    row.context = "lesson";
    row.factor = worstFirstFactor(lesson, *evidence);
    *row.evidence = evidenceIds(lesson, *evidence);
    return std::optional(std::move(row));
}

Result<std::vector<LessonStanding>> standings(const record::Store& store, const lessons::Curriculum& curriculum)
{
    const auto mastery = store.mastery();
    if (!mastery)
        return mastery.error();
    std::vector<LessonStanding> all;
    for (const lessons::Lesson& head : curriculum.heads) {
        const auto predictions = store.predictions(head.id);
        const auto answers = store.answers(head.id);
        const auto artifacts = store.artifacts(head.id);
        const auto ran = hasCountingRun(store, head.id);
        if (!predictions || !answers || !artifacts || !ran)
            return !predictions ? predictions.error()
                   : !answers   ? answers.error()
                   : !artifacts ? artifacts.error()
                                : ran.error();
        lessons::Evidence evidence = evidenceFromRows({}, *predictions, *answers, shippedArtifacts(*artifacts));
        LessonStanding standing;
        standing.id = head.id;
        standing.title = head.title;
        standing.module = head.module;
        standing.layers = head.layers;
        standing.predicted = !evidence.predictions.empty();
        standing.ran = *ran;
        standing.shipped = evidence.artifacts > 0;
        // A lesson without a row needs no parsing: nothing of it can be passed.
        if (standing.ran || !evidence.answers.empty()) {
            const auto lesson = lessons::loadLesson(curriculum, head.id);
            if (!lesson)
                return lesson.error();
            standing.explained = explained(*lesson, evidence);
            if (const auto added = addWork(evidence, store, *lesson); !added)
                return added.error();
            // Runs are many: they are read only where they alone decide.
            if (lessons::mayPass(*lesson, evidence)) {
                auto runs = runsForChecks(store, *lesson, evidence.predictions);
                if (!runs)
                    return runs.error();
                evidence.runs = std::move(*runs);
                if (const auto marked = markKnown(evidence, store, *predictions, *lesson); !marked)
                    return marked.error();
                standing.passed = allPass(lessons::evaluateChecks(*lesson, evidence));
            }
        }
        for (const record::LessonMastery& row : *mastery)
            if (row.lesson == head.id) {
                standing.level = row.level;
                standing.passedAt = row.passedAt;
            }
        all.push_back(std::move(standing));
    }
    return all;
}

std::vector<LayerSkill> skillByLayer(const std::vector<LessonStanding>& standings)
{
    std::map<std::string, LayerSkill> byLayer;
    for (const LessonStanding& standing : standings)
        for (const std::string& layer : standing.layers) {
            LayerSkill& skill = byLayer[layer];
            skill.layer = layer;
            ++skill.lessons;
            if (!standing.levelHeld.empty())
                continue;
            skill.met += standing.level >= record::MasteryLevel::Met;
            skill.solid += standing.level >= record::MasteryLevel::Solid;
            skill.mastered += standing.level >= record::MasteryLevel::Mastered;
        }
    std::vector<LayerSkill> skills;
    for (auto& [layer, skill] : byLayer)
        skills.push_back(std::move(skill));
    return skills;
}

} // namespace ridge::app
