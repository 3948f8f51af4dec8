// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/class_folder.h"
#include "record/files/content_files.h"

namespace ridge::classroom {

/// Somebody, by the pseudonym and, where the roster knows it, the name.
struct Person {
    std::string learner; ///< empty: on the roster, and nothing handed in
    std::string name;    ///< empty: not on the roster
    bool operator==(const Person&) const = default;
};

struct OddFile {
    std::string file;
    std::string reason; ///< what is wrong and what to do
};

struct CollectReport {
    std::string classTitle, assignment; ///< title of the newest assignment, of which late and missing speak
    int files = 0;                      ///< submissions that were found
    int merged = 0, duplicates = 0;
    std::vector<Person> late, missing;
    std::vector<OddFile> odd; ///< those refused, and taken in with a notice
    int rows = 0;             ///< newly added
    double seconds = 0;
};

struct CollectOptions {
    std::string now = {};                              ///< ISO 8601 UTC; empty: now
    std::function<bool(int done, int all)> progress{}; ///< false: stop after this file
};

/// Takes every submission below a folder (any depth, links not followed) into the class: opened, checked, merged row by
/// row, and graded by the instructor's own checks. One that cannot be read stops none of the others. A file may be a
/// single submission, too. Done again it adds nothing. What is refused is kept with its reason (refusal.h). Learners
/// are matched to the roster by learner id, by the name they gave when nobody else has it, or by the name that a
/// learning platform put in front of the file or its folder. Errors: those of the database; "cannot-read" where there
/// is no such folder.
Result<CollectReport> collect(OpenClass& open, const lessons::Curriculum& curriculum,
                              const std::filesystem::path& folder, const CollectOptions& options = {});

/// Grades of submissions, the newest of their learners, from the rows and files that the class has.
Result<std::vector<record::GradeRow>> gradesOf(record::School& school,
                                               const std::vector<record::SubmissionRow>& submissions,
                                               const std::vector<lessons::Lesson>& lessons,
                                               const record::ContentFiles& files);

/// The member whose name the learner gave or a platform wrote in front of the file; only where one member alone has
/// that name and no learner yet. Moodle: "Ada Lovelace_1234_assignsubmission_file_/", Canvas: "lovelaceada_12_34_".
const record::MemberRow* memberByName(const std::vector<record::MemberRow>& members, const std::string& given,
                                      const std::filesystem::path& file);

/// The same whether or not that member has a learner already; null where nobody, or more than one, is called so.
const record::MemberRow* memberNamed(const std::vector<record::MemberRow>& members, const std::string& given,
                                     const std::filesystem::path& file);

Json toJson(const CollectReport& report);
Json toJson(const Person& person);

} // namespace ridge::classroom
