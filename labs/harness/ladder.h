// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/harness/work.h"

#include <functional>

namespace ridge::labs {

/// Blocks of `b` that cover `a`.
inline std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b)
{
    return (a + b - 1) / b;
}

/// One rung of a ladder: kernels that compute the same, each with one change against the rung before.
struct Rung {
    const char* name;   ///< value of the parameter "rung"
    const char* phrase; ///< what it is, for help texts: "one atomic per element"
    const char* file;   ///< below kernels/
};

/// The parameter "rung", in the order of the ladder.
ParamSpec rungParam(std::span<const Rung> rungs, const char* defaultName);
/// Position of the chosen rung.
std::size_t rungOf(std::span<const Rung> rungs, const ParamSet& params);
/// The files of all rungs, for ExperimentInfo::kernels.
std::vector<std::string> filesOf(std::span<const Rung> rungs);

/// Threads that an SM of the device holds at once; 1024, which every chip can, where its capability is not known.
std::uint32_t residentThreads(const gpu::DeviceInfo& info);

/// Metrics of a kernel whose useful bytes must cross the memory pins once: its own, "bandwidth" and "share_of_limit",
/// those of timeMetrics(`timed`), and those of simulatedMetrics().
std::vector<MetricSpec> ladderMetrics(std::span<const MetricSpec> own, const std::string& usefulBytes,
                                      const std::string& timed);
/// Limits on "time", "bandwidth" and "share_of_limit". `formula` of the useful bytes: "elements × 4 B".
std::vector<LimitSpec> bandwidthLimits(const std::string& formula);
/// Adds sequences on buffer sets of their own until the arm has `sets`, or the memory of the device is at its end.
Result<void> rotate(gpu::Arm& arm, std::uint64_t sets, const std::function<Result<gpu::Sequence>()>& further);

/// Bytes that the work of a ladder must move.
struct UsefulBytes {
    double read = 0;
    double written = 0;
    double all() const { return read + written; }
};

/// Reports time, bandwidth and share, each with its limit where the device knows its pin bandwidth. `sets` of buffers
/// took turns; where the L2 cache holds them, the verdict says so. A single cold launch (a simulated one) may end with
/// what it wrote still in L2: only the rest has to cross the pins in its time.
void reportBandwidth(GpuContext& context, const Measured& measured, const UsefulBytes& bytes, std::size_t sets);

/// One launch of `program`: grid and block in one dimension.
gpu::Step step(const gpu::LoadedProgram* program, std::string kernel, std::uint64_t blocks, std::uint32_t threads,
               std::vector<gpu::KernelArg> args);

} // namespace ridge::labs
