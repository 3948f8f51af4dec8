// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/gpu_experiment.h"

namespace ridge::labs {

/// What one execution of a sequence told: one report a launch, in order.
struct Execution {
    std::vector<gpu::LaunchReport> launches;

    /// Of the launches together; nothing where the target does not count.
    std::optional<gpu::Counters> counters() const;
    /// Simulated seconds of the launches one after the other; nothing where the target does not simulate time.
    std::optional<double> seconds() const;
    /// The launch that took most of the simulated time, else the last.
    const gpu::LaunchReport& heaviest() const;
};

/// Passes through shared memory that loads and stores took, and the fewest that would have served them: what is above
/// are bank conflicts.
struct SharedPasses {
    std::uint64_t taken = 0, fewest = 0;

    double conflicts() const { return static_cast<double>(taken - fewest); }
};
SharedPasses sharedPasses(const gpu::Counters& counters);

/// Runs a sequence once, with the clock running where the target is a simulator that has one. The options' trace is of
/// the last launch; so is the launch trace that a context gets which wants traces.
Result<Execution> executeOnce(GpuContext& context, const gpu::Sequence& sequence, gpu::LaunchOptions options = {});

/// A time and how it is known.
struct Measured {
    double seconds = 0;
    Provenance provenance = Provenance::Simulated;
    double clockHz = 0; ///< SM clock it ran at: simulated, or seen by NVML, else the boost clock; 0: not known
    std::optional<gpu::Timing> timing; ///< statistics of a measured one
};

/// The simulated time of `done`, or the arms' times on a device with a clock of its own: arms[0] is the work of `done`,
/// the others are references that take turns with it. One result an arm; on a simulator the others are executed here.
/// Empty where the target has no clock at all. Hands the verdict on arms[0] to the context.
Result<std::vector<Measured>> measure(GpuContext& context, const Execution& done, std::span<const gpu::Arm> arms,
                                      const gpu::TimingRequest& request = {});

/// Executes what an arm is held against, once, before it is compared: its simulated seconds, where the target has any.
/// Where a profiler counts launches there is nothing to compare with, and nothing is executed.
Result<std::optional<double>> executeReference(GpuContext& context, const gpu::Sequence& sequence);

/// The time of a reference: what executeReference() gave, else the last of the arms that were measured in turns (not
/// none).
Measured referenceTime(const std::optional<double>& simulated, const std::vector<Measured>& measured);

/// Beside a metric `name` in percent, of an arm that is timed in turns with a reference: spread and number of its
/// pairs.
void addPairMetrics(std::vector<MetricSpec>& metrics, const std::string& name, const std::string& title);
/// `name` is the time of the reference over that of the arm: where both were measured in turns, the median of the
/// pairs' ratios, with what addPairMetrics() declares.
void reportShare(RunContext& context, const std::string& name, const Measured& own, const Measured& reference);

/// How many buffer sets must take turns so that no launch finds its data in the L2 cache: what one touches, times this,
/// is twice the cache or more, as far as half of the memory goes. 1 on a simulator, whose launches start cold.
std::uint64_t setsToRotate(const gpu::DeviceInfo& info, std::uint64_t touchedBytes, std::uint64_t allocatedBytes);

/// Bytes a second, read and written together, that the pins allow. A single cold launch (a simulated one) may end with
/// what it wrote still in L2: only the rest has to cross the pins in its time. 0 where the device does not know its pin
/// bandwidth, or where nothing has to cross.
double pinBound(const gpu::DeviceInfo& info, double bytesRead, double bytesWritten, bool coldLaunch);

/// Metrics of a time under the same names in every experiment: "time", "time_min", "time_p95", "sm_clock", "power".
std::vector<MetricSpec> timeMetrics(const std::string& whatIsTimed);
void reportTime(GpuContext& context, const Measured& measured);

} // namespace ridge::labs
