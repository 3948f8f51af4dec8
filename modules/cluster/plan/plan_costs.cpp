// SPDX-License-Identifier: GPL-3.0-or-later
// What one micro-batch costs one GPU.
#include "cluster/plan/plan_software.h"

#include <algorithm>
#include <cmath>

namespace ridge::cluster {
namespace {

using workload::Gemm;
using workload::Operator;
using workload::OperatorKind;
using workload::Recompute;

struct Passes {
    double forward = 0, backward = 0, weights = 0;
    double again = 0; ///< of the forward pass, once more where scores are computed again
    void add(const Passes& other, double count)
    {
        forward += count * other.forward;
        backward += count * other.backward;
        weights += count * other.weights;
        again += count * other.again;
    }
};

class Timer {
public:
    Timer(const TrainingJob& job, const TrainingPlan& plan)
        : m_job(job), m_plan(plan), m_soft(constantsOf(job)), m_device(job.device)
    {
    }

    Passes matmul(const Operator& op) const
    {
        const auto time = [&](double m, double n, double k) {
            return workload::gemmTime(m_device, {m, n, k, op.parts}).seconds * m_soft.products;
        };
        return {time(op.m, op.n, op.k), time(op.m, op.k, op.n), time(op.n, op.k, op.m), 0};
    }
    Passes stream(double bytes) const
    {
        const double once = workload::streamTime(m_device, bytes) * m_soft.streams;
        return {once, 2 * once, 0, 0};
    }
    /// Operators that work on whole hidden vectors; sequence parallel shares them.
    Passes vectors(double bytes) const { return stream(m_plan.sequenceParallel ? bytes / m_plan.tensor : bytes); }

    Passes attention(const Operator& op) const
    {
        workload::Attention a = op.attention;
        const double ways = m_plan.context;
        if (m_soft.flash) {
            // The tokens of all context-parallel GPUs are seen, in equal parts.
            a.fresh *= ways;
            const double whole = workload::prefillAttentionTime(m_device, a).seconds / ways;
            return {whole, m_soft.attentionBackward * whole, 0, 0};
        }
        // Scores, softmax, dropout and weighted values, each through memory; nothing of the square is left out.
        const double s = a.fresh, all = a.fresh * ways, heads = a.queryHeads * a.batch, cells = heads * s * all;
        const auto product = [&](double m, double n, double k) {
            return workload::gemmTime(m_device, {m, n, k, heads}).seconds * m_soft.products;
        };
        const double products = product(s, all, a.queryDim) + product(s, a.valueDim, all);
        const double masks = m_job.model.layerNorm ? 5 : 0; // dropout reads and writes a score and writes its mask
        const double forward = products + workload::streamTime(m_device, cells * 4) * m_soft.streams +
                               (masks > 0 ? workload::streamTime(m_device, cells * masks) * m_soft.streams : 0);
        const double backward = 2 * products + workload::streamTime(m_device, cells * 6) * m_soft.streams +
                                (masks > 0 ? workload::streamTime(m_device, cells * masks) * m_soft.streams : 0);
        return {forward, backward, 0, forward};
    }

