// SPDX-License-Identifier: GPL-3.0-or-later
// A network from an ONNX file: a kernel a node as runtimes have them, and the same with neighbours joined.
//
// What the file names is what counts: sizes come from its graph, work and traffic from its operators. Sizes with a name
// are the batch and the sequence, which a step sets; weights are never read. Transposes, reshapes and slices are views,
// nodes that compute sizes or work on weights alone run once and cost nothing in a step, and every other value goes to
// memory and back between kernels.
#pragma once

#include "workload/layered_network.h"
#include "workload/onnx/onnx_file.h"

namespace ridge::workload {

struct OnnxNetwork {
    Network network;
    std::vector<std::string> assumed; ///< what the file leaves open and what was taken, a sentence each
};

/// Errors: "bad-onnx" with the node as the place.
Result<OnnxNetwork> networkFromOnnx(const OnnxFile& file, const std::string& place);

} // namespace ridge::workload
