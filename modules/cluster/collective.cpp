// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/collective.h"

#include "base/seed.h"
#include "cluster/links.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ridge::cluster {
namespace {

Error bad(const std::string& message, const std::string& place, const std::string& fix)
{
    return Error{"bad-collective", message, place, fix};
}

/// A rank's place in a balanced binary tree over 0 … n - 1 whose inorder is the ranks' order: even places are leaves.
struct Tree {
    std::vector<std::int32_t> parent;
    std::vector<std::uint32_t> depth;
    std::uint32_t height = 0, root = 0;
};

void grow(Tree& tree, std::int32_t low, std::int32_t high, std::int32_t parent, std::uint32_t depth)
{
    if (low >= high)
        return;
    // The root of an interval is its place with the most trailing zeros counted from 1: odd places of the whole are
    // inner.
    std::int32_t root = low;
    for (std::int32_t i = low; i < high; ++i)
        if (std::countr_zero(static_cast<std::uint32_t>(i + 1)) >
            std::countr_zero(static_cast<std::uint32_t>(root + 1)))
            root = i;
    tree.parent[static_cast<std::size_t>(root)] = parent;
    tree.depth[static_cast<std::size_t>(root)] = depth;
    tree.height = std::max(tree.height, depth);
    if (parent < 0)
        tree.root = static_cast<std::uint32_t>(root);
    grow(tree, low, root, root, depth + 1);
    grow(tree, root + 1, high, root, depth + 1);
}

Tree treeOf(std::uint32_t n)
{
    Tree tree;
    tree.parent.assign(n, -1);
    tree.depth.assign(n, 0);
    grow(tree, 0, static_cast<std::int32_t>(n), -1, 0);
    return tree;
}

/// Steps are filled in any order and laid one after another at the end.
class Builder {
public:
    explicit Builder(const CollectiveShape& shape) { m_schedule.shape = shape; }
    void blocks(std::uint32_t count) { m_schedule.blocks = count; }
    void add(std::uint32_t step, std::uint32_t from, std::uint32_t to, std::uint32_t first, std::uint32_t count,
             bool adds)
    {
        if (step >= m_steps.size())
            m_steps.resize(step + 1);
        m_steps[step].push_back({from, to, first, count, adds});
    }
    Schedule take()
    {
        for (auto& step : m_steps) {
            m_schedule.transfers.insert(m_schedule.transfers.end(), step.begin(), step.end());
            m_schedule.firstOfStep.push_back(static_cast<std::uint32_t>(m_schedule.transfers.size()));
        }
        return std::move(m_schedule);
    }

private:
    Schedule m_schedule;
    std::vector<std::vector<Transfer>> m_steps;
};

/// A ring over the ranks first, first + stride …; its i-th member is left with, or begins with, the i-th of `groups` of
/// `width` blocks each. Gives the next step.
std::uint32_t ringScatter(Builder& b, std::uint32_t step, std::uint32_t first, std::uint32_t stride, std::uint32_t n,
                          std::uint32_t base, std::uint32_t width, std::uint32_t apart)
{
    for (std::uint32_t s = 0; s + 1 < n; ++s)
        for (std::uint32_t i = 0; i < n; ++i)
            b.add(step + s, first + i * stride, first + (i + 1) % n * stride, base + (i + 2 * n - 1 - s) % n * apart,
                  width, true);
    return step + n - 1;
}

std::uint32_t ringGather(Builder& b, std::uint32_t step, std::uint32_t first, std::uint32_t stride, std::uint32_t n,
                         std::uint32_t base, std::uint32_t width, std::uint32_t apart)
{
    for (std::uint32_t s = 0; s + 1 < n; ++s)
        for (std::uint32_t i = 0; i < n; ++i)
            b.add(step + s, first + i * stride, first + (i + 1) % n * stride, base + (i + n - s) % n * apart, width,
                  false);
    return step + n - 1;
}

/// Up a tree with sums and down again, `pieces` blocks from `base` on; ranks are tree places plus `shift` mod n.
void treeReduce(Builder& b, const Tree& tree, std::uint32_t n, std::uint32_t shift, std::uint32_t base,
                std::uint32_t pieces, bool up)
{
    for (std::uint32_t v = 0; v < n; ++v) {
        if (tree.parent[v] < 0)
            continue;
        const std::uint32_t child = (v + shift) % n;
        const std::uint32_t parent = (static_cast<std::uint32_t>(tree.parent[v]) + shift) % n;
        for (std::uint32_t q = 0; q < pieces; ++q) {
            if (up)
                b.add(q + tree.height - tree.depth[v], child, parent, base + q, 1, true);
            b.add(q + (up ? tree.height : 0) + tree.depth[v] - 1, parent, child, base + q, 1, false);
        }
    }
}

void halvingDoubling(Builder& b, const CollectiveShape& shape, std::uint32_t power)
{
    const std::uint32_t extra = shape.ranks - power;
    // Of the first 2 extra ranks the even ones give their data to the odd ones and wait for the result.
    const auto rank = [&](std::uint32_t i) { return i < extra ? 2 * i + 1 : i + extra; };
    std::uint32_t step = 0;
    if (extra > 0 && shape.operation == Operation::AllReduce) {
        for (std::uint32_t i = 0; i < extra; ++i)
            b.add(step, 2 * i, 2 * i + 1, 0, power, true);
        ++step;
    }
    const auto start = [&](std::uint32_t i, std::uint32_t width) { return i / width * width; };
    if (shape.operation != Operation::AllGather)
        for (std::uint32_t width = power / 2; width >= 1; width /= 2, ++step)
            for (std::uint32_t i = 0; i < power; ++i)
                b.add(step, rank(i), rank(i ^ width), start(i ^ width, width), width, true);
    if (shape.operation != Operation::ReduceScatter)
        for (std::uint32_t width = 1; width < power; width *= 2, ++step)
            for (std::uint32_t i = 0; i < power; ++i)
                b.add(step, rank(i), rank(i ^ width), start(i, width), width, false);
    if (extra > 0)
        for (std::uint32_t i = 0; i < extra; ++i)
            b.add(step, 2 * i + 1, 2 * i, 0, power, false);
}

std::uint64_t countOf(const CollectiveShape& s)
{
    const std::uint64_t n = s.ranks;
    switch (s.algorithm) {
    case Algorithm::Ring:
        return s.operation == Operation::Broadcast ? n * s.pieces : 2 * n * n;
    case Algorithm::Direct:
        return n * n;
    case Algorithm::Tree:
        return 2 * n * s.pieces;
    case Algorithm::DoubleTree:
        return 4 * n * s.pieces;
    case Algorithm::HalvingDoubling:
        return 2 * n * 32;
    case Algorithm::Hierarchical:
        return 2 * n * (n / s.nodes + s.nodes);
    case Algorithm::InNetwork:
        return 2 * n * s.pieces;
    }
    return 0;
}

} // namespace

