// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of a functional launch run ahead in waves, on any number of threads: what a kernel finds in registers and
// local memory that it has not written, in its own stores, and what detectors say, is what one block after the other
// gives.
#include "simt_lab.h"

#include "gpu/open_choices.h"
#include "gpu/simt/run/store_log.h"
#include "gpu/simt/run/unwritten.h"
#include "gpu/simt/simt_program.h"

#include <random>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kBlocks = 300;
constexpr std::uint32_t kThreads = 96;
constexpr std::uint32_t kAll = kBlocks * kThreads;

const std::string kPlaces = "mov.u32 %r3, %tid.x; mul.wide.u32 %rd5, %r0, 4; add.u64 %rd3, %rd0, %rd5; "
                            "add.u64 %rd4, %rd1, %rd5;\n";

LaunchOptions with(unsigned threads)
{
    LaunchOptions options;
    options.timingOptions.threads = threads;
    return options;
}

/// What the kernel leaves in `a` (zeros at first), with 1, 2 and 8 threads alike; empty where they differ or it failed.
Words runAlike(const std::string& body, std::uint32_t blocks = kBlocks, std::uint32_t threadsOfBlock = kThreads,
               const std::string& outside = {})
{
    Words first;
    for (const unsigned threads : {1u, 2u, 8u}) {
        Lab lab;
        if (!lab.load(handWritten(body, outside)))
            qFatal("%s", lab.why().constData());
        const std::size_t words = std::size_t{blocks} * threadsOfBlock;
        const DevicePtr a = lab.put(Words(words), "a");
        const DevicePtr b = lab.put(Words(words, 5), "b");
        if (!lab.run("k", {blocks}, {threadsOfBlock}, {a, b, b}, 0, with(threads)))
            qFatal("%s", lab.why().constData());
        Words out = lab.get<std::uint32_t>(a, words);
        if (threads == 1)
            first = std::move(out);
        else if (out != first)
            return {};
    }
    return first;
}

