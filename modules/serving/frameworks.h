// SPDX-License-Identifier: GPL-3.0-or-later
// What serving frameworks add to the kernels, and how they admit requests.
#pragma once

#include "serving/fleet.h"

#include <span>
#include <string>

namespace ridge::serving {

struct Framework {
    std::string id;    ///< "vllm"
    std::string title; ///< "vLLM"
    StepOverheads overheads;
    double request = 0;         ///< s from a client's request to the queue and from the first token to the client
    double memoryShare = 0.9;   ///< of a GPU's memory for weights and cache
    bool ofFree = false;        ///< the share is of what the weights leave, and for the cache alone
    bool reserve = false;       ///< room for the whole output when a request is admitted: nobody is ever evicted
    std::uint32_t chunk = 8192; ///< tokens of a step at most
};

/// vllm, trtllm, sglang and "none", whose steps are kernels alone. The overheads of the first two are fitted on 132
/// published points of Llama 3.1 70B in FP8 on an H200 (docs/validation.md, "Serving"); sglang's are vllm's, since no
/// point of it was at hand.
std::span<const Framework> frameworks();
/// Null for other ids.
const Framework* framework(std::string_view id);

/// Blocks of the cache of one replica: what `memoryShare` of all GPUs leaves beside the weights, or with `ofFree` that
/// share of what all their memory leaves. Errors:
/// "does-not-fit" with what is missing and the fewest GPUs that hold it.
Result<std::uint64_t> blocksThatFit(const workload::ModelShape& model, const workload::Device& device, double gpus,
                                    double memoryShare, double kvBytes, std::uint32_t block, bool ofFree = false);

} // namespace ridge::serving
