// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/compile/fusion.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_set>
#include <utility>

namespace ridge::graphs {
namespace {

constexpr double kValueBytes = 4;
constexpr std::size_t kMostPlaces = 32; // of one value that a result needs, in one kernel

/// A node that reads another one's data, through views or not.
struct Edge {
    int from = 0; ///< that has the data
    int seen = 0; ///< what the reader names: `from`, or a view of it
};

/// The other end of an edge.
struct Use {
    int reader = 0;
    std::size_t edge = 0; ///< of the reader's
};

/// A kernel in the making. What the rules ask of it is kept up to date, so that a joining looks at what changes alone.
struct Making {
    std::vector<int> nodes; ///< in order; empty: joined with another
    std::vector<int>
        stores; ///< of them, what is stored, in any order; without a matmul and a reduction all of one size
    int matmul = -1;
    int reductions = 0;
    int reduction = -1;      ///< one of them; they have as many rows of the same length
    bool lastAxis = true;    ///< all of them run over it
    bool seesViews = false;  ///< a node sees another one of the kernel through a view
    std::vector<int> unread; ///< nodes that are not stored and that nobody reads
    std::size_t edges = 0;   ///< of its nodes
    std::size_t uses = 0;    ///< of what it stores
    std::uint32_t version = 0;

    bool elementwise() const { return matmul < 0 && reductions == 0; }
};

/// What runs along the rows of a reduction.
struct Rows {
    std::int64_t count = 0, length = 0; ///< none without a reduction
    bool only = false;                  ///< the elements of a row are not at hand
};

class Fuser {
public:
    Fuser(const Graph& graph, const FusionRules& rules) : m_graph(graph), m_rules(rules)
    {
        const std::size_t n = graph.nodes.size();
        m_edges.resize(n);
        m_uses.resize(n);
        m_kernelOf.assign(n, -1);
        m_held.assign(n, false);
        m_behind.assign(n, false);
        m_source.resize(n);
        m_count.resize(n);
        m_least.resize(n);
        m_outside.assign(n, 0);
        m_storeAt.assign(n, -1);
        m_marked.assign(n, 0);
        m_crossings.assign(n, 0);
        m_places.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const Node& node = graph.nodes[i];
            const bool view = classOf(node) == OpClass::View;
            m_held[i] = node.kept;
            m_count[i] = countOf(node.shape);
            m_source[i] = view ? m_source[at(node.of[0])] : static_cast<int>(i);
            m_least[i] = view ? std::min(m_count[i], m_least[at(node.of[0])]) : m_count[i];
            if (view || classOf(node) == OpClass::Input)
                continue;
            for (const int seen : node.of) {
                const int from = m_source[at(seen)];
                m_uses[at(from)].push_back({static_cast<int>(i), m_edges[i].size()});
                m_edges[i].push_back({from, seen});
            }
            m_kernelOf[i] = static_cast<int>(m_kernels.size());
            m_kernels.emplace_back().nodes = {static_cast<int>(i)};
        }
        for (const int output : graph.outputs)
            m_held[at(m_source[at(output)])] = true;
        for (Making& kernel : m_kernels)
            begin(kernel);
        m_visited.assign(m_kernels.size(), 0);
        m_slots.resize(m_kernels.size());
        std::iota(m_slots.begin(), m_slots.end(), 0);
        m_slotOf = m_slots;
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
    std::int64_t count(int i) const { return m_count[at(i)]; }
    int kernelOf(int n) const { return m_kernelOf[at(n)]; }
    const Edge& edgeOf(const Use& use) const { return m_edges[at(use.reader)][use.edge]; }

    void begin(Making& kernel)
    {
        const int n = kernel.nodes[0];
        kernel.edges = m_edges[at(n)].size();
        kernel.version = ++m_versions;
        m_outside[at(n)] = m_uses[at(n)].size();
        if (isStored(n))
            addStore(kernel, n);
        else
            kernel.unread = {n};
        if (classOf(node(n)) == OpClass::Matmul)
            kernel.matmul = n;
        if (classOf(node(n)) == OpClass::Reduction) {
            kernel.reductions = 1;
            kernel.reduction = n;
            kernel.lastAxis = node(n).axis + 1 == int(node(node(n).of[0]).shape.size());
        }
        m_behind[at(n)] = !kernel.elementwise();
    }

