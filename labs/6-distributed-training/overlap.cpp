// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 6.7: gradients under the backward pass, and what slow ranks cost.
#include "cluster/plan/overlap.h"
#include "base/lane_trace.h"
#include "base/target_choice.h"
#include "cluster/plan/plan.h"
#include "cluster/plan/stragglers.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"
#include "labs/harness/plan_params.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

constexpr const char* kModel = "model"; ///< the parameter

using namespace cluster;

constexpr double kMostDraws = 1u << 26;
constexpr std::uint64_t kLeastDrawn = 30;
const std::vector<std::string> kRecompute{"none", "selective", "full"};

std::vector<ParamSpec> parameters()
{
    std::vector<ParamSpec> all;
    for (ParamSpec& each : jobParams()) { // the batch follows from the GPUs here
        if (each.name == "global_batch" || each.name == "optimizer")
            continue;
        if (each.name == kModel)
            each.defaultValue = std::string("llama-3-8b");
        all.push_back(std::move(each));
    }
    ParamSpec factor = amountParam("factor", "Straggler's factor", "", 1000, 1.5, "Of a straggler's step.");
    factor.min = 1;
    ParamSpec probability = amountParam("probability", "Stragglers", "", 1, 0.001, "Probability, a rank and step.");
    all.push_back(integerParam("micro_batch", "Micro-batch", "sequences", 1, 4096, 1, ParamScale::Log2,
                               "Sequences of a GPU in a step."));
    all.push_back(amountParam("bucket", "Bucket", "bytes", 1e12, 25.0 * (1 << 20),
                              "Gradients that are reduced together. PyTorch's DDP takes 25 MiB."));
    all.push_back(switchParam("overlap", "Overlap", true, "0: reductions begin after the backward pass."));
    all.push_back(choiceParam("recompute", "Recompute", kRecompute, "none",
                              "What the backward pass computes again: MFU does not count it, HFU does."));
    all.push_back(choiceParam("jitter", "Jitter", {jitterNames().begin(), jitterNames().end()}, "normal",
                              "How steps of ranks differ: normal around the usual one, exponential beyond it, or exact "
                              "but for stragglers."));
    all.push_back(amountParam("spread", "Spread", "", 10, 0.02,
                              "Deviation of normal, mean of exponential jitter, as a share of the step."));
    all.push_back(probability);
    all.push_back(factor);
    all.push_back(integerParam("steps", "Steps", "", 1, 1 << 20, 200, ParamScale::Log2, "That are drawn."));
    return all;
}

std::vector<MetricSpec> metrics()
{
    return {
        {"step_time", "Step", "s", "Forward, backward, exposed reduction, all for the slowest rank."},
        {"compute_time", "Arithmetic", "s", "Forward and backward of a usual rank."},
        {"backward_time", "Backward", "s", "Of a usual rank."},
        {"reduction_time", "Reductions", "s", "Of all buckets, hidden or not."},
        {"exposed", "Exposed reduction", "s", "After the backward pass."},
        {"hidden_share", "Hidden share", "1", "Of the reductions' time."},
        {"buckets", "Buckets", "buckets", "Of a step."},
        {"best_bucket", "Best bucket", "bytes", "The power of two from 1 MiB on with the least exposed time."},
        {"longest", "Slowest rank", "1", "Mean of the longest step of all ranks over a usual one, by the closed form."},
        {"longest_simulated", "Slowest rank, drawn", "1", "The same from drawn steps."},
        {"efficiency", "Scaling efficiency", "1", "A usual rank's arithmetic over the step."},
        {"mfu", "MFU", "1", "Model FLOP over peak."},
        {"hfu", "HFU", "1", "The same with what is computed again."}};
}

