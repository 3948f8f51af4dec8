// SPDX-License-Identifier: GPL-3.0-or-later
// What a fused kernel does, once for whoever carries it out: graph_cuda.cpp writes it down as CUDA C++,
// graph_values.cpp computes it. Values are asked for from what is stored backwards, each at the index at which its
// reader needs it; a view only changes the index.
//
// A Backend has types Index and Value and
//     Index number(std::int64_t), sum(Index, Index), product(Index, Index), quotient(Index, Index), rest(Index, Index)
//     Value load(int node, Index), apply(const Node&, std::vector<Value>)
//     void store(int node, Index, Value)
//     void elements(std::int64_t count, f)   f(index) for each element; a thread each
//     void rows(std::int64_t rows, f)        f(row) for each row; a block each
//     void columns(std::int64_t length, f)   f(column) for each element of the row
//     void once(f)                           of a row
//     Value fold(Op, std::int64_t length, bool shared, f)   of f(k); shared: by all threads of the block
#pragma once

#include "workload/compile/fusion.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ridge::graphs {

template<class Backend>
class KernelWalk {
public:
    using Index = typename Backend::Index;
    using Value = typename Backend::Value;

    KernelWalk(const Graph& graph, const Kernel& kernel, Backend& backend)
        : m_graph(graph), m_kernel(kernel), m_backend(backend), m_newest(kernel.nodes.size(), -1),
          m_results(kernel.nodes.size())
    {
    }

    void run()
    {
        if (m_kernel.kind == KernelKind::Reduction)
            return reduction();
        const std::int64_t count = countOf(node(m_kernel.stores[0]).shape);
        m_backend.elements(count, [&](const Index& i) {
            for (const int n : m_kernel.stores)
                m_backend.store(n, i, pull(n, unravel(i, node(n).shape)));
            forget(0);
        });
    }

private:
    using Place = std::vector<Index>; ///< an index for each axis

    struct Known {
        std::size_t node; ///< its place in the kernel
        Place place;
        Value value;
        int before; ///< of the same node: the one known before it; -1: none
    };

    void know(std::size_t node, const Place& at, const Value& value)
    {
        const int before = std::exchange(m_newest[node], static_cast<int>(m_known.size()));
        m_known.push_back({node, at, value, before});
    }
    /// All that became known after the first `count`.
    void forget(std::size_t count)
    {
        for (; m_known.size() > count; m_known.pop_back())
            m_newest[m_known.back().node] = m_known.back().before;
    }

    const Node& node(int n) const { return m_graph.nodes[static_cast<std::size_t>(n)]; }

    void reduction()
    {
        m_backend.rows(m_kernel.rows, [&](const Index& row) {
            const Index length = m_backend.number(m_kernel.length);
            for (std::size_t i = 0; i < m_kernel.nodes.size(); ++i)
                if (const int n = m_kernel.nodes[i]; classOf(node(n)) == OpClass::Reduction)
                    m_results[i] = fold(n, unravel(row, node(n).shape), true);
            const auto stored = [&](std::int64_t count) {
                return std::ranges::any_of(m_kernel.stores, [&](int n) { return countOf(node(n).shape) == count; });
            };
            if (m_kernel.length > 1 && stored(m_kernel.rows * m_kernel.length))
                m_backend.columns(m_kernel.length, [&](const Index& column) {
                    const std::size_t before = m_known.size();
                    const Index i = m_backend.sum(m_backend.product(row, length), column);
                    for (const int n : m_kernel.stores)
                        if (countOf(node(n).shape) == m_kernel.rows * m_kernel.length)
                            m_backend.store(n, i, pull(n, unravel(i, node(n).shape)));
                    forget(before);
                });
            if (stored(m_kernel.rows))
                m_backend.once([&] {
                    const std::size_t before = m_known.size();
                    for (const int n : m_kernel.stores)
                        if (countOf(node(n).shape) == m_kernel.rows)
                            m_backend.store(n, row, pull(n, unravel(row, node(n).shape)));
                    forget(before);
                });
            m_results.assign(m_results.size(), std::nullopt);
            forget(0);
        });
    }

    /// A reduction's result at `at`, a place in its own shape.
    Value fold(int n, const Place& at, bool shared)
    {
        const Node& reduced = node(n);
        const Shape& from = node(reduced.of[0]).shape;
        const auto axis = static_cast<std::size_t>(reduced.axis);
        return m_backend.fold(reduced.op, from[axis], shared, [&](const Index& k) {
            Place place = at;
            if (reduced.keep)
                place[axis] = k;
            else
                place.insert(place.begin() + reduced.axis, k);
            const std::size_t before = m_known.size();
            Value value = pull(reduced.of[0], place);
            forget(before);
            return value;
        });
    }