const std::vector<std::string>& operationNames()
{
    static const std::vector<std::string> names{"all_reduce", "all_gather", "reduce_scatter", "alltoall", "broadcast"};
    return names;
}

const std::vector<std::string>& algorithmNames()
{
    static const std::vector<std::string> names{"ring",         "tree", "double_tree", "halving_doubling",
                                                "hierarchical", "nvls", "direct"};
    return names;
}

bool canDo(Algorithm algorithm, Operation operation)
{
    switch (algorithm) {
    case Algorithm::Ring:
        return operation != Operation::AllToAll;
    case Algorithm::Tree:
        return operation == Operation::AllReduce || operation == Operation::Broadcast;
    case Algorithm::DoubleTree:
    case Algorithm::InNetwork:
        return operation == Operation::AllReduce;
    case Algorithm::HalvingDoubling:
    case Algorithm::Hierarchical:
        return operation == Operation::AllReduce || operation == Operation::AllGather ||
               operation == Operation::ReduceScatter;
    case Algorithm::Direct:
        return operation == Operation::AllToAll;
    }
    return false;
}

Result<Schedule> makeSchedule(const CollectiveShape& s)
{
    const auto name = algorithmNames()[static_cast<std::size_t>(s.algorithm)];
    if (s.ranks < 1)
        return bad("there are no ranks", "ranks", "give at least 1");
    if (s.pieces < 1 || s.pieces > 65536)
        return bad(std::to_string(s.pieces) + " pieces", "pieces", "give 1 to 65536");
    if (!canDo(s.algorithm, s.operation))
        return bad(name + " does no " + operationNames()[static_cast<std::size_t>(s.operation)], "algorithm",
                   s.operation == Operation::AllToAll ? "take direct" : "take ring");
    if (s.algorithm == Algorithm::Hierarchical && (s.nodes < 1 || s.ranks % s.nodes != 0))
        return bad(std::to_string(s.nodes) + " nodes do not divide " + std::to_string(s.ranks) + " ranks", "nodes",
                   "give a number that divides the ranks");
    const std::uint32_t power = std::bit_floor(s.ranks);
    if (s.algorithm == Algorithm::HalvingDoubling && power != s.ranks && s.operation != Operation::AllReduce)
        return bad("halving and doubling scatter or gather a power of two of ranks, not " + std::to_string(s.ranks),
                   "ranks", "give " + std::to_string(power) + ", or take ring");
    if (countOf(s) > Schedule::kMostTransfers)
        return Error{"too-many-transfers", std::to_string(countOf(s)) + " transfers or more", "ranks",
                     "take fewer ranks or pieces, or the folded time"};
    Builder b(s);
    const std::uint32_t n = s.ranks;
    const bool scatters = s.operation != Operation::AllGather, gathers = s.operation != Operation::ReduceScatter;
    switch (s.algorithm) {
    case Algorithm::Ring:
        if (s.operation == Operation::Broadcast) {
            b.blocks(s.pieces);
            for (std::uint32_t i = 0; i + 1 < n; ++i)
                for (std::uint32_t q = 0; q < s.pieces; ++q)
                    b.add(i + q, i, i + 1, q, 1, false);
            break;
        }
        b.blocks(n);
        if (n > 1) {
            const std::uint32_t step = scatters ? ringScatter(b, 0, 0, 1, n, 0, 1, 1) : 0;
            if (gathers)
                ringGather(b, step, 0, 1, n, 0, 1, 1);
        }
        break;
    case Algorithm::Tree:
        b.blocks(s.pieces);
        treeReduce(b, treeOf(n), n, 0, 0, s.pieces, s.operation == Operation::AllReduce);
        if (s.operation == Operation::Broadcast && n > 1) { // the root of the tree gets the data of rank 0 first
            const Tree tree = treeOf(n);
            Builder moved(s);
            moved.blocks(s.pieces);
            // Rank 0 takes the root's place and the root the place of rank 0.
            const auto rank = [&](std::uint32_t v) { return v == 0 ? tree.root : v == tree.root ? 0 : v; };
            for (std::uint32_t v = 0; v < n; ++v)
                for (std::uint32_t q = 0; tree.parent[v] >= 0 && q < s.pieces; ++q)
                    moved.add(q + tree.depth[v] - 1, rank(static_cast<std::uint32_t>(tree.parent[v])), rank(v), q, 1,
                              false);
            return moved.take();
        }
        break;
    case Algorithm::DoubleTree: {
        b.blocks(2 * s.pieces);
        const Tree tree = treeOf(n);
        treeReduce(b, tree, n, 0, 0, s.pieces, true);
        treeReduce(b, tree, n, 1, s.pieces, s.pieces, true);
        break;
    }
    case Algorithm::HalvingDoubling:
        b.blocks(power);
        halvingDoubling(b, s, power);
        break;
    case Algorithm::Hierarchical: {
        const std::uint32_t g = n / s.nodes;
        b.blocks(n);
        // GPU i of node m owns block m g + i: the blocks of GPU i lie g apart. A ring step of a node moves those of all
        // nodes, one run each.
        std::uint32_t step = 0;
        if (scatters) {
            for (std::uint32_t node = 0; node < s.nodes; ++node)
                for (std::uint32_t m = 0; m < s.nodes; ++m)
                    if (g > 1)
                        ringScatter(b, step, node * g, 1, g, m * g, 1, 1);
            step += g - 1;
            for (std::uint32_t i = 0; i < g; ++i)
                if (s.nodes > 1)
                    ringScatter(b, step, i, g, s.nodes, i, 1, g);
            step += s.nodes - 1;
        }
        if (gathers) {
            for (std::uint32_t i = 0; i < g; ++i)
                if (s.nodes > 1)
                    ringGather(b, step, i, g, s.nodes, i, 1, g);
            step += s.nodes - 1;
            for (std::uint32_t node = 0; node < s.nodes; ++node)
                for (std::uint32_t m = 0; m < s.nodes; ++m)
                    if (g > 1)
                        ringGather(b, step, node * g, 1, g, m * g, 1, 1);
        }
        break;
    }
    case Algorithm::InNetwork:
        b.blocks(s.pieces);
        for (std::uint32_t i = 0; i < n && n > 1; ++i)
            for (std::uint32_t q = 0; q < s.pieces; ++q) {
                b.add(q, i, n, q, 1, true);
                b.add(q + 1, n, i, q, 1, false);
            }
        break;
    case Algorithm::Direct:
        b.blocks(n);
        for (std::uint32_t step = 1; step < n; ++step)
            for (std::uint32_t i = 0; i < n; ++i)
                b.add(step - 1, i, (i + step) % n, (i + step) % n, 1, false);
        break;
    }
    return b.take();
}

