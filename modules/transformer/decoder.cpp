// SPDX-License-Identifier: GPL-3.0-or-later
#include "transformer/decoder.h"
#include "memory/dense.h"

#include <algorithm>
#include <cmath>

namespace ridge::transformer {
namespace {

std::vector<float> turned(const Linear& linear)
{
    std::vector<float> out(linear.weights.size());
    for (std::size_t row = 0; row < linear.rows; ++row)
        for (std::size_t column = 0; column < linear.columns; ++column)
            out[column * linear.rows + row] = linear.weights[row * linear.columns + column];
    return out;
}

} // namespace

Decoder::Decoder(const Model& model, DecoderOptions options) : m_model(model), m_options(std::move(options))
{
    const Shape& s = model.shape;
    for (const Layer& layer : model.layers)
        for (const Linear& linear : layer.parts)
            m_turned.push_back(turned(linear));
    m_turned.push_back(turned(model.embedding));
    const std::size_t half = s.headDim / 2;
    for (std::size_t position = 0; position < s.context; ++position)
        for (std::size_t i = 0; i < half; ++i) {
            const double turn = std::pow(double{s.ropeBase}, -static_cast<double>(2 * i) / s.headDim);
            m_cos.push_back(static_cast<float>(std::cos(static_cast<double>(position) * turn)));
            m_sin.push_back(static_cast<float>(std::sin(static_cast<double>(position) * turn)));
        }
    const std::size_t size = std::size_t{s.context} * s.kvWidth();
    m_keys.assign(model.layers.size(), std::vector<float>(size, 0.0f));
    m_values = m_keys;
}

void Decoder::rewind(std::size_t position)
{
    m_position = std::min(m_position, position);
}

void Decoder::normalise(const std::vector<float>& gain, std::size_t tokens)
{
    const std::size_t width = m_model.shape.width;
    m_normed.resize(tokens * width);
    for (std::size_t t = 0; t < tokens; ++t) {
        const float* x = m_stream.data() + t * width;
        double squares = 0;
        for (std::size_t j = 0; j < width; ++j)
            squares += double{x[j]} * x[j];
        const auto factor =
            static_cast<float>(1 / std::sqrt(squares / static_cast<double>(width) + double{m_model.shape.epsilon}));
        for (std::size_t j = 0; j < width; ++j)
            m_normed[t * width + j] = x[j] * factor * gain[j];
    }
}

void Decoder::rotate(std::vector<float>& x, std::size_t tokens, std::size_t heads) const
{
    const std::size_t dim = m_model.shape.headDim, half = dim / 2;
    for (std::size_t t = 0; t < tokens; ++t) {
        const float* cos = m_cos.data() + (m_position + t) * half;
        const float* sin = m_sin.data() + (m_position + t) * half;
        for (std::size_t head = 0; head < heads; ++head) {
            float* v = x.data() + (t * heads + head) * dim;
            for (std::size_t i = 0; i < half; ++i) {
                const float a = v[i], b = v[i + half];
                v[i] = a * cos[i] - b * sin[i];
                v[i + half] = a * sin[i] + b * cos[i];
            }
        }
    }
}

Result<void> Decoder::multiply(std::size_t layer, Input input, std::span<const float> x, std::span<const Part> parts,
                               std::span<std::vector<float>* const> out)
{
    if (m_options.seen)
        m_options.seen(layer, input, x);
    const Layer& all = m_model.layers[layer];
    const std::size_t columns = all[parts.front()].columns, tokens = x.size() / columns;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Linear& linear = all[parts[i]];
        std::span<const float> given = x;
        if (m_options.inputs.format) {
            std::vector<double> scaled(x.begin(), x.end());
            for (std::size_t j = 0; j < scaled.size() && !linear.inputScales.empty(); ++j)
                scaled[j] /= double{linear.inputScales[j % columns]};
            const auto quantized = memory::quantize(scaled, columns, m_options.inputs);
            if (!quantized)
                return quantized.error();
            memory::dequantize(*quantized, scaled);
            m_rounded.resize(scaled.size());
            for (std::size_t j = 0; j < scaled.size(); ++j)
                m_rounded[j] = static_cast<float>(
                    linear.inputScales.empty() ? scaled[j] : scaled[j] * double{linear.inputScales[j % columns]});
            given = m_rounded;
        }
        out[i]->assign(tokens * linear.rows, 0.0f);
        const std::vector<float>& weights = m_turned[layer * kParts + static_cast<std::size_t>(parts[i])];
        memory::addProduct({given.data(), tokens, columns, columns},
                           {weights.data(), columns, linear.rows, linear.rows}, memory::Transposed::No, out[i]->data(),
                           linear.rows);
    }
    return {};
}

