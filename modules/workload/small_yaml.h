// SPDX-License-Identifier: GPL-3.0-or-later
// The part of YAML in which a person writes a small file, read into JSON. A worker needs no library for it, and what
// makes YAML dangerous to read from strangers is not there.
#pragma once

#include "base/json_value.h"
#include "base/result.h"

#include <string_view>

namespace ridge::workload {

/// Maps and lists by indentation or in braces and brackets, plain and quoted scalars, comments. No anchors, tags, block
/// scalars and no second document. At most 1 MiB, 32 levels. Errors: "bad-yaml" with the line as the place and the fix.
Result<Json> parseSmallYaml(std::string_view text, const std::string& place);

} // namespace ridge::workload
