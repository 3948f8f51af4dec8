// SPDX-License-Identifier: GPL-3.0-or-later
// The shape of a model: what decides its parameters, its memory and its work, and nothing of its weights.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::workload {

enum class ModelKind {
    Decoder,        ///< each token sees those before it, and keeps keys and values
    Encoder,        ///< each token sees all; nothing is kept (BERT)
    EncoderDecoder, ///< a decoder whose layers see what an encoder made of another sequence, too (T5, BART, Whisper)
    StateSpace,     ///< no attention: each sequence keeps a state that does not grow (Mamba)
    Convolutional   ///< images; a residual network
};

/// Experts of a layer. `experts` 0: the feed-forward part is dense.
struct Experts {
    std::uint32_t experts = 0;     ///< routed ones of a layer
    std::uint32_t active = 0;      ///< routed ones that a token uses
    std::uint32_t ffn = 0;         ///< width of one
    std::uint32_t sharedFfn = 0;   ///< width of those that every token uses, together
    std::uint32_t denseLayers = 0; ///< layers that have a dense part in place of experts
    bool routerBias = false;       ///< a number an expert that corrects the choice (DeepSeek-V3)
    bool sharedGate = false;       ///< a vector that weighs the shared part (Qwen2-MoE)
    bool biases = false;           ///< of each expert's matrices (gpt-oss)
    bool sharedBias = false;       ///< of the shared part's matrices
    bool operator==(const Experts&) const = default;
};

/// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434). `kvRank` 0: none.
struct LatentAttention {
    std::uint32_t queryRank = 0;                          ///< 0: queries are projected at once
    std::uint32_t kvRank = 0;                             ///< values that a token keeps, without the rotated part
    std::uint32_t nopeDim = 0, ropeDim = 0, valueDim = 0; ///< of a head
    bool operator==(const LatentAttention&) const = default;
};

/// The encoder of an EncoderDecoder. Its width, its norms and how its parts are made are those of the decoder, which
/// the other fields of ModelShape describe.
struct EncoderPart {
    std::uint32_t layers = 0, heads = 0, headDim = 0, ffn = 0;
    std::uint32_t positions = 0; ///< rows of a table of its own
    std::uint32_t context = 0;   ///< most tokens of its input; 0: unknown
    std::uint32_t bands = 0;     ///< of sound, which two convolutions make tokens of (Whisper); 0: words
    std::uint32_t tables = 1;    ///< embeddings of words: 1 is shared, with 2 each side has one; 3: and one is not read
    std::uint32_t vocabulary = 0; ///< where its words are not those of the decoder; 0: the same
    bool operator==(const EncoderPart&) const = default;
};

/// Selective state spaces: Mamba (arXiv 2312.00752) and Mamba-2 (arXiv 2405.21060).
struct StateSpace {
    std::uint32_t inner = 0;             ///< channels of a layer
    std::uint32_t state = 0;             ///< numbers that a channel keeps
    std::uint32_t kernel = 0;            ///< tokens that the convolution before it sees
    std::uint32_t rank = 0;              ///< of the matrices that make a step size for each channel; Mamba
    std::uint32_t heads = 0, groups = 0; ///< channels share a step size in heads, B and C in groups; Mamba-2, else 0
    std::uint32_t chunk = 0;             ///< tokens that Mamba-2 takes at once
    bool bias = false, biasConvolution = true;
    bool norms = false; ///< of step rank, B and C, without weights (Falcon Mamba)
    bool operator==(const StateSpace&) const = default;
    /// Channels that the convolution goes over.
    double convolved() const { return heads ? inner + 2.0 * groups * state : inner; }
};

/// A stage of a residual network: `blocks` blocks with `width` channels at their end.
struct ConvStage {
    std::uint32_t width = 0, blocks = 0;
    bool operator==(const ConvStage&) const = default;
};

struct ModelShape {
    std::string id;    ///< "llama-3-8b"
    std::string title; ///< "Llama 3 8B"
    std::string source;
    ModelKind kind = ModelKind::Decoder;

    std::uint32_t layers = 0;
    std::uint32_t hidden = 0;
    std::uint32_t heads = 0;
    std::uint32_t kvHeads = 0; ///< fewer than heads: grouped-query attention
    std::uint32_t headDim = 0;
    std::uint32_t ffn = 0;
    bool gated = false; ///< two matrices into the feed-forward part (SwiGLU), not one
    std::uint32_t vocabulary = 0;
    bool tied = false;                ///< the output matrix is the embedding
    std::uint32_t positions = 0;      ///< learned ones; 0: rotary or none
    std::uint32_t tokenTypes = 0;     ///< BERT's segments
    std::uint32_t context = 0;        ///< most tokens of a sequence; 0: unknown
    std::uint32_t embeddingWidth = 0; ///< of the embedding where it is narrower, with a matrix to `hidden`; 0: the same
    bool biasEmbedding = false;       ///< of that matrix, which is then there in any case

