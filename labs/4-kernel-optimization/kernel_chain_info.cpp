// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "kernel_chain".
#include "labs/4-kernel-optimization/kernel_chain_info.h"

#include "gpu/host_model.h"
#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"

#include <fmt/core.h>

namespace ridge::labs {

namespace {

std::vector<ParamSpec> parameters()
{
    return {integerParam("operations", "Operations", "operations", 1, 1000, 100, ParamScale::Log2,
                         "Elementwise operations of the chain, each on the result of the one before."),
            choiceParam("by", "Executed as", {"stream", "graph", "fused"}, "stream",
                        "stream: one call and one kernel an operation; graph: the same kernels, launched by one call; "
                        "fused: one kernel that keeps an element in a register through the whole chain."),
            integerParam("elements", "Elements", "elements", 32, 1 << 24, 4096, ParamScale::Log2,
                         "Of the array, 4 bytes each."),
            integerParam("dispatch", "Dispatch", "µs", 0, 100, 0, ParamScale::Linear,
                         "CPU time that a framework adds to every call before it reaches the driver. Simulated targets "
                         "only: a GPU is called without a framework.")};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> all{
        {"step_time", "Step time", "s",
         "From the first call until the CPU knows that the last kernel is done: a stopwatch with a synchronise."},
        {"time_per_operation", "Time per operation", "s", "Step time over operations of the chain."},
        {"kernel_time", "Time of one kernel", "s",
         "What a profiler shows for a kernel of this chain. On a GPU the mean of many launches back to back, with the "
         "gap that the device needs between two."},
        {"kernel_sum", "Time in kernels", "s", "The same times the launches."},
        {"between_time", "Time between kernels", "s",
         "From the begin of the first kernel to the end of the last, less the time in kernels: the device waits."},
        {"start_time", "Time before the first kernel", "s", "Step time less what lies between begin and end."},
        {"kernel_share", "Share of the step in kernels", "%", "Time in kernels over step time."},
        {"call_time", "CPU time of the calls", "s", "From the first call until the last one returned."},
        {"launches", "Kernels", "kernels", "Kernels that the chain is executed as."},
        {"bytes_moved", "Bytes moved", "B", "Every kernel reads the array once and writes it once."},
        {"flop", "Floating-point operations", "FLOP", "Two an operation and element, however they are launched."},
        {"bandwidth", "Bandwidth over the step", "B/s", "Bytes moved over step time."}};
    for (MetricSpec& spec : simulatedMetrics())
        all.push_back(std::move(spec));
    return all;
}

std::vector<ChartSpec> charts()
{
    const auto curve = [](const char* id, const char* title, const char* x, const char* y) {
        return ChartSpec{id, title, x, y, ParamScale::Log2, ParamScale::Log2};
    };
    ChartSpec parts{"parts_of_step", "Where the step goes", "by", "step_time", ParamScale::List, ParamScale::Linear};
    parts.kind = "cost";
    parts.parts = {"kernel_sum", "between_time", "start_time"};
    return {curve("per_operation_over_operations", "Time per operation over operations", "operations",
                  "time_per_operation"),
            curve("step_over_operations", "Step time over operations", "operations", "step_time"),
            curve("per_operation_over_elements", "Time per operation over elements", "elements", "time_per_operation"),
            curve("kernel_over_elements", "Time of one kernel over elements", "elements", "kernel_time"),
            ChartSpec{"share_over_elements", "Share of the step in kernels over elements", "elements", "kernel_share",
                      ParamScale::Log2, ParamScale::Linear},
            curve("bandwidth_over_elements", "Bandwidth over elements", "elements", "bandwidth"),
            parts};
}

} // namespace

ExperimentInfo kernelChainInfo()
{
    ExperimentInfo made;
    made.id = "kernel_chain";
    made.version = 1;
    made.title = "Chain of tiny kernels";
    made.module = 4;
    made.summary = "Runs a chain of elementwise operations kernel by kernel, as a graph and fused into one kernel, and "
                   "says where the time of the step goes.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim"};
    made.metrics = metrics();
    made.charts = charts();
    made.limits = {{"step_time", "gaps between kernels, then pins or pipes", "lower",
                    "0.5 µs × (kernels − 1) + max(bytes of one read and one write that no L2 can hold ÷ pin bandwidth, "
                    "FLOP ÷ FP32 peak)",
                    fmt::format("gap: {}; pin bandwidth from the chip table or the driver; peak = SMs × lanes × clock",
                                gpu::kGraphGap.source)}};
    made.kernels = {kChainKernel, kFusedKernel};
    made.scene = "lanes";
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
