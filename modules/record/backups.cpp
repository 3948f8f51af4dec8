// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/backups.h"

#include "record/clock.h"
#include "record/files/content_files.h"
#include "record/schema.h"

#include <QRegularExpression>
#include <QSqlError>
#include <set>
#include <tuple>

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

/// Whether the clock says that it was made within `span` before `now`. One dated in the future may be of any age.
bool madeWithin(const BackupFile& backup, std::chrono::milliseconds span, const QDateTime& now)
{
    const auto age = std::chrono::milliseconds(backup.time.msecsTo(now));
    return age >= age.zero() && age < span;
}

/// Rows that are there and not in the backup would be more rows or another chain.
bool holdsAll(Connection& backup, const Holding& heldByBackup, Connection& present, const Holding& held)
{
    const auto same = sameChain(backup, heldByBackup, present, held);
    return same && *same && heldByBackup.rows >= held.rows && heldByBackup.seq >= held.seq;
}

/// A backup that is open.
struct OpenBackup {
    GoodBackup backup;
    std::unique_ptr<Connection> connection;
};

std::optional<OpenBackup> openBackup(const BackupFile& file)
{
    std::error_code code;
    if (fs::symlink_status(file.path, code).type() != fs::file_type::regular)
        return {};
    auto connection = Connection::open(file.path, Connection::Mode::ReadOnly);
    if (!connection)
        return {};
    const auto version = schemaVersion(**connection);
    auto holds = version && *version > 0 ? holdingOf(**connection) : Result<Holding>(Error{});
    if (!holds)
        return {};
    return OpenBackup{{file, *holds}, std::move(*connection)};
}

} // namespace

std::vector<BackupFile> listBackups(const fs::path& storeFolder)
{
    static const QRegularExpression form(
        QStringLiteral("^ridgepoint-(?:(\\d{6})-)?(\\d{8}T\\d{9})Z(?:-\\d+)?-([a-z0-9-]+)\\.db$"));
    std::vector<BackupFile> all;
    std::error_code code;
    for (fs::directory_iterator it(storeFolder / kBackupFolder, code), end; !code && it != end; it.increment(code)) {
        const auto match = form.match(QString::fromStdString(it->path().filename().string()));
        if (!match.hasMatch())
            continue;
        QDateTime time = QDateTime::fromString(match.captured(2), QStringLiteral("yyyyMMdd'T'HHmmsszzz"));
        time.setTimeSpec(Qt::UTC);
        all.push_back({it->path(), time, match.captured(3), match.captured(1).toInt()});
    }
    std::sort(all.begin(), all.end(), [](const BackupFile& a, const BackupFile& b) {
        return std::tuple(a.number, a.time, a.path) > std::tuple(b.number, b.time, b.path);
    });
    return all;
}

