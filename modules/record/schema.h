// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/sqlite.h"

#include <QStringList>
#include <vector>

namespace ridge::record {

/// One step of the schema. Steps are numbered from 1 without gaps, run once each inside a transaction of their own,
/// and are never edited after a release: a change is a further step.
struct Migration {
    int version = 0;
    QStringList statements;
};

const std::vector<Migration>& migrations();

/// The statements of step 4 (schema_progress.cpp).
QStringList progressViews();
/// Queries that give what the views prediction_result and due_review give, sooner where there are many runs.
QString predictionResultRows();
QString dueReviewRows();

/// 0 for an empty database. Errors: "store-damaged" also where the file is some other program's database.
Result<int> schemaVersion(Connection& connection);

/// Runs one step and notes it. The caller has made the backup.
Result<void> applyMigration(Connection& connection, const Migration& migration);

/// Error for a database that a later version of the program has written.
Error newerStore(const std::string& place, int found, int known);

} // namespace ridge::record
