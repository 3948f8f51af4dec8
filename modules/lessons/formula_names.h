// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string_view>
#include <vector>

namespace ridge::lessons {

/// The parameters and metrics a formula reads, in order of first use. Errors: "bad-formula", "unknown-name" (a
/// function).
Result<std::vector<std::string>> formulaNames(std::string_view formula);

} // namespace ridge::lessons
