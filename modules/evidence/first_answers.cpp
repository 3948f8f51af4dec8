// SPDX-License-Identifier: GPL-3.0-or-later
#include "evidence/first_answers.h"

#include "evidence/evidence.h"
#include "lessons/instances.h"

#include <algorithm>

namespace ridge::app {

FirstAnswers firstAnswersOf(const lessons::Lesson& lesson, const lessons::Evidence& evidence)
{
    std::vector<const lessons::EvidenceAnswer*> answers;
    for (const lessons::EvidenceAnswer& answer : evidence.answers)
        if (const lessons::Block* block = lesson.block(answer.block); block && block->kind == "quiz")
            answers.push_back(&answer);
    std::ranges::stable_sort(answers, {}, [](const lessons::EvidenceAnswer* answer) { return answer->seq; });
    FirstAnswers first;
    std::vector<std::pair<std::string, lessons::QuizInstance>> used;
    for (const lessons::EvidenceAnswer* answer : answers) {
        std::pair instance(answer->block, lessons::QuizInstance{answer->given.variant, answer->given.vars});
        if (std::ranges::find(used, instance) != used.end())
            continue;
        used.push_back(std::move(instance));
        ++first.of;
        first.right += answer->correct && !answer->given.shown ? 1 : 0;
    }
    return first;
}

Result<std::map<std::string, FirstAnswers>> firstAnswers(const record::Store& store,
                                                         const lessons::Curriculum& curriculum)
{
    std::map<std::string, FirstAnswers> all;
    for (const lessons::Lesson& head : curriculum.heads) {
        const auto answers = store.answers(head.id);
        if (!answers)
            return answers.error();
        if (answers->empty())
            continue;
        const auto lesson = lessons::loadLesson(curriculum, head.id);
        if (!lesson)
            return lesson.error();
        if (const FirstAnswers first = firstAnswersOf(*lesson, evidenceFromRows({}, {}, *answers, 0)); first.of > 0)
            all[head.id] = first;
    }
    return all;
}

} // namespace ridge::app
