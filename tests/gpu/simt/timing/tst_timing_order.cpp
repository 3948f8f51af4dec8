// SPDX-License-Identifier: GPL-3.0-or-later
// SMs run their warps ahead side by side, and what they store waits for the order of SMs: the same bits, cycles,
// events, text and errors for any number of host threads, also where blocks race, and what a program that synchronises
// may count on. With RIDGE_TEST_FUNCTIONAL the same for waves of blocks without a clock (tst_simt_order).
#include "timing_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kBlocks = 200; ///< more than the chip's 80 SMs, so that some have several
constexpr std::uint32_t kThreads = 64;
constexpr std::uint32_t kAll = kBlocks * kThreads;

struct Outcome {
    Words a, b;
    std::uint64_t hash = 0;
    std::uint64_t cycles = 0;
    std::vector<TimingEvent> events;
    std::vector<std::uint64_t> counted;
    std::vector<std::uint64_t> traced;
    std::string printed;
    std::string error;

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

struct Race {
    std::string body;
    std::string outside;
    std::size_t words = kAll; ///< of a and b, which start as 0
    std::uint64_t mostInstructions = 0;
    std::size_t traceRequests = 0;
};

bool hasClock()
{
    return !qEnvironmentVariableIsSet("RIDGE_TEST_FUNCTIONAL");
}

Outcome runOn(unsigned threads, const Race& race)
{
    TimedLab lab(shippedChip("v100-sxm2-32"));
    lab.options.timing = hasClock();
    lab.options.timingOptions.threads = threads;
    lab.options.timingOptions.eventCapacity = 1 << 16;
    lab.options.mostInstructions = race.mostInstructions;
    lab.options.traceRequests = race.traceRequests;
    Outcome out;
    if (!lab.load(handWritten(race.body, race.outside)))
        qFatal("%s", lab.why().constData());
    const DevicePtr a = lab.put(Words(race.words), "a");
    const DevicePtr b = lab.put(Words(race.words), "b");
    auto report =
        lab.device->launch(*lab.program, {"k", {kBlocks}, {kThreads}, 0, {a, b, b.address - a.address}}, lab.options);
    out.a = lab.get<std::uint32_t>(a, race.words);
    out.b = lab.get<std::uint32_t>(b, race.words);
    if (!report) {
        out.error = toText(report.error());
        return out;
    }
    if (report->timing) {
        out.hash = report->timing->hash;
        out.cycles = report->timing->cycles;
        out.events = std::move(report->timing->events);
    }
    for (const auto counter : kCounters)
        out.counted.push_back(*report->counters.*counter);
    if (report->trace) {
        for (const MemoryRequest& request : report->trace->requests)
            out.traced.push_back(request.addresses[0] ^ std::uint64_t{request.block} << 40 ^ request.ptxLine);
    }
    out.printed = report->printed;
    return out;
}

/// What one thread gives, where 2 and 8 give the same.
std::optional<Outcome> runAlike(const Race& race)
{
    Outcome one = runOn(1, race);
    for (const unsigned threads : {2u, 8u}) {
        if (!(runOn(threads, race) == one))
            return std::nullopt;
    }
    return one;
}

/// %rd3 and %rd4 are the thread's words of a and b; %r0 its number, %r1 its block, %r3 its place in the block.
const std::string kPlaces = "mov.u32 %r3, %tid.x; mul.wide.u32 %rd5, %r0, 4; add.u64 %rd3, %rd0, %rd5; "
                            "add.u64 %rd4, %rd1, %rd5;\n";

} // namespace

