// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <filesystem>

namespace ridge {

/// The folder that holds assets/, kernels/ and curriculum/: $RIDGE_DATA if set, else found from the executable
/// (../share/ridgepoint of an installation, else the nearest parent folder that has them).
/// Errors: "no-data" with the places that were tried.
Result<std::filesystem::path> dataFolder();

/// The folder of the store and of settings: $RIDGE_HOME if set, else $XDG_DATA_HOME/ridgepoint, else
/// ~/.local/share/ridgepoint. Not created here.
std::filesystem::path homeFolder();

/// Compiled kernels and other things that can be made again: $RIDGE_CACHE, else $XDG_CACHE_HOME/ridgepoint,
/// else ~/.cache/ridgepoint. Not created here.
std::filesystem::path cacheFolder();

/// Folder of the running executable.
std::filesystem::path executableFolder();

} // namespace ridge
