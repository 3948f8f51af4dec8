// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/token_stream.h"

#include <charconv>

namespace ridge::gpu::simt {

void TokenStream::expect(char c)
{
    if (!accept(c))
        fail(std::string("'") + c + "' expected, found " + found());
}

std::string_view TokenStream::word(std::string_view what)
{
    if (peek().kind != TokenKind::Word)
        fail(std::string(what) + " expected, found " + found());
    return take().text;
}

Number TokenStream::number()
{
    if (peek().kind != TokenKind::Number)
        fail("number expected, found " + found());
    auto value = parseNumber(take());
    if (!value)
        throw SyntaxError{value.error()};
    return *value;
}

std::uint64_t TokenStream::integer()
{
    // Lines and columns of debug information are most of the numbers that there are.
    const std::string_view text = peek().text;
    if (peek().kind == TokenKind::Number && text.size() <= 9 && text.front() != '0') {
        std::uint32_t value = 0;
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (failed == std::errc() && end == text.data() + text.size()) {
            take();
            return value;
        }
    }
    const Place at = place();
    const Number value = number();
    if (value.kind != Number::Kind::Integer)
        throw SyntaxError{badPtx(at, "an integer is expected here")};
    return value.bits;
}

std::string TokenStream::found() const
{
    const Token& token = peek();
    if (token.kind == TokenKind::End)
        return "the end of the text";
    return "'" + std::string(token.kind == TokenKind::Dot ? "." : "") + std::string(token.text) + "'";
}

void TokenStream::fail(std::string message) const
{
    throw SyntaxError{badPtx(place(), std::move(message))};
}

} // namespace ridge::gpu::simt
