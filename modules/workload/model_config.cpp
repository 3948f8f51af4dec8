// SPDX-License-Identifier: GPL-3.0-or-later
// Keys and defaults as in the configuration classes of Hugging Face transformers (src/transformers/models/*/
// configuration_*.py): a key that a file leaves out has the value of its class.
#include "workload/model_config.h"

#include "base/experiment_info.h"
#include "base/json.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ridge::workload {
namespace {

constexpr double kMost = 1u << 24; // of any size; a larger one is a slip, and products stay below 2^53

/// Reads one config and keeps the first thing that is wrong in it.
class Reader {
public:
    Reader(const Json& json, std::string place) : m_json(json), m_place(std::move(place)) {}

    void fail(const std::string& key, const std::string& message, const std::string& fix)
    {
        if (!m_error)
            m_error = Error{"bad-config", message, key.empty() ? m_place : m_place + ": " + key, fix};
    }
    bool has(const char* key) const
    {
        const auto found = m_json.find(key);
        return found != m_json.end() && !found->is_null();
    }
    /// A size of at least `least`.
    std::uint32_t size(const char* key, std::uint32_t least = 1)
    {
        if (!has(key)) {
            fail(key, std::string("\"") + key + "\" is missing",
                 "add it; the model's page shows its whole config.json");
            return 0;
        }
        const Json& value = m_json[key];
        const double number = value.is_number() ? value.get<double>() : -1;
        if (number != std::floor(number) || number < least || number > kMost) {
            fail(key, std::string("\"") + key + "\" is " + value.dump() + " and must be a whole number",
                 "give " + std::to_string(least) + " to " + std::to_string(static_cast<std::uint32_t>(kMost)));
            return 0;
        }
        return static_cast<std::uint32_t>(number);
    }
    /// A size that may be left out; `told` empty: that goes without saying.
    std::uint32_t sizeOr(const char* key, std::uint32_t otherwise, const std::string& told = {})
    {
        if (has(key))
            return size(key, 0);
        if (!told.empty())
            assume(std::string(key) + " is not given: " + told);
        return otherwise;
    }
    bool flag(const char* key, bool otherwise)
    {
        if (!has(key))
            return otherwise;
        if (!m_json[key].is_boolean()) {
            fail(key, std::string("\"") + key + "\" is not true or false", "write true or false");
            return otherwise;
        }
        return m_json[key].get<bool>();
    }
    std::string text(const char* key)
    {
        if (!has(key) || !m_json[key].is_string()) {
            fail(key, std::string("\"") + key + "\" is missing or no text", "write it in quotes, as \"llama\"");
            return {};
        }
        return m_json[key].get<std::string>();
    }
    std::vector<std::uint32_t> sizes(const char* key)
    {
        std::vector<std::uint32_t> out;
        if (!has(key) || !m_json[key].is_array() || m_json[key].empty() || m_json[key].size() > 64) {
            fail(key, std::string("\"") + key + "\" is missing or no list of sizes", "write it as [3, 4, 6, 3]");
            return out;
        }
        for (const Json& each : m_json[key]) {
            const double number = each.is_number() ? each.get<double>() : 0;
            if (number != std::floor(number) || number < 1 || number > kMost) {
                fail(key, std::string("\"") + key + "\" has " + each.dump() + ", which is no size",
                     "give whole numbers");
                return out;
            }
            out.push_back(static_cast<std::uint32_t>(number));
        }
        return out;
    }
    /// How often a layer of this kind stands in "layer_types", where the file has that: newer ones name every layer.
    std::optional<std::uint32_t> layersOfType(const char* type, std::uint32_t layers)
    {
        static const std::vector<std::string> kinds{"full_attention", "sliding_attention"};
        if (!has("layer_types"))
            return std::nullopt;
        const Json& list = m_json["layer_types"];
        if (!list.is_array() || list.size() != layers) {
            fail("layer_types", "\"layer_types\" is no list of " + std::to_string(layers) + " kinds of layers",
                 "give one for each of num_hidden_layers, or leave it out");
            return std::nullopt;
        }
        std::uint32_t found = 0;
        for (const Json& each : list) {
            if (!each.is_string() || std::ranges::find(kinds, each.get<std::string>()) == kinds.end()) {
                fail("layer_types", "the kind of layer " + each.dump().substr(0, 60) + " is not known",
                     "take full_attention or sliding_attention");
                return std::nullopt;
            }
            found += each.get<std::string>() == type;
        }
        return found;
    }
    /// Layers that a list of numbers names, each once.
    std::uint32_t layersIn(const char* key, std::uint32_t layers)
    {
        if (!has(key))
            return 0;
        std::set<std::uint32_t> which;
        const std::string fix =
            "give numbers of layers, 0 to " + std::to_string(layers ? layers - 1 : 0) + ", as [0, 1]";
        if (!m_json[key].is_array()) {
            fail(key, std::string("\"") + key + "\" is no list", fix);
            return 0;
        }
        for (const Json& each : m_json[key]) {
            if (!each.is_number_unsigned() || each.get<std::uint64_t>() >= layers) {
                fail(key, std::string("\"") + key + "\" has " + each.dump().substr(0, 60) + ", which is no layer", fix);
                return 0;
            }
            which.insert(each.get<std::uint32_t>());
        }
        return static_cast<std::uint32_t>(which.size());
    }
    void assume(std::string what) { m_assumed.push_back(std::move(what)); }