    bool layerNorm = false;       ///< scale and shift; else RMSNorm, scale alone
    bool normScale = true;        ///< false: norms have no weights (OLMo)
    bool normShift = true;        ///< LayerNorm only; false: scale alone (Cohere)
    std::uint32_t layerNorms = 2; ///< norms of a layer
    bool finalNorm = true;
    bool embeddingNorm = false;
    bool headNorms = false;               ///< of queries and keys (Qwen3)
    std::uint32_t headNormParameters = 0; ///< of one layer: a head's vector for each, or one as wide as all heads
    std::uint32_t layerOther = 0;         ///< what else a layer has: attention sinks (gpt-oss), an activation's numbers
    bool biasQkv = false, biasOut = false, biasFfn = false, biasLogits = false;
    bool biasKeys = true;              ///< false: queries and values alone have biasQkv (Whisper)
    std::uint32_t relativeBuckets = 0; ///< of distances, with a number a head that is added to scores (T5); 0: none
    bool relativeEveryLayer = false;   ///< else the first layer's numbers are those of all
    bool rotary = true;                ///< where there are no learned positions
    std::uint32_t uniqueLayers = 0;    ///< that have weights of their own, where layers share them (ALBERT); 0: all
    bool pooler = false;               ///< BERT's matrix on the first token
    bool logits = true;                ///< whether an output matrix follows the layers

    std::uint32_t window = 0;       ///< tokens that attention looks back; 0: all
    std::uint32_t windowLayers = 0; ///< layers that have it
    Experts moe;
    LatentAttention latent;
    EncoderPart encoder; ///< EncoderDecoder only
    StateSpace ssm;      ///< StateSpace only

    std::vector<ConvStage> stages; ///< Convolutional only
    bool basicBlocks = false;      ///< two 3 x 3 convolutions (ResNet-18 and 34), not a bottleneck of three
    std::uint32_t stem = 0, image = 0, channels = 0, classes = 0;
    bool operator==(const ModelShape&) const = default;

    /// Whether a matrix lies between the embedding and the layers.
    bool embeddingMatrix() const { return biasEmbedding || (embeddingWidth != 0 && embeddingWidth != hidden); }
    std::uint32_t moeLayers() const { return moe.experts == 0 ? 0 : layers - moe.denseLayers; }
    /// Values of a head in a dot product of queries and keys.
    std::uint32_t queryDim() const { return latent.kvRank ? latent.nopeDim + latent.ropeDim : headDim; }
    std::uint32_t valueDim() const { return latent.kvRank ? latent.valueDim : headDim; }
};

/// Errors: "bad-model" with what is missing or does not go together, and the fix.
Result<void> checkModel(const ModelShape& model);

/// Counts of weights. They are whole numbers below 2^53, so that double has them exactly.
double attentionParameters(const ModelShape& model);  ///< of one layer, biases included
double denseFfnParameters(const ModelShape& model);   ///< of one layer without experts
double expertParameters(const ModelShape& model);     ///< of one routed expert
double moeParameters(const ModelShape& model);        ///< of one layer with experts: router, routed, shared
double normParameters(const ModelShape& model);       ///< of one layer
double stateSpaceParameters(const ModelShape& model); ///< of one layer of a StateSpace, without its norm
double embeddingParameters(const ModelShape& model);  ///< tokens, positions, segments and their norm
double outputParameters(const ModelShape& model);     ///< output matrix where it is its own, and the pooler
double layerParameters(const ModelShape& model);      ///< of all layers together
double parameters(const ModelShape& model);
/// Those that one token uses: of routed experts only the active ones; both embeddings count.
double activeParameters(const ModelShape& model);

/// The encoder of an EncoderDecoder as a model of its own.
ModelShape encoderOf(const ModelShape& model);

/// Values that one token keeps in all layers: 2 x layers x KV heads x head, or layers x (rank + rotated part). Of an
/// EncoderDecoder a token of the decoder.
double kvValuesPerToken(const ModelShape& model);
double kvBytesPerToken(const ModelShape& model, double bytesPerValue);
/// What a sequence of `tokens` keeps: layers with a window keep no more than it.
double kvBytesOfSequence(const ModelShape& model, double tokens, double bytesPerValue);
/// What the decoder of an EncoderDecoder keeps of each token of the encoder's input: keys and values of all its layers.
double crossKvBytesPerToken(const ModelShape& model, double bytesPerValue);
/// What each sequence of a StateSpace keeps, of whatever length: the states of all channels, and the last tokens that
/// the convolutions see.
double stateBytesPerSequence(const ModelShape& model, double bytesPerValue);

struct Convolution {
    std::string_view name; ///< of a literal
    double in = 0, out = 0, kernel = 0;
    double side = 0; ///< of the output
};
/// Every convolution in its order; Convolutional only.
void forEachConvolution(const ModelShape& model, const std::function<void(const Convolution&)>& with);
/// Of one image, multiply-adds; Convolutional only.
double convolutionMacs(const ModelShape& model);

/// One file of assets/models. `place` is named in errors. Errors: "bad-model", and those of modelFromConfig.
Result<ModelShape> parseModel(std::string_view text, const std::filesystem::path& place);
/// Every *.json of a folder, by id. Errors: those of parseModel, "cannot-read".
Result<std::vector<ModelShape>> readModels(const std::filesystem::path& folder);
/// assets/models of this installation. Errors: those of dataFolder and readModels.
Result<std::vector<ModelShape>> shippedModels();
/// Errors: "unknown-model" with the nearest.
Result<ModelShape> findModel(std::span<const ModelShape> models, std::string_view id);

} // namespace ridge::workload
