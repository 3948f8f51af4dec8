// SPDX-License-Identifier: GPL-3.0-or-later
// Times that have a closed form.
#include "timing_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

const std::string kStore = "st.global.f32 [%rd0], %f1; st.global.f32 [%rd0+4], %f2; st.global.f32 [%rd0+8], %f3;"
                           "st.global.f32 [%rd0+12], %f4;";
const std::string kFloats = "ld.global.f32 %f1, [%rd0]; ld.global.f32 %f2, [%rd0+4]; ld.global.f32 %f3, [%rd0+8];"
                            "ld.global.f32 %f4, [%rd0+12]; ld.global.f32 %f9, [%rd0+16];"
                            "ld.global.f32 %f10, [%rd0+20];";

#define COMPARE_WITHIN(actual, expected, share)                                                                        \
    QVERIFY2(std::abs((actual) - (expected)) <= (share) * (expected),                                                  \
             qPrintable(QStringLiteral("%1 against %2").arg(actual).arg(expected)))

/// m16n8k16 of f16 with four sums from register `first` on, or two registers of two sums each.
std::string product(int first, bool halfSums)
{
    std::string d;
    for (int at = 0; at < (halfSums ? 2 : 4); ++at)
        d += (at != 0 ? ", " : "") + std::string(halfSums ? "%r" : "%f") + std::to_string(first + at);
    const std::string sum = halfSums ? "f16" : "f32";
    return "mma.sync.aligned.m16n8k16.row.col." + sum + ".f16.f16." + sum + " {" + d +
           "}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {" + d + "};\n";
}

/// The factors in %r4 … %r9, zeros in sixteen sums of each kind.
std::string productsBefore()
{
    std::string text;
    for (int at = 4; at < 30; ++at)
        text += "add.u32 %r" + std::to_string(at) + ", %r0, " + std::to_string(at) + ";";
    for (int at = 1; at <= 16; ++at)
        text += "cvt.rn.f32.u32 %f" + std::to_string(at) + ", %r0;";
    return text;
}

/// Every sum counts, so that no product is dead.
std::string productsAfter()
{
    std::string text;
    for (int at = 2; at <= 16; ++at)
        text += "add.f32 %f1, %f1, %f" + std::to_string(at) + "; xor.b32 %r10, %r10, %r" + std::to_string(at + 9) + ";";
    return text + "st.global.f32 [%rd0], %f1; st.global.u32 [%rd0+4], %r10;";
}

} // namespace

class TestTimingForms : public QObject {
    Q_OBJECT

    ChipTiming m_volta = shippedChip("v100-sxm2-32");
    ChipTiming m_hopper = shippedChip("h100-sxm");

private Q_SLOTS:
    void dependentFmaTakesFourCycles()
    {
        COMPARE_WITHIN(cyclesOf(m_volta, kFloats, "fma.rn.f32 %f1, %f1, %f9, %f10;", kStore), 4.0, 0.01);
        COMPARE_WITHIN(cyclesOf(m_hopper, kFloats, "fma.rn.f32 %f1, %f1, %f9, %f10;", kStore), 4.0, 0.01);
    }

    void twoChainsFillAPipeOfSixteenLanes()
    {
        // An instruction keeps the pipe for 2 cycles, its result is there after 4: the second chain fits in between.
        const std::string two = "fma.rn.f32 %f1, %f1, %f9, %f10; fma.rn.f32 %f2, %f2, %f9, %f10;";
        COMPARE_WITHIN(cyclesOf(m_volta, kFloats, two, kStore), 2 * 2.0, 0.06);
        COMPARE_WITHIN(cyclesOf(m_hopper, kFloats, two, kStore), 4.0, 0.06); // 32 lanes: the latency is what holds
        const std::string four = two + "fma.rn.f32 %f3, %f3, %f9, %f10; fma.rn.f32 %f4, %f4, %f9, %f10;";
        COMPARE_WITHIN(cyclesOf(m_volta, kFloats, four, kStore), 4 * 2.0, 0.06);
        COMPARE_WITHIN(cyclesOf(m_hopper, kFloats, four, kStore), 4.0, 0.06);
    }

