// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/gpu_experiment.h"

namespace ridge::labs {

/// The sum of NVIDIA's CUB, compiled at run time from the headers of the CUDA toolkit (assets/references/cub_sum.cu).
/// Two launches: a partial sum for each block, and one block over those.
class CubSum {
public:
    /// Of int32, or of float32. Null where it cannot be compiled here: the reason and its fix are logged, and the point
    /// goes on without; null, too, where a profiler counts launches. Errors: what ends the run.
    static Result<std::unique_ptr<CubSum>> make(GpuContext& context, bool isFloat);

    /// Partial sums that `n` elements need room for.
    std::uint64_t partials(std::uint64_t n) const;
    gpu::Sequence sequence(gpu::DevicePtr in, gpu::DevicePtr partialSums, gpu::DevicePtr sum, std::uint64_t n) const;
    /// Additions that follow one another on the longest way from an element to the sum, at most.
    std::uint64_t chain(std::uint64_t n) const;
    /// "CUB 3.0.1".
    std::string name() const;

private:
    /// As the kernel cub_facts_… writes them.
    struct Facts {
        std::uint32_t version = 0, threads = 0, tile = 0, lastThreads = 0, blocksPerResident = 0;
    };
    CubSum() = default;
    /// Errors: "no-reference" where the kernels do not do what they are there for, and what ends the run.
    Result<void> readFacts(GpuContext& context);

    std::unique_ptr<gpu::LoadedProgram> m_program;
    std::string m_type;
    Facts m_facts;
    std::uint64_t m_mostBlocks = 1; ///< of a launch on this device
};

} // namespace ridge::labs
