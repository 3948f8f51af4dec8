// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/operator_parts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::workload {
namespace {

enum Group : std::uint8_t {
    kAlone,
    kResidualNorm,
    kProjection,
    kRotate,
    kAttention,
    kGateUp,
    kActivate,
    kCrossProjection,
    kSound,
    kConvolution
};

constexpr std::string_view kEncoder = "encoder, ";
/// Names of what an encoder before a decoder has: views of literals, as all names are.
constexpr std::string_view kEncoderNames[] = {"encoder, embedding",
                                              "encoder, sound to tokens",
                                              "encoder, positions",
                                              "encoder, norm",
                                              "encoder, residual sum",
                                              "encoder, residual sum and norm",
                                              "encoder, queries, keys, values",
                                              "encoder, queries",
                                              "encoder, keys",
                                              "encoder, values",
                                              "encoder, attention",
                                              "encoder, scores",
                                              "encoder, softmax",
                                              "encoder, weighted values",
                                              "encoder, attention output",
                                              "encoder, gate and up",
                                              "encoder, gate",
                                              "encoder, up",
                                              "encoder, activation and product",
                                              "encoder, activation",
                                              "encoder, product",
                                              "encoder, down",
                                              "encoder, all-reduce"};

/// Writes the list of one phase. Every size is that of one GPU.
class Lister {
public:
    Lister(const ModelShape& model, const Step& step, std::vector<Operator>& out)
        : m(model), s(step), m_out(out), m_weight(workload::weightBytes(step.dtype)),
          m_value(activationBytes(step.dtype))
    {
        m_tokens = s.phase == Phase::Decode ? s.batch : s.batch * s.context;
        // KV heads that are fewer than the GPUs are held several times.
        m_heads = std::ceil(m.heads / s.gpus);
        m_kvHeads = std::ceil(m.kvHeads / s.gpus);
    }

    void list()
    {
        m_out.clear();
        forward();
        if (s.phase == Phase::Training)
            appendBackward(m_out, parameters(m) / s.gpus, s.recompute, kAttention);
    }

private:
    void forward()
    {
        if (m.kind == ModelKind::Convolutional) {
            convolutions();
        } else {
            if (m.kind == ModelKind::EncoderDecoder && s.phase != Phase::Decode)
                encoder();
            embedding();
            layers();
            if (m.finalNorm)
                norm(1, false);
            if (m.pooler)
                matmul("pooler", s.batch, m.hidden, m.hidden, 1);
            if (m.logits) {
                const double rows = s.phase == Phase::Training ? m_tokens : s.batch;
                if (narrow())
                    matmul("to the embedding's width", rows, m.embeddingWidth, m.hidden, 1);
                matmul("logits", rows, m.vocabulary / s.gpus, narrow() ? m.embeddingWidth : m.hidden, 1);
            }
        }
    }

    /// The encoder before a decoder: the same parts under names of their own.
    void encoder()
    {
        const ModelShape part = encoderOf(m);
        Step step = s;
        step.context = sourceTokens(m, s);
        const std::size_t begin = m_out.size();
        Lister(part, step, m_out).forward();
        for (std::size_t i = begin; i < m_out.size(); ++i) {
            const auto* named = std::ranges::find(kEncoderNames, m_out[i].name, withoutPart);
            if (named != std::end(kEncoderNames))
                m_out[i].name = *named;
        }
    }

    Operator& add(std::string_view name, OperatorKind kind, double count, std::uint8_t group = kAlone)
    {
        Operator& op = m_out.emplace_back();
        op.name = name;
        op.kind = kind;
        op.count = count;
        op.group = group;
        return op;
    }
    Operator& matmul(std::string_view name, double rows, double columns, double depth, double count,
                     std::uint8_t group = kAlone, double parts = 1)
    {
        Operator& op = add(name, OperatorKind::Matmul, count, group);
        op.m = rows;
        op.n = columns;
        op.k = depth;
        op.parts = parts;
        op.flops = 2 * rows * columns * depth * parts;
        op.weightBytes = columns * depth * m_weight * parts;
        op.activationBytes = rows * (columns + depth) * m_value * parts;
        return op;
    }
    void stream(std::string_view name, OperatorKind kind, double flops, double values, double count,
                std::uint8_t group = kAlone)
    {
        Operator& op = add(name, kind, count, group);
        op.flops = flops;
        op.activationBytes = values * m_value;
    }

