// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks that wait for each other, and what a recorded block tells.
#include "simt_lab.h"

#include "gpu/simt/run/block_run.h"
#include "gpu/simt/simt_program.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

/// Thread 0 of each block waits until a[0] is the number of its successor, then stores its own; the last one starts.
const char* const kBackwards = R"(
    mov.u32 %r3, %nctaid.x; sub.u32 %r3, %r3, 1; setp.eq.u32 %p1, %r1, %r3; @%p1 bra GO;
    add.u32 %r5, %r1, 1;
AGAIN: ld.volatile.global.u32 %r4, [%rd0]; setp.ne.u32 %p2, %r4, %r5; @%p2 bra AGAIN;
GO: st.volatile.global.u32 [%rd0], %r1;
    mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3], %r1;
)";

/// Every block adds one to a[0] and waits until all have.
const char* const kGridBarrier = R"(
    mov.u32 %r3, %tid.x; setp.ne.u32 %p1, %r3, 0; @%p1 bra WAITED;
    mov.u32 %r4, %nctaid.x; atom.global.add.u32 %r5, [%rd0], 1;
AGAIN: ld.acquire.gpu.global.u32 %r6, [%rd0]; setp.lt.u32 %p2, %r6, %r4; @%p2 bra AGAIN;
WAITED: bar.sync 0;
    ld.global.u32 %r6, [%rd0]; mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3], %r6;
)";

} // namespace

