// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/schema.h"

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

/// Takes the write lock of the whole class, so that two importers work one after the other.
QStringList beginStatements(SqlDialect dialect, const QString& schema);

/// The tables of a class: assignment, member, submission, learner_origin, grade and feedback, with the
/// views latest_assignments, latest_members, latest_submissions, latest_grades and latest_feedback. Steps of their own
/// behind those of the store; noted in the table school_version.
const std::vector<Migration>& schoolMigrations();

/// The error of a driver in the words of the store: "bad-row", "disk-full", "store-readonly", "store-locked",
/// "store-damaged", "database-unreachable", "database-refused", "store-error".
Error schoolSqlError(const QSqlError& error, SqlDialect dialect, const std::string& place);

} // namespace ridge::record
