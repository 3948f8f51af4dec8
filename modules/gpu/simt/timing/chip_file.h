// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "gpu/simt/timing/chip_timing.h"

#include <filesystem>
#include <functional>

namespace ridge::gpu::simt {

/// Text of the chip file with this id, for "inherits".
using ChipFileText = std::function<Result<std::string>(const std::string& id)>;

/// Reads a chip file (schema "chip-timing/1"). Values that it does not give come from the file that it inherits from
/// and count as assumptions, except those of the occupancy rules of one architecture.
/// Errors: "bad-chip-file" with file, field and legal range; "cannot-read".
Result<ChipTiming> parseChipTiming(const std::string& id, const ChipFileText& text);

/// From `folder`/<id>.json.
Result<ChipTiming> readChipTiming(const std::filesystem::path& folder, const std::string& id);

/// Values of the chip that are assumptions, in the order of their names.
std::vector<std::string> assumptionsOf(const ChipTiming& chip);

} // namespace ridge::gpu::simt
