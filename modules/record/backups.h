// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"
#include "record/holding.h"

#include <QDateTime>
#include <chrono>
#include <vector>

namespace ridge::record {

inline constexpr const char* kDatabaseName = "ridgepoint.db";
inline constexpr const char* kLogName = "ridgepoint.db-wal";
inline constexpr const char* kBackupFolder = "backups";

struct BackupFile {
    std::filesystem::path path;
    QDateTime time; ///< by the clock of that time, which may have been wrong
    QString why;    ///< "hourly", "before-schema-2", what a person gave …
    /// Backups of a store are numbered in the order in which they are made; 0: made before there were numbers.
    int number = 0;
};

/// Newest first, by number and, where there is none, by the time in the name; files that do not look like a backup are
/// left out.
std::vector<BackupFile> listBackups(const std::filesystem::path& storeFolder);

/// A consistent copy of the open database below backups/, complete and durable under its name or not there at all.
Result<std::filesystem::path> writeBackup(Connection& connection, const std::filesystem::path& storeFolder,
                                          const std::string& why);

/// Whether there are rows that the last backup does not hold, and it was not made within `every` before now. One dated
/// in the future is of unknown age, and keeps none from being made.
bool backupIsDue(Connection& present, const std::filesystem::path& storeFolder, std::chrono::milliseconds every,
                 const QDateTime& now);

/// Which hourly backups have become superfluous by age: kept are all of the last day's, one a day for a week, one a
/// week for two months, one a month after that, one a day of those dated in the future. Others ("before-schema-2" …)
/// are always kept.
std::vector<BackupFile> superfluousBackups(const std::vector<BackupFile>& newestFirst, const QDateTime& now);
/// Removes those of them whose every row is in the present database or in a backup that stays.
void thinBackups(const std::filesystem::path& storeFolder, const QDateTime& now);

/// Copies that a killed program has left half-written in backups/. The caller holds the lock, so nobody writes them.
void removeUnfinishedBackups(const std::filesystem::path& storeFolder);

struct GoodBackup {
    BackupFile file;
    Holding holds;
};

/// The backup that continues the present record's chain (where that cannot be read, the chain of the backup that was
/// made last), opens, passes SQLite's quick check and holds the most rows. None of that chain: of any. None at all
/// where none is usable.
std::optional<GoodBackup> bestBackup(const std::filesystem::path& storeFolder);

/// "store-damaged" for this store with what to do about it.
Error damagedStore(const std::filesystem::path& storeFolder, const std::string& what);

/// Keeps the database in damaged/<time>/ and puts the backup in its place; nothing is lost. Gives the folder of the
/// old database. The caller holds the lock. Errors: "bad-backup", "disk-full", "store-readonly".
Result<std::filesystem::path> replaceByBackup(const std::filesystem::path& storeFolder,
                                              const std::filesystem::path& backup);

/// Ends what a killed replaceByBackup has begun: once the old database is taken away, the new one is put in place;
/// until then nothing was changed, and its copy goes. The caller holds the lock.
Result<void> finishRestore(const std::filesystem::path& storeFolder);

/// SQLite's check without the slow comparison of indexes. Errors: "store-damaged".
Result<void> quickCheck(Connection& connection);

} // namespace ridge::record
