// SPDX-License-Identifier: GPL-3.0-or-later
// Store's reads of what follows from rows: results of predictions, what is due again, how firmly lessons are known.
#include "record/schema.h"
#include "record/store_private.h"

#include <QSqlError>

namespace ridge::record {

namespace {

template<class Row, class Read>
Result<std::vector<Row>> readView(Connection& connection, const QString& sql, const QVariantList& values, Read read)
{
    auto query = connection.query(sql, values);
    if (!query)
        return query.error();
    std::vector<Row> rows;
    while (query->next()) {
        if (interrupted())
            return stoppedReading(connection.place());
        rows.push_back(read(*query));
    }
    if (query->lastError().isValid())
        return sqlError(query->lastError(), connection.place());
    return rows;
}

std::string textAt(const QSqlQuery& query, int column)
{
    return query.value(column).toString().toStdString();
}

} // namespace

Result<std::vector<PredictionResult>> Store::predictionResults(int newest) const
{
    QString sql = QStringLiteral("SELECT prediction_id, run_id, value, run_at FROM (") + predictionResultRows() +
                  QStringLiteral(") AS result ORDER BY run_at DESC, prediction_id DESC");
    if (newest > 0)
        sql += QStringLiteral(" LIMIT %1").arg(newest);
    return readView<PredictionResult>(*d->reader, sql, {}, [](const QSqlQuery& query) {
        return PredictionResult{textAt(query, 0), textAt(query, 1), query.value(2).toDouble(), textAt(query, 3)};
    });
}

Result<std::vector<DueReview>> Store::dueReviews(const std::string& until) const
{
    return readView<DueReview>(*d->reader,
                               QStringLiteral("SELECT prediction_id, lesson, block, streak, due_at FROM (") +
                                   dueReviewRows() +
                                   QStringLiteral(") AS due WHERE due_at <= ? ORDER BY due_at, prediction_id"),
                               {sqlText(until)}, [](const QSqlQuery& query) {
                                   return DueReview{textAt(query, 0), textAt(query, 1), textAt(query, 2),
                                                    query.value(3).toInt(), textAt(query, 4)};
                               });
}

Result<std::vector<LessonMastery>> Store::mastery() const
{
    return readView<LessonMastery>(
        *d->reader, QStringLiteral("SELECT lesson, level, passed_at, last_at FROM mastery ORDER BY lesson"), {},
        [](const QSqlQuery& query) {
            return LessonMastery{textAt(query, 0), static_cast<MasteryLevel>(query.value(1).toInt()), textAt(query, 2),
                                 textAt(query, 3)};
        });
}

} // namespace ridge::record
