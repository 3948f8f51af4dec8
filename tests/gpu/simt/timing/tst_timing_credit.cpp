// SPDX-License-Identifier: GPL-3.0-or-later
// Rules of an SM that were found on an H200 (tests/gpu/simt/cycles/sizes, docs/chip-timing.md).
#include "gpu/simt/timing/block_places.h"
#include "gpu/simt/timing/l1_cache.h"
#include "gpu/simt/timing/memory_credit.h"
#include "gpu/simt/timing/sm_ports.h"
#include "timing_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

/// Cycles that one warp needs to give `stores` stores of a line each out of its hands, by its own clock.
std::uint32_t handedOver(const ChipTiming& chip, int stores, const std::string& instruction)
{
    TimedLab lab(chip);
    std::string body = "mul.wide.u32 %rd5, %r0, 4; add.u64 %rd1, %rd1, %rd5; mov.u32 %r5, %clock;\n";
    for (int at = 0; at < stores; ++at)
        body += instruction + " [%rd1+" + std::to_string(128 * at) + "], %r0;\n";
    body += "mov.u32 %r6, %clock; sub.u32 %r6, %r6, %r5; st.global.u32 [%rd0], %r6;";
    if (!lab.load(handWritten(body)))
        qFatal("%s", lab.why().constData());
    const DevicePtr out = lab.put(std::vector<std::uint32_t>(1), "out");
    const DevicePtr data = lab.put(std::vector<std::uint32_t>(32 * static_cast<std::size_t>(stores)), "data");
    if (!lab.time("k", {1}, {32}, {out, data, data}))
        qFatal("%s", lab.why().constData());
    return lab.get<std::uint32_t>(out, 1)[0];
}

/// Cycles of one of two instructions, of each of a sub-core's four warps.
double cyclesOfEach(const ChipTiming& chip, const std::string& before, const std::string& two)
{
    return cyclesOf(chip, before, two,
                    "st.global.f32 [%rd0], %f1; st.global.f32 [%rd0+4], %f2; st.global.f64 [%rd0+8], %fd1;"
                    "st.global.f64 [%rd0+16], %fd2;",
                    {1}, {512}) /
           (4 * 2);
}

} // namespace