    bool isStored(int n) const { return m_held[at(n)] || m_outside[at(n)] > 0; }
    void addStore(Making& kernel, int n)
    {
        m_storeAt[at(n)] = static_cast<int>(kernel.stores.size());
        kernel.stores.push_back(n);
        kernel.uses += m_uses[at(n)].size();
    }
    void dropStore(Making& kernel, int n)
    {
        const int place = std::exchange(m_storeAt[at(n)], -1);
        kernel.stores[at(place)] = kernel.stores.back();
        if (kernel.stores[at(place)] != n)
            m_storeAt[at(kernel.stores[at(place)])] = place;
        kernel.stores.pop_back();
        kernel.uses -= m_uses[at(n)].size();
    }

    bool joinWithProducers(int reader)
    {
        bool changed = false;
        for (;;) {
            std::vector<int> producers;
            const int own = kernelOf(reader);
            for (const Edge& edge : m_edges[at(reader)])
                if (const int other = kernelOf(edge.from); other >= 0 && other != own)
                    producers.push_back(edge.from);
            std::ranges::sort(producers, std::greater<>());
            const auto found = std::ranges::find_if(producers, [&](int p) { return join(kernelOf(p), own); });
            if (found == producers.end())
                return changed;
            changed = true;
        }
    }

    /// Makes one kernel of two, where the rules allow it; the first makes what the second reads. What they do not allow
    /// stays so until one of the two has grown: no joining of others takes a way between kernels away.
    bool join(int producer, int reader)
    {
        const Making &a = m_kernels[at(producer)], &b = m_kernels[at(reader)];
        const std::uint64_t pair = std::uint64_t{a.version} << 32 | b.version;
        if (m_refused.contains(pair))
            return false;
        if (node(a.nodes[0]).segment == node(b.nodes[0]).segment && oneKernel(producer, reader) &&
            !roundabout(producer, reader)) {
            unite(producer, reader);
            return true;
        }
        m_refused.insert(pair);
        return false;
    }

    void unite(int producer, int reader)
    {
        Making &a = m_kernels[at(producer)], &b = m_kernels[at(reader)];
        for (const Use& use : m_between) {
            const Edge& edge = edgeOf(use);
            --m_outside[at(edge.from)];
            b.seesViews |= edge.seen != edge.from;
            if (!isStored(edge.from) && m_storeAt[at(edge.from)] >= 0)
                dropStore(a, edge.from);
        }
        for (const int n : m_newlyBehind)
            m_behind[at(n)] = true;
        const bool intoFirst = a.nodes.size() > b.nodes.size();
        const int kept = intoFirst ? producer : reader, gone = intoFirst ? reader : producer;
        putInOrder(producer, reader, kept);
        Making &to = m_kernels[at(kept)], &from = m_kernels[at(gone)];
        for (const int n : from.nodes)
            m_kernelOf[at(n)] = kept;
        const auto middle = to.nodes.insert(to.nodes.end(), from.nodes.begin(), from.nodes.end());
        if (*middle < *(middle - 1))
            std::inplace_merge(to.nodes.begin(), middle, to.nodes.end());
        for (const int n : from.stores)
            addStore(to, n);
        to.matmul = std::max(to.matmul, from.matmul);
        to.reductions += from.reductions;
        to.reduction = std::max(to.reduction, from.reduction);
        to.lastAxis = to.lastAxis && from.lastAxis;
        to.seesViews = to.seesViews || from.seesViews;
        to.unread.insert(to.unread.end(), from.unread.begin(), from.unread.end());
        to.edges += from.edges;
        to.version = ++m_versions;
        from = {};
    }

    // ---- what leads where -------------------------------------------------------------------------------------------

