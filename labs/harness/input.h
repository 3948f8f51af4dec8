// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/parameters.h"

#include <filesystem>

namespace ridge::labs {

/// Of the file that a parameter names, by default: a trace of some million lines, a model's config, a snapshot.
inline constexpr std::uint64_t kMostInputBytes = 256u << 20;

/// Whether a checked, complete text parameter is given.
bool given(const ParamSet& params, const char* name);

/// A path below the assets that come with the program begins so: "assets:traces/azure.csv".
inline constexpr std::string_view kAssets = "assets:";

/// Where the file of the parameter `name` lies. Errors: "bad-value" as below.
Result<std::filesystem::path> inputPath(const ParamSet& params, const std::string& name);

/// The file that the parameter `name` names, as bytes. Paths are absolute, since a worker has no folder of its own, or
/// begin with kAssets. Errors: "cannot-read", "too-large" with parameter, path and fix; "bad-value" where the path is
/// relative or leads out of the assets.
Result<std::string> readInput(const ParamSet& params, const std::string& name,
                              std::uint64_t mostBytes = kMostInputBytes);

/// SHA-256 of a parameter's file, for the fingerprint of the run. Errors as readInput.
Result<std::string> inputDigest(const std::string& name, const std::string& path);

} // namespace ridge::labs