class TestTimingOrder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void storesOfAllBlocksToOneWord()
    {
        const auto out = runAlike({"st.global.u32 [%rd0], %r0; st.global.u32 [%rd0+4], %r1;", {}});
        QVERIFY(out);
        QVERIFY(out->a[0] / kThreads == out->a[1]); // one warp's stores come last in both
    }

    void additionsThatAreNotAtomic()
    {
        const auto out = runAlike({"ld.global.u32 %r4, [%rd0]; add.u32 %r4, %r4, 1; st.global.u32 [%rd0], %r4; "
                                   "ld.volatile.global.u32 %r5, [%rd0+4]; add.u32 %r5, %r5, 1; "
                                   "st.volatile.global.u32 [%rd0+4], %r5;",
                                   {}});
        QVERIFY(out);
        QVERIFY(out->a[0] > 0 && out->a[0] <= kBlocks * kThreads / 32);
        QVERIFY(out->a[1] > 0 && out->a[1] <= kBlocks * kThreads / 32);
    }

    /// A thread always sees what it has stored itself, however it was addressed, and so do the others of its block
    /// behind a barrier.
    void whatABlockHasStoredItReads()
    {
        const auto out = runAlike({kPlaces + R"(
            mov.u32 %r6, 0;
        L:  ld.global.u32 %r4, [%rd3]; mad.lo.u32 %r4, %r4, 3, %r0; st.global.u32 [%rd3], %r4;
            add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 9; @%p1 bra L;
            add.u64 %rd6, %rd3, %rd2; ld.u32 %r7, [%rd3]; st.global.u32 [%rd6], %r7;
            bar.sync 0;
            xor.b32 %r8, %r0, 63; mul.wide.u32 %rd7, %r8, 4; add.u64 %rd7, %rd1, %rd7; ld.global.nc.u32 %r9, [%rd7];
            st.global.u32 [%rd3], %r9;)",
                                   {}});
        QVERIFY(out);
        for (std::uint32_t at = 0; at < kAll; ++at) {
            std::uint32_t value = 0;
            for (int round = 0; round < 9; ++round)
                value = value * 3 + at;
            QCOMPARE(out->b[at], value);
            std::uint32_t other = 0;
            for (int round = 0; round < 9; ++round)
                other = other * 3 + (at ^ 63u);
            QCOMPARE(out->a[at], other);
        }
    }

    /// The same through wide and scattered stores, of bytes too, and through copies to shared memory.
    void storesOfEveryShape()
    {
        const auto out = runAlike({kPlaces + R"(
            xor.b32 %r4, %r0, 21; mul.wide.u32 %rd6, %r4, 16; add.u64 %rd7, %rd0, %rd6;
            mad.lo.u32 %r5, %r4, 7, 1; mad.lo.u32 %r6, %r4, 7, 2; mad.lo.u32 %r7, %r4, 7, 3; mul.lo.u32 %r8, %r4, 7;
            st.global.v4.u32 [%rd7], {%r8, %r5, %r6, %r7};
            mul.wide.u32 %rd8, %r0, 16; add.u64 %rd9, %rd0, %rd8;
            mul.lo.u32 %r9, %r3, 16; mov.u32 %r10, buffer; add.u32 %r9, %r9, %r10; cvt.u64.u32 %rd10, %r9;
            bar.sync 0;
            cp.async.cg.shared.global [%r9], [%rd9], 16; cp.async.commit_group; cp.async.wait_group 0;
            ld.shared.v2.u32 {%r11, %r12}, [%r9+8];
            mul.wide.u32 %rd11, %r0, 8; add.u64 %rd12, %rd1, %rd11;
            cvt.u16.u32 %rs1, %r11; st.global.u8 [%rd12+1], %rs1; st.global.u16 [%rd12+2], %rs1;
            st.global.u32 [%rd12+4], %r12; ld.global.u32 %r13, [%rd12]; add.u32 %r13, %r13, 1;
            st.global.u32 [%rd12], %r13;)",
                                   ".shared .align 16 .b8 buffer[1024];", std::size_t{kAll} * 4});
        QVERIFY(out);
        for (std::uint32_t at = 0; at < kAll; ++at) {
            for (std::uint32_t word = 0; word < 4; ++word)
                QCOMPARE(out->a[at * 4 + word], at * 7 + word);
            const std::uint32_t value = at * 7 + 2;
            QCOMPARE(out->b[at * 2], (value << 16 | (value & 255) << 8) + 1);
            QCOMPARE(out->b[at * 2 + 1], at * 7 + 3);
        }
    }

    /// Lanes of one generic access in shared and in global memory: both have their effect, once.
    void genericLanesInTwoSpaces()
    {
        const auto out = runAlike({kPlaces + R"(
            mov.u32 %r4, buffer; cvt.u64.u32 %rd6, %r4; cvta.shared.u64 %rd6, %rd6; mul.wide.u32 %rd7, %r3, 4;
            add.u64 %rd6, %rd6, %rd7; and.b32 %r5, %r3, 1; setp.eq.u32 %p1, %r5, 0; selp.b64 %rd8, %rd3, %rd6, %p1;
            mov.u32 %r6, 5; st.shared.u32 [buffer], %r6; st.u32 [%rd8], %r0;
            atom.add.u32 %r7, [%rd8], 100; ld.u32 %r8, [%rd8]; st.global.u32 [%rd4], %r8;)",
                                   ".shared .align 4 .b8 buffer[256];"});
        QVERIFY(out);
        for (std::uint32_t at = 0; at < kAll; ++at)
            QCOMPARE(out->b[at], at + 100);
    }

    void readsOfANeighbourThatNothingOrders()
    {
        const auto out = runAlike({kPlaces + R"(
            add.u32 %r4, %r0, 1; st.global.u32 [%rd3], %r4; add.u32 %r5, %r0, 64; rem.u32 %r5, %r5, 12800;
            mul.wide.u32 %rd6, %r5, 4; add.u64 %rd6, %rd0, %rd6; ld.global.u32 %r6, [%rd6];
            st.global.u32 [%rd4], %r6;)",
                                   {}});
        QVERIFY(out);
        for (std::uint32_t at = 0; at < kAll; ++at) {
            const std::uint32_t theirs = (at + 64) % kAll + 1;
            QVERIFY(out->b[at] == 0 || out->b[at] == theirs);
        }
    }

    /// Every block writes its part, a fence, an atomic; who comes last adds the parts up.
    void theLastBlockSeesAllOthers()
    {
        const auto out = runAlike({kPlaces + R"(
            setp.ne.u32 %p1, %r3, 0; @%p1 bra END;
            mul.wide.u32 %rd6, %r1, 4; add.u64 %rd6, %rd0, %rd6; add.u32 %r4, %r1, 1; st.global.u32 [%rd6], %r4;
            membar.gl; atom.global.inc.u32 %r5, [%rd1], 1000; setp.ne.u32 %p2, %r5, 199; @%p2 bra END;
            mov.u32 %r6, 0; mov.u32 %r7, 0;
        L:  ld.global.u32 %r8, [%rd0]; add.u32 %r6, %r6, %r8; add.u64 %rd0, %rd0, 4; add.u32 %r7, %r7, 1;
            setp.lt.u32 %p3, %r7, 200; @%p3 bra L;
            st.global.u32 [%rd1+4], %r6;
        END:)",
                                   {}});
        QVERIFY(out);
        QCOMPARE(out->b[0], kBlocks);
        QCOMPARE(out->b[1], kBlocks * (kBlocks + 1) / 2);
    }

    void workFromAQueueIsDoneOnce()
    {
        const auto out = runAlike({R"(
        L:  atom.global.add.u32 %r4, [%rd1], 1; setp.ge.u32 %p1, %r4, 20000; @%p1 bra END;
            mul.wide.u32 %rd3, %r4, 4; add.u64 %rd3, %rd0, %rd3; ld.global.u32 %r5, [%rd3];
            mad.lo.u32 %r5, %r4, 3, %r5; add.u32 %r5, %r5, 1; st.global.u32 [%rd3], %r5; bra L;
        END:)",
                                   {},
                                   20000});
        QVERIFY(out);
        QCOMPARE(out->b[0], 20000 + kAll);
        for (std::uint32_t at = 0; at < 20000; ++at)
            QCOMPARE(out->a[at], at * 3 + 1);
    }

    /// A block that waits for a flag finds what was stored before the flag was set.
    void aFlagBringsWhatWasStoredBeforeIt()
    {
        const auto out = runAlike({kPlaces + R"(
            setp.ne.u32 %p1, %r1, 0; @%p1 bra WAIT;
            add.u32 %r4, %r3, 7; st.global.u32 [%rd3], %r4; bar.sync 0; membar.gl;
            setp.ne.u32 %p2, %r3, 0; @%p2 bra END;
            mov.u32 %r5, 1; st.volatile.global.u32 [%rd0+40000], %r5; bra END;
        WAIT: ld.volatile.global.u32 %r6, [%rd0+40000]; setp.eq.u32 %p3, %r6, 0; @%p3 bra WAIT;
            mul.wide.u32 %rd6, %r3, 4; add.u64 %rd6, %rd0, %rd6; ld.global.u32 %r7, [%rd6]; st.global.u32 [%rd4], %r7;
        END:)",
                                   {}});
        QVERIFY(out);
        for (std::uint32_t at = kThreads; at < kAll; ++at)
            QCOMPARE(out->b[at], at % kThreads + 7);
    }

    void textOfPrintfKeepsItsOrder()
    {
        const auto out = runAlike({kPlaces + R"(
            st.global.u32 [%rd3], %r0; setp.ne.u32 %p1, %r3, 0; @%p1 bra END;
            .local .align 8 .b8 stack[8]; mov.u64 %rd6, stack; cvta.local.u64 %rd6, %rd6;
            ld.global.u32 %r4, [%rd3]; st.u32 [%rd6], %r4; mov.u64 %rd7, text; cvta.global.u64 %rd7, %rd7;
            { .param .b64 p0; st.param.b64 [p0], %rd7; .param .b64 p1; st.param.b64 [p1], %rd6; .param .b32 r;
            call.uni (r), vprintf, (p0, p1); }
        END:)",
                                   ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);\n"
                                   ".global .align 1 .b8 text[4] = {37, 117, 32, 0};"});
        QVERIFY(out);
        const QStringList numbers = QString::fromStdString(out->printed).split(QLatin1Char(' '), Qt::SkipEmptyParts);
        QCOMPARE(numbers.size(), kBlocks);
        QCOMPARE(numbers[0], QStringLiteral("0"));
        // The second block of the first SM; without a clock blocks come one after the other.
        QCOMPARE(numbers[1], hasClock() ? QStringLiteral("5120") : QStringLiteral("64"));
    }

    /// The block on the first SM that goes wrong is the one that is named, whether it ran aside or in order there.
    void theFirstErrorInTheOrderOfSms()
    {
        const auto late = runAlike({kPlaces + "setp.ge.u32 %p1, %r1, 150; mov.u64 %rd6, 0; "
                                              "@%p1 st.global.u32 [%rd6], %r0; st.global.u32 [%rd3], %r0;",
                                    {}});
        QVERIFY(late);
        QVERIFY2(late->error.find("block (160, 0, 0)") != std::string::npos ||
                     late->error.find("block (150, 0, 0)") != std::string::npos,
                 late->error.c_str());
        const auto two = runAlike({kPlaces + R"(
            mov.u64 %rd6, 0; setp.eq.u32 %p1, %r1, 11; @%p1 st.global.u32 [%rd6], %r0;
            setp.eq.u32 %p2, %r1, 5; @%p2 atom.global.add.u32 %r4, [%rd0], 1; @%p2 trap;
            setp.eq.u32 %p3, %r1, 9; @%p3 bar.sync 1, 96;)",
                                   {}});
        QVERIFY(two);
        QVERIFY2(two->error.find("block (5, 0, 0)") != std::string::npos, two->error.c_str());
        QCOMPARE(two->a[0], 32u);
        const auto stuck =
            runAlike({kPlaces + "setp.eq.u32 %p3, %r1, 9; @%p3 bar.sync 1, 96; st.global.u32 [%rd3], 1;", {}});
        QVERIFY(stuck);
        QVERIFY2(stuck->error.find("block (9, 0, 0)") != std::string::npos, stuck->error.c_str());
    }

    void anAccessAstrayThatHitsAnotherAllocation()
    {
        const auto out = runAlike({kPlaces + R"(
            add.u64 %rd6, %rd3, %rd2; st.global.u32 [%rd6], %r0; ld.global.u32 %r4, [%rd4]; add.u32 %r4, %r4, 1;
            st.global.u32 [%rd4], %r4;)",
                                   {}});
        QVERIFY(out);
        for (std::uint32_t at = 0; at < kAll; ++at)
            QCOMPARE(out->b[at], at + 1);
    }

    /// More than the SM keeps before it writes.
    void manyStores()
    {
        const auto out = runAlike({kPlaces + R"(
            mul.wide.u32 %rd6, %r0, 16; add.u64 %rd6, %rd0, %rd6; mov.u32 %r4, 0;
        L:  st.global.v4.u32 [%rd6], {%r4, %r0, %r4, %r1}; add.u64 %rd6, %rd6, 204800; add.u32 %r4, %r4, 1;
            setp.lt.u32 %p1, %r4, 40; @%p1 bra L;)",
                                   {},
                                   std::size_t{kAll} * 4 * 40});
        QVERIFY(out);
        for (std::uint32_t at = 0; at < kAll * 40; ++at) {
            QCOMPARE(out->a[at * 4], at / kAll);
            QCOMPARE(out->a[at * 4 + 1], at % kAll);
        }
    }

    void theBudgetOfInstructionsEndsAnEndlessLoop()
    {
        const auto out = runAlike({kPlaces + "L: add.u32 %r4, %r4, 1; bra L;", {}, kAll, 300'000});
        QVERIFY(out);
        QVERIFY2(out->error.find("executed more than the 300000 warp instructions") != std::string::npos,
                 out->error.c_str());
    }

    void theTraceKeepsItsOrder()
    {
        const auto out = runAlike({kPlaces + "ld.global.u32 %r4, [%rd3]; add.u32 %r4, %r4, 1; st.global.u32 [%rd4], "
                                             "%r4; atom.global.add.u32 %r5, [%rd0], 1;",
                                   {},
                                   kAll,
                                   0,
                                   500});
        QVERIFY(out);
        QCOMPARE(out->traced.size(), 500);
    }
};

QTEST_APPLESS_MAIN(TestTimingOrder)
#include "tst_timing_order.moc"
