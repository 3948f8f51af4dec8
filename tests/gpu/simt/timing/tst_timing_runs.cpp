// SPDX-License-Identifier: GPL-3.0-or-later
// What holds for every simulated launch: sums, determinism, extrapolation, chip files.
#include "timing_lab.h"

#include "gpu/simt/timing/events.h"
#include "gpu/simt/timing/extrapolate.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

/// The kernels of the fixture that use memory, barriers, shared memory and arithmetic.
bool runAll(TimedLab& lab, std::vector<TimingReport>& reports, std::vector<float>& result)
{
    constexpr std::int32_t n = 128;
    std::vector<float> values(n * n);
    for (std::size_t at = 0; at < values.size(); ++at)
        values[at] = static_cast<float>(at % 17) - 8;
    const DevicePtr a = lab.put(values, "a");
    const DevicePtr b = lab.put(values, "b");
    const DevicePtr c = lab.put(std::vector<float>(n * n), "c");
    const std::vector<std::pair<std::string, bool>> kernels{
        {"vecadd", false}, {"matmul", true}, {"matmul_tiled", true}};
    for (const auto& [kernel, square] : kernels) {
        const bool ok = square ? lab.time(kernel, {8, 8, 1}, {16, 16, 1}, {a, b, c, n})
                               : lab.time(kernel, {64}, {256}, {a, b, c, n * n});
        if (!ok)
            return false;
        reports.push_back(lab.timing);
        const auto part = lab.get<float>(c, n * n);
        result.insert(result.end(), part.begin(), part.end());
    }
    return true;
}

std::string chipText(const std::string& change = {}, const std::string& to = {})
{
    const auto text = readFile(std::filesystem::path(RIDGE_SIMT_CHIPS) / "a100-sxm-80.json");
    std::string out = *text;
    if (!change.empty()) {
        const std::size_t at = out.find(change);
        if (at == out.npos)
            qFatal("the chip file has no '%s'", change.c_str());
        out.replace(at, change.size(), to);
    }
    return out;
}

Result<ChipTiming> parse(const std::string& text)
{
    return parseChipTiming("a100-sxm-80", [&](const std::string&) { return Result<std::string>(text); });
}

} // namespace