double blockBytes(double bytes, std::uint32_t blocks, std::uint32_t first, std::uint32_t count)
{
    // Whole bytes: block b begins at floor(bytes b / blocks).
    const auto at = [&](std::uint32_t b) { return std::floor(bytes * b / blocks); };
    return at(first + count) - at(first);
}

Result<void> verifySchedule(const Schedule& schedule, std::uint32_t elements, std::uint64_t seed)
{
    const CollectiveShape& s = schedule.shape;
    const std::uint32_t n = s.ranks, blocks = schedule.blocks;
    const std::size_t width = elements; // of a block
    const std::size_t all = width * blocks;
    const auto value = [&](std::uint32_t rank, std::size_t i) {
        return static_cast<std::int64_t>(Rng(seed ^ rank * 0x9e3779b97f4a7c15ull ^ i * 0xbf58476d1ce4e5b9ull).next() >>
                                         24) -
               (std::int64_t{1} << 39);
    };
    std::vector<std::vector<std::int64_t>> data(n + 1, std::vector<std::int64_t>(all, 0)), got(data);
    for (std::uint32_t r = 0; r < n; ++r)
        for (std::size_t i = 0; i < all; ++i)
            if (s.operation == Operation::AllGather   ? i / width == r * blocks / n // its own block alone
                : s.operation == Operation::Broadcast ? r == 0
                                                      : true)
                data[r][i] = value(r, i);
    std::vector<std::int64_t> sent;
    std::vector<std::size_t> place;
    for (std::uint32_t step = 0; step < schedule.steps(); ++step) {
        sent.clear();
        place.clear();
        const auto from = schedule.firstOfStep[step], to = schedule.firstOfStep[step + 1];
        for (auto k = from; k < to; ++k) { // all read before any writes
            const Transfer& t = schedule.transfers[k];
            place.push_back(sent.size());
            const auto& source = data[t.from];
            sent.insert(sent.end(), source.begin() + static_cast<std::ptrdiff_t>(t.first * width),
                        source.begin() + static_cast<std::ptrdiff_t>((t.first + t.count) * width));
        }
        for (auto k = from; k < to; ++k) {
            const Transfer& t = schedule.transfers[k];
            // Of an all-to-all what comes from rank r lies at r.
            auto& target = s.operation == Operation::AllToAll ? got[t.to] : data[t.to];
            const std::size_t first = (s.operation == Operation::AllToAll ? t.from : t.first) * width;
            for (std::size_t i = 0; i < t.count * width; ++i) {
                const std::int64_t one = sent[place[k - from] + i];
                target[first + i] = t.adds ? target[first + i] + one : one;
            }
        }
    }
    std::vector<std::int64_t> sum(all, 0);
    if (s.operation == Operation::AllReduce || s.operation == Operation::ReduceScatter)
        for (std::uint32_t r = 0; r < n; ++r)
            for (std::size_t i = 0; i < all; ++i)
                sum[i] += value(r, i);
    for (std::uint32_t r = 0; r < n; ++r)
        for (std::size_t i = 0; i < all; ++i) {
            std::int64_t wanted = 0, have = data[r][i];
            const std::size_t block = i / width;
            switch (s.operation) {
            case Operation::AllReduce:
                wanted = sum[i];
                break;
            case Operation::ReduceScatter:
                if (block != r)
                    continue;
                wanted = sum[i];
                break;
            case Operation::AllGather:
                wanted = value(static_cast<std::uint32_t>(block), i);
                break;
            case Operation::Broadcast:
                wanted = value(0, i);
                break;
            case Operation::AllToAll:
                if (block == r)
                    continue; // stays where it is
                have = got[r][i];
                wanted = value(static_cast<std::uint32_t>(block), r * width + i % width);
                break;
            }
            if (have != wanted)
                return Error{"wrong-sum",
                             "rank " + std::to_string(r) + " has " + std::to_string(have) + " where " +
                                 std::to_string(wanted) + " belongs",
                             "element " + std::to_string(i), "the schedule is wrong: report it"};
        }
    return {};
}

