// SPDX-License-Identifier: GPL-3.0-or-later
// School's reads.
#include "record/school.h"

#include "record/school_codec.h"

#include <QSqlError>
#include <QSqlField>
#include <QSqlRecord>

namespace ridge::record {
namespace {

/// What a learner's row of a kind says, as it went into its digest. A null column is left out, an integer is one.
Columns columnsFrom(const QString& kind, const QSqlQuery& query)
{
    Columns columns;
    static std::map<QString, std::vector<QByteArray>> names; // what Column points to lives as long as the program
    auto found = names.find(kind);
    if (found == names.end()) {
        std::vector<QByteArray> list;
        for (const QString& name : contentColumns(kind))
            list.push_back(name.toLatin1());
        found = names.emplace(kind, std::move(list)).first;
    }
    for (const QByteArray& name : found->second)
        columns.push_back({name.constData(), query.value(QLatin1String(name))});
    return columns;
}

} // namespace

template<class Row>
Result<std::vector<Row>> School::read(const QString& sql, const QVariantList& values, Row (*decode)(const QSqlQuery&))
{
    auto query = m_database->query(sql, values);
    if (!query)
        return query.error();
    std::vector<Row> rows;
    while (query->next())
        rows.push_back(decode(*query));
    if (query->lastError().isValid())
        return schoolSqlError(query->lastError(), m_database->dialect(), place());
    return rows;
}

Result<std::vector<AssignmentRow>> School::assignments()
{
    return read(QStringLiteral("SELECT * FROM latest_assignments ORDER BY seq"), {}, assignmentFrom);
}

Result<std::vector<MemberRow>> School::members()
{
    return read(QStringLiteral("SELECT * FROM latest_members WHERE removed = 0 ORDER BY name, member_id"), {},
                memberFrom);
}

Result<std::vector<SubmissionRow>> School::submissions(const std::string& assignmentId)
{
    return read(QStringLiteral("SELECT * FROM latest_submissions WHERE assignment_id = ? ORDER BY learner"),
                {sqlText(assignmentId)}, submissionFrom);
}

Result<std::vector<GradeRow>> School::grades(const std::string& assignmentId)
{
    return read(QStringLiteral("SELECT * FROM latest_grades WHERE assignment_id = ? ORDER BY learner, lesson"),
                {sqlText(assignmentId)}, gradeFrom);
}

Result<std::vector<FeedbackRow>> School::feedback(const std::string& assignmentId)
{
    return read(QStringLiteral("SELECT * FROM latest_feedback WHERE assignment_id = ? ORDER BY learner, lesson"),
                {sqlText(assignmentId)}, feedbackFrom);
}

template<class Row>
Result<void> School::learnersRows(std::vector<Row>& rows, const QString& sql, const QVariantList& values,
                                  Result<Row> (*decode)(const QSqlQuery&))
{
    auto query = m_database->query(sql, values);
    if (!query)
        return query.error();
    while (query->next()) {
        auto row = decode(*query);
        if (!row)
            return row.error();
        rows.push_back(std::move(*row));
    }
    if (query->lastError().isValid())
        return schoolSqlError(query->lastError(), m_database->dialect(), place());
    return {};
}

Result<LearnerRows> School::rowsOf(const std::string& learner, const std::string& lesson)
{
    const QString own = QStringLiteral(" WHERE origin IN (SELECT origin FROM learner_origin WHERE learner = ?)");
    const QString order = QStringLiteral(" ORDER BY created_at DESC, seq DESC, id DESC");
    const auto all = [&](const char* table) {
        return QStringLiteral("SELECT * FROM %1%2 AND lesson = ?%3").arg(QLatin1String(table), own, order);
    };
    const QVariantList values{sqlText(learner), sqlText(lesson)};
    LearnerRows rows;
    auto done = learnersRows(rows.runs, all("run"), values, runFrom);
    if (done)
        done = learnersRows(rows.predictions, all("prediction"), values, predictionFrom);
    if (done)
        done = learnersRows(rows.answers, all("answer"), values, answerFrom);
    if (done)
        done = learnersRows(rows.artifacts, all("latest_artifacts"), values, artifactFrom);
    if (done)
        done = learnersRows(rows.reasons,
                            QStringLiteral("SELECT * FROM reason%1 AND prediction_id IN"
                                           " (SELECT id FROM prediction WHERE lesson = ?)%2")
                                .arg(own, order),
                            values, reasonFrom);
    if (!done)
        return done.error();
    return rows;
}

Result<std::int64_t> School::rowCount()
{
    auto count = m_database->value(QStringLiteral("SELECT COUNT(*) FROM entry"));
    if (!count)
        return count.error();
    return count->toLongLong();
}

Result<void> School::verify()
{
    if (m_database->dialect() == SqlDialect::Sqlite) {
        auto sound = m_database->value(QStringLiteral("PRAGMA integrity_check"));
        if (!sound)
            return sound.error();
        if (sound->toString() != QLatin1String("ok"))
            return Error{"store-damaged", "The class's database is damaged (" + sound->toString().toStdString() + ")",
                         place(), "Restore a copy; the submissions bring their rows once more"};
    }
    for (const QString& kind : rowKinds()) {
        auto query = m_database->query(QStringLiteral("SELECT * FROM %1 ORDER BY id").arg(kind));
        if (!query)
            return query.error();
        while (query->next()) {
            const auto field = [&](const char* name) { return query->value(QLatin1String(name)).toString(); };
            const Stamp stamp{field("id"), field("created_at"), field("origin"),
                              query->value(QStringLiteral("seq")).toLongLong(), field("previous")};
            if (rowDigest(kind, stamp, columnsFrom(kind, *query)) != field("digest"))
                return Error{"store-damaged", "A row was changed by another program",
                             kind.toStdString() + " " + stamp.id.toStdString(),
                             "Restore a copy of the database, or collect the submissions into a new class"};
        }
        if (query->lastError().isValid())
            return schoolSqlError(query->lastError(), m_database->dialect(), place());
    }
    return {};
}

} // namespace ridge::record
