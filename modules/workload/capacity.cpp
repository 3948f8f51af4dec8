// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/capacity.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::workload {
namespace {

const std::array<std::string, 13> kFormats{"f32",  "f16",  "bf16",   "q8_0",   "q6_k",   "q5_0",  "q5_1",
                                           "q4_0", "q4_1", "q5_k_s", "q5_k_m", "q4_k_s", "q4_k_m"};

// Bits of a weight with its share of the block's scales (ggml-common.h): bytes of a block x 8 over its weights.
constexpr double kQ4_0 = 18 * 8 / 32.0, kQ4_1 = 20 * 8 / 32.0, kQ5_0 = 22 * 8 / 32.0, kQ5_1 = 24 * 8 / 32.0;
constexpr double kQ8_0 = 34 * 8 / 32.0, kQ4K = 144 * 8 / 256.0, kQ5K = 176 * 8 / 256.0, kQ6K = 210 * 8 / 256.0;

struct States {
    double gradient, optimizer; ///< bytes a weight
};

States statesOf(Optimizer optimizer)
{
    switch (optimizer) {
    case Optimizer::Adam:
        return {2, 12};
    case Optimizer::AdamFp32Gradients:
        return {4, 12};
    case Optimizer::Adam8bit:
        return {2, 4 + 2};
    case Optimizer::Sgd:
        return {2, 8};
    case Optimizer::Inference:
        return {0, 0};
    case Optimizer::AdamMoments:
        return {0, 8};
    }
    return {2, 12};
}

/// llama.cpp gives the first and last eighth of the layers, and every third between, more bits (use_more_bits).
bool hasMoreBits(std::uint32_t layer, std::uint32_t layers)
{
    return layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
}

} // namespace

Result<void> checkPlan(const ModelShape& model, const CapacityPlan& plan)
{
    const auto bad = [](const std::string& message, const char* place, const std::string& fix) {
        return Error{"bad-plan", message, place, fix};
    };
    if (model.kind == ModelKind::Convolutional)
        return bad(model.title + " has no layers of attention, which the formulas are for", "model",
                   "take a transformer");
    const auto whole = [](double a, double b) { return std::fmod(a, b) == 0; };
    if (!whole(model.heads, plan.tensor))
        return bad(std::to_string(model.heads) + " heads cannot be shared evenly by tp GPUs", "tp",
                   "take a number that divides the heads");
    if (plan.pipeline > model.layers)
        return bad("there are more pipeline stages than layers", "pp", "take at most " + std::to_string(model.layers));
    if (plan.interleave > 1 && plan.pipeline < 2)
        return bad("pieces can be interleaved only between pipeline stages", "interleave",
                   "take pp of 2 or more, or interleave 1");
    if (plan.pipeline * plan.interleave > model.layers)
        return bad("there are more pieces of the pipeline than layers", "interleave", "take fewer pieces or stages");
    return {};
}

double layerActivations(const ModelShape& model, const CapacityPlan& plan)
{
    const double tokens = plan.batch * plan.sequence, h = model.hidden;
    if (plan.recompute == Recompute::Full)
        return 2 * tokens * h;
    const bool dropout = model.layerNorm; // models with LayerNorm drop values out, and keep a byte mask of each
    const double mask = dropout ? h : 0;
    // Inputs of attention, feed-forward part and norms, and the masks behind the first two.
    const double whole = 2 * h + mask + 2 * h + mask + 2 * h * model.layerNorms;
    double shared = 0;
    if (model.latent.kvRank) {
        const LatentAttention& l = model.latent;
        shared += 2.0 * (l.queryRank + l.kvRank + l.ropeDim) +
                  2.0 * model.heads * (2.0 * (l.nopeDim + l.ropeDim) + 2.0 * l.valueDim);
    } else {
        shared += 4.0 * model.heads * model.headDim + 4.0 * model.kvHeads * model.headDim; // Q, output; K, V
    }
    // What a feed-forward part of width 1 keeps: the input of the activation and its output, of gated ones both inputs.
    const double each = model.gated ? 6 : 4;
    const double sparse = double(model.moeLayers()) / model.layers;
    shared += each * model.ffn * (1 - sparse);
    if (sparse > 0)
        shared += sparse *
                  (each * (double(model.moe.active) * model.moe.ffn + model.moe.sharedFfn) + 2 * h * model.moe.active);
    const double t = plan.tensor;
    double bytes = tokens * ((plan.sequenceParallel ? whole / t : whole) + shared / t);
    if (plan.recompute == Recompute::None && !plan.flashAttention) // scores, softmax, its mask: 2 + 2 + 1 bytes
        bytes += (dropout ? 5 : 4) * model.heads * plan.sequence * tokens / t;
    return bytes;
}

