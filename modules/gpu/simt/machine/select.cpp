// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/code.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

/// Operations that run under a predicate at no cost of their own.
bool mayGuard(const Node& node)
{
    switch (node.op) {
    case Opcode::Add:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Lop3:
    case Opcode::Shl:
    case Opcode::Shr:
    case Opcode::Mul:
    case Opcode::Fma:
        return sizeOf(node.type) == 4 && node.results.size() == 1 && !node.guard.isVariable() &&
               (node.flags & (kFlagWide | kFlagCarryIn | kFlagCarryOut)) == 0;
    default:
        return false;
    }
}

bool names(const Value& value, const Value& other)
{
    return value.isVariable() && other.isVariable() && value.variable == other.variable;
}

/// selp of f(x) and x, where nobody else needs f(x): "d = x; @p d = f(x)". The copy coalesces away.
void makeGuarded(Code& code, CodeBlock& block, std::size_t at)
{
    Node& select = code.nodes[block.nodes[at]];
    if (select.op != Opcode::Selp || sizeOf(select.type) != 4 || select.sources.size() != 3 ||
        select.guard.isVariable() || select.results.size() != 1 || !select.sources[2].isVariable())
        return;
    for (const std::size_t side : {0, 1}) {
        Node* made = code.definition(select.sources[side]);
        const Value other = select.sources[1 - side];
        if (made == nullptr || !mayGuard(*made) || made->block != select.block ||
            code.uses(select.sources[side]) != 1 || !other.isVariable() || other.negated || other.absolute ||
            !code.isStable(other) ||
            std::none_of(made->sources.begin(), made->sources.end(),
                         [&](const Value& value) { return names(value, other); }) ||
            !std::all_of(made->sources.begin(), made->sources.end(),
                         [&](const Value& value) { return code.isStable(value); }))
            continue;
        const auto place =
            std::find(block.nodes.begin(), block.nodes.end(), static_cast<std::uint32_t>(made - code.nodes.data()));
        if (place == block.nodes.end())
            continue;
        const std::uint32_t guarded = *place, chosen = block.nodes[at];
        countNode(code, guarded, -1);
        countNode(code, chosen, -1);
        Value guard = select.sources[2];
        guard.negated = guard.negated != (side == 1);
        made->guard = guard;
        made->results = select.results;
        select.op = Opcode::Mov;
        select.sources = {other};
        block.nodes.erase(place);
        block.nodes.insert(block.nodes.begin() + static_cast<std::ptrdiff_t>(at), guarded); // behind the copy
        countNode(code, chosen, 1);
        countNode(code, guarded, 1);
        return;
    }
}

} // namespace

void guardSelects(Code& code)
{
    for (CodeBlock& block : code.blocks) {
        for (std::size_t at = 0; at < block.nodes.size(); ++at) {
            makeGuarded(code, block, at);
        }
    }
}

} // namespace ridge::gpu::simt
