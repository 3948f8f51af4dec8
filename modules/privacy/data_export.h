// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "privacy/places.h"

namespace ridge::personal {

struct DataExport {
    int files = 0;
    std::uintmax_t bytes = 0;
    std::map<std::string, int> rows;  ///< that were written, by table
    std::vector<std::string> notices; ///< what could not be read and lies there as it is
};

/// Writes everything of one's own into a folder that is new or empty:
///   README.txt, manifest.json (what is there, how many rows), schema.json (tables and columns)
///   tables/<table>.csv      every row of the record; a column that holds JSON is a text (RFC 4180, UTF-8, exact)
///   artifacts/<name>/       each artifact as a folder that can be read and checked for itself
///   record/                 database and files as a store: RIDGE_HOME and `ridge merge` take it
///   drafts/ keys/ assignments/ settings/ machines/ reports/ earlier/damaged/   as they lie
///   SHA256SUMS              of all that, written last: without it the export is not whole
/// Backups, search index, caches and previews are left out, for all that is in them is in the rest. What a feedback
/// policy holds back is in the record and so in here. Reads only; a program may have the record open.
/// Errors: "cannot-write", "disk-full", "store-locked" (the record changed all the time). A damaged record is no error:
/// its database and backups are copied as they are, with a notice.
Result<DataExport> exportData(const Places& places, const std::filesystem::path& folder, const std::string& appVersion);

} // namespace ridge::personal
