// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/wafer.h"
#include "base/seed.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::accelerator;

class TestWafer : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wholeMesh();
    void deadCores();
    void streaming();
    void refusals();
};

void TestWafer::wholeMesh()
{
    const auto mesh = meshOf(7, 11);
    double sum = 0;
    for (std::uint32_t from = 0; from < mesh->cores(); ++from) {
        const auto hops = hopsFrom(*mesh, from);
        for (std::uint32_t to = 0; to < mesh->cores(); ++to) {
            const int rows = std::abs(int(from / 11) - int(to / 11)), cols = std::abs(int(from % 11) - int(to % 11));
            QCOMPARE(hops[to], static_cast<std::uint32_t>(rows + cols));
            sum += hops[to];
        }
    }
    // Mean of |i - j| over n places: (n^2 - 1) / 3n.
    QVERIFY(std::abs(sum / (77 * 77) - (48.0 / 21 + 120.0 / 33)) < 1e-9);
}

void TestWafer::deadCores()
{
    auto mesh = meshOf(5, 5);
    for (std::uint32_t row = 0; row < 4; ++row)
        mesh->dead[row * 5 + 2] = 1; // a wall with a gap in the last row
    QCOMPARE(hopsFrom(*mesh, 0)[4], 12u);
    const auto route = routeOf(*mesh, 0, 4);
    QCOMPARE(route.size(), std::size_t{13});
    for (std::size_t i = 0; i < route.size(); ++i)
        QVERIFY(!mesh->dead[route[i]]);
    mesh->dead[4 * 5 + 2] = 1;
    QCOMPARE(hopsFrom(*mesh, 0)[4], kNoRoute);
    QVERIFY(routeOf(*mesh, 0, 4).empty());
    QCOMPARE(hopsFrom(*mesh, 2)[0], kNoRoute); // from a dead one
    Rng rng(3);
    for (int round = 0; round < 50; ++round) {
        auto some = meshOf(12, 9);
        for (auto& each : some->dead)
            each = rng.uniform() < 0.2;
        const auto from = std::uint32_t(rng.next() % 108), to = std::uint32_t(rng.next() % 108);
        const auto there = hopsFrom(*some, from)[to], back = hopsFrom(*some, to)[from];
        QVERIFY(there == back);
        QCOMPARE(routeOf(*some, from, to).size(), there == kNoRoute ? std::size_t{0} : std::size_t{there} + 1);
    }
}

void TestWafer::streaming()
{
    Streaming s{80, 70e9 / 80, 2, 1, 7.5e15, 150e9};
    QCOMPARE(breakEvenTokens(s), 50000.0);
    QCOMPARE(foundBreakEven(s), 50000.0);
    QVERIFY(std::abs(runStreaming(s).stream - 140e9 / 150e9) < 1e-9);
    for (double tokens : {1.0, 1000.0, 49999.0, 50000.0, 200000.0}) {
        s.tokens = tokens;
        const StreamingRun run = runStreaming(s);
        const double stream = run.stream / 80, compute = run.compute / 80;
        QVERIFY(std::abs(run.time - (stream + compute + 79 * std::max(stream, compute))) < 1e-9 * run.time);
    }
}

void TestWafer::refusals()
{
    QCOMPARE(meshOf(0, 5).error().code, std::string("bad-mesh"));
    QCOMPARE(meshOf(1u << 16, 1u << 16).error().code, std::string("bad-mesh"));
}

QTEST_APPLESS_MAIN(TestWafer)
#include "tst_wafer.moc"
