// SPDX-License-Identifier: GPL-3.0-or-later
// Defaults as in the configuration classes of Hugging Face transformers 5.24.0 (src/transformers/models/*/
// configuration_*.py); the rest was seen by counting what its model classes make of them (tests/workload/
// config_counts.jsonl).
#include "workload/config_families.h"

#include <algorithm>
#include <array>
#include <vector>

namespace ridge::workload {
namespace {

// clang-format off
constexpr Family kFamilies[] = {
    {.type = "albert",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 12, "num_attention_heads": 64, "intermediate_size": 16384, "vocab_size": 30000, "max_position_embeddings": 512, "tie_word_embeddings": true, "type_vocab_size": 2, "embedding_size": 128, "num_hidden_groups": 1, "inner_group_num": 1})",
     .norm = NormKind::Layer, .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false, .encoder = true, .positions = 0, .embeddingNorm = true, .finalNorm = false, .pooler = true},
    {.type = "apertus",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 14336, "vocab_size": 131072, "max_position_embeddings": 65536, "tie_word_embeddings": false, "attention_bias": false})",
     .headNorms = HeadNorms::Head, .biasFfn = "", .gated = false, .activationNumbers = 2},
    {.type = "arcee",
     .defaults = R"({"hidden_size": 2560, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 18432, "vocab_size": 32000, "max_position_embeddings": 4096, "tie_word_embeddings": false, "attention_bias": false, "mlp_bias": false})",
     .gated = false},
    {.type = "bert",
     .defaults = R"({"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 30522, "max_position_embeddings": 512, "tie_word_embeddings": true, "type_vocab_size": 2})",
     .norm = NormKind::Layer, .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false, .encoder = true, .positions = 0, .embeddingNorm = true, .finalNorm = false, .pooler = true},
    {.type = "biogpt",
     .defaults = R"({"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096, "vocab_size": 42384, "max_position_embeddings": 1024, "tie_word_embeddings": true})",
     .norm = NormKind::Layer, .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false, .positions = 2},
    {.type = "bloom",
     .defaults = R"({"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 8, "vocab_size": 250880, "tie_word_embeddings": true})",
     .norm = NormKind::Layer, .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false, .embeddingNorm = true},
    {.type = "camembert",
     .defaults = R"({"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 30522, "max_position_embeddings": 512, "tie_word_embeddings": true, "type_vocab_size": 2})",
     .norm = NormKind::Layer, .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false, .encoder = true, .positions = 0, .embeddingNorm = true, .finalNorm = false, .pooler = true},
    {.type = "codegen",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 28, "num_attention_heads": 16, "vocab_size": 50400, "max_position_embeddings": 2048, "tie_word_embeddings": false})",
     .norm = NormKind::Layer, .norms = 1, .biasQkv = "", .biasOut = "", .biasFfn = kYes, .biasLogits = kYes, .gated = false},
    {.type = "cohere",
     .defaults = R"({"hidden_size": 8192, "num_hidden_layers": 40, "num_attention_heads": 64, "intermediate_size": 22528, "vocab_size": 256000, "max_position_embeddings": 8192, "tie_word_embeddings": true, "attention_bias": false, "use_qk_norm": false})",
     .norm = NormKind::LayerNoShift, .norms = 1, .headNorms = HeadNorms::Whole, .headNormsIf = "use_qk_norm", .biasFfn = ""},
    {.type = "cohere2",
     .defaults = R"({"hidden_size": 8192, "num_hidden_layers": 40, "num_attention_heads": 64, "intermediate_size": 22528, "vocab_size": 256000, "max_position_embeddings": 8192, "tie_word_embeddings": true, "attention_bias": false, "sliding_window": 4096})",
     .norm = NormKind::LayerNoShift, .norms = 1, .biasFfn = "", .window = Window::Every, .every = 4},
    {.type = "cwm",
     .defaults = R"({"hidden_size": 6144, "num_hidden_layers": 64, "num_attention_heads": 48, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 21504, "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": false, "mlp_bias": false, "sliding_window": 8192})",
     .biasQkv = "", .biasOut = "", .window = Window::AfterFirst, .every = 4},
    {.type = "dbrx",
     .defaults = R"({"hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 16, "num_key_value_heads": 1, "vocab_size": 32000, "max_position_embeddings": 2048, "tie_word_embeddings": false, "intermediate_size": 3584, "num_experts": 4, "num_experts_per_tok": 1})",
     .norm = NormKind::LayerNoShift, .biasQkv = "", .biasOut = "", .biasFfn = "", .experts = ExpertWidth::Ffn},
    {.type = "deepseek_v2",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 102400, "max_position_embeddings": 2048, "tie_word_embeddings": false, "attention_bias": false, "mlp_bias": false, "num_experts": 64, "moe_intermediate_size": 1407, "n_shared_experts": 2, "first_k_dense_replace": 0, "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128})",
     .experts = ExpertWidth::Own, .latent = true},
    {.type = "deepseek_v3",
     .defaults = R"({"hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128, "intermediate_size": 18432, "vocab_size": 129280, "max_position_embeddings": 4096, "tie_word_embeddings": false, "attention_bias": false, "num_experts": 256, "num_experts_per_tok": 8, "moe_intermediate_size": 2048, "n_shared_experts": 1, "first_k_dense_replace": 3, "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128})",
     .experts = ExpertWidth::Own, .correction = true, .latent = true},
    {.type = "distilbert",
     .defaults = R"({"hidden_size": 768, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 30522, "max_position_embeddings": 512, "tie_word_embeddings": true, "sinusoidal_pos_embds": false})",
     .norm = NormKind::Layer, .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false, .encoder = true, .positions = 0, .embeddingNorm = true, .finalNorm = false},
    {.type = "dots1",
     .defaults = R"({"hidden_size": 4608, "num_hidden_layers": 62, "num_attention_heads": 32, "num_key_value_heads": 32, "intermediate_size": 10944, "vocab_size": 152064, "max_position_embeddings": 2048, "tie_word_embeddings": false, "attention_bias": false, "sliding_window": 4096, "max_window_layers": 62, "moe_intermediate_size": 1408, "first_k_dense_replace": 0})",
     .headNorms = HeadNorms::Head, .biasFfn = "", .window = Window::From, .experts = ExpertWidth::Own, .correction = true},
    {.type = "electra",
     .defaults = R"({"hidden_size": 256, "num_hidden_layers": 12, "num_attention_heads": 4, "intermediate_size": 1024, "vocab_size": 30522, "max_position_embeddings": 512, "tie_word_embeddings": true, "type_vocab_size": 2, "embedding_size": 128})",
     .norm = NormKind::Layer, .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false, .encoder = true, .positions = 0, .embeddingNorm = true, .finalNorm = false},
    {.type = "ernie",
     .defaults = R"({"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 30522, "max_position_embeddings": 512, "tie_word_embeddings": true, "type_vocab_size": 2, "use_task_id": false, "task_type_vocab_size": 3})",
     .norm = NormKind::Layer, .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false, .encoder = true, .positions = 0, .embeddingNorm = true, .finalNorm = false, .pooler = true},
    {.type = "ernie4_5",
     .defaults = R"({"hidden_size": 1024, "num_hidden_layers": 18, "num_attention_heads": 16, "num_key_value_heads": 2, "head_dim": 128, "intermediate_size": 3072, "vocab_size": 103424, "max_position_embeddings": 131072, "tie_word_embeddings": true, "use_bias": false})",
     .biasQkv = "use_bias", .biasOut = "use_bias", .biasFfn = "use_bias"},
    {.type = "ernie4_5_moe",
     .defaults = R"({"hidden_size": 2560, "num_hidden_layers": 28, "num_attention_heads": 20, "num_key_value_heads": 4, "intermediate_size": 12288, "vocab_size": 103424, "max_position_embeddings": 131072, "tie_word_embeddings": true, "use_bias": false, "num_experts": 64, "num_experts_per_tok": 6, "moe_intermediate_size": 1536, "n_shared_experts": 2, "moe_layer_start_index": 1, "moe_layer_end_index": -1, "moe_layer_interval": 1})",
     .biasQkv = "use_bias", .biasOut = "use_bias", .biasFfn = "use_bias", .biasLogits = "use_bias", .experts = ExpertWidth::Own, .correction = true},
    {.type = "exaone",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 102400, "max_position_embeddings": 4096, "tie_word_embeddings": false, "attention_bias": false, "mlp_bias": false})"},
    {.type = "exaone4",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "intermediate_size": 16384, "vocab_size": 102400, "max_position_embeddings": 2048, "tie_word_embeddings": false, "sliding_window": 4096, "sliding_window_pattern": 4})",
     .headNorms = HeadNorms::Head, .biasQkv = "", .biasOut = "", .biasFfn = "", .window = Window::Every, .every = 4},
    {.type = "exaone_moe",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "intermediate_size": 16384, "vocab_size": 102400, "max_position_embeddings": 2048, "tie_word_embeddings": false, "sliding_window": 4096, "sliding_window_pattern": 4, "num_experts": 64, "num_experts_per_tok": 8, "moe_intermediate_size": 1024, "n_shared_experts": 1, "first_k_dense_replace": 1})",
     .headNorms = HeadNorms::Head, .biasQkv = "", .biasOut = "", .biasFfn = "", .window = Window::Every, .every = 4, .experts = ExpertWidth::Own, .correction = true},
    {.type = "falcon",
     .defaults = R"({"hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71, "vocab_size": 65024, "max_position_embeddings": 2048, "tie_word_embeddings": true, "bias": false, "multi_query": true, "parallel_attn": true, "new_decoder_architecture": false})",
     .norm = NormKind::Layer, .biasQkv = "bias", .biasOut = "bias", .biasFfn = "bias", .gated = false},
    {.type = "flex_olmo",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 100352, "max_position_embeddings": 4096, "tie_word_embeddings": false, "attention_bias": false, "num_experts": 7, "num_experts_per_tok": 5})",
     .headNorms = HeadNorms::Whole, .experts = ExpertWidth::Ffn},
    {.type = "gemma",
     .defaults = R"({"hidden_size": 3072, "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 16, "head_dim": 256, "intermediate_size": 24576, "vocab_size": 256000, "max_position_embeddings": 8192, "tie_word_embeddings": true, "attention_bias": false})",
     .biasFfn = ""},
    {.type = "gemma2",
     .defaults = R"({"hidden_size": 2304, "num_hidden_layers": 26, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "intermediate_size": 9216, "vocab_size": 256000, "max_position_embeddings": 8192, "tie_word_embeddings": true, "attention_bias": false, "sliding_window": 4096})",
     .norms = 4, .biasFfn = "", .window = Window::Every, .every = 2},
    {.type = "gemma3_text",
     .defaults = R"({"hidden_size": 2304, "num_hidden_layers": 26, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "intermediate_size": 9216, "vocab_size": 262208, "max_position_embeddings": 131072, "tie_word_embeddings": true, "attention_bias": false, "sliding_window": 4096, "sliding_window_pattern": 6})",
     .norms = 4, .headNorms = HeadNorms::Head, .biasFfn = "", .window = Window::Every, .every = 6},
    {.type = "glm",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 2, "head_dim": 128, "intermediate_size": 13696, "vocab_size": 151552, "max_position_embeddings": 131072, "tie_word_embeddings": false, "attention_bias": true})",
     .biasOut = "", .biasFfn = ""},
    {.type = "glm4",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 2, "head_dim": 128, "intermediate_size": 13696, "vocab_size": 151552, "max_position_embeddings": 131072, "tie_word_embeddings": false, "attention_bias": true})",
     .norms = 4, .biasOut = "", .biasFfn = ""},
    {.type = "glm4_moe",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 46, "num_attention_heads": 96, "num_key_value_heads": 8, "intermediate_size": 10944, "vocab_size": 151552, "max_position_embeddings": 131072, "tie_word_embeddings": false, "attention_bias": false, "num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 1408, "n_shared_experts": 1, "first_k_dense_replace": 1, "use_qk_norm": false})",
     .headNorms = HeadNorms::Head, .headNormsIf = "use_qk_norm", .biasOut = "", .biasFfn = "", .experts = ExpertWidth::Own, .correction = true},
    {.type = "glm4_moe_lite",
     .defaults = R"({"hidden_size": 2048, "num_hidden_layers": 47, "num_attention_heads": 20, "num_key_value_heads": 20, "intermediate_size": 10240, "vocab_size": 154880, "max_position_embeddings": 202752, "tie_word_embeddings": false, "attention_bias": false, "num_experts": 64, "num_experts_per_tok": 4, "first_k_dense_replace": 1, "moe_intermediate_size": 1536, "n_shared_experts": 1, "kv_lora_rank": 512, "q_lora_rank": 768, "qk_nope_head_dim": 192, "qk_rope_head_dim": 64, "v_head_dim": 256})",
     .experts = ExpertWidth::Own, .correction = true, .latent = true},
    {.type = "gpt2",
     .defaults = R"({"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "vocab_size": 50257, "max_position_embeddings": 1024, "tie_word_embeddings": true})",
     .norm = NormKind::Layer, .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false, .positions = 0},
    {.type = "gpt_bigcode",
     .defaults = R"({"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "vocab_size": 50257, "max_position_embeddings": 1024, "tie_word_embeddings": true, "multi_query": true})",
     .norm = NormKind::Layer, .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false, .positions = 0},
    {.type = "gpt_neo",
     .defaults = R"({"hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 16, "vocab_size": 50257, "max_position_embeddings": 2048, "tie_word_embeddings": true, "window_size": 256})",
     .norm = NormKind::Layer, .biasQkv = "", .biasOut = kYes, .biasFfn = kYes, .gated = false, .positions = 0},
    {.type = "gpt_neox",
     .defaults = R"({"hidden_size": 6144, "num_hidden_layers": 44, "num_attention_heads": 64, "intermediate_size": 24576, "vocab_size": 50432, "max_position_embeddings": 2048, "tie_word_embeddings": false, "attention_bias": true, "use_parallel_residual": true})",
     .norm = NormKind::Layer, .biasFfn = kYes, .gated = false},
    {.type = "gpt_oss",
     .defaults = R"({"hidden_size": 2880, "num_hidden_layers": 36, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 2880, "vocab_size": 201088, "max_position_embeddings": 131072, "tie_word_embeddings": false, "attention_bias": true, "sliding_window": 128, "num_experts": 128, "num_experts_per_tok": 4})",
     .window = Window::Every, .every = 2, .experts = ExpertWidth::Ffn, .correction = true, .expertBiases = true, .sinks = true},
    {.type = "gptj",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 28, "num_attention_heads": 16, "vocab_size": 50400, "max_position_embeddings": 2048, "tie_word_embeddings": false})",
     .norm = NormKind::Layer, .norms = 1, .biasQkv = "", .biasOut = "", .biasFfn = kYes, .biasLogits = kYes, .gated = false},
    {.type = "granite",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 32000, "max_position_embeddings": 2048, "tie_word_embeddings": false, "attention_bias": false, "mlp_bias": false})"},
    {.type = "granitemoe",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 32000, "max_position_embeddings": 2048, "tie_word_embeddings": false, "attention_bias": false, "num_experts": 8, "num_experts_per_tok": 2})",
     .biasFfn = "", .experts = ExpertWidth::Ffn},
    {.type = "granitemoeshared",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 32000, "max_position_embeddings": 2048, "tie_word_embeddings": false, "attention_bias": false, "num_experts": 8, "num_experts_per_tok": 2, "shared_intermediate_size": 0})",
     .biasFfn = "", .experts = ExpertWidth::Ffn},
    {.type = "helium",
     .defaults = R"({"hidden_size": 2560, "num_hidden_layers": 24, "num_attention_heads": 20, "num_key_value_heads": 20, "head_dim": 128, "intermediate_size": 7040, "vocab_size": 48000, "max_position_embeddings": 4096, "tie_word_embeddings": false, "attention_bias": false, "mlp_bias": false})",
     .biasOut = ""},
    {.type = "hunyuan_v1_dense",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 290943, "max_position_embeddings": 2048, "tie_word_embeddings": false, "attention_bias": false})",
     .headNorms = HeadNorms::Head, .biasFfn = ""},
    {.type = "hunyuan_v1_moe",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 290943, "max_position_embeddings": 2048, "tie_word_embeddings": false, "attention_bias": false, "num_experts": 1, "num_experts_per_tok": 1})",
     .headNorms = HeadNorms::Head, .biasFfn = "", .experts = ExpertWidth::Ffn},
    {.type = "hy_v3",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 13312, "vocab_size": 120832, "max_position_embeddings": 131072, "tie_word_embeddings": false, "attention_bias": false, "mlp_bias": false, "num_experts": 192, "num_experts_per_tok": 8, "first_k_dense_replace": 1, "moe_intermediate_size": 1536, "n_shared_experts": 1})",
     .headNorms = HeadNorms::Head, .experts = ExpertWidth::Own, .correction = true},
    {.type = "internlm3",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 2, "head_dim": 128, "intermediate_size": 10240, "vocab_size": 128512, "max_position_embeddings": 32768, "tie_word_embeddings": false, "attention_bias": false, "mlp_bias": false})",
     .biasQkv = "qkv_bias|attention_bias", .biasOut = "bias|mlp_bias", .biasFfn = "bias|mlp_bias"},
    {.type = "jais2",
     .defaults = R"({"hidden_size": 3328, "num_hidden_layers": 32, "num_attention_heads": 26, "intermediate_size": 26624, "vocab_size": 150272, "max_position_embeddings": 8192, "tie_word_embeddings": false, "attention_bias": true, "mlp_bias": true})",
     .norm = NormKind::Layer, .gated = false},
    {.type = "llama",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 32000, "max_position_embeddings": 2048, "tie_word_embeddings": false, "attention_bias": false, "mlp_bias": false})"},
    {.type = "llama4_text",
     .defaults = R"({"hidden_size": 5120, "num_hidden_layers": 48, "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 8192, "vocab_size": 202048, "max_position_embeddings": 131072, "tie_word_embeddings": false, "attention_bias": false, "num_experts": 16, "num_experts_per_tok": 1, "interleave_moe_layer_step": 1, "intermediate_size_mlp": 16384, "attention_chunk_size": 8192, "no_rope_layer_interval": 4, "use_qk_norm": true})",
     .biasFfn = "", .experts = ExpertWidth::Ffn},
    {.type = "megatron-bert",
     .defaults = R"({"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096, "vocab_size": 29056, "max_position_embeddings": 512, "tie_word_embeddings": true, "type_vocab_size": 2})",
     .norm = NormKind::Layer, .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false, .encoder = true, .positions = 0, .pooler = true},
    {.type = "mellum",
     .defaults = R"({"hidden_size": 2304, "num_hidden_layers": 28, "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 7168, "vocab_size": 98304, "max_position_embeddings": 131072, "tie_word_embeddings": false, "attention_bias": false, "sliding_window": 1024, "num_experts": 64, "num_experts_per_tok": 8, "moe_intermediate_size": 896})",
     .headNorms = HeadNorms::Head, .biasFfn = "", .window = Window::Every, .every = 1, .experts = ExpertWidth::Own},
    {.type = "minimax_m2",
     .defaults = R"({"hidden_size": 3072, "num_hidden_layers": 62, "num_attention_heads": 48, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 1536, "vocab_size": 200064, "max_position_embeddings": 196608, "tie_word_embeddings": false, "num_experts": 256, "num_experts_per_tok": 8})",
     .headNorms = HeadNorms::Whole, .biasQkv = "", .biasOut = "", .biasFfn = "", .experts = ExpertWidth::Ffn, .correction = true},
    {.type = "ministral3",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 34, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 14336, "vocab_size": 131072, "max_position_embeddings": 262144, "tie_word_embeddings": false})",
     .biasQkv = "", .biasOut = "", .biasFfn = "", .window = Window::All},
    {.type = "mistral",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 32000, "max_position_embeddings": 131072, "tie_word_embeddings": false, "sliding_window": 4096})",
     .biasQkv = "", .biasOut = "", .biasFfn = "", .window = Window::All},
    {.type = "mixtral",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 32000, "max_position_embeddings": 131072, "tie_word_embeddings": false, "num_experts": 8, "num_experts_per_tok": 2})",
     .biasQkv = "", .biasOut = "", .biasFfn = "", .window = Window::All, .experts = ExpertWidth::Ffn},
    {.type = "mpt",
     .defaults = R"({"hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 16, "vocab_size": 50368, "max_position_embeddings": 2048, "tie_word_embeddings": true, "expansion_ratio": 4})",
     .norm = NormKind::LayerNoShift, .biasQkv = "", .biasOut = "", .biasFfn = "", .gated = false},
    {.type = "nanochat",
     .defaults = R"({"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 6, "intermediate_size": 8192, "vocab_size": 50304, "max_position_embeddings": 2048, "tie_word_embeddings": false, "attention_bias": false})",
     .norm = NormKind::Bare, .biasFfn = "", .gated = false},
    {.type = "nemotron",
     .defaults = R"({"hidden_size": 6144, "num_hidden_layers": 32, "num_attention_heads": 48, "intermediate_size": 24576, "vocab_size": 256000, "max_position_embeddings": 4096, "tie_word_embeddings": false, "attention_bias": false, "mlp_bias": false})",
     .norm = NormKind::Layer, .gated = false},
    {.type = "olmo",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 50304, "max_position_embeddings": 2048, "tie_word_embeddings": false, "attention_bias": false})",
     .norm = NormKind::Bare, .biasFfn = ""},
    {.type = "olmo2",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 50304, "max_position_embeddings": 2048, "tie_word_embeddings": false, "attention_bias": false})",
     .headNorms = HeadNorms::Whole, .biasFfn = ""},
    {.type = "olmo3",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 50304, "max_position_embeddings": 2048, "tie_word_embeddings": false, "attention_bias": false, "sliding_window": 4096})",
     .headNorms = HeadNorms::Whole, .biasFfn = "", .window = Window::Every, .every = 4},
    {.type = "olmoe",
     .defaults = R"({"hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 16, "intermediate_size": 2048, "vocab_size": 50304, "max_position_embeddings": 4096, "tie_word_embeddings": false, "attention_bias": false, "num_experts": 64, "num_experts_per_tok": 8})",
     .headNorms = HeadNorms::Whole, .experts = ExpertWidth::Ffn},
    {.type = "openai-gpt",
     .defaults = R"({"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "vocab_size": 40478, "max_position_embeddings": 512, "tie_word_embeddings": true})",
     .norm = NormKind::Layer, .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false, .positions = 0, .finalNorm = false},
    {.type = "opt",
     .defaults = R"({"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 50272, "max_position_embeddings": 2048, "tie_word_embeddings": true, "enable_bias": true, "do_layer_norm_before": true, "layer_norm_elementwise_affine": true})",
     .norm = NormKind::Layer, .biasQkv = "enable_bias", .biasOut = "enable_bias", .biasFfn = "enable_bias", .gated = false, .positions = 2},
    {.type = "persimmon",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 36, "num_attention_heads": 64, "intermediate_size": 16384, "vocab_size": 262144, "max_position_embeddings": 16384, "tie_word_embeddings": false, "qk_layernorm": true})",
     .norm = NormKind::Layer, .headNorms = HeadNorms::HeadWithShift, .headNormsIf = "qk_layernorm", .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false},
    {.type = "phi",
     .defaults = R"({"hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 32, "intermediate_size": 8192, "vocab_size": 51200, "max_position_embeddings": 2048, "tie_word_embeddings": false, "qk_layernorm": false})",
     .norm = NormKind::Layer, .norms = 1, .headNorms = HeadNorms::HeadWithShift, .headNormsIf = "qk_layernorm", .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .biasLogits = kYes, .gated = false},
    {.type = "phi3",
     .defaults = R"({"hidden_size": 3072, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 8192, "vocab_size": 32064, "max_position_embeddings": 4096, "tie_word_embeddings": false})",
     .biasQkv = "", .biasOut = "", .biasFfn = "", .window = Window::All},
    {.type = "phimoe",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 6400, "vocab_size": 32064, "max_position_embeddings": 131072, "tie_word_embeddings": false, "attention_bias": false, "num_experts": 16, "num_experts_per_tok": 2, "lm_head_bias": false})",
     .norm = NormKind::Layer, .biasLogits = "lm_head_bias", .window = Window::All, .experts = ExpertWidth::Ffn},
    {.type = "qwen2",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "intermediate_size": 22016, "vocab_size": 151936, "max_position_embeddings": 32768, "tie_word_embeddings": false, "sliding_window": 4096, "use_sliding_window": false, "max_window_layers": 28})",
     .biasQkv = kYes, .biasOut = "", .biasFfn = "", .window = Window::From},
    {.type = "qwen2_5_vl_text",
     .defaults = R"({"hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "intermediate_size": 29568, "vocab_size": 152064, "max_position_embeddings": 32768, "sliding_window": 4096, "use_sliding_window": false, "max_window_layers": 80})",
     .biasQkv = kYes, .biasOut = "", .biasFfn = "", .window = Window::From},
    {.type = "qwen2_moe",
     .defaults = R"({"hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 16, "num_key_value_heads": 16, "intermediate_size": 5632, "vocab_size": 151936, "max_position_embeddings": 32768, "tie_word_embeddings": false, "qkv_bias": true, "sliding_window": 4096, "use_sliding_window": false, "max_window_layers": 28, "num_experts": 60, "num_experts_per_tok": 4, "moe_intermediate_size": 1408, "shared_expert_intermediate_size": 5632, "decoder_sparse_step": 1})",
     .biasQkv = "qkv_bias", .biasOut = "", .biasFfn = "", .window = Window::EvenBefore, .experts = ExpertWidth::Own, .sharedGate = true},
    {.type = "qwen2_vl_text",
     .defaults = R"({"hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "intermediate_size": 29568, "vocab_size": 152064, "max_position_embeddings": 32768, "sliding_window": 4096, "use_sliding_window": false, "max_window_layers": 80})",
     .biasQkv = kYes, .biasOut = "", .biasFfn = "", .window = Window::From},
    {.type = "qwen3",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "head_dim": 128, "intermediate_size": 22016, "vocab_size": 151936, "max_position_embeddings": 32768, "tie_word_embeddings": false, "attention_bias": false, "sliding_window": 4096, "use_sliding_window": false, "max_window_layers": 28})",
     .headNorms = HeadNorms::Head, .biasFfn = "", .window = Window::From},
    {.type = "qwen3_moe",
     .defaults = R"({"hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 32, "num_key_value_heads": 4, "intermediate_size": 6144, "vocab_size": 151936, "max_position_embeddings": 32768, "tie_word_embeddings": false, "attention_bias": false, "sliding_window": 4096, "use_sliding_window": false, "num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 768, "decoder_sparse_step": 1})",
     .headNorms = HeadNorms::Head, .biasFfn = "", .window = Window::From, .experts = ExpertWidth::Own},
    {.type = "qwen3_vl_moe_text",
     .defaults = R"({"hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 16, "num_key_value_heads": 16, "intermediate_size": 5632, "vocab_size": 151936, "max_position_embeddings": 128000, "tie_word_embeddings": true, "attention_bias": false, "num_experts": 60, "num_experts_per_tok": 4, "moe_intermediate_size": 1408, "decoder_sparse_step": 1})",
     .headNorms = HeadNorms::Head, .biasFfn = "", .window = Window::From, .experts = ExpertWidth::Own},
    {.type = "qwen3_vl_text",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "head_dim": 128, "intermediate_size": 22016, "vocab_size": 151936, "max_position_embeddings": 128000, "attention_bias": false})",
     .headNorms = HeadNorms::Head, .biasFfn = "", .window = Window::From},
    {.type = "roberta",
     .defaults = R"({"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 50265, "max_position_embeddings": 512, "tie_word_embeddings": true, "type_vocab_size": 2})",
     .norm = NormKind::Layer, .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false, .encoder = true, .positions = 0, .embeddingNorm = true, .finalNorm = false, .pooler = true},
    {.type = "roberta-prelayernorm",
     .defaults = R"({"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 50265, "max_position_embeddings": 512, "tie_word_embeddings": true, "type_vocab_size": 2})",
     .norm = NormKind::Layer, .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false, .encoder = true, .positions = 0, .embeddingNorm = true, .pooler = true},
    {.type = "seed_oss",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 64, "num_attention_heads": 80, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 27648, "vocab_size": 155136, "max_position_embeddings": 524288, "tie_word_embeddings": false, "attention_bias": true, "mlp_bias": false, "attention_out_bias": false})",
     .biasOut = "attention_out_bias"},
    {.type = "smollm3",
     .defaults = R"({"hidden_size": 2048, "num_hidden_layers": 36, "num_attention_heads": 16, "num_key_value_heads": 4, "intermediate_size": 11008, "vocab_size": 128256, "max_position_embeddings": 32768, "tie_word_embeddings": true, "attention_bias": false, "mlp_bias": false, "use_sliding_window": false, "no_rope_layer_interval": 4})"},
    {.type = "solar_open",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 48, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 196608, "max_position_embeddings": 131072, "tie_word_embeddings": false, "attention_bias": false, "num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 1280, "n_shared_experts": 1})",
     .biasOut = "", .biasFfn = "", .experts = ExpertWidth::Own, .correction = true},
    {.type = "stablelm",
     .defaults = R"({"hidden_size": 2560, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "intermediate_size": 6912, "vocab_size": 50304, "max_position_embeddings": 4096, "tie_word_embeddings": false, "use_qkv_bias": false, "qk_layernorm": false, "use_parallel_residual": false})",
     .norm = NormKind::Layer, .oneNormIf = "use_parallel_residual", .headNorms = HeadNorms::Whole, .headNormsIf = "qk_layernorm", .biasQkv = "use_qkv_bias", .biasOut = "", .biasFfn = ""},
    {.type = "starcoder2",
     .defaults = R"({"hidden_size": 3072, "num_hidden_layers": 30, "num_attention_heads": 24, "num_key_value_heads": 2, "intermediate_size": 12288, "vocab_size": 49152, "max_position_embeddings": 4096, "tie_word_embeddings": true, "use_bias": true})",
     .norm = NormKind::Layer, .biasQkv = "use_bias", .biasOut = "use_bias", .biasFfn = "use_bias", .gated = false, .window = Window::All},
    {.type = "vaultgemma",
     .defaults = R"({"hidden_size": 2304, "num_hidden_layers": 26, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "intermediate_size": 9216, "vocab_size": 256000, "max_position_embeddings": 8192, "tie_word_embeddings": true, "attention_bias": false, "sliding_window": 4096})",
     .biasFfn = "", .window = Window::Every, .every = 2},
    {.type = "xglm",
     .defaults = R"({"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096, "vocab_size": 256008, "max_position_embeddings": 2048, "tie_word_embeddings": true})",
     .norm = NormKind::Layer, .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false},
    {.type = "xlm-roberta",
     .defaults = R"({"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 30522, "max_position_embeddings": 512, "tie_word_embeddings": true, "type_vocab_size": 2})",
     .norm = NormKind::Layer, .biasQkv = kYes, .biasOut = kYes, .biasFfn = kYes, .gated = false, .encoder = true, .positions = 0, .embeddingNorm = true, .finalNorm = false, .pooler = true},
    {.type = "youtu",
     .defaults = R"({"hidden_size": 2048, "num_hidden_layers": 32, "num_attention_heads": 16, "num_key_value_heads": 16, "intermediate_size": 6144, "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": true, "attention_bias": false, "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128})",
     .latent = true},
};

