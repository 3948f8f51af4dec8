// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "record/sqlite.h"

#include <QStringList>

namespace ridge::record {

/// The stamp's columns and those of the content, as a row is stored and digested.
QStringList stampedColumns(const QString& kind);

/// Every row against its digest, and every `previous` against the rows that are there. Errors: "store-damaged".
/// `schema` is "main" or the name of an attached database.
Result<void> checkDigests(Connection& connection, const QString& schema, const std::string& place);

/// The same for some rows of a kind, by look-ups instead of reading everything: each against its digest and against the
/// row that its own store wrote before it. A predecessor that is absent is an error only among the rows of `origin`:
/// what was merged from elsewhere may be a selection. Errors: "store-damaged", also for a row that is not there.
Result<void> checkRows(Connection& connection, const QString& kind, const std::vector<std::string>& ids,
                       const QString& origin);

} // namespace ridge::record
