// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/markup.h"

#include <string>
#include <string_view>

namespace ridge::folio {

/// What a learner wrote, as HTML: paragraphs, lists, **strong**, *emphasis*, `code`, fenced code and links to http(s)
/// addresses. Everything else, HTML above all, is shown as it was typed. Headings become strong paragraphs: the page
/// has its own.
std::string proseHtml(std::string_view markdown);

/// The same without any mark-up: what a plain sentence, a description or a title needs.
std::string plainText(std::string_view markdown);

/// "coalesced-and-strided-access": lower-case letters, digits and single dashes, at most 48. "artifact" when nothing
/// is left.
std::string slugOf(std::string_view title);

/// A field of a CSV file (RFC 4180). What a spreadsheet would take for a formula (it begins with = + - @ and is no
/// number) gets an apostrophe in front.
std::string csvField(std::string_view text);

} // namespace ridge::folio
