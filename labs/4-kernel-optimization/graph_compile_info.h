// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "workload/compile/compile_cost.h"
#include "workload/compile/graph_file.h"

namespace ridge::labs {

ExperimentInfo graphCompileInfo();
/// The same graphs, their kernels written, compiled and run.
ExperimentInfo graphRunInfo();

/// What a checked, complete set of parameters asks for.
struct GraphQuestion {
    graphs::GraphFile file;
    bool compiled = true, breaks = true, small = false;
    graphs::FusionRules rules;
    std::int64_t varying = 0; ///< 0: as the file has it
    int shapes = 1;
    graphs::ShapeMode shapeMode = graphs::ShapeMode::Automatic;
    double steps = 1;
    double compileSeconds = 0; ///< of one piece, once
    double productGain = 1;    ///< of a product's rate over that of fp32
    graphs::HostCosts eager, graph;
};
/// Errors: those of readInput and of the graph's file; "bad-steps".
Result<GraphQuestion> graphQuestion(const ParamSet& params);

} // namespace ridge::labs
