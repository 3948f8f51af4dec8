// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 5.8: what of a model lies in the memory of one GPU.
#include "workload/capacity.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/chip_params.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

const std::vector<std::string> kOptimizers{"adam", "adam_fp32_grads", "adam_8bit", "sgd", "inference", "adam_moments"};
const std::vector<std::string> kRecompute{"none", "selective", "full"};

template<class T>
T chosen(const std::vector<std::string>& names, const std::string& name)
{
    return static_cast<T>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::vector<std::string> formats()
{
    std::vector<std::string> names(workload::dtypeNames().begin(), workload::dtypeNames().end());
    for (const std::string& each : workload::ggufFormats())
        if (std::find(names.begin(), names.end(), each) == names.end())
            names.push_back(each);
    return names;
}

std::vector<ParamSpec> parameters()
{
    const auto ways = [](const char* name, const char* title, double most, const char* help) {
        return integerParam(name, title, "", 1, most, 1, ParamScale::Log2, help);
    };
    ParamSpec zero = integerParam("zero", "ZeRO stage", "", 0, 3, 0, ParamScale::List,
                                  "What the replicas share: 1 the optimizer's state, 2 gradients too, 3 weights too.");
    zero.choices = {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}};
    return {
        modelParam("llama-3-8b", "The model."),
        configParam(),
        choiceParam("dtype", "Format of weights", formats(), "bf16",
                    "A number format, or the mix of a GGUF file as q4_k_m."),
        integerParam("batch", "Batch", "sequences", 1, 1 << 20, 1, ParamScale::Log2,
                     "Sequences of one replica at a time: the micro-batch."),
        integerParam("sequence", "Sequence", "tokens", 1, 1 << 24, 2048, ParamScale::Log2, "Tokens of each."),
        ways("tp", "Tensor parallel", 1024, "GPUs that share every layer."),
        ways("pp", "Pipeline stages", 1024, "GPUs in a row, each with its layers."),
        ways("dp", "Replicas", 1 << 20, "GPUs in each direction of data parallelism."),
        zero,
        ways("interleave", "Pieces of a stage", 64, "More than 1: interleaved 1F1B, which keeps more micro-batches."),
        switchParam("sequence_parallel", "Sequence parallel", false,
                    "1: the GPUs of a layer share norms and masks along the sequence too."),
        choiceParam("recompute", "Recompute", kRecompute, "none",
                    "selective: scores are computed again. full: only each layer's input is kept."),
        choiceParam(
            "optimizer", "Optimizer", kOptimizers, "adam",
            "Bytes of gradient and state a weight: adam 2 + 12, adam_fp32_grads 4 + 12, adam_8bit 2 + 6, "
            "sgd 2 + 8, adam_moments 0 + 8 (gradients not counted, no fp32 weights); inference has neither, nor "
            "activations."),
        switchParam("flash_attention", "Scores on the chip", false,
                    "1: attention never holds its scores, as FlashAttention does."),
        amountParam("parameters", "Parameters", "", 1e15, 0, "In place of the model's own; 0: the model's."),
        choiceParam("kv_dtype", "Cache format", {"bf16", "fp8", "int8", "int4", "fp32"}, "bf16",
                    "Of cached keys and values."),
        chipParam("chip", "GPU", "h100-sxm", "Whose memory it has to fit in."),
        amountParam("gpu_memory", "GPU memory", "bytes", 1e15, 0, "In place of the GPU's own; 0: the GPU's."),
        amountParam("overhead", "Overhead", "bytes", 1e12, 0,
                    "Context of the driver, buffers of the communication and all else that no formula gives."),
        amountParam("fragmentation", "Fragmentation", "", 0.9, 0,
                    "Share of the reserved memory that is never full, as experiment allocator measures it.")};
}

std::vector<MetricSpec> metrics()
{
    return {
        {"weights", "Weights", "bytes", "On the GPU that holds the most."},
        {"gradients", "Gradients", "bytes", "On that GPU."},
        {"optimizer", "Optimizer", "bytes", "Its fp32 weights and moments on that GPU."},
        {"states", "Weights, gradients, optimizer", "bytes", "The three together."},
        {"activations", "Activations", "bytes", "What the layers keep for the backward pass, on that GPU."},
        {"outside_activations", "Activations outside", "bytes", "Those of embedding, last norm and logits."},
        {"kv", "Cache", "bytes", "Keys and values of the batch in 16 bits, on that GPU, if it is served."},
        {"total", "Together", "bytes", "Training: states and activations. Inference: weights and cache."},
        {"file_size", "File", "bytes", "All weights of the model in that format."},
        {"bytes_per_parameter", "Bytes a parameter", "bytes", "Weights, gradients and optimizer over the parameters."},
        {"gathered", "Gathered", "bytes", "ZeRO 3: the largest layer's weights and gradients while it works."},
        {"need", "Needed", "bytes", "Together, gathered and overhead, over 1 - fragmentation."},
        {"gpu_memory", "GPU memory", "bytes", "That there is."},
        {"left", "Left", "bytes", "Of it; below 0 where it does not fit."},
        {"fits", "Fits", "1", "1 where what is needed is there."},
        {"concurrency", "Together at most", "sequences",
         "Sequences whose cache fits beside the weights and the overhead, if the model is served."}};
}

