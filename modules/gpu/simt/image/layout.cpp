// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/image/layout.h"

#include <algorithm>
#include <set>

namespace ridge::gpu::simt {

namespace {

constexpr int kMaxLoopDepth = 200;

/// Strongly connected components (Tarjan 1972, without recursion) of the blocks whose `inside` equals `region`.
class Components {
public:
    Components(const FlowGraph& graph, const std::vector<std::uint32_t>& inside, std::uint32_t region)
        : m_graph(graph), m_inside(inside), m_region(region), m_index(graph.size(), 0), m_low(graph.size(), 0),
          m_onStack(graph.size(), false)
    {
    }

    std::vector<std::vector<std::uint32_t>> find(const std::vector<std::uint32_t>& members)
    {
        for (const std::uint32_t block : members) {
            if (m_index[block] == 0)
                visit(block);
        }
        return std::move(m_found);
    }

private:
    struct Frame {
        std::uint32_t block;
        std::size_t edge;
    };

    void open(std::uint32_t block)
    {
        m_index[block] = m_low[block] = ++m_counter;
        m_stack.push_back(block);
        m_onStack[block] = true;
        m_frames.push_back({block, 0});
    }

    void visit(std::uint32_t start)
    {
        open(start);
        while (!m_frames.empty()) {
            Frame& frame = m_frames.back();
            const auto& edges = m_graph[frame.block];
            if (frame.edge < edges.size()) {
                const std::uint32_t to = edges[frame.edge++];
                if (m_inside[to] != m_region)
                    continue;
                if (m_index[to] == 0)
                    open(to);
                else if (m_onStack[to])
                    m_low[frame.block] = std::min(m_low[frame.block], m_index[to]);
                continue;
            }
            close(frame.block);
        }
    }

    void close(std::uint32_t block)
    {
        m_frames.pop_back();
        if (!m_frames.empty())
            m_low[m_frames.back().block] = std::min(m_low[m_frames.back().block], m_low[block]);
        if (m_low[block] != m_index[block])
            return;
        std::vector<std::uint32_t> component;
        std::uint32_t member = 0;
        do {
            member = m_stack.back();
            m_stack.pop_back();
            m_onStack[member] = false;
            component.push_back(member);
        } while (member != block);
        std::sort(component.begin(), component.end());
        m_found.push_back(std::move(component));
    }

    const FlowGraph& m_graph;
    const std::vector<std::uint32_t>& m_inside;
    std::uint32_t m_region;
    std::uint32_t m_counter = 0;
    std::vector<std::uint32_t> m_index, m_low, m_stack;
    std::vector<bool> m_onStack;
    std::vector<Frame> m_frames;
    std::vector<std::vector<std::uint32_t>> m_found;
};

class Layout {
public:
    explicit Layout(const FlowGraph& graph) : m_graph(graph), m_inside(graph.size(), 0) {}

    std::vector<std::uint32_t> run()
    {
        std::vector<std::uint32_t> members = reachable();
        for (const std::uint32_t block : members)
            m_inside[block] = 1;
        place(members, 0, 0);
        return std::move(m_order);
    }

private:
    std::vector<std::uint32_t> reachable() const
    {
        std::vector<bool> seen(m_graph.size(), false);
        std::vector<std::uint32_t> open{0};
        seen[0] = true;
        for (std::size_t at = 0; at < open.size(); ++at) {
            for (const std::uint32_t to : m_graph[open[at]]) {
                if (!seen[to]) {
                    seen[to] = true;
                    open.push_back(to);
                }
            }
        }
        std::sort(open.begin(), open.end());
        return open;
    }

    /// Places the blocks of one region (all of them carry the same mark), `header` first, its incoming edges cut.
    void place(std::vector<std::uint32_t>& members, std::uint32_t header, int depth)
    {
        m_order.push_back(header);
        m_inside[header] = 0;
        members.erase(std::find(members.begin(), members.end(), header));
        if (members.empty())
            return;
        const std::uint32_t region = ++m_regions + 1;
        for (const std::uint32_t block : members)
            m_inside[block] = region;
        const auto components = Components(m_graph, m_inside, region).find(members);
        for (const std::uint32_t at : topologicalOrder(components, region)) {
            std::vector<std::uint32_t> component = components[at];
            const bool isLoop = component.size() > 1;
            if (!isLoop || depth >= kMaxLoopDepth) {
                m_order.insert(m_order.end(), component.begin(), component.end());
                for (const std::uint32_t block : component)
                    m_inside[block] = 0;
                continue;
            }
            const std::uint32_t inner = ++m_regions + 1;
            for (const std::uint32_t block : component)
                m_inside[block] = inner;
            place(component, headerOf(component), depth + 1);
        }
    }

