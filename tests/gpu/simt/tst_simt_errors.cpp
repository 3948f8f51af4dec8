// SPDX-License-Identifier: GPL-3.0-or-later
// Everything a launch can do wrong, and what is said about it.
#include "base/work_clock.h"
#include "simt_lab.h"
#include "tests/support/pace.h"

#include <QElapsedTimer>
#include <thread>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

#define VERIFY_SAYS(lab, part)                                                                                         \
    QVERIFY2((lab).problem&& toText(*(lab).problem).find(part) != std::string::npos, (lab).why())

} // namespace

class TestSimtErrors : public QObject {
    Q_OBJECT

    static bool runHand(Lab& lab, const std::string& body, Dim3 block = {32}, std::uint32_t shared = 0)
    {
        if (!lab.load(handWritten(body)))
            return false;
        const DevicePtr a = lab.put(std::vector<std::uint32_t>(64), "input");
        return lab.run("k", {1}, block, {a, a, a}, shared);
    }

private Q_SLOTS:
    void outOfBoundsNamesEverything()
    {
        Lab lab;
        QVERIFY2(lab.load(fixture("kernels.nvcc.ptx")), lab.why());
        const DevicePtr a = lab.put(std::vector<float>(1000), "left");
        const DevicePtr c = lab.put(std::vector<float>(1024), "sum");
        QVERIFY(!lab.run("vecadd", {8}, {128}, {a, a, c, std::int32_t{1024}}));
        QCOMPARE(lab.code(), std::string("out-of-bounds"));
        for (const char* part : {"vecadd", "source line 9", "PTX line", "block (7, 0, 0)", "warp 3, lane 8", "'left'",
                                 "4000 bytes", "1 bytes past the last byte", "i < n"})
            VERIFY_SAYS(lab, part);
        // Never a neighbour: the gap behind every buffer is wide.
        QVERIFY(!lab.run("strided", {1}, {32}, {a, c, std::int32_t{4000}}));
        QCOMPARE(lab.code(), std::string("out-of-bounds"));
    }

    void anAccessPastALocalArrayIsSeen()
    {
        const auto body = [](int element) {
            return ".local .align 4 .b8 a[20]; mov.u64 %rd3, a; st.local.u32 [%rd3+" + std::to_string(4 * element) +
                   "], %r0;";
        };
        Lab lab;
        QVERIFY2(runHand(lab, body(4)), lab.why());
        QVERIFY(!runHand(lab, body(5)));
        QCOMPARE(lab.code(), std::string("out-of-bounds"));
    }

    void wholeWarpsMeetAtABarrier()
    {
        Lab lab;
        QVERIFY2(runHand(lab, "bar.sync 1, 64;", {64}), lab.why());
        QVERIFY(!runHand(lab, "bar.sync 1, 40;", {64}));
        QCOMPARE(lab.code(), std::string("launch-failed"));
        VERIFY_SAYS(lab, "40 threads");
    }

    void useAfterFreeIsNamed()
    {
        Lab lab;
        QVERIFY2(lab.load(fixture("kernels.nvcc.ptx")), lab.why());
        const DevicePtr a = lab.put(std::vector<float>(64), "gone");
        QVERIFY(lab.device->free(a).ok());
        QVERIFY(!lab.device->free(a).ok());
        const DevicePtr b = lab.put(std::vector<float>(64), "new");
        QVERIFY(b.address != a.address);
        QVERIFY(!lab.run("vecadd", {1}, {64}, {a, b, b, std::int32_t{64}}));
        QCOMPARE(lab.code(), std::string("out-of-bounds"));
        VERIFY_SAYS(lab, "freed earlier");
    }

    void misalignedAccess()
    {
        Lab lab;
        QVERIFY(!runHand(lab, "ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd0+4];"));
        QCOMPARE(lab.code(), std::string("misaligned"));
        VERIFY_SAYS(lab, "multiple of 16");
        VERIFY_SAYS(lab, "lane 0");
    }

    void sharedMemoryHasBounds()
    {
        Lab lab;
        QVERIFY(!runHand(lab, ".shared .align 4 .b8 s[64]; mov.u32 %r4, s; shl.b32 %r5, %r0, 2;"
                              "add.u32 %r4, %r4, %r5; st.shared.u32 [%r4], %r0;"));
        QCOMPARE(lab.code(), std::string("out-of-bounds"));
        VERIFY_SAYS(lab, "offset 64 of shared memory, which has 64 bytes");
        VERIFY_SAYS(lab, "lane 16");
    }

