// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/school.h"

#include "base/hash.h"
#include "base/json.h"
#include "record/clock.h"
#include "record/school_codec.h"

#include <QSqlError>

namespace ridge::record {
namespace {

const QString kUnlessThere = QStringLiteral(" ON CONFLICT DO NOTHING");

QString insertStatement(const QString& table, const QStringList& names)
{
    return insertInto(table, names) + kUnlessThere;
}

QVariant columnOf(const RowLine& row, const char* name)
{
    for (const Column& column : row.columns)
        if (std::string_view(column.name) == name)
            return column.value;
    return {};
}

Error rewritten(const SubmissionImport& submission, const RowLine& row)
{
    return {"submission-rewritten",
            "The " + row.kind.toStdString() + " in line " + std::to_string(row.line) + " is not what " +
                submission.submission.learner + " handed in before in its place",
            submission.submission.fileName, "Ask for the record of that computer; what was taken in before stays"};
}

const std::vector<const char*> kOwnTables = {"assignment", "member", "submission", "grade", "feedback"};

} // namespace

School::School(std::unique_ptr<SchoolDatabase> database, const std::filesystem::path& folder)
    : m_database(std::move(database)), m_files(folder / "files")
{
}

Result<std::unique_ptr<School>> School::open(const SchoolPlace& place, bool readOnly)
{
    auto database = SchoolDatabase::open(place, readOnly);
    if (!database)
        return database.error();
    std::unique_ptr<School> school(new School(std::move(*database), place.folder));
    if (auto ready = school->ensureOrigin(); !ready)
        return ready.error();
    return school;
}

Result<void> School::ensureOrigin()
{
    const QString ask = QStringLiteral("SELECT value FROM meta WHERE key = 'origin'");
    auto origin = m_database->value(ask);
    if (!origin)
        return origin.error();
    if (origin->isNull()) {
        auto made = m_database->transaction([&]() -> Result<void> {
            for (const auto& [key, value] : {std::pair(QStringLiteral("origin"), QString::fromStdString(newUuid7())),
                                             std::pair(QStringLiteral("created_at"), timeStamp())})
                if (auto stored = m_database->exec(
                        insertStatement(QStringLiteral("meta"), {QStringLiteral("key"), QStringLiteral("value")}),
                        {key, value});
                    !stored)
                    return stored;
            return {};
        });
        if (!made)
            return made;
        origin = m_database->value(ask);
        if (!origin)
            return origin.error();
    }
    m_origin = origin->toString();
    return {};
}

Result<Tail> School::tail()
{
    // The newest of each table comes from its index.
    QStringList parts;
    for (const char* table : kOwnTables)
        parts << QStringLiteral("SELECT * FROM (SELECT seq, digest FROM %1 ORDER BY seq DESC LIMIT 1) AS newest_%1")
                     .arg(QLatin1String(table));
    auto rows = m_database->query(QStringLiteral("SELECT seq, digest FROM (%1) AS own ORDER BY seq DESC LIMIT 1")
                                      .arg(parts.join(QLatin1String(" UNION ALL "))));
    if (!rows)
        return rows.error();
    Tail newest;
    if (rows->next())
        newest = {rows->value(0).toLongLong(), rows->value(1).toString()};
    return newest;
}

Result<std::string> School::insertOwn(const char* table, const Columns& columns, Tail& tail)
{
    Stamp stamp{QString::fromStdString(newUuid7()), timeStamp(), m_origin, tail.seq + 1, tail.digest};
    if (stamp.previous.isNull())
        stamp.previous = sqlText({});
    const QString name = QLatin1String(table);
    const QString digest = rowDigest(name, stamp, columns);
    const RowInsert insert = insertOf(name, stamp, digest, columns);
    auto inserted = m_database->execPrepared(insert.sql, insert.values);
    if (!inserted)
        return inserted.error();
    tail = {stamp.seq, digest};
    return stamp.id.toStdString();
}

Result<void> School::checkOwnership(const SubmissionImport& submission)
{
    for (const std::string& origin : submission.origins) {
        auto owner =
            m_database->value(QStringLiteral("SELECT learner FROM learner_origin WHERE origin = ?"), {sqlText(origin)});
        if (!owner)
            return owner.error();
        const std::string other = owner->toString().toStdString();
        if (!other.empty() && other != submission.submission.learner)
            return Error{"submission-other-learner",
                         "It holds rows of the record that " + other + " has handed in, and is signed by " +
                             submission.submission.learner,
                         submission.submission.fileName,
                         "Speak with both; one person with two keys hands in again from the first computer"};
    }
    return {};
}

Result<std::set<std::string>> School::knownRows(const SubmissionImport& submission)
{
    std::map<std::string, QString> digests;
    std::map<std::pair<std::string, std::int64_t>, std::string> places;
    for (const std::string& origin : submission.origins) {
        auto rows =
            m_database->query(QStringLiteral("SELECT id, digest, seq FROM entry WHERE origin = ?"), {sqlText(origin)});
        if (!rows)
            return rows.error();
        while (rows->next()) {
            const std::string id = rows->value(0).toString().toStdString();
            digests[id] = rows->value(1).toString();
            places[{origin, rows->value(2).toLongLong()}] = id;
        }
    }
    std::set<std::string> known;
    for (const RowLine& row : submission.rows) {
        const std::string id = row.stamp.id.toStdString();
        const auto there = digests.find(id);
        if (there != digests.end() && there->second == row.digest) {
            known.insert(id);
            continue;
        }
        if (there != digests.end() || places.contains({row.stamp.origin.toStdString(), row.stamp.seq}))
            return rewritten(submission, row);
    }
    return known;
}

Result<void> School::insertRow(const RowLine& row)
{
    const RowInsert insert = insertOf(row.kind, row.stamp, row.digest, row.columns);
    auto inserted = m_database->execPrepared(insert.sql + kUnlessThere, insert.values);
    if (!inserted)
        return inserted.error();
    return row.kind == QLatin1String("artifact") ? insertLinks(row) : Result<void>();
}

/// What an artifact is made of, once more as keys, as Store writes it.
Result<void> School::insertLinks(const RowLine& row)
{
    const auto link = [&](const char* table, const char* column, std::size_t position, const Json& id,
                          const Json& name) -> Result<void> {
        if (!id.is_string())
            return {};
        QStringList names{QStringLiteral("artifact_id"), QStringLiteral("position"), QLatin1String(column)};
        QVariantList values{row.stamp.id, static_cast<qlonglong>(position), sqlText(id.get<std::string>())};
        if (name.is_string()) {
            names << QStringLiteral("name");
            values << sqlText(name.get<std::string>());
        }
        auto done = m_database->execPrepared(insertStatement(QLatin1String(table), names), values);
        return done ? Result<void>() : Result<void>(done.error());
    };
    std::size_t position = 0;
    for (const auto& [from, table, column] : {std::tuple("prediction_ids", "artifact_prediction", "prediction_id"),
                                              {"run_ids", "artifact_run", "run_id"},
                                              {"code", "artifact_file", "sha256"},
                                              {"files", "artifact_file", "sha256"}}) {
        if (std::string_view(from) != "files")
            position = 0; // code and files are one list
        const Json list = Json::parse(columnOf(row, from).toString().toStdString(), nullptr, false);
        for (const Json& one : list) {
            const Json id = one.is_object() ? one.value("sha256", Json()) : one;
            const Json name = one.is_object() ? one.value("name", Json()) : Json();
            if (auto done = link(table, column, position++, id, name); !done)
                return done;
        }
    }
    return {};
}

Result<Imported> School::import(const SubmissionImport& submission)
{
    // Durable before a row names them; without that row they are only bytes that nobody asks for.
    for (const auto& [sha256, bytes] : submission.contents)
        if (auto put = m_files.put(bytes); !put)
            return put.error();
    Imported imported;
    auto done = m_database->transaction([&]() -> Result<void> {
        auto before = m_database->value(QStringLiteral("SELECT id FROM submission WHERE content_digest = ?"),
                                        {sqlText(submission.submission.digest)});
        if (!before)
            return before.error();
        if (!before->isNull()) {
            imported = {before->toString().toStdString(), true, 0};
            return {};
        }
        if (auto owned = checkOwnership(submission); !owned)
            return owned;
        const auto known = knownRows(submission);
        if (!known)
            return known.error();
        for (const auto& [sha256, size] : submission.files)
            if (auto named = m_database->execPrepared(
                    insertStatement(QStringLiteral("file"), {QStringLiteral("sha256"), QStringLiteral("bytes")}),
                    {sqlText(sha256), static_cast<qlonglong>(size)});
                !named)
                return named.error();
        for (const RowLine& row : submission.rows) {
            if (known->contains(row.stamp.id.toStdString()))
                continue;
            if (auto inserted = insertRow(row); !inserted)
                return inserted;
            ++imported.rows;
        }
        auto last = tail();
        if (!last)
            return last.error();
        auto id = insertOwn("submission", columnsOf(submission.submission), *last);
        if (!id)
            return id.error();
        imported.submissionId = *id;
        for (const std::string& origin : submission.origins)
            if (auto linked =
                    m_database->execPrepared(insertStatement(QStringLiteral("learner_origin"),
                                                             {QStringLiteral("origin"), QStringLiteral("learner"),
                                                              QStringLiteral("submission_id")}),
                                             {sqlText(origin), sqlText(submission.submission.learner), sqlText(*id)});
                !linked)
                return linked.error();
        return {};
    });
    if (!done)
        return done.error();
    return imported;
}

Result<std::string> School::append(AssignmentRow row)
{
    std::string id;
    auto done = m_database->transaction([&]() -> Result<void> {
        auto last = tail();
        if (!last)
            return last.error();
        auto stored = insertOwn("assignment", columnsOf(row), *last);
        if (!stored)
            return stored.error();
        id = *stored;
        return {};
    });
    return done ? Result<std::string>(id) : Result<std::string>(done.error());
}

Result<std::string> School::append(FeedbackRow row)
{
    std::string id;
    auto done = m_database->transaction([&]() -> Result<void> {
        auto last = tail();
        if (!last)
            return last.error();
        auto stored = insertOwn("feedback", columnsOf(row), *last);
        if (!stored)
            return stored.error();
        id = *stored;
        return {};
    });
    return done ? Result<std::string>(id) : Result<std::string>(done.error());
}

Result<void> School::append(std::vector<MemberRow> rows)
{
    return m_database->transaction([&]() -> Result<void> {
        auto last = tail();
        if (!last)
            return last.error();
        for (MemberRow& row : rows) {
            if (row.memberId.empty())
                row.memberId = newUuid7();
            if (auto stored = insertOwn("member", columnsOf(row), *last); !stored)
                return stored.error();
        }
        return {};
    });
}

Result<void> School::append(std::vector<GradeRow> rows)
{
    return m_database->transaction([&]() -> Result<void> {
        auto last = tail();
        if (!last)
            return last.error();
        for (const GradeRow& row : rows)
            if (auto stored = insertOwn("grade", columnsOf(row), *last); !stored)
                return stored.error();
        return {};
    });
}

} // namespace ridge::record
