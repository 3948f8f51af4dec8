// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "occupancy".
#include "labs/1-gpu-architecture/occupancy_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/pipe_rates.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

namespace ridge::labs {

namespace {

ParamSpec listParam(std::string name, std::string title, std::string unit, std::int64_t defaultValue,
                    std::initializer_list<std::int64_t> choices, std::string help)
{
    auto spec =
        integerParam(std::move(name), std::move(title), std::move(unit), static_cast<double>(*choices.begin()),
                     static_cast<double>(*(choices.end() - 1)), defaultValue, ParamScale::List, std::move(help));
    for (const std::int64_t choice : choices)
        spec.choices.push_back(choice);
    return spec;
}

std::vector<ParamSpec> parameters()
{
    auto work = choiceParam("work", "Work", {"load", "fma"}, "load",
                            "What the warps do: read device memory, or chains of fp32 multiply-adds.");
    auto warps = listParam("warps", "Warps per SM", "warps", 16, {1, 2, 4, 8, 12, 16, 24, 32, 48, 64},
                           "Warps that may be resident on an SM; blocks ask for unused shared memory so that no more "
                           "of them fit.");
    auto inFlight = integerParam("in_flight", "Bytes in flight per SM", "KiB", 0, 256, 0, ParamScale::Linear,
                                 "Loads only, 0 for none: chooses the warps so that warps × chains × 32 lanes × bytes "
                                 "a lane are this many.");
    auto ilp = listParam("ilp", "Independent instructions", "", 1, {1, 2, 4, 8},
                         "Loads or chains of one warp that do not wait for each other (ILP).");
    auto width = widthParam("load_bytes", "Bytes per lane", "What one lane reads with one load.");
    auto threads = listParam("block_threads", "Threads per block", "threads", 0, {0, 32, 64, 128, 256, 512, 1024},
                             "0: the smallest block with which the wanted warps fit.");
    threads.choiceTitles = {"as few as fit", "32", "64", "128", "256", "512", "1024"};
    auto shared = integerParam("shared_bytes", "Shared memory per block", "B", 0, 232448, 0, ParamScale::Linear,
                               "Dynamic shared memory that each block asks for at least; the system's own share (1 KB "
                               "since compute capability 8.0) comes on top.");
    auto size = integerParam("mebibytes", "Bytes read", "MiB", 1, 8192, 8, ParamScale::Log2,
                             "Read in all, a little less where the last round would not be full.");
    size.defaultFor = {{"gpu", std::int64_t{1024}}};
    auto rounds = integerParam("rounds", "Rounds of chains", "", 1, 65536, 16, ParamScale::Log2,
                               "Multiply-adds only: loop turns of 120 instructions.");
    rounds.defaultFor = {{"gpu", std::int64_t{4096}}};
    return {work, warps, inFlight, ilp, width, threads, shared, size, rounds};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> list{
        {"bandwidth", "Bandwidth", "GB/s", "Bytes that lanes loaded over the time of the launch."},
        {"flop_rate", "Rate", "GFLOP/s", "Floating-point operations over the time of the launch; an FMA is two."},
        {"in_flight_bytes", "Bytes in flight per SM", "B",
         "Resident warps × independent loads × 32 lanes × bytes a lane: the most that can be on its way at once."},
        {"effective_latency", "Bytes in flight over bandwidth", "s",
         "How long a byte is on its way on average, if as many are as can be (Little's law): the unloaded latency of "
         "an idle memory, more once requests queue."},
        {"pin_bandwidth", "Pin bandwidth", "GB/s", "Of the memory, as the limit takes it."},
        {"little_slope", "Bandwidth of a byte in flight on every SM", "GB/s/B",
         "SMs ÷ unloaded memory latency: times the bytes in flight per SM it is Little's bound."},
        {"little_bytes", "Bytes in flight that Little's law asks for", "B",
         "Pin bandwidth × unloaded memory latency ÷ SMs: where both bounds meet. A busy memory needs more."},
        {"theoretical_occupancy", "Theoretical occupancy", "%",
         "Warps that fit on an SM over its warp slots, by NVIDIA's rules for registers, shared memory and blocks."},
        {"warps_per_sm", "Resident warps", "warps", "Warps that fit on an SM."},
        {"active_warps", "Active warps", "warps",
         "Warps of an SM that worked at the same time, on average, by the SM's own clock; median of the SMs."},
        {"blocks_per_sm", "Blocks per SM", "blocks", "The fewest of what the four resources below allow."},
        {"blocks_by_warps", "Blocks that warp slots allow", "blocks", "Warp slots over warps of a block."},
        {"blocks_by_slots", "Blocks that block slots allow", "blocks", "The most blocks an SM manages."},
        {"blocks_by_shared", "Blocks that shared memory allows", "blocks",
         "Shared memory of an SM over what a block is given, rounded and with the system's share."},
        {"blocks_by_registers", "Blocks that registers allow", "blocks",
         "Registers of an SM over those of a block, rounded a warp; not told where the target hides them."},
        {"registers", "Registers per thread", "registers", "As the kernel was compiled for the target."},
        {"shared_per_block", "Shared memory asked for", "B", "Dynamic shared memory of each block, padding included."},
        {"bytes", "Bytes loaded", "B", "That lanes asked for, all launches' warps together."},
        {"flop", "Floating-point operations", "FLOP", "Of the chains, two an FMA."}};
    for (MetricSpec& spec : timeMetrics("one launch"))
        list.push_back(std::move(spec));
    for (MetricSpec& spec : simulatedMetrics())
        list.push_back(std::move(spec));
    return list;
}

} // namespace

ExperimentInfo occupancyInfo()
{
    ExperimentInfo made;
    made.id = "occupancy";
    made.version = 1;
    made.title = "Occupancy and bytes in flight";
    made.module = 1;
    made.summary = "Lets more or fewer warps live on an SM and shows that bytes in flight, not warps, fill the memory.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim"};
    made.metrics = metrics();
    const auto chart = [](const char* id, const char* title, const char* x, const char* y) {
        return ChartSpec{id, title, x, y, ParamScale::Linear, ParamScale::Linear};
    };
    made.charts = {
        chart("bandwidth_over_warps", "Bandwidth over warps per SM", "warps", "bandwidth"),
        chart("bandwidth_over_in_flight", "Bandwidth over bytes in flight per SM", "in_flight", "bandwidth"),
        ChartSpec{"bandwidth_collapsed",
                  "Bandwidth over bytes in flight, under Little's law",
                  "in_flight_bytes",
                  "bandwidth",
                  ParamScale::Log2,
                  ParamScale::Log2,
                  "roofline",
                  {"pin_bandwidth", "little_slope"}},
        chart("rate_over_warps", "Multiply-add rate over warps per SM", "warps", "flop_rate"),
        chart("occupancy_over_shared", "Occupancy over shared memory a block", "shared_bytes", "theoretical_occupancy"),
    };
    made.limits = {
        {"bandwidth", "pins, and bytes in flight ÷ latency", "upper",
         "min(pin bandwidth, SMs × bytes in flight ÷ unloaded memory latency)",
         "Little's law; pin bandwidth from the chip table or the driver, latency from assets/chips/timing (RRZE "
         "gpu-latency and others, cited there); pins alone for a chip without such a file"},
        {"flop_rate", "pipes, and chains ÷ latency", "upper", "min(peak, SMs × warps × chains × 64 FLOP ÷ FMA latency)",
         pipeRateSource()},
        {"theoretical_occupancy", "all warp slots", "upper", "100 %", "warp slots of an SM"}};
    made.kernels = {kOccupancyKernel};
    made.scene = "occupancy";
    for (const std::string& scene : launchScenes())
        if (scene != made.scene)
            made.scenes.push_back(scene);
    return made;
}

} // namespace ridge::labs
