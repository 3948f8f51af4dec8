// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/lexer.h"

#include <string>

namespace ridge::gpu::simt {

/// Thrown inside the parser only; parsePtx turns it into a Result.
struct SyntaxError {
    Error error;
};

/// A cursor over tokens with the small steps every part of the parser takes. Throws SyntaxError.
class TokenStream {
public:
    explicit TokenStream(std::vector<Token> tokens) : m_tokens(std::move(tokens)) {}

    const Token& peek(std::size_t ahead = 0) const { return m_tokens[std::min(m_at + ahead, m_tokens.size() - 1)]; }
    Place place() const { return peek().place; }
    bool atEnd() const { return peek().kind == TokenKind::End; }
    bool isPunct(char c, std::size_t ahead = 0) const
    {
        return peek(ahead).kind == TokenKind::Punct && peek(ahead).text[0] == c;
    }
    bool isDot(std::string_view text) const { return peek().kind == TokenKind::Dot && peek().text == text; }

    const Token& take()
    {
        const Token& token = m_tokens[m_at];
        if (m_at + 1 < m_tokens.size())
            ++m_at;
        return token;
    }
    bool accept(char c)
    {
        const bool found = isPunct(c);
        if (found)
            take();
        return found;
    }
    bool acceptDot(std::string_view text)
    {
        const bool found = isDot(text);
        if (found)
            take();
        return found;
    }
    void expect(char c);
    std::string_view word(std::string_view what);
    Number number();
    std::uint64_t integer();
    std::string found() const; ///< the next token, for a message
    [[noreturn]] void fail(std::string message) const;

private:
    std::vector<Token> m_tokens;
    std::size_t m_at = 0;
};

} // namespace ridge::gpu::simt