constexpr PairFamily kPairs[] = {
    {.type = "bart",
     .defaults = R"({"d_model": 1024, "encoder_layers": 12, "decoder_layers": 12, "encoder_attention_heads": 16, "decoder_attention_heads": 16, "encoder_ffn_dim": 4096, "decoder_ffn_dim": 4096, "vocab_size": 50265, "max_position_embeddings": 1024, "tie_word_embeddings": true})",
     .positions = 2, .embeddingNorm = true, .finalNorm = false},
    {.type = "blenderbot",
     .defaults = R"({"d_model": 2560, "encoder_layers": 2, "decoder_layers": 24, "encoder_attention_heads": 32, "decoder_attention_heads": 32, "encoder_ffn_dim": 10240, "decoder_ffn_dim": 10240, "vocab_size": 8008, "max_position_embeddings": 128, "tie_word_embeddings": true})",
     .positions = 0},
    {.type = "blenderbot-small",
     .defaults = R"({"d_model": 512, "encoder_layers": 8, "decoder_layers": 8, "encoder_attention_heads": 16, "decoder_attention_heads": 16, "encoder_ffn_dim": 2048, "decoder_ffn_dim": 2048, "vocab_size": 50265, "max_position_embeddings": 512, "tie_word_embeddings": true})",
     .positions = 0, .embeddingNorm = true, .finalNorm = false},
    {.type = "m2m_100",
     .defaults = R"({"d_model": 1024, "encoder_layers": 12, "decoder_layers": 12, "encoder_attention_heads": 16, "decoder_attention_heads": 16, "encoder_ffn_dim": 4096, "decoder_ffn_dim": 4096, "vocab_size": 128112, "max_position_embeddings": 1024, "tie_word_embeddings": true})"},
    {.type = "marian",
     .defaults = R"({"d_model": 1024, "encoder_layers": 12, "decoder_layers": 12, "encoder_attention_heads": 16, "decoder_attention_heads": 16, "encoder_ffn_dim": 4096, "decoder_ffn_dim": 4096, "vocab_size": 58101, "max_position_embeddings": 1024, "tie_word_embeddings": true, "share_encoder_decoder_embeddings": true})",
     .positions = 0, .finalNorm = false},
    {.type = "mbart",
     .defaults = R"({"d_model": 1024, "encoder_layers": 12, "decoder_layers": 12, "encoder_attention_heads": 16, "decoder_attention_heads": 16, "encoder_ffn_dim": 4096, "decoder_ffn_dim": 4096, "vocab_size": 50265, "max_position_embeddings": 1024, "tie_word_embeddings": true})",
     .positions = 2, .embeddingNorm = true},
    {.type = "mt5",
     .defaults = R"({"d_model": 512, "d_kv": 64, "d_ff": 1024, "num_layers": 8, "num_heads": 6, "vocab_size": 250112, "relative_attention_num_buckets": 32, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": true})",
     .distances = true},
    {.type = "pegasus",
     .defaults = R"({"d_model": 1024, "encoder_layers": 12, "decoder_layers": 12, "encoder_attention_heads": 16, "decoder_attention_heads": 16, "encoder_ffn_dim": 4096, "decoder_ffn_dim": 4096, "vocab_size": 50265, "max_position_embeddings": 1024, "tie_word_embeddings": true})",
     .positions = 0},
    {.type = "t5",
     .defaults = R"({"d_model": 512, "d_kv": 64, "d_ff": 2048, "num_layers": 6, "num_heads": 8, "vocab_size": 32128, "relative_attention_num_buckets": 32, "feed_forward_proj": "relu", "tie_word_embeddings": true})",
     .distances = true},
    {.type = "umt5",
     .defaults = R"({"d_model": 512, "d_kv": 64, "d_ff": 1024, "num_layers": 8, "num_heads": 6, "vocab_size": 250112, "relative_attention_num_buckets": 32, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": true})",
     .distances = true, .everyLayer = true},
    {.type = "whisper",
     .defaults = R"({"d_model": 384, "encoder_layers": 4, "decoder_layers": 4, "encoder_attention_heads": 6, "decoder_attention_heads": 6, "encoder_ffn_dim": 1536, "decoder_ffn_dim": 1536, "vocab_size": 51865, "num_mel_bins": 80, "max_source_positions": 1500, "max_target_positions": 448, "tie_word_embeddings": true})",
     .sound = true, .positions = 0},
};

