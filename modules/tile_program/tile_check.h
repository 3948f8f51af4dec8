// SPDX-License-Identifier: GPL-3.0-or-later
// A block program whose constants are known: every value has a type and a shape in numbers, every name is a slot.
// What interpreter and generator read; neither can meet a program that does not fit together.
#pragma once

#include "tile_program/tile_syntax.h"

#include <map>

namespace ridge::tile {

enum class ValueKind { Int, Float, Bool, Pointer };

struct ValueType {
    ValueKind kind = ValueKind::Int;
    std::vector<int> shape{}; ///< empty: one number; else one or two sizes, each a power of two
    int buffer = -1;          ///< of a pointer: the parameter that it points into

    std::int64_t size() const
    {
        std::int64_t all = 1;
        for (const int each : shape)
            all *= each;
        return all;
    }
    bool operator==(const ValueType&) const = default;
};

/// "float[64, 32]", "int", "pointer into x".
std::string toText(const ValueType& type, const std::vector<SyntaxParameter>& parameters);

enum class Op {
    ConstInt,   ///< `integer`
    ConstFloat, ///< `number`
    Parameter,  ///< Int or Float: `integer` is its index
    Base,       ///< pointer to the first element of the buffer `integer`
    ProgramId,  ///< `integer` is the axis
    Arange,     ///< 0, 1, 2 …
    Broadcast,  ///< to the node's shape
    Expand,     ///< a new axis of size 1 at `integer`
    ToFloat,
    ToInt, ///< towards zero
    Minus,
    Not,
    Exp,
    Sqrt,
    Abs,
    Add, ///< also pointer and int
    Subtract,
    Multiply,
    Divide,   ///< of floats
    Quotient, ///< of ints, towards zero
    Remainder,
    Less,
    LessEqual,
    Equal,
    Unequal,
    And,
    Or,
    Larger, ///< maximum(a, b)
    Smaller,
    Where,
    Fma,
    Load, ///< pointer; with a mask: mask and other
    Sum,  ///< over the axis `integer`, in halves: element i takes element i + half
    Max,
    Min,
    Dot,
    Variable ///< `integer` is the slot
};

struct Node {
    Op op = Op::ConstInt;
    ValueType type{};
    Place place{};
    std::vector<int> args{}; ///< in CheckedProgram::nodes
    std::int64_t integer = 0;
    double number = 0;
};

struct Slot {
    std::string name{};
    ValueType type{};
    bool carried = false; ///< assigned again in a loop further in
};

struct CheckedStatement {
    StatementKind kind = StatementKind::Assign;
    Place place{};
    int slot = -1;           ///< of Assign and For
    std::string text{};      ///< of Assert
    std::vector<int> args{}; ///< Assign, While, Assert: one; Store: pointer, value, mask or none; For: from, to, step
    std::vector<CheckedStatement> body{};
};

struct CheckedProgram {
    SyntaxProgram syntax{};
    std::map<std::string, std::int64_t> constants{};
    std::vector<Node> nodes{};
    std::vector<Slot> slots{};
    std::vector<CheckedStatement> body{};
    std::vector<bool> loaded{}, stored{}; ///< by parameter

    const Node& node(int at) const { return nodes[static_cast<std::size_t>(at)]; }
    const SyntaxParameter& parameter(int at) const { return syntax.parameters[static_cast<std::size_t>(at)]; }
};

/// Elements of one block, at most; Triton 3.9.0 has the same bound.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 20;

/// `constants` has the values of const parameters; those with a default may be left out. Errors: "unknown-name",
/// "type", "shape", "not-a-power-of-two", "missing-constant" with line, column and fix.
Result<CheckedProgram> checkProgram(const SyntaxProgram& syntax, const std::map<std::string, std::int64_t>& constants);

/// Ints and constants by name.
using Sizes = std::map<std::string, std::int64_t>;

/// A length or a size of the grid. Errors: "unknown-name", "type", "division-by-zero", "bad-size" (below 0 or above
/// 2^31 - 1).
Result<std::int64_t> sizeOf(const SyntaxProgram& program, const Syntax& expression, const Sizes& sizes);

} // namespace ridge::tile
