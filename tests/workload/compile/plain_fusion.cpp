// SPDX-License-Identifier: GPL-3.0-or-later
#include "plain_fusion.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ridge::test {

using namespace graphs;

namespace {

constexpr double kValueBytes = 4;
constexpr std::size_t kMostPlaces = 32; // of one value that a result needs, in one kernel

/// A node that reads another one's data, through views or not.
struct Edge {
    int from = 0; ///< that has the data
    int seen = 0; ///< what the reader names: `from`, or a view of it
};

class Fuser {
public:
    Fuser(const Graph& graph, const FusionRules& rules) : m_graph(graph), m_rules(rules)
    {
        const std::size_t n = graph.nodes.size();
        m_edges.resize(n);
        m_readers.resize(n);
        m_kernelOf.assign(n, -1);
        m_held.assign(n, false);
        for (std::size_t i = 0; i < n; ++i) {
            const Node& node = graph.nodes[i];
            m_held[i] = node.kept;
            if (classOf(node) == OpClass::Input || classOf(node) == OpClass::View)
                continue;
            for (const int seen : node.of) {
                const int from = sourceOf(graph, seen);
                m_edges[i].push_back({from, seen});
                m_readers[at(from)].push_back(static_cast<int>(i));
            }
            m_kernelOf[i] = static_cast<int>(m_sets.size());
            m_sets.push_back({static_cast<int>(i)});
        }
        for (const int output : graph.outputs)
            m_held[at(sourceOf(graph, output))] = true;
    }

    Schedule run()
    {
        for (bool changed = m_rules.fuse; changed;) {
            changed = false;
            for (std::size_t i = 0; i < m_graph.nodes.size(); ++i)
                if (m_kernelOf[i] >= 0)
                    changed |= joinWithProducers(static_cast<int>(i));
        }
        return ordered();
    }

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    const Node& node(int i) const { return m_graph.nodes[at(i)]; }
    std::int64_t count(int i) const { return countOf(node(i).shape); }

    bool joinWithProducers(int reader)
    {
        bool changed = false;
        for (;;) {
            std::vector<int> producers;
            const int own = m_kernelOf[at(reader)];
            for (const Edge& edge : m_edges[at(reader)])
                if (const int other = m_kernelOf[at(edge.from)]; other >= 0 && other != own)
                    producers.push_back(edge.from);
            std::ranges::sort(producers, std::greater<>());
            const auto found = std::ranges::find_if(producers, [&](int p) { return join(m_kernelOf[at(p)], own); });
            if (found == producers.end())
                return changed;
            changed = true;
        }
    }

    /// Makes one kernel of two, where the rules allow it; the first makes what the second reads.
    bool join(int producer, int reader)
    {
        const std::vector<int>&a = m_sets[at(producer)], &b = m_sets[at(reader)];
        if (node(a[0]).segment != node(b[0]).segment)
            return false;
        std::vector<int> both;
        std::ranges::merge(a, b, std::back_inserter(both));
        if (!oneKernel(both) || roundabout(producer, reader))
            return false;
        for (const int each : a)
            m_kernelOf[at(each)] = reader;
        m_sets[at(producer)].clear();
        m_sets[at(reader)] = std::move(both);
        return true;
    }

    /// Whether a way leads from the producer's kernel through a third one to the reader's.
    bool roundabout(int producer, int reader) const
    {
        std::vector<bool> seen(m_sets.size(), false);
        std::vector<int> todo;
        const auto step = [&](int from, bool first) {
            for (const int n : m_sets[at(from)])
                for (const int to : m_readers[at(n)]) {
                    const int kernel = m_kernelOf[at(to)];
                    if (kernel == from || (first && kernel == reader) || seen[at(kernel)])
                        continue;
                    seen[at(kernel)] = true;
                    todo.push_back(kernel);
                }
        };
        step(producer, true);
        while (!todo.empty()) {
            const int kernel = todo.back();
            todo.pop_back();
            if (kernel == reader)
                return true;
            step(kernel, false);
        }
        return false;
    }

    static bool has(const std::vector<int>& set, int n) { return std::ranges::binary_search(set, n); }

