// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 6.5: the best ways to share a model, found by looking at all of them.
#include "cluster/plan/plan_search.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"
#include "labs/harness/plan_params.h"

#include <fmt/core.h>

namespace ridge::labs {
namespace {

using namespace cluster;

std::vector<ParamSpec> parameters()
{
    std::vector<ParamSpec> all = jobParams();
    all.push_back(integerParam("rank", "Place", "", 1, 100, 1, ParamScale::Linear,
                               "Which plan the metrics are of: 1 the fastest, 2 the next."));
    all.push_back(integerParam("most_tp", "Most tensor parallel", "", 0, 1024, 0, ParamScale::Log2,
                               "GPUs that share a layer, at most. 0: those of a node."));
    all.push_back(integerParam("most_micro_batch", "Largest micro-batch", "sequences", 1, 1024, 16, ParamScale::Log2,
                               "Powers of two up to it are looked at."));
    return all;
}

std::vector<MetricSpec> metrics()
{
    return {{"looked", "Plans", "plans", "Whose memory and time were computed."},
            {"fitting", "Plans that fit", "plans", "In the memory of every GPU."},
            {"step_time", "Step", "s", "Of the plan at that place."},
            {"mfu", "MFU", "1", "Of that plan."},
            {"memory", "Memory", "bytes", "Of its fullest GPU."},
            {"behind", "Behind the best", "1", "Its step over that of the fastest plan, less 1."},
            {"tp", "Tensor parallel", "1", "Of that plan."},
            {"pp", "Pipeline stages", "1", "Of that plan."},
            {"dp", "Replicas", "1", "Of that plan."},
            {"cp", "Context parallel", "1", "Of that plan."},
            {"ep", "Expert parallel", "1", "Of that plan."},
            {"zero", "ZeRO stage", "1", "Of that plan."},
            {"schedule", "Schedule", "1", "0 gpipe, 1 1f1b, 2 interleaved, 3 zero_bubble, 4 zero_bubble_2."},
            {"interleave", "Pieces of a stage", "1", "Of that plan."},
            {"micro_batch", "Micro-batch", "sequences", "Of that plan."},
            {"sequence_parallel", "Sequence parallel", "1", "1 where it is used."},
            {"recompute", "Recompute", "1", "0 none, 1 selective, 2 full."}};
}

class PlanSearchExperiment : public Experiment {
public:
    PlanSearchExperiment()
    {
        m_info.id = "plan_search";
        m_info.title = "The best training plans";
        m_info.version = 3; // 3: constants of megatron_2021; 2: ZeRO-2 sends gradients after every micro-batch
        m_info.module = 6;
        m_info.summary = "Looks at every way to share a model among GPUs and ranks those that fit by their step.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = metrics();
        m_info.limits = {
            {"step_time", "arithmetic alone", "lower", "model FLOP / (GPUs x peak)", "dense peaks of the chip table"}};
        m_info.charts = {
            {"step_over_rank", "Step over place", "rank", "step_time"},
            {"step_over_gpus", "Best step over GPUs", "gpus", "step_time", ParamScale::Log2, ParamScale::Log2},
            {"mfu_over_system", "Best MFU over system", "system", "mfu", ParamScale::List},
            {"mfu_over_tp", "Best MFU over most tensor parallel", "most_tp", "mfu", ParamScale::Log2}};
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> PlanSearchExperiment::run(const ParamSet& params, RunContext& context) const
{
    const auto job = jobOf(params);
    if (!job)
        return job.error();
    SearchLimits limits;
    limits.keep = 100;
    limits.mostTensor = static_cast<double>(integer(params, "most_tp"));
    limits.mostMicroBatch = static_cast<double>(integer(params, "most_micro_batch"));
    const SearchResult found = searchPlans(*job, limits, [&] { return context.cancelled(); });
    if (found.looked == 0)
        return Error{
            "no-plan",
            fmt::format("no division of {} GPUs goes with a batch of {} sequences", job->gpus, job->globalBatch),
            "global_batch", "take a batch that the replicas divide, as a multiple of the GPUs"};
    if (found.best.empty()) {
        const PlanResult& near = found.nearest.result;
        const int over = near.memory.overflows(job->usableMemory);
        return Error{"does-not-fit",
                     fmt::format("none of {} plans fits; the nearest ({}) needs {:.1f} GB of {:.1f} GB and passes them "
                                 "with the {}",
                                 found.looked, planText(found.nearest.plan), near.memory.total() / 1e9,
                                 job->usableMemory / 1e9, memoryTerms()[static_cast<std::size_t>(std::max(0, over))]),
                     "gpus", "take more GPUs, GPUs with more memory, or a smaller model"};
    }
    const std::size_t rank = integer(params, "rank");
    if (rank > found.best.size())
        return Error{"out-of-range", fmt::format("only {} plans fit", found.best.size()), "rank",
                     fmt::format("take 1 to {}", found.best.size())};
    const FoundPlan& at = found.best[rank - 1];
    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    tell("looked", static_cast<double>(found.looked));
    tell("fitting", static_cast<double>(found.fitting));
    tell("step_time", at.result.stepSeconds);
    context.limit("step_time", at.result.modelFlops / (job->gpus * job->device.flopsPerSecond));
    tell("mfu", at.result.mfu);
    tell("memory", at.result.memory.total());
    tell("behind", at.result.stepSeconds / found.best.front().result.stepSeconds - 1);
    tell("tp", at.plan.tensor);
    tell("pp", at.plan.pipeline);
    tell("dp", at.plan.data);
    tell("cp", at.plan.context);
    tell("ep", at.plan.expert);
    tell("zero", at.plan.zero);
    tell("schedule", static_cast<double>(at.plan.schedule));
    tell("interleave", at.plan.interleave);
    tell("micro_batch", at.plan.microBatch);
    tell("sequence_parallel", at.plan.sequenceParallel);
    tell("recompute", static_cast<double>(at.plan.recompute));
    for (std::size_t i = 0; i < std::min<std::size_t>(found.best.size(), 10); ++i)
        context.log(fmt::format("{}: {:.4g} s, MFU {:.1f} %, {:.1f} GB: {}", i + 1, found.best[i].result.stepSeconds,
                                100 * found.best[i].result.mfu, found.best[i].result.memory.total() / 1e9,
                                planText(found.best[i].plan)));
    return {};
}

} // namespace

std::unique_ptr<Experiment> makePlanSearch()
{
    return std::make_unique<PlanSearchExperiment>();
}

} // namespace ridge::labs
