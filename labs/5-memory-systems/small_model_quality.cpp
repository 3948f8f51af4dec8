// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 5.6: what quantization does to a language model, by the text that it did not see.
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/quant_params.h"
#include "labs/harness/small_models.h"
#include "transformer/quantized.h"

#include <fmt/core.h>

#include <cmath>

namespace ridge::labs {
namespace {

using namespace transformer;

std::vector<ParamSpec> parameters()
{
    auto granularity = granularityParam();
    granularity.defaultValue = std::string("channel");
    std::vector<std::string> cacheFormats{"fp32"};
    for (const char* id : {"fp16", "fp8", "int8", "int6", "int5", "int4", "int3", "int2"})
        cacheFormats.emplace_back(id);
    return {choiceParam("model", "Model", {"small", "draft"}, "small",
                        "Our own decoders over bytes, trained on the curriculum: 0.8 million weights, or 43 thousand."),
            quantFormatParam("Of the layers' matrices; embedding and norms stay in FP16."),
            granularity,
            scalingParam(),
            methodParam("All others look at what the matrices read for the calibration text."),
            choiceParam("inputs", "Inputs", {"exact", "token", "tensor"}, "exact",
                        "Whether what the matrices read is quantized, too, in the same format with absmax: one scale a "
                        "token, or one for a window of text."),
            choiceParam("kv", "KV cache", cacheFormats, "fp32",
                        "How keys and values are stored: absmax over a head of a token."),
            integerParam("outlier_factor", "Size of outliers", "", 1, 10000, 1, ParamScale::Log2,
                         "Makes one channel of 128 so many times as large behind each norm and the matrices that read "
                         "it smaller: the same function, with the outliers of large models."),
            integerParam("calibration", "Calibration", "tokens", 128, 8192, 2048, ParamScale::Log2,
                         "Of the calibration text, in whole contexts of 128."),
            integerParam("migration", "Migration", "%", 0, 100, 50, ParamScale::Linear,
                         "Of smoothquant: how much of the outliers the weights take over."),
            integerParam("windows", "Windows", "", 1, 1000, 32, ParamScale::Log2,
                         "Of 128 bytes of held-out text that are read, as far as it goes (159).")};
}

std::vector<MetricSpec> metrics()
{
    return {{"perplexity", "Perplexity", "1", "e to the loss: among how many bytes the model seems to guess."},
            {"loss", "Loss", "nats/byte", "Mean of -log p of the byte that came."},
            {"loss_increase", "Loss over FP16", "nats/byte", "What quantization added to it on the same text."},
            {"kl_divergence", "KL divergence", "nats/byte",
             "How far the predictions moved from those of FP16, whatever came: less noisy than the loss."},
            {"same_choice", "Same choice", "1", "Share of bytes where both think the same one likeliest."},
            {"size", "Size", "B", "Of the whole model: codes, scales, and the rest in FP16."},
            {"bits_per_weight", "Bits a weight", "bits", "Of the layers' matrices, with scales."},
            {"sqnr", "Signal to noise", "dB", "Of the layers' matrices; none where nothing is lost."},
            {"kv_bytes_per_token", "KV cache of a token", "B", "Keys and values of all layers, with scales."}};
}

class SmallModelQuality : public Experiment {
public:
    SmallModelQuality()
    {
        m_info.id = "small_model_quality";
        m_info.title = "A language model quantized";
        m_info.module = 5;
        m_info.summary = "Quantizes a small transformer of our own and reads held-out text with it.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = metrics();
        m_info.charts = {
            {"perplexity_over_format", "Perplexity of the formats", "format", "perplexity", ParamScale::List},
            {"perplexity_over_method", "Perplexity of the methods", "method", "perplexity", ParamScale::List},
            {"divergence_over_granularity", "KL divergence over granularity", "granularity", "kl_divergence",
             ParamScale::List, ParamScale::Log2},
            {"perplexity_over_outliers", "Perplexity over outliers", "outlier_factor", "perplexity", ParamScale::Log2},
            {"perplexity_over_kv", "Perplexity over the KV cache's format", "kv", "perplexity", ParamScale::List}};
        m_info.limits = {{"bits_per_weight", "bits of the format", "lower", "bits of an element",
                          "scales come on top; a group of g elements adds 16 / g"}};
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

DecoderOptions optionsOf(const ParamSet& params)
{
    DecoderOptions options;
    if (choice(params, "inputs") != "exact") {
        options.inputs = quantSchemeOf(params);
        options.inputs.method = memory::Method::Rtn;
        options.inputs.scaling = memory::Scaling::Absmax;
        options.inputs.granularity =
            choice(params, "inputs") == "token" ? memory::Granularity::Channel : memory::Granularity::Tensor;
    }
    if (choice(params, "kv") != "fp32")
        options.cache = {memory::findQuantFormat(choice(params, "kv")), memory::Granularity::Channel, 0,
                         choice(params, "kv") == "fp16" ? memory::Scaling::None : memory::Scaling::Absmax,
                         memory::Method::Rtn};
    return options;
}

Result<void> SmallModelQuality::run(const ParamSet& params, RunContext& context) const
{
    context.progress(0, "reading the model");
    auto model = smallModel(choice(params, "model"));
    if (!model)
        return model.error();
    const auto text = heldOutText(*model), seen = calibrationText(*model);
    for (const auto* each : {&text, &seen})
        if (!*each)
            return each->error();
    if (integer(params, "outlier_factor") > 1)
        addOutliers(*model, 128, static_cast<float>(integer(params, "outlier_factor")));
    context.progress(0.1, "quantizing");
    memory::CalibrationOptions options;
    options.migration = static_cast<double>(integer(params, "migration")) / 100;
    options.stop = [&] { return context.cancelled(); };
    const std::size_t tokens = std::min<std::size_t>(seen->size(), integer(params, "calibration"));
    const auto quantized = quantizeModel(*model, std::span(*seen).first(tokens), quantSchemeOf(params), options);
    if (!quantized)
        return quantized.error();
    context.progress(0.4, "reading held-out text");
    Decoder decoder(quantized->model, optionsOf(params)), reference(*model);
    const std::size_t windows = integer(params, "windows");
    const auto loss = lossOf(decoder, *text, windows, &reference, options.stop);
    if (!loss)
        return loss.error();
    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    tell("perplexity", loss->perplexity());
    tell("loss", loss->nats);
    tell("loss_increase", loss->nats - loss->referenceNats);
    tell("kl_divergence", std::max(0.0, loss->divergence));
    tell("same_choice", loss->sameChoice);
    tell("size", std::ceil(quantized->bits / 8));
    tell("bits_per_weight", quantized->matrixBits / static_cast<double>(model->linearWeights()));
    if (quantized->error.exact())
        context.log("no weight is lost: there is no ratio of signal to noise");
    else
        tell("sqnr", quantized->error.sqnr());
    tell("kv_bytes_per_token",
         2 * static_cast<double>(model->layers.size()) * model->shape.kvWidth() * decoder.cacheBitsPerElement() / 8);
    const memory::QuantScheme scheme = quantSchemeOf(params);
    if (scheme.format->element)
        context.limit("bits_per_weight", scheme.format->element->bits());
    // Gibbs: the mean of q log(q / p) is never below 0, whatever the weights became.
    context.check("divergence", loss->divergence > -1e-9, fmt::format("{:.3g} nats a byte", loss->divergence));
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeSmallModelQuality()
{
    return std::make_unique<SmallModelQuality>();
}

} // namespace ridge::labs
