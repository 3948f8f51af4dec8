// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/store_private.h"

#include "base/hash.h"
#include "record/backups.h"
#include "record/clock.h"
#include "record/erase_record.h"

#include <QSet>
#include <QStorageInfo>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ridge::record {

namespace fs = std::filesystem;

namespace {

/// File systems of other computers. SQLite's write-ahead log needs memory shared between processes, which they do not
/// have (https://www.sqlite.org/wal.html, "Disadvantages").
bool isNetworkFileSystem(const QString& type)
{
    static const QSet<QString> known{
        QStringLiteral("nfs"),  QStringLiteral("nfs4"),  QStringLiteral("cifs"),   QStringLiteral("smb2"),
        QStringLiteral("smb3"), QStringLiteral("smbfs"), QStringLiteral("afs"),    QStringLiteral("fuse.sshfs"),
        QStringLiteral("9p"),   QStringLiteral("ceph"),  QStringLiteral("lustre"), QStringLiteral("davfs"),
    };
    return known.contains(type.toLower());
}

Error networkNotice(const fs::path& folder, const QString& type)
{
    return {"store-network",
            "The record lies on a network share (" + type.toStdString() +
                "), where it is slower and depends on the server keeping its promises",
            folder.string(), "Set RIDGE_HOME to a folder of this computer, and merge the records later"};
}

bool holdsFiles(const fs::path& folder)
{
    std::error_code code;
    for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end; it.increment(code))
        if (it->is_regular_file(code))
            return true;
    return false;
}

/// What a damaged store looks like from outside, before SQLite is asked.
Result<void> checkFile(const fs::path& folder)
{
    const fs::path file = folder / kDatabaseName;
    std::error_code code;
    const bool exists = fs::exists(file, code);
    const std::uintmax_t size = exists ? fs::file_size(file, code) : 0;
    if (size == 0) {
        // An empty file is what a program leaves that was killed while it made its first store; with backups, a log or
        // files of the record beside it, it is a loss, and starting afresh would hide that.
        const std::string what = exists ? "the database is empty, though " : "the database is missing, though ";
        if (!listBackups(folder).empty())
            return damagedStore(folder, what + "there are backups");
        if (exists && fs::file_size(folder / kLogName, code) > 0 && !code)
            return damagedStore(folder, what + "its log is not");
        if (exists && holdsFiles(folder / "files"))
            return damagedStore(folder, what + "files of the record are there");
        return {};
    }
    if (exists && !fs::is_regular_file(file, code))
        return Error{"store-damaged", "The database of this record is no plain file", file.string(),
                     "Name a folder with a record"};
    std::ifstream in(file, std::ios::binary);
    std::string head(16, '\0');
    if (!in.read(head.data(), 16))
        return in.is_open()
                   ? damagedStore(folder, "the database is cut short")
                   : fileError(std::make_error_code(std::errc::permission_denied), file, "The record cannot be read");
    if (head != std::string("SQLite format 3\0", 16))
        return damagedStore(folder, "the file is not an SQLite database");
    // Write and read version, bytes 18 and 19 (https://www.sqlite.org/fileformat2.html, "The Database Header"). Of a
    // higher write version SQLite says that the file may not be written, which sends people after permissions.
    if (!in.read(head.data(), 4))
        return damagedStore(folder, "the database is cut short");
    for (const char version : {head[2], head[3]})
        if (version != 1 && version != 2)
            return damagedStore(folder, "the versions in its header are none of SQLite's");
    return {};
}

Error withBackups(const fs::path& folder, const Error& error)
{
    return error.code == "store-damaged" ? damagedStore(folder, error.message) : error;
}

Result<void> migrate(Connection& connection, const fs::path& folder, const std::vector<Migration>& steps)
{
    auto version = schemaVersion(connection);
    if (!version)
        return version.error();
    if (*version > steps.back().version)
        return newerStore(connection.place(), *version, steps.back().version);
    for (const Migration& step : steps) {
        if (step.version <= *version)
            continue;
        if (*version > 0) {
            auto saved = writeBackup(connection, folder, "before-schema-" + std::to_string(step.version));
            if (!saved)
                return saved.error();
        }
        if (auto applied = applyMigration(connection, step); !applied)
            return applied;
    }
    return {};
}

