// SPDX-License-Identifier: GPL-3.0-or-later
// School's reads.
#include "record/school.h"

#include "record/school_codec.h"

#include <QSqlError>
#include <QSqlField>
#include <QSqlRecord>
#include <algorithm>

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

/// By origin alone, whose index leads to a few hundred rows: a condition on the lesson as well would tempt a planner to
/// go through that lesson's rows of the whole class. `wanted` decides before a row is decoded.
template<class Row>
Result<void> School::learnersRows(std::vector<Row>& rows, const char* table, const QStringList& origins,
                                  const std::function<bool(const QSqlQuery&)>& wanted,
                                  Result<Row> (*decode)(const QSqlQuery&))
{
    for (const QString& origin : origins) {
        auto query =
            m_database->query(QStringLiteral("SELECT * FROM %1 WHERE origin = ?").arg(QLatin1String(table)), {origin});
        if (!query)
            return query.error();
        while (query->next()) {
            if (!wanted(*query))
                continue;
            auto row = decode(*query);
            if (!row)
                return row.error();
            rows.push_back(std::move(*row));
        }
        if (query->lastError().isValid())
            return schoolSqlError(query->lastError(), m_database->dialect(), place());
    }
    std::sort(rows.begin(), rows.end(), [](const Row& x, const Row& y) {
        return std::tie(x.createdAt, x.seq, x.id) > std::tie(y.createdAt, y.seq, y.id);
    });
    return {};
}

Result<LearnerRows> School::rowsOf(const std::string& learner, const std::string& lesson)
{
    auto owned =
        m_database->query(QStringLiteral("SELECT origin FROM learner_origin WHERE learner = ?"), {sqlText(learner)});
    if (!owned)
        return owned.error();
    QStringList origins;
    while (owned->next())
        origins << owned->value(0).toString();
    const auto ofLesson = [wanted = sqlText(lesson)](const QSqlQuery& query) {
        return query.value(QStringLiteral("lesson")).toString() == wanted;
    };
    LearnerRows rows;
    auto done = learnersRows(rows.runs, "run", origins, ofLesson, runFrom);
    if (done)
        done = learnersRows(rows.predictions, "prediction", origins, ofLesson, predictionFrom);
    if (done)
        done = learnersRows(rows.answers, "answer", origins, ofLesson, answerFrom);
    if (done)
        done = learnersRows(rows.artifacts, "artifact", origins, ofLesson, artifactFrom);
    std::set<QString> predictions;
    for (const PredictionRow& prediction : rows.predictions)
        predictions.insert(QString::fromStdString(prediction.id));
    const auto ofPrediction = [&](const QSqlQuery& query) {
        return predictions.contains(query.value(QStringLiteral("prediction_id")).toString());
    };
    if (done)
        done = learnersRows(rows.reasons, "reason", origins, ofPrediction, reasonFrom);
    if (!done)
        return done.error();
    // Newest first: what comes again is an older version.
    std::set<std::string> seen;
    std::erase_if(rows.artifacts, [&](const ArtifactRow& artifact) {
        return !seen.insert(artifact.artifactId).second || artifact.removed;
    });
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
