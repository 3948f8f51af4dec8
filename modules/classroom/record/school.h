// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"
#include "classroom/record/school_database.h"
#include "classroom/record/school_rows.h"
#include "record/row_lines.h"
#include "record/writer.h"

#include <set>

namespace ridge::record {

/// What one submission brings, after it was read and checked.
struct SubmissionImport {
    SubmissionRow submission;
    std::vector<RowLine> rows;
    std::vector<std::pair<std::string, std::uint64_t>> files; ///< SHA-256 and size, also of those whose bytes stayed
    std::map<std::string, std::string> contents;              ///< bytes by SHA-256, of those that came along
    std::vector<std::string> origins;
};

struct Imported {
    std::string submissionId;
    bool known = false; ///< this very submission was taken in before
    int rows = 0;       ///< newly added
};

/// Rows of one learner, newest first, for the checks of one lesson.
struct LearnerRows {
    std::vector<RunRow> runs;
    std::vector<PredictionRow> predictions;
    std::vector<AnswerRow> answers;
    std::vector<ReasonRow> reasons;
    std::vector<ArtifactRow> artifacts; ///< newest versions, without those taken away
};

using RowsByLearner = std::map<std::pair<std::string, std::string>, LearnerRows>;

/// One person as a class knows them: what their rows are found by, and what they can be told by.
struct SchoolPerson {
    std::string learner;              ///< pseudonym; empty: on the roster, and nothing handed in
    std::string name;                 ///< of the roster; empty: not on it
    std::string memberId;             ///< empty: not on the roster
    std::vector<std::string> origins; ///< stores of theirs that the class has rows of
    /// Names, emails, numbers, logins, pseudonym and public keys, of all versions. Sorted, each once.
    std::vector<std::string> words;
    std::vector<std::string> fileNames; ///< of what was collected or refused: those lie elsewhere
};

/// What of one person went out of a class.
struct Forgotten {
    int rows = 0; ///< of their record
    int submissions = 0, grades = 0, remarks = 0, rosterLines = 0, refusals = 0, files = 0;
    int namedElsewhere = 0; ///< remarks to others in which they are named; those stay
    int decisions = 0;
};

/// The record of many learners: the same tables as a learner's store, every row with the origin it came with, and the
/// tables of a class (school_sql.h) beside them, on SQLite or PostgreSQL. Files lie in the class's folder either way.
/// Belongs to the thread that opened it. Every write is one transaction; several programs may have one class open.
/// Errors of every call: those of schoolSqlError; place = the database.
class School {
public:
    /// Errors: those of SchoolDatabase::open.
    static Result<std::unique_ptr<School>> open(const SchoolPlace& place, bool readOnly = false);

    const std::string& place() const { return m_database->place(); }
    std::string origin() const { return m_origin.toStdString(); }

    /// One transaction: rows that are there already are passed over, so that a file may be taken in any number of
    /// times. On the disk with the next row that is appended, or when the database sees to it: what a power cut takes
    /// until then, the file brings again. Errors: "submission-other-learner" (rows of a store that another learner has
    /// handed in), "submission-foreign-row" (of an origin that the submission does not name), "submission-rewritten" (a
    /// row that is here, with another content or from another origin; or another row in its place of the sequence).
    Result<Imported> import(const SubmissionImport& submission);

    Result<std::string> append(AssignmentRow row); ///< gives the row's id, which is always a new one
    Result<void> append(std::vector<MemberRow> rows);
    Result<void> append(std::vector<GradeRow> rows);
    Result<std::string> append(FeedbackRow row);
    /// With the grade that follows from it, in one transaction: neither is there without the other.
    Result<void> append(const DecisionRow& decision, const GradeRow& grade);
    Result<void> append(std::vector<RefusalRow> rows);

    Result<std::vector<AssignmentRow>> assignments(); ///< oldest first
    Result<std::vector<MemberRow>> members();         ///< by name; without those taken off
    Result<std::vector<SubmissionRow>> submissions(const std::string& assignmentId); ///< newest of each learner
    Result<std::vector<GradeRow>> grades(const std::string& assignmentId);           ///< newest of each learner, lesson
    Result<std::vector<FeedbackRow>> feedback(const std::string& assignmentId);      ///< newest of each learner, lesson
    Result<std::vector<DecisionRow>> decisions(const std::string& assignmentId);     ///< newest of each learner, lesson
    Result<std::vector<RefusalRow>> refusals(); ///< newest of each content and name, in any state; oldest first
    Result<LearnerRows> rowsOf(const std::string& learner, const std::string& lesson);
    /// The same of several learners and lessons, in one reading of each kind. Every pair (learner, lesson) is there.
    Result<RowsByLearner> rowsOf(const std::vector<std::string>& learners, const std::vector<std::string>& lessons);
    /// Learners' rows of all kinds.
    Result<std::int64_t> rowCount();
    /// Whoever is called so: a learner id, or name, email, student number or login of the roster, in any version of the
    /// roster's line. Errors: "unknown-person", "several-people".
    Result<SchoolPerson> person(const std::string& whom);
    /// All rows about somebody by table, as objects with the columns of the database; "files" has what they name.
    Result<JsonValue> everythingOf(const SchoolPerson& person);
    /// Takes all of a person's rows out, also those of the class that speak of nobody else (submissions, grades,
    /// remarks, roster lines, refused files), and adds one row that says when and how many, with no name. It is the one
    /// thing that takes rows out: the triggers against it are lifted inside its transaction. Then scrub(); what keeps
    /// that from being done ("store-locked": another program reads the class) is told after the rows are gone.
    Result<Forgotten> forget(const SchoolPerson& person);
    /// Makes what was taken out unreadable in the database's files, and removes files that no row names. Opening the
    /// class for writing does it where an earlier one was cut short. On PostgreSQL the server's own log is not reached.
    Result<void> scrub();

    /// Statements sent to the database so far; on PostgreSQL each is a round trip.
    int statements() const { return m_database->statements(); }
    /// Every digest and chain of everything, and the database's own check where it has one: what a backup is worth.
    Result<void> verify();

private:
    School(std::unique_ptr<SchoolDatabase> database, const std::filesystem::path& folder);
    Result<void> ensureOrigin();
    Result<Tail> tail();
    Result<std::vector<std::string>> insertOwn(const char* table, const std::vector<Columns>& rows);
    Result<std::vector<std::string>> insertOwn(const char* table, const std::vector<Columns>& rows, Tail last);
    template<class Row>
    Result<std::vector<std::string>> appendOwn(const char* table, const std::vector<Row>& rows);
    Result<int> insertRows(const std::vector<const RowLine*>& rows, const SubmissionImport& submission);
    Result<void> insertLinks(const std::vector<const RowLine*>& artifacts);
    Result<bool> checkOwnership(const SubmissionImport& submission);
    Result<std::set<std::string>> knownRows(const SubmissionImport& submission);
    Result<void> dropUnnamedFiles();
    template<class Row>
    Result<std::vector<Row>> read(const QString& sql, const QVariantList& values, Row (*decode)(const QSqlQuery&));
    template<class Row>
    Result<void> learnersRows(const QStringList& origins, const char* table,
                              const std::function<std::vector<Row>*(const QSqlQuery&)>& into,
                              Result<Row> (*decode)(const QSqlQuery&));

    std::unique_ptr<SchoolDatabase> m_database;
    ContentFiles m_files;
    std::filesystem::path m_folder;
    QString m_origin;
};

} // namespace ridge::record