    /// The first block of a loop that is entered from blocks already placed.
    std::uint32_t headerOf(const std::vector<std::uint32_t>& component) const
    {
        const std::set<std::uint32_t> members(component.begin(), component.end());
        std::uint32_t header = kNobody;
        for (const std::uint32_t from : m_order) {
            for (const std::uint32_t to : m_graph[from]) {
                if (members.count(to) != 0)
                    header = std::min(header, to);
            }
        }
        return header == kNobody ? component.front() : header;
    }

    std::vector<std::uint32_t> topologicalOrder(const std::vector<std::vector<std::uint32_t>>& components,
                                                std::uint32_t region) const
    {
        std::vector<std::uint32_t> componentOf(m_graph.size(), kNobody);
        for (std::uint32_t at = 0; at < components.size(); ++at) {
            for (const std::uint32_t block : components[at])
                componentOf[block] = at;
        }
        std::vector<std::uint32_t> incoming(components.size(), 0);
        const auto forEdges = [&](std::uint32_t at, auto&& visit) {
            for (const std::uint32_t from : components[at]) {
                for (const std::uint32_t to : m_graph[from]) {
                    if (m_inside[to] == region && componentOf[to] != at)
                        visit(componentOf[to]);
                }
            }
        };
        for (std::uint32_t at = 0; at < components.size(); ++at)
            forEdges(at, [&](std::uint32_t to) { ++incoming[to]; });
        std::set<std::pair<std::uint32_t, std::uint32_t>> ready; // by first block in the text
        for (std::uint32_t at = 0; at < components.size(); ++at) {
            if (incoming[at] == 0)
                ready.emplace(components[at].front(), at);
        }
        std::vector<std::uint32_t> order;
        while (!ready.empty()) {
            const std::uint32_t at = ready.begin()->second;
            ready.erase(ready.begin());
            order.push_back(at);
            forEdges(at, [&](std::uint32_t to) {
                if (--incoming[to] == 0)
                    ready.emplace(components[to].front(), to);
            });
        }
        return order;
    }

    static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
    const FlowGraph& m_graph;
    std::vector<std::uint32_t> m_inside; ///< region of each block not yet placed; 0: placed or unreachable
    std::vector<std::uint32_t> m_order;
    std::uint32_t m_regions = 0;
};

} // namespace

std::vector<std::uint32_t> layoutBlocks(const FlowGraph& graph)
{
    return graph.empty() ? std::vector<std::uint32_t>{} : Layout(graph).run();
}

std::vector<std::uint32_t> postDominators(const FlowGraph& graph)
{
    // Cooper, Harvey and Kennedy (2001) on the reversed graph, whose entry is the end of the kernel.
    const auto end = static_cast<std::uint32_t>(graph.size());
    std::vector<std::vector<std::uint32_t>> before(graph.size() + 1);
    for (std::uint32_t from = 0; from < end; ++from) {
        for (const std::uint32_t to : graph[from])
            before[to].push_back(from);
        if (graph[from].empty())
            before[end].push_back(from);
    }
    std::vector<std::uint32_t> number(graph.size() + 1, 0); // post-order number, 1-based; 0: never reaches the end
    std::vector<std::uint32_t> order;
    std::vector<bool> seen(graph.size() + 1, false);
    std::vector<std::pair<std::uint32_t, std::size_t>> frames{{end, 0}};
    seen[end] = true;
    while (!frames.empty()) {
        auto& [block, edge] = frames.back();
        if (edge < before[block].size()) {
            const std::uint32_t to = before[block][edge++];
            if (!seen[to]) {
                seen[to] = true;
                frames.emplace_back(to, 0);
            }
            continue;
        }
        order.push_back(block);
        number[block] = static_cast<std::uint32_t>(order.size());
        frames.pop_back();
    }
    std::vector<std::uint32_t> parent(graph.size() + 1, ~std::uint32_t{0});
    parent[end] = end;
    for (bool changed = true; changed;) {
        changed = false;
        for (auto at = order.rbegin() + 1; at != order.rend(); ++at) {
            std::vector<std::uint32_t> outgoing = graph[*at];
            if (outgoing.empty())
                outgoing.push_back(end);
            std::uint32_t meet = ~std::uint32_t{0};
            for (std::uint32_t to : outgoing) {
                if (parent[to] == ~std::uint32_t{0})
                    continue;
                for (meet = meet == ~std::uint32_t{0} ? to : meet; meet != to;) {
                    std::uint32_t& lower = number[meet] < number[to] ? meet : to;
                    lower = parent[lower];
                }
            }
            changed = changed || parent[*at] != meet;
            parent[*at] = meet;
        }
    }
    parent.pop_back();
    for (std::uint32_t& p : parent)
        p = p == ~std::uint32_t{0} ? end : p;
    return parent;
}

} // namespace ridge::gpu::simt
