// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/code.h"

#include <algorithm>
#include <bit>
#include <map>

namespace ridge::gpu::simt {

namespace {

/// Nodes between the first and the last part of a merged load: what it brings early has to wait in registers.
/// ptxas 13.0 merges across 4 turns of 17 instructions and not across 4 of 80 (tools/published/sgemm.cu, column_tile,
/// square_tile).
constexpr std::uint32_t kMergeWindow = 128;

class LoadMerger {
public:
    explicit LoadMerger(Code& code) : m_code(code), m_alignments(code) {}

    std::optional<Code> run()
    {
        for (CodeBlock& block : m_code.blocks)
            merge(block);
        if (m_before)
            removeDead(m_code);
        return std::move(m_before);
    }

private:
    using Group = std::vector<std::uint32_t>;

    /// Loads of one base between two moments at which shared memory or the base may change.
    void merge(CodeBlock& block)
    {
        std::map<std::uint32_t, Group> open; // by base; kNone: none
        const auto closeAll = [&] {
            for (auto& [base, group] : open)
                combine(group);
            open.clear();
        };
        for (const std::uint32_t at : block.nodes) {
            const Node& node = m_code.nodes[at];
            if (isCandidate(node)) {
                open[node.sources[0].isVariable() ? node.sources[0].variable : kNone].push_back(at);
            } else if (changesShared(node)) {
                closeAll();
            }
            for (const Value& value : node.results) {
                const auto found = value.isVariable() ? open.find(value.variable) : open.end();
                if (found != open.end()) {
                    combine(found->second);
                    open.erase(found);
                }
            }
        }
        closeAll();
    }

    bool isCandidate(const Node& node) const
    {
        return node.op == Opcode::Ld && node.space == Space::Shared && node.count == 1 && sizeOf(node.type) == 4 &&
               !node.guard.isVariable() && node.results.size() == 1 && node.results[0].isVariable() &&
               m_code.variables[node.results[0].variable].definitions == 1 && !m_code.has(node, "volatile");
    }

    static bool changesShared(const Node& node)
    {
        switch (node.op) {
        case Opcode::St:
        case Opcode::Atom:
        case Opcode::Red:
            return node.space == Space::Shared || node.space == Space::Generic;
        case Opcode::Bar:
        case Opcode::Membar:
        case Opcode::CopyAsync:
        case Opcode::CopyWait:
        case Opcode::Call:
        case Opcode::Mbarrier:
            return true;
        default:
            return false;
        }
    }

    void combine(Group& group)
    {
        std::stable_sort(group.begin(), group.end(), [&](std::uint32_t a, std::uint32_t b) {
            return m_code.nodes[a].offset < m_code.nodes[b].offset;
        });
        for (std::size_t at = 0; at < group.size();) {
            const Node& first = m_code.nodes[group[at]];
            const int aligned = std::min(
                m_alignments.of(first.sources[0]),
                first.offset == 0 ? Alignments::kAny : std::countr_zero(static_cast<std::uint64_t>(first.offset)));
            std::size_t run = 1;
            while (at + run < group.size() &&
                   m_code.nodes[group[at + run]].offset == first.offset + static_cast<std::int64_t>(4 * run))
                ++run;
            const std::size_t width = run >= 4 && aligned >= 4 && near(group, at, 4)   ? 4
                                      : run >= 2 && aligned >= 3 && near(group, at, 2) ? 2
                                                                                       : 1;
            if (width > 1)
                widen({group.begin() + static_cast<std::ptrdiff_t>(at),
                       group.begin() + static_cast<std::ptrdiff_t>(at + width)});
            at += width;
        }
    }

    static bool near(const Group& group, std::size_t first, std::size_t width)
    {
        const auto from = group.begin() + static_cast<std::ptrdiff_t>(first);
        const auto [least, most] = std::minmax_element(from, from + static_cast<std::ptrdiff_t>(width));
        return *most - *least <= kMergeWindow;
    }

    /// The load that comes first in the program takes over.
    void widen(Group parts)
    {
        if (!m_before)
            m_before = m_code;
        const std::uint32_t lead = *std::min_element(parts.begin(), parts.end());
        Node wide = m_code.nodes[lead];
        wide.offset = m_code.nodes[parts[0]].offset;
        wide.count = static_cast<std::uint8_t>(parts.size());
        wide.type = ScalarType::B32;
        wide.results.clear();
        for (const std::uint32_t part : parts) {
            wide.results.push_back(m_code.nodes[part].results[0]);
            m_code.nodes[part].dead = part != lead;
        }
        m_code.nodes[lead] = std::move(wide);
    }

    Code& m_code;
    Alignments m_alignments;
    std::optional<Code> m_before; ///< m_code until the first loads were merged
};

} // namespace

std::optional<Code> mergeLoads(Code& code)
{
    return LoadMerger(code).run();
}

} // namespace ridge::gpu::simt