    /// Products without weights: `parts` of [rows x depth] x [depth x columns].
    void product(std::string_view name, double rows, double columns, double depth, double parts, double count)
    {
        Operator& op = matmul(name, rows, columns, depth, count, kAlone, parts);
        op.weightBytes = 0;
        op.activationBytes = parts * (rows * columns + rows * depth + depth * columns) * m_value;
    }

    bool narrow() const { return m.embeddingMatrix(); }

    void embedding()
    {
        if (m.encoder.bands != 0 && m.kind == ModelKind::Encoder)
            return sound();
        Operator& op = add("embedding", OperatorKind::Embedding, 1);
        const double width = narrow() ? m.embeddingWidth : m.hidden;
        op.weightBytes = m_tokens * width * m_weight * (m.positions ? 2 : 1);
        op.activationBytes = m_tokens * width * m_value;
        const bool before = m.kind == ModelKind::Encoder; // the norm is as wide as the embedding
        if (m.embeddingNorm && before)
            norm(1, false, width);
        if (narrow())
            matmul("from the embedding's width", m_tokens, m.hidden, width, 1);
        if (m.embeddingNorm && !before)
            norm(1, false, m.hidden);
    }
    /// Two convolutions over three frames; the second takes every other one, so that there are two frames to a token.
    void sound()
    {
        const double h = m.hidden, bands = m.encoder.bands;
        for (const auto& [frames, in, read] :
             {std::array{2 * m_tokens, bands, 2 * m_tokens}, {m_tokens, h, 2 * m_tokens}}) {
            Operator& op = matmul("sound to tokens", frames, h, 3 * in, 1, kSound);
            op.activationBytes = (read * in + frames * h) * m_value; // inputs are read once, not per tap
            stream("activation", OperatorKind::Elementwise, 8 * frames * h, 2 * frames * h, 1, kSound);
        }
        stream("positions", OperatorKind::Elementwise, m_tokens * h, 2 * m_tokens * h, 1);
        m_out.back().weightBytes = m.positions * h * m_weight;
    }
    /// `residual`: the sum before it is part of the same kernel where kernels are fused.
    void norm(double count, bool residual) { norm(count, residual, m.hidden); }
    void norm(double count, bool residual, double width)
    {
        const double values = m_tokens * width;
        if (residual && !s.fused)
            stream("residual sum", OperatorKind::Elementwise, values, 3 * values, count, kResidualNorm);
        const bool both = residual && s.fused;
        stream(both ? "residual sum and norm" : "norm", OperatorKind::Norm,
               values * ((m.layerNorm ? 7 : 4) + (both ? 1 : 0)), values * (both ? 4 : 2), count, kResidualNorm);
        m_out.back().weightBytes = width * (!m.normScale ? 0 : m.layerNorm && m.normShift ? 2 : 1) * m_value;
    }

    void layers()
    {
        const double count = m.layers;
        norm(count, true);
        if (m.kind == ModelKind::StateSpace)
            return m.ssm.heads ? headedStateSpace(count) : stateSpace(count);
        m.latent.kvRank ? latentAttention(count) : plainAttention(count);
        if (s.gpus > 1)
            allReduce(count);
        const bool cross = m.kind == ModelKind::EncoderDecoder;
        if (cross) {
            norm(count, true);
            crossAttention(count);
            if (s.gpus > 1)
                allReduce(count);
        }
        if (m.layerNorms > 1)
            norm(count * (m.layerNorms - (cross ? 2 : 1)), true);
        const double sparse = m.moeLayers(), dense = count - sparse;
        if (dense > 0)
            feedForward("", m.ffn, m_tokens, 1, dense);
        if (sparse > 0)
            experts(sparse);
        if (s.gpus > 1)
            allReduce(count);
    }

    void allReduce(double count)
    {
        Operator& op = add("all-reduce", OperatorKind::Collective, count);
        op.activationBytes = 0;
        op.m = m_tokens * m.hidden * m_value; // bytes of the message
    }

