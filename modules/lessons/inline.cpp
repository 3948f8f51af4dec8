// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/inline.h"

#include "lessons/inline_scan.h"
#include "lessons/numbers.h"
#include "lessons/text.h"

#include "base/hash.h"

#include <cctype>

namespace ridge::lessons {
namespace {

class Scanner {
public:
    Scanner(std::string_view text, bool liveFencesAreText) : m_text(text), m_liveFencesAreText(liveFencesAreText) {}

    std::vector<Piece> scan()
    {
        while (m_at < m_text.size()) {
            if (atLineStart() && skipFence())
                continue;
            const char c = m_text[m_at];
            if (c == '\\' && m_at + 1 < m_text.size())
                m_at += 2;
            else if (!(c == '`' && codeSpan()) && !(c == '{' && braces()) && !(c == '$' && formula()))
                ++m_at;
        }
        m_at = m_text.size();
        flush(m_at);
        return std::move(m_pieces);
    }

private:
    bool atLineStart() const { return m_at == 0 || m_text[m_at - 1] == '\n'; }
    std::size_t endOfLine(std::size_t from) const { return std::min(m_text.find('\n', from), m_text.size()); }
    std::size_t endOfParagraph() const { return std::min(m_text.find("\n\n", m_at), m_text.size()); }

    void flush(std::size_t until)
    {
        if (until > m_textStart)
            m_pieces.push_back({PieceKind::Text, m_textStart, until, {}});
        m_textStart = until;
    }

    void emit(PieceKind kind, std::size_t end, std::string content)
    {
        flush(m_at);
        m_pieces.push_back({kind, m_at, end, std::move(content)});
        m_at = m_textStart = end;
    }

    bool skipFence()
    {
        const std::size_t lineEnd = endOfLine(m_at);
        const std::optional<Fence> fence = fenceOf(m_text.substr(m_at, lineEnd - m_at));
        if (!fence)
            return false;
        if (m_liveFencesAreText && (isBlockKind(fence->info) || fence->info.empty())) {
            // An opening live fence, or the closing line of one: skip the line, read on.
            if (isBlockKind(fence->info) || m_insideLive) {
                m_insideLive = isBlockKind(fence->info);
                m_at = std::min(lineEnd + 1, m_text.size());
                return true;
            }
        }
        std::size_t end = lineEnd;
        while (end < m_text.size()) {
            const std::size_t next = end + 1;
            end = endOfLine(std::min(next, m_text.size()));
            if (next < m_text.size() && closes(*fence, m_text.substr(next, end - next)))
                break;
        }
        emit(PieceKind::Code, end, {});
        return true;
    }

    bool codeSpan()
    {
        const std::size_t open = std::min(m_text.find_first_not_of('`', m_at), m_text.size());
        const std::size_t length = open - m_at;
        const std::size_t limit = endOfParagraph();
        for (std::size_t close = m_text.find('`', open); close < limit;) {
            const std::size_t closeEnd = std::min(m_text.find_first_not_of('`', close), m_text.size());
            if (closeEnd - close == length) {
                emit(PieceKind::Code, closeEnd, {});
                return true;
            }
            close = m_text.find('`', closeEnd);
        }
        m_at = open;
        return true;
    }

    bool braces()
    {
        if (!m_text.substr(m_at).starts_with("{{"))
            return false;
        const std::size_t close = m_text.find("}}", m_at + 2);
        if (close == std::string_view::npos || close > endOfLine(m_at))
            return false;
        const std::string_view inside = trimmed(m_text.substr(m_at + 2, close - m_at - 2));
        if (inside.starts_with("claim:"))
            emit(PieceKind::Claim, close + 2, std::string(trimmed(inside.substr(6))));
        else if (isTableKey(inside))
            emit(PieceKind::Claim, close + 2, std::string(inside));
        else
            emit(PieceKind::Placeholder, close + 2, std::string(inside));
        return true;
    }

    /// Pandoc's rule, so that prices stay prices: no blank inside the delimiters, no digit after the closing one.
    bool formula()
    {
        const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
        const std::size_t begin = m_at + 1;
        const std::size_t limit = endOfLine(m_at);
        if (begin >= limit || blank(m_text[begin]) || m_text[begin] == '$')
            return false;
        for (std::size_t close = m_text.find('$', begin); close < limit; close = m_text.find('$', close + 1)) {
            const bool digitFollows =
                close + 1 < m_text.size() && std::isdigit(static_cast<unsigned char>(m_text[close + 1]));
            if (m_text[close - 1] == '\\' || blank(m_text[close - 1]) || digitFollows)
                continue;
            emit(PieceKind::Formula, close + 1, std::string(m_text.substr(begin, close - begin)));
            return true;
        }
        return false;
    }

    std::string_view m_text;
    bool m_liveFencesAreText;
    bool m_insideLive = false;
    std::size_t m_at = 0;
    std::size_t m_textStart = 0;
    std::vector<Piece> m_pieces;
};

} // namespace

std::vector<Piece> scanInline(std::string_view markdown, bool liveFencesAreText)
{
    return Scanner(markdown, liveFencesAreText).scan();
}

std::string maskedText(std::string_view text, bool liveFencesAreText)
{
    std::string masked(text);
    for (const Piece& piece : scanInline(text, liveFencesAreText))
        if (piece.kind != PieceKind::Text)
            for (std::size_t i = piece.begin; i < piece.end; ++i)
                if (masked[i] != '\n')
                    masked[i] = '\1';
    return masked;
}

std::vector<Inline> splitInline(std::string_view markdown)
{
    std::vector<Inline> parts;
    for (const Piece& piece : scanInline(markdown)) {
        if (piece.kind == PieceKind::Claim) {
            parts.push_back(InlineClaim{piece.content});
        } else if (piece.kind == PieceKind::Formula) {
            parts.push_back(InlineFormula{piece.content, formulaAsset(piece.content)});
        } else {
            const std::string_view text = markdown.substr(piece.begin, piece.end - piece.begin);
            if (!parts.empty() && std::holds_alternative<InlineText>(parts.back()))
                std::get<InlineText>(parts.back()).markdown.append(text);
            else
                parts.push_back(InlineText{std::string(text)});
        }
    }
    return parts;
}

std::string formulaAsset(std::string_view tex)
{
    return sha256Hex(tex).substr(0, 16) + ".svg";
}

} // namespace ridge::lessons