Result<void> Decoder::store(std::size_t layer, std::size_t tokens)
{
    const std::size_t dim = m_model.shape.headDim, heads = m_model.shape.kvHeads, context = m_model.shape.context;
    for (std::vector<float>* each : {&m_k, &m_v}) {
        if (!m_options.cache.format)
            break;
        std::vector<double> values(each->begin(), each->end());
        const auto quantized = memory::quantize(values, dim, m_options.cache);
        if (!quantized)
            return quantized.error();
        m_cacheBits = quantized->bitsPerElement();
        memory::dequantize(*quantized, values);
        std::transform(values.begin(), values.end(), each->begin(), [](double x) { return static_cast<float>(x); });
    }
    for (std::size_t t = 0; t < tokens; ++t)
        for (std::size_t head = 0; head < heads; ++head)
            for (std::size_t i = 0; i < dim; ++i) {
                const std::size_t from = (t * heads + head) * dim + i, at = m_position + t;
                m_keys[layer][(head * dim + i) * context + at] = m_k[from];
                m_values[layer][(head * context + at) * dim + i] = m_v[from];
            }
    return {};
}

Result<void> Decoder::attention(std::size_t layer, std::size_t tokens)
{
    const Shape& s = m_model.shape;
    const Part parts[] = {Part::Q, Part::K, Part::V}, output[] = {Part::O};
    std::vector<float>* const out[] = {&m_q, &m_k, &m_v};
    if (auto done = multiply(layer, Input::Attention, m_normed, parts, out); !done)
        return done;
    rotate(m_q, tokens, s.heads);
    rotate(m_k, tokens, s.kvHeads);
    if (auto done = store(layer, tokens); !done)
        return done;
    const memory::dense::Loops& loop = memory::dense::loops();
    const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(s.headDim)));
    const std::size_t share = s.heads / s.kvHeads;
    std::vector<float> scores(s.context);
    m_mixed.assign(tokens * s.width, 0.0f);
    for (std::size_t t = 0; t < tokens; ++t)
        for (std::size_t head = 0; head < s.heads; ++head) {
            const std::size_t seen = m_position + t + 1;
            const float* q = m_q.data() + (t * s.heads + head) * s.headDim;
            const float* keys = m_keys[layer].data() + head / share * s.headDim * s.context;
            const float* values = m_values[layer].data() + head / share * s.context * s.headDim;
            std::fill_n(scores.begin(), seen, 0.0f);
            for (std::size_t i = 0; i < s.headDim; ++i)
                loop.axpy(scores.data(), keys + i * s.context, q[i], seen);
            const float most = *std::max_element(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(seen));
            double sum = 0;
            for (std::size_t j = 0; j < seen; ++j)
                sum += double{scores[j] = std::exp((scores[j] - most) * scale)};
            const auto over = static_cast<float>(1 / sum);
            float* to = m_mixed.data() + t * s.width + head * s.headDim;
            for (std::size_t j = 0; j < seen; ++j)
                loop.axpy(to, values + j * s.headDim, scores[j] * over, s.headDim);
        }
    std::vector<float>* const back[] = {&m_back};
    return multiply(layer, Input::Output, m_mixed, output, back);
}

Result<void> Decoder::feedForward(std::size_t layer, std::size_t)
{
    const Part parts[] = {Part::Gate, Part::Up}, down[] = {Part::Down};
    std::vector<float>* const out[] = {&m_gate, &m_up};
    if (auto done = multiply(layer, Input::FeedForward, m_normed, parts, out); !done)
        return done;
    for (std::size_t i = 0; i < m_gate.size(); ++i)
        m_gate[i] = m_gate[i] / (1 + std::exp(-m_gate[i])) * m_up[i];
    std::vector<float>* const back[] = {&m_back};
    return multiply(layer, Input::Down, m_gate, down, back);
}

