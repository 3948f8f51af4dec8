// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/identity.h"

#include <map>
#include <vector>

namespace ridge::classroom {

/// When a learner is shown what came of a step.
enum class FeedbackWhen { Now, Deadline, Never };

/// The steps of a lesson that a policy may name: "predicted", "ran", "passed", "shipped", "explained".
const std::vector<std::string>& steps();

/// A lesson as it is assigned. The learner's program reads its own copy of a lesson with this digest, else this text.
struct AssignedLesson {
    std::string id, title;
    std::string text;   ///< the visible lesson file, Markdown from a stranger: escape what is shown of it
    std::string digest; ///< SHA-256 of text
};

/// What a `.ridgeclass` file says. Texts are whatever its author wrote.
struct Assignment {
    std::string id; ///< UUID
    std::string title;
    std::string createdAt; ///< ISO 8601 UTC with milliseconds, as all times here
    std::string deadline;  ///< empty: none
    std::vector<AssignedLesson> lessons;
    std::map<std::string, FeedbackWhen> feedback; ///< by step; a step that is not named: Now
    std::string teacher;                          ///< name, as the learner sees it
    std::string signKey, sealKey; ///< public keys, hex; sealKey may be empty: submissions are not sealed
};

/// The bytes of a `.ridgeclass`, signed. Empty id, createdAt and digests are filled in, keys are taken from `keys`
/// (sealKey only when `sealed`). Gives also the assignment as it was written.
/// Errors: "bad-assignment" (names the field).
struct WrittenAssignment {
    Assignment assignment;
    std::string bytes;
};
Result<WrittenAssignment> createAssignment(Assignment assignment, const ClassKeys& keys, bool sealed = true);

/// The bytes of a `.ridgeclass` or `.ridgesubmission` that somebody names. One longer than a bundle may be is refused
/// by its size, unread. Errors: those of readFile with a bound.
Result<std::string> readBundle(const std::filesystem::path& file);

/// Checks archive, manifest, digests and signature. `file` names it in messages.
/// Errors: those of bundle::readArchive and checkSignature, "bad-assignment", "assignment-newer" (a later format).
Result<Assignment> readAssignment(std::string_view bytes, const std::string& file);

/// Puts it below `home`/assignments/ID.ridgeclass, where it replaces an earlier edition by the same teacher.
/// Errors: those of readAssignment, "assignment-other-teacher" (that id was accepted with another key),
/// "assignment-older", "store-readonly", "disk-full".
Result<Assignment> acceptAssignment(const std::filesystem::path& home, std::string_view bytes, const std::string& file);

/// All that were accepted, newest first. A file that no longer reads is left out and told in `problems`.
struct AcceptedAssignments {
    std::vector<Assignment> assignments;
    std::vector<Error> problems;
};
AcceptedAssignments acceptedAssignments(const std::filesystem::path& home);
/// By id, or the only one when `id` is empty. Errors: "unknown-assignment" (with those there are), readAssignment's.
Result<Assignment> acceptedAssignment(const std::filesystem::path& home, const std::string& id);

/// Whether the outcome of a step may be shown at `now` (ISO 8601 UTC). Also for whoever reads the outcome from the
/// store: the policy is kept here and nowhere else.
bool mayShow(const Assignment& assignment, const std::string& step, const std::string& now);
/// The same for a lesson over all accepted assignments that contain it: every one of them must allow it.
bool mayShow(const std::vector<Assignment>& assignments, const std::string& lesson, const std::string& step,
             const std::string& now);

} // namespace ridge::classroom
