// SPDX-License-Identifier: GPL-3.0-or-later
// Counts of weights and of the cache are whole numbers, so they are held exactly.
#include "base/json.h"
#include "workload/config_families.h"
#include "workload/model_config.h"
#include "workload/operators.h"

#include <QtTest>

#include <cmath>
#include <set>

using namespace ridge;
using namespace ridge::workload;

namespace {

const char* kLlama = R"({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
 "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256, "max_position_embeddings": 8192})";

Json with(const char* text, const std::function<void(Json&)>& change)
{
    Json json = Json::parse(text);
    change(json);
    return json;
}

} // namespace

class TestModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        auto models = shippedModels();
        QVERIFY2(models.ok(), models ? "" : toText(models.error()).c_str());
        m_models = *models;
    }

    void parametersAndCacheAreThePublishedOnes_data()
    {
        QTest::addColumn<double>("all");
        QTest::addColumn<double>("active");
        QTest::addColumn<double>("kv");
        const auto row = [](const char* id, double all, double kv, double active = 0) {
            QTest::newRow(id) << all << (active > 0 ? active : all) << kv;
        };
        row("bert-base", 109482240, 0);
        row("bert-large", 335141888, 0);
        row("gpt-2", 124439808, 36864);
        row("gpt-2-medium", 354823168, 98304);
        row("gpt-2-large", 774030080, 184320);
        row("gpt-2-xl", 1557611200, 307200);
        row("llama-2-7b", 6738415616, 524288);
        row("llama-2-13b", 13015864320, 819200);
        row("llama-2-70b", 68976648192, 327680);
        row("llama-3-8b", 8030261248, 131072);
        row("llama-3-70b", 70553706496, 327680);
        row("llama-3.1-405b", 405853388800, 516096);
        row("mistral-7b", 7241732096, 131072);
        row("mixtral-8x7b", 46702792704, 131072, 12879925248);
        row("deepseek-v3", 671026419200, 70272, 37552297472);
        row("opt-13b", 12853473280, 819200);
        row("resnet-50", 25557032, 0);
    }
    void parametersAndCacheAreThePublishedOnes()
    {
        QFETCH(double, all);
        QFETCH(double, active);
        QFETCH(double, kv);
        const auto model = findModel(m_models, QTest::currentDataTag());
        QVERIFY(model.ok());
        QCOMPARE(parameters(*model), all);
        QCOMPARE(activeParameters(*model), active);
        QCOMPARE(kvBytesPerToken(*model, 2), kv);
        QVERIFY(!model->source.empty());
    }

    void gpt3IsWhatMegatronCounts()
    {
        // 12 L h^2 (1 + 13 / 12 h + (V + s) / 12 L h), and the two vectors of the last norm.
        const double h = 12288, l = 96, v = 51200, s = 2048;
        QCOMPARE(parameters(*findModel(m_models, "gpt-3-175b")), 12 * l * h * h + 13 * l * h + (v + s) * h + 2 * h);
    }

    void theConvolutionsOfResNet50() { QCOMPARE(convolutionMacs(*findModel(m_models, "resnet-50")), 4089184256.0); }

    void aWindowBoundsTheCache()
    {
        const auto model = *findModel(m_models, "mistral-7b");
        QCOMPARE(model.window, 4096u);
        QCOMPARE(kvBytesOfSequence(model, 1000, 2), 1000 * 131072.0);
        QCOMPARE(kvBytesOfSequence(model, 100000, 2), 4096 * 131072.0);
    }

    void anUnknownModelNamesTheNearest()
    {
        const auto none = findModel(m_models, "lama-3-8b");
        QVERIFY(!none);
        QCOMPARE(none.error().code, std::string("unknown-model"));
        QVERIFY(none.error().fix.find("llama-3-8b") != std::string::npos);
    }

    // Parameters as the pages of the models or their safetensors indices give them.
    void furtherArchitectures_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<double>("all");
        QTest::newRow("Qwen2.5-7B") << QByteArray(R"({"model_type": "qwen2", "hidden_size": 3584,
            "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4, "intermediate_size": 18944,
            "vocab_size": 152064, "use_sliding_window": false, "tie_word_embeddings": false})")
                                    << 7615616512.0;
        QTest::newRow("Qwen3-8B") << QByteArray(R"({"model_type": "qwen3", "hidden_size": 4096, "num_hidden_layers": 36,
            "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 12288,
            "vocab_size": 151936, "tie_word_embeddings": false})")
                                  << 8190735360.0;
        QTest::newRow("Qwen3-30B-A3B") << QByteArray(R"({"model_type": "qwen3_moe", "hidden_size": 2048,
            "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128,
            "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8,
            "vocab_size": 151936, "tie_word_embeddings": false})")
                                       << 30532122624.0;
        // Two of its 48 layers dense: each 604,241,920 - 37,748,736 fewer.
        QTest::newRow("dense layers by number") << QByteArray(R"({"model_type": "qwen3_moe", "hidden_size": 2048,
            "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128,
            "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8,
            "mlp_only_layers": [0, 47, 0], "vocab_size": 151936, "tie_word_embeddings": false})")
                                                << 29399136256.0;
        QTest::newRow("Gemma-7B") << QByteArray(R"({"model_type": "gemma", "hidden_size": 3072, "num_hidden_layers": 28,
            "num_attention_heads": 16, "num_key_value_heads": 16, "head_dim": 256, "intermediate_size": 24576,
            "vocab_size": 256000})")
                                  << 8537680896.0;
        QTest::newRow("Gemma-2-9B") << QByteArray(R"({"model_type": "gemma2", "hidden_size": 3584,
            "num_hidden_layers": 42, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 256,
            "intermediate_size": 14336, "vocab_size": 256000, "sliding_window": 4096})")
                                    << 9241705984.0;
        QTest::newRow("Phi-2") << QByteArray(R"({"model_type": "phi", "hidden_size": 2560, "num_hidden_layers": 32,
            "num_attention_heads": 32, "intermediate_size": 10240, "vocab_size": 51200})")
                               << 2779683840.0;
        QTest::newRow("Phi-3-mini") << QByteArray(R"({"model_type": "phi3", "hidden_size": 3072,
            "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "intermediate_size": 8192,
            "vocab_size": 32064, "sliding_window": 2047})")
                                    << 3821079552.0;
        QTest::newRow("DeepSeek-V2-Lite") << QByteArray(R"({"model_type": "deepseek_v2", "hidden_size": 2048,
            "num_hidden_layers": 27, "num_attention_heads": 16, "intermediate_size": 10944,
            "moe_intermediate_size": 1408, "n_routed_experts": 64, "n_shared_experts": 2, "num_experts_per_tok": 6,
            "first_k_dense_replace": 1, "q_lora_rank": null, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 102400})")
                                          << 15706484224.0;
        QTest::newRow("Pythia-6.9B") << QByteArray(R"({"model_type": "gpt_neox", "hidden_size": 4096,
            "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 16384, "vocab_size": 50432})")
                                     << 6857302016.0;
    }
    void furtherArchitectures()
    {
        QFETCH(QByteArray, config);
        QFETCH(double, all);
        const auto model = modelFromConfigText(config.toStdString());
        QVERIFY2(model.ok(), model ? "" : toText(model.error()).c_str());
        QCOMPARE(qint64(parameters(model->shape)), qint64(all));
    }

    /// Parameters as their pages or safetensors indices give them; those of an output matrix of their own included.
    void modelsOfSeveralPartsAreThePublishedOnes_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<double>("all");
        QTest::addColumn<double>("perToken"); // and 2 bytes a value
        QTest::newRow("T5-base") << QByteArray(R"({"model_type": "t5", "d_model": 768, "d_kv": 64, "d_ff": 3072,
            "num_layers": 12, "num_heads": 12, "vocab_size": 32128})")
                                 << 222903552.0 << 36864.0;
        QTest::newRow("T5-v1.1-base") << QByteArray(R"({"model_type": "t5", "d_model": 768, "d_kv": 64, "d_ff": 2048,
            "num_layers": 12, "num_heads": 12, "vocab_size": 32128, "feed_forward_proj": "gated-gelu",
            "tie_word_embeddings": false})")
                                      << 247577856.0 << 36864.0;
        QTest::newRow("BART-large") << QByteArray(R"({"model_type": "bart", "vocab_size": 50265})") << 406291456.0
                                    << 49152.0;
        QTest::newRow("Whisper-large-v3")
            << QByteArray(R"({"model_type": "whisper", "d_model": 1280, "encoder_layers": 32, "decoder_layers": 32,
            "encoder_attention_heads": 20, "decoder_attention_heads": 20, "encoder_ffn_dim": 5120,
            "decoder_ffn_dim": 5120, "vocab_size": 51866, "num_mel_bins": 128})")
            << 1543490560.0 << 163840.0;
        QTest::newRow("ALBERT-base-v2") << QByteArray(R"({"model_type": "albert", "hidden_size": 768,
            "num_attention_heads": 12, "intermediate_size": 3072})")
                                        << 11683584.0 << 0.0;
        QTest::newRow("Mamba-2.8B") << QByteArray(R"({"model_type": "mamba", "hidden_size": 2560,
            "num_hidden_layers": 64})")
                                    << 2768345600.0 << 0.0;
    }
    void modelsOfSeveralPartsAreThePublishedOnes()
    {
        QFETCH(QByteArray, config);
        QFETCH(double, all);
        QFETCH(double, perToken);
        const auto model = modelOfAnyKind(Json::parse(config.toStdString()));
        QVERIFY2(model.ok(), model ? "" : toText(model.error()).c_str());
        QCOMPARE(qint64(parameters(model->shape)), qint64(all));
        QCOMPARE(kvBytesPerToken(model->shape, 2), perToken);
        // What asks for one stack of layers is told that this is none.
        const auto stack = modelFromConfigText(config.toStdString(), "c");
        QVERIFY(!stack);
        QCOMPARE(stack.error().place, std::string("c: model_type"));
        QVERIFY(stack.error().fix.find("ridge model") != std::string::npos);
    }

    void partsThatContradictAreNamed_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QByteArray>("place");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const char* config, const char* place, const char* says) {
            QTest::newRow(name) << QByteArray(config) << QByteArray(place) << QByteArray(says);
        };
        row("known by name", R"({"model_type": "jamba"})", "c: model_type", "\"jamba\" is known by name alone");
        row("two towers", R"({"model_type": "clip", "text_config": {"model_type": "clip_text_model"}})",
            "c: model_type", "\"clip\"");
        row("heads", R"({"model_type": "bart", "decoder_attention_heads": 15})", "c: decoder_attention_heads",
            "no multiple");
        row("half a model", R"({"model_type": "bart", "is_encoder_decoder": false})", "c: is_encoder_decoder", "half");
        row("an activation", R"({"model_type": "t5", "feed_forward_proj": "split-gelu"})", "c: feed_forward_proj",
            "split-gelu");
        row("no buckets", R"({"model_type": "t5", "relative_attention_num_buckets": 0})",
            "c: relative_attention_num_buckets", "whole number");
        row("heads of a state", R"({"model_type": "mamba2", "num_heads": 100})", "c: num_heads", "correct one");
        row("groups of a state", R"({"model_type": "mamba2", "n_groups": 7})", "c: n_groups", "evenly");
        row("a rank", R"({"model_type": "mamba", "time_step_rank": "all"})", "c: time_step_rank", "whole number");
        row("groups of layers", R"({"model_type": "albert", "num_hidden_groups": 13})", "c: num_hidden_groups",
            "at most 12");
    }
    void partsThatContradictAreNamed()
    {
        QFETCH(QByteArray, config);
        QFETCH(QByteArray, place);
        QFETCH(QByteArray, says);
        const auto model = modelOfAnyKind(Json::parse(config.toStdString()), "c");
        QVERIFY(!model);
        QCOMPARE(QByteArray::fromStdString(model.error().place), place);
        QVERIFY(!model.error().fix.empty());
        QVERIFY2(toText(model.error()).find(says.toStdString()) != std::string::npos, toText(model.error()).c_str());
    }

    void whatIsMissingOrContradictsIsNamed_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QByteArray>("place");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const std::function<void(Json&)>& change, const char* place,
                            const char* says) {
            QTest::newRow(name) << QByteArray::fromStdString(with(kLlama, change).dump()) << QByteArray(place)
                                << QByteArray(says);
        };
        row(
            "a slip of a name",
            [](Json& j) {
                j["num_hidden_layer"] = j["num_hidden_layers"];
                j.erase("num_hidden_layers");
            },
            "c: num_hidden_layer", "write \"num_hidden_layers\"");
        row(
            "null", [](Json& j) { j["hidden_size"] = nullptr; }, "c: hidden_size", "missing");
        row(
            "a text", [](Json& j) { j["hidden_size"] = "4096"; }, "c: hidden_size", "whole number");
        row(
            "a fraction", [](Json& j) { j["vocab_size"] = 3.5; }, "c: vocab_size", "whole number");
        row(
            "below zero", [](Json& j) { j["num_attention_heads"] = -32; }, "c: num_attention_heads", "give 1 to");
        row(
            "huge", [](Json& j) { j["num_hidden_layers"] = 1e12; }, "c: num_hidden_layers", "give 1 to");
        row(
            "heads", [](Json& j) { j["num_attention_heads"] = 30; }, "c: num_key_value_heads", "divides 30");
        row(
            "width", [](Json& j) { j["num_attention_heads"] = 40; }, "c: num_attention_heads", "head_dim");
        row(
            "switch", [](Json& j) { j["tie_word_embeddings"] = 1; }, "c: tie_word_embeddings", "true or false");
        row(
            "no type", [](Json& j) { j.erase("model_type"); }, "c: model_type", "llama");
        row(
            "unknown type", [](Json& j) { j["model_type"] = "lama"; }, "c: model_type", "did you mean \"llama\"");
        row(
            "experts",
            [](Json& j) {
                j["model_type"] = "mixtral";
                j["num_local_experts"] = 8;
                j["num_experts_per_tok"] = 9;
            },
            "c: num_experts_per_tok", "at most 8");
        row(
            "no experts",
            [](Json& j) {
                j["model_type"] = "mixtral";
                j["num_local_experts"] = nullptr;
            },
            "c: num_local_experts", "missing");
        row(
            "a name of older models",
            [](Json& j) {
                j["model_type"] = "gpt2";
                j["n_embd"] = 3.5;
                j.erase("hidden_size");
            },
            "c: n_embd", "whole number");
        row(
            "cross attention",
            [](Json& j) {
                j["model_type"] = "gpt2";
                j["add_cross_attention"] = true;
            },
            "c: add_cross_attention", "take false");
        row(
            "every zeroth layer",
            [](Json& j) {
                j["model_type"] = "qwen3_moe";
                j["decoder_sparse_step"] = 0;
            },
            "c: decoder_sparse_step", "give 1");
        row(
            "another architecture", [](Json& j) { j["model_type"] = "rwkv"; }, "c: model_type", "YAML");
        row(
            "a part within a part",
            [](Json& j) {
                j = {{"model_type", "never_seen"}, {"text_config", {{"model_type", "seen_never"}, {"text_config", j}}}};
            },
            "c: text_config: model_type", "seen_never");
        row(
            "norms wider than can be",
            [](Json& j) {
                j["model_type"] = "olmo2";
                j["num_attention_heads"] = j["num_key_value_heads"] = j["head_dim"] = 1 << 24;
            },
            "c: head_dim", "smaller number");
        row(
            "more than can be counted",
            [](Json& j) {
                j["hidden_size"] = j["intermediate_size"] = j["num_hidden_layers"] = 1 << 24;
                j["head_dim"] = 64;
            },
            "c", "2^53");
        row(
            "a part for text",
            [](Json& j) {
                j = {{"model_type", "something"}, {"text_config", {{"model_type", "rwkv"}}}};
            },
            "c: text_config: model_type", "rwkv");
        row(
            "a layer that is none",
            [](Json& j) {
                j["model_type"] = "qwen3_moe";
                j["num_experts"] = 8;
                j["num_experts_per_tok"] = 2;
                j["moe_intermediate_size"] = 64;
                j["mlp_only_layers"] = {0, 32};
            },
            "c: mlp_only_layers", "no layer");
        row(
            "too few kinds of layers",
            [](Json& j) {
                j["model_type"] = "mistral";
                j["sliding_window"] = 4096;
                j["layer_types"] = {"full_attention"};
            },
            "c: layer_types", "32 kinds");
        row(
            "a kind of layer",
            [](Json& j) {
                j["model_type"] = "mistral";
                j["sliding_window"] = 4096;
                j["layer_types"] = Json::array();
                for (int i = 0; i < 32; ++i)
                    j["layer_types"].push_back("linear_attention");
            },
            "c: layer_types", "linear_attention");
        QTest::newRow("a list") << QByteArray("[]") << QByteArray("c") << QByteArray("JSON object");
    }
    void whatIsMissingOrContradictsIsNamed()
    {
        QFETCH(QByteArray, config);
        QFETCH(QByteArray, place);
        QFETCH(QByteArray, says);
        const auto model = modelFromConfigText(config.toStdString(), "c");
        QVERIFY(!model);
        QCOMPARE(model.error().code, std::string("bad-config"));
        QCOMPARE(QByteArray::fromStdString(model.error().place), place);
        QVERIFY(!model.error().fix.empty());
        QVERIFY2(toText(model.error()).find(says.toStdString()) != std::string::npos, toText(model.error()).c_str());
    }

    /// Newer files name the kind of every layer.
    void layersWithAWindowAreCounted()
    {
        const auto model =
            modelFromConfigText(with(kLlama, [](Json& j) {
                                    j["model_type"] = "mistral";
                                    j["sliding_window"] = 1024;
                                    j["layer_types"] = Json::array();
                                    for (int i = 0; i < 32; ++i)
                                        j["layer_types"].push_back(i % 6 == 5 ? "full_attention" : "sliding_attention");
                                }).dump());
        QVERIFY2(model.ok(), model ? "" : toText(model.error()).c_str());
        QCOMPARE(model->shape.window, 1024u);
        QCOMPARE(model->shape.windowLayers, 27u);
    }

    /// What transformers 5.24.0 with torch 2.15.0 makes of a config, which its own keys alone decide: parameters (those
    /// that correct an expert's choice included), layers with a window, and, seen by running it over 32 tokens, bytes
    /// of a token in the cache and the FLOPs of its products and of its whole squares of scores. Of an encoder and a
    /// decoder also tokens of the encoder's input and what the cache has of each; of state spaces the bytes of their
    /// state and the products with weights; of both a step of one further token. Where a file says that the tables of a
    /// T5 are not tied, its row has the output matrix that the class leaves out (findings/transformers_t5_tied.sh).
    void configsHaveTheCountsOfTheirClasses()
    {
        QFile file(qEnvironmentVariable("RIDGE_SOURCE") + QStringLiteral("/tests/workload/config_counts.jsonl"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        std::set<std::string> types;
        int run = 0;
        std::vector<Operator> list;
        for (const QByteArray& line : file.readAll().split('\n')) {
            if (line.isEmpty())
                continue;
            const Json row = Json::parse(line.toStdString());
            const auto model = modelOfAnyKind(row["config"]);
            QVERIFY2(model.ok(), (line + '\n' + (model ? "" : toText(model.error()).c_str())).constData());
            const ModelShape& shape = model->shape;
            QVERIFY2(parameters(shape) == row["parameters"].get<double>(),
                     qPrintable(QStringLiteral("%1, not %2: %3")
                                    .arg(parameters(shape), 0, 'f', 0)
                                    .arg(row["parameters"].get<double>(), 0, 'f', 0)
                                    .arg(QString::fromUtf8(line))));
            if (row.contains("windows"))
                QVERIFY2(shape.windowLayers == row["windows"].get<std::uint32_t>(), line.constData());
            types.insert(row["config"]["model_type"].get<std::string>());
            if (!row.contains("products"))
                continue;
            ++run;
            Step step;
            step.phase = Phase::Prefill;
            step.context = 32;
            step.source = row.value("source", 0.0);
            QVERIFY2(checkStep(shape, step).ok(), line.constData());
            double products = 0, attention = 0;
            // A causal token sees those before it and itself, where torch computes the whole square.
            const auto count = [&] {
                listOperators(shape, step, list);
                products = attention = 0;
                for (const Operator& op : list)
                    if (const Attention& a = op.attention; op.kind == OperatorKind::Attention)
                        attention +=
                            op.count *
                            (a.causal ? 2 * a.queryHeads * (a.queryDim + a.valueDim) * a.fresh * a.keys() : op.flops);
                    else if (op.kind == OperatorKind::Matmul && op.weightBytes > 0)
                        products += op.count * op.flops;
            };
            count();
            // Experts that a step touches are an expectation, so their rows are no whole numbers.
            QVERIFY2(std::abs(products - row["products"].get<double>()) < 0.5,
                     (line + '\n' + QByteArray::number(products, 'f', 0)).constData());
            QVERIFY2(attention == row.value("attention", 0.0), line.constData());
            for (const Operator& op : list)
                if (const Attention& a = op.attention; op.kind == OperatorKind::Attention && a.causal)
                    QVERIFY2(op.flops == 2 * a.queryHeads * (a.queryDim + a.valueDim) * 32 * 33 / 2, line.constData());
            if (row.contains("decode_products")) {
                step.phase = Phase::Decode;
                step.context = 33;
                count();
                QVERIFY2(products == row["decode_products"].get<double>() &&
                             attention == row.value("decode_attention", 0.0),
                         (line + '\n' + QByteArray::number(products, 'f', 0)).constData());
            }
            QVERIFY2(stateBytesPerSequence(shape, 2) == row.value("state", 0.0), line.constData());
            QVERIFY2(crossKvBytesPerToken(shape, 2) == row.value("cross_kv", 0.0), line.constData());
            if (row.contains("kv") && shape.latent.kvRank == 0) // transformers keeps expanded keys and values
                QVERIFY2(kvBytesPerToken(shape, 2) == row["kv"].get<double>(), line.constData());
        }
        QVERIFY2(types.size() >= 100, QByteArray::number(int(types.size())).constData());
        QVERIFY2(run >= 200, QByteArray::number(run).constData());
        for (const Family& family : configFamilies())
            QVERIFY2(types.contains(std::string(family.type)), std::string(family.type).c_str());
        for (const PairFamily& family : configPairFamilies())
            QVERIFY2(types.contains(std::string(family.type)), std::string(family.type).c_str());
        for (const StateFamily& family : configStateFamilies())
            QVERIFY2(types.contains(std::string(family.type)), std::string(family.type).c_str());
    }

    /// Within a window a token sees as many tokens as there are, and then the window; FLOPs grow without a jump.
    void aWindowIsCountedToTheToken()
    {
        auto model = *findModel(m_models, "mistral-7b");
        for (const double cached : {0.0, 10.0, 4090.0, 9000.0})
            for (const double fresh : {1.0, 50.0, 4096.0, 4097.0, 6000.0}) {
                double pairs = 0;
                for (double i = 1; i <= fresh; ++i)
                    pairs += std::min(cached + i, 4096.0);
                Step step;
                step.phase = Phase::Prefill;
                step.context = fresh;
                step.cached = cached;
                std::vector<Operator> list;
                listOperators(model, step, list);
                for (const Operator& op : list)
                    if (op.kind == OperatorKind::Attention) {
                        QCOMPARE(op.flops, 4 * pairs * model.heads * model.headDim);
                        QVERIFY(attentionKvBytes(op.attention) >= fresh * 2 * model.kvHeads * model.headDim * 2);
                    }
            }
    }

    /// Models of pictures: the part for text is what is counted, and told.
    void thePartForTextIsCounted()
    {
        const Json text = Json::parse(R"({"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
            "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 256})");
        Json alone = text;
        alone["model_type"] = "llama";
        const double count = parameters(modelFromConfig(alone)->shape);
        const auto nested = modelFromConfig({{"model_type", "llava"}, {"text_config", text}, {"vision_config", {}}});
        QVERIFY2(nested.ok(), nested ? "" : toText(nested.error()).c_str());
        QCOMPARE(parameters(nested->shape), count);
        QVERIFY(nested->assumed[0].find("only the part for text") != std::string::npos);
        // The whole model says whether its embeddings are one.
        const auto tied =
            modelFromConfig({{"model_type", "never_seen"}, {"text_config", alone}, {"tie_word_embeddings", true}});
        QVERIFY2(tied.ok(), tied ? "" : toText(tied.error()).c_str());
        QCOMPARE(parameters(tied->shape), count - 100 * 64);
        // Older files have the text's keys beside vision_config.
        Json flat = text;
        flat["model_type"] = "qwen2_vl";
        flat["vision_config"] = Json::object();
        Json qwen = text;
        qwen["model_type"] = "qwen2";
        QCOMPARE(parameters(modelFromConfig(flat)->shape), parameters(modelFromConfig(qwen)->shape));
    }

    void defaultsOfTheClassAreTold()
    {
        const auto bare = modelFromConfig({{"model_type", "llama"}, {"vocab_size", 1000}});
        QVERIFY2(bare.ok(), bare ? "" : toText(bare.error()).c_str());
        QCOMPARE(bare->shape.hidden, 4096u);
        QCOMPARE(bare->shape.vocabulary, 1000u);
        bool told = false;
        for (const std::string& each : bare->assumed)
            told = told ||
                   (each.find("hidden_size 4096") != std::string::npos && each.find("vocab_size") == std::string::npos);
        QVERIFY(told);
        // Fields that decide nothing, or are empty, are passed over; that weights are quantized is told.
        const auto odd = modelFromConfig(with(kLlama, [](Json& j) {
            j["hidden_size"] = 4096.0;
            j["head_dim"] = nullptr;
            j["auto_map"] = {{"AutoConfig", "own.Config"}};
            j["dtype"] = "bfloat16";
            j["quantization_config"] = {{"quant_method", "fp8"}};
        }));
        QVERIFY2(odd.ok(), odd ? "" : toText(odd.error()).c_str());
        QCOMPARE(parameters(odd->shape), parameters(modelFromConfig(Json::parse(kLlama))->shape));
        QVERIFY(odd->assumed.back().find("quantized") != std::string::npos);
    }

    void whatWasAssumedIsTold()
    {
        const auto whole = modelFromConfigText(kLlama);
        QVERIFY(whole.ok());
        QVERIFY(whole->assumed.empty());
        const auto open = modelFromConfig(with(kLlama, [](Json& j) { j.erase("num_key_value_heads"); }));
        QVERIFY(open.ok());
        QCOMPARE(open->shape.kvHeads, 32u);
        QCOMPARE(open->assumed.size(), std::size_t{1});
        QVERIFY(open->assumed[0].find("num_key_value_heads") != std::string::npos);
    }

    void aFileSaysWhoseItIs()
    {
        const std::string good = R"({"id": "a", "title": "A", "source": "s", "config": )" + std::string(kLlama) + "}";
        QVERIFY(parseModel(good, "x/a.json").ok());
        QCOMPARE(parseModel(good, "x/b.json").error().place, std::string("b.json: id"));
        QCOMPARE(parseModel(R"({"id": "a", "title": "A", "config": {}})", "a.json").error().place,
                 std::string("a.json: source"));
        QCOMPARE(parseModel(R"({"id": "a", "title": "A", "source": "s"})", "a.json").error().place,
                 std::string("a.json: config"));
        QCOMPARE(parseModel(
                     R"({"id": "a", "title": "A", "source": "s", "config": {"model_type": "llama", "hidden_size": 0}})",
                     "a.json")
                     .error()
                     .place,
                 std::string("a.json: config: hidden_size"));
    }

private:
    std::vector<ModelShape> m_models;
};

QTEST_GUILESS_MAIN(TestModel)
#include "tst_model.moc"
