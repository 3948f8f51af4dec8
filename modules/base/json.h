// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"
#include "base/result.h"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace ridge {

/// Parses `text`; `place` (a file name, "stdin" …) goes into the error together with line and column.
Result<Json> parseJson(std::string_view text, const std::string& place);

/// Whole file as bytes. Errors: "cannot-read" with the path.
Result<std::string> readFile(const std::filesystem::path& path);

/// Writes through a temporary file in the same folder and renames, so that a crash leaves the old or the new file.
Result<void> writeFile(const std::filesystem::path& path, std::string_view bytes);

Json toJson(const Error& error);
Error errorFromJson(const Json& json);

} // namespace ridge
