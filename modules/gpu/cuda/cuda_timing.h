// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/cuda_program.h"
#include "gpu/cuda/timing_statistics.h"

namespace ridge::gpu::cuda {

/// A sequence of launches of programs that belong to the session.
struct CudaStep {
    const CudaProgram* program = nullptr;
    const Launch* launch = nullptr;
};
struct CudaArm {
    std::string name;
    std::vector<std::vector<CudaStep>> sets;
};

/// Times the arms by the plan, one sample of each in turn; `facts` holds what is known of all of them before.
/// Errors: those of launches, "bad-launch" (nothing to time), "cancelled", "time-limit".
Result<std::vector<Timing>> timeArms(Session& session, std::span<const CudaArm> arms, const TimingPlan& plan,
                                     const Nvml* nvml, const TimingFacts& facts);

} // namespace ridge::gpu::cuda
