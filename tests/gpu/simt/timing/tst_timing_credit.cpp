// SPDX-License-Identifier: GPL-3.0-or-later
// Rules of an SM that were found on an H200 (tests/gpu/simt/cycles/sizes, docs/chip-timing.md).
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
};

QTEST_APPLESS_MAIN(TestTimingCredit)
#include "tst_timing_credit.moc"
