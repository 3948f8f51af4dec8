// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 5.4: what a phase of a model computes and moves, and how long its kernels take.
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/chip_params.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"
#include "workload/explorer.h"
#include "workload/gpu_choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

constexpr const char* kWholeStep = "step";

/// What the parameter "operator" calls kernels, and what lists of the workload engine call them.
struct Kind {
    const char* id;
    const char* name;
    const char* title;
};
constexpr Kind kKinds[] = {{"embedding", "embedding", "Embedding"},
                           {"norm", "residual sum and norm", "Residual sum and norm"},
                           {"qkv", "queries, keys, values", "Queries, keys, values"},
                           {"rotation", "rotation and cache write", "Rotation and cache write"},
                           {"attention", "attention", "Attention"},
                           {"attention_out", "attention output", "Attention output"},
                           {"gate_up", "gate and up", "Gate and up"},
                           {"up", "up", "Up"},
                           {"activation", "activation and product", "Activation and product"},
                           {"down", "down", "Down"},
                           {"router", "router", "Router"},
                           {"experts", "experts", "Experts"},
                           {"experts_down", "experts, down", "Experts, down"},
                           {"logits", "logits", "Logits"}};

ParamSpec operatorParam()
{
    std::vector<std::string> ids{kWholeStep}, titles{"Whole step"};
    for (const Kind& kind : kKinds) {
        ids.emplace_back(kind.id);
        titles.emplace_back(kind.title);
    }
    ParamSpec spec = choiceParam("operator", "Kernel", ids, kWholeStep,
                                 "Which kernel of the step is reported, all its launches together. Names are those of "
                                 "fused kernels.");
    spec.choiceTitles = std::move(titles);
    return spec;
}

/// Leaves of `operators` the ones that are asked for. Errors: "no-operator" with those that there are.
Result<void> keepOnly(std::vector<workload::Operator>& operators, const std::string& id)
{
    if (id == kWholeStep)
        return {};
    std::string name, there;
    for (const Kind& kind : kKinds) {
        if (id == kind.id)
            name = kind.name;
        if (std::any_of(operators.begin(), operators.end(), [&](const auto& op) { return op.name == kind.name; }))
            there += (there.empty() ? "" : ", ") + std::string(kind.id);
    }
    std::erase_if(operators, [&](const workload::Operator& op) { return op.name != name; });
    if (operators.empty())
        return Error{"no-operator", "this step has no kernel \"" + name + "\"", "parameter operator",
                     there.empty() ? "take step" : "take one of " + there};
    return {};
}

std::vector<ParamSpec> parameters()
{
    return {subjectParam("llama-3-8b", "The model whose kernels are listed."),
            networkParam(),
            choiceParam("phase", "Phase", {"prefill", "decode", "training", "inference"}, "decode",
                        "prefill: a prompt of every sequence. decode: one token of every sequence. training: forward, "
                        "backward and the optimizer. inference: one pass, as prefill."),
            integerParam("batch", "Batch", "sequences", 1, 1 << 20, 1, ParamScale::Log2,
                         "Sequences, or images, of the step."),
            integerParam("context", "Context", "tokens", 1, 1 << 24, 1024, ParamScale::Log2,
                         "Tokens of a sequence: its prompt, or what it holds in decode, the new token included."),
            chipParam("chip", "GPU", "h100-sxm", "The GPU that runs it."),
            integerParam("gpus", "GPUs", "GPUs", 1, 64, 1, ParamScale::Log2,
                         "Of one server, which share every layer (tensor parallel)."),
            dtypeParam("Of weights and products. int4 is of weights alone."),
            switchParam("fused", "Fused kernels", true,
                        "1: neighbours are one kernel, attention keeps its scores on the chip, and a CUDA graph "
                        "launches. 0: a kernel for each step."),
            choiceParam("kv_dtype", "Cache format", {"bf16", "fp8", "fp32"}, "bf16", "Of cached keys and values."),
            amountParam("kv_memory", "Cache memory", "bytes", 1e15, 0,
                        "Memory for keys and values. 0: what 90 % of the GPUs' memory leaves beside the weights."),
            operatorParam(),
            amountParam("peak", "Own peak", "FLOP/s", 1e18, 0, "Of another chip than the table has. 0: the GPU's."),
            amountParam("bandwidth", "Own bandwidth", "B/s", 1e15, 0,
                        "Of another chip. 0: the GPU's. With an own peak or bandwidth only bound_time is of that chip: "
                        "what kernels reach stays the GPU's share.")};
}

