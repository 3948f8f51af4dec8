// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 4.1: what a chain of tiny kernels costs beside its kernels, and what a graph and fusion take off.
#include "base/lane_trace.h"
#include "labs/4-kernel-optimization/kernel_chain_info.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/ladder.h"
#include "labs/harness/pipe_rates.h"
#include "labs/harness/run_schedule.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

#include <bit>
#include <cmath>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr int kRepeats = 20;
constexpr std::uint64_t kThreads = 256, kElementsPerThread = 4; // of both kernels
constexpr float kConstant = -1.9f;
constexpr std::uint64_t kMostCompared = 1u << 24; ///< operations that the CPU repeats
constexpr std::size_t kMostDrawn = 256;

struct Setting {
    std::uint64_t operations = 1, elements = 32, dispatchMicroseconds = 0;
    bool asGraph = false, fused = false;

    std::uint64_t launches() const { return fused ? 1 : operations; }
    double arrayBytes() const { return 4 * static_cast<double>(elements); }
    double flop() const { return 2 * static_cast<double>(elements) * static_cast<double>(operations); }
};

/// The input is never written, so that a chain that is repeated ends as it did before.
struct Arrays {
    gpu::DevicePtr in, odd, even;

    gpu::DevicePtr result(const Setting& setting) const { return setting.launches() % 2 == 1 ? odd : even; }
};

float chained(float x, std::uint64_t operations)
{
    for (std::uint64_t k = 0; k < operations; ++k)
        x = std::fma(x, x, kConstant);
    return x;
}

gpu::Sequence sequenceOf(const Setting& setting, const gpu::LoadedProgram& program, const Arrays& arrays)
{
    const auto n = static_cast<std::uint32_t>(setting.elements);
    const std::uint64_t blocks = ceilDiv(setting.elements, kThreads * kElementsPerThread);
    if (setting.fused)
        return {step(&program, "fused_operations", blocks, kThreads,
                     {arrays.in, arrays.odd, n, static_cast<std::uint32_t>(setting.operations), kConstant})};
    gpu::Sequence sequence;
    for (std::uint64_t k = 0; k < setting.operations; ++k)
        sequence.push_back(step(&program, "one_operation", blocks, kThreads,
                                {k == 0       ? arrays.in
                                 : k % 2 == 1 ? arrays.odd
                                              : arrays.even,
                                 k % 2 == 0 ? arrays.odd : arrays.even, n, kConstant}));
    return sequence;
}

gpu::Schedule scheduleOf(const gpu::Sequence& sequence)
{
    gpu::Schedule schedule;
    for (const gpu::Step& each : sequence)
        schedule.push_back({0, each, fmt::format("kernel {}", schedule.size())});
    return schedule;
}

/// Bit for bit. Of chains that would keep the CPU for long only every so many elements are repeated, with an odd step,
/// so that every place in a warp has its turn.
Result<void> checkResult(GpuContext& context, const Setting& setting, gpu::DevicePtr result, std::uint32_t salt)
{
    const std::uint64_t each = ceilDiv(setting.elements * setting.operations, kMostCompared) | 1u;
    Comparison comparison;
    const auto see = [&](std::uint64_t i, float got) {
        if (i % each != 0 && i + 1 != setting.elements)
            return;
        const float wanted = chained(uniform(i, salt), setting.operations);
        comparison.see(i, std::bit_cast<std::uint32_t>(got) == std::bit_cast<std::uint32_t>(wanted), got, wanted);
    };
    if (auto read = readBack<float>(context, result, setting.elements, see); !read)
        return read;
    comparison.report(context, each == 1 ? "bit for bit" : fmt::format("bit for bit, one element of {}", each));
    return {};
}

/// CPU and GPU side by side, in microseconds after the first call.
void drawLanes(GpuContext& context, const Setting& setting, const gpu::ScheduleReport& report)
{
    if (!context.wantsTrace() || report.operations.empty())
        return;
    constexpr double kMicro = 1e6;
    const double start = (report.wallSeconds - report.deviceSeconds) * kMicro;
    LaneTraceBuilder lanes(fmt::format("{} operations as {} kernels", setting.operations, setting.launches()), "µs");
    const auto cpu = lanes.lane("CPU thread"), device = lanes.lane("GPU stream");
    const auto call = lanes.state("call", TraceColor::Series6), kernel = lanes.state("kernel", TraceColor::Series1);
    if (setting.asGraph)
        lanes.span(cpu, 0, report.enqueueSeconds * kMicro, call, "launch graph");
    for (std::size_t i = 0; i < std::min(report.operations.size(), kMostDrawn); ++i) {
        const gpu::OperationTime& time = report.operations[i];
        const std::string name = std::to_string(i);
        const auto ran =
            lanes.span(device, start + time.begin * kMicro, start + time.end * kMicro, kernel, name, i + 1);
        if (!setting.asGraph)
            lanes.arrow(lanes.span(cpu, time.called * kMicro, time.returned * kMicro, call, name, i + 1), ran);
    }
    context.trace(LaneTrace::kKind, encodeLaneTrace(lanes.take()));
}

/// The least that a step can take: see the limit in kernel_chain_info.cpp.
double shortestStep(const gpu::DeviceInfo& info, const Setting& setting, const Measured& kernel)
{
    const double array = setting.arrayBytes(), l2 = static_cast<double>(info.l2Bytes);
    // A simulated launch finds nothing in L2; repeated ones on a GPU may find what the last one left.
    const bool cold = info.provenance == Provenance::Simulated;
    const double crossing = (cold ? array : 0) + std::max(0.0, array - l2);
    double seconds = info.memoryBytesPerSecond > 0 ? crossing / info.memoryBytesPerSecond : 0;
    if (const auto peak = peakPerSecond(info, Operation::FmaFp32, kernel.clockHz); peak && *peak > 0)
        seconds = std::max(seconds, setting.flop() / *peak);
    return seconds + gpu::kGraphGap.value * static_cast<double>(setting.launches() - 1);
}

