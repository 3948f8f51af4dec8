// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "level_bandwidth".
#include "labs/1-gpu-architecture/level_bandwidth_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

namespace ridge::labs {

namespace {

std::vector<ParamSpec> parameters()
{
    auto set =
        integerParam("working_set", "Working set", "bytes", 8192, 4294967296.0, 32768, ParamScale::Log2,
                     "What is read over and over: by each SM on its own, or by the chip together. On a processor "
                     "(cpu) by each core, or by all cores together, a part each. GPUs take 8, 16, 32, 64 KiB or "
                     "whole steps of 128 KiB, rounded down.");
    auto scope = choiceParam(
        "scope", "Scope", {std::begin(kLevelScopes), std::end(kLevelScopes)}, kLevelScopes[0],
        "sm: every SM reads a slice of its own through its first cache. chip: every SM reads the same set, past "
        "the first cache, beginning in a place of its own.");
    auto read =
        integerParam("read_bytes", "Bytes read per SM", "bytes", 131072, 1073741824, 2097152, ParamScale::Log2,
                     "What each SM reads while the clock runs, in whole rounds of 128 KiB, after it has brought "
                     "in its part of the set. A processor (cpu) reads as long as its clock needs.");
    read.defaultFor = {{"gpu", std::int64_t{67108864}}};
    set.sweepFor = {{"sim", "8192..134217728:log2"}, {"cpu", "8192..268435456:log2"}};
    return {set, scope, read};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> specs{
        {"bandwidth", "Bandwidth", "GB/s",
         "Bytes that all SMs read over the time of the slowest, by the clock within the kernel."},
        {"bytes_per_clock", "Bytes per clock of an SM", "B/clk",
         "Bytes that one SM read over the clocks of the slowest one; not for processors."},
        {"bytes_read", "Bytes read", "B", "Bytes read while the clock runs, all SMs together."}};
    for (MetricSpec& spec : timeMetrics("the whole launch, bringing in the set included (on a processor: one pass)"))
        specs.push_back(std::move(spec));
    for (MetricSpec& spec : simulatedMetrics())
        specs.push_back(std::move(spec));
    return specs;
}

} // namespace

double levelL1Width(int major, int minor)
{
    // Turing, and the Ampere chips for displays.
    const bool half = (major == 7 && minor == 5) || (major == 8 && (minor == 6 || minor == 7));
    return half ? 64 : 128;
}

ExperimentInfo levelBandwidthInfo()
{
    ExperimentInfo made;
    made.id = "level_bandwidth";
    made.version = 1;
    made.title = "Bandwidth of each level";
    made.module = 1;
    made.summary = "Reads a working set over and over and shows what L1, L2 and memory give, and where each ends.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim", "cpu"};
    made.metrics = metrics();
    made.charts = {{"bandwidth_over_set", "Bandwidth over working set", "working_set", "bandwidth", ParamScale::Log2,
                    ParamScale::Linear},
                   {"per_clock_over_set", "Bytes per clock over working set", "working_set", "bytes_per_clock",
                    ParamScale::Log2, ParamScale::Linear}};
    made.limits = {
        {"bytes_per_clock", "width of the first cache", "upper",
         "128 B per clock of an SM; 64 B on compute capability 7.5, 8.6 and 8.7",
         "RRZE gpu-benches, gpu-cache: 126 B/clk of V100, A100, H100, 64 of A40; assets/chips/timing"},
        {"bandwidth", "memory pins never idle", "upper",
         "pin bandwidth ÷ (1 − L2 capacity ÷ set), for sets of four times the L2 cache and more. None on the "
         "target cpu: this loop is what a processor's roofs are measured with, and nothing that a program "
         "may read tells its pins",
         "pin bandwidth and L2 capacity from the chip table or the driver"}};
    made.kernels = {kLevelKernel};
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
