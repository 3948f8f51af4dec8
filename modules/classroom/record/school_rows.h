// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/rows.h"

namespace ridge::record {

/// Rows of a class: what the instructor's side knows beside the learners' own rows. Written once and never changed, as
/// all rows; where a newer row of the same thing counts, it says so. Empty id, createdAt, origin and zero seq are
/// filled in by the school.

/// An assignment that the class was given. The newest of an assignmentId counts.
struct AssignmentRow {
    std::string id;
    std::string assignmentId, title;
    std::string deadline;             ///< ISO 8601 UTC; empty: none
    std::vector<std::string> lessons; ///< ids, in the order of the assignment
    std::string fileSha256;           ///< of the `.ridgeclass` in the class's folder
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

/// Somebody on the roster. The newest row of a memberId counts; names are nowhere else.
struct MemberRow {
    std::string id;
    std::string memberId; ///< the same for all versions; empty: a new member
    std::string name, email, studentNumber, login, section;
    std::string learner;    ///< pseudonym; empty until a submission was matched
    std::string familyName; ///< end of the name, where the roster parts the two; empty: it does not
    std::string canvasId;   ///< Canvas's own number of the person; empty: not from a Canvas export
    bool removed = false;
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

/// A submission that was taken in. The newest by submittedAt of a learner counts.
struct SubmissionRow {
    std::string id;
    std::string assignmentId, learner, publicKey;
    std::string digest;      ///< of the signed content: the same submission twice has the same
    std::string fileName;    ///< as it was collected
    std::string submittedAt; ///< by the learner's clock, signed
    std::string appVersion;
    std::string name; ///< as the learner gave it; mostly empty
    bool late = false;
    std::vector<std::string> hardware; ///< what the learner's runs ran on, in words
    JsonValue notices;                 ///< array of {code, message}: odd, and no reason to refuse
    int rows = 0;
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

/// What one lesson of one learner is worth. The newest of an assignment, learner and lesson counts.
struct GradeRow {
    std::string id;
    std::string assignmentId, submissionId, learner, lesson;
    std::string how;     ///< "checks" (at collection) or "re-execution"
    double points = 0;   ///< 0 to 100
    JsonValue steps;     ///< object: predicted, ran, passed, shipped, explained → bool
    JsonValue outcomes;  ///< array of {check, title, state, detail, credit}
    JsonValue findings;  ///< array: predictions with what came of them, and wrong answers (modules/classroom/grade.h)
    JsonValue execution; ///< object: what re-execution compared and found; empty at collection
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

/// The instructor's own words to a learner about a lesson (empty: about the whole). The newest counts; an empty text
/// takes back what was said.
struct FeedbackRow {
    std::string id;
    std::string assignmentId, learner, lesson, text;
    std::string submissionId; ///< what it was said about; empty in rows of older versions
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

/// What the instructor decided about work of a lesson that could not be run again. The newest of an assignment, learner
/// and lesson counts, and for the submission alone that it was made about.
struct DecisionRow {
    std::string id;
    std::string assignmentId, submissionId, learner, lesson;
    bool accepted = false; ///< what was handed in counts as it is; else it counts nothing
    double points = 0;     ///< that the lesson has by it, 0 to 100
    std::string decidedBy; ///< as they call themselves
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

/// A file that collecting could not take. The newest row of a content and name counts: it is listed while its state is
/// "refused".
struct RefusalRow {
    std::string id;
    std::string fileDigest; ///< SHA-256 of its bytes; empty: it could not be read at all
    std::string fileName;   ///< as it was collected, without its folder
    std::string reason;     ///< what is wrong and what to do
    std::string learner;    ///< pseudonym, where file or name tell it; else empty
    std::string memberId;   ///< of the roster, where a platform wrote a name in front; else empty
    std::string state;      ///< "refused", "replaced" (a good file of the same learner came), "dismissed"
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

} // namespace ridge::record
