// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/module.h"
#include "gpu/simt/ptx/names.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace ridge::gpu::simt {

/// What may stand in a loop that is copied: its first operand is the destination, but for stores and barriers.
inline constexpr std::array<std::string_view, 50> kWithResult = {
    "add",  "sub", "mul", "mad",   "mul24", "mad24", "fma",  "div",  "rem",  "min",  "max",  "abs",  "neg",
    "and",  "or",  "xor", "not",   "shl",   "shr",   "shf",  "setp", "selp", "set",  "slct", "mov",  "cvt",
    "cvta", "ld",  "ldu", "rcp",   "sqrt",  "rsqrt", "ex2",  "lg2",  "sin",  "cos",  "tanh", "popc", "clz",
    "brev", "bfe", "bfi", "bfind", "prmt",  "lop3",  "dp4a", "shfl", "mma",  "vote", "atom"};
inline constexpr std::array<std::string_view, 5> kWithoutResult = {"st", "bar", "barrier", "membar", "red"};

template<std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view opcode)
{
    return std::find(list.begin(), list.end(), opcode) != list.end();
}

inline bool hasResult(const Instruction& instruction)
{
    static const NameSet opcodes(kWithResult.begin(), kWithResult.end());
    return opcodes.contains(instruction.opcode);
}

/// Of the whole numbers that an instruction works on, by its last modifier; 0: of other things.
inline unsigned wholeBitsOf(const Instruction& instruction)
{
    const auto type = instruction.modifiers.empty() ? std::nullopt : scalarTypeFromText(instruction.modifiers.back());
    return !type || isFloat(*type) ? 0 : 8 * sizeOf(*type);
}

/// A register, or another name that stands for the same value at all times: clocks and counters do not.
inline bool isRegister(const Operand& operand)
{
    const auto begins = [&](std::string_view start) { return operand.text.starts_with(start); };
    return operand.kind == Operand::Kind::Name && operand.component.empty() && !operand.negated && !begins("%clock") &&
           !begins("%globaltimer") && !begins("%pm");
}

/// Calls with the name of every register, variable or label of an operand.
template<typename F>
void forNames(Operand& operand, const F& change)
{
    if (operand.kind == Operand::Kind::Name && operand.component.empty())
        change(operand.text);
    for (Operand& part : operand.parts)
        forNames(part, change);
}

template<typename F>
void forNames(const Operand& operand, const F& look)
{
    if (operand.kind == Operand::Kind::Name && operand.component.empty())
        look(operand.text);
    for (const Operand& part : operand.parts)
        forNames(part, look);
}

using NameCounts = NameMap<std::size_t>;

/// How often each register, variable or label is an operand of an instruction, or in a table of labels.
NameCounts countNames(std::span<const Statement> body); // unroll.cpp

} // namespace ridge::gpu::simt
