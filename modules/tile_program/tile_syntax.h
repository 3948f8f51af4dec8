// SPDX-License-Identifier: GPL-3.0-or-later
// Block programs as text: a small language in the manner of Triton. One file is one program, which the lab runs once
// for each place of a grid; values are numbers or blocks of numbers.
//
//     # One row for each program instance.
//     program softmax(x: f32[rows * columns], y: f32[rows * columns], rows: int, columns: int, BLOCK: const)
//         grid rows
//         row = program_id(0)
//         offsets = arange(BLOCK)
//         mask = offsets < columns
//         v = load(x + row * columns + offsets, mask=mask, other=-inf)
//         e = exp(v - max(v))
//         store(y + row * columns + offsets, e / sum(e), mask=mask)
//
// Indentation makes blocks, as in Python; a line goes on inside of parentheses. Statements are assignments, store(),
// `for i in range(from, to, step):`, `while condition:` and `assert condition, "what it means"`.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::tile {

/// Where something stands in the text, from 1.
struct Place {
    int line = 0, column = 0;
};

enum class SyntaxKind {
    Integer, ///< `integer`
    Decimal, ///< `number`
    Name,    ///< `text`
    Unary,   ///< `text` is "-" or "~"; one part
    Binary,  ///< `text` is the operator; two parts
    Call,    ///< `text` is the function; parts are its arguments
    Expand,  ///< x[:, None] or x[None, :]: `integer` is the place of None; one part
};

struct Syntax {
    SyntaxKind kind = SyntaxKind::Integer;
    Place place;
    std::string text{};
    std::int64_t integer = 0;
    double number = 0;
    std::vector<Syntax> parts{};
    std::vector<std::string> keywords{}; ///< of a call: the keyword of each part, "" where it has none
    int depth = 1;                       ///< of the tree of parts
};

enum class StatementKind { Assign, Store, For, While, Assert };

struct SyntaxStatement {
    StatementKind kind = StatementKind::Assign;
    Place place;
    std::string name{};          ///< what is assigned, or the loop's variable; of an assertion what it says
    std::vector<Syntax> parts{}; ///< the value; the store as a call; from, to, step; the condition
    std::vector<SyntaxStatement> body{};
};

enum class ParameterKind { Float32, Bfloat16, Int, Float, Const };

struct SyntaxParameter {
    ParameterKind kind = ParameterKind::Int;
    Place place;
    std::string name{};
    std::vector<Syntax> length{}; ///< of a buffer: its elements
    bool hasDefault = false;
    double defaultValue = 0; ///< of Float and Const

    bool isBuffer() const { return kind == ParameterKind::Float32 || kind == ParameterKind::Bfloat16; }
};

/// A program as it is written; what its words mean is not looked at yet.
struct SyntaxProgram {
    std::string file{}; ///< named in errors
    std::string name{};
    Place place;
    std::vector<SyntaxParameter> parameters{};
    std::vector<Syntax> grid{}; ///< one to three
    std::vector<SyntaxStatement> body{};
};

/// "softmax.tile:7:12".
std::string placeText(const std::string& file, Place place);

/// Errors: "syntax" with line, column and what to write instead.
Result<SyntaxProgram> parseProgram(std::string_view text, const std::string& file);

/// Lines that hold more than blanks and a comment, which begins with `comment` ("#", "//").
std::size_t codeLines(std::string_view text, std::string_view comment);

} // namespace ridge::tile
