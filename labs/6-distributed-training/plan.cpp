// SPDX-License-Identifier: GPL-3.0-or-later
// Lessons 6.5 and 6.6: how long a training step takes and whether it fits, for one way to share a model.
#include "cluster/plan/plan.h"
#include "base/lane_trace.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"
#include "labs/harness/plan_params.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

using namespace cluster;

constexpr std::size_t kDrawn = 1u << 17; // operations of a picture
const std::vector<std::string> kRecompute{"none", "selective", "full"};

std::vector<ParamSpec> parameters()
{
    std::vector<ParamSpec> all = jobParams();
    const auto ways = [](const char* name, const char* title, double least, double most, std::int64_t usual,
                         const char* help) {
        return integerParam(name, title, "", least, most, usual, ParamScale::Log2, help);
    };
    ParamSpec zero =
        integerParam("zero", "ZeRO stage", "", 0, 3, 1, ParamScale::List,
                     "What the replicas share: 1 the optimizer's state, 2 gradients too, which then go after "
                     "every micro-batch, 3 weights too, as FSDP does.");
    zero.choices = {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}};
    std::vector<std::string> schedules(scheduleNames().begin(), scheduleNames().end());
    schedules.insert(schedules.begin(), "auto");
    const std::vector<ParamSpec> own{
        ways("tp", "Tensor parallel", 1, 1024, 8, "GPUs that share every layer."),
        ways("pp", "Pipeline stages", 1, 1024, 4, "GPUs in a row, each with its layers."),
        ways("dp", "Replicas", 0, 1 << 20, 0, "0: what tp, pp and cp leave of the GPUs."),
        ways("cp", "Context parallel", 1, 1024, 1, "GPUs that share the tokens of a sequence."),
        ways("ep", "Expert parallel", 1, 1024, 1, "Of the dp x cp GPUs, those that share the experts of a layer."),
        zero,
        choiceParam("schedule", "Schedule", schedules, "auto",
                    "auto: of megatron_core interleaved with a layer a piece where layers and micro-batches divide, "
                    "else 1f1b. zero_bubble: ZB-H1, with the memory of 1f1b. zero_bubble_2: ZB-H2, with twice that."),
        ways("interleave", "Pieces of a stage", 0, 256, 0, "Of the interleaved schedule. 0: as many as divide."),
        switchParam("sequence_parallel", "Sequence parallel", true,
                    "1: the GPUs of a layer share norms and masks along the sequence too. Nothing where tp is 1."),
        choiceParam("recompute", "Recompute", kRecompute, "none",
                    "selective: scores are computed again. full: only each layer's input is kept."),
        ways("micro_batch", "Micro-batch", -1, 4096, 0,
             "Sequences at a time. 0: of megatron_core 1, of megatron_2021 the best power of two that fits, near to "
             "what "
             "its authors took. -1: the best power of two of either.")};
    all.insert(all.begin() + 5, own.begin(), own.end());
    return all;
}

std::vector<MetricSpec> metrics()
{
    return {
        {"fits", "Fits", "1", "1 where the fullest GPU has room, at 90 % of its memory; else 0."},
        {"memory", "Memory", "bytes", "Of the fullest GPU."},
        {"short_by", "Short by", "bytes", "What is missing where it does not fit, else 0."},
        {"overflow", "Term that overflows", "1",
         "The first with which the sum is too large: 1 weights, 2 gradients, 3 optimizer, 4 activations, 5 logits; "
         "0: none."},
        {"weights", "Weights", "bytes", "On that GPU."},
        {"gradients", "Gradients", "bytes", "On that GPU."},
        {"optimizer_state", "Optimizer", "bytes", "On that GPU."},
        {"activations", "Activations", "bytes", "On that GPU, of all micro-batches under way."},
        {"step_time", "Step", "s", "From one optimizer step to the next."},
        {"pipeline_time", "Pipeline", "s",
         "Forward and backward passes of all micro-batches, links in layers included."},
        {"data_time", "Exposed reduction", "s", "Of gradients and weights between replicas, what nothing hides."},
        {"data_time_all", "Reduction", "s", "The same with what is hidden under the backward pass."},
        {"late_time", "Late replicas", "s", "Until the slowest replica has its gradients, of megatron_2021."},
        {"tensor_time", "Exposed links of layers", "s", "Part of the pipeline's time of the slowest stage."},
        {"optimizer_time", "Optimizer's step", "s", "Reads gradients and moments, writes moments and weights."},
        {"bubble", "Bubble", "1", "Share of the pipeline's time in which a stage waits, if all stages were alike."},
        {"waiting", "Waiting", "1", "The same for the slowest stage of this model, with its ends and messages."},
        {"mfu", "MFU", "1", "Model FLOP, as if nothing were computed again, over peak; attention as a full square."},
        {"hfu", "HFU", "1", "The same with what is computed again."},
        {"tflops", "Throughput of a GPU", "FLOP/s", "HFU times the peak: what papers print."},
        {"tokens_per_second", "Tokens per second", "tokens/s", "Of the whole cluster."},
        {"bytes_sent", "Traffic", "bytes", "Sent by one GPU in a step."},
        {"replicas", "Replicas", "1", "dp of this plan."},
        {"micro_batches", "Micro-batches", "1", "Of a replica in a step."},
        {"pieces", "Pieces of a stage", "1", "Of this plan."},
        {"micro_batch_size", "Micro-batch", "sequences", "Of this plan."}};
}

