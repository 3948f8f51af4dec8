// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/harness/buffers.h"

#include <functional>

namespace ridge::labs {

/// A transfer from this GPU to the next one that was carried out and checked.
struct PeerTransfer {
    gpu::PeerMemory* to = nullptr;
    gpu::DevicePtr from;
    std::uint64_t bytes = 0;
    std::function<Result<void>()> clear;                ///< what arrived
    std::function<Result<void>(Comparison&)> compare{}; ///< what arrived with what was sent
};

/// "nccl_bandwidth", "nccl_share" with its pairs, "allreduce_algbw" and "allreduce_busbw".
void addNcclMetrics(std::vector<MetricSpec>& metrics);

/// Holds the driver's copy against NCCL's send and receive, in turns, and times NCCL's all-reduce of as many bytes over
/// the two GPUs. What is missing for it, and what of NCCL fails, is logged with its fix, and the point goes on without.
/// Errors: what ends the run.
Result<void> compareWithNccl(GpuContext& context, Buffers& buffers, const PeerTransfer& transfer);

} // namespace ridge::labs
