// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/run_schedule.h"

#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr const char* kKernel = "launch/01_empty.cu";
constexpr int kRepeats = 20;
constexpr std::uint64_t kFewestCounted = 8; // bytes of parameters of a kernel that counts: the counter's address

struct Setting {
    std::uint64_t launches = 1;
    std::uint64_t argumentBytes = 0;
    bool asGraph = false;

    /// Behind a gate there is room for so many.
    std::uint64_t queued() const { return std::min<std::uint64_t>(launches, gpu::kMostGated); }
    double perLaunch(double seconds) const { return seconds / static_cast<double>(launches); }
};

/// The least that the gaps between `launches` kernels take, over launches.
double gapsPerLaunch(std::uint64_t launches)
{
    return gpu::kGraphGap.value * static_cast<double>(launches - 1) / static_cast<double>(launches);
}

gpu::Schedule scheduleOf(const Setting& setting, const gpu::LoadedProgram& program, gpu::DevicePtr counter,
                         bool counting)
{
    const std::uint64_t bytes = counting ? std::max(setting.argumentBytes, kFewestCounted) : setting.argumentBytes;
    gpu::Step step{&program, {}};
    step.launch.kernel = fmt::format("{}_{}", counting ? "count" : "empty", bytes);
    step.launch.block = {32, 1, 1};
    if (bytes > 0)
        step.launch.args.emplace_back(counter);
    while (step.launch.args.size() * 8 < bytes) // the last one is what the kernel adds
        step.launch.args.emplace_back(std::uint64_t{1});
    return gpu::Schedule(setting.launches, {0, std::move(step), ""});
}

/// Every launch adds one to the counter: none may be missing, and none may run twice.
Result<void> checkCount(GpuContext& context, const Setting& setting, const gpu::LoadedProgram& program)
{
    gpu::Device& device = context.device();
    Buffers buffers(device);
    const auto counter = buffers.allocate(4, "counter");
    if (!counter)
        return counter.error();
    const std::uint32_t before = context.rng().nextU32();
    if (auto written = device.copyToDevice(*counter, std::as_bytes(std::span(&before, 1))); !written)
        return written;
    gpu::ScheduleOptions options;
    options.asGraph = setting.asGraph;
    options.warmUps = 0;
    options.timeline = false;
    const auto report = device.runSchedule(scheduleOf(setting, program, *counter, true), options);
    if (!report)
        return report.error();
    std::uint32_t after = 0;
    if (auto read = device.copyToHost(std::as_writable_bytes(std::span(&after, 1)), *counter); !read)
        return read;
    const std::uint64_t wanted = setting.launches * static_cast<std::uint64_t>(report->executions);
    const std::uint32_t counted = after - before;
    context.check("every_launch_counted", counted == static_cast<std::uint32_t>(wanted),
                  fmt::format("the kernels counted {} launches of {}", counted, wanted));
    return buffers.checkGuards(context);
}

/// What the device needs for a launch when all are in its queue: the rate of the CPU's calls does not enter.
Result<void> reportQueued(GpuContext& context, const Setting& setting, const gpu::LoadedProgram& program,
                          gpu::DevicePtr counter)
{
    Setting queued = setting;
    queued.launches = setting.queued();
    gpu::ScheduleOptions options;
    options.repeats = kRepeats;
    options.timeline = false;
    options.gated = true;
    const auto report = runSchedule(context, scheduleOf(queued, program, counter, false), options, "");
    if (!report && (report.error().code == "driver-too-old" || report.error().code == "gate-opened")) {
        context.log("no device time per launch: " + toText(report.error()));
        return {};
    }
    if (!report)
        return report.error();
    if (report->timed)
        context.metric("device_time_per_launch", queued.perLaunch(report->deviceSeconds), report->provenance);
    return {};
}

// ---- description ----------------------------------------------------------------------------------------------------

std::vector<ParamSpec> parameters()
{
    auto launches = integerParam("launches", "Launches", "launches", 1, 10000, 100, ParamScale::Log2,
                                 "Kernels launched one after the other.");
    launches.defaultFor = {{"gpu", std::int64_t{1000}}};
    auto by = choiceParam("by", "Launched by", {"stream", "graph"}, "stream",
                          "One call a kernel on a stream, or one graph that holds all of them.");
    auto bytes = integerParam("argument_bytes", "Parameter bytes", "bytes", 0, 4096, 8, ParamScale::List,
                              "Bytes of kernel parameters that travel with each launch.");
    for (const std::int64_t size : {0, 8, 64, 256, 1024, 4096})
        bytes.choices.emplace_back(size);
    return {launches, by, bytes};
}

