// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/decide.h"

#include "base/json.h"
#include "classroom/open_work.h"
#include "classroom/remark.h"
#include "record/clock.h"

#include <algorithm>

namespace ridge::classroom {

Result<Decided> decide(OpenClass& open, const Decision& decision)
{
    const auto assignment = open.assignment(decision.assignment);
    if (!assignment)
        return assignment.error();
    const auto& lessons = (*assignment)->lessons;
    if (!decision.lesson.empty() && std::ranges::find(lessons, decision.lesson, &AssignedLesson::id) == lessons.end())
        return Error{"unknown-lesson", "The assignment has no lesson " + decision.lesson, (*assignment)->title,
                     "See which are open with ridge class report"};
    const std::string by = decision.by.empty() ? (*assignment)->teacher : decision.by;
    if (by.empty())
        return Error{"bad-argument", "The assignment names no teacher, and nobody is named who decides", "--by",
                     "Say who decides: --by \"R. Hopper\""};
    const auto members = open.school->members();
    const auto submissions = open.school->submissions((*assignment)->id);
    const auto grades = open.school->grades((*assignment)->id);
    if (!members || !submissions || !grades)
        return !members ? members.error() : !submissions ? submissions.error() : grades.error();
    const auto who = personCalled(decision.whom, *members, *submissions);
    if (!who)
        return who.error();
    const record::GradeRow* found = nullptr;
    for (const record::GradeRow& grade : *grades) {
        const auto work = openWorkOf(grade);
        if (grade.learner != who->learner || !work || work->points <= 0 ||
            (!decision.lesson.empty() && grade.lesson != decision.lesson))
            continue;
        if (found != nullptr)
            return Error{"several-lessons",
                         "Work of several lessons is open (" + found->lesson + ", " + grade.lesson + ")", decision.whom,
                         "Name one of them with --lesson"};
        found = &grade;
    }
    if (who->learner.empty() || found == nullptr)
        return Error{"nothing-open",
                     "No points wait for a decision" +
                         (decision.lesson.empty() ? std::string() : " in lesson " + decision.lesson),
                     decision.whom, "ridge class regrade finds what cannot be run again; ridge class report lists it"};
    record::DecisionRow row;
    row.assignmentId = (*assignment)->id;
    row.submissionId = found->submissionId;
    row.learner = found->learner;
    row.lesson = found->lesson;
    row.accepted = decision.accept;
    row.decidedBy = by;
    row.createdAt = record::timeStamp().toStdString();
    record::GradeRow grade = *found;
    applyDecision(grade, row);
    row.points = grade.points;
    if (auto stored = open.school->append(row, grade); !stored)
        return stored.error();
    return Decided{*who, row.lesson, by, row.points};
}

} // namespace ridge::classroom