    void chainsOfProductsOverlapInOneWarp()
    {
        // Each chain waits for its own sums alone, so that the unit is what holds: 8 cycles a product, and on Hopper
        // 128 / 20.1, which is no whole number.
        const std::string chains = product(1, false) + product(5, false) + product(9, false) + product(13, false);
        const ChipTiming ampere = shippedChip("a100-sxm-80");
        COMPARE_WITHIN(cyclesOf(ampere, productsBefore(), chains, productsAfter(), {1}, {32}, 16, 48), 4 * 8.0, 0.02);
        COMPARE_WITHIN(cyclesOf(m_hopper, productsBefore(), chains, productsAfter(), {1}, {32}, 16, 48), 4 * 6.368,
                       0.02);
        COMPARE_WITHIN(cyclesOf(ampere, productsBefore(), product(1, false), productsAfter(), {1}, {32}, 16, 48), 25.0,
                       0.02);
    }

    void geforceTakesTwiceAsLongForSumsInSingle()
    {
        const ChipTiming ada = shippedChip("rtx4090");
        const auto chains = [](bool half) {
            return half ? product(10, true) + product(12, true) + product(14, true) + product(16, true)
                        : product(1, false) + product(5, false) + product(9, false) + product(13, false);
        };
        COMPARE_WITHIN(cyclesOf(ada, productsBefore(), chains(true), productsAfter(), {1}, {32}, 16, 48), 4 * 16.0,
                       0.02);
        COMPARE_WITHIN(cyclesOf(ada, productsBefore(), chains(false), productsAfter(), {1}, {32}, 16, 48), 4 * 32.0,
                       0.02);
    }

    /// Nobody waits for a store's result: the queue in front of the banks is what holds.
    void storesToBanksWaitForTheBanks_data()
    {
        QTest::addColumn<QString>("store");
        QTest::addColumn<double>("passes");
        QTest::newRow("own banks") << QStringLiteral("st.shared.u32 [%r5], %r0;") << 1.0;
        QTest::newRow("one bank") << QStringLiteral("st.shared.u32 [%r6], %r0;") << 32.0;
        QTest::newRow("16 bytes") << QStringLiteral("st.shared.v4.u32 [%r7], {%r0, %r0, %r0, %r0};") << 4.0;
        QTest::newRow("atomic") << QStringLiteral("red.shared.add.f32 [%r5], %f1;") << 1.0;
    }
    void storesToBanksWaitForTheBanks()
    {
        QFETCH(QString, store);
        QFETCH(double, passes);
        const std::string before = "mov.u32 %r4, %laneid; shl.b32 %r5, %r4, 2; shl.b32 %r6, %r4, 7; shl.b32 %r7, %r4, "
                                   "4; mov.f32 %f1, 0f3F800000;";
        for (const ChipTiming& chip : {m_volta, m_hopper}) {
            const double cycles = cyclesOf(chip, before, store.toStdString(), "", {1}, {128});
            QVERIFY2(cycles >= 0.98 * 4 * passes, qPrintable(QStringLiteral("%1 for %2").arg(cycles).arg(4 * passes)));
        }
    }

    void hopperHasNoUnitForBytesOfOneWarp()
    {
        // m16n8k32 of e4m3: twelve conversions and two products of halves, the second of which waits for the sums of
        // the first.
        const auto bytes = [](int first) {
            std::string d;
            for (int at = 0; at < 4; ++at)
                d += (at != 0 ? ", %f" : "%f") + std::to_string(first + at);
            return "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {" + d +
                   "}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {" + d + "};\n";
        };
        const std::string chains = bytes(1) + bytes(5) + bytes(9) + bytes(13);
        const double halves = 128.0 / m_hopper.lanes[static_cast<std::size_t>(LatencyClass::MmaF16)];
        const double hopper = cyclesOf(m_hopper, productsBefore(), chains, productsAfter(), {1}, {32}, 16, 48);
        QVERIFY2(hopper >= 4 * 2 * halves && hopper <= 4 * (2 * halves + 12), qPrintable(QString::number(hopper)));
        const double one = cyclesOf(m_hopper, productsBefore(), bytes(1), productsAfter(), {1}, {32}, 16, 48);
        QVERIFY2(one >= 2 * 24 && one <= 2 * 24 + 24, qPrintable(QString::number(one)));
    }