class PlanExperiment : public Experiment {
public:
    PlanExperiment()
    {
        m_info.id = "plan";
        m_info.title = "A training plan";
        m_info.version = 3; // 3: constants of megatron_2021, micro_batch 0; 2: ZeRO-2 sends after every micro-batch
        m_info.module = 6;
        m_info.summary = "Counts the memory and times the step of one way to share a model among GPUs.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = metrics();
        m_info.limits = {
            {"step_time", "arithmetic alone", "lower", "model FLOP / (GPUs x peak)", "dense peaks of the chip table"}};
        m_info.charts = {
            {"step_over_tp", "Step over tensor parallel", "tp", "step_time", ParamScale::Log2, ParamScale::Log2},
            {"mfu_over_pp", "MFU over stages", "pp", "mfu", ParamScale::Log2},
            {"bubble_over_batch", "Bubble over batch", "global_batch", "bubble", ParamScale::Log2},
            {"memory_over_zero", "Memory over ZeRO stage", "zero", "memory", ParamScale::List},
            {"mfu_over_schedule", "MFU over schedule", "schedule", "mfu", ParamScale::List},
            {"step_over_gpus", "Step over GPUs", "gpus", "step_time", ParamScale::Log2, ParamScale::Log2}};
        m_info.scene = "lanes";
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

/// The finest interleaving that layers and micro-batches allow.
double mostPieces(const TrainingJob& job, const TrainingPlan& plan)
{
    const double micro = job.globalBatch / plan.data / plan.microBatch;
    if (plan.pipeline < 2 || std::fmod(micro, plan.pipeline) != 0 || std::fmod(job.model.layers, plan.pipeline) != 0)
        return 1;
    return job.model.layers / plan.pipeline;
}

Result<TrainingPlan> planOf(const TrainingJob& job, const ParamSet& params)
{
    const auto number = [&](const char* name) { return static_cast<double>(std::get<std::int64_t>(params.at(name))); };
    TrainingPlan plan;
    plan.tensor = number("tp");
    plan.pipeline = number("pp");
    plan.context = number("cp");
    plan.expert = number("ep");
    plan.data = number("dp");
    const double others = plan.tensor * plan.pipeline * plan.context;
    if (plan.data == 0) {
        if (others > job.gpus || std::fmod(job.gpus, others) != 0)
            return Error{"bad-plan", fmt::format("tp x pp x cp is {}, which does not divide {} GPUs", others, job.gpus),
                         "gpus", fmt::format("take a multiple of {} GPUs", others)};
        plan.data = job.gpus / others;
    }
    plan.zero = static_cast<int>(number("zero"));
    plan.sequenceParallel = number("sequence_parallel") != 0 && plan.tensor > 1;
    plan.recompute = static_cast<workload::Recompute>(
        std::find(kRecompute.begin(), kRecompute.end(), choice(params, "recompute")) - kRecompute.begin());
    plan.microBatch = std::max(1.0, number("micro_batch"));
    const std::string& name = choice(params, "schedule");
    const bool any = name == "auto";
    plan.interleave = std::max(1.0, number("interleave"));
    if (!any)
        plan.schedule = static_cast<PipelineSchedule>(std::find(scheduleNames().begin(), scheduleNames().end(), name) -
                                                      scheduleNames().begin());
    if (number("micro_batch") < 0 || (number("micro_batch") == 0 && job.software == Software::Megatron2021)) {
        if (any && number("interleave") > 1)
            plan.schedule = PipelineSchedule::Interleaved;
        plan.microBatch = bestMicroBatch(job, plan);
    }
    if (any)
        plan.schedule = plan.interleave > 1 || (job.software == Software::MegatronCore && number("interleave") == 0 &&
                                                mostPieces(job, plan) > 1)
                            ? PipelineSchedule::Interleaved
                            : PipelineSchedule::OneForwardOneBackward;
    if (plan.schedule == PipelineSchedule::Interleaved && number("interleave") == 0)
        plan.interleave = mostPieces(job, plan);
    if (auto good = checkPlan(job, plan); !good)
        return good.error();
    return plan;
}

void draw(const TrainingPlan& plan, const PipelineRun& run, const std::string& title, RunContext& context)
{
    LaneTraceBuilder lanes(title, "ms");
    const std::uint8_t states[] = {lanes.state("forward", TraceColor::Series1),
                                   lanes.state("backward", TraceColor::Series2),
                                   lanes.state("weights' gradients", TraceColor::Series3)};
    for (std::uint32_t stage = 0; stage < static_cast<std::uint32_t>(plan.pipeline); ++stage)
        lanes.lane(fmt::format("stage {}", stage));
    for (std::size_t i = 0; i < std::min(run.ops.size(), kDrawn); ++i) {
        const StageOp& op = run.ops[i];
        const std::string label =
            plan.interleave > 1 ? fmt::format("{}.{}", op.microBatch, op.chunk) : fmt::format("{}", op.microBatch);
        lanes.span(op.stage, op.begin * 1e3, op.end * 1e3, states[static_cast<std::size_t>(op.work)], label,
                   op.microBatch + 1);
    }
    context.trace(LaneTrace::kKind, encodeLaneTrace(lanes.take()));
}

Result<void> PlanExperiment::run(const ParamSet& params, RunContext& context) const
{
    const auto job = jobOf(params);
    if (!job)
        return job.error();
    const auto plan = planOf(*job, params);
    if (!plan)
        return plan.error();
    const PlanCosts costs = costsOf(*job, *plan);
    PlanResult result = evaluatePlan(*job, *plan, costs);
    const PipelineSetting setting = pipelineOf(*job, *plan, costs);
    const double closed = result.pipelineSeconds;
    const std::uint64_t ops = std::uint64_t(setting.stages) * setting.microBatches * setting.chunks * 3;
    double bubble = bubbleClosedForm(plan->schedule, plan->pipeline, result.microBatches, plan->interleave,
                                     {costs.layerForward, costs.layerBackward, costs.layerWeights});
    if (ops <= kMostStageOps) {
        const auto pipeline = runPipeline(setting, context.wantsTrace() && ops <= kDrawn * 3);
        if (!pipeline)
            return pipeline.error();
        useSchedule(result, *job, *pipeline);
        context.check("closed form of the step",
                      std::abs(pipeline->period / closed - 1) < 0.05 || result.microBatches < 2 * plan->pipeline,
                      fmt::format("{:.6g} s by the schedule, {:.6g} s by the formula", pipeline->period, closed));
        if (!pipeline->ops.empty())
            draw(*plan, *pipeline, fmt::format("{}, {}", job->model.title, planText(*plan)), context);
        PipelineSetting alike = setting; // the same schedule where all pieces take the same and messages nothing
        const double v = plan->interleave;
        alike.pieces.assign(setting.pieces.size(),
                            {costs.layerForward / v, costs.layerBackward / v, costs.layerWeights / v});
        alike.send = 0;
        const auto even = runPipeline(alike, false);
        if (!even)
            return even.error();
        if (plan->schedule != PipelineSchedule::ZeroBubble2 || result.microBatches >= 2 * plan->pipeline - 1)
            context.check("closed form of the bubble",
                          result.microBatches < plan->pipeline || splitsBackward(plan->schedule)
                              ? even->bubble >= bubble - 1e-9
                              : std::abs(even->bubble - bubble) < 1e-6,
                          fmt::format("{:.6f} by the schedule, {:.6f} by the formula", even->bubble, bubble));
        bubble = even->bubble;
    }

    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    const double total = result.memory.total();
    const int over = result.memory.overflows(job->usableMemory);
    tell("fits", result.fits);
    tell("memory", total);
    tell("short_by", std::max(0.0, total - job->usableMemory));
    tell("overflow", over + 1);
    tell("weights", result.memory.terms[0]);
    tell("gradients", result.memory.terms[1]);
    tell("optimizer_state", result.memory.terms[2]);
    tell("activations", result.memory.terms[3]);
    tell("step_time", result.stepSeconds);
    tell("pipeline_time", result.pipelineSeconds);
    tell("data_time", result.dataSeconds);
    tell("data_time_all", result.dataSecondsAll);
    tell("late_time", result.lateSeconds);
    tell("tensor_time", result.linkSeconds);
    tell("optimizer_time", result.optimizerSeconds);
    tell("bubble", bubble);
    tell("waiting", result.idleSeconds / result.pipelineSeconds);
    tell("mfu", result.mfu);
    tell("hfu", result.hfu);
    tell("tflops", result.hfu * job->device.flopsPerSecond);
    tell("tokens_per_second", job->globalBatch * job->sequence / result.stepSeconds);
    tell("bytes_sent", result.bytesSent);
    tell("replicas", plan->data);
    tell("micro_batches", result.microBatches);
    tell("pieces", plan->interleave);
    tell("micro_batch_size", plan->microBatch);
    // MFU counts the full square of scores, as its tables do; kernels need not compute all of it.
    const double least = costs.leastFlops * job->globalBatch / (job->gpus * job->device.flopsPerSecond);
    context.limit("step_time", least);
    context.check("no faster than the peak", result.stepSeconds >= least,
                  fmt::format("{:.4g} s, at least {:.4g} s", result.stepSeconds, least));
    context.log(planText(*plan));
    if (over >= 0)
        context.log(fmt::format("does not fit: {:.1f} GB too much; the sum of {:.1f} GB passes {:.1f} GB with the {} "
                                "({:.1f} GB)",
                                (total - job->usableMemory) / 1e9, total / 1e9, job->usableMemory / 1e9,
                                memoryTerms()[static_cast<std::size_t>(over)],
                                result.memory.terms[static_cast<std::size_t>(over)] / 1e9));
    return {};
}

} // namespace

std::unique_ptr<Experiment> makePlan()
{
    return std::make_unique<PlanExperiment>();
}

} // namespace ridge::labs
