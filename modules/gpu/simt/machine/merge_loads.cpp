// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/code.h"

#include <algorithm>
#include <bit>
#include <map>

namespace ridge::gpu::simt {

namespace {

constexpr int kAnyAlignment = 32;

class LoadMerger {
public:
    explicit LoadMerger(Code& code) : m_code(code), m_definitions(code.variables.size())
    {
        for (std::uint32_t at = 0; at < code.nodes.size(); ++at) {
            if (code.nodes[at].dead)
                continue;
            for (const Value& value : code.nodes[at].results) {
                if (value.isVariable())
                    m_definitions[value.variable].push_back(at);
            }
        }
    }

    void run()
    {
        for (CodeBlock& block : m_code.blocks)
            merge(block);
        removeDead(m_code);
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

    /// Trailing zero bits that every value of the variable has.
    int alignment(const Value& value, int depth = 0)
    {
        if (value.isImmediate())
            return value.bits == 0 ? kAnyAlignment : std::countr_zero(value.bits);
        if (!value.isVariable() || depth > 12)
            return value.kind == Value::Kind::None ? kAnyAlignment : 0;
        if (const auto known = m_alignments.find(value.variable); known != m_alignments.end())
            return known->second;
        m_alignments[value.variable] = kAnyAlignment; // a loop adds to itself: the other definitions decide
        int least = m_definitions[value.variable].empty() ? 0 : kAnyAlignment;
        for (const std::uint32_t at : m_definitions[value.variable])
            least = std::min(least, alignmentOf(m_code.nodes[at], depth + 1));
        m_alignments[value.variable] = least;
        return least;
    }

    int alignmentOf(const Node& node, int depth)
    {
        const auto of = [&](std::size_t at) { return alignment(node.sources[at], depth); };
        switch (node.op) {
        case Opcode::Add:
        case Opcode::Or:
        case Opcode::Add3: {
            int least = kAnyAlignment;
            for (std::size_t at = 0; at < node.sources.size(); ++at)
                least = std::min(least, of(at));
            return least;
        }
        case Opcode::ShiftAdd:
            return std::min(of(0) + static_cast<int>(node.offset), of(1));
        case Opcode::Shl:
            return node.sources[1].isImmediate() ? of(0) + static_cast<int>(node.sources[1].bits) : of(0);
        case Opcode::Mul:
            return std::min(kAnyAlignment, of(0) + of(1));
        case Opcode::Mad:
            return std::min(of(0) + of(1), of(2));
        case Opcode::And:
            return std::max(of(0), of(1));
        case Opcode::Mov:
        case Opcode::Cvt:
            return of(0);
        default:
            return 0;
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
                alignment(first.sources[0]),
                first.offset == 0 ? kAnyAlignment : std::countr_zero(static_cast<std::uint64_t>(first.offset)));
            std::size_t run = 1;
            while (at + run < group.size() &&
                   m_code.nodes[group[at + run]].offset == first.offset + static_cast<std::int64_t>(4 * run))
                ++run;
            const std::size_t width = run >= 4 && aligned >= 4 ? 4 : run >= 2 && aligned >= 3 ? 2 : 1;
            if (width > 1)
                widen({group.begin() + static_cast<std::ptrdiff_t>(at),
                       group.begin() + static_cast<std::ptrdiff_t>(at + width)});
            at += width;
        }
    }

    /// The load that comes first in the program takes over.
    void widen(Group parts)
    {
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
    std::vector<std::vector<std::uint32_t>> m_definitions;
    std::map<std::uint32_t, int> m_alignments;
};

} // namespace

void mergeLoads(Code& code)
{
    LoadMerger(code).run();
}

} // namespace ridge::gpu::simt