    Value product(int n, const Place& at)
    {
        const Node& made = node(n);
        const Shape& right = node(made.of[1]).shape;
        const std::size_t rank = at.size();
        return m_backend.fold(Op::Sum, right[right.size() - 2], false, [&](const Index& k) {
            Place a = at, b = at;
            a[rank - 1] = k;
            b[rank - 2] = k;
            b.erase(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(rank - right.size()));
            const std::size_t before = m_known.size();
            Value value = m_backend.times(pull(made.of[0], a), pull(made.of[1], b));
            forget(before);
            return value;
        });
    }

    Value pull(int n, const Place& at)
    {
        const Node& wanted = node(n);
        if (classOf(wanted) == OpClass::View)
            return pull(wanted.of[0], seenThrough(wanted, at));
        const auto found = std::ranges::lower_bound(m_kernel.nodes, n);
        if (found == m_kernel.nodes.end() || *found != n)
            return m_backend.load(n, ravel(at, wanted.shape));
        const auto own = static_cast<std::size_t>(found - m_kernel.nodes.begin());
        if (m_results[own])
            return *m_results[own];
        for (int k = m_newest[own]; k >= 0; k = m_known[static_cast<std::size_t>(k)].before)
            if (const Known& known = m_known[static_cast<std::size_t>(k)]; known.place == at)
                return known.value;
        Value value = compute(n, at);
        know(own, at, value);
        return value;
    }

    Value compute(int n, const Place& at)
    {
        const Node& wanted = node(n);
        if (classOf(wanted) == OpClass::Matmul)
            return product(n, at);
        if (classOf(wanted) == OpClass::Reduction)
            return fold(n, at, false);
        std::vector<Value> operands;
        for (const int from : wanted.of) {
            const Shape& shape = node(from).shape;
            Place place(at.end() - static_cast<std::ptrdiff_t>(shape.size()), at.end());
            for (std::size_t d = 0; d < shape.size(); ++d)
                if (shape[d] == 1)
                    place[d] = m_backend.number(0);
            operands.push_back(pull(from, place));
        }
        return m_backend.apply(wanted, operands);
    }

    /// The place in the shape of its operand that an element of a view shows.
    Place seenThrough(const Node& view, const Place& at)
    {
        const Shape& from = node(view.of[0]).shape;
        Place place;
        switch (view.op) {
        case Op::Reshape:
            return unravel(ravel(at, view.shape), from);
        case Op::Permute:
            place.resize(at.size());
            for (std::size_t d = 0; d < at.size(); ++d)
                place[static_cast<std::size_t>(view.axes[d])] = at[d];
            return place;
        case Op::Expand:
            place.assign(at.end() - static_cast<std::ptrdiff_t>(from.size()), at.end());
            for (std::size_t d = 0; d < from.size(); ++d)
                if (from[d] == 1)
                    place[d] = m_backend.number(0);
            return place;
        default:
            place = at;
            place[static_cast<std::size_t>(view.axis)] =
                m_backend.sum(at[static_cast<std::size_t>(view.axis)], m_backend.number(view.start));
            return place;
        }
    }

    Index ravel(const Place& at, const Shape& shape)
    {
        Index index = m_backend.number(0);
        std::int64_t stride = 1;
        for (std::size_t d = shape.size(); d-- > 0;) {
            if (shape[d] != 1)
                index = m_backend.sum(m_backend.product(at[d], m_backend.number(stride)), index);
            stride *= shape[d];
        }
        return index;
    }

    Place unravel(const Index& index, const Shape& shape)
    {
        Place at(shape.size(), m_backend.number(0));
        std::int64_t stride = countOf(shape), left = stride;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            stride /= shape[d];
            if (shape[d] == 1)
                continue;
            Index i = stride == 1 ? index : m_backend.quotient(index, m_backend.number(stride));
            if (left != stride * shape[d] || left != countOf(shape))
                i = m_backend.rest(i, m_backend.number(shape[d]));
            left = stride;
            at[d] = i;
        }
        return at;
    }

    const Graph& m_graph;
    const Kernel& m_kernel;
    Backend& m_backend;
    std::vector<Known> m_known;                  ///< computed where we are
    std::vector<int> m_newest;                   ///< of each node of the kernel, in m_known; -1: none
    std::vector<std::optional<Value>> m_results; ///< of each of them that is a reduction, in this row
};

} // namespace ridge::graphs
