// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/collect.h"

namespace ridge::classroom {

/// What the instructor says to somebody about what was handed in.
struct Remark {
    std::string assignment = {}; ///< as OpenClass::assignment
    std::string whom;            ///< learner id; or name, email, student number or login of the roster
    std::string lesson = {};     ///< empty: about the whole
    std::string text;            ///< empty: takes back what was said
};

/// Whoever of a roster or of those who handed in is called so, as Remark::whom. Errors: "unknown-person",
/// "several-people".
Result<Person> personCalled(const std::string& whom, const std::vector<record::MemberRow>& members,
                            const std::vector<record::SubmissionRow>& submissions);

inline constexpr std::size_t kLongestRemark = 8000; ///< bytes

/// Attaches a remark to somebody's newest submission: a row that is never changed, on the disk when this returns. The
/// newest of a learner and lesson counts, in the feedback page and in the feedback column of a grades file.
/// Errors: "unknown-person" (nobody on the roster and no learner is called so), "several-people" (more than one),
/// "nothing-handed-in", "unknown-lesson" (not in the assignment), "remark-large" (also: not UTF-8 text),
/// "unknown-assignment", those of the database.
Result<Person> say(OpenClass& open, const Remark& remark);

} // namespace ridge::classroom