    void plainAttention(double count)
    {
        const double h = m.hidden, d = m.headDim, q = m_heads * d, kv = m_kvHeads * d;
        if (s.fused) {
            matmul("queries, keys, values", m_tokens, q + 2 * kv, h, count, kProjection);
        } else {
            matmul("queries", m_tokens, q, h, count, kProjection);
            matmul("keys", m_tokens, kv, h, count, kProjection);
            matmul("values", m_tokens, kv, h, count, kProjection);
        }
        if (m.headNorms) {
            stream("norm of queries and keys", OperatorKind::Norm, 4 * m_tokens * (q + kv), 2 * m_tokens * (q + kv),
                   count);
            m_out.back().weightBytes = m.headNormParameters * m_value;
        }
        const bool rotates = m.positions == 0 && m.rotary;
        if (rotates)
            stream(s.fused ? "rotation and cache write" : "rotation", OperatorKind::Elementwise,
                   6 * m_tokens * (m_heads + m_kvHeads) * d, 2 * m_tokens * (m_heads + m_kvHeads) * d, count, kRotate);
        if (s.phase != Phase::Training && m.kind != ModelKind::Encoder) {
            if (!s.fused || !rotates)
                add("cache write", OperatorKind::Elementwise, count, kRotate);
            m_out.back().kvBytes = 2 * m_tokens * kv * s.kvBytes;
        }
        // Layers with a window look back no further than it.
        const double windowed =
            m.window && m.window < s.context + s.cached ? std::min<double>(m.windowLayers, count) : 0;
        if (count > windowed)
            attentionCore(m_kvHeads, d, d, count - windowed, 0);
        if (windowed > 0)
            attentionCore(m_kvHeads, d, d, windowed, m.window);
        matmul("attention output", m_tokens, h, q, count);
    }

    /// `window` 0: none.
    void attentionCore(double kvHeads, double queryDim, double valueDim, double count, double window)
    {
        Attention a;
        a.queryHeads = m_heads;
        a.kvHeads = kvHeads;
        a.queryDim = queryDim;
        a.valueDim = valueDim;
        a.batch = s.batch;
        a.kvBytes = s.phase == Phase::Training ? m_value : s.kvBytes;
        a.causal = m.kind != ModelKind::Encoder;
        if (s.phase == Phase::Decode) {
            a.fresh = 1;
            a.context = (window > 0 ? std::min(window, s.context) : s.context) - 1;
        } else {
            a.fresh = s.context;
            a.context = window > 0 ? std::min(s.cached, window - 1) : s.cached;
            a.window = window;
        }
        core(a, count);
    }

    void core(const Attention& a, double count)
    {
        appendAttention(m_out, a, s.fused, m_tokens, m_value, count, kAttention);
    }

    /// Queries of the decoder over what the encoder made, whose keys and values are made once and kept.
    void crossAttention(double count)
    {
        const double h = m.hidden, d = m.headDim, q = m_heads * d, kv = m_kvHeads * d;
        const double each = sourceTokens(m, s), source = s.batch * each;
        matmul("cross queries", m_tokens, q, h, count);
        if (s.phase != Phase::Decode) {
            if (s.fused) {
                matmul("cross keys and values", source, 2 * kv, h, count, kCrossProjection);
            } else {
                matmul("cross keys", source, kv, h, count, kCrossProjection);
                matmul("cross values", source, kv, h, count, kCrossProjection);
            }
        }
        if (s.phase == Phase::Prefill) {
            add("cross cache write", OperatorKind::Elementwise, count);
            m_out.back().kvBytes = 2 * source * kv * s.kvBytes;
        }
        Attention a;
        a.queryHeads = m_heads;
        a.kvHeads = m_kvHeads;
        a.queryDim = a.valueDim = d;
        a.batch = s.batch;
        a.fresh = s.phase == Phase::Decode ? 1 : s.context;
        a.others = each;
        a.causal = false;
        a.kvBytes = s.phase == Phase::Training ? m_value : s.kvBytes;
        core(a, count);
        matmul("cross output", m_tokens, h, q, count);
    }

