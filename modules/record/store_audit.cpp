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

/// What every file that the database knows is like.
struct FilesSeen {
    std::int64_t bytes = 0;     ///< of those that are sound
    std::vector<LostFile> lost; ///< not there, or not as they were, and not noted as that
    int noted = 0;              ///< the same, noted
};

Result<FilesSeen> checkFiles(Connection& connection, const ContentFiles& files)
{
    const auto noted = notedLostFiles(connection);
    if (!noted)
        return noted.error();
    auto names = connection.query(QStringLiteral("SELECT sha256 FROM file"));
    if (!names)
        return names.error();
    FilesSeen seen;
    while (names->next()) {
        const std::string name = names->value(0).toString().toStdString();
        auto bytes = files.get(name);
        if (bytes)
            seen.bytes += std::int64_t(bytes->size());
        else if (noted->contains(name))
            ++seen.noted;
        else
            seen.lost.push_back({name, bytes.error(), {}});
    }
    if (names->lastError().isValid())
        return sqlError(names->lastError(), connection.place());
    return seen;
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
    const auto seen = checkFiles(*d->reader, d->files);
    if (!seen)
        return seen.error();
    if (!seen->lost.empty())
        return seen->lost.front().fault;
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
    const auto seen = checkFiles(*d->reader, d->files);
    if (!seen)
        return seen.error();
    audit.fileBytes = seen->bytes;
    audit.lostFiles = seen->noted;
    for (const LostFile& file : seen->lost)
        if (audit.faults.size() < kMostFaults)
            audit.faults.push_back(file.fault);
    return audit;
}

Result<std::vector<LostFile>> Store::noteLostFiles()
{
    if (!d->writer)
        return readOnlyStore(d->folder);
    Result<std::vector<LostFile>> noted =
        Error{"store-error", "The record has no connection for writing", d->folder.string(), {}};
    d->writer->runAlone([&](Connection& connection) {
        noted = [&]() -> Result<std::vector<LostFile>> {
            auto seen = checkFiles(connection, d->files);
            if (!seen)
                return seen.error();
            if (auto named = nameRowsOf(connection, QStringLiteral("main"), seen->lost); !named)
                return named.error();
            auto transaction = Transaction::begin(connection);
            if (!transaction)
                return transaction.error();
            if (auto written = record::noteLostFiles(connection, seen->lost); !written)
                return written.error();
            if (auto committed = transaction->commit(); !committed)
                return committed.error();
            return std::move(seen->lost);
        }();
    });
    return noted;
}

} // namespace ridge::record
