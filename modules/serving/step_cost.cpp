// SPDX-License-Identifier: GPL-3.0-or-later
#include "serving/step_cost.h"

#include <algorithm>
#include <cmath>

namespace ridge::serving {
namespace {

using namespace workload;

/// Dense where kernels change with every token, wide where waves of tiles are many.
std::vector<double> gridOfTokens()
{
    std::vector<double> at;
    double t = 1;
    while (t <= 16384) {
        at.push_back(t);
        t += t < 16 ? 1 : t < 64 ? 8 : t < 256 ? 16 : t < 1024 ? 64 : t < 4096 ? 256 : 1024;
    }
    return at;
}

} // namespace

StepCost StepCost::oracle()
{
    return {};
}

StepCost StepCost::constant(double seconds, double perToken)
{
    StepCost cost;
    cost.m_kind = Kind::Constant;
    cost.m_constant = seconds;
    cost.m_perToken = perToken;
    return cost;
}

Result<StepCost> StepCost::kernels(const ModelShape& model, const Device& chip, double kvBytes, double tensor,
                                   double pipeline, const StepOverheads& overheads)
{
    StepCost cost;
    cost.m_kind = Kind::Kernels;
    cost.m_overheads = overheads;
    cost.m_pipeline = pipeline;
    Device& device = cost.m_device;
    device = chip;
    device.matmul.launch *= overheads.launchShare;
    device.family.launch *= overheads.launchShare;
    device.family.decodeLaunch *= overheads.attentionLaunchShare;
    device.family.prefillLaunch *= overheads.attentionLaunchShare;
    device.matmul.memory *= overheads.memoryShare;
    device.matmul.compute *= overheads.computeShare;
    device.family.prefillCompute *= overheads.computeShare;

    Device ofExperts = device; // many small products of uneven sizes in one launch
    ofExperts.matmul.compute *= overheads.expertShare;

    Step step;
    step.phase = Phase::Decode;
    step.dtype = chip.dtype;
    step.kvBytes = kvBytes;
    step.gpus = tensor;
    step.context = 2;
    if (auto good = checkStep(model, step); !good)
        return good.error();
    cost.m_at = gridOfTokens();
    std::vector<Operator> operators;
    const auto reduce = [&](double bytes) {
        if (tensor <= 1 || device.linkBytesPerSecond <= 0)
            return 0.0;
        const double moved = (bytes < overheads.oneShotBytes ? 1 : 2 / tensor) * (tensor - 1) * bytes;
        return overheads.reduceLaunch + overheads.reduceGpu * (tensor - 1) +
               moved / (overheads.reduceShare * device.linkBytesPerSecond);
    };
    for (const double tokens : cost.m_at) {
        step.batch = tokens;
        listOperators(model, step, operators);
        double layers = 0, logits = 0;
        for (const Operator& op : operators) {
            if (op.kind == OperatorKind::Attention)
                continue;
            const double each = op.kind == OperatorKind::Collective
                                    ? reduce(op.m)
                                    : operatorSeconds(op.parts > 1 ? ofExperts : device, op, step);
            if (op.name == "logits")
                logits += op.count * each;
            else if (op.kind == OperatorKind::Matmul || op.kind == OperatorKind::Collective)
                layers += op.count * each;
            else
                layers += op.count * each * overheads.fused;
        }
        cost.m_layers.push_back(layers);
        cost.m_logits.push_back(logits);
    }
    for (const Operator& op : operators) {
        if (op.kind != OperatorKind::Attention)
            continue;
        Core core;
        core.count = op.count;
        core.decode = op.attention;
        core.latentBytes = op.attention.kvBytesRead > 0 ? op.attention.kvBytesRead / (step.batch * step.context) : 0;
        cost.m_cores.push_back(core);
    }
    // Layers with a window are told apart by a context that is longer than it.
    if (model.window > 0 && model.windowLayers > 0) {
        step.context = 2.0 * model.window;
        step.batch = 1;
        listOperators(model, step, operators);
        cost.m_cores.clear();
        for (const Operator& op : operators)
            if (op.kind == OperatorKind::Attention) {
                Core core;
                core.count = op.count;
                core.decode = op.attention;
                core.window = op.attention.context + 1 < step.context ? model.window : 0;
                cost.m_cores.push_back(core);
            }
    }
    for (Core& core : cost.m_cores) {
        core.prefill = core.decode;
        core.prefill.kvBytesRead = 0;
        if (model.latent.kvRank) { // a prompt's keys and values are expanded to all heads
            core.prefill.kvHeads = core.prefill.queryHeads;
            core.prefill.queryDim = model.queryDim();
            core.prefill.valueDim = model.valueDim();
        }
    }
    if (pipeline > 1 && device.linkBytesPerSecond > 0)
        cost.m_stageBytes = model.hidden * activationBytes(step.dtype) / device.linkBytesPerSecond;
    return cost;
}

double StepCost::lookUp(const std::vector<double>& table, double at) const
{
    if (at <= m_at.front())
        return table.front();
    std::size_t i; // the grid's own steps tell the place
    if (at < 16)
        i = static_cast<std::size_t>(at - 1);
    else if (at < 64)
        i = 15 + static_cast<std::size_t>((at - 16) / 8);
    else if (at < 256)
        i = 21 + static_cast<std::size_t>((at - 64) / 16);
    else if (at < 1024)
        i = 33 + static_cast<std::size_t>((at - 256) / 64);
    else if (at < 4096)
        i = 45 + static_cast<std::size_t>((at - 1024) / 256);
    else
        i = 57 + static_cast<std::size_t>((at - 4096) / 1024);
    i = std::min(i, m_at.size() - 2);
    return table[i] + (at - m_at[i]) / (m_at[i + 1] - m_at[i]) * (table[i + 1] - table[i]);
}

double StepCost::attentionSeconds(const StepLoad& load) const
{
    const double p = m_pipeline;
    double sum = 0;
    for (const Core& core : m_cores) {
        if (load.decodes > 0) {
            Attention a = core.decode;
            a.batch = std::max(1.0, load.decodes / p);
            double context = load.decodeContext / load.decodes;
            if (core.window > 0)
                context = std::min(context, core.window);
            a.context = std::max(0.0, context - 1);
            if (core.latentBytes > 0)
                a.kvBytesRead = a.batch * context * core.latentBytes;
            sum += core.count * decodeAttentionTime(m_device, a).seconds;
        }
        if (load.prompts > 0) {
            Attention a = core.prefill;
            const double share = std::min(1.0, std::max(1 / load.promptTokens, 1 / p)); // of a micro-batch
            a.batch = std::max(1.0, load.prompts * share);
            a.fresh = load.promptTokens * share / a.batch;
            const double n = load.promptTokens / load.prompts;
            // as many pairs as the parts have: n before + n (n + 1) / 2 within
            double pairs = load.promptPast + (load.promptSquares + load.promptTokens) / 2;
            if (core.window > 0)
                pairs = std::min(pairs, load.promptTokens * core.window);
            a.context = std::max(0.0, pairs / load.promptTokens - (n + 1) / 2);
            if (a.fresh < n) // a part of a prompt still sees what the other parts have made
                a.context += (n - a.fresh) / 2;
            sum += core.count * prefillAttentionTime(m_device, a).seconds;
        }
    }
    return sum;
}

double StepCost::kernelSeconds(const StepLoad& load) const
{
    const double tokens = std::max(1.0, load.tokens() / m_pipeline);
    const double sequences = load.decodes + load.prompts;
    double seconds = lookUp(m_layers, tokens) + lookUp(m_logits, std::max(1.0, sequences / m_pipeline)) +
                     attentionSeconds(load) + m_overheads.step + m_overheads.sequence * sequences +
                     m_overheads.prefillToken * load.promptTokens;
    if (m_pipeline > 1)
        seconds += m_pipeline * (m_overheads.reduceLaunch + tokens * m_stageBytes);
    return seconds;
}

} // namespace ridge::serving
