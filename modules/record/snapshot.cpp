// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/snapshot.h"

#include "record/backups.h"
#include "record/files/content_files.h"

#include <array>

namespace ridge::record {

namespace fs = std::filesystem;

namespace {

constexpr std::array kSuffixes{"", "-wal", "-journal"};
constexpr int kTries = 8;

struct FileState {
    bool exists = false;
    std::uintmax_t size = 0;
    fs::file_time_type time;
    bool operator==(const FileState&) const = default;
};
using StoreState = std::array<FileState, kSuffixes.size()>;

fs::path part(const fs::path& folder, const char* suffix)
{
    return folder / (std::string(kDatabaseName) + suffix);
}

StoreState stateOf(const fs::path& folder)
{
    StoreState state;
    for (std::size_t i = 0; i < kSuffixes.size(); ++i) {
        std::error_code code;
        const fs::path file = part(folder, kSuffixes[i]);
        state[i].size = fs::file_size(file, code);
        state[i].exists = !code;
        state[i].time = fs::last_write_time(file, code);
    }
    return state;
}

/// False: it changed meanwhile.
Result<bool> copyOnce(const fs::path& from, const fs::path& to)
{
    const StoreState before = stateOf(from);
    for (std::size_t i = 0; i < kSuffixes.size(); ++i) {
        std::error_code code;
        fs::remove(part(to, kSuffixes[i]), code);
        if (!before[i].exists)
            continue;
        fs::copy_file(part(from, kSuffixes[i]), part(to, kSuffixes[i]), code);
        if (code == std::errc::no_such_file_or_directory)
            return false;
        if (code)
            return fileError(code, part(from, kSuffixes[i]), "The other store cannot be copied for reading");
    }
    return before == stateOf(from);
}

Result<void> bringUpToDate(Connection& connection, const std::vector<Migration>& steps)
{
    if (auto sound = quickCheck(connection); !sound)
        return sound;
    auto version = schemaVersion(connection);
    if (!version)
        return version.error();
    const int known = steps.back().version;
    if (*version > known)
        return newerStore(connection.place(), *version, known);
    for (const Migration& step : steps) {
        if (step.version <= *version)
            continue;
        if (auto applied = applyMigration(connection, step); !applied)
            return applied;
    }
    return connection.exec(QStringLiteral("PRAGMA journal_mode = DELETE"));
}

} // namespace

Error missingStore(const fs::path& storeFolder)
{
    return {"store-missing", "There is no record in this folder", storeFolder.string(),
            "Name a folder that holds a " + std::string(kDatabaseName)};
}

fs::path Snapshot::file() const
{
    return fs::path(m_folder.path().toStdString()) / kDatabaseName;
}

Result<std::unique_ptr<Snapshot>> Snapshot::take(const fs::path& storeFolder, const std::vector<Migration>& steps)
{
    const fs::path original = storeFolder / kDatabaseName;
    std::error_code code;
    if (!fs::is_regular_file(original, code))
        return missingStore(storeFolder);
    auto snapshot = std::make_unique<Snapshot>();
    const fs::path copy = snapshot->m_folder.path().toStdString();
    if (!snapshot->m_folder.isValid())
        return Error{"disk-full", "No temporary folder can be made", fs::temp_directory_path(code).string(),
                     "Free space there or set TMPDIR"};
    for (int i = 0; i < kTries; ++i) {
        auto still = copyOnce(storeFolder, copy);
        if (!still)
            return still.error();
        if (!*still)
            continue;
        auto connection = Connection::open(snapshot->file(), Connection::Mode::ReadWrite, original.string());
        auto ready = connection ? bringUpToDate(**connection, steps) : Result<void>(connection.error());
        if (ready)
            return snapshot;
        return ready.error().code == "store-damaged" ? damagedStore(storeFolder, ready.error().message) : ready.error();
    }
    return Error{"store-locked", "This record keeps changing while it is read", original.string(),
                 "Close the program that writes it and try again"};
}

} // namespace ridge::record
