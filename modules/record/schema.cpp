// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/schema.h"

#include "record/clock.h"
#include "record/schema_progress.h"

#include <QSqlError>

namespace ridge::record {

namespace {

// Tables use what PostgreSQL knows too: text keys, plain foreign keys, ON CONFLICT, window functions. Only three things
// are SQLite's own and have a direct counterpart there: STRICT (always so), json_valid (a JSONB column), and the
// triggers' RAISE (a trigger function); INTEGER and REAL become BIGINT and DOUBLE PRECISION.

/// Columns that every row the learner commits has. `previous` is the digest of the row this store wrote before it, so
/// that a row changed or taken out by another program is noticed (trust level T1).
const char* const kStamp = "id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 36),"
                           " created_at TEXT NOT NULL, origin TEXT NOT NULL CHECK (length(origin) = 36),"
                           " seq INTEGER NOT NULL CHECK (seq > 0), previous TEXT NOT NULL,"
                           " digest TEXT NOT NULL CHECK (length(digest) = 64)";

QString table(const char* name, const char* columns, bool stamped = true)
{
    QString all = QLatin1String(columns);
    if (stamped)
        all = QLatin1String(kStamp) + QStringLiteral(", ") + all;
    return QStringLiteral("CREATE TABLE %1 (%2) STRICT").arg(QLatin1String(name), all);
}

QStringList tables()
{
    return {
        table("meta", "key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL", false),
        table("file",
              "sha256 TEXT PRIMARY KEY NOT NULL CHECK (length(sha256) = 64), bytes INTEGER NOT NULL CHECK (bytes >= 0)",
              false),
        table("prediction",
              "lesson TEXT NOT NULL, block TEXT NOT NULL, experiment TEXT NOT NULL CHECK (experiment <> ''),"
              " metric TEXT NOT NULL CHECK (metric <> ''), unit TEXT NOT NULL, params TEXT NOT NULL CHECK "
              "(json_valid(params)),"
              " point REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL, CHECK (low <= point AND point <= high)"),
        table("run",
              "sweep_id TEXT NOT NULL, lesson TEXT NOT NULL, block TEXT NOT NULL,"
              " prediction_id TEXT REFERENCES prediction (id),"
              " experiment TEXT NOT NULL CHECK (experiment <> ''), version INTEGER NOT NULL CHECK (version > 0),"
              " target TEXT NOT NULL CHECK (target <> ''), provenance TEXT NOT NULL, seed TEXT NOT NULL,"
              " params TEXT NOT NULL CHECK (json_valid(params)), metrics TEXT NOT NULL CHECK (json_valid(metrics)),"
              " limits TEXT NOT NULL CHECK (json_valid(limits)), checks TEXT NOT NULL CHECK (json_valid(checks)),"
              " validity TEXT NOT NULL, fingerprint TEXT NOT NULL CHECK (json_valid(fingerprint)),"
              " trace_sha256 TEXT REFERENCES file (sha256),"
              " status TEXT NOT NULL CHECK (status IN ('finished', 'failed')),"
              " error TEXT CHECK (error IS NULL OR json_valid(error)),"
              " CHECK ((status = 'failed') = (error IS NOT NULL))"),
        table("reason",
              "prediction_id TEXT NOT NULL REFERENCES prediction (id), choice TEXT NOT NULL, text TEXT NOT NULL"),
        table("answer",
              "lesson TEXT NOT NULL CHECK (lesson <> ''), block TEXT NOT NULL CHECK (block <> ''),"
              " answer TEXT NOT NULL CHECK (json_valid(answer)), correct INTEGER NOT NULL CHECK (correct IN (0, 1))"),
        table(
            "artifact",
            "lesson TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL CHECK (title <> ''), question TEXT NOT NULL,"
            " claim TEXT NOT NULL, reflection TEXT NOT NULL, level INTEGER NOT NULL CHECK (level > 0),"
            " prediction_ids TEXT NOT NULL CHECK (json_valid(prediction_ids)),"
            " run_ids TEXT NOT NULL CHECK (json_valid(run_ids)), charts TEXT NOT NULL CHECK (json_valid(charts)),"
            " code TEXT NOT NULL CHECK (json_valid(code)), fingerprint TEXT NOT NULL CHECK (json_valid(fingerprint)),"
            " provenance TEXT NOT NULL, trust TEXT NOT NULL"),
        // What an artifact is made of, once more as keys: nothing an artifact cites can be missing.
        table("artifact_prediction",
              "artifact_id TEXT NOT NULL REFERENCES artifact (id), position INTEGER NOT NULL,"
              " prediction_id TEXT NOT NULL REFERENCES prediction (id), PRIMARY KEY (artifact_id, position)",
              false),
        table("artifact_run",
              "artifact_id TEXT NOT NULL REFERENCES artifact (id), position INTEGER NOT NULL,"
              " run_id TEXT NOT NULL REFERENCES run (id), PRIMARY KEY (artifact_id, position)",
              false),
        table("artifact_file",
              "artifact_id TEXT NOT NULL REFERENCES artifact (id), position INTEGER NOT NULL, name TEXT NOT NULL,"
              " sha256 TEXT NOT NULL REFERENCES file (sha256), PRIMARY KEY (artifact_id, position)",
              false),
    };
}

QStringList indexes()
{
    QStringList all;
    for (const char* name : {"prediction", "run", "reason", "answer", "artifact"})
        all << QStringLiteral("CREATE INDEX %1_by_origin ON %1 (origin, seq)").arg(QLatin1String(name));
    all << QStringLiteral("CREATE INDEX run_by_sweep ON run (sweep_id)")
        << QStringLiteral("CREATE INDEX run_by_experiment ON run (experiment, created_at)")
        << QStringLiteral("CREATE INDEX run_by_block ON run (lesson, block)")
        << QStringLiteral("CREATE INDEX run_by_prediction ON run (prediction_id)")
        << QStringLiteral("CREATE INDEX prediction_by_lesson ON prediction (lesson)")
        << QStringLiteral("CREATE INDEX reason_by_prediction ON reason (prediction_id)");
    return all;
}

QString entryView(const std::vector<const char*>& names)
{
    QStringList entries;
    for (const char* name : names)
        entries << QStringLiteral("SELECT '%1' AS kind, id, created_at, origin, seq, previous, digest FROM %1")
                       .arg(QLatin1String(name));
    return QStringLiteral("CREATE VIEW entry AS ") + entries.join(QLatin1String(" UNION ALL "));
}

QStringList views()
{
    return {
        entryView({"prediction", "run", "reason", "answer", "artifact"}),
        // The only runs that count: finished, valid, and predicted first. The order of commits can be proved only
        // within one store, hence the equal origins.
        QStringLiteral(
            "CREATE VIEW eligible_runs AS SELECT run.* FROM run JOIN prediction ON prediction.id = run.prediction_id"
            " WHERE run.status = 'finished' AND run.validity = 'valid'"
            " AND prediction.experiment = run.experiment"
            " AND prediction.origin = run.origin AND prediction.seq < run.seq"),
        QStringLiteral(
            "CREATE VIEW latest_runs AS SELECT * FROM ("
            "SELECT run.*, ROW_NUMBER() OVER (PARTITION BY lesson, block, experiment"
            " ORDER BY created_at DESC, seq DESC, id DESC) AS newness FROM run WHERE status = 'finished') AS ranked"
            " WHERE newness = 1"),
    };
}

QStringList appendOnlyTriggers(const std::vector<const char*>& names)
{
    QStringList all;
    for (const char* name : names)
        for (const char* verb : {"UPDATE", "DELETE"})
            all << QStringLiteral("CREATE TRIGGER %1_no_%2 BEFORE %3 ON %1 BEGIN"
                                  " SELECT RAISE(ABORT, 'rows of %1 are written once and never changed'); END")
                       .arg(QLatin1String(name), QString(QLatin1String(verb)).toLower(), QLatin1String(verb));
    return all;
}

/// Notes in the margin: every version is a row, and so is taking one away.
QStringList marginNotes()
{
    QStringList all{
        table("note", "note_id TEXT NOT NULL CHECK (length(note_id) = 36), lesson TEXT NOT NULL CHECK (lesson <> ''),"
                      " section TEXT NOT NULL, block TEXT NOT NULL, quote TEXT NOT NULL CHECK (quote <> ''),"
                      " occurrence INTEGER NOT NULL CHECK (occurrence >= 0), text TEXT NOT NULL,"
                      " removed INTEGER NOT NULL CHECK (removed IN (0, 1))"),
        QStringLiteral("CREATE INDEX note_by_origin ON note (origin, seq)"),
        QStringLiteral("CREATE INDEX note_by_lesson ON note (lesson)"),
        QStringLiteral("CREATE INDEX note_by_note ON note (note_id)"),
        QStringLiteral("DROP VIEW entry"),
        entryView({"prediction", "run", "reason", "answer", "artifact", "note"}),
        // The newest version of each note. Versions from two computers are told apart by their time; of one
        // millisecond, the later row of one store and then any fixed order.
        QStringLiteral("CREATE VIEW latest_notes AS SELECT * FROM ("
                       "SELECT note.*, ROW_NUMBER() OVER (PARTITION BY note_id"
                       " ORDER BY created_at DESC, seq DESC, id DESC) AS newness FROM note) AS ranked"
                       " WHERE newness = 1"),
    };
    return all + appendOnlyTriggers({"note"});
}

QString latestView(const char* name, const char* table, const char* key)
{
    // Versions from two computers are told apart by their time; of one millisecond, the later row of one store and
    // then any fixed order.
    return QStringLiteral("CREATE VIEW %1 AS SELECT * FROM (SELECT %2.*, ROW_NUMBER() OVER (PARTITION BY %3"
                          " ORDER BY created_at DESC, seq DESC, id DESC) AS newness FROM %2) AS ranked"
                          " WHERE newness = 1 AND coalesce(removed, 0) = 0")
        .arg(QLatin1String(name), QLatin1String(table), QLatin1String(key));
}

/// What a table of a hundred thousand runs is read by, newest first. Columns behind the order are there so that a
/// second condition is decided in the index, without the row.
QStringList indexesForManyRuns()
{
    return {
        QStringLiteral("CREATE INDEX run_by_time ON run (created_at, seq, id)"),
        QStringLiteral("DROP INDEX run_by_experiment"),
        QStringLiteral("CREATE INDEX run_by_experiment ON run (experiment, created_at, seq, id, target)"),
        QStringLiteral("CREATE INDEX run_by_target ON run (target, created_at, seq, id)"),
        QStringLiteral("CREATE INDEX run_by_lesson ON run (lesson, created_at, seq, id)"),
        QStringLiteral("DROP INDEX run_by_block"),
        QStringLiteral("CREATE INDEX run_by_block ON run (lesson, block, experiment, created_at DESC, seq DESC,"
                       " id DESC, status)"),
        // The same rows as before. With EXISTS the runs are gone through in the order that is asked for; a join may
        // begin at the predictions and has to sort.
        QStringLiteral("DROP VIEW eligible_runs"),
        QStringLiteral("CREATE VIEW eligible_runs AS SELECT run.* FROM run"
                       " WHERE run.status = 'finished' AND run.validity = 'valid' AND EXISTS"
                       " (SELECT 1 FROM prediction WHERE prediction.id = run.prediction_id"
                       " AND prediction.experiment = run.experiment"
                       " AND prediction.origin = run.origin AND prediction.seq < run.seq)"),
        // The same rows as before. Steps from one lesson, block and experiment to the next through run_by_block, and
        // from each of them to its newest finished run, instead of ranking every run there is.
        QStringLiteral("DROP VIEW latest_runs"),
        QStringLiteral(
            "CREATE VIEW latest_runs AS WITH RECURSIVE place (id) AS ("
            "SELECT * FROM (SELECT id FROM run ORDER BY lesson, block, experiment LIMIT 1) AS first UNION ALL"
            " SELECT (SELECT after.id FROM run AS after WHERE (after.lesson, after.block, after.experiment) >"
            " (here.lesson, here.block, here.experiment) ORDER BY after.lesson, after.block, after.experiment LIMIT 1)"
            " FROM place JOIN run AS here ON here.id = place.id)"
            " SELECT * FROM run WHERE id IN (SELECT (SELECT newest.id FROM run AS newest"
            " WHERE newest.lesson = here.lesson AND newest.block = here.block"
            " AND newest.experiment = here.experiment AND newest.status = 'finished'"
            " ORDER BY newest.created_at DESC, newest.seq DESC, newest.id DESC LIMIT 1)"
            " FROM place JOIN run AS here ON here.id = place.id)"),
    };
}

/// Versions of artifacts, tags, the journal, reproductions, outcomes and reviews. An artifact's new columns are null
/// where they say nothing, so that older rows keep their digests.
QStringList recordsPeopleRelyOn()
{
    QStringList all;
    for (const char* column :
         {"artifact_id TEXT", "sections TEXT CHECK (sections IS NULL OR json_valid(sections))",
          "journal_ids TEXT CHECK (journal_ids IS NULL OR json_valid(journal_ids))",
          "figures TEXT CHECK (figures IS NULL OR json_valid(figures))",
          "files TEXT CHECK (files IS NULL OR json_valid(files))", "removed INTEGER CHECK (removed IN (0, 1))"})
        all << QStringLiteral("ALTER TABLE artifact ADD COLUMN ") + QLatin1String(column);
    all << table("tag", "subject_kind TEXT NOT NULL CHECK (subject_kind IN ('run', 'sweep', 'artifact')),"
                        " subject_id TEXT NOT NULL CHECK (subject_id <> ''), label TEXT NOT NULL CHECK (label <> ''),"
                        " removed INTEGER NOT NULL CHECK (removed IN (0, 1))")
        << table("journal", "entry_id TEXT NOT NULL CHECK (length(entry_id) = 36),"
                            " kind TEXT NOT NULL CHECK (kind IN ('failure', 'decision')), lesson TEXT NOT NULL,"
                            " title TEXT NOT NULL CHECK (title <> ''), text TEXT NOT NULL,"
                            " run_ids TEXT NOT NULL CHECK (json_valid(run_ids)),"
                            " removed INTEGER NOT NULL CHECK (removed IN (0, 1))")
        << table("reproduction", "artifact_id TEXT NOT NULL CHECK (length(artifact_id) = 36),"
                                 " target TEXT NOT NULL CHECK (target <> ''), verdict TEXT NOT NULL CHECK (verdict IN"
                                 " ('reproduced', 'within noise', 'different hardware', 'not reproduced')),"
                                 " pairs TEXT NOT NULL CHECK (json_valid(pairs)),"
                                 " by TEXT NOT NULL CHECK (by IN ('self', 'other'))")
        << table("outcome", "lesson TEXT NOT NULL CHECK (lesson <> ''),"
                            " state TEXT NOT NULL CHECK (state IN ('passed', 'failed')),"
                            " context TEXT NOT NULL CHECK (context IN ('lesson', 'review')),"
                            " factor REAL CHECK (factor >= 1), evidence TEXT NOT NULL CHECK (json_valid(evidence))")
        << table("review", "of_prediction_id TEXT NOT NULL REFERENCES prediction (id),"
                           " prediction_id TEXT NOT NULL REFERENCES prediction (id),"
                           " run_id TEXT NOT NULL REFERENCES run (id),"
                           " missed INTEGER NOT NULL CHECK (missed IN (0, 1)), factor REAL CHECK (factor >= 1)");
    const std::vector<const char*> added{"tag", "journal", "reproduction", "outcome", "review"};
    for (const char* name : added)
        all << QStringLiteral("CREATE INDEX %1_by_origin ON %1 (origin, seq)").arg(QLatin1String(name));
    all << QStringLiteral("CREATE INDEX artifact_by_artifact ON artifact (coalesce(artifact_id, id))")
        << QStringLiteral("CREATE INDEX tag_by_subject ON tag (subject_kind, subject_id, label)")
        << QStringLiteral("CREATE INDEX journal_by_entry ON journal (entry_id)")
        << QStringLiteral("CREATE INDEX reproduction_by_artifact ON reproduction (artifact_id)")
        << QStringLiteral("CREATE INDEX outcome_by_lesson ON outcome (lesson)")
        << QStringLiteral("CREATE INDEX review_by_prediction ON review (of_prediction_id)")
        << QStringLiteral("DROP VIEW entry")
        << entryView({"prediction", "run", "reason", "answer", "artifact", "note", "tag", "journal", "reproduction",
                      "outcome", "review"})
        << latestView("latest_artifacts", "artifact", "coalesce(artifact_id, id)")
        << latestView("latest_tags", "tag", "subject_kind, subject_id, label")
        << latestView("latest_journal", "journal", "entry_id");
    return all + indexesForManyRuns() + appendOnlyTriggers(added);
}

/// What a kernel's grading saw, of an artifact and of its reproductions. Null in rows from before, which so keep their
/// digests. A view of PostgreSQL's has the columns that there were when it was made.
QStringList gradings()
{
    QStringList all;
    for (const char* name : {"artifact", "reproduction"})
        all << QStringLiteral("ALTER TABLE %1 ADD COLUMN grading TEXT CHECK (grading IS NULL OR json_valid(grading))")
                   .arg(QLatin1String(name));
    return all << QStringLiteral("DROP VIEW latest_artifacts")
               << latestView("latest_artifacts", "artifact", "coalesce(artifact_id, id)");
}

/// The newest version of each thing by the order in which its store wrote them. A clock that was ahead once would else
/// let a version of that day win over all that came after it. Versions of different stores have no order but their
/// time; of one number, after two branches of a record were merged, too.
QStringList versionsInTheirOrder()
{
    QStringList all;
    for (const auto& [name, table, key] : {std::tuple("latest_artifacts", "artifact", "coalesce(artifact_id, id)"),
                                           {"latest_notes", "note", "note_id"},
                                           {"latest_tags", "tag", "subject_kind, subject_id, label"},
                                           {"latest_journal", "journal", "entry_id"}}) {
        all << QStringLiteral("DROP VIEW ") + QLatin1String(name);
        QString view =
            QStringLiteral("CREATE VIEW %1 AS SELECT * FROM (SELECT own.*, ROW_NUMBER() OVER (PARTITION BY %3"
                           " ORDER BY created_at DESC, seq DESC, id DESC) AS newness FROM ("
                           "SELECT %2.*, ROW_NUMBER() OVER (PARTITION BY origin, %3"
                           " ORDER BY seq DESC, created_at DESC, id DESC) AS place FROM %2) AS own"
                           " WHERE place = 1) AS ranked WHERE newness = 1")
                .arg(QLatin1String(name), QLatin1String(table), QLatin1String(key));
        if (std::string_view(table) != "note") // whoever reads notes leaves out those that were taken away
            view += QStringLiteral(" AND coalesce(removed, 0) = 0");
        all << view;
    }
    return all;
}

} // namespace

const std::vector<Migration>& migrations()
{
    static const std::vector<Migration> all = {
        {1, tables() + indexes() + views() +
                appendOnlyTriggers({"schema_version", "meta", "file", "prediction", "run", "reason", "answer",
                                    "artifact", "artifact_prediction", "artifact_run", "artifact_file"})},
        {2, marginNotes()},
        {3, recordsPeopleRelyOn()},
        {4, progressViews()},
        {5, gradings()},
        {6, versionsInTheirOrder()},
        {7, firstAnswersCount()}};
    return all;
}

Result<int> schemaVersion(Connection& connection)
{
    auto known = connection.value(QStringLiteral("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'schema_version'"));
    if (!known)
        return known.error();
    if (known->toInt() == 0) {
        auto tables = connection.value(QStringLiteral("SELECT COUNT(*) FROM sqlite_schema"));
        if (!tables)
            return tables.error();
        if (tables->toInt() > 0)
            return Error{"store-damaged", "This database was not made by Ridgepoint", connection.place(),
                         "Move the file away, or choose another folder with RIDGE_HOME"};
        return 0;
    }
    auto version = connection.value(QStringLiteral("SELECT MAX(version) FROM schema_version"));
    if (!version)
        return version.error();
    return version->toInt();
}

Result<void> applyMigration(Connection& connection, const Migration& migration)
{
    auto transaction = Transaction::begin(connection);
    if (!transaction)
        return transaction.error();
    // Made here and not by step 1, because it has to be there before the first step can be noted.
    QStringList statements{QStringLiteral("CREATE TABLE IF NOT EXISTS schema_version"
                                          " (version INTEGER PRIMARY KEY NOT NULL, applied_at TEXT NOT NULL) STRICT")};
    statements += migration.statements;
    for (const QString& sql : statements) {
        if (auto done = connection.exec(sql); !done)
            return done.error();
    }
    auto noted = connection.exec(QStringLiteral("INSERT INTO schema_version (version, applied_at) VALUES (?, ?)"),
                                 {migration.version, timeStamp()});
    if (!noted)
        return noted.error();
    return transaction->commit();
}

Error newerStore(const std::string& place, int found, int known)
{
    return {"store-newer",
            "The record was written by a later version of Ridgepoint (format " + std::to_string(found) +
                ", this program knows " + std::to_string(known) + ")",
            place, "Update Ridgepoint, or use another folder with RIDGE_HOME; nothing was changed"};
}

} // namespace ridge::record
