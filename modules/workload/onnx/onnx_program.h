// SPDX-License-Identifier: GPL-3.0-or-later
// An ONNX graph as one list of nodes in an order in which they run, functions and branches written out, and the sizes
// of every value for given sizes of its inputs.
#pragma once

#include "workload/onnx/onnx_file.h"

#include <deque>
#include <optional>
#include <set>
#include <span>

namespace ridge::workload {

struct OnnxStep {
    const OnnxNode* node = nullptr;
    std::vector<int> in, out; ///< numbers of values; -1: left out
    std::string name;         ///< as it is shown and named in errors
    bool known = true;        ///< whether its operator is known here
};

/// A value while sizes are computed.
struct OnnxState {
    std::vector<std::int64_t> dims;
    int type = 0;
    bool weight = false; ///< depends on nothing but the file
    bool told = false;   ///< `data` has its values: those of a shape
    std::vector<double> data;
    double stored = 0; ///< values in memory: of a view that repeats or leaves out some, what it reads
    int root = -1;     ///< the value whose memory it is
    double count() const;
};

/// A branch that was written out: from `step` on, in place of the other.
struct OnnxBranch {
    std::string name;
    int condition = -1; ///< a value
    std::size_t step = 0;
    bool then = true;
};
using OnnxChoices = std::map<std::string, bool>; ///< by name of the branch: whether its then_branch is taken

struct OnnxProgram {
    std::string place;
    std::deque<std::vector<OnnxNode>> written; ///< bodies of functions, as they are called
    std::vector<OnnxStep> steps;
    std::vector<std::string> values;
    std::vector<const OnnxTensor*> tensors; ///< by value; null: made by a step, or an input
    std::vector<const OnnxValue*> told;     ///< by value; what the file tells of its type
    std::vector<int> inputs, outputs;
    std::vector<OnnxBranch> branches;
    std::int64_t opset = 0;
    std::vector<std::string> assumed;
    std::set<std::string> unknown; ///< operators, "com.example.Foo"
};

/// `file` must outlive the program. Errors: "bad-onnx" with the node as the place: a value that nobody makes, or two
/// do, a cycle, a name that is used twice, functions within each other, sets of operators that are too old.
Result<OnnxProgram> programOf(const OnnxFile& file, const std::string& place, const OnnxChoices& choices = {});

/// Whether a step makes another view of its first input and moves nothing.
bool isView(const OnnxStep& step, std::span<const OnnxState> states);
bool knownOperator(const OnnxNode& node);

/// Sizes of all values, by value. `symbols`: the sizes that have names. Errors: "bad-onnx" with the node as the place;
/// kOtherBranch with the name of the branch as the place where sizes decide that its other arm is taken.
inline constexpr const char* kOtherBranch = "other-branch";
Result<std::vector<OnnxState>> statesOf(const OnnxProgram& program, const std::map<std::string, std::int64_t>& symbols);

std::vector<std::int64_t> integersOf(const OnnxNode& node, std::string_view attribute);
double numberOf(const OnnxNode& node, std::string_view attribute, double otherwise);
std::string textOf(const OnnxNode& node, std::string_view attribute, std::string otherwise);

} // namespace ridge::workload