    bool storedOutside(const std::vector<int>& set, int n) const
    {
        return m_held[at(n)] || std::ranges::any_of(m_readers[at(n)], [&](int reader) { return !has(set, reader); });
    }

    /// Whether no result needs too many elements of one value that the kernel makes: each would be computed anew.
    bool staysSmall(const std::vector<int>& set) const
    {
        const auto isSeenElsewhere = [&](const Edge& edge) { return edge.seen != edge.from && has(set, edge.from); };
        if (std::ranges::none_of(set, [&](int n) { return std::ranges::any_of(m_edges[at(n)], isSeenElsewhere); }))
            return true;
        std::map<int, std::set<std::size_t>> places; // of a node: the ways by which a result comes to it
        for (auto n = set.rbegin(); n != set.rend(); ++n) {
            std::set<std::size_t>& own = places[*n];
            if (storedOutside(set, *n))
                own.insert(0);
            if (own.size() > kMostPlaces)
                return false;
            for (const Edge& edge : m_edges[at(*n)]) {
                if (!has(set, edge.from))
                    continue;
                const bool same = edge.seen == edge.from && classOf(node(*n)) == OpClass::Elementwise;
                for (const std::size_t place : own)
                    places[edge.from].insert(same ? place : next(place, edge.seen));
            }
        }
        return true;
    }
    static std::size_t next(std::size_t place, int view)
    {
        return (place + at(view) + 1) * 0x9e3779b97f4a7c15U ^ (place >> 29);
    }

    bool oneKernel(const std::vector<int>& set) const
    {
        if (!staysSmall(set))
            return false;
        std::vector<int> matmuls, reductions;
        for (const int n : set) {
            if (classOf(node(n)) == OpClass::Matmul)
                matmuls.push_back(n);
            if (classOf(node(n)) == OpClass::Reduction)
                reductions.push_back(n);
        }
        if (matmuls.size() + (reductions.empty() ? 0 : 1) > 1)
            return false;
        std::vector<std::int64_t> stored;
        for (const int n : set)
            if (storedOutside(set, n))
                stored.push_back(count(n));
        if (!matmuls.empty())
            return isProduct(set, matmuls[0], stored);
        if (!reductions.empty())
            return isReduction(set, reductions, stored);
        return std::ranges::all_of(stored, [&](std::int64_t s) { return s == stored[0]; });
    }

    /// Each element of the other follows from one of the same place or of a permuted one.
    bool oneToOne(int seen, int reader) const
    {
        for (int v = seen; classOf(node(v)) == OpClass::View; v = node(v).of[0])
            if (count(v) != count(node(v).of[0]))
                return false;
        return count(seen) == count(reader);
    }

    bool isProduct(const std::vector<int>& set, int matmul, const std::vector<std::int64_t>& stored) const
    {
        for (const Edge& edge : m_edges[at(matmul)])
            if (has(set, edge.from))
                return false;
        for (const std::int64_t s : stored)
            if (s != count(matmul))
                return false;
        std::set<int> after{matmul};
        for (const int n : set)
            for (const Edge& edge : m_edges[at(n)])
                if (after.contains(edge.from)) {
                    if (!oneToOne(edge.seen, n))
                        return false;
                    after.insert(n);
                }
        return allServe(set, std::move(after));
    }

    /// Whether each of a set is behind one of `after`, or makes what one of these reads.
    bool allServe(const std::vector<int>& set, std::set<int> after) const
    {
        for (auto n = set.rbegin(); n != set.rend(); ++n)
            if (!after.contains(*n)) {
                if (std::ranges::none_of(m_readers[at(*n)], [&](int r) { return has(set, r) && after.contains(r); }))
                    return false;
                after.insert(*n);
            }
        return true;
    }

    // What runs along the rows of a reduction: a value for each element of a row, or one for each row.
    enum class Place { Neither, Element, Row };

    Place placeOf(int n, std::int64_t rows, std::int64_t length, bool rowsOnly) const
    {
        const Shape& shape = node(n).shape;
        if (!rowsOnly && countOf(shape) == rows * length && !shape.empty() && shape.back() == length)
            return Place::Element;
        return countOf(shape) == rows ? Place::Row : Place::Neither;
    }

