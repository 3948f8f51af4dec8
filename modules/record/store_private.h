// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/open_options.h"
#include "record/snapshot.h"
#include "record/store.h"
#include "record/writer.h"

#include <QLockFile>

namespace ridge::record {

struct Store::Private {
    explicit Private(const std::filesystem::path& storeFolder) : folder(storeFolder), files(storeFolder / "files") {}

    std::filesystem::path folder;
    ContentFiles files;
    QString origin;
    std::vector<Migration> steps = migrations();
    std::optional<Error> notice;
    std::unique_ptr<QLockFile> lock;    ///< none when read-only
    std::unique_ptr<Snapshot> snapshot; ///< what is read in place of a database that must not be touched
    std::unique_ptr<Connection> reader;
    std::unique_ptr<Writer> writer; ///< none when read-only

    std::mutex mutex;
    std::vector<std::function<void()>> posts; ///< from the writer's thread to the owner's
};

/// What Store::open finds before there is a Store.
struct OpenedStore {
    std::unique_ptr<QLockFile> lock;
    std::unique_ptr<Connection> connection;
    std::unique_ptr<Snapshot> snapshot;
    QString origin;
    std::optional<Error> notice;
};

Result<OpenedStore> openForWriting(const std::filesystem::path& folder, const OpenOptions& options);
Result<OpenedStore> openForReading(const std::filesystem::path& folder, const OpenOptions& options);

/// What a write gets from a store that was opened for reading.
Error readOnlyStore(const std::filesystem::path& folder);

/// Whether the thread that reads is to stop (QThread::requestInterruption): asked after each of many rows.
bool interrupted();
/// What a read gives then: "stopped". `place`: the record.
Error stoppedReading(const std::string& place);

/// Errors: "store-locked" (says who), "store-readonly", "disk-full".
Result<std::unique_ptr<QLockFile>> lockStore(const std::filesystem::path& folder, bool networkShare);

} // namespace ridge::record
