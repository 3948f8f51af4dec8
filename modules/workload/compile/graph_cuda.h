// SPDX-License-Identifier: GPL-3.0-or-later
// A schedule as CUDA C++: one file, a kernel each, in fp32 and for fixed sizes.
#pragma once

#include "workload/compile/fusion.h"

namespace ridge::graphs {

struct CudaKernel {
    std::string name;        ///< "k3_softmax"
    std::int64_t blocks = 1; ///< of `threads`
    int threads = 256;
    std::vector<int> arguments; ///< nodes, in the order of the parameters: what is read, then what is stored
};

struct CudaSource {
    std::string text;
    std::vector<CudaKernel> kernels; ///< as in the schedule
};

CudaSource writeCuda(const Graph& graph, const Schedule& schedule);

} // namespace ridge::graphs
