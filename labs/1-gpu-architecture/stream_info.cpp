// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "stream".
#include "labs/1-gpu-architecture/stream_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

namespace ridge::labs {

namespace {

std::vector<ParamSpec> parameters()
{
    auto operation = choiceParam("operation", "Operation", {std::begin(kStreamOps), std::end(kStreamOps)}, "copy",
                                 "copy c = a, scale c = s·a, add c = a + b, triad c = a + s·b, read (sums a), write "
                                 "c = s, dot (sum of a·b).");
    auto bytes = integerParam("bytes", "Size of an array", "bytes", 1024, 4294967296.0, 4194304, ParamScale::Log2,
                              "Each of the one to three arrays has so many bytes, rounded down to whole floats.");
    bytes.defaultFor = {{"gpu", std::int64_t{268435456}}, {"cpu", std::int64_t{134217728}}};
    bytes.sweepFor = {{"sim", "16384..67108864:log2"}, {"cpu", "16384..268435456:log2"}};
    auto width = integerParam("bytes_per_thread", "Bytes per thread", "bytes", 4, 64, 16, ParamScale::List,
                              "What a thread loads from each input before it waits: one load of 4, 8 or 16 bytes, or "
                              "two or four of 16. A processor (cpu) loads its widest vectors instead.");
    width.choices = {std::int64_t{4}, std::int64_t{8}, std::int64_t{16}, std::int64_t{32}, std::int64_t{64}};
    auto grid = choiceParam("grid", "Grid style", {std::begin(kStreamGrids), std::end(kStreamGrids)}, "element",
                            "element: as many threads as the array needs. grid_stride: as many as the chip holds, in a "
                            "loop. persistent: fewer, which fetch the next tile ahead. A processor (cpu) gives every "
                            "core a part of its own.");
    return {operation, bytes, width, grid};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> specs{
        {"bandwidth", "Bandwidth", "GB/s",
         "Bytes read plus bytes written over the median time; a copy counts twice its size."},
        {"pin_share", "Share of pin bandwidth", "%",
         "Bandwidth over the pin bandwidth of the chip; beyond 100 % a cache holds part of the data."},
        {"driver_bandwidth", "Bandwidth of the driver's copy", "GB/s",
         "Of cuMemcpyDtoDAsync on the same buffers, in turns with the kernel; only of a copy on a GPU."},
        {"driver_share", "Share of the driver's copy", "%", "Bandwidth over that of the driver's copy."},
        {"bytes_moved", "Bytes moved", "B",
         "Bytes of the arrays that the operation reads and writes: the work itself."},
        {"bytes_in_flight", "Bytes in flight per SM", "B",
         "What the resident threads of an SM ask for before the first of them must wait, if warp slots alone limit "
         "them; bandwidth is at most this over the latency, times the SMs."},
        {"bandwidth_per_sm", "Bandwidth per SM", "B/clk",
         "Bytes read plus written per SM and clock: how much of it one SM sees."},
        {"energy_per_bit", "Energy per bit", "pJ/bit",
         "Board power over bits moved a second; only where power is measured, idle power included."}};
    for (MetricSpec& spec : timeMetrics("one pass over the arrays"))
        specs.push_back(std::move(spec));
    for (MetricSpec& spec : simulatedMetrics())
        specs.push_back(std::move(spec));
    addPairMetrics(specs, "driver_share", "Share of the driver's copy");
    return specs;
}

std::vector<ChartSpec> charts()
{
    return {{"bandwidth_over_bytes", "Bandwidth over size", "bytes", "bandwidth", ParamScale::Log2, ParamScale::Linear},
            {"bandwidth_over_width", "Bandwidth over bytes per thread", "bytes_per_thread", "bandwidth",
             ParamScale::Log2, ParamScale::Linear},
            {"share_over_bytes", "Share of pin bandwidth over size", "bytes", "pin_share", ParamScale::Log2,
             ParamScale::Linear},
            {"in_flight_over_width", "Bytes in flight over bytes per thread", "bytes_per_thread", "bytes_in_flight",
             ParamScale::Log2, ParamScale::Linear}};
}

} // namespace

ExperimentInfo streamInfo()
{
    ExperimentInfo made;
    made.id = "stream";
    made.version = 1;
    made.title = "STREAM bandwidth";
    made.module = 1;
    made.summary = "Copies, scales, adds, reads, writes and multiplies arrays and compares the bandwidth with the "
                   "memory's pins.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim", "cpu"};
    made.metrics = metrics();
    made.charts = charts();
    made.limits = {
        {"bandwidth", "memory pins never idle", "upper",
         "pin bandwidth × bytes moved ÷ bytes that must cross the pins; what a single launch writes may stay "
         "in the L2 cache. On the target cpu what all cores read from memory, for arrays of four times the last "
         "cache and more; smaller ones have none, since nothing tells the width of a processor's caches",
         "pin bandwidth from the chip table or the driver; a processor's reads are measured in the same run; "
         "McCalpin's STREAM counts bytes so"}};
    for (const char* kernel : kStreamKernels)
        made.kernels.emplace_back(kernel);
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
