// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ridge {

/// Text as it may stand in an element or in a quoted attribute of HTML or SVG. What XML has no place for (control
/// characters, bytes that are not UTF-8, direction overrides) becomes U+FFFD, so that nothing hides in it.
std::string escaped(std::string_view text);

/// Markdown as plain words: without the ticks around code and the stars around emphasis. A star that stands for itself
/// stays, as in "a[2 * l]", and so does everything between ticks.
std::string withoutMarks(std::string_view text);

/// Offset of the first byte that is not UTF-8; no value when all is well.
std::optional<std::size_t> firstNotUtf8(std::string_view text);

} // namespace ridge
