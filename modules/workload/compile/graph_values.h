// SPDX-License-Identifier: GPL-3.0-or-later
// What a graph computes: operator by operator in double precision, and as a schedule's kernels in fp32.
#pragma once

#include "workload/compile/fusion.h"

#include <optional>

namespace ridge::graphs {

/// Data of an input: uniform in [-1, 1), or in [0.5, 1.5) where it is positive; of fp32. The same for each name.
std::vector<float> inputValues(const Node& input);

struct GraphValues {
    std::vector<std::vector<double>> nodes; ///< of each node, views too
    std::vector<bool> arms;                 ///< what each branch decides, in order
};
/// Each operator by itself.
GraphValues evaluateGraph(const Graph& graph);

struct KernelRunValues {
    std::vector<std::vector<float>> nodes; ///< of inputs and of what is stored; else empty
    std::vector<double> bytesRead;         ///< of each kernel: distinct values that it loaded, times 4
};
/// The kernels one after the other, as the generated code does it, on this processor.
KernelRunValues runSchedule(const Graph& graph, const Schedule& schedule);

/// Largest distance of an output from the double-precision one, over that output's largest magnitude. Where both are no
/// number, or infinite alike, they agree; an output that only shows an input is left out.
double largestError(const Graph& graph, const GraphValues& wanted, const std::vector<std::vector<float>>& stored);

/// What one element of an elementwise operator is, in fp32 or fp64.
template<class T>
T applied(const Node& node, const T* of);

} // namespace ridge::graphs
