// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/remark.h"

#include <QStringDecoder>
#include <algorithm>

namespace ridge::classroom {
namespace {

bool isText(const std::string& text)
{
    QStringDecoder decode(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString decoded = decode(QByteArrayView(text.data(), static_cast<qsizetype>(text.size())));
    return !decode.hasError() && !decoded.contains(QChar::Null);
}

bool goesBy(const record::MemberRow& member, const std::string& whom)
{
    return !whom.empty() && (whom == member.name || whom == member.email || whom == member.studentNumber ||
                             whom == member.login || whom == member.learner);
}

} // namespace

Result<Person> personCalled(const std::string& whom, const std::vector<record::MemberRow>& members,
                            const std::vector<record::SubmissionRow>& submissions)
{
    std::vector<const record::MemberRow*> found;
    for (const record::MemberRow& member : members)
        if (goesBy(member, whom))
            found.push_back(&member);
    if (found.size() > 1)
        return Error{"several-people", std::to_string(found.size()) + " people on the roster are called so", whom,
                     "Name the email, the student number or the learner id"};
    if (found.size() == 1)
        return Person{found.front()->learner, found.front()->name};
    if (std::ranges::find(submissions, whom, &record::SubmissionRow::learner) != submissions.end())
        return Person{whom, {}};
    return Error{"unknown-person", "Nobody on the roster is called so, and no learner handed in under it", whom,
                 "See who is there with ridge class report"};
}

Result<Person> say(OpenClass& open, const Remark& remark)
{
    const auto assignment = open.assignment(remark.assignment);
    if (!assignment)
        return assignment.error();
    if (remark.text.size() > kLongestRemark || !isText(remark.text))
        return Error{"remark-large",
                     remark.text.size() > kLongestRemark
                         ? "The remark has " + std::to_string(remark.text.size()) + " bytes"
                         : std::string("The remark is no UTF-8 text"),
                     remark.whom, "At most " + std::to_string(kLongestRemark) + " bytes of text fit"};
    const auto& lessons = (*assignment)->lessons;
    if (!remark.lesson.empty() && std::ranges::find(lessons, remark.lesson, &AssignedLesson::id) == lessons.end())
        return Error{"unknown-lesson", "The assignment has no lesson " + remark.lesson, (*assignment)->title,
                     "Leave the lesson out to speak about the whole"};
    const auto members = open.school->members();
    const auto submissions = open.school->submissions((*assignment)->id);
    if (!members || !submissions)
        return !members ? members.error() : submissions.error();
    const auto who = personCalled(remark.whom, *members, *submissions);
    if (!who)
        return who;
    const auto about = std::ranges::find(*submissions, who->learner, &record::SubmissionRow::learner);
    if (who->learner.empty() || about == submissions->end())
        return Error{"nothing-handed-in", "Nothing was handed in for " + (*assignment)->title, remark.whom,
                     "Collect the submission first"};
    record::FeedbackRow row;
    row.assignmentId = (*assignment)->id;
    row.learner = who->learner;
    row.lesson = remark.lesson;
    row.text = remark.text;
    row.submissionId = about->id;
    if (auto stored = open.school->append(std::move(row)); !stored)
        return stored.error();
    return who;
}

} // namespace ridge::classroom