Result<QString> readOrigin(Connection& connection)
{
    auto origin = connection.value(QStringLiteral("SELECT value FROM meta WHERE key = 'origin'"));
    if (!origin)
        return origin.error();
    return origin->toString();
}

Result<QString> ensureOrigin(Connection& connection)
{
    auto transaction = Transaction::begin(connection);
    if (!transaction)
        return transaction.error();
    // Asked each time, because it is also what fails where SQLite has quietly opened the database read-only.
    for (const auto& [key, value] : {std::pair(QStringLiteral("origin"), QString::fromStdString(newUuid7())),
                                     std::pair(QStringLiteral("created_at"), timeStamp())}) {
        auto stored = connection.exec(
            QStringLiteral("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING"), {key, value});
        if (!stored)
            return stored.error();
    }
    auto origin = readOrigin(connection);
    if (!origin)
        return origin;
    if (auto committed = transaction->commit(); !committed)
        return committed.error();
    return origin;
}

Result<void> prepare(Connection& connection, const fs::path& folder, const OpenOptions& options, bool networkShare)
{
    auto version = schemaVersion(connection);
    if (!version)
        return version.error();
    // Said before anything is written into a store that this program does not understand.
    if (*version > options.migrations.back().version)
        return newerStore(connection.place(), *version, options.migrations.back().version);
    const QString mode = networkShare ? QStringLiteral("DELETE") : QStringLiteral("WAL");
    for (const QString& pragma :
         {QStringLiteral("PRAGMA journal_mode = ") + mode, QStringLiteral("PRAGMA synchronous = FULL")}) {
        if (auto set = connection.exec(pragma); !set)
            return set;
    }
    std::error_code code;
    if (fs::file_size(folder / kDatabaseName, code) <= options.quickCheckBytes) {
        if (auto sound = quickCheck(connection); !sound)
            return sound;
    }
    return migrate(connection, folder, options.migrations);
}

/// A program that was killed between making the lock and writing its name into it leaves an empty file, which says of
/// nobody that it is gone. A living owner holds the file itself locked; it has had time to do so.
bool dropNamelessLock(QLockFile& lock, const fs::path& file)
{
    constexpr int kPatienceMs = 200;
    if (lock.tryLock(kPatienceMs)) {
        lock.unlock();
        return true;
    }
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        return errno == ENOENT;
    struct stat status = {};
    const bool abandoned = ::fstat(descriptor, &status) == 0 && status.st_size == 0 &&
                           ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::unlink(file.c_str()) == 0;
    ::close(descriptor);
    return abandoned;
}

} // namespace

Error readOnlyStore(const fs::path& folder)
{
    return {"store-readonly", "The record was opened for reading only", folder.string(), "Open it for writing"};
}

Result<std::unique_ptr<QLockFile>> lockStore(const fs::path& folder, bool networkShare)
{
    const fs::path file = folder / "ridgepoint.lock";
    auto lock = std::make_unique<QLockFile>(QString::fromStdString(file.string()));
    lock->setStaleLockTime(0); // a lock is stale when its process is gone, never by age
    if (lock->tryLock(0))
        return lock;
    if (lock->error() == QLockFile::PermissionError)
        return fileError(std::make_error_code(std::errc::permission_denied), folder, "The record cannot be written");
    std::error_code code;
    if (lock->error() != QLockFile::LockFailedError && !fs::is_directory(folder, code))
        return missingStore(folder); // which the lock calls a full disk
    if (lock->error() != QLockFile::LockFailedError)
        return fileError(std::make_error_code(std::errc::no_space_on_device), file,
                         "The lock of the record cannot be written");
    qint64 pid = 0;
    QString host, program;
    lock->getLockInfo(&pid, &host, &program);
    if (pid == 0 && !networkShare && dropNamelessLock(*lock, file) && lock->tryLock(0))
        return lock;
    std::string fix = "Close that program and try again";
    if (networkShare || (!host.isEmpty() && host != QSysInfo::machineHostName()))
        fix += "; if it no longer runs on that computer, delete " + file.string();
    return Error{"store-locked",
                 "The record is in use by " + program.toStdString() + " (process " + std::to_string(pid) + " on " +
                     host.toStdString() + ")",
                 folder.string(), fix};
}

