// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/cuda_timing.h"

#include <cmath>
#include <limits>

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
    double enqueueSeconds = 0;
};

/// Takes the launches in turn, over and over: consecutive spans begin where the last one ended.
class Rotation {
public:
    Rotation(Session& session, const CudaProgram& program, std::span<const Launch> launches)
        : m_session(session), m_program(program), m_launches(launches)
    {
    }

    /// `look` is called while the GPU works.
    Result<Span> run(int count, const std::function<void()>& look)
    {
        if (m_session.stopRequested())
            return Error{"cancelled", "stopped while timing", m_session.place(), ""};
        const Driver& driver = m_session.driver();
        const Clock::time_point start = Clock::now();
        if (const CuResult code = driver.eventRecord(m_session.startEvent(), m_session.stream()); code != kCuSuccess)
            return m_session.failed(code, "an event cannot be recorded");
        for (int i = 0; i < count; ++i) {
            if (const Result<void> queued = m_program.enqueue(m_launches[m_next]); !queued.ok())
                return queued.error();
            m_next = (m_next + 1) % m_launches.size();
        }
        if (const CuResult code = driver.eventRecord(m_session.endEvent(), m_session.stream()); code != kCuSuccess)
            return m_session.failed(code, "an event cannot be recorded");
        Span span;
        span.enqueueSeconds = since(start);
        if (look)
            look();
        if (const Result<void> done = m_session.waitForEnd(m_launches[0].kernel); !done.ok())
            return done.error();
        span.wallSeconds = since(start);
        float milliseconds = 0;
        if (const CuResult code = driver.eventElapsed(&milliseconds, m_session.startEvent(), m_session.endEvent());
            code != kCuSuccess)
            return m_session.kernelFailed(code, m_launches[0].kernel);
        span.eventSeconds = static_cast<double>(milliseconds) * 1e-3;
        return span;
    }

private:
    Session& m_session;
    const CudaProgram& m_program;
    std::span<const Launch> m_launches;
    std::size_t m_next = 0;
};

/// Seconds per launch once warm: the least of all rounds, since a stall of the CPU can only stretch one, and a batch
/// sized by a stretched round would be too short.
Result<double> warmUp(Rotation& rotation, int launches, const TimingPlan& plan)
{
    const Clock::time_point start = Clock::now();
    double perLaunch = std::numeric_limits<double>::infinity();
    for (int round = 0; round < plan.warmUpRounds || since(start) < plan.warmUpSeconds; ++round) {
        const Result<Span> span = rotation.run(launches, {});
        if (!span.ok())
            return span.error();
        perLaunch = std::min(perLaunch, span->eventSeconds / launches);
    }
    return perLaunch;
}

int batchSize(double perLaunch, int launches, const TimingPlan& plan)
{
    if (perLaunch >= plan.shortLaunchSeconds)
        return 1;
    const double wanted = perLaunch > 0 ? std::ceil(plan.batchSeconds / perLaunch) : plan.maxBatch;
    const int rounds = (static_cast<int>(std::min<double>(wanted, plan.maxBatch)) + launches - 1) / launches;
    return std::max(1, rounds) * launches;
}

} // namespace

Result<Timing> timeLaunches(Session& session, const CudaProgram& program, std::span<const Launch> launches,
                            const TimingPlan& plan, const Nvml* nvml, TimingFacts facts)
{
    if (launches.empty())
        return Error{"bad-launch", "there is nothing to time", program.program().name, "give at least one launch"};
    const int count = static_cast<int>(launches.size());
    Rotation rotation(session, program, launches);
    const Result<double> warm = warmUp(rotation, count, plan);
    if (!warm.ok())
        return warm.error();
    const int batch = batchSize(*warm, count, plan);
    facts.batched = batch > 1;
    facts.minSamples = plan.minSamples;

    const Clock::time_point start = Clock::now();
    double nextLook = 0;
    const std::function<void()> look = [&] {
        if (nvml == nullptr || since(start) < nextLook)
            return;
        facts.during.push_back(nvml->sample());
        nextLook = since(start) + plan.stateSeconds;
    };
    while (static_cast<int>(facts.seconds.size()) < plan.maxSamples) {
        const Result<Span> span = rotation.run(batch, look);
        if (!span.ok())
            return span.error();
        facts.seconds.push_back(span->eventSeconds / batch);
        facts.eventSeconds += span->eventSeconds;
        facts.wallSeconds += span->wallSeconds;
        facts.enqueueSeconds += span->enqueueSeconds;
        const bool enough = static_cast<int>(facts.seconds.size()) >= plan.minSamples;
        if (enough && relativeDeviation(facts.seconds) <= plan.relativeDeviation)
            break;
        if (since(start) >= plan.budgetSeconds)
            break;
    }
    return summarise(facts);
}

} // namespace ridge::gpu::cuda
