// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/live/board.h"

#include <QList>
#include <QStringList>

// What the live view's tables say. Pure functions of the session's values.
namespace ridge::app {

/// What somebody does at a step, without a judgement: "ran" is "Running", none is "Done".
QString stepWords(const std::string& step);
/// "just now", "4 min", "1 h 10 min".
QString sinceWords(std::int64_t milliseconds);

/// Who, step, for how long, lesson, link: in the order of the board, which has the longest first.
QList<QStringList> whereRows(const live::BoardView& view, const std::map<std::string, std::string>& names,
                             std::int64_t nowMs);
/// Lesson, step, number of learners, without anybody's name: in the order of lessons and steps.
QList<QStringList> countRows(const live::BoardView& view, const std::vector<classroom::AssignedLesson>& lessons);

/// One sentence about what was not taken; empty where nothing was.
QString refusalWords(const live::Refusals& refusals);

/// Whether the session has it, and what: what a learner's switch sends, line by line.
QList<QStringList> sharedRows(const std::vector<live::Note>& notes, const std::vector<live::Note>& taken, bool on);

} // namespace ridge::app
