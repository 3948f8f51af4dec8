// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 7.3: tokens a second, watts and heat of a model on a small machine.
#include "serving/economics/edge.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/chip_params.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"
#include "workload/capacity.h"
#include "workload/kernel_time.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

using namespace serving;

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
    ParamSpec chip =
        chipParam("chip", "Chip", "orin-nano-8", "The machine; memory of edge and Apple chips is shared with the CPU.");
    if (chip.choiceTitles.empty())
        for (const ParamValue& each : chip.choices)
            chip.choiceTitles.push_back(std::get<std::string>(each));
    for (const EdgeDevice& each : appleDevices()) {
        chip.choices.emplace_back(each.id);
        chip.choiceTitles.push_back(each.title);
    }
    const auto atLeast = [](ParamSpec spec, double least) {
        spec.min = least;
        return spec;
    };
    return {
        chip,
        integerParam("gpus", "GPUs", "GPUs", 1, 64, 1, ParamScale::Log2,
                     "Layers are shared one after another: memory adds up, a token takes as long."),
        choiceParam("runtime", "Runtime", {edgeRuntimeNames().begin(), edgeRuntimeNames().end()}, "llama.cpp",
                    "Which constants are taken. own: share and per_layer, as given."),
        modelParam("llama-3-8b", "The model."),
        choiceParam("format", "Format", formats(), "q4_k_m", "Of weights: a mix of GGUF files, or a number format."),
        choiceParam("phase", "Phase", {"decode", "prefill"}, "decode", "Whose tokens a second are told."),
        integerParam("prompt", "Prompt", "tokens", 0, 1 << 22, 512, ParamScale::Log2, "Before the first token."),
        integerParam("output", "Output", "tokens", 1, 1 << 22, 128, ParamScale::Log2, "That are generated."),
        amountParam("power_cap", "Power cap", "W", 1e5, 0, "0: the datasheet's power."),
        amountParam("full_power", "Full power", "W", 1e5, 0, "At full load without a cap. 0: the datasheet's."),
        amountParam("idle_share", "Idle power", "", 1, 0.3, "Share of the full power that flows without work."),
        amountParam("share", "Bandwidth share", "", 1, 0, "Of the pins. 0: the family's."),
        amountParam("per_layer", "Time a layer", "s", 1, 0, "Kernels and host, a token. 0: the family's."),
        amountParam("ambient", "Air", "°C", 100, 25, "Around the machine."),
        amountParam("limit_temperature", "Limit", "°C", 150, 85, "At which it throttles."),
        atLeast(amountParam("thermal_resistance", "Thermal resistance", "K/W", 1000, 3, "From chip to air."), 1e-4),
        atLeast(amountParam("heat_capacity", "Heat capacity", "J/K", 1e7, 150, "Of chip and cooler."), 1e-3)};
}

std::vector<MetricSpec> metrics()
{
    return {
        {"tokens_per_second", "Tokens per second", "tokens/s", "Of the phase, before it throttles."},
        {"decode_rate", "Generated", "tokens/s", "In the middle of the output."},
        {"prefill_rate", "Taken in", "tokens/s", "Of the prompt."},
        {"time_to_first_token", "First token", "s", "The prompt's pass."},
        {"bound_rate", "Most that memory allows", "tokens/s", "Bytes of a token at the pins' bandwidth."},
        {"fits", "Fits", "1", "1 where weights and cache fit in the usable memory: 90 %, or 75 % of shared memory."},
        {"memory", "Memory", "bytes", "Weights and cache at the end."},
        {"power", "Power", "W", "While it works; none where it is not known."},
        {"energy_per_token", "Energy of a token", "J", "Power over tokens per second."},
        {"steady_temperature", "Temperature in the end", "°C", "If it did not throttle."},
        {"throttles", "Throttles", "1", "1 where it reaches the limit at this power."},
        {"throttle_time", "Time until it throttles", "s", "From a cold start. None where it never does."},
        {"sustained_rate", "Tokens per second for ever", "tokens/s", "At the power that the cooler takes away."}};
}