    void localMemoryHasBounds()
    {
        Lab lab;
        QVERIFY(!runHand(lab, ".local .align 4 .b8 l[16]; mov.u64 %rd4, l; st.local.u32 [%rd4+64], %r0;"));
        QCOMPARE(lab.code(), std::string("out-of-bounds"));
        VERIFY_SAYS(lab, "local memory");
    }

    void barrierThatNeverCompletes()
    {
        Lab lab;
        QVERIFY(!runHand(lab,
                         "mov.u32 %r4, %tid.x; setp.lt.u32 %p1, %r4, 16; @%p1 bra WAIT; bar.sync 0; bra END;\n"
                         "WAIT: bar.sync 1; END:",
                         {64}));
        QCOMPARE(lab.code(), std::string("barrier-deadlock"));
        VERIFY_SAYS(lab, "warp 0, lane 0-15 wait at bar.sync");
        VERIFY_SAYS(lab, "warp 1, all lanes wait at bar.sync");
        // An exited thread is not waited for.
        QVERIFY2(runHand(lab, "setp.gt.u32 %p1, %r0, 20; @%p1 ret; bar.sync 0;", {64}), lab.why());
    }

    void shuffleWithoutItsPartners()
    {
        Lab lab;
        QVERIFY(!runHand(lab, "setp.lt.u32 %p1, %r0, 8; @%p1 bra A; bar.sync 0; bra END;\n"
                              "A: shfl.sync.idx.b32 %r4, %r0, 0, 31, -1; END:"));
        QCOMPARE(lab.code(), std::string("barrier-deadlock"));
        VERIFY_SAYS(lab, "shfl.sync.idx.b32");
        VERIFY_SAYS(lab, "for lane 8-31");
    }

    void endlessLoopEnds()
    {
        DeviceOptions options;
        options.launchSeconds = 0.2;
        Lab lab(options);
        QVERIFY(!runHand(lab, "L: add.u32 %r4, %r4, 1; bra L;"));
        QCOMPARE(lab.code(), std::string("time-limit"));
        VERIFY_SAYS(lab, "kernel k");
        VERIFY_SAYS(lab, "0.2 s");
    }

    /// The limit is on what the simulator computes: where others take the machine, the same work is let through.
    void aBusyMachineTakesNothingFromTheLimit()
    {
        int polls = 0;
        DeviceOptions options;
        options.launchSeconds = 1;
        options.stop = [&polls] {
            ++polls;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            return false;
        };
        Lab lab(options);
        QElapsedTimer timer;
        timer.start();
        QVERIFY2(runHand(lab, "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 500000; @%p1 bra L;"),
                 lab.why());
        QVERIFY2(timer.elapsed() > 1200,
                 qPrintable(QString::number(polls))); // it would have been too late by the clock
        QCOMPARE(WorkClock::worked(30, 5), 5.0);
        QCOMPARE(WorkClock::worked(30, 60), 30.0);
        QCOMPARE(WorkClock::worked(80, 0), 10.0); // what waits for ever ends as well
    }

    void cancelStopsSoon()
    {
        int polls = 0;
        DeviceOptions options;
        options.stop = [&polls] { return ++polls >= 3; };
        Lab lab(options);
        QVERIFY(!runHand(lab, "L: sin.approx.f32 %f1, %f1; bra L;"));
        QCOMPARE(lab.code(), std::string("cancelled"));
        QCOMPARE(polls, 3);
        // Polled often enough: at most 20 000 micro-ops apart.
        polls = -1'000'000;
        const test::PacedClock clock;
        options.stop = [&] { return ++polls >= -1'000'000 + 20; };
        Lab second(options);
        QVERIFY(!runHand(second, "L: sin.approx.f32 %f1, %f1; bra L;"));
        QVERIFY2(clock.ms() < 20 * 250, "20 polls");
    }

