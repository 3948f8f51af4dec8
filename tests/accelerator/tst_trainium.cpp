// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/trainium.h"
#include "base/seed.h"

#include <QtTest>

#include <algorithm>

using namespace ridge;
using namespace ridge::accelerator;

class TestTrainium : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneTile();
    void intensity();
    void capacity();
    void lanesHoldOneThing();
    void best();
    void refusals();
};

void TestTrainium::oneTile()
{
    NeuronCore core;
    core.tensorClock = 1e9;
    core.vectorClock = 1e9;
    core.bytesPerS = 1e9;
    core.dmaSetup = 1e-6;
    core.queues = 2;
    // A and B each take 128 x 128 B, set up side by side; 32 cycles of stationary, 128 of moving; 128 + 100 copied out;
    // then a store.
    const auto run = runNeuron(core, {128, 128, 128}, {128, 128, 128, 1}, 1);
    QVERIFY(run.ok());
    const double load = 1e-6 + 2 * 16384e-9, multiply = (32 + 128) * 1e-9, copy = 228e-9, store = 1e-6 + 16384e-9;
    QVERIFY(std::abs(run->time - (load + multiply + copy + store)) < 1e-12);
    QCOMPARE(run->transfers, 3u);
    QCOMPARE(run->instructions, 1u);
    // 40 columns cost as many cycles as 64; fp32 four times as many.
    QVERIFY(std::abs(runNeuron(core, {128, 40, 128}, {128, 64, 128, 1}, 1)->tensorBusy - 64e-9) < 1e-15);
    QVERIFY(std::abs(runNeuron(core, {128, 128, 128}, {128, 128, 128, 1}, 4)->tensorBusy - 512e-9) < 1e-15);
}

void TestTrainium::intensity()
{
    // 2 x 128 x 128 x 512 operations for (128 x 128 + 128 x 512) x 2 B.
    const auto simple = runNeuron({}, {4096, 4096, 1024}, {128, 512, 128, 2}, 2);
    QVERIFY(std::abs(simple->intensity - 102.4) < 1e-9);
    const auto blocked = runNeuron({}, {4096, 4096, 1024}, {512, 512, 128, 2}, 2);
    QVERIFY(std::abs(blocked->intensity - 256) < 1e-9);
    QVERIFY(blocked->time < simple->time);
}

void TestTrainium::capacity()
{
    NeuronCore core;
    core.sbufBytes = 24u << 20; // 196,608 B a partition
    // 8 rows of k / 128, (128 + 512) x 2 B each, and 512 x 2 B of C, twice.
    const auto fit = tileFit(core, {4096, 4096, 1024}, {128, 512, 1024, 2}, 2);
    QCOMPARE(fit->sbufPerPartition, 2u * (8 * 640 * 2 + 512 * 2));
    QCOMPARE(fit->sbufLimit, 196608u);
    QCOMPARE(fit->banks, 2u);
    QVERIFY(fit->fits());
    QVERIFY(!tileFit(core, {4096, 4096, 1024}, {1024, 1024, 128, 1}, 2)->fits()); // 16 banks
    QVERIFY(tileFit(core, {4096, 4096, 1024}, {1024, 512, 128, 1}, 2)->fits());   // 8
    QCOMPARE(runNeuron(core, {4096, 4096, 1024}, {1024, 1024, 128, 1}, 2).error().code, std::string("tile-too-large"));
}

void TestTrainium::lanesHoldOneThing()
{
    Rng rng(7);
    const auto below = [&](std::uint64_t n) { return rng.next() % n; };
    for (int round = 0; round < 60; ++round) {
        NeuronCore core;
        core.dmaSetup = double(below(4)) * 1e-6;
        core.queues = 1 + static_cast<std::uint32_t>(below(8));
        const Gemm gemm{1 + below(700), 1 + below(1500), 1 + below(900)};
        const auto side = [&](std::uint64_t most) { return static_cast<std::uint32_t>(1 + below(most)); };
        const NeuronTiles tiles{side(256), side(1024), side(500), 1 + static_cast<std::uint32_t>(below(3))};
        const auto run = runNeuron(core, gemm, tiles, 2, 1u << 20);
        if (!run) {
            QCOMPARE(run.error().code, std::string("tile-too-large"));
            continue;
        }
        double stored = 0;
        for (int lane = 0; lane < 4; ++lane) {
            std::vector<std::pair<double, double>> busy;
            for (const NeuronSpan& span : run->spans)
                if (static_cast<int>(span.lane) == lane || (lane == 0 && span.lane == NeuronSpan::Lane::Store))
                    busy.emplace_back(span.begin, span.end);
            std::sort(busy.begin(), busy.end());
            for (std::size_t i = 1; i < busy.size(); ++i)
                QVERIFY(busy[i].first >= busy[i - 1].second - 1e-12);
            if (lane == 0)
                for (const auto& [begin, end] : busy)
                    stored += end - begin;
        }
        QVERIFY(std::abs(stored - run->dmaBusy) < 1e-9 * stored);
        QVERIFY(std::abs(run->storeBytes - double(gemm.m * gemm.n * 2)) < 0.5); // C once
        QVERIFY(run->time >= std::max({run->dmaBusy, run->tensorBusy, run->evictBusy}));
        NeuronTiles single = tiles;
        single.buffers = 1;
        if (tiles.buffers > 1)
            QVERIFY(run->time <= runNeuron(core, gemm, single, 2)->time * (1 + 1e-9));
    }
}

void TestTrainium::best()
{
    const Gemm gemm{512, 2048, 1024};
    const auto best = bestTiles({}, gemm, 2, Evict::Vector, 2);
    QVERIFY(best.ok());
    for (std::uint32_t m = 128; m <= 512; m *= 2)
        for (std::uint32_t n = 64; n <= 2048; n *= 2)
            for (std::uint32_t k = 128; k <= 1024; k *= 2)
                if (const auto run = runNeuron({}, gemm, {m, n, k, 2}, 2))
                    QVERIFY(run->time >= best->time);
}

void TestTrainium::refusals()
{
    QCOMPARE(tileFit({}, {128, 128, 128}, {0, 1, 1, 1}, 2).error().code, std::string("bad-tile"));
    QCOMPARE(tileFit({}, {128, 128, 128}, {128, 128, 128, 1}, 3).error().code, std::string("bad-tile"));
    QCOMPARE(tileFit({}, {1u << 24, 1u << 16, 1u << 15}, {1, 1, 1, 1}, 2).error().code, std::string("bad-tile"));
    QCOMPARE(tileFit({}, {0, 1, 1}, {1, 1, 1, 1}, 2).error().code, std::string("bad-layer"));
}

QTEST_APPLESS_MAIN(TestTrainium)
#include "tst_trainium.moc"
