// SPDX-License-Identifier: GPL-3.0-or-later
// A graph of tensor operators with known sizes: what a graph compiler is given.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::graphs {

using Shape = std::vector<std::int64_t>;

enum class Op : std::uint8_t {
    Input,
    // elementwise, one operand
    Neg,
    Abs,
    Exp,
    Log,
    Sqrt,
    Rsqrt,
    Recip,
    Square,
    Relu,
    Sigmoid,
    Silu,
    Tanh,
    Gelu,
    // elementwise, two operands or one and a number
    Add,
    Sub,
    Mul,
    Div,
    Max,
    Min,
    Greater,
    // elementwise, three operands
    Where,
    // reductions of one axis
    Sum,
    Mean,
    Amax,
    Matmul,
    // views: other indices on the same data
    Reshape,
    Permute,
    Expand,
    Slice
};

enum class OpClass : std::uint8_t { Input, Elementwise, Reduction, Matmul, View };

struct OpInfo {
    std::string_view name; ///< "add", as a graph file writes it
    OpClass kind;
    int operands; ///< tensors; an elementwise operator of two may have one and a number
};
const OpInfo& opInfo(Op op);
/// By its name; null for names of other things.
const OpInfo* opNamed(std::string_view name, Op& op);
std::vector<std::string> opNames();

struct Node {
    std::string name;
    Op op = Op::Input;
    std::vector<int> of;   ///< earlier nodes
    bool hasValue = false; ///< the second operand is `value`
    double value = 0;
    int axis = 0;           ///< of a reduction or slice
    bool keep = true;       ///< a reduction leaves its axis with one element
    std::vector<int> axes;  ///< of a permute
    std::int64_t start = 0; ///< of a slice
    Shape shape;
    int segment = 0;       ///< which of the pieces between host reads it is in
    bool kept = false;     ///< something outside its piece may ask for it
    bool positive = false; ///< inputs: drawn above 0
};

/// Where the host reads a value before it goes on: a graph break.
struct Stop {
    std::string name;
    int node = 0;
    bool branch = false; ///< it decides by it; else it prints
    double above = 0;    ///< the branch goes to "then" where the value is larger
    bool then = true;    ///< which arm the nodes behind it are of
};

/// Nodes in an order in which they can run. Stop i ends segment i.
struct Graph {
    std::string title;
    std::vector<Node> nodes;
    std::vector<int> outputs;
    std::vector<Stop> stops;
};

std::int64_t countOf(const Shape& shape);
std::string toText(const Shape& shape); ///< "[64, 128]"
inline OpClass classOf(const Node& node)
{
    return opInfo(node.op).kind;
}
/// The node whose data a node reads: views are looked through.
int sourceOf(const Graph& graph, int node);

/// Sets the shape of `node` from its operands'. A reshape, expand or slice brings its own and is checked. Errors:
/// "bad-shape" with the operator, both shapes and the fix.
Result<void> inferShape(std::span<const Node> before, Node& node, const std::string& place);

} // namespace ridge::graphs
