// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/schema.h"

#include <QTemporaryDir>

namespace ridge::record {

/// A private copy of another store's database, brought to today's schema. SQLite cannot open a database that has a
/// write-ahead log without touching the folder, so the other store is copied file by file and only read.
class Snapshot {
public:
    /// Errors (place = the original): "store-missing", "store-damaged", "store-newer", "store-locked" (it changed all
    /// the time while it was copied), "disk-full".
    static Result<std::unique_ptr<Snapshot>> take(const std::filesystem::path& storeFolder,
                                                  const std::vector<Migration>& steps = migrations());
    /// The copy, in one file without a log.
    std::filesystem::path file() const;

private:
    QTemporaryDir m_folder;
};

/// Error for a folder without a store.
Error missingStore(const std::filesystem::path& storeFolder);

} // namespace ridge::record
