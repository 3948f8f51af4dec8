// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "throughput".
#include "labs/1-gpu-architecture/throughput_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/pipe_rates.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

namespace ridge::labs {

namespace {

std::vector<ParamSpec> parameters()
{
    auto operation =
        choiceParam("operation", "Operation",
                    {"fma_fp32", "fma_fp64", "fma_half2", "imad", "mufu_rcp", "mufu_ex2", "convert", "shuffle",
                     "shared_load", "mma_fp16", "mma_bf16", "mma_tf32", "mma_int8"},
                    "fma_fp32",
                    "The instruction of the chains: fused multiply-add in fp32, fp64 or on two halves, integer "
                    "multiply-add, reciprocal and 2^x of the special function unit, integer to float, warp shuffle, "
                    "4-byte shared load, and tensor products (mma.sync) that accumulate in fp32 or int32.");
    auto ilp = integerParam("ilp", "Independent chains", "", 1, 8, 4, ParamScale::List,
                            "Instructions of one warp that do not wait for each other (ILP).");
    ilp.choices = {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}};
    auto warps = integerParam("warps", "Warps per SM", "warps", 1, 64, 16, ParamScale::List,
                              "Warps resident on each SM; its four schedulers share them.");
    warps.choices.clear();
    for (const std::int64_t count : {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 48, 64})
        warps.choices.push_back(count);
    auto turns =
        integerParam("turns", "Loop turns", "", 1, 4096, 16, ParamScale::Log2,
                     "Turns of the loop, 120 instructions each; more of them hide what the loop's start costs.");
    turns.defaultFor = {{"gpu", std::int64_t{4096}}};
    auto sms =
        integerParam("sms", "SMs", "SMs", 0, 1024, 0, ParamScale::Linear,
                     "Multiprocessors at work, 0 for all; they do the same, so that two tell a simulator enough.");
    sms.defaultFor = {{"sim", std::int64_t{2}}};
    return {operation, ilp, warps, turns, sms};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> list{
        {"cycles_per_instruction", "Cycles per instruction", "cycles",
         "SM cycles for each instruction of the chains and scheduler, median of the SMs; 1 is one instruction a "
         "clock."},
        {"cycles_per_step", "Cycles per step", "cycles",
         "SM cycles from one step of a chain to the next; with one warp and one chain it is the instruction's "
         "latency."},
        {"op_rate", "Operations per clock", "op/clk",
         "Operations per clock of one SM; an fp32 FMA of a warp is 64, a product of m × n × k is 2mnk."},
        {"peak_share", "Share of the peak", "%", "Operations per clock over what the pipe can do in a clock."},
        {"active_warps", "Warps at work", "warps",
         "Warps of an SM that ran at the same time, on average; fewer than asked for where they do not fit together."},
        {"instructions", "Instructions", "instructions",
         "Warp instructions of the timed chains, all SMs; the loop's own are not in it."},
        {"flop", "Floating-point operations", "FLOP", "Of the timed chains; only where the operation is a product."},
        {"throughput", "Throughput", "Gop/s",
         "Operations a second of the SMs at work, over the time of the whole launch: an FMA is two operations."},
        {"gpu_rate", "Rate of the GPU", "Gop/s",
         "What all SMs do a second at the clock that ran, each at the rate of the median one; start-up is not in it."},
        {"peak", "Peak at this clock", "Gop/s", "What the pipes of all SMs could do at the clock that ran."}};
    for (MetricSpec& spec : timeMetrics("one launch, its start included"))
        list.push_back(std::move(spec));
    for (MetricSpec& spec : simulatedMetrics())
        list.push_back(std::move(spec));
    return list;
}

} // namespace

ExperimentInfo throughputInfo()
{
    ExperimentInfo made;
    made.id = "throughput";
    made.version = 1;
    made.title = "Instruction throughput";
    made.module = 1;
    made.summary = "Runs independent chains of one instruction and finds how many warps and chains keep its pipe busy.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim"};
    made.drawsNothing = true; // the kernels compute on fixed values: what is timed depends on no datum
    made.metrics = metrics();
    const auto chart = [](const char* id, const char* title, const char* x, const char* y) {
        return ChartSpec{id, title, x, y, ParamScale::Log2, ParamScale::Linear};
    };
    made.charts = {chart("cycles_over_warps", "Cycles per instruction over warps", "warps", "cycles_per_instruction"),
                   chart("rate_over_warps", "Operations per clock over warps", "warps", "op_rate"),
                   chart("rate_over_ilp", "Operations per clock over chains", "ilp", "op_rate"),
                   chart("throughput_over_warps", "Throughput over warps", "warps", "throughput")};
    made.limits = {{"cycles_per_instruction", "issue and pipe", "lower",
                    "max(1, 4 schedulers × 32 ÷ lanes of the pipe)", pipeRateSource()},
                   {"op_rate", "lanes of the pipe", "upper", "operations of an instruction × instructions a clock",
                    pipeRateSource()},
                   {"peak_share", "all of the pipe", "upper", "100 %", "a pipe cannot do more than its lanes"},
                   {"throughput", "SMs at work, at the clock that ran", "upper",
                    "operations per clock × SMs at work × SM clock", pipeRateSource()},
                   {"gpu_rate", "all SMs at the clock that ran", "upper", "operations per clock × SMs × SM clock",
                    pipeRateSource()}};
    made.kernels = {kChainsKernel, kTensorKernel};
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