    /// Whether a way leads from the producer's kernel through a third one to the reader's. Kernels stand in slots, each
    /// behind those that it reads from, so that only what stands between the two matters. Finds what does and is behind
    /// the producer.
    bool roundabout(int producer, int reader)
    {
        ++m_visit;
        m_behindProducer.clear();
        const auto leads = [&](int from, bool first) {
            for (const int n : m_kernels[at(from)].stores)
                for (const Use& use : m_uses[at(n)]) {
                    const int kernel = kernelOf(use.reader);
                    if (kernel == reader && !first)
                        return true;
                    if (kernel == from || kernel == reader || m_visited[at(kernel)] == m_visit ||
                        m_slotOf[at(kernel)] > m_slotOf[at(reader)])
                        continue;
                    m_visited[at(kernel)] = m_visit;
                    m_behindProducer.push_back(kernel);
                }
            return false;
        };
        leads(producer, true);
        for (std::size_t next = 0; next < m_behindProducer.size(); ++next)
            if (leads(m_behindProducer[next], false))
                return true;
        return false;
    }

    /// Gives the joined kernel, `kept`, a slot: before it what its reader needed, behind it what its producer serves.
    void putInOrder(int producer, int reader, int kept)
    {
        const int first = m_slotOf[at(producer)], last = m_slotOf[at(reader)];
        std::vector<int> before, behind;
        for (int slot = first + 1; slot < last; ++slot)
            if (const int kernel = m_slots[at(slot)]; kernel >= 0)
                (m_visited[at(kernel)] == m_visit ? behind : before).push_back(kernel);
        int slot = last + 1;
        const auto put = [&](int kernel) {
            m_slots[at(--slot)] = kernel;
            if (kernel >= 0)
                m_slotOf[at(kernel)] = slot;
        };
        std::for_each(behind.rbegin(), behind.rend(), put);
        put(kept);
        std::for_each(before.rbegin(), before.rend(), put);
        while (slot > first)
            put(-1);
        if (2 * ++m_emptySlots > m_slots.size())
            closeGaps();
    }

    void closeGaps()
    {
        std::erase(m_slots, -1);
        for (std::size_t slot = 0; slot < m_slots.size(); ++slot)
            m_slotOf[at(m_slots[slot])] = static_cast<int>(slot);
        m_emptySlots = 0;
    }

    /// The edges on which the reader's kernel reads from the producer's.
    void findBetween(int producer, int reader)
    {
        const Making &a = m_kernels[at(producer)], &b = m_kernels[at(reader)];
        for (const Use& use : m_between)
            m_crossings[at(edgeOf(use).from)] = 0;
        m_between.clear();
        if (a.uses <= b.edges) {
            for (const int n : a.stores)
                for (const Use& use : m_uses[at(n)])
                    if (kernelOf(use.reader) == reader)
                        m_between.push_back(use);
        } else {
            for (const int n : b.nodes)
                for (std::size_t e = 0; e < m_edges[at(n)].size(); ++e)
                    if (kernelOf(m_edges[at(n)][e].from) == producer)
                        m_between.push_back({n, e});
        }
        for (const Use& use : m_between)
            ++m_crossings[at(edgeOf(use).from)];
    }

    // ---- the rules --------------------------------------------------------------------------------------------------

