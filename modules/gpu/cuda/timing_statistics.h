// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/nvml.h"
#include "gpu/device.h"

namespace ridge::gpu::cuda {

/// The measuring contract in numbers. Sources: NVIDIA CUTLASS performance-measurement guidelines and nvbench (warm-up
/// apart from measuring, stop at 0.5 % relative standard deviation or at a time budget, discard below 75 % of the
/// expected clock), RRZE gpu-benches (batches for launches below 100 us).
struct TimingPlan {
    double restSeconds = 0; ///< idle before anything else
    double warmUpSeconds = 0.05;
    double settleSeconds = 0;           ///< most time to wait for clock and power to stand still; 0: do not
    double settleLookSeconds = 0.5;     ///< between two looks at them
    double settledDeviation = 0.02;     ///< by which two looks may differ
    int warmUpRounds = 3;               ///< at least this often through all launches
    double shortLaunchSeconds = 100e-6; ///< below: several launches between one pair of events
    double batchSeconds = 400e-6;       ///< how long such a batch should take
    int maxBatch = 500;                 ///< launches that wait behind a gate (gate.h)
    int minSamples = 10;
    int maxSamples = 400;
    double budgetSeconds = 1.0;
    double relativeDeviation = 0.005; ///< standard deviation ÷ mean at which sampling stops
    double stateSeconds = 0.1;        ///< time between two looks at clocks and power
    double energySeconds = 0;         ///< of work after the samples, for the counter of energy; 0: none
};

/// Burst and Settled as the contract has them: a second of rest, three warm-ups and 10 to 20 samples; at least 3 s of
/// warm-up and until clock and power stand still. `budgetSeconds` 0: the plan's own; from kEnergySeconds on as much
/// time again goes to energy.
TimingPlan planFor(Regime regime, double budgetSeconds);

/// What was seen while timing; the verdict follows from it alone.
struct TimingFacts {
    std::vector<double> seconds; ///< per launch, one for each sample
    int minSamples = 10;
    double eventSeconds = 0;   ///< sum over samples by the GPU's events
    double wallSeconds = 0;    ///< the same spans by the CPU's clock
    double enqueueSeconds = 0; ///< CPU time of queueing the launches, of samples without a gate
    bool batched = false;
    double boostClockHz = 0;
    std::optional<GpuState> before;
    std::vector<GpuState> during;
    std::optional<double> joules;            ///< of one sequence
    std::optional<double> workingWatts;      ///< over the time in which those were counted
    std::vector<std::uint32_t> ourProcesses; ///< process ids that appeared with our context
    bool onBattery = false;
};

/// Median, inter-quartile range, minimum. `samples` must not be empty.
Timing summarise(const TimingFacts& facts);

/// How `seconds` compare with those of the first arm, taken in turns with them: pair by pair as far as both go. No
/// value without a pair whose first time is above 0.
std::optional<PairedRatio> pairedRatio(std::span<const double> seconds, std::span<const double> first);

/// Standard deviation ÷ mean; 0 for fewer than two samples.
double relativeDeviation(std::span<const double> samples);

/// "valid", or everything that spoils the number, worst first, joined by "; ": "clocks disagree (…)", "throttled (…)",
/// "contended (…)", "clock low (…)", "on battery", "launch-bound (…)", "unsteady (…)", "too few samples (…)",
/// "unchecked (…)".
std::string verdict(const TimingFacts& facts);

} // namespace ridge::gpu::cuda
