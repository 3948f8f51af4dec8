// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "roofline".
#include "labs/1-gpu-architecture/roofline_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/pipe_rates.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

namespace ridge::labs {

namespace {

std::vector<ParamSpec> parameters()
{
    auto type = choiceParam(
        "type", "Number format", {"fp32", "fp64", "half2", "int32"}, "fp32",
        "Of the elements; an element of half2 is a pair of fp16 numbers. A processor (cpu) has fp32 and fp64.");
    auto level = choiceParam(
        "level", "Level", {"hbm", "l2", "shared"}, "hbm",
        "Where the elements come from: device memory, the L2 cache or shared memory. On a processor (cpu): memory, "
        "256 KiB or 16 KiB of each thread, which stay in its second or first cache.");
    auto work = integerParam("fma_per_16", "FMAs per 16 loads", "", 1, 4096, 16, ParamScale::List,
                             "Work for 16 loaded elements; an FMA is two operations (four on half2), so that fp32 goes "
                             "from 0.125 to 512 FLOP an element.");
    for (std::int64_t count = 1; count <= 4096; count *= 2)
        work.choices.push_back(count);
    auto size =
        integerParam("mebibytes", "Bytes read", "MiB", 1, 8192, 16, ParamScale::Log2,
                     "Read from device memory in all, eight times as many from the faster levels; whole rounds. "
                     "A processor (cpu) reads at least four times its last cache, up to a GiB.");
    size.defaultFor = {{"gpu", std::int64_t{1024}}, {"cpu", std::int64_t{256}}};
    auto most = integerParam("max_mop", "Most operations", "Mop", 1, 1e8, 100, ParamScale::Log2,
                             "Fewer bytes are read where their arithmetic would be more, one round at least.");
    most.defaultFor = {{"gpu", std::int64_t{200'000}}};
    return {type, level, work, size, most};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> list{
        {"intensity", "Arithmetic intensity", "FLOP/B", "Operations for each byte read at the level."},
        {"rate", "Rate", "GFLOP/s", "Operations over time; of integers for int32."},
        {"bandwidth", "Bandwidth", "GB/s", "Bytes read at the level over time."},
        {"roof_share", "Share of the roof", "%", "Rate over what the roofline allows at this intensity."},
        {"ridge", "Ridge point", "FLOP/B", "Intensity at which peak and bandwidth of the level meet."},
        {"peak", "Peak", "Gop/s",
         "Multiply-adds in registers alone, all threads together: the best sample, measured once for the points of a "
         "request, again while others disturb it, and raised by any that passes it; cpu only."},
        {"flop", "Floating-point operations", "FLOP", "Of the launch; not for int32."},
        {"l2_bytes", "Bytes from L2", "B", "That lanes asked for; level l2."},
        {"l1_bytes", "Bytes from shared memory", "B", "That lanes asked for; level shared."}};
    for (MetricSpec& spec : timeMetrics("one launch"))
        list.push_back(std::move(spec));
    for (MetricSpec& spec : simulatedMetrics())
        list.push_back(std::move(spec));
    return list;
}

} // namespace

ExperimentInfo rooflineInfo()
{
    ExperimentInfo made;
    made.id = "roofline";
    made.version = 1;
    made.title = "Roofline";
    made.module = 1;
    made.summary = "Does more and more arithmetic for each element read and climbs the roof of a memory level.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim", "cpu"};
    made.drawsNothing = true; // the kernel computes on fixed values: what is timed depends on no datum
    made.metrics = metrics();
    const auto chart = [](const char* id, const char* title, const char* y) {
        return ChartSpec{id, title, "fma_per_16", y, ParamScale::Log2, ParamScale::Log2};
    };
    made.charts = {chart("rate_over_work", "Rate over work", "rate"),
                   chart("bandwidth_over_work", "Bandwidth over work", "bandwidth"),
                   chart("share_over_work", "Share of the roof over work", "roof_share")};
    const std::string where = "device memory: pin bandwidth of the chip table or the driver; L2: bytes a clock in "
                              "assets/chips/timing, measured by others and cited there; shared memory: 128 B a clock "
                              "and SM (CUDA C++ Programming Guide); on a processor both peak and bandwidth are "
                              "measured, once for all points of a "
                              "request";
    made.limits = {{"rate", "roofline", "upper", "min(peak, intensity × bandwidth of the level)",
                    "Williams, Waterman, Patterson 2009; peak: " + pipeRateSource() + "; " + where},
                   {"bandwidth", "the level never idle", "upper", "bandwidth of the level", where}};
    made.kernels = {kRooflineKernel};
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
