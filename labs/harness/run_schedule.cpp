// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/run_schedule.h"

#include "base/schedule_trace.h"

#include <algorithm>
#include <fmt/core.h>

namespace ridge::labs {

namespace {

constexpr double kSteady = 0.1; // inter-quartile range ÷ median above which repeats do not agree

struct Lane {
    const char* operator()(const gpu::CopyIn&) const { return "copy in"; }
    const char* operator()(const gpu::CopyOut&) const { return "copy out"; }
    const char* operator()(const gpu::CopyWithin&) const { return "copy within"; }
    const char* operator()(const gpu::Migrate& move) const { return move.toDevice ? "copy in" : "copy out"; }
    const char* operator()(const gpu::Step&) const { return "kernel"; }
    const char* operator()(const gpu::RecordEvent&) const { return "event"; }
    const char* operator()(const gpu::WaitEvent&) const { return "event"; }
};

struct Bytes {
    template<class T>
    std::uint64_t operator()(const T& what) const
    {
        if constexpr (requires { what.bytes; })
            return what.bytes;
        return 0;
    }
};

ScheduleTrace traceOf(const gpu::DeviceInfo& info, const gpu::Schedule& schedule, const gpu::ScheduleReport& report,
                      const std::string& title)
{
    ScheduleTrace trace;
    trace.title = title;
    trace.device = info.name;
    trace.provenance = toText(report.provenance);
    trace.seconds = report.deviceSeconds;
    trace.wallSeconds = report.wallSeconds;
    const std::size_t kept = std::min(report.operations.size(), ScheduleTrace::kMostOperations);
    for (std::size_t i = 0; i < kept; ++i) {
        const gpu::Operation& operation = schedule[i];
        const gpu::OperationTime& time = report.operations[i];
        const std::string label = operation.label.empty() ? gpu::describeOperation(schedule, i) : operation.label;
        trace.operations.push_back({label, std::visit(Lane{}, operation.what), operation.stream,
                                    std::visit(Bytes{}, operation.what), time.begin, time.end, time.called,
                                    time.returned});
    }
    return trace;
}

void judge(RunContext& context, std::vector<double> samples)
{
    if (samples.size() < 4)
        return;
    std::sort(samples.begin(), samples.end());
    const auto at = [&](std::size_t quarter) { return samples[samples.size() * quarter / 4]; };
    const double spread = at(2) > 0 ? (at(3) - at(1)) / at(2) : 0;
    if (spread > kSteady)
        context.validity(fmt::format("unsteady (repeats differ by {:.0f} %)", 100 * spread));
}

} // namespace

Result<gpu::ScheduleReport> runSchedule(GpuContext& context, const gpu::Schedule& schedule,
                                        const gpu::ScheduleOptions& options, const std::string& title)
{
    gpu::Device& device = context.device();
    auto report = device.runSchedule(schedule, options);
    if (!report)
        return report;
    if (!report->timed) {
        context.log(device.info().name + " has no clock for this: the schedule was executed, not timed");
        return report;
    }
    if (!(report->deviceSeconds > 0))
        return Error{"bad-timing", "the device has a clock but gave no time", device.info().target, "run again"};
    judge(context, report->samples);
    if (context.wantsTrace() && !report->operations.empty())
        context.scheduleTrace(traceOf(device.info(), schedule, *report, title));
    return report;
}

} // namespace ridge::labs
