// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/run_heads.h"

#include "record/store_private.h"

#include <QSqlError>

namespace ridge::record {
namespace {

/// "CASE experiment WHEN … END": the metric that each row is asked for.
QString wantedMetric(const std::map<std::string, std::string>& metricOf, QVariantList& values)
{
    if (metricOf.empty())
        return QStringLiteral("NULL");
    QString sql = QStringLiteral("CASE experiment");
    for (const auto& [experiment, metric] : metricOf) {
        sql += QStringLiteral(" WHEN ? THEN ?");
        values << sqlText(experiment) << sqlText(metric);
    }
    return sql + QStringLiteral(" END");
}

std::string text(const QSqlQuery& row, int column)
{
    return row.value(column).toString().toStdString();
}

} // namespace

Result<std::vector<RunHead>> Store::runHeads(const RunHeadFilter& filter) const
{
    QVariantList values;
    const QString wanted = wantedMetric(filter.metricOf, values);
    values << static_cast<qlonglong>(filter.after);
    QString where = QStringLiteral("rowid > ?");
    if (filter.before > 0) {
        where += QStringLiteral(" AND rowid < ?");
        values << static_cast<qlonglong>(filter.before);
    }
    QString newest =
        QStringLiteral("SELECT rowid AS position, run.*, %1 AS wanted FROM run WHERE %2 ORDER BY rowid DESC")
            .arg(wanted, where);
    if (filter.limit > 0)
        newest += QStringLiteral(" LIMIT %1").arg(filter.limit);
    // SQLite picks the one metric: taking every row's JSON apart here would take longer than reading the rows.
    const QString named = QStringLiteral("SELECT *, CASE WHEN json_type(metrics, '$.\"' || wanted || '\"') IS NOT NULL"
                                         " THEN wanted ELSE (SELECT key FROM json_each(metrics) LIMIT 1) END AS metric"
                                         " FROM (%1) AS newest")
                              .arg(newest);
    auto rows = d->reader->query(
        QStringLiteral("SELECT position, id, sweep_id, lesson, block, experiment, target, provenance, params, validity,"
                       " status, json_extract(error, '$.code'), created_at, metric,"
                       " json_extract(metrics, '$.\"' || metric || '\".value'),"
                       " json_extract(metrics, '$.\"' || metric || '\".unit') FROM (%1) AS named")
            .arg(named),
        values);
    if (!rows)
        return rows.error();
    std::vector<RunHead> heads;
    while (rows->next()) {
        if (interrupted())
            return stoppedReading(d->reader->place());
        RunHead head;
        head.position = rows->value(0).toLongLong();
        head.id = text(*rows, 1);
        head.sweepId = text(*rows, 2);
        head.lesson = text(*rows, 3);
        head.block = text(*rows, 4);
        head.experiment = text(*rows, 5);
        head.target = text(*rows, 6);
        const auto provenance = provenanceFromText(text(*rows, 7));
        if (!provenance)
            return Error{"store-damaged", "A stored row cannot be read: its provenance is unknown",
                         "row " + head.id + ", column provenance",
                         "Restore a backup, or merge this store into a new one"};
        head.provenance = *provenance;
        head.params = text(*rows, 8);
        head.validity = text(*rows, 9);
        head.failed = text(*rows, 10) == "failed";
        head.errorCode = text(*rows, 11);
        head.createdAt = text(*rows, 12);
        head.metric = text(*rows, 13);
        head.value = rows->value(14).toDouble();
        head.unit = text(*rows, 15);
        heads.push_back(std::move(head));
    }
    if (rows->lastError().isValid())
        return sqlError(rows->lastError(), d->reader->place());
    return heads;
}

} // namespace ridge::record
