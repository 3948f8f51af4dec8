// SPDX-License-Identifier: GPL-3.0-or-later
// Store's reads, on the owner's thread through a connection that cannot write.
#include "record/store_private.h"

#include <QSqlError>
#include <algorithm>
#include <functional>
#include <tuple>

namespace ridge::record {

namespace {

/// AND-ed conditions with their values.
class Where {
public:
    void equals(const char* column, const std::string& value)
    {
        if (!value.empty())
            add(QStringLiteral("%1 = ?").arg(QLatin1String(column)), {sqlText(value)});
    }
    void oneOf(const char* column, const std::vector<std::string>& names)
    {
        if (names.empty())
            return;
        QVariantList all;
        for (const std::string& name : names)
            all << sqlText(name);
        const QStringList marks(all.size(), QStringLiteral("?"));
        add(QStringLiteral("%1 IN (%2)").arg(QLatin1String(column), marks.join(QLatin1String(", "))), all);
    }
    void among(const QString& condition, const QVariantList& more) { add(condition, more); }
    QString sql() const
    {
        return m_conditions.isEmpty() ? QString()
                                      : QStringLiteral(" WHERE ") + m_conditions.join(QLatin1String(" AND "));
    }
    QVariantList values;

private:
    void add(const QString& condition, const QVariantList& more)
    {
        m_conditions << condition;
        values << more;
    }
    QStringList m_conditions;
};

template<class Row>
Result<std::vector<Row>> rowsOf(Connection& connection, const QString& sql, const QVariantList& values,
                                Result<Row> (*decode)(const QSqlQuery&))
{
    auto query = connection.query(sql, values);
    if (!query)
        return query.error();
    std::vector<Row> rows;
    while (query->next()) {
        if (interrupted())
            return stoppedReading(connection.place());
        auto row = decode(*query);
        if (!row)
            return row.error();
        rows.push_back(std::move(*row));
    }
    if (query->lastError().isValid())
        return sqlError(query->lastError(), connection.place());
    return rows;
}

template<class Row>
Result<std::vector<Row>> readRows(Connection& connection, const QString& source, const Where& where, int limit,
                                  Result<Row> (*decode)(const QSqlQuery&))
{
    QString sql = QStringLiteral("SELECT * FROM ") + source + where.sql() +
                  QStringLiteral(" ORDER BY created_at DESC, seq DESC, id DESC");
    if (limit > 0)
        sql += QStringLiteral(" LIMIT %1").arg(limit);
    return rowsOf(connection, sql, where.values, decode);
}

/// Ids of the rows of the view latest_runs. From one lesson, block and experiment to the next by one seek in
/// run_by_block each, the innermost that has a next one; a comparison of all three at once goes through a lesson's
/// whole part of the index. From each of them a further seek to its newest finished run.
const char* const kLatestIds =
    "id IN (WITH RECURSIVE place (id) AS ("
    "SELECT * FROM (SELECT id FROM run ORDER BY lesson, block, experiment LIMIT 1) AS first UNION ALL"
    " SELECT coalesce("
    "(SELECT n.id FROM run AS n WHERE n.lesson = here.lesson AND n.block = here.block"
    " AND n.experiment > here.experiment ORDER BY n.experiment LIMIT 1),"
    " (SELECT n.id FROM run AS n WHERE n.lesson = here.lesson AND n.block > here.block"
    " ORDER BY n.block, n.experiment LIMIT 1),"
    " (SELECT n.id FROM run AS n WHERE n.lesson > here.lesson ORDER BY n.lesson, n.block, n.experiment LIMIT 1))"
    " FROM place JOIN run AS here ON here.id = place.id)"
    " SELECT (SELECT newest.id FROM run AS newest WHERE newest.lesson = here.lesson AND newest.block = here.block"
    " AND newest.experiment = here.experiment AND newest.status = 'finished'"
    " ORDER BY newest.created_at DESC, newest.seq DESC, newest.id DESC LIMIT 1)"
    " FROM place JOIN run AS here ON here.id = place.id)";

/// Rows of the view latest_artifacts, but only what says which they are. SQLite copies every column of a view of window
/// functions twice, and an artifact may hold megabytes of figures: 0.7 s for one of 6 MB, 4 ms by its id.
const char* const kLatestArtifacts =
    "(SELECT ranked.id, ranked.lesson FROM (SELECT own.*, ROW_NUMBER() OVER (PARTITION BY artifact"
    " ORDER BY created_at DESC, seq DESC, id DESC) AS newness FROM (SELECT id, lesson, created_at, seq, removed,"
    " coalesce(artifact_id, id) AS artifact, ROW_NUMBER() OVER (PARTITION BY origin, coalesce(artifact_id, id)"
    " ORDER BY seq DESC, created_at DESC, id DESC) AS place FROM artifact) AS own WHERE place = 1) AS ranked"
    " WHERE newness = 1 AND coalesce(removed, 0) = 0) AS latest";

/// The newest first. They are sorted here: SQLite's sorting copies all figures as well.
Result<std::vector<ArtifactRow>> readArtifacts(Connection& connection, const QString& where, const QVariantList& values)
{
    auto rows = rowsOf(connection, QStringLiteral("SELECT * FROM artifact") + where, values, artifactFrom);
    if (rows)
        std::ranges::sort(*rows, std::greater(),
                          [](const ArtifactRow& row) { return std::tie(row.createdAt, row.seq, row.id); });
    return rows;
}

} // namespace

Result<std::vector<RunRow>> Store::runs(const RunFilter& filter) const
{
    Where where;
    where.equals("experiment", filter.experiment);
    where.equals("lesson", filter.lesson);
    where.equals("block", filter.block);
    where.equals("sweep_id", filter.sweepId);
    where.equals("target", filter.target);
    where.equals("prediction_id", filter.predictionId);
    where.oneOf("id", filter.ids);
    const QString source = filter.eligible ? QStringLiteral("eligible_runs") : QStringLiteral("run");
    if (filter.latest && filter.lesson.empty() && filter.block.empty() && filter.experiment.empty()) {
        where.among(QLatin1String(kLatestIds), {});
    } else if (filter.latest) {
        // As the view latest_runs has it, but only within what is asked for.
        Where ranked;
        ranked.equals("lesson", filter.lesson);
        ranked.equals("block", filter.block);
        ranked.equals("experiment", filter.experiment);
        ranked.equals("status", "finished");
        where.among(QStringLiteral("id IN (SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY lesson, block,"
                                   " experiment ORDER BY created_at DESC, seq DESC, id DESC) AS newness FROM run") +
                        ranked.sql() + QStringLiteral(") AS ranked WHERE newness = 1)"),
                    ranked.values);
    }
    return readRows(*d->reader, source, where, filter.limit, runFrom);
}

Result<void> Store::eachRun(const RunFactFilter& filter, const std::function<bool(RunFact&&)>& take) const
{
    Where where;
    where.equals("lesson", filter.lesson);
    where.equals("status", "finished");
    where.oneOf("experiment", filter.experiments);
    where.oneOf("validity", filter.validities);
    if (!filter.since.empty())
        where.among(QStringLiteral("created_at >= ?"), {sqlText(filter.since)});
    auto query = d->reader->query(QStringLiteral("SELECT id, sweep_id, block, experiment, target, validity, params,"
                                                 " metrics, seq, created_at, origin FROM run") +
                                      where.sql() + QStringLiteral(" ORDER BY created_at DESC, seq DESC, id DESC"),
                                  where.values);
    if (!query)
        return query.error();
    const auto text = [&](int column) { return query->value(column).toString().toStdString(); };
    while (query->next())
        if (!take({text(0), text(1), text(2), text(3), text(4), text(5), text(6), text(7), query->value(8).toLongLong(),
                   text(9), text(10)}))
            return {};
    if (query->lastError().isValid())
        return sqlError(query->lastError(), d->reader->place());
    return {};
}

Result<std::vector<PredictionRow>> Store::predictions(const std::string& lesson) const
{
    Where where;
    where.equals("lesson", lesson);
    return readRows(*d->reader, QStringLiteral("prediction"), where, 0, predictionFrom);
}

Result<LessonMarks> Store::lessonMarks() const
{
    // From one lesson to the next by a seek in the index; DISTINCT would go through all of it.
    const auto seeking = [](const char* table) {
        return QStringLiteral("WITH RECURSIVE place (lesson) AS (SELECT min(lesson) FROM %1 UNION ALL SELECT"
                              " (SELECT min(next.lesson) FROM %1 AS next WHERE next.lesson > place.lesson) FROM place"
                              " WHERE place.lesson IS NOT NULL) SELECT lesson FROM place WHERE lesson IS NOT NULL")
            .arg(QLatin1String(table));
    };
    LessonMarks marks;
    for (const auto& [sql, into] :
         {std::pair(seeking("prediction"), &marks.predicted), std::pair(seeking("run"), &marks.ran),
          std::pair(QStringLiteral("SELECT DISTINCT lesson FROM ") + QLatin1String(kLatestArtifacts),
                    &marks.shipped)}) {
        auto query = d->reader->query(sql, {});
        if (!query)
            return query.error();
        while (query->next())
            into->insert(query->value(0).toString().toStdString());
        if (query->lastError().isValid())
            return sqlError(query->lastError(), d->reader->place());
    }
    return marks;
}

Result<std::vector<PredictionRow>> Store::predictionsById(const std::vector<std::string>& ids) const
{
    if (ids.empty())
        return std::vector<PredictionRow>{};
    Where where;
    where.oneOf("id", ids);
    return readRows(*d->reader, QStringLiteral("prediction"), where, 0, predictionFrom);
}

Result<std::vector<ReasonRow>> Store::reasons(const std::string& predictionId) const
{
    Where where;
    where.equals("prediction_id", predictionId);
    return readRows(*d->reader, QStringLiteral("reason"), where, 0, reasonFrom);
}

Result<std::vector<AnswerRow>> Store::answers(const std::string& lesson) const
{
    Where where;
    where.equals("lesson", lesson);
    return readRows(*d->reader, QStringLiteral("answer"), where, 0, answerFrom);
}

Result<std::vector<ArtifactRow>> Store::artifacts(const std::string& lesson) const
{
    Where newest;
    newest.equals("lesson", lesson);
    return readArtifacts(*d->reader,
                         QStringLiteral(" WHERE id IN (SELECT id FROM ") + QLatin1String(kLatestArtifacts) +
                             newest.sql() + QLatin1Char(')'),
                         newest.values);
}

Result<ArtifactRow> Store::artifact(const std::string& id) const
{
    auto versions = artifactVersions(id);
    if (versions && versions->empty()) {
        Where where;
        where.equals("id", id);
        versions = readRows(*d->reader, QStringLiteral("artifact"), where, 1, artifactFrom);
    }
    if (!versions)
        return versions.error();
    if (id.empty() || versions->empty())
        return Error{"unknown-artifact", "there is no artifact " + id, d->folder.string(),
                     "list them with ridge artifacts"};
    return std::move(versions->front());
}

Result<std::vector<ArtifactRow>> Store::artifactVersions(const std::string& artifactId) const
{
    Where where;
    where.equals("coalesce(artifact_id, id)", artifactId);
    auto rows = readArtifacts(*d->reader, where.sql(), where.values);
    // What a store wrote last is newer than what it wrote before, whatever its clock said (as view latest_artifacts).
    if (rows && !rows->empty()) {
        const auto later = [&](const ArtifactRow& row) {
            return std::ranges::any_of(
                *rows, [&](const ArtifactRow& other) { return other.origin == row.origin && other.seq > row.seq; });
        };
        const auto newest = std::ranges::find_if_not(*rows, later);
        if (newest != rows->end())
            std::rotate(rows->begin(), newest, std::next(newest));
    }
    return rows;
}

Result<std::vector<TagRow>> Store::tags(const std::string& subjectKind, const std::string& subjectId) const
{
    Where where;
    where.equals("subject_kind", subjectKind);
    where.equals("subject_id", subjectId);
    return readRows(*d->reader, QStringLiteral("latest_tags"), where, 0, tagFrom);
}

Result<std::vector<JournalRow>> Store::journal(const std::string& lesson) const
{
    Where where;
    where.equals("lesson", lesson);
    return readRows(*d->reader, QStringLiteral("latest_journal"), where, 0, journalFrom);
}

Result<std::vector<ReproductionRow>> Store::reproductions(const std::string& artifactId) const
{
    Where where;
    where.equals("artifact_id", artifactId);
    return readRows(*d->reader, QStringLiteral("reproduction"), where, 0, reproductionFrom);
}

Result<std::vector<OutcomeRow>> Store::outcomes(const std::string& lesson) const
{
    Where where;
    where.equals("lesson", lesson);
    return readRows(*d->reader, QStringLiteral("outcome"), where, 0, outcomeFrom);
}

Result<std::vector<ReviewRow>> Store::reviews(const std::string& ofPredictionId) const
{
    Where where;
    where.equals("of_prediction_id", ofPredictionId);
    return readRows(*d->reader, QStringLiteral("review"), where, 0, reviewFrom);
}

Result<std::vector<NoteRow>> Store::notes(const std::string& lesson) const
{
    Where where;
    where.equals("lesson", lesson);
    auto rows = readRows(*d->reader, QStringLiteral("(SELECT * FROM latest_notes WHERE removed = 0) AS kept"), where, 0,
                         noteFrom);
    // By the note's own id, which tells when it was begun, so that an edit does not move it.
    if (rows)
        std::ranges::sort(*rows, {}, &NoteRow::noteId);
    return rows;
}

Result<std::string> Store::file(const std::string& sha256) const
{
    return d->files.get(sha256);
}

} // namespace ridge::record