    /// Channels, a convolution over the last tokens of each, its step sizes, and a state that goes from token to token.
    void stateSpace(double count)
    {
        const StateSpace& ssm = m.ssm;
        const double h = m.hidden, inner = ssm.inner, state = ssm.state, rank = ssm.rank;
        matmul("channels and gate", m_tokens, 2 * inner, h, count);
        convolution(count);
        matmul("step rank, B and C", m_tokens, rank + 2 * state, inner, count);
        if (ssm.norms)
            stream("norm of step rank, B and C", OperatorKind::Norm, 4 * m_tokens * (rank + 2 * state),
                   2 * m_tokens * (rank + 2 * state), count);
        matmul("step sizes", m_tokens, inner, rank, count);
        scan(inner * (state + 1), m_tokens * (3 * inner + 2 * state), count);
        gate(count);
        matmul("channels to width", m_tokens, h, inner, count);
    }
    /// Mamba-2. A prompt goes in chunks, whose products are those of attention without a softmax; a token goes alone.
    void headedStateSpace(double count)
    {
        const StateSpace& ssm = m.ssm;
        const double h = m.hidden, inner = ssm.inner, state = ssm.state, heads = ssm.heads, groups = ssm.groups;
        matmul("gate, channels, B, C, steps", m_tokens, inner + ssm.convolved() + heads, h, count);
        convolution(count);
        if (s.phase == Phase::Decode) {
            scan(3 * heads, m_tokens * (2 * inner + 2 * groups * state + heads), count);
        } else {
            const double chunk = std::min<double>(ssm.chunk, s.context), width = inner / heads;
            const double chunks = s.batch * std::ceil(s.context / chunk);
            product("scores in chunks", chunk, chunk, state, chunks * groups, count);
            product("outputs in chunks", chunk, width, chunk, chunks * heads, count);
            product("states of chunks", width, state, chunk, chunks * heads, count);
            stream("states from chunk to chunk", OperatorKind::Elementwise, 2 * chunks * inner * state,
                   2 * chunks * inner * state, count);
            if (s.phase == Phase::Prefill)
                m_out.back().kvBytes = s.batch * inner * state * s.kvBytes;
            product("outputs of states", chunk, width, state, chunks * heads, count);
        }
        gate(count);
        matmul("channels to width", m_tokens, h, inner, count);
    }
    void convolution(double count)
    {
        const double channels = m.ssm.convolved(), taps = m.ssm.kernel, values = m_tokens * channels;
        const double activation = 5 * values;
        stream(s.fused ? "convolution and activation" : "convolution", OperatorKind::Elementwise,
               2 * taps * values + (s.fused ? activation : 0), 2 * values, count, kConvolution);
        m_out.back().weightBytes = channels * (taps + (m.ssm.biasConvolution ? 1 : 0)) * m_weight;
        m_out.back().kvBytes = stateTraffic(channels * taps);
        if (!s.fused)
            stream("activation", OperatorKind::Elementwise, activation, 2 * values, count, kConvolution);
    }
    /// The recurrence itself, of each token, channel and number of its state: the decay's exponent and its power, the
    /// input times B, their sum, and the sum over C: 7 FLOP.
    void scan(double weights, double values, double count)
    {
        const double inner = m.ssm.inner, state = m.ssm.state;
        stream(s.phase == Phase::Decode ? "state update" : "scan", OperatorKind::Elementwise,
               7 * m_tokens * inner * state, values, count);
        m_out.back().weightBytes = weights * m_weight;
        m_out.back().kvBytes = stateTraffic(inner * state);
    }
    /// Of each sequence: decode reads and writes it, a prompt writes it.
    double stateTraffic(double values) const
    {
        return s.phase == Phase::Training ? 0 : (s.phase == Phase::Decode ? 2 : 1) * s.batch * values * s.kvBytes;
    }
    /// Mamba's scan ends with it where kernels are fused, and Mamba-2 has a norm with it.
    void gate(double count)
    {
        const double inner = m.ssm.inner, values = m_tokens * inner;
        if (m.ssm.heads) {
            stream("gate and norm", OperatorKind::Norm, 10 * values, 3 * values, count);
            m_out.back().weightBytes = inner * m_value;
        } else if (s.fused) {
            m_out.back().flops += 6 * values;
            m_out.back().activationBytes += values * m_value;
        } else {
            stream("gate", OperatorKind::Elementwise, 6 * values, 3 * values, count);
        }
    }