void reportStep(GpuContext& context, const Setting& setting, const gpu::ScheduleReport& report, const Measured& kernel)
{
    const auto by = report.provenance;
    const auto launches = static_cast<double>(setting.launches());
    const double sum = launches * kernel.seconds, moved = 2 * launches * setting.arrayBytes();
    context.metric("step_time", report.wallSeconds, by);
    context.metric("time_per_operation", report.wallSeconds / static_cast<double>(setting.operations), by);
    context.metric("kernel_time", kernel.seconds, kernel.provenance);
    context.metric("kernel_sum", sum, kernel.provenance);
    context.metric("between_time", std::max(0.0, report.deviceSeconds - sum), by);
    context.metric("start_time", report.wallSeconds - report.deviceSeconds, by);
    context.metric("kernel_share", 100 * sum / report.wallSeconds, by);
    context.metric("call_time", report.enqueueSeconds, by);
    context.metric("bandwidth", moved / report.wallSeconds, by);
    context.limit("step_time", shortestStep(context.device().info(), setting, kernel));
}

class KernelChain : public GpuExperiment {
public:
    KernelChain() : m_info(kernelChainInfo()) {}
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo&) const override
    {
        return {choice(params, "by") == "fused" ? kFusedKernel : kChainKernel};
    }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> KernelChain::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    const std::string by = choice(params, "by");
    const Setting setting{integer(params, "operations"), integer(params, "elements"), integer(params, "dispatch"),
                          by == "graph", by == "fused"};
    gpu::Device& device = context.device();
    const bool simulated = device.info().provenance == Provenance::Simulated;
    if (setting.dispatchMicroseconds > 0 && !simulated)
        return Error{"bad-value",
                     fmt::format("{} is called without a framework, so nothing takes {} µs a call", device.info().name,
                                 setting.dispatchMicroseconds),
                     "kernel_chain: dispatch", "set dispatch=0, or run it on a simulated chip (sim:h200-sxm)"};
    const auto program = context.kernel(setting.fused ? kFusedKernel : kChainKernel);
    if (!program)
        return program.error();
    Buffers buffers(device);
    Arrays arrays;
    const auto bytes = static_cast<std::uint64_t>(setting.arrayBytes());
    for (auto& [array, label] : {std::pair{&arrays.in, "in"}, std::pair{&arrays.odd, "after 1, 3, …"},
                                 std::pair{&arrays.even, "after 2, 4, …"}}) {
        const auto allocated = buffers.allocate(bytes, label);
        if (!allocated)
            return allocated.error();
        *array = *allocated;
    }
    const std::uint32_t salt = context.rng().nextU32();
    if (auto filled = fill<float>(context, arrays.in, setting.elements, [&](auto i) { return uniform(i, salt); });
        !filled)
        return filled;

    const gpu::Sequence chain = sequenceOf(setting, **program, arrays), first(chain.begin(), chain.begin() + 1);
    const auto done = executeOnce(context, first);
    if (!done)
        return done.error();
    reportSimulated(context, done->heaviest());
    const gpu::Arm arm{by, {first}};
    const auto kernel = measure(context, *done, std::span(&arm, 1));
    if (!kernel)
        return kernel.error();
    for (const gpu::DevicePtr array : {arrays.odd, arrays.even}) // what that kernel wrote must not pass for the chain's
        if (auto poisoned = poison(context, array, bytes); !poisoned)
            return poisoned;
    context.progress(0.3, "one kernel has run");

    gpu::ScheduleOptions options;
    options.asGraph = setting.asGraph;
    options.repeats = kRepeats;
    options.timeline = simulated; // on a GPU an event between two tiny kernels would cost more than they do
    options.timedBefore = &done->heaviest();
    const double dispatch = 1e-6 * static_cast<double>(setting.dispatchMicroseconds);
    options.model.callSeconds += dispatch;
    options.model.startSeconds += dispatch;
    options.model.graphLaunchSeconds += dispatch;
    const gpu::Schedule schedule = scheduleOf(chain);
    const auto report = runSchedule(context, schedule, options, by);
    if (!report)
        return report.error();
    if (auto checked = checkResult(context, setting, arrays.result(setting), salt); !checked)
        return checked;
    if (auto guarded = buffers.checkGuards(context); !guarded)
        return guarded;
    context.metric("launches", static_cast<double>(setting.launches()), Provenance::Modelled);
    context.metric("bytes_moved", 2 * setting.arrayBytes() * static_cast<double>(setting.launches()),
                   Provenance::Modelled);
    context.metric("flop", setting.flop(), Provenance::Modelled);
    if (!report->timed || kernel->empty())
        return {};
    reportStep(context, setting, *report, kernel->front());
    if (simulated || !context.wantsTrace()) {
        drawLanes(context, setting, *report);
        return {};
    }
    // A picture of its own, with an event on each side of every kernel: its gaps are wider than those that were timed.
    options.repeats = 1;
    options.timeline = true;
    const auto drawn = runSchedule(context, schedule, options, by);
    if (drawn)
        drawLanes(context, setting, *drawn);
    return drawn ? Result<void>() : drawn.error();
}

} // namespace

std::unique_ptr<GpuExperiment> makeKernelChain()
{
    return std::make_unique<KernelChain>();
}

} // namespace ridge::labs