constexpr StateFamily kStates[] = {
    {.type = "falcon_mamba",
     .defaults = R"({"hidden_size": 768, "num_hidden_layers": 32, "state_size": 16, "vocab_size": 50280, "expand": 2, "conv_kernel": 4, "use_bias": false, "use_conv_bias": true, "time_step_rank": "auto", "tie_word_embeddings": true})",
     .norms = true},
    {.type = "mamba",
     .defaults = R"({"hidden_size": 768, "num_hidden_layers": 32, "state_size": 16, "vocab_size": 50280, "expand": 2, "conv_kernel": 4, "use_bias": false, "use_conv_bias": true, "time_step_rank": "auto", "tie_word_embeddings": true})"},
    {.type = "mamba2",
     .defaults = R"({"hidden_size": 4096, "num_hidden_layers": 64, "state_size": 128, "vocab_size": 32768, "expand": 2, "conv_kernel": 4, "use_bias": false, "use_conv_bias": true, "num_heads": 128, "head_dim": 64, "n_groups": 8, "chunk_size": 256, "tie_word_embeddings": false})",
     .heads = true},
};
// clang-format on

constexpr std::string_view kMixed = "it mixes layers of attention with others that keep a state";
constexpr std::string_view kTowers = "it has a tower for pictures and one for words";
constexpr RefusedFamily kRefused[] = {
    {"bamba", kMixed},
    {"clip", kTowers},
    {"convnext", "its blocks are not those of a residual network"},
    {"convnextv2", "its blocks are not those of a residual network"},
    {"deberta", "its attention has matrices for distances"},
    {"deberta-v2", "its attention has matrices for distances"},
    {"falcon_h1", kMixed},
    {"granitemoehybrid", kMixed},
    {"jamba", kMixed},
    {"led", "its encoder attends within windows and from chosen tokens"},
    {"longt5", "its encoder attends within blocks"},
    {"nemotron_h", kMixed},
    {"openelm", "its layers differ in heads and width"},
    {"qwen3_next", kMixed},
    {"siglip", kTowers},
    {"siglip2", kTowers},
    {"swin", "its attention goes over windows of a picture"},
    {"swinv2", "its attention goes over windows of a picture"},
    {"switch_transformers", "it has experts in an encoder and a decoder"},
    {"zamba", kMixed},
    {"zamba2", kMixed},
};

