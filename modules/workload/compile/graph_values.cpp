// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/compile/graph_values.h"

#include "workload/compile/kernel_walk.h"

#include <cmath>
#include <map>

namespace ridge::graphs {
namespace {

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

std::vector<std::int64_t> unravelled(std::int64_t index, const Shape& shape)
{
    std::vector<std::int64_t> place(shape.size());
    for (std::size_t d = shape.size(); d-- > 0;) {
        place[d] = index % shape[d];
        index /= shape[d];
    }
    return place;
}

std::int64_t ravelled(const std::vector<std::int64_t>& place, const Shape& shape)
{
    std::int64_t index = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
        index = index * shape[d] + place[d];
    return index;
}

/// Where an element of a broadcast result comes from in an operand.
std::int64_t broadcastFrom(const std::vector<std::int64_t>& place, const Shape& shape)
{
    std::vector<std::int64_t> own(place.end() - std::ptrdiff_t(shape.size()), place.end());
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (shape[d] == 1)
            own[d] = 0;
    return ravelled(own, shape);
}

using Tensor = std::vector<double>;

/// One operator at a time, straight from its definition; knows nothing of kernels.
Tensor evaluated(const Graph& graph, const Node& node, const std::vector<Tensor>& all)
{
    const auto operand = [&](std::size_t i) -> const Tensor& { return all[at(node.of[i])]; };
    const auto shapeOf = [&](std::size_t i) -> const Shape& { return graph.nodes[at(node.of[i])].shape; };
    Tensor out(at(countOf(node.shape)), 0);
    switch (classOf(node)) {
    case OpClass::Input: {
        const auto values = inputValues(node);
        out.assign(values.begin(), values.end());
        break;
    }
    case OpClass::Elementwise:
        for (std::size_t i = 0; i < out.size(); ++i) {
            const auto place = unravelled(std::int64_t(i), node.shape);
            double of[3] = {};
            for (std::size_t o = 0; o < node.of.size(); ++o)
                of[o] = operand(o)[at(broadcastFrom(place, shapeOf(o)))];
            out[i] = applied<double>(node, of);
        }
        break;
    case OpClass::Reduction: {
        if (node.op == Op::Amax)
            out.assign(out.size(), -INFINITY);
        const std::int64_t length = shapeOf(0)[at(node.axis)];
        for (std::size_t i = 0; i < operand(0).size(); ++i) {
            auto place = unravelled(std::int64_t(i), shapeOf(0));
            if (node.keep)
                place[at(node.axis)] = 0;
            else
                place.erase(place.begin() + node.axis);
            double& result = out[at(ravelled(place, node.shape))];
            result = node.op == Op::Amax ? std::max(result, operand(0)[i]) : result + operand(0)[i];
        }
        if (node.op == Op::Mean)
            for (double& value : out)
                value /= double(length);
        break;
    }
    case OpClass::Matmul: {
        const Shape &a = shapeOf(0), &b = shapeOf(1);
        const std::int64_t m = b.size() > 2 ? a[a.size() - 2] : countOf(a) / a.back(), k = a.back(), n = b.back();
        const std::int64_t many = countOf(node.shape) / (m * n);
        for (std::int64_t p = 0; p < many; ++p)
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t x = 0; x < k; ++x)
                    for (std::int64_t j = 0; j < n; ++j)
                        out[at((p * m + i) * n + j)] +=
                            operand(0)[at((p * m + i) * k + x)] * operand(1)[at((p * k + x) * n + j)];
        break;
    }
    case OpClass::View:
        for (std::size_t i = 0; i < out.size(); ++i) {
            auto place = unravelled(std::int64_t(i), node.shape);
            std::int64_t from = std::int64_t(i);
            if (node.op == Op::Permute) {
                auto own = place;
                for (std::size_t d = 0; d < place.size(); ++d)
                    own[at(node.axes[d])] = place[d];
                from = ravelled(own, shapeOf(0));
            } else if (node.op == Op::Expand) {
                from = broadcastFrom(place, shapeOf(0));
            } else if (node.op == Op::Slice) {
                place[at(node.axis)] += node.start;
                from = ravelled(place, shapeOf(0));
            }
            out[i] = operand(0)[at(from)];
        }
        break;
    }
    return out;
}

/// Carries a kernel out in fp32.
class Processor {
public:
    using Index = std::int64_t;
    using Value = float;

    explicit Processor(std::vector<std::vector<float>>& memory) : m_memory(memory) {}

