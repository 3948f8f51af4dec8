// SPDX-License-Identifier: GPL-3.0-or-later
// School's reads.
#include "classroom/record/school.h"

#include "classroom/record/school_codec.h"

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

/// `sql` over every one of `values`, whose marks stand where %1 is; the same statement each time, whatever the number:
/// what is left of a part repeats its last value.
Result<void> amongEach(SchoolDatabase& database, const QString& sql, const QStringList& values,
                       const std::function<Result<void>(const QSqlQuery&)>& row)
{
    const qsizetype atOnce = values.size() == 1 ? 1 : 16;
    const QString marked = sql.arg(QStringList(atOnce, QStringLiteral("?")).join(QLatin1Char(',')));
    Result<void> done;
    for (qsizetype from = 0; done && from < values.size(); from += atOnce) {
        QVariantList part;
        for (qsizetype i = 0; i < atOnce; ++i)
            part << values[std::min(from + i, values.size() - 1)];
        done = database.each(marked, part, row);
    }
    return done;
}

template<class Row>
void newestFirst(std::vector<Row>& rows)
{
    std::sort(rows.begin(), rows.end(), [](const Row& x, const Row& y) {
        return std::tie(x.createdAt, x.seq, x.id) > std::tie(y.createdAt, y.seq, y.id);
    });
}

} // namespace

template<class Row>
Result<std::vector<Row>> School::read(const QString& sql, const QVariantList& values, Row (*decode)(const QSqlQuery&))
{
    std::vector<Row> rows;
    auto done = m_database->each(sql, values, [&](const QSqlQuery& row) -> Result<void> {
        rows.push_back(decode(row));
        return {};
    });
    if (!done)
        return done.error();
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

Result<std::vector<DecisionRow>> School::decisions(const std::string& assignmentId)
{
    return read(QStringLiteral("SELECT * FROM latest_decisions WHERE assignment_id = ? ORDER BY learner, lesson"),
                {sqlText(assignmentId)}, decisionFrom);
}

Result<std::vector<RefusalRow>> School::refusals()
{
    return read(QStringLiteral("SELECT * FROM latest_refusals ORDER BY seq"), {}, refusalFrom);
}

/// By origin alone, whose index leads to a few hundred rows: a condition on the lesson as well would tempt a planner to
/// go through that lesson's rows of the whole class. `into` says whose list a row belongs to before it is decoded;
/// null: nobody's.
template<class Row>
Result<void> School::learnersRows(const QStringList& origins, const char* table,
                                  const std::function<std::vector<Row>*(const QSqlQuery&)>& into,
                                  Result<Row> (*decode)(const QSqlQuery&))
{
    return amongEach(*m_database,
                     QStringLiteral("SELECT * FROM ") + QLatin1String(table) + QStringLiteral(" WHERE origin IN (%1)"),
                     origins, [&](const QSqlQuery& row) -> Result<void> {
                         std::vector<Row>* list = into(row);
                         if (list == nullptr)
                             return {};
                         auto decoded = decode(row);
                         if (!decoded)
                             return decoded.error();
                         list->push_back(std::move(*decoded));
                         return {};
                     });
}

Result<LearnerRows> School::rowsOf(const std::string& learner, const std::string& lesson)
{
    auto all = rowsOf(std::vector<std::string>{learner}, std::vector<std::string>{lesson});
    return all ? Result<LearnerRows>(std::move(all->begin()->second)) : Result<LearnerRows>(all.error());
}

Result<RowsByLearner> School::rowsOf(const std::vector<std::string>& learners, const std::vector<std::string>& lessons)
{
    RowsByLearner all;
    for (const std::string& learner : learners)
        for (const std::string& lesson : lessons)
            all[{learner, lesson}];
    QStringList names, origins;
    for (const std::string& learner : std::set<std::string>(learners.begin(), learners.end()))
        names << sqlText(learner);
    std::map<QString, std::string> ownerOf;
    auto done =
        amongEach(*m_database, QStringLiteral("SELECT origin, learner FROM learner_origin WHERE learner IN (%1)"),
                  names, [&](const QSqlQuery& row) -> Result<void> {
                      if (ownerOf.emplace(row.value(0).toString(), row.value(1).toString().toStdString()).second)
                          origins << row.value(0).toString();
                      return {};
                  });
    const auto of = [&](const QSqlQuery& row) -> LearnerRows* {
        const auto found = all.find({ownerOf[row.value(QStringLiteral("origin")).toString()],
                                     row.value(QStringLiteral("lesson")).toString().toStdString()});
        return found == all.end() ? nullptr : &found->second;
    };
    const auto list = [&of](auto LearnerRows::*member) {
        return [&of, member](const QSqlQuery& row) {
            LearnerRows* rows = of(row);
            return rows == nullptr ? nullptr : &(rows->*member);
        };
    };
    if (done)
        done = learnersRows<RunRow>(origins, "run", list(&LearnerRows::runs), runFrom);
    if (done)
        done = learnersRows<PredictionRow>(origins, "prediction", list(&LearnerRows::predictions), predictionFrom);
    if (done)
        done = learnersRows<AnswerRow>(origins, "answer", list(&LearnerRows::answers), answerFrom);
    if (done)
        done = learnersRows<ArtifactRow>(origins, "artifact", list(&LearnerRows::artifacts), artifactFrom);
    std::map<QString, LearnerRows*> byPrediction;
    for (auto& [key, rows] : all)
        for (const PredictionRow& prediction : rows.predictions)
            byPrediction[QString::fromStdString(prediction.id)] = &rows;
    if (done)
        done = learnersRows<ReasonRow>(
            origins, "reason",
            [&](const QSqlQuery& row) {
                const auto found = byPrediction.find(row.value(QStringLiteral("prediction_id")).toString());
                return found == byPrediction.end() ? nullptr : &found->second->reasons;
            },
            reasonFrom);
    if (!done)
        return done.error();
    for (auto& [key, rows] : all) {
        newestFirst(rows.runs);
        newestFirst(rows.predictions);
        newestFirst(rows.answers);
        newestFirst(rows.artifacts);
        newestFirst(rows.reasons);
        // What comes again is an older version.
        std::set<std::string> seen;
        std::erase_if(rows.artifacts, [&](const ArtifactRow& artifact) {
            return !seen.insert(artifact.artifactId).second || artifact.removed;
        });
    }
    return all;
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