    void aWarpAddsIntegersBeforeItsAtomic()
    {
        // Lanes that meet in one word of L2 take their turns in its slice (1.5 cycles each on an H200); an address that
        // is the same for the whole warp needs one lane, where the type lets the warp's values be combined first.
        const auto cycles = [&](const std::string& body) {
            return cyclesOf(m_hopper,
                            kFloats + "mov.u32 %r5, 3; mov.u32 %r6, %tid.x; and.b32 %r6, %r6, 0;"
                                      "mul.wide.u32 %rd3, %r6, 4; add.u64 %rd3, %rd3, %rd0;",
                            body, kStore, {132}, {256}, 8, 24);
        };
        const double lanesMeet = 132.0 * 8 * 32 / m_hopper.l2AtomicsPerCycle;
        COMPARE_WITHIN(cycles("red.global.add.f32 [%rd0], %f1;"), lanesMeet, 0.1);
        COMPARE_WITHIN(cycles("red.global.add.u32 [%rd3], %r0;"), lanesMeet, 0.1); // nobody can see that it is one word
        COMPARE_WITHIN(cycles("red.global.inc.u32 [%rd0], %r0;"), lanesMeet, 0.1);
        COMPARE_WITHIN(cycles("red.global.add.u32 [%rd0], %r0;"), lanesMeet / 32, 0.25);
        COMPARE_WITHIN(cycles("red.global.max.u32 [%rd0], %r0;"), lanesMeet / 32, 0.25);
    }

    void independentFmaIsBoundByTheUnits()
    {
        // One warp: 64 lanes an SM are 16 a sub-core, two cycles an instruction; 128 lanes take one.
        const std::string four = "fma.rn.f32 %f1, %f1, %f9, %f10; fma.rn.f32 %f2, %f2, %f9, %f10;"
                                 "fma.rn.f32 %f3, %f3, %f9, %f10; fma.rn.f32 %f4, %f4, %f9, %f10;";
        COMPARE_WITHIN(cyclesOf(m_volta, kFloats, four, kStore), 8.0, 0.02);
        COMPARE_WITHIN(cyclesOf(m_hopper, kFloats, four, kStore), 4.0, 0.02);
        // Sixteen warps of one block: four a sub-core, each with its own chain.
        COMPARE_WITHIN(cyclesOf(m_hopper, kFloats, "fma.rn.f32 %f1, %f1, %f9, %f10;", kStore, {1}, {512}), 4.0, 0.05);
        COMPARE_WITHIN(cyclesOf(m_volta, kFloats, "fma.rn.f32 %f1, %f1, %f9, %f10;", kStore, {1}, {512}), 8.0, 0.05);
    }

    void specialFunctionsAreQuarterRate()
    {
        const std::string body = "ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f2, %f2;"
                                 "ex2.approx.ftz.f32 %f3, %f3; ex2.approx.ftz.f32 %f4, %f4;";
        COMPARE_WITHIN(cyclesOf(m_hopper, kFloats, body, kStore, {1}, {1024}), 8 * 4 * 8.0, 0.05);
    }

    void sharedBankConflictsCostTheirWavefronts()
    {
        // 32 warps keep the data stage busy: a load of w wavefronts takes w cycles of it.
        for (const int stride : {1, 2, 4, 8, 16, 32}) {
            const std::string address =
                "mov.u32 %r5, %tid.x; and.b32 %r5, %r5, 31; mul.lo.u32 %r5, %r5, " + std::to_string(stride * 4) + ";";
            const std::string body = "ld.volatile.shared.u32 %r6, [%r5]; ld.volatile.shared.u32 %r7, [%r5+4];"
                                     "ld.volatile.shared.u32 %r8, [%r5+8]; ld.volatile.shared.u32 %r9, [%r5+12];";
            const double cycles = cyclesOf(m_hopper, address, body, "st.global.u32 [%rd0], %r6;", {1}, {1024}, 32, 96);
            COMPARE_WITHIN(cycles, 32 * 4.0 * stride, 0.08);
        }
    }

    void aChaseThroughL1TakesItsLatency()
    {
        // Every word of the buffer is the distance to itself: the address depends on the value.
        const std::string body = "ld.global.u32 %r5, [%rd5]; cvt.u64.u32 %rd6, %r5; add.u64 %rd5, %rd5, %rd6;";
        const double cycles = cyclesOf(m_hopper, "mov.u64 %rd5, %rd0;", body, "st.global.u64 [%rd0+64], %rd5;");
        QVERIFY2(cycles >= 32 + 4 && cycles <= 32 + 14, qPrintable(QString::number(cycles)));
    }

