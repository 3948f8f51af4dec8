// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/prose.h"

#include <algorithm>
#include <cctype>

namespace ridge::lessons {

std::vector<ProsePiece> splitFences(const std::string& markdown)
{
    std::vector<ProsePiece> pieces;
    ProsePiece current;
    const auto flush = [&](bool nextCode) {
        if (current.code || current.text.find_first_not_of(" \t\r\n") != std::string::npos)
            pieces.push_back(std::move(current));
        current = {.code = nextCode, .text = {}, .language = {}};
    };
    std::string mark;
    std::size_t at = 0;
    while (at < markdown.size()) {
        const std::size_t end = std::min(markdown.find('\n', at), markdown.size());
        const std::string line = markdown.substr(at, end - at);
        at = end + 1;
        const std::size_t length = line.find_first_not_of('`');
        const bool fence = line.starts_with("```") || line.starts_with("~~~");
        if (mark.empty() && fence) {
            mark = line.substr(0, 3);
            flush(true);
            if (length != std::string::npos)
                current.language = line.substr(line.starts_with("```") ? length : 3);
        } else if (!mark.empty() && line.starts_with(mark)) {
            mark.clear();
            flush(false);
        } else {
            current.text += line + '\n';
        }
    }
    flush(false);
    return pieces;
}

std::string sectionSlug(std::string_view title)
{
    std::string slug;
    for (const char c : title) {
        if (std::isalnum(static_cast<unsigned char>(c)))
            slug += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!slug.empty() && slug.back() != '-')
            slug += '-';
    }
    return slug;
}

std::string pieceAnchor(std::string_view sectionTitle, int index)
{
    return sectionSlug(sectionTitle) + ":" + std::to_string(index);
}

} // namespace ridge::lessons
