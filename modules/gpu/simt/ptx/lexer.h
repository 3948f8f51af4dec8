// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ridge::gpu::simt {

/// Where something stands in the PTX text; both count from 1.
struct Place {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

enum class TokenKind : std::uint8_t {
    Word,   ///< identifier, register, label: foo, %r1, $L__BB0_2
    Dot,    ///< directive, type or modifier; `text` is without the dot and keeps "::"
    Number, ///< any literal; see parseNumber
    String, ///< without the quotes
    Punct,  ///< one character
    End,
};

struct Token {
    TokenKind kind = TokenKind::End;
    std::string_view text;
    Place place;
};

/// A literal's value and kind.
struct Number {
    enum class Kind { Integer, Single, Double } kind = Kind::Integer;
    std::uint64_t bits = 0; ///< two's complement, or the bits of the float (Single in the low half)
};

/// "bad-ptx" with line and column.
Error badPtx(Place place, std::string message, std::string fix = {});

/// Tokens of a PTX text, ending in one of kind End. They view `text`. Errors: "bad-ptx".
Result<std::vector<Token>> lexPtx(std::string_view text);

/// 12, 012, 0x1F, 0b101, 7U, 0f3F800000, 0d3FF0000000000000, 1.5e3 (a double). Errors: "bad-ptx".
Result<Number> parseNumber(const Token& token);

} // namespace ridge::gpu::simt
