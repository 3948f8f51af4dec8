// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// A network as a graph. Vertices are GPUs, switches, network cards and processors. A link goes one way and has a rate
// in B/s and a latency in s; a cable is two links. Rates are those of data in one direction: an NVLink 4 GPU has 450e9,
// of which data sheets print the double.

namespace ridge::cluster {

enum class VertexKind : std::uint8_t { Gpu, Switch, Nic, Cpu };

struct Vertex {
    VertexKind kind = VertexKind::Gpu;
    std::string name;
};

struct Link {
    std::uint32_t from = 0, to = 0;
    double rate = 0;    ///< B/s, above 0
    double latency = 0; ///< s, of the wire and the hop behind it
};

struct Topology {
    static constexpr std::size_t kMostVertices = 1u << 16;
    static constexpr std::size_t kMostLinks = 1u << 20;

    std::string title;
    std::vector<Vertex> vertices;
    std::vector<Link> links;
    std::vector<std::uint32_t> ranks; ///< vertex of each rank: the GPUs in order

    std::uint32_t add(VertexKind kind, std::string name);
    /// Two links, one each way.
    void connect(std::uint32_t a, std::uint32_t b, double rate, double latency);
};

/// Links that leave each vertex: of v, `links[first[v]] … links[first[v + 1] - 1]`, in the order of Topology::links.
struct Outgoing {
    std::vector<std::uint32_t> first, links;
};
Outgoing outgoing(const Topology& topology);

enum class TopologyKind {
    Switch,    ///< GPUs on one non-blocking fabric (NVSwitch); nodes on a rail-optimised or fat-tree network
    Pairwise,  ///< pairs of GPUs on NVLink, all GPUs in a PCIe tree
    PcieTree,  ///< two GPUs a PCIe switch, two switches a processor
    CubeMesh,  ///< the hybrid cube mesh of DGX-1: 8 GPUs of 4 (P100) or 6 (V100) NVLinks
    FullMesh,  ///< every GPU of a node on a link to every other one: XGMI
    Ring,      ///< a cable to the next one
    Chain,     ///< a ring without the last cable
    Torus,     ///< dims x, y, z; an axis of length 2 has one cable a pair
    FatTree,   ///< leaves, spines: `gpus` hosts a leaf
    Rails,     ///< GPU i of each node on leaf i; leaves on spines
    Dragonfly, ///< dims: routers a group, hosts a router, cables a router to other groups; all groups there can be
};
/// "switch", "pairwise" … in the order of the enum.
const std::vector<std::string>& topologyKindNames();

/// How nodes of TopologyKind::Switch are joined.
enum class Fabric { Rails, FatTree };

struct TopologyShape {
    TopologyKind kind = TopologyKind::Switch;
    std::uint32_t gpus = 8;   ///< of a node, a ring, a chain; hosts of a leaf
    std::uint32_t nodes = 1;  ///< nodes; leaves of a fat tree
    double rate = 450e9;      ///< B/s one way: of a GPU into its switch, or of one link of a mesh
    double latency = 500e-9;  ///< s, of such a link
    double pcieRate = 25e9;   ///< B/s one way: of a PCIe link
    double hostRate = 20e9;   ///< B/s one way: between processors
    std::uint32_t nics = 8;   ///< of a node, on the network; divides gpus, or is a multiple of it
    double nicRate = 50e9;    ///< B/s one way: of a network card
    double netLatency = 1e-6; ///< s, of a network cable and the switch behind it
    Fabric fabric = Fabric::Rails;
    std::uint32_t spines = 0;                   ///< switches above the leaves; 0: ports down over oversubscription
    double oversubscription = 1;                ///< ports down over ports up of a leaf, from 1
    std::array<std::uint32_t, 3> dims{4, 4, 1}; ///< of a torus or dragonfly
};

/// Errors: "bad-topology" with the value, what does not fit and what would; also where there would be more than 16,384
/// GPUs, or more vertices or links than a Topology may have.
Result<Topology> makeTopology(const TopologyShape& shape);

/// {"title": …, "vertices": [{"id": "gpu0", "kind": "gpu"}, …], "links": [{"from": "gpu0", "to": "sw", "rate": 450e9,
/// "latency": 5e-7, "both": true}, …]}. Kinds: gpu switch nic cpu. `both` is true and `latency` 0 where they are left
/// out. Errors: "bad-topology" with place and fix: no JSON, more than 4,096 vertices or 65,536 links, no GPU, names
/// twice or unknown, rates that are no number above 0 (at most 1e15), GPUs that no path joins.
Result<Topology> parseTopology(std::string_view text, const std::string& place);

/// Errors: "bad-topology": two GPUs between which there is no path, with their names.
Result<void> checkConnected(const Topology& topology);

/// Most that can flow from one vertex to another, B/s, when every vertex passes on what it gets: Dinic's algorithm on
/// whole B/s, which is exact. 0 where nothing joins them; 0 of a vertex to itself.
double maxFlow(const Topology& topology, std::uint32_t from, std::uint32_t to);
/// The same from one set of vertices to another that shares none with it.
double maxFlow(const Topology& topology, std::span<const std::uint32_t> from, std::span<const std::uint32_t> to);

struct Bisection {
    double rate = 0;        ///< B/s one way from one half of the GPUs to the other, the least over halvings
    bool exact = false;     ///< all halvings were tried; else those by blocks of ranks: an upper bound
    std::vector<char> half; ///< of each rank: 1 where it is in the sending half
};
/// Of an odd number the halves differ by one GPU. Up to 12 GPUs all halvings are tried. Fewer than 2 GPUs: 0.
Bisection bisection(const Topology& topology);

} // namespace ridge::cluster
