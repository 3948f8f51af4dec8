// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/record/school.h"

#include "base/hash.h"
#include "base/json.h"
#include "classroom/record/school_codec.h"
#include "classroom/record/school_forget.h"
#include "record/clock.h"

namespace ridge::record {
namespace {

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

QString marks(qsizetype count)
{
    return QStringList(count, QStringLiteral("?")).join(QLatin1String(", "));
}

const std::vector<const char*> kOwnTables = {"assignment", "member",  "submission", "grade",
                                             "feedback",   "refusal", "erasure",    "decision"};

} // namespace

School::School(std::unique_ptr<SchoolDatabase> database, const std::filesystem::path& folder)
    : m_database(std::move(database)), m_files(folder / "files"), m_folder(folder)
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
    std::error_code ec;
    if (!readOnly && std::filesystem::exists(forgettingMark(place.folder), ec))
        if (auto done = school->scrub(); !done)
            return done.error();
    return school;
}

Result<void> School::ensureOrigin()
{
    const QString ask = QStringLiteral("SELECT value FROM meta WHERE key = 'origin'");
    auto origin = m_database->value(ask);
    if (!origin)
        return origin.error();
    if (origin->isNull()) {
        auto made = m_database->transaction(SchoolDatabase::Durable::AtOnce, [&]() -> Result<void> {
            auto stored =
                m_database->insertMissing(QStringLiteral("meta"), {QStringLiteral("key"), QStringLiteral("value")},
                                          {{QStringLiteral("origin"), QString::fromStdString(newUuid7())},
                                           {QStringLiteral("created_at"), timeStamp()}});
            return stored ? Result<void>() : Result<void>(stored.error());
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
    Tail newest;
    auto read = m_database->each(QStringLiteral("SELECT seq, digest FROM (%1) AS own ORDER BY seq DESC LIMIT 1")
                                     .arg(parts.join(QLatin1String(" UNION ALL "))),
                                 {}, [&](const QSqlQuery& row) -> Result<void> {
                                     newest = {row.value(0).toLongLong(), row.value(1).toString()};
                                     return {};
                                 });
    if (!read)
        return read.error();
    return newest;
}

Result<std::vector<std::string>> School::insertOwn(const char* table, const std::vector<Columns>& rows)
{
    const auto last = tail();
    return last ? insertOwn(table, rows, *last) : Result<std::vector<std::string>>(last.error());
}

/// Behind the newest of its own rows, one after the other. Gives their ids.
Result<std::vector<std::string>> School::insertOwn(const char* table, const std::vector<Columns>& rows, Tail last)
{
    const QString name = QLatin1String(table);
    std::vector<std::string> ids;
    std::vector<QVariantList> values;
    QStringList names;
    for (const Columns& columns : rows) {
        Stamp stamp{QString::fromStdString(newUuid7()), timeStamp(), m_origin, last.seq + 1, last.digest};
        if (stamp.previous.isNull())
            stamp.previous = sqlText({});
        const QString digest = rowDigest(name, stamp, columns);
        RowInsert insert = insertOf(name, stamp, digest, columns);
        names = insert.names;
        values.push_back(std::move(insert.values));
        ids.push_back(stamp.id.toStdString());
        last = {stamp.seq, digest};
    }
    const auto added = m_database->insertMissing(name, names, values);
    if (!added)
        return added.error();
    if (*added != static_cast<int>(rows.size()))
        return Error{"bad-row", "A " + std::string(table) + " like this is there already", place(),
                     "Nothing was stored; try again"};
    return ids;
}

template<class Row>
Result<std::vector<std::string>> School::appendOwn(const char* table, const std::vector<Row>& rows)
{
    std::vector<Columns> all;
    for (const Row& row : rows)
        all.push_back(columnsOf(row));
    Result<std::vector<std::string>> ids = std::vector<std::string>();
    auto done = m_database->transaction(SchoolDatabase::Durable::AtOnce, [&]() -> Result<void> {
        ids = insertOwn(table, all);
        return ids ? Result<void>() : Result<void>(ids.error());
    });
    if (!done)
        return done.error();
    return ids;
}

/// Whether any of the origins was handed in before.
Result<bool> School::checkOwnership(const SubmissionImport& submission)
{
    QVariantList origins;
    for (const std::string& origin : submission.origins)
        origins << sqlText(origin);
    if (origins.isEmpty())
        return false;
    std::string other;
    bool known = false;
    auto read = m_database->each(
        QStringLiteral("SELECT learner FROM learner_origin WHERE origin IN (%1)").arg(marks(origins.size())), origins,
        [&](const QSqlQuery& row) -> Result<void> {
            known = true;
            if (const std::string owner = row.value(0).toString().toStdString(); owner != submission.submission.learner)
                other = owner;
            return {};
        });
    if (!read)
        return read.error();
    if (!other.empty())
        return Error{"submission-other-learner",
                     "It holds rows of the record that " + other + " has handed in, and is signed by " +
                         submission.submission.learner,
                     submission.submission.fileName,
                     "Speak with both; one person with two keys hands in again from the first computer"};
    return known;
}

Result<std::set<std::string>> School::knownRows(const SubmissionImport& submission)
{
    std::map<std::string, QString> digests;
    std::map<std::pair<std::string, std::int64_t>, std::string> places;
    for (const std::string& origin : submission.origins) {
        auto read = m_database->each(QStringLiteral("SELECT id, digest, seq FROM entry WHERE origin = ?"),
                                     {sqlText(origin)}, [&](const QSqlQuery& row) -> Result<void> {
                                         const std::string id = row.value(0).toString().toStdString();
                                         digests[id] = row.value(1).toString();
                                         places[{origin, row.value(2).toLongLong()}] = id;
                                         return {};
                                     });
        if (!read)
            return read.error();
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

/// Kind after kind, in the order in which none refers to a later one. None of them is here.
Result<int> School::insertRows(const std::vector<const RowLine*>& rows, const SubmissionImport& submission)
{
    std::map<QString, std::vector<const RowLine*>> byKind;
    for (const RowLine* row : rows)
        byKind[row->kind].push_back(row);
    int inserted = 0;
    for (const QString& kind : rowKinds()) {
        const std::vector<const RowLine*>& own = byKind[kind];
        QStringList names;
        std::vector<QVariantList> values;
        for (const RowLine* row : own) {
            RowInsert insert = insertOf(row->kind, row->stamp, row->digest, row->columns);
            names = insert.names;
            values.push_back(std::move(insert.values));
        }
        const auto added = m_database->insertMissing(kind, names, values);
        if (!added)
            return added.error();
        if (*added != static_cast<int>(own.size()))
            return Error{"submission-rewritten",
                         "An id of its rows of the kind " + kind.toStdString() + " is that of another record's row",
                         submission.submission.fileName, "Ask for the record of that computer"};
        inserted += *added;
        if (kind == QLatin1String("artifact"))
            if (auto linked = insertLinks(own); !linked)
                return linked.error();
    }
    return inserted;
}

/// What artifacts are made of, once more as keys, as Store writes it.
Result<void> School::insertLinks(const std::vector<const RowLine*>& artifacts)
{
    std::vector<QVariantList> predictions, runs, files;
    for (const RowLine* row : artifacts) {
        qlonglong position = 0;
        for (const auto& [from, to] :
             {std::pair("prediction_ids", &predictions), {"run_ids", &runs}, {"code", &files}, {"files", &files}}) {
            if (std::string_view(from) != "files")
                position = 0; // code and files are one list
            const Json list = Json::parse(columnOf(*row, from).toString().toStdString(), nullptr, false);
            for (const Json& one : list) {
                const Json id = one.is_object() ? one.value("sha256", Json()) : one;
                const Json name = one.is_object() ? one.value("name", Json()) : Json();
                if (id.is_string()) {
                    to->push_back({row->stamp.id, position, sqlText(id.get<std::string>())});
                    if (to == &files)
                        to->back() << (name.is_string() ? QVariant(sqlText(name.get<std::string>())) : QVariant());
                }
                ++position;
            }
        }
    }
    for (const auto& [table, rows, columns] :
         {std::tuple("artifact_prediction", &predictions, QStringList{QStringLiteral("prediction_id")}),
          {"artifact_run", &runs, QStringList{QStringLiteral("run_id")}},
          {"artifact_file", &files, QStringList{QStringLiteral("sha256"), QStringLiteral("name")}}})
        if (auto done = m_database->insertMissing(
                QLatin1String(table), QStringList{QStringLiteral("artifact_id"), QStringLiteral("position")} + columns,
                *rows);
            !done)
            return done.error();
    return {};
}

Result<Imported> School::import(const SubmissionImport& submission)
{
    const std::set<std::string> origins(submission.origins.begin(), submission.origins.end());
    for (const RowLine& row : submission.rows)
        if (!origins.contains(row.stamp.origin.toStdString()))
            return Error{"submission-foreign-row",
                         "The " + row.kind.toStdString() + " in line " + std::to_string(row.line) +
                             " comes from a record that the submission does not name",
                         submission.submission.fileName, "Ask for the file again, as Ridgepoint wrote it"};
    // Durable before a row names them; without that row they are only bytes that nobody asks for.
    for (const auto& [sha256, bytes] : submission.contents)
        if (auto put = m_files.put(bytes); !put)
            return put.error();
    Imported imported;
    auto done = m_database->transaction(SchoolDatabase::Durable::WithNext, [&]() -> Result<void> {
        auto before =
            m_database->each(QStringLiteral("SELECT id FROM submission WHERE content_digest = ?"),
                             {sqlText(submission.submission.digest)}, [&](const QSqlQuery& row) -> Result<void> {
                                 imported = {row.value(0).toString().toStdString(), true, 0};
                                 return {};
                             });
        if (!before || imported.known)
            return before;
        const auto owned = checkOwnership(submission);
        if (!owned)
            return owned.error();
        // Rows come with their origin's owner, in one transaction: of an origin that nobody has handed in none is here.
        const auto known = *owned ? knownRows(submission) : Result<std::set<std::string>>(std::set<std::string>());
        if (!known)
            return known.error();
        std::vector<QVariantList> files;
        for (const auto& [sha256, size] : submission.files)
            files.push_back({sqlText(sha256), static_cast<qlonglong>(size)});
        if (auto named = m_database->insertMissing(QStringLiteral("file"),
                                                   {QStringLiteral("sha256"), QStringLiteral("bytes")}, files);
            !named)
            return named.error();
        std::vector<const RowLine*> fresh;
        for (const RowLine& row : submission.rows)
            if (!known->contains(row.stamp.id.toStdString()))
                fresh.push_back(&row);
        const auto inserted = insertRows(fresh, submission);
        if (!inserted)
            return inserted.error();
        imported.rows = *inserted;
        const auto id = insertOwn("submission", {columnsOf(submission.submission)});
        if (!id)
            return id.error();
        imported.submissionId = id->front();
        std::vector<QVariantList> owners;
        for (const std::string& origin : submission.origins)
            owners.push_back({sqlText(origin), sqlText(submission.submission.learner), sqlText(imported.submissionId)});
        const auto linked = m_database->insertMissing(
            QStringLiteral("learner_origin"),
            {QStringLiteral("origin"), QStringLiteral("learner"), QStringLiteral("submission_id")}, owners);
        return linked ? Result<void>() : Result<void>(linked.error());
    });
    if (!done)
        return done.error();
    return imported;
}

Result<std::string> School::append(AssignmentRow row)
{
    const auto ids = appendOwn("assignment", std::vector<AssignmentRow>{std::move(row)});
    return ids ? Result<std::string>(ids->front()) : Result<std::string>(ids.error());
}

Result<std::string> School::append(FeedbackRow row)
{
    const auto ids = appendOwn("feedback", std::vector<FeedbackRow>{std::move(row)});
    return ids ? Result<std::string>(ids->front()) : Result<std::string>(ids.error());
}

Result<void> School::append(std::vector<MemberRow> rows)
{
    for (MemberRow& row : rows)
        if (row.memberId.empty())
            row.memberId = newUuid7();
    const auto ids = appendOwn("member", rows);
    return ids ? Result<void>() : Result<void>(ids.error());
}

Result<void> School::append(std::vector<GradeRow> rows)
{
    const auto ids = appendOwn("grade", rows);
    return ids ? Result<void>() : Result<void>(ids.error());
}

Result<void> School::append(const DecisionRow& decision, const GradeRow& grade)
{
    return m_database->transaction(SchoolDatabase::Durable::AtOnce, [&]() -> Result<void> {
        if (const auto decided = insertOwn("decision", {columnsOf(decision)}); !decided)
            return decided.error();
        const auto graded = insertOwn("grade", {columnsOf(grade)});
        return graded ? Result<void>() : Result<void>(graded.error());
    });
}

Result<void> School::append(std::vector<RefusalRow> rows)
{
    const auto ids = appendOwn("refusal", rows);
    return ids ? Result<void>() : Result<void>(ids.error());
}

} // namespace ridge::record
