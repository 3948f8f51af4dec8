// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "norm".
#include "labs/4-kernel-optimization/norm_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"

#include <fmt/core.h>

namespace ridge::labs {
namespace {

std::vector<ParamSpec> parameters()
{
    auto columns = integerParam("columns", "Columns", "elements", 64, 262144, 2048, ParamScale::Log2,
                                "Length of a row; need not be a power of two. The registers of a block hold 32768, of "
                                "the persistent kernel's 16384, of eight blocks 262144.");
    columns.defaultFor = {{"gpu", std::int64_t{8192}}};
    columns.sweepFor = {{"sim", "64..65536:log2"}};
    auto elements = integerParam("elements", "Elements", "elements", 1024, 1 << 28, 1 << 19, ParamScale::Log2,
                                 "Size of the matrix, about: its rows are whole, and there is at least one.");
    elements.defaultFor = {{"gpu", std::int64_t{1 << 26}}};
    elements.sweepFor = {{"sim", "65536..4194304:log2"}};
    auto reference =
        referenceParam("cudnn", "cudnn: hold the rung against the norm of NVIDIA's cuDNN 9, the fastest of the engines "
                                "that its heuristics name; where it is missing or refuses, the run says so and goes "
                                "on. Simulated chips have none.");
    return {rungParam(normRungs(), "vector"),
            choiceParam("kind", "Kind", {"rms", "layer"}, "rms",
                        "rms: divide by the root of the mean square, times a weight; layer: take the mean off before, "
                        "add a bias after."),
            columns,
            elements,
            choiceParam("input", "Input", {"uniform", "offset", "outliers", "equal"}, "uniform",
                        "uniform in [-1, 1); offset: 100 is added, so that a mean of squares without the mean is all "
                        "digits lost; outliers: every 997th is ±10000; equal: no spread at all."),
            reference};
}

std::vector<MetricSpec> metrics()
{
    const MetricSpec own[] = {
        {"share_of_copy", "Share of the copy", "%",
         "Time of the copy over the time of the rung, both timed in turn; 100 is as fast as a copy of the same rows."},
        {"row_reads", "Reads of the row", "reads", "How often the kernel loads an element of the row, on average."},
        {"bytes_per_element", "Bytes per element", "bytes",
         "Bytes that lanes loaded and stored in global memory, weights among them, for each element; 4 is the least."},
        {"instructions_per_element", "Instructions per element", "instructions",
         "PTX instructions that lanes executed, for each element."},
        {"barrier_waits", "Barriers", "instructions", "Block-wide barriers that warps arrived at."}};
    auto all = ladderMetrics(own, "Bytes of the rows, read once and written once, and of the weights, read once,",
                             "normalising all rows");
    addPairMetrics(all, "share_of_copy", "Share of the copy");
    all.push_back({"cudnn_bandwidth", "Bandwidth of cuDNN", "GB/s",
                   "Of NVIDIA's cuDNN on the same rows, counting the same bytes, and in turns with the rung."});
    all.push_back({"cudnn_share", "Share of cuDNN's bandwidth", "%", "Bandwidth over that of cuDNN."});
    addPairMetrics(all, "cudnn_share", "Share of cuDNN's bandwidth");
    return all;
}

} // namespace

NormShape normShapeOf(const ParamSet& params, const gpu::DeviceInfo& info)
{
    NormShape shape;
    shape.rung = rungOf(normRungs(), params);
    shape.layer = choice(params, "kind") == "layer";
    shape.columns = integer(params, "columns");
    shape.rows = std::max<std::uint64_t>(1, integer(params, "elements") / shape.columns);
    shape.smCount = std::max(1u, info.smCount);
    return shape;
}

Result<void> normRuns(std::size_t rung, const gpu::DeviceInfo& info)
{
    if (rung != kNormCluster || info.computeMajor >= 9)
        return {};
    return Error{"needs-newer-chip",
                 fmt::format("the rung \"cluster\" needs compute capability 9.0; {} has {}.{}", info.name,
                             info.computeMajor, info.computeMinor),
                 "norm: rung", "choose rung=vector, or run it on sim:h100-sxm"};
}

ExperimentInfo normInfo()
{
    ExperimentInfo made;
    made.id = "norm";
    made.version = 1;
    made.title = "Normalisation";
    made.module = 4;
    made.summary = "Normalises rows (RMSNorm, LayerNorm) with seven kernels and compares each with a copy of the same "
                   "rows.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim"};
    made.metrics = metrics();
    for (const char* x : {"columns", "elements"}) {
        made.charts.push_back({fmt::format("share_over_{}", x), fmt::format("Share of the copy over {}", x), x,
                               "share_of_copy", ParamScale::Log2, ParamScale::Linear});
        made.charts.push_back({fmt::format("bandwidth_over_{}", x), fmt::format("Bandwidth over {}", x), x, "bandwidth",
                               ParamScale::Log2, ParamScale::Linear});
    }
    made.charts.push_back({"reads_over_columns", "Reads of the row over columns", "columns", "row_reads",
                           ParamScale::Log2, ParamScale::Linear});
    made.charts.push_back({"share_by_rung", "Share of the copy by rung", "rung", "share_of_copy", ParamScale::List,
                           ParamScale::Linear, "ladder"});
    made.limits = bandwidthLimits("2 × rows × columns × 2 B + weights");
    made.limits.push_back({"row_reads", "read once", "lower", "1", "nothing is known of a row that was never read"});
    made.limits.push_back({"bytes_per_element", "read once, write once", "lower", "2 × 2 B",
                           "every element must be read and every result written"});
    made.kernels = filesOf(normRungs());
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
