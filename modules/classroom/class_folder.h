// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/assignment.h"
#include "classroom/record/school.h"
#include "lessons/curriculum.h"

namespace ridge::classroom {

/// A class of this instructor: `home`/classes/<slug>/ with class.json, keys/, assignments/ and, on SQLite, the rows.
struct ClassPlace {
    std::string slug, title;
    record::SchoolPlace store;
};

/// Where a class keeps what re-checking it has run (rememberedRuns).
std::filesystem::path runMemoryOf(const ClassPlace& place);

/// All classes, by slug. A folder without a readable class.json is left out.
std::vector<ClassPlace> classes(const std::filesystem::path& home);

/// Whether there is a class of that slug: looks for one file and opens nothing.
bool classExists(const std::filesystem::path& home, const std::string& slug);

/// By slug, or the only one when `slug` is empty. `database` takes the place of the one that the class was made with.
/// Errors: "unknown-class" (names those there are).
Result<ClassPlace> findClass(const std::filesystem::path& home, const std::string& slug,
                             const std::string& database = {});

/// A class in use. Belongs to one thread, as School does.
struct OpenClass {
    ClassPlace place;
    ClassKeys keys; ///< empty in a class that was opened for reading and has none
    std::unique_ptr<record::School> school;
    std::vector<Assignment> assignments; ///< oldest first, as they were given out

    /// By id, by the beginning of an id, or by title; the newest when `name` is empty. Error "unknown-assignment".
    Result<const Assignment*> assignment(const std::string& name) const;
};
/// Errors: those of School::open, classKeys and readAssignment.
Result<OpenClass> openClass(const ClassPlace& place, bool readOnly = false);

/// The lessons with these ids as they are assigned, their files as they stand in the curriculum; digests are left open.
/// Errors: "unknown-lesson", those of files.
Result<std::vector<AssignedLesson>> assignedLessons(const lessons::Curriculum& curriculum,
                                                    const std::vector<std::string>& ids);

struct NewAssignment {
    std::string name;  ///< of the class, as a person says it: "Spring 2027"
    std::string title; ///< of the assignment; empty: the class's name
    std::vector<std::string> lessons;
    std::string deadline; ///< ISO 8601; empty: none
    std::string teacher;
    std::string database; ///< PostgreSQL; empty: SQLite in the class's folder
    std::map<std::string, FeedbackWhen> feedback;
    std::string roster;      ///< text of a CSV; empty: none
    std::string rosterPlace; ///< its name, for messages
    bool sealed = true;
};
struct MadeAssignment {
    ClassPlace place;
    Assignment assignment;
    std::string bytes = {};         ///< of the `.ridgeclass`
    std::filesystem::path kept;     ///< the class's own copy
    std::vector<std::string> notes; ///< of the roster
};
/// Makes the class where there is none of that name, and a further assignment where there is. Errors: "unknown-lesson",
/// "bad-deadline", "bad-name" (nothing is left of it, or it is the name of a page), those of parseRoster,
/// createAssignment and School.
Result<MadeAssignment> makeAssignment(const std::filesystem::path& home, const lessons::Curriculum& curriculum,
                                      const NewAssignment& wanted);

/// A class around an assignment that was made elsewhere: a generated one, or one whose keys are brought along by hand.
/// Sealed submissions open only with those keys. Errors: as makeAssignment, and those of readAssignment.
Result<MadeAssignment> adoptAssignment(const std::filesystem::path& home, const NewAssignment& wanted,
                                       std::string_view bytes, const std::string& file);

/// Reads a roster into the class: people who are there already (same email, number, login or learner id) are brought up
/// to date, nobody is taken off. Gives the roster's notes.
Result<std::vector<std::string>> takeRoster(record::School& school, std::string_view text, const std::string& place);

/// The instructor's own copies of the assigned lessons. Errors: those of loadLesson.
Result<std::vector<lessons::Lesson>> ownLessons(const lessons::Curriculum& curriculum, const Assignment& assignment);

/// "spring-2027": letters and digits in lower case and without accents, the rest as one dash. Letters that ASCII has
/// nothing for give eight digits of the name's SHA-256 at the end. Empty where there is no letter or digit.
std::string slugOf(const std::string& name);

} // namespace ridge::classroom
