// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/holding.h"

#include "record/row_codec.h"
#include "record/schema.h"

#include <QSqlError>
#include <set>

namespace ridge::record {

namespace fs = std::filesystem;

namespace {

/// Older databases lack some of today's kinds.
Result<QStringList> kindsIn(Connection& connection, const QString& schema)
{
    auto tables =
        connection.query(QStringLiteral("SELECT name FROM %1.sqlite_schema WHERE type = 'table'").arg(schema));
    if (!tables)
        return tables.error();
    QStringList names;
    while (tables->next())
        names << tables->value(0).toString();
    if (tables->lastError().isValid())
        return sqlError(tables->lastError(), connection.place());
    QStringList kinds;
    for (const QString& kind : rowKinds())
        if (names.contains(kind))
            kinds << kind;
    return kinds;
}

Result<QStringList> digestsAt(Connection& connection, const QString& origin, qint64 seq)
{
    const auto kinds = kindsIn(connection, QStringLiteral("main"));
    if (!kinds)
        return kinds.error();
    QStringList digests;
    for (const QString& kind : *kinds) {
        auto rows = connection.query(QStringLiteral("SELECT digest FROM %1 WHERE origin = ? AND seq = ?").arg(kind),
                                     {origin, seq});
        if (!rows)
            return rows.error();
        while (rows->next())
            digests << rows->value(0).toString();
    }
    return digests;
}

} // namespace

Result<Holding> holdingOf(Connection& connection)
{
    const auto version = schemaVersion(connection);
    if (!version)
        return version.error();
    Holding held;
    if (*version == 0)
        return held;
    const auto kinds = kindsIn(connection, QStringLiteral("main"));
    if (!kinds)
        return kinds.error();
    const auto origin = connection.value(QStringLiteral("SELECT value FROM meta WHERE key = 'origin'"));
    if (!origin)
        return origin.error();
    held.origin = origin->toString();
    for (const QString& kind : *kinds) {
        const auto count = connection.value(QStringLiteral("SELECT COUNT(*) FROM ") + kind);
        if (!count)
            return count.error();
        held.rows += count->toLongLong();
        auto newest = connection.query(
            QStringLiteral("SELECT seq, created_at FROM %1 WHERE origin = ? ORDER BY seq DESC LIMIT 1").arg(kind),
            {held.origin});
        if (!newest)
            return newest.error();
        if (newest->next() && newest->value(0).toLongLong() > held.seq) {
            held.seq = newest->value(0).toLongLong();
            held.newestAt = newest->value(1).toString();
        }
    }
    if (held.seq > 0) {
        auto digests = digestsAt(connection, held.origin, held.seq);
        if (!digests)
            return digests.error();
        held.digest = *digests;
    }
    return held;
}

Result<Holding> holdingOf(const fs::path& database)
{
    auto connection = Connection::open(database, Connection::Mode::ReadOnly);
    if (!connection)
        return connection.error();
    return holdingOf(**connection);
}

Result<bool> sameChain(Connection& a, const Holding& heldByA, Connection& b, const Holding& heldByB)
{
    if (heldByA.seq == 0 || heldByB.seq == 0)
        return true;
    if (heldByA.origin != heldByB.origin)
        return false;
    // Each row names the digest of the one before it, so one common row means that all before it are the same.
    const bool aIsShorter = heldByA.seq <= heldByB.seq;
    const QStringList& last = aIsShorter ? heldByA.digest : heldByB.digest;
    const auto there = digestsAt(aIsShorter ? b : a, heldByA.origin, std::min(heldByA.seq, heldByB.seq));
    if (!there)
        return there.error();
    return std::ranges::any_of(last, [&](const QString& digest) { return there->contains(digest); });
}

Result<RowsApart> rowsOnlyIn(const fs::path& database, const fs::path& other)
{
    auto opened = Connection::open(database, Connection::Mode::ReadOnly);
    if (!opened)
        return opened.error();
    Connection& connection = **opened;
    auto attached =
        connection.exec(QStringLiteral("ATTACH DATABASE ? AS other"), {QString::fromStdString(other.string())});
    if (!attached)
        return attached.error();
    const auto kinds = kindsIn(connection, QStringLiteral("main"));
    const auto theirs = kindsIn(connection, QStringLiteral("other"));
    if (!kinds || !theirs)
        return !kinds ? kinds.error() : theirs.error();
    RowsApart apart;
    for (const QString& kind : *kinds) {
        QString sql = QStringLiteral("SELECT COUNT(*), MAX(created_at) FROM main.%1 AS mine").arg(kind);
        if (theirs->contains(kind))
            sql += QStringLiteral(" WHERE NOT EXISTS (SELECT 1 FROM other.%1 AS theirs WHERE theirs.id = mine.id"
                                  " AND theirs.digest = mine.digest)")
                       .arg(kind);
        auto rows = connection.query(sql);
        if (!rows)
            return rows.error();
        if (!rows->next())
            return sqlError(rows->lastError(), connection.place());
        const qint64 count = rows->value(0).toLongLong();
        if (count == 0)
            continue;
        apart.total += count;
        apart.byKind[kind.toStdString()] = count;
        apart.newestAt = std::max(apart.newestAt, rows->value(1).toString());
    }
    return apart;
}

std::string textOf(const RowsApart& rows)
{
    std::string kinds;
    for (const auto& [kind, count] : rows.byKind)
        kinds += (kinds.empty() ? "" : ", ") + kind + " " + std::to_string(count);
    return std::to_string(rows.total) + (rows.total == 1 ? " row (" : " rows (") + kinds + "; the newest of " +
           rows.newestAt.toStdString() + ")";
}

} // namespace ridge::record
