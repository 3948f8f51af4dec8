// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"

namespace ridge {

/// JSON from a stranger. Beside what parseJson refuses (also text that is not UTF-8), these are errors "bad-json":
/// nesting deeper than `depth`, which would end the stack of whatever walks the document, and an object that has the
/// same name twice, which two readers would read differently.
Result<Json> parseUntrustedJson(std::string_view text, int depth, const std::string& place);

/// Whether parseUntrustedJson would take it, without making the document.
Result<void> checkUntrustedJson(std::string_view text, int depth, const std::string& place);

/// parseJson of a file that a person writes, where a name that an object has twice is a slip: "bad-json" with the name
/// and the line of the second.
Result<Json> parseJsonOnce(std::string_view text, const std::string& place);

} // namespace ridge
