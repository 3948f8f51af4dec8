// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/sqlite.h"

namespace ridge::record {

/// What a database of the record holds, told from its rows. Neither its name nor a clock has a part in it: a clock that
/// was ahead once would make an old copy the newest one for years.
struct Holding {
    QString origin;     ///< whose record it is; empty: no store was opened with it yet
    qint64 rows = 0;    ///< of all kinds and all origins
    qint64 seq = 0;     ///< of its newest own row; 0: it has none
    QString newestAt;   ///< when that row was made, by the clock of that time; empty: it has none
    QStringList digest; ///< of its own rows with that seq: one, or several after two branches of a record were merged
};

/// Of any version of the schema. Error "store-damaged", also where it is no database of the record.
Result<Holding> holdingOf(Connection& connection);
Result<Holding> holdingOf(const std::filesystem::path& database);

/// Whether one of two is the beginning of the other, told by the chain of digests. True where one has no own rows.
Result<bool> sameChain(Connection& a, const Holding& heldByA, Connection& b, const Holding& heldByB);

/// Rows of one database that another lacks.
struct RowsApart {
    qint64 total = 0;
    std::map<std::string, qint64> byKind; ///< only kinds of which there are any
    QString newestAt;                     ///< latest created_at among them
};

/// Rows of `database` that `other` does not have, compared by id and digest. Both are only read.
Result<RowsApart> rowsOnlyIn(const std::filesystem::path& database, const std::filesystem::path& other);

/// "3 rows (runs 2, notes 1; the newest of 2026-11-30T12:00:00.000Z)"
std::string textOf(const RowsApart& rows);

} // namespace ridge::record
