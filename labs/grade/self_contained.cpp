// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/grade/self_contained.h"

#include "labs/grade/source_text.h"

#include <algorithm>
#include <array>

namespace ridge::labs {
namespace {

std::size_t pastBlanks(const std::string& text, std::size_t at)
{
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t'))
        ++at;
    return at;
}

/// "<name>" at this place, the name below the compiler's own folders.
bool namesToolkitHeader(const std::string& text, std::size_t at)
{
    if (at >= text.size() || text[at] != '<')
        return false;
    const std::size_t end = text.find_first_of(">\n", at);
    if (end == std::string::npos || text[end] != '>')
        return false;
    const std::string name = text.substr(at + 1, end - at - 1);
    return !name.empty() && isWord(name.front()) && name.find("..") == std::string::npos &&
           std::all_of(name.begin(), name.end(), [](char c) { return isWord(c) || c == '/' || c == '.' || c == '-'; });
}

/// Behind "__has_include": "(<name>)", or no question at all, as in #ifdef.
bool asksForToolkitHeader(const std::string& text, std::size_t at)
{
    at = pastBlanks(text, at);
    return at >= text.size() || text[at] != '(' || namesToolkitHeader(text, pastBlanks(text, at + 1));
}

/// Whether the word at this place names a directive: "#", "%:" or a trigraph stands before it.
bool namesDirective(const std::string& text, std::size_t word)
{
    while (word > 0 && (text[word - 1] == ' ' || text[word - 1] == '\t'))
        --word;
    const std::string_view before = std::string_view(text).substr(0, word);
    return before.ends_with("#") || before.ends_with("%:") || before.ends_with("?\?=");
}

} // namespace

Result<void> requireSelfContained(const KernelText& source)
{
    if (source.isPtx)
        return {};
    std::vector<int> lines;
    const std::string text = codeOf(withoutSplices(source.text, lines));
    for (std::size_t at = 0; at < text.size();) {
        if (!isWord(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && isWord(text[end]))
            ++end;
        const std::string_view word(text.data() + at, end - at);
        constexpr std::array<std::string_view, 3> moments{"__DATE__", "__TIME__", "__TIMESTAMP__"};
        if (std::find(moments.begin(), moments.end(), word) != moments.end())
            return Error{"not-self-contained",
                         "a graded kernel is the same whenever it is compiled; " + std::string(word) + " changes it",
                         source.path + ":" + std::to_string(lines[at]), "leave it out"};
        constexpr std::array<std::string_view, 3> questions{"__has_include", "__has_include_next", "__has_embed"};
        if (std::find(questions.begin(), questions.end(), word) != questions.end() && !asksForToolkitHeader(text, end))
            return Error{"not-self-contained",
                         "a graded kernel is compiled on other machines; " + std::string(word) +
                             " may only ask for a <header of the toolkit>",
                         source.path + ":" + std::to_string(lines[at]), "write what the file needs into the file"};
        const bool names = word == "include" || word == "include_next" || word == "import" || word == "embed";
        if (names && namesDirective(text, at) &&
            (word != "include" || !namesToolkitHeader(text, pastBlanks(text, end))))
            return Error{"not-self-contained",
                         "a graded kernel is one file; #" + std::string(word) +
                             " may only name a <header of the toolkit>",
                         source.path + ":" + std::to_string(lines[at]), "write what the file needs into the file"};
        at = end;
    }
    return {};
}

} // namespace ridge::labs
