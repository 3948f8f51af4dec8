// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/schedule.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace ridge::gpu {

namespace {

/// Launches that the timing model is asked about once: the same kernel in the same shape with the same numbers.
/// Addresses and tensor maps do not count, so that the chunks of a pipeline are one.
std::string kindOf(const Step& step)
{
    const Launch& launch = step.launch;
    std::string key = std::to_string(reinterpret_cast<std::uintptr_t>(step.program)) + ' ' + launch.kernel;
    const auto add = [&](auto value) { key += ' ' + std::to_string(value); };
    for (const Dim3& size : {launch.grid, launch.block, launch.cluster}) {
        add(size.x);
        add(size.y);
        add(size.z);
    }
    add(launch.dynamicSharedBytes);
    for (const KernelArg& argument : launch.args)
        std::visit(
            [&](const auto& value) {
                if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
                    add(value);
            },
            argument);
    return key;
}

/// Executes operations one by one and writes down what the model needs to know of each.
class Simulation {
public:
    Simulation(Device& device, const ScheduleOptions& options, bool hasClock)
        : m_device(device), m_options(options), m_hasClock(hasClock)
    {
    }

    bool timed() const { return m_timed; }
    const std::vector<ModelOperation>& seen() const { return m_seen; }

    Result<void> execute(const Operation& operation)
    {
        m_now = ModelOperation{};
        m_now.stream = operation.stream;
        auto done = std::visit([this](const auto& what) { return run(what); }, operation.what);
        m_seen.push_back(m_now);
        return done;
    }

private:
    /// Seconds of moving bytes over the link, alone.
    void overLink(ModelKind kind, const HostMemory& host, std::uint64_t bytes)
    {
        const HostModel& model = m_options.model;
        const double link = m_device.info().hostLinkBytesPerSecond * model.linkEfficiency;
        if (!(link > 0)) {
            m_timed = false;
            return;
        }
        const auto moved = static_cast<double>(bytes);
        m_now.kind = kind;
        double onLink = moved / link;
        double staging = 0;
        if (host.kind() == HostKind::Managed)
            onLink /= model.managedShare;
        if (host.kind() == HostKind::WriteCombined)
            onLink /= model.writeCombinedShare;
        if (host.kind() == HostKind::Pageable) {
            staging = moved / model.stagingBytesPerSecond;
            m_now.hostWaits = true;
        }
        m_now.seconds = onLink + staging;
        m_now.rateLimited = m_now.seconds > 0 ? onLink / m_now.seconds : 0;
    }

    Result<void> run(const CopyIn& copy)
    {
        overLink(ModelKind::CopyIn, *copy.from.memory, copy.bytes);
        return m_device.copyToDevice(copy.to, copy.from.memory->bytes().subspan(copy.from.offset, copy.bytes));
    }
    Result<void> run(const CopyOut& copy)
    {
        overLink(ModelKind::CopyOut, *copy.to.memory, copy.bytes);
        return m_device.copyToHost(copy.to.memory->bytes().subspan(copy.to.offset, copy.bytes), copy.from);
    }
    Result<void> run(const CopyWithin& copy)
    {
        m_now.kind = ModelKind::CopyWithin;
        m_now.dramShare = m_options.model.withinEfficiency;
        const double rate = m_device.info().memoryBytesPerSecond * m_options.model.withinEfficiency;
        if (rate > 0)
            m_now.seconds = 2 * static_cast<double>(copy.bytes) / rate; // read and written
        else
            m_timed = false;
        m_now.rateLimited = 1;
        std::vector<std::byte> between(copy.bytes);
        if (auto read = m_device.copyToHost(between, copy.from); !read)
            return read;
        return m_device.copyToDevice(copy.to, between);
    }
    Result<void> run(const Migrate& migrate)
    {
        overLink(migrate.toDevice ? ModelKind::CopyIn : ModelKind::CopyOut, *migrate.what.memory, migrate.bytes);
        return {};
    }
    Result<void> run(const RecordEvent& record)
    {
        m_now.kind = ModelKind::Record;
        m_now.event = record.event;
        return {};
    }
    Result<void> run(const WaitEvent& wait)
    {
        m_now.kind = ModelKind::Wait;
        m_now.event = wait.event;
        return {};
    }