    static Index number(std::int64_t n) { return n; }
    static Index sum(Index a, Index b) { return a + b; }
    static Index product(Index a, Index b) { return a * b; }
    static Index quotient(Index a, Index b) { return a / b; }
    static Index rest(Index a, Index b) { return a % b; }
    static Value times(Value a, Value b) { return a * b; }
    Value load(int node, Index i)
    {
        auto& seen = m_loaded[node];
        seen.resize(m_memory[at(node)].size());
        seen[at(i)] = true;
        return m_memory[at(node)][at(i)];
    }
    static Value apply(const Node& node, const std::vector<Value>& of) { return applied<float>(node, of.data()); }
    void store(int node, Index i, Value value) { m_memory[at(node)][at(i)] = value; }
    template<class F>
    void elements(std::int64_t count, F f)
    {
        for (Index i = 0; i < count; ++i)
            f(i);
    }
    template<class F>
    void rows(std::int64_t count, F f)
    {
        elements(count, f);
    }
    template<class F>
    void columns(std::int64_t count, F f)
    {
        elements(count, f);
    }
    template<class F>
    void once(F f)
    {
        f();
    }
    template<class F>
    Value fold(Op op, std::int64_t length, bool, F f)
    {
        float result = op == Op::Amax ? -INFINITY : 0;
        for (Index k = 0; k < length; ++k)
            result = op == Op::Amax ? std::max(result, f(k)) : result + f(k);
        return op == Op::Mean ? result / float(length) : result;
    }
    double bytesLoaded() const
    {
        double count = 0;
        for (const auto& [node, seen] : m_loaded)
            count += double(std::ranges::count(seen, true));
        return 4 * count;
    }

private:
    std::vector<std::vector<float>>& m_memory;
    std::map<int, std::vector<bool>> m_loaded;
};

} // namespace

template<class T>
T applied(const Node& node, const T* of)
{
    const T x = of[0], y = node.hasValue ? T(node.value) : of[1];
    switch (node.op) {
    case Op::Neg:
        return -x;
    case Op::Abs:
        return std::abs(x);
    case Op::Exp:
        return std::exp(x);
    case Op::Log:
        return std::log(x);
    case Op::Sqrt:
        return std::sqrt(x);
    case Op::Rsqrt:
        return 1 / std::sqrt(x);
    case Op::Recip:
        return 1 / x;
    case Op::Square:
        return x * x;
    case Op::Relu:
        return x > 0 ? x : 0;
    case Op::Sigmoid:
        return 1 / (1 + std::exp(-x));
    case Op::Silu:
        return x / (1 + std::exp(-x));
    case Op::Tanh:
        return std::tanh(x);
    case Op::Gelu: // the tanh form
        return T(0.5) * x * (1 + std::tanh(T(0.7978845608028654) * (x + T(0.044715) * x * x * x)));
    case Op::Add:
        return x + y;
    case Op::Sub:
        return x - y;
    case Op::Mul:
        return x * y;
    case Op::Div:
        return x / y;
    case Op::Max:
        return x > y ? x : y;
    case Op::Min:
        return x < y ? x : y;
    case Op::Greater:
        return x > y ? 1 : 0;
    case Op::Where:
        return x != 0 ? of[1] : of[2];
    default:
        return 0;
    }
}
template float applied<float>(const Node&, const float*);
template double applied<double>(const Node&, const double*);

std::vector<float> inputValues(const Node& input)
{
    std::uint32_t salt = 2166136261u; // FNV-1a of the name
    for (const char c : input.name)
        salt = (salt ^ static_cast<unsigned char>(c)) * 16777619u;
    std::vector<float> values(at(countOf(input.shape)));
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint32_t h = static_cast<std::uint32_t>(i) + salt;
        h = (h ^ (h >> 16)) * 0x7FEB352Du;
        h = (h ^ (h >> 15)) * 0x846CA68Bu;
        h ^= h >> 16;
        const float u = float(std::int32_t(h >> 8) - (1 << 23)) * 0x1p-23f;
        values[i] = input.positive ? 1 + u / 2 : u;
    }
    return values;
}

GraphValues evaluateGraph(const Graph& graph)
{
    GraphValues values;
    for (const Node& node : graph.nodes)
        values.nodes.push_back(evaluated(graph, node, values.nodes));
    for (const Stop& stop : graph.stops)
        if (stop.branch)
            values.arms.push_back(values.nodes[at(stop.node)][0] > stop.above);
    return values;
}

KernelRunValues runSchedule(const Graph& graph, const Schedule& schedule)
{
    KernelRunValues run;
    run.nodes.resize(graph.nodes.size());
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
        if (graph.nodes[n].op == Op::Input)
            run.nodes[n] = inputValues(graph.nodes[n]);
    for (const Kernel& kernel : schedule.kernels) {
        for (const int n : kernel.stores)
            run.nodes[at(n)].assign(at(countOf(graph.nodes[at(n)].shape)), NAN);
        Processor processor(run.nodes);
        KernelWalk<Processor>(graph, kernel, processor).run();
        run.bytesRead.push_back(processor.bytesLoaded());
    }
    return run;
}

double largestError(const Graph& graph, const GraphValues& wanted, const std::vector<std::vector<float>>& stored)
{
    double worst = 0;
    for (const int output : graph.outputs) {
        const int source = sourceOf(graph, output);
        if (graph.nodes[at(source)].op == Op::Input)
            continue; // a view of what was given: no kernel makes it
        double largest = 0, distance = 0;
        const auto& values = wanted.nodes[at(source)];
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double got = i < stored[at(source)].size() ? double(stored[at(source)][i]) : INFINITY;
            if (got == values[i] || (std::isnan(got) && std::isnan(values[i]))) { // infinite, or no number in both
                largest = std::isfinite(got) ? std::max(largest, std::abs(got)) : largest;
                continue;
            }
            largest = std::max(largest, std::abs(values[i]));
            const double off = std::abs(got - values[i]);
            distance = off <= distance ? distance : off; // NaN counts as infinite
            if (std::isnan(off))
                return INFINITY;
        }
        worst = std::max(worst, largest > 0 ? distance / largest : distance);
    }
    return worst;
}

} // namespace ridge::graphs