double busFactor(Operation operation, std::uint32_t ranks)
{
    const double n = ranks;
    switch (operation) {
    case Operation::AllReduce:
        return 2 * (n - 1) / n;
    case Operation::AllGather:
    case Operation::ReduceScatter:
    case Operation::AllToAll:
        return (n - 1) / n;
    case Operation::Broadcast:
        break;
    }
    return 1;
}

Result<CollectiveTimes> timeSchedule(const Topology& topology, const Schedule& schedule,
                                     const CollectiveOptions& options)
{
    const std::uint32_t n = schedule.shape.ranks;
    if (topology.ranks.size() < n)
        return bad(std::to_string(n) + " ranks on " + std::to_string(topology.ranks.size()) + " GPUs", "ranks",
                   "give at most " + std::to_string(topology.ranks.size()));
    std::vector<std::uint32_t> vertex(topology.ranks.begin(), topology.ranks.begin() + n);
    vertex.push_back(0);
    if (schedule.shape.algorithm == Algorithm::InNetwork) {
        const auto found = std::find_if(topology.vertices.begin(), topology.vertices.end(),
                                        [](const Vertex& v) { return v.kind == VertexKind::Switch; });
        if (found == topology.vertices.end())
            return bad("there is no switch that could add", "algorithm", "take ring");
        vertex[n] = static_cast<std::uint32_t>(found - topology.vertices.begin());
    }
    CollectiveTimes result;
    Router router(topology);
    // Of each rank: what it got and sent last, all of one step.
    struct Last {
        std::uint32_t step = 0;
        std::vector<std::uint32_t> now, before;
    };
    std::vector<Last> last(n + 1);
    std::vector<std::uint32_t> path, after;
    const auto note = [&](std::uint32_t rank, std::uint32_t step, std::uint32_t transfer) {
        Last& l = last[rank];
        if (l.step != step) {
            l.before = std::move(l.now);
            l.now.clear();
            l.step = step;
        }
        l.now.push_back(transfer);
    };
    const auto& earlier = [&](std::uint32_t rank, std::uint32_t step) -> const std::vector<std::uint32_t>& {
        return last[rank].step == step ? last[rank].before : last[rank].now;
    };
    for (std::uint32_t step = 0; step < schedule.steps(); ++step)
        for (auto k = schedule.firstOfStep[step]; k < schedule.firstOfStep[step + 1]; ++k) {
            const Transfer& t = schedule.transfers[k];
            const auto& sender = earlier(t.from, step + 1);
            after.assign(sender.begin(), sender.end());
            for (const auto one : earlier(t.to, step + 1))
                if (std::find(sender.begin(), sender.end(), one) == sender.end())
                    after.push_back(one);
            router.path(vertex[t.from], vertex[t.to], std::uint64_t{t.from} * (n + 1) + t.to, options.seed, path);
            result.transfers.add(blockBytes(options.bytes, schedule.blocks, t.first, t.count), options.overhead, path,
                                 after);
            note(t.from, step + 1, k);
            note(t.to, step + 1, k);
        }
    auto times = [&] {
        if (!options.packets)
            return simulateFlows(topology, result.transfers, options.flow);
        PacketOptions packets;
        packets.packet = options.packet;
        packets.goOn = options.flow.goOn;
        return simulatePackets(topology, result.transfers, packets);
    }();
    if (!times)
        return times.error();
    result.times = std::move(*times);
    return result;
}

