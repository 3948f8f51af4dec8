// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/lexer.h"

#include "base/number_text.h"

#include <array>
#include <bit>
#include <string>

namespace ridge::gpu::simt {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

using Characters = std::array<bool, 256>;

constexpr Characters charactersOf(std::string_view all)
{
    Characters made{};
    for (const char c : all)
        made[static_cast<unsigned char>(c)] = true;
    return made;
}

constexpr Characters kWord = charactersOf("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$");
constexpr Characters kBlank = charactersOf(" \t\r\n\f\v");
constexpr Characters kPunctuation = charactersOf("{}[]()<>,;:=+-*!@|&^~%?/");

bool isIn(const Characters& characters, char c)
{
    return characters[static_cast<unsigned char>(c)];
}

bool isWordChar(char c)
{
    return isIn(kWord, c);
}

class Lexer {
public:
    /// Warp's ahead-of-time compiler ends its PTX in the zero byte of a string of C.
    explicit Lexer(std::string_view text) : m_text(text.substr(0, text.find_last_not_of('\0') + 1)) {}

    Result<std::vector<Token>> run()
    {
        std::vector<Token> tokens;
        tokens.reserve(m_text.size() / 4 + 1);
        while (skipBlanks() && m_at < m_text.size()) {
            const Token token = next();
            if (m_error)
                break;
            m_endsWord = token.kind == TokenKind::Word || token.kind == TokenKind::Dot;
            tokens.push_back(token);
        }
        if (m_error)
            return *std::move(m_error);
        tokens.push_back({TokenKind::End, {}, place()});
        return tokens;
    }

private:
    Place place() const { return {m_line, static_cast<std::uint32_t>(m_at - m_lineStart + 1)}; }
    char peek(std::size_t ahead = 0) const { return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0'; }

    void step()
    {
        if (m_text[m_at++] == '\n') {
            ++m_line;
            m_lineStart = m_at;
        }
    }

    /// Names come back in every message and every answer. Those of templates have some thousand characters.
    bool isShort(Place where, std::string_view name)
    {
        constexpr std::size_t kLongest = 64u << 10;
        return name.size() <= kLongest ||
               fail(where, "a name has " + std::to_string(name.size()) + " characters; at most " +
                               std::to_string(kLongest) + " are read");
    }

    bool fail(Place where, std::string message)
    {
        m_error = badPtx(where, std::move(message));
        return false;
    }

    bool skipBlanks()
    {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (isIn(kBlank, c)) {
                step();
                continue;
            }
            const bool lineComment = (c == '/' && peek(1) == '/') || (c == '#' && m_at == m_lineStart);
            if (lineComment) {
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            } else if (c == '/' && peek(1) == '*') {
                if (!skipBlockComment())
                    return false;
            } else {
                break;
            }
        }
        return true;
    }

    bool skipBlockComment()
    {
        const std::size_t end = m_text.find("*/", m_at + 2);
        if (end == std::string_view::npos)
            return fail(place(), "a comment that opens with /* is never closed");
        while (m_at < end + 2)
            step();
        return true;
    }

    /// Where there is none, m_error says why.
    Token next()
    {
        const Place start = place();
        const char c = m_text[m_at];
        if (isDigit(c))
            return Token{TokenKind::Number, takeNumber(), start};
        if (c == '"')
            return takeString(start);
        if (c == '.' && isDigit(peek(1)) && !m_endsWord) // .5; behind a word it is a modifier, as in tex.1d
            return Token{TokenKind::Number, takeNumber(), start};
        if (c == '.' && isWordChar(peek(1))) {
            ++m_at;
            return Token{TokenKind::Dot, takeWord(true), start};
        }
        // A lone '_' is the sink operand and lexes as a word too.
        if (isWordChar(c) || (c == '%' && isWordChar(peek(1)))) {
            const std::size_t first = m_at++;
            takeWord(false);
            const std::string_view word = m_text.substr(first, m_at - first);
            isShort(start, word);
            return Token{TokenKind::Word, word, start};
        }
        if (!isIn(kPunctuation, c))
            fail(start, "unexpected character " + describe(c));
        step();
        return Token{TokenKind::Punct, m_text.substr(m_at - 1, 1), start};
    }

    static std::string describe(char c)
    {
        if (c > ' ' && c < 127)
            return std::string("'") + c + "'";
        constexpr std::string_view hex = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(c);
        return std::string("0x") + hex[byte >> 4] + hex[byte & 15];
    }

    std::string_view takeWord(bool dotted)
    {
        const std::size_t first = m_at;
        while (true) {
            while (m_at < m_text.size() && isWordChar(m_text[m_at]))
                ++m_at;
            if (!dotted || peek() != ':' || peek(1) != ':' || !isWordChar(peek(2)))
                break;
            m_at += 2;
        }
        return m_text.substr(first, m_at - first);
    }