Capacity capacityOf(const ModelShape& model, const CapacityPlan& plan)
{
    Capacity out;
    const double t = plan.tensor, p = plan.pipeline, d = plan.data;
    if (plan.parameters > 0)
        out.parameters = plan.parameters / (t * p);
    else // the first stage has the embedding; where there is one stage, the end of the model too
        out.parameters = (layerParameters(model) * std::ceil(model.layers / p) / model.layers +
                          (p > 1 ? embeddingParameters(model) : parameters(model) - layerParameters(model))) /
                         t;
    const States states = statesOf(plan.optimizer);
    out.weights = plan.weightBytes * out.parameters / (plan.zero >= 3 ? d : 1);
    out.gradients = states.gradient * out.parameters / (plan.zero >= 2 ? d : 1);
    out.optimizer = states.optimizer * out.parameters / (plan.zero >= 1 ? d : 1);
    if (plan.zero >= 3 && d > 1) {
        const double scale = plan.parameters > 0 ? plan.parameters / parameters(model) : 1;
        const double layer = attentionParameters(model) + normParameters(model) +
                             std::max(model.moe.experts ? moeParameters(model) : 0, denseFfnParameters(model));
        const double largest = std::max(layer, embeddingParameters(model)) * scale / t;
        out.gathered = std::min(largest, out.parameters) * (plan.weightBytes + states.gradient);
    }
    out.kv = plan.batch * kvBytesOfSequence(model, plan.sequence, plan.kvBytes) / p /
             (model.latent.kvRank ? 1 : std::min<double>(t, std::max(1u, model.kvHeads)));
    if (plan.optimizer == Optimizer::Inference)
        return out;
    // One forward, one backward: the first stage has p micro-batches of L / p layers under way, so those of L layers.
    const double v = plan.interleave;
    out.activations = layerActivations(model, plan) * model.layers * (v > 1 ? 1 + (p - 1) / (p * v) : 1);
    const double tokens = plan.batch * plan.sequence;
    out.outsideActivations = model.layerNorm ? tokens * model.hidden * p / t : 0; // the embedding's mask
    if (p == 1) // the input of the final norm and of the logits, and those in fp32
        out.outsideActivations +=
            4 * tokens * model.hidden / t + 4 * tokens * (model.logits ? model.vocabulary : 0) / t;
    return out;
}

std::span<const std::string> ggufFormats()
{
    return kFormats;
}

double ggufBytes(const ModelShape& model, std::string_view format)
{
    if (std::find(kFormats.begin(), kFormats.end(), format) == kFormats.end())
        return 0;
    if (format == "f32" || format == "f16" || format == "bf16")
        return parameters(model) * (format == "f32" ? 4 : 2);
    const auto is = [&](const char* name) { return format == name; };
    double base = 0;
    for (const auto& [name, bits] : {std::pair{"q4_0", kQ4_0},
                                     {"q4_1", kQ4_1},
                                     {"q5_0", kQ5_0},
                                     {"q5_1", kQ5_1},
                                     {"q8_0", kQ8_0},
                                     {"q6_k", kQ6K},
                                     {"q5_k_s", kQ5K},
                                     {"q5_k_m", kQ5K},
                                     {"q4_k_s", kQ4K},
                                     {"q4_k_m", kQ4K}})
        if (is(name))
            base = bits;
    const bool m = is("q4_k_m") || is("q5_k_m"), s4 = is("q4_k_s");
    // llama-quant.cpp, llama_tensor_get_type: which tensors of a mix get more than its base.
    const bool grouped8 = model.kvHeads != 0 && model.heads / model.kvHeads >= 8 && model.layers == 80;
    const double values = double(model.hidden) * model.kvHeads * model.headDim;
    const double down = double(model.ffn) * model.hidden;
    double bits = 0;
    double counted = 0;
    if (model.moe.experts == 0 && model.latent.kvRank == 0)
        for (std::uint32_t layer = 0; layer < model.layers; ++layer) {
            double ofValues = base, ofDown = base;
            if (m && hasMoreBits(layer, model.layers))
                ofValues = ofDown = kQ6K;
            if (s4 && layer < 4)
                ofValues = kQ5K;
            if (s4 && layer < model.layers / 8)
                ofDown = kQ5K;
            if (grouped8 && ofValues == kQ4K)
                ofValues = kQ5K; // eight query heads share these values: more bits cost little
            bits += ofValues * values + ofDown * down;
            counted += values + down;
        }
    const double output = double(model.vocabulary) * model.hidden; // the output matrix, or the embedding in its place
    bits += (is("q8_0") ? kQ8_0 : kQ6K) * output;
    counted += output;
    const double norms = model.layers * normParameters(model) + model.hidden; // in fp32
    bits += 32 * norms;
    counted += norms;
    return (bits + base * (parameters(model) - counted)) / 8;
}

} // namespace ridge::workload
