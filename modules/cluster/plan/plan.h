// SPDX-License-Identifier: GPL-3.0-or-later
// How long a training step takes and whether it fits, for one way to share a model among the GPUs of a cluster.
//
// A step is what its pipeline takes, the part of the gradients' reduction that nothing hides, and the optimizer.
// Kernels are timed by workload/kernel_time.h, memory is counted by workload/capacity.h, links by
// cluster/plan/systems.h. What of a plan depends on few of its numbers is made once (`CostTable`), so that one of a
// million plans costs some hundred nanoseconds.
#pragma once

#include "cluster/plan/pipeline_schedule.h"
#include "cluster/plan/systems.h"
#include "workload/capacity.h"

#include <map>
#include <memory>
#include <tuple>

namespace ridge::cluster {

/// Megatron2021: scores in memory, almost everything between GPUs waits (arXiv 2104.04473, 2205.05198). MegatronCore:
/// what Megatron-Core 0.8 does on Hopper: FlashAttention, gradients and sequence-parallel gathers under the arithmetic.
enum class Software { Megatron2021, MegatronCore };

struct TrainingJob {
    workload::ModelShape model;
    PlanSystem system;
    workload::Device device;
    Software software = Software::MegatronCore;
    double gpus = 8;
    double globalBatch = 8; ///< sequences of a step
    double sequence = 2048; ///< tokens
    workload::Optimizer optimizer = workload::Optimizer::Adam;
    double usableMemory = 0; ///< bytes of one GPU
};

struct TrainingPlan {
    double tensor = 1, pipeline = 1, data = 1, context = 1;
    double expert = 1; ///< of `data x context` GPUs, those that share the experts of a layer
    int zero = 0;
    PipelineSchedule schedule = PipelineSchedule::OneForwardOneBackward;
    double interleave = 1;
    bool sequenceParallel = false;
    workload::Recompute recompute = workload::Recompute::None;
    double microBatch = 1; ///< sequences
    bool operator==(const TrainingPlan&) const = default;
};

/// Of one GPU and one micro-batch, s and bytes; of layers the mean one. Exposed: what waits for links.
struct PlanCosts {
    double layerForward = 0, layerBackward = 0, layerWeights = 0; ///< arithmetic; backward with its recomputation
    double layerForwardLink = 0, layerBackwardLink = 0;           ///< exposed
    double firstForward = 0, firstBackward = 0;                   ///< embedding
    double lastForward = 0, lastBackward = 0, lastWeights = 0;    ///< norm, logits, loss
    double activationBytes = 0;                                   ///< of a layer
    double outsideBytes = 0;                                      ///< of the last stage's logits
    double boundaryBytes = 0;                                     ///< between two stages
    double boundaryGather = 0;                                    ///< s, until a receiver has it whole
    double modelFlops = 0;    ///< of one sequence, all GPUs, forward and backward, as if scores were a full square
    double hardwareFlops = 0; ///< the same with what is computed again
    double leastFlops = 0;    ///< as modelFlops, but of scores only those that a causal model needs
    double layerParameters = 0, layerExpertParameters = 0; ///< of a layer on this GPU
    double embeddingParameters = 0, outputParameters = 0;  ///< on this GPU
};

/// Names of the terms of PlanMemory in the order in which they are added up.
std::span<const std::string_view> memoryTerms();

struct PlanMemory {
    std::array<double, 5> terms{}; ///< weights, gradients, optimizer, activations, logits: bytes of the fullest GPU
    double total() const;
    /// The term with which the sum first exceeds `usable`; -1: it never does.
    int overflows(double usable) const;
};

struct PlanResult {
    PlanMemory memory;
    bool fits = false;
    double microBatches = 0;
    double pipelineSeconds = 0; ///< with bubble and exposed links of layers
    double idleSeconds = 0;     ///< of it, those in which the busiest stage waits
    double linkSeconds = 0;     ///< of it, exposed links of layers, of the busiest stage
    double dataSeconds = 0;     ///< exposed reduction of gradients and gathering of weights
    double dataSecondsAll = 0;  ///< hidden part included
    double lateSeconds = 0;     ///< until the slowest replica has its gradients
    double optimizerSeconds = 0;
    double stepSeconds = 0;
    double modelFlops = 0; ///< of the step
    double mfu = 0, hfu = 0;
    double bytesSent = 0; ///< by one GPU in a step, all groups
};

/// Errors: "bad-plan": what does not divide or go together, with the fix.
Result<void> checkPlan(const TrainingJob& job, const TrainingPlan& plan);

PlanCosts costsOf(const TrainingJob& job, const TrainingPlan& plan);

/// The costs of a job's plans, each made when it is first asked for.
class CostTable {
public:
    explicit CostTable(const TrainingJob& job) : m_job(job) {}
    const PlanCosts& of(const TrainingPlan& plan);

private:
    const TrainingJob& m_job;
    std::map<std::array<int, 6>, PlanCosts> m_costs;
};

/// By closed forms: no schedule is run. The plan has been checked.
PlanResult evaluatePlan(const TrainingJob& job, const TrainingPlan& plan, const PlanCosts& costs);

/// The pieces of its pipeline, to be run by runPipeline: the same times as evaluatePlan takes.
PipelineSetting pipelineOf(const TrainingJob& job, const TrainingPlan& plan, const PlanCosts& costs);
/// Puts what the schedule took in place of the closed form.
void useSchedule(PlanResult& result, const TrainingJob& job, const PipelineRun& run);

/// The largest of 1, 2, 4 … sequences with which the plan is fastest and fits; 1 where none does.
double bestMicroBatch(const TrainingJob& job, TrainingPlan plan);

} // namespace ridge::cluster
