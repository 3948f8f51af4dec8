// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of a model against published tables.
#include "workload/capacity.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::workload;

namespace {
constexpr double kGiB = 1024.0 * 1024 * 1024;
}

class TestCapacity : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        auto models = shippedModels();
        QVERIFY2(models.ok(), models ? "" : toText(models.error()).c_str());
        m_models = *models;
    }

    /// ZeRO (arXiv 1910.02054), figure 1: 7.5 B parameters on 64 GPUs.
    void statesOfZero_data()
    {
        QTest::addColumn<int>("stage");
        QTest::addColumn<double>("gigabytes");
        QTest::newRow("0") << 0 << 120.;
        QTest::newRow("1") << 1 << 31.4;
        QTest::newRow("2") << 2 << 16.6;
        QTest::newRow("3") << 3 << 1.9;
    }
    void statesOfZero()
    {
        QFETCH(int, stage);
        QFETCH(double, gigabytes);
        CapacityPlan plan;
        plan.parameters = 7.5e9;
        plan.data = 64;
        plan.zero = stage;
        QVERIFY(std::abs(capacityOf(model("llama-2-7b"), plan).states() / 1e9 - gigabytes) < 0.05);
    }

    /// Korthikanti et al. (arXiv 2205.05198) on Selene, 22B with t = 8 and batch 4, 175B with t = 8, p = 8, 3 pieces.
    void activationsOfMegatron_data()
    {
        QTest::addColumn<bool>("large");
        QTest::addColumn<int>("recompute");
        QTest::addColumn<bool>("sequenceParallel");
        QTest::addColumn<double>("gibibytes");
        QTest::newRow("22B") << false << 0 << false << 59.25;
        QTest::newRow("22B, sequence parallel") << false << 0 << true << 59.25 * 0.6684;
        QTest::newRow("22B, selective") << false << 1 << false << 59.25 * 0.4942;
        QTest::newRow("22B, both") << false << 1 << true << 9.5625;
        QTest::newRow("22B, full") << false << 2 << false << 59.25 * 0.0764;
        QTest::newRow("175B") << true << 0 << false << 66.84;
        QTest::newRow("175B, sequence parallel") << true << 0 << true << 66.84 * 0.6204;
        QTest::newRow("175B, selective") << true << 1 << false << 66.84 * 0.5653;
        QTest::newRow("175B, both") << true << 1 << true << 12.35;
        QTest::newRow("175B, full") << true << 2 << false << 66.84 * 0.0871;
    }
    void activationsOfMegatron()
    {
        QFETCH(bool, large);
        QFETCH(int, recompute);
        QFETCH(bool, sequenceParallel);
        QFETCH(double, gibibytes);
        const double found =
            capacityOf(model(large ? "gpt-3-175b" : "megatron-22b"), megatron(large, recompute, sequenceParallel))
                .activations /
            kGiB;
        QVERIFY2(std::abs(found / gibibytes - 1) < 0.01, qPrintable(QString::number(found)));
    }

    void statesOfMegatron()
    {
        // 45.5625 GiB is 18 bytes of 12 L h^2 / 64 weights alone; embedding, biases and norms come on top here.
        for (const bool large : {false, true}) {
            const double found =
                capacityOf(model(large ? "gpt-3-175b" : "megatron-22b"), megatron(large, 0, false)).states() / kGiB;
            QVERIFY2(found > 45.5625 && found < 45.5625 * 1.04, qPrintable(QString::number(found)));
        }
    }

    /// GiB of Llama 3 8B, llama.cpp's own table.
    void filesOfGguf_data()
    {
        QTest::addColumn<double>("gibibytes");
        for (const auto& [name, size] : {std::pair{"q8_0", 7.96},
                                         {"q6_k", 6.14},
                                         {"q5_k_m", 5.33},
                                         {"q5_k_s", 5.21},
                                         {"q5_1", 5.65},
                                         {"q5_0", 5.21},
                                         {"q4_k_m", 4.58},
                                         {"q4_k_s", 4.37},
                                         {"q4_1", 4.78},
                                         {"q4_0", 4.34}})
            QTest::newRow(name) << size;
    }
    void filesOfGguf()
    {
        QFETCH(double, gibibytes);
        const double found = ggufBytes(model("llama-3-8b"), QTest::currentDataTag()) / kGiB;
        // The file's tokenizer, some 8 MB, is not counted.
        QVERIFY2(std::abs(found - gibibytes) < 0.014, qPrintable(QString::number(found)));
    }

    void namesOfFormats()
    {
        QCOMPARE(ggufBytes(model("llama-3-8b"), "q7_x"), 0.0);
        QCOMPARE(ggufBytes(model("llama-3-8b"), "f16"), 2 * 8030261248.0);
        for (const ModelShape& m : m_models)
            for (const std::string& format : ggufFormats())
                if (m.kind == ModelKind::Decoder) {
                    const double bits = 8 * ggufBytes(m, format) / parameters(m);
                    QVERIFY2(bits > 4.4 && bits < 33, (m.id + " " + format).c_str());
                }
    }

    void theCacheIsShared()
    {
        CapacityPlan plan;
        plan.batch = 4;
        plan.sequence = 1000;
        const double whole = 4 * 1000 * 327680.0;
        QCOMPARE(capacityOf(model("llama-3-70b"), plan).kv, whole);
        plan.tensor = 4;
        plan.pipeline = 2;
        QCOMPARE(capacityOf(model("llama-3-70b"), plan).kv, whole / 8);
        plan.tensor = 64; // 8 KV heads: each is held eight times
        QCOMPARE(capacityOf(model("llama-3-70b"), plan).kv, whole / 16);
        plan.optimizer = Optimizer::Inference;
        QCOMPARE(capacityOf(model("llama-3-70b"), plan).states(), capacityOf(model("llama-3-70b"), plan).weights);
        QCOMPARE(capacityOf(model("llama-3-70b"), plan).activations, 0.0);
    }

    /// 10, 16 and 18 bytes a parameter are all published; they count other things.
    void bytesOfAdam()
    {
        CapacityPlan plan;
        const auto each = [&](Optimizer optimizer) {
            plan.optimizer = optimizer;
            const Capacity found = capacityOf(model("llama-3-70b"), plan);
            return found.states() / found.parameters;
        };
        QCOMPARE(each(Optimizer::AdamMoments), 10.0);
        QCOMPARE(each(Optimizer::Adam), 16.0);
        QCOMPARE(each(Optimizer::AdamFp32Gradients), 18.0);
    }

    void oneLayerIsWholeUnderZero3()
    {
        CapacityPlan plan;
        plan.zero = 3;
        QCOMPARE(capacityOf(model("llama-3-70b"), plan).gathered, 0.0); // nobody shares
        plan.data = 64;
        // The embedding, 128,256 x 8,192, is larger than a layer of 8,192 x 8,192 and its kin.
        QCOMPARE(capacityOf(model("llama-3-70b"), plan).gathered, 4.0 * 128256 * 8192);
        plan.tensor = 8;
        QCOMPARE(capacityOf(model("llama-3-70b"), plan).gathered, 4.0 * 128256 * 8192 / 8);
        plan.zero = 2;
        QCOMPARE(capacityOf(model("llama-3-70b"), plan).gathered, 0.0);
    }

    void whatDoesNotDivideIsNamed()
    {
        const auto place = [&](const char* id, const CapacityPlan& plan) {
            const auto good = checkPlan(model(id), plan);
            return good ? std::string() : good.error().place;
        };
        QCOMPARE(place("llama-3-8b", {}), std::string());
        QCOMPARE(place("llama-3-8b", {.tensor = 5}), std::string("tp"));
        QCOMPARE(place("llama-3-8b", {.pipeline = 64}), std::string("pp"));
        QCOMPARE(place("llama-3-8b", {.interleave = 2}), std::string("interleave"));
        QCOMPARE(place("llama-3-8b", {.pipeline = 8, .interleave = 8}), std::string("interleave"));
        QCOMPARE(place("resnet-50", {}), std::string("model"));
    }

private:
    ModelShape model(const char* id) const { return *findModel(m_models, id); }
    static CapacityPlan megatron(bool large, int recompute, bool sequenceParallel)
    {
        CapacityPlan plan;
        plan.batch = large ? 1 : 4;
        plan.sequence = 2048;
        plan.tensor = 8;
        plan.pipeline = large ? 8 : 1;
        plan.interleave = large ? 3 : 1;
        plan.recompute = static_cast<Recompute>(recompute);
        plan.sequenceParallel = sequenceParallel;
        plan.optimizer = Optimizer::AdamFp32Gradients;
        return plan;
    }
    std::vector<ModelShape> m_models;
};

QTEST_GUILESS_MAIN(TestCapacity)
#include "tst_capacity.moc"
