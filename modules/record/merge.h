// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/content_files.h"
#include "record/store.h"

namespace ridge::record {

class Connection;

/// Adds to `connection` every row of the snapshot that it does not have, and to `files` every content file of the
/// other store that is absent or damaged here. All rows or none. Errors: "store-damaged" when a row of the other store
/// does not match its digest, those of the disk.
Result<MergeReport> mergeSnapshot(Connection& connection, const ContentFiles& files,
                                  const std::filesystem::path& snapshot, const std::filesystem::path& otherFolder);

} // namespace ridge::record
