// SPDX-License-Identifier: GPL-3.0-or-later
// Two partitions of L2: what a line costs that is at home in one or the other, and what passes between them.
#include "timing_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

constexpr std::uint64_t kLater = 1'000'000; ///< everything is idle again

} // namespace

class TestTimingL2 : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// As Nsight Compute counts: nothing is fetched for a store.
    void storesHit()
    {
        MemoryLab lab(shippedChip("t4"));
        const std::uint64_t line = lab.fresh(0);
        lab.ask(line, 0, 0, L2Request::Kind::Write);
        QCOMPARE(lab.group.counters().sectorHits, std::uint64_t{4});
        QCOMPARE(lab.group.counters().heldBytes, std::uint64_t{128});
        lab.ask(lab.fresh(0), 1000, 0, L2Request::Kind::Atomic);
        QCOMPARE(lab.group.counters().sectorMisses, std::uint64_t{4});
    }

    void distanceOfTheHomeCountsForHitsAndMisses_data()
    {
        QTest::addColumn<QString>("chip");
        QTest::addColumn<double>("nearMiss");
        QTest::addColumn<double>("farMiss");
        // LUO25 by way of the shared reference: A100 and H800 PCIe. The chip files hold neither figure.
        QTest::newRow("A100") << "a100-sxm-80" << 474.9 << 622.7;
        QTest::newRow("H100") << "h100-sxm" << 555.5 << 743.7;
    }
    void distanceOfTheHomeCountsForHitsAndMisses()
    {
        QFETCH(QString, chip);
        QFETCH(double, nearMiss);
        QFETCH(double, farMiss);
        MemoryLab memory(shippedChip(chip.toStdString()));
        memory.sectors = 1; // more come one after another
        const std::uint64_t near = memory.fresh(0);
        const std::uint64_t far = memory.fresh(1);
        const double nearAbsent = memory.ask(near, 0);
        const double farAbsent = memory.ask(far, kLater);
        // Somebody on the other side brings one in, so that it is there and not here.
        const std::uint64_t there = memory.fresh(1);
        memory.ask(there, 2 * kLater, 1);
        const double nearHit = memory.ask(near, 3 * kLater);
        const double farHit = memory.ask(there, 4 * kLater);
        const double copyHit = memory.ask(there, 5 * kLater);
        const double apart = memory.chip.l2FarCycles - memory.chip.l2HitCycles;
        QVERIFY(apart > 100);
        QVERIFY(std::abs(farHit - nearHit - apart) <= 2);
        QCOMPARE(copyHit, nearHit);
        QVERIFY(std::abs(farAbsent - nearAbsent - apart) <= 2);
        QVERIFY(std::abs((farAbsent + nearAbsent) / 2 + kMissOverhead - memory.chip.dramCycles) <= 2);
        QVERIFY2(std::abs((nearAbsent + kMissOverhead) / nearMiss - 1) < 0.05, qPrintable(QString::number(nearAbsent)));
        QVERIFY2(std::abs((farAbsent + kMissOverhead) / farMiss - 1) < 0.05, qPrintable(QString::number(farAbsent)));
    }

    /// What one SM has asked DRAM for comes to all others no sooner, here and on the other side, by a load or an
    /// atomic.
    void whatIsOnItsWayComesToAllAtOnce_data()
    {
        QTest::addColumn<QString>("chip");
        QTest::newRow("one partition") << "t4";
        QTest::newRow("two partitions") << "h200-sxm";
    }
    void whatIsOnItsWayComesToAllAtOnce()
    {
        QFETCH(QString, chip);
        MemoryLab memory(shippedChip(chip.toStdString()));
        memory.sectors = 1;
        const std::uint64_t line = memory.fresh(0), other = memory.fresh(0);
        const double first = memory.ask(line, 0);
        QVERIFY(first > memory.chip.l2HitCycles + 100);
        QCOMPARE(memory.ask(line, 50) + 50, first);
        QCOMPARE(memory.ask(line, 200) + 200, first);
        if (memory.chip.l2Partitions > 1) {
            const double apart = memory.chip.l2FarCycles - memory.chip.l2HitCycles;
            QVERIFY(std::abs(memory.ask(line, 100, 1) + 100 - first - apart) <= 2);
            QVERIFY(std::abs(memory.ask(line, 150, 1) + 150 - first - apart) <= 2); // its copy is on the way, too
        }
        QVERIFY(memory.ask(line, kLater) < memory.chip.l2HitCycles); // there
        const double begun = memory.ask(other, 2 * kLater);
        QVERIFY(memory.ask(other, 2 * kLater + 10, 0, L2Request::Kind::Atomic) + 10 >= begun);
    }

    /// A file may inherit a distance that a chip with one partition has no use for.
    void onePartitionKnowsNoDistance()
    {
        ChipTiming chip = shippedChip("a100-sxm-80");
        chip.l2Partitions = 1;
        MemoryLab memory(chip);
        memory.sectors = 1;
        QVERIFY(std::abs(memory.ask(memory.fresh(0), 0) + kMissOverhead - chip.dramCycles) <= 1);
    }

    /// Reads that pass to the other partition keep nobody waiting who finds his line here.
    void whatIsNotHereTakesNoTimeHere()
    {
        MemoryLab memory(shippedChip("h200-sxm"));
        const std::uint64_t here = memory.fresh(0);
        std::vector<std::uint64_t> there;
        for (int i = 0; i < 64; ++i)
            there.push_back(memory.fresh(1));
        memory.ask(here, 0);
        for (const std::uint64_t line : there)
            memory.ask(line, 0, 1);
        const double alone = memory.ask(here, kLater);
        for (const std::uint64_t line : there)
            memory.ask(line, 2 * kLater);
        QCOMPARE(memory.ask(here, 2 * kLater), alone);
        // Now they are here, too, and stand before it.
        for (const std::uint64_t line : there)
            memory.ask(line, 3 * kLater);
        QVERIFY(memory.ask(here, 3 * kLater) > alone + 10);
    }

    /// The last of many lines that pass at once arrives when all bytes have passed; both ways share the link.
    void linkBetweenPartitionsIsAsWideAsTheChipFileSays_data()
    {
        QTest::addColumn<int>("stores");
        QTest::newRow("reads") << 0;
        QTest::newRow("half of them stores") << 128;
    }
    void linkBetweenPartitionsIsAsWideAsTheChipFileSays()
    {
        QFETCH(int, stores);
        constexpr int kLines = 256;
        const auto lastOf = [&](double bytesPerCycle) {
            ChipTiming chip = shippedChip("a100-sxm-80");
            chip.l2LinkBytesPerCycle = bytesPerCycle;
            MemoryLab memory(chip);
            std::vector<std::uint64_t> there;
            for (int i = 0; i < kLines; ++i)
                there.push_back(memory.fresh(1));
            for (const std::uint64_t line : there)
                memory.ask(line, 0, 1);
            for (int i = 0; i < stores; ++i)
                memory.ask(there[static_cast<std::size_t>(i)], kLater, 0, L2Request::Kind::Write);
            double last = 0;
            for (int i = stores; i < kLines; ++i)
                last = memory.ask(there[static_cast<std::size_t>(i)], kLater);
            return last;
        };
        const ChipTiming chip = shippedChip("a100-sxm-80");
        QCOMPARE(chip.l2LinkBytesPerCycle, 780.0);
        const double share = 100.0 / MemoryMap(chip).groups();
        const double bounded = lastOf(100);
        const double expected = kLines * 128 / share + chip.l2FarCycles;
        QVERIFY2(std::abs(bounded / expected - 1) < 0.02, qPrintable(QString::number(bounded)));
        QVERIFY(lastOf(0) < 0.2 * bounded); // no bound is known: as fast as the slices
    }

    /// On an H200 the SMs of a GPC that ask for the same line together cost its slice no more than one of them does.
    void readsOfAGpcAreServedTogether()
    {
        MemoryLab memory(shippedChip("h200-sxm"));
        const std::uint64_t line = memory.fresh(0);
        memory.ask(line, 0);
        const double alone = memory.ask(line, kLater);
        for (int sm = 0; sm < 15; ++sm)
            QCOMPARE(memory.ask(line, kLater), alone);
        double last = 0;
        for (memory.gpc = 1; memory.gpc < 4; ++memory.gpc) // of other GPCs one after another
            last = memory.ask(line, kLater);
        QVERIFY(last > alone + 4);
        memory.gpc = 0;
        const auto past = static_cast<std::uint64_t>(memory.chip.l2JoinCycles);
        QCOMPARE(memory.ask(line, 2 * kLater), alone);
        QVERIFY(memory.ask(line, 2 * kLater + past - 1) <= alone); // waits for nobody
        QCOMPARE(memory.ask(line, 3 * kLater), alone);
        memory.sectors = 0b0011; // known sectors of the same line, so they join too
        QCOMPARE(memory.ask(line, 3 * kLater), alone);
    }

    /// The sharper the bend, the closer to latency and pins: many lines that are asked for at once come sooner.
    void aSharperBendLetsMoreThrough()
    {
        const auto lastOf = [](double sharpness) {
            ChipTiming chip = shippedChip("h200-sxm");
            chip.dramSharpness = sharpness;
            chip.dramReachedGBs = 1e5; // so that no channel is in the way
            MemoryLab memory(chip);
            double last = 0;
            for (int at = 0; at < 300; ++at)
                last = std::max(last, memory.ask(memory.fresh(0), 0));
            return last;
        };
        const double soft = lastOf(1), shipped = lastOf(2), sharp = lastOf(6);
        const auto text = QStringLiteral("%1, %2, %3").arg(soft).arg(shipped).arg(sharp);
        QVERIFY2(soft > shipped + 20, qPrintable(text));
        QVERIFY2(shipped > sharp + 20, qPrintable(text));
    }

    void linkNeedNotBeKnown()
    {
        const auto text = readFile(std::filesystem::path(RIDGE_SIMT_CHIPS) / "a100-sxm-80.json");
        QVERIFY(text.ok());
        const auto parsed = [&](const std::string& value) {
            std::string changed = *text;
            const std::size_t at = changed.find("  \"l2.link_bytes_per_cycle\"");
            changed.replace(at, changed.find('\n', at) + 1 - at, value);
            return parseChipTiming("a100-sxm-80", [&](const std::string&) { return Result<std::string>(changed); });
        };
        const auto without = parsed("");
        QVERIFY2(without.ok(), without.ok() ? "" : toText(without.error()).c_str());
        QCOMPARE(without->l2LinkBytesPerCycle, 0.0);
        const auto wrong = parsed(
            "  \"l2.link_bytes_per_cycle\": {\"value\": -5, \"source\": [\"RRZE\"], \"confidence\": \"fitted\"},\n");
        QVERIFY(!wrong.ok());
        const std::string said = toText(wrong.error());
        QVERIFY2(said.find("l2.link_bytes_per_cycle") != std::string::npos, said.c_str());
    }
};

QTEST_APPLESS_MAIN(TestTimingL2)
#include "tst_timing_l2.moc"
