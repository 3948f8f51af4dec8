// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lint_rules.h"

#include "lessons/text.h"

namespace ridge::lessons {
namespace {

constexpr int kLeastRecalls = 1;
constexpr int kMostRecalls = 3;

/// Ids are module and number, so that their order as texts is the order of the curriculum.
bool standsBefore(const std::string& id, const Lesson& lesson)
{
    return id[0] < lesson.id[0] || (id[0] == lesson.id[0] && lesson.kind == LessonKind::Capstone) ||
           (id[0] == lesson.id[0] && id[2] < lesson.id[2]);
}

bool isPrerequisite(const std::string& id, const Lesson& lesson)
{
    return std::find(lesson.prerequisites.begin(), lesson.prerequisites.end(), id) != lesson.prerequisites.end();
}

/// A lesson that the reader has met before this one, when there is one: a written prerequisite, or in module 1, which
/// is read from its beginning, any written lesson with a lower number.
const Lesson* metBefore(const LintContext& context, const Lesson& lesson)
{
    for (const Lesson& head : context.curriculum.heads)
        if (isPrerequisite(head.id, lesson) ||
            (lesson.module == 1 && head.module == 1 && head.id.size() == 3 && standsBefore(head.id, lesson)))
            return &head;
    return nullptr;
}

void lintRecalledLesson(const LintContext& context, const Lesson& lesson, const Block& block, const std::string& id)
{
    std::vector<std::string> known;
    for (const PlannedLesson& planned : context.curriculum.planned)
        known.push_back(planned.id);
    const std::string name = "quiz '" + block.id + "': 'recalls' names ";
    if (std::find(known.begin(), known.end(), id) == known.end())
        context.problem(block.at, name + "'" + id + "', which is no lesson of the curriculum" + didYouMean(id, known));
    else if (!standsBefore(id, lesson) && !isPrerequisite(id, lesson))
        context.problem(block.at, name + "lesson " + id +
                                      ", which the reader has not met; name an earlier lesson or a prerequisite");
}

} // namespace

void lintRecall(const LintContext& context, const Lesson& lesson)
{
    if (lesson.id.size() < 3)
        return;
    int recalls = 0;
    for (const Block* block : lesson.blocks()) {
        const auto* quiz = std::get_if<QuizBlock>(&block->body);
        if (!quiz || quiz->recalls.size() != 3)
            continue;
        lintRecalledLesson(context, lesson, *block, quiz->recalls);
        ++recalls;
    }
    if (lesson.kind == LessonKind::Capstone)
        return; // all of it brings its module back
    const Lesson* earlier = metBefore(context, lesson);
    if (earlier && recalls < kLeastRecalls)
        context.problem(lesson.at, "the lesson builds on " + earlier->id + " and asks " + std::to_string(recalls) +
                                       " questions with 'recalls'; ask one, where the lesson uses the answer");
    if (recalls > kMostRecalls)
        context.problem(lesson.at, std::to_string(recalls) + " questions with 'recalls'; keep at most three");
}

} // namespace ridge::lessons
