// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/compile/op_graph.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace ridge::graphs {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 31;

// In the order of Op.
constexpr std::array<OpInfo, 30> kOps{
    {{"input", OpClass::Input, 0},       {"neg", OpClass::Elementwise, 1},     {"abs", OpClass::Elementwise, 1},
     {"exp", OpClass::Elementwise, 1},   {"log", OpClass::Elementwise, 1},     {"sqrt", OpClass::Elementwise, 1},
     {"rsqrt", OpClass::Elementwise, 1}, {"recip", OpClass::Elementwise, 1},   {"square", OpClass::Elementwise, 1},
     {"relu", OpClass::Elementwise, 1},  {"sigmoid", OpClass::Elementwise, 1}, {"silu", OpClass::Elementwise, 1},
     {"tanh", OpClass::Elementwise, 1},  {"gelu", OpClass::Elementwise, 1},    {"add", OpClass::Elementwise, 2},
     {"sub", OpClass::Elementwise, 2},   {"mul", OpClass::Elementwise, 2},     {"div", OpClass::Elementwise, 2},
     {"max", OpClass::Elementwise, 2},   {"min", OpClass::Elementwise, 2},     {"greater", OpClass::Elementwise, 2},
     {"where", OpClass::Elementwise, 3}, {"sum", OpClass::Reduction, 1},       {"mean", OpClass::Reduction, 1},
     {"amax", OpClass::Reduction, 1},    {"matmul", OpClass::Matmul, 2},       {"reshape", OpClass::View, 1},
     {"permute", OpClass::View, 1},      {"expand", OpClass::View, 1},         {"slice", OpClass::View, 1}}};

Error badShape(std::string message, const std::string& place, std::string fix)
{
    return {"bad-shape", std::move(message), place, std::move(fix)};
}

/// Sizes are aligned at the last axis; those of 1 are stretched.
bool broadcast(Shape& onto, const Shape& other)
{
    Shape out(std::max(onto.size(), other.size()), 1);
    for (std::size_t d = 0; d < out.size(); ++d) {
        const auto at = [&](const Shape& s) { return d < s.size() ? s[s.size() - 1 - d] : 1; };
        const std::int64_t a = at(onto), b = at(other);
        if (a != b && a != 1 && b != 1)
            return false;
        out[out.size() - 1 - d] = a == 1 ? b : a;
    }
    onto = std::move(out);
    return true;
}

Result<void> elementwiseShape(std::span<const Node> before, Node& node, const std::string& place)
{
    node.shape = before[static_cast<std::size_t>(node.of[0])].shape;
    for (std::size_t i = 1; i < node.of.size(); ++i) {
        const Node& other = before[static_cast<std::size_t>(node.of[i])];
        if (!broadcast(node.shape, other.shape))
            return badShape(fmt::format("{} of '{}' {} and '{}' {}: the sizes of an axis differ, and none is 1",
                                        opInfo(node.op).name, before[static_cast<std::size_t>(node.of[0])].name,
                                        toText(before[static_cast<std::size_t>(node.of[0])].shape), other.name,
                                        toText(other.shape)),
                            place, "make the sizes equal from the last axis on, or reshape one to have 1 there");
    }
    return {};
}

Result<void> matmulShape(std::span<const Node> before, Node& node, const std::string& place)
{
    const Node& left = before[static_cast<std::size_t>(node.of[0])];
    const Node& right = before[static_cast<std::size_t>(node.of[1])];
    const Shape &a = left.shape, &b = right.shape;
    const auto both = fmt::format("'{}' {} and '{}' {}", left.name, toText(a), right.name, toText(b));
    if (a.size() < 2 || b.size() < 2)
        return badShape("matmul of " + both + ": both need two axes or more", place, "reshape the vector to a matrix");
    if (a.back() != b[b.size() - 2])
        return badShape(fmt::format("matmul of {}: {} columns meet {} rows", both, a.back(), b[b.size() - 2]), place,
                        "the last axis of the first must be as long as the last but one of the second");
    if (b.size() > 2 && !std::equal(a.begin(), a.end() - 2, b.begin(), b.end() - 2))
        return badShape("matmul of " + both + ": the axes before the matrices differ", place,
                        "expand them to the same sizes, or give the second two axes alone");
    node.shape = a;
    node.shape.back() = b.back();
    return {};
}

