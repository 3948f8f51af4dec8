// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"

#include <set>

namespace ridge::lessons {

/// Lessons that a learner has met when this one is opened: those begun already, and those that come before it on the
/// way (ids in the order in which they are read; empty: the order of the curriculum).
std::set<std::string> metBefore(const std::string& lesson, const std::vector<std::string>& way,
                                const std::set<std::string>& begun, const Curriculum& curriculum);

/// The quiz blocks that this learner is not shown: questions that recall a lesson not met, and those that would have
/// taken the place of a question that is shown.
std::set<std::string> hiddenQuestions(const Lesson& lesson, const std::set<std::string>& met);

} // namespace ridge::lessons