Result<fs::path> writeBackup(Connection& connection, const fs::path& storeFolder, const std::string& why)
{
    const fs::path folder = storeFolder / kBackupFolder;
    if (auto made = makeFolder(folder); !made)
        return made.error();
    const auto earlier = listBackups(storeFolder);
    const int number = earlier.empty() ? 1 : earlier.front().number + 1;
    const QString name = QStringLiteral("ridgepoint-%1-%2-%3.db")
                             .arg(number, 6, 10, QLatin1Char('0'))
                             .arg(fileTimeStamp(), fileNamePart(why));
    const fs::path target = folder / name.toStdString();
    std::error_code code;
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

bool backupIsDue(Connection& present, const fs::path& storeFolder, std::chrono::milliseconds every,
                 const QDateTime& now)
{
    auto backups = listBackups(storeFolder);
    if (!backups.empty() && backups.front().number > 0) {
        if (madeWithin(backups.front(), every, now))
            return false;
        backups.resize(1); // it was made last, whatever the clock said
    }
    const auto held = holdingOf(present);
    if (!held || held->rows == 0)
        return false;
    // Of those without a number the one that holds most is the newest.
    std::optional<OpenBackup> most;
    for (const BackupFile& file : backups) {
        auto open = openBackup(file);
        if (!open)
            continue;
        const auto same = sameChain(*open->connection, open->backup.holds, present, *held);
        if (same && *same && (!most || open->backup.holds.rows > most->backup.holds.rows))
            most = std::move(open);
    }
    return !most || (!madeWithin(most->backup.file, every, now) &&
                     !holdsAll(*most->connection, most->backup.holds, present, *held));
}

std::vector<BackupFile> superfluousBackups(const std::vector<BackupFile>& newestFirst, const QDateTime& now)
{
    std::vector<BackupFile> superfluous;
    std::set<QString> taken;
    for (const BackupFile& backup : newestFirst) {
        const qint64 days = backup.time.daysTo(now);
        const QDate date = backup.time.date();
        if (backup.why != kHourly || madeWithin(backup, std::chrono::hours(24), now))
            continue;
        QString period;
        if (backup.time > now)
            period = QStringLiteral("ahead ") + date.toString(Qt::ISODate);
        else if (days <= 7)
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
    const auto all = listBackups(storeFolder);
    const auto superfluous = superfluousBackups(all, now);
    const auto holdsAllOf = [](const fs::path& other, const BackupFile& backup) {
        const auto only = rowsOnlyIn(backup.path, other);
        return only && only->total == 0;
    };
    for (const BackupFile& backup : superfluous) {
        bool elsewhere = holdsAllOf(storeFolder / kDatabaseName, backup);
        // After an older record was restored, backups of the later one are of another branch.
        for (auto other = all.begin(); !elsewhere && other != all.end(); ++other)
            elsewhere = std::ranges::find(superfluous, other->path, &BackupFile::path) == superfluous.end() &&
                        holdsAllOf(other->path, backup);
        std::error_code ignored; // one that cannot be deleted now is tried again an hour later
        if (elsewhere)
            fs::remove(backup.path, ignored);
    }
}

void removeUnfinishedBackups(const fs::path& storeFolder)
{
    static const QRegularExpression form(QStringLiteral("^ridgepoint-.*\\.db\\.partial(-journal|-wal|-shm)?$"));
    std::vector<fs::path> left;
    std::error_code code;
    for (fs::directory_iterator it(storeFolder / kBackupFolder, code), end; !code && it != end; it.increment(code))
        if (form.match(QString::fromStdString(it->path().filename().string())).hasMatch())
            left.push_back(it->path());
    for (const fs::path& file : left)
        fs::remove(file, code);
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

std::optional<GoodBackup> bestBackup(const fs::path& storeFolder)
{
    std::vector<OpenBackup> usable;
    for (const BackupFile& file : listBackups(storeFolder))
        if (auto open = openBackup(file))
            usable.push_back(std::move(*open));
    if (usable.empty())
        return {};
    const fs::path database = storeFolder / kDatabaseName;
    std::error_code code;
    auto present = fs::is_regular_file(database, code) ? Connection::open(database, Connection::Mode::ReadOnly)
                                                       : Result<std::unique_ptr<Connection>>(Error{});
    const auto held = present ? holdingOf(**present) : Result<Holding>(Error{});
    const auto lastMade = std::ranges::max_element(
        usable, {}, [](const OpenBackup& one) { return std::pair(one.backup.file.number, one.backup.holds.rows); });
    const bool readable = held && held->rows > 0;
    Connection& guide = readable ? **present : *lastMade->connection;
    const Holding guideHolds = readable ? *held : lastMade->backup.holds;
    const auto ofTheChain = [&](const OpenBackup& one) {
        const auto same = sameChain(*one.connection, one.backup.holds, guide, guideHolds);
        return same && *same;
    };
    std::vector<std::tuple<bool, qint64, const OpenBackup*>> ranked;
    for (const OpenBackup& one : usable)
        ranked.emplace_back(ofTheChain(one), one.backup.holds.rows, &one);
    std::ranges::stable_sort(ranked, std::greater(),
                             [](const auto& one) { return std::pair(std::get<0>(one), std::get<1>(one)); });
    for (const auto& [chain, rows, one] : ranked)
        if (quickCheck(*one->connection))
            return one->backup;
    return {};
}

Error damagedStore(const fs::path& storeFolder, const std::string& what)
{
    const auto good = bestBackup(storeFolder);
    const std::string place = (storeFolder / kDatabaseName).string();
    const std::string message = "The record is damaged: " + what;
    if (!good)
        return {"store-damaged", message + ". There is no usable backup", place,
                "Keep the file (others may still read parts of it), then move the folder away or choose another with "
                "RIDGE_HOME"};
    std::string holds = std::to_string(good->holds.rows) + (good->holds.rows == 1 ? " row" : " rows");
    if (!good->holds.newestAt.isEmpty())
        holds += ", the newest of " + good->holds.newestAt.toStdString();
    return {"store-damaged", message + ". The best backup is " + good->file.path.string() + " (" + holds + ")", place,
            "Run `ridge store restore`: it puts that backup in place and keeps the damaged file in damaged/"};
}

namespace {

constexpr const char* kRestored = ".restored";

/// A folder of its own, also when the clock says what it said before.
fs::path asideFolder(const fs::path& storeFolder)
{
    const fs::path parent = storeFolder / "damaged";
    const std::string stamp = fileTimeStamp().toStdString();
    fs::path folder = parent / stamp;
    std::error_code code;
    for (int i = 2; fs::exists(folder, code); ++i)
        folder = parent / (stamp + "-" + std::to_string(i));
    return folder;
}

/// The same file under a second name, or a copy where the file system knows no second names.
Result<void> keepAside(const fs::path& file, const fs::path& aside)
{
    std::error_code code;
    if (!fs::is_regular_file(file, code)) { // whatever it is, it is no database
        fs::rename(file, aside, code);
        return code ? Result<void>(fileError(code, file, "The damaged file cannot be moved aside")) : Result<void>();
    }
    fs::create_hard_link(file, aside, code);
    if (code) {
        fs::copy_file(file, aside, code);
        if (code)
            return fileError(code, aside, "The damaged file cannot be kept aside");
    }
    return syncPath(aside);
}

Result<void> putInPlace(const fs::path& storeFolder)
{
    const std::string name = kDatabaseName;
    std::error_code code;
    // The database goes first: without it, a kill here is seen as what it is. An old database without its log would
    // pass for a sound record that lacks its last rows.
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
        fs::remove(storeFolder / (name + suffix), code);
        if (code)
            return fileError(code, storeFolder / (name + suffix), "The damaged file cannot be moved aside");
    }
    fs::rename(storeFolder / (name + kRestored), storeFolder / name, code);
    if (code)
        return fileError(code, storeFolder / name, "The backup cannot be put in place");
    return syncPath(storeFolder);
}

} // namespace

Result<fs::path> replaceByBackup(const fs::path& storeFolder, const fs::path& backup)
{
    const auto bad = [&](const std::string& why) {
        return Error{"bad-backup", "This backup cannot be used: " + why, backup.string(), "Choose another one"};
    };
    std::error_code code;
    if (!fs::is_regular_file(backup, code))
        return bad(fs::exists(backup, code) ? "it is not a file" : "there is no such file");
    {
        auto connection = Connection::open(backup, Connection::Mode::ReadOnly);
        auto usable = connection ? quickCheck(**connection) : Result<void>(connection.error());
        if (!usable)
            return bad(usable.error().message);
        const auto version = schemaVersion(**connection);
        if (!version || *version == 0)
            return bad(version ? "it is empty" : version.error().message);
    }
    const std::string name = kDatabaseName;
    const fs::path fresh = storeFolder / (name + kRestored);
    const fs::path partial = fresh.string() + ".partial";
    fs::copy_file(backup, partial, fs::copy_options::overwrite_existing, code);
    if (code)
        return fileError(code, partial, "The backup cannot be copied");
    if (auto synced = syncPath(partial); !synced)
        return synced.error();
    const fs::path aside = asideFolder(storeFolder);
    if (auto made = makeFolder(aside); !made)
        return made.error();
    // Everything old is aside, and everything new complete, before anything is taken away.
    for (const char* suffix : {"-wal", "-shm", "-journal", ""}) {
        const fs::path old = storeFolder / (name + suffix);
        if (!fs::exists(old, code))
            continue;
        if (auto kept = keepAside(old, aside / old.filename()); !kept)
            return kept.error();
    }
    for (const fs::path& folder : {aside, aside.parent_path(), storeFolder})
        if (auto synced = syncPath(folder); !synced)
            return synced.error();
    fs::rename(partial, fresh, code);
    if (code)
        return fileError(code, fresh, "The backup cannot be put in place");
    if (auto synced = syncPath(storeFolder); !synced)
        return synced.error();
    if (auto placed = putInPlace(storeFolder); !placed)
        return placed.error();
    return aside;
}

Result<void> finishRestore(const fs::path& storeFolder)
{
    const std::string name = kDatabaseName;
    std::error_code code;
    // A second name of the database that is in use would be opened beside it one day.
    if (fs::hard_link_count(storeFolder / name, code) > 1 && !code)
        for (fs::directory_iterator it(storeFolder / "damaged", code), end; !code && it != end; it.increment(code))
            for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
                std::error_code ignored;
                const fs::path second = it->path() / (name + suffix);
                if (fs::equivalent(second, storeFolder / (name + suffix), ignored))
                    fs::remove(second, ignored);
            }
    fs::remove(storeFolder / (name + kRestored + ".partial"), code);
    if (!fs::exists(storeFolder / (name + kRestored), code))
        return {};
    if (!fs::exists(storeFolder / name, code))
        return putInPlace(storeFolder);
    // Nothing was taken away yet: the restoring did not begin.
    fs::remove(storeFolder / (name + kRestored), code);
    return {};
}

} // namespace ridge::record
