// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/protocol.h"

namespace ridge::record {

/// Rows of the store. They are written once and never changed; ids are UUIDv7. `seq` grows by one with every row that
/// this store's own learner commits (`origin` names that store), so that "the prediction came before the run" can be
/// proved after a merge. Empty id, createdAt, origin and zero seq are filled in by the store.

struct PredictionRow {
    std::string id;
    std::string lesson, block;
    std::string experiment, metric, unit;
    ParamSet params;
    double point = 0, low = 0, high = 0; ///< low..high is the 80 % interval
    std::string createdAt;               ///< ISO 8601 UTC with milliseconds
    std::string origin;
    std::int64_t seq = 0;
};

/// One experiment at one point on one target.
struct RunRow {
    std::string id;
    std::string sweepId; ///< shared by the runs of one request
    std::string lesson, block;
    std::string predictionId; ///< empty: none
    std::string experiment;
    int version = 1;
    std::string target;
    Provenance provenance = Provenance::Simulated;
    std::uint64_t seed = 1;
    ParamSet params;
    std::map<std::string, MetricValue> metrics;
    std::map<std::string, LimitValue> limits;
    std::vector<CheckResult> checks;
    std::string validity;
    JsonValue fingerprint;
    std::string traceSha256; ///< content-addressed file, empty: none
    std::string status;      ///< "finished" or "failed"
    std::optional<Error> error;
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

/// What the learner says the prediction had assumed.
struct ReasonRow {
    std::string id, predictionId, choice, text;
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

struct AnswerRow {
    std::string id, lesson, block;
    JsonValue answer;
    bool correct = false;
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

struct ArtifactCode {
    std::string name;
    std::string sha256; ///< content-addressed file
};

/// One version of an artifact. It is changed by a further row with its artifactId and taken away by one with `removed`:
/// what counts is the newest version.
struct ArtifactRow {
    std::string id;
    std::string artifactId; ///< the same for all versions; empty: the row begins an artifact, whose id is its own
    std::string lesson, kind, title, question, claim, reflection;
    int level = 1;
    std::vector<std::string> predictionIds, runIds;
    JsonValue charts; ///< array of {experiment, chart, caption}
    std::vector<ArtifactCode> code;
    JsonValue fingerprint;
    Provenance provenance = Provenance::Simulated; ///< of its runs
    std::string trust = "T1";                      ///< as it was shipped; what holds today is for trustOf to say
    /// By "method", "result", "bottleneck", "failure_modes" or "next_experiment".
    std::map<std::string, std::string> sections;
    std::vector<std::string> journalIds; ///< entryIds of failures and decisions
    JsonValue figures;               ///< array of {name, value, unit, source, line}: read from a file made elsewhere
    std::vector<ArtifactCode> files; ///< those files, and others that belong to it
    JsonValue grading;               ///< of a graded kernel: a KeptGrading; null: none was kept
    bool removed = false;
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

/// One version of a margin note. A note is changed by a further row with its noteId and taken away by one with
/// `removed`: what counts is the newest version.
struct NoteRow {
    std::string id;
    std::string noteId;  ///< the same for all versions; empty: the store makes a new note
    std::string lesson;  ///< "2.4"
    std::string section; ///< title of the lesson's section in which it was made
    std::string block;   ///< id of the live block; empty: prose of the section
    std::string quote;   ///< the text it stands beside
    int occurrence = 0;  ///< which of the quote's occurrences in the block or the section's prose, from 0
    std::string text;    ///< empty: a highlight without a note
    bool removed = false;
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

/// A label on something, put on or, with `removed`, taken off again: the newest row of a subject and label counts.
struct TagRow {
    std::string id;
    std::string subjectKind; ///< "run", "sweep" or "artifact"
    std::string subjectId;
    std::string label; ///< one line of at most 64 bytes
    bool removed = false;
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

/// One version of an entry of the journal: what went wrong, or what was decided and why.
struct JournalRow {
    std::string id;
    std::string entryId; ///< the same for all versions; empty: the store makes a new entry
    std::string kind;    ///< "failure" or "decision"
    std::string lesson;  ///< empty: of no lesson
    std::string title, text;
    std::vector<std::string> runIds;
    bool removed = false;
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

/// One metric of one run of an artifact beside the run that repeated it, or of a graded kernel's grading beside
/// another.
struct ReproductionPair {
    /// Ids; newRun is empty where the repetition failed. Of a grading: the cases (record/grading_again.h), and empty.
    std::string oldRun, newRun;
    std::string metric, unit; ///< both empty where the two have no metric in common, or the repetition failed
    double before = 0, now = 0;
    std::optional<double> factor; ///< now / before; none where before is 0
    std::string verdict;          ///< one of those of the whole
};

/// What came of running an artifact's runs, or grading its kernel, again.
struct ReproductionRow {
    std::string id;
    std::string artifactId; ///< of all its versions
    std::string target;
    std::string verdict; ///< "reproduced", "within noise", "different hardware" or "not reproduced"
    std::vector<ReproductionPair> pairs;
    std::string by;    ///< "self" or "other": the artifact is of this store's own learner, or of another's
    JsonValue grading; ///< of a graded kernel: a GradedAgain; null: runs were repeated, or no grading came to its end
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

/// A lesson was passed or failed, at that time and on that evidence.
struct OutcomeRow {
    std::string id;
    std::string lesson;
    std::string state;            ///< "passed" or "failed"
    std::string context;          ///< "lesson" or "review"
    std::optional<double> factor; ///< worst factor of the predictions committed before their runs, ≥ 1; none: no such
    JsonValue evidence;           ///< object: ids of the runs, predictions and answers
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

/// A prediction made again later at other parameter values of the same block, with its run.
struct ReviewRow {
    std::string id;
    std::string ofPredictionId; ///< the first one
    std::string predictionId;   ///< the one at the changed instance
    std::string runId;
    bool missed = false;
    std::optional<double> factor; ///< between prediction and result, ≥ 1; none: not to be told (a result of 0)
    std::string createdAt, origin;
    std::int64_t seq = 0;
};

/// What the first run that counts gave at the point of a prediction (view prediction_result).
struct PredictionResult {
    std::string predictionId, runId;
    double value = 0; ///< in the metric's unit
    std::string runAt;
};

/// A prediction that missed and wants to be made again at another point (view due_review).
struct DueReview {
    std::string predictionId, lesson, block;
    int streak = 0; ///< reviews that hit since the last miss; three end it
    std::string dueAt;
};

/// Product section 1.6: Met = passed; Solid = and predicted within a factor of two, with seven of ten first answers
/// right; Mastered = passed again days later among other lessons. A missed review is one step down.
enum class MasteryLevel { None, Met, Solid, Mastered };

struct LessonMastery {
    std::string lesson;
    MasteryLevel level = MasteryLevel::None;
    std::string passedAt; ///< first
    std::string lastAt;   ///< newest outcome
};

/// What a row says in words, for a search index. `position` grows with every row a database takes up and is never
/// given to another one, so that an index knows what it has read.
struct TextRow {
    std::int64_t position = 0;
    std::string id;                         ///< of what has versions, that of all of them: noteId, artifactId, entryId
    std::string lesson, block, title, text; ///< text of an artifact: its claim stands between the first two U+001E
    std::string createdAt;
    bool removed = false; ///< taken away by this version
};

/// The same row to be stored again as a further version: what the store fills in is left open.
template<class Row>
Row nextVersion(Row row)
{
    row.id.clear();
    row.createdAt.clear();
    row.origin.clear();
    row.seq = 0;
    return row;
}

/// Strings have initialisers so that a filter can be written as {.sweepId = id}.
struct RunFilter {
    std::string experiment = {}, lesson = {}, block = {}, sweepId = {}, target = {}; ///< empty: any
    std::string predictionId = {};                                                   ///< empty: any
    std::vector<std::string> ids = {};                                               ///< empty: any
    int limit = 0;                                                                   ///< newest first; 0: all
    bool eligible = false; ///< only finished, valid runs whose prediction was committed before them
    bool latest = false;   ///< only the newest finished run of each lesson, block and experiment
};

} // namespace ridge::record