class OverlapExperiment : public Experiment {
public:
    OverlapExperiment()
    {
        m_info.id = "overlap";
        m_info.title = "Overlap and stragglers";
        m_info.version = 2; // 2: constants of megatron_2021
        m_info.module = 6;
        m_info.summary = "Reduces gradients in buckets under the backward pass and waits for the slowest of all ranks.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = metrics();
        m_info.limits = {{"step_time", "arithmetic alone", "lower", "forward and backward of a usual rank",
                          "a step cannot end before its arithmetic"}};
        m_info.charts = {
            {"exposed_over_bucket", "Exposed over bucket", "bucket", "exposed", ParamScale::Log2, ParamScale::Log2},
            {"efficiency_over_gpus", "Efficiency over GPUs", "gpus", "efficiency", ParamScale::Log2},
            {"longest_over_gpus", "Slowest rank over GPUs", "gpus", "longest", ParamScale::Log2},
            {"efficiency_over_spread", "Efficiency over spread", "spread", "efficiency"}};
        m_info.scene = "lanes";
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

void draw(const OverlapRun& run, std::span<const LayerGradient> layers, const std::string& title, RunContext& context)
{
    LaneTraceBuilder lanes(title, "ms");
    const std::uint32_t compute = lanes.lane("backward"), network = lanes.lane("network");
    const std::uint8_t work = lanes.state("backward", TraceColor::Series1);
    const std::uint8_t hidden = lanes.state("reduction", TraceColor::Series3);
    const std::uint8_t exposed = lanes.state("exposed reduction", TraceColor::Warn, "!");
    double at = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        lanes.span(compute, at * 1e3, (at + layers[i].seconds) * 1e3, work,
                   fmt::format("layer {}", layers.size() - 1 - i));
        at += layers[i].seconds;
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(run.buckets.size(), 20000); ++i)
        lanes.span(network, run.buckets[i].begin * 1e3, run.buckets[i].end * 1e3,
                   run.buckets[i].end > run.backward ? exposed : hidden, fmt::format("bucket {}", i));
    context.trace(LaneTrace::kKind, encodeLaneTrace(lanes.take()));
}

Result<void> OverlapExperiment::run(const ParamSet& params, RunContext& context) const
{
    ParamSet whole = params;
    const auto gpus = static_cast<double>(integer(params, "gpus"));
    const auto micro = static_cast<double>(integer(params, "micro_batch"));
    whole["global_batch"] = static_cast<std::int64_t>(gpus * micro);
    whole["optimizer"] = std::string("adam");
    auto job = jobOf(whole);
    if (!job)
        return job.error();
    TrainingPlan plan;
    plan.data = gpus;
    plan.microBatch = micro;
    plan.recompute = static_cast<workload::Recompute>(
        std::find(kRecompute.begin(), kRecompute.end(), choice(params, "recompute")) - kRecompute.begin());
    const PlanCosts costs = costsOf(*job, plan);

    // The backward pass goes from the logits through the layers to the embedding.
    std::vector<LayerGradient> layers;
    layers.push_back({costs.lastBackward + costs.lastWeights, 2 * costs.outputParameters});
    for (std::uint32_t i = 0; i < job->model.layers; ++i)
        layers.push_back(
            {costs.layerBackward + costs.layerWeights, 2 * (costs.layerParameters + costs.layerExpertParameters)});
    layers.push_back({costs.firstBackward, 2 * costs.embeddingParameters});
    const auto reduce = [&](double bytes) { return allReduceSeconds(job->system, {gpus, 1}, bytes); };
    const bool overlap = integer(params, "overlap") != 0;
    const auto run = runOverlap(layers, std::get<double>(params.at("bucket")), overlap, reduce);
    if (!run)
        return run.error();
    double best = 0, least = INFINITY;
    for (double size = 1 << 20; size <= 4e9; size *= 2)
        if (const auto other = runOverlap(layers, size, overlap, reduce); other && other->exposed() < least - 1e-12) {
            least = other->exposed();
            best = size;
        }

    JitterSetting jitter;
    jitter.kind = static_cast<Jitter>(std::find(jitterNames().begin(), jitterNames().end(), choice(params, "jitter")) -
                                      jitterNames().begin());
    jitter.spread = std::get<double>(params.at("spread"));
    jitter.probability = std::get<double>(params.at("probability"));
    jitter.factor = std::get<double>(params.at("factor"));
    const std::uint64_t steps = integer(params, "steps");
    if (gpus * static_cast<double>(steps) > kMostDraws)
        return Error{"too-large", fmt::format("{} steps of {} ranks are too many to draw", steps, gpus), "steps",
                     fmt::format("take at most {:.0f}", std::max(1.0, std::floor(kMostDraws / gpus)))};
    double error = 0;
    const double longest = expectedLongest(jitter, gpus);
    const double drawn = simulatedLongest(jitter, integer(params, "gpus"), steps, context.rng(), &error);

    const double forward = costs.firstForward + job->model.layers * costs.layerForward + costs.lastForward;
    const double compute = forward + run->backward, step = compute * longest + run->exposed();
    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    tell("step_time", step);
    tell("compute_time", compute);
    tell("backward_time", run->backward);
    tell("reduction_time", run->reduction);
    tell("exposed", run->exposed());
    if (run->reduction > 0)
        tell("hidden_share", 1 - run->exposed() / run->reduction);
    tell("buckets", static_cast<double>(run->buckets.size()));
    tell("best_bucket", best);
    tell("longest", longest);
    context.metric("longest_simulated", drawn, Provenance::Simulated);
    tell("efficiency", compute / step);
    const double peak = job->device.flopsPerSecond * step;
    tell("mfu", costs.modelFlops * micro / peak);
    tell("hfu", costs.hardwareFlops * micro / peak);
    context.limit("step_time", compute);
    // Where every step had a straggler, the drawn error is none.
    const double unseen = jitter.kind == Jitter::Straggler ? 6 * (jitter.factor - 1) / static_cast<double>(steps) : 0;
    if (steps >= kLeastDrawn) // fewer have no standard error to speak of
        context.check(
            "order statistics", std::abs(drawn - longest) <= 6 * error + unseen + 1e-9,
            fmt::format("{:.6f} drawn, {:.6f} by the closed form, standard error {:.2g}", drawn, longest, error));
    context.check("between nothing and all exposed",
                  run->exposed() >= -1e-12 && run->exposed() <= run->reduction + 1e-12,
                  fmt::format("{:.4g} s of {:.4g} s", run->exposed(), run->reduction));
    if (context.wantsTrace())
        draw(*run, layers, fmt::format("{}, {} buckets", job->model.title, run->buckets.size()), context);
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeOverlap()
{
    return std::make_unique<OverlapExperiment>();
}

} // namespace ridge::labs