StorePaths storePaths(const fs::path& folder)
{
    StorePaths all;
    for (const char* suffix : {"", "-wal", "-shm", "-journal", ".restored", ".restored.partial"})
        all.record.push_back(folder / (std::string(kDatabaseName) + suffix));
    all.record.push_back(folder / "files");
    all.earlier = {folder / kBackupFolder, folder / "damaged"};
    return all;
}

Result<std::shared_ptr<void>> holdStore(const fs::path& folder)
{
    auto lock = lockStore(folder, false);
    if (!lock)
        return lock.error();
    return std::shared_ptr<void>(std::shared_ptr<QLockFile>(std::move(*lock)));
}

Result<OpenedStore> openForWriting(const fs::path& folder, const OpenOptions& options)
{
    if (auto made = makeFolder(folder); !made)
        return made.error();
    const QString type =
        options.fileSystem.isEmpty()
            ? QString::fromLatin1(QStorageInfo(QString::fromStdString(folder.string())).fileSystemType())
            : options.fileSystem;
    const bool networkShare = isNetworkFileSystem(type);
    auto lock = lockStore(folder, networkShare);
    if (!lock)
        return lock.error();
    if (auto finished = finishRestore(folder); !finished)
        return finished.error();
    removeUnfinishedBackups(folder);
    if (auto plausible = checkFile(folder); !plausible)
        return plausible.error();
    OpenedStore opened;
    opened.lock = std::move(*lock);
    auto connection = Connection::open(folder / kDatabaseName, Connection::Mode::ReadWrite);
    if (!connection)
        return withBackups(folder, connection.error());
    if (auto ready = prepare(**connection, folder, options, networkShare); !ready)
        return withBackups(folder, ready.error());
    auto origin = ensureOrigin(**connection);
    if (!origin)
        return withBackups(folder, origin.error());
    if (auto sealed = (*connection)->exec(QStringLiteral("PRAGMA query_only = ON")); !sealed)
        return sealed.error();
    opened.connection = std::move(*connection);
    opened.origin = *origin;
    if (networkShare)
        opened.notice = networkNotice(folder, type);
    return opened;
}

Result<OpenedStore> openForReading(const fs::path& folder, const OpenOptions& options)
{
    std::error_code code;
    if (!fs::exists(folder / kDatabaseName, code) && listBackups(folder).empty())
        return missingStore(folder);
    if (auto plausible = checkFile(folder); !plausible)
        return plausible.error();
    OpenedStore opened;
    const int known = options.migrations.back().version;
    auto connection = Connection::open(folder / kDatabaseName, Connection::Mode::ReadOnly);
    auto version = connection ? schemaVersion(**connection) : Result<int>(connection.error());
    // SQLite could not make the files beside the database that it needs for reading a WAL.
    const bool noRoom = !version && (version.error().code == "store-readonly" || version.error().code == "disk-full");
    if (!version && !noRoom)
        return withBackups(folder, version.error());
    const auto logSize = fs::file_size(folder / kLogName, code);
    if (noRoom && (code || logSize == 0)) {
        connection = Connection::open(folder / kDatabaseName, Connection::Mode::Immutable);
        version = connection ? schemaVersion(**connection) : Result<int>(connection.error());
        if (!version)
            return withBackups(folder, version.error());
    }
    if (version && *version > known)
        return newerStore((folder / kDatabaseName).string(), *version, known);
    // Version 0: a program was killed while it made its first store. Reading finds what writing would begin with.
    if (version && *version == known) {
        opened.connection = std::move(*connection);
    } else {
        auto snapshot = Snapshot::take(folder, options.migrations);
        if (!snapshot)
            return snapshot.error();
        auto copy =
            Connection::open((*snapshot)->file(), Connection::Mode::ReadOnly, (folder / kDatabaseName).string());
        if (!copy)
            return copy.error();
        opened.snapshot = std::move(*snapshot);
        opened.connection = std::move(*copy);
    }
    if (fs::file_size(folder / kDatabaseName, code) <= options.quickCheckBytes) {
        if (auto sound = quickCheck(*opened.connection); !sound)
            return withBackups(folder, sound.error());
    }
    auto origin = readOrigin(*opened.connection);
    if (!origin)
        return withBackups(folder, origin.error());
    opened.origin = *origin;
    return opened;
}

} // namespace ridge::record
