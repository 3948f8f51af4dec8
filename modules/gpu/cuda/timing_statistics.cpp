// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/timing_statistics.h"

#include "base/units.h"

#include <cmath>

namespace ridge::gpu::cuda {

namespace {

constexpr double kUnsteady = 0.05;   ///< inter-quartile range ÷ median
constexpr double kLowClock = 0.75;   ///< nvbench's threshold
constexpr double kClockSlack = 0.02; ///< resolution of events and of the wall clock
constexpr double kLaunchBound = 0.9; ///< share of the batch that the CPU spent queueing it

double quantile(const std::vector<double>& sorted, double q)
{
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

std::string percent(double ratio)
{
    return formatNumber(ratio * 100) + " %";
}

std::string throttleText(std::uint64_t reasons)
{
    std::string out;
    const auto add = [&](std::uint64_t mask, const char* text) {
        if ((reasons & mask) != 0)
            out += (out.empty() ? "" : ", ") + std::string(text);
    };
    add(kThrottleThermal, "temperature");
    add(kThrottlePowerCap, "power limit");
    add(kThrottlePowerBrake, "power brake");
    add(kThrottleHardware, "hardware");
    return out;
}

std::string otherProcesses(const TimingFacts& facts)
{
    std::vector<std::uint32_t> others;
    for (const GpuState& state : facts.during)
        for (const std::uint32_t pid : state.computeProcesses) {
            const bool ours =
                std::find(facts.ourProcesses.begin(), facts.ourProcesses.end(), pid) != facts.ourProcesses.end();
            if (!ours && std::find(others.begin(), others.end(), pid) == others.end())
                others.push_back(pid);
        }
    if (others.empty())
        return {};
    return std::to_string(others.size()) + (others.size() == 1 ? " other process" : " other processes");
}

std::optional<double> medianOf(const std::vector<GpuState>& states, std::optional<double> GpuState::*what)
{
    std::vector<double> values;
    for (const GpuState& state : states)
        if (state.*what)
            values.push_back(*(state.*what));
    if (values.empty())
        return std::nullopt;
    std::sort(values.begin(), values.end());
    return quantile(values, 0.5);
}

} // namespace

TimingPlan planFor(Regime regime, double budgetSeconds)
{
    TimingPlan plan;
    if (regime == Regime::Burst) {
        plan.restSeconds = 1;
        plan.warmUpSeconds = 0;
        plan.maxSamples = 20;
    } else if (regime == Regime::Settled) {
        plan.warmUpSeconds = 3;
        plan.settleSeconds = 10;
        plan.minSamples = 30;
        plan.budgetSeconds = 3;
    }
    if (budgetSeconds > 0)
        plan.budgetSeconds = budgetSeconds;
    if (budgetSeconds >= kEnergySeconds)
        plan.energySeconds = budgetSeconds;
    return plan;
}

std::optional<PairedRatio> pairedRatio(std::span<const double> seconds, std::span<const double> first)
{
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(seconds.size(), first.size()); ++i)
        if (first[i] > 0)
            ratios.push_back(seconds[i] / first[i]);
    if (ratios.empty())
        return std::nullopt;
    std::sort(ratios.begin(), ratios.end());
    return PairedRatio{quantile(ratios, 0.5), quantile(ratios, 0.75) - quantile(ratios, 0.25),
                       static_cast<int>(ratios.size())};
}

double relativeDeviation(std::span<const double> samples)
{
    if (samples.size() < 2)
        return 0;
    double mean = 0;
    for (const double sample : samples)
        mean += sample;
    mean /= static_cast<double>(samples.size());
    double squares = 0;
    for (const double sample : samples)
        squares += (sample - mean) * (sample - mean);
    return mean > 0 ? std::sqrt(squares / static_cast<double>(samples.size() - 1)) / mean : 0;
}

Timing summarise(const TimingFacts& facts)
{
    std::vector<double> sorted = facts.seconds;
    std::sort(sorted.begin(), sorted.end());
    Timing out;
    out.medianSeconds = quantile(sorted, 0.5);
    out.joules = facts.joules;
    out.iqrSeconds = quantile(sorted, 0.75) - quantile(sorted, 0.25);
    out.minSeconds = sorted.front();
    out.p95Seconds = quantile(sorted, 0.95);
    out.samples = static_cast<int>(sorted.size());
    out.smClockHz = medianOf(facts.during, &GpuState::smClockHz);
    // What NVML calls power is the mean of a second, most of which a short series leaves the GPU idle.
    out.watts = facts.workingWatts ? facts.workingWatts : medianOf(facts.during, &GpuState::watts);
    out.validity = verdict(facts);
    return out;
}

std::string verdict(const TimingFacts& facts)
{
    std::vector<std::string> spoils;
    // An event span lies inside the wall span that encloses it, whatever the load.
    if (facts.eventSeconds > facts.wallSeconds * (1 + kClockSlack))
        spoils.push_back("clocks disagree (events " + formatQuantity(facts.eventSeconds, "s") + ", wall clock " +
                         formatQuantity(facts.wallSeconds, "s") + ")");
    std::uint64_t reasons = 0;
    for (const GpuState& state : facts.during)
        reasons |= state.throttleReasons;
    if (const std::string text = throttleText(reasons); !text.empty())
        spoils.push_back("throttled (" + text + ")");
    if (const std::string text = otherProcesses(facts); !text.empty())
        spoils.push_back("contended (" + text + ")");
    const double clock = medianOf(facts.during, &GpuState::smClockHz).value_or(0);
    if (clock > 0 && facts.boostClockHz > 0 && clock < kLowClock * facts.boostClockHz)
        spoils.push_back("clock low (" + formatQuantity(clock, "Hz") + " of " +
                         formatQuantity(facts.boostClockHz, "Hz") + ")");
    if (facts.onBattery)
        spoils.push_back("on battery");
    if (facts.batched && facts.enqueueSeconds > kLaunchBound * facts.eventSeconds)
        spoils.push_back("launch-bound (the CPU queues launches no faster than they run)");
    std::vector<double> sorted = facts.seconds;
    std::sort(sorted.begin(), sorted.end());
    const double median = sorted.empty() ? 0 : quantile(sorted, 0.5);
    const double spread = median > 0 ? (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / median : 0;
    if (spread > kUnsteady)
        spoils.push_back("unsteady (half of the samples spread over " + percent(spread) + ")");
    if (static_cast<int>(facts.seconds.size()) < facts.minSamples)
        spoils.push_back("too few samples (" + std::to_string(facts.seconds.size()) + " of " +
                         std::to_string(facts.minSamples) + ")");
    if (spoils.empty() && (!facts.before || facts.during.empty()))
        spoils.emplace_back("unchecked (NVML is missing: clocks and throttling are not known)");
    std::string out;
    for (const std::string& spoil : spoils)
        out += (out.empty() ? "" : "; ") + spoil;
    return out.empty() ? "valid" : out;
}

} // namespace ridge::gpu::cuda
