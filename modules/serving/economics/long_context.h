// SPDX-License-Identifier: GPL-3.0-or-later
// What a long context costs, for each way to keep keys and values.
#pragma once

#include "base/result.h"
#include "workload/operators.h"

#include <span>
#include <string>

namespace ridge::serving {

/// Own: as the model has it. Mha: a KV head for every query head. Gqa: for every eight. Mqa: one. Window: the model's
/// heads, and every layer looks back a window. Latent: 512 + 64 values a token and layer, as DeepSeek-V2 has it.
enum class KvKind { Own, Mha, Gqa, Mqa, Window, Latent };
std::span<const std::string> kvKindNames(); ///< own mha gqa mqa window mla

/// The model with its attention put in place. Errors: "bad-model" where the model has no such attention.
Result<workload::ModelShape> withKv(workload::ModelShape model, KvKind kind, double window);

struct LongContext {
    double kvBytesPerToken = 0;
    double kvBytes = 0;            ///< of a sequence, all GPUs together
    double users = 0;              ///< whole sequences that fit beside the weights; 0: not even one
    double ttft = 0;               ///< s: the prompt of one user, alone
    double tokenSeconds = 0;       ///< s a token with `batch` users
    double attentionSeconds = 0;   ///< of it, attention
    double kvShare = 0;            ///< of the bytes that a step reads
    double attentionFlopShare = 0; ///< of the prompt's FLOP
};

struct LongContextSetting {
    double context = 131072; ///< tokens
    double gpus = 1;         ///< tensor parallel
    double batch = 0;        ///< users; 0: as many as fit, at least one
    double kvBytes = 2;      ///< of a value
    double usableBytes = 0;  ///< of all GPUs, for weights and cache
};
/// Errors: those of checkStep.
Result<LongContext> longContext(const workload::ModelShape& model, const workload::Device& device,
                                const LongContextSetting& setting);

} // namespace ridge::serving
