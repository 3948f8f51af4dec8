// SPDX-License-Identifier: GPL-3.0-or-later
// What of a model lies in the memory of one GPU.
#pragma once

#include "workload/operators.h"

namespace ridge::workload {

/// Bytes a weight: Adam in mixed precision keeps 2 of weight, 2 of gradient and 12 of fp32 weight and two moments
/// (ZeRO, arXiv 1910.02054); AdamFp32Gradients sums gradients in fp32 (Megatron-LM). Adam8bit: fp32 weight and moments
/// of one byte. Sgd: fp32 weight and momentum. Inference: weights alone. AdamMoments: two fp32 moments beside the
/// weight that is trained, and gradients not counted, as "How to Scale Your Model" (jax-ml/scaling-book) adds up 10
/// bytes.
enum class Optimizer { Adam, AdamFp32Gradients, Adam8bit, Sgd, Inference, AdamMoments };

struct CapacityPlan {
    double weightBytes = 2;                    ///< of one weight
    double batch = 1;                          ///< sequences of one replica at a time: the micro-batch
    double sequence = 2048;                    ///< tokens
    double tensor = 1, pipeline = 1, data = 1; ///< GPUs in each direction
    int zero = 0;                              ///< stage of ZeRO, 0 to 3
    double interleave = 1;                     ///< pieces of the model that each pipeline stage holds
    bool sequenceParallel = false;
    bool flashAttention = false; ///< scores are not kept
    Recompute recompute = Recompute::None;
    Optimizer optimizer = Optimizer::Adam;
    double kvBytes = 2;    ///< of a value in the cache
    double parameters = 0; ///< 0: those of the model
};

/// Of the GPU that holds the most, in bytes.
struct Capacity {
    double parameters = 0; ///< on this GPU, before ZeRO shares them
    double weights = 0, gradients = 0, optimizer = 0;
    double activations = 0;        ///< of the layers
    double outsideActivations = 0; ///< of embedding, final norm and logits
    double kv = 0;                 ///< of `batch` sequences, for inference
    double gathered = 0; ///< ZeRO 3: the largest layer's weights and gradients, which are whole while it works
    double states() const { return weights + gradients + optimizer; }
};

/// Errors: "bad-plan" with what does not divide, and the fix.
Result<void> checkPlan(const ModelShape& model, const CapacityPlan& plan);
Capacity capacityOf(const ModelShape& model, const CapacityPlan& plan);

/// What one layer keeps of `batch` sequences for its backward pass, in bytes, in 16 bits. Korthikanti et al., arXiv
/// 2205.05198, table 2: s b h (10 + 24 / t + 5 a s / (h t)) and its kin, where each part has the width that it has in
/// this model; for a GPT it is their formula.
double layerActivations(const ModelShape& model, const CapacityPlan& plan);

/// Names of GGUF formats whose mixes are known: f32 f16 bf16 q8_0 q6_k q5_0 q5_1 q4_0 q4_1 q5_k_s q5_k_m q4_k_s q4_k_m.
std::span<const std::string> ggufFormats();
/// Bytes of the tensors of a GGUF file, as llama.cpp's quantizer chooses the type of each; its tokenizer and the other
/// metadata, some MB, are not counted. 0 where the format is not known.
double ggufBytes(const ModelShape& model, std::string_view format);

} // namespace ridge::workload
