// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/restore.h"

#include "record/backups.h"
#include "record/digests.h"
#include "record/store_private.h"

namespace ridge::record {

namespace fs = std::filesystem;

namespace {

/// Whether nothing is wrong with the database itself; of its files no backup knows anything. Errors: what keeps it
/// from being told.
Result<bool> isSound(const fs::path& folder)
{
    const auto opened = openForReading(folder, OpenOptions{});
    if (!opened) {
        const std::string& code = opened.error().code;
        if (code == "store-damaged" || code == "store-missing" || code == "store-error")
            return false;
        return opened.error();
    }
    Connection& connection = *opened->connection;
    if (!quickCheck(connection) || !checkDigests(connection, QStringLiteral("main"), connection.place()))
        return false;
    auto dangling = connection.query(QStringLiteral("PRAGMA foreign_key_check"));
    return dangling && !dangling->next();
}

} // namespace

Result<Restored> restoreRecord(const fs::path& folder, const fs::path& named)
{
    auto lock = lockStore(folder, false);
    if (!lock)
        return lock.error();
    if (auto finished = finishRestore(folder); !finished)
        return finished.error();
    Restored done;
    done.backup = named;
    if (named.empty()) {
        const auto best = bestBackup(folder);
        if (!best)
            return Error{"bad-backup", "There is no backup that can be used", (folder / kBackupFolder).string(),
                         "Name the file of a backup, or merge another computer's store"};
        done.backup = best->file.path;
    }
    const fs::path present = folder / kDatabaseName;
    std::error_code code;
    if (fs::is_regular_file(present, code) && fs::is_regular_file(done.backup, code))
        if (const auto lacks = rowsOnlyIn(present, done.backup))
            done.lacks = *lacks;
    if (named.empty() && (!done.lacks || done.lacks->total > 0)) {
        const auto sound = isSound(folder);
        if (!sound)
            return sound.error();
        if (*sound)
            return Error{"older-backup",
                         "Nothing was changed: the record is sound, and the best backup (" + done.backup.string() +
                             ") lacks " + (done.lacks ? textOf(*done.lacks) : std::string("some of its rows")),
                         present.string(),
                         "Nothing has to be restored. To go back all the same, name the backup: ridge store restore " +
                             done.backup.filename().string()};
    }
    auto aside = replaceByBackup(folder, done.backup);
    if (!aside)
        return aside.error();
    done.aside = *aside;
    if (const auto holds = holdingOf(present))
        done.holds = *holds;
    return done;
}

} // namespace ridge::record