    void launchLimits()
    {
        Lab lab;
        QVERIFY2(lab.load(fixture("kernels.nvcc.ptx")), lab.why());
        const DevicePtr a = lab.put(std::vector<float>(64));
        const std::vector<KernelArg> args{a, a, a, std::int32_t{64}};
        QVERIFY(!lab.run("vecadd", {1}, {2048}, args));
        QCOMPARE(lab.code(), std::string("bad-launch"));
        VERIFY_SAYS(lab, "1024");
        QVERIFY(!lab.run("vecadd", {1}, {512, 4}, args));
        VERIFY_SAYS(lab, "2048 threads");
        QVERIFY(!lab.run("vecadd", {0}, {32}, args));
        VERIFY_SAYS(lab, "grid.x is 0");
        QVERIFY(!lab.run("vecadd", {1, 70000}, {32}, args));
        VERIFY_SAYS(lab, "65535");
        QVERIFY(!lab.run("vecadd", {1}, {32}, args, 1 << 20));
        VERIFY_SAYS(lab, "101376");
        QVERIFY(!lab.run("vecadd", {1}, {32}, {a, a}));
        VERIFY_SAYS(lab, "4 arguments");
        QVERIFY(!lab.run("vecadd", {1}, {32}, {a, a, a, std::int64_t{64}}));
        VERIFY_SAYS(lab, "argument 4");
        QVERIFY(!lab.run("nothing", {1}, {32}, args));
        QCOMPARE(lab.code(), std::string("kernel-not-found"));
        VERIFY_SAYS(lab, "vecadd");
        ChipLimits none;
        none.warpsPerSm = 0;
        QVERIFY(!openSimtDevice({}, none, {}).ok());
    }

    void requiredBlockSize()
    {
        Lab lab;
        QVERIFY2(
            lab.load(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() .reqntid 64, 1, 1 { ret; }"
                     ".visible .entry m() .maxntid 128 { ret; }"),
            lab.why());
        QVERIFY(!lab.run("k", {1}, {32}, {}));
        VERIFY_SAYS(lab, "(64, 1, 1)");
        QVERIFY2(lab.run("k", {1}, {64}, {}), lab.why());
        QVERIFY(!lab.run("m", {1}, {129}, {}));
        VERIFY_SAYS(lab, "128");
    }

    void memoryRunsOut()
    {
        DeviceOptions options;
        options.memoryBytes = 1000;
        Lab lab(options);
        QCOMPARE(lab.device->allocate(2000, "big").error().code, std::string("out-of-memory"));
        QVERIFY(!lab.device->allocate(0, "none").ok());
        const DevicePtr a = *lab.device->allocate(800, "first");
        QVERIFY(!lab.device->allocate(800, "second").ok());
        QVERIFY(lab.device->free(a).ok());
        QVERIFY(lab.device->allocate(800, "second").ok());
        std::array<std::byte, 8> bytes{};
        QCOMPARE(lab.device->copyToHost(bytes, a).error().code, std::string("out-of-bounds"));
    }

    void trapStops()
    {
        Lab lab;
        QVERIFY(!runHand(lab, "setp.eq.u32 %p1, %r0, 5; @%p1 trap;"));
        QCOMPARE(lab.code(), std::string("launch-failed"));
        VERIFY_SAYS(lab, "lane 5");
    }

    void timeIsNoValueButTheClockGoes()
    {
        Lab lab;
        QVERIFY(lab.load(fixture("kernels.nvcc.ptx")));
        QVERIFY(!lab.device->time(*lab.program, {})->has_value());
        // Functional execution counts instructions: four of the kernel's own lie before, two in between.
        QVERIFY2(lab.load(handWritten("mov.u32 %r4, %clock; add.u32 %r5, %r4, 1; mov.u64 %rd4, %clock64;"
                                      "cvt.u32.u64 %r6, %rd4; sub.u32 %r6, %r6, %r4; st.global.u32 [%rd0], %r6;")),
                 lab.why());
        const DevicePtr a = lab.put(std::vector<std::uint32_t>(1));
        QVERIFY2(lab.run("k", {1}, {1}, {a, a, a}), lab.why());
        QCOMPARE(lab.get<std::uint32_t>(a, 1)[0], 2u);
        QVERIFY(!lab.load(handWritten("mov.u32 %r4, %pm0;")));
        VERIFY_SAYS(lab, "what only hardware has");
    }
};

QTEST_APPLESS_MAIN(TestSimtErrors)
#include "tst_simt_errors.moc"
