// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/cuda_program.h"
#include "gpu/cuda/timing_statistics.h"

namespace ridge::gpu::cuda {

/// A sequence of launches of programs that belong to the session.
struct CudaStep {
    const CudaWork* program = nullptr;
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

/// Times one launch alone and cold. Before it nothing may be kept in L2 for it (the limit of persisting lines is 0,
/// those there are become ordinary ones), the buffer at `flush` of `flushBytes`, more than L2 holds, is written over,
/// and the whole device comes to rest; the host's clock runs until it has come to rest again, on whatever stream.
/// Errors: those of launches, "driver-too-old", "cancelled", "time-limit".
Result<LaunchTime> timeAlone(Session& session, const CudaStep& step, CuPointer flush, std::uint64_t flushBytes);

} // namespace ridge::gpu::cuda