    const std::optional<Error>& error() const { return m_error; }
    std::vector<std::string> assumed() { return std::move(m_assumed); }

private:
    const Json& m_json;
    std::string m_place;
    std::optional<Error> m_error;
    std::vector<std::string> m_assumed;
};

const std::vector<std::string> kArchitectures{
    "bert",    "deepseek_v2", "deepseek_v3", "gemma", "gemma2", "gpt2",      "gpt_neox", "llama",     "mistral",
    "mixtral", "opt",         "phi",         "phi3",  "qwen2",  "qwen2_moe", "qwen3",    "qwen3_moe", "resnet"};

void readSizes(Reader& r, ModelShape& m)
{
    m.hidden = r.size("hidden_size");
    m.layers = r.size("num_hidden_layers");
    m.heads = r.size("num_attention_heads");
    m.vocabulary = r.size("vocab_size");
    m.context = r.sizeOr("max_position_embeddings", 0, "no longest context is known");
}

/// head_dim, or what the heads leave.
void readHeads(Reader& r, ModelShape& m, bool grouped)
{
    m.kvHeads = m.heads;
    if (grouped)
        m.kvHeads = r.sizeOr("num_key_value_heads", m.heads, "every query head has a KV head of its own");
    if (grouped && m.kvHeads == 0)
        r.fail("num_key_value_heads", "\"num_key_value_heads\" is 0", "give 1 or more, or leave it out");
    else if (m.kvHeads != 0 && m.heads % m.kvHeads != 0)
        r.fail("num_key_value_heads",
               std::to_string(m.heads) + " heads (num_attention_heads) cannot share " + std::to_string(m.kvHeads) +
                   " KV heads evenly",
               "take a number that divides " + std::to_string(m.heads));
    if (grouped && r.has("head_dim")) {
        m.headDim = r.size("head_dim");
        return;
    }
    if (m.heads != 0 && m.hidden % m.heads != 0)
        r.fail("num_attention_heads",
               "hidden_size " + std::to_string(m.hidden) + " is no multiple of num_attention_heads " +
                   std::to_string(m.heads),
               grouped ? "correct one of the two, or give head_dim" : "correct one of the two");
    m.headDim = m.heads ? m.hidden / m.heads : 0;
}

void readWindow(Reader& r, ModelShape& m, std::uint32_t layersWithIt)
{
    m.window = r.sizeOr("sliding_window", 0);
    m.windowLayers = m.window ? r.layersOfType("sliding_attention", m.layers).value_or(layersWithIt) : 0;
}

/// Llama and all that differ from it in a switch.
void readLlamaLike(Reader& r, ModelShape& m, const std::string& type)
{
    const bool gemma = type == "gemma" || type == "gemma2";
    readSizes(r, m);
    readHeads(r, m, true);
    m.gated = true;
    m.tied = r.flag("tie_word_embeddings", gemma);
    const bool qwen2 = type == "qwen2" || type == "qwen2_moe";
    const bool attentionBias = r.flag("attention_bias", false);
    m.biasQkv = attentionBias || qwen2; // Qwen2 has them without a key
    m.biasOut = attentionBias && !qwen2;
    m.biasFfn = r.flag("mlp_bias", false);
    m.headNorms = type == "qwen3" || type == "qwen3_moe";
    m.layerNorms = type == "gemma2" ? 4 : 2;
    if (gemma && !r.has("head_dim"))
        r.fail("head_dim", "\"head_dim\" is missing", "add it; Gemma's heads do not add up to its width");
    if (type == "mistral" || type == "mixtral" || type == "phi3")
        readWindow(r, m, m.layers);
    if (type == "gemma2")
        readWindow(r, m, (m.layers + 1) / 2);
    if ((qwen2 || m.headNorms) && r.flag("use_sliding_window", false))
        readWindow(r, m, m.layers - std::min(m.layers, r.sizeOr("max_window_layers", 0)));

    if (type == "mixtral") {
        m.moe.experts = r.size("num_local_experts");
        m.moe.active = r.size("num_experts_per_tok");
        m.moe.ffn = r.size("intermediate_size");
    } else if (type == "qwen2_moe" || type == "qwen3_moe") {
        m.moe.experts = r.size(r.has("num_local_experts") ? "num_local_experts" : "num_experts");
        m.moe.active = r.size("num_experts_per_tok");
        m.moe.ffn = r.size("moe_intermediate_size");
        m.moe.sharedFfn = type == "qwen2_moe" ? r.size("shared_expert_intermediate_size") : 0;
        m.moe.sharedGate = type == "qwen2_moe";
        m.ffn = r.sizeOr("intermediate_size", 0);
        m.moe.denseLayers = r.layersIn("mlp_only_layers", m.layers);
        if (r.sizeOr("decoder_sparse_step", 1) != 1)
            r.fail("decoder_sparse_step", "only every few layers have experts, which is not known here",
                   "take a model with decoder_sparse_step 1");
    } else {
        m.ffn = r.size("intermediate_size");
    }
}

void readDeepSeek(Reader& r, ModelShape& m, const std::string& type)
{
    readSizes(r, m);
    m.kvHeads = m.heads;
    if (r.sizeOr("num_key_value_heads", m.heads) != m.heads)
        r.fail("num_key_value_heads",
               "latent attention has no groups, yet num_key_value_heads differs from "
               "num_attention_heads",
               "give both the same value");
    m.gated = true;
    m.tied = r.flag("tie_word_embeddings", false);
    if (r.flag("attention_bias", false))
        r.fail("attention_bias", "latent attention with biases is not known here", "take a model without them");
    m.latent.queryRank = r.sizeOr("q_lora_rank", 0, "queries are projected at once");
    m.latent.kvRank = r.size("kv_lora_rank");
    m.latent.nopeDim = r.size("qk_nope_head_dim");
    m.latent.ropeDim = r.size("qk_rope_head_dim");
    m.latent.valueDim = r.size("v_head_dim");
    m.headDim = m.latent.nopeDim + m.latent.ropeDim;
    m.ffn = r.size("intermediate_size");
    if (!r.has("n_routed_experts")) {
        r.assume("n_routed_experts is not given: the feed-forward part is dense");
        return;
    }
    m.moe.experts = r.size("n_routed_experts");
    m.moe.active = r.size("num_experts_per_tok");
    m.moe.ffn = r.size("moe_intermediate_size");
    m.moe.sharedFfn = m.moe.ffn * r.sizeOr("n_shared_experts", 0, "no expert is shared");
    m.moe.denseLayers = r.sizeOr("first_k_dense_replace", 0, "all layers have experts");
    if (r.sizeOr("moe_layer_freq", 1) != 1)
        r.fail("moe_layer_freq", "only every few layers have experts, which is not known here", "take 1");
    m.moe.routerBias = type == "deepseek_v3";
    if (r.sizeOr("num_nextn_predict_layers", 0) != 0)
        r.assume("the layers that predict further tokens (num_nextn_predict_layers) are not counted");
}

void readGpt2(Reader& r, ModelShape& m)
{
    m.hidden = r.size("n_embd");
    m.layers = r.size("n_layer");
    m.heads = r.size("n_head");
    m.vocabulary = r.size("vocab_size");
    m.positions = m.context = r.size(r.has("n_positions") ? "n_positions" : "n_ctx");
    m.ffn = r.sizeOr("n_inner", 4 * m.hidden, "four times n_embd");
    m.tied = r.flag("tie_word_embeddings", true);
    m.layerNorm = m.biasQkv = m.biasOut = m.biasFfn = true;
    if (m.heads != 0 && m.hidden % m.heads != 0)
        r.fail("n_head", "n_embd " + std::to_string(m.hidden) + " is no multiple of n_head " + std::to_string(m.heads),
               "correct one of the two");
    m.kvHeads = m.heads;
    m.headDim = m.heads ? m.hidden / m.heads : 0;
}

void readWithBiases(Reader& r, ModelShape& m, const std::string& type)
{
    readSizes(r, m);
    m.layerNorm = m.biasQkv = m.biasOut = m.biasFfn = true;
    if (type == "opt") {
        readHeads(r, m, false);
        m.ffn = r.size("ffn_dim");
        m.positions = m.context + 2; // OPT's table begins at 2
        m.tied = r.flag("tie_word_embeddings", true);
        if (r.sizeOr("word_embed_proj_dim", m.hidden) != m.hidden)
            r.fail("word_embed_proj_dim", "embeddings are narrower than the model, which is not known here",
                   "take a model where word_embed_proj_dim equals hidden_size (all but OPT-350M)");
        m.finalNorm = r.flag("do_layer_norm_before", true);
        return;
    }
    m.ffn = r.size("intermediate_size");
    if (type == "bert") {
        readHeads(r, m, false);
        m.kind = ModelKind::Encoder;
        m.positions = m.context;
        m.tokenTypes = r.sizeOr("type_vocab_size", 2, "two kinds of tokens");
        m.embeddingNorm = m.pooler = m.tied = true;
        m.finalNorm = m.logits = false;
        r.assume("the model ends with its pooler; a head for a task is not counted");
    } else if (type == "gpt_neox") {
        readHeads(r, m, false);
        m.tied = r.flag("tie_word_embeddings", false);
        m.biasQkv = m.biasOut = r.flag("attention_bias", true);
    } else { // phi: one norm before attention and feed-forward part, which run side by side
        readHeads(r, m, true);
        m.layerNorms = 1;
        m.tied = r.flag("tie_word_embeddings", false);
        m.biasLogits = true;
        if (r.flag("qk_layernorm", false))
            r.fail("qk_layernorm", "norms of queries and keys with a shift are not known here", "take false");
    }
}

void readResNet(Reader& r, ModelShape& m)
{
    m.kind = ModelKind::Convolutional;
    if (r.text("layer_type") != "bottleneck")
        r.fail("layer_type", "only bottleneck blocks are known here", "take ResNet-50, 101 or 152");
    m.stem = r.size("embedding_size");
    const auto widths = r.sizes("hidden_sizes"), depths = r.sizes("depths");
    if (widths.size() != depths.size())
        r.fail("depths", "depths and hidden_sizes do not have the same length", "give a depth for each size");
    for (std::size_t i = 0; i < std::min(widths.size(), depths.size()); ++i)
        m.stages.push_back({widths[i], depths[i]});
    m.channels = r.sizeOr("num_channels", 3, "3, a colour image");
    m.classes = r.sizeOr("num_labels", 1000, "1000, those of ImageNet");
    m.image = r.sizeOr("image_size", 224, "224 x 224");
}

} // namespace