class TestTimingRuns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stallsSumToWarpCyclesAndLinesToTheWhole()
    {
        TimedLab lab(shippedChip("a100-sxm-80"));
        QVERIFY2(lab.load(fixture("kernels.nvcc.ptx")), lab.why());
        std::vector<TimingReport> reports;
        std::vector<float> result;
        QVERIFY2(runAll(lab, reports, result), lab.why());
        for (const TimingReport& report : reports) {
            std::uint64_t sum = 0;
            std::uint64_t inLines = 0;
            std::uint64_t inSms = 0;
            std::uint64_t issuedInLines = 0;
            for (const std::uint64_t cycles : report.stalls)
                sum += cycles;
            for (const LineTiming& line : report.lines) {
                issuedInLines += line.instructions;
                for (const std::uint64_t cycles : line.stalls)
                    inLines += cycles;
            }
            for (const SmTiming& sm : report.sms)
                inSms += sm.warpCycles;
            QVERIFY(sum > 0);
            QCOMPARE(sum, report.counters.warpCycles);
            QCOMPARE(inLines, sum);
            QCOMPARE(inSms, sum);
            QCOMPARE(report.stalls[static_cast<std::size_t>(Stall::Selected)], report.counters.instIssued);
            QCOMPARE(issuedInLines, report.counters.instIssued);
            std::uint64_t inTimeline = 0;
            for (std::size_t at = 1; at < report.timeline.values.size(); at += Timeline::kCounters)
                inTimeline += report.timeline.values[at];
            QCOMPARE(inTimeline, sum);
            QVERIFY(report.occupancy.achieved > 0 && report.occupancy.achieved <= report.occupancy.theoretical + 1e-9);
            QVERIFY(!report.assumptions.empty());
            QCOMPARE(report.confidence, std::string("assumption"));
        }
    }

    /// An idle DRAM answers in its latency. With others on the way a read waits, though the channels are far from busy
    /// all the time: by the law of docs/chip-timing.md, longer where they are writes. When all have arrived it is idle
    /// again.
    void latencyOfDramGrowsWithWhatIsOnTheWay()
    {
        for (const char* id : {"h200-sxm", "a100-sxm-80", "t4"}) {
            MemoryLab memory(shippedChip(id));
            const ChipTiming& chip = memory.chip;
            const auto read = [&](std::uint64_t cycle) { return memory.ask(memory.fresh(0), cycle); };
            const double share = chip.dramPeakGBs * 1e3 / chip.clockMhz / memory.map.groups(); // bytes a cycle, about
            const double idle = read(0);
            const double nearer = chip.l2Partitions == 1 ? 0 : (chip.l2FarCycles - chip.l2HitCycles) / 2;
            QVERIFY(std::abs(idle - (chip.dramCycles - nearer)) < 60);
            constexpr int kOthers = 256;
            std::uint64_t at = 100000;
            double last = 0;
            for (int i = 0; i <= kOthers; ++i)
                last = read(at);
            QVERIFY2(last > idle + 0.7 * kOthers * 128 / share, id);
            // As many as the pins move in half an idle round trip, evenly: the channels alone would serve them at once.
            const double trip = chip.dramCycles - kMissOverhead;
            const int half = static_cast<int>(std::floor(0.5 * trip * share / 128));
            const double n = half * 128 / (trip * share);
            if (half < 2)
                continue;
            at += 100000;
            double waited = 0;
            for (int i = 0; i <= half; ++i)
                waited = read(at + static_cast<std::uint64_t>(i * trip / (half + 1))) - idle;
            const double said = trip * (std::pow(1 + std::pow(n, 1.5), 1 / 1.5) - 1);
            QVERIFY2(std::abs(waited - said) < 0.2 * said + 60,
                     qPrintable(QStringLiteral("%1: %2 of %3").arg(QLatin1String(id)).arg(waited).arg(said)));
            QVERIFY2(std::abs(read(at + 100000) - idle) < 60, id);
        }
    }

    void sameResultsAsFunctionalExecution()
    {
        std::vector<float> timed;
        std::vector<float> functional;
        std::vector<TimingReport> reports;
        const ChipTiming chip = shippedChip("v100-sxm2-32");
        TimedLab lab(chip);
        QVERIFY2(lab.load(fixture("kernels.nvcc.ptx")), lab.why());
        QVERIFY2(runAll(lab, reports, timed), lab.why());
        const Counters counted = lab.counters;
        constexpr std::int32_t n = 128;
        std::vector<float> values(n * n);
        for (std::size_t at = 0; at < values.size(); ++at)
            values[at] = static_cast<float>(at % 17) - 8;
        const DevicePtr a = lab.put(values);
        const DevicePtr c = lab.put(std::vector<float>(n * n));
        QVERIFY2(lab.run("matmul_tiled", {8, 8, 1}, {16, 16, 1}, {a, a, c, n}), lab.why());
        functional = lab.get<float>(c, n * n);
        QVERIFY(std::equal(functional.begin(), functional.end(), timed.end() - n * n));
        QCOMPARE(counted.instExecuted, lab.counters.instExecuted);
        QCOMPARE(counted.globalLoadSectors, lab.counters.globalLoadSectors);
        QCOMPARE(counted.sharedLoadWavefronts, lab.counters.sharedLoadWavefronts);
    }

    void sameBitsCyclesAndEventsForAnyNumberOfThreads()
    {
        std::vector<std::uint64_t> hashes;
        std::vector<std::vector<float>> results;
        for (const unsigned threads : {1u, 2u, 8u}) {
            TimedLab lab(shippedChip("h100-sxm"));
            lab.options.timingOptions.threads = threads;
            lab.options.timingOptions.eventCapacity = 1 << 16;
            QVERIFY2(lab.load(fixture("kernels.nvcc.ptx")), lab.why());
            std::vector<TimingReport> reports;
            results.emplace_back();
            QVERIFY2(runAll(lab, reports, results.back()), lab.why());
            std::uint64_t all = 0;
            for (const TimingReport& report : reports) {
                QVERIFY(!report.events.empty());
                all = all * 31 + report.hash;
            }
            hashes.push_back(all);
        }
        QCOMPARE(hashes[1], hashes[0]);
        QCOMPARE(hashes[2], hashes[0]);
        QVERIFY(results[1] == results[0] && results[2] == results[0]);
    }

    void eventsAreReadForwardsBackwardsAndAgain()
    {
        TimedLab lab(shippedChip("rtx4060-laptop"));
        QVERIFY2(lab.load(fixture("kernels.nvcc.ptx")), lab.why());
        constexpr std::int32_t n = 4096;
        const DevicePtr a = lab.put(std::vector<float>(n, 1.0F));
        const DevicePtr c = lab.put(std::vector<float>(n));
        lab.options.timingOptions.eventCapacity = 1 << 20;
        QVERIFY2(lab.time("vecadd", {n / 256}, {256}, {a, a, c, n}), lab.why());
        const TimingReport whole = lab.timing;
        TimingEventReader reader(whole);
        std::uint64_t issues = 0;
        std::uint64_t waited = 0;
        reader.watch(whole.cycles + 1, [&](const TimingEvent& event) {
            issues += event.kind == TimingEvent::Kind::Issue ? 1 : 0;
            waited += event.kind == TimingEvent::Kind::Stall ? TimingEventReader::cyclesOf(event) : 0;
        });
        QCOMPARE(issues, whole.counters.instIssued);
        const auto cyclesIn = [&](Stall stall) { return whole.stalls[static_cast<std::size_t>(stall)]; };
        QCOMPARE(waited, whole.counters.warpCycles - cyclesIn(Stall::Selected) - cyclesIn(Stall::NotSelected) -
                             cyclesIn(Stall::Wait));
        Breakpoint longWait;
        longWait.stall = Stall::LongScoreboard;
        longWait.atLeast = 200;
        reader.add(longWait);
        QVERIFY(reader.run());
        const std::size_t found = reader.position();
        QVERIFY(TimingEventReader::cyclesOf(reader.current()) >= 200);
        QVERIFY(reader.slot(reader.current().sm, reader.current().slot).issued.has_value());
        QVERIFY(!reader.slot(reader.current().sm, reader.current().slot).ended);
        QVERIFY(reader.run());
        QVERIFY(reader.runBack());
        QCOMPARE(reader.position(), found);
        QVERIFY(reader.back() && reader.step());
        // Any window again, by running again.
        const std::uint64_t middle = whole.cycles / 2, end = whole.cycles * 3 / 4;
        lab.options = replayWindow(lab.options, middle, end, 1 << 20);
        QVERIFY2(lab.time("vecadd", {n / 256}, {256}, {a, a, c, n}), lab.why());
        reader.seek(middle);
        std::vector<TimingEvent> expected;
        reader.watch(end, [&](const TimingEvent& event) { expected.push_back(event); });
        QVERIFY(!expected.empty());
        QVERIFY(lab.timing.events == expected);
    }

    void asynchronousCopiesAreWaitedFor()
    {
        TimedLab lab(shippedChip("a100-sxm-80"));
        QVERIFY2(lab.load(handWritten(R"(
            mul.wide.u32 %rd3, %r0, 16; add.u64 %rd3, %rd3, %rd0; mul.lo.u32 %r5, %r0, 16;
            cp.async.cg.shared.global [%r5], [%rd3], 16; cp.async.commit_group;
            cp.async.cg.shared.global [%r5+1024], [%rd3+1024], 16; cp.async.commit_group;
            cp.async.wait_group 1; ld.shared.u32 %r6, [%r5];
            cp.async.wait_group 0; ld.shared.u32 %r7, [%r5+1024];
            add.u32 %r6, %r6, %r7; st.global.u32 [%rd3], %r6;)")),
                 lab.why());
        std::vector<std::uint32_t> values(1024, 3);
        const DevicePtr data = lab.put(values);
        QVERIFY2(lab.time("k", {1}, {32}, {data, data, data}, 4096), lab.why());
        QCOMPARE(lab.get<std::uint32_t>(data, 1)[0], 6u);
        // Both groups are under way together: one trip to memory, waited for before the first load.
        QVERIFY(lab.timing.stalls[static_cast<std::size_t>(Stall::LongScoreboard)] > 400);
        QVERIFY(lab.timing.cycles > 532 && lab.timing.cycles < 1700);
    }

    void blocksThatWaitForEachOtherFinish()
    {
        TimedLab lab(shippedChip("rtx4060-laptop"));
        QVERIFY2(lab.load(handWritten(R"(
            mov.u32 %r3, %tid.x; setp.ne.u32 %p1, %r3, 0; @%p1 bra WAITED;
            mov.u32 %r4, %nctaid.x; atom.global.add.u32 %r5, [%rd0], 1;
            AGAIN: ld.acquire.gpu.global.u32 %r6, [%rd0]; setp.lt.u32 %p2, %r6, %r4; @%p2 bra AGAIN;
            WAITED: bar.sync 0;
            ld.global.u32 %r6, [%rd0]; mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3], %r6;)")),
                 lab.why());
        const DevicePtr count = lab.put(std::vector<std::uint32_t>(1));
        const DevicePtr seen = lab.put(std::vector<std::uint32_t>(96 * 64));
        QVERIFY2(lab.time("k", {96}, {64}, {count, seen, seen}), lab.why());
        for (const std::uint32_t value : lab.get<std::uint32_t>(seen, 96 * 64))
            QCOMPARE(value, 96u);
        QVERIFY(lab.timing.cycles < 20000);
    }

    /// Blocks of one SM that want to issue in every cycle: the older is done first, and the last with the kernel.
    void olderBlocksIssueFirst()
    {
        ChipTiming chip = shippedChip("h200-sxm");
        chip.sms = 1;
        TimedLab lab(chip);
        std::string body = "mov.u32 %r3, 0;\nL:\n"; // a loop, so that all of its code is there soon
        for (int at = 0; at < 32; ++at)
            body += "fma.rn.f32 %f" + std::to_string(at % 8) + ", %f" + std::to_string(at % 8) + ", %f9, %f9;\n";
        body += "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r2; @%p1 bra L;\n"; // as many turns as threads: 256
        for (int at = 1; at < 8; ++at)
            body += "add.f32 %f0, %f0, %f" + std::to_string(at) + ";\n";
        QVERIFY2(lab.load(handWritten(body + "mul.wide.u32 %rd4, %r0, 4; add.u64 %rd5, %rd0, %rd4;"
                                             "st.global.f32 [%rd5], %f0;")),
                 lab.why());
        const DevicePtr out = lab.put(std::vector<float>(std::size_t{4} * 256));
        QVERIFY2(lab.time("k", {4}, {256}, {out, out, out}), lab.why());
        const auto& blocks = lab.timing.blocks;
        QCOMPARE(blocks.size(), std::size_t{4});
        for (std::size_t at = 1; at < blocks.size(); ++at) {
            QCOMPARE(blocks[at].block, std::uint64_t{at});
            // 2 warps a sub-core, 256 turns of 35 instructions: 17900 cycles a block.
            QVERIFY2(blocks[at].end > blocks[at - 1].end + 10000, qPrintable(QString::number(blocks[at].end)));
        }
    }

    void aBarrierThatIsNeverReachedIsReported()
    {
        TimedLab lab(shippedChip("rtx4060-laptop"));
        QVERIFY2(lab.load(handWritten("setp.lt.u32 %p1, %r0, 40; @%p1 bar.sync 1, 64; @!%p1 bar.sync 2, 64;")),
                 lab.why());
        const DevicePtr data = lab.put(std::vector<std::uint32_t>(64));
        QVERIFY(!lab.time("k", {1}, {64}, {data, data, data}));
        QCOMPARE(lab.code(), std::string("barrier-deadlock"));
    }

    void aBlockThatNoSmHoldsIsToldTheLargestOneThatFits()
    {
        std::string loads, sums;
        for (int at = 0; at < 100; ++at) {
            const std::string number = std::to_string(at);
            loads += "ld.global.f32 %g" + number + ", [%rd1+" + std::to_string(4 * at) + "];\n";
            sums += "add.f32 %f1, %f1, %g" + number + ";\n";
        }
        TimedLab lab(shippedChip("a100-sxm-80"));
        QVERIFY2(lab.load(handWritten(".reg .f32 %g<100>; mov.f32 %f1, 0f00000000;\n" + loads + "bar.sync 0;\n" + sums +
                                      "st.global.f32 [%rd0], %f1;\n")),
                 lab.why());
        const DevicePtr data = lab.put(std::vector<float>(100, 1.0f));
        QVERIFY(!lab.time("k", {1}, {1024}, {data, data, data}));
        QVERIFY2(lab.code() == "bad-launch" && lab.why().contains("does not fit an SM: registers"), lab.why());
        const std::string before = "Use at most ";
        QVERIFY2(lab.problem->fix.starts_with(before), lab.why());
        const auto most = static_cast<std::uint32_t>(std::stoul(lab.problem->fix.substr(before.size())));
        QVERIFY2(most >= 256 && most < 1024, lab.why());
        QVERIFY2(lab.time("k", {1}, {most}, {data, data, data}), lab.why());
        QVERIFY(!lab.time("k", {1}, {most + 32}, {data, data, data}));
    }

    void chipWithoutFileSaysSo()
    {
        Lab lab;
        QVERIFY2(lab.load(handWritten("")), lab.why());
        const DevicePtr data = lab.put(std::vector<std::uint32_t>(1));
        LaunchOptions options;
        options.timing = true;
        QVERIFY(!lab.run("k", {1}, {32}, {data, data, data}, 0, options));
        QCOMPARE(lab.code(), std::string("no-timing"));
    }

    void everyShippedChipReads()
    {
        std::size_t read = 0;
        for (const auto& entry : std::filesystem::directory_iterator(RIDGE_SIMT_CHIPS)) {
            const auto chip = readChipTiming(RIDGE_SIMT_CHIPS, entry.path().stem().string());
            QVERIFY2(chip.ok(), chip.ok() ? "" : toText(chip.error()).c_str());
            QVERIFY(chip->origins.size() > 100);
            ++read;
        }
        QVERIFY(read >= 11);
    }

    void nonsenseInAChipFileIsNamed_data()
    {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("says");
        QTest::newRow("range") << "\"l2.kb\": {\"value\": 40960"
                               << "\"l2.kb\": {\"value\": -3"
                               << "l2.kb is -3";
        QTest::newRow("name") << "\"l2.kb\""
                              << "\"l2.kbytes\""
                              << "l2.kbytes is not a field";
        QTest::newRow("type") << "\"sms\": {\"value\": 108"
                              << "\"sms\": {\"value\": \"many\""
                              << "sms is not a number";
        QTest::newRow("source") << "\"sms\": {\"value\": 108, \"source\": [\"WP\"]"
                                << "\"sms\": {\"value\": 108, \"source\": [\"X\"]"
                                << "cites 'X'";
        QTest::newRow("schema") << "chip-timing/1"
                                << "chip-timing/9"
                                << "schema";
        QTest::newRow("order") << "\"dram.cycles\": {\"value\": 532"
                               << "\"dram.cycles\": {\"value\": 132"
                               << "dram.cycles is not above l2.hit_cycles";
        QTest::newRow("json") << "\"sms\": {"
                              << "\"sms\": ["
                              << "a100-sxm-80.json";
        QTest::newRow("id") << "\"id\": \"a100-sxm-80\""
                            << "\"id\": \"other\""
                            << "id does not equal";
        QTest::newRow("circle") << "\"sources\": {"
                                << "\"inherits\": \"a100-sxm-80\", \"sources\": {"
                                << "circle";
        QTest::newRow("confidence") << "\"confidence\": \"verified\""
                                    << "\"confidence\": \"sure\""
                                    << "'sure'";
    }

    void nonsenseInAChipFileIsNamed()
    {
        QFETCH(QString, change);
        QFETCH(QString, to);
        QFETCH(QString, says);
        const auto chip = parse(chipText(change.toStdString(), to.toStdString()));
        QVERIFY(!chip.ok());
        QCOMPARE(chip.error().code, std::string("bad-chip-file"));
        QVERIFY2(QString::fromStdString(toText(chip.error())).contains(says), toText(chip.error()).c_str());
        QVERIFY(!chip.error().fix.empty());
    }

    void inheritedValuesAreAssumptions()
    {
        const ChipTiming chip = shippedChip("rtx3060-laptop");
        QCOMPARE(chip.origins.at("dram.cycles").confidence, std::string("assumption"));
        QVERIFY(chip.origins.at("dram.cycles").note.find("as a40") == 0);
        QCOMPARE(chip.origins.at("sms").confidence, std::string("verified"));
    }

    void aWholeNewChipIsOneFile()
    {
        const std::string text = R"({"schema": "chip-timing/1", "id": "mine", "inherits": "a100-sxm-80",
            "sources": {"ME": "measured here"}, "values": {"sms": {"value": 12, "source": ["ME"], "confidence": "verified"}}})";
        const auto chip = parseChipTiming("mine", [&](const std::string& id) {
            return id == "mine" ? Result<std::string>(text) : Result<std::string>(chipText());
        });
        QVERIFY2(chip.ok(), chip.ok() ? "" : toText(chip.error()).c_str());
        QCOMPARE(chip->sms, 12.0);
        QCOMPARE(chip->latency[static_cast<std::size_t>(LatencyClass::Fma)], 4.0);
    }
};

QTEST_APPLESS_MAIN(TestTimingRuns)
#include "tst_timing_runs.moc"
