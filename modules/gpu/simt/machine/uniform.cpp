// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/code.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

bool names(const Value& value, std::uint32_t variable)
{
    return value.isVariable() && value.variable == variable;
}

bool isWhole(const Node& node)
{
    return !isFloat(node.type) && node.type != ScalarType::Pred && (node.flags & (kFlagCarryIn | kFlagCarryOut)) == 0;
}

/// The place of a uniform register in an encoding is that of a constant or an immediate: of two, one has to be moved.
bool hasNoPlace(const Node& node, int capability)
{
    return std::any_of(node.sources.begin(), node.sources.end(), [&](const Value& value) {
        return (value.kind == Value::Kind::Constant && capability < kConstantsInRegisters) ||
               (value.isImmediate() && node.op == Opcode::Setp);
    });
}

/// Takes one operand out of a uniform register.
bool mayRead(const Node& node, std::uint32_t variable, bool isWide)
{
    switch (node.op) {
    case Opcode::Add:
    case Opcode::Setp:
    case Opcode::Mov:
        return isWhole(node) || node.op == Opcode::Setp;
    case Opcode::ShiftAdd:
        return !isWide || names(node.sources[1], variable);
    case Opcode::Mad: // of 64 bits: two moves in front of an IMAD.WIDE
        return !isWide || ((node.flags & kFlagWide) != 0 && names(node.sources[2], variable) &&
                           !names(node.sources[0], variable) && !names(node.sources[1], variable));
    case Opcode::Sub:
    case Opcode::Mul:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Lop3:
    case Opcode::Shl:
    case Opcode::Shr:
    case Opcode::Min:
    case Opcode::Max:
    case Opcode::Add3:
        return !isWide;
    default:
        return false;
    }
}

class UniformMarker {
public:
    explicit UniformMarker(Code& code) : m_code(code), m_moves(code.variables.size(), false) {}

    void run()
    {
        for (CodeVariable& variable : m_code.variables)
            variable.uniform =
                !variable.varies && variable.definitions > 1 && (variable.bytes == 4 || variable.bytes == 8);
        for (bool changed = true; changed;) {
            changed = false;
            for (const CodeBlock& block : m_code.blocks)
                for (const std::uint32_t at : block.nodes)
                    changed = look(m_code.nodes[at]) || changed;
        }
        leaveLanesApart();
        for (std::size_t at = 0; at < m_code.variables.size(); ++at)
            m_code.variables[at].uniform = m_code.variables[at].uniform && m_moves[at];
    }

private:
    bool isUniform(const Value& value) const { return value.isVariable() && m_code.variables[value.variable].uniform; }

    /// Whether a variable turned out to need a register in every lane.
    bool look(const Node& node)
    {
        bool changed = false;
        const auto drop = [&](const Value& value) {
            changed = changed || isUniform(value);
            if (value.isVariable())
                m_code.variables[value.variable].uniform = false;
        };
        for (const Value& value : node.results)
            if (isUniform(value) && !defines(node, value))
                drop(value);
        for (const Value& value : node.sources)
            if (isUniform(value) && (hasNoPlace(node, m_code.capability) ||
                                     !mayRead(node, value.variable, m_code.variables[value.variable].bytes == 8)))
                drop(value);
        return changed;
    }

    /// It begins with a number or a parameter and moves by a number.
    bool defines(const Node& node, const Value& result)
    {
        if (node.guard.isVariable() || node.results.size() != 1 || !isWhole(node))
            return false;
        const auto bytes = m_code.variables[result.variable].bytes;
        if (node.op == Opcode::Mov && node.sources.size() == 1)
            return node.sources[0].isImmediate() || node.sources[0].kind == Value::Kind::Constant;
        if (node.op != Opcode::Add || node.sources.size() != 2 || sizeOf(node.type) != bytes ||
            !names(node.sources[0], result.variable) || node.sources[0].negated || !node.sources[1].isImmediate())
            return false;
        m_moves[result.variable] = true;
        return true;
    }

    /// Where lanes leave a loop in different turns, what counts its turns is no longer the same for all of them.
    void leaveLanesApart()
    {
        for (std::uint32_t last = 0; last < m_code.blocks.size(); ++last)
            for (const std::uint32_t first : m_code.blocks[last].successors)
                if (first <= last && lanesLeave(first, last))
                    for (std::uint32_t block = first; block <= last; ++block)
                        for (const std::uint32_t at : m_code.blocks[block].nodes)
                            for (const Value& value : m_code.nodes[at].results)
                                if (value.isVariable())
                                    m_code.variables[value.variable].uniform = false;
    }

    bool lanesLeave(std::uint32_t first, std::uint32_t last) const
    {
        for (std::uint32_t block = first; block <= last; ++block) {
            const CodeBlock& from = m_code.blocks[block];
            const Node* branch = from.nodes.empty() ? nullptr : &m_code.nodes[from.nodes.back()];
            if (branch == nullptr || !branch->guard.isVariable() || !m_code.variables[branch->guard.variable].varies)
                continue;
            if (std::any_of(from.successors.begin(), from.successors.end(),
                            [&](std::uint32_t to) { return to < first || to > last || to <= block; }))
                return true;
        }
        return false;
    }

    Code& m_code;
    std::vector<bool> m_moves; ///< of each variable: it is no mere constant
};

} // namespace

void markUniform(Code& code)
{
    if (code.capability >= kUniformPipe)
        UniformMarker(code).run();
}

} // namespace ridge::gpu::simt
