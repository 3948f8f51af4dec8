// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a store is sound, and what is in it.
#include "record/store_private.h"

#include "record/backups.h"
#include "record/digests.h"
#include "record/row_codec.h"

#include <QSqlError>

namespace ridge::record {

namespace fs = std::filesystem;

namespace {

/// More of them say nothing new.
constexpr std::size_t kMostFaults = 100;

Result<void> checkIntegrity(Connection& connection, const fs::path& folder)
{
    auto verdicts = connection.query(QStringLiteral("PRAGMA integrity_check(5)"));
    if (!verdicts)
        return verdicts.error();
    while (verdicts->next()) {
        if (const QString verdict = verdicts->value(0).toString(); verdict != QLatin1String("ok"))
            return damagedStore(folder, verdict.toStdString());
    }
    return {};
}

Result<void> checkReferences(Connection& connection, const fs::path& folder)
{
    auto dangling = connection.query(QStringLiteral("PRAGMA foreign_key_check"));
    if (!dangling)
        return dangling.error();
    if (dangling->next())
        return damagedStore(folder, "a row of " + dangling->value(0).toString().toStdString() +
                                        " refers to a missing " + dangling->value(2).toString().toStdString());
    return {};
}

/// Every file that the database knows; gives what they weigh together.
Result<std::int64_t> checkFiles(Connection& connection, const ContentFiles& files, std::vector<Error>& faults)
{
    auto names = connection.query(QStringLiteral("SELECT sha256 FROM file"));
    if (!names)
        return names.error();
    std::int64_t total = 0;
    while (names->next()) {
        auto bytes = files.get(names->value(0).toString().toStdString());
        if (bytes)
            total += std::int64_t(bytes->size());
        else if (faults.size() < kMostFaults)
            faults.push_back(bytes.error());
    }
    if (names->lastError().isValid())
        return sqlError(names->lastError(), connection.place());
    return total;
}

int filesBelow(const fs::path& folder)
{
    int count = 0;
    std::error_code code;
    for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end; it.increment(code))
        count += it->is_regular_file(code) ? 1 : 0;
    return count;
}

Result<int> countOf(Connection& connection, const QString& sql)
{
    auto count = connection.value(sql);
    if (!count)
        return count.error();
    return count->toInt();
}

Result<void> readFigures(Connection& connection, const fs::path& folder, StoreAudit& audit)
{
    auto schema = schemaVersion(connection);
    auto origins = countOf(connection, QStringLiteral("SELECT COUNT(DISTINCT origin) FROM entry"));
    auto files = countOf(connection, QStringLiteral("SELECT COUNT(*) FROM file"));
    if (!schema || !origins || !files)
        return !schema ? schema.error() : !origins ? origins.error() : files.error();
    audit.schema = *schema;
    audit.origins = *origins;
    audit.files = *files;
    for (const QString& kind : rowKinds()) {
        auto count = countOf(connection, QStringLiteral("SELECT COUNT(*) FROM ") + kind);
        if (!count)
            return count.error();
        audit.rows[kind.toStdString()] = *count;
    }
    for (const char* name : {kDatabaseName, kLogName}) {
        std::error_code code;
        const auto size = fs::file_size(folder / name, code);
        audit.databaseBytes += code ? 0 : std::int64_t(size);
    }
    audit.backups = int(listBackups(folder).size());
    audit.unknownFiles = std::max(0, filesBelow(folder / "files") - audit.files);
    return {};
}

} // namespace

Result<void> Store::verify() const
{
    const std::string place = (d->folder / kDatabaseName).string();
    if (auto sound = checkIntegrity(*d->reader, d->folder); !sound)
        return sound;
    if (auto sound = checkReferences(*d->reader, d->folder); !sound)
        return sound;
    if (auto sound = checkDigests(*d->reader, QStringLiteral("main"), place); !sound)
        return sound;
    std::vector<Error> faults;
    if (auto bytes = checkFiles(*d->reader, d->files, faults); !bytes)
        return bytes.error();
    if (!faults.empty())
        return faults.front();
    return {};
}

Result<StoreAudit> Store::audit() const
{
    const std::string place = (d->folder / kDatabaseName).string();
    StoreAudit audit;
    // A database that is no longer whole may refuse to be counted; then that is what there is to say.
    if (auto sound = checkIntegrity(*d->reader, d->folder); !sound) {
        audit.faults.push_back(sound.error());
        static_cast<void>(readFigures(*d->reader, d->folder, audit));
        return audit;
    }
    if (auto read = readFigures(*d->reader, d->folder, audit); !read)
        return read.error();
    if (auto sound = checkReferences(*d->reader, d->folder); !sound)
        audit.faults.push_back(sound.error());
    if (auto sound = checkDigests(*d->reader, QStringLiteral("main"), place); !sound)
        audit.faults.push_back(sound.error());
    auto bytes = checkFiles(*d->reader, d->files, audit.faults);
    if (!bytes)
        return bytes.error();
    audit.fileBytes = *bytes;
    return audit;
}

} // namespace ridge::record
