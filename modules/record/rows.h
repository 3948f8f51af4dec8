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

struct ArtifactRow {
    std::string id;
    std::string lesson, kind, title, question, claim, reflection;
    int level = 1;
    std::vector<std::string> predictionIds, runIds;
    JsonValue charts; ///< array of {experiment, chart, caption}
    std::vector<ArtifactCode> code;
    JsonValue fingerprint;
    Provenance provenance = Provenance::Simulated; ///< of its runs
    std::string trust = "T1";
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

/// What a row says in words, for a search index. `position` grows with every row a database takes up and is never
/// given to another one, so that an index knows what it has read.
struct TextRow {
    std::int64_t position = 0;
    std::string id; ///< of a note: its noteId
    std::string lesson, block, title, text;
    std::string createdAt;
    bool removed = false; ///< a note that was taken away
};

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
