// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/backups.h"

#include "record/clock.h"
#include "record/content_files.h"
#include "record/schema.h"

#include <QRegularExpression>
#include <QSqlError>
#include <set>

namespace ridge::record {

namespace fs = std::filesystem;

namespace {

const QString kHourly = QStringLiteral("hourly");

QString fileNamePart(const std::string& why)
{
    static const QRegularExpression others(QStringLiteral("[^a-z0-9]+"));
    QString part = QString::fromStdString(why).toLower().replace(others, QStringLiteral("-")).left(40);
    while (part.endsWith(QLatin1Char('-')))
        part.chop(1);
    while (part.startsWith(QLatin1Char('-')))
        part.remove(0, 1);
    return part.isEmpty() ? QStringLiteral("backup") : part;
}

} // namespace

std::vector<BackupFile> listBackups(const fs::path& storeFolder)
{
    static const QRegularExpression form(QStringLiteral("^ridgepoint-(\\d{8}T\\d{9})Z(?:-\\d+)?-([a-z0-9-]+)\\.db$"));
    std::vector<BackupFile> all;
    std::error_code code;
    for (fs::directory_iterator it(storeFolder / kBackupFolder, code), end; !code && it != end; it.increment(code)) {
        const auto match = form.match(QString::fromStdString(it->path().filename().string()));
        if (!match.hasMatch())
            continue;
        QDateTime time = QDateTime::fromString(match.captured(1), QStringLiteral("yyyyMMdd'T'HHmmsszzz"));
        time.setTimeSpec(Qt::UTC);
        all.push_back({it->path(), time, match.captured(2)});
    }
    std::sort(all.begin(), all.end(), [](const BackupFile& a, const BackupFile& b) {
        return a.time != b.time ? a.time > b.time : a.path > b.path;
    });
    return all;
}

Result<fs::path> writeBackup(Connection& connection, const fs::path& storeFolder, const std::string& why)
{
    const fs::path folder = storeFolder / kBackupFolder;
    if (auto made = makeFolder(folder); !made)
        return made.error();
    const std::string stamp = "ridgepoint-" + fileTimeStamp().toStdString();
    const std::string tail = "-" + fileNamePart(why).toStdString() + ".db";
    fs::path target = folder / (stamp + tail);
    std::error_code code;
    for (int i = 2; fs::exists(target, code); ++i)
        target = folder / (stamp + "-" + std::to_string(i) + tail);

    const fs::path partial = target.string() + ".partial";
    fs::remove(partial, code);
    // SQLite's own; a school's PostgreSQL server is backed up by its administrator's tools.
    auto copied = connection.exec(QStringLiteral("VACUUM INTO ?"), {QString::fromStdString(partial.string())});
    if (copied)
        copied = syncPath(partial);
    if (!copied) {
        fs::remove(partial, code);
        return copied.error();
    }
    fs::rename(partial, target, code);
    if (code)
        return fileError(code, target, "The backup cannot be given its name");
    if (auto synced = syncPath(folder); !synced)
        return synced.error();
    return target;
}

std::vector<BackupFile> superfluousBackups(const std::vector<BackupFile>& newestFirst, const QDateTime& now)
{
    std::vector<BackupFile> superfluous;
    std::set<QString> taken;
    for (const BackupFile& backup : newestFirst) {
        const qint64 days = backup.time.daysTo(now);
        const QDate date = backup.time.date();
        if (backup.why != kHourly || backup.time.secsTo(now) < 24 * 3600)
            continue;
        QString period;
        if (days <= 7)
            period = date.toString(Qt::ISODate);
        else if (days <= 61)
            period = QStringLiteral("week %1 %2").arg(date.weekNumber()).arg(date.year());
        else
            period = date.toString(QStringLiteral("yyyy-MM"));
        if (!taken.insert(period).second)
            superfluous.push_back(backup);
    }
    return superfluous;
}

void thinBackups(const fs::path& storeFolder, const QDateTime& now)
{
    for (const BackupFile& backup : superfluousBackups(listBackups(storeFolder), now)) {
        std::error_code ignored; // one that cannot be deleted now is tried again an hour later
        fs::remove(backup.path, ignored);
    }
}

Result<void> quickCheck(Connection& connection)
{
    auto verdict = connection.value(QStringLiteral("PRAGMA quick_check(1)"));
    if (!verdict)
        return verdict.error();
    if (verdict->toString() != QLatin1String("ok"))
        return Error{"store-damaged", "SQLite's check says: " + verdict->toString().toStdString(), connection.place(),
                     "Restore a backup"};
    return {};
}

std::optional<fs::path> newestGoodBackup(const fs::path& storeFolder)
{
    for (const BackupFile& backup : listBackups(storeFolder)) {
        auto connection = Connection::open(backup.path, Connection::Mode::ReadOnly);
        if (!connection)
            continue;
        const auto version = schemaVersion(**connection);
        if (version && *version > 0 && quickCheck(**connection))
            return backup.path;
    }
    return {};
}

Error damagedStore(const fs::path& storeFolder, const std::string& what)
{
    const auto good = newestGoodBackup(storeFolder);
    const std::string place = (storeFolder / kDatabaseName).string();
    const std::string message = "The record is damaged: " + what;
    if (!good)
        return {"store-damaged", message + ". There is no usable backup", place,
                "Keep the file (others may still read parts of it), then move the folder away or choose another with "
                "RIDGE_HOME"};
    return {
        "store-damaged", message + ". The newest good backup is " + good->string(), place,
        "Restore it from the program, or copy it over the damaged file after moving that and its -wal and -shm away"};
}

Result<fs::path> replaceByBackup(const fs::path& storeFolder, const fs::path& backup)
{
    {
        auto connection = Connection::open(backup, Connection::Mode::ReadOnly);
        auto usable = connection ? quickCheck(**connection) : Result<void>(connection.error());
        if (!usable)
            return Error{"bad-backup", "This backup cannot be used: " + usable.error().message, backup.string(),
                         "Choose an older one"};
    }
    auto bytes = readFile(backup);
    if (!bytes)
        return bytes.error();
    const fs::path aside = storeFolder / "damaged" / fileTimeStamp().toStdString();
    if (auto made = makeFolder(aside); !made)
        return made.error();
    const std::string name = kDatabaseName;
    // The new file is complete before the old one is touched; a journal must never meet a database it is not of.
    const fs::path fresh = storeFolder / (name + ".restored");
    if (auto written = writeDurably(fresh, *bytes); !written)
        return written.error();
    std::error_code code;
    for (const char* suffix : {"-wal", "-shm", "-journal", ""}) {
        const fs::path old = storeFolder / (name + suffix);
        if (!fs::exists(old, code))
            continue;
        fs::rename(old, aside / old.filename(), code);
        if (code)
            return fileError(code, old, "The damaged file cannot be moved aside");
    }
    fs::rename(fresh, storeFolder / name, code);
    if (code)
        return fileError(code, storeFolder / name, "The backup cannot be put in place");
    if (auto synced = syncPath(storeFolder); !synced)
        return synced.error();
    return aside;
}

} // namespace ridge::record
