// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/engine_overlap.h"
#include "base/seed.h"

#include <QtTest>

#include <algorithm>

using namespace ridge;
using namespace ridge::accelerator;

class TestOverlap : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void chains();
    void attention();
    void bounds();
    void refusals();
};

void TestOverlap::chains()
{
    // g then v, S slices: first slice of each, and the slower engine for the rest.
    for (std::uint32_t slices : {1u, 2u, 5u, 64u})
        for (double v : {0.2, 1.0, 3.0}) {
            const auto run = runEngines({{0, 1}, {1, v}}, slices);
            QVERIFY(std::abs(run->time - ((1 + v) + (slices - 1) * std::max(1.0, v)) / slices) < 1e-12);
            QVERIFY(std::abs(run->busy[0] - 1) < 1e-12);
        }
    QVERIFY(std::abs(runEngines({{0, 1}, {1, 1}}, 4, 0.1)->time - (2 + 3) / 4.0 - 5 * 0.1) < 1e-12);
}

void TestOverlap::attention()
{
    // Half a unit of scores, one of softmax, half of values: 2 in a row, 1 + 2/16 in eight slices.
    const std::vector<EngineOp> ops{{0, 0.5}, {1, 1}, {0, 0.5}};
    QVERIFY(std::abs(runEngines(ops, 1)->time - 2) < 1e-12);
    QVERIFY(std::abs(runEngines(ops, 8)->time - 1.125) < 1e-12);
}

void TestOverlap::bounds()
{
    Rng rng(11);
    for (int round = 0; round < 100; ++round) {
        std::vector<EngineOp> ops;
        double sum = 0, each[3] = {};
        for (std::uint64_t i = 0, n = 1 + rng.next() % 12; i < n; ++i) {
            ops.push_back({static_cast<std::uint32_t>(rng.next() % 3), rng.uniform()});
            sum += ops.back().seconds;
            each[ops.back().engine] += ops.back().seconds;
        }
        const auto slices = static_cast<std::uint32_t>(1 + rng.next() % 20);
        const auto run = runEngines(ops, slices);
        QCOMPARE(run->spans.size(), ops.size() * slices);
        QVERIFY(run->time <= sum * (1 + 1e-12));
        QVERIFY(run->time >= *std::max_element(each, each + 3) * (1 - 1e-12));
        if (slices == 1)
            QVERIFY(std::abs(run->time - sum) < 1e-12 * sum + 1e-15);
        for (int e = 0; e < 3; ++e)
            QVERIFY(std::abs(run->busy[e] - each[e]) < 1e-9);
    }
}

void TestOverlap::refusals()
{
    QCOMPARE(runEngines({}, 1).error().code, std::string("bad-graph"));
    QCOMPARE(runEngines({{0, 1}}, 0).error().code, std::string("bad-graph"));
    QCOMPARE(runEngines({{7, 1}}, 1).error().code, std::string("bad-graph"));
}

QTEST_APPLESS_MAIN(TestOverlap)
#include "tst_engine_overlap.moc"
