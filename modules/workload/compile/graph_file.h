// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs as files: assets/graphs/*.json and those of a learner.
//
//     {"title": "MLP block", "about": "…", "sizes": {"tokens": [4096, 8], "width": [1024, 16]},
//      "inputs": [{"name": "x", "shape": ["tokens", "width"]}, {"name": "w", "shape": ["width", 64]}],
//      "ops": [{"name": "h", "op": "matmul", "of": ["x", "w"]}, {"name": "y", "op": "relu", "of": ["h"]}],
//      "outputs": ["y"]}
//
// `sizes` have a value for a real model and a small one that is computed element by element; the first is the one that
// changes from step to step. A shape holds numbers, names of sizes and products of them, "tokens*heads". Operators are
// those of op_graph.h (`value`: a number as second operand; `axis`, `keep`; `axes`; `shape`; `start`, `stop`) and
//   softmax (of [x]), layernorm (of [x, weight, bias]), rmsnorm (of [x, weight]): over the last axis, from primitives;
//   print (of [x]): the host reads x;
//   branch (of [x], "above": 0, "then": {"ops": […], "gives": "a"}, "else": {…}): the host reads the one number x.
// Operators may be listed in any order.
#pragma once

#include "base/json_value.h"
#include "workload/compile/op_graph.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>

namespace ridge::graphs {

struct GraphSize {
    std::string name;
    std::int64_t full = 1, small = 1;
};

struct GraphItem;
struct GraphArm {
    std::vector<GraphItem> items;
    std::string gives;
};

/// An input or an operator as it is written.
struct GraphItem {
    std::string name, op, place;
    std::vector<std::string> of;
    std::optional<double> value;
    std::optional<int> axis;
    bool keep = true, positive = false;
    std::vector<int> axes;
    std::vector<std::string> shape; ///< numbers too
    std::string start, stop;
    double above = 0;
    std::shared_ptr<const GraphArm> then, otherwise; ///< branch
};

/// A file that was read, its operators in an order in which they can run.
struct GraphFile {
    std::string id, title, about;
    std::vector<GraphSize> sizes;
    std::vector<GraphItem> inputs, items;
    std::vector<std::string> outputs;
    int branches = 0, prints = 0;
};

/// Errors, each with file, operator and fix: "bad-graph" (fields), "duplicate-name", "unknown-operator",
/// "unknown-value", "cycle", "unused-value".
Result<GraphFile> parseGraph(std::string_view text, const std::string& place);
/// Every *.json of assets/graphs, by id. Errors: those of dataFolder and parseGraph, "cannot-read".
Result<std::vector<GraphFile>> shippedGraphs();

struct BindOptions {
    bool small = false;       ///< the small sizes
    std::int64_t varying = 0; ///< value of the first size; 0: that of the file
    bool breaks = true; ///< the host prints and decides; else nothing is printed and both arms of a branch are computed
    std::vector<bool> arms; ///< which arm each branch takes, in order; "then" where it says nothing
};
/// Errors: "bad-shape", "bad-size".
Result<Graph> bindGraph(const GraphFile& file, const BindOptions& options);

} // namespace ridge::graphs
