// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/grade/self_contained.h"

#include <algorithm>
#include <cctype>

namespace ridge::labs {
namespace {

bool isWord(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Without line splices, also those written as trigraphs; `lines` has the line of each character that is left.
std::string joined(const std::string& text, std::vector<int>& lines)
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

/// "#include <name>" with nothing but blanks between, the name below the compiler's own folders.
bool isToolkitHeader(const std::string& text, std::size_t word, std::size_t length)
{
    std::size_t before = word;
    while (before > 0 && (text[before - 1] == ' ' || text[before - 1] == '\t'))
        --before;
    if (before == 0 || text[before - 1] != '#' || text.compare(word, length, "include") != 0)
        return false;
    std::size_t at = word + length;
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t'))
        ++at;
    if (at >= text.size() || text[at] != '<')
        return false;
    const std::size_t end = text.find_first_of(">\n", at);
    if (end == std::string::npos || text[end] != '>')
        return false;
    const std::string name = text.substr(at + 1, end - at - 1);
    return !name.empty() && isWord(name.front()) && name.find("..") == std::string::npos &&
           std::all_of(name.begin(), name.end(), [](char c) { return isWord(c) || c == '/' || c == '.' || c == '-'; });
}

} // namespace

Result<void> requireSelfContained(const KernelText& source)
{
    if (source.isPtx)
        return {};
    std::vector<int> lines;
    const std::string text = joined(source.text, lines);
    for (std::size_t at = 0; at < text.size();) {
        if (!isWord(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && isWord(text[end]))
            ++end;
        const std::string_view word(text.data() + at, end - at);
        const bool names = word == "include" || word == "include_next" || word == "import" || word == "embed";
        if (names && !isToolkitHeader(text, at, end - at))
            return Error{"not-self-contained",
                         "a graded kernel is one file; the word '" + std::string(word) +
                             "' may only stand in #include <header of the toolkit>",
                         source.path + ":" + std::to_string(lines[at]), "write what the file needs into the file"};
        at = end;
    }
    return {};
}

} // namespace ridge::labs
