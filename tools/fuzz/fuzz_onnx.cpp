// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as an ONNX file: read or refused, and what is read lists its kernels.
#include "workload/onnx_network.h"

#include <cmath>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace ridge::workload;
    const auto file = parseOnnx({reinterpret_cast<const char*>(data), size}, "fuzzed.onnx");
    if (!file)
        return 0;
    const auto read = networkFromOnnx(*file, "fuzzed.onnx");
    if (!read)
        return 0;
    Step step;
    step.phase = Phase::Training;
    step.batch = 3;
    step.context = 100;
    std::vector<Operator> list;
    for (const bool fused : {false, true}) {
        step.fused = fused;
        listOperators(read->network, step, list);
        for (const Operator& op : list)
            if (!std::isfinite(op.flops) || !std::isfinite(op.bytes()))
                std::abort();
    }
    return 0;
}
