// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/code.h"

#include <optional>

namespace ridge::gpu::simt {

namespace {

constexpr int kDepth = 16; ///< of sums that are looked into

class LoneLane {
public:
    explicit LoneLane(Code& code) : m_code(code) {}

    bool inBlock(std::uint32_t block)
    {
        for (std::uint32_t at = block; m_code.blocks[at].dominator != kNone; at = m_code.blocks[at].dominator) {
            const CodeBlock& here = m_code.blocks[at];
            if (here.predecessors.size() != 1)
                continue;
            const CodeBlock& from = m_code.blocks[here.predecessors[0]];
            if (from.successors.size() != 2 || from.nodes.empty())
                continue;
            const Node& branch = m_code.nodes[from.nodes.back()];
            if (branch.op == Opcode::Bra && underGuard(branch.guard, from.successors[1] == at))
                return true;
        }
        return false;
    }

    /// Where the guard holds, or does not.
    bool underGuard(const Value& guard, bool holds)
    {
        const Node* test = m_code.definition(guard);
        if (test == nullptr || test->op != Opcode::Setp || test->sources.size() != 2 || isFloat(test->type) ||
            test->guard.isVariable())
            return false;
        const bool isTrue = holds != guard.negated;
        const bool isEqual = m_code.has(*test, isTrue ? "eq" : "ne");
        const auto first = step(test->sources[0], 0), second = step(test->sources[1], 0);
        return isEqual && first && second && *first + *second == 1;
    }

private:
    /// By how much the value grows from lane to lane: 0 or 1; nothing where it is not known.
    std::optional<int> step(const Value& value, int depth)
    {
        if (value.negated)
            return std::nullopt;
        if (!value.isVariable() || !m_code.variables[value.variable].varies)
            return 0;
        const Node* node = m_code.definition(value);
        if (node == nullptr || depth == kDepth || isFloat(node->type) || node->guard.isVariable())
            return std::nullopt;
        const auto sum = [&](std::size_t a, std::size_t b) -> std::optional<int> {
            const auto first = step(node->sources[a], depth + 1), second = step(node->sources[b], depth + 1);
            return first && second && *first + *second <= 1 ? std::optional(*first + *second) : std::nullopt;
        };
        switch (node->op) {
        case Opcode::ReadSpecial: {
            const auto kind = static_cast<PlaneFill::Kind>(node->offset / 4);
            if (kind == PlaneFill::Kind::Tid) // ptxas takes the lanes of a warp for neighbours in x
                return node->offset % 4 == 0 ? 1 : 0;
            return kind == PlaneFill::Kind::LaneId ? std::optional(1) : std::nullopt;
        }
        case Opcode::Mov:
        case Opcode::Cvt:
            return node->sources.size() == 1 ? step(node->sources[0], depth + 1) : std::nullopt;
        case Opcode::Add:
            return sum(0, 1);
        case Opcode::Add3: {
            const auto two = sum(0, 1), last = step(node->sources[2], depth + 1);
            return two && last && *two + *last <= 1 ? std::optional(*two + *last) : std::nullopt;
        }
        case Opcode::Mad:
            if ((node->flags & (kFlagWide | kFlagHi)) == 0 && step(node->sources[0], depth + 1) == 0 &&
                step(node->sources[1], depth + 1) == 0)
                return step(node->sources[2], depth + 1);
            return std::nullopt;
        case Opcode::ShiftAdd:
            return step(node->sources[0], depth + 1) == 0 ? step(node->sources[1], depth + 1) : std::nullopt;
        default:
            return std::nullopt;
        }
    }

    Code& m_code;
};

} // namespace

bool isLoneLane(Code& code, const Node& node)
{
    LoneLane lanes(code);
    return (node.guard.isVariable() && lanes.underGuard(node.guard, true)) || lanes.inBlock(node.block);
}

} // namespace ridge::gpu::simt