    Result<void> run(const Step& step)
    {
        const std::string kind = kindOf(step);
        if (const LaunchReport* before = m_options.timedBefore; before && before->timing)
            m_known.try_emplace(kind, modelled(step, *before));
        const auto known = m_known.find(kind);
        LaunchOptions options;
        options.timing = m_hasClock && known == m_known.end();
        auto report = m_device.launch(*step.program, step.launch, options);
        if (!report)
            return report.error();
        if (!m_hasClock) {
            m_timed = false;
            return {};
        }
        const ModelOperation& model =
            known != m_known.end() ? known->second : (m_known[kind] = modelled(step, *report));
        const std::uint32_t stream = m_now.stream;
        m_now = model;
        m_now.stream = stream;
        return {};
    }

    ModelOperation modelled(const Step& step, const LaunchReport& report) const
    {
        const TimingReport& timing = *report.timing;
        ModelOperation out;
        out.seconds = timing.seconds;
        out.rateLimited = 1;
        const double sms = std::max(1u, m_device.info().smCount);
        const auto blocks = static_cast<double>(step.launch.grid.count());
        out.smTouched = std::min(1.0, blocks / sms); // an SM of its own for each, as long as there are any
        out.smShare = std::min(1.0, blocks / (sms * std::max(1u, timing.occupancy.blocksPerSm)));
        const auto& part = timing.extrapolation; // counters are those of the blocks that were simulated in time
        const double whole = part.simulatedBlocks > 0 && !part.wholeCounters
                                 ? static_cast<double>(part.blocks) / static_cast<double>(part.simulatedBlocks)
                                 : 1;
        const double bytes =
            whole * static_cast<double>(timing.counters.dramReadBytes + timing.counters.dramWriteBytes);
        if (m_device.info().memoryBytesPerSecond > 0 && timing.seconds > 0)
            out.dramShare = std::min(1.0, bytes / timing.seconds / m_device.info().memoryBytesPerSecond);
        return out;
    }

    Device& m_device;
    const ScheduleOptions& m_options;
    bool m_hasClock;
    bool m_timed = true;
    ModelOperation m_now;
    std::vector<ModelOperation> m_seen;
    std::map<std::string, ModelOperation> m_known;
};

void fill(ScheduleReport& report, const ModelTimes& times, bool timeline)
{
    const double first = *std::min_element(times.begin.begin(), times.begin.end());
    report.timed = true;
    report.deviceSeconds = times.lastEnd - first;
    report.wallSeconds = std::max(times.lastEnd, times.enqueueSeconds);
    report.enqueueSeconds = times.enqueueSeconds;
    report.samples = {report.deviceSeconds};
    for (const HostConstant* constant : kHostConstants)
        if (*constant->source == '\0')
            report.assumptions.emplace_back(constant->name);
    if (!timeline)
        return;
    for (std::size_t i = 0; i < times.begin.size(); ++i)
        report.operations.push_back({times.begin[i] - first, times.end[i] - first, times.called[i], times.returned[i]});
}

} // namespace

Result<ScheduleReport> simulateSchedule(Device& device, const Schedule& schedule, const ScheduleOptions& options,
                                        bool hasClock)
{
    if (auto legal = checkSchedule(schedule, options, device.info().target); !legal)
        return legal.error();
    Simulation simulation(device, options, hasClock);
    for (std::size_t i = 0; i < schedule.size(); ++i)
        if (auto done = simulation.execute(schedule[i]); !done) {
            Error error = done.error();
            error.message = describeOperation(schedule, i) + ": " + error.message;
            return error;
        }
    ScheduleReport report;
    report.executions = 1;
    if (simulation.timed())
        fill(report, modelTimes(simulation.seen(), options.model, options.asGraph, options.gated), options.timeline);
    return report;
}

} // namespace ridge::gpu
