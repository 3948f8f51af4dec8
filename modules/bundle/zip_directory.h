// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bundle/archive.h"

namespace ridge::bundle {

/// What the directory at the end of a zip says of one entry.
struct ZipRecord {
    std::string name;
    std::uint64_t packed = 0, unpacked = 0; ///< declared bytes
};

/// Reads the directory of a zip (PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16) and refuses everything that can
/// be refused without unpacking. It is stricter than the format: entries lie one behind another, begin at the first
/// byte and end at the directory, local headers carry the same names, there is no comment, no second disk and no zip64.
/// So two programs cannot read two different things out of one file. Errors as readArchive.
Result<std::vector<ZipRecord>> readZipDirectory(std::string_view bytes, const ArchiveLimits& limits,
                                                const std::string& file);

Error brokenArchive(const std::string& what, const std::string& place);
Error tooLarge(const std::string& what, const std::string& place);
std::string placeOf(const std::string& file, const std::string& entry);

} // namespace ridge::bundle
