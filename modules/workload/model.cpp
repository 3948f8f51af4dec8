// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/model.h"

#include "base/experiment_info.h"
#include "base/json.h"
#include "base/json_guard.h"
#include "base/paths.h"
#include "workload/model_config.h"

#include <algorithm>

namespace ridge::workload {
namespace {

Error bad(const ModelShape& model, const std::string& message, const std::string& fix)
{
    return {"bad-model", message, model.id, fix};
}

double normOf(const ModelShape& model, double width)
{
    return !model.normScale ? 0 : model.layerNorm && model.normShift ? 2 * width : width;
}

} // namespace

void forEachConvolution(const ModelShape& model, const std::function<void(const Convolution&)>& with)
{
    const auto visit = [&](std::string_view name, double in, double out, double kernel, double edge) {
        with({name, in, out, kernel, edge});
    };
    double side = model.image / 2.0;
    visit("stem", model.channels, model.stem, 7, side);
    side /= 2; // the pooling behind the stem
    double in = model.stem;
    for (std::size_t stage = 0; stage < model.stages.size(); ++stage) {
        const double out = model.stages[stage].width, middle = out / 4;
        for (std::uint32_t block = 0; block < model.stages[stage].blocks; ++block) {
            const double before = side;
            if (block == 0 && stage > 0)
                side /= 2; // the 3 x 3 convolution strides (v1.5), so the first 1 x 1 still sees the larger image
            if (model.basicBlocks) {
                visit("3 x 3", in, out, 3, side);
                visit("3 x 3", out, out, 3, side);
            } else {
                visit("1 x 1 narrow", in, middle, 1, before);
                visit("3 x 3", middle, middle, 3, side);
                visit("1 x 1 wide", middle, out, 1, side);
            }
            if (block == 0 && (stage > 0 || in != out))
                visit("1 x 1 shortcut", in, out, 1, side);
            in = out;
        }
    }
}

namespace {

double convolutionParameters(const ModelShape& model)
{
    double sum = 0;
    forEachConvolution(model, [&](const Convolution& c) {
        sum += c.in * c.out * c.kernel * c.kernel + 2 * c.out; // and the scale and shift of its batch norm
    });
    return sum + (model.stages.back().width + 1.0) * model.classes;
}

} // namespace

Result<void> checkModel(const ModelShape& model)
{
    if (model.kind == ModelKind::Convolutional) {
        const bool whole = !model.stages.empty() && model.stem && model.image && model.channels && model.classes &&
                           std::ranges::all_of(model.stages, [](const ConvStage& s) { return s.width && s.blocks; });
        return whole ? Result<void>()
                     : Result<void>(bad(model, "a residual network has no stages, stem, image, channels or classes",
                                        "give embedding_size, hidden_sizes, depths, num_channels and num_labels"));
    }
    if (model.kind == ModelKind::StateSpace) {
        const StateSpace& ssm = model.ssm;
        const bool heads = ssm.heads == 0 ? ssm.rank > 0
                                          : ssm.groups > 0 && ssm.chunk > 0 && ssm.inner % ssm.heads == 0 &&
                                                ssm.heads % ssm.groups == 0;
        return heads && model.layers && model.hidden && model.vocabulary && ssm.inner && ssm.state && ssm.kernel
                   ? Result<void>()
                   : Result<void>(bad(model, "a state-space model has a part of size 0, or heads that do not divide",
                                      "give channels, state, kernel and heads that divide the channels"));
    }
    for (const auto& [name, value] : {std::pair{"layers", model.layers},
                                      {"hidden", model.hidden},
                                      {"heads", model.heads},
                                      {"KV heads", model.kvHeads},
                                      {"vocabulary", model.vocabulary}})
        if (value == 0)
            return bad(model, std::string("the model has no ") + name, "give 1 or more");
    if (model.latent.kvRank == 0 && model.headDim == 0)
        return bad(model, "the size of a head is 0", "give 1 or more");
    if (model.latent.kvRank != 0 &&
        (model.latent.nopeDim == 0 || model.latent.ropeDim == 0 || model.latent.valueDim == 0))
        return bad(model, "latent attention has a part of size 0", "give the sizes of its three parts");
    if (model.heads % model.kvHeads != 0)
        return bad(model,
                   std::to_string(model.heads) + " query heads cannot share " + std::to_string(model.kvHeads) +
                       " KV heads evenly",
                   "take a number of KV heads that divides the query heads");
    if (model.moe.experts != 0) {
        if (model.moe.active == 0 || model.moe.active > model.moe.experts)
            return bad(model,
                       "a token uses " + std::to_string(model.moe.active) + " of " + std::to_string(model.moe.experts) +
                           " experts",
                       "take 1 to " + std::to_string(model.moe.experts));
        if (model.moe.ffn == 0)
            return bad(model, "an expert has no width", "give its feed-forward width");
        if (model.moe.denseLayers > model.layers)
            return bad(model, "there are more dense layers than layers",
                       "take at most " + std::to_string(model.layers));
    }
    if (model.moeLayers() < model.layers && model.ffn == 0)
        return bad(model, "the feed-forward part has no width", "give 1 or more");
    if (model.kind == ModelKind::EncoderDecoder)
        for (const auto& [name, value] : {std::pair{"layers", model.encoder.layers},
                                          {"heads", model.encoder.heads},
                                          {"size of a head", model.encoder.headDim},
                                          {"feed-forward width", model.encoder.ffn}})
            if (value == 0)
                return bad(model, std::string("the encoder has no ") + name, "give 1 or more");
    return {};
}

double attentionParameters(const ModelShape& model)
{
    const double h = model.hidden, a = model.heads;
    if (model.latent.kvRank != 0) {
        const LatentAttention& l = model.latent;
        const double queries = a * (l.nopeDim + l.ropeDim);
        const double query =
            l.queryRank ? h * l.queryRank + normOf(model, l.queryRank) + l.queryRank * queries : h * queries;
        const double kv = h * (double(l.kvRank) + l.ropeDim) + normOf(model, l.kvRank) +
                          l.kvRank * a * (double(l.nopeDim) + l.valueDim);
        // Queries that are projected at once have no bias, and neither have the matrices that lead up from a rank.
        const double biases =
            (model.biasQkv ? double(l.queryRank) + l.kvRank + l.ropeDim : 0) + (model.biasOut ? h : 0);
        return query + kv + a * l.valueDim * h + biases;
    }
    const double q = a * model.headDim, qkv = q + 2.0 * model.kvHeads * model.headDim;
    const double biased = model.biasKeys ? qkv : qkv - double(model.kvHeads) * model.headDim;
    return h * qkv + (model.biasQkv ? biased : 0) + q * h + (model.biasOut ? h : 0) + model.headNormParameters;
}

double denseFfnParameters(const ModelShape& model)
{
    const double h = model.hidden, f = model.ffn, in = model.gated ? 2 : 1;
    return (in + 1) * h * f + (model.biasFfn ? in * f + h : 0);
}

double expertParameters(const ModelShape& model)
{
    const double h = model.hidden, f = model.moe.ffn, in = model.gated ? 2 : 1;
    return (in + 1) * h * f + (model.moe.biases ? in * f + h : 0);
}

double moeParameters(const ModelShape& model)
{
    const double h = model.hidden, shared = model.moe.sharedFfn, in = model.gated ? 2 : 1;
    return h * model.moe.experts + model.moe.experts * expertParameters(model) + (in + 1) * h * shared +
           (shared > 0 && model.moe.sharedBias ? in * shared + h : 0) + (model.moe.sharedGate ? h : 0) +
           (model.moe.routerBias ? model.moe.experts : 0);
}

double normParameters(const ModelShape& model)
{
    return model.layerNorms * normOf(model, model.hidden);
}

double embeddingParameters(const ModelShape& model)
{
    const double h = model.hidden, e = model.embeddingWidth ? model.embeddingWidth : h;
    if (model.kind != ModelKind::Encoder) // positions are added to what the matrix makes
        return model.vocabulary * e + double(model.positions) * h + (e != h ? e * h : 0) +
               (model.embeddingNorm ? normOf(model, h) : 0);
    return (double(model.vocabulary) + model.positions + model.tokenTypes) * e +
           (model.embeddingNorm ? normOf(model, e) : 0) + (model.embeddingMatrix() ? e * h : 0) +
           (model.biasEmbedding ? h : 0);
}

double outputParameters(const ModelShape& model)
{
    const double h = model.hidden, v = model.vocabulary;
    const double e = model.embeddingWidth ? model.embeddingWidth : h;
    return (model.logits && !model.tied ? v * e : 0) + (model.logits && e != h ? e * h : 0) +
           (model.biasLogits ? v : 0) + (model.pooler ? h * h + h : 0);
}

double stateSpaceParameters(const ModelShape& model)
{
    const StateSpace& s = model.ssm;
    const double h = model.hidden, inner = s.inner, convolved = s.convolved();
    const double out = inner * h + (s.bias ? h : 0);
    const double convolution = convolved * s.kernel + (s.biasConvolution ? convolved : 0);
    if (s.heads) { // bias of the step sizes, decay and shortcut of each head, and a norm
        const double in = inner + convolved + s.heads;
        return h * in + (s.bias ? in : 0) + convolution + 3.0 * s.heads + inner + out;
    }
    const double in = 2 * inner;
    return h * in + (s.bias ? in : 0) + convolution + inner * (s.rank + 2.0 * s.state) + (s.rank + 1.0) * inner +
           inner * (s.state + 1.0) + out;
}

double layerParameters(const ModelShape& model)
{
    if (model.kind == ModelKind::StateSpace)
        return model.layers * (stateSpaceParameters(model) + normParameters(model));
    const double moeLayers = model.moeLayers();
    const double attentions = model.kind == ModelKind::EncoderDecoder ? 2 : 1; // the encoder's states are seen, too
    const double layers = model.uniqueLayers ? model.uniqueLayers : model.layers;
    return layers * (attentions * attentionParameters(model) + normParameters(model) + model.layerOther) +
           (layers - moeLayers) * denseFfnParameters(model) + (moeLayers > 0 ? moeLayers * moeParameters(model) : 0) +
           double(model.relativeBuckets) * model.heads * (model.relativeEveryLayer ? layers : 1);
}

namespace {

/// Beside its layers; its words are those of the decoder where there is one table.
double encoderEndsParameters(const ModelShape& model)
{
    const EncoderPart& e = model.encoder;
    const double h = model.hidden, words = e.vocabulary ? e.vocabulary : model.vocabulary;
    const double sound = e.bands ? 3.0 * e.bands * h + h + 3 * h * h + h : 0;
    return e.positions * h + sound + (e.tables - 1.0) * words * h + (model.embeddingNorm ? normOf(model, h) : 0) +
           (model.finalNorm ? normOf(model, h) : 0);
}

} // namespace

double parameters(const ModelShape& model)
{
    if (model.kind == ModelKind::Convolutional)
        return convolutionParameters(model);
    return layerParameters(model) + embeddingParameters(model) + outputParameters(model) +
           (model.finalNorm ? normOf(model, model.hidden) : 0) +
           (model.kind == ModelKind::EncoderDecoder ? layerParameters(encoderOf(model)) + encoderEndsParameters(model)
                                                    : 0);
}

ModelShape encoderOf(const ModelShape& model)
{
    ModelShape out = model;
    const EncoderPart& part = model.encoder;
    out.kind = ModelKind::Encoder;
    out.layers = part.layers;
    out.heads = out.kvHeads = part.heads;
    out.headDim = part.headDim;
    out.ffn = part.ffn;
    out.positions = part.positions;
    out.context = part.context;
    out.vocabulary = part.vocabulary ? part.vocabulary : model.vocabulary;
    out.layerNorms = 2;
    out.tied = true;
    out.logits = false;
    out.encoder = EncoderPart{.bands = part.bands};
    return out;
}

double activeParameters(const ModelShape& model)
{
    if (model.moe.experts == 0)
        return parameters(model);
    const double idle = model.moe.experts - model.moe.active;
    return parameters(model) - model.moeLayers() * idle * expertParameters(model);
}

double kvValuesPerToken(const ModelShape& model)
{
    if (model.kind != ModelKind::Decoder && model.kind != ModelKind::EncoderDecoder)
        return 0;
    if (model.latent.kvRank != 0)
        return model.layers * (double(model.latent.kvRank) + model.latent.ropeDim);
    return 2.0 * model.layers * model.kvHeads * model.headDim;
}

double kvBytesPerToken(const ModelShape& model, double bytesPerValue)
{
    return kvValuesPerToken(model) * bytesPerValue;
}

double kvBytesOfSequence(const ModelShape& model, double tokens, double bytesPerValue)
{
    const double layer = model.layers ? kvBytesPerToken(model, bytesPerValue) / model.layers : 0;
    const double windowed = model.window ? model.windowLayers : 0;
    return layer * ((model.layers - windowed) * tokens + windowed * std::min<double>(tokens, model.window));
}

double crossKvBytesPerToken(const ModelShape& model, double bytesPerValue)
{
    return model.kind == ModelKind::EncoderDecoder ? kvBytesPerToken(model, bytesPerValue) : 0;
}

double stateBytesPerSequence(const ModelShape& model, double bytesPerValue)
{
    const StateSpace& s = model.ssm;
    return model.layers * (s.convolved() * s.kernel + double(s.inner) * s.state) * bytesPerValue;
}

double convolutionMacs(const ModelShape& model)
{
    double sum = 0;
    forEachConvolution(model,
                       [&](const Convolution& c) { sum += c.in * c.out * c.kernel * c.kernel * c.side * c.side; });
    return sum + double(model.stages.back().width) * model.classes;
}

Result<ModelShape> parseModel(std::string_view text, const std::filesystem::path& place)
{
    const std::string name = place.filename().string();
    auto json = parseJsonOnce(text, name);
    if (!json)
        return json.error();
    const auto fail = [&](const std::string& field, const std::string& message, const std::string& fix) {
        return Error{"bad-model", message, name + ": " + field, fix};
    };
    if (!json->is_object())
        return fail("", "a model must be a JSON object", "begin the file with {");
    for (const char* key : {"id", "title", "source"})
        if (!json->contains(key) || !(*json)[key].is_string() || (*json)[key].get_ref<const std::string&>().empty())
            return fail(key, std::string("\"") + key + "\" is missing or no text", "every model says it");
    if ((*json)["id"].get<std::string>() != place.stem().string())
        return fail("id", "the id is not the name of the file", "give both the same name");
    if (!json->contains("config"))
        return fail("config", "\"config\" is missing", "give the keys of the model's config.json");
    auto read = modelFromConfig((*json)["config"], name + ": config");
    if (!read)
        return read.error();
    ModelShape model = std::move(read->shape);
    model.id = (*json)["id"].get<std::string>();
    model.title = (*json)["title"].get<std::string>();
    model.source = (*json)["source"].get<std::string>();
    return model;
}

Result<std::vector<ModelShape>> readModels(const std::filesystem::path& folder)
{
    std::vector<ModelShape> models;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
        if (entry.path().extension() != ".json")
            continue;
        const auto text = readFile(entry.path());
        if (!text)
            return text.error();
        auto model = parseModel(*text, entry.path());
        if (!model)
            return model.error();
        models.push_back(std::move(*model));
    }
    if (failed)
        return Error{"cannot-read", "the folder of models cannot be read: " + failed.message(), folder.string(),
                     "install the program again"};
    std::ranges::sort(models, {}, &ModelShape::id);
    return models;
}

Result<std::vector<ModelShape>> shippedModels()
{
    const auto data = dataFolder();
    if (!data)
        return data.error();
    return readModels(*data / "assets" / "models");
}

Result<ModelShape> findModel(std::span<const ModelShape> models, std::string_view id)
{
    std::vector<std::string> known;
    for (const ModelShape& model : models) {
        if (model.id == id)
            return model;
        known.push_back(model.id);
    }
    const auto near = nearestNames(id, known);
    return Error{"unknown-model", "there is no model \"" + std::string(id) + "\"", "model",
                 near.empty() ? "see the list of the parameter" : "did you mean " + near.front() + "?"};
}

} // namespace ridge::workload
