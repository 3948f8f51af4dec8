// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <filesystem>
#include <memory>
#include <vector>

namespace ridge::record {

/// What a store is made of on the disk, whether it is there or not: database, logs and files; and what is left from
/// earlier, backups and damaged databases that were put aside.
struct StorePaths {
    std::vector<std::filesystem::path> record, earlier;
};
StorePaths storePaths(const std::filesystem::path& folder);

/// Keeps everybody else from writing the store of this folder for as long as what it gives lives, without opening it.
/// Errors: "store-locked" (names the program), "store-readonly", "disk-full".
Result<std::shared_ptr<void>> holdStore(const std::filesystem::path& folder);

} // namespace ridge::record