    /// Whether the two may be one kernel, each of which is one. Leaves the edges between them and what will be behind a
    /// matmul or a reduction.
    bool oneKernel(int producer, int reader)
    {
        const Making &a = m_kernels[at(producer)], &b = m_kernels[at(reader)];
        const bool matmul = a.matmul >= 0 || b.matmul >= 0, reduction = a.reductions + b.reductions > 0;
        if ((matmul && reduction) || (a.matmul >= 0 && b.matmul >= 0))
            return false;
        const int main = std::max({a.matmul, b.matmul, a.reduction, b.reduction});
        Rows rows;
        if (reduction) {
            rows = {count(main), lengthOf(main), true};
            const bool many = m_rules.rows && a.lastAxis && b.lastAxis && rows.length <= kMostRow;
            if (a.reductions + b.reductions > 1 && !many)
                return false;
            for (const int r : {a.reduction, b.reduction})
                if (r >= 0 && (count(r) != rows.count || lengthOf(r) != rows.length))
                    return false;
            rows.only = !many;
        }
        findBetween(producer, reader);
        // What an elementwise kernel stores is of one size, and what another one stores fits already.
        const bool storesOfFirst = std::ranges::any_of(a.stores, [&](int n) { return staysStored(n); });
        const bool storesOfSecond = !b.stores.empty();
        const auto fits = [&](const Making& kernel) {
            const std::int64_t size = count(kernel.stores[0]);
            return !kernel.elementwise() || size == count(main) || (reduction && size == rows.count * rows.length);
        };
        if (main < 0 && storesOfFirst && storesOfSecond && count(a.stores[0]) != count(b.stores[0]))
            return false;
        if (main >= 0 && ((storesOfFirst && !fits(a)) || (storesOfSecond && !fits(b))))
            return false;
        return followsMain(b, reader, rows) && allServe(a, b) && staysSmall(producer, reader);
    }

    /// What is stored of the two once they are one kernel.
    bool staysStored(int n) const { return m_held[at(n)] || m_outside[at(n)] > m_crossings[at(n)]; }

    /// Whether a matmul of the second reads from memory, and what is behind the matmul or the reductions of the first,
    /// now of the second too, needs of them only what is at the same place or of the same row.
    bool followsMain(const Making& b, int reader, const Rows& rows)
    {
        m_newlyBehind.clear();
        ++m_mark;
        const auto follows = [&](const Use& use) {
            const Edge& edge = edgeOf(use);
            if (rows.count > 0 ? !sameRow(edge, use.reader, rows) : !oneToOne(edge.seen, use.reader))
                return false;
            if (!m_behind[at(use.reader)] && std::exchange(m_marked[at(use.reader)], m_mark) != m_mark)
                m_newlyBehind.push_back(use.reader);
            return true;
        };
        for (const Use& use : m_between)
            if (use.reader == b.matmul || (m_behind[at(edgeOf(use).from)] && !follows(use)))
                return false;
        for (std::size_t next = 0; next < m_newlyBehind.size(); ++next)
            for (const Use& use : m_uses[at(m_newlyBehind[next])])
                if (kernelOf(use.reader) == reader && !follows(use))
                    return false;
        return true;
    }

    /// Whether in a kernel with a matmul or a reduction each node is behind it, or makes what it or one behind it
    /// reads. It is so in each of the two that has one; of elementwise operators those count that none of them reads.
    bool allServe(const Making& a, const Making& b) const
    {
        if (a.elementwise() == b.elementwise())
            return true;
        const auto isReadInside = [&](int n) { return m_outside[at(n)] < m_uses[at(n)].size(); };
        if (a.elementwise())
            return a.unread.empty() &&
                   std::ranges::all_of(a.stores, [&](int n) { return isReadInside(n) || m_crossings[at(n)] > 0; });
        const auto isBehind = [&](int n) { return m_marked[at(n)] == m_mark; };
        return std::ranges::all_of(b.unread, isBehind) &&
               std::ranges::all_of(b.stores, [&](int n) { return isReadInside(n) || isBehind(n); });
    }

