// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/record/school_sql.h"

#include "base/json.h"
#include "record/row_codec.h"

#include <QRegularExpression>
#include <QSqlError>

namespace ridge::record {
namespace {

QString s(const char* text)
{
    return QString::fromLatin1(text);
}

/// The same columns in front as in the store's own tables (schema.cpp).
QString stamped(const char* name, const char* columns)
{
    return s("CREATE TABLE %1 (id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 36), created_at TEXT NOT NULL,"
             " origin TEXT NOT NULL CHECK (length(origin) = 36), seq INTEGER NOT NULL CHECK (seq > 0),"
             " previous TEXT NOT NULL, digest TEXT NOT NULL CHECK (length(digest) = 64), %2) STRICT")
        .arg(s(name), s(columns));
}

QString newest(const char* view, const char* table, const char* key, const char* order)
{
    return s("CREATE VIEW %1 AS SELECT * FROM (SELECT %2.*, ROW_NUMBER() OVER (PARTITION BY %3"
             " ORDER BY %4 seq DESC, id DESC) AS newness FROM %2) AS ranked WHERE newness = 1")
        .arg(s(view), s(table), s(key), s(order));
}

QStringList appendOnly(const std::vector<const char*>& tables)
{
    QStringList all;
    for (const char* table : tables)
        for (const char* verb : {"UPDATE", "DELETE"})
            all << s("CREATE TRIGGER %1_no_%2 BEFORE %3 ON %1 BEGIN"
                     " SELECT RAISE(ABORT, 'rows of %1 are written once and never changed'); END")
                       .arg(s(table), s(verb).toLower(), s(verb));
    return all;
}

QStringList classTables()
{
    QStringList all{
        stamped("assignment", "assignment_id TEXT NOT NULL CHECK (length(assignment_id) = 36), title TEXT NOT NULL,"
                              " deadline TEXT, lessons TEXT NOT NULL CHECK (json_valid(lessons)),"
                              " file_sha256 TEXT NOT NULL CHECK (length(file_sha256) = 64)"),
        stamped("member", "member_id TEXT NOT NULL CHECK (length(member_id) = 36),"
                          " name TEXT NOT NULL CHECK (name <> ''), email TEXT NOT NULL, student_number TEXT NOT NULL,"
                          " login TEXT NOT NULL, section TEXT NOT NULL, learner TEXT NOT NULL,"
                          " removed INTEGER NOT NULL CHECK (removed IN (0, 1))"),
        stamped(
            "submission",
            "assignment_id TEXT NOT NULL CHECK (length(assignment_id) = 36), learner TEXT NOT NULL CHECK"
            " (learner <> ''), public_key TEXT NOT NULL CHECK (length(public_key) = 64),"
            " content_digest TEXT NOT NULL CHECK (length(content_digest) = 64), file_name TEXT NOT NULL,"
            " submitted_at TEXT NOT NULL, app_version TEXT NOT NULL, name TEXT NOT NULL,"
            " late INTEGER NOT NULL CHECK (late IN (0, 1)), hardware TEXT NOT NULL CHECK (json_valid(hardware)),"
            " notices TEXT NOT NULL CHECK (json_valid(notices)), row_count INTEGER NOT NULL CHECK (row_count >= 0)"),
        // Whose rows those of a learner's store are: nobody else can hand them in.
        s("CREATE TABLE learner_origin (origin TEXT PRIMARY KEY NOT NULL CHECK (length(origin) = 36),"
          " learner TEXT NOT NULL, submission_id TEXT NOT NULL REFERENCES submission (id)) STRICT"),
        stamped("grade",
                "assignment_id TEXT NOT NULL, submission_id TEXT NOT NULL REFERENCES submission (id),"
                " learner TEXT NOT NULL, lesson TEXT NOT NULL CHECK (lesson <> ''),"
                " how TEXT NOT NULL CHECK (how IN ('checks', 're-execution')),"
                " points REAL NOT NULL CHECK (points >= 0 AND points <= 100),"
                " steps TEXT NOT NULL CHECK (json_valid(steps)), outcomes TEXT NOT NULL CHECK (json_valid(outcomes)),"
                " findings TEXT NOT NULL CHECK (json_valid(findings)),"
                " execution TEXT NOT NULL CHECK (json_valid(execution))"),
        stamped("feedback", "assignment_id TEXT NOT NULL, learner TEXT NOT NULL, lesson TEXT NOT NULL,"
                            " text TEXT NOT NULL"),
        s("CREATE INDEX submission_by_learner ON submission (assignment_id, learner)"),
        s("CREATE UNIQUE INDEX submission_by_content ON submission (content_digest)"),
        s("CREATE INDEX learner_origin_by_learner ON learner_origin (learner)"),
        s("CREATE INDEX grade_by_learner ON grade (assignment_id, learner, lesson)"),
        newest("latest_assignments", "assignment", "assignment_id", ""),
        newest("latest_members", "member", "member_id", ""),
        newest("latest_submissions", "submission", "assignment_id, learner", "submitted_at DESC,"),
        newest("latest_grades", "grade", "assignment_id, learner, lesson", ""),
        newest("latest_feedback", "feedback", "assignment_id, learner, lesson", ""),
    };
    for (const char* table : {"assignment", "member", "submission", "grade", "feedback"})
        all << s("CREATE INDEX %1_by_seq ON %1 (seq)").arg(s(table));
    return all + appendOnly({"assignment", "member", "submission", "learner_origin", "grade", "feedback"});
}

/// Which submission the instructor's words are about. Null in rows from before, which so keep their digests. A view of
/// PostgreSQL's has the columns that there were when it was made.
QStringList remarks()
{
    return {s("ALTER TABLE feedback ADD COLUMN submission_id TEXT REFERENCES submission (id)"),
            s("DROP VIEW latest_feedback"),
            newest("latest_feedback", "feedback", "assignment_id, learner, lesson", "")};
}

/// Files that collecting refused, until they are replaced or dismissed.
QStringList refusals()
{
    return QStringList{stamped("refusal", "file_digest TEXT NOT NULL CHECK (length(file_digest) IN (0, 64)),"
                                          " file_name TEXT NOT NULL CHECK (file_name <> ''), reason TEXT NOT NULL,"
                                          " learner TEXT NOT NULL, member_id TEXT NOT NULL,"
                                          " state TEXT NOT NULL CHECK (state IN ('refused', 'replaced', 'dismissed'))"),
                       s("CREATE INDEX refusal_by_seq ON refusal (seq)"),
                       newest("latest_refusals", "refusal", "file_digest, file_name", "")} +
           appendOnly({"refusal"});
}

/// That somebody was forgotten: when, and how much went. Nobody's name.
QStringList erasures()
{
    return QStringList{stamped("erasure", "removed TEXT NOT NULL CHECK (json_valid(removed))"),
                       s("CREATE INDEX erasure_by_seq ON erasure (seq)")} +
           appendOnly({"erasure"});
}

/// What a roster knows and grades need to come back to the right person. Null in rows from before, as with remarks.
QStringList namesOfPlatforms()
{
    return {s("ALTER TABLE member ADD COLUMN family_name TEXT"), s("ALTER TABLE member ADD COLUMN canvas_id TEXT"),
            s("DROP VIEW latest_members"), newest("latest_members", "member", "member_id", "")};
}

/// What became of points whose work could not be run again.
QStringList decisions()
{
    return QStringList{stamped("decision",
                               "assignment_id TEXT NOT NULL CHECK (length(assignment_id) = 36),"
                               " submission_id TEXT NOT NULL REFERENCES submission (id), learner TEXT NOT NULL,"
                               " lesson TEXT NOT NULL CHECK (lesson <> ''),"
                               " accepted INTEGER NOT NULL CHECK (accepted IN (0, 1)),"
                               " points REAL NOT NULL CHECK (points >= 0 AND points <= 100),"
                               " decided_by TEXT NOT NULL CHECK (decided_by <> '')"),
                       s("CREATE INDEX decision_by_seq ON decision (seq)"),
                       newest("latest_decisions", "decision", "assignment_id, learner, lesson", "")} +
           appendOnly({"decision"});
}

/// Views over one learner's progress, written with functions of SQLite's; a class has grades instead.
const QStringList kLearnersViews = {QStringLiteral("prediction_result"), QStringLiteral("mastery"),
                                    QStringLiteral("due_review")};

QString forPostgres(QString sql)
{
    static const QRegularExpression view(QStringLiteral("^(?:CREATE|DROP) VIEW (\\w+)"));
    if (const auto match = view.match(sql); match.hasMatch() && kLearnersViews.contains(match.captured(1)))
        return {};
    static const QRegularExpression trigger(QStringLiteral("^CREATE TRIGGER (\\w+) BEFORE (\\w+) ON (\\w+) BEGIN"));
    if (const auto match = trigger.match(sql); match.hasMatch())
        return s("CREATE TRIGGER %1 BEFORE %2 ON %3 FOR EACH ROW EXECUTE FUNCTION never_changed()")
            .arg(match.captured(1), match.captured(2), match.captured(3));
    static const QRegularExpression strict(QStringLiteral("\\) STRICT$"));
    static const QRegularExpression integer(QStringLiteral("\\bINTEGER\\b"));
    static const QRegularExpression real(QStringLiteral("\\bREAL\\b"));
    static const QRegularExpression json(QStringLiteral("json_valid\\s*\\((\\w+)\\)"));
    return sql.replace(strict, s(")"))
        .replace(integer, s("BIGINT"))
        .replace(real, s("DOUBLE PRECISION"))
        .replace(json, s("(\\1::json IS NOT NULL)"));
}

/// https://www.postgresql.org/docs/15/errcodes-appendix.html; Qt hands the SQLSTATE over as native code.
Error postgresError(const QSqlError& error, const std::string& place)
{
    const QString state = error.nativeErrorCode();
    const std::string text =
        (error.databaseText().isEmpty() ? error.driverText() : error.databaseText()).simplified().toStdString();
    const auto in = [&](const char* prefix) { return state.startsWith(QLatin1String(prefix)); };
    if (in("23") || in("22") || in("P0001"))
        return {"bad-row", "The row breaks a rule of the database (" + text + ")", place, "This row was not stored"};
    if (in("53100"))
        return {"disk-full", "The database's disk is full (" + text + ")", place,
                "Free space on the server; everything stored before is safe"};
    if (in("42501") || in("25006"))
        return {"store-readonly", "The database does not let this user write (" + text + ")", place,
                "Grant the user CREATE on the database, see docs/instructors.md"};
    if (in("40") || in("55P03"))
        return {"store-locked", "Another program is writing this class (" + text + ")", place, "Try again"};
    if (in("28") || in("3D"))
        return {"database-refused", "The database refuses the connection (" + text + ")", place,
                "Check user and database name; the password comes from PGPASSWORD or ~/.pgpass"};
    if (in("08") || in("57P") || error.type() == QSqlError::ConnectionError)
        return {"database-unreachable", "The database does not answer (" + text + ")", place,
                "Check that the server runs, its host and port, and the password in PGPASSWORD or ~/.pgpass"};
    return {"store-error", "The database reports: " + text + " (SQLSTATE " + state.toStdString() + ")", place,
            "Try again; if it stays, show this message to who runs the server"};
}

} // namespace

QString inDialect(const QString& statement, SqlDialect dialect)
{
    return dialect == SqlDialect::Sqlite ? statement : forPostgres(statement);
}

QStringList setUpStatements(SqlDialect dialect)
{
    QStringList all;
    for (const char* table : {"schema_version", "school_version"})
        all << inDialect(s("CREATE TABLE IF NOT EXISTS %1"
                           " (version INTEGER PRIMARY KEY NOT NULL, applied_at TEXT NOT NULL) STRICT")
                             .arg(s(table)),
                         dialect);
    if (dialect == SqlDialect::Postgres)
        all << s("CREATE OR REPLACE FUNCTION never_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                 " RAISE EXCEPTION 'rows of % are written once and never changed', TG_TABLE_NAME; END $$");
    return all;
}

QStringList beginStatements(SqlDialect dialect, const QString& schema, bool durable)
{
    // The log is one for all transactions of a server, so that a commit that waits brings those before it along:
    // https://www.postgresql.org/docs/15/wal-async-commit.html, https://www.sqlite.org/pragma.html#pragma_synchronous
    if (dialect == SqlDialect::Sqlite)
        return {durable ? s("PRAGMA synchronous = FULL") : s("PRAGMA synchronous = NORMAL"), s("BEGIN IMMEDIATE")};
    return {s("BEGIN"), s("SELECT pg_advisory_xact_lock(hashtext('%1')), set_config('synchronous_commit', '%2', true)")
                            .arg(schema, durable ? s("on") : s("off"))};
}

QString insertMissingStatement(const QString& table, const QStringList& columns, SqlDialect dialect)
{
    if (dialect == SqlDialect::Sqlite)
        return insertInto(table, columns) + s(" ON CONFLICT DO NOTHING");
    return s("INSERT INTO %1 (%2) SELECT %2 FROM json_populate_recordset(NULL::%1, ?::json) ON CONFLICT DO NOTHING")
        .arg(table, columns.join(s(", ")));
}

QString rowsAsJson(const QStringList& columns, std::span<const QVariantList>& rows)
{
    constexpr qsizetype kMost = 4 << 20; // characters; a statement of PostgreSQL's holds 1 GB
    qsizetype size = 0;
    std::vector<std::string> names;
    for (const QString& column : columns)
        names.push_back(column.toStdString());
    Json all = Json::array();
    for (; !rows.empty() && size < kMost; rows = rows.subspan(1)) {
        const QVariantList& row = rows.front();
        Json one = Json::object();
        for (int i = 0; i < row.size(); ++i) {
            const QVariant& value = row[i];
            if (value.isNull())
                continue;
            const int type = value.userType();
            size += type == QMetaType::QString ? value.toString().size() : 1;
            one[names[static_cast<std::size_t>(i)]] = type == QMetaType::Double ? Json(value.toDouble())
                                                      : type == QMetaType::LongLong || type == QMetaType::Int
                                                          ? Json(value.toLongLong())
                                                          : Json(value.toString().toStdString());
        }
        all.push_back(std::move(one));
    }
    return QString::fromStdString(all.dump());
}

const std::vector<Migration>& schoolMigrations()
{
    static const std::vector<Migration> all = {{1, classTables()}, {2, remarks()},          {3, refusals()},
                                               {4, erasures()},    {5, namesOfPlatforms()}, {6, decisions()}};
    return all;
}

Error schoolSqlError(const QSqlError& error, SqlDialect dialect, const std::string& place)
{
    return dialect == SqlDialect::Sqlite ? sqlError(error, place) : postgresError(error, place);
}

} // namespace ridge::record
