// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/schema.h"

#include <chrono>
#include <functional>

namespace ridge::record {

/// What the program takes from its surroundings when it opens a store, so that tests can set it.
struct OpenOptions {
    std::vector<Migration> migrations = record::migrations();
    std::chrono::milliseconds backupEvery = std::chrono::hours(1);
    /// "ext4", "nfs4" …; empty: ask the system.
    QString fileSystem;
    /// A database larger than this is not read whole on opening; verify() and the hourly backup read it.
    std::uintmax_t quickCheckBytes = 16u << 20;
};

} // namespace ridge::record
