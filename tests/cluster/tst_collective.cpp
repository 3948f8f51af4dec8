// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/collective.h"
#include "cluster/collective_fold.h"
#include "cluster/links_messages.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::cluster;

namespace {

Topology switchOf(std::uint32_t gpus, double rate, double latency, TopologyKind kind = TopologyKind::Switch)
{
    TopologyShape shape;
    shape.kind = kind;
    shape.gpus = gpus;
    shape.rate = rate;
    shape.latency = latency;
    return *makeTopology(shape);
}

double secondsOf(const Topology& topology, const CollectiveShape& shape, double bytes, double overhead,
                 bool packets = false)
{
    const auto schedule = makeSchedule(shape);
    CollectiveOptions options;
    options.bytes = bytes;
    options.overhead = overhead;
    options.packets = packets;
    const auto times = timeSchedule(topology, *schedule, options);
    return times ? times->times.seconds : -1;
}

std::vector<CollectiveShape> allShapes(std::uint32_t ranks, std::uint32_t pieces)
{
    std::vector<CollectiveShape> shapes;
    for (std::size_t o = 0; o < operationNames().size(); ++o)
        for (std::size_t a = 0; a < algorithmNames().size(); ++a)
            for (std::uint32_t nodes = 1; nodes <= ranks; ++nodes) {
                CollectiveShape shape{static_cast<Operation>(o), static_cast<Algorithm>(a), ranks, nodes, pieces};
                if (!canDo(shape.algorithm, shape.operation) || ranks % nodes != 0 ||
                    (nodes > 1 && shape.algorithm != Algorithm::Hierarchical))
                    continue;
                shapes.push_back(shape);
            }
    return shapes;
}

} // namespace

