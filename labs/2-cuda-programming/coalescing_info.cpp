// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "coalescing".
#include "labs/2-cuda-programming/coalescing_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"

namespace ridge::labs {

namespace {

std::vector<ParamSpec> parameters()
{
    auto stride = integerParam("stride", "Stride", "elements", 1, 128, 1, ParamScale::Log2,
                               "Distance between the elements that neighbouring lanes read.");
    auto bytes = widthParam("element_bytes", "Bytes per lane",
                            "What one lane reads with one instruction: a float, a float2 or a float4.");
    auto offset = integerParam("offset", "Offset", "elements", 0, 31, 0, ParamScale::Linear,
                               "Shifts every address, so that a warp may begin in the middle of a sector.");
    auto laneXor = integerParam("lane_xor", "Lane shuffle", "", 0, 31, 0, ParamScale::Linear,
                                "Lane i reads what lane i XOR this would have read: the same addresses, other lanes.");
    auto elements = integerParam("elements", "Elements", "elements", kMinElements, kMaxElements, 65536,
                                 ParamScale::Log2, "Elements read in all, one by each thread.");
    elements.defaultFor = {{"gpu", std::int64_t{4194304}}};
    return {stride, bytes, offset, laneXor, elements};
}

std::vector<MetricSpec> metrics()
{
    return {
        {"sectors_per_request", "Sectors per request", "sectors/request",
         "Distinct 32-byte sectors that one warp-wide load touches, on average. The fewest possible is bytes asked for "
         "over 32: 4, 8 or 16 for 4, 8 or 16 bytes a lane."},
        {"lines_per_request", "Lines per request", "lines/request",
         "Distinct 128-byte cache lines that one warp-wide load touches, on average; 1, 2 or 4 at best for 4, 8 or 16 "
         "bytes a lane."},
        {"load_efficiency", "Load efficiency", "%",
         "Bytes that lanes asked for over bytes of the sectors moved for them, loads only; 100 % wastes nothing."},
        {"requests", "Load requests", "requests", "Warp-wide global load instructions of the launch."},
        {"sectors", "Sectors loaded", "sectors", "Sectors touched by all load requests together."},
        {"bytes_moved", "Bytes moved", "B",
         "Sectors of loads and of stores together, 32 bytes each, as requested from the first cache."},
        {"bytes_useful", "Bytes used", "B", "Bytes that lanes asked to load and to store: the work itself."},
        {"useful_bandwidth_bound", "Bound on useful bandwidth", "GB/s",
         "Useful bytes a second, loads and stores, if the memory pins were never idle and each sector crossed them "
         "once; no run can exceed it unless a cache still holds data of the run before."},
        {"time", "Time per launch", "s", "Median over rotating buffers that together exceed the L2 cache twice."},
        {"useful_bandwidth", "Useful bandwidth", "GB/s",
         "Bytes loaded and stored by lanes over the median time; compare it with its bound."},
        {"moved_bandwidth", "Moved bandwidth", "GB/s",
         "Bytes of all touched sectors, loads and stores, over the median time: what the memory system really did."},
    };
}

std::vector<ChartSpec> charts()
{
    const auto chart = [](const char* id, const char* title, const char* y) {
        return ChartSpec{id, title, "stride", y, ParamScale::Log2, ParamScale::Linear};
    };
    return {chart("sectors_over_stride", "Sectors per request over stride", "sectors_per_request"),
            chart("efficiency_over_stride", "Load efficiency over stride", "load_efficiency"),
            chart("bandwidth_over_stride", "Useful bandwidth over stride", "useful_bandwidth"),
            chart("bound_over_stride", "Bound on useful bandwidth over stride", "useful_bandwidth_bound")};
}

std::vector<LimitSpec> limits()
{
    const std::string guide = "NVIDIA CUDA C++ Programming Guide, device memory accesses: global memory moves in "
                              "32-byte transactions";
    return {{"sectors_per_request", "32 lanes × element ÷ 32 B", "lower", "bytes asked for per request ÷ 32 B", guide},
            {"load_efficiency", "nothing wasted", "upper", "100 %", "bytes used cannot exceed bytes moved"},
            {"useful_bandwidth", "memory pins never idle", "upper",
             "pin bandwidth × useful bytes ÷ (distinct sectors × 32 B)",
             guide + "; pin bandwidth from the chip table or the driver"}};
}

} // namespace

ExperimentInfo coalescingInfo()
{
    ExperimentInfo made;
    made.id = "coalescing";
    made.version = 1;
    made.title = "Coalescing";
    made.module = 2;
    made.summary = "Reads every stride-th element with whole warps and counts the sectors that memory must move.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim"};
    made.metrics = metrics();
    for (MetricSpec& spec : simulatedMetrics())
        made.metrics.push_back(std::move(spec));
    made.charts = charts();
    made.limits = limits();
    made.kernels = {kCoalescingKernel};
    made.scene = "lanes_sectors";
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
