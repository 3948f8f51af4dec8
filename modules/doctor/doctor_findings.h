// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::doctor {

enum class Health {
    Good,
    Warning, ///< works, and somebody should know something about it
    Missing, ///< optional and not there
    Broken,  ///< has to work and does not
};

std::string_view toText(Health health); ///< "ok", "warning", "absent" or "broken"

/// One part of the program and of the machine.
struct Finding {
    std::string part; ///< "store", "target gpu:0", "compiler nvrtc"
    Health health = Health::Good;
    std::string detail; ///< where it is, or what is wrong with it
    std::string fix;    ///< what to type or to do; may be empty
};

/// Looks at store, lessons, worker, targets, compilers and vendor libraries: a second or two, any thread.
std::vector<Finding> examine();

bool allWorks(std::span<const Finding> findings); ///< nothing is broken

/// {"findings": [{"part", "health", "detail", "fix"}], "ok"}
Json toJson(std::span<const Finding> findings);
/// As a Markdown table, to be sent to somebody.
std::string reportText(std::span<const Finding> findings);

} // namespace ridge::doctor
