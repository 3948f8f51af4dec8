// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/code.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

bool isArithmetic(const Node& node)
{
    const bool isCopy = node.op == Opcode::Mov || node.op == Opcode::Cvta || node.op == Opcode::ReadSpecial;
    return isPlainArithmetic(node) || (isCopy && (node.flags & (kFlagCarryIn | kFlagCarryOut)) == 0);
}

/// Where a variable is written and read, as far as one predicate decides it.
struct Mention {
    enum class State : std::uint8_t { Unseen, Own, Shared };
    State state = State::Unseen;
    std::uint32_t block = 0, guard = 0, version = 0;
    bool negated = false;
};

} // namespace

void freeGuards(Code& code)
{
    std::vector<Mention> mentions(code.variables.size());
    std::vector<std::uint32_t> versions(code.variables.size(), 0);
    const auto guardedLike = [&](const Mention& mention, const Node& node) {
        return node.guard.isVariable() && mention.block == node.block && mention.guard == node.guard.variable &&
               mention.negated == node.guard.negated && mention.version == versions[node.guard.variable];
    };
    const auto look = [&](const Value& value, const Node& node, bool writes) {
        if (!value.isVariable())
            return;
        Mention& mention = mentions[value.variable];
        if (mention.state == Mention::State::Unseen && writes && node.guard.isVariable())
            mention = {Mention::State::Own, node.block, node.guard.variable, versions[node.guard.variable],
                       node.guard.negated};
        else if (mention.state != Mention::State::Own || !guardedLike(mention, node))
            mention.state = Mention::State::Shared;
    };
    bool any = false;
    for (const CodeBlock& block : code.blocks) {
        for (const std::uint32_t at : block.nodes) {
            const Node& node = code.nodes[at];
            any = any || node.guard.isVariable();
            look(node.guard, node, false);
            for (const Value& value : node.sources)
                look(value, node, false);
            for (const Value& value : node.results)
                look(value, node, true);
            for (const Value& value : node.results)
                if (value.isVariable())
                    ++versions[value.variable];
        }
    }
    if (!any)
        return;
    for (const CodeBlock& block : code.blocks) {
        for (const std::uint32_t at : block.nodes) {
            Node& node = code.nodes[at];
            if (!node.guard.isVariable() || node.results.empty() ||
                !std::all_of(node.results.begin(), node.results.end(), [&](const Value& value) {
                    return !value.isVariable() || mentions[value.variable].state == Mention::State::Own;
                }))
                continue;
            if (isArithmetic(node))
                node.guard = {};
            else if (node.op == Opcode::Ld)
                node.flags |= kFlagOwnResult;
        }
    }
    countUses(code);
}

} // namespace ridge::gpu::simt