constexpr TextPart kTextParts[] = {
    {"aya_vision", "cohere2"},
    {"gemma3", "gemma3_text"},
    {"got_ocr2", "qwen2"},
    {"idefics3", "llama"},
    {"internvl", "qwen2"},
    {"llama4", "llama4_text"},
    {"llava", "llama"},
    {"llava_next", "llama"},
    {"llava_onevision", "qwen2"},
    {"mistral3", "mistral"},
    {"paligemma", "gemma"},
    {"qwen2_5_vl", "qwen2_5_vl_text"},
    {"qwen2_vl", "qwen2_vl_text"},
    {"qwen3_vl", "qwen3_vl_text"},
    {"qwen3_vl_moe", "qwen3_vl_moe_text"},
    {"smolvlm", "llama"},
    {"video_llava", "llama"},
    {"vipllava", "llama"},
};

const std::vector<std::vector<std::string_view>> kOtherKeys{
    {"hidden_size", "n_embd", "d_model", "dim", "n_embed"},
    {"num_hidden_layers", "n_layer", "n_layers", "num_layers"},
    {"num_attention_heads", "n_head", "n_heads", "num_heads", "attention_heads"},
    {"num_key_value_heads", "num_kv_heads", "n_head_kv", "kv_n_heads"},
    {"max_position_embeddings", "n_positions", "n_ctx", "max_seq_len"},
    {"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "hidden_dim"},
    {"encoder_layers", "num_hidden_layers"},
    {"encoder_attention_heads", "num_attention_heads"},
    {"d_model", "hidden_size"},
    {"num_layers", "num_hidden_layers"},
    {"num_heads", "num_attention_heads"},
    {"d_kv", "head_dim"},
    {"num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"},
    {"num_experts_per_tok", "moe_k", "moe_topk", "moe_top_k"},
    {"n_shared_experts", "num_shared_experts", "moe_num_shared_experts"},
    {"sliding_window_pattern", "_sliding_window_pattern"},
};

} // namespace

