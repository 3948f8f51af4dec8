// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"
#include "lessons/lesson_evidence.h"
#include "record/store.h"

namespace ridge::app {

/// What somebody answered before the page told anything about the question: of each instance of a quiz the oldest
/// answer alone, right or wrong. An instance whose solution was asked for first was not right.
struct FirstAnswers {
    int of = 0;    ///< instances that were answered
    int right = 0; ///< of them, at the first attempt
    bool operator==(const FirstAnswers&) const = default;
};

/// To all quizzes of a lesson. Answers to other blocks do not count.
FirstAnswers firstAnswersOf(const lessons::Lesson& lesson, const lessons::Evidence& evidence);

/// The same of what the store holds, by lesson; those without an answer are left out. Errors: those of the store and of
/// a lesson's file.
Result<std::map<std::string, FirstAnswers>> firstAnswers(const record::Store& store,
                                                         const lessons::Curriculum& curriculum);

} // namespace ridge::app
