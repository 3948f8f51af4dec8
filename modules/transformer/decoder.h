// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a model in FP32, with a KV cache: the same bits for a token whether it comes alone or among others.
#pragma once

#include "base/seed.h"
#include "memory/quantize.h"
#include "transformer/small_model.h"

#include <functional>

namespace ridge::transformer {

/// A layer's matrices read four different inputs.
enum class Input : std::uint8_t { Attention, Output, FeedForward, Down };

struct DecoderOptions {
    /// How inputs of the layers' matrices are rounded, by token (Channel) or of all tokens of a run together (Tensor;
    /// it then makes a difference which tokens come together). No format: they are not.
    memory::QuantScheme inputs;
    /// How keys and values are stored, each head of each token for itself or in groups of it. No format: FP32.
    memory::QuantScheme cache;
    /// Told of every input before it is rounded: tokens x columns.
    std::function<void(std::size_t layer, Input input, std::span<const float> values)> seen;
};

class Decoder {
public:
    /// The model must outlive it.
    explicit Decoder(const Model& model, DecoderOptions options = {});

    std::size_t position() const { return m_position; }
    std::size_t context() const { return m_model.shape.context; }
    std::size_t vocabulary() const { return m_model.shape.vocabulary; }
    void rewind(std::size_t position); ///< forgets what came at and after it

    /// Logits after each token, tokens x vocabulary; valid until the next run. Errors: "too-long" past the context;
    /// "bad-token"; those of memory::quantize().
    Result<std::span<const float>> run(std::span<const Token> tokens);

    double cacheBitsPerElement() const { return m_cacheBits; } ///< of what was stored last; 32 without a format

private:
    Result<void> attention(std::size_t layer, std::size_t tokens);
    Result<void> feedForward(std::size_t layer, std::size_t tokens);
    Result<void> multiply(std::size_t layer, Input input, std::span<const float> x, std::span<const Part> parts,
                          std::span<std::vector<float>* const> out);
    Result<void> store(std::size_t layer, std::size_t tokens);
    void rotate(std::vector<float>& x, std::size_t tokens, std::size_t heads) const;
    void normalise(const std::vector<float>& gain, std::size_t tokens);

    const Model& m_model;
    std::vector<std::vector<float>> m_turned; ///< matrices of all layers, then the output: columns x rows
    DecoderOptions m_options;
    std::size_t m_position = 0;
    double m_cacheBits = 32;
    std::vector<float> m_cos, m_sin; ///< context x headDim / 2
    std::vector<std::vector<float>> m_keys,
        m_values; ///< of a layer: [kv head][dim][position], [kv head][position][dim]
    std::vector<float> m_stream, m_normed, m_q, m_k, m_v, m_mixed, m_gate, m_up, m_back, m_logits, m_rounded;
};

struct Loss {
    double nats = 0;          ///< mean of -log p(next token)
    double referenceNats = 0; ///< the same of the reference
    double divergence = 0;    ///< mean KL divergence in nats from the reference's distribution; 0 without one
    double sameChoice = 1;    ///< share of tokens where reference and decoder think the same one likeliest
    std::size_t tokens = 0;   ///< that were predicted
    double perplexity() const;
};

/// Windows of a whole context side by side, as tools/train-small-model has them; `most` windows at most. `reference`
/// (null: none) reads the same. Errors: those of run(); "too-short"; "cancelled".
Result<Loss> lossOf(Decoder& decoder, std::span<const Token> text, std::size_t most, Decoder* reference = nullptr,
                    const std::function<bool()>& stop = {});

/// softmax(logits / temperature), in doubles.
std::vector<double> probabilities(std::span<const float> logits, double temperature);
Token likeliest(std::span<const float> logits);
/// One of the distribution, by one number of the generator.
Token sample(std::span<const double> probabilities, Rng& rng);

} // namespace ridge::transformer
