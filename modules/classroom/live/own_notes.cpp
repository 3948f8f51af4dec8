// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/live/own_notes.h"

#include "classroom/grade.h"

#include <algorithm>

namespace ridge::live {
namespace {

Result<record::LearnerRows> rowsOf(const record::Store& store, const std::string& lesson)
{
    auto runs = store.runs({.lesson = lesson});
    auto predictions = store.predictions(lesson);
    auto answers = store.answers(lesson);
    auto artifacts = store.artifacts(lesson);
    for (const std::optional<Error>& error : {runs ? std::nullopt : std::optional(runs.error()),
                                              predictions ? std::nullopt : std::optional(predictions.error()),
                                              answers ? std::nullopt : std::optional(answers.error()),
                                              artifacts ? std::nullopt : std::optional(artifacts.error())})
        if (error)
            return *error;
    record::LearnerRows rows{std::move(*runs), std::move(*predictions), std::move(*answers), {}, std::move(*artifacts)};
    for (const record::PredictionRow& prediction : rows.predictions) {
        auto reasons = store.reasons(prediction.id);
        if (!reasons)
            return reasons.error();
        rows.reasons.insert(rows.reasons.end(), reasons->begin(), reasons->end());
    }
    return rows;
}

/// When the learner last did something in a lesson; empty: never.
std::string lastTime(const record::LearnerRows& rows)
{
    std::string last;
    const auto look = [&](const auto& list) {
        for (const auto& row : list)
            last = std::max(last, row.createdAt);
    };
    look(rows.runs);
    look(rows.predictions);
    look(rows.answers);
    look(rows.reasons);
    look(rows.artifacts);
    return last;
}

void addPredictions(std::vector<Note>& notes, const lessons::Lesson& lesson, const record::LearnerRows& rows)
{
    for (const lessons::Block* block : lesson.blocks()) {
        const auto* predict = std::get_if<lessons::PredictBlock>(&block->body);
        if (!predict)
            continue;
        const record::PredictionRow* first = nullptr;
        for (const record::PredictionRow& row : rows.predictions)
            if (row.block == block->id && (!first || row.seq < first->seq))
                first = &row;
        if (first)
            notes.push_back(PredictionNote{lesson.id, block->id, predict->unit, first->point, first->low, first->high});
    }
}

} // namespace

std::vector<lessons::Lesson> lessonsOf(const classroom::Assignment& assignment)
{
    std::vector<lessons::Lesson> all;
    for (const classroom::AssignedLesson& assigned : assignment.lessons)
        if (auto parsed = lessons::parseLesson(assigned.text, assigned.id + ".md");
            parsed.lesson && parsed.lesson->id == assigned.id)
            all.push_back(std::move(*parsed.lesson));
    return all;
}

Result<std::vector<Note>> ownNotes(const record::Store& store, const classroom::Assignment& assignment,
                                   const std::vector<lessons::Lesson>& lessons, const classroom::FeedbackPolicy& policy,
                                   const std::string& now)
{
    std::vector<Note> steps, predictions;
    std::size_t here = 0;
    std::string newest;
    for (const lessons::Lesson& lesson : lessons) {
        const auto rows = rowsOf(store, lesson.id);
        if (!rows)
            return rows.error();
        const classroom::LessonSteps done = classroom::gradeLesson(lesson, *rows).steps;
        StepNote note{lesson.id, {done.predicted, done.ran, done.passed, done.shipped, done.explained}};
        if (!classroom::mayShow(assignment, "passed", now) || policy.held(lesson.id, classroom::Outcome::Check, now)) {
            note.passedHeldBack = true;
            note.done[2] = false;
        }
        if (const std::string last = lastTime(*rows); last > newest) {
            newest = last;
            here = steps.size();
        }
        steps.push_back(std::move(note));
        addPredictions(predictions, lesson, *rows);
    }
    if (steps.empty())
        return predictions;
    std::get<StepNote>(steps[here]).here = true;
    std::rotate(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(here),
                steps.begin() + static_cast<std::ptrdiff_t>(here) + 1);
    steps.insert(steps.end(), predictions.begin(), predictions.end());
    return steps;
}

} // namespace ridge::live