    void streamingIsBoundByMemory()
    {
        // 64 MB through 132 SMs: far more than L2 holds, far fewer instructions than would matter.
        TimedLab lab(m_hopper);
        QVERIFY2(lab.load(fixture("kernels.nvcc.ptx")), lab.why());
        constexpr std::int32_t n = 1 << 22;
        const DevicePtr a = lab.put(std::vector<float>(n), "a");
        const DevicePtr b = lab.put(std::vector<float>(n), "b");
        const DevicePtr c = lab.put(std::vector<float>(n), "c");
        QVERIFY2(lab.time("vecadd", {n / 256}, {256}, {a, b, c, n}), lab.why());
        QCOMPARE(lab.timing.counters.dramReadBytes, std::uint64_t{2} * n * 4);
        const double moved =
            static_cast<double>(lab.timing.counters.dramReadBytes + lab.timing.counters.dramWriteBytes);
        const double least = moved / m_hopper.dramBytesPerCycle();
        // Every thread has two loads and a store of 4 bytes on the way, 2048 threads on each SM; a round trip takes the
        // idle latency and what all of that takes at the pins (MemoryGroup::crowd). Blocks come and go besides.
        const double onTheWay = 12.0 * 2048 * 132;
        const double pinBytesPerCycle = m_hopper.dramPeakGBs * 1e3 / m_hopper.clockMhz;
        const double share = onTheWay / (m_hopper.dramCycles * pinBytesPerCycle);
        const double bend = m_hopper.dramSharpness;
        const double rate = pinBytesPerCycle * share / std::pow(1 + std::pow(share, bend), 1 / bend);
        const auto cycles = static_cast<double>(lab.timing.cycles);
        QVERIFY2(
            cycles >= std::max(least, moved / rate) && cycles < 1.25 * moved / rate + 2 * m_hopper.dramCycles,
            qPrintable(
                QStringLiteral("%1 cycles, memory alone %2, round trips %3").arg(cycles).arg(least).arg(moved / rate)));
        QCOMPARE(lab.get<float>(c, n), std::vector<float>(n));
    }

    void clockDifferencesAreCycles()
    {
        TimedLab lab(m_hopper);
        QVERIFY2(lab.load(handWritten("ld.global.f32 %f1, [%rd0]; add.f32 %f1, %f1, %f1;"
                                      "bar.sync 0; mov.u64 %rd5, %clock64;" +
                                      repeated("fma.rn.f32 %f1, %f1, %f1, %f1;", 100) +
                                      "mov.u64 %rd6, %clock64; sub.u64 %rd6, %rd6, %rd5;"
                                      "st.global.u64 [%rd1], %rd6; st.global.f32 [%rd0], %f1;")),
                 lab.why());
        const DevicePtr data = lab.put(std::vector<float>(64), "data");
        const DevicePtr time = lab.put(std::vector<std::uint64_t>(1), "time");
        QVERIFY2(lab.time("k", {1}, {32}, {data, time, data}), lab.why());
        const std::uint64_t cycles = lab.get<std::uint64_t>(time, 1)[0];
        QVERIFY2(cycles >= 390 && cycles <= 430, qPrintable(QString::number(cycles)));
    }

    void aClockBehindABarrierIsReadWhenItOpens()
    {
        // The second warp comes 8,000 cycles late; the first must not know the time before it is let go.
        TimedLab lab(m_hopper);
        QVERIFY2(lab.load(handWritten("ld.global.f32 %f1, [%rd0]; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32;"
                                      "@%p1 bra $MEET;" +
                                      repeated("fma.rn.f32 %f1, %f1, %f1, %f1;", 2000) +
                                      "st.global.f32 [%rd0], %f1;"
                                      "$MEET: bar.sync 0; mov.u64 %rd5, %clock64;"
                                      "shr.u32 %r2, %r1, 5; mul.wide.u32 %rd6, %r2, 8; add.s64 %rd6, %rd6, %rd1;"
                                      "st.global.u64 [%rd6], %rd5;")),
                 lab.why());
        const DevicePtr data = lab.put(std::vector<float>(64), "data");
        const DevicePtr times = lab.put(std::vector<std::uint64_t>(2), "times");
        QVERIFY2(lab.time("k", {1}, {64}, {data, times, data}), lab.why());
        const auto read = lab.get<std::uint64_t>(times, 2);
        const std::uint64_t early = std::min(read[0], read[1]), late = std::max(read[0], read[1]);
        QVERIFY2(late - early < 50, qPrintable(QStringLiteral("%1 and %2").arg(read[0]).arg(read[1])));
        QVERIFY2(early > 8000, qPrintable(QString::number(early)));
    }
};

QTEST_APPLESS_MAIN(TestTimingForms)
#include "tst_timing_forms.moc"
