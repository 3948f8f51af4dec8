// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/turn_values.h"

#include "gpu/simt/ptx/copyable.h"

namespace ridge::gpu::simt {

namespace {

/// Whole numbers in, the same whole number out.
constexpr std::array<std::string_view, 13> kPure = {"add", "sub", "mul", "mad", "shl", "shr", "and",
                                                    "or",  "xor", "min", "max", "cvt", "not"};

} // namespace

std::string TurnValues::keyOf(const Instruction& instruction) const
{
    if (!contains(kPure, instruction.opcode) || !instruction.guard.name.empty() || instruction.operands.size() < 2 ||
        !isRegister(instruction.operands[0]))
        return {};
    std::string key(instruction.opcode);
    for (const std::string_view modifier : instruction.modifiers) {
        if (modifier == "cc")
            return {};
        key += '.';
        key += modifier;
    }
    for (std::size_t at = 1; at < instruction.operands.size(); ++at) {
        const Operand& operand = instruction.operands[at];
        if (isRegister(operand) && !m_overwritten.contains(operand.text))
            key += ' ' + std::string(operand.text);
        else if (operand.kind == Operand::Kind::Integer)
            key += ' ' + std::to_string(operand.bits);
        else
            return {};
    }
    return key;
}

std::optional<std::string_view> TurnValues::known(const Instruction& instruction) const
{
    const auto found = m_known.find(keyOf(instruction));
    return found == m_known.end() || found->first.empty() ? std::nullopt : std::optional(found->second);
}

std::optional<std::pair<TurnValues::Roots, std::uint64_t>> TurnValues::sumOf(const Instruction& instruction) const
{
    const auto& operands = instruction.operands;
    if (instruction.opcode != "add" || instruction.modifiers.size() != 1 || !instruction.guard.name.empty() ||
        operands.size() != 3 || !isRegister(operands[1]) || !isRegister(operands[2]))
        return std::nullopt;
    const auto type = scalarTypeFromText(instruction.modifiers[0]);
    if (!type || isFloat(*type))
        return std::nullopt;
    const auto a = m_linear.of(operands[1].text), b = m_linear.of(operands[2].text);
    if (!a || !b || m_overwritten.contains(a->root) || m_overwritten.contains(b->root))
        return std::nullopt;
    return std::pair(Roots(a->root, b->root), a->offset + b->offset);
}

void TurnValues::startAtRoot(Instruction& instruction) const
{
    auto& operands = instruction.operands;
    if (const auto sum = sumOf(instruction)) {
        const auto earlier = m_sums.find({sum->first, instruction.modifiers[0]});
        if (earlier == m_sums.end())
            return;
        operands[1].text = earlier->second.name;
        operands[2].kind = Operand::Kind::Integer;
        operands[2].text = {};
        operands[2].bits = sum->second - earlier->second.offset;
        return;
    }
    const bool isSum = instruction.opcode == "add" || instruction.opcode == "sub";
    if (!isSum || instruction.modifiers.size() != 1 || !instruction.guard.name.empty() || operands.size() != 3 ||
        operands[1].kind != Operand::Kind::Name || operands[2].kind != Operand::Kind::Integer)
        return;
    const auto value = m_linear.of(operands[1].text);
    if (!value || value->offset == 0 || m_overwritten.contains(value->root))
        return;
    operands[1].text = value->root;
    operands[2].bits = value->offset + (instruction.opcode == "add" ? operands[2].bits : ~operands[2].bits + 1);
    instruction.opcode = "add";
}

void TurnValues::execute(const Instruction& instruction, bool isFresh)
{
    if (instruction.operands.empty())
        return;
    if (isFresh) {
        if (const std::string key = keyOf(instruction); !key.empty())
            m_known.emplace(key, instruction.operands[0].text);
        if (const auto sum = sumOf(instruction))
            m_sums.try_emplace({sum->first, instruction.modifiers[0]}, Sum{instruction.operands[0].text, sum->second});
    }
    const bool isLinear = instruction.opcode == "mov" ||
                          ((instruction.opcode == "add" || instruction.opcode == "sub") &&
                           instruction.operands.size() == 3 && instruction.operands[2].kind == Operand::Kind::Integer);
    // A result that nothing else writes is a root of its own.
    if (!isFresh || isLinear)
        m_linear.execute(instruction);
}

} // namespace ridge::gpu::simt
