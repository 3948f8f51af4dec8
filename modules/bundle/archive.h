// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ridge::bundle {

/// One file of an archive. Names use '/' and keep to what every file system takes as it stands (see badName).
struct Entry {
    std::string name;
    std::string bytes;
    bool operator==(const Entry&) const = default;
};

/// What is unpacked at most. The defaults are far above an honest submission (a few MiB) and far below what would
/// trouble a laptop.
struct ArchiveLimits {
    std::uint64_t archiveBytes = 128u << 20;
    std::size_t entries = 2000;
    std::size_t nameBytes = 160;
    std::uint64_t entryBytes = 64u << 20;
    std::uint64_t totalBytes = 192u << 20;
    /// Unpacked over packed, for entries above 1 MiB and for the whole: text of rows packs about 10 to 1, deflate can
    /// do 1032 to 1.
    std::uint64_t ratio = 100;
};

/// Unpacks a zip into memory; nothing is written anywhere. `file` is its name for messages. The directory of the zip
/// is read first and everything that can be refused from it is, before a byte is unpacked; the declared sizes are then
/// held against what comes out. Entries come sorted by name.
/// Errors (place = "file, entry NAME" or the file): "archive-broken" (not a zip, truncated, checksums, sizes that lie,
/// bytes between or around entries), "archive-name" (absolute, "..", a NUL or another character that some system
/// reads as something else), "archive-double" (twice the same name, also when only case differs, or a file that is
/// also a folder), "archive-link" (link, device, folder), "archive-encrypted", "archive-large" (a limit, named).
Result<std::vector<Entry>> readArchive(std::string_view bytes, const ArchiveLimits& limits, const std::string& file);

/// The same bytes for the same entries in any order: sorted, deflated, one fixed time (1980-01-01), no owner.
/// Errors: "archive-name", "archive-double", "archive-broken" (libarchive's own failure).
Result<std::string> writeArchive(std::vector<Entry> entries);

/// Null for a name that may stand in an archive, else what is wrong with it. Allowed are letters, digits, "._-+ ()" in
/// parts joined by '/', no part empty, ".", "..", ending in a dot or space, or a device name of Windows.
const char* badName(std::string_view name);

/// The entry of that name, or null.
const Entry* findEntry(const std::vector<Entry>& entries, std::string_view name);

} // namespace ridge::bundle
