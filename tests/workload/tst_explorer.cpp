// SPDX-License-Identifier: GPL-3.0-or-later
// Networks of layers against published counts and hand counts, the explorer's sums against the list of operators, and
// files that are wrong.
#include "workload/explorer.h"
#include "workload/small_yaml.h"

#include "base/json.h"

#include <QtTest>
#include <chrono>
#include <numeric>

using namespace ridge;
using namespace ridge::workload;

class TestExplorer : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        auto subjects = shippedSubjects();
        QVERIFY2(subjects.ok(), subjects ? "" : toText(subjects.error()).c_str());
        m_subjects = std::move(*subjects);
        auto catalogue = silicon::shippedCatalogue();
        QVERIFY(catalogue.ok());
        m_catalogue = std::move(*catalogue);
    }

    void parametersArePublishedOnes_data()
    {
        QTest::addColumn<double>("count");
        const auto row = [](const char* id, double count) { QTest::newRow(id) << count; };
        row("mlp", 784.0 * 256 + 256 + 256 * 10 + 10);
        row("lenet-5", 61706);             // the count of every framework's LeNet with a full C3
        row("attention-layer", 1050624);   // torch.nn.MultiheadAttention(512, 8)
        row("transformer-block", 3152384); // torch.nn.TransformerEncoderLayer(512, 8)
        row("rnn", 10000 * 512 + 2 * (512 * 512 + 512.0) + 512 * 10000 + 10000);
        row("lstm-medium", 10000 * 650 + 2 * 4 * (2 * 650 * 650 + 650.0) + 650 * 10000 + 10000); // "20 M"
        row("vit-b-16", 86567656);                                                               // torchvision, timm
        row("ddpm-cifar10", 35746307); // google/ddpm-cifar10-32; "35.7 million" in appendix B
        row("resnet-50", 25557032);
        row("bert-base", 109482240);
        row("gpt-2", 124439808);
        row("llama-2-7b", 6738415616);
        row("llama-3-8b", 8030261248);
        row("mixtral-8x7b", 46702792704);
        row("deepseek-v3", 671026419200);
    }
    void parametersArePublishedOnes()
    {
        QFETCH(double, count);
        QCOMPARE(parameters(subject(QTest::currentDataTag())), count);
    }

    /// LeNet's kernels by hand, for two images.
    void lenetByHand()
    {
        const Subject lenet = subject("lenet-5");
        Step step = forward(2);
        const auto fused = explored(lenet, step);
        // C1, S2, C3, S4 and three matrices: each sigmoid is the end of the kernel before it.
        QCOMPARE(fused.rows.size(), std::size_t{7});
        QCOMPARE(std::string(fused.rows[0].op.name), std::string("C1 + sigmoid"));
        QCOMPARE(fused.rows[0].op.m, 2 * 28.0 * 28);
        QCOMPARE(fused.rows[0].op.k, 25.0);
        QCOMPARE(fused.rows[2].op.m, 2 * 10.0 * 10);
        QCOMPARE(fused.rows[2].op.k, 6 * 25.0);
        QCOMPARE(fused.rows[4].op.k, 16 * 25.0);
        step.fused = false;
        const auto eager = explored(lenet, step);
        QCOMPARE(eager.rows.size(), std::size_t{11});
        // What fusing saves: each of the four sigmoids writes and reads its values once more.
        const double values = 2 * (6 * 28 * 28 + 16 * 10 * 10 + 120 + 84.0);
        QCOMPARE(eager.totals.bytes() - fused.totals.bytes(), values * 2 * activationBytes(step.dtype));
        QCOMPARE(eager.totals.flops, fused.totals.flops);
        QCOMPARE(fused.totals.launches, 7.0);
        QCOMPARE(eager.totals.launches, 11.0);
        const std::vector<int> groups = fusionGroups(eager);
        QCOMPARE(groups, std::vector<int>({1, 1, 0, 2, 2, 0, 3, 3, 4, 4, 0}));
    }

    /// The backward pass of a convolution is two products of the forward pass's size, however many groups there are.
    /// (torch 2.15's FlopCounterMode says 1 + groups: findings/torch_flop_counter_groups.sh.)
    void backwardOfGroupsIsTwiceForward()
    {
        for (const int groups : {1, 4, 64}) {
            const auto layer = subjectFromText("input: [64, 32, 32]\nlayers: [{conv: 64, kernel: 3, pad: 1, groups: " +
                                                   std::to_string(groups) + ", bias: false}]\n",
                                               "x");
            QVERIFY2(layer.ok(), layer ? "" : toText(layer.error()).c_str());
            Step step = forward(2);
            const double once = explored(*layer, step).totals.flops;
            QCOMPARE(once, 2 * (2 * 64 * 32 * 32.0) * (64 / groups * 9));
            step.phase = Phase::Training;
            double products = 0;
            for (const Explored& row : explored(*layer, step).rows)
                if (row.op.kind == OperatorKind::Matmul)
                    products += row.op.count * row.op.flops;
            QCOMPARE(products, 3 * once);
        }
    }

    /// What transformers 5.24.0 has for ViT, DeiT and ResNet; two labels where the file names none, 1000 here.
    void visionConfigsAreCounted()
    {
        const auto count = [](const char* config) {
            const auto read = subjectFromText(config, "config.json");
            return read ? parameters(*read) : -1;
        };
        QCOMPARE(count(R"({"model_type": "vit", "num_labels": 2})"), 85800194.0);
        QCOMPARE(count(R"({"model_type": "vit", "hidden_size": 192, "num_attention_heads": 3.0,
            "intermediate_size": 768, "id2label": {"0": "a", "1": "b", "2": "c"}})"),
                 5526346.0 - 7 * 193);
        QCOMPARE(count(R"({"model_type": "deit", "num_labels": 2})"), 85801730.0);
        QCOMPARE(count(R"({"model_type": "deit", "num_channels": 1, "image_size": 64, "num_hidden_layers": 2,
            "num_labels": 2})"),
                 14391554.0);
        const char* kSmall = R"({"model_type": "resnet", "layer_type": "basic", "hidden_sizes": [64, 128, 256, 512],
            "depths": [2, 2, 2, 2]})";
        QCOMPARE(count(kSmall), 11689512.0);
        QCOMPARE(count(R"({"model_type": "resnet", "layer_type": "basic", "hidden_sizes": [64, 128, 256, 512],
            "depths": [3, 4, 6, 3]})"),
                 21797672.0);
        QCOMPARE(count(R"({"model_type": "resnet", "layer_type": "basic", "hidden_sizes": [128, 256],
            "depths": [2, 1], "embedding_size": 32, "num_labels": 5})"),
                 1409701.0);
        QCOMPARE(count(R"({"model_type": "resnet", "num_labels": 2})"), 23512130.0);
        const auto small = *subjectFromText(kSmall, "config.json");
        QCOMPARE(convolutionMacs(*small.shape()), 1814073344.0); // torch's own counter
        Step step = forward(1);
        const auto found = explored(small, step);
        // Both convolutions of a block follow each other, and the shortcut reads what the block reads.
        const auto flow = flowOf(small, step, found);
        int shortcuts = 0;
        for (std::size_t i = 0; i < found.rows.size(); ++i)
            if (found.rows[i].op.name == "1 x 1 shortcut") {
                ++shortcuts;
                const auto from = std::ranges::find(flow, static_cast<int>(i), &std::pair<int, int>::second);
                QVERIFY(from != flow.end());
                QVERIFY(std::ranges::find(flow, std::pair(from->first, static_cast<int>(i) - 4)) != flow.end());
            }
        QCOMPARE(shortcuts, 3);
    }

    /// Products of published multiply-adds: ViT-B/16 has 17.58 G (torchvision), of which 0.72 G are of its scores.
    void multiplyAddsArePublishedOnes()
    {
        Step step = forward(1);
        QCOMPARE(explored(subject("vit-b-16"), step).rows.size(), std::size_t{12}); // twelve layers in seven rows
        step.fused = false;
        const auto vit = explored(subject("vit-b-16"), step);
        double products = 0;
        for (const Explored& row : vit.rows)
            if (row.op.kind == OperatorKind::Matmul || row.op.kind == OperatorKind::Attention)
                products += row.op.count * row.op.flops;
        const double macs = 197.0 * 12 * 7077888 + 196 * 590592.0 - 196 * 768 + 768000; // matrices without biases
        const double scores = 12 * 2.0 * 197 * 197 * 768;
        QVERIFY2(std::abs(products / (2 * (macs + scores)) - 1) < 1e-3,
                 qPrintable(QString::number(products / 2, 'g', 12)));
        QVERIFY(std::abs(products / 2 / 17.58e9 - 1) < 0.01);
    }

    /// Each token of a recurrent network waits for the one before.
    void recurrenceIsLaunchedForEachToken()
    {
        const Subject lstm = subject("lstm-medium");
        Step step = forward(20);
        step.context = 35;
        const auto found = explored(lstm, step);
        // Embedding, output, and for each layer the inputs at once, then 35 products and 35 kernels of gates.
        QCOMPARE(found.totals.launches, 2 + 2 * (1 + 35 + 35.0));
        const Explored& again = row(found, "LSTM 1, recurrence");
        QCOMPARE(again.op.m, 20.0);
        QCOMPARE(again.op.n, 4 * 650.0);
        QCOMPARE(again.op.count, 35.0);
        QVERIFY(again.bound == Bound::Launch);
        QCOMPARE(std::string(lessonOf(again, step).lesson), std::string("4.1"));
    }

    void boundsOfLlama()
    {
        const Subject llama = subject("llama-3-8b");
        Step step;
        step.batch = 1;
        const auto decode = explored(llama, step);
        QVERIFY(row(decode, "gate and up").bound == Bound::Memory);
        QVERIFY(row(decode, "rotation and cache write").bound == Bound::Launch);
        QCOMPARE(std::string(lessonOf(row(decode, "attention"), step).lesson), std::string("5.5"));
        step.phase = Phase::Prefill;
        step.context = 4096;
        const auto prefill = explored(llama, step);
        QVERIFY(row(prefill, "gate and up").bound == Bound::Compute);
        QVERIFY(row(prefill, "residual sum and norm").bound == Bound::Memory);
        QCOMPARE(std::string(lessonOf(row(prefill, "attention"), step).lesson), std::string("4.6"));
        step.gpus = 8;
        QVERIFY(row(explored(llama, step), "all-reduce").bound == Bound::Link);
    }

    /// All numbers are those of the functions that the experiment asks.
    void sumsAreThoseOfTheStep()
    {
        std::vector<Subject> subjects = m_subjects;
        for (const char* config :
             {R"({"model_type": "t5"})", R"({"model_type": "bart"})", R"({"model_type": "whisper"})",
              R"({"model_type": "mamba"})", R"({"model_type": "mamba", "state_size": 4096})",
              R"({"model_type": "falcon_mamba"})", R"({"model_type": "mamba2"})", R"({"model_type": "albert"})"}) {
            auto read = subjectFromText(config, "config.json");
            QVERIFY2(read.ok(), read ? "" : toText(read.error()).c_str());
            subjects.push_back(std::move(*read));
        }
        for (const Subject& subject : subjects)
            for (const Phase phase : {Phase::Prefill, Phase::Decode, Phase::Training})
                for (const bool fused : {true, false}) {
                    Step step = forward(4);
                    step.phase = phase;
                    step.context = 128;
                    step.fused = fused;
                    if (!checkStep(subject, step))
                        continue;
                    const auto found = explored(subject, step);
                    std::vector<Operator> list;
                    listOperators(subject, step, list);
                    const Device device = this->device();
                    const auto near = [&](double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); };
                    QVERIFY2(near(found.seconds, stepSeconds(device, list, step)), subject.id.c_str());
                    QVERIFY(near(found.leastSeconds, boundSeconds(device, list)));
                    QCOMPARE(found.totals.flops, totalsOf(list).flops);
                    double shares = 0;
                    for (const Explored& each : found.rows) {
                        shares += each.share;
                        QVERIFY2(each.seconds >= each.leastSeconds * (1 - 1e-9), std::string(each.op.name).c_str());
                        QVERIFY(!lessonOf(each, step).lesson.empty());
                        QVERIFY(!shapesOf(each.op, step).empty());
                    }
                    QVERIFY(near(shares, 1));
                    // Every row but the first is reached, and the flow goes to no row that is not there.
                    std::vector<int> into(found.rows.size(), 0);
                    for (const auto& [from, to] : flowOf(subject, step, found)) {
                        QVERIFY(from >= -1 && from < int(found.rows.size()) && to >= 0 && to < int(found.rows.size()));
                        ++into[std::size_t(to)];
                    }
                    for (std::size_t i = 0; i < into.size(); ++i)
                        QVERIFY2(into[i] > 0 || found.rows[i].op.name == "time, up",
                                 std::string(found.rows[i].op.name).c_str());
                }
    }

    void flowOfALayerWithSiblings()
    {
        Step step;
        step.fused = false;
        const Subject llama = subject("llama-3-8b");
        const auto found = explored(llama, step);
        const auto flow = flowOf(llama, step, found);
        const auto place = [&](const char* name) {
            for (std::size_t i = 0; i < found.rows.size(); ++i)
                if (found.rows[i].op.name == name)
                    return int(i);
            return -2;
        };
        const auto has = [&](const char* from, const char* to) {
            return std::ranges::find(flow, std::pair(place(from), place(to))) != flow.end();
        };
        for (const char* each : {"queries", "keys", "values"}) {
            QVERIFY(has("norm", each));
            QVERIFY(has(each, "rotation"));
        }
        QVERIFY(!has("queries", "keys"));
        QVERIFY(!has("gate", "up"));
        QVERIFY(has("up", "activation"));
        QVERIFY(has("embedding", "residual sum"));
    }

    /// Keys and values of the other part read the encoder's end, its queries the decoder; the decoder begins anew.
    void flowOfAnEncoderAndADecoder()
    {
        const Subject t5 =
            *subjectFromText(R"({"model_type": "t5", "feed_forward_proj": "gated-gelu"})", "config.json");
        for (const bool fused : {true, false}) {
            Step step = forward(1);
            step.fused = fused;
            const auto found = explored(t5, step);
            const auto flow = flowOf(t5, step, found);
            const auto place = [&](std::string_view name, bool last = false) {
                int at = -2;
                for (std::size_t i = 0; i < found.rows.size() && (last || at < 0); ++i)
                    if (found.rows[i].op.name == name)
                        at = int(i);
                return at;
            };
            const auto has = [&](int from, int to) {
                return std::ranges::find(flow, std::pair(from, to)) != flow.end();
            };
            const int decoder = place("embedding"), end = decoder - 1;
            QVERIFY(found.rows[std::size_t(end)].op.name.starts_with("encoder, "));
            QVERIFY(has(-1, decoder) && !has(end, decoder));
            const int keys = place(fused ? "cross keys and values" : "cross keys");
            QVERIFY(has(end, keys) && !has(end, place("cross queries")));
            QVERIFY(has(keys, place("cross cache write")));
            QVERIFY(has(place("cross queries"), place("cross cache write")));
            if (!fused) {
                QVERIFY(has(place("encoder, norm"), place("encoder, keys")));
                QVERIFY(!has(place("encoder, gate"), place("encoder, up")));
            }
            for (const Explored& each : found.rows)
                QVERIFY(&each - found.rows.data() >= decoder || each.op.name.starts_with("encoder, "));
        }
        Step step;
        const auto decode = explored(t5, step);
        QVERIFY(!row(decode, "cross attention").op.attention.causal);
        QVERIFY(lessonOf(row(decode, "cross attention"), step).why.find("encoder") != std::string_view::npos);
        QVERIFY(shapesOf(row(decode, "cross attention").op, step).find("over 1024 of the encoder") !=
                std::string::npos);
    }

    void aLargeConfigIsReadAsTheExperimentDoes()
    {
        const auto read = subjectFromText(R"({"model_type": "vit", "hidden_size": 192, "num_hidden_layers": 12,
            "num_attention_heads": 3, "intermediate_size": 768, "image_size": 224, "patch_size": 16})",
                                          "config.json");
        QVERIFY2(read.ok(), read ? "" : toText(read.error()).c_str());
        QCOMPARE(parameters(*read), 5717416.0); // DeiT-Ti without distillation, timm: 5,717,416
        QCOMPARE(read->assumed.size(), std::size_t{1});
        const auto gpt = subjectFromText(R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12,
            "vocab_size": 50257, "n_positions": 1024})",
                                         "config.json");
        QVERIFY(gpt.ok());
        QCOMPARE(parameters(*gpt), 124439808.0);
    }

    void filesThatAreWrong_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* text, const char* code, const char* place,
                            const char* message) {
            QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(code) << QString::fromUtf8(place)
                                << QString::fromUtf8(message);
        };
        row("empty", "  \n", "bad-network", "net.yaml", "empty");
        row("only a comment", "# nothing\n", "bad-yaml", "line 1", "empty");
        row("no layers", "input: [8]\n", "bad-network", "net.yaml", "\"layers\"");
        row("layers without items", "input: [8]\nlayers:\n", "bad-network", "layers", "no layers");
        row("unknown layer", "input: [8]\nlayers:\n  - {liner: 4}\n", "bad-network", "layers[0]", "liner");
        row("unknown key", "input: [8]\nlayer:\n  - relu\nlayers: [relu]\n", "bad-network", "net.yaml", "\"layer\"");
        row("no size", "input: [8]\nlayers: [linear]\n", "bad-network", "layers[0]", "\"linear\"");
        row("no kernel", "input: [1, 8, 8]\nlayers: [{conv: 4}]\n", "bad-network", "layers[0]", "\"kernel\"");
        row("half a size", "input: [8]\nlayers: [{linear: 2.5}]\n", "bad-network", "layers[0]", "2.5");
        row("conv on a vector", "input: [8]\nlayers: [{conv: 4, kernel: 3}]\n", "bad-network", "layers[0]", "an image");
        row("linear on an image", "input: [1, 8, 8]\nlayers: [{linear: 4}]\n", "bad-network", "layers[0]", "a vector");
        row("kernel too large", "input: [1, 8, 8]\nlayers: [{conv: 4, kernel: 9}]\n", "bad-network", "layers[0]",
            "does not fit");
        row("add without save", "input: [8]\nlayers: [{linear: 8}, add]\n", "bad-network", "layers[1]", "saved");
        row("sums that contradict", "input: [8]\nlayers: [save, {linear: 4}, add]\n", "bad-network", "layers[2]",
            "cannot be summed");
        row("heads that do not divide", "input: [sequence, 10]\nlayers: [{attention: 3}]\n", "bad-network", "layers[0]",
            "no multiple");
        row("words without an embedding", "input: [sequence]\nlayers: [{lstm: 4}]\n", "bad-network", "layers[0]",
            "words");
        row("two layers in one", "input: [8]\nlayers: [{linear: 4, relu: 1}]\n", "bad-network", "layers[0]", "both");
        row("deep",
            "input: [1, 8, 8]\nlayers: [{repeat: 999, layers: [{repeat: 999, layers: [{conv: 1, kernel: 3, pad: "
            "2}]}]}]\n",
            "bad-network", "layers", "20,000");
        row("endless", "input: [1, 8, 8]\nlayers: [{repeat: 999, layers: [{upsample: 9999}]}]\n", "bad-network",
            "layers", "more values");
        row("an anchor", "input: &a [8]\nlayers: [relu]\n", "bad-yaml", "line 1", "not read here");
        row("a tab", "input: [8]\nlayers:\n\t- relu\n", "bad-yaml", "line 3", "tab");
        row("an open bracket", "input: [8\nlayers: [relu]\n", "bad-yaml", "line 1", "missing");
        row("a key twice", "input: [8]\ninput: [9]\n", "bad-yaml", "line 2", "twice");
        row("a key twice in braces", "input: [8]\nlayers:\n  - {linear: 4, linear: 5}\n", "bad-yaml", "line 3",
            "twice");
        row("a key twice in a config", "{\"model_type\": \"llama\",\n\"hidden_size\": 64,\n \"hidden_size\": 128}",
            "bad-json", "line 3", "\"hidden_size\" is given twice");
        row("a key twice inside a config",
            "{\"model_type\": \"llama\", \"a\": [{\"b\": \"\\n{\",\n\"c\": {\"b\": 1},\n\"b\": 2}]}", "bad-json",
            "line 3", "\"b\"");
        row("indentation", "input: [8]\nlayers:\n  - relu\n    - relu\n", "bad-yaml", "line 4", "indented");
        row("a config without its kind", R"({"hidden_size": 64})", "bad-config", "model_type", "model_type");
        row("an unknown architecture", R"({"model_type": "lama"})", "bad-config", "model_type", "lama");
        row("a config whose key is empty", R"({"model_type": "llama", "num_hidden_layers": null})", "bad-config",
            "num_hidden_layers", "missing");
        row("patches that do not divide",
            R"({"model_type": "vit", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4,
               "intermediate_size": 64, "image_size": 30, "patch_size": 16})",
            "bad-config", "patch_size", "multiple");
        row("no JSON", "{\"a\": ", "", "net.yaml", "");
    }
    void filesThatAreWrong()
    {
        QFETCH(QString, text);
        QFETCH(QString, code);
        QFETCH(QString, place);
        QFETCH(QString, message);
        const auto read = subjectFromText(text.toStdString(), "net.yaml");
        QVERIFY(!read.ok());
        const Error& error = read.error();
        if (!code.isEmpty())
            QCOMPARE(QString::fromStdString(error.code), code);
        QVERIFY2(QString::fromStdString(error.place).contains(place), error.place.c_str());
        QVERIFY2(QString::fromStdString(error.message).contains(message), error.message.c_str());
        QVERIFY(!error.fix.empty());
    }

    /// Whatever stands in a file, it is read or refused.
    void noPieceOfAFileCrashes()
    {
        const std::string text = "title: 'a'\ninput: [3, 8, 8]\nlayers:\n  - {conv: 4, kernel: 3}\n  - repeat: 2\n"
                                 "    layers:\n      - save\n      - {norm: layer}\n      - add\n  - \"relu\"\n";
        int refused = 0;
        for (std::size_t cut = 0; cut <= text.size(); ++cut) {
            refused += !subjectFromText(text.substr(0, cut), "net.yaml").ok();
            for (const char with : {'[', '{', ':', '-', ' ', '\t', '"', '9', '\n', '#'}) {
                std::string changed = text;
                if (cut < text.size())
                    changed[cut] = with;
                refused += !subjectFromText(changed, "net.yaml").ok();
            }
        }
        QVERIFY(refused > 100);
        QVERIFY(!subjectFromText("a: " + std::string(5000, '['), "net.yaml").ok());
        QVERIFY(!subjectFromText(std::string(2 << 20, 'a'), "net.yaml").ok());
    }

    void yamlIsReadAsItIsWritten()
    {
        const auto read =
            parseSmallYaml("# a file\na: 1\nb: -2.5e3\nc: \"x # y\" # comment\nd: {e: [1, 'two'], f: true}\n"
                           "g:\n- h\n- i: 1\n  j: null\n-\n  - k\nl: nan\n",
                           "x");
        QVERIFY2(read.ok(), read ? "" : toText(read.error()).c_str());
        QCOMPARE(QString::fromStdString(read->dump()),
                 QStringLiteral(R"({"a":1,"b":-2500.0,"c":"x # y","d":{"e":[1,"two"],"f":true},)"
                                R"("g":["h",{"i":1,"j":null},["k"]],"l":"nan"})"));
    }

    void stepsThatCannotBe()
    {
        Step step;
        const auto decode = checkStep(subject("lenet-5"), step);
        QVERIFY(!decode.ok());
        QCOMPARE(QString::fromStdString(decode.error().code), QStringLiteral("bad-step"));
        step.phase = Phase::Prefill;
        step.gpus = 2;
        QVERIFY(!checkStep(subject("vit-b-16"), step).ok());
        const auto own = subjectFromText("input: [sequence, 8]\nlayers: [{positions: 64}, {linear: 8}]\n", "x");
        QVERIFY2(own.ok(), own ? "" : toText(own.error()).c_str());
        step.gpus = 1;
        step.context = 65;
        QVERIFY(!checkStep(*own, step).ok());
        step.context = 64;
        QVERIFY(checkStep(*own, step).ok());
        QCOMPARE(parameters(*own), 64 * 8 + 8 * 8 + 8.0);
    }

    /// Prints what docs/benchmarks.md states; nothing here depends on the clock.
    void analysisTakesMicroseconds()
    {
        const Device device = this->device();
        for (const char* id : {"mlp", "llama-3-8b", "deepseek-v3", "vit-b-16", "ddpm-cifar10"}) {
            const Subject each = subject(id);
            Step step = forward(8);
            Exploration out;
            explore(each, step, device, out);
            const auto begin = std::chrono::steady_clock::now();
            constexpr int times = 200;
            double sum = 0;
            for (int i = 0; i < times; ++i) {
                step.batch = 1 + i % 64;
                explore(each, step, device, out);
                sum += out.seconds;
            }
            const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
            QVERIFY(sum > 0);
            qInfo("%s: %zu rows, %.2f us", id, out.rows.size(), took.count() / times);
        }
    }

