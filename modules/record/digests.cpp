// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/digests.h"

#include "record/row_codec.h"

#include <QSet>
#include <QSqlError>

namespace ridge::record {

namespace {

QString digestOfRow(const QString& kind, const QSqlQuery& row)
{
    const Stamp stamp{row.value(0).toString(), row.value(1).toString(), row.value(2).toString(),
                      row.value(3).toLongLong(), row.value(4).toString()};
    Columns columns;
    std::vector<QByteArray> names;
    const QStringList& content = contentColumns(kind);
    names.reserve(static_cast<std::size_t>(content.size()));
    for (int i = 0; i < content.size(); ++i) {
        names.push_back(content[i].toLatin1());
        columns.push_back({names.back().constData(), row.value(6 + i)});
    }
    return rowDigest(kind, stamp, columns);
}

Error changedRow(const std::string& what, const std::string& place)
{
    return {"store-damaged", "The " + what + " was changed after it was stored", place,
            "Restore a backup, or merge a store that has the row as it was"};
}

Error lostRow(const std::string& after, const std::string& place)
{
    return {"store-damaged", "The row that was stored before the " + after + " is gone", place,
            "Restore a backup, or merge a store that still has it"};
}

/// Digests of the rows at a place of an origin's sequence: none, one, or several where an older record was restored and
/// went on, and its later rows were merged again.
Result<QStringList> digestsAt(Connection& connection, const QString& origin, qlonglong seq)
{
    QStringList digests;
    for (const QString& kind : rowKinds()) {
        auto found = connection.query(QStringLiteral("SELECT digest FROM %1 WHERE origin = ? AND seq = ?").arg(kind),
                                      {origin, seq});
        if (!found)
            return found.error();
        while (found->next())
            digests << found->value(0).toString();
        if (found->lastError().isValid())
            return sqlError(found->lastError(), connection.place());
    }
    return digests;
}

} // namespace

QStringList stampedColumns(const QString& kind)
{
    return QStringList{QStringLiteral("id"),  QStringLiteral("created_at"), QStringLiteral("origin"),
                       QStringLiteral("seq"), QStringLiteral("previous"),   QStringLiteral("digest")} +
           contentColumns(kind);
}

Result<void> checkDigests(Connection& connection, const QString& schema, const std::string& place)
{
    QSet<QString> known;
    QHash<QString, QString> expected; // previous -> id of the row that names it
    for (const QString& kind : rowKinds()) {
        auto rows = connection.query(
            QStringLiteral("SELECT %1 FROM %2.%3").arg(stampedColumns(kind).join(QLatin1String(", ")), schema, kind));
        if (!rows)
            return rows.error();
        while (rows->next()) {
            const std::string what = kind.toStdString() + " " + rows->value(0).toString().toStdString();
            if (digestOfRow(kind, *rows) != rows->value(5).toString())
                return changedRow(what, place);
            known.insert(rows->value(5).toString());
            if (const QString previous = rows->value(4).toString(); !previous.isEmpty())
                expected.insert(previous, QString::fromStdString(what));
        }
        if (rows->lastError().isValid())
            return sqlError(rows->lastError(), place);
    }
    for (auto it = expected.cbegin(); it != expected.cend(); ++it) {
        if (!known.contains(it.key()))
            return lostRow(it.value().toStdString(), place);
    }
    return {};
}

Result<void> checkRows(Connection& connection, const QString& kind, const std::vector<std::string>& ids,
                       const QString& origin)
{
    const std::string place = connection.place();
    const QString row =
        QStringLiteral("SELECT %1 FROM %2 WHERE id = ?").arg(stampedColumns(kind).join(QLatin1String(", ")), kind);
    for (const std::string& id : ids) {
        const std::string what = kind.toStdString() + " " + id;
        auto rows = connection.query(row, {sqlText(id)});
        if (!rows)
            return rows.error();
        if (!rows->next())
            return Error{"store-damaged", "The " + what + " is not in this record", place, "Merge a store that has it"};
        if (digestOfRow(kind, *rows) != rows->value(5).toString())
            return changedRow(what, place);
        const QString previous = rows->value(4).toString(), from = rows->value(2).toString();
        const qlonglong seq = rows->value(3).toLongLong();
        if (seq <= 1)
            continue;
        const auto earlier = digestsAt(connection, from, seq - 1);
        if (!earlier)
            return earlier.error();
        if (earlier->isEmpty() ? from == origin : !earlier->contains(previous))
            return lostRow(what, place);
    }
    return {};
}

} // namespace ridge::record