Result<void> reductionShape(const Node& from, Node& node, const std::string& place)
{
    const int rank = static_cast<int>(from.shape.size());
    const int axis = node.axis < 0 ? node.axis + rank : node.axis;
    if (axis < 0 || axis >= rank)
        return badShape(fmt::format("{} of '{}' {}: there is no axis {}", opInfo(node.op).name, from.name,
                                    toText(from.shape), node.axis),
                        place, fmt::format("take one from {} to {}", -rank, rank - 1));
    node.axis = axis;
    node.shape = from.shape;
    if (node.keep)
        node.shape[static_cast<std::size_t>(axis)] = 1;
    else
        node.shape.erase(node.shape.begin() + axis);
    return {};
}

Result<void> viewShape(const Node& from, Node& node, const std::string& place)
{
    const Shape& shape = from.shape;
    const auto what = fmt::format("{} of '{}' {}", opInfo(node.op).name, from.name, toText(shape));
    switch (node.op) {
    case Op::Reshape:
        if (countOf(node.shape) != countOf(shape))
            return badShape(fmt::format("{} to {}: {} elements are not {}", what, toText(node.shape), countOf(shape),
                                        countOf(node.shape)),
                            place, "give sizes whose product is the same");
        return {};
    case Op::Permute: {
        std::vector<int> sorted = node.axes;
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t d = 0; d < sorted.size(); ++d)
            if (sorted[d] != static_cast<int>(d) || sorted.size() != shape.size())
                return badShape(fmt::format("{} by [{}]", what, fmt::join(node.axes, ", ")), place,
                                fmt::format("name each axis from 0 to {} once", int(shape.size()) - 1));
        if (sorted.size() != shape.size())
            return badShape(what + " without axes", place, "name each axis once");
        node.shape.clear();
        for (const int axis : node.axes)
            node.shape.push_back(shape[static_cast<std::size_t>(axis)]);
        return {};
    }
    case Op::Expand: {
        Shape wide = node.shape;
        if (!broadcast(wide, shape) || wide != node.shape)
            return badShape(what + " to " + toText(node.shape) + ": only axes of size 1 can be stretched", place,
                            "reshape first so that the axis has size 1");
        return {};
    }
    default: { // slice: shape holds {stop} until here
        const int rank = static_cast<int>(shape.size());
        const int axis = node.axis < 0 ? node.axis + rank : node.axis;
        const std::int64_t stop = node.shape.at(0);
        if (axis < 0 || axis >= rank || node.start < 0 || stop <= node.start ||
            stop > shape[static_cast<std::size_t>(axis)])
            return badShape(fmt::format("{}: axis {} from {} to {} is not inside", what, node.axis, node.start, stop),
                            place, "take 0 <= start < stop <= the size of the axis");
        node.axis = axis;
        node.shape = shape;
        node.shape[static_cast<std::size_t>(axis)] = stop - node.start;
        return {};
    }
    }
}

} // namespace

const OpInfo& opInfo(Op op)
{
    return kOps[static_cast<std::size_t>(op)];
}

const OpInfo* opNamed(std::string_view name, Op& op)
{
    for (std::size_t i = 1; i < std::size_t(Op::Slice) + 1; ++i)
        if (kOps[i].name == name) {
            op = static_cast<Op>(i);
            return &kOps[i];
        }
    return nullptr;
}

std::vector<std::string> opNames()
{
    std::vector<std::string> names;
    for (std::size_t i = 1; i < std::size_t(Op::Slice) + 1; ++i)
        names.emplace_back(kOps[i].name);
    return names;
}

std::int64_t countOf(const Shape& shape)
{
    std::int64_t count = 1;
    for (const std::int64_t size : shape) // saturates: sizes are at most kMostElements each
        count = count > kMostElements ? count : count * size;
    return count;
}

std::string toText(const Shape& shape)
{
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

int sourceOf(const Graph& graph, int node)
{
    while (classOf(graph.nodes[static_cast<std::size_t>(node)]) == OpClass::View)
        node = graph.nodes[static_cast<std::size_t>(node)].of[0];
    return node;
}

Result<void> inferShape(std::span<const Node> before, Node& node, const std::string& place)
{
    const auto first = [&]() -> const Node& { return before[static_cast<std::size_t>(node.of[0])]; };
    Result<void> done;
    switch (classOf(node)) {
    case OpClass::Input:
        break;
    case OpClass::Elementwise:
        done = elementwiseShape(before, node, place);
        break;
    case OpClass::Reduction:
        done = reductionShape(first(), node, place);
        break;
    case OpClass::Matmul:
        done = matmulShape(before, node, place);
        break;
    case OpClass::View:
        done = viewShape(first(), node, place);
        break;
    }
    if (done && countOf(node.shape) >= kMostElements)
        return badShape(fmt::format("'{}' has the shape {}, more than 2^31 elements", node.name, toText(node.shape)),
                        place, "take smaller sizes");
    return done;
}

} // namespace ridge::graphs