    void latentAttention(double count)
    {
        const LatentAttention& l = m.latent;
        const double h = m.hidden, rank = l.kvRank, rotated = l.ropeDim;
        const double queries = m_heads * (l.nopeDim + l.ropeDim);
        if (l.queryRank) {
            matmul("queries, down", m_tokens, l.queryRank, h, count, kProjection);
            matmul("queries, up", m_tokens, queries, l.queryRank, count);
        } else {
            matmul("queries", m_tokens, queries, h, count, kProjection);
        }
        matmul("keys and values, down", m_tokens, rank + rotated, h, count, kProjection);
        stream("rotation and cache write", OperatorKind::Elementwise, 6 * m_tokens * (m_heads + 1) * rotated,
               2 * m_tokens * (m_heads + 1) * rotated, count, kRotate);
        if (s.phase != Phase::Training)
            m_out.back().kvBytes = m_tokens * (rank + rotated) * s.kvBytes;
        if (s.phase == Phase::Decode) {
            // The matrices that make keys and values of the latent part go to queries and sums instead.
            matmul("keys' matrix on queries", m_tokens, rank, l.nopeDim, count, kAlone, m_heads);
            Attention a;
            a.queryHeads = m_heads;
            a.kvHeads = 1;
            a.queryDim = rank + rotated;
            a.valueDim = rank;
            a.batch = s.batch;
            a.context = s.context - 1;
            a.kvBytes = s.kvBytes;
            a.kvBytesRead = s.batch * s.context * (rank + rotated) * s.kvBytes; // once for all heads and both uses
            core(a, count);
            matmul("values' matrix on sums", m_tokens, l.valueDim, rank, count, kAlone, m_heads);
        } else {
            matmul("keys and values, up", m_tokens, m_heads * (double(l.nopeDim) + l.valueDim), rank, count);
            attentionCore(m_heads, l.nopeDim + rotated, l.valueDim, count, 0);
        }
        matmul("attention output", m_tokens, h, m_heads * l.valueDim, count);
    }

    /// `parts` matrices of `width`, each on `rows` tokens.
    void feedForward(std::string_view which, double width, double rows, double parts, double count)
    {
        const bool of = !which.empty();
        const double f = width / s.gpus, h = m.hidden, all = rows * parts;
        if (!m.gated) {
            matmul(of ? which : "up", rows, f, h, count, kAlone, parts);
            stream("activation", OperatorKind::Elementwise, 8 * all * f, 2 * all * f, count, kActivate);
        } else if (s.fused) {
            matmul(of ? which : "gate and up", rows, 2 * f, h, count, kGateUp, parts);
            stream("activation and product", OperatorKind::Elementwise, 4 * all * f, 3 * all * f, count, kActivate);
        } else {
            matmul(of ? which : "gate", rows, f, h, count, kGateUp, parts);
            matmul(of ? which : "up", rows, f, h, count, kGateUp, parts);
            stream("activation", OperatorKind::Elementwise, 3 * all * f, 2 * all * f, count, kActivate);
            stream("product", OperatorKind::Elementwise, all * f, 3 * all * f, count, kActivate);
        }
        matmul(of ? "experts, down" : "down", rows, h, f, count, kAlone, parts);
    }

    void experts(double count)
    {
        const Experts& e = m.moe;
        const double distinct = expectedExperts(e.experts, e.active, m_tokens);
        matmul("router", m_tokens, e.experts, m.hidden, count);
        stream("send to experts", OperatorKind::Elementwise, 0, 2 * m_tokens * e.active * m.hidden, count);
        feedForward("experts", e.ffn, m_tokens * e.active / distinct, distinct, count);
        stream("gather from experts", OperatorKind::Elementwise, 2 * m_tokens * e.active * m.hidden,
               2 * m_tokens * e.active * m.hidden, count);
        if (e.sharedFfn)
            feedForward("", e.sharedFfn, m_tokens, 1, count);
        if (e.sharedGate)
            matmul("weight of the shared part", m_tokens, 1, m.hidden, count);
    }

    void convolutions()
    {
        forEachConvolution(m, [&](const Convolution& c) {
            const double pixels = s.batch * c.side * c.side;
            Operator& op = matmul(c.name, pixels, c.out, c.in * c.kernel * c.kernel, 1);
            op.activationBytes = pixels * (c.in + c.out) * m_value; // inputs are read once, not per tap
            stream("norm and activation", OperatorKind::Norm, 5 * pixels * c.out, 2 * pixels * c.out, 1, kResidualNorm);
        });
        matmul("classes", s.batch, m.classes, m.stages.back().width, 1);
    }

    const ModelShape& m;
    const Step& s;
    std::vector<Operator>& m_out;
    double m_weight, m_value;
    double m_tokens = 0, m_heads = 0, m_kvHeads = 0;
};

} // namespace