    /// Whether no result needs too many elements of one value that the kernel makes: each would be computed anew.
    bool staysSmall(int producer, int reader)
    {
        const Making &a = m_kernels[at(producer)], &b = m_kernels[at(reader)];
        const auto seesView = [&](const Use& use) { return edgeOf(use).seen != edgeOf(use).from; };
        if (!a.seesViews && !b.seesViews && std::ranges::none_of(m_between, seesView))
            return true;
        std::vector<int> both;
        both.reserve(a.nodes.size() + b.nodes.size());
        std::ranges::merge(a.nodes, b.nodes, std::back_inserter(both));
        for (const int n : both)
            m_places[at(n)].clear();
        // Of a node: the ways by which a result comes to it.
        const auto add = [&](int n, std::size_t place) {
            std::vector<std::size_t>& places = m_places[at(n)];
            if (std::ranges::find(places, place) == places.end())
                places.push_back(place);
            return places.size() <= kMostPlaces;
        };
        for (auto n = both.rbegin(); n != both.rend(); ++n) {
            if (staysStored(*n) && !add(*n, 0))
                return false;
            for (const Edge& edge : m_edges[at(*n)]) {
                if (const int kernel = kernelOf(edge.from); kernel != producer && kernel != reader)
                    continue;
                const bool same = edge.seen == edge.from && classOf(node(*n)) == OpClass::Elementwise;
                for (const std::size_t place : m_places[at(*n)])
                    if (!add(edge.from, same ? place : next(place, edge.seen)))
                        return false;
            }
        }
        return true;
    }
    static std::size_t next(std::size_t place, int view)
    {
        return (place + at(view) + 1) * 0x9e3779b97f4a7c15U ^ (place >> 29);
    }

    /// Each element of the other follows from one of the same place or of a permuted one.
    bool oneToOne(int seen, int reader) const
    {
        for (int v = seen; classOf(node(v)) == OpClass::View; v = node(v).of[0])
            if (count(v) != count(node(v).of[0]))
                return false;
        return count(seen) == count(reader);
    }

    // What runs along the rows of a reduction: a value for each element of a row, or one for each row.
    enum class Place { Neither, Element, Row };

    Place placeOf(int n, const Rows& rows) const
    {
        const Shape& shape = node(n).shape;
        if (!rows.only && count(n) == rows.count * rows.length && !shape.empty() && shape.back() == rows.length)
            return Place::Element;
        return count(n) == rows.count ? Place::Row : Place::Neither;
    }