private:
    static Step forward(double batch)
    {
        Step step;
        step.phase = Phase::Prefill;
        step.batch = batch;
        step.context = 128;
        return step;
    }
    Subject subject(const char* id)
    {
        auto found = findSubject(m_subjects, id);
        if (!found)
            qFatal("%s", toText(found.error()).c_str());
        return *found;
    }
    Device device()
    {
        const silicon::Chip* chip = nullptr;
        for (const silicon::Chip& each : m_catalogue.chips())
            if (each.id == "h100-sxm")
                chip = &each;
        auto found = deviceOf(m_catalogue, *chip, Dtype::Bf16);
        if (!found)
            qFatal("no device");
        return *found;
    }
    Exploration explored(const Subject& subject, const Step& step)
    {
        // Names are views of the subject's own.
        m_kept.push_back(std::make_unique<Subject>(subject));
        Exploration out;
        explore(*m_kept.back(), step, device(), out);
        return out;
    }
    static const Explored& row(const Exploration& found, std::string_view name)
    {
        for (const Explored& each : found.rows)
            if (each.op.name == name)
                return each;
        qFatal("no row %s", std::string(name).c_str());
    }

    std::vector<Subject> m_subjects;
    silicon::Catalogue m_catalogue;
    std::vector<std::unique_ptr<Subject>> m_kept;
};

QTEST_APPLESS_MAIN(TestExplorer)
#include "tst_explorer.moc"
