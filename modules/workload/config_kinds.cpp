// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/config_kinds.h"

namespace ridge::workload {
namespace {

std::uint32_t headDim(ConfigReader& r, const ModelShape& m, const char* key, std::uint32_t heads)
{
    if (heads != 0 && m.hidden % heads != 0)
        r.fail(key,
               r.nameOf("d_model") + " " + std::to_string(m.hidden) + " is no multiple of " + r.nameOf(key) + " " +
                   std::to_string(heads),
               "correct one of the two");
    return heads ? m.hidden / heads : 0;
}

void readT5(ConfigReader& r, ModelShape& m, const PairFamily& family)
{
    m.layers = m.encoder.layers = r.size("num_layers");
    if (r.has("num_decoder_layers"))
        m.layers = r.size("num_decoder_layers");
    m.heads = m.encoder.heads = r.size("num_heads");
    m.headDim = m.encoder.headDim = r.size("d_kv");
    m.ffn = m.encoder.ffn = r.size("d_ff");
    m.relativeBuckets = r.size("relative_attention_num_buckets");
    m.relativeEveryLayer = family.everyLayer;
    const std::string activation = r.text("feed_forward_proj");
    const auto dash = activation.find('-');
    m.gated = activation.starts_with("gated-");
    if (dash != std::string::npos && (!m.gated || activation.find('-', dash + 1) != std::string::npos))
        r.fail("feed_forward_proj", "the activation \"" + activation.substr(0, 60) + "\" is not known",
               "take relu or gated-gelu");
}

void readBart(ConfigReader& r, ModelShape& m, const PairFamily& family)
{
    m.layerNorm = true;
    m.embeddingNorm = family.embeddingNorm;
    m.finalNorm = family.finalNorm;
    m.biasQkv = m.biasOut = m.biasFfn = true;
    m.biasKeys = !family.sound;
    m.encoder.layers = r.size("encoder_layers");
    m.layers = r.size("decoder_layers");
    m.encoder.heads = r.size("encoder_attention_heads");
    m.heads = r.size("decoder_attention_heads");
    m.encoder.headDim = headDim(r, m, "encoder_attention_heads", m.encoder.heads);
    m.headDim = headDim(r, m, "decoder_attention_heads", m.heads);
    m.encoder.ffn = r.size("encoder_ffn_dim");
    m.ffn = r.size("decoder_ffn_dim");
    m.context = r.size(family.sound ? "max_target_positions" : "max_position_embeddings");
    m.encoder.context = family.sound ? r.size("max_source_positions") : m.context;
    if (family.positions >= 0) {
        m.positions = m.context + static_cast<std::uint32_t>(family.positions);
        m.encoder.positions = m.encoder.context + static_cast<std::uint32_t>(family.positions);
    }
    if (family.sound) {
        m.encoder.bands = r.size("num_mel_bins");
        return;
    }
    if (!r.flag("share_encoder_decoder_embeddings", true)) { // Marian
        m.encoder.tables = 2;
        m.encoder.vocabulary = m.vocabulary;
        m.vocabulary = r.sizeOr("decoder_vocab_size", m.vocabulary);
    } else if (!m.tied) {
        m.encoder.tables = 3;
        r.assume("tie_word_embeddings is false: as in the class of transformers, encoder, decoder and output have a "
                 "table of words each, and one more is never read");
    }
}

/// Whether the file is of a model that keeps the encoder alone, as those that turn a prompt into a picture do.
bool encoderAlone(ConfigReader& r)
{
    if (!r.has("architectures") || !r.at("architectures").is_array() || r.at("architectures").size() != 1)
        return false;
    const Json& named = r.at("architectures")[0];
    return named == "T5EncoderModel" || named == "MT5EncoderModel" || named == "UMT5EncoderModel";
}

} // namespace

void readEncoderDecoder(ConfigReader& r, ModelShape& m, const PairFamily& family)
{
    m.kind = ModelKind::EncoderDecoder;
    m.hidden = r.size("d_model");
    m.vocabulary = r.size("vocab_size");
    m.tied = r.flag("tie_word_embeddings", true);
    m.layerNorms = 3;
    m.rotary = false;
    if (family.distances)
        readT5(r, m, family);
    else
        readBart(r, m, family);
    m.kvHeads = m.heads;
    if (family.distances && encoderAlone(r)) {
        m = encoderOf(m);
        r.assume("architectures names the encoder alone, and so the decoder is not counted");
    } else if (!r.flag("is_encoder_decoder", true)) {
        r.fail("is_encoder_decoder", "half of the architecture \"" + std::string(family.type) + "\" is not known here",
               "take true");
    }
}

void readStateSpace(ConfigReader& r, ModelShape& m, const StateFamily& family)
{
    m.kind = ModelKind::StateSpace;
    m.hidden = r.size("hidden_size");
    m.layers = r.size("num_hidden_layers");
    m.vocabulary = r.size("vocab_size");
    m.tied = r.flag("tie_word_embeddings", false);
    m.layerNorms = 1;
    StateSpace& s = m.ssm;
    s.state = r.size("state_size");
    s.kernel = r.size("conv_kernel");
    s.bias = r.flag("use_bias", false);
    s.biasConvolution = r.flag("use_conv_bias", true);
    s.norms = family.norms;
    s.inner = r.product("expand", m.hidden, r.size("expand"));
    if (!family.heads) {
        if (r.has("intermediate_size")) // the class takes it before "expand"
            s.inner = r.size("intermediate_size");
        s.rank = r.at("time_step_rank") == "auto" ? (m.hidden + 15) / 16 : r.size("time_step_rank");
        return;
    }
    s.heads = r.size("num_heads");
    s.groups = r.size("n_groups");
    s.chunk = r.size("chunk_size");
    const std::uint32_t width = r.size("head_dim");
    if (r.product("num_heads", s.heads, width) != s.inner)
        r.fail("num_heads",
               std::to_string(s.heads) + " heads of " + std::to_string(width) + " are not expand x hidden_size, " +
                   std::to_string(s.inner),
               "correct one of the four");
    else if (s.groups != 0 && s.heads % s.groups != 0)
        r.fail("n_groups",
               std::to_string(s.heads) + " heads cannot share " + std::to_string(s.groups) + " groups evenly",
               "take a number that divides the heads");
}

} // namespace ridge::workload
