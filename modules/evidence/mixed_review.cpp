// SPDX-License-Identifier: GPL-3.0-or-later
#include "evidence/mixed_review.h"

#include "evidence/evidence.h"
#include "lessons/instances.h"
#include "lessons/placement.h"

#include <algorithm>

namespace ridge::app {
namespace {

/// Lessons of modules whose area was answered rightly, the newest answers counting.
Result<std::set<std::string>> knownByPlacement(const record::Store& store, const lessons::Curriculum& curriculum)
{
    std::set<std::string> known;
    const lessons::LoadedPlacement loaded = lessons::loadPlacement(curriculum);
    if (!loaded.placement)
        return known;
    auto rows = store.answers(std::string(lessons::kPlacementLesson));
    if (!rows)
        return rows.error();
    std::ranges::sort(*rows, std::greater(), &record::AnswerRow::seq);
    std::vector<lessons::PlacementAnswer> answers;
    for (const record::AnswerRow& row : *rows)
        if (std::ranges::find(answers, row.block, &lessons::PlacementAnswer::question) == answers.end())
            answers.push_back({row.block, row.correct});
    for (const lessons::Lesson& head : curriculum.heads)
        if (const lessons::PlacementArea* area = loaded.placement->areaOf(head.module);
            area && lessons::standingOf(*area, answers) == lessons::Standing::Known)
            known.insert(head.id);
    return known;
}

} // namespace

Result<MixedRecord> mixedRecord(const record::Store& store, const lessons::Curriculum& curriculum,
                                const std::vector<lessons::MixedSet>& sets, const Discretion& discretion)
{
    MixedRecord all;
    const auto known = knownByPlacement(store, curriculum);
    if (!known)
        return known.error();
    std::set<std::string> lessons, asked;
    for (const lessons::MixedSet& set : sets)
        for (const lessons::MixedQuestion& question : set.questions) {
            lessons.insert(question.lesson);
            asked.insert(question.asks);
        }
    const auto held = [&](const std::string& lesson) {
        return std::ranges::any_of(
            std::array{&discretion.predictions, &discretion.checks, &discretion.explained, &discretion.standing},
            [&](const Discretion::Ask* ask) { return !Discretion::reason(*ask, lesson).empty(); });
    };
    for (const std::string& lesson : asked) {
        if (held(lesson))
            continue;
        bool begun = known->contains(lesson);
        if (!begun) {
            const auto answers = store.answers(lesson);
            if (!answers)
                return answers.error();
            // What was asked in a mixed set is no beginning of the lesson.
            begun = std::ranges::any_of(
                *answers, [](const record::AnswerRow& row) { return lessons::askedIn(row.block).empty(); });
        }
        if (!begun) {
            const auto predictions = store.predictions(lesson);
            if (!predictions)
                return predictions.error();
            begun = !predictions->empty();
        }
        if (begun)
            all.met.insert(lesson);
    }
    for (const std::string& lesson : lessons) {
        auto answers = store.answers(lesson);
        if (!answers)
            return answers.error();
        std::ranges::sort(*answers, {}, &record::AnswerRow::seq);
        std::set<std::string> askings;
        for (const record::AnswerRow& row : *answers) {
            const std::string block = lessons::askedIn(row.block);
            if (block.empty() || !askings.insert(row.block).second)
                continue; // the first answer of an asking counts
            lessons::MixedHistory& one = all.history[lesson + "#" + block];
            one.last = row.seq;
            one.missed = !row.correct;
            ++one.times;
        }
    }
    return all;
}

Result<lessons::Block> mixedInstance(const record::Store& store, const lessons::Lesson& lesson,
                                     const lessons::MixedQuestion& question, int nth)
{
    const lessons::Block* original = lesson.block(question.block);
    if (!original || !std::holds_alternative<lessons::QuizBlock>(original->body))
        return Error{"unknown-block", "the lesson does not ask this any more: " + question.block,
                     "lesson " + question.lesson, ""};
    const auto rows = store.answers(lesson.id);
    if (!rows)
        return rows.error();
    lessons::Block block = *original;
    block.id = lessons::mixedBlock(question.block, nth);
    auto& quiz = std::get<lessons::QuizBlock>(block.body);
    quiz.recalls.clear(); // it is asked because the matter was met
    quiz.instead.clear();
    std::vector<ParamSet> used;
    for (const lessons::EvidenceAnswer& answer : evidenceFromRows({}, {}, *rows, 0).answers)
        if (answer.block != block.id &&
            (answer.block == question.block || lessons::askedIn(answer.block) == question.block))
            used.push_back(answer.given.vars);
    std::vector<ParamSet> fresh;
    std::ranges::copy_if(quiz.vars, std::back_inserter(fresh),
                         [&](const ParamSet& vars) { return std::ranges::find(used, vars) == used.end(); });
    if (!fresh.empty())
        quiz.vars = std::move(fresh);
    return block;
}

} // namespace ridge::app
