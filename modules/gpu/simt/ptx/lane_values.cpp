// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/lane_values.h"

#include "gpu/simt/ptx/copyable.h"

#include <algorithm>
#include <array>

namespace ridge::gpu::simt {

namespace {

constexpr std::array<std::string_view, 3> kOwnNumbers{"%tid", "%laneid", "%lanemask"};
constexpr std::array<std::string_view, 5> kGiveEachItsOwn{"atom", "shfl", "match", "mma", "wmma"};

bool isOwnNumber(const Operand& operand)
{
    return std::any_of(kOwnNumbers.begin(), kOwnNumbers.end(),
                       [&](std::string_view name) { return operand.text.starts_with(name); }) ||
           std::any_of(operand.parts.begin(), operand.parts.end(), isOwnNumber);
}

} // namespace

NameSet laneValues(std::span<const Statement> body)
{
    NameSet found;
    const auto differs = [&](const Operand& operand) {
        bool any = isOwnNumber(operand);
        forNames(operand, [&](std::string_view name) { any = any || found.contains(name); });
        return any;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (const Statement& statement : body) {
            const auto* instruction = std::get_if<Instruction>(&statement);
            if (instruction == nullptr || !hasResult(*instruction) || instruction->operands.empty() ||
                instruction->opcode == "vote")
                continue;
            const auto& operands = instruction->operands;
            const bool isLaneValue = contains(kGiveEachItsOwn, instruction->opcode) || instruction->has("local") ||
                                     found.contains(instruction->guard.name) ||
                                     std::any_of(operands.begin() + 1, operands.end(), differs);
            if (isLaneValue)
                forNames(operands[0], [&](std::string_view name) { changed = found.insert(name).second || changed; });
        }
    }
    return found;
}

} // namespace ridge::gpu::simt