std::vector<MetricSpec> metrics()
{
    return {
        {"parameters", "Parameters", "1", "Weights of the model, exactly."},
        {"active_parameters", "Active parameters", "1", "Those that one token uses; fewer where experts are chosen."},
        {"kv_bytes_per_token", "Cache of a token", "bytes", "Keys and values that one token keeps in all layers."},
        {"flops", "Work", "FLOP", "Of the step, of all GPUs together."},
        {"bytes", "Traffic", "bytes", "Weights, activations and cache read and written, of all GPUs together."},
        {"weight_bytes", "Traffic of weights", "bytes", "The part of weights."},
        {"activation_bytes", "Traffic of activations", "bytes", "The part of values between kernels."},
        {"kv_bytes", "Traffic of the cache", "bytes", "The part of keys and values."},
        {"intensity", "Intensity", "FLOP/byte", "Work over traffic; below the GPU's ridge memory is the bound."},
        {"launches", "Kernels", "launches", "Of one GPU."},
        {"bound_time", "Least time", "s", "Each kernel at the datasheet's arithmetic or bandwidth, the longer one."},
        {"time", "Time", "s", "Each kernel as the kernel-time function has it, links between GPUs included."},
        {"kv_slots", "Tokens in the cache", "tokens", "Whole tokens that kv_memory holds."},
        {"rate", "Rate", "FLOP/s", "Work over time; at most the roofline at this intensity."},
        {"peak_rate", "Peak", "FLOP/s", "Of one GPU, dense, in this format."},
        {"pin_bandwidth", "Bandwidth", "B/s", "Of the memory of one GPU, at the pins."},
        {"ridge", "Ridge", "FLOP/byte", "Peak over bandwidth: where the roofline bends."},
        {"step_share", "Share of the step", "1", "Time of this kernel over that of the whole step."}};
}

