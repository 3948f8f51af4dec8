// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/gpu_experiment.h"

namespace ridge::labs {

/// What the timing model of a simulator says about a launch, under the same names in every experiment: cycles, machine
/// instructions, occupancy, cache hit rates, DRAM bytes, and of each warp state its share of the warp-cycles (Nsight
/// Compute's names). docs/counters.md tells what each counts.
std::vector<MetricSpec> simulatedMetrics();

/// Scenes that read the launch traces of launchTimed().
std::vector<std::string> launchScenes();

/// Launches with the clock running where the target is a simulator that has one for its chip, else as it is. Where the
/// context wants traces it gets the launch's.
Result<gpu::LaunchReport> launchTimed(GpuContext& context, const gpu::LoadedProgram& program, const gpu::Launch& launch,
                                      gpu::LaunchOptions options);

/// Hands simulatedMetrics() to the context; does nothing for a launch without simulated time.
void reportSimulated(RunContext& context, const gpu::LaunchReport& report);

} // namespace ridge::labs