    /// Whether the reader, at an element or a row, needs of `edge` what is at the same element or of the same row.
    bool sameRow(const Edge& edge, int reader, const Rows& rows) const
    {
        std::vector<int> views;
        for (int v = edge.seen; v != edge.from; v = node(v).of[0])
            views.push_back(v);
        Place place = placeOf(edge.from, rows);
        for (auto v = views.rbegin(); v != views.rend(); ++v) {
            const Shape &was = node(node(*v).of[0]).shape, &is = node(*v).shape;
            if (node(*v).op == Op::Reshape || movesNothing(*v)) {
                if (place == Place::Element && is.back() != rows.length)
                    return false;
            } else if (node(*v).op == Op::Expand) {
                if (was == is)
                    continue;
                if (!stretchesLast(was, is, rows.length) || place != Place::Row || rows.only)
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
        const Place own = placeOf(reader, rows);
        if (own == place && count(edge.seen) == count(reader))
            return true;
        return own == Place::Element && place == Place::Row &&
               stretchesLast(node(edge.seen).shape, node(reader).shape, rows.length);
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

    std::int64_t lengthOf(int reduction) const { return node(node(reduction).of[0]).shape[at(node(reduction).axis)]; }

    // ---- the result -------------------------------------------------------------------------------------------------

    Schedule ordered() const
    {
        // A kernel comes when all that it reads is there; of several the one whose last operator is first.
        std::vector<int> waits(m_kernels.size(), 0);
        std::vector<std::set<int>> next(m_kernels.size());
        for (std::size_t k = 0; k < m_kernels.size(); ++k)
            for (const int n : m_kernels[k].stores)
                for (const Use& use : m_uses[at(n)])
                    if (const int other = kernelOf(use.reader); other != int(k) && next[k].insert(other).second)
                        ++waits[at(other)];
        const auto key = [&](std::size_t k) {
            const int last = m_kernels[k].nodes.back();
            return std::tuple(node(last).segment, last, k);
        };
        std::set<std::tuple<int, int, std::size_t>> ready;
        for (std::size_t k = 0; k < m_kernels.size(); ++k)
            if (!m_kernels[k].nodes.empty() && waits[k] == 0)
                ready.insert(key(k));
        Schedule schedule;
        while (!ready.empty()) {
            const std::size_t k = std::get<2>(*ready.begin());
            ready.erase(ready.begin());
            schedule.kernels.push_back(made(m_kernels[k].nodes));
            for (const int other : next[k])
                if (--waits[at(other)] == 0)
                    ready.insert(key(at(other)));
        }
        return schedule;
    }

    Kernel made(const std::vector<int>& set) const
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
            if (isStored(n)) {
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
            if (isStored(*n))
                share = 1;
            else if (const auto found = throughView.find(*n); found != throughView.end())
                share = std::min(1.0, sumOf(found->second) / static_cast<double>(count(*n)));
            for (const Edge& edge : m_edges[at(*n)]) {
                // A value that is stretched over the reader is needed whole.
                const bool stretched = count(edge.seen) < count(*n);
                const bool whole = classOf(node(*n)) != OpClass::Elementwise || stretched;
                double& most = throughView[edge.from][edge.seen];
                most = std::max(most, (whole ? 1 : share) * static_cast<double>(m_least[at(edge.seen)]));
            }
        }
        for (const auto& [from, ways] : throughView) {
            if (std::ranges::binary_search(kernel.nodes, from))
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
    // Of a node:
    std::vector<std::vector<Edge>> m_edges;         ///< what it reads
    std::vector<std::vector<Use>> m_uses;           ///< who reads it
    std::vector<int> m_source;                      ///< whose data it shows
    std::vector<std::int64_t> m_count, m_least;     ///< elements; the fewest on the way of views to the source
    std::vector<int> m_kernelOf;                    ///< -1: input or view
    std::vector<std::size_t> m_outside;             ///< uses by other kernels
    std::vector<int> m_storeAt;                     ///< where in Making::stores; -1: not there
    std::vector<bool> m_held;                       ///< stored whoever reads it
    std::vector<bool> m_behind;                     ///< a matmul or a reduction of its kernel, or behind one
    std::vector<std::uint32_t> m_marked;            ///< `m_mark`: would be behind one
    std::vector<std::size_t> m_crossings;           ///< of its uses, those in `m_between`
    std::vector<std::vector<std::size_t>> m_places; ///< for staysSmall alone
    // Of a kernel:
    std::vector<Making> m_kernels;
    std::vector<int> m_slotOf;
    std::vector<std::uint32_t> m_visited; ///< `m_visit`: in `m_behindProducer`
    std::vector<int> m_slots;             ///< kernels, each behind those that it reads from; -1: empty
    std::size_t m_emptySlots = 0;
    std::unordered_set<std::uint64_t> m_refused; ///< pairs of versions
    std::uint32_t m_versions = 0, m_mark = 0, m_visit = 0;
    // Of the two that may be joined:
    std::vector<Use> m_between;
    std::vector<int> m_newlyBehind;
    std::vector<int> m_behindProducer;
};

} // namespace

double Schedule::bytes() const
{
    double sum = 0;
    for (const Kernel& kernel : kernels)
        sum += kernel.bytes();
    return sum;
}

double Schedule::flops() const
{
    double sum = 0;
    for (const Kernel& kernel : kernels)
        sum += kernel.flops;
    return sum;
}

Schedule scheduleGraph(const Graph& graph, const FusionRules& rules)
{
    return Fuser(graph, rules).run();
}

double flopsOf(const Graph& graph, int node)
{
    const Node& at = graph.nodes[static_cast<std::size_t>(node)];
    const auto count = [&](int n) {
        return static_cast<double>(countOf(graph.nodes[static_cast<std::size_t>(n)].shape));
    };
    switch (classOf(at)) {
    case OpClass::Elementwise:
        return count(node);
    case OpClass::Reduction:
        return count(at.of[0]);
    case OpClass::Matmul:
        return 2 * count(node) * static_cast<double>(graph.nodes[static_cast<std::size_t>(at.of[0])].shape.back());
    default:
        return 0;
    }
}

} // namespace ridge::graphs
