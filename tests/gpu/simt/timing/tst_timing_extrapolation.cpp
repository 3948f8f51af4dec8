// SPDX-License-Identifier: GPL-3.0-or-later
// Launches that are timed in part: what the rest is said to take, and how far off that may be.
#include "gpu/simt/timing/extrapolate.h"
#include "timing_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

class TestTimingExtrapolation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void extrapolationStaysInsideItsBound()
    {
        ChipTiming chip = shippedChip("a100-sxm-80");
        chip.sms = 8;
        chip.dramReachedGBs /= 13.5;
        chip.l2BytesPerCycle /= 13.5;
        std::array<double, 2> cycles{};
        double error = 0;
        for (const std::uint64_t budget : {std::uint64_t{0}, std::uint64_t{60000}}) {
            TimedLab lab(chip);
            lab.options.timingOptions.budget = budget;
            QVERIFY2(lab.load(fixture("kernels.nvcc.ptx")), lab.why());
            constexpr std::int32_t n = 1 << 19;
            const DevicePtr a = lab.put(std::vector<float>(n, 1.0F));
            const DevicePtr c = lab.put(std::vector<float>(n));
            QVERIFY2(lab.time("vecadd", {n / 256}, {256}, {a, a, c, n}), lab.why());
            QCOMPARE(lab.get<float>(c, n), std::vector<float>(n, 2.0F)); // all blocks, whatever was timed
            QCOMPARE(lab.counters.globalStoreRequests, std::uint64_t{n / 32});
            QCOMPARE(lab.timing.extrapolation.used, budget != 0);
            QCOMPARE(lab.timing.extrapolation.blocks, std::uint64_t{n / 256});
            if (budget != 0) {
                QVERIFY(lab.timing.extrapolation.simulatedBlocks < n / 256);
                error = lab.timing.extrapolation.relativeError;
                QVERIFY2(error > 0 && error < 0.25,
                         qPrintable(
                             QStringLiteral("%1, %2 blocks").arg(error).arg(lab.timing.extrapolation.simulatedBlocks)));
            }
            cycles[budget != 0 ? 1 : 0] = static_cast<double>(lab.timing.cycles);
        }
        const double off = std::abs(cycles[1] - cycles[0]) / cycles[0];
        QVERIFY2(off <= std::max(error, 0.02), qPrintable(QStringLiteral("%1 of %2").arg(off).arg(error)));
    }

    /// A kernel that only writes, timed until three quarters of L2 are full.
    void whatL2SwallowsIsPaidOnceItIsFull()
    {
        ChipTiming chip = shippedChip("rtx4090");
        chip.sms = 8;
        chip.dramReachedGBs /= 16;
        chip.dramPeakGBs /= 16;
        chip.l2Kb = 1024;
        constexpr std::uint32_t blocks = 4096;
        std::array<double, 2> cycles{};
        for (const std::uint64_t budget : {std::uint64_t{0}, std::uint64_t{50000}}) {
            TimedLab lab(chip);
            lab.options.timingOptions.budget = budget;
            QVERIFY2(lab.load(handWritten(R"(
                mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd3, %rd0; st.global.u32 [%rd3], %r0;)")),
                     lab.why());
            const DevicePtr out = lab.put(std::vector<std::uint32_t>(blocks * 256));
            QVERIFY2(lab.time("k", {blocks}, {256}, {out, out, out}), lab.why());
            QCOMPARE(lab.timing.extrapolation.used, budget != 0);
            if (budget != 0)
                QVERIFY(lab.timing.extrapolation.simulatedBlocks < 900);
            cycles[budget != 0 ? 1 : 0] = static_cast<double>(lab.timing.cycles);
        }
        const double pins = blocks * 1024.0 / (chip.dramPeakGBs * 1e3 / chip.clockMhz);
        QVERIFY2(cycles[0] > 0.7 * pins, qPrintable(QStringLiteral("%1 of %2").arg(cycles[0]).arg(pins)));
        QVERIFY2(std::abs(cycles[1] / cycles[0] - 1) < 0.04,
                 qPrintable(QStringLiteral("%1 of %2").arg(cycles[1]).arg(cycles[0])));
    }

    void restOfALaunchIsBoundByMemory()
    {
        const Steady steady{true, 10, 0, 0};
        const MemoryBounds bounds{8, 100}; // bytes a cycle, lines
        const std::vector<MemorySample> full{{0, 0, 100, 0}, {160, 0, 100, 8}, {320, 0, 100, 16}};
        QCOMPARE(restCycles(steady, full, bounds, {5, 40}), 100.0); // 160 bytes a block
        const std::vector<MemorySample> idle{{0, 0, 100, 0}, {40, 0, 100, 8}, {80, 0, 100, 16}};
        QCOMPARE(restCycles(steady, idle, bounds, {5, 40}), 50.0);
        const std::vector<MemorySample> fills{{0, 0, 0, 0}, {0, 160, 20, 8}, {0, 320, 40, 16}}; // room for three more
        QCOMPARE(restCycles(steady, fills, bounds, {2, 16}), 20.0);
        QCOMPARE(restCycles(steady, fills, bounds, {5, 40}), 3 * 10.0 + 2 * 20.0);
        QCOMPARE(restCycles(steady, {}, bounds, {5, 40}), 50.0);
        QCOMPARE(restCycles(steady, idle, bounds, {5, 80}), 100.0); // twice as many instructions a block
        QCOMPARE(restDoubt(steady, idle, {5, 80}), 25.0);
        QCOMPARE(restDoubt(steady, idle, {5, 40}), 0.0);
    }

    void steadyStateNeedsAWaveBeyondTheFirst()
    {
        std::vector<std::uint64_t> completions;
        for (std::uint64_t block = 0; block < 40; ++block)
            completions.push_back(1000 + block * 10);
        QVERIFY(!steadyState(completions, 30).known);
        const Steady steady = steadyState(completions, 10);
        QVERIFY(steady.known);
        QCOMPARE(steady.cyclesPerBlock, 10.0);
        QCOMPARE(steady.deviation, 0.0);
    }

    /// Block b turns 8 b (or 8 (last - b)) times: the blocks that are timed say nothing of the others' length.
    void aTrendOfTheBlocksIsSeen_data()
    {
        QTest::addColumn<QString>("turns");
        QTest::newRow("ever longer") << QStringLiteral("mov.u32 %r2, %ctaid.x;");
        QTest::newRow("ever shorter") << QStringLiteral(
            "mov.u32 %r3, %ctaid.x; mov.u32 %r4, 1023; sub.u32 %r2, %r4, %r3;");
    }
    void aTrendOfTheBlocksIsSeen()
    {
        QFETCH(QString, turns);
        ChipTiming chip = shippedChip("t4");
        chip.sms = 4;
        std::array<double, 2> cycles{};
        double doubt = 0;
        for (const std::uint64_t budget : {std::uint64_t{0}, std::uint64_t{400000}}) {
            TimedLab lab(chip);
            lab.options.timingOptions.budget = budget;
            QVERIFY2(lab.load(handWritten(turns.toStdString() + R"(
                mov.u32 %r5, 0; mov.f32 %f1, 0f3F800000; shl.b32 %r2, %r2, 1;
                L: fma.rn.f32 %f1, %f1, %f1, %f1; fma.rn.f32 %f1, %f1, %f1, %f1; fma.rn.f32 %f1, %f1, %f1, %f1;
                add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r2; @%p1 bra L;
                mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd3, %rd0; st.global.f32 [%rd3], %f1;)")),
                     lab.why());
            const DevicePtr out = lab.put(std::vector<std::uint32_t>(1024 * 64));
            QVERIFY2(lab.time("k", {1024}, {64}, {out, out, out}), lab.why());
            QCOMPARE(lab.timing.extrapolation.used, budget != 0);
            doubt = lab.timing.extrapolation.relativeError;
            cycles[budget != 0 ? 1 : 0] = static_cast<double>(lab.timing.cycles);
        }
        const double off = std::abs(cycles[1] / cycles[0] - 1);
        QVERIFY2(off < 0.12 && off < doubt, qPrintable(QStringLiteral("%1 of %2").arg(off).arg(doubt)));
    }
};

QTEST_APPLESS_MAIN(TestTimingExtrapolation)
#include "tst_timing_extrapolation.moc"
