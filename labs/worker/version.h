// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"

namespace ridge::labs {

/// What `ridge-worker version` says: {program, protocol, digest, arch, executable, data, files}. `digest` is the
/// SHA-256 over the executable and every file of the data folder that a run may read (`files`, relative to `data`), so
/// two workers with the same digest do the same. Without a data folder `data` is empty and there are no files.
Json versionDocument();

} // namespace ridge::labs
