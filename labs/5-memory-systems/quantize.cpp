// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 5.6: what a tensor loses in a format, by what shares a scale.
#include "memory/quantize.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "labs/harness/quant_params.h"
#include "memory/calibrated.h"
#include "memory/samples.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ridge::labs {
namespace {

using namespace memory;

const std::vector<std::string> kDistributions{"normal", "laplace", "student_t5", "normal_outliers"}; // as Distribution
constexpr std::size_t kMostInputs = 1u << 24; // elements that the layer is given: 64 MiB
constexpr std::size_t kCompared = 4096;       // samples that are cast a second time, one by one
constexpr double kBitIn = 6.0205999132796;    // dB: 20 log10(2)

std::vector<ParamSpec> tensorParameters()
{
    return {
        quantFormatParam("Of the elements."),
        granularityParam(),
        scalingParam(),
        methodParam("All others take the samples for the weights of a layer and look at inputs that it saw."),
        choiceParam("distribution", "Distribution", kDistributions, "normal",
                    "Of the samples, as numpy draws them. normal_outliers: one of 1000 is 20 times as large "
                    "(LLM.int8())."),
        integerParam("count", "Samples", "elements", 1, 1 << 24, 1 << 18, ParamScale::Log2, "Elements in all."),
        integerParam("columns", "Columns", "elements", 1, 1 << 24, 4096, ParamScale::Log2,
                     "Elements of a row, which is a channel; groups do not cross rows."),
        integerParam("seed", "Seed", "", 0, 9e15, 12345, ParamScale::Linear,
                     "Of numpy.random.default_rng, whose samples these are."),
        fileParam("samples", "Samples from a file", "Samples (*.f64 *.bin *.npy)",
                  "float64, as numpy's tofile or save writes them, in place of distribution, count and seed."),
        integerParam("tokens", "Tokens", "tokens", 0, 8192, 128, ParamScale::Log2,
                     "Inputs of the layer. Methods look at so many, and output_sqnr is of as many others. 0: none, "
                     "for rtn alone."),
        integerParam("outlier_every", "An outlier channel of", "channels", 0, 1 << 20, 128, ParamScale::Log2,
                     "Input channels, one of which is larger in every token. 0: there is none."),
        integerParam("outlier_factor", "Size of outliers", "", 1, 10000, 20, ParamScale::Log2,
                     "How many times as large as the others such a channel is."),
        integerParam("shared", "Common to channels", "%", 0, 99, 90, ParamScale::Linear,
                     "Of the inputs' variance, what comes from columns / 32 factors that all channels share. At 0 "
                     "channels know nothing of each other, and gptq has nothing to make errors good with."),
        choiceParam("inputs", "Inputs", {"exact", "token", "tensor"}, "exact",
                    "Whether the inputs are quantized, too, in the same format with absmax: one scale a token or one "
                    "for all."),
        integerParam("migration", "Migration", "%", 0, 100, 50, ParamScale::Linear,
                     "Of smoothquant: how much of the outliers the weights take over.")};
}

std::vector<MetricSpec> tensorMetrics()
{
    return {{"sqnr", "Signal to noise", "dB",
             "10 log10(sum of squares / sum of squared errors): more is better; none where nothing is lost."},
            {"max_error", "Largest error", "1", "Of an element."},
            {"rms_error", "Usual error", "1", "Root of the mean squared error."},
            {"bits_per_element", "Bits an element", "bits",
             "With scales; those of granularity count 16 bits and are not rounded, a zero point counts one element."},
            {"bytes", "Stored", "B", "Codes and scales."},
            {"groups", "Scales", "1", "How many groups share one."},
            {"lost", "Became zero", "1", "Share of elements that were no zero and are one."},
            {"output_sqnr", "Signal to noise of the output", "dB",
             "As sqnr, of what the layer computes from inputs that the method did not see."},
            {"output_gain", "Gain over rtn", "dB", "output_sqnr less what rtn reaches with the same inputs."},
            {"input_sqnr", "Signal to noise of the inputs", "dB", "As sqnr, of the inputs where they are quantized."},
            {"exponent", "Exponent of the scales", "1", "What awq found, or the migration of smoothquant."}};
}

Result<std::vector<double>> samplesOf(const ParamSet& params)
{
    if (given(params, "samples")) {
        const auto bytes = readInput(params, "samples");
        return bytes ? parseSamples(*bytes, choice(params, "samples")) : Result<std::vector<double>>(bytes.error());
    }
    const auto found = std::find(kDistributions.begin(), kDistributions.end(), choice(params, "distribution"));
    return drawSamples(static_cast<Distribution>(found - kDistributions.begin()), integer(params, "count"),
                       integer(params, "seed"));
}

/// The first samples by the exact cast of memory/formats.h; what the vectorised one did must be the same.
bool castsAgree(const Quantized& quantized, std::span<const double> values, std::span<const double> out)
{
    const QuantFormat& format = *quantized.scheme.format;
    const NumberFormat& element = *format.element;
    const bool whole = format.block == 0 && quantized.scheme.granularity == Granularity::Tensor;
    const std::size_t columns = whole ? quantized.count : quantized.columns;
    const std::size_t groupsOfRow = (columns + quantized.group - 1) / quantized.group;
    for (std::size_t i = 0; i < std::min(values.size(), kCompared); ++i) {
        const double scale = quantized.scales[i / columns * groupsOfRow + i % columns / quantized.group];
        const double wanted =
            scale == 0
                ? 0
                : decode(element, encode(element, values[i] / scale, Rounding::NearestEven, Overflow::Saturate).bits) *
                      scale;
        if (out[i] != wanted)
            return false;
    }
    return true;
}

/// Inputs of the layer: those that methods look at, and as many to judge by.
struct Inputs {
    std::vector<float> values;
    std::size_t columns = 0;
    LayerInputs half(bool judged) const
    {
        const std::size_t size = values.size() / 2;
        return {std::span(values).subspan(judged ? size : 0, size), columns};
    }
};

/// None: the samples are no layer, or it has none.
Result<std::optional<Inputs>> inputsOf(const ParamSet& params, std::size_t count)
{
    const std::size_t columns = std::min(count, static_cast<std::size_t>(integer(params, "columns")));
    const std::size_t tokens = integer(params, "tokens");
    const bool needed = choice(params, "method") != "rtn";
    const std::string place = "columns and tokens";
    if (needed && tokens == 0)
        return Error{"bad-scheme", choice(params, "method") + " looks at inputs, and there are no tokens", place,
                     "give some tokens"};
    if (needed && columns * tokens > kMostInputs)
        return Error{"bad-scheme", fmt::format("{} inputs of {} columns are too many", tokens, columns), place,
                     fmt::format("keep their product at or below {}", kMostInputs)};
    if (tokens == 0 || columns * tokens > kMostInputs || (!needed && count % columns != 0))
        return std::optional<Inputs>();
    const auto every = integer(params, "outlier_every");
    return std::optional<Inputs>(
        {drawInputs(2 * tokens, columns, static_cast<double>(integer(params, "shared")) / 100,
                    every == 0 ? 0 : 1 / static_cast<double>(every),
                    static_cast<double>(integer(params, "outlier_factor")), integer(params, "seed") + 1),
         columns});
}

struct Output {
    QuantError error, inputs;
};

/// What the layer computes from the inputs that no method saw.
Result<Output> outputOf(const ParamSet& params, std::span<const double> weights, std::span<const double> restored,
                        const Inputs& all, const QuantizedLayer& layer)
{
    const LayerInputs inputs = all.half(true);
    std::vector<float> given(inputs.values.begin(), inputs.values.end());
    if (choice(params, "inputs") != "exact") {
        QuantScheme scheme = layer.weights.scheme;
        scheme.granularity = choice(params, "inputs") == "token" ? Granularity::Channel : Granularity::Tensor;
        scheme.scaling = Scaling::Absmax;
        auto quantized = quantizedInputs(inputs, layer.channelScales, scheme);
        if (!quantized)
            return quantized.error();
        given = std::move(*quantized);
    }
    const std::vector<double> wide(inputs.values.begin(), inputs.values.end()), narrow(given.begin(), given.end());
    return Output{outputErrorOf(weights, restored, inputs, given), errorOf(wide, narrow)};
}

class Quantize : public Experiment {
public:
    Quantize()
    {
        m_info.id = "quantize";
        m_info.title = "What quantization loses";
        m_info.module = 5;
        m_info.summary = "Quantizes random samples, takes them back and measures the noise, by format, granularity and "
                         "method, also in what a layer with these weights computes.";
        m_info.parameters = tensorParameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = tensorMetrics();
        m_info.charts = {
            {"sqnr_over_format", "Signal to noise of the formats", "format", "sqnr", ParamScale::List},
            {"sqnr_over_granularity", "Signal to noise over granularity", "granularity", "sqnr", ParamScale::List},
            {"sqnr_over_distribution", "Signal to noise of the distributions", "distribution", "sqnr",
             ParamScale::List},
            {"bits_over_format", "Bits an element", "format", "bits_per_element", ParamScale::List},
            {"output_over_method", "Signal to noise of the output", "method", "output_sqnr", ParamScale::List},
            {"output_over_factor", "Signal to noise of the output over outliers", "outlier_factor", "output_sqnr",
             ParamScale::Log2}};
        m_info.limits = {{"sqnr", "rate and distortion", "upper", "6.02 dB × bits an element",
                          "Shannon 1959: no code of a normal source does better; told of it from 65,536 samples on"}};
        m_info.drawsNothing = true; // its own seed names the samples
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<QuantizedLayer> layerOf(const ParamSet& params, const QuantScheme& scheme, std::span<const double> values,
                               const std::optional<Inputs>& inputs, RunContext& context)
{
    if (scheme.method == Method::Rtn) {
        auto quantized = quantize(values, integer(params, "columns"), scheme);
        return quantized ? QuantizedLayer{std::move(*quantized), {}, 0} : Result<QuantizedLayer>(quantized.error());
    }
    CalibrationOptions options;
    options.migration = static_cast<double>(integer(params, "migration")) / 100;
    options.stop = [&] { return context.cancelled(); };
    return quantizeLayer(values, inputs->half(false), scheme, options);
}

Result<void> tellOutput(const ParamSet& params, std::span<const double> values, std::span<const double> restored,
                        const Inputs& inputs, const QuantizedLayer& layer, RunContext& context)
{
    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    const auto output = outputOf(params, values, restored, inputs, layer);
    if (!output)
        return output.error();
    if (!output->error.exact() && output->error.signal > 0)
        tell("output_sqnr", output->error.sqnr());
    if (!output->inputs.exact() && output->inputs.signal > 0)
        tell("input_sqnr", output->inputs.sqnr());
    if (!layer.channelScales.empty())
        tell("exponent", layer.exponent);
    const QuantScheme& scheme = layer.weights.scheme;
    if (scheme.method == Method::Rtn)
        return {};
    context.progress(0.8, "the same by rtn");
    QuantScheme plain = scheme;
    plain.method = Method::Rtn;
    auto quantized = quantize(values, inputs.columns, plain);
    if (!quantized)
        return quantized.error();
    const QuantizedLayer other{std::move(*quantized), {}, 0};
    std::vector<double> nearest(values.size());
    restoreWeights(other, nearest);
    const auto base = outputOf(params, values, nearest, inputs, other);
    if (!base)
        return base.error();
    if (!output->error.exact() && !base->error.exact() && output->error.signal > 0)
        tell("output_gain", output->error.sqnr() - base->error.sqnr());
    const double wErr = errorOf(values, restored).noise, rtnErr = errorOf(values, nearest).noise;
    context.check("weights pay", wErr >= rtnErr * (1 - 1e-9) || layer.weights.scales != other.weights.scales,
                  fmt::format("squared error of the weights {:.6g}, by rtn {:.6g}: with the same scales none is nearer "
                              "than the nearest",
                              wErr, rtnErr));
    return {};
}

Result<void> Quantize::run(const ParamSet& params, RunContext& context) const
{
    const QuantScheme scheme = quantSchemeOf(params);
    context.progress(0, "drawing");
    const auto samples = samplesOf(params);
    if (!samples)
        return samples.error();
    const std::vector<double>& values = *samples;
    const auto inputs = inputsOf(params, values.size());
    if (!inputs)
        return inputs.error();
    context.progress(0.3, "quantizing");
    auto layer = layerOf(params, scheme, values, *inputs, context);
    if (!layer)
        return layer.error();
    const Quantized* quantized = &layer->weights;
    std::vector<double> out(values.size());
    restoreWeights(*layer, out);
    const QuantError error = errorOf(values, out);
    std::size_t lost = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        lost += values[i] != 0 && out[i] == 0;

    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    const auto all = static_cast<double>(values.size());
    if (error.exact())
        context.log("nothing is lost: there is no ratio of signal to noise");
    else
        tell("sqnr", error.sqnr());
    tell("max_error", error.most);
    tell("rms_error", std::sqrt(error.noise / all));
    tell("bits_per_element", quantized->bitsPerElement());
    tell("bytes", std::ceil(quantized->bits / 8));
    tell("groups", scheme.format->gguf ? all / scheme.format->block : static_cast<double>(quantized->scales.size()));
    tell("lost", static_cast<double>(lost) / all);
    if (choice(params, "distribution") == "normal" && !given(params, "samples") && values.size() >= 65536 &&
        !error.exact())
        context.limit("sqnr", kBitIn * quantized->bitsPerElement());
    if (*inputs)
        if (auto told = tellOutput(params, values, out, **inputs, *layer, context); !told)
            return told.error();
    if (scheme.method != Method::Rtn)
        return {};
    if (scheme.format->element && quantized->zeros.empty() && !scheme.format->element->integer)
        context.check("exact casts", castsAgree(*quantized, values, out),
                      "the first samples, cast one by one by another method, are the same");
    if (scheme.format->kind == QuantKind::Integer && scheme.scaling != Scaling::None) {
        const double steps = scheme.scaling == Scaling::Minmax ? 1 : 0.5; // the zero point is rounded too
        const double step = *std::max_element(quantized->scales.begin(), quantized->scales.end());
        context.check("within a step", error.most <= steps * step * (1 + 1e-9),
                      fmt::format("largest error {}, largest step {}", error.most, step));
    }
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeQuantize()
{
    return std::make_unique<Quantize>();
}

} // namespace ridge::labs
