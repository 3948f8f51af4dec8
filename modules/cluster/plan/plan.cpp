// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/plan/plan_software.h"
#include "cluster/plan/stragglers.h"

#include <algorithm>
#include <cmath>

namespace ridge::cluster {
namespace {

constexpr std::array<std::string_view, 5> kTerms{"weights", "gradients", "optimizer", "activations", "logits"};

bool divides(double part, double whole)
{
    return part >= 1 && std::fmod(whole, part) == 0;
}

std::string text(double number)
{
    return std::to_string(static_cast<long long>(number));
}

/// Layers of the fullest stage.
double stageLayers(const TrainingJob& job, const TrainingPlan& plan)
{
    const double pieces = plan.pipeline * plan.interleave;
    return std::ceil(job.model.layers / pieces) * plan.interleave;
}

/// Of the stage that has most: fp32 gradients and moments as the optimizer has them.
PlanMemory memoryOf(const TrainingJob& job, const TrainingPlan& plan, const PlanCosts& costs, double microBatches)
{
    const double layers = std::min<double>(stageLayers(job, plan), job.model.layers);
    const double ends = plan.pipeline > 1 ? std::max(costs.embeddingParameters, costs.outputParameters)
                                          : costs.embeddingParameters + costs.outputParameters;
    const auto states = [&](double parameters, double data) {
        workload::CapacityPlan capacity;
        capacity.zero = plan.zero;
        capacity.data = data;
        capacity.parameters = parameters;
        capacity.optimizer = job.optimizer;
        capacity.weightBytes = workload::activationBytes(job.device.dtype);
        capacity.sequence = capacity.batch = 1;
        return workload::capacityOf(job.model, capacity);
    };
    PlanMemory memory;
    const double group = plan.data * plan.context;
    const workload::Capacity dense = states(layers * costs.layerParameters + ends, group);
    memory.terms = {dense.weights, dense.gradients, dense.optimizer, 0, 0};
    if (costs.layerExpertParameters > 0) {
        const workload::Capacity sparse = states(layers * costs.layerExpertParameters, group / plan.expert);
        memory.terms[0] += sparse.weights;
        memory.terms[1] += sparse.gradients;
        memory.terms[2] += sparse.optimizer;
    }
    if (plan.zero >= 3) // the layer at work and the next one, whole
        memory.terms[0] += 2 * 2 * (costs.layerParameters + costs.layerExpertParameters);
    const double flying = inFlightClosedForm(plan.schedule, plan.pipeline, microBatches, plan.interleave);
    memory.terms[3] = costs.activationBytes * layers * flying;
    memory.terms[4] = costs.outsideBytes; // of the last stage; where it has the most, of the only one
    if (plan.pipeline > 1) {
        // The last stage holds fewer micro-batches and the logits; the first one more of them.
        const double later =
            costs.activationBytes * layers * std::min(flying, plan.schedule == PipelineSchedule::GPipe ? flying : 1.0);
        if (later + costs.outsideBytes <= memory.terms[3])
            memory.terms[4] = 0;
        else
            memory.terms[3] = later;
    }
    return memory;
}

struct Stage {
    double forward = 0, backward = 0, weights = 0;
    double all() const { return forward + backward + weights; }
};

/// A stage with `layers` layers in `pieces`, of one micro-batch.
Stage stageOf(const TrainingJob& job, const TrainingPlan& plan, const PlanCosts& c, double layers, bool first,
              bool last, const SoftwareConstants& soft, double pieces)
{
    Stage s;
    s.forward = layers * (c.layerForward + c.layerForwardLink);
    s.backward = layers * (c.layerBackward + c.layerBackwardLink);
    s.weights = layers * c.layerWeights;
    if (first) {
        s.forward += c.firstForward;
        s.backward += c.firstBackward;
    }
    if (last) {
        s.forward += c.lastForward;
        s.backward += c.lastBackward;
        s.weights += c.lastWeights;
    }
    if (plan.pipeline > 1 && !soft.overlaps) { // a stage sends and receives before it goes on
        const double send = sendSeconds(job.system, job.gpus / plan.pipeline, c.boundaryBytes) + c.boundaryGather;
        s.forward += pieces * send;
        s.backward += pieces * send;
    }
    return s;
}

/// What the slowest of n replicas takes beyond the mean one, in standard deviations.
double largestOf(double n)
{
    static const std::vector<double> byDoubling = [] {
        std::vector<double> found;
        for (double ranks = 1; ranks <= (1 << 20); ranks *= 2)
            found.push_back(expectedLongest({Jitter::Normal, 1}, ranks) - 1);
        return found;
    }();
    const double at = std::clamp(std::log2(n), 0.0, double(byDoubling.size() - 1));
    const auto below = std::min(static_cast<std::size_t>(at), byDoubling.size() - 2);
    return std::lerp(byDoubling[below], byDoubling[below + 1], at - double(below));
}

double sendDelay(const TrainingJob& job, const TrainingPlan& plan, const PlanCosts& c, const SoftwareConstants& soft)
{
    return plan.pipeline > 1 && soft.overlaps ? sendSeconds(job.system, job.gpus / plan.pipeline, c.boundaryBytes) : 0;
}

} // namespace

std::span<const std::string_view> memoryTerms()
{
    return kTerms;
}

double PlanMemory::total() const
{
    double sum = 0;
    for (const double each : terms)
        sum += each;
    return sum;
}

int PlanMemory::overflows(double usable) const
{
    double sum = 0;
    for (std::size_t i = 0; i < terms.size(); ++i)
        if ((sum += terms[i]) > usable)
            return static_cast<int>(i);
    return -1;
}

Result<void> checkPlan(const TrainingJob& job, const TrainingPlan& plan)
{
    const auto bad = [](const std::string& message, const char* place, const std::string& fix) {
        return Error{"bad-plan", message, place, fix};
    };
    const workload::ModelShape& model = job.model;
    workload::CapacityPlan capacity;
    capacity.tensor = plan.tensor;
    capacity.pipeline = plan.pipeline;
    capacity.interleave = plan.interleave;
    if (auto good = workload::checkPlan(model, capacity); !good)
        return good.error();
    const double product = plan.tensor * plan.pipeline * plan.data * plan.context;
    if (product != job.gpus)
        return bad("tp x pp x dp x cp is " + text(product) + " and not the " + text(job.gpus) + " GPUs", "dp",
                   "give numbers whose product is gpus, or dp 0 for what is left");
    const double group = plan.data * plan.context;
    if (plan.expert > 1 && model.moe.experts == 0)
        return bad(model.title + " has no experts to share", "ep", "take ep 1, or a model with experts");
    if (plan.expert > 1 && (!divides(plan.expert, model.moe.experts) || !divides(plan.expert, group)))
        return bad(text(plan.expert) + " does not divide the " + text(model.moe.experts) + " experts and the " +
                       text(group) + " GPUs of dp x cp",
                   "ep", "take a number that divides both");
    if (!divides(plan.data * plan.microBatch, job.globalBatch))
        return bad("a batch of " + text(job.globalBatch) + " sequences does not divide into " + text(plan.data) +
                       " replicas with micro-batches of " + text(plan.microBatch),
                   "global_batch", "take a multiple of " + text(plan.data * plan.microBatch));
    if (!divides(plan.context, job.sequence))
        return bad("the sequence does not divide into cp parts", "cp", "take a number that divides the sequence");
    if (plan.sequenceParallel && plan.tensor < 2)
        return bad("only GPUs that share a layer can share its sequence", "sequence_parallel",
                   "take tp of 2 or more, or sequence_parallel 0");
    const double micro = job.globalBatch / plan.data / plan.microBatch;
    if (plan.schedule == PipelineSchedule::Interleaved && plan.interleave > 1 && !divides(plan.pipeline, micro))
        return bad("interleaving passes micro-batches on in groups of " + text(plan.pipeline) + ", and there are " +
                       text(micro),
                   "interleave", "take a batch with a multiple of pp micro-batches, or interleave 1");
    if (plan.interleave > 1 && plan.schedule != PipelineSchedule::Interleaved)
        return bad("only the interleaved schedule has several pieces of the model on a stage", "schedule",
                   "take schedule interleaved, or interleave 1");
    return {};
}

const PlanCosts& CostTable::of(const TrainingPlan& plan)
{
    const std::array<int, 6> key{static_cast<int>(plan.tensor),
                                 static_cast<int>(plan.context),
                                 static_cast<int>(plan.expert),
                                 static_cast<int>(plan.microBatch),
                                 static_cast<int>(plan.recompute) * 2 + plan.sequenceParallel,
                                 plan.pipeline > 1};
    const auto found = m_costs.find(key);
    return found != m_costs.end() ? found->second : m_costs.emplace(key, costsOf(m_job, plan)).first->second;
}

PlanResult evaluatePlan(const TrainingJob& job, const TrainingPlan& plan, const PlanCosts& costs)
{
    PlanResult r;
    const SoftwareConstants soft = constantsOf(job);
    const double p = plan.pipeline, v = plan.interleave;
    const double m = r.microBatches = job.globalBatch / plan.data / plan.microBatch;
    r.memory = memoryOf(job, plan, costs, m);
    r.fits = r.memory.total() <= job.usableMemory;

    // The step of a pipeline: its slowest stage works on all micro-batches, and the others fill and drain it.
    const double layers = stageLayers(job, plan), left = job.model.layers - layers * (p - 1);
    const Stage only = stageOf(job, plan, costs, job.model.layers / p, true, true, soft, v);
    const Stage first = p > 1 ? stageOf(job, plan, costs, layers, true, false, soft, v) : only;
    const Stage middle = p > 2 ? stageOf(job, plan, costs, layers, false, false, soft, v) : Stage{};
    const Stage last = p > 1 ? stageOf(job, plan, costs, std::max(left, 0.0), false, true, soft, v) : only;
    const double longest = std::max({first.all(), middle.all(), last.all()});
    double fill = 0;
    if (p > 1) {
        // All stages together have all layers, also where the last ones have fewer or none.
        const double others = stageOf(job, plan, costs, job.model.layers, true, true, soft, v * p).all() - longest;
        // With fewer micro-batches than the second zero bubble warms up with, gaps stay; as many as of 1f1b are taken.
        switch (plan.schedule == PipelineSchedule::ZeroBubble2 && m < 2 * p - 1
                    ? PipelineSchedule::OneForwardOneBackward
                    : plan.schedule) {
        case PipelineSchedule::GPipe:
        case PipelineSchedule::OneForwardOneBackward:
            fill = others;
            break;
        case PipelineSchedule::Interleaved:
            fill = others / v;
            break;
        case PipelineSchedule::ZeroBubble:
            fill = others * std::max(0.0, 1 - 2 * first.weights / first.all());
            break;
        case PipelineSchedule::ZeroBubble2:
            fill = others * std::max(0.0, 1 - 3 * first.weights / first.all());
            break;
        }
        fill += 2 * (p * v - 1) * sendDelay(job, plan, costs, soft);
    }
    r.pipelineSeconds = m * longest + fill;
    r.idleSeconds = fill;
    r.linkSeconds = m * layers * (costs.layerForwardLink + costs.layerBackwardLink);

    // Gradients, and weights where ZeRO shares them: 2 bytes of a weight each way (arXiv 1910.02054, section 7).
    const Group group{plan.data * plan.context, plan.tensor};
    const double stageParameters = std::min<double>(layers, job.model.layers) * costs.layerParameters +
                                   (p > 1 ? std::max(costs.embeddingParameters, costs.outputParameters)
                                          : costs.embeddingParameters + costs.outputParameters);
    const double expertParameters = std::min<double>(layers, job.model.layers) * costs.layerExpertParameters;
    const Group expertGroup{group.ranks / plan.expert, plan.tensor * plan.expert};
    const double gradientBytes = job.optimizer == workload::Optimizer::AdamFp32Gradients ? 4 : 2;
    const auto move = [&](const Group& g, double parameters) {
        if (plan.zero == 0)
            return allReduceSeconds(job.system, g, gradientBytes * parameters);
        const double scatter = gatherSeconds(job.system, g, gradientBytes * parameters);
        const double gather = gatherSeconds(job.system, g, 2 * parameters);
        // From stage 2 on nobody holds whole gradients between micro-batches, so that they are scattered after each;
        // stage 3 gathers weights for every micro-batch too, forward and backward.
        return plan.zero < 2 ? scatter + gather : plan.zero < 3 ? m * scatter + gather : m * (2 * gather + scatter);
    };
    r.dataSecondsAll = move(group, stageParameters) + (expertParameters > 0 ? move(expertGroup, expertParameters) : 0);
    double hidden = 0;
    const bool alone = p == 1 && plan.zero == 0; // then torch's DDP reduces, which overlaps in any software
    if ((soft.overlaps || alone) && group.ranks > 1) {
        // Under a backward pass gradients go, the last one's or from stage 2 on each one's, and under the first forward
        // pass weights come.
        const double backward = first.backward + first.weights, forward = plan.zero > 0 ? first.forward : 0;
        const double window = plan.zero >= 3 ? m * first.all() : (plan.zero == 2 ? m : 1) * backward + forward;
        // The first and the last piece of a layer cannot be hidden.
        const double piece = layers > 0 ? 1 / layers : 1;
        hidden = std::min(window, r.dataSecondsAll * (1 - piece));
    }
    r.dataSeconds = r.dataSecondsAll - hidden;
    if (soft.spread > 0)
        r.lateSeconds = soft.spread * largestOf(group.ranks) * r.pipelineSeconds;

    const double shares = plan.zero >= 1 ? group.ranks : 1;
    r.optimizerSeconds = 28 * (stageParameters + expertParameters * (plan.zero >= 1 ? plan.expert : 1)) / shares /
                         (job.device.bytesPerSecond * job.device.family.memory);
    r.stepSeconds = r.pipelineSeconds + r.lateSeconds + r.dataSeconds + r.optimizerSeconds;
    r.modelFlops = costs.modelFlops * job.globalBatch;
    const double most = job.gpus * job.device.flopsPerSecond * r.stepSeconds;
    r.mfu = r.modelFlops / most;
    r.hfu = costs.hardwareFlops * job.globalBatch / most;

    const auto ring = [](double n) { return n > 1 ? (n - 1) / n : 0; };
    const double factor = plan.zero >= 3   ? m * (2 * 2 + gradientBytes)
                          : plan.zero == 2 ? 2 + m * gradientBytes
                          : plan.zero == 1 ? 2 + gradientBytes
                                           : 2 * gradientBytes;
    r.bytesSent = ring(group.ranks) * factor * stageParameters + ring(expertGroup.ranks) * factor * expertParameters;
    const double message = 2 * plan.microBatch * job.sequence / plan.context * job.model.hidden;
    const double passes = plan.recompute == workload::Recompute::Full ? 3 : 2;
    r.bytesSent += m * layers * passes * 2 * 2 * ring(plan.tensor) * message;
    r.bytesSent += p > 1 ? m * v * 2 * costs.boundaryBytes : 0;
    return r;
}

PipelineSetting pipelineOf(const TrainingJob& job, const TrainingPlan& plan, const PlanCosts& costs)
{
    const SoftwareConstants soft = constantsOf(job);
    PipelineSetting s;
    s.schedule = plan.schedule;
    s.stages = static_cast<std::uint32_t>(plan.pipeline);
    s.chunks = static_cast<std::uint32_t>(plan.interleave);
    s.microBatches = static_cast<std::uint32_t>(job.globalBatch / plan.data / plan.microBatch);
    s.send = sendDelay(job, plan, costs, soft);
    const std::uint32_t pieces = s.stages * s.chunks;
    const double each = std::ceil(job.model.layers / double(pieces));
    double left = job.model.layers;
    for (std::uint32_t i = 0; i < pieces; ++i) {
        const double layers = std::min(each, left);
        left -= layers;
        const Stage stage = stageOf(job, plan, costs, layers, i == 0, i + 1 == pieces, soft, 1);
        s.pieces.push_back({stage.forward, stage.backward, stage.weights});
    }
    return s;
}

void useSchedule(PlanResult& r, const TrainingJob& job, const PipelineRun& run)
{
    const double ratio = r.hfu / r.mfu, late = r.lateSeconds * run.period / r.pipelineSeconds;
    r.stepSeconds += run.period - r.pipelineSeconds + late - r.lateSeconds;
    r.lateSeconds = late;
    r.pipelineSeconds = run.period;
    r.idleSeconds = run.period - run.busy;
    r.mfu = r.modelFlops / (job.gpus * job.device.flopsPerSecond * r.stepSeconds);
    r.hfu = r.mfu * ratio;
}

double bestMicroBatch(const TrainingJob& job, TrainingPlan plan)
{
    double best = 1, least = INFINITY;
    for (double size = 1; size <= 64; size *= 2) {
        plan.microBatch = size;
        if (!checkPlan(job, plan))
            continue;
        const PlanResult result = evaluatePlan(job, plan, costsOf(job, plan));
        if (result.fits && result.stepSeconds < least) {
            least = result.stepSeconds;
            best = size;
        }
    }
    return best;
}

} // namespace ridge::cluster
