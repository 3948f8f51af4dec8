// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/assignment.h"
#include "record/row_lines.h"
#include "record/store.h"

namespace ridge::classroom {

/// What a learner lets out, field by field. Predictions, runs (with the machine they ran on), answers and outcomes of
/// the assigned lessons are what is graded and always go along.
struct Consent {
    std::string name;      ///< empty: not given; the roster on the teacher's side knows who a learner is
    bool reasons = true;   ///< what a prediction had assumed
    bool artifacts = true; ///< with their texts and code
    bool journal = false;  ///< failures and decisions
    bool notes = false;    ///< in the margin
    bool traces = false;   ///< timelines of runs: large, and rows are graded without them
    std::vector<std::string> otherOrigins; ///< the learner's other computers whose rows were merged here
};

/// A content-addressed file that rows name. Its bytes are in the submission or were withheld.
struct SubmittedFile {
    std::string sha256;
    std::uint64_t size = 0;
    bool included = false;
};

/// What a `.ridgesubmission` says, after all checks. Texts are whatever its author wrote.
struct Submission {
    std::string assignment; ///< id
    std::string learner;    ///< pseudonym
    std::string publicKey;
    std::string name; ///< empty: not given
    std::string createdAt, appVersion;
    std::vector<std::string> lessons;
    std::vector<std::string>
        origins; ///< the stores its rows come from; the caller checks that no other learner has them
    Consent consent;
    std::vector<SubmittedFile> files;
    std::vector<record::RowLine> rows;
    std::map<std::string, std::string> contents; ///< by SHA-256, of the included files
    bool sealed = false;
    std::string digest;         ///< SHA-256 of the signed list: the same submission twice has the same
    std::vector<Error> notices; ///< odd but no reason to refuse, "rows-future" for example
};

/// What createSubmission takes beside the record. `createdAt` and `sealSeed` are for generated learners, whose files
/// have the same bytes every time.
struct SubmissionOptions {
    Consent consent;
    std::string appVersion;
    std::string createdAt = {}; ///< empty: now
    std::string sealSeed = {};  ///< 32 bytes; empty: a random one-time key
};

/// What goes into a submission, from wherever its rows come.
struct SubmissionContent {
    std::string rows; ///< as record::rowLines writes them
    std::vector<std::string> origins;
    std::map<std::string, std::string> files;      ///< by SHA-256
    std::map<std::string, std::uint64_t> withheld; ///< files that rows name and that stay away: their sizes
};

struct WrittenSubmission {
    std::string fileName; ///< "L-ABCDEFGHIJ-<last 8 of the assignment's id>.ridgesubmission"
    std::string bytes;
    std::size_t rows = 0, files = 0;
    std::vector<std::string> contains; ///< one plain sentence a field, for the preview before it is handed in
};

/// A submission of the rows of the assigned lessons, signed by `identity`, sealed when the assignment has a seal key.
/// Of artifacts, notes and the journal the newest versions go along, and nothing that was taken away.
/// Errors: those of the store, "submission-empty" (no row of these lessons), "submission-foreign-row" (a row refers to
/// one of an origin that is neither this store nor in consent.otherOrigins), "submission-large".
Result<WrittenSubmission> createSubmission(const record::Store& store, const Assignment& assignment,
                                           const Identity& identity, const SubmissionOptions& options);

/// The same from rows that are in no store. Pure, without `contains`.
Result<WrittenSubmission> writeSubmission(const Assignment& assignment, const Identity& identity,
                                          const SubmissionContent& content, const SubmissionOptions& options);

/// Opens with the class's keys and checks everything: archives, seal, manifest, pseudonym against key, signature,
/// assignment, file hashes, rows, origins. A submission for an assignment that is not among `assignments` is refused.
/// `now`: ISO 8601 UTC with milliseconds. `reader`: of one who reads many files; null: one for this file.
/// Errors: those of bundle, record::parseRowLines, "bad-submission", "submission-newer",
/// "submission-other-assignment", "submission-foreign-row".
/// Notices: "rows-future", "submission-future", "rows-after-submission", "submission-unsealed".
Result<Submission> readSubmission(std::string_view bytes, const std::string& file, const ClassKeys& keys,
                                  const std::vector<Assignment>& assignments, const std::string& now,
                                  record::RowLineReader* reader = nullptr);

} // namespace ridge::classroom
