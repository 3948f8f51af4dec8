// SPDX-License-Identifier: GPL-3.0-or-later
// Keys as in the configuration classes of Hugging Face transformers: one that a file leaves out has the value of its
// class (config_families.cpp).
#include "workload/model_config.h"

#include "base/json_guard.h"
#include "workload/config_kinds.h"

#include <algorithm>
#include <map>

namespace ridge::workload {
namespace {

void readSizes(ConfigReader& r, ModelShape& m)
{
    m.hidden = r.size("hidden_size");
    m.layers = r.size("num_hidden_layers");
    m.heads = r.size("num_attention_heads");
    m.vocabulary = r.size("vocab_size");
    m.context = r.sizeOr("max_position_embeddings", 0, "no longest context is known");
}

/// head_dim, or what the heads leave.
void readHeads(ConfigReader& r, ModelShape& m, const Family& family)
{
    m.kvHeads = family.encoder ? m.heads
                               : r.sizeOr("num_key_value_heads", m.heads, "every query head has a KV head of its own");
    if (m.kvHeads == 0)
        r.fail("num_key_value_heads", "\"num_key_value_heads\" is 0", "give 1 or more, or leave it out");
    else if (m.heads % m.kvHeads != 0)
        r.fail("num_key_value_heads",
               std::to_string(m.heads) + " heads (num_attention_heads) cannot share " + std::to_string(m.kvHeads) +
                   " KV heads evenly",
               "take a number that divides " + std::to_string(m.heads));
    if (!family.encoder && r.has("head_dim")) {
        m.headDim = r.size("head_dim");
        return;
    }
    if (m.heads != 0 && m.hidden % m.heads != 0 && family.experts == ExpertWidth::None)
        r.fail("num_attention_heads",
               r.nameOf("hidden_size") + " " + std::to_string(m.hidden) + " is no multiple of " +
                   r.nameOf("num_attention_heads") + " " + std::to_string(m.heads),
               family.encoder || family.positions >= 0 ? "correct one of the two"
                                                       : "correct one of the two, or give head_dim");
    m.headDim = m.heads ? m.hidden / m.heads : 0;
}

void readWindow(ConfigReader& r, ModelShape& m, const Family& family)
{
    const auto named =
        r.layersOfKind("layer_types", "sliding_attention", m.layers, {"full_attention", "sliding_attention"});
    if (r.has("use_sliding_window") && !r.flag("use_sliding_window", false))
        return;
    m.window = r.sizeOr("sliding_window", 0);
    if (m.window == 0 || m.layers == 0)
        return;
    if (named) {
        m.windowLayers = *named;
        return;
    }
    std::uint32_t n = family.every;
    if (r.has("sliding_window_pattern") && family.window == Window::Every)
        n = r.size("sliding_window_pattern");
    switch (family.window) {
    case Window::None:
        break;
    case Window::All:
        m.windowLayers = m.layers;
        break;
    case Window::From:
        m.windowLayers = m.layers - std::min(m.layers, r.sizeOr("max_window_layers", 0));
        break;
    case Window::EvenBefore:
        m.windowLayers = (std::min(m.layers, r.sizeOr("max_window_layers", 0)) + 1) / 2;
        break;
    case Window::Every:
        m.windowLayers = n ? m.layers - m.layers / n : 0;
        break;
    case Window::AfterFirst:
        m.windowLayers = n ? m.layers - (m.layers + n - 1) / n : 0;
        break;
    }
    if (m.windowLayers == 0)
        m.window = 0;
}

/// Which layers have experts: newer files name each layer's kind, others give a list or a rule.
std::uint32_t denseLayers(ConfigReader& r, const ModelShape& m)
{
    if (const auto named = r.layersOfKind("mlp_layer_types", "dense", m.layers, {"dense", "sparse"}))
        return *named;
    if (r.has("moe_layers"))
        return m.layers - static_cast<std::uint32_t>(r.layersIn("moe_layers", m.layers).size());
    const auto dense = r.layersIn("mlp_only_layers", m.layers);
    const std::uint32_t first = r.sizeOr("first_k_dense_replace", 0);
    const std::uint32_t step = r.sizeOr("decoder_sparse_step", r.sizeOr("interleave_moe_layer_step", 1));
    const std::uint32_t frequency = r.sizeOr("moe_layer_freq", 1), interval = r.sizeOr("moe_layer_interval", 1);
    const std::uint32_t begin = r.sizeOr("moe_layer_start_index", 0);
    const bool toEnd = !r.has("moe_layer_end_index") || r.at("moe_layer_end_index") == -1;
    const std::uint32_t end = toEnd ? m.layers : r.sizeOr("moe_layer_end_index", 0);
    for (const auto& [key, value] :
         {std::pair{"decoder_sparse_step", step}, {"moe_layer_freq", frequency}, {"moe_layer_interval", interval}})
        if (value == 0) {
            r.fail(key, std::string("\"") + key + "\" is 0", "give 1 where every layer has experts");
            return 0;
        }
    if (first > m.layers) {
        r.fail("first_k_dense_replace", "there are more dense layers than layers (num_hidden_layers)",
               "take at most " + std::to_string(m.layers));
        return 0;
    }
    std::uint32_t sparse = 0;
    for (std::uint32_t i = 0; i < m.layers; ++i)
        sparse += !dense.contains(i) && i >= first && (i + 1) % step == 0 && i % frequency == 0 &&
                  (i + 1) % interval == 0 && i >= begin && i <= end;
    return m.layers - sparse;
}

void readExperts(ConfigReader& r, ModelShape& m, const Family& family)
{
    if (!r.has("num_experts") && family.latent) {
        r.assume("n_routed_experts is not given: the feed-forward part is dense");
        return;
    }
    if (r.has("num_experts") && r.at("num_experts").is_number() && r.at("num_experts") == 0) {
        r.assume(r.nameOf("num_experts") + " is 0: the feed-forward part is dense");
        return;
    }
    m.moe.experts = r.size("num_experts");
    m.moe.active = r.size("num_experts_per_tok");
    m.moe.ffn = r.size(family.experts == ExpertWidth::Own ? "moe_intermediate_size" : "intermediate_size");
    m.moe.sharedGate = family.sharedGate;
    m.moe.routerBias = family.correction;
    m.moe.biases = family.expertBiases;
    if (family.sharedGate)
        m.moe.sharedFfn = r.size("shared_expert_intermediate_size");
    else if (r.has("shared_intermediate_size"))
        m.moe.sharedFfn = r.sizeOr("shared_intermediate_size", 0);
    else if (family.type == "llama4_text" || family.type == "hunyuan_v1_moe")
        m.moe.sharedFfn = m.moe.ffn;
    else
        m.moe.sharedFfn = r.product("n_shared_experts", m.moe.ffn,
                                    r.sizeOr("n_shared_experts", 0, family.latent ? "no expert is shared" : ""));
    m.moe.denseLayers = denseLayers(r, m);
    m.moe.sharedBias = m.biasFfn;
}

void readLatent(ConfigReader& r, ModelShape& m)
{
    m.kvHeads = m.heads;
    if (r.sizeOr("num_key_value_heads", m.heads) != m.heads)
        r.assume("num_key_value_heads is not used: latent attention has no groups");
    m.latent.queryRank = r.sizeOr("q_lora_rank", 0, "queries are projected at once");
    m.latent.kvRank = r.size("kv_lora_rank");
    m.latent.nopeDim = r.size("qk_nope_head_dim");
    m.latent.ropeDim = r.size("qk_rope_head_dim");
    m.latent.valueDim = r.size("v_head_dim");
    m.headDim = m.latent.nopeDim + m.latent.ropeDim;
}

/// What few models have and no row says.
void readPeculiar(ConfigReader& r, ModelShape& m, const Family& family)
{
    const std::string_view type = family.type;
    if (type == "falcon") {
        // The newer ones have groups and a norm for each part, the older ones one head for all and one norm.
        const bool newer = r.flag("new_decoder_architecture", false), beside = r.flag("parallel_attn", true);
        m.kvHeads = newer ? r.sizeOr("num_key_value_heads", m.heads) : r.flag("multi_query", true) ? 1 : m.heads;
        m.layerNorms = !beside || r.sizeOr("num_ln_in_parallel_attn", newer ? 2 : 1) == 2 ? 2 : 1;
    } else if (type == "gpt_bigcode") {
        m.kvHeads = r.flag("multi_query", true) ? 1 : m.heads;
    } else if (type == "opt") {
        m.finalNorm = r.flag("do_layer_norm_before", true) && !r.flag("_remove_final_layer_norm", false);
        m.normScale = r.flag("layer_norm_elementwise_affine", true);
        m.embeddingWidth = r.sizeOr("word_embed_proj_dim", 0);
    } else if (type == "electra") {
        m.embeddingWidth = r.sizeOr("embedding_size", 0);
        m.biasEmbedding = m.embeddingWidth != m.hidden;
    } else if (type == "albert") {
        // Its layers are a few groups, which the model goes through again and again.
        m.embeddingWidth = r.size("embedding_size");
        m.biasEmbedding = true;
        const std::uint32_t groups = r.size("num_hidden_groups"), inner = r.size("inner_group_num");
        if (groups > m.layers)
            r.fail("num_hidden_groups", "there are more groups than layers",
                   "take at most " + std::to_string(m.layers));
        m.uniqueLayers = r.product("num_hidden_groups", groups, inner);
        m.layers = r.product("inner_group_num", m.layers, inner);
    } else if (type == "gpt_neo") {
        m.window = r.sizeOr("window_size", 256);
        const auto named = r.layersOfKind("attention_layers", "local", m.layers, {"global", "local"});
        m.windowLayers = named ? *named : m.layers / 2;
    } else if (type == "llama4_text") {
        m.ffn = r.sizeOr("intermediate_size_mlp", 0);
        m.window = r.sizeOr("attention_chunk_size", 0);
        const std::uint32_t every = r.sizeOr("no_rope_layer_interval", 4);
        const auto named =
            r.layersOfKind("layer_types", "chunked_attention", m.layers, {"full_attention", "chunked_attention"});
        m.windowLayers = m.window == 0 ? 0 : named ? *named : every ? m.layers - m.layers / every : m.layers;
        if (m.windowLayers)
            r.assume("layers that attend within chunks (attention_chunk_size) are counted as layers with a window of "
                     "that size: the same up to one chunk, an upper bound beyond it");
    } else if (type == "helium" && m.heads * m.headDim != m.hidden) {
        r.fail("head_dim", "Helium's heads must add up to hidden_size " + std::to_string(m.hidden),
               "give hidden_size / num_attention_heads");
    } else if (type == "ernie" && r.flag("use_task_id", false)) {
        r.fail("use_task_id", "embeddings of tasks are not known here", "take false");
    }
}

void readTransformer(ConfigReader& r, ModelShape& m, const Family& family)
{
    readSizes(r, m);
    m.gated = family.gated;
    m.layerNorm = family.norm != NormKind::Rms;
    m.normScale = family.norm != NormKind::Bare;
    m.normShift = family.norm == NormKind::Layer;
    m.layerNorms = family.norms;
    if (r.on(family.oneNormIf))
        m.layerNorms = 1;
    m.finalNorm = family.finalNorm;
    m.embeddingNorm = family.embeddingNorm;
    m.pooler = family.pooler;
    m.tied = r.flag("tie_word_embeddings", false);
    m.biasQkv = r.on(family.biasQkv);
    m.biasOut = r.on(family.biasOut);
    m.biasFfn = r.on(family.biasFfn);
    m.biasLogits = r.on(family.biasLogits);
    if (family.positions >= 0) {
        if (m.context == 0)
            r.fail(r.nameOf("max_position_embeddings"), "the number of positions is missing or 0",
                   "give max_position_embeddings");
        m.positions = m.context + static_cast<std::uint32_t>(family.positions);
    }
    if (family.encoder) {
        m.kind = ModelKind::Encoder;
        m.tied = true;
        m.logits = false;
        m.tokenTypes = r.sizeOr("type_vocab_size", 0);
        r.assume(family.pooler ? "the model ends with its pooler; a head for a task is not counted"
                               : "the model ends with its last layer; a head for a task is not counted");
        if (r.flag("is_decoder", false) || r.flag("add_cross_attention", false))
            r.fail(r.flag("is_decoder", false) ? "is_decoder" : "add_cross_attention",
                   std::string(family.type) + " as a decoder is not known here", "take false");
    } else if (r.flag("add_cross_attention", false)) {
        r.fail("add_cross_attention", "attention to another model's states is not known here", "take false");
    }
    if (family.latent)
        readLatent(r, m);
    else
        readHeads(r, m, family);
    if (family.type == "mpt" && !r.has("intermediate_size"))
        m.ffn = r.product("expansion_ratio", m.hidden, r.sizeOr("expansion_ratio", 4));
    else if (!r.has("intermediate_size") && family.experts != ExpertWidth::Own)
        m.ffn = 4 * m.hidden; // where a class has no width of its own, it is four times the model's
    else
        m.ffn = r.sizeOr("intermediate_size", 0);
    if (!family.encoder && family.type != "llama4_text")
        readWindow(r, m, family);
    readPeculiar(r, m, family);
    if (family.experts != ExpertWidth::None)
        readExperts(r, m, family);
    m.headNorms = family.headNorms != HeadNorms::None && r.on(family.headNormsIf);
    if (m.headNorms)
        m.headNormParameters = family.headNorms == HeadNorms::Whole
                                   ? r.product("head_dim", m.headDim, double(m.heads) + m.kvHeads)
                                   : (family.headNorms == HeadNorms::HeadWithShift ? 4 : 2) * m.headDim;
    m.layerOther = family.activationNumbers + (family.sinks ? m.heads : 0);
    if (r.sizeOr("num_nextn_predict_layers", 0) != 0 || r.sizeOr("num_mtp_layers", 0) != 0)
        r.assume("the layers that predict further tokens (num_nextn_predict_layers) are not counted");
}

void readResNet(ConfigReader& r, ModelShape& m)
{
    m.kind = ModelKind::Convolutional;
    r.setDefaults(R"({"layer_type": "bottleneck", "embedding_size": 64, "hidden_sizes": [256, 512, 1024, 2048],
        "depths": [3, 4, 6, 3], "downsample_in_first_stage": false, "downsample_in_bottleneck": false})");
    const std::string block = r.text("layer_type");
    m.basicBlocks = block == "basic";
    if (block != "basic" && block != "bottleneck")
        r.fail("layer_type", "the block \"" + block.substr(0, 60) + "\" is not known", "take basic or bottleneck");
    for (const char* key : {"downsample_in_first_stage", "downsample_in_bottleneck"})
        if (r.flag(key, false))
            r.fail(key, "blocks that stride elsewhere are not known here", "take false");
    m.stem = r.size("embedding_size");
    const auto widths = r.sizes("hidden_sizes"), depths = r.sizes("depths");
    if (widths.size() != depths.size())
        r.fail("depths", "depths and hidden_sizes do not have the same length", "give a depth for each size");
    for (std::size_t i = 0; i < std::min(widths.size(), depths.size()); ++i)
        m.stages.push_back({widths[i], depths[i]});
    m.channels = r.sizeOr("num_channels", 3, "3, a colour image");
    if (const auto named = r.entries("id2label"); named > 0 && !r.has("num_labels"))
        m.classes = named;
    else
        m.classes = r.sizeOr("num_labels", 1000, "1000, those of ImageNet");
    m.image = r.sizeOr("image_size", 224, "224 x 224");
}

/// Keys that stand in objects of their own (DBRX).
Json flattened(const Json& config)
{
    Json out = config;
    for (const char* part : {"attn_config", "ffn_config"})
        if (config.contains(part) && config[part].is_object())
            for (const auto& [key, value] : config[part].items())
                if (!out.contains(key))
                    out[key] = value;
    return out;
}

} // namespace

