// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/code.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

bool names(const Value& value, std::uint32_t variable)
{
    return value.isVariable() && value.variable == variable;
}

/// "s = …; mov d, s" at the end of a loop body becomes "d = …": what a register allocator's coalescing does.
class Coalescer {
public:
    explicit Coalescer(Code& code) : m_code(code) {}

    void run()
    {
        for (CodeBlock& block : m_code.blocks) {
            for (std::size_t at = 0; at < block.nodes.size(); ++at)
                tryCopy(block, at);
        }
        removeDead(m_code);
    }

private:
    void findReaders()
    {
        m_readers.resize(m_code.variables.size());
        for (std::uint32_t at = 0; at < m_code.nodes.size(); ++at) {
            const Node& node = m_code.nodes[at];
            if (node.dead)
                continue;
            for (const Value& value : node.sources) {
                if (value.isVariable())
                    m_readers[value.variable].push_back(at);
            }
            if (node.guard.isVariable())
                m_readers[node.guard.variable].push_back(at);
        }
    }

    void tryCopy(CodeBlock& block, std::size_t at)
    {
        Node& copy = m_code.nodes[block.nodes[at]];
        if (copy.op != Opcode::Mov || copy.guard.isVariable() || copy.results.size() != 1 || copy.sources.size() != 1 ||
            !copy.sources[0].isVariable() || !copy.results[0].isVariable() || copy.sources[0].negated ||
            copy.results[0].bytes != copy.sources[0].bytes)
            return;
        const std::uint32_t to = copy.results[0].variable;
        const std::uint32_t from = copy.sources[0].variable;
        const CodeVariable& source = m_code.variables[from];
        if (to == from || source.definitions != 1 || m_code.variables[to].definitions < 2)
            return;
        const auto made =
            std::find(block.nodes.begin(), block.nodes.begin() + static_cast<std::ptrdiff_t>(at), source.definition);
        const auto end = block.nodes.begin() + static_cast<std::ptrdiff_t>(at);
        if (made == end || m_code.nodes[*made].op == Opcode::ReadSpecial)
            return;
        for (auto between = made + 1; between != end; ++between) {
            if (touches(m_code.nodes[*between], to))
                return;
        }
        if (m_readers.empty())
            findReaders();
        if (!readersAllow(block, at, from, to))
            return;
        for (const std::uint32_t reader : m_readers[from])
            rename(m_code.nodes[reader], from, to);
        for (Value& value : m_code.nodes[*made].results) {
            if (names(value, from))
                value.variable = to;
        }
        m_readers[to].insert(m_readers[to].end(), m_readers[from].begin(), m_readers[from].end());
        m_readers[from].clear();
        copy.dead = true;
        --m_code.variables[to].definitions;
        m_code.variables[from].definitions = 0;
    }

    static bool touches(const Node& node, std::uint32_t variable)
    {
        const auto is = [&](const Value& value) { return names(value, variable); };
        return std::any_of(node.sources.begin(), node.sources.end(), is) || is(node.guard) ||
               std::any_of(node.results.begin(), node.results.end(), is);
    }

    /// Every reader of `from` must see the value in `to`: readers in this block before `to` changes again; readers
    /// elsewhere where only the start of the loop and this copy write `to`.
    bool readersAllow(const CodeBlock& block, std::size_t at, std::uint32_t from, std::uint32_t to) const
    {
        bool changes = false;
        std::size_t inside = 0;
        for (const std::uint32_t id : block.nodes) {
            const auto reads = std::count(m_readers[from].begin(), m_readers[from].end(), id);
            inside += static_cast<std::size_t>(reads);
        }
        for (std::size_t after = at + 1; after < block.nodes.size(); ++after) {
            const Node& node = m_code.nodes[block.nodes[after]];
            if (changes && touches(node, from))
                return false;
            changes = changes || std::any_of(node.results.begin(), node.results.end(),
                                             [&](const Value& value) { return names(value, to); });
        }
        return inside == m_readers[from].size() || (!changes && m_code.variables[to].definitions == 2);
    }

    static void rename(Node& node, std::uint32_t from, std::uint32_t to)
    {
        for (Value& value : node.sources) {
            if (names(value, from))
                value.variable = to;
        }
        if (names(node.guard, from))
            node.guard.variable = to;
    }

    Code& m_code;
    std::vector<std::vector<std::uint32_t>> m_readers; ///< of each variable; made for the first copy that may vanish
};

} // namespace

void coalesceCopies(Code& code)
{
    Coalescer(code).run();
}

} // namespace ridge::gpu::simt
