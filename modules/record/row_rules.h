// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/row_codec.h"
#include "record/sqlite.h"

namespace ridge::record {

/// What the schema says about one content column.
struct ColumnRule {
    QByteArray name;
    enum class Type { Text, Integer, Real } type = Type::Text;
    bool nullable = false;
    bool json = false;  ///< text that is JSON
    QString references; ///< kind of row that it names by id; empty: none
};

/// The content columns of a kind in the order of contentColumns, read from a database that has the schema, so that the
/// rules stand in one place.
Result<std::vector<ColumnRule>> columnRules(Connection& connection, const QString& kind);

/// A content column's name as a constant, which Column wants. The column exists.
const char* columnName(const QString& kind, const QByteArray& name);

/// Ids in one column that a row may not be without: that of a reference, or of the lists that an artifact's links are
/// made from (prediction_ids, run_ids). Empty where the column is null or refers to nothing.
QStringList referencedIds(const QString& kind, const ColumnRule& rule, const QVariant& value);
/// The kind of what referencedIds gives.
QString referencedKind(const QString& kind, const ColumnRule& rule);

/// An empty database in memory with the tables of today's schema and without foreign keys: what a table's own rules
/// refuse is found by asking it.
Result<std::unique_ptr<Connection>> emptyTables();

} // namespace ridge::record