class EdgeExperiment : public Experiment {
public:
    EdgeExperiment()
    {
        m_info.id = "edge";
        m_info.title = "A model on a small machine";
        m_info.module = 7;
        m_info.summary = "Estimates tokens a second, energy and heat from bandwidth, a power cap and a cooler.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = metrics();
        m_info.limits = {
            {"decode_rate", "pins", "upper", "bandwidth / (weights + cache)", "a token reads every weight once"}};
        m_info.charts = {
            {"rate_over_format", "Tokens per second over format", "format", "tokens_per_second", ParamScale::List},
            {"rate_over_chip", "Tokens per second over chip", "chip", "tokens_per_second", ParamScale::List,
             ParamScale::Log2},
            {"rate_over_cap", "Tokens per second over cap", "power_cap", "tokens_per_second"},
            {"energy_over_cap", "Energy over cap", "power_cap", "energy_per_token"},
            {"throttle_over_cap", "Time until it throttles", "power_cap", "throttle_time"}};
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<EdgeDevice> deviceNamed(const std::string& id)
{
    for (const EdgeDevice& each : appleDevices())
        if (each.id == id)
            return each;
    static const auto catalogue = silicon::shippedCatalogue();
    if (!catalogue)
        return catalogue.error();
    const auto chip = catalogue->find(id);
    if (!chip)
        return chip.error();
    return edgeDevice(*chip);
}

Result<void> EdgeExperiment::run(const ParamSet& params, RunContext& context) const
{
    const auto real = [&](const char* name) { return std::get<double>(params.at(name)); };
    auto device = deviceNamed(choice(params, "chip"));
    if (!device)
        return device.error();
    const auto model = modelOf(params);
    if (!model)
        return model.error();
    if (model->kind != workload::ModelKind::Decoder)
        return Error{"bad-model", model->title + " generates no tokens", "model", "take a decoder"};
    const std::string& format = choice(params, "format");
    EdgeSetting s;
    s.runtime = static_cast<EdgeRuntime>(
        std::find(edgeRuntimeNames().begin(), edgeRuntimeNames().end(), choice(params, "runtime")) -
        edgeRuntimeNames().begin());
    const double gguf = workload::ggufBytes(*model, format);
    s.weightBytes =
        gguf > 0 ? gguf : workload::parameters(*model) * workload::weightBytes(workload::dtypeNamed(format));
    s.blocks = format.find("_k") != std::string::npos;
    s.prompt = static_cast<double>(integer(params, "prompt"));
    s.output = static_cast<double>(integer(params, "output"));
    s.gpus = static_cast<double>(integer(params, "gpus"));
    if (s.runtime == EdgeRuntime::Own && (real("share") <= 0 || real("per_layer") <= 0))
        return Error{"bad-value", "the runtime \"own\" has no constants", "parameters share and per_layer",
                     "give both, as 0.8 and 0.0001"};
    if (real("share") > 0)
        device->share = real("share");
    if (real("per_layer") > 0) {
        device->perLayer = real("per_layer");
        if (s.runtime != EdgeRuntime::LlamaCpp)
            device->perLayer /= 0.55; // as it is given
    }
    const bool prefill = choice(params, "phase") == "prefill";
    if (prefill && (s.prompt < 1 || device->flopsPerSecond <= 0))
        return Error{"bad-value",
                     s.prompt < 1 ? "there is no prompt" : "the table does not know how fast this chip computes",
                     "phase", s.prompt < 1 ? "give a prompt" : "take decode"};
    const EdgeResult result = runEdge(*device, *model, s);

    const double datasheet = device->watts * s.gpus;
    const double full = real("full_power") > 0 ? real("full_power") : datasheet;
    const double idle = real("idle_share") * full, cap = real("power_cap") > 0 ? real("power_cap") : full;
    if (full > 0 && cap <= idle)
        return Error{"bad-value",
                     fmt::format("a cap of {:.4g} W is no more than the {:.4g} W that flow without work", cap, idle),
                     "power_cap", fmt::format("give more than {:.4g} W", idle)};
    const auto rate = [&](double seconds, double tokens, double watts, bool bound) {
        return seconds > 0 ? tokens / seconds * (full > 0 ? cappedSpeed(watts, idle, full, bound) : 1) : 0;
    };
    const double decode = rate(result.decodeSeconds, 1, cap, false);
    const double fill = rate(result.prefillSeconds, s.prompt, cap, true);
    const double shown = prefill ? fill : decode;
    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    tell("tokens_per_second", shown);
    tell("decode_rate", decode);
    if (fill > 0) {
        tell("prefill_rate", fill);
        tell("time_to_first_token", s.prompt / fill);
    }
    tell("bound_rate", 1 / result.boundSeconds);
    tell("fits", result.fits);
    tell("memory", result.memory);
    if (full > 0) {
        const double watts = std::min(cap, full);
        const ThermalSetting t{real("ambient"), real("limit_temperature"), real("thermal_resistance"),
                               real("heat_capacity")};
        const double until = throttleTime(t, watts), held = sustainedWatts(t);
        tell("power", watts);
        tell("energy_per_token", watts / shown);
        tell("steady_temperature", t.ambient + watts * t.resistance);
        tell("throttles", until >= 0);
        if (until >= 0)
            tell("throttle_time", until);
        const double lasting = until < 0 ? watts : std::min(watts, held);
        tell("sustained_rate", lasting <= idle ? 0
                                               : (prefill ? rate(result.prefillSeconds, s.prompt, lasting, true)
                                                          : rate(result.decodeSeconds, 1, lasting, false)));
        if (until > 0)
            context.check("the limit is reached then", std::abs(temperatureAt(t, watts, until) - t.limit) < 1e-6,
                          fmt::format("{:.6f} °C after {:.4g} s", temperatureAt(t, watts, until), until));
    }
    context.limit("decode_rate", 1 / result.boundSeconds);
    context.check("no faster than the pins", decode <= 1 / result.boundSeconds * (1 + 1e-9),
                  fmt::format("{:.4g} tokens/s, at most {:.4g}", decode, 1 / result.boundSeconds));
    if (!device->fitted)
        context.log("no published rows of this family were at hand: its constants are assumed");
    if (!result.fits)
        context.log(fmt::format("does not fit: {:.2f} GB of {:.2f} GB", result.memory / 1e9,
                                device->usableMemory * device->memoryBytes * s.gpus / 1e9));
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeEdge()
{
    return std::make_unique<EdgeExperiment>();
}

} // namespace ridge::labs
