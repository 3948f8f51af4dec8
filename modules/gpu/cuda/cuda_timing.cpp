// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/cuda_timing.h"

#include <cmath>
#include <limits>
#include <thread>

namespace ridge::gpu::cuda {

namespace {

double since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One span between two events.
struct Span {
    double eventSeconds = 0;
    double wallSeconds = 0;
    double enqueueSeconds = 0; ///< CPU time of the calls, as far as it may lie between the events
};

Error cannotRecord(Session& session, CuResult code)
{
    return session.failed(code, "an event cannot be recorded");
}

/// Takes the sets of an arm in turn, over and over: consecutive spans begin where the last one ended.
class Rotation {
public:
    Rotation(Session& session, const CudaArm& arm) : m_session(session), m_arm(arm) {}

    /// `look` is called while the GPU works. With a gate the stream waits until all is queued, so that the span between
    /// the events holds work alone.
    Result<Span> run(int count, const std::function<void()>& look, Gate* gate = nullptr)
    {
        if (m_session.stopRequested())
            return Error{"cancelled", "stopped while timing", m_session.place(), ""};
        const Driver& driver = m_session.driver();
        GateHold hold(gate, m_session.stream());
        Clock::time_point start = Clock::now();
        if (const CuResult code = driver.eventRecord(m_session.startEvent(), m_session.stream()); code != kCuSuccess)
            return cannotRecord(m_session, code);
        for (int i = 0; i < count; ++i) {
            for (const CudaStep& step : m_arm.sets[m_next])
                if (const Result<void> queued = step.program->enqueue(*step.launch); !queued.ok())
                    return queued.error();
            m_next = (m_next + 1) % m_arm.sets.size();
        }
        if (const CuResult code = driver.eventRecord(m_session.endEvent(), m_session.stream()); code != kCuSuccess)
            return cannotRecord(m_session, code);
        Span span;
        span.enqueueSeconds = since(start);
        const Clock::time_point queued = Clock::now();
        if (hold.open()) {
            span.enqueueSeconds = 0;
            start = queued;
        }
        if (look)
            look();
        if (const Result<void> done = m_session.waitForEnd(kernel()); !done.ok())
            return done.error();
        span.wallSeconds = since(start);
        float milliseconds = 0;
        if (const CuResult code = driver.eventElapsed(&milliseconds, m_session.startEvent(), m_session.endEvent());
            code != kCuSuccess)
            return m_session.kernelFailed(code, kernel());
        span.eventSeconds = static_cast<double>(milliseconds) * 1e-3;
        return span;
    }
    int sets() const { return static_cast<int>(m_arm.sets.size()); }
    int launchesPerSet() const { return static_cast<int>(m_arm.sets[0].size()); }
    const std::string& kernel() const { return m_arm.sets[0][0].launch->kernel; }
    Gate* gate() const { return m_session.gate(); }

private:
    Session& m_session;
    const CudaArm& m_arm;
    std::size_t m_next = 0;
};

/// Polls the stop callback while the chip cools.
Result<void> rest(Session& session, double seconds)
{
    const Clock::time_point start = Clock::now();
    while (since(start) < seconds) {
        if (session.stopRequested())
            return Error{"cancelled", "stopped while timing", session.place(), ""};
        std::this_thread::sleep_for(std::chrono::milliseconds(10)); // the idle time is part of the regime
    }
    return {};
}

/// Clock and power of two looks differ by less than the plan's share, or are not known.
bool standsStill(const GpuState& before, const GpuState& now, const TimingPlan& plan)
{
    const auto near = [&](const std::optional<double>& a, const std::optional<double>& b) {
        return !a || !b || std::abs(*a - *b) <= plan.settledDeviation * std::max(*a, *b);
    };
    return near(before.smClockHz, now.smClockHz) && near(before.watts, now.watts);
}

/// Seconds per set once warm: the least of all rounds, since a stall of the CPU can only stretch one, and a batch
/// sized by a stretched round would be too short.
Result<double> warmUp(Rotation& rotation, const TimingPlan& plan, const Nvml* nvml)
{
    const Clock::time_point start = Clock::now();
    double perSet = std::numeric_limits<double>::infinity();
    std::optional<GpuState> look;
    double nextLook = 0;
    bool settled = plan.settleSeconds <= 0 || nvml == nullptr;
    for (int round = 0; round < plan.warmUpRounds || since(start) < plan.warmUpSeconds ||
                        (!settled && since(start) < plan.settleSeconds);
         ++round) {
        const Result<Span> span = rotation.run(rotation.sets(), {});
        if (!span.ok())
            return span.error();
        perSet = std::min(perSet, span->eventSeconds / rotation.sets());
        if (!settled && since(start) >= nextLook) {
            const GpuState now = nvml->sample();
            settled = look && standsStill(*look, now, plan);
            look = now;
            nextLook = since(start) + plan.settleLookSeconds;
        }
    }
    return perSet;
}

/// Whole rounds through the sets, so that every sample holds each of them equally often.
int batchSize(double perSet, const Rotation& rotation, const TimingPlan& plan)
{
    if (perSet >= plan.shortLaunchSeconds)
        return 1;
    const int most = std::max(1, plan.maxBatch / rotation.launchesPerSet());
    const double wanted = perSet > 0 ? std::ceil(plan.batchSeconds / perSet) : most;
    const int rounds = (static_cast<int>(std::min<double>(wanted, most)) + rotation.sets() - 1) / rotation.sets();
    return std::max(1, rounds) * rotation.sets();
}

/// One arm while it is sampled.
struct Sampling {
    Rotation rotation;
    TimingFacts facts;
    int batch = 1;
    double seconds = 0; ///< spent on it
    double perSet = 0;  ///< seconds of one sequence, once warm