std::span<const std::string> configArchitectures()
{
    static const std::vector<std::string> all = [] {
        std::vector<std::string> types{"deit", "resnet", "vit"};
        for (const Family& each : configFamilies())
            types.emplace_back(each.type);
        for (const PairFamily& each : configPairFamilies())
            types.emplace_back(each.type);
        for (const StateFamily& each : configStateFamilies())
            types.emplace_back(each.type);
        for (const TextPart& each : configTextParts())
            types.emplace_back(each.type);
        std::ranges::sort(types);
        return types;
    }();
    return all;
}

namespace {

/// `outermost`: whether a part for text inside is looked for. There is one such part, and none inside it.
Result<ConfigModel> modelFrom(const Json& config, const std::string& place, bool outermost)
{
    if (!config.is_object())
        return Error{"bad-config", "a config must be a JSON object", place, "give the whole config.json"};
    const std::string outer = ConfigReader(config, place).has("model_type") && config["model_type"].is_string()
                                  ? config["model_type"].get<std::string>()
                                  : std::string();
    const auto part = std::ranges::find(configTextParts(), outer, &TextPart::type);
    const bool hasPart = part != configTextParts().end();
    const bool nested = config.contains("text_config") && config["text_config"].is_object();
    if (nested && outermost && !findFamily(outer) && !findRefusedFamily(outer)) {
        Json text = config["text_config"];
        if (hasPart && (!text.contains("model_type") || !text["model_type"].is_string()))
            text["model_type"] = part->text;
        if (config.contains("tie_word_embeddings"))
            text["tie_word_embeddings"] = config["tie_word_embeddings"];
        auto read = modelFrom(text, place + ": text_config", false);
        if (read)
            read->assumed.insert(read->assumed.begin(), "only the part for text (text_config) is counted, not what "
                                                        "reads pictures or sound");
        return read;
    }
    if (hasPart && outermost) { // older files have the text part's keys beside vision_config
        Json text = config;
        text["model_type"] = part->text;
        auto read = modelFrom(text, place, false);
        if (read)
            read->assumed.insert(read->assumed.begin(), "only the part for text is counted, not what reads pictures");
        return read;
    }
    ConfigReader r(flattened(config), place);
    const std::string type = r.text("model_type");
    ConfigModel out;
    ModelShape& m = out.shape;
    const Family* family = findFamily(type);
    const PairFamily* pair = findPairFamily(type);
    const StateFamily* state = findStateFamily(type);
    if (const RefusedFamily* refused = findRefusedFamily(type); refused && !r.error())
        r.fail("model_type", "the architecture \"" + type + "\" is known by name alone: " + std::string(refused->why),
               "export it to ONNX, whose operators are counted");
    if (!r.error() && !family && !pair && !state && type != "resnet") {
        const auto near = nearestNames(type, configArchitectures());
        r.fail("model_type", "the architecture \"" + type + "\" is not known",
               (near.empty() ? std::string() : "did you mean \"" + near.front() + "\"? Else ") +
                   "write its layers as YAML (see assets/networks), or export it to ONNX; " +
                   std::to_string(configArchitectures().size()) + " architectures are known, as llama, mixtral, bert");
    }
    if (r.error())
        return *r.error();
    if (family) {
        r.setDefaults(family->defaults);
        if (!r.error())
            readTransformer(r, m, *family);
    } else if (pair) {
        r.setDefaults(pair->defaults);
        if (!r.error())
            readEncoderDecoder(r, m, *pair);
    } else if (state) {
        r.setDefaults(state->defaults);
        if (!r.error())
            readStateSpace(r, m, *state);
    } else {
        readResNet(r, m);
    }
    if (!r.error() && m.moe.experts != 0 && m.moe.active > m.moe.experts)
        r.fail(r.nameOf("num_experts_per_tok"),
               "a token uses " + std::to_string(m.moe.active) + " experts of " + std::to_string(m.moe.experts),
               "take at most " + std::to_string(m.moe.experts));
    if (r.error())
        return *r.error();
    if (auto good = checkModel(m); !good)
        return Error{"bad-config", good.error().message, place, good.error().fix};
    if (parameters(m) > 9007199254740992.0)
        return Error{"bad-config", "the sizes give more weights than can be counted to one (2^53)", place,
                     "look for a number with a digit too many"};
    out.assumed = r.assumed();
    if (config.contains("quantization_config") && config["quantization_config"].is_object())
        out.assumed.emplace_back(
            "the file's weights are quantized (quantization_config): the precision that you choose "
            "decides their bytes here");
    return out;
}

} // namespace

Result<ConfigModel> modelOfAnyKind(const Json& config, const std::string& place)
{
    return modelFrom(config, place, true);
}

Result<ConfigModel> modelFromConfig(const Json& config, const std::string& place)
{
    auto read = modelOfAnyKind(config, place);
    if (!read)
        return read;
    const ModelShape& m = read->shape;
    const char* why = m.kind == ModelKind::EncoderDecoder ? "the model has an encoder before its decoder"
                      : m.kind == ModelKind::StateSpace   ? "the model keeps a state and has no attention"
                      : m.uniqueLayers != 0               ? "the model's layers share their weights"
                                                          : nullptr;
    if (why)
        return Error{"bad-config", std::string(why) + ", which is not known here", place + ": model_type",
                     "take another model; the workload explorer and ridge model count this one"};
    return read;
}

Result<ConfigModel> modelFromConfigText(std::string_view text, const std::string& place)
{
    const auto json = parseJsonOnce(text, place);
    if (!json)
        return json.error();
    return modelFromConfig(*json, place);
}

} // namespace ridge::workload