class TestSimtBlocks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aBlockMayWaitForALaterOne()
    {
        Lab lab;
        QVERIFY2(lab.load(handWritten(kBackwards)), lab.why());
        const DevicePtr flag = lab.put(std::vector<std::uint32_t>{999}, "flag");
        const DevicePtr seen = lab.put(std::vector<std::uint32_t>(64), "seen");
        QVERIFY2(lab.run("k", {64}, {1}, {flag, seen, seen}), lab.why());
        const auto values = lab.get<std::uint32_t>(seen, 64);
        for (std::uint32_t at = 0; at < 64; ++at)
            QCOMPARE(values[at], at);
        QCOMPARE(lab.get<std::uint32_t>(flag, 1)[0], 0u);
    }

    /// atomicAdd(&flag, 0), atomicOr(&flag, 0), __ldcg(&flag): loops in which nothing changes until a later block has
    /// run.
    void everyKindOfLookIsHeard_data()
    {
        QTest::addColumn<QString>("look");
        QTest::newRow("add zero") << QStringLiteral("atom.global.add.u32 %r4, [%rd0], 0;");
        QTest::newRow("or zero") << QStringLiteral("atom.global.or.b32 %r4, [%rd0], 0;");
        QTest::newRow("compare and swap") << QStringLiteral("atom.global.cas.b32 %r4, [%rd0], 7, 7;");
        QTest::newRow("from L2") << QStringLiteral("ld.global.cg.u32 %r4, [%rd0];");
        QTest::newRow("plain") << QStringLiteral("ld.global.u32 %r4, [%rd0];");
    }
    void everyKindOfLookIsHeard()
    {
        QFETCH(QString, look);
        std::string text = kBackwards;
        const std::string asWritten = "ld.volatile.global.u32 %r4, [%rd0];";
        text.replace(text.find(asWritten), asWritten.size(), look.toStdString());
        Lab lab;
        QVERIFY2(lab.load(handWritten(text.c_str())), lab.why());
        const DevicePtr flag = lab.put(std::vector<std::uint32_t>{999}, "flag");
        const DevicePtr seen = lab.put(std::vector<std::uint32_t>(4), "seen");
        QVERIFY2(lab.run("k", {4}, {1}, {flag, seen, seen}), lab.why());
        const auto values = lab.get<std::uint32_t>(seen, 4);
        for (std::uint32_t at = 0; at < 4; ++at)
            QCOMPARE(values[at], at);
    }

    void aLoopThatCountsItsLooksIsNotEndless()
    {
        Lab lab;
        QVERIFY2(lab.load(handWritten("mov.u32 %r3, 0; mov.u32 %r5, 0;\n"
                                      "AGAIN: ld.volatile.global.u32 %r4, [%rd0]; add.u32 %r5, %r5, %r4;\n"
                                      "add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 300000; @%p2 bra AGAIN;\n"
                                      "st.global.u32 [%rd1], %r5;")),
                 lab.why());
        const DevicePtr flag = lab.put(std::vector<std::uint32_t>{2}, "flag");
        const DevicePtr sum = lab.put(std::vector<std::uint32_t>(1), "sum");
        QVERIFY2(lab.run("k", {2}, {1}, {flag, sum, sum}), lab.why());
        QCOMPARE(lab.get<std::uint32_t>(sum, 1)[0], 600000u);
    }

    void gridBarrierOfResidentBlocks()
    {
        Lab lab; // 4 SMs of 32 blocks
        QVERIFY2(lab.load(handWritten(kGridBarrier)), lab.why());
        const DevicePtr count = lab.put(std::vector<std::uint32_t>(1), "count");
        const DevicePtr seen = lab.put(std::vector<std::uint32_t>(128 * 64), "seen");
        QVERIFY2(lab.run("k", {128}, {64}, {count, seen, seen}), lab.why());
        for (const std::uint32_t value : lab.get<std::uint32_t>(seen, 128 * 64))
            QCOMPARE(value, 128u);
    }

    void aBlockThatCannotStartIsNamed()
    {
        Lab lab;
        QVERIFY2(lab.load(handWritten(kGridBarrier)), lab.why());
        const DevicePtr count = lab.put(std::vector<std::uint32_t>(1), "count");
        const DevicePtr seen = lab.put(std::vector<std::uint32_t>(129 * 64), "seen");
        QVERIFY(!lab.run("k", {129}, {64}, {count, seen, seen}));
        QCOMPARE(lab.code(), std::string("never-resident"));
        QVERIFY2(lab.problem->message.find("block 128 can never start") != std::string::npos, lab.why());
        QVERIFY2(lab.problem->fix.find("at most 128 blocks") != std::string::npos, lab.why());
    }

    void anAtomicWaitForABlockThatCannotStartIsNamed()
    {
        std::string text = kGridBarrier;
        const std::string asWritten = "ld.acquire.gpu.global.u32 %r6, [%rd0];";
        text.replace(text.find(asWritten), asWritten.size(), "atom.global.add.u32 %r6, [%rd0], 0;");
        Lab lab;
        QVERIFY2(lab.load(handWritten(text.c_str())), lab.why());
        const DevicePtr count = lab.put(std::vector<std::uint32_t>(1), "count");
        const DevicePtr seen = lab.put(std::vector<std::uint32_t>(129 * 64), "seen");
        QVERIFY2(lab.run("k", {128}, {64}, {count, seen, seen}), lab.why());
        const DevicePtr again = lab.put(std::vector<std::uint32_t>(1), "again");
        QVERIFY(!lab.run("k", {129}, {64}, {again, seen, seen}));
        QCOMPARE(lab.code(), std::string("never-resident"));
    }

    void aFlagThatNobodySetsIsNoProgress()
    {
        Lab lab;
        QVERIFY2(lab.load(handWritten("AGAIN: ld.volatile.global.u32 %r4, [%rd0]; setp.ne.u32 %p2, %r4, 1; "
                                      "@%p2 bra AGAIN;")),
                 lab.why());
        const DevicePtr flag = lab.put(std::vector<std::uint32_t>(1), "flag");
        QVERIFY(!lab.run("k", {3}, {64}, {flag, flag, flag}));
        QCOMPARE(lab.code(), std::string("no-progress"));
    }

    void aRecordedBlockTellsVisitsLinesAndBarriers()
    {
        const auto memory = std::make_shared<GlobalMemory>(1 << 20);
        Program program;
        program.ptx = handWritten(R"(
            mul.wide.u32 %rd3, %r0, 8; add.u64 %rd3, %rd3, %rd0;
            ld.global.u64 %rd4, [%rd3]; setp.lt.u32 %p1, %r0, 8; @%p1 st.global.u64 [%rd3], %rd4;
            bar.sync 0;)");
        auto loaded = SimtProgram::load(program, memory, 90);
        QVERIFY(loaded.ok());
        const KernelImage& image = **(*loaded)->kernel("k");
        const std::uint64_t data = *memory->allocate(512, "data");
        std::vector<std::uint64_t> params(3, data);
        LaunchState state;
        state.image = &image;
        state.memory = memory.get();
        state.params = reinterpret_cast<std::byte*>(params.data());
        state.paramBytes = 24;
        LaunchShape shape;
        shape.block = {64, 1, 1};
        LaunchControl control = controlFor({}, 10);
        BlockRun run(state, shape, control);
        QVERIFY(run.prepare().ok());
        run.record(0);
        run.start(0);
        QCOMPARE(run.advance(0, 1000), BlockRun::Turn::Blocked);
        QCOMPARE(run.arrivalsOf(0, 0), 0u);
        QCOMPARE(run.advance(1, 1000), BlockRun::Turn::Ran);
        QCOMPARE(run.arrivalsOf(0, 0), 2u); // both warps' bar.sync
        QCOMPARE(run.advance(0, 1000), BlockRun::Turn::Ran);
        QVERIFY(run.finished());
        const WarpStream& first = run.stream(0);
        QVERIFY(first.finished);
        QCOMPARE(first.accesses.size(), std::size_t{2});
        QCOMPARE(first.accesses[0].op, MemoryOp::Load);
        QCOMPARE(first.accesses[0].lineCount, std::uint16_t{2}); // 32 lanes of 8 bytes
        QCOMPARE(first.accesses[1].lanes, std::uint8_t{8});
        const std::vector<LineTouch> lines{data / 128 << 4 | 15, (data / 128 + 1) << 4 | 15, data / 128 << 4 | 3};
        QCOMPARE(first.lines, lines);
        QCOMPARE(first.barriers.size(), std::size_t{1});
        QCOMPARE(first.visits[first.barriers[0].visit].accesses, 2u);
        QCOMPARE(run.stream(1).accesses.size(), std::size_t{1}); // its store has no lane
    }

    void clockStopsARecordedWarpUntilTimingGivesIt()
    {
        const auto memory = std::make_shared<GlobalMemory>(1 << 20);
        Program program;
        program.ptx = handWritten("mov.u64 %rd5, %clock64; st.global.u64 [%rd0], %rd5;");
        auto loaded = SimtProgram::load(program, memory, 90);
        QVERIFY(loaded.ok());
        const std::uint64_t data = *memory->allocate(8, "data");
        std::vector<std::uint64_t> params(3, data);
        LaunchState state;
        state.image = *(*loaded)->kernel("k");
        state.memory = memory.get();
        state.params = reinterpret_cast<std::byte*>(params.data());
        state.paramBytes = 24;
        LaunchShape shape;
        LaunchControl control = controlFor({}, 10);
        BlockRun run(state, shape, control);
        QVERIFY(run.prepare().ok());
        run.record(0);
        run.start(0);
        QCOMPARE(run.advance(0, 1000), BlockRun::Turn::AtClock);
        state.clock = 0x123456789u;
        QCOMPARE(run.advance(0, 1000), BlockRun::Turn::Ran);
        std::uint64_t value = 0;
        std::memcpy(&value, *memory->range(data, 8), 8);
        QCOMPARE(value, std::uint64_t{0x123456789u});
    }

    /// The wait of libcu++ looks at the clock to sleep longer, so that its registers never come back.
    void waitsThatLookAtTheClock()
    {
        const auto waits = [](const char* until) {
            return handWritten(
                std::string(".shared .align 4 .u32 flag; mov.u32 %r4, 0; st.shared.u32 [flag], %r4;\n"
                            "mov.u64 %rd4, %globaltimer; L: mov.u64 %rd5, %globaltimer;\n"
                            "sub.s64 %rd6, %rd5, %rd4; setp.gt.s64 %p2, %rd6, 40000; @%p2 nanosleep.u32 50;\n"
                            "ld.volatile.shared.u32 %r5, [flag]; setp.eq.u32 %p1, %r5, 0;\n") +
                until + " @%p1 bra L;");
        };
        Lab lab;
        const DevicePtr a = lab.put(std::vector<std::uint32_t>(64));
        QVERIFY2(lab.load(waits("")), lab.why());
        LaunchOptions options;
        options.faultsAsReports = true;
        QVERIFY2(lab.run("k", {2}, {32}, {a, a, a}, 0, options), lab.why());
        QVERIFY(lab.reports.size() == 1 && lab.reports.front().code == "endless-loop");
        // It gives up after a while.
        QVERIFY2(lab.load(waits("setp.lt.and.s64 %p1, %rd6, 1000000, %p1;")), lab.why());
        QVERIFY2(lab.run("k", {2}, {32}, {a, a, a}), lab.why());
        // It waits for a time and looks at nothing else.
        QVERIFY2(lab.load(handWritten("mov.u64 %rd4, %clock64; L: mov.u64 %rd5, %clock64; sub.s64 %rd6, %rd5, %rd4;\n"
                                      "setp.lt.s64 %p1, %rd6, 40000000; @%p1 bra L;")),
                 lab.why());
        QVERIFY2(lab.run("k", {1}, {32}, {a, a, a}), lab.why());
    }

    void anMbarrierThatMissesSomethingSaysWhat()
    {
        Lab lab;
        const DevicePtr a = lab.put(std::vector<std::uint32_t>(64));
        QVERIFY2(lab.load(handWritten(".shared .align 8 .b64 bar[2]; setp.eq.u32 %p2, %r0, 0;\n"
                                      "@%p2 mbarrier.init.shared::cta.b64 [bar+8], 34; bar.sync 0;\n"
                                      "@%p2 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar+8], 512;\n"
                                      "mbarrier.arrive.shared::cta.b64 _, [bar+8];\n"
                                      "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar+8], 0; @!%p1 bra W;")),
                 lab.why());
        QVERIFY(!lab.run("k", {1}, {32}, {a, a, a}));
        QCOMPARE(lab.code(), std::string("no-progress"));
        QVERIFY2(lab.why().contains("mbarrier at offset 8") && lab.why().contains("misses 2 arrivals and 512 bytes"),
                 lab.why());
    }
};

QTEST_APPLESS_MAIN(TestSimtBlocks)
#include "tst_simt_blocks.moc"