std::vector<std::string> namesToClear(const std::string& body)
{
    Lab lab;
    if (!lab.load(handWritten(body)))
        qFatal("%s", lab.why().constData());
    const KernelImage& image = **dynamic_cast<SimtProgram&>(*lab.program).kernel("k");
    std::vector<std::string> names;
    for (const PlaneRange& range : readUnwritten(image)) {
        for (const NamedRegister& one : image.registers) {
            if (one.plane == range.offset) {
                const std::uint32_t bytes = one.bytes == 0 ? 4 : one.bytes * kWarpSize;
                names.push_back(range.bytes == bytes ? one.name : one.name + " has another size");
            }
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace

class TestSimtWaves : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void planesThatAreReadBeforeTheyAreWritten_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("names");
        const auto row = [](const char* title, const char* body, const char* names) {
            QTest::newRow(title) << QString::fromLatin1(body) << QString::fromLatin1(names);
        };
        row("nothing", "add.u32 %r4, %r0, 1; st.global.u32 [%rd0], %r4;", "");
        row("at once", "add.u32 %r4, %r5, 1; st.global.u32 [%rd0], %r4;", "%r5");
        row("an accumulator", "L: add.u32 %r4, %r4, %r0; setp.lt.u32 %p1, %r4, 90; @%p1 bra L;", "%r4");
        row("on one way of two", "setp.lt.u32 %p1, %r0, 9; @%p1 bra L; mov.u32 %r4, 1; L: st.global.u32 [%rd0], %r4;",
            "%r4");
        row("on none",
            "setp.lt.u32 %p1, %r0, 9; @%p1 bra L; mov.u32 %r4, 1; membar.gl; bra M; L: mov.u32 %r4, 2; membar.gl; "
            "M: st.global.u32 [%rd0], %r4;",
            "");
        row("where the guard says no", "setp.lt.u32 %p1, %r0, 9; @%p1 mov.u32 %r4, 1; st.global.u32 [%rd0], %r4;",
            "%r4");
        row("under one guard",
            "setp.lt.u32 %p1, %r0, 9; @%p1 mov.u32 %r4, 1; @%p1 add.u32 %r4, %r4, 1; @%p1 st.global.u32 [%rd0], %r4;",
            "");
        row("under its opposite", "setp.lt.u32 %p1, %r0, 9; @%p1 mov.u32 %r4, 1; @!%p1 st.global.u32 [%rd0], %r4;",
            "%r4");
        row("under a guard that has changed",
            "setp.lt.u32 %p1, %r0, 9; @%p1 mov.u32 %r4, 1; setp.lt.u32 %p1, %r0, 99; @%p1 st.global.u32 [%rd0], %r4;",
            "%r4");
        row("a guard", "@%p3 st.global.u32 [%rd0], %r0;", "%p3");
        row("a guard of a branch", "@!%p3 bra L; st.global.u32 [%rd0], %r0; L:", "%p3");
        row("an address", "st.global.u32 [%rd9], %r0;", "%rd9");
        row("in the lanes of others",
            "mov.u32 %r4, 7; shfl.sync.down.b32 %r5, %r4, 1, 31, -1; "
            "st.global.u32 [%rd0], %r5;",
            "%r4");
        row("behind the exit", "setp.lt.u32 %p1, %r0, 9; @%p1 exit; st.global.u32 [%rd0], %r6;", "%r6");
    }
    void planesThatAreReadBeforeTheyAreWritten()
    {
        QFETCH(QString, body);
        QFETCH(QString, names);
        QStringList found;
        for (const std::string& name : namesToClear(body.toStdString()))
            found.push_back(QString::fromStdString(name));
        QCOMPARE(found.join(QLatin1Char(' ')), names);
    }

    /// Each block of a wave may have the registers of any other: an accumulator that nobody sets starts from 0.
    void registersThatNobodyHasWritten()
    {
        const Words out = runAlike(kPlaces + "add.u32 %r4, %r4, %r0; add.u32 %r4, %r4, 1; st.global.u32 [%rd3], %r4;");
        QCOMPARE(out.size(), std::size_t{kAll});
        for (std::uint32_t at = 0; at < kAll; ++at)
            QCOMPARE(out[at], at + 1);
    }

    /// A lane that has left before it wrote the register: shfl reads what it has there.
    void lanesThatHaveLeft()
    {
        const Words out = runAlike(kPlaces + R"(
            and.b32 %r4, %r3, 1; setp.eq.u32 %p1, %r4, 1; and.b32 %r5, %r1, 1; setp.eq.and.u32 %p2, %r5, 1, %p1;
            @%p2 exit; mov.u32 %r6, %r0; shfl.sync.down.b32 %r7, %r6, 1, 31, -1; st.global.u32 [%rd3], %r7;)");
        QCOMPARE(out.size(), std::size_t{kAll});
        for (std::uint32_t at = 0; at < kAll; at += 2) {
            const bool odd = at / kThreads % 2 == 1;
            QCOMPARE(out[at], odd ? 0u : at + 1);
        }
    }

    void localMemoryThatNobodyHasWritten()
    {
        const Words out = runAlike(".local .align 8 .b8 stack[64];\n" + kPlaces + R"(
            mov.u64 %rd6, stack; and.b32 %r4, %r0, 15; mul.wide.u32 %rd7, %r4, 4; add.u64 %rd6, %rd6, %rd7;
            ld.local.u32 %r5, [%rd6]; add.u32 %r5, %r5, 3; st.local.u32 [%rd6], %r5; st.global.u32 [%rd3], %r5;)");
        QCOMPARE(out, Words(kAll, 3));
    }

    /// What CUDA leaves open: the order of warps, that of blocks which are resident together, and what lies in memory.
    void warpsAndBlocksBackwards()
    {
        const std::string draw = kPlaces + "atom.global.add.u32 %r4, [%rd1], 1; st.global.u32 [%rd3], %r4;";
        const auto tickets = [&](std::uint32_t blocks, std::uint32_t threads, bool backwards) {
            Lab lab;
            if (!lab.load(handWritten(draw)))
                qFatal("%s", lab.why().constData());
            const DevicePtr a = lab.put(Words(std::size_t{blocks} * threads), "a"), b = lab.put(Words(1), "b");
            choose(*lab.device, {backwards, 0});
            if (!lab.run("k", {blocks}, {threads}, {a, b, b}))
                qFatal("%s", lab.why().constData());
            Words drawn;
            const Words all = lab.get<std::uint32_t>(a, std::size_t{blocks} * threads);
            for (std::size_t at = 0; at < all.size(); at += 32)
                drawn.push_back(all[at] / 32);
            return lab.timed ? Words() : drawn; // time has an order of its own
        };
        if (tickets(1, 96, false).empty())
            QSKIP("timed");
        QCOMPARE(tickets(1, 96, false), (Words{0, 1, 2}));
        QCOMPARE(tickets(1, 96, true), (Words{2, 1, 0}));
        constexpr std::uint32_t resident = 4 * 32; // SMs, blocks of each
        const Words forwards = tickets(kBlocks, 32, false), backwards = tickets(kBlocks, 32, true);
        for (std::uint32_t block = 0; block < kBlocks; ++block) {
            const std::uint32_t first = block - block % resident, last = std::min(first + resident, kBlocks) - 1;
            QCOMPARE(forwards[block], block);
            QCOMPARE(backwards[block], first + last - block);
        }
    }

    void memoryThatNobodyHasWrittenHoldsWhatIsChosen()
    {
        constexpr std::uint32_t word = 0x7fc0'7f01;
        Lab lab;
        QVERIFY2(lab.load(handWritten(".local .align 8 .b8 stack[64]; .shared .align 4 .b8 tile[8];\n" + kPlaces + R"(
            mov.u64 %rd6, stack; ld.local.u32 %r4, [%rd6+8]; ld.shared.u32 %r5, [tile+4]; xor.b32 %r4, %r4, %r5;
            st.local.u32 [%rd6+8], %r0; st.shared.u32 [tile+4], %r0; st.global.u32 [%rd3], %r4;
            st.global.u32 [%rd4], %r5;)")),
                 lab.why());
        const DevicePtr a = lab.put(Words(kBlocks * 32, 1), "a"), b = lab.put(Words(kBlocks * 32, 1), "b");
        for (const std::uint32_t chosen : {word, 0u}) {
            choose(*lab.device, {false, chosen});
            QVERIFY2(lab.run("k", {kBlocks}, {32}, {a, b, b}), lab.why());
            QCOMPARE(lab.get<std::uint32_t>(a, kBlocks * 32), Words(kBlocks * 32)); // the same word in both
            QCOMPARE(lab.get<std::uint32_t>(b, kBlocks * 32), Words(kBlocks * 32, chosen));
        }
    }

    /// Blocks with a long way to go see in time what earlier ones have stored, however plainly they look.
    void aCountingWaitForAnEarlierBlock()
    {
        const Words out = runAlike(kPlaces + R"(
            mov.u32 %r4, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra FIRST;
        L:  add.u32 %r4, %r4, 1; ld.global.u32 %r5, [%rd0]; setp.eq.u32 %p2, %r5, 0; @%p2 bra L; bra END;
        FIRST: mov.u32 %r5, 9;
        END: st.global.u32 [%rd3], %r5;)",
                                   20, 32);
        QCOMPARE(out, Words(20 * 32, 9));
    }

    /// 40,960 steps of a block with many stores, far beyond what a slice or a log holds.
    void aLongWayWithManyStores()
    {
        const Words out = runAlike(kPlaces + R"(
            mov.u32 %r4, 0; mov.u32 %r6, 0;
        L:  ld.global.u32 %r5, [%rd3]; add.u32 %r5, %r5, %r4; st.global.u32 [%rd3], %r5;
            add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 8192; @%p1 bra L;)",
                                   40, 64);
        QCOMPARE(out, Words(40 * 64, 8191u * 8192u / 2));
    }

    /// The wave runs past the block that fails; nothing of those behind it is left.
    void whatComesBehindAFaultHasNoEffect()
    {
        for (const unsigned threads : {1u, 2u, 8u}) {
            Lab lab;
            QVERIFY2(lab.load(handWritten(kPlaces + "mov.u64 %rd6, 0; setp.eq.u32 %p1, %r1, 7; "
                                                    "@%p1 st.global.u32 [%rd6], %r0; st.global.u32 [%rd3], %r1;")),
                     lab.why());
            const DevicePtr a = lab.put(Words(kAll, 77), "a");
            QVERIFY(!lab.run("k", {kBlocks}, {kThreads}, {a, a, a}, 0, with(threads)));
            QVERIFY2(lab.why().contains("block (7, 0, 0)"), lab.why());
            const Words out = lab.get<std::uint32_t>(a, kAll);
            for (std::uint32_t at = 0; at < kAll; ++at)
                QCOMPARE(out[at], at / kThreads < 7 ? at / kThreads : 77u);
        }
    }

    void anEndlessLoopInOneBlockIsNamed()
    {
        for (const unsigned threads : {1u, 2u, 8u}) {
            Lab lab;
            QVERIFY2(lab.load(handWritten("L: setp.eq.u32 %p1, %r1, 3; @%p1 bra L;")), lab.why());
            const DevicePtr a = lab.put(Words(4), "a");
            QVERIFY(!lab.run("k", {kBlocks}, {kThreads}, {a, a, a}, 0, with(threads)));
            QCOMPARE(lab.code(), std::string("endless-loop"));
            QVERIFY2(lab.why().contains("block (3, 0, 0)"), lab.why());
        }
    }

    /// More blocks run ahead than the chip holds; a barrier of the grid still cannot open.
    void aGridThatDoesNotFitIsNamed()
    {
        for (const unsigned threads : {1u, 8u}) {
            ChipLimits limits;
            limits.blocksPerSm = 2;
            Lab lab({}, limits);
            QVERIFY2(lab.load(handWritten(R"(
                mov.u32 %r4, %nctaid.x; atom.global.add.u32 %r5, [%rd0], 1;
            L:  ld.acquire.gpu.global.u32 %r6, [%rd0]; setp.lt.u32 %p2, %r6, %r4; @%p2 bra L;)")),
                     lab.why());
            const DevicePtr a = lab.put(Words(4), "a");
            QVERIFY2(lab.run("k", {8}, {1}, {a, a, a}, 0, with(threads)), lab.why());
            QCOMPARE(lab.get<std::uint32_t>(a, 1)[0], 8u);
            const DevicePtr b = lab.put(Words(4), "b");
            QVERIFY(!lab.run("k", {9}, {1}, {b, b, b}, 0, with(threads)));
            QCOMPARE(lab.code(), std::string("never-resident"));
            QVERIFY2(lab.why().contains("block 8 can never start"), lab.why());
        }
    }

    void aCancelOrTheTimeLimitEndsAWave()
    {
        int asked = 0;
        DeviceOptions cancelled, late;
        cancelled.stop = [&asked] { return ++asked > 3; };
        late.launchSeconds = 0.2;
        for (const auto& [options, code] : {std::pair(cancelled, "cancelled"), std::pair(late, "time-limit")}) {
            Lab lab(options);
            QVERIFY2(lab.load(handWritten("mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 2000000000; "
                                          "@%p1 bra L; st.global.u32 [%rd0], %r4;")),
                     lab.why());
            const DevicePtr a = lab.put(Words(4), "a");
            QVERIFY(!lab.run("k", {kBlocks}, {kThreads}, {a, a, a}, 0, with(2)));
            QCOMPARE(lab.code(), std::string(code));
        }
    }

    /// A load of a random stretch of memory against all stores so far, byte by byte.
    void theLogLaysTheNewestOver()
    {
        std::mt19937 random(20261124);
        const auto below = [&](std::uint32_t end) {
            return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random);
        };
        constexpr std::uint64_t kBase = 0x1000'0000;
        for (int round = 0; round < 200; ++round) {
            std::vector<std::byte> memory(1024), expected(1024);
            StoreLog log;
            for (std::uint32_t store = 0; store < 1 + below(60); ++store) {
                LaneAddresses lanes;
                lanes.bytes = 1u << below(5);
                lanes.mask = below(3) == 0 ? ~std::uint32_t{0} : 1 + below(0x7fff'ffff);
                const std::uint32_t first = below(16), stride = below(2) == 0 ? 1 : below(3);
                for (std::uint32_t lane = 0; lane < kWarpSize; ++lane)
                    lanes.address[lane] = kBase + std::uint64_t{first + lane * stride} * lanes.bytes %
                                                      (1024 - lanes.bytes) / lanes.bytes * lanes.bytes;
                analyse(lanes);
                log.mark(lanes);
                for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
                    if ((lanes.mask >> lane & 1) == 0)
                        continue;
                    const std::uint64_t at = lanes.address[lane] - kBase;
                    std::byte* to = log.add(memory.data() + at, lanes.bytes);
                    for (std::uint32_t byte = 0; byte < lanes.bytes; ++byte)
                        to[byte] = expected[at + byte] = static_cast<std::byte>(below(256));
                }
                const std::uint32_t from = below(1000), count = 1 + below(1024 - from);
                std::vector<std::byte> seen(memory.begin() + from, memory.begin() + from + count);
                log.overlay(kBase + from, memory.data() + from, count, seen.data());
                QVERIFY(std::equal(seen.begin(), seen.end(), expected.begin() + from));
            }
            log.commit();
            QVERIFY(memory == expected);
        }
    }
};

QTEST_APPLESS_MAIN(TestSimtWaves)
#include "tst_simt_waves.moc"