class CapacityExperiment : public Experiment {
public:
    CapacityExperiment()
    {
        m_info.id = "capacity";
        m_info.title = "Memory of a model";
        m_info.module = 5;
        m_info.summary = "Adds up weights, gradients, optimizer, activations and cache on one GPU of a plan.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = metrics();
        m_info.limits = {{"states", "the weights alone", "lower", "weights of one GPU",
                          "gradients and optimizer state come on top of the weights they belong to"}};
        m_info.charts = {
            {"total_over_batch", "Memory over batch", "batch", "total", ParamScale::Log2, ParamScale::Log2},
            {"activations_over_recompute", "Activations over recompute", "recompute", "activations", ParamScale::List},
            {"activations_over_sequence", "Activations over sequence", "sequence", "activations", ParamScale::Log2,
             ParamScale::Log2},
            {"states_over_optimizer",
             "States by optimizer",
             "optimizer",
             "states",
             ParamScale::List,
             ParamScale::Linear,
             "cost",
             {"weights", "gradients", "optimizer"}},
            {"states_over_zero", "States over ZeRO stage", "zero", "states", ParamScale::List},
            {"concurrency_over_sequence", "Sequences together over length", "sequence", "concurrency", ParamScale::Log2,
             ParamScale::Log2},
            {"file_over_dtype", "File over format", "dtype", "file_size", ParamScale::List}};
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> CapacityExperiment::run(const ParamSet& params, RunContext& context) const
{
    const auto model = modelOf(params);
    if (!model)
        return model.error();
    static const auto catalogue = silicon::shippedCatalogue();
    if (!catalogue)
        return catalogue.error();
    const auto chip = chipOf(*catalogue, params, "chip");
    if (!chip)
        return chip.error();
    const auto amount = [&](const char* name) { return std::get<double>(params.at(name)); };
    const std::string& format = choice(params, "dtype");
    const double count = workload::parameters(*model);
    const double gguf = workload::ggufBytes(*model, format);
    workload::CapacityPlan plan;
    plan.weightBytes = gguf > 0 ? gguf / count : workload::weightBytes(workload::dtypeNamed(format));
    const auto number = [&](const char* name) { return static_cast<double>(integer(params, name)); };
    plan.batch = number("batch");
    plan.sequence = number("sequence");
    plan.tensor = number("tp");
    plan.pipeline = number("pp");
    plan.data = number("dp");
    plan.zero = static_cast<int>(number("zero"));
    plan.interleave = number("interleave");
    plan.sequenceParallel = number("sequence_parallel") != 0;
    plan.flashAttention = number("flash_attention") != 0;
    plan.recompute = chosen<workload::Recompute>(kRecompute, choice(params, "recompute"));
    plan.optimizer = chosen<workload::Optimizer>(kOptimizers, choice(params, "optimizer"));
    plan.parameters = amount("parameters");
    plan.kvBytes = workload::weightBytes(workload::dtypeNamed(choice(params, "kv_dtype")));
    if (auto good = workload::checkPlan(*model, plan); !good)
        return good.error();
    const workload::Capacity capacity = workload::capacityOf(*model, plan);
    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    tell("weights", capacity.weights);
    tell("gradients", capacity.gradients);
    tell("optimizer", capacity.optimizer);
    tell("states", capacity.states());
    tell("activations", capacity.activations);
    tell("outside_activations", capacity.outsideActivations);
    tell("kv", capacity.kv);
    const bool served = plan.optimizer == workload::Optimizer::Inference;
    const double total = served ? capacity.weights + capacity.kv
                                : capacity.states() + capacity.activations + capacity.outsideActivations;
    tell("total", total);
    tell("file_size", plan.weightBytes * (plan.parameters > 0 ? plan.parameters : count));
    const workload::Capacity whole = [&] { // before any GPU shares it
        workload::CapacityPlan alone = plan;
        alone.tensor = alone.pipeline = alone.data = alone.interleave = 1;
        return workload::capacityOf(*model, alone);
    }();
    tell("bytes_per_parameter", whole.states() / whole.parameters);
    tell("gathered", capacity.gathered);
    const double full = 1 - amount("fragmentation");
    const double need = (total + capacity.gathered + amount("overhead")) / full;
    const double memory = amount("gpu_memory") > 0 ? amount("gpu_memory") : chip->memoryBytes.value.value_or(0);
    tell("need", need);
    tell("gpu_memory", memory);
    tell("left", memory - need);
    tell("fits", need <= memory ? 1 : 0);
    if (capacity.kv > 0) {
        const double room = memory * full - capacity.weights - capacity.gathered - amount("overhead");
        tell("concurrency", std::max(0.0, std::floor(room / (capacity.kv / plan.batch))));
    }
    context.limit("states", capacity.weights);
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeCapacity()
{
    return std::make_unique<CapacityExperiment>();
}

} // namespace ridge::labs
