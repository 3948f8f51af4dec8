// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/sampling.h"

#include "silicon/fingerprint.h"

#include <algorithm>
#include <chrono>

namespace ridge::host {

namespace {

constexpr int kFewestSamples = 5;
constexpr std::size_t kMostSamples = 1000;
constexpr double kFreeProcessor = 0.97; // less than that: someone else had a share

/// Of sorted values, by linear interpolation.
double quantile(const std::vector<double>& sorted, double q)
{
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

} // namespace

std::string verdict(int samples, double busy, const std::string& power)
{
    if (samples < kFewestSamples)
        return "too few samples";
    if (busy < kFreeProcessor)
        return "contended";
    return power == "battery" ? "on battery" : "valid";
}

Result<Timing> timePasses(Team& team, const Sampling& how,
                          const std::function<void(unsigned thread, std::uint64_t passes)>& work)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
    const auto stopped = [&] { return how.stop && how.stop(); };
    const Error cancelled{"cancelled", "the run was cancelled", "measuring this machine's processor", ""};
    std::uint64_t passes = 1;
    const auto sample = [&] { return team.run([&](unsigned thread) { work(thread, passes); }); };

    // Warm up, and find how many passes a sample needs.
    for (;;) {
        if (stopped())
            return cancelled;
        const Round round = sample();
        if (round.seconds < how.sampleSeconds) {
            const double times = round.seconds > 0 ? how.sampleSeconds / round.seconds : 16;
            passes = static_cast<std::uint64_t>(static_cast<double>(passes) * std::clamp(1.1 * times, 2.0, 16.0));
        } else if (spent() >= how.budgetSeconds / 5)
            break;
    }
    const double until = spent() + how.budgetSeconds;
    std::vector<double> seconds, busy;
    while (seconds.size() < kMostSamples &&
           (spent() < until || (seconds.size() < kFewestSamples && spent() < 4 * until))) {
        if (stopped())
            return cancelled;
        const Round round = sample();
        seconds.push_back(round.seconds / static_cast<double>(passes));
        busy.push_back(round.busy);
    }
    std::sort(seconds.begin(), seconds.end());
    std::sort(busy.begin(), busy.end());
    Timing timing;
    timing.medianSeconds = quantile(seconds, 0.5);
    timing.iqrSeconds = quantile(seconds, 0.75) - quantile(seconds, 0.25);
    timing.minSeconds = seconds.front();
    timing.p95Seconds = quantile(seconds, 0.95);
    timing.samples = static_cast<int>(seconds.size());
    timing.busy = quantile(busy, 0.5);
    timing.validity = verdict(timing.samples, timing.busy, silicon::powerSource());
    return timing;
}

} // namespace ridge::host
