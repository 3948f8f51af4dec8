// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX graphs against counts by hand and against our own models of the same networks, and files that are wrong or mean
// harm.
#include "tests/workload/onnx_writer.h"
#include "workload/explorer.h"
#include "workload/onnx_network.h"

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <random>

using namespace ridge;
using namespace ridge::workload;
using namespace ridge::onnx_writer;

class TestOnnx : public QObject {
    Q_OBJECT

    static Result<OnnxNetwork> read(const std::string& bytes)
    {
        const auto file = parseOnnx(bytes, "net.onnx");
        return file ? networkFromOnnx(*file, "net.onnx") : Result<OnnxNetwork>(file.error());
    }
    static std::vector<Operator> operators(const Network& network, double batch, double tokens, bool fused)
    {
        Step step;
        step.phase = Phase::Prefill;
        step.batch = batch;
        step.context = tokens;
        step.fused = fused;
        std::vector<Operator> out;
        listOperators(network, step, out);
        return out;
    }
    static const Operator* named(const std::vector<Operator>& list, const char* part)
    {
        for (const Operator& each : list)
            if (each.name.find(part) != std::string_view::npos)
                return &each;
        return nullptr;
    }
    Subject own(const char* id) const
    {
        const auto found = findSubject(m_subjects, id);
        return found ? *found : Subject{};
    }

    static std::string lenet()
    {
        const std::string five = attribute("kernel_shape", Sizes{5, 5}),
                          two = attribute("kernel_shape", Sizes{2, 2}) + attribute("strides", Sizes{2, 2}),
                          turned = attribute("transB", 1);
        return input("x", {"batch", "1", "28", "28"}) + weight("w1", {6, 1, 5, 5}) + weight("b1", {6}) +
               weight("w3", {16, 6, 5, 5}) + weight("b3", {16}) + weight("w5", {120, 400}) + weight("b5", {120}) +
               weight("w6", {84, 120}) + weight("b6", {84}) + weight("w7", {10, 84}) + weight("b7", {10}) +
               node("Conv", {"x", "w1", "b1"}, {"c1"}, five + attribute("pads", Sizes{2, 2, 2, 2})) +
               node("Sigmoid", {"c1"}, {"a1"}) + node("AveragePool", {"a1"}, {"s2"}, two) +
               node("Conv", {"s2", "w3", "b3"}, {"c3"}, five) + node("Sigmoid", {"c3"}, {"a3"}) +
               node("AveragePool", {"a3"}, {"s4"}, two) + node("Flatten", {"s4"}, {"f"}) +
               node("Gemm", {"f", "w5", "b5"}, {"c5"}, turned) + node("Sigmoid", {"c5"}, {"a5"}) +
               node("Gemm", {"a5", "w6", "b6"}, {"f6"}, turned) + node("Sigmoid", {"f6"}, {"a6"}) +
               node("Gemm", {"a6", "w7", "b7"}, {"y"}, turned) + output("y");
    }

    /// torch.nn.TransformerEncoderLayer(512, 8, 2048, activation="gelu") as exporters write it: biases as sums, the
    /// error function for GELU, sizes of views computed from the input's.
    static std::string encoder(bool writtenOutNorm)
    {
        std::string g = input("x", {"batch", "seq", "512"}) + integers("split", {0, 0, 8, 64}) +
                        integers("last", {-1}) + integers("512", {512}) + integers("zero", {0}, true) +
                        integers("one", {1}, true) + integers("axis0", {0}) + weight("scale", {}) + weight("half", {}) +
                        weight("root2", {}) + weight("unit", {}) + weight("two", {}) + weight("epsilon", {});
        g += node("Shape", {"x"}, {"sizes"}) + node("Gather", {"sizes", "zero"}, {"batch"}) +
             node("Gather", {"sizes", "one"}, {"length"}) + node("Unsqueeze", {"batch", "axis0"}, {"batch1"}) +
             node("Unsqueeze", {"length", "axis0"}, {"length1"}) +
             node("Concat", {"batch1", "length1", "512"}, {"merged"}, attribute("axis", 0));
        const auto linear = [&](const std::string& from, const std::string& to, std::int64_t k, std::int64_t n) {
            g += weight(to + ".w", {k, n}) + weight(to + ".b", {n}) + node("MatMul", {from, to + ".w"}, {to + ".m"}) +
                 node("Add", {to + ".m", to + ".b"}, {to});
        };
        const auto norm = [&](const std::string& from, const std::string& to) {
            g += weight(to + ".w", {512}) + weight(to + ".b", {512});
            if (!writtenOutNorm) {
                g += node("LayerNormalization", {from, to + ".w", to + ".b"}, {to});
                return;
            }
            const std::string mean = attribute("axes", Sizes{-1});
            g += node("ReduceMean", {from}, {to + ".1"}, mean) + node("Sub", {from, to + ".1"}, {to + ".2"}) +
                 node("Pow", {to + ".2", "two"}, {to + ".3"}) + node("ReduceMean", {to + ".3"}, {to + ".4"}, mean) +
                 node("Add", {to + ".4", "epsilon"}, {to + ".5"}) + node("Sqrt", {to + ".5"}, {to + ".6"}) +
                 node("Div", {to + ".2", to + ".6"}, {to + ".7"}) + node("Mul", {to + ".7", to + ".w"}, {to + ".8"}) +
                 node("Add", {to + ".8", to + ".b"}, {to});
        };
        for (const char* which : {"q", "k", "v"}) {
            const std::string name = which;
            linear("x", name, 512, 512);
            g += node("Reshape", {name, "split"}, {name + "4"}) +
                 node("Transpose", {name + "4"}, {name + "t"},
                      attribute("perm", name == "k" ? Sizes{0, 2, 3, 1} : Sizes{0, 2, 1, 3}));
        }
        g += node("MatMul", {"qt", "kt"}, {"s"}) + node("Div", {"s", "scale"}, {"s2"}) +
             node("Softmax", {"s2"}, {"p"}, attribute("axis", -1)) + node("MatMul", {"p", "vt"}, {"o"}) +
             node("Transpose", {"o"}, {"ot"}, attribute("perm", Sizes{0, 2, 1, 3})) +
             node("Reshape", {"ot", "merged"}, {"om"});
        linear("om", "proj", 512, 512);
        g += node("Add", {"x", "proj"}, {"r1"});
        norm("r1", "n1");
        linear("n1", "up", 512, 2048);
        g += node("Div", {"up", "root2"}, {"g1"}) + node("Erf", {"g1"}, {"g2"}) + node("Add", {"g2", "unit"}, {"g3"}) +
             node("Mul", {"up", "g3"}, {"g4"}) + node("Mul", {"g4", "half"}, {"g5"});
        linear("g5", "down", 2048, 512);
        g += node("Add", {"n1", "down"}, {"r2"});
        norm("r2", "y");
        return g + output("y");
    }

private Q_SLOTS:
    void initTestCase()
    {
        auto subjects = shippedSubjects();
        QVERIFY2(subjects.ok(), subjects ? "" : toText(subjects.error()).c_str());
        m_subjects = std::move(*subjects);
    }

