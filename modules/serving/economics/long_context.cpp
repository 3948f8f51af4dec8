// SPDX-License-Identifier: GPL-3.0-or-later
#include "serving/economics/long_context.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::serving {
namespace {

const std::array<std::string, 6> kNames{"own", "mha", "gqa", "mqa", "window", "mla"};

} // namespace

std::span<const std::string> kvKindNames()
{
    return kNames;
}

Result<workload::ModelShape> withKv(workload::ModelShape model, KvKind kind, double window)
{
    if (model.kind != workload::ModelKind::Decoder)
        return Error{"bad-model", model.title + " keeps no keys and values", "model", "take a decoder"};
    if (kind == KvKind::Own)
        return model;
    if (kind == KvKind::Window) {
        model.window = static_cast<std::uint32_t>(std::max(1.0, window));
        model.windowLayers = model.layers;
        return model;
    }
    model.window = model.windowLayers = 0;
    if (kind == KvKind::Latent) { // DeepSeek-V2, arXiv 2405.04434
        model.latent = {1536, 512, 128, 64, 128};
        return model;
    }
    if (model.latent.kvRank)
        model.headDim = model.latent.nopeDim;
    model.latent = {};
    model.kvHeads = kind == KvKind::Mha ? model.heads : kind == KvKind::Mqa ? 1 : std::max(1u, model.heads / 8);
    if (model.heads % model.kvHeads != 0)
        return Error{"bad-model", std::to_string(model.heads) + " heads do not make groups of eight", "kv",
                     "take mha, mqa or own"};
    return model;
}

Result<LongContext> longContext(const workload::ModelShape& model, const workload::Device& device,
                                const LongContextSetting& s)
{
    workload::Step step;
    step.phase = workload::Phase::Prefill;
    step.batch = 1;
    step.context = s.context;
    step.gpus = s.gpus;
    step.dtype = device.dtype;
    step.kvBytes = s.kvBytes;
    if (auto good = workload::checkStep(model, step); !good)
        return good.error();
    LongContext out;
    out.kvBytesPerToken = workload::kvBytesPerToken(model, s.kvBytes);
    out.kvBytes = workload::kvBytesOfSequence(model, s.context, s.kvBytes);
    // KV heads that are fewer than the GPUs are held several times.
    const double copies = model.latent.kvRank ? s.gpus : std::max(1.0, s.gpus / std::max(1u, model.kvHeads));
    const double weights = workload::parameters(model) * workload::weightBytes(device.dtype);
    out.users = std::max(0.0, std::floor((s.usableBytes - weights) / (out.kvBytes * copies)));

    std::vector<workload::Operator> operators;
    workload::listOperators(model, step, operators);
    out.ttft = workload::stepSeconds(device, operators, step);
    double flops = 0, attention = 0;
    for (const workload::Operator& op : operators) {
        flops += op.count * op.flops;
        if (op.kind == workload::OperatorKind::Attention)
            attention += op.count * op.flops;
    }
    out.attentionFlopShare = flops > 0 ? attention / flops : 0;

    step.phase = workload::Phase::Decode;
    step.batch = s.batch > 0 ? s.batch : std::max(1.0, out.users);
    if (auto good = workload::checkStep(model, step); !good)
        return good.error();
    workload::listOperators(model, step, operators);
    out.tokenSeconds = workload::stepSeconds(device, operators, step);
    for (const workload::Operator& op : operators)
        if (op.kind == workload::OperatorKind::Attention)
            out.attentionSeconds += op.count * workload::operatorSeconds(device, op, step);
    const workload::Totals totals = workload::totalsOf(operators);
    out.kvShare = totals.bytes() > 0 ? totals.kvBytes / totals.bytes() : 0;
    return out;
}

} // namespace ridge::serving
