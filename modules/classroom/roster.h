// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/record/school_rows.h"

namespace ridge::classroom {

/// A roster as an instructor has it: names stay on the instructor's side, submissions carry a pseudonymous id.
struct Roster {
    std::vector<record::MemberRow> members;
    std::vector<std::string> notes; ///< rows that were left out, each with its line and why
};

/// Reads a CSV with a header. Columns, by any of the names that Moodle, Canvas and spreadsheets use: name (or first and
/// last name), email, student number, login, section, and learner (the "L-…" id that the program shows to a student).
/// In Canvas's own export "ID" is Canvas's number of a person, which its grades go back with. A row needs a name; a
/// second row with the same email, number, login or learner id is left out with a note. Errors: "bad-csv" (also where
/// there is no column with names, or no row at all).
Result<Roster> parseRoster(std::string_view text, const std::string& place);

/// What a learner may have agreed to tell in a submission.
struct ClaimedIdentity {
    std::string name, email, studentNumber;
};

/// The member that a submission belongs to: by learner id where the roster has it, else by email, else by student
/// number. Names are no key: two people may share one. Null where nobody fits.
const record::MemberRow* memberOf(const std::vector<record::MemberRow>& members, const std::string& learner,
                                  const ClaimedIdentity& claimed);

/// One line of a grades file. A learner who is not on the roster has an empty member and goes by the learner id.
struct GradeLine {
    record::MemberRow member;
    std::optional<double> grade; ///< 0 to 100; none: nothing was handed in
    std::string feedback;        ///< plain text
};

/// A CSV that Moodle's grade import takes (docs.moodle.org, "Grade import"): the columns of Moodle's own export, "First
/// name", "Last name", "ID number", "Email address", then "<title> (Real)" and "<title> (Feedback)". Map "Email
/// address" to the user's email. Both grade and feedback are there because Moodle clears what a mapped import leaves
/// out.
std::string moodleGrades(const std::string& title, const std::vector<GradeLine>& lines);

/// A CSV that Canvas's gradebook import takes (lib/gradebook_importer.rb of instructure/canvas-lms): "Student", "ID",
/// "SIS User ID", "SIS Login ID", "Section", the assignment, and the row "    Points Possible". ID is what a
/// Canvas roster gave, else empty: Canvas then finds people by SIS user id, SIS login id, and name.
std::string canvasGrades(const std::string& title, const std::vector<GradeLine>& lines);

/// "78.5": two digits at most, a point whatever the locale.
std::string gradeText(double grade);

} // namespace ridge::classroom
