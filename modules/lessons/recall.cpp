// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/recall.h"

#include <algorithm>

namespace ridge::lessons {

std::set<std::string> metBefore(const std::string& lesson, const std::vector<std::string>& way,
                                const std::set<std::string>& begun, const Curriculum& curriculum)
{
    std::set<std::string> met = begun;
    std::vector<std::string> order = way;
    if (order.empty())
        for (const PlannedLesson& planned : curriculum.planned)
            order.push_back(planned.id);
    // A capstone ends its module: all of that was before it.
    const auto isBefore = [&](const std::string& id) { return lesson.ends_with(".capstone") && id[0] == lesson[0]; };
    const auto here = std::find(order.begin(), order.end(), lesson);
    for (auto at = order.begin(); at != order.end(); ++at)
        if ((here != order.end() && at < here) || isBefore(*at))
            met.insert(*at);
    // A lesson off the way was looked up by itself: nothing is known but what was begun, and what it builds on.
    if (const Lesson* head = curriculum.head(lesson))
        met.insert(head->prerequisites.begin(), head->prerequisites.end());
    return met;
}

std::set<std::string> hiddenQuestions(const Lesson& lesson, const std::set<std::string>& met)
{
    std::set<std::string> hidden;
    for (const Block* block : lesson.blocks()) {
        const auto* quiz = std::get_if<QuizBlock>(&block->body);
        if (!quiz)
            continue;
        const bool unmet = !quiz->recalls.empty() && !met.contains(quiz->recalls);
        if (unmet)
            hidden.insert(block->id);
        if (!quiz->instead.empty() && !hidden.contains(block->id))
            hidden.insert(quiz->instead);
    }
    return hidden;
}

} // namespace ridge::lessons
