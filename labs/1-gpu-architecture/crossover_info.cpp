// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "crossover".
#include "labs/1-gpu-architecture/crossover_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/pipe_rates.h"
#include "labs/harness/simulated_time.h"

namespace ridge::labs {

namespace {

std::vector<ParamSpec> parameters()
{
    auto work = choiceParam("work", "Work", {"saxpy", "sgemm"}, "saxpy",
                            "saxpy: y = a x + y, two operations for 12 bytes. sgemm: C = A B of square matrices, 2 n "
                            "operations for each element.");
    auto n = integerParam("n", "Size n", "", 64, 1 << 26, 512, ParamScale::Log2,
                          "Elements of saxpy, or order of the matrices of sgemm: a multiple of 64, at most 4096.");
    n.sweepFor = {{"gpu", "64..67108864:log2"}, {"sim", "64..1048576:log2"}};
    auto memory = choiceParam("memory", "Host memory", {"pinned", "pageable"}, "pinned",
                              "How the host's arrays are allocated from which copies go to the GPU and back.");
    return {work, n, memory};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> list{
        {"cpu_one_time", "Time on one core", "s",
         "One pass on one core of this machine, with its widest vectors, the arrays in its caches as far as they fit. "
         "Measured here whatever the target; the shortest of some dozen samples, as STREAM has it."},
        {"cpu_all_time", "Time on all cores", "s",
         "The same by a thread on each core that this process may use, until the last one is done."},
        {"kernel_time", "Time of the kernel", "s", "One launch on the GPU, from its start to its end."},
        {"gpu_time", "GPU time, data resident", "s",
         "From the launch call until the CPU knows that the kernel is done; the data is on the GPU already."},
        {"gpu_copy_time", "GPU time with copies", "s",
         "The same with the inputs copied to the GPU first and the result copied back."},
        {"gain_resident", "Gain, data resident", "x",
         "Best CPU time over the GPU's time with the data there; above 1 the GPU wins."},
        {"gain_with_copies", "Gain with copies", "x", "Best CPU time over the GPU's time with copies there and back."},
        {"cpu_threads", "CPU threads", "threads", "Cores that this process may use, a thread on each."},
        {"cpu_rate", "Rate of one core", "GFLOP/s", "Floating-point operations over the time on one core."},
        {"cpu_peak_share", "Share of one core's peak", "%",
         "Rate of one core over what its multiply-adds in registers alone reach, measured in the same run; only "
         "sgemm, whose loop is good where this is high."},
        {"flop", "Floating-point operations", "FLOP", "2 n of saxpy, 2 n^3 of sgemm."}};
    for (MetricSpec& spec : simulatedMetrics())
        list.push_back(std::move(spec));
    return list;
}

} // namespace

ExperimentInfo crossoverInfo()
{
    ExperimentInfo made;
    made.id = "crossover";
    made.version = 1;
    made.title = "CPU and GPU, who is first";
    made.module = 1;
    made.summary = "Does the same work on one core, on all cores and on the GPU, with and without copies, by its size.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim"}; // both measure this machine's processor as well
    made.metrics = metrics();
    const auto chart = [](const char* id, const char* title, const char* y) {
        return ChartSpec{id, title, "n", y, ParamScale::Log2, ParamScale::Log2};
    };
    made.charts = {chart("time_over_n", "GPU time over size, data resident", "gpu_time"),
                   chart("gain_over_n", "Gain over size, data resident", "gain_resident"),
                   chart("copy_gain_over_n", "Gain over size, with copies", "gain_with_copies"),
                   chart("copy_time_over_n", "GPU time over size, with copies", "gpu_copy_time"),
                   chart("cpu_time_over_n", "Time on all cores over size", "cpu_all_time"),
                   chart("core_time_over_n", "Time on one core over size", "cpu_one_time")};
    const std::string source = "pins and host link: chip table or driver; peak: " + pipeRateSource();
    made.limits = {
        {"kernel_time", "roofline", "lower",
         "max(operations ÷ FP32 peak, bytes ÷ pin bandwidth); of a cold simulated launch without the written bytes "
         "that fit into L2",
         source},
        {"gpu_copy_time", "roofline and link", "lower", "the same + bytes copied ÷ rate of the host link", source},
        {"cpu_peak_share", "multiply-adds in registers", "upper", "100 %",
         "measured in the same run; noise may exceed it by a little"}};
    made.kernels = {kSaxpyKernel, kSgemmKernel};
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