class TestCollective : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Whole numbers: every element of every rank is what the operation means, on every number of ranks.
    void sumsAreRight()
    {
        std::size_t checked = 0;
        for (std::uint32_t ranks = 1; ranks <= 33; ++ranks)
            for (const std::uint32_t pieces : {1u, 3u, 8u})
                for (const CollectiveShape& shape : allShapes(ranks, pieces)) {
                    const auto schedule = makeSchedule(shape);
                    if (!schedule) { // halving and doubling scatter a power of two alone
                        QCOMPARE(shape.algorithm, Algorithm::HalvingDoubling);
                        QVERIFY(shape.operation != Operation::AllReduce && (ranks & (ranks - 1)) != 0);
                        continue;
                    }
                    const auto right = verifySchedule(*schedule, 3, ranks * 31 + pieces);
                    QVERIFY2(right.ok(), right ? "" : toText(right.error()).c_str());
                    ++checked;
                }
        QVERIFY(checked > 1500);
    }

    /// A schedule that lost one transfer, or adds one twice, is found out.
    void wrongSumsAreFound()
    {
        for (const CollectiveShape& shape : allShapes(6, 2)) {
            auto schedule = makeSchedule(shape);
            if (!schedule || schedule->transfers.empty())
                continue;
            Schedule broken = *schedule;
            broken.transfers.back().to = broken.transfers.back().from;
            QCOMPARE(verifySchedule(broken, 2, 1).ok(), false);
        }
    }

    void closedForms()
    {
        for (const std::uint32_t ranks : {2u, 3u, 4u, 5u, 6u, 7u, 8u, 16u, 31u, 32u}) {
            const Topology topology = switchOf(ranks, 100e9, 0);
            for (const CollectiveShape& shape : allShapes(ranks, 64)) {
                const bool tree = shape.algorithm == Algorithm::Tree || shape.algorithm == Algorithm::DoubleTree;
                if (!makeSchedule(shape))
                    continue;
                for (const double bytes : {1024.0 * ranks * 64, 1e9}) {
                    if (tree && bytes < 1e9 && (ranks & (ranks - 1)) != 0)
                        continue; // the depth of such a tree is not that of the formula
                    const double simulated = secondsOf(topology, shape, bytes, 2e-6);
                    const double formula = closedForm(shape, bytes, {2e-6, 100e9});
                    QVERIFY2(std::abs(simulated / formula - 1) < 0.01,
                             qPrintable(QString::fromLatin1("%1 %2 n %3: %4 %5")
                                            .arg(QString::fromStdString(std::string(
                                                operationNames()[static_cast<std::size_t>(shape.operation)])))
                                            .arg(QString::fromStdString(std::string(
                                                algorithmNames()[static_cast<std::size_t>(shape.algorithm)])))
                                            .arg(ranks)
                                            .arg(simulated)
                                            .arg(formula)));
                }
            }
        }
        // 1 GB over 8 ranks of 450 GB/s: 2 x 7 / 8 x 1e9 / 450e9 = 3.89 ms
        QVERIFY(std::abs(closedForm({}, 1e9, {0, 450e9}) - 3.8889e-3) < 1e-7);
    }

    void packetsAgree()
    {
        const Topology topology = switchOf(4, 10e9, 200e-9);
        for (const CollectiveShape& shape : allShapes(4, 4)) {
            const auto schedule = makeSchedule(shape);
            const double flow = secondsOf(topology, shape, 4e6, 1e-6),
                         packet = secondsOf(topology, shape, 4e6, 1e-6, true);
            QVERIFY2(std::abs(packet / flow - 1) < 0.03,
                     qPrintable(QString::fromLatin1("%1 %2").arg(flow).arg(packet)));
        }
    }

    /// ASTRA-sim's analytical backend (838a649), run on 2 vCPU: ring all-reduce of 64 MiB, 4 chunks, 50 x 2^30 B/s,
    /// 500 ns, endpoint delay 10, local memory 1600 GB/s, in ns.
    void astraSim_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<quint64>("aware");
        QTest::addColumn<quint64>("unaware");
        const int ring = static_cast<int>(TopologyKind::Ring), star = static_cast<int>(TopologyKind::Switch);
        QTest::newRow("ring 8") << ring << 8 << quint64{2326112} << quint64{2326112};
        QTest::newRow("ring 64") << ring << 64 << quint64{2840836} << quint64{2840836};
        QTest::newRow("ring 256") << ring << 256 << quint64{3651640} << quint64{3651640};
        QTest::newRow("ring 512") << ring << 512 << quint64{4701240} << quint64{4701240};
        QTest::newRow("switch 8") << star << 8 << quint64{4541584} << quint64{2354112};
        QTest::newRow("switch 64") << star << 64 << quint64{5553364} << quint64{3092836};
        QTest::newRow("switch 256") << star << 256 << quint64{7160440} << quint64{4671640};
        QTest::newRow("switch 512") << star << 512 << quint64{9238920} << quint64{6745240};
    }
    void astraSim()
    {
        QFETCH(int, kind);
        QFETCH(int, ranks);
        QFETCH(quint64, aware);
        QFETCH(quint64, unaware);
        const Topology topology =
            switchOf(static_cast<std::uint32_t>(ranks), 50.0 * (1u << 30), 500e-9, static_cast<TopologyKind>(kind));
        CollectiveShape shape;
        shape.ranks = static_cast<std::uint32_t>(ranks);
        const auto schedule = makeSchedule(shape);
        MessageCosts costs{4, 10, 1600, true};
        const auto with = simulateMessages(topology, *schedule, 64 << 20, costs);
        costs.congestion = false;
        const auto without = simulateMessages(topology, *schedule, 64 << 20, costs);
        QCOMPARE(with->nanoseconds, std::uint64_t{aware});
        QCOMPARE(without->nanoseconds, std::uint64_t{unaware});
        QCOMPARE(with->messages, std::uint64_t{4} * ranks * 2 * (ranks - 1));
    }

    /// One node whose network loops back gives what all nodes together give.
    void foldedIsWhole()
    {
        for (const std::uint32_t nodes : {1u, 2u, 5u, 8u})
            for (const std::uint32_t gpus : {1u, 2u, 4u}) {
                TopologyShape t;
                t.gpus = gpus;
                t.nodes = nodes;
                t.nics = gpus;
                t.pcieRate = 1e12;          // the folded node has no PCIe link
                t.fabric = Fabric::FatTree; // on rails a ring would change its rail over the spines
                const Topology topology = *makeTopology(t);
                FoldedCluster c;
                c.gpus = c.nics = gpus;
                c.nodes = nodes;
                c.overhead = 3e-6;
                for (const auto operation : {Operation::AllReduce, Operation::AllGather, Operation::ReduceScatter})
                    for (const auto algorithm : {Algorithm::Ring, Algorithm::Hierarchical}) {
                        const CollectiveShape shape{operation, algorithm, gpus * nodes, nodes, 1};
                        if (gpus * nodes < 2)
                            continue;
                        const auto folded = foldedTime(c, operation, algorithm, 1e8);
                        const double whole = secondsOf(topology, shape, 1e8, 3e-6);
                        QVERIFY2(std::abs(folded->seconds / whole - 1) < 1e-3,
                                 qPrintable(QString::fromLatin1("%1 x %2: %3 %4")
                                                .arg(nodes)
                                                .arg(gpus)
                                                .arg(folded->seconds)
                                                .arg(whole)));
                    }
            }
    }

    void sixteenThousand()
    {
        FoldedCluster c;
        c.nodes = 2048;
        const auto time = foldedTime(c, Operation::AllReduce, Algorithm::Ring, 1e9, 8);
        QVERIFY(time.ok());
        QCOMPARE(time->steps, std::uint64_t{2 * 16383});
        // eight rings: each card sends 1e9 / 16384 / 8 a step; the latency of two cables is added
        const double step = 1e9 / 16384 / 8 / 50e9 + 2e-6;
        QVERIFY(std::abs(time->seconds / (32766 * step) - 1) < 1e-6);
    }

    void busFactors()
    {
        QCOMPARE(busFactor(Operation::AllReduce, 8), 1.75);
        QCOMPARE(busFactor(Operation::AllGather, 8), 0.875);
        QCOMPARE(busFactor(Operation::ReduceScatter, 4), 0.75);
        QCOMPARE(busFactor(Operation::AllToAll, 2), 0.5);
        QCOMPARE(busFactor(Operation::Broadcast, 8), 1.0);
    }

    void badCollectives()
    {
        const auto code = [](const CollectiveShape& shape) {
            const auto schedule = makeSchedule(shape);
            return schedule ? std::string() : schedule.error().code;
        };
        QCOMPARE(code({Operation::AllReduce, Algorithm::Ring, 0, 1, 1}), std::string("bad-collective"));
        QCOMPARE(code({Operation::AllToAll, Algorithm::Ring, 4, 1, 1}), std::string("bad-collective"));
        QCOMPARE(code({Operation::AllReduce, Algorithm::Hierarchical, 7, 2, 1}), std::string("bad-collective"));
        QCOMPARE(code({Operation::AllReduce, Algorithm::Hierarchical, 8, 0, 1}), std::string("bad-collective"));
        QCOMPARE(code({Operation::AllReduce, Algorithm::Tree, 8, 1, 0}), std::string("bad-collective"));
        QCOMPARE(code({Operation::AllReduce, Algorithm::Ring, 16384, 1, 1}), std::string("too-many-transfers"));
        QCOMPARE(code({Operation::AllReduce, Algorithm::Ring, 1, 1, 1}), std::string());
        CollectiveOptions options;
        const auto schedule = makeSchedule({});
        QCOMPARE(timeSchedule(switchOf(4, 1e9, 0), *schedule, options).error().code, std::string("bad-collective"));
    }
};

QTEST_APPLESS_MAIN(TestCollective)
#include "tst_collective.moc"