std::string_view toText(OperatorKind kind)
{
    switch (kind) {
    case OperatorKind::Matmul:
        return "matmul";
    case OperatorKind::Attention:
        return "attention";
    case OperatorKind::Elementwise:
        return "elementwise";
    case OperatorKind::Norm:
        return "norm";
    case OperatorKind::Embedding:
        return "embedding";
    case OperatorKind::Softmax:
        return "softmax";
    case OperatorKind::Collective:
        return "collective";
    }
    return "elementwise";
}

void appendAttention(std::vector<Operator>& out, const Attention& a, bool fused, double tokens, double value,
                     double count, std::uint8_t group)
{
    const double flops = attentionFlops(a);
    const double queries = tokens * a.queryHeads * (a.queryDim + a.valueDim) * value; // read and written
    const double kv = attentionKvBytes(a);
    const auto add = [&](std::string_view name, OperatorKind kind) -> Operator& {
        Operator& op = out.emplace_back();
        op.name = name;
        op.kind = kind;
        op.count = count;
        op.group = group;
        return op;
    };
    if (fused) {
        Operator& op = add(a.others > 0 ? "cross attention" : "attention", OperatorKind::Attention);
        op.attention = a;
        op.flops = flops;
        op.activationBytes = queries;
        op.kvBytes = kv;
        return;
    }
    // Scores of the whole square go to memory and back twice; the mask hides half of them from the sums alone.
    const double scores = tokens * a.queryHeads * a.keys();
    const bool cross = a.others > 0;
    const double share = a.queryDim / (a.queryDim + a.valueDim);
    const double rows = a.queryHeads / a.kvHeads * a.fresh, parts = a.kvHeads * a.batch;
    const auto product = [&](std::string_view name, double columns, double depth, double part) {
        Operator& op = add(name, OperatorKind::Matmul);
        op.flops = flops * part;
        op.m = rows;
        op.n = columns;
        op.k = depth;
        op.parts = parts;
        op.activationBytes = queries * part + scores * value;
        op.kvBytes = kv * part;
    };
    product(cross ? "cross scores" : "scores", a.keys(), a.queryDim, share);
    Operator& softmax = add(cross ? "cross softmax" : "softmax", OperatorKind::Softmax);
    softmax.flops = 5 * scores;
    softmax.activationBytes = 2 * scores * value;
    product(cross ? "cross weighted values" : "weighted values", a.valueDim, a.keys(), 1 - share);
}

void appendBackward(std::vector<Operator>& out, double parameters, Recompute recompute, std::uint8_t attentionGroup)
{
    const std::size_t forward = out.size();
    for (std::size_t i = 0; i < forward; ++i) {
        Operator back = out[i];
        back.name = back.kind == OperatorKind::Matmul      ? "backward, products"
                    : back.kind == OperatorKind::Attention ? "backward, attention"
                                                           : "backward";
        const double again = recompute == Recompute::Full && i > 0 && i + 1 < forward            ? 1
                             : recompute == Recompute::Selective && back.group == attentionGroup ? 1
                                                                                                 : 0;
        back.count *= 2 + again; // as two or three more of the same size
        out.push_back(back);
    }
    Operator& op = out.emplace_back();
    op.name = "optimizer";
    op.flops = 12 * parameters;
    // Adam reads a gradient and three numbers in fp32 and writes those three and the weight.
    op.weightBytes = (2 + 12 + 12 + 2) * parameters;
}

double expectedExperts(double experts, double active, double tokens)
{
    return std::max(active, experts * (1 - std::pow(1 - active / experts, tokens)));
}

bool hasDecode(const ModelShape& model)
{
    return model.kind != ModelKind::Encoder && model.kind != ModelKind::Convolutional;
}

double sourceTokens(const ModelShape& model, const Step& step)
{
    return step.source > 0 ? step.source : model.encoder.bands ? model.encoder.context : step.context;
}

std::string_view withoutPart(std::string_view name)
{
    return name.starts_with(kEncoder) ? name.substr(kEncoder.size()) : name;
}

void listOperators(const ModelShape& model, const Step& step, std::vector<Operator>& out)
{
    Lister(model, step, out).list();
}