class WorkloadExperiment : public Experiment {
public:
    WorkloadExperiment()
    {
        m_info.id = "workload";
        m_info.title = "Kernels of a model";
        m_info.module = 5;
        m_info.summary = "Lists the kernels of a model's phase and adds up what they compute, move and take.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = metrics();
        m_info.charts = {
            {"time_over_batch", "Time over batch", "batch", "time", ParamScale::Log2, ParamScale::Log2},
            {"intensity_over_batch", "Intensity over batch", "batch", "intensity", ParamScale::Log2, ParamScale::Log2},
            {"time_over_context", "Time over context", "context", "time", ParamScale::Log2, ParamScale::Log2},
            {"time_over_chip", "Time over GPU", "chip", "time", ParamScale::List, ParamScale::Log2},
            {"time_over_phase", "Time over phase", "phase", "time", ParamScale::List, ParamScale::Log2},
            {"intensity_over_phase", "Intensity over phase", "phase", "intensity", ParamScale::List, ParamScale::Log2},
            {"bound_over_batch", "Least time over batch", "batch", "bound_time", ParamScale::Log2, ParamScale::Log2},
            {"share_over_operator", "Share of the step", "operator", "step_share", ParamScale::List},
            {"operators",
             "Kernels on the roofline",
             "intensity",
             "rate",
             ParamScale::Log2,
             ParamScale::Log2,
             "roofline",
             {"peak_rate", "pin_bandwidth"}}};
        m_info.limits = {{"time", "roofline of every kernel", "lower", "sum of max(FLOP / peak, bytes / bandwidth)",
                          "dense peaks and pin bandwidths of the chip table"},
                         {"rate", "roofline", "upper", "min(peak, intensity x bandwidth)",
                          "dense peaks and pin bandwidths of the chip table"}};
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> WorkloadExperiment::run(const ParamSet& params, RunContext& context) const
{
    const auto model = subjectOf(params);
    if (!model)
        return model.error();
    auto device = deviceOf(params);
    if (!device)
        return device.error();
    if (const double peak = std::get<double>(params.at("peak")); peak > 0)
        device->flopsPerSecond = device->halfFlopsPerSecond = peak;
    if (const double bandwidth = std::get<double>(params.at("bandwidth")); bandwidth > 0)
        device->bytesPerSecond = bandwidth;
    workload::Step step;
    const std::string& phase = choice(params, "phase");
    step.phase = phase == "decode"     ? workload::Phase::Decode
                 : phase == "training" ? workload::Phase::Training
                                       : workload::Phase::Prefill;
    step.batch = static_cast<double>(integer(params, "batch"));
    step.context = static_cast<double>(integer(params, "context"));
    step.gpus = static_cast<double>(integer(params, "gpus"));
    step.fused = integer(params, "fused") != 0;
    step.dtype = device->dtype;
    step.kvBytes = workload::weightBytes(workload::dtypeNamed(choice(params, "kv_dtype")));
    if (auto good = workload::checkStep(*model, step); !good)
        return good.error();

    std::vector<workload::Operator> operators;
    workload::listOperators(*model, step, operators);
    const double whole = workload::stepSeconds(*device, operators, step);
    if (auto found = keepOnly(operators, choice(params, "operator")); !found)
        return found.error();
    const workload::Totals totals = workload::totalsOf(operators);
    const double bound = workload::boundSeconds(*device, operators);
    const double time = workload::stepSeconds(*device, operators, step);
    const double perToken = workload::kvBytesPerToken(*model, step.kvBytes);

    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    tell("parameters", workload::parameters(*model));
    tell("active_parameters", workload::activeParameters(*model));
    tell("kv_bytes_per_token", perToken);
    tell("flops", totals.flops * step.gpus);
    tell("bytes", totals.bytes() * step.gpus);
    tell("weight_bytes", totals.weightBytes * step.gpus);
    tell("activation_bytes", totals.activationBytes * step.gpus);
    tell("kv_bytes", totals.kvBytes * step.gpus);
    tell("intensity", totals.flops / totals.bytes());
    tell("launches", totals.launches);
    tell("bound_time", bound);
    tell("time", time);
    // Where an encoder's output is kept as well, no number of tokens alone fills the memory.
    if (perToken > 0 && workload::crossKvBytesPerToken(*model, step.kvBytes) == 0) {
        double memory = std::get<double>(params.at("kv_memory"));
        if (memory <= 0)
            memory = std::max(0.0, step.gpus * workload::kUsableMemory * device->memoryBytes -
                                       workload::parameters(*model) * workload::weightBytes(step.dtype));
        tell("kv_slots", std::floor(memory / perToken));
    }
    const double ridge = device->flopsPerSecond / device->bytesPerSecond;
    tell("rate", totals.flops / time);
    tell("peak_rate", device->flopsPerSecond);
    tell("pin_bandwidth", device->bytesPerSecond);
    tell("ridge", ridge);
    tell("step_share", time / whole);
    context.limit("rate", std::min(device->flopsPerSecond, totals.flops / totals.bytes() * device->bytesPerSecond));
    context.limit("time", bound);
    context.check("no faster than the roofline", time >= bound * (1 - 1e-9),
                  fmt::format("{:.4g} s, at least {:.4g} s", time, bound));
    for (const std::string& assumed : model->assumed)
        context.log("of the model's file: " + assumed);
    for (const workload::Operator& op : operators)
        context.log(fmt::format("{} x {:.0f}: {}, {:.4g} FLOP, {:.4g} B", op.name, op.count, workload::toText(op.kind),
                                op.flops, op.bytes()));
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeWorkload()
{
    return std::make_unique<WorkloadExperiment>();
}

} // namespace ridge::labs
