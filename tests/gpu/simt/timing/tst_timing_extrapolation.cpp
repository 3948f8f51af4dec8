// SPDX-License-Identifier: GPL-3.0-or-later
// Launches that are timed in part: what the rest is said to take, and how far off that may be.
#include "gpu/simt/timing/block_replay.h"
#include "gpu/simt/timing/extrapolate.h"
#include "gpu/simt/timing/turn_times.h"
#include "gpu/simt/timing/wave_pace.h"
#include "timing_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

/// One SM that holds two blocks: the older one takes 10 cycles a turn and the younger one 25; one turn's work comes
/// before the loop, 40 cycles behind it, in which the other block goes on as if it were alone.
std::vector<TimedBlock> olderFirst(std::uint64_t blocks, std::uint64_t turns)
{
    struct Living {
        TimedBlock seen;
        double done = -1; ///< turns
        double leaves = 0;
    };
    constexpr double step = 0.125;
    std::vector<Living> living;
    std::vector<TimedBlock> ended;
    std::uint64_t started = 0;
    const auto loops = static_cast<double>(turns) - 1;
    for (double now = 0; ended.size() < blocks; now += step) {
        while (living.size() < 2 && started < blocks) {
            living.push_back({});
            living.back().seen.block = started++;
            living.back().seen.begin = now;
        }
        double pace = 1 / 10.0;
        for (Living& one : living) {
            if (one.done >= loops)
                continue;
            const double before = one.done;
            one.done += step * std::exchange(pace, 1 / 25.0);
            if (one.done >= 0 && (before < 0 || std::floor(one.done) > std::floor(before)))
                one.seen.turns.push_back(now);
            one.leaves = now + 40;
        }
        for (Living& one : living) {
            if (one.done >= loops && now >= one.leaves) {
                one.seen.end = now;
                ended.push_back(std::move(one.seen));
            }
        }
        living.erase(std::remove_if(living.begin(), living.end(),
                                    [&](const Living& one) { return one.done >= loops && now >= one.leaves; }),
                     living.end());
    }
    return ended;
}

} // namespace

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

    void aPartStandsForTheWhole_data()
    {
        QTest::addColumn<QString>("turn");
        QTest::addColumn<std::uint32_t>("blocks");
        QTest::addColumn<std::uint32_t>("turns");
        QTest::addColumn<std::uint32_t>("timed"); // blocks
        const auto arithmetic = QStringLiteral("fma.rn.f32 %f1, %f1, %f1, %f1; fma.rn.f32 %f2, %f1, %f1, %f2;");
        const auto device =
            QStringLiteral("ld.global.f32 %f2, [%rd4]; add.f32 %f1, %f1, %f2; add.u64 %rd4, %rd4, 1024;");
        const auto shared = QStringLiteral(
            "ld.global.f32 %f2, [%rd4]; add.u64 %rd4, %rd4, 1024; st.shared.f32 [%r9], %f2; bar.sync 0;"
            "ld.shared.f32 %f3, [%r10]; add.f32 %f1, %f1, %f3; xor.b32 %r9, %r9, 1024; xor.b32 %r10, %r10, 1024;");
        // Four SMs hold 32 blocks.
        const auto row = [](const char* name, const QString& turn, std::uint32_t blocks, std::uint32_t turns,
                            std::uint32_t timed) { QTest::newRow(name) << turn << blocks << turns << timed; };
        row("arithmetic", arithmetic, 120, 256, 88); // older blocks issue first: lines
        row("device memory", device, 120, 256, 56);
        row("shared memory, two buffers in turn", shared, 120, 256, 56);
        row("few turns, device memory", device, 120, 80, 56);
        row("two waves", device, 64, 256, 56);
        row("one wave and a half", shared, 48, 256, 48);
        row("one wave", device, 32, 256, 32);
        row("SMs with two blocks and with three", device, 10, 256, 10);
    }
    void aPartStandsForTheWhole()
    {
        QFETCH(QString, turn);
        QFETCH(std::uint32_t, blocks);
        QFETCH(std::uint32_t, turns);
        QFETCH(std::uint32_t, timed);
        ChipTiming chip = shippedChip("h100-sxm");
        chip.sms = 4;
        chip.gpcs = 1;
        constexpr std::uint32_t threads = 256;
        const std::string body = R"(
            .shared .align 16 .b8 tile[2048];
            mul.lo.u32 %r2, %r2, )" +
                                 std::to_string(turns) +
                                 R"(; shr.u32 %r2, %r2, 8;
            mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd3, %rd0; mov.u32 %r7, %tid.x; mad.lo.u32 %r7, %r1, 65536, %r7; mul.wide.u32 %rd4, %r7, 4; add.u64 %rd4, %rd4, %rd1;
            mov.u32 %r8, %tid.x; shl.b32 %r8, %r8, 2; mov.u32 %r9, tile; add.u32 %r10, %r9, 1020; sub.u32 %r10, %r10, %r8;
            add.u32 %r9, %r9, %r8; mov.u32 %r5, 0; mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f00000000;
            L: )" + turn.toStdString() +
                                 R"(
            add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r2; @%p1 bra L;
            add.f32 %f1, %f1, %f2; st.global.f32 [%rd3], %f1;)";
        struct Seen {
            TimingReport timing;
            Counters counters;
            std::vector<float> out;
        };
        std::vector<Seen> seen;
        for (const auto& [estimate, timeOnly] : {std::pair{Estimate::Never, false},
                                                 {Estimate::Auto, true},
                                                 {Estimate::Always, false},
                                                 {Estimate::Always, true}}) {
            TimedLab lab(chip);
            lab.options.timingOptions.budget = 0;
            lab.options.timingOptions.estimate = estimate;
            lab.options.timingOptions.timeOnly = timeOnly;
            QVERIFY2(lab.load(handWritten(body)), lab.why());
            const DevicePtr out = lab.put(std::vector<float>(blocks * threads, -1.0F));
            const DevicePtr in = lab.put(std::vector<float>(blocks * 65536, 0.5F));
            QVERIFY2(lab.time("k", {blocks}, {threads}, {out, in, in}), lab.why());
            seen.push_back({lab.timing, lab.counters, lab.get<float>(out, blocks * threads)});
        }
        const Seen &whole = seen[0], &little = seen[1], &part = seen[2], &time = seen[3];
        QVERIFY(!whole.timing.extrapolation.used);
        QVERIFY(!little.timing.extrapolation.used); // it is too little work for an estimate that nobody insists on
        QCOMPARE(little.timing.hash, whole.timing.hash);
        QCOMPARE(little.timing.cycles, whole.timing.cycles);
        const Extrapolation& e = part.timing.extrapolation;
        QVERIFY(e.used && e.wholeCounters && !e.resultsLeftOut);
        QVERIFY2(e.turns >= 16 && e.turns <= turns && e.simulatedTurns < e.turns,
                 qPrintable(QStringLiteral("%1 of %2").arg(e.simulatedTurns).arg(e.turns)));
        QCOMPARE(e.simulatedBlocks, std::uint64_t{timed});
        const double off =
            std::abs(static_cast<double>(part.timing.cycles) / static_cast<double>(whole.timing.cycles) - 1);
        QVERIFY2(off < 0.03 && off <= e.relativeError && e.relativeError < 0.05,
                 qPrintable(QStringLiteral("%1 of %2").arg(off).arg(e.relativeError)));
        QCOMPARE(part.timing.counters.instIssued, whole.timing.counters.instIssued);
        QCOMPARE(part.counters.instExecuted, whole.counters.instExecuted);
        QCOMPARE(part.out, whole.out); // executed for their sake
        QCOMPARE(time.timing.cycles, part.timing.cycles);
        QVERIFY(time.timing.extrapolation.resultsLeftOut);
        QCOMPARE(time.counters.instExecuted, whole.counters.instExecuted); // estimated
        QCOMPARE(time.counters.globalLoadRequests, whole.counters.globalLoadRequests);
        QCOMPARE(time.out, std::vector<float>(blocks * threads, -1.0F)); // as it was
    }

    /// Twenty blocks share n elements by a loop with the stride of the grid: seven of them go round once more, and one
    /// with some of its lanes.
    void aLoopWithTheStrideOfTheGridIsCut()
    {
        ChipTiming chip = shippedChip("h100-sxm");
        chip.sms = 4;
        chip.gpcs = 1;
        constexpr std::uint32_t blocks = 20, threads = 256, n = 64 * blocks * threads + 7 * threads + 100;
        const std::string body = R"(
            mov.u32 %r3, %nctaid.x; mul.lo.u32 %r3, %r3, %r2; mul.wide.u32 %rd5, %r3, 4;
            mul.wide.u32 %rd3, %r0, 4; add.u64 %rd4, %rd3, %rd1; add.u64 %rd3, %rd3, %rd0;
            mov.u32 %r5, %r0; mov.f32 %f1, 0f00000000;
            L: ld.global.f32 %f2, [%rd4]; add.f32 %f1, %f1, %f2; add.u64 %rd4, %rd4, %rd5; add.u32 %r5, %r5, %r3;
            setp.lt.u32 %p1, %r5, )" +
                                 std::to_string(n) +
                                 R"(; @%p1 bra L;
            st.global.f32 [%rd3], %f1;)";
        std::vector<TimingReport> seen;
        std::vector<Counters> counters;
        for (const Estimate estimate : {Estimate::Never, Estimate::Always}) {
            TimedLab lab(chip);
            lab.options.timingOptions.budget = 0;
            lab.options.timingOptions.estimate = estimate;
            lab.options.timingOptions.timeOnly = estimate == Estimate::Always;
            QVERIFY2(lab.load(handWritten(body)), lab.why());
            const DevicePtr out = lab.put(std::vector<float>(blocks * threads, -1.0F));
            const DevicePtr in = lab.put(std::vector<float>(n, 0.5F));
            QVERIFY2(lab.time("k", {blocks}, {threads}, {out, in, in}), lab.why());
            seen.push_back(lab.timing);
            counters.push_back(lab.counters);
        }
        const Extrapolation& e = seen[1].extrapolation;
        QVERIFY(e.used);
        QCOMPARE(e.turns, std::uint64_t{63});
        QVERIFY2(e.simulatedTurns < 20, qPrintable(QString::number(e.simulatedTurns)));
        const double off = std::abs(static_cast<double>(seen[1].cycles) / static_cast<double>(seen[0].cycles) - 1);
        QVERIFY2(off < 0.03 && off <= e.relativeError && e.relativeError < 0.05,
                 qPrintable(QStringLiteral("%1 of %2").arg(off).arg(e.relativeError)));
        QCOMPARE(counters[1].instExecuted, counters[0].instExecuted);
        QCOMPARE(counters[1].globalLoadRequests, counters[0].globalLoadRequests);
    }

    /// Blocks end four at a time, every 100 cycles at first and every 120 once L2 is full.
    void wavesHaveAPaceOnceL2IsFull()
    {
        std::vector<std::uint64_t> ends;
        std::vector<MemorySample> samples;
        const auto end = [&](std::uint64_t wave) {
            for (std::uint64_t block = 0; block < 4; ++block) {
                ends.push_back((ends.size() < 4 ? 0 : ends[ends.size() - 4]) + (wave < 5 ? 100 : 120));
                const std::uint64_t lines = std::min<std::uint64_t>(10 * ends.size(), 200);
                samples.push_back({1000 * ends.size(), 0, lines, 8 * ends.size(), 700 * ends.size()});
            }
        };
        for (std::uint64_t wave = 0; wave < 5; ++wave)
            end(wave);
        const WaveGrid grid{400, 4, 200};
        QVERIFY(!paceOfWaves(ends, samples, {400, 4, 220}).isKnown); // it will fill
        QVERIFY(paceOfWaves(ends, samples, {400, 4, 220}).isFilling);
        const WavePace never = paceOfWaves(ends, samples, {400, 4, 1U << 20}); // nor will it ever
        QVERIFY(never.isKnown && !never.isFilling);
        QCOMPARE(never.period, 100.0);
        QCOMPARE(never.doubt, 0.0);
        for (std::uint64_t wave = 5; wave < 12; ++wave)
            end(wave);
        const WavePace pace = paceOfWaves(ends, samples, grid);
        QVERIFY(pace.isKnown && !pace.isFilling);
        QCOMPARE(pace.period, 120.0);
        QCOMPARE(pace.doubt, 0.0);
        QCOMPARE(pace.dramReadBytes, 2800.0);
        QCOMPARE(pace.dramWriteBytes, 1200.0);
        QVERIFY(paceOfWaves(ends, samples, {400, 4, 200, 40}).isKnown); // six waves are enough for DRAM
        ends.resize(44);
        samples.resize(44);
        QVERIFY(paceOfWaves(ends, samples, grid).isKnown);
        QVERIFY(!paceOfWaves(ends, samples, {400, 4, 200, 40}).isKnown);
        for (std::size_t at = ends.size() - 4; at < ends.size(); ++at)
            ends[at] += 12; // a tenth more than the wave before
        QVERIFY(paceOfWaves(ends, samples, grid).doubt > 1);
        ends.resize(8);
        samples.resize(8);
        QVERIFY(!paceOfWaves(ends, samples, grid).isKnown);
    }

    void wavesAreLeftOut_data()
    {
        QTest::addColumn<std::uint32_t>("cluster");
        QTest::newRow("blocks") << 1u;
        QTest::newRow("clusters of two") << 2u;
    }
    void wavesAreLeftOut()
    {
        QFETCH(std::uint32_t, cluster);
        ChipTiming chip = shippedChip("h100-sxm");
        chip.sms = 8;
        chip.gpcs = 2;
        chip.l2Kb = 1024;
        chip.dramReachedGBs /= 16.5;
        chip.dramPeakGBs /= 16.5;
        constexpr std::uint32_t blocks = 3072, threads = 256; // 48 waves
        std::string ptx =
            handWritten(std::string("mul.wide.u32 %rd3, %r0, 16; add.u64 %rd4, %rd3, %rd1; add.u64 %rd3, %rd3, %rd0;"
                                    "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd4];") +
                        (cluster > 1 ? "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" : "") +
                        "add.u32 %r10, %r10, %r11; st.global.v4.u32 [%rd3], {%r10, %r11, %r12, %r13};");
        ptx.replace(ptx.find("sm_80"), 5, "sm_90");
        std::vector<TimingReport> seen;
        for (const Estimate estimate : {Estimate::Never, Estimate::Always}) {
            TimedLab lab(chip);
            lab.options.timingOptions.budget = 0;
            lab.options.timingOptions.estimate = estimate;
            lab.options.timingOptions.timeOnly = estimate == Estimate::Always;
            QVERIFY2(lab.load(ptx), lab.why());
            const std::vector<std::uint32_t> ones(blocks * threads * 4, 1);
            const DevicePtr out = lab.put(ones), in = lab.put(ones);
            Launch launch{"k", {blocks}, {threads}, 0, {out, in, in}};
            launch.cluster = {cluster, 1, 1};
            auto report = lab.device->launch(*lab.program, launch, lab.options);
            QVERIFY2(report, report ? "" : toText(report.error()).c_str());
            seen.push_back(*report->timing);
            QCOMPARE(lab.get<std::uint32_t>(out, 4)[0], estimate == Estimate::Never ? 2u : 1u);
        }
        const TimingReport &whole = seen[0], &part = seen[1];
        const Extrapolation& e = part.extrapolation;
        QVERIFY(!whole.extrapolation.used && e.used && e.wholeCounters && e.resultsLeftOut);
        QVERIFY2(e.simulatedBlocks < blocks / 2 && (blocks - e.simulatedBlocks) % 64 == 0,
                 qPrintable(QString::number(e.simulatedBlocks)));
        const auto ratio = [](auto a, auto b) { return std::abs(static_cast<double>(a) / static_cast<double>(b) - 1); };
        const double off = ratio(part.cycles, whole.cycles);
        QVERIFY2(off < 0.02 && off <= e.relativeError && e.relativeError < 0.05,
                 qPrintable(QStringLiteral("%1 of %2").arg(off).arg(e.relativeError)));
        QCOMPARE(part.counters.instIssued, whole.counters.instIssued);
        QVERIFY(ratio(part.counters.dramReadBytes, whole.counters.dramReadBytes) < 0.02);
        QVERIFY(ratio(part.counters.dramWriteBytes, whole.counters.dramWriteBytes) < 0.03);
    }

    /// One SM takes 10 cycles a turn, the other 12.
    void turnsAreDrawnAtEachSmsOwnPace()
    {
        const auto begun = [](double from, double turn) {
            std::vector<TurnTally> tally{{}};
            for (std::uint64_t at = 1; at <= 9; ++at)
                tally.push_back({2 * static_cast<std::uint64_t>(from + turn * static_cast<double>(at)), 2});
            return tally;
        };
        TimedTurns part;
        part.cycles = 220;
        part.sms = {{200, begun(100, 10)}, {220, begun(100, 12)}};
        const TurnWindow window{3, 6, 9};
        DrawnTurns drawn = drawTurns(part, window, 100);
        QVERIFY(drawn.isKnown);
        QCOMPARE(drawn.slope, 11.0);
        QCOMPARE(drawn.cycles, 220.0 + 1200); // the slower SM is last
        QCOMPARE(drawn.doubt, 0.0);
        part.sms[1].turns[9].cycles += 2 * 9; // slower by a quarter in the second half
        drawn = drawTurns(part, window, 100);
        QVERIFY(drawn.doubt > 0);
        part.sms[1].turns[9].warps = 1; // a warp that left
        QVERIFY(!drawTurns(part, window, 100).isKnown);
    }

    /// Neither the turns of a wave nor its blocks take equally long where older blocks go first.
    void blocksArePlayedAgainByTheirAge()
    {
        const std::vector<TimedBlock> part = olderFirst(8, 11);
        const auto whole = [&](std::uint64_t blocks, std::uint64_t turns) {
            return replayLaunch(part, {8, 11, 2, 1}, {blocks, turns, 2, 1});
        };
        for (const auto& [blocks, turns] : {std::pair<std::uint64_t, std::uint64_t>{8, 100}, {40, 11}, {33, 100}}) {
            const ReplayedLaunch played = whole(blocks, turns);
            const double is = olderFirst(blocks, turns).back().end;
            QVERIFY(played.isKnown);
            QVERIFY2(std::abs(played.cycles / is - 1) < 0.03 &&
                         std::abs(played.cycles - is) < played.doubt + 0.015 * is,
                     qPrintable(QStringLiteral("%1 of %2, %3").arg(played.cycles).arg(is).arg(played.doubt)));
        }
        const double slope = (olderFirst(8, 100).back().end - part.back().end) / 89;
        QVERIFY(std::abs(whole(33, 100).slope / slope - 1) < 0.1); // a short part has more of its ends in it
        std::vector<TimedBlock> torn = part;
        torn.back().turns.pop_back();
        QVERIFY(!replayLaunch(torn, {8, 11, 2, 1}, {33, 100, 2, 1}).isKnown);
        torn = part; // younger blocks wait in front of their loops: no turn tells how long
        for (TimedBlock& one : torn)
            one.begin = 0;
        QVERIFY(!replayLaunch(torn, {8, 11, 8, 1}, {33, 100, 8, 1}).isKnown);
        torn = part;
        for (TimedBlock& one : torn)
            one.end += 400; // what paces cannot explain
        torn.back().end += 4000;
        QVERIFY(!replayLaunch(torn, {8, 11, 2, 1}, {33, 100, 2, 1}).isKnown);
    }

    /// What blocks do must be the same: neither a part of them nor a part of their turns stands for the others.
    void whatDiffersIsNotEstimated_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("turn");
        QTest::addColumn<QString>("why");
        QTest::newRow("turns by block") << QStringLiteral("mov.u32 %r2, %ctaid.x; add.u32 %r2, %r2, 64;") << QString()
                                        << QStringLiteral("does not run the instructions that block 0 runs");
        QTest::newRow("a branch on data")
            << QStringLiteral("mov.u32 %r2, 256;")
            << QStringLiteral("ld.global.u32 %r6, [%rd4]; add.u64 %rd4, %rd4, 4;"
                              "setp.eq.u32 %p2, %r6, 0; @%p2 bra M;"
                              "ld.volatile.global.u32 %r7, [%rd4]; add.u32 %r8, %r8, %r7; M:")
            << QStringLiteral("looks at what others write");
        QTest::newRow("what an atomic found")
            << QStringLiteral("mov.u32 %r2, 256;")
            << QStringLiteral("atom.global.add.u32 %r6, [%rd1], 1; add.u32 %r8, %r8, %r6;")
            << QStringLiteral("uses what an atomic found");
        QTest::newRow("turns of a block that is no sample")
            << QStringLiteral(
                   "mov.u32 %r2, 256; mov.u32 %r3, %ctaid.x; setp.eq.u32 %p3, %r3, 5; @%p3 mov.u32 %r2, 128;")
            << QString() << QStringLiteral("do not execute equally many instructions");
        QTest::newRow("no loop and no waves")
            << QStringLiteral("mov.u32 %r2, 1;") << QString() << QStringLiteral("neither a loop");
    }
    void whatDiffersIsNotEstimated()
    {
        QFETCH(QString, before);
        QFETCH(QString, turn);
        QFETCH(QString, why);
        ChipTiming chip = shippedChip("t4");
        chip.sms = 4;
        TimedLab lab(chip);
        lab.options.timingOptions.estimate = Estimate::Always;
        QVERIFY2(lab.load(handWritten("mov.u32 %r8, 0; mov.u64 %rd4, %rd1; " + before.toStdString() +
                                      " mov.u32 %r5, 0; L: " + turn.toStdString() + R"(
                add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r2; @%p1 bra L;
                mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd3, %rd0; st.global.u32 [%rd3], %r8;)")),
                 lab.why());
        const DevicePtr out = lab.put(std::vector<std::uint32_t>(64 * 64));
        const DevicePtr in = lab.put(std::vector<std::uint32_t>(1024));
        QVERIFY(!lab.time("k", {64}, {64}, {out, in, in}));
        QCOMPARE(lab.problem->code, std::string("not-estimable"));
        QVERIFY2(lab.why().contains(why.toUtf8()), lab.why());
        lab.options.timingOptions.estimate = Estimate::Never;
        QVERIFY2(lab.time("k", {64}, {64}, {out, in, in}), lab.why());
        // Where time alone is asked for, all of it is timed, and memory stays as it was.
        const std::uint64_t whole = lab.timing.cycles, executed = lab.counters.instExecuted;
        const std::vector<std::uint32_t> kept(64 * 64, 7);
        QVERIFY(lab.device->copyToDevice(out, std::as_bytes(std::span(kept))));
        lab.options.timingOptions.estimate = Estimate::Always;
        lab.options.timingOptions.timeOnly = true;
        QVERIFY2(lab.time("k", {64}, {64}, {out, in, in}), lab.why());
        QVERIFY(!lab.timing.extrapolation.used && lab.timing.extrapolation.resultsLeftOut);
        QCOMPARE(lab.counters.instExecuted, executed);
        QCOMPARE(lab.get<std::uint32_t>(out, kept.size()), kept);
        QCOMPARE(lab.timing.cycles, whole);
    }

    /// "If the sum is not 0, take its reciprocal": where all blocks go one way, the sum is not computed, and the launch
    /// lasts as long; where they do not, it is.
    void branchesOverArithmeticAreAssumed_data()
    {
        QTest::addColumn<int>("ones"); // blocks whose sum is not 0
        QTest::addColumn<bool>("isAssumed");
        QTest::newRow("not taken") << 64 << true;
        QTest::newRow("taken") << 0 << true;
        QTest::newRow("both") << 32 << false;
    }
    void branchesOverArithmeticAreAssumed()
    {
        QFETCH(int, ones);
        QFETCH(bool, isAssumed);
        ChipTiming chip = shippedChip("t4");
        chip.sms = 4;
        TimedLab lab(chip);
        QVERIFY2(lab.load(handWritten(R"(
                mov.u32 %r3, %ctaid.x; mul.wide.u32 %rd4, %r3, 4; add.u64 %rd4, %rd4, %rd1; ld.global.f32 %f1, [%rd4];
                fma.rn.f32 %f2, %f1, %f1, %f1; fma.rn.f32 %f2, %f2, %f1, %f1; setp.eq.f32 %p2, %f2, 0f00000000;
                @%p2 bra SKIP; rcp.approx.f32 %f3, %f2; mul.f32 %f2, %f3, %f3; sqrt.approx.f32 %f2, %f2;
                fma.rn.f32 %f2, %f2, %f3, %f3; fma.rn.f32 %f2, %f2, %f3, %f3; fma.rn.f32 %f2, %f2, %f3, %f3;
                fma.rn.f32 %f2, %f2, %f3, %f3; fma.rn.f32 %f2, %f2, %f3, %f3; fma.rn.f32 %f2, %f2, %f3, %f3;
                fma.rn.f32 %f2, %f2, %f3, %f3; fma.rn.f32 %f2, %f2, %f3, %f3; fma.rn.f32 %f2, %f2, %f3, %f3;
                SKIP: mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd3, %rd0; st.global.f32 [%rd3], %f2;)")),
                 lab.why());
        std::vector<float> start(64);
        std::fill_n(start.begin(), ones, 1.0F);
        const DevicePtr out = lab.put(std::vector<float>(64 * 64)), in = lab.put(start);
        lab.options.timingOptions.estimate = Estimate::Never;
        QVERIFY2(lab.time("k", {64}, {64}, {out, in, in}), lab.why());
        const std::uint64_t whole = lab.timing.cycles, executed = lab.counters.instExecuted;
        lab.options.timingOptions.estimate = Estimate::Always;
        lab.options.timingOptions.timeOnly = true;
        QVERIFY2(lab.time("k", {64}, {64}, {out, in, in}), lab.why());
        const Extrapolation& e = lab.timing.extrapolation;
        QVERIFY(e.resultsLeftOut);
        QCOMPARE(lab.timing.cycles, whole);
        QCOMPARE(lab.counters.instExecuted, executed);
        QCOMPARE(e.used, isAssumed);
        QCOMPARE(e.relativeError > 0, isAssumed); // other blocks may go the other way
        QCOMPARE(e.simulatedBlocks, e.blocks);
    }
};

QTEST_APPLESS_MAIN(TestTimingExtrapolation)
#include "tst_timing_extrapolation.moc"
