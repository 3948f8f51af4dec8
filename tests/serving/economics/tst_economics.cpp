// SPDX-License-Identifier: GPL-3.0-or-later
#include "serving/economics/costs.h"
#include "serving/economics/edge.h"
#include "serving/economics/long_context.h"
#include "serving/economics/speculative.h"
#include "serving/economics/uncertain.h"

#include <QtTest>

#include <cmath>

using namespace ridge;
using namespace ridge::serving;

class tst_economics : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void speculativeFormula() // curriculum 7.6
    {
        SpeculativeSetting s;
        QVERIFY(std::abs(speculativeSpeedup(s) - 2.4011) < 1e-4);
        QCOMPARE(bestDraftLength(s), 6);
        // The sum 1 + a + a^2 + … term by term.
        double sum = 0;
        for (int i = 0; i <= 9; ++i)
            sum += std::pow(0.63, i);
        QVERIFY(std::abs(tokensPerStep(0.63, 9) - sum) < 1e-12);
        QCOMPARE(tokensPerStep(1, 5), 6.0);
    }

    void drawnWithinOnePercent()
    {
        Rng rng(3);
        for (const double a : {0.0, 0.3, 0.6, 0.9, 1.0})
            for (const double g : {0.0, 1.0, 4.0, 12.0}) {
                SpeculativeSetting s;
                s.acceptance = a;
                s.draftLength = g;
                const SpeculativeRun run = simulateSpeculative(s, 200000, rng);
                QVERIFY(std::abs(run.tokensPerStep / tokensPerStep(a, g) - 1) < 0.01);
                std::uint64_t steps = 0;
                for (const std::uint64_t each : run.steps)
                    steps += each;
                QCOMPARE(steps, std::uint64_t(200000));
            }
    }

    void outputIsTheLargeModels()
    {
        Rng rng(4);
        for (const double a : {0.0, 0.1, 0.5, 0.9, 1.0}) {
            const OutputTest test = testOutput(a, 200000, rng);
            QVERIFY2(test.chiSquare < test.limit, qPrintable(QString::number(test.chiSquare)));
            QVERIFY(std::abs(test.accepted - a) < 0.01); // the overlap of the distributions is the acceptance
        }
    }

    void gainEndsAtTheRidge()
    {
        SpeculativeSetting s;
        const double last = switchOffBatch(s);
        QVERIFY(last > 1 && last < s.ridgeTokens);
        s.batch = last;
        QVERIFY(speculativeSpeedup(s) >= 1);
        s.batch = last + 1;
        QVERIFY(speculativeSpeedup(s) < 1);
        s.acceptance = 0;
        QCOMPARE(switchOffBatch(s), 0.0);
    }

    void uncertaintyOfASum() // a triangle of half-width s has the variance s^2 / 6
    {
        Rng rng(5);
        const std::vector<UncertainInput> inputs{{"a", 100, 0.3, 0}, {"b", 10, 0.1, 0}, {"c", 7, 0, 0}};
        double squares = 0, mean = 0;
        std::uint64_t calls = 0;
        const UncertainResult r = explore(
            inputs,
            [&](std::span<const double> at) {
                const double x = at[0] + at[1] + at[2];
                if (++calls > callsBeforeDraws(inputs)) {
                    mean += x / 1e5;
                    squares += x * x / 1e5;
                }
                return x;
            },
            100000, rng);
        QCOMPARE(r.middle, 117.0);
        QVERIFY(std::abs(r.mean - 117) < 0.2 && std::abs(mean - r.mean) < 1e-6);
        QVERIFY(std::abs((squares - mean * mean) / ((900 + 1) / 6.0) - 1) < 0.03);
        QVERIFY(r.p5 < r.p50 && r.p50 < r.p95);
        QCOMPARE(r.swings.size(), std::size_t(2));
        QCOMPARE(QString::fromStdString(r.swings[0].name), QStringLiteral("a"));
        QCOMPARE(r.swings[0].low, 87.0);
        QCOMPARE(r.swings[0].high, 147.0);
        QCOMPARE(percentileOf(std::vector<double>{1, 2, 3, 4}, 0.5), 2.5);
        QCOMPARE(percentileOf({}, 0.5), 0.0);
    }

    void breakEvens()
    {
        TokenPrices p;
        p.gpuHour = 2;
        p.outputRate = 1000;
        QVERIFY(std::abs(costPerMillion(p) - 2 / 3.6) < 1e-12);
        p.apiOutput = 3;
        p.utilisation = breakEvenUtilisation(p);
        QVERIFY(std::abs(costPerRequest(p) - apiPerRequest(p)) < 1e-15);
        QVERIFY(std::abs(annuity(1, 0.08, 4) - 0.301921) < 1e-6);
        QCOMPARE(annuity(100, 0, 4), 25.0);
        Porting q;
        q.gpuHour = 2;
        q.chipHour = 1;
        q.months = 12;
        q.engineerMonth = 2e4;
        q.fleet = breakEvenFleet(q);
        QVERIFY(std::abs(stayCost(q) / portCost(q) - 1) < 1e-12);
        q.speed = 0.5;
        QCOMPARE(breakEvenFleet(q), -1.0);
    }

    void heat()
    {
        const ThermalSetting t{25, 85, 3, 150};
        QVERIFY(throttleTime(t, 20) < 0); // 60 K exactly are not passed
        // The same by small steps: dT/dt = (P - (T - ambient) / R) / C.
        double at = 25, seconds = 0;
        while (at < 85) {
            at += (25 - (at - 25) / 3) / 150 * 1e-3;
            seconds += 1e-3;
        }
        QVERIFY(std::abs(seconds / throttleTime(t, 25) - 1) < 1e-4);
        QVERIFY(std::abs(temperatureAt(t, 25, throttleTime(t, 25)) - 85) < 1e-9);
        QCOMPARE(sustainedWatts(t), 20.0);
        QCOMPARE(cappedSpeed(30, 5, 25, false), 1.0);
        QCOMPARE(cappedSpeed(15, 5, 25, false), 0.5);
        QVERIFY(std::abs(cappedSpeed(15, 5, 25, true) - std::cbrt(0.5)) < 1e-12);
    }

    void caches()
    {
        const auto models = workload::readModels(qEnvironmentVariable("RIDGE_SOURCE").toStdString() + "/assets/models");
        const workload::ModelShape model = *workload::findModel(*models, "llama-3-70b");
        const auto bytes = [&](KvKind kind) {
            return workload::kvBytesOfSequence(*withKv(model, kind, 4096), 131072, 2);
        };
        QCOMPARE(bytes(KvKind::Own), 42949672960.0);
        QCOMPARE(bytes(KvKind::Mha), 8 * bytes(KvKind::Own));
        QCOMPARE(bytes(KvKind::Gqa), bytes(KvKind::Own));
        QCOMPARE(bytes(KvKind::Mqa), bytes(KvKind::Own) / 8);
        QCOMPARE(bytes(KvKind::Window), bytes(KvKind::Own) / 32);
        QCOMPARE(bytes(KvKind::Latent), 131072.0 * 80 * 576 * 2);
        QVERIFY(!withKv(*workload::findModel(*models, "bert-base"), KvKind::Mqa, 1).ok());
        // A token reads all weights but the table of embeddings.
        QCOMPARE(readBytesPerToken(model, 2 * workload::parameters(model)),
                 2 * (workload::parameters(model) - 128256.0 * 8192));
    }
};

QTEST_APPLESS_MAIN(tst_economics)
#include "tst_economics.moc"