    Passes timeOf(const Operator& op) const
    {
        switch (op.kind) {
        case OperatorKind::Matmul:
            return matmul(op);
        case OperatorKind::Attention:
            return attention(op);
        case OperatorKind::Collective:
            return {};
        case OperatorKind::Norm:
            return vectors(op.bytes());
        default:
            return stream(op.bytes());
        }
    }

private:
    const TrainingJob& m_job;
    const TrainingPlan& m_plan;
    SoftwareConstants m_soft;
    const workload::Device& m_device;
};

double fullSquareFlops(const Operator& op)
{
    workload::Attention a = op.attention;
    a.causal = false;
    return workload::attentionFlops(a);
}

/// Forward FLOP of one sequence on one GPU that has the whole model: products, attention's full square, and of that the
/// part that is needed.
void countFlops(const TrainingJob& job, double& layers, double& attention, double& needed, double& outside)
{
    workload::Step step;
    step.phase = workload::Phase::Training;
    step.batch = 1;
    step.context = job.sequence;
    step.dtype = job.device.dtype;
    std::vector<Operator> operators;
    workload::listOperators(job.model, step, operators);
    const std::size_t forward = (operators.size() - 1) / 2;
    for (std::size_t i = 0; i < forward; ++i) {
        const Operator& op = operators[i];
        if (op.kind == OperatorKind::Attention) {
            attention += op.count * fullSquareFlops(op);
            needed += op.count * workload::attentionFlops(op.attention);
        } else if (op.kind == OperatorKind::Matmul && (op.name == "logits" || op.name == "pooler"))
            outside += op.count * op.flops;
        else if (op.kind == OperatorKind::Matmul)
            layers += op.count * op.flops;
    }
}

/// Exposed time of a layer's links, forward and backward.
void addLinks(const TrainingJob& job, const TrainingPlan& plan, double attentionForward, PlanCosts& out)
{
    const SoftwareConstants soft = constantsOf(job);
    const double tokens = plan.microBatch * job.sequence / plan.context;
    const double message = 2 * tokens * job.model.hidden;
    const Group tensor{plan.tensor, 1};
    const double parts = job.model.layerNorms > 1 ? 2 : 1; // attention and feed-forward part, each ends in a sum
    if (plan.sequenceParallel) {
        const double gather = gatherSeconds(job.system, tensor, message);
        const double exposed = soft.sequenceExposed;
        out.layerForwardLink += 2 * parts * gather * exposed;
        out.layerBackwardLink += 2 * parts * gather * exposed; // and one more gather, under the weights' gradients
    } else {
        const double sum = allReduceSeconds(job.system, tensor, message);
        out.layerForwardLink += parts * sum * soft.tensorExposed;
        out.layerBackwardLink += parts * sum * soft.tensorExposed;
    }
    if (plan.recompute == Recompute::Full)
        out.layerBackwardLink += out.layerForwardLink;
    if (plan.context > 1) { // keys and values go round; attention of the part before hides them
        const double kv = 4 * tokens * job.model.kvHeads * job.model.headDim / plan.tensor;
        const double ring = (plan.context - 1) * sendSeconds(job.system, plan.tensor * plan.context, kv);
        const double hidden = soft.overlaps ? attentionForward : 0;
        out.layerForwardLink += std::max(0.0, ring - hidden);
        out.layerBackwardLink += std::max(0.0, 2 * ring - 2 * hidden);
    }
    if (plan.expert > 1) { // to the experts and back
        const double share = double(job.model.moeLayers()) / job.model.layers;
        const double bytes = message * job.model.moe.active / (plan.sequenceParallel ? plan.tensor : 1);
        const double both = 2 * share * allToAllSeconds(job.system, {plan.expert, plan.tensor * plan.context}, bytes);
        out.layerForwardLink += both;
        out.layerBackwardLink += both * (plan.recompute == Recompute::Full ? 2 : 1);
    }
}

/// Adding a micro-batch's gradients to those before it, where the product that makes them does not.
void addGradientSums(const TrainingJob& job, PlanCosts& out)
{
    const double perWeight = constantsOf(job).addedBytes / (job.device.bytesPerSecond * job.device.family.memory);
    out.layerBackward += perWeight * (out.layerParameters + out.layerExpertParameters);
    out.firstBackward += perWeight * out.embeddingParameters;
    out.lastBackward += perWeight * out.outputParameters;
}

} // namespace

PlanCosts costsOf(const TrainingJob& job, const TrainingPlan& plan)
{
    PlanCosts out;
    const Timer timer(job, plan);
    const workload::ModelShape& model = job.model;
    workload::Step step;
    step.phase = workload::Phase::Training;
    step.batch = plan.microBatch;
    step.context = std::ceil(job.sequence / plan.context);
    step.dtype = job.device.dtype;
    step.gpus = plan.tensor;
    std::vector<Operator> operators;
    workload::listOperators(model, step, operators);
    const std::size_t forward = (operators.size() - 1) / 2;
    Passes layers, last, first;
    double attentionForward = 0;
    for (std::size_t i = 0; i < forward; ++i) {
        Operator op = operators[i];
        if (op.name.starts_with("experts") && plan.expert > 1) { // fewer experts on this GPU, each with more tokens
            op.m *= plan.expert;
            op.parts = std::max(1.0, op.parts / plan.expert);
        }
        const Passes each = timer.timeOf(op);
        const bool ends = op.name == "logits" || op.name == "pooler";
        const bool finalNorm = op.kind == OperatorKind::Norm && op.count == 1 && i > 1 && model.finalNorm &&
                               i + 1 + model.logits + model.pooler == forward;
        (ends || finalNorm ? last : op.kind == OperatorKind::Embedding ? first : layers).add(each, op.count);
        if (op.kind == OperatorKind::Attention)
            attentionForward += op.count * each.forward / model.layers;
    }
    const double tokens = plan.microBatch * step.context, count = model.layers;
    if (model.logits) { // loss over the vocabulary, in fp32
        const double bytes = tokens * model.vocabulary / plan.tensor * constantsOf(job).lossBytes;
        last.add(timer.stream(bytes / 3), 1); // a third of it forward
    }
    out.layerForward = layers.forward / count;
    out.layerBackward = layers.backward / count;
    out.layerWeights = layers.weights / count;
    if (plan.recompute == Recompute::Full)
        out.layerBackward += out.layerForward;
    else if (plan.recompute == Recompute::Selective)
        out.layerBackward += layers.again / count;
    out.firstForward = first.forward;
    out.firstBackward = first.backward;
    out.lastForward = last.forward;
    out.lastBackward = last.backward;
    out.lastWeights = last.weights;
    addLinks(job, plan, attentionForward, out);

    workload::CapacityPlan capacity;
    capacity.batch = plan.microBatch;
    capacity.sequence = step.context;
    capacity.tensor = plan.tensor;
    capacity.sequenceParallel = plan.sequenceParallel;
    capacity.flashAttention = constantsOf(job).flash;
    capacity.recompute = plan.recompute;
    out.activationBytes = workload::layerActivations(model, capacity);
    // The loss's input and the logits in fp32, of one micro-batch (arXiv 2205.05198, section 4.3).
    out.outsideBytes = 4 * tokens * (model.hidden + (model.logits ? model.vocabulary : 0)) / plan.tensor;
    out.boundaryBytes = 2 * tokens * model.hidden / (plan.sequenceParallel || plan.tensor > 1 ? plan.tensor : 1);
    if (constantsOf(job).gathers && !plan.sequenceParallel) // else its parts stay apart
        out.boundaryGather = gatherSeconds(job.system, {plan.tensor, 1}, 2 * tokens * model.hidden);

    double layerFlops = 0, attentionFlops = 0, neededFlops = 0, outsideFlops = 0;
    countFlops(job, layerFlops, attentionFlops, neededFlops, outsideFlops);
    out.leastFlops = 3 * (layerFlops + neededFlops + outsideFlops);
    out.modelFlops = 3 * (layerFlops + attentionFlops + outsideFlops);
    out.hardwareFlops = out.modelFlops + (plan.recompute == Recompute::Full        ? layerFlops + attentionFlops
                                          : plan.recompute == Recompute::Selective ? attentionFlops
                                                                                   : 0);
    const double experts = model.moeLayers() * model.moe.experts * workload::expertParameters(model);
    out.layerExpertParameters = experts / count / plan.tensor / plan.expert;
    out.layerParameters = (workload::layerParameters(model) - experts) / count / plan.tensor;
    out.embeddingParameters = workload::embeddingParameters(model) / plan.tensor;
    out.outputParameters =
        (workload::parameters(model) - workload::layerParameters(model) - workload::embeddingParameters(model) +
         (model.tied && plan.pipeline > 1 ? double(model.vocabulary) * model.hidden : 0)) /
        plan.tensor;
    addGradientSums(job, out);
    return out;
}

} // namespace ridge::cluster
