// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"
#include "record/sqlite.h"

#include <QDateTime>
#include <vector>

namespace ridge::record {

inline constexpr const char* kDatabaseName = "ridgepoint.db";
inline constexpr const char* kLogName = "ridgepoint.db-wal";
inline constexpr const char* kBackupFolder = "backups";

struct BackupFile {
    std::filesystem::path path;
    QDateTime time;
    QString why; ///< "hourly", "before-schema-2", what a person gave …
};

/// Newest first; files that do not look like a backup are left out.
std::vector<BackupFile> listBackups(const std::filesystem::path& storeFolder);

/// A consistent copy of the open database below backups/, complete and durable under its name or not there at all.
Result<std::filesystem::path> writeBackup(Connection& connection, const std::filesystem::path& storeFolder,
                                          const std::string& why);

/// Which hourly backups have become superfluous: kept are all of the last day's, one a day for a week, one a week for
/// two months, one a month after that. Others ("before-schema-2" …) are always kept.
std::vector<BackupFile> superfluousBackups(const std::vector<BackupFile>& newestFirst, const QDateTime& now);
void thinBackups(const std::filesystem::path& storeFolder, const QDateTime& now);

/// The newest one that opens and passes SQLite's quick check; none where there is none.
std::optional<std::filesystem::path> newestGoodBackup(const std::filesystem::path& storeFolder);

/// "store-damaged" for this store with what to do about it.
Error damagedStore(const std::filesystem::path& storeFolder, const std::string& what);

/// Moves the database to damaged/<time>/ and puts the backup in its place; nothing is deleted. Gives the folder of the
/// old database. The caller holds the lock. Errors: "bad-backup", "disk-full", "store-readonly".
Result<std::filesystem::path> replaceByBackup(const std::filesystem::path& storeFolder,
                                              const std::filesystem::path& backup);

/// SQLite's check without the slow comparison of indexes. Errors: "store-damaged".
Result<void> quickCheck(Connection& connection);

} // namespace ridge::record
