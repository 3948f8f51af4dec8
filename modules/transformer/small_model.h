// SPDX-License-Identifier: GPL-3.0-or-later
// A language model over bytes: the file that tools/train-small-model writes, and its weights.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::transformer {

/// A decoder of `layers` times attention and gated feed-forward, each behind an RMSNorm and added to the stream.
/// Rotary positions turn halves of a head against each other; groups of heads share keys and values.
struct Shape {
    std::uint32_t vocabulary = 0, width = 0, layers = 0, heads = 0, kvHeads = 0, headDim = 0, hidden = 0;
    std::uint32_t context = 0; ///< positions at most
    float ropeBase = 10000, epsilon = 1e-5f;

    std::uint32_t kvWidth() const { return kvHeads * headDim; }
};

/// y = W x, W row by row. Inputs are divided by `inputScales` before they are rounded and multiplied again after it,
/// where the model runs with rounded inputs; W is as if they were not there.
struct Linear {
    std::size_t rows = 0, columns = 0;
    std::vector<float> weights;
    std::vector<float> inputScales; ///< empty: 1
};

enum class Part : std::uint8_t { Q, K, V, O, Gate, Up, Down };
inline constexpr std::size_t kParts = 7;

struct Layer {
    std::vector<float> attentionNorm, feedForwardNorm;
    Linear parts[kParts];

    Linear& operator[](Part part) { return parts[static_cast<std::size_t>(part)]; }
    const Linear& operator[](Part part) const { return parts[static_cast<std::size_t>(part)]; }
};

struct Model {
    Shape shape;
    std::vector<std::uint8_t> bytes; ///< of each token; token 0 is every byte that is not among them
    Linear embedding;                ///< a row a token; also the output
    std::vector<Layer> layers;
    std::vector<float> norm;

    std::uint64_t weights() const;       ///< all
    std::uint64_t linearWeights() const; ///< of the layers' matrices
};

using Token = std::uint16_t;

/// The file, little-endian: "RIDGELM", 1 (a byte); eight uint32: vocabulary, width, layers, heads, heads of keys, size
/// of a head, hidden, context; two float32: base of the rotary positions, epsilon of the norms; the byte of each token;
/// FP16 numbers: embedding [vocabulary, width], of each layer norm, Q, K, V, O, norm, gate, up, down (matrices row by
/// row, a row an output), at the end a norm. Errors: "bad-model" with `place` and what is wrong.
Result<Model> parseModel(std::string_view bytes, const std::string& place);

std::vector<Token> tokensOf(const Model& model, std::string_view text);
std::string textOf(const Model& model, std::span<const Token> tokens);

/// The same function with outliers in its activations: every channel whose number is a multiple of `every` becomes
/// `factor` times as large behind each norm, and the matrices that read it take that back.
void addOutliers(Model& model, std::uint32_t every, float factor);

} // namespace ridge::transformer
