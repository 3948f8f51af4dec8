// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/holding.h"

#include <optional>

namespace ridge::record {

/// What restoreRecord has done.
struct Restored {
    std::filesystem::path backup;   ///< what is in place now
    Holding holds;                  ///< what is in it
    std::filesystem::path aside;    ///< folder of the database that was in its place
    std::optional<RowsApart> lacks; ///< rows of that database that the backup does not have; none: it cannot be read
};

/// Puts a backup in the place of the database of this folder, which is kept in damaged/<time>/. `named` empty: the best
/// one (bestBackup); that never takes the place of a sound record that has rows which it lacks. A backup that is named
/// does. Errors: "bad-backup" (also: there is none), "older-backup" (the record is sound and has more; says what),
/// "store-newer", "store-locked", "store-readonly", "disk-full".
Result<Restored> restoreRecord(const std::filesystem::path& folder, const std::filesystem::path& named = {});

} // namespace ridge::record