std::uint64_t stepsOf(const CollectiveShape& s)
{
    const std::uint64_t n = s.ranks;
    if (n <= 1)
        return 0;
    const bool both = s.operation == Operation::AllReduce;
    const std::uint64_t log = std::bit_width(n) - 1;
    switch (s.algorithm) {
    case Algorithm::Ring:
        return s.operation == Operation::Broadcast ? n - 2 + s.pieces : (both ? 2 : 1) * (n - 1);
    case Algorithm::Tree:
    case Algorithm::DoubleTree:
        return (both ? 2 : 1) * log + s.pieces - 1;
    case Algorithm::HalvingDoubling:
        return (both ? 2 : 1) * log + (std::has_single_bit(n) ? 0 : 2);
    case Algorithm::Hierarchical:
        return (both ? 2 : 1) * (n / s.nodes - 1 + s.nodes - 1);
    case Algorithm::InNetwork:
        return 1 + s.pieces;
    case Algorithm::Direct:
        return n - 1;
    }
    return 0;
}

double closedForm(const CollectiveShape& s, double bytes, const AlphaBeta& c)
{
    const double n = s.ranks;
    if (s.ranks <= 1)
        return 0;
    const bool both = s.operation == Operation::AllReduce;
    const double added = both || s.operation == Operation::ReduceScatter ? bytes * c.gamma : 0;
    const double latency = static_cast<double>(stepsOf(s)) * c.alpha;
    const double q = s.pieces;
    switch (s.algorithm) {
    case Algorithm::Ring:
        if (s.operation == Operation::Broadcast)
            return latency + (n - 2 + q) * bytes / q / c.beta;
        return latency + (both ? 2 : 1) * (n - 1) / n * bytes / c.beta + (n - 1) / n * added;
    case Algorithm::HalvingDoubling: {
        const double power = std::bit_floor(s.ranks);
        const double fold = power == n ? 0 : 2 * bytes / c.beta + added;
        return latency + (both ? 2 : 1) * (power - 1) / power * bytes / c.beta + (power - 1) / power * added + fold;
    }
    case Algorithm::Direct:
        return latency + (n - 1) / n * bytes / c.beta;
    case Algorithm::InNetwork:
        return latency + (q + 1) * bytes / q / c.beta;
    case Algorithm::Hierarchical: {
        const double m = s.nodes, g = n / m, times = both ? 2 : 1;
        const double between = c.betaBetween > 0 ? c.betaBetween : c.beta;
        return times * ((g - 1) * c.alpha + (m - 1) * (c.alphaBetween > 0 ? c.alphaBetween : c.alpha) +
                        (g - 1) / g * bytes / c.beta + (m - 1) / m * bytes / g / between) +
               (n - 1) / n * added;
    }
    case Algorithm::Tree:
    case Algorithm::DoubleTree: {
        // An inner rank of a full tree gets a piece from two children and one from its parent while both ways overlap;
        // in two trees every rank is inner in one and a leaf in the other. Of three ranks the inner one is the root.
        const double depth = std::floor(std::log2(n));
        const double piece = bytes / q;
        const double children = n > 2 ? 2 : 1;
        if (!both)
            return latency + (depth + q - 1) * children * piece / c.beta;
        const double overlap = std::max(0.0, q - 1);
        const bool one = s.algorithm == Algorithm::Tree;
        const double busy = n > 3 ? (one ? 3 : 2) : n > 2 ? (one ? 2 : 1.5) : 1; // times that a rank gets a piece
        const double once = one ? children : children / 2;
        return latency + (2 * depth * once + overlap * busy) * piece / c.beta + added;
    }
    }
    return 0;
}

} // namespace ridge::cluster