std::span<const Family> configFamilies()
{
    return kFamilies;
}

const Family* findFamily(std::string_view type)
{
    const auto found = std::ranges::find(kFamilies, type, &Family::type);
    return found == std::end(kFamilies) ? nullptr : &*found;
}

namespace {

template<class Row>
const Row* rowOf(std::span<const Row> rows, std::string_view type)
{
    const auto found = std::ranges::find(rows, type, &Row::type);
    return found == rows.end() ? nullptr : &*found;
}

} // namespace

std::span<const PairFamily> configPairFamilies()
{
    return kPairs;
}

const PairFamily* findPairFamily(std::string_view type)
{
    return rowOf(configPairFamilies(), type);
}

std::span<const StateFamily> configStateFamilies()
{
    return kStates;
}

const StateFamily* findStateFamily(std::string_view type)
{
    return rowOf(configStateFamilies(), type);
}

const RefusedFamily* findRefusedFamily(std::string_view type)
{
    return rowOf(std::span<const RefusedFamily>(kRefused), type);
}

std::span<const TextPart> configTextParts()
{
    return kTextParts;
}

std::span<const std::string_view> otherKeys(std::string_view key)
{
    const auto found = std::ranges::find(kOtherKeys, key, [](const auto& names) { return names.front(); });
    return found == kOtherKeys.end() ? std::span<const std::string_view>() : *found;
}

} // namespace ridge::workload
