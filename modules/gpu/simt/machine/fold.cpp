// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/code.h"

#include <algorithm>
#include <unordered_map>

namespace ridge::gpu::simt {

namespace {

/// Float operations whose operands may carry a minus or an absolute value at no cost.
bool takesSigns(const Node& node)
{
    if (node.type != ScalarType::F32 && node.type != ScalarType::F64)
        return false;
    switch (node.op) {
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Mul:
    case Opcode::Fma:
    case Opcode::Mad:
    case Opcode::Min:
    case Opcode::Max:
    case Opcode::Setp:
        return true;
    default:
        return false;
    }
}

class Folder {
public:
    explicit Folder(Code& code) : m_code(code), m_copies(code.variables.size()), m_signed(code.variables.size(), true)
    {
    }

    void run()
    {
        for (const Node& node : m_code.nodes) {
            if (takesSigns(node))
                continue;
            for (const Value& value : node.sources)
                if (value.isVariable())
                    m_signed[value.variable] = false;
        }
        for (const Node& node : m_code.nodes)
            note(node);
        for (Node& node : m_code.nodes) {
            for (Value& value : node.sources)
                value = resolved(value);
            if (node.guard.isVariable())
                node.guard = resolvedGuard(node.guard);
        }
        for (const CodeBlock& block : m_code.blocks)
            forward(block);
        countUses(m_code);
    }

private:
    /// Within a block a constant that was just copied into a loop variable is as good as the variable.
    void forward(const CodeBlock& block)
    {
        std::unordered_map<std::uint32_t, Value> current;
        for (const std::uint32_t at : block.nodes) {
            Node& node = m_code.nodes[at];
            for (Value& value : node.sources) {
                const auto known = value.isVariable() ? current.find(value.variable) : current.end();
                if (known != current.end() && !value.negated && !value.absolute)
                    value = known->second;
            }
            for (const Value& result : node.results) {
                if (!result.isVariable())
                    continue;
                current.erase(result.variable);
                std::erase_if(current, [&](const auto& known) {
                    return known.second.isVariable() && known.second.variable == result.variable;
                });
            }
            const bool copies = node.op == Opcode::Mov && node.results.size() == 1 && node.sources.size() == 1 &&
                                !node.guard.isVariable() && node.results[0].bytes != 0;
            if (!copies)
                continue;
            const Value& from = node.sources[0];
            if (from.isImmediate() || (from.isVariable() && from.bytes == node.results[0].bytes && !from.negated &&
                                       !from.absolute && from.variable != node.results[0].variable)) {
                current[node.results[0].variable] = from;
                current[node.results[0].variable].bytes = node.results[0].bytes;
            }
        }
    }

    void note(const Node& node)
    {
        if (node.guard.isVariable() || node.dead)
            return;
        if (node.op == Opcode::Ld && (node.space == Space::Param || node.space == Space::Const) &&
            !node.sources.empty() && node.sources[0].kind == Value::Kind::None && sizeOf(node.type) >= 4)
            return noteParameter(node);
        if (node.results.size() != 1 || node.sources.size() != 1 || !isSingle(node.results[0]))
            return;
        Value from = node.sources[0];
        if (from.kind == Value::Kind::None || !m_code.isStable(from))
            return;
        const bool isCopy = node.op == Opcode::Mov || node.op == Opcode::Cvta;
        const bool isSign = (node.op == Opcode::Neg || node.op == Opcode::Abs) && isFloat(node.type) &&
                            sizeOf(node.type) >= 4 && m_signed[node.results[0].variable];
        const bool isNot = node.op == Opcode::Not && node.type == ScalarType::Pred;
        if (!isCopy && !isSign && !isNot)
            return;
        if (from.isVariable() && from.bytes != node.results[0].bytes)
            return;
        if (from.isImmediate())
            from.bytes = node.results[0].bytes;
        if (node.op == Opcode::Abs)
            from.absolute = true, from.negated = false;
        if (node.op == Opcode::Neg || isNot)
            from.negated = !from.negated;
        m_copies[node.results[0].variable] = from;
    }