class TestTimingCredit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Few lines go at the rate of the way out; more than queue and credit hold wait for answers of L2.
    void storesHoldTheirWarpUp_data()
    {
        QTest::addColumn<QString>("instruction");
        QTest::newRow("stores") << "st.global.u32";
        QTest::newRow("atomics") << "red.global.add.u32";
    }
    void storesHoldTheirWarpUp()
    {
        QFETCH(QString, instruction);
        ChipTiming chip = shippedChip("h200-sxm");
        const auto handed = [&](int stores) { return handedOver(chip, stores, instruction.toStdString()); };
        const std::uint32_t free = handed(64);
        chip.storeQueue = 4;
        chip.storeLines = 12;
        QVERIFY(handed(8) < free);
        const std::uint32_t held = handed(64);
        // 64 lines, 16 of them in one round trip, which is more than a hit takes.
        const double least = (64.0 / 16 - 1) * chip.l2HitCycles;
        QVERIFY2(held > least && held > 2 * free, qPrintable(QStringLiteral("%1, free %2").arg(held).arg(free)));
        chip.storeLines = 60; // as the shipped one, for these
        QCOMPARE(handed(64), free);
    }

    /// Of a chip file that says nothing of it, nothing is held.
    void whatIsNotKnownHoldsNothing()
    {
        ChipTiming chip = shippedChip("h200-sxm");
        const ChipTiming unknown;
        chip.storeQueue = unknown.storeQueue;
        chip.storeLines = unknown.storeLines;
        const std::uint32_t some = handedOver(chip, 200, "st.global.u32"),
                            more = handedOver(chip, 400, "st.global.u32");
        QCOMPARE(handedOver(chip, 600, "st.global.u32") - more, more - some);
    }

    /// FFMA of three different registers takes two cycles, of two beside one in the reuse cache one.
    void banksGiveOneRegisterACycle()
    {
        const ChipTiming chip = shippedChip("h200-sxm");
        const std::string singles =
            "ld.global.f32 %f1, [%rd0]; ld.global.f32 %f2, [%rd0+4]; ld.global.f32 %f3, [%rd0+8];"
            "ld.global.f32 %f4, [%rd0+12]; ld.global.f32 %f5, [%rd0+16]; ld.global.f32 %f6, [%rd0+20];";
        const double same =
            cyclesOfEach(chip, singles, "fma.rn.f32 %f1, %f1, %f3, %f4; fma.rn.f32 %f2, %f2, %f3, %f4;\n");
        const double different =
            cyclesOfEach(chip, singles, "fma.rn.f32 %f1, %f1, %f3, %f4; fma.rn.f32 %f2, %f2, %f5, %f6;\n");
        QVERIFY2(std::abs(same - 1) < 0.1, qPrintable(QString::number(same)));
        QVERIFY2(std::abs(different - 2) < 0.1, qPrintable(QString::number(different)));
        const std::string doubles =
            "ld.global.f64 %fd1, [%rd0]; ld.global.f64 %fd2, [%rd0+8]; ld.global.f64 %fd3, [%rd0+16];"
            "ld.global.f64 %fd4, [%rd0+24]; ld.global.f64 %fd5, [%rd0+32]; ld.global.f64 %fd6, [%rd0+40];";
        const double sums = cyclesOfEach(chip, doubles, "add.f64 %fd1, %fd1, %fd3; add.f64 %fd2, %fd2, %fd5;\n");
        QVERIFY2(std::abs(sums - 2) < 0.1, qPrintable(QString::number(sums)));
    }

    /// As Nsight Compute counts: the second of two loads of one sector finds it on its way.
    void whatIsOnItsWayIsAHit()
    {
        TimedLab lab(shippedChip("h200-sxm"));
        QVERIFY2(lab.load(handWritten("ld.global.u32 %r4, [%rd0]; ld.volatile.global.u32 %r5, [%rd0+4];"
                                      "ld.global.u32 %r6, [%rd0+64]; add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r6;"
                                      "st.global.u32 [%rd1], %r4;")),
                 lab.why());
        const DevicePtr data = lab.put(std::vector<std::uint32_t>(64), "data");
        const DevicePtr out = lab.put(std::vector<std::uint32_t>(64), "out");
        QVERIFY2(lab.time("k", {1}, {32}, {data, out, out}), lab.why());
        QCOMPARE(lab.timing.counters.l1SectorHits, std::uint64_t{1});
        QCOMPARE(lab.timing.counters.l1SectorMisses, std::uint64_t{2});
    }

    // The parts of an SM alone.

    /// 32 bytes a cycle go out: a packet of 64 takes two, and one that asks at its own time goes in front of later
    /// ones.
    void thePortSendsInTheOrderOfCycles()
    {
        ChipTiming chip;
        chip.sendBytesPerCycle = 32;
        chip.fillBytesPerCycle = 64;
        L2Port port(chip);
        L2Request request;
        request.cycle = 10;
        QCOMPARE(port.send(request, 64), std::uint64_t{10});
        QCOMPARE(port.sentAt(), std::uint64_t{12});
        QCOMPARE(port.send(request, 64), std::uint64_t{12});
        request.cycle = 11;
        port.ask(request);
        std::vector<std::uint64_t> cycles;
        std::vector<std::uint32_t> orders;
        for (const L2Request& asked : port.requests()) {
            cycles.push_back(asked.cycle);
            orders.push_back(asked.order);
        }
        QCOMPARE(cycles, (std::vector<std::uint64_t>{10, 11, 12}));
        QCOMPARE(orders, (std::vector<std::uint32_t>{0, 2, 1}));

        QVERIFY(port.nextReply() == kNever);
        L2Reply reply;
        reply.sectors = 15; // 128 bytes: two cycles of the way in
        reply.cycle = 30;
        port.deliver(reply);
        reply.cycle = 20;
        port.deliver(reply);
        QCOMPARE(port.nextReply(), std::uint64_t{20});
        QCOMPARE(port.receive(port.takeReply()), std::uint64_t{22});
        QCOMPARE(port.nextReply(), std::uint64_t{30});
    }

    /// Who waits for lines in flight looks again when one has come; the last stores may wait in the queue besides.
    void creditIsGivenBack()
    {
        ChipTiming chip;
        chip.pendingLines = 2;
        chip.storeLines = 1;
        chip.storeQueue = 1;
        MemoryCredit credit(chip);
        TimedOp load, store;
        store.writesL2 = true;
        QVERIFY(credit.grants(load));
        QVERIFY(!credit.hasMore()); // nobody waits
        credit.lineLeaves(true);
        QVERIFY(credit.grants(load));
        QVERIFY(!credit.grants(store));
        QVERIFY(!credit.hasMore());
        credit.queueStore(1);
        QVERIFY(credit.hasMore());
        QVERIFY(credit.grants(store));
        credit.lineLeaves(false);
        QVERIFY(!credit.grants(load));
        credit.lineArrives(false);
        QVERIFY(credit.hasMore());
        QVERIFY(!credit.hasMore());
    }

    /// Of sectors on their way nothing is asked again; each transaction is told when it has all of its own.
    void linesOfTheL1RememberWhoWaits()
    {
        L1Cache cache(4, 4);
        const L1Cache::Lookup first = cache.lookUp(7, 0b0011, 1, false);
        QCOMPARE(first.toAsk, std::uint8_t{0b0011});
        const L1Cache::Lookup second = cache.lookUp(7, 0b0110, 2, false);
        QCOMPARE(second.line, first.line);
        QCOMPARE(second.hits, 1u);
        QCOMPARE(second.missing, std::uint8_t{0b0110});
        QCOMPARE(second.toAsk, std::uint8_t{0b0100});
        std::vector<std::uint32_t> told;
        const auto note = [&](std::uint32_t transaction) { told.push_back(transaction); };
        cache.fill(first.line, 0b0011, note);
        QCOMPARE(told, (std::vector<std::uint32_t>{1}));
        cache.fill(first.line, 0b0100, note);
        QCOMPARE(told, (std::vector<std::uint32_t>{1, 2}));
        QCOMPARE(cache.lookUp(7, 0b0111, 3, false).missing, std::uint8_t{0});
        QCOMPARE(cache.lookUp(7, 0b0001, 4, true).line, kNoLine); // past the L1: it passes by
        QCOMPARE(cache.lookUp(7, 0b0001, 4, true).toAsk, std::uint8_t{1});
        cache.keep(9, 0b1000);
        QCOMPARE(cache.lookUp(9, 0b1000, 5, false).hits, 1u);
    }

    /// Two blocks of four warps that end in one cycle: the place of the second may be taken later than that of the
    /// first.
    void placesOfBlocksOpenOneAfterAnother()
    {
        ChipTiming chip;
        chip.blockCycles = 100;
        chip.blockInterval = 10;
        chip.warpInterval = 5;
        BlockPlaces places(chip);
        QVERIFY(places.next() == kNever);
        places.leave(50, 50, 4);
        places.leave(50, 50, 4);
        QCOMPARE(places.closed(), 2u);
        QCOMPARE(places.next(), std::uint64_t{150});
        places.standAt(150);
        QCOMPARE(places.closed(), 1u);
        QCOMPARE(places.next(), std::uint64_t{180});
        places.standAt(180);
        QCOMPARE(places.closed(), 0u);
    }
};

QTEST_APPLESS_MAIN(TestTimingCredit)
#include "tst_timing_credit.moc"
