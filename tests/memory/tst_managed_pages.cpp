// SPDX-License-Identifier: GPL-3.0-or-later
// Managed pages: the density tree by hand, closed forms of passes, and a published table of a V100.
#include "memory/managed_pages.h"

#include <QtTest>

#include <cmath>
#include <numeric>

using namespace ridge::memory;

class TestManagedPages : public QObject {
    Q_OBJECT

private:
    static ManagedMachine v100() { return {std::int64_t{16} << 30, 788e9, 12.35e9, 36.7e-6}; }
    static ManagedMachine small(std::int64_t blocks) { return {blocks * kManagedBlock, 1e12, 1e10, 1e-5}; }

    static ManagedCost play(const ManagedMachine& machine, const ManagedUse& use)
    {
        const auto cost = playManaged(machine, use);
        if (!cost)
            qFatal("%s", cost.error().message.c_str());
        return *cost;
    }
    static ManagedUse blocks(std::int64_t count, ManagedOrder order = ManagedOrder::Stream, int passes = 4)
    {
        ManagedUse use;
        use.bytes = count * kManagedBlock;
        use.arrays = 1;
        use.order = order;
        use.passes = passes;
        return use;
    }

private Q_SLOTS:
    void treeDoubles()
    {
        // The first fault brings a leaf, the second fills the first pair, the third makes 3 of 4, the fourth 5 of 8 …
        const std::vector<std::int64_t> expected{1, 1, 2, 4, 8, 16};
        const auto sizes = managedFaultSizes();
        QCOMPARE(sizes.size(), expected.size());
        for (std::size_t i = 0; i < sizes.size(); ++i)
            QCOMPARE(sizes[i], expected[i] * kManagedLeaf);
        QCOMPARE(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), kManagedBlock);
    }

    void whatFitsStays()
    {
        for (const auto order : {ManagedOrder::Stream, ManagedOrder::BackAndForth, ManagedOrder::Tiled}) {
            const ManagedCost cost = play(small(10), blocks(10, order));
            QCOMPARE(cost.movedIn, 0);
            QCOMPARE(cost.movedOut, 0);
            QCOMPARE(cost.faultGroups, 0);
            QCOMPARE(cost.seconds(), 40 * double(kManagedBlock) / 1e12);
        }
    }

    void oneBlockTooManyMovesAll()
    {
        for (const auto evict : {ManagedEviction::Migrated, ManagedEviction::Used}) {
            ManagedUse use = blocks(11);
            use.evict = evict;
            const ManagedCost cost = play(small(10), use);
            QCOMPARE(cost.movedIn, 44);
            QCOMPARE(cost.movedOut, 44);
            QCOMPARE(cost.faultGroups, 44 * 6);
        }
    }

    void turningBackFindsWhatIsLeft()
    {
        // Least recently used: the memory holds the last 10 of 15 in either direction.
        ManagedUse use = blocks(15, ManagedOrder::BackAndForth, 6);
        use.evict = ManagedEviction::Used;
        QCOMPARE(play(small(10), use).movedIn, 6 * 5);
        // The driver's order, by hand for 4 places and 6 blocks: 2 3 4 5 are there; backwards 1 and 0 take the places
        // of 2 and 3, so that 4 5 1 0 are there; forwards 2 and 3 take those of 4 and 5, which then take those of
        // 1 and 0.
        use = blocks(6, ManagedOrder::BackAndForth, 1);
        QCOMPARE(play(small(4), use).movedIn, 2);
        use.passes = 2;
        QCOMPARE(play(small(4), use).movedIn, 2 + 4);
    }

    void tilesMoveOnce()
    {
        // Each of the 30 blocks once in eight passes; the last ten are there from the pass that filled the memory, and
        // have left when their turn comes.
        const ManagedCost cost = play(small(10), blocks(30, ManagedOrder::Tiled, 8));
        QCOMPARE(cost.touched, 240);
        QCOMPARE(cost.movedIn, 30);
    }

    void arraysFaultTogether()
    {
        ManagedUse use = blocks(30);
        use.arrays = 3;
        const ManagedCost cost = play(small(10), use);
        QCOMPARE(cost.movedIn, 120);
        QCOMPARE(cost.faultGroups, 4 * 10 * 6);
        use.prefetched = true;
        const ManagedCost asked = play(small(10), use);
        QCOMPARE(asked.faultGroups, 0);
        QCOMPARE(asked.movedIn, cost.movedIn);
        QCOMPARE(asked.copySeconds, cost.copySeconds);
    }

    void publishedTable_data()
    {
        QTest::addColumn<int>("mebibytes");
        QTest::addColumn<double>("gbs");
        QTest::addColumn<double>("within");
        // gpu-benches @1038c5d, README, um-stream, Tesla V100 PCIe 16 GB. Below 768 MiB launches count, which are not
        // modelled. Read from gpu-stream of the same authors, the bandwidth of what fits is 4 % lower than this.
        for (const auto& [size, gbs] :
             {std::pair{768, 801.8}, {1536, 816.9}, {3072, 822.9}, {6144, 823.8}, {12288, 822.1}})
            QTest::addRow("%d MiB", size) << size << gbs << 0.05;
        // From this row the service of faults is derived; the next is held by nothing but the engine.
        QTest::newRow("24576 MiB, fitted") << 24576 << 24576 * 1048576.0 / 5.1083e9 << 0.001;
        QTest::newRow("49152 MiB") << 49152 << 49152 * 1048576.0 / 10.2847e9 << 0.01;
    }
    void publishedTable()
    {
        QFETCH(int, mebibytes);
        QFETCH(double, gbs);
        QFETCH(double, within);
        ManagedUse use;
        use.bytes = std::int64_t(mebibytes) << 20;
        const ManagedCost cost = play(v100(), use);
        const double rate = double(cost.touched) * double(kManagedBlock) / cost.seconds() / 1e9;
        QVERIFY2(std::abs(rate / gbs - 1) < within, qPrintable(QString::number(rate)));
    }

    void whatIsPublishedOfFaultsHoldsTheCliff()
    {
        // Nothing fitted: 10 and 50 us are the ends of what is published for a group of faults.
        ManagedUse use;
        use.bytes = std::int64_t{24576} << 20;
        ManagedMachine machine = v100();
        const auto rate = [&](double fault) {
            machine.faultSeconds = fault;
            const ManagedCost cost = play(machine, use);
            return double(cost.touched) * double(kManagedBlock) / cost.seconds() / 1e9;
        };
        const double measured = 24576 * 1048576.0 / 5.1083e9;
        QVERIFY(rate(10e-6) > measured && rate(50e-6) < measured);
        QVERIFY(rate(10e-6) < 1.2 * measured && rate(50e-6) > 0.9 * measured);
    }

    void refuses()
    {
        QCOMPARE(playManaged(small(2),
                             [] {
                                 auto use = blocks(30);
                                 use.arrays = 3;
                                 return use;
                             }())
                     .error()
                     .code,
                 std::string("bad-use"));
        QCOMPARE(playManaged(small(2), blocks(0)).error().code, std::string("bad-use"));
        QCOMPARE(playManaged(small(2), blocks(1, ManagedOrder::Stream, 0)).error().code, std::string("bad-use"));
        QCOMPARE(playManaged(small(2), blocks(std::int64_t{1} << 40)).error().code, std::string("bad-use"));
        ManagedMachine machine = small(2);
        machine.linkBytesPerS = 0;
        QCOMPARE(playManaged(machine, blocks(3)).error().code, std::string("bad-use"));
    }
};

QTEST_APPLESS_MAIN(TestManagedPages)
#include "tst_managed_pages.moc"
