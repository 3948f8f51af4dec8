// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/markup.h"

#include <algorithm>
#include <cstdint>

namespace ridge {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Length of the UTF-8 sequence that begins here and its code point; 0 where there is none.
std::size_t sequenceAt(std::string_view text, std::size_t at, std::uint32_t& point)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    const std::size_t length = first < 0x80             ? 1
                               : (first & 0xE0) == 0xC0 ? 2
                               : (first & 0xF0) == 0xE0 ? 3
                               : (first & 0xF8) == 0xF0 ? 4
                                                        : 0;
    if (length == 0 || at + length > text.size())
        return 0;
    point = length == 1 ? first : first & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80)
            return 0;
        point = (point << 6) | (byte(at + i) & 0x3Fu);
    }
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool legal = point >= least[length] && point <= 0x10FFFF && !(point >= 0xD800 && point <= 0xDFFF);
    return legal ? length : 0;
}

/// Controls, the direction overrides that make text read as another one, and what is no character.
bool hides(std::uint32_t point)
{
    return (point < 0x20 && point != '\n' && point != '\t') || (point >= 0x7F && point <= 0x9F) ||
           (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) ||
           (point >= 0xFDD0 && point <= 0xFDEF) || (point & 0xFFFE) == 0xFFFE;
}

} // namespace

std::string escaped(std::string_view text)
{
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    for (std::size_t at = 0; at < text.size();) {
        std::uint32_t point = 0;
        const std::size_t length = sequenceAt(text, at, point);
        if (length == 0 || hides(point)) {
            out += point == '\r' ? std::string_view() : kReplacement;
            at += std::max<std::size_t>(length, 1);
            continue;
        }
        switch (point) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out.append(text.substr(at, length));
        }
        at += length;
    }
    return out;
}

std::string withoutMarks(std::string_view text)
{
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t ticks = std::min(text.find_first_not_of('`', at), text.size()) - at;
        const std::size_t size = ticks > 0 ? ticks : text.substr(at).starts_with("**") ? 2 : 1;
        const std::string_view mark = text.substr(at, size);
        const std::size_t begin = at + size;
        const std::size_t end = ticks > 0 || text[at] == '*' ? text.find(mark, begin) : std::string_view::npos;
        if (end == std::string_view::npos || end == begin) {
            out += mark;
            at = begin;
            continue;
        }
        const std::string_view inner = text.substr(begin, end - begin);
        const bool around = ticks > 0 || (!blank(inner.front()) && !blank(inner.back()) &&
                                          inner.find("\n\n") == std::string_view::npos &&
                                          std::ranges::count(inner, '`') % 2 == 0); // no star of half a piece of code
        if (!around)
            out += mark;
        else
            out += ticks > 0 ? std::string(inner) : withoutMarks(inner);
        at = around ? end + size : begin;
    }
    return out;
}

std::optional<std::size_t> firstNotUtf8(std::string_view text)
{
    for (std::size_t at = 0; at < text.size();) {
        std::uint32_t point = 0;
        const std::size_t length = sequenceAt(text, at, point);
        if (length == 0)
            return at;
        at += length;
    }
    return std::nullopt;
}

} // namespace ridge
