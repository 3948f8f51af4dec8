// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/files/content_files.h"
#include "record/store.h"

namespace ridge::record {

class Connection;

/// Adds to `connection` every row of the snapshot that it does not have, and to `files` every content file of the
/// other store that is absent or damaged here. All rows or none. A row whose file neither store has comes along, and
/// its file is noted as lost: without the row, all that were stored after it would hang on a digest that is not there.
/// Errors: "store-damaged" when a row of the other store does not match its digest or names a file that is no SHA-256,
/// those of the disk.
Result<MergeReport> mergeSnapshot(Connection& connection, const ContentFiles& files,
                                  const std::filesystem::path& snapshot, const std::filesystem::path& otherFolder);

} // namespace ridge::record