    /// Whether the reader, at an element or a row, needs of `edge` what is at the same element or of the same row.
    bool sameRow(const Edge& edge, int reader, std::int64_t rows, std::int64_t length, bool rowsOnly) const
    {
        std::vector<int> views;
        for (int v = edge.seen; v != edge.from; v = node(v).of[0])
            views.push_back(v);
        Place place = placeOf(edge.from, rows, length, rowsOnly);
        for (auto v = views.rbegin(); v != views.rend(); ++v) {
            const Shape &was = node(node(*v).of[0]).shape, &is = node(*v).shape;
            if (node(*v).op == Op::Reshape || movesNothing(*v)) {
                if (place == Place::Element && is.back() != length)
                    return false;
            } else if (node(*v).op == Op::Expand) {
                if (was == is)
                    continue;
                if (!stretchesLast(was, is, length) || place != Place::Row || rowsOnly)
                    return false;
                place = Place::Element;
            } else {
                return false;
            }
        }
        if (place == Place::Neither)
            return false;
        if (classOf(node(reader)) == OpClass::Reduction)
            return place == Place::Element && node(reader).axis + 1 == int(node(edge.seen).shape.size());
        const Place own = placeOf(reader, rows, length, rowsOnly);
        if (own == place && count(edge.seen) == count(reader))
            return true;
        return own == Place::Element && place == Place::Row &&
               stretchesLast(node(edge.seen).shape, node(reader).shape, length);
    }

    /// A view that leaves each element at its place in memory: it permutes axes of size 1 alone, or takes a slice
    /// whole.
    bool movesNothing(int view) const
    {
        const Shape& was = node(node(view).of[0]).shape;
        if (node(view).op == Op::Slice)
            return node(view).shape == was;
        if (node(view).op != Op::Permute)
            return false;
        int last = -1;
        for (const int axis : node(view).axes)
            if (was[at(axis)] != 1 && std::exchange(last, axis) > axis)
                return false;
        return true;
    }

    /// Whether `is` is `was` with the last axis drawn from 1 to `length`.
    static bool stretchesLast(const Shape& was, const Shape& is, std::int64_t length)
    {
        if (was.empty()) // the one number of the one row
            return countOf(is) == length && !is.empty() && is.back() == length;
        if (is.empty() || was.back() != 1 || is.back() != length)
            return false;
        // The axes before the last, those of size 1 at the front left out.
        const auto from = [](const Shape& shape) {
            return std::find_if(shape.begin(), shape.end() - 1, [](std::int64_t s) { return s != 1; });
        };
        return std::equal(from(was), was.end() - 1, from(is), is.end() - 1);
    }

    bool isReduction(const std::vector<int>& set, const std::vector<int>& reductions,
                     const std::vector<std::int64_t>& stored) const
    {
        const int first = reductions[0];
        const std::int64_t rows = count(first), length = lengthOf(first);
        const bool lastAxis = std::ranges::all_of(
            reductions, [&](int r) { return node(r).axis + 1 == int(node(node(r).of[0]).shape.size()); });
        const bool many = m_rules.rows && lastAxis && length <= kMostRow;
        if (reductions.size() > 1 && !many)
            return false;
        for (const int r : reductions)
            if (count(r) != rows || lengthOf(r) != length)
                return false;
        for (const std::int64_t s : stored)
            if (s != rows && s != rows * length)
                return false;
        std::set<int> after;
        for (const int n : set) {
            bool behind = false;
            for (const Edge& edge : m_edges[at(n)])
                if (after.contains(edge.from)) {
                    if (!sameRow(edge, n, rows, length, !many))
                        return false;
                    behind = true;
                }
            if (behind || classOf(node(n)) == OpClass::Reduction)
                after.insert(n);
        }
        return allServe(set, std::move(after));
    }

    std::int64_t lengthOf(int reduction) const { return node(node(reduction).of[0]).shape[at(node(reduction).axis)]; }

    // ---- the result -------------------------------------------------------------------------------------------------

