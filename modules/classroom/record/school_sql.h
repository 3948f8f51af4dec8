// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/schema.h"

#include <QVariantList>
#include <span>

namespace ridge::record {

/// The one place that knows where SQLite and PostgreSQL differ.
enum class SqlDialect { Sqlite, Postgres };

/// A statement of the schema as it is written for SQLite, in the words of a dialect. For PostgreSQL: STRICT goes (its
/// tables are always so), INTEGER and REAL become BIGINT and DOUBLE PRECISION, json_valid becomes a cast that refuses
/// what is no JSON, and a trigger's body becomes a call of the function that setUpStatements makes. Empty for what a
/// dialect does without: the views over one learner's progress.
QString inDialect(const QString& statement, SqlDialect dialect);

/// What has to be there before the first step: the version tables, and PostgreSQL's trigger function.
QStringList setUpStatements(SqlDialect dialect);

/// Takes the write lock of the whole class, so that two importers work one after the other. Not `durable`: the commit
/// does not wait for the disk, and is there when a later one has waited.
QStringList beginStatements(SqlDialect dialect, const QString& schema, bool durable);

/// Inserts what no key says is there already. Of SQLite's one row, a mark a column; of PostgreSQL's any number, one
/// mark for rowsAsJson.
QString insertMissingStatement(const QString& table, const QStringList& columns, SqlDialect dialect);

/// An array of objects by column, of as many rows as some MiB hold and of one at least; takes them off the front. Null
/// columns are left out, so that they are null; doubles come back as they were.
QString rowsAsJson(const QStringList& columns, std::span<const QVariantList>& rows);

/// The tables of a class: assignment, member, submission, learner_origin, grade and feedback, with the
/// views latest_assignments, latest_members, latest_submissions, latest_grades and latest_feedback. Step 2: feedback
/// names its submission; 3: refused files; 4: erasures; 5: names of learning platforms; 6: decisions. Steps of their
/// own behind those of the store; noted in the table school_version.
const std::vector<Migration>& schoolMigrations();

/// The error of a driver in the words of the store: "bad-row", "disk-full", "store-readonly", "store-locked",
/// "store-damaged", "database-unreachable", "database-refused", "store-error".
Error schoolSqlError(const QSqlError& error, SqlDialect dialect, const std::string& place);

} // namespace ridge::record