std::span<const std::string> configArchitectures()
{
    return kArchitectures;
}

Result<ConfigModel> modelFromConfig(const Json& config, const std::string& place)
{
    if (!config.is_object())
        return Error{"bad-config", "a config must be a JSON object", place, "give the whole config.json"};
    Reader r(config, place);
    const std::string type = r.text("model_type");
    ConfigModel out;
    ModelShape& m = out.shape;
    if (!r.error() && std::ranges::find(kArchitectures, type) == kArchitectures.end()) {
        const auto near = nearestNames(type, kArchitectures);
        std::string all;
        for (const std::string& each : kArchitectures)
            all += (all.empty() ? "" : ", ") + each;
        r.fail("model_type", "the architecture \"" + type + "\" is not known",
               near.empty() ? "take one of " + all : "did you mean \"" + near.front() + "\"? Known are " + all);
    }
    if (r.error())
        return *r.error();
    if (type == "resnet")
        readResNet(r, m);
    else if (type == "gpt2")
        readGpt2(r, m);
    else if (type == "deepseek_v2" || type == "deepseek_v3")
        readDeepSeek(r, m, type);
    else if (type == "opt" || type == "bert" || type == "gpt_neox" || type == "phi")
        readWithBiases(r, m, type);
    else
        readLlamaLike(r, m, type);
    if (!r.error() && m.moe.experts != 0 && m.moe.active > m.moe.experts)
        r.fail("num_experts_per_tok",
               "a token uses " + std::to_string(m.moe.active) + " experts of " + std::to_string(m.moe.experts),
               "take at most " + std::to_string(m.moe.experts));
    if (!r.error() && m.moe.denseLayers > m.layers)
        r.fail("first_k_dense_replace", "there are more dense layers than layers (num_hidden_layers)",
               "take at most " + std::to_string(m.layers));
    if (r.error())
        return *r.error();
    if (auto good = checkModel(m); !good)
        return Error{"bad-config", good.error().message, place, good.error().fix};
    out.assumed = r.assumed();
    return out;
}

Result<ConfigModel> modelFromConfigText(std::string_view text, const std::string& place)
{
    const auto json = parseJson(text, place);
    if (!json)
        return json.error();
    return modelFromConfig(*json, place);
}

} // namespace ridge::workload