    /// The same network, once as a graph and once layer by layer: every kernel is equal.
    void lenetIsOurOwn()
    {
        const auto graph = read(model(lenet()));
        QVERIFY2(graph.ok(), graph ? "" : toText(graph.error()).c_str());
        const Subject lenet = own("lenet-5");
        QCOMPARE(graph->network.parameters, 61706.0);
        QVERIFY(!graph->network.sequence);
        for (const bool fused : {false, true})
            for (const double batch : {1.0, 7.0, 512.0}) {
                const auto a = operators(graph->network, batch, 1, fused),
                           b = operators(*lenet.network(), batch, 1, fused);
                QCOMPARE(a.size(), b.size());
                for (std::size_t i = 0; i < a.size(); ++i) {
                    QCOMPARE(a[i].kind, b[i].kind);
                    QCOMPARE(a[i].m, b[i].m);
                    QCOMPARE(a[i].n, b[i].n);
                    QCOMPARE(a[i].k, b[i].k);
                    QCOMPARE(a[i].flops, b[i].flops);
                    QCOMPARE(a[i].weightBytes, b[i].weightBytes);
                    QCOMPARE(a[i].activationBytes, b[i].activationBytes);
                }
            }
        const Subject subject = [&] {
            Subject out;
            out.what = graph->network;
            return out;
        }();
        Step step;
        step.phase = Phase::Prefill;
        Exploration found;
        const auto catalogue = silicon::shippedCatalogue();
        QVERIFY(catalogue.ok());
        const auto chip = catalogue->find("h100-sxm");
        QVERIFY(chip.ok());
        const auto device = deviceOf(*catalogue, *chip, Dtype::Bf16);
        QVERIFY(device.ok());
        explore(subject, step, *device, found);
        const auto flow = flowOf(subject, step, found);
        QCOMPARE(flow.front(), std::pair(-1, 0)); // the image, and then one after another
        QCOMPARE(flow.size(), found.rows.size());
    }

