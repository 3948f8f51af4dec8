// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/grade/source_text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ridge::labs {
namespace {

/// The word that ends at this place.
std::string_view wordBefore(const std::string& text, std::size_t end)
{
    std::size_t begin = end;
    while (begin > 0 && (isWord(text[begin - 1]) || text[begin - 1] == '\''))
        --begin;
    return std::string_view(text).substr(begin, end - begin);
}

bool isRaw(std::string_view prefix)
{
    constexpr std::array<std::string_view, 5> raw{"R", "LR", "uR", "UR", "u8R"};
    return std::find(raw.begin(), raw.end(), prefix) != raw.end();
}

/// One past the end of the comment or literal that begins at `at`; `at` where none does.
std::size_t behind(const std::string& text, std::size_t at)
{
    const auto after = [&](const std::string& mark, std::size_t from) {
        const std::size_t found = text.find(mark, from);
        return found == std::string::npos ? text.size() : found + mark.size();
    };
    if (text.compare(at, 2, "//") == 0)
        return std::min(text.find('\n', at), text.size());
    if (text.compare(at, 2, "/*") == 0)
        return after("*/", at + 2);
    const std::string_view word = wordBefore(text, at);
    if (text[at] == '"' && isRaw(word)) {
        const std::size_t open = text.find('(', at);
        return open == std::string::npos ? text.size() : after(")" + text.substr(at + 1, open - at - 1) + "\"", open);
    }
    const bool isNumber = !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0; // 1'000
    if (text[at] != '"' && (text[at] != '\'' || isNumber))
        return at;
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != text[at] && text[end] != '\n')
        end += text[end] == '\\' ? 2 : 1;
    return std::min(end < text.size() && text[end] == '\n' ? end : end + 1, text.size());
}

} // namespace

std::string withoutSplices(const std::string& text, std::vector<int>& lines)
{
    std::string out;
    int line = 1;
    const auto splice = [&](std::size_t at, std::string_view mark) {
        if (text.compare(at, mark.size(), mark) != 0)
            return std::size_t{0};
        // Compilers take blanks between the backslash and the end of the line for nothing.
        std::size_t end = at + mark.size();
        while (end < text.size() && (text[end] == ' ' || text[end] == '\t' || text[end] == '\r'))
            ++end;
        return end < text.size() && text[end] == '\n' ? end + 1 - at : 0;
    };
    for (std::size_t at = 0; at < text.size();) {
        if (const std::size_t cut = std::max(splice(at, "\\"), splice(at, "?\?/")); cut > 0) {
            at += cut;
            ++line;
            continue;
        }
        out += text[at];
        lines.push_back(line);
        line += text[at++] == '\n' ? 1 : 0;
    }
    return out;
}

std::string codeOf(const std::string& text)
{
    std::string code = text;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = behind(text, at);
        std::replace_if(
            code.begin() + static_cast<std::ptrdiff_t>(at), code.begin() + static_cast<std::ptrdiff_t>(end),
            [](char c) { return c != '\n'; }, ' ');
        at = std::max(end, at + 1);
    }
    return code;
}

} // namespace ridge::labs