Result<void> checkStep(const ModelShape& model, const Step& step)
{
    if (step.phase == Phase::Decode && !hasDecode(model))
        return Error{"bad-step", model.title + " has no decode phase: it keeps no keys and values", "phase",
                     "take prefill for one pass over its input, or training"};
    if (step.gpus > 1 && model.kind == ModelKind::Convolutional)
        return Error{"bad-step", model.title + " has no heads that GPUs could share", "gpus", "take one GPU"};
    if (step.gpus > 1 && model.kind == ModelKind::StateSpace)
        return Error{"bad-step", model.title + " is not shared by GPUs here: it has a state, and no heads of attention",
                     "gpus", "take one GPU"};
    if (step.gpus > 1 && model.kind == ModelKind::EncoderDecoder && std::fmod(model.encoder.heads, step.gpus) != 0)
        return Error{"bad-step",
                     std::to_string(model.encoder.heads) + " heads of the encoder cannot be shared evenly by " +
                         std::to_string(static_cast<int>(step.gpus)) + " GPUs",
                     "gpus", "take a number that divides the heads"};
    if (step.gpus > 1 && std::fmod(model.heads, step.gpus) != 0)
        return Error{"bad-step",
                     std::to_string(model.heads) + " heads cannot be shared evenly by " +
                         std::to_string(static_cast<int>(step.gpus)) + " GPUs",
                     "gpus", "take a number that divides the heads"};
    if (step.batch < 1 || step.context < 1)
        return Error{"bad-step", "a step needs a sequence and a token", "batch", "take 1 or more of each"};
    if (model.positions != 0 && step.context + step.cached > model.context)
        return Error{"bad-step", model.title + " has positions for " + std::to_string(model.context) + " tokens",
                     "context", "take at most " + std::to_string(model.context)};
    if (model.kind != ModelKind::EncoderDecoder)
        return step.source > 0 ? Error{"bad-step", model.title + " has no encoder before its decoder", "source",
                                       "leave the encoder's input away"}
                               : Result<void>();
    const EncoderPart& encoder = model.encoder;
    const double source = sourceTokens(model, step);
    if (step.cached > 0)
        return Error{"bad-step", model.title + " has no prompt in parts here", "cached", "take 0"};
    if (encoder.bands && source != encoder.context)
        return Error{"bad-step",
                     model.title + " hears sound of one length, which makes " + std::to_string(encoder.context) +
                         " tokens",
                     "source", "leave it away"};
    if (encoder.positions != 0 && source > encoder.context)
        return Error{"bad-step",
                     "the encoder of " + model.title + " has positions for " + std::to_string(encoder.context) +
                         " tokens",
                     "source", "take at most " + std::to_string(encoder.context)};
    return {};
}

Totals totalsOf(std::span<const Operator> operators)
{
    Totals t;
    for (const Operator& op : operators) {
        t.flops += op.count * op.flops;
        t.weightBytes += op.count * op.weightBytes;
        t.activationBytes += op.count * op.activationBytes;
        t.kvBytes += op.count * op.kvBytes;
        t.launches += op.count * op.launches;
        if (op.kind == OperatorKind::Collective)
            t.linkBytes += op.count * op.m;
    }
    return t;
}

double boundSeconds(const Device& device, std::span<const Operator> operators)
{
    double sum = 0;
    for (const Operator& op : operators)
        sum += op.count * std::max(op.flops / device.flopsPerSecond, op.bytes() / device.bytesPerSecond);
    return sum;
}

double operatorSeconds(const Device& device, const Operator& op, const Step& step)
{
    // Fused kernels quantize activations where they make them; else a kernel of its own does, before each product.
    const bool quantize = !step.fused && op.weightBytes > 0;
    switch (op.kind) {
    case OperatorKind::Matmul:
        return gemmTime(device, {op.m, op.n, op.k, op.parts, quantize}).seconds;
    case OperatorKind::Attention:
        return step.phase == Phase::Decode ? decodeAttentionTime(device, op.attention).seconds
                                           : prefillAttentionTime(device, op.attention).seconds;
    case OperatorKind::Collective:
        return 0; // the step knows how many GPUs take part
    default:      // a scan over a large state computes enough to take longer than its bytes
        return std::max(streamTime(device, op.bytes()), op.flops / device.flopsPerSecond + device.family.launch);
    }
}

double stepSeconds(const Device& device, std::span<const Operator> operators, const Step& step)
{
    double kernels = 0, launches = 0;
    for (const Operator& op : operators) {
        kernels += op.count * (op.kind == OperatorKind::Collective ? allReduceTime(device, op.m, step.gpus)
                                                                   : operatorSeconds(device, op, step));
        launches += op.count * op.launches;
    }
    return std::max(kernels, launches * (step.fused ? kGraphLaunch : kEagerLaunch));
}

} // namespace ridge::workload
