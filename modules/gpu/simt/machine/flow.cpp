// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/image/layout.h"
#include "gpu/simt/machine/draft.h"

#include <algorithm>
#include <map>

namespace ridge::gpu::simt {

namespace {

constexpr int kMasksAreUniform = 90; ///< from here on ptxas knows that a vote gives every lane the same

bool makesVarying(const Node& node, int capability)
{
    switch (node.op) {
    case Opcode::Vote: // a mask of lanes
        return capability < kMasksAreUniform && !node.results.empty() && node.results[0].bytes != 0;
    case Opcode::Ld: // of one address a warp reads one value
        return node.space == Space::Local;
    case Opcode::Atom:
    case Opcode::Shfl:
    case Opcode::Match:
    case Opcode::WmmaLoad:
    case Opcode::Mma:
    case Opcode::LdMatrix:
    case Opcode::Other:
    case Opcode::ReadClock:
        return true;
    case Opcode::ReadSpecial:
        return changesWithLane(static_cast<PlaneFill::Kind>(node.offset / 4));
    default:
        return false;
    }
}

class Planner {
public:
    explicit Planner(Code& code) : m_code(code)
    {
        const std::size_t count = code.blocks.size();
        m_plan.openRegions.assign(count, 0);
        m_plan.closedRegions.assign(count, 0);
        m_plan.jumps.assign(count, false);
    }

    FlowPlan run()
    {
        for (std::uint32_t block = 0; block < m_code.blocks.size(); ++block) {
            const BasicBlock& from = m_code.image->blocks[block];
            if (from.next != kNone && blockOf(from.next) != block + 1)
                m_plan.jumps[block] = true;
        }
        regions();
        return std::move(m_plan);
    }

private:
    std::uint32_t blockOf(std::uint32_t op) const { return m_code.image->places[op].block; }

    const Node* branch(std::uint32_t block) const
    {
        const auto& nodes = m_code.blocks[block].nodes;
        if (m_code.image->blocks[block].kind != EndKind::Branch || nodes.empty())
            return nullptr;
        const Node& last = m_code.nodes[nodes.back()];
        return last.op == Opcode::Bra && last.guard.isVariable() ? &last : nullptr;
    }

    /// BSSY and BSYNC around what lanes may enter apart, once for each place where they meet again.
    void regions()
    {
        const std::size_t count = m_code.blocks.size();
        FlowGraph graph(count);
        for (std::size_t block = 0; block < count; ++block)
            graph[block] = m_code.blocks[block].successors;
        const std::vector<std::uint32_t> meets = postDominators(graph);
        std::map<std::uint32_t, std::uint32_t> opened; // by where the region ends
        for (std::uint32_t block = 0; block < count; ++block) {
            const Node* last = branch(block);
            if (last == nullptr || meets[block] >= count || isExit(meets[block]) ||
                !m_code.variables[last->guard.variable].varies)
                continue;
            opened.try_emplace(meets[block], block);
        }
        for (const auto& [end, block] : opened) {
            ++m_plan.closedRegions[end];
            ++m_plan.openRegions[outside(block, end)];
        }
    }

    /// Nothing but the end of the thread.
    bool isExit(std::uint32_t block) const
    {
        const auto& nodes = m_code.blocks[block].nodes;
        return nodes.size() == 1 && m_code.nodes[nodes[0]].op == Opcode::Exit;
    }

    /// A loop's region opens in front of the loop.
    std::uint32_t outside(std::uint32_t block, std::uint32_t end) const
    {
        std::uint32_t header = block;
        for (std::uint32_t at = block; at < end && at < m_code.blocks.size(); ++at) {
            for (const std::uint32_t to : m_code.blocks[at].successors) {
                if (to <= block)
                    header = std::min(header, to);
            }
        }
        if (header == block && std::find(m_code.blocks[block].successors.begin(), m_code.blocks[block].successors.end(),
                                         block) == m_code.blocks[block].successors.end())
            return block;
        for (const std::uint32_t from : m_code.blocks[header].predecessors) {
            if (from < header)
                return from;
        }
        return block;
    }

    Code& m_code;
    FlowPlan m_plan;
};

} // namespace

void markVarying(Code& code)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (const CodeBlock& block : code.blocks) {
            for (const std::uint32_t at : block.nodes) {
                const Node& node = code.nodes[at];
                const auto reads = [&](const Value& value) {
                    return value.isVariable() && code.variables[value.variable].varies;
                };
                const bool varies = makesVarying(node, code.capability) || reads(node.guard) ||
                                    (node.op != Opcode::Vote && node.op != Opcode::Redux &&
                                     std::any_of(node.sources.begin(), node.sources.end(), reads));
                for (const Value& value : node.results) {
                    if (varies && value.isVariable() && !code.variables[value.variable].varies)
                        code.variables[value.variable].varies = changed = true;
                }
            }
        }
    }
}

FlowPlan planFlow(Code& code)
{
    return Planner(code).run();
}

} // namespace ridge::gpu::simt