Result<std::span<const float>> Decoder::run(std::span<const Token> tokens)
{
    const Shape& s = m_model.shape;
    if (tokens.size() > s.context - m_position)
        return Error{"too-long",
                     std::to_string(m_position + tokens.size()) + " tokens do not fit into a context of " +
                         std::to_string(s.context),
                     "decoder", "give fewer"};
    m_stream.resize(tokens.size() * s.width);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
        if (tokens[t] >= s.vocabulary)
            return Error{"bad-token", "there is no token " + std::to_string(tokens[t]), "decoder",
                         "take one below " + std::to_string(s.vocabulary)};
        std::copy_n(m_model.embedding.weights.begin() + static_cast<std::ptrdiff_t>(tokens[t]) * s.width, s.width,
                    m_stream.begin() + static_cast<std::ptrdiff_t>(t * s.width));
    }
    for (std::size_t layer = 0; layer < m_model.layers.size(); ++layer) {
        normalise(m_model.layers[layer].attentionNorm, tokens.size());
        if (auto done = attention(layer, tokens.size()); !done)
            return done.error();
        for (std::size_t i = 0; i < m_stream.size(); ++i)
            m_stream[i] += m_back[i];
        normalise(m_model.layers[layer].feedForwardNorm, tokens.size());
        if (auto done = feedForward(layer, tokens.size()); !done)
            return done.error();
        for (std::size_t i = 0; i < m_stream.size(); ++i)
            m_stream[i] += m_back[i];
    }
    normalise(m_model.norm, tokens.size());
    m_logits.assign(tokens.size() * s.vocabulary, 0.0f);
    memory::addProduct({m_normed.data(), tokens.size(), s.width, s.width},
                       {m_turned.back().data(), s.width, s.vocabulary, s.vocabulary}, memory::Transposed::No,
                       m_logits.data(), s.vocabulary);
    m_position += tokens.size();
    return std::span<const float>(m_logits);
}

double Loss::perplexity() const
{
    return std::exp(nats);
}

std::vector<double> probabilities(std::span<const float> logits, double temperature)
{
    const double most = *std::max_element(logits.begin(), logits.end());
    std::vector<double> out;
    double sum = 0;
    for (const float logit : logits)
        sum += out.emplace_back(std::exp((double{logit} - most) / temperature));
    for (double& p : out)
        p /= sum;
    return out;
}

Token likeliest(std::span<const float> logits)
{
    return static_cast<Token>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

Token sample(std::span<const double> probabilities, Rng& rng)
{
    double left = rng.uniform();
    for (std::size_t token = 0; token < probabilities.size(); ++token) {
        left -= probabilities[token];
        if (left < 0)
            return static_cast<Token>(token);
    }
    // What rounding left over goes to the last one that can be.
    std::size_t token = probabilities.size() - 1;
    while (token > 0 && probabilities[token] <= 0)
        --token;
    return static_cast<Token>(token);
}

Result<Loss> lossOf(Decoder& decoder, std::span<const Token> text, std::size_t most, Decoder* reference,
                    const std::function<bool()>& stop)
{
    const auto windowOf = [](Decoder& which, std::span<const Token> tokens) {
        which.rewind(0);
        return which.run(tokens);
    };
    Loss loss;
    std::size_t same = 0;
    const std::size_t context = decoder.context();
    const std::size_t windows = std::min(most, text.empty() ? 0 : (text.size() - 1) / context);
    if (windows == 0)
        return Error{"too-short", "the text has no window of " + std::to_string(context) + " tokens and one more",
                     "text", "give a longer one"};
    for (std::size_t window = 0; window < windows; ++window) {
        if (stop && stop())
            return Error{"cancelled", "the run was cancelled", "reading", ""};
        const auto tokens = text.subspan(window * context, context);
        const auto logits = windowOf(decoder, tokens);
        if (!logits)
            return logits.error();
        const auto others = reference ? windowOf(*reference, tokens) : logits;
        if (!others)
            return others.error();
        const std::size_t vocabulary = logits->size() / context;
        for (std::size_t t = 0; t < context; ++t) {
            const auto own = logits->subspan(t * vocabulary, vocabulary);
            const auto other = others->subspan(t * vocabulary, vocabulary);
            const auto p = probabilities(own, 1);
            loss.nats -= std::log(std::max(p[text[window * context + t + 1]], 1e-300));
            ++loss.tokens;
            if (!reference)
                continue;
            const auto q = probabilities(other, 1);
            loss.referenceNats -= std::log(std::max(q[text[window * context + t + 1]], 1e-300));
            for (std::size_t i = 0; i < vocabulary; ++i)
                if (q[i] > 0)
                    loss.divergence += q[i] * std::log(q[i] / std::max(p[i], 1e-300));
            same += likeliest(own) == likeliest(other);
        }
    }
    const auto all = static_cast<double>(loss.tokens);
    loss.nats /= all;
    loss.referenceNats /= all;
    loss.divergence /= all;
    if (reference)
        loss.sameChoice = static_cast<double>(same) / all;
    return loss;
}

} // namespace ridge::transformer