    /// An encoder layer that an exporter wrote out has the parameters and the work of ours, at any batch and length.
    void encoderIsOurOwn_data()
    {
        QTest::addColumn<bool>("writtenOut");
        QTest::newRow("norms are nodes") << false;
        QTest::newRow("norms are written out") << true;
    }
    void encoderIsOurOwn()
    {
        QFETCH(bool, writtenOut);
        const auto graph = read(model(encoder(writtenOut)));
        QVERIFY2(graph.ok(), graph ? "" : toText(graph.error()).c_str());
        QCOMPARE(graph->network.parameters, 3152384.0); // torch's count
        QVERIFY(graph->network.sequence);
        const Subject block = own("transformer-block");
        for (const double batch : {1.0, 6.0})
            for (const double tokens : {8.0, 100.0, 512.0, 4096.0}) {
                const auto fused = operators(graph->network, batch, tokens, true),
                           ours = operators(*block.network(), batch, tokens, true);
                // Three products where ours has one, and the same kernels else.
                QCOMPARE(fused.size(), ours.size() + 2);
                const auto products = [](const std::vector<Operator>& list) {
                    double all = 0;
                    for (const Operator& op : list)
                        all += op.kind == OperatorKind::Matmul      ? 2 * op.parts * op.m * op.n * op.k
                               : op.kind == OperatorKind::Attention ? op.flops
                                                                    : 0;
                    return all;
                };
                QCOMPARE(products(fused), products(ours));
                const double rows = batch * tokens;
                QCOMPARE(products(fused), rows * (2.0 * 512 * (4 * 512 + 2 * 2048)) + 4.0 * 512 * rows * tokens);
                const auto* attention = named(fused, "attention");
                QVERIFY(attention);
                QCOMPARE(attention->kind, OperatorKind::Attention);
                QCOMPARE(attention->attention.queryHeads, 8.0);
                QCOMPARE(attention->attention.kvHeads, 8.0);
                QCOMPARE(attention->attention.queryDim, 64.0);
                QCOMPARE(attention->attention.fresh, tokens);
                QCOMPARE(attention->attention.context, 0.0);
                int norms = 0;
                for (const Operator& op : fused)
                    if (op.kind == OperatorKind::Norm) {
                        ++norms;
                        QCOMPARE(op.weightBytes, 2.0 * 2 * 512);
                        QCOMPARE(op.activationBytes, 2.0 * 2 * 512 * rows); // each value in and out once
                    }
                QCOMPARE(norms, 2);
                // Node by node the scores go to memory four times and come back three.
                const auto eager = operators(graph->network, batch, tokens, false);
                double scores = 0;
                for (const Operator& op : eager)
                    if (op.kind == OperatorKind::Softmax || (op.kind == OperatorKind::Matmul && op.parts > 1)) {
                        scores += op.activationBytes;
                        if (op.kind == OperatorKind::Matmul)
                            QCOMPARE(op.parts, 8 * batch);
                    }
                QCOMPARE(scores, 2.0 * (4 * 8 * rows * tokens + 4 * 512 * rows));
            }
        const QString told = QString::fromStdString(
            std::accumulate(graph->assumed.begin(), graph->assumed.end(), std::string(),
                            [](const std::string& all, const std::string& each) { return all + each + "\n"; }));
        QVERIFY2(told.contains(QStringLiteral("the batch is \"batch\"")), qPrintable(told));
        QVERIFY2(told.contains(QStringLiteral("the sequence is \"seq\"")), qPrintable(told));
        QVERIFY2(!told.contains(QStringLiteral("not known")), qPrintable(told));
    }

    void recurrenceIsOurOwn()
    {
        const std::string g = input("x", {"seq", "batch", "64"}) + weight("w", {1, 512, 64}) +
                              weight("r", {1, 512, 128}) + weight("b", {1, 1024}) +
                              node("LSTM", {"x", "w", "r", "b"}, {"y", "h", "c"}, attribute("hidden_size", 128)) +
                              output("y");
        const auto graph = read(model(g));
        QVERIFY2(graph.ok(), graph ? "" : toText(graph.error()).c_str());
        QCOMPARE(graph->network.parameters, 512.0 * (64 + 128 + 2));
        const auto ours = subjectFromText("input: [sequence, 64]\nlayers: [{lstm: 128}]\n", "net.yaml");
        QVERIFY(ours.ok());
        const auto a = operators(graph->network, 3, 40, false), b = operators(*ours->network(), 3, 40, false);
        QCOMPARE(a.size(), b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            QCOMPARE(a[i].count, b[i].count);
            QCOMPARE(a[i].flops, b[i].flops);
            QCOMPARE(a[i].bytes(), b[i].bytes());
        }
    }

