// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/feedback_policy.h"
#include "classroom/live/message.h"
#include "lessons/lesson.h"
#include "record/store.h"

namespace ridge::live {

/// The assigned lessons as the assignment carries them. One that does not parse, or has another id, is left out: then
/// nothing of it is told.
std::vector<lessons::Lesson> lessonsOf(const classroom::Assignment& assignment);

/// What the live view would tell of a learner's record at `now` (ISO 8601 UTC): the lesson in hand first, a step note
/// for each lesson, then the first prediction of each block that asks for one. A pass of the checks is told only where
/// this assignment and all of `policy` let the learner see it, since the learner's window shows all that is sent.
/// Errors: those of the store.
Result<std::vector<Note>> ownNotes(const record::Store& store, const classroom::Assignment& assignment,
                                   const std::vector<lessons::Lesson>& lessons, const classroom::FeedbackPolicy& policy,
                                   const std::string& now);

} // namespace ridge::live
