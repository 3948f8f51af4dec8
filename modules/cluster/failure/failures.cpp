// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/failure/failures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>

namespace ridge::cluster {
namespace {

const std::array<std::string, 5> kNames{"sync", "async", "memory", "sharded", "hsdp"};

/// Times between failures with a mean of the mtbf.
class Failures {
public:
    Failures(const FailureSetting& s, Rng& rng)
        : m_rng(rng), m_power(1 / s.shape), m_scale(s.mtbf / std::tgamma(1 + 1 / s.shape))
    {
    }
    double next()
    {
        const double x = -std::log1p(-m_rng.uniform());
        return m_scale * (m_power == 1 ? x : std::pow(x, m_power));
    }

private:
    Rng& m_rng;
    double m_power, m_scale;
};

/// Nodes that can step in, and those under repair.
class Spares {
public:
    Spares(double count, double repair) : m_unlimited(count < 0), m_free(count), m_repair(repair) {}
    /// A node failed at `now`; s until another one steps in.
    double take(double now)
    {
        if (m_unlimited)
            return 0;
        while (!m_back.empty() && m_back.top() <= now) {
            m_back.pop();
            ++m_free;
        }
        m_back.push(now + m_repair);
        if (m_free >= 1) {
            --m_free;
            return 0;
        }
        const double wait = m_back.top() - now;
        m_back.pop();
        return wait;
    }

private:
    bool m_unlimited;
    double m_free, m_repair;
    std::priority_queue<double, std::vector<double>, std::greater<>> m_back;
};

/// Keeps the first stretches of a run.
class Sketch {
public:
    Sketch(FailureRun& run, double end, std::size_t most) : m_run(run), m_end(end), m_most(most) {}
    void add(double begin, double end, JobState state)
    {
        end = std::min(end, m_end);
        if (end > begin && m_run.spans.size() < m_most)
            m_run.spans.push_back({begin, end, state});
    }
    void failure(double at)
    {
        if (m_run.failureTimes.size() < m_most && at <= m_end)
            m_run.failureTimes.push_back(at);
    }
    bool open() const { return m_run.spans.size() < m_most; }

private:
    FailureRun& m_run;
    double m_end;
    std::size_t m_most;
};

FailureRun runCheckpoints(const FailureSetting& s, Rng& rng, std::size_t keep)
{
    FailureRun run;
    const CheckpointCost cost = costOf(s);
    Failures failures(s, rng);
    Spares spares(s.spares, s.repair);
    Sketch sketch(run, s.duration, keep);
    const double cycle = s.interval + cost.pause;
    double now = 0;                   // the job begins to work
    double failure = failures.next(); // of the whole job
    while (now < s.duration) {
        const double end = std::min(failure, s.duration), span = end - now;
        const double begun = std::floor(span / cycle); // whole cycles
        const double inCycle = span - begun * cycle;
        const double worked = begun * s.interval + std::min(inCycle, s.interval);
        const double paused = span - worked;
        // What the last readable checkpoint holds; at the end of the job all that was done counts.
        const double kept =
            failure >= s.duration ? worked : std::clamp(std::floor((span - cost.lag) / cycle), 0.0, begun) * s.interval;
        run.useful += kept;
        run.lost += worked - kept;
        run.saving += paused;
        for (double i = 0; i < begun && sketch.open(); ++i) {
            const double at = now + i * cycle;
            sketch.add(at, at + s.interval, (i + 1) * s.interval <= kept ? JobState::Work : JobState::Lost);
            sketch.add(at + s.interval, at + cycle, JobState::Save);
        }
        sketch.add(now + begun * cycle, now + begun * cycle + std::min(inCycle, s.interval),
                   worked <= kept ? JobState::Work : JobState::Lost);
        if (inCycle > s.interval)
            sketch.add(now + begun * cycle + s.interval, end, JobState::Save);
        if (failure >= s.duration)
            break;
        ++run.failures;
        sketch.failure(failure);
        double ready = failure + spares.take(failure);
        run.waiting += std::min(ready, s.duration) - failure;
        sketch.add(failure, ready, JobState::WaitForNode);
        double from = ready; // of the stall
        failure += failures.next();
        while (failure < from + s.stall && failure < s.duration) { // fails again before it works
            ++run.failures;
            sketch.failure(failure);
            if (failure > from) {
                run.stalled += failure - from;
                sketch.add(from, failure, JobState::Stall);
            }
            const double since = std::max(from, failure);
            from = std::max(since, failure + spares.take(failure));
            run.waiting += std::min(from, s.duration) - std::min(since, s.duration);
            sketch.add(since, from, JobState::WaitForNode);
            failure += failures.next();
        }
        if (from < s.duration) {
            run.stalled += std::min(from + s.stall, s.duration) - from;
            sketch.add(from, from + s.stall, JobState::Stall);
        }
        now = from + s.stall;
    }
    run.goodput = run.useful / s.duration;
    return run;
}

/// Every failure stalls all replicas and takes one away for a while.
FailureRun runHsdp(const FailureSetting& s, Rng& rng, std::size_t keep)
{
    FailureRun run;
    Failures failures(s, rng);
    Spares spares(s.spares, s.repair);
    Sketch sketch(run, s.duration, keep);
    std::priority_queue<double, std::vector<double>, std::greater<>> absent; // when each is back
    double now = 0, failure = failures.next();
    bool stalled = false;
    double stallEnd = 0;
    while (now < s.duration) {
        double next = std::min(failure, s.duration);
        if (stalled)
            next = std::min(next, stallEnd);
        if (!absent.empty())
            next = std::min(next, absent.top());
        const double span = next - now, gone = std::min<double>(absent.size(), s.replicas);
        if (stalled) {
            run.stalled += span;
        } else {
            run.useful += span * (1 - gone / s.replicas);
            run.missing += span * gone / s.replicas;
        }
        sketch.add(now, next, stalled ? JobState::Stall : JobState::Work);
        now = next;
        if (now >= s.duration)
            break;
        if (!absent.empty() && absent.top() <= now)
            absent.pop();
        if (stalled && now >= stallEnd)
            stalled = false;
        if (now >= failure) {
            ++run.failures;
            sketch.failure(now);
            stalled = true;
            stallEnd = now + s.stall;
            absent.push(stallEnd + spares.take(now) + s.rejoin);
            failure = now + failures.next();
        }
    }
    run.goodput = run.useful / s.duration;
    return run;
}

/// Solves a square system of four by elimination with pivots.
std::array<double, 4> solve(std::array<std::array<double, 5>, 4> m)
{
    for (std::size_t i = 0; i < 4; ++i) {
        std::size_t pivot = i;
        for (std::size_t r = i + 1; r < 4; ++r)
            if (std::abs(m[r][i]) > std::abs(m[pivot][i]))
                pivot = r;
        std::swap(m[i], m[pivot]);
        for (std::size_t r = i + 1; r < 4; ++r)
            for (std::size_t c = 5; c-- > i;)
                m[r][c] -= m[r][i] / m[i][i] * m[i][c];
    }
    std::array<double, 4> x{};
    for (std::size_t i = 4; i-- > 0;) {
        x[i] = m[i][4];
        for (std::size_t c = i + 1; c < 4; ++c)
            x[i] -= m[i][c] * x[c];
        x[i] /= m[i][i];
    }
    return x;
}

} // namespace

std::span<const std::string> saveModeNames()
{
    return kNames;
}

CheckpointCost costOf(const FailureSetting& s)
{
    switch (s.mode) {
    case SaveMode::Sync:
        return {s.mtbf, s.save, 0, s.stall};
    case SaveMode::Async:
        return {s.mtbf, s.copy, s.save, s.stall};
    case SaveMode::Memory:
        return {s.mtbf, s.copy, 0, s.stall};
    case SaveMode::Sharded:
        return {s.mtbf, s.save / s.replicas, 0, s.stall};
    case SaveMode::Hsdp:
        return {s.mtbf, 0, 0, s.stall};
    }
    return {};
}

Result<void> checkFailures(const FailureSetting& s)
{
    const auto bad = [](const std::string& message, const char* place, const std::string& fix) {
        return Error{"bad-value", message, place, fix};
    };
    if (!(s.mtbf > 0) || !std::isfinite(s.mtbf))
        return bad("there is no time between failures", "mtbf", "give mtbf, or a failure_rate above 0");
    if (!(s.duration > 0))
        return bad("the job has no length", "duration", "give more than 0 s");
    if (s.mode != SaveMode::Hsdp && !(s.interval > 0))
        return bad("the time between checkpoints is not above 0", "interval",
                   "give it in s, or a save above 0 so that there is an optimum");
    if (s.mode == SaveMode::Async && s.interval + s.copy < s.save)
        return bad("a checkpoint is begun before the last one is written", "interval",
                   "give at least save less copy, " +
                       std::to_string(static_cast<long long>(std::ceil(s.save - s.copy))) + " s");
    if (!(s.replicas >= 1))
        return bad("there is no replica", "replicas", "give 1 or more");
    if (!(s.shape >= 0.2 && s.shape <= 20))
        return bad("the shape of the distribution is out of range", "shape", "give 0.2 to 20");
    if (s.duration / s.mtbf > kMostFailures)
        return Error{"too-large",
                     "the job would fail more than " + std::to_string(static_cast<long long>(kMostFailures)) + " times",
                     "duration", "take a shorter job or a longer time between failures"};
    return {};
}

FailureRun runFailures(const FailureSetting& setting, Rng& rng, std::size_t keep)
{
    return setting.mode == SaveMode::Hsdp ? runHsdp(setting, rng, keep) : runCheckpoints(setting, rng, keep);
}

double simulatedOptimum(FailureSetting s, double failures, Rng& rng)
{
    const double middle = bestInterval(costOf(s));
    if (middle <= 0 || s.mode == SaveMode::Hsdp)
        return 0;
    const double floor = s.mode == SaveMode::Async ? std::max(0.0, s.save - s.copy) / middle : 0;
    s.duration = failures * s.mtbf;
    std::array<std::array<double, 5>, 4> sums{};
    constexpr int kPoints = 40;
    const std::uint64_t seed = rng.next();
    for (int i = 0; i < kPoints; ++i) {
        const double x = std::max(floor, std::exp2(2.0 * i / (kPoints - 1) - 1));
        s.interval = x * middle;
        Rng own(seed); // the same failures for every interval
        const double loss = 1 - runFailures(s, own).goodput;
        const std::array<double, 4> basis{1, 1 / x, x, x * x};
        for (std::size_t a = 0; a < 4; ++a) {
            for (std::size_t b = 0; b < 4; ++b)
                sums[a][b] += basis[a] * basis[b];
            sums[a][4] += basis[a] * loss;
        }
    }
    const std::array<double, 4> c = solve(sums);
    double best = 1, least = INFINITY;
    for (double x = 0.5; x <= 2; x *= 1.0002) {
        const double loss = c[0] + c[1] / x + c[2] * x + c[3] * x * x;
        if (loss < least) {
            least = loss;
            best = x;
        }
    }
    return best * middle;
}

} // namespace ridge::cluster
