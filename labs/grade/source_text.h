// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cctype>
#include <string>
#include <vector>

namespace ridge::labs {

/// A character of a name or number.
inline bool isWord(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// C++ without line splices, also those written as trigraphs; `lines` has the line of each character that is left.
std::string withoutSplices(const std::string& text, std::vector<int>& lines);

/// The code alone, as long as the text: comments and literals are blanks.
std::string codeOf(const std::string& text);

} // namespace ridge::labs
