// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"

#include <string>

namespace ridge::cli {

/// The document of a kernel run (docs/kernels.md) for a person: time, counters, stalls, occupancy, reports.
std::string kernelRunText(const Json& document);

/// The document of a compilation: `show` is "ptx", "registers", "lines" or "sass".
std::string kernelCompileText(const Json& document, const std::string& show);

} // namespace ridge::cli
