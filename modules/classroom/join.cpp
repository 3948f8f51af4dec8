// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/join.h"

#include "classroom/remark.h"

#include <algorithm>

namespace ridge::classroom {

Result<Person> joinLearner(OpenClass& open, const std::string& learner, const std::string& whom)
{
    auto members = open.school->members();
    if (!members)
        return members.error();
    const auto called = personCalled(whom, *members, {});
    if (!called)
        return called.error();
    const auto is = [&](const record::MemberRow& member) {
        return member.name == called->name && member.learner == called->learner &&
               (whom == member.name || whom == member.email || whom == member.studentNumber || whom == member.login ||
                whom == member.learner);
    };
    const auto member = std::ranges::find_if(*members, is);
    bool handedIn = false, own = false;
    for (const Assignment& assignment : open.assignments) {
        const auto submissions = open.school->submissions(assignment.id);
        if (!submissions)
            return submissions.error();
        for (const record::SubmissionRow& submission : *submissions) {
            handedIn = handedIn || submission.learner == learner;
            own = own || (!member->learner.empty() && submission.learner == member->learner);
        }
    }
    if (!handedIn)
        return Error{"unknown-learner", "Nothing was handed in under " + learner, learner,
                     "See which ids there are with ridge class report"};
    if (member->learner == learner)
        return *called;
    if (own)
        return Error{"has-handed-in", member->name + " has handed in under " + member->learner, whom,
                     "Ask which of the two files counts, and take the other out with ridge class forget " + learner};
    std::vector<record::MemberRow> changed;
    for (record::MemberRow& other : *members)
        if (other.learner == learner) {
            other.learner.clear();
            changed.push_back(other);
        }
    member->learner = learner;
    changed.push_back(*member);
    const Person joined{learner, member->name};
    if (auto stored = open.school->append(std::move(changed)); !stored)
        return stored.error();
    return joined;
}

} // namespace ridge::classroom