    /// By hand: operators whose sizes have rules of their own. The result has `values` for a batch of 2 and 10 tokens.
    void operatorsByHand_data()
    {
        QTest::addColumn<QByteArray>("graph");
        QTest::addColumn<double>("flops");
        QTest::addColumn<double>("values");
        QTest::addColumn<double>("weights");
        const auto row = [](const char* name, const std::string& graph, double flops, double values, double weights) {
            QTest::newRow(name) << QByteArray::fromStdString(graph + output("y")) << flops << values << weights;
        };
        const std::string x = input("x", {"batch", "seq", "64"});
        row("matmul", x + weight("w", {64, 32}) + node("MatMul", {"x", "w"}, {"y"}), 2.0 * 20 * 64 * 32, 20 * (64 + 32),
            64 * 32);
        row("matmul of experts",
            input("x", {"4", "seq", "64"}) + weight("w", {4, 64, 32}) + node("MatMul", {"x", "w"}, {"y"}),
            2.0 * 2 * 10 * 64 * 32 * 4 / 4, 2 * 10 * (64 + 32), 4 * 64 * 32);
        row("gemm, both turned",
            input("x", {"64", "batch"}) + weight("w", {32, 64}) + weight("c", {32}) +
                node("Gemm", {"x", "w", "c"}, {"y"}, attribute("transA", 1) + attribute("transB", 1)),
            2.0 * 2 * 64 * 32 + 2 * 32, 2 * (64 + 32), 64 * 32 + 32);
        row("a depthwise convolution",
            input("x", {"batch", "8", "16", "16"}) + weight("w", {8, 1, 3, 3}) +
                node("Conv", {"x", "w"}, {"y"},
                     attribute("group", 8) + attribute("strides", Sizes{2, 2}) + attribute("pads", Sizes{1, 1, 1, 1})),
            2.0 * 2 * 64 * 8 * 9, 2 * (8 * 256 + 8 * 64), 72);
        row("the same size",
            input("x", {"batch", "3", "15", "15"}) + weight("w", {4, 3, 3, 3}) +
                node("Conv", {"x", "w"}, {"y"},
                     attribute("strides", Sizes{2, 2}) + textAttribute("auto_pad", "SAME_UPPER")),
            2.0 * 2 * 64 * 4 * 27, 2 * (3 * 225 + 4 * 64), 108);
        row("a transposed convolution",
            input("x", {"batch", "8", "16", "16"}) + weight("w", {8, 4, 2, 2}) +
                node("ConvTranspose", {"x", "w"}, {"y"}, attribute("strides", Sizes{2, 2})),
            2.0 * 2 * 256 * 8 * 16, 2 * (8 * 256 + 4 * 1024), 128);
        row("a pool that rounds up",
            input("x", {"batch", "2", "7", "7"}) +
                node("MaxPool", {"x"}, {"y"},
                     attribute("kernel_shape", Sizes{2, 2}) + attribute("strides", Sizes{2, 2}) +
                         attribute("ceil_mode", 1)),
            2.0 * 2 * 16 * 4, 2 * 2 * (49 + 16), 0);
        row("words", input("x", {"batch", "seq"}, 7) + weight("w", {1000, 64}) + node("Gather", {"w", "x"}, {"y"}), 0,
            2 * 20 * 64, 0);
        row("an einsum",
            x + weight("w", {64, 4, 16}) +
                node("Einsum", {"x", "w"}, {"y"}, textAttribute("equation", "bsd,dhe->bshe")),
            2.0 * 20 * 64 * 64, 20 * 128, 64 * 64);
        row("two batches of an einsum",
            input("x", {"batch", "4", "seq", "16"}) + input("z", {"batch", "4", "seq", "16"}) +
                node("Einsum", {"x", "z"}, {"y"}, textAttribute("equation", "bhid,bhjd->bhij")),
            2.0 * 8 * 10 * 10 * 16, 2 * 8 * 160 + 8 * 100, 0);
        row("a weight that is turned first",
            x + weight("w", {32, 64}) + node("Transpose", {"w"}, {"wt"}) + node("MatMul", {"x", "wt"}, {"y"}),
            2.0 * 20 * 64 * 32, 20 * (64 + 32), 64 * 32);
        row("weights in eight bits",
            x + weight("w", {64, 32}, 3) + weight("s", {}) + weight("z", {}, 3) +
                node("DequantizeLinear", {"w", "s", "z"}, {"wd"}) + node("MatMul", {"x", "wd"}, {"y"}),
            2.0 * 20 * 64 * 32, 20 * (64 + 32), 64 * 32);
        row("a quantized product",
            input("x", {"batch", "seq", "64"}, 2) + weight("xs", {}) + weight("xz", {}, 2) + weight("w", {64, 32}, 3) +
                weight("ws", {}) + weight("wz", {}, 3) + weight("ys", {}) + weight("yz", {}, 2) +
                node("QLinearMatMul", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz"}, {"y"}),
            2.0 * 20 * 64 * 32, 20 * (64 + 32), 64 * 32);
        row("four-bit weights",
            x + weight("w", {32, 2, 16}, 2) + weight("s", {64}) +
                node("MatMulNBits", {"x", "w", "s"}, {"y"},
                     attribute("N", 32) + attribute("K", 64) + attribute("bits", 4) + attribute("block_size", 32),
                     "com.microsoft"),
            2.0 * 20 * 64 * 32, 20 * (64 + 32), 64 * 32 + 64);
        row("attention by name",
            input("q", {"batch", "8", "seq", "16"}) + input("k", {"batch", "2", "seq", "16"}) +
                input("v", {"batch", "2", "seq", "16"}) +
                node("Attention", {"q", "k", "v"}, {"y"}, attribute("is_causal", 0)),
            4.0 * 2 * 8 * 100 * 16 + 5.0 * 2 * 8 * 100, 2 * 8 * 10 * 32 + 2 * 2 * 10 * 32, 0);
        row("a slice",
            x + integers("s", {0}) + integers("e", {1}) + integers("a", {1}) +
                node("Slice", {"x", "s", "e", "a"}, {"first"}) + node("Relu", {"first"}, {"y"}),
            2 * 64, 2 * 2 * 64, 0);
        row("a branch",
            x + input("c", {}, 9) +
                node("If", {"c"}, {"y"},
                     graphAttribute("then_branch",
                                    node("Relu", {"x"}, {"t1"}) + node("Exp", {"t1"}, {"t2"}) + output("t2")) +
                         graphAttribute("else_branch", node("Relu", {"x"}, {"e"}) + output("e"))),
            2 * 20 * 64, 4 * 20 * 64, 0);
    }
    void operatorsByHand()
    {
        QFETCH(QByteArray, graph);
        QFETCH(double, flops);
        QFETCH(double, values);
        QFETCH(double, weights);
        const auto found = read(model(graph.toStdString(), 23));
        QVERIFY2(found.ok(), found ? "" : toText(found.error()).c_str());
        const auto list = operators(found->network, 2, 10, false);
        double work = 0, moved = 0, held = 0;
        for (const Operator& op : list) {
            work += op.count * op.flops;
            moved += op.count * (op.activationBytes + op.kvBytes) / 2;
            held += op.count * op.weightBytes / 2;
        }
        QCOMPARE(work, flops);
        if (qstrcmp(QTest::currentDataTag(), "attention by name") != 0) // three kernels, checked with the encoder
            QCOMPARE(moved, values);
        QCOMPARE(held, weights);
    }

    /// Keys that several query heads share are repeated by views: what is read is what is kept.
    void sharedKeysAreReadOnce()
    {
        const std::string g = input("q", {"batch", "8", "seq", "16"}) + input("k", {"batch", "2", "1", "16", "seq"}) +
                              input("v", {"batch", "2", "1", "seq", "16"}) + integers("times", {1, 1, 4, 1, 1}) +
                              integers("k4", {0, 8, 16, -1}) + integers("v4", {0, 8, -1, 16}) +
                              node("Expand", {"k", "times"}, {"ke"}) + node("Expand", {"v", "times"}, {"ve"}) +
                              node("Reshape", {"ke", "k4"}, {"kr"}) + node("Reshape", {"ve", "v4"}, {"vr"}) +
                              node("MatMul", {"q", "kr"}, {"s"}) + node("Softmax", {"s"}, {"p"}) +
                              node("MatMul", {"p", "vr"}, {"y"}) + output("y");
        const auto graph = read(model(g));
        QVERIFY2(graph.ok(), graph ? "" : toText(graph.error()).c_str());
        const auto list = operators(graph->network, 2, 100, true);
        QCOMPARE(list.size(), std::size_t{1});
        QCOMPARE(list[0].attention.queryHeads, 8.0);
        QCOMPARE(list[0].attention.kvHeads, 2.0);
    }

    /// "If this size is 1, take it out": sizes decide, whichever branch is longer.
    void sizesDecideBranches_data()
    {
        QTest::addColumn<QString>("size");
        QTest::newRow("it is 1") << QStringLiteral("1");
        QTest::newRow("it is more") << QStringLiteral("3");
    }
    void sizesDecideBranches()
    {
        QFETCH(QString, size);
        const std::string squeezed = node("Squeeze", {"x", "axis"}, {"s1"}) + node("Relu", {"s1"}, {"s"}) + output("s"),
                          kept = node("Exp", {"x"}, {"k"}) + output("k");
        const std::string g =
            input("x", {"batch", size.toStdString(), "64"}) + integers("axis", {1}) + integers("one", {1}) +
            node("Shape", {"x"}, {"n"}) + node("Gather", {"n", "axis"}, {"n1"}) + node("Equal", {"n1", "one"}, {"c"}) +
            node("If", {"c"}, {"y"}, graphAttribute("then_branch", squeezed) + graphAttribute("else_branch", kept)) +
            output("y");
        const auto graph = read(model(g));
        QVERIFY2(graph.ok(), graph ? "" : toText(graph.error()).c_str());
        const auto list = operators(graph->network, 2, 1, false);
        QCOMPARE(list.size(), std::size_t{1});
        QCOMPARE(list[0].flops, 2.0 * 64 * size.toInt());
        QVERIFY(named(list, size == QStringLiteral("1") ? "Relu" : "Exp"));
    }

    void functionsAreWrittenOut()
    {
        const std::string function =
            bytes(25, bytes(1, "Twice") + bytes(10, "mine") + bytes(4, "a") + bytes(5, "b") +
                          node("MatMul", {"a", "a"}, {"t"}, {}, {}, 7) + node("Relu", {"t"}, {"b"}, {}, {}, 7));
        const std::string g = input("x", {"batch", "16", "16"}) + node("Twice", {"x"}, {"y"}, {}, "mine") +
                              node("Twice", {"y"}, {"z"}, {}, "mine") + output("z");
        const auto graph = read(model(g, 17, function));
        QVERIFY2(graph.ok(), graph ? "" : toText(graph.error()).c_str());
        QCOMPARE(operators(graph->network, 1, 1, false).size(), std::size_t{4});
        QCOMPARE(operators(graph->network, 1, 1, true).size(), std::size_t{2});
    }

    /// What is not known is named and told; its neighbours are counted as always.
    void unknownOperatorsAreNamed()
    {
        const std::string g = input("x", {"batch", "64"}) + node("Frobnicate", {"x"}, {"t"}, {}, "com.example") +
                              node("Relu", {"t"}, {"y"}) + output("y");
        const auto graph = read(model(g));
        QVERIFY2(graph.ok(), graph ? "" : toText(graph.error()).c_str());
        QVERIFY2(std::ranges::any_of(graph->assumed,
                                     [](const std::string& each) {
                                         return each.find("com.example.Frobnicate (1)") != std::string::npos;
                                     }),
                 graph->assumed.empty() ? "" : graph->assumed.back().c_str());
        const auto list = operators(graph->network, 3, 1, false);
        QCOMPARE(list.size(), std::size_t{2});
        QCOMPARE(list[0].flops, 0.0);
        QCOMPARE(list[0].activationBytes, 2.0 * 3 * 128);
    }

    /// Sizes that the file leaves open without a name are sizes of their own, and an image's are told.
    void openSizesAreTold()
    {
        const std::string g = input("x", {"", "3", "", ""}) + weight("w", {8, 3, 3, 3}) +
                              node("Conv", {"x", "w"}, {"y"}, attribute("pads", Sizes{1, 1, 1, 1})) + output("y");
        const auto graph = read(model(g));
        QVERIFY2(graph.ok(), graph ? "" : toText(graph.error()).c_str());
        QCOMPARE(operators(graph->network, 3, 1, false)[0].m, 3.0 * 224 * 224);
        QCOMPARE(graph->assumed[0], std::string("\"x[2]\" is open in the file: 224 was taken"));
        const std::string folded = g + integers("s", {0, 8, 1, 48}) + node("Reshape", {"y", "s"}, {"z"});
        const auto refused = read(model(folded));
        QVERIFY(!refused.ok());
        QVERIFY2(refused.error().fix.find("\"x[2]\"") != std::string::npos, refused.error().fix.c_str());
    }

    /// A stride that rounds has no even growth: one length is taken, and said. Where a short one does not fit, a
    /// longer one is tried.
    void lengthsThatAreRounded()
    {
        const auto sound = [](const char* stride) {
            return model(input("x", {"batch", "1", "samples"}) + weight("w", {16, 1, 400}) +
                         node("Conv", {"x", "w"}, {"y"}, attribute("strides", Sizes{std::stoll(stride)})) +
                         output("y"));
        };
        const auto even = read(sound("1"));
        QVERIFY2(even.ok(), even ? "" : toText(even.error()).c_str());
        QVERIFY(even->network.sequence);
        QCOMPARE(operators(even->network, 2, 1000, false)[0].m, 2.0 * 601);
        const auto rounded = read(sound("7"));
        QVERIFY2(rounded.ok(), rounded ? "" : toText(rounded.error()).c_str());
        QVERIFY(!rounded->network.sequence);
        QCOMPARE(operators(rounded->network, 2, 1, false)[0].m, 2.0 * 17);
        QVERIFY(std::ranges::any_of(
            rounded->assumed, [](const std::string& each) { return each.find("taken as 512") != std::string::npos; }));
    }

    void aBatchInTheFileIsManyExamples()
    {
        const std::string g =
            input("x", {"8", "64"}) + weight("w", {64, 32}) + node("MatMul", {"x", "w"}, {"y"}) + output("y");
        const auto graph = read(model(g));
        QVERIFY2(graph.ok(), graph ? "" : toText(graph.error()).c_str());
        const auto list = operators(graph->network, 8, 1, false);
        QCOMPARE(list[0].m, 8.0);
        QCOMPARE(list[0].flops, 2.0 * 8 * 64 * 32);
        QVERIFY(graph->assumed.front().find("a batch of 8") != std::string::npos);
    }

    /// A table of positions ends: no longer sequence is offered.
    void positionsAreAnEnd()
    {
        const std::string g = input("x", {"batch", "seq", "64"}) + weight("p", {1, 512, 64}) + integers("zero", {0}) +
                              integers("one", {1}) + integers("two", {2}) + node("Shape", {"x"}, {"s"}) +
                              node("Slice", {"s", "one", "two"}, {"n"}) +
                              node("Slice", {"p", "zero", "n", "one"}, {"t"}) + node("Add", {"x", "t"}, {"y"}) +
                              output("y");
        const auto graph = read(model(g));
        QVERIFY2(graph.ok(), graph ? "" : toText(graph.error()).c_str());
        QCOMPARE(graph->network.mostTokens, 512.0);
        // The table's rows are read once for the whole batch.
        const auto list = operators(graph->network, 4, 100, false);
        QCOMPARE(list[0].activationBytes + list[0].weightBytes, 2.0 * (4 * 100 * 64 * 2 + 100 * 64));
    }

    void filesThatAreWrong_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const std::string& file, const char* place, const char* message) {
            QTest::newRow(name) << QByteArray::fromStdString(file) << QString::fromUtf8(place)
                                << QString::fromUtf8(message);
        };
        const std::string x = input("x", {"batch", "64"}), y = output("y");
        row("empty", "", "net.onnx", "no graph");
        row("text", "title: a network\ninput: [3]\n", "net.onnx", "protobuf");
        row("weights alone", bytes(8, opset(17)), "net.onnx", "");
        row("no nodes", model(x + y), "net.onnx", "no nodes");
        row("nothing to do", model(x + node("Identity", {"x"}, {"y"}) + y), "net.onnx", "no node computes");
        row("two graphs", model(x) + bytes(7, x), "net.onnx", "two graphs");
        row("a value that nobody makes", model(x + node("Relu", {"z"}, {"y"}) + y), "Relu of y", "\"z\"");
        row("an output that nobody makes", model(x + node("Relu", {"x"}, {"t"}) + y), "net.onnx", "\"y\"");
        row("a circle", model(x + node("Add", {"x", "b"}, {"a"}) + node("Relu", {"a"}, {"b"}) + output("b")),
            "Add of a", "circle");
        row("a node that reads itself", model(x + node("Add", {"x", "y"}, {"y"}) + y), "Add of y", "circle");
        row("a value made twice", model(x + node("Relu", {"x"}, {"y"}) + node("Exp", {"x"}, {"y"}) + y), "Exp of y",
            "two nodes");
        row("a value that is an input, too", model(x + node("Relu", {"x"}, {"x"}) + output("x")), "x", "");
        row("sizes that do not fit", model(x + weight("w", {32, 8}) + node("MatMul", {"x", "w"}, {"y"}) + y),
            "MatMul of y", "[2 x 64]");
        row("sums that do not fit", model(x + weight("w", {63}) + node("Add", {"x", "w"}, {"y"}) + y), "Add of y",
            "do not go together");
        row("a kernel that is too large",
            model(input("x", {"1", "1", "4", "4"}) + weight("w", {1, 1, 5, 5}) + node("Conv", {"x", "w"}, {"y"}) + y),
            "Conv of y", "does not fit");
        row("channels that do not fit",
            model(input("x", {"1", "3", "8", "8"}) + weight("w", {4, 2, 3, 3}) + node("Conv", {"x", "w"}, {"y"}) + y),
            "Conv of y", "channels");
        row("a stride of nothing",
            model(input("x", {"1", "1", "8", "8"}) + weight("w", {1, 1, 3, 3}) +
                  node("Conv", {"x", "w"}, {"y"}, attribute("strides", Sizes{0, 1})) + y),
            "Conv of y", "1 or more");
        row("an axis that is none",
            model(x + node("Softmax", {"x"}, {"t"}) + node("ArgMax", {"t"}, {"y"}, attribute("axis", 5)) + y),
            "ArgMax of y", "axis 5");
        row("a view of another size", model(x + integers("s", {7, 9}) + node("Reshape", {"x", "s"}, {"y"}) + y),
            "Reshape of y", "cannot become");
        row("sizes of the run",
            model(x + node("NonZero", {"x"}, {"n"}) + node("Cast", {"n"}, {"c"}, attribute("to", 7)) +
                  node("Reshape", {"x", "c"}, {"y"}) + y),
            "Reshape of y", "only when the model runs");
        row("an unknown operator of unknown size",
            model(x + node("Source", {}, {"t"}, {}, "com.example") + node("Add", {"x", "t"}, {"y"}) + y), "Source of t",
            "not known");
        row("a negative size", model(x + weight("w", {-4, 8}) + node("MatMul", {"x", "w"}, {"y"}) + y), "net.onnx",
            "size of -4");
        row("an endless size", model(input("x", {"99999999999999999"}) + node("Relu", {"x"}, {"y"}) + y), "net.onnx",
            "99999999999999999");
        row("endless values", model(input("x", {"999999999999", "999999999999"}) + node("Relu", {"x"}, {"y"}) + y),
            "net.onnx", "more than any memory");
        row("an endless range",
            model(x + integers("a", {0}, true) + integers("b", {std::int64_t{1} << 60}, true) +
                  integers("c", {1}, true) + node("Range", {"a", "b", "c"}, {"r"}) + node("Relu", {"r"}, {"y"}) + y),
            "Range of r", "is none");
        row("many dimensions", model(input("x", Names(17, "1")) + node("Relu", {"x"}, {"y"}) + y), "net.onnx",
            "16 dimensions");
        row("an old opset", model(x + node("Relu", {"x"}, {"y"}) + y, 6), "opset_import", "too old");
        row("sparse weights", model(x + bytes(15, "") + node("Relu", {"x"}, {"y"}) + y), "net.onnx", "sparse");
        row("a branch that is missing", model(x + node("If", {"x"}, {"y"}) + y), "If of y", "then_branch");
        row("a long name", model(x + node(std::string(5000, 'a'), {"x"}, {"y"}) + y), "net.onnx", "5000 bytes");
        row("a function that calls itself",
            model(x + node("F", {"x"}, {"y"}, {}, "m") + y, 17,
                  bytes(25, bytes(1, "F") + bytes(10, "m") + bytes(4, "a") + bytes(5, "b") +
                                node("F", {"a"}, {"b"}, {}, "m", 7))),
            "F of y", "nested");
        std::string calls;
        for (int i = 0; i < 40; ++i)
            calls += node("G", {"a"}, {"b" + std::to_string(i)}, {}, "m", 7);
        std::string many;
        for (const char* name : {"F", "G", "H", "I", "J", "K"}) {
            std::string body;
            const std::string next(1, char(name[0] + 1));
            for (int i = 0; i < 40; ++i)
                body += node(name[0] == 'K' ? "Relu" : next, {"a"}, {i ? "b" + std::to_string(i) : "b"}, {},
                             name[0] == 'K' ? "" : "m", 7);
            many += bytes(25, bytes(1, name) + bytes(10, "m") + bytes(4, "a") + bytes(5, "b") + body);
        }
        row("functions that grow", model(x + node("F", {"x"}, {"y"}, {}, "m") + y, 17, many), "F of y", "50,000");
        std::string nest = node("Relu", {"x"}, {"y"}) + y;
        for (int i = 0; i < 12; ++i)
            nest =
                node("If", {"x"}, {"y"}, graphAttribute("then_branch", nest) + graphAttribute("else_branch", nest)) + y;
        row("branches in branches", model(x + nest), "net.onnx", "nested");
        std::string nodes;
        for (int i = 0; i <= 50000; ++i)
            nodes += node("Relu", {"x"}, {"v" + std::to_string(i)});
        row("many nodes", model(x + nodes + y), "net.onnx", "50,000 nodes");
        row("a length that is a lie", number(1, 8) + varint(7 << 3 | 2) + varint(std::uint64_t{1} << 31) + "abc",
            "net.onnx", "");
        row("a group", number(1, 8) + varint(7 << 3 | 3) + "abc", "net.onnx", "protobuf");
    }
    void filesThatAreWrong()
    {
        QFETCH(QByteArray, file);
        QFETCH(QString, place);
        QFETCH(QString, message);
        const auto found = read(file.toStdString());
        QVERIFY(!found.ok());
        const Error& error = found.error();
        QCOMPARE(QString::fromStdString(error.code), QStringLiteral("bad-onnx"));
        QVERIFY2(QString::fromStdString(error.place).startsWith(QStringLiteral("net.onnx")), error.place.c_str());
        QVERIFY2(QString::fromStdString(error.place).contains(place), error.place.c_str());
        QVERIFY2(QString::fromStdString(error.message).contains(message), error.message.c_str());
        QVERIFY(!error.fix.empty());
    }

    /// Whatever stands in a file, it is read or refused, and what is read has finite counts.
    void noPieceOfAFileCrashes()
    {
        std::mt19937 random(45);
        int refused = 0, good = 0;
        const auto look = [&](const std::string& bytes) {
            const auto found = read(bytes);
            refused += !found.ok();
            if (!found.ok()) {
                QVERIFY(!found.error().fix.empty());
                return;
            }
            ++good;
            for (const Operator& op : operators(found->network, 3, 33, true))
                QVERIFY(std::isfinite(op.flops) && op.flops >= 0 && std::isfinite(op.bytes()) && op.bytes() >= 0);
        };
        for (const std::string& whole : {model(lenet()), model(encoder(true))}) {
            const std::size_t step = whole.size() > 2000 ? 3 : 1;
            for (std::size_t cut = 0; cut < whole.size(); cut += step)
                look(whole.substr(0, cut));
            for (int i = 0; i < 3000; ++i) {
                std::string changed = whole;
                for (int n = 1 + int(random() % 3); n > 0; --n) {
                    const std::size_t at = random() % changed.size();
                    switch (random() % 4) {
                    case 0:
                        changed[at] = char(random());
                        break;
                    case 1:
                        changed[at] = char(changed[at] ^ char(1 << random() % 8));
                        break;
                    case 2:
                        changed.erase(at, 1 + random() % 8);
                        break;
                    default:
                        changed.insert(at, changed.substr(random() % changed.size(), random() % 40));
                    }
                    if (changed.empty())
                        break;
                }
                look(changed);
            }
        }
        QVERIFY(refused > 2000);
        QVERIFY(good > 100);
    }

    /// A gigabyte of weights is stepped over: what is read is what stands around it.
    void weightsStayOnTheDisk()
    {
        QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "Large.ONNX";
        const std::uint64_t weights = std::uint64_t{1} << 30;
        const std::string nodes = input("x", {"batch", "16384"}) + node("MatMul", {"x", "w"}, {"y"}) + output("y");
        const std::string tensorHead =
            number(1, 16384) + number(1, 16384) + number(2, 1) + bytes(8, "w") + varint(9 << 3 | 2) + varint(weights);
        const std::string initializer = varint(5 << 3 | 2) + varint(tensorHead.size() + weights) + tensorHead;
        const std::string head = number(1, 8) + opset(17) + varint(7 << 3 | 2) +
                                 varint(nodes.size() + initializer.size() + weights) + nodes + initializer;
        std::ofstream(path, std::ios::binary) << head;
        std::error_code code;
        std::filesystem::resize_file(path, head.size() + weights, code); // holes take no disk
        if (code)
            QSKIP("this disk has no room for a file with holes");
        const auto found = subjectFromFile(path);
        QVERIFY2(found.ok(), found ? "" : toText(found.error()).c_str());
        QCOMPARE(parameters(*found), 16384.0 * 16384);
        QCOMPARE(QString::fromStdString(found->title), QStringLiteral("Large.ONNX"));
        std::filesystem::resize_file(path, head.size() + weights - 1, code);
        QVERIFY(!subjectFromFile(path).ok()); // cut off
        std::filesystem::resize_file(path, std::uint64_t{3} << 30, code);
        if (!code)
            QCOMPARE(QString::fromStdString(subjectFromFile(path).error().code), QStringLiteral("too-large"));
        QCOMPARE(QString::fromStdString(subjectFromFile(folder.path().toStdString()).error().code),
                 QStringLiteral("cannot-read"));
        QVERIFY(!subjectFromFile(path.parent_path() / "none.onnx").ok());
    }

private:
    std::vector<Subject> m_subjects;
};

QTEST_GUILESS_MAIN(TestOnnx)
#include "tst_onnx.moc"
