// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/text.h"

#include "base/formula.h"

#include <cctype>

namespace ridge::lessons {

std::string normalisedText(const std::string& raw)
{
    std::string text;
    text.reserve(raw.size());
    std::size_t i = raw.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    for (; i < raw.size(); ++i) {
        if (raw[i] == '\r') {
            text += '\n';
            if (i + 1 < raw.size() && raw[i + 1] == '\n')
                ++i;
        } else {
            text += raw[i];
        }
    }
    return text;
}

std::vector<std::string_view> splitLines(std::string_view text)
{
    std::vector<std::string_view> lines;
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        lines.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return lines;
}

std::optional<std::size_t> firstBadByte(std::string_view text)
{
    std::size_t i = 0;
    while (i < text.size()) {
        const auto lead = static_cast<unsigned char>(text[i]);
        std::size_t extra = 0;
        std::uint32_t code = lead;
        if (lead >= 0xF0 && lead <= 0xF4) {
            extra = 3;
            code = lead & 0x07u;
        } else if (lead >= 0xE0 && lead <= 0xEF) {
            extra = 2;
            code = lead & 0x0Fu;
        } else if (lead >= 0xC2 && lead <= 0xDF) {
            extra = 1;
            code = lead & 0x1Fu;
        } else if (lead >= 0x80 || lead == 0) {
            return i;
        }
        for (std::size_t k = 1; k <= extra; ++k) {
            if (i + k >= text.size() || (static_cast<unsigned char>(text[i + k]) & 0xC0u) != 0x80u)
                return i;
            code = (code << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3Fu);
        }
        const bool overlong = (extra == 2 && code < 0x800u) || (extra == 3 && code < 0x10000u);
        if (overlong || code > 0x10FFFFu || (code >= 0xD800u && code <= 0xDFFFu))
            return i;
        i += extra + 1;
    }
    return std::nullopt;
}

int lineOfOffset(std::string_view text, std::size_t offset)
{
    return 1 + static_cast<int>(std::count(text.begin(), text.begin() + std::min(offset, text.size()), '\n'));
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blank = " \t\n";
    const std::size_t first = text.find_first_not_of(blank);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string lowered(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::string didYouMean(std::string_view given, std::span<const std::string> known)
{
    return ridge::didYouMean(given, known);
}

std::optional<Fence> fenceOf(std::string_view line)
{
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (indent > 3 || indent == line.size() || (line[indent] != '`' && line[indent] != '~'))
        return std::nullopt;
    Fence fence;
    fence.mark = line[indent];
    const std::size_t end = std::min(line.find_first_not_of(fence.mark, indent), line.size());
    fence.length = end - indent;
    if (fence.length < 3)
        return std::nullopt;
    fence.info = std::string(trimmed(line.substr(end)));
    if (fence.mark == '`' && fence.info.find('`') != std::string::npos)
        return std::nullopt;
    return fence;
}

bool closes(const Fence& opening, std::string_view line)
{
    const std::optional<Fence> fence = fenceOf(line);
    return fence && fence->mark == opening.mark && fence->length >= opening.length && fence->info.empty();
}

bool isBlockKind(std::string_view word)
{
    return std::find(kBlockKinds.begin(), kBlockKinds.end(), word) != kBlockKinds.end();
}

bool isCodeLanguage(std::string_view word)
{
    constexpr std::array<std::string_view, 15> languages = {"",     "text", "c",       "cpp",    "cuda",
                                                            "ptx",  "sass", "python",  "bash",   "sh",
                                                            "json", "yaml", "verilog", "triton", "console"};
    return std::find(languages.begin(), languages.end(), word) != languages.end();
}

int countWords(std::string_view text)
{
    int words = 0;
    bool counted = false;
    for (const char c : text) {
        if (c == ' ' || c == '\n' || c == '\t') {
            counted = false;
        } else if (!counted && std::isalnum(static_cast<unsigned char>(c))) {
            ++words;
            counted = true;
        }
    }
    return words;
}

} // namespace ridge::lessons