    void noteParameter(const Node& node)
    {
        for (std::size_t at = 0; at < node.results.size(); ++at) {
            if (!isSingle(node.results[at]))
                continue;
            Value constant;
            constant.kind = Value::Kind::Constant;
            constant.bytes = node.results[at].bytes;
            constant.bits = static_cast<std::uint64_t>(node.offset) + at * sizeOf(node.type);
            if (node.space == Space::Const)
                constant.bits |= kConstBank;
            m_copies[node.results[at].variable] = constant;
        }
    }

    bool isSingle(const Value& value) const
    {
        return value.isVariable() && m_code.variables[value.variable].definitions == 1;
    }

    Value resolved(Value value) const
    {
        for (int depth = 0; depth < 64 && value.isVariable() && m_copies[value.variable].kind != Value::Kind::None;
             ++depth) {
            Value next = m_copies[value.variable];
            if (value.absolute) {
                next.absolute = true;
                next.negated = value.negated;
            } else {
                next.negated = next.negated != value.negated;
            }
            value = next;
        }
        return value;
    }

    Value resolvedGuard(const Value& guard) const
    {
        const Value value = resolved(guard);
        return value.isVariable() ? value : guard;
    }

    Code& m_code;
    std::vector<Value> m_copies; ///< of each variable; None: it is no copy
    std::vector<bool> m_signed;  ///< every reader takes signs for free
};

bool hasEffect(const Node& node)
{
    switch (node.op) {
    case Opcode::St:
    case Opcode::Atom:
    case Opcode::Red:
    case Opcode::Bra:
    case Opcode::Brx:
    case Opcode::Exit:
    case Opcode::Trap:
    case Opcode::Call:
    case Opcode::Shfl:
    case Opcode::Vote:
    case Opcode::Match:
    case Opcode::Redux:
    case Opcode::Bar:
    case Opcode::Membar:
    case Opcode::Nanosleep:
    case Opcode::Mma:
    case Opcode::WmmaLoad:
    case Opcode::WmmaStore:
    case Opcode::LdMatrix:
    case Opcode::CopyAsync:
    case Opcode::CopyWait:
    case Opcode::Mbarrier:
    case Opcode::Wgmma:
    case Opcode::Other:
        return true;
    case Opcode::Ld:
        // What lies at a fixed place of the constant bank is an operand of who reads it.
        return node.space != Space::Param && (node.space != Space::Const || node.sources[0].isVariable());
    case Opcode::AddCarry:
        return true; // the carry is not a variable here
    default:
        return (node.flags & (kFlagCarryIn | kFlagCarryOut)) != 0;
    }
}

} // namespace

void foldOperands(Code& code)
{
    Folder(code).run();
}

void removeDead(Code& code)
{
    countUses(code);
    bool changed = true;
    while (changed) {
        changed = false;
        for (std::size_t block = code.blocks.size(); block-- > 0;) {
            auto& nodes = code.blocks[block].nodes;
            for (std::size_t at = nodes.size(); at-- > 0;) {
                Node& node = code.nodes[nodes[at]];
                if (node.dead || hasEffect(node))
                    continue;
                if (std::any_of(node.results.begin(), node.results.end(),
                                [&](const Value& value) { return code.uses(value) != 0; }))
                    continue;
                node.dead = changed = true;
                for (const Value& value : node.sources) {
                    if (value.isVariable())
                        --code.variables[value.variable].uses;
                }
                if (node.guard.isVariable())
                    --code.variables[node.guard.variable].uses;
            }
        }
    }
    for (CodeBlock& block : code.blocks)
        std::erase_if(block.nodes, [&](std::uint32_t at) { return code.nodes[at].dead; });
    countUses(code);
}

} // namespace ridge::gpu::simt
