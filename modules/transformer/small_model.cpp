// SPDX-License-Identifier: GPL-3.0-or-later
#include "transformer/small_model.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace ridge::transformer {
namespace {

constexpr std::string_view kMagic("RIDGELM\x01", 8);
constexpr std::uint64_t kMostWeights = 1u << 28;
constexpr std::uint32_t kMostVocabulary = 257; // bytes and token 0

float halfToFloat(std::uint16_t half)
{
    const std::uint32_t sign = std::uint32_t{half} >> 15 << 31, field = half >> 10 & 31, fraction = half & 1023;
    const double size =
        field == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024.0 + fraction, static_cast<int>(field) - 25);
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(size)) | sign);
}

class Reader {
public:
    explicit Reader(std::string_view bytes) : m_bytes(bytes) {}
    std::uint64_t left() const { return m_bytes.size() - m_at; }
    template<class T>
    T take()
    {
        T value;
        std::memcpy(&value, m_bytes.data() + m_at, sizeof value);
        m_at += sizeof value;
        return value;
    }
    /// False: a number that is none.
    bool take(std::vector<float>& out, std::size_t count)
    {
        out.resize(count);
        for (float& value : out) {
            const auto half = take<std::uint16_t>();
            if ((half & 0x7c00) == 0x7c00)
                return false;
            value = halfToFloat(half);
        }
        return true;
    }
    bool take(Linear& linear, std::size_t rows, std::size_t columns)
    {
        linear.rows = rows;
        linear.columns = columns;
        return take(linear.weights, rows * columns);
    }

private:
    std::string_view m_bytes;
    std::size_t m_at = 0;
};

struct PartShape {
    std::uint32_t rows, columns;
};

std::array<PartShape, kParts> partShapes(const Shape& s)
{
    return {{{s.width, s.width},
             {s.kvWidth(), s.width},
             {s.kvWidth(), s.width},
             {s.width, s.width},
             {s.hidden, s.width},
             {s.hidden, s.width},
             {s.width, s.hidden}}};
}

std::uint64_t layerWeights(const Shape& shape)
{
    std::uint64_t sum = 0;
    for (const PartShape& part : partShapes(shape))
        sum += std::uint64_t{part.rows} * part.columns;
    return sum;
}

/// What is wrong with it; empty: nothing.
std::string faultOf(const Shape& s)
{
    constexpr std::uint32_t most = 1u << 16;
    for (const std::uint32_t size : {s.width, s.layers, s.heads, s.kvHeads, s.headDim, s.hidden, s.context})
        if (size == 0 || size > most)
            return "a size is 0 or above 65536";
    if (s.vocabulary < 2 || s.vocabulary > kMostVocabulary)
        return "there are not 2 to 257 tokens";
    if (std::uint64_t{s.heads} * s.headDim != s.width || s.heads % s.kvHeads != 0 || s.headDim % 2 != 0)
        return "heads do not fill the width, or do not share keys evenly";
    if (!(s.ropeBase >= 1 && s.ropeBase <= 1e9f) || !(s.epsilon > 0 && s.epsilon < 1))
        return "base or epsilon is out of range";
    if (layerWeights(s) > kMostWeights || layerWeights(s) * s.layers > kMostWeights)
        return "there are more than 2^28 weights";
    return {};
}

} // namespace

std::uint64_t Model::linearWeights() const
{
    return layerWeights(shape) * layers.size();
}

std::uint64_t Model::weights() const
{
    return linearWeights() + embedding.weights.size() + std::uint64_t{shape.width} * (2 * layers.size() + 1);
}

Result<Model> parseModel(std::string_view bytes, const std::string& place)
{
    const auto bad = [&](const std::string& what) {
        return Error{"bad-model", "this is no model: " + what, place, "write it with tools/train-small-model"};
    };
    constexpr std::size_t head = 8 + 8 * 4 + 2 * 4;
    if (bytes.size() < head || bytes.substr(0, kMagic.size()) != kMagic)
        return bad("it does not begin with RIDGELM, 1 and its sizes");
    Reader reader(bytes.substr(kMagic.size()));
    Model model;
    Shape& s = model.shape;
    for (std::uint32_t* size :
         {&s.vocabulary, &s.width, &s.layers, &s.heads, &s.kvHeads, &s.headDim, &s.hidden, &s.context})
        *size = reader.take<std::uint32_t>();
    s.ropeBase = reader.take<float>();
    s.epsilon = reader.take<float>();
    if (const std::string fault = faultOf(s); !fault.empty())
        return bad(fault);
    const std::uint64_t numbers = std::uint64_t{s.vocabulary} * s.width + layerWeights(s) * s.layers +
                                  std::uint64_t{s.width} * (2 * std::uint64_t{s.layers} + 1);
    if (reader.left() != s.vocabulary + 2 * numbers)
        return bad("it has " + std::to_string(bytes.size()) + " bytes, and its sizes say " +
                   std::to_string(head + s.vocabulary + 2 * numbers));
    for (std::uint32_t i = 0; i < s.vocabulary; ++i)
        model.bytes.push_back(reader.take<std::uint8_t>());
    bool good = reader.take(model.embedding, s.vocabulary, s.width);
    const auto shapes = partShapes(s);
    const auto matrices = [&](Layer& layer, std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i)
            good = reader.take(layer.parts[i], shapes[i].rows, shapes[i].columns) && good;
    };
    for (std::uint32_t i = 0; i < s.layers; ++i) {
        Layer layer;
        good = reader.take(layer.attentionNorm, s.width) && good;
        matrices(layer, 0, 4);
        good = reader.take(layer.feedForwardNorm, s.width) && good;
        matrices(layer, 4, kParts);
        model.layers.push_back(std::move(layer));
    }
    good = reader.take(model.norm, s.width) && good;
    if (!good)
        return bad("a weight is infinite or no number");
    return model;
}

std::vector<Token> tokensOf(const Model& model, std::string_view text)
{
    std::array<Token, 256> table{};
    for (std::size_t token = 1; token < model.bytes.size(); ++token)
        table[model.bytes[token]] = static_cast<Token>(token);
    std::vector<Token> tokens;
    for (const char c : text)
        tokens.push_back(table[static_cast<std::uint8_t>(c)]);
    return tokens;
}

std::string textOf(const Model& model, std::span<const Token> tokens)
{
    std::string text;
    for (const Token token : tokens)
        text += token == 0 ? '?' : static_cast<char>(model.bytes[token]);
    return text;
}

void addOutliers(Model& model, std::uint32_t every, float factor)
{
    for (Layer& layer : model.layers)
        for (std::size_t j = 0; every > 0 && j < model.shape.width; j += every) {
            layer.attentionNorm[j] *= factor;
            layer.feedForwardNorm[j] *= factor;
            for (const Part part : {Part::Q, Part::K, Part::V, Part::Gate, Part::Up})
                for (std::size_t row = 0; row < layer[part].rows; ++row)
                    layer[part].weights[row * layer[part].columns + j] /= factor;
        }
}

} // namespace ridge::transformer
