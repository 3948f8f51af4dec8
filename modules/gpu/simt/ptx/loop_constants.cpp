// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/loop_constants.h"

#include "gpu/simt/ptx/copyable.h"

namespace ridge::gpu::simt {

namespace {

std::uint64_t cut(std::uint64_t value, unsigned bits)
{
    return bits == 32 ? value & 0xffff'ffffu : value;
}

std::optional<bool> compare(const Instruction& instruction, std::uint64_t a, std::uint64_t b, unsigned bits)
{
    const auto type = scalarTypeFromText(instruction.modifiers.back());
    const auto less = [&](std::uint64_t x, std::uint64_t y) {
        if (!isSigned(*type))
            return x < y;
        return bits == 32 ? static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y)
                          : static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y);
    };
    const std::string_view how = instruction.modifiers[0];
    if (how == "eq")
        return a == b;
    if (how == "ne")
        return a != b;
    if (how == "lt" || how == "lo")
        return less(a, b);
    if (how == "le" || how == "ls")
        return !less(b, a);
    if (how == "gt" || how == "hi")
        return less(b, a);
    if (how == "ge" || how == "hs")
        return !less(a, b);
    return std::nullopt;
}

bool movesConstant(const Instruction& instruction)
{
    return instruction.opcode == "mov" && instruction.guard.name.empty() && instruction.operands.size() == 2 &&
           instruction.operands[1].kind == Operand::Kind::Integer;
}

template<class F>
void forInstructions(std::span<const Statement> body, F&& look)
{
    for (const Statement& statement : body)
        if (const auto* instruction = std::get_if<Instruction>(&statement))
            look(*instruction);
}

} // namespace

std::optional<std::uint64_t> LoopConstants::of(const Operand& operand) const
{
    if (operand.kind == Operand::Kind::Integer)
        return operand.bits;
    if (operand.kind != Operand::Kind::Name || operand.negated)
        return std::nullopt;
    const auto found = m_values.find(operand.text);
    return found == m_values.end() ? std::nullopt : found->second;
}

std::optional<bool> LoopConstants::predicate(std::string_view name) const
{
    const auto found = m_values.find(name);
    return found == m_values.end() || !found->second ? std::nullopt : std::optional(*found->second != 0);
}

void LoopConstants::execute(const Instruction& instruction)
{
    if (instruction.operands.empty() || contains(kWithoutResult, instruction.opcode))
        return;
    const auto value = instruction.guard.name.empty() ? valueOf(instruction) : std::nullopt;
    forNames(instruction.operands[0], [&](std::string_view name) {
        if (const auto known = m_values.find(name); known != m_values.end())
            known->second.reset();
    });
    if (value && instruction.operands[0].kind == Operand::Kind::Name)
        m_values[instruction.operands[0].text] = *value;
}

std::optional<std::uint64_t> LoopConstants::valueOf(const Instruction& instruction) const
{
    const unsigned bits = wholeBitsOf(instruction);
    if (bits != 32 && bits != 64)
        return std::nullopt;
    const auto& operands = instruction.operands;
    const auto a = operands.size() > 1 ? of(operands[1]) : std::nullopt;
    if (instruction.opcode == "mov" && operands.size() == 2)
        return a ? std::optional(cut(*a, bits)) : std::nullopt;
    const auto b = operands.size() == 3 ? of(operands[2]) : std::nullopt;
    if (!a || !b)
        return std::nullopt;
    const std::size_t modifiers = instruction.modifiers.size();
    if (instruction.opcode == "setp" && modifiers == 2) {
        const auto holds = compare(instruction, cut(*a, bits), cut(*b, bits), bits);
        return holds ? std::optional<std::uint64_t>(*holds ? 1 : 0) : std::nullopt;
    }
    if (modifiers != 1)
        return std::nullopt;
    if (instruction.opcode == "add")
        return cut(*a + *b, bits);
    if (instruction.opcode == "sub")
        return cut(*a - *b, bits);
    if (instruction.opcode == "shl")
        return *b < bits ? cut(*a << *b, bits) : 0;
    return std::nullopt;
}

LoopConstants constantsOf(std::span<const Statement> body)
{
    NameCounts definitions;
    forInstructions(body, [&](const Instruction& instruction) {
        if (movesConstant(instruction))
            definitions.emplace(instruction.operands[0].text, 0);
    });
    forInstructions(body, [&](const Instruction& instruction) {
        if (instruction.operands.empty())
            return;
        forNames(instruction.operands[0], [&](std::string_view name) {
            if (const auto found = definitions.find(name); found != definitions.end())
                ++found->second;
        });
    });
    LoopConstants constants;
    forInstructions(body, [&](const Instruction& instruction) {
        if (movesConstant(instruction) && definitions.at(instruction.operands[0].text) == 1)
            constants.execute(instruction);
    });
    return constants;
}

} // namespace ridge::gpu::simt
