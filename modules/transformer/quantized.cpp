// SPDX-License-Identifier: GPL-3.0-or-later
#include "transformer/quantized.h"

#include <algorithm>

namespace ridge::transformer {
namespace {

constexpr const char* kPartNames[kParts] = {"q", "k", "v", "o", "gate", "up", "down"};

Input inputOf(Part part)
{
    switch (part) {
    case Part::O:
        return Input::Output;
    case Part::Gate:
    case Part::Up:
        return Input::FeedForward;
    case Part::Down:
        return Input::Down;
    default:
        return Input::Attention;
    }
}

/// What the matrices of one layer read.
Result<std::vector<std::vector<float>>> inputsOf(const Model& model, std::size_t layer, std::span<const Token> text)
{
    std::vector<std::vector<float>> inputs(4);
    DecoderOptions options;
    options.seen = [&](std::size_t at, Input input, std::span<const float> values) {
        auto& all = inputs[static_cast<std::size_t>(input)];
        if (at == layer)
            all.insert(all.end(), values.begin(), values.end());
    };
    Decoder decoder(model, options);
    for (std::size_t first = 0; first + model.shape.context <= text.size(); first += model.shape.context) {
        decoder.rewind(0);
        if (auto done = decoder.run(text.subspan(first, model.shape.context)); !done)
            return done.error();
    }
    return inputs;
}

} // namespace

Result<QuantizedModel> quantizeModel(const Model& model, std::span<const Token> text, const memory::QuantScheme& scheme,
                                     const memory::CalibrationOptions& options)
{
    const bool looks = scheme.method != memory::Method::Rtn;
    if (looks && text.size() < model.shape.context)
        return Error{"too-short", "there is no whole context to look at", "calibration text",
                     "give " + std::to_string(model.shape.context) + " tokens or more"};
    QuantizedModel out;
    out.model = model;
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
        std::vector<std::vector<float>> inputs;
        if (looks) {
            auto seen = inputsOf(out.model, i, text);
            if (!seen)
                return seen.error();
            inputs = std::move(*seen);
        }
        for (std::size_t p = 0; p < kParts; ++p) {
            Linear& linear = out.model.layers[i].parts[p];
            const std::vector<double> weights(linear.weights.begin(), linear.weights.end());
            const std::vector<float> one(linear.columns, 1.0f); // rtn looks at none
            const std::vector<float>& x = looks ? inputs[static_cast<std::size_t>(inputOf(static_cast<Part>(p)))] : one;
            const auto layer = memory::quantizeLayer(weights, {x, linear.columns}, scheme, options);
            if (!layer) {
                Error error = layer.error();
                error.place = "layer " + std::to_string(i) + ", " + kPartNames[p];
                return error;
            }
            std::vector<double> restored(weights.size());
            memory::restoreWeights(*layer, restored);
            std::transform(restored.begin(), restored.end(), linear.weights.begin(),
                           [](double w) { return static_cast<float>(w); });
            linear.inputScales = layer->channelScales;
            const memory::QuantError error = memory::errorOf(weights, restored);
            out.error.signal += error.signal;
            out.error.noise += error.noise;
            out.error.most = std::max(out.error.most, error.most);
            out.matrixBits += layer->weights.bits;
        }
    }
    out.bits = out.matrixBits + 16 * static_cast<double>(model.weights() - model.linearWeights());
    return out;
}

} // namespace ridge::transformer
