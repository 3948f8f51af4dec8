// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/class_folder.h"

namespace ridge::classroom {

/// What a class has of one person, before anything is done about it.
struct HeldOf {
    record::SchoolPerson person;
    std::map<std::string, int> rows;          ///< by table, without those that are empty
    int files = 0;                            ///< that rows name
    std::vector<std::filesystem::path> pages; ///< of feedback in the class's folder that are theirs
};

/// `whom`: learner id, or name, email, student number or login of the roster. Errors: "unknown-person",
/// "several-people", those of the database.
Result<HeldOf> heldOf(OpenClass& open, const std::string& whom);

/// Takes a person out of the class: pages of feedback, what re-checks have run (it may hold code; it is made again),
/// all rows and files. Done again after an interruption it goes on where it was. What was collected lies where it was
/// collected, and copies of the class elsewhere are copies: neither is reached. Errors: those of files and the
/// database.
Result<record::Forgotten> forget(OpenClass& open, const HeldOf& held);

/// Writes all that the class has of a person into a folder that is new or empty: learner.json (rows by table, columns
/// as in docs/bundles.md), files/ by SHA-256, feedback/, README.txt and SHA256SUMS. Gives the number of files. Errors:
/// "cannot-write", those of the database.
Result<int> exportLearner(OpenClass& open, const HeldOf& held, const std::filesystem::path& folder);

} // namespace ridge::classroom