    Schedule ordered() const
    {
        // A kernel comes when all that it reads is there; of several the one whose last operator is first.
        std::vector<int> waits(m_sets.size(), 0);
        std::vector<std::set<int>> next(m_sets.size());
        for (std::size_t k = 0; k < m_sets.size(); ++k)
            for (const int n : m_sets[k])
                for (const int to : m_readers[at(n)])
                    if (const int other = m_kernelOf[at(to)]; other != int(k) && next[k].insert(other).second)
                        ++waits[at(other)];
        const auto key = [&](std::size_t k) { return std::tuple(node(m_sets[k].back()).segment, m_sets[k].back(), k); };
        std::set<std::tuple<int, int, std::size_t>> ready;
        for (std::size_t k = 0; k < m_sets.size(); ++k)
            if (!m_sets[k].empty() && waits[k] == 0)
                ready.insert(key(k));
        Schedule schedule;
        while (!ready.empty()) {
            const std::size_t k = std::get<2>(*ready.begin());
            ready.erase(ready.begin());
            schedule.kernels.push_back(kernelOf(m_sets[k]));
            for (const int other : next[k])
                if (--waits[at(other)] == 0)
                    ready.insert(key(at(other)));
        }
        return schedule;
    }

    Kernel kernelOf(const std::vector<int>& set) const
    {
        Kernel kernel;
        kernel.nodes = set;
        kernel.segment = node(set[0]).segment;
        for (const int n : set) {
            kernel.flops += flopsOf(m_graph, n);
            if (classOf(node(n)) == OpClass::Matmul) {
                kernel.kind = KernelKind::Matmul;
                kernel.matmul = n;
            }
            if (classOf(node(n)) == OpClass::Reduction) {
                kernel.kind = KernelKind::Reduction;
                kernel.rows = count(n);
                kernel.length = lengthOf(n);
            }
            if (storedOutside(set, n)) {
                kernel.stores.push_back(n);
                kernel.bytesWritten += kValueBytes * static_cast<double>(count(n));
            }
        }
        countReads(kernel);
        return kernel;
    }

    /// How many elements of each value are needed, from what is stored backwards. Edges that see a value through the
    /// same view need the same elements, others are taken to need different ones.
    void countReads(Kernel& kernel) const
    {
        std::map<int, std::map<int, double>> throughView; // of a source, by what is seen
        for (auto n = kernel.nodes.rbegin(); n != kernel.nodes.rend(); ++n) {
            double share = 0;
            if (std::ranges::find(kernel.stores, *n) != kernel.stores.end())
                share = 1;
            else if (const auto found = throughView.find(*n); found != throughView.end())
                share = std::min(1.0, sumOf(found->second) / static_cast<double>(count(*n)));
            for (const Edge& edge : m_edges[at(*n)]) {
                std::int64_t least = count(edge.from);
                for (int v = edge.seen; v != edge.from; v = node(v).of[0])
                    least = std::min(least, count(v));
                // A value that is stretched over the reader is needed whole.
                const bool stretched = count(edge.seen) < count(*n);
                const bool whole = classOf(node(*n)) != OpClass::Elementwise || stretched;
                double& most = throughView[edge.from][edge.seen];
                most = std::max(most, (whole ? 1 : share) * static_cast<double>(least));
            }
        }
        for (const auto& [from, ways] : throughView) {
            if (has(kernel.nodes, from))
                continue;
            kernel.reads.push_back(from);
            kernel.bytesRead += kValueBytes * std::min(sumOf(ways), static_cast<double>(count(from)));
        }
    }

    static double sumOf(const std::map<int, double>& ways)
    {
        double sum = 0;
        for (const auto& [seen, elements] : ways)
            sum += elements;
        return sum;
    }

    const Graph& m_graph;
    const FusionRules& m_rules;
    std::vector<std::vector<Edge>> m_edges;  ///< of a node: what it reads
    std::vector<std::vector<int>> m_readers; ///< of a node: who reads it
    std::vector<std::vector<int>> m_sets;    ///< a kernel's nodes in order; empty: joined with another
    std::vector<int> m_kernelOf;             ///< -1: input or view
    std::vector<bool> m_held;                ///< stored whoever reads it
};

} // namespace

graphs::Schedule plainSchedule(const graphs::Graph& graph, const graphs::FusionRules& rules)
{
    return Fuser(graph, rules).run();
}

} // namespace ridge::test