    bool done(const TimingPlan& plan) const
    {
        const int samples = static_cast<int>(facts.seconds.size());
        if (samples >= plan.maxSamples || seconds >= plan.budgetSeconds)
            return true;
        return samples >= plan.minSamples && relativeDeviation(facts.seconds) <= plan.relativeDeviation;
    }
};

Result<void> sampleOnce(Sampling& arm, const TimingPlan& plan, const Nvml* nvml, Clock::time_point start,
                        double& nextLook)
{
    const Clock::time_point begin = Clock::now();
    const std::function<void()> look = [&] {
        if (nvml == nullptr || (!arm.facts.during.empty() && since(start) < nextLook))
            return;
        arm.facts.during.push_back(nvml->sample());
        nextLook = since(start) + plan.stateSeconds;
    };
    // Warming up has loaded what a driver loads lazily, which behind a closed gate would wait for ever.
    const bool batch = arm.batch > 1 && arm.batch * arm.rotation.launchesPerSet() <= Gate::kMostLaunches;
    const Result<Span> span = arm.rotation.run(arm.batch, look, batch ? arm.rotation.gate() : nullptr);
    if (!span.ok())
        return span.error();
    arm.facts.seconds.push_back(span->eventSeconds / arm.batch);
    arm.facts.eventSeconds += span->eventSeconds;
    arm.facts.wallSeconds += span->wallSeconds;
    arm.facts.enqueueSeconds += span->enqueueSeconds;
    arm.seconds += since(begin);
    return {};
}

/// Work without a pause between two looks at the counter of energy, one arm after the other: it counts what is spent,
/// so that nothing is gained by taking turns, and it moves too seldom to tell samples apart.
Result<void> countEnergy(Sampling& arm, const TimingPlan& plan, const Nvml* nvml)
{
    if (plan.energySeconds <= 0 || nvml == nullptr)
        return {};
    const std::optional<double> before = nvml->sample().joules;
    if (!before)
        return {};
    constexpr double kStretch = 0.05; // long against the pause at its end, short enough to stop
    const int most = std::max(1, plan.maxBatch / arm.rotation.launchesPerSet());
    const int count = arm.perSet > 0 ? static_cast<int>(std::clamp(kStretch / arm.perSet, 1.0, double(most))) : most;
    std::uint64_t sequences = 0;
    const Clock::time_point start = Clock::now();
    while (since(start) < plan.energySeconds) {
        if (auto span = arm.rotation.run(count, {}); !span)
            return span.error();
        sequences += static_cast<std::uint64_t>(count);
    }
    const double seconds = since(start);
    if (const std::optional<double> after = nvml->sample().joules; after && *after > *before) {
        arm.facts.joules = (*after - *before) / static_cast<double>(sequences);
        arm.facts.workingWatts = (*after - *before) / seconds;
    }
    return {};
}

} // namespace

Result<std::vector<Timing>> timeArms(Session& session, std::span<const CudaArm> arms, const TimingPlan& plan,
                                     const Nvml* nvml, const TimingFacts& facts)
{
    for (const CudaArm& arm : arms)
        if (arm.sets.empty() || std::any_of(arm.sets.begin(), arm.sets.end(), [](auto& set) { return set.empty(); }))
            return Error{"bad-launch", "there is nothing to time", arm.name, "give at least one launch"};
    if (auto rested = rest(session, plan.restSeconds); !rested)
        return rested.error();
    std::vector<Sampling> sampled;
    for (const CudaArm& arm : arms) {
        Sampling one{Rotation(session, arm), facts};
        const Result<double> warm = warmUp(one.rotation, plan, nvml);
        if (!warm.ok())
            return warm.error();
        one.perSet = *warm;
        one.batch = batchSize(*warm, one.rotation, plan);
        one.facts.batched = one.batch > 1;
        one.facts.minSamples = plan.minSamples;
        sampled.push_back(std::move(one));
    }
    // The arms take turns until each has enough: what drifts, drifts for all of them.
    const Clock::time_point start = Clock::now();
    double nextLook = 0;
    while (!std::all_of(sampled.begin(), sampled.end(), [&](const Sampling& arm) { return arm.done(plan); }))
        for (Sampling& arm : sampled)
            if (auto taken = sampleOnce(arm, plan, nvml, start, nextLook); !taken)
                return taken.error();
    for (Sampling& arm : sampled)
        if (auto counted = countEnergy(arm, plan, nvml); !counted)
            return counted.error();
    std::vector<Timing> timings;
    for (const Sampling& arm : sampled) {
        timings.push_back(summarise(arm.facts));
        if (&arm != sampled.data())
            timings.back().toFirst = pairedRatio(arm.facts.seconds, sampled.front().facts.seconds);
    }
    return timings;
}

Result<LaunchTime> timeAlone(Session& session, const CudaStep& step, CuPointer flush, std::uint64_t flushBytes)
{
    const Driver& driver = session.driver();
    const QuietEntries& quiet = driver.quiet;
    if (quiet.fill == nullptr || quiet.synchronise == nullptr)
        return Error{"driver-too-old", "the NVIDIA driver cannot clear memory or wait for the whole device",
                     driver.path, "install driver 470 or newer"};
    // GPUs without such lines refuse; then there is nothing to forbid.
    if (quiet.setLimit != nullptr)
        quiet.setLimit(ContextLimit::PersistingL2Bytes, 0);
    if (quiet.resetPersistingL2 != nullptr)
        quiet.resetPersistingL2();
    if (const CuResult code = quiet.fill(flush, 0xa5, flushBytes, session.stream()); code != kCuSuccess)
        return session.failed(code, "the caches cannot be flushed");
    const auto rest = [&](const char* when) -> Result<void> {
        if (const CuResult code = quiet.synchronise(); code != kCuSuccess)
            return session.kernelFailed(code, step.launch->kernel + when);
        return {};
    };
    if (auto rested = rest(" (before it)"); !rested)
        return rested.error();
    if (session.stopRequested())
        return Error{"cancelled", "stopped before kernel '" + step.launch->kernel + "'", session.place(), ""};
    const Clock::time_point start = Clock::now();
    if (const CuResult code = driver.eventRecord(session.startEvent(), session.stream()); code != kCuSuccess)
        return cannotRecord(session, code);
    if (const Result<void> queued = step.program->enqueue(*step.launch); !queued.ok())
        return queued.error();
    if (const CuResult code = driver.eventRecord(session.endEvent(), session.stream()); code != kCuSuccess)
        return cannotRecord(session, code);
    if (const Result<void> done = session.waitForEnd(step.launch->kernel); !done.ok())
        return done.error();
    if (auto rested = rest(""); !rested)
        return rested.error();
    LaunchTime time;
    time.wallSeconds = since(start);
    float milliseconds = 0;
    if (const CuResult code = driver.eventElapsed(&milliseconds, session.startEvent(), session.endEvent());
        code != kCuSuccess)
        return session.kernelFailed(code, step.launch->kernel);
    time.seconds = static_cast<double>(milliseconds) * 1e-3;
    return time;
}

} // namespace ridge::gpu::cuda
