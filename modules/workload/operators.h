// SPDX-License-Identifier: GPL-3.0-or-later
// A phase of a model as a list of kernels, with what each computes and moves.
#pragma once

#include "workload/kernel_time.h"
#include "workload/model.h"

#include <vector>

namespace ridge::workload {

/// Prefill: a whole prompt of every sequence. Decode: one token of every sequence. Training: forward, backward and the
/// optimizer's step.
enum class Phase { Prefill, Decode, Training };
enum class Recompute { None, Selective, Full };
enum class OperatorKind { Matmul, Attention, Elementwise, Norm, Embedding, Softmax, Collective };
std::string_view toText(OperatorKind kind);

struct Step {
    Phase phase = Phase::Decode;
    double batch = 1;      ///< sequences; images of a convolutional model
    double context = 1024; ///< tokens of a sequence: prefill and training its length, decode what it holds, the new
                           ///< token included
    double cached = 0;     ///< prefill: tokens before the prompt whose keys and values are there already
    double source = 0;     ///< EncoderDecoder: tokens of the encoder's input; 0: those of whole sound, else `context`
    Dtype dtype = Dtype::Bf16;
    double kvBytes = 2; ///< of a value in the cache
    bool fused = true;  ///< one kernel for queries, keys and values, for gate and up, for attention, for residual sum
                        ///< and norm, for activation and product; else a kernel each, and scores go through memory
    double gpus = 1;    ///< that share each layer (tensor parallel)
    Recompute recompute = Recompute::None; ///< training
};

/// Alike kernels of one GPU. Everything is of one of them; `count` says how many the step has.
struct Operator {
    std::string_view name; ///< "gate and up"; of a literal
    OperatorKind kind = OperatorKind::Elementwise;
    std::uint8_t group = 0;     ///< operators in a row with the same number above 0 can be one kernel, or already are
    double m = 0, n = 0, k = 0; ///< Matmul
    double parts = 1;           ///< matrices in one launch, as of experts
    double count = 1;
    double launches = 1;
    double flops = 0;
    double weightBytes = 0, activationBytes = 0, kvBytes = 0;
    Attention attention; ///< Attention only
    double bytes() const { return weightBytes + activationBytes + kvBytes; }
};

/// Whether the model makes one token after another, from what it keeps of those before.
bool hasDecode(const ModelShape& model);
/// Tokens of the encoder's input of an EncoderDecoder. Prefill and training run the encoder and the decoder, decode the
/// decoder alone.
double sourceTokens(const ModelShape& model, const Step& step);
/// "encoder, attention" → "attention"; other names as they are.
std::string_view withoutPart(std::string_view name);

/// Fills `out`, whose memory is kept from call to call. The model and the step have been checked.
void listOperators(const ModelShape& model, const Step& step, std::vector<Operator>& out);

/// Errors: "bad-step" with what the model cannot do and the fix.
Result<void> checkStep(const ModelShape& model, const Step& step);

/// Sums over a list, of one GPU.
struct Totals {
    double flops = 0;
    double weightBytes = 0, activationBytes = 0, kvBytes = 0, linkBytes = 0;
    double launches = 0;
    double bytes() const { return weightBytes + activationBytes + kvBytes; }
};
Totals totalsOf(std::span<const Operator> operators);

/// The least that the datasheet allows: each kernel takes the longer of its arithmetic and its bytes.
double boundSeconds(const Device& device, std::span<const Operator> operators);
double operatorSeconds(const Device& device, const Operator& op, const Step& step); ///< of one of its kernels
/// All kernels one after another; not less than the launches take where the host issues them one by one.
double stepSeconds(const Device& device, std::span<const Operator> operators, const Step& step);

/// Seconds between two launches. Eager: PyTorch issues a kernel in 2.5 to 5 us; fused kernels are taken to be replayed
/// as a CUDA graph.
inline constexpr double kEagerLaunch = 4e-6, kGraphLaunch = 1e-6;

/// Different experts that `tokens` tokens use when each draws `active` of `experts` evenly.
double expectedExperts(double experts, double active, double tokens);

} // namespace ridge::workload
