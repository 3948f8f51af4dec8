// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/cuda_program.h"
#include "gpu/cuda/timing_statistics.h"

namespace ridge::gpu::cuda {

/// Times `launches` in turn by the plan. Errors: those of launches, "cancelled", "time-limit".
Result<Timing> timeLaunches(Session& session, const CudaProgram& program, std::span<const Launch> launches,
                            const TimingPlan& plan, const Nvml* nvml, TimingFacts facts);

} // namespace ridge::gpu::cuda