std::vector<MetricSpec> metrics()
{
    return {
        {"time", "Time of all launches", "s",
         "From the first kernel to the end of the last, by the device. Over launches it is a line: T = a + n b."},
        {"time_per_launch", "Time per launch", "s",
         "The same over launches. On a stream the CPU's calls or the device set the pace, whichever is slower."},
        {"device_time_per_launch", "Device time per launch", "s",
         "The same with all launches in the queue before the first may start (at most 500), or as nodes of a graph: "
         "what the device alone needs."},
        {"call_time_per_launch", "CPU time per launch", "s", "Time in which the calls return, over launches."},
        {"wall_time_per_launch", "Wall time per launch", "s",
         "From the first call until the CPU knows that all is done, over launches."}};
}

std::vector<ChartSpec> charts()
{
    const auto chart = [](const char* id, const char* title, const char* y) {
        return ChartSpec{id, title, "launches", y, ParamScale::Log2, ParamScale::Log2};
    };
    return {chart("per_launch_over_launches", "Time per launch over launches", "time_per_launch"),
            chart("time_over_launches", "Time over launches", "time"),
            chart("calls_over_launches", "CPU time per launch over launches", "call_time_per_launch"),
            ChartSpec{"calls_over_bytes", "CPU time per launch over parameter bytes", "argument_bytes",
                      "call_time_per_launch", ParamScale::Linear, ParamScale::Linear}};
}

std::vector<LimitSpec> limits()
{
    const std::string source = fmt::format("published: {}", gpu::kGraphGap.source);
    return {
        {"time_per_launch", "gap between kernels of a graph", "lower", "0.5 µs × (launches − 1) ÷ launches", source},
        {"device_time_per_launch", "gap between kernels of a graph", "lower", "0.5 µs × (launches − 1) ÷ launches",
         source}};
}

class LaunchCost : public GpuExperiment {
public:
    LaunchCost()
    {
        m_info.id = "launch";
        m_info.version = 1;
        m_info.title = "Launch cost";
        m_info.module = 2;
        m_info.summary = "Launches kernels that do nothing, one by one or as a graph, and tells what a launch costs.";
        m_info.parameters = parameters();
        m_info.targets = {"gpu", "sim"};
        m_info.metrics = metrics();
        m_info.charts = charts();
        m_info.limits = limits();
        m_info.kernels = {kKernel};
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> LaunchCost::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    const Setting setting{integer(params, "launches"), integer(params, "argument_bytes"),
                          choice(params, "by") == "graph"};
    const auto program = context.kernel(kKernel);
    if (!program)
        return program.error();
    if (auto counted = checkCount(context, setting, **program); !counted)
        return counted;
    context.progress(0.4, "every launch has run");
    Buffers buffers(context.device());
    const auto counter = buffers.allocate(4, "counter");
    if (!counter)
        return counter.error();
    gpu::ScheduleOptions options;
    options.asGraph = setting.asGraph;
    options.repeats = kRepeats;
    options.timeline = false; // an event between two empty kernels would cost more than they do
    const auto report = runSchedule(context, scheduleOf(setting, **program, *counter, false), options, "");
    if (!report)
        return report.error();
    if (!report->timed)
        return {};
    const auto by = report->provenance;
    context.metric("time", report->deviceSeconds, by);
    context.metric("time_per_launch", setting.perLaunch(report->deviceSeconds), by);
    context.metric("call_time_per_launch", setting.perLaunch(report->enqueueSeconds), by);
    context.metric("wall_time_per_launch", setting.perLaunch(report->wallSeconds), by);
    const std::uint64_t queued = setting.asGraph ? setting.launches : setting.queued();
    if (setting.launches > 1) { // one kernel alone follows none
        context.limit("time_per_launch", gapsPerLaunch(setting.launches));
        context.limit("device_time_per_launch", gapsPerLaunch(queued));
    }
    if (!setting.asGraph)
        return reportQueued(context, setting, **program, *counter);
    context.metric("device_time_per_launch", setting.perLaunch(report->deviceSeconds), by);
    return {};
}

} // namespace

std::unique_ptr<GpuExperiment> makeLaunch()
{
    return std::make_unique<LaunchCost>();
}

} // namespace ridge::labs
