// SPDX-License-Identifier: GPL-3.0-or-later
#include "serving/frameworks.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::serving {
namespace {

// Fitted by descent along one constant at a time on mean |log(model / measured)| of TPOT and, with half its weight, of
// TTFT: 60 points of vllm and 72 of trtllm, one set of constants each (docs/validation.md, "Serving"). A sum in one
// shot moves n / 2 times the bytes of one in two: rows of TensorRT-LLM on 8 GPUs ask for it up to what 128 sequences
// sum in a decode step (their TPOT was up to 28 % short, and is within 9 %), rows of vLLM do not.

// On the one row of MLPerf 4.1 offline, Mixtral 8x7B on eight H100 (docs/validation.md, "Serving").
constexpr double kExpertShare = 0.52;
constexpr StepOverheads kVllm{.launchShare = 0.465,
                              .attentionLaunchShare = 1.158,
                              .step = 1.95e-3,
                              .sequence = 50e-6,
                              .reduceLaunch = 2.522e-6,
                              .reduceGpu = 0.88e-6,
                              .reduceShare = 0.745,
                              .memoryShare = 0.95,
                              .computeShare = 0.659,
                              .fused = 0.493,
                              .expertShare = kExpertShare};
constexpr StepOverheads kTrtllm{.launchShare = 0.182,
                                .attentionLaunchShare = 0.9,
                                .step = 1.3e-3,
                                .sequence = 8.5e-6,
                                .reduceLaunch = 2.7e-6,
                                .reduceGpu = 0.7e-6,
                                .reduceShare = 0.7,
                                .oneShotBytes = 3e6,
                                .memoryShare = 0.99,
                                .computeShare = 0.8,
                                .fused = 0.912,
                                .expertShare = kExpertShare};
constexpr StepOverheads kNone{.reduceLaunch = 2e-6, .reduceGpu = 2.5e-6, .reduceShare = 0.74};

// Memory as their settings have it by default: gpu_memory_utilization 0.9 of vLLM, free_gpu_memory_fraction 0.9 of
// TensorRT-LLM's KvCacheConfig.
const std::array<Framework, 4> kFrameworks{
    {{.id = "vllm", .title = "vLLM", .overheads = kVllm, .request = 25.1e-3},
     {.id = "trtllm", .title = "TensorRT-LLM", .overheads = kTrtllm, .request = 35e-3, .ofFree = true, .reserve = true},
     {.id = "sglang", .title = "SGLang", .overheads = kVllm, .request = 25.1e-3},
     {.id = "none", .title = "Kernels alone", .overheads = kNone}}};

} // namespace

std::span<const Framework> frameworks()
{
    return kFrameworks;
}

const Framework* framework(std::string_view id)
{
    const auto found =
        std::find_if(kFrameworks.begin(), kFrameworks.end(), [&](const Framework& f) { return f.id == id; });
    return found == kFrameworks.end() ? nullptr : &*found;
}

Result<std::uint64_t> blocksThatFit(const workload::ModelShape& model, const workload::Device& device, double gpus,
                                    double memoryShare, double kvBytes, std::uint32_t block, bool ofFree)
{
    const double weights = workload::parameters(model) * workload::weightBytes(device.dtype);
    // Heads that are fewer than the GPUs are held several times.
    const double copies = model.latent.kvRank ? gpus : std::max(1.0, gpus / std::max<double>(1, model.kvHeads));
    const double token = workload::kvBytesPerToken(model, kvBytes) * copies;
    const double usable = (ofFree ? 1 : memoryShare) * device.memoryBytes;
    const double share = ofFree ? memoryShare : 1;
    const double left = share * (gpus * usable - weights);
    if (!(token > 0))
        return Error{"bad-model", model.title + " keeps no keys and values", "model", "take a decoder"};
    if (left < token * block) {
        const double need = std::ceil((weights + token * block / share) / usable);
        const auto number = [](double value) { return std::to_string(static_cast<long long>(value)); };
        double even = need; // heads are shared evenly
        while (even < model.heads && std::fmod(model.heads, even) != 0)
            ++even;
        const bool alone = even == need || std::fmod(model.heads, even) != 0;
        return Error{"does-not-fit",
                     model.title + " has " + number(weights / 1e9) + " GB of weights, and " + number(gpus) +
                         (gpus == 1 ? " GPU has " : " GPUs have ") + number(gpus * usable / 1e9) + " GB to use",
                     "gpus",
                     "take at least " + number(need) + " GPUs" +
                         (alone ? "" : " (" + number(even) + " as tp, or tp x pp)") + ", or a smaller format or model"};
    }
    return static_cast<std::uint64_t>(std::min(left / (token * block), 1e12));
}

} // namespace ridge::serving
