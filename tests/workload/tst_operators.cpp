// SPDX-License-Identifier: GPL-3.0-or-later
// The list of kernels against closed forms and hand counts.
#include "base/json.h"
#include "workload/model_config.h"
#include "workload/operators.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::workload;

class TestOperators : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        auto models = shippedModels();
        QVERIFY2(models.ok(), models ? "" : toText(models.error()).c_str());
        m_models = *models;
    }

    void decodeOfLlamaByHand()
    {
        const ModelShape m = model("llama-3-8b");
        Step step;
        step.batch = 4;
        step.context = 1024;
        const auto ops = list(m, step);
        const Totals t = totalsOf(ops);
        // Products touch every weight but the embedding, of which four rows are read.
        const double matrices = 32 * (4096.0 * 6144 + 4096.0 * 4096 + 3 * 4096.0 * 14336) + 128256.0 * 4096;
        QCOMPARE(t.weightBytes, 2 * (matrices + 65 * 4096 + 4 * 4096));
        // Keys and values of 4 x 1024 tokens are read, those of 4 are written.
        QCOMPARE(t.kvBytes, 4 * 1024 * 131072.0 + 4 * 131072.0);
        QCOMPARE(flopsOf(ops, OperatorKind::Matmul), 2 * 4 * matrices);
        QCOMPARE(flopsOf(ops, OperatorKind::Attention), 32 * 4.0 * 4 * 32 * 128 * 1024);
        // Nine kernels a layer, and embedding, last norm and logits.
        QCOMPARE(t.launches, 9.0 * 32 + 3);
    }

    /// A decoder over an encoder: decode reads the cache of both and runs the decoder alone.
    void decodeOfAnEncoderAndADecoderByHand()
    {
        const ModelShape m = config(R"({"model_type": "bart", "d_model": 64, "encoder_layers": 3, "decoder_layers": 2,
            "encoder_attention_heads": 4, "decoder_attention_heads": 2, "encoder_ffn_dim": 100, "decoder_ffn_dim": 128,
            "vocab_size": 500, "max_position_embeddings": 256})");
        Step step;
        step.batch = 3;
        step.context = 40;
        step.source = 70;
        QCOMPARE(kvBytesPerToken(m, 2), 2.0 * 2 * 64 * 2);
        QCOMPARE(crossKvBytesPerToken(m, 2), 2.0 * 2 * 64 * 2);
        const auto decode = list(m, step);
        const double layer = 4 * 64.0 * 64 + 2 * 64.0 * 64 + 2 * 64.0 * 128; // of the other part queries and output
        QCOMPARE(flopsOf(decode, OperatorKind::Matmul), 2 * 3 * (2 * layer + 500 * 64.0));
        QCOMPARE(flopsOf(decode, OperatorKind::Attention), 2 * 4.0 * 3 * 64 * (40 + 70));
        QCOMPARE(totalsOf(decode).kvBytes, 3 * 512.0 * (40 + 1 + 70));
        for (const Operator& op : decode)
            QVERIFY(!op.name.starts_with("encoder") && op.name != "cross keys and values");
        // The prompt runs both, and makes keys and values of the encoder's output once.
        step.phase = Phase::Prefill;
        const auto prefill = list(m, step);
        const double encoder = 70 * 3 * (4 * 64.0 * 64 + 2 * 64.0 * 100), cross = 70 * 2 * 2 * 64.0 * 64;
        QCOMPARE(flopsOf(prefill, OperatorKind::Matmul), 2 * 3 * (encoder + cross + 40 * 2 * layer + 500 * 64.0));
        QCOMPARE(flopsOf(prefill, OperatorKind::Attention),
                 3 * 4.0 * 64 * (3 * 70 * 70.0 + 2 * (40 * 41 / 2.0 + 40 * 70.0)));
        // Kernels of their own compute the same products, over whole squares in place of none.
        step.fused = false;
        double products = 0;
        for (const Operator& op : list(m, step))
            if (op.weightBytes > 0 && op.kind == OperatorKind::Matmul)
                products += op.count * op.flops;
        QCOMPARE(products, flopsOf(prefill, OperatorKind::Matmul));
        step.fused = true;
        // What it has no positions for, and heads that GPUs cannot share.
        step.source = 257;
        QCOMPARE(checkStep(m, step).error().place, std::string("source"));
        step.source = 70;
        step.gpus = 4;
        QCOMPARE(checkStep(m, step).error().place, std::string("gpus"));
        step.gpus = 2;
        QVERIFY(checkStep(m, step).ok());
        QCOMPARE(totalsOf(list(m, step)).linkBytes, 3 * 64 * 2.0 * (3 * 2 * 70 + 2 * 3 * 40));
        step.cached = 8;
        QVERIFY(!checkStep(m, step).ok());
    }

    /// ALBERT goes through one layer again and again: its weights are counted once, and its work each time.
    void sharedLayersByHand()
    {
        const ModelShape m = config(R"({"model_type": "albert", "hidden_size": 128, "num_hidden_layers": 4,
            "num_attention_heads": 4, "intermediate_size": 256, "vocab_size": 1000, "embedding_size": 48})");
        QCOMPARE(layerParameters(m), 4 * (128.0 * 128 + 128) + 2 * 128.0 * 256 + 256 + 128 + 4 * 128);
        Step step;
        step.phase = Phase::Prefill;
        step.context = 10;
        const auto ops = list(m, step);
        QCOMPARE(flopsOf(ops, OperatorKind::Matmul),
                 2 * 10 * (48 * 128.0 + 4 * (4 * 128.0 * 128 + 2 * 128 * 256)) + 2 * 128 * 128.0);
        // The norm of the embedding is as wide as it is.
        QCOMPARE(std::string(ops[1].name), std::string("norm"));
        QCOMPARE(ops[1].activationBytes, 2 * 10 * 48 * 2.0);
    }

    /// Whisper hears sound of one length; a decoder has no encoder to be told of.
    void soundHasOneLength()
    {
        const ModelShape m = config(R"({"model_type": "whisper"})");
        Step step;
        step.context = 100;
        QCOMPARE(sourceTokens(m, step), 1500.0);
        QVERIFY(checkStep(m, step).ok());
        step.phase = Phase::Prefill;
        const auto ops = list(m, step);
        // 3000 frames of 80 bands over three, then 1500 of them over three of the model's width.
        QCOMPARE(ops[0].flops, 2 * 3000 * 384 * 240.0);
        QCOMPARE(ops[2].flops, 2 * 1500 * 384 * 1152.0);
        step.source = 800;
        QCOMPARE(checkStep(m, step).error().place, std::string("source"));
        step.source = 1500;
        QVERIFY(checkStep(m, step).ok());
        QCOMPARE(checkStep(model("llama-3-8b"), step).error().place, std::string("source"));
    }

    /// A sequence's state is written by a prompt, and read and written by each token, however long the sequence is.
    void statesByHand()
    {
        for (
            const char* text :
            {R"({"model_type": "mamba", "hidden_size": 96, "num_hidden_layers": 3, "vocab_size": 509, "state_size": 8})",
             R"({"model_type": "mamba2", "hidden_size": 96, "num_hidden_layers": 3, "vocab_size": 509,
                  "state_size": 16, "num_heads": 6, "head_dim": 32, "n_groups": 2, "chunk_size": 8})"}) {
            const ModelShape m = config(text);
            const bool first = m.ssm.heads == 0;
            // 192 channels: 4 tokens of the convolution, which goes over B and C of two groups as well, and the state.
            const double state = 3 * 2 * (first ? 192 * (4 + 8.0) : (192 + 2 * 2 * 16) * 4 + 192 * 16.0);
            QCOMPARE(stateBytesPerSequence(m, 2), state);
            QCOMPARE(kvBytesPerToken(m, 2), 0.0);
            for (const double context : {20.0, 100000.0}) {
                Step step;
                step.batch = 5;
                step.context = context;
                for (const bool fused : {true, false}) {
                    step.fused = fused;
                    step.phase = Phase::Decode;
                    QCOMPARE(totalsOf(list(m, step)).kvBytes, 5 * 2 * state);
                    step.phase = Phase::Prefill;
                    QCOMPARE(totalsOf(list(m, step)).kvBytes, 5 * state);
                    step.phase = Phase::Training;
                    QCOMPARE(totalsOf(list(m, step)).kvBytes, 0.0);
                }
            }
            Step step;
            step.batch = 5;
            QVERIFY(checkStep(m, step).ok());
            const auto decode = list(m, step);
            const auto* update = &*std::ranges::find(decode, "state update", &Operator::name);
            QCOMPARE(update->flops, 5 * 7 * 192.0 * m.ssm.state + (first ? 5 * 6 * 192.0 : 0));
            step.gpus = 2;
            QCOMPARE(checkStep(m, step).error().place, std::string("gpus"));
        }
    }

    /// Mamba-2 takes 20 tokens as three chunks of 8: scores of each group, and of each head what they weigh, what goes
    /// into its state and what comes out of it.
    void chunksByHand()
    {
        const ModelShape m = config(R"({"model_type": "mamba2", "hidden_size": 96, "num_hidden_layers": 3,
            "vocab_size": 509, "state_size": 16, "num_heads": 6, "head_dim": 32, "n_groups": 2, "chunk_size": 8})");
        Step step;
        step.phase = Phase::Prefill;
        step.batch = 2;
        step.context = 20;
        double products = 0;
        for (const Operator& op : list(m, step))
            if (op.kind == OperatorKind::Matmul && op.weightBytes == 0)
                products += op.count * op.flops;
        QCOMPARE(products, 3.0 * 2 * 3 * 2 * (2 * 8 * 8 * 16 + 6 * (8 * 32 * 8 + 2 * 8 * 32 * 16)));
    }

    void kernelsThatAreNotFused()
    {
        const ModelShape m = model("llama-3-8b");
        Step step;
        step.phase = Phase::Prefill;
        step.context = 2048;
        const auto fused = totalsOf(list(m, step));
        step.fused = false;
        const auto eager = totalsOf(list(m, step));
        // 2 norms, 2 sums, 3 projections, rotation, cache write, 3 of attention, output, 2 + 2 + 1 of the feed-forward
        // part
        QCOMPARE(eager.launches, 18.0 * 32 + 3);
        QVERIFY(std::abs(eager.flops / fused.flops - 1) < 0.01);
        // Scores are written, read and written by the softmax, and read: 4 passes over 32 x 2048 x 2048 a layer.
        const double scores = 4 * 32 * 32.0 * 2048 * 2048 * 2;
        QVERIFY(eager.activationBytes - fused.activationBytes > scores);
        QVERIFY(eager.activationBytes - fused.activationBytes < 1.5 * scores);
    }

    /// 72 B s L h^2 (1 + s / 6 h + V / 12 L h), 96 with everything computed again; attention of causal tokens is half.
    void trainingIsMegatronsFormula_data()
    {
        QTest::addColumn<int>("recompute");
        QTest::newRow("none") << 0;
        QTest::newRow("selective") << 1;
        QTest::newRow("full") << 2;
    }
    void trainingIsMegatronsFormula()
    {
        QFETCH(int, recompute);
        const ModelShape m = model("gpt-3-175b");
        Step step;
        step.phase = Phase::Training;
        step.context = 2048;
        step.recompute = static_cast<Recompute>(recompute);
        const double h = 12288, l = 96, s = 2048, v = 51200;
        const double layer = 24 * s * h * h * l, core = 2 * s * (s + 1) * h * l, logits = 2 * s * h * v;
        const double times = recompute == 2 ? 4 : 3;
        const double expected = times * layer + (recompute > 0 ? 4 : 3) * core + 3 * logits;
        const auto ops = list(m, step);
        const double found = flopsOf(ops, OperatorKind::Matmul) + flopsOf(ops, OperatorKind::Attention);
        QVERIFY2(std::abs(found / expected - 1) < 1e-9, qPrintable(QString::number(found / expected, 'g', 12)));
    }

    void sixTimesParametersTimesTokens()
    {
        const ModelShape m = model("llama-2-7b");
        Step step;
        step.phase = Phase::Training;
        step.context = 128; // short, so that attention is small
        const double flops = totalsOf(list(m, step)).flops;
        QVERIFY(std::abs(flops / (6 * (parameters(m) - 32000.0 * 4096) * 128) - 1) < 0.02);
    }

    void expertsThatAreTouched()
    {
        QCOMPARE(expectedExperts(8, 2, 1), 2.0);
        QCOMPARE(expectedExperts(8, 2, 2), 8 * (1 - 0.75 * 0.75));
        QVERIFY(expectedExperts(256, 8, 1e6) > 255.99);
        const ModelShape m = model("mixtral-8x7b");
        Step step;
        step.context = 1;
        const double one = totalsOf(list(m, step)).weightBytes;
        // One token reads what it uses, and of both embeddings one row and one matrix.
        QVERIFY(std::abs(one / (2 * (activeParameters(m) - 32000.0 * 4096)) - 1) < 1e-5);
        step.batch = 256;
        const double many = totalsOf(list(m, step)).weightBytes;
        QVERIFY(std::abs(many / (2 * parameters(m)) - 1) < 0.01);
    }

    void latentAttentionReadsItsCacheOnce()
    {
        const ModelShape m = model("deepseek-v3");
        Step step;
        step.batch = 2;
        step.context = 4096;
        const auto ops = list(m, step);
        for (const Operator& op : ops)
            if (op.kind == OperatorKind::Attention) {
                QCOMPARE(op.kvBytes, 2 * 4096 * 576.0 * 2);
                QCOMPARE(op.flops, 2 * 2 * 128 * 4096.0 * (576 + 512)); // 2 B a C (576 + 512)
            }
        QVERIFY(flopsOf(ops, OperatorKind::Attention) > 0);
        step.phase = Phase::Prefill;
        for (const Operator& op : list(m, step))
            if (op.kind == OperatorKind::Attention)
                QCOMPARE(op.flops, 2 * 2 * 128 * (192 + 128) * (4096.0 * 4097 / 2));
    }

    void gpusShareEverythingThatIsLarge()
    {
        const ModelShape m = model("llama-3-70b");
        Step step;
        step.batch = 8;
        step.context = 4096;
        const Totals one = totalsOf(list(m, step));
        step.gpus = 8;
        const auto ops = list(m, step);
        const Totals eight = totalsOf(ops);
        QVERIFY(std::abs(8 * eight.weightBytes / one.weightBytes - 1) < 0.001);
        QCOMPARE(8 * eight.kvBytes, one.kvBytes);
        QCOMPARE(8 * flopsOf(ops, OperatorKind::Matmul), flopsOf(list(m, {.batch = 8}), OperatorKind::Matmul));
        QCOMPARE(eight.linkBytes, 2 * 80 * 8 * 8192.0 * 2); // two all-reduces a layer
    }

    void aWindowBoundsAttention()
    {
        const ModelShape m = model("mistral-7b");
        Step step;
        step.context = 32768;
        const auto ops = list(m, step);
        QCOMPARE(flopsOf(ops, OperatorKind::Attention), 32 * 4.0 * 32 * 128 * 4096);
        step.phase = Phase::Prefill;
        // The first 4096 tokens see those before them and themselves, all others 4096.
        const double pairs = 4096.0 * 4097 / 2 + (32768.0 - 4096) * 4096;
        QCOMPARE(flopsOf(list(m, step), OperatorKind::Attention), 32 * 4.0 * 32 * 128 * pairs);
    }

    void convolutionsAreTwiceTheirMacs()
    {
        const ModelShape m = model("resnet-50");
        Step step;
        step.phase = Phase::Prefill;
        step.batch = 4;
        QCOMPARE(flopsOf(list(m, step), OperatorKind::Matmul), 4 * 2 * 4089184256.0);
    }

    /// jax-ml/scaling-book, inference.md: LLaMA 2-13B on 8 x TPU v5e (0.82 TB/s and 197 TFLOP/s each), 8192 tokens.
    void stepTableOfTheScalingBook_data()
    {
        QTest::addColumn<double>("batch");
        QTest::addColumn<double>("cache");
        QTest::addColumn<double>("milliseconds");
        QTest::newRow("1") << 1. << 6.7 << 4.98;
        QTest::newRow("8") << 8. << 53.6 << 12.13;
        QTest::newRow("16") << 16. << 107.2 << 20.30;
        QTest::newRow("32") << 32. << 214.4 << 36.65;
        QTest::newRow("64") << 64. << 428.8 << 69.33;
        QTest::newRow("240") << 240. << 1608. << 249.09;
    }
    void stepTableOfTheScalingBook()
    {
        QFETCH(double, batch);
        QFETCH(double, cache);
        QFETCH(double, milliseconds);
        const ModelShape m = model("llama-2-13b");
        QVERIFY(std::abs(kvBytesOfSequence(m, 8192, 2) * batch / (cache * 1e9) - 1) < 0.01);
        Device v5e;
        v5e.flopsPerSecond = 197e12;
        v5e.bytesPerSecond = 0.82e12;
        Step step;
        step.batch = batch;
        step.context = 8192;
        step.gpus = 8;
        const double bound = boundSeconds(v5e, list(m, step)) * 1e3;
        // The book reads the whole embedding and counts no activations; both are small.
        QVERIFY2(std::abs(bound / milliseconds - 1) < 0.02, qPrintable(QString::number(bound)));
    }

    void nothingIsFasterThanItsBound()
    {
        const auto catalogue = silicon::shippedCatalogue();
        QVERIFY(catalogue.ok());
        const Device h100 = *deviceOf(*catalogue, *catalogue->find("h100-sxm"), Dtype::Bf16);
        for (const ModelShape& m : m_models)
            for (const Phase phase : {Phase::Prefill, Phase::Decode, Phase::Training})
                for (const bool fused : {true, false}) {
                    Step step;
                    step.phase = phase;
                    step.context = 256;
                    step.fused = fused;
                    if (!checkStep(m, step))
                        continue;
                    const auto ops = list(m, step);
                    QVERIFY2(stepSeconds(h100, ops, step) > boundSeconds(h100, ops), m.id.c_str());
                    for (const Operator& op : ops)
                        QVERIFY2(op.flops >= 0 && op.bytes() >= 0 && op.count > 0, m.id.c_str());
                }
    }

    void aListKeepsItsMemory()
    {
        const ModelShape m = model("llama-3-8b");
        std::vector<Operator> out;
        listOperators(m, {}, out);
        const auto* before = out.data();
        listOperators(m, {}, out);
        QCOMPARE(out.data(), before);
    }

    void whatCannotBeSaysWhy()
    {
        const auto code = [](const Result<void>& r) {
            return r ? std::string() : r.error().code + " " + r.error().place;
        };
        QCOMPARE(code(checkStep(model("bert-base"), {})), std::string("bad-step phase"));
        QCOMPARE(code(checkStep(model("llama-3-8b"), {.gpus = 3})), std::string("bad-step gpus"));
        QCOMPARE(code(checkStep(model("gpt-2"), {.context = 2048})), std::string("bad-step context"));
        QCOMPARE(code(checkStep(model("llama-3-8b"), {})), std::string());
    }

private:
    static ModelShape config(const char* text)
    {
        auto read = modelOfAnyKind(Json::parse(text));
        if (!read)
            qFatal("%s", toText(read.error()).c_str());
        return read->shape;
    }
    ModelShape model(const char* id) const { return *findModel(m_models, id); }
    static std::vector<Operator> list(const ModelShape& m, const Step& step)
    {
        std::vector<Operator> out;
        listOperators(m, step, out);
        return out;
    }
    static double flopsOf(const std::vector<Operator>& ops, OperatorKind kind)
    {
        double sum = 0;
        for (const Operator& op : ops)
            if (op.kind == kind)
                sum += op.count * op.flops;
        return sum;
    }
    std::vector<ModelShape> m_models;
};

QTEST_GUILESS_MAIN(TestOperators)
#include "tst_operators.moc"
