// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/work.h"

#include "labs/harness/simulated_time.h"

namespace ridge::labs {

namespace {

constexpr std::uint64_t kMaxSets = 256; // so small a launch is timed in the cache, and the experiment says so

Result<Measured> simulated(const Execution& done, const gpu::DeviceInfo& info)
{
    Measured measured;
    measured.seconds = *done.seconds();
    measured.clockHz = done.heaviest().timing->clockHz;
    if (!(measured.seconds > 0))
        return Error{"bad-timing", "the simulator's clock did not run", info.target, "this is a fault of Ridgepoint"};
    return measured;
}

} // namespace

std::optional<gpu::Counters> Execution::counters() const
{
    gpu::Counters sum;
    for (const gpu::LaunchReport& launch : launches) {
        if (!launch.counters)
            return std::nullopt;
        for (const auto field : gpu::kCounters)
            sum.*field += (*launch.counters).*field;
    }
    return sum;
}

std::optional<double> Execution::seconds() const
{
    double sum = 0;
    for (const gpu::LaunchReport& launch : launches) {
        if (!launch.timing)
            return std::nullopt;
        sum += launch.timing->seconds;
    }
    return sum;
}

const gpu::LaunchReport& Execution::heaviest() const
{
    const auto longer = [](const gpu::LaunchReport& a, const gpu::LaunchReport& b) {
        return (a.timing ? a.timing->seconds : 0) <= (b.timing ? b.timing->seconds : 0);
    };
    return *std::max_element(launches.begin(), launches.end(), longer);
}

SharedPasses sharedPasses(const gpu::Counters& counters)
{
    return {counters.sharedLoadWavefronts + counters.sharedStoreWavefronts,
            counters.sharedLoadMinimumWavefronts + counters.sharedStoreMinimumWavefronts};
}

Result<Execution> executeOnce(GpuContext& context, const gpu::Sequence& sequence, gpu::LaunchOptions options)
{
    Execution done;
    const std::size_t traced = options.traceRequests;
    for (const gpu::Step& step : sequence) {
        options.traceRequests = &step == &sequence.back() ? traced : 0;
        auto report = launchTimed(context, *step.program, step.launch, options);
        if (!report)
            return report.error();
        done.launches.push_back(std::move(*report));
    }
    if (done.launches.empty())
        return Error{"bad-launch", "a sequence without launches", context.device().info().target,
                     "this is a fault of the experiment"};
    return done;
}

Result<std::vector<Measured>> measure(GpuContext& context, const Execution& done, std::span<const gpu::Arm> arms,
                                      const gpu::TimingRequest& request)
{
    const gpu::DeviceInfo& info = context.device().info();
    std::vector<Measured> all;
    if (done.seconds()) {
        for (const gpu::Arm& arm : arms) {
            Result<Execution> other = &arm == arms.data() ? Result<Execution>(done) : executeOnce(context, arm.sets[0]);
            if (!other)
                return other.error();
            auto measured = simulated(*other, info);
            if (!measured)
                return measured.error();
            all.push_back(std::move(*measured));
        }
        return all;
    }
    const auto timings = context.device().timeArms(arms, request);
    if (!timings)
        return timings.error();
    for (const gpu::Timing& timing : *timings) {
        if (!(timing.medianSeconds > 0))
            return Error{"bad-timing", "the device has a clock but gave no time", info.target, "run again"};
        all.push_back(
            {timing.medianSeconds, Provenance::Measured, timing.smClockHz.value_or(info.boostClockHz), timing});
    }
    if (!timings->empty())
        context.validity(timings->front().validity);
    return all;
}

Result<std::optional<double>> executeReference(GpuContext& context, const gpu::Sequence& sequence)
{
    if (context.device().info().countsOnly)
        return std::optional<double>();
    const auto done = executeOnce(context, sequence);
    if (!done)
        return done.error();
    return done->seconds();
}

Measured referenceTime(const std::optional<double>& simulated, const std::vector<Measured>& measured)
{
    return simulated ? Measured{*simulated, measured.front().provenance, 0, {}} : measured.back();
}

void addPairMetrics(std::vector<MetricSpec>& metrics, const std::string& name, const std::string& title)
{
    metrics.push_back(
        {name + "_iqr", title + ", inter-quartile range", "%",
         "Over the pairs of samples, taken in turns, whose median " + name + " is; only where time is measured."});
    metrics.push_back({name + "_pairs", title + ", pairs", "pairs",
                       "How many pairs of samples " + name + " is the median of; only where time is measured."});
}

void reportShare(RunContext& context, const std::string& name, const Measured& own, const Measured& reference)
{
    const auto pairs = reference.timing ? reference.timing->toFirst : std::optional<gpu::PairedRatio>();
    const double ratio = pairs ? pairs->median : reference.seconds / own.seconds;
    context.metric(name, 100 * ratio, own.provenance);
    if (!pairs)
        return;
    context.metric(name + "_iqr", 100 * pairs->iqr, own.provenance);
    context.metric(name + "_pairs", pairs->pairs, own.provenance);
}

std::uint64_t setsToRotate(const gpu::DeviceInfo& info, std::uint64_t touchedBytes, std::uint64_t allocatedBytes)
{
    if (info.provenance == Provenance::Simulated || touchedBytes == 0 || allocatedBytes == 0)
        return 1;
    const std::uint64_t wanted = std::max<std::uint64_t>(1, (2 * info.l2Bytes + touchedBytes - 1) / touchedBytes);
    const std::uint64_t fitting = std::max<std::uint64_t>(1, info.globalBytes / 2 / allocatedBytes);
    return std::min({wanted, fitting, kMaxSets});
}

double pinBound(const gpu::DeviceInfo& info, double bytesRead, double bytesWritten, bool coldLaunch)
{
    const double all = bytesRead + bytesWritten;
    const double crossing = all - (coldLaunch ? std::min(bytesWritten, static_cast<double>(info.l2Bytes)) : 0);
    return crossing > 0 ? info.memoryBytesPerSecond * all / crossing : 0;
}

std::vector<MetricSpec> timeMetrics(const std::string& whatIsTimed)
{
    return {
        {"time", "Time", "s", "Median time of " + whatIsTimed + "."},
        {"time_min", "Shortest time", "s", "The shortest of the samples; only where time is measured."},
        {"time_p95", "95th percentile of time", "s", "19 of 20 samples were shorter; only where time is measured."},
        {"sm_clock", "SM clock", "Hz", "Clock of the multiprocessors while timing: simulated, or as NVML saw it."},
        {"power", "Power", "W",
         "Board power while timing: where energy was counted, that over its time; else the median of what NVML gives, "
         "which is an average over about a second and falls short of a GPU that works for less."}};
}

void reportTime(GpuContext& context, const Measured& measured)
{
    context.metric("time", measured.seconds, measured.provenance);
    if (measured.clockHz > 0 && (!measured.timing || measured.timing->smClockHz))
        context.metric("sm_clock", measured.clockHz, measured.provenance);
    if (const auto& timing = measured.timing) {
        context.metric("time_min", timing->minSeconds, measured.provenance);
        context.metric("time_p95", timing->p95Seconds, measured.provenance);
        if (timing->watts)
            context.metric("power", *timing->watts, measured.provenance);
    }
}

} // namespace ridge::labs
