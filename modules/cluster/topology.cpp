// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/topology.h"

#include <algorithm>
#include <cmath>

namespace ridge::cluster {
namespace {

constexpr std::uint32_t kMostGpus = 16384;

std::string named(const char* what, std::uint32_t i)
{
    return what + std::to_string(i);
}

std::string named(const char* what, std::uint32_t node, std::uint32_t i, bool several)
{
    return several ? "node" + std::to_string(node) + "." + named(what, i) : named(what, i);
}

Error bad(const std::string& message, const std::string& place, const std::string& fix)
{
    return Error{"bad-topology", message, place, fix};
}

std::uint32_t addGpu(Topology& t, std::string name)
{
    t.ranks.push_back(t.add(VertexKind::Gpu, std::move(name)));
    return t.ranks.back();
}

/// Spines of leaves with `down` cables of `rate` down: each leaf has a cable to each spine, which together carry
/// down x rate / oversubscription.
void addSpines(Topology& t, const TopologyShape& s, const std::vector<std::uint32_t>& leaves, double down, double rate)
{
    if (leaves.size() < 2)
        return;
    const std::uint32_t spines =
        s.spines ? s.spines : std::max(1u, static_cast<std::uint32_t>(down / s.oversubscription));
    const double up = down * rate / (spines * s.oversubscription);
    for (std::uint32_t i = 0; i < spines; ++i) {
        const auto spine = t.add(VertexKind::Switch, named("spine", i));
        for (const auto leaf : leaves)
            t.connect(leaf, spine, up, s.netLatency);
    }
}

/// Network cards of each node on leaves. nic j of a node belongs to GPU j x gpus / nics.
void addNetwork(Topology& t, const TopologyShape& s)
{
    const bool rails = s.fabric == Fabric::Rails;
    const std::uint32_t nodesOfLeaf = rails ? s.nodes : std::max(1u, 32 / s.nics);
    const std::uint32_t leafCount = rails ? s.nics : (s.nodes + nodesOfLeaf - 1) / nodesOfLeaf;
    std::vector<std::uint32_t> leaves;
    for (std::uint32_t i = 0; i < leafCount; ++i)
        leaves.push_back(t.add(VertexKind::Switch, named("leaf", i)));
    for (std::uint32_t node = 0; node < s.nodes; ++node)
        for (std::uint32_t j = 0; j < s.nics; ++j) {
            const auto nic = t.add(VertexKind::Nic, named("nic", node, j, true));
            const std::uint32_t gpu = static_cast<std::uint32_t>(std::uint64_t{j} * s.gpus / s.nics);
            // A card hangs on the PCIe link of its GPU, which is no narrower here than the card.
            t.connect(t.ranks[node * s.gpus + gpu], nic, std::max(s.nicRate, s.pcieRate), 0);
            t.connect(nic, leaves[rails ? j : node / nodesOfLeaf], s.nicRate, s.netLatency);
        }
    addSpines(t, s, leaves, rails ? s.nodes : nodesOfLeaf * s.nics, s.nicRate);
}

struct NodeParts {
    std::vector<std::uint32_t> gpus;
};

/// GPUs of a node by pairs on PCIe switches, two switches a processor, processors one after another.
NodeParts addPcieNode(Topology& t, const TopologyShape& s, std::uint32_t node)
{
    const bool several = s.nodes > 1;
    NodeParts parts;
    std::uint32_t cpu = 0, bridge = 0, before = 0;
    for (std::uint32_t i = 0; i < s.gpus; ++i) {
        if (i % 4 == 0) {
            cpu = t.add(VertexKind::Cpu, named("cpu", node, i / 4, several));
            if (i > 0)
                t.connect(before, cpu, s.hostRate, s.latency);
            before = cpu;
        }
        if (i % 2 == 0) {
            bridge = t.add(VertexKind::Switch, named("pcie", node, i / 2, several));
            t.connect(bridge, cpu, s.pcieRate, s.latency);
        }
        parts.gpus.push_back(addGpu(t, named("gpu", node, i, several)));
        t.connect(parts.gpus.back(), bridge, s.pcieRate, s.latency);
    }
    return parts;
}

/// NVLinks between GPU i and j of a DGX-1: DGX-1 with V100, NVIDIA white paper WP-08608, figure 4 (two squares, their
/// diagonals, and the cube's edges between them).
constexpr std::uint8_t kCubeMesh[8][8] = {{0, 1, 1, 2, 2, 0, 0, 0}, {1, 0, 2, 1, 0, 2, 0, 0}, {1, 2, 0, 2, 0, 0, 1, 0},
                                          {2, 1, 2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 1, 1, 2}, {0, 2, 0, 0, 1, 0, 2, 1},
                                          {0, 0, 1, 0, 1, 2, 0, 2}, {0, 0, 0, 1, 2, 1, 2, 0}};

void addTorus(Topology& t, const TopologyShape& s)
{
    const auto [x, y, z] = s.dims;
    const auto at = [&](std::uint32_t i, std::uint32_t j, std::uint32_t k) { return (k * y + j) * x + i; };
    for (std::uint32_t i = 0; i < x * y * z; ++i)
        addGpu(t, named("chip", i));
    for (std::uint32_t k = 0; k < z; ++k)
        for (std::uint32_t j = 0; j < y; ++j)
            for (std::uint32_t i = 0; i < x; ++i) {
                if (x > 1 && (x > 2 || i == 0))
                    t.connect(at(i, j, k), at((i + 1) % x, j, k), s.rate, s.latency);
                if (y > 1 && (y > 2 || j == 0))
                    t.connect(at(i, j, k), at(i, (j + 1) % y, k), s.rate, s.latency);
                if (z > 1 && (z > 2 || k == 0))
                    t.connect(at(i, j, k), at(i, j, (k + 1) % z), s.rate, s.latency);
            }
}

/// Kim, Dally, Scott, Abts, ISCA 2008: a routers a group, all joined; p hosts and h cables to other groups each;
/// a h + 1 groups, any two joined by one cable.
void addDragonfly(Topology& t, const TopologyShape& s)
{
    const auto [a, p, h] = s.dims;
    const std::uint32_t groups = a * h + 1;
    std::vector<std::uint32_t> routers;
    for (std::uint32_t r = 0; r < groups * a; ++r)
        routers.push_back(t.add(VertexKind::Switch, named("router", r)));
    for (std::uint32_t r = 0; r < groups * a; ++r)
        for (std::uint32_t i = 0; i < p; ++i)
            t.connect(addGpu(t, named("host", r * p + i)), routers[r], s.rate, s.latency);
    for (std::uint32_t g = 0; g < groups; ++g)
        for (std::uint32_t i = 0; i < a; ++i)
            for (std::uint32_t j = i + 1; j < a; ++j)
                t.connect(routers[g * a + i], routers[g * a + j], s.rate, s.netLatency);
    for (std::uint32_t g = 0; g < groups; ++g)
        for (std::uint32_t other = g + 1; other < groups; ++other) {
            const std::uint32_t mine = other - 1, its = g; // place among the a h cables of a group
            t.connect(routers[g * a + mine / h], routers[other * a + its / h], s.rate, s.netLatency);
        }
}

Result<void> checkShape(const TopologyShape& s)
{
    const auto rate = [](double value) { return value > 0 && value <= 1e15; };
    if (!rate(s.rate) || !rate(s.pcieRate) || !rate(s.hostRate) || !rate(s.nicRate))
        return bad("a link has no rate above 0", "rate", "give B/s of one direction, as 450e9");
    if (!(s.latency >= 0 && s.latency <= 1) || !(s.netLatency >= 0 && s.netLatency <= 1))
        return bad("a latency is no time from 0 to 1 s", "latency", "give seconds, as 5e-7");
    if (!(s.oversubscription >= 1 && s.oversubscription <= 1024))
        return bad("a leaf has fewer ports up than down, at most 1024 times", "oversubscription",
                   "give 1 for a fabric that blocks nothing, 4 for 4:1");
    std::uint64_t all = std::uint64_t{s.gpus} * s.nodes;
    const auto [x, y, z] = s.dims;
    for (const auto size : {x, y, z})
        if ((s.kind == TopologyKind::Torus || s.kind == TopologyKind::Dragonfly) && (size < 1 || size > 4096))
            return bad("a dimension is " + std::to_string(size), "dims", "give 1 to 4096");
    if (s.kind == TopologyKind::Torus)
        all = std::uint64_t{x} * y * z;
    if (s.kind == TopologyKind::Dragonfly)
        all = (std::uint64_t{x} * z + 1) * x * y;
    if (s.gpus < 1 || s.nodes < 1 || s.gpus > kMostGpus || s.nodes > kMostGpus || all < 1 || all > kMostGpus)
        return bad(std::to_string(all) + " GPUs", "gpus, nodes", "give 1 to 16384 in all");
    if (s.kind == TopologyKind::CubeMesh && s.gpus != 8)
        return bad("a hybrid cube mesh has 8 GPUs, not " + std::to_string(s.gpus), "gpus", "give 8");
    if (s.kind == TopologyKind::FullMesh && s.gpus > 256)
        return bad("every GPU of " + std::to_string(s.gpus) + " on a link to every other one", "gpus",
                   "give at most 256");
    const bool node = s.kind == TopologyKind::Switch || s.kind == TopologyKind::Pairwise ||
                      s.kind == TopologyKind::FullMesh || s.kind == TopologyKind::CubeMesh ||
                      s.kind == TopologyKind::PcieTree || s.kind == TopologyKind::Rails;
    if (node && s.nodes > 1 && (s.nics < 1 || s.nics > 64 || (s.gpus % s.nics != 0 && s.nics % s.gpus != 0)))
        return bad(std::to_string(s.nics) + " network cards for " + std::to_string(s.gpus) + " GPUs", "nics",
                   "give a number that divides the GPUs of a node, or a multiple of it, at most 64");
    if ((s.kind == TopologyKind::Ring || s.kind == TopologyKind::Chain || s.kind == TopologyKind::CubeMesh) &&
        s.nodes > 1 && s.kind != TopologyKind::CubeMesh)
        return bad("a ring or chain is one node", "nodes", "give 1, and the length as gpus");
    if (s.spines > 4096)
        return bad(std::to_string(s.spines) + " spines", "spines", "give at most 4096, or 0");
    return {};
}

// ---- flows
// -----------------------------------------------------------------------------------------------------------

/// Dinic 1970. Capacities are whole B/s.
class Dinic {
public:
    Dinic(const Topology& t, std::size_t extra) : m_first(t.vertices.size() + extra, kNone)
    {
        m_edges.reserve(t.links.size() * 2 + extra);
        for (const Link& link : t.links)
            add(link.from, link.to, std::llround(link.rate));
    }
    void add(std::uint32_t from, std::uint32_t to, std::int64_t capacity)
    {
        m_edges.push_back({to, m_first[from], capacity, capacity});
        m_first[from] = static_cast<std::uint32_t>(m_edges.size() - 1);
        m_edges.push_back({from, m_first[to], 0, 0});
        m_first[to] = static_cast<std::uint32_t>(m_edges.size() - 1);
    }
    void reset()
    {
        for (Edge& edge : m_edges)
            edge.left = edge.capacity;
    }
    std::int64_t run(std::uint32_t from, std::uint32_t to)
    {
        std::int64_t flow = 0;
        while (level(from, to)) {
            m_next = m_first;
            while (const std::int64_t pushed = push(from, to))
                flow += pushed;
        }
        return flow;
    }
    std::uint32_t edges() const { return static_cast<std::uint32_t>(m_edges.size()); }
    void capacity(std::uint32_t edge, std::int64_t value) { m_edges[edge].capacity = value; }

private:
    static constexpr std::uint32_t kNone = 0xffffffff;
    struct Edge {
        std::uint32_t to, next;
        std::int64_t capacity, left;
    };
    bool level(std::uint32_t from, std::uint32_t to)
    {
        m_level.assign(m_first.size(), -1);
        std::vector<std::uint32_t> queue{from};
        m_level[from] = 0;
        for (std::size_t i = 0; i < queue.size(); ++i)
            for (auto e = m_first[queue[i]]; e != kNone; e = m_edges[e].next)
                if (m_edges[e].left > 0 && m_level[m_edges[e].to] < 0) {
                    m_level[m_edges[e].to] = m_level[queue[i]] + 1;
                    queue.push_back(m_edges[e].to);
                }
        return m_level[to] >= 0;
    }
    /// One path in the levels, without recursion: a chain has as many levels as vertices.
    std::int64_t push(std::uint32_t from, std::uint32_t to)
    {
        std::vector<std::uint32_t> path;
        std::uint32_t at = from;
        while (at != to) {
            std::uint32_t& e = m_next[at];
            while (e != kNone && !(m_edges[e].left > 0 && m_level[m_edges[e].to] == m_level[at] + 1))
                e = m_edges[e].next;
            if (e != kNone) {
                path.push_back(e);
                at = m_edges[e].to;
                continue;
            }
            if (at == from)
                return 0;
            m_level[at] = -1; // a dead end
            at = m_edges[path.back() ^ 1].to;
            path.pop_back();
        }
        std::int64_t least = std::int64_t{1} << 62;
        for (const auto e : path)
            least = std::min(least, m_edges[e].left);
        for (const auto e : path) {
            m_edges[e].left -= least;
            m_edges[e ^ 1].left += least;
        }
        return least;
    }
    std::vector<Edge> m_edges;
    std::vector<std::uint32_t> m_first, m_next;
    std::vector<int> m_level;
};

constexpr std::int64_t kEndless = std::int64_t{1} << 60;

} // namespace

std::uint32_t Topology::add(VertexKind kind, std::string name)
{
    vertices.push_back({kind, std::move(name)});
    return static_cast<std::uint32_t>(vertices.size() - 1);
}

void Topology::connect(std::uint32_t a, std::uint32_t b, double rate, double latency)
{
    links.push_back({a, b, rate, latency});
    links.push_back({b, a, rate, latency});
}

Outgoing outgoing(const Topology& topology)
{
    Outgoing out;
    out.first.assign(topology.vertices.size() + 1, 0);
    for (const Link& link : topology.links)
        ++out.first[link.from + 1];
    for (std::size_t v = 1; v < out.first.size(); ++v)
        out.first[v] += out.first[v - 1];
    out.links.resize(topology.links.size());
    auto next = out.first;
    for (std::uint32_t i = 0; i < topology.links.size(); ++i)
        out.links[next[topology.links[i].from]++] = i;
    return out;
}

const std::vector<std::string>& topologyKindNames()
{
    static const std::vector<std::string> names{"switch",    "pairwise",       "pcie-tree", "cube-mesh",
                                                "full-mesh", "ring",           "chain",     "torus",
                                                "fat-tree",  "rail-optimised", "dragonfly"};
    return names;
}

Result<Topology> makeTopology(const TopologyShape& s)
{
    if (auto good = checkShape(s); !good)
        return good.error();
    Topology t;
    t.title = topologyKindNames()[static_cast<std::size_t>(s.kind)];
    const bool several = s.nodes > 1;
    switch (s.kind) {
    case TopologyKind::Switch:
        for (std::uint32_t node = 0; node < s.nodes; ++node) {
            std::vector<std::uint32_t> gpus;
            for (std::uint32_t i = 0; i < s.gpus; ++i)
                gpus.push_back(addGpu(t, named("gpu", node, i, several)));
            const auto fabric = t.add(VertexKind::Switch, named("nvswitch", node));
            for (const auto gpu : gpus)
                t.connect(gpu, fabric, s.rate, s.latency);
        }
        break;
    case TopologyKind::Rails:
        for (std::uint32_t i = 0; i < s.gpus * s.nodes; ++i)
            addGpu(t, named("gpu", i / s.gpus, i % s.gpus, several));
        break;
    case TopologyKind::Pairwise:
    case TopologyKind::PcieTree:
        for (std::uint32_t node = 0; node < s.nodes; ++node) {
            const NodeParts parts = addPcieNode(t, s, node);
            for (std::uint32_t i = 0; s.kind == TopologyKind::Pairwise && i + 1 < s.gpus; i += 2)
                t.connect(parts.gpus[i], parts.gpus[i + 1], s.rate, s.latency);
        }
        break;
    case TopologyKind::CubeMesh:
    case TopologyKind::FullMesh:
        for (std::uint32_t node = 0; node < s.nodes; ++node) {
            const auto first = static_cast<std::uint32_t>(t.vertices.size());
            for (std::uint32_t i = 0; i < s.gpus; ++i)
                addGpu(t, named("gpu", node, i, several));
            for (std::uint32_t i = 0; i < s.gpus; ++i)
                for (std::uint32_t j = i + 1; j < s.gpus; ++j)
                    if (const int cables = s.kind == TopologyKind::FullMesh ? 1 : kCubeMesh[i][j])
                        t.connect(first + i, first + j, cables * s.rate, s.latency);
        }
        break;
    case TopologyKind::Ring:
    case TopologyKind::Chain:
        for (std::uint32_t i = 0; i < s.gpus; ++i)
            addGpu(t, named("gpu", i));
        for (std::uint32_t i = 0; i + 1 < s.gpus; ++i)
            t.connect(i, i + 1, s.rate, s.latency);
        if (s.kind == TopologyKind::Ring && s.gpus > 2)
            t.connect(s.gpus - 1, 0, s.rate, s.latency);
        break;
    case TopologyKind::Torus:
        addTorus(t, s);
        break;
    case TopologyKind::FatTree: {
        std::vector<std::uint32_t> leaves;
        for (std::uint32_t leaf = 0; leaf < s.nodes; ++leaf)
            leaves.push_back(t.add(VertexKind::Switch, named("leaf", leaf)));
        for (std::uint32_t i = 0; i < s.gpus * s.nodes; ++i)
            t.connect(addGpu(t, named("host", i)), leaves[i / s.gpus], s.nicRate, s.netLatency);
        addSpines(t, s, leaves, s.gpus, s.nicRate);
        break;
    }
    case TopologyKind::Dragonfly:
        addDragonfly(t, s);
        break;
    }
    const bool networked = several && s.kind != TopologyKind::FatTree && s.kind != TopologyKind::Torus &&
                           s.kind != TopologyKind::Dragonfly;
    if (networked || s.kind == TopologyKind::Rails)
        addNetwork(t, s);
    if (t.vertices.size() > Topology::kMostVertices || t.links.size() > Topology::kMostLinks)
        return bad(std::to_string(t.vertices.size()) + " vertices and " + std::to_string(t.links.size()) + " links",
                   "nodes", "take fewer nodes, or fewer spines");
    if (auto joined = checkConnected(t); !joined)
        return joined.error();
    return t;
}

Result<void> checkConnected(const Topology& topology)
{
    if (topology.ranks.empty())
        return bad("there is no GPU", "vertices", "add one of kind gpu");
    const Outgoing out = outgoing(topology);
    // Links may go one way alone: what the first GPU reaches, and what reaches it.
    Topology back;
    back.vertices.resize(topology.vertices.size());
    for (const Link& link : topology.links)
        back.links.push_back({link.to, link.from, link.rate, link.latency});
    const Outgoing in = outgoing(back);
    for (const bool forth : {true, false}) {
        const Outgoing& edges = forth ? out : in;
        const auto& links = forth ? topology.links : back.links;
        std::vector<char> seen(topology.vertices.size(), 0);
        std::vector<std::uint32_t> queue{topology.ranks.front()};
        seen[queue.front()] = 1;
        for (std::size_t i = 0; i < queue.size(); ++i)
            for (auto e = edges.first[queue[i]]; e < edges.first[queue[i] + 1]; ++e)
                if (const auto to = links[edges.links[e]].to; !seen[to]) {
                    seen[to] = 1;
                    queue.push_back(to);
                }
        for (const auto gpu : topology.ranks)
            if (!seen[gpu]) {
                const std::string& first = topology.vertices[topology.ranks.front()].name;
                const std::string& other = topology.vertices[gpu].name;
                return bad("no path leads from " + (forth ? first : other) + " to " + (forth ? other : first), "links",
                           "add a link between the parts of the topology");
            }
    }
    return {};
}

double maxFlow(const Topology& topology, std::uint32_t from, std::uint32_t to)
{
    if (from == to || from >= topology.vertices.size() || to >= topology.vertices.size())
        return 0;
    return static_cast<double>(Dinic(topology, 0).run(from, to));
}

double maxFlow(const Topology& topology, std::span<const std::uint32_t> from, std::span<const std::uint32_t> to)
{
    const auto source = static_cast<std::uint32_t>(topology.vertices.size());
    Dinic dinic(topology, 2);
    for (const auto v : from)
        dinic.add(source, v, kEndless);
    for (const auto v : to)
        dinic.add(v, source + 1, kEndless);
    return static_cast<double>(dinic.run(source, source + 1));
}

Bisection bisection(const Topology& topology)
{
    constexpr std::size_t kAll = 12;
    const std::size_t n = topology.ranks.size();
    Bisection best;
    best.exact = n <= kAll;
    best.half.assign(n, 0);
    if (n < 2)
        return best;
    best.rate = -1;
    const auto source = static_cast<std::uint32_t>(topology.vertices.size());
    Dinic dinic(topology, 2);
    std::vector<std::uint32_t> out, in;
    for (const auto v : topology.ranks) {
        out.push_back(dinic.edges());
        dinic.add(source, v, 0);
        in.push_back(dinic.edges());
        dinic.add(v, source + 1, 0);
    }
    const auto look = [&](const std::vector<char>& half) {
        for (std::size_t r = 0; r < n; ++r) {
            dinic.capacity(out[r], half[r] ? kEndless : 0);
            dinic.capacity(in[r], half[r] ? 0 : kEndless);
        }
        dinic.reset();
        const auto rate = static_cast<double>(dinic.run(source, source + 1));
        if (best.rate < 0 || rate < best.rate) {
            best.rate = rate;
            best.half = half;
        }
    };
    std::vector<char> half(n);
    if (best.exact) {
        for (std::uint32_t set = 0; set < 1u << n; ++set) {
            const auto size = static_cast<std::size_t>(__builtin_popcount(set));
            if (size != n / 2 && size != n - n / 2)
                continue;
            for (std::size_t r = 0; r < n; ++r)
                half[r] = static_cast<char>(set >> r & 1);
            look(half);
        }
        return best;
    }
    for (std::size_t block = n / 2; block >= 1; --block) {
        if (n % (2 * block) != 0 && block != n / 2)
            continue;
        for (std::size_t r = 0; r < n; ++r)
            half[r] = static_cast<char>(r / block % 2 == 0 && (block != n / 2 || r < block));
        look(half);
    }
    return best;
}

} // namespace ridge::cluster