    std::string_view takeNumber()
    {
        const std::size_t first = m_at;
        const bool prefixed = peek() == '0' && !isDigit(peek(1)) && isWordChar(peek(1));
        while (true) {
            const char before = m_at > first ? m_text[m_at - 1] : '\0';
            const bool exponentSign =
                !prefixed && (peek() == '+' || peek() == '-') && (before == 'e' || before == 'E') && isDigit(peek(1));
            const bool point = !prefixed && peek() == '.' && (isDigit(peek(1)) || !isWordChar(peek(1)));
            if (isWordChar(peek()) || exponentSign || point)
                ++m_at;
            else
                break;
        }
        return m_text.substr(first, m_at - first);
    }

    Token takeString(Place start)
    {
        const std::size_t first = ++m_at;
        while (m_at < m_text.size() && m_text[m_at] != '"' && m_text[m_at] != '\n')
            m_at += m_text[m_at] == '\\' && m_at + 1 < m_text.size() && m_text[m_at + 1] != '\n' ? 2 : 1;
        if (m_at >= m_text.size() || m_text[m_at] != '"')
            return fail(start, "a string is never closed"), Token{};
        return Token{TokenKind::String, m_text.substr(first, m_at++ - first), start};
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_lineStart = 0;
    std::uint32_t m_line = 1;
    bool m_endsWord = false; ///< the token before
    std::optional<Error> m_error;
};

Error badNumber(const Token& token)
{
    return badPtx(token.place, "'" + std::string(token.text) + "' is not a number");
}

Result<std::uint64_t> parseDigits(const Token& token, std::string_view digits, unsigned base)
{
    if (digits.empty())
        return badNumber(token);
    constexpr std::uint64_t kFar = UINT64_MAX >> 8; // one more digit cannot be too many
    std::uint64_t value = 0;
    for (const char c : digits) {
        unsigned digit = 99;
        if (isDigit(c))
            digit = static_cast<unsigned>(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = static_cast<unsigned>(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            digit = static_cast<unsigned>(c - 'A' + 10);
        if (digit >= base)
            return badNumber(token);
        if (value > kFar && value > (UINT64_MAX - digit) / base)
            return badPtx(token.place, "the number '" + std::string(token.text) + "' does not fit into 64 bits");
        value = value * base + digit;
    }
    return value;
}

Result<Number> parseFloatBits(const Token& token, Number::Kind kind, std::size_t digits)
{
    if (token.text.size() != digits + 2)
        return badPtx(token.place,
                      "a float literal of this kind has exactly " + std::to_string(digits) + " hex digits");
    auto bits = parseDigits(token, token.text.substr(2), 16);
    if (!bits)
        return bits.error();
    return Number{kind, *bits};
}

Result<Number> parseDecimalFloat(const Token& token)
{
    const auto value = numberIn(token.text);
    if (!value)
        return badNumber(token);
    return Number{Number::Kind::Double, std::bit_cast<std::uint64_t>(*value)};
}

} // namespace

Error badPtx(Place place, std::string message, std::string fix)
{
    if (fix.empty())
        fix = "Hold this line against the PTX ISA; a text that ends too early was not copied whole.";
    return {"bad-ptx", std::move(message),
            "PTX line " + std::to_string(place.line) + ", column " + std::to_string(place.column), std::move(fix)};
}

Result<std::vector<Token>> lexPtx(std::string_view text)
{
    return Lexer(text).run();
}

Result<Number> parseNumber(const Token& token)
{
    std::string_view text = token.text;
    const char second = text.size() > 1 ? text[1] : '\0';
    if (text[0] == '0' && (second == 'f' || second == 'F'))
        return parseFloatBits(token, Number::Kind::Single, 8);
    if (text[0] == '0' && (second == 'd' || second == 'D'))
        return parseFloatBits(token, Number::Kind::Double, 16);
    const bool hex = text[0] == '0' && (second == 'x' || second == 'X');
    if (!hex && text.find_first_of(".eE") != std::string_view::npos)
        return parseDecimalFloat(token);
    if (text.back() == 'U')
        text.remove_suffix(1);
    unsigned base = 10;
    if (hex || (text[0] == '0' && (second == 'b' || second == 'B'))) {
        base = hex ? 16 : 2;
        text.remove_prefix(2);
    } else if (text[0] == '0' && text.size() > 1) {
        base = 8;
        text.remove_prefix(1);
    }
    auto value = parseDigits(token, text, base);
    if (!value)
        return value.error();
    return Number{Number::Kind::Integer, *value};
}

} // namespace ridge::gpu::simt
