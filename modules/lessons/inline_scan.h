// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::lessons {

/// What a run of characters of Markdown is. Together the pieces cover the text without gaps.
enum class PieceKind {
    Text,
    Code,        ///< code span or fence, delimiters included
    Formula,     ///< `$tex$`; content is tex
    Claim,       ///< `{{claim:key}}`; content is key; `{{chip:…}}` and `{{baseline:…}}`: with the name of the table
    Placeholder, ///< any other `{{…}}`; content is what stands between the braces
};

struct Piece {
    PieceKind kind = PieceKind::Text;
    std::size_t begin = 0, end = 0;
    std::string content; ///< empty for Text and Code
};

/// `liveFencesAreText`: in a whole lesson file the body of a live block is text for the reader, not code.
std::vector<Piece> scanInline(std::string_view markdown, bool liveFencesAreText = false);

/// `text` with everything that is no plain text overwritten by '\1', line breaks kept: same length, same lines.
std::string maskedText(std::string_view text, bool liveFencesAreText = false);

} // namespace ridge::lessons
