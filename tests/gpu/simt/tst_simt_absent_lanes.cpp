// SPDX-License-Identifier: GPL-3.0-or-later
// What the detectors say about shuffles whose source lane takes no part, or whose mask leaves out who executes them: of
// values that decide something, and of nobody else's.
#include "report_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

/// %r4 is the thread's value, %rd6 where it stores.
std::string kernelOf(const std::string& body)
{
    return handWritten("and.b32 %r3, %r0, 31; add.u32 %r4, %r0, 100; shl.b32 %r7, %r0, 2; cvt.u64.u32 %rd6, %r7;\n"
                       "add.u64 %rd6, %rd0, %rd6;\n" +
                       body + "\n");
}

const std::string kStoreAll = "st.global.u32 [%rd6], %r5;\n";
const std::string kStoreFirst = "setp.eq.u32 %p3, %r3, 0; @%p3 st.global.u32 [%rd6], %r4;\n";

/// A sum over 32 lanes by halves, of those for which %p1 holds.
std::string sumOf(std::uint32_t first, const std::string& members)
{
    std::string steps;
    for (std::uint32_t by = first; by > 0; by /= 2)
        steps +=
            "shfl.sync.down.b32 %r5, %r4, " + std::to_string(by) + ", 31, " + members + "; add.u32 %r4, %r4, %r5;\n";
    return steps;
}

} // namespace

class TestSimtAbsentLanes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shuffles_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("lane");   // that asks first; -1: no report
        QTest::addColumn<int>("absent"); // whom it asks
        const auto row = [](const char* name, const std::string& body, int threads, int lane, int absent) {
            QTest::newRow(name) << QString::fromStdString(body) << threads << lane << absent;
        };
        const std::string branch = "setp.ge.u32 %p1, %r3, 16; @%p1 bra E;\n", end = "E:\n";
        row("whole warp", "shfl.sync.bfly.b32 %r5, %r4, 16, 31, -1;\n" + kStoreAll, 32, -1, 0);
        row("half a warp", branch + "shfl.sync.bfly.b32 %r5, %r4, 16, 31, 65535;\n" + kStoreAll + end, 32, 0, 16);
        row("half a warp, inside", branch + "shfl.sync.bfly.b32 %r5, %r4, 8, 31, 65535;\n" + kStoreAll + end, 32, -1,
            0);
        row("half a warp, by all", "shfl.sync.bfly.b32 %r5, %r4, 8, 31, 65535;\n" + kStoreAll, 32, 16, 16);
        row("even lanes, by odd ones",
            "and.b32 %r8, %r3, 1; setp.eq.u32 %p1, %r8, 0; @%p1 bra E;\n"
            "shfl.sync.up.b32 %r5, %r4, 2, 0, 0x55555555;\n" +
                kStoreAll + end,
            32, 1, 1);
        row("a sum by lanes of another mask", "redux.sync.add.u32 %r5, %r4, 65535;\n" + kStoreAll, 32, 16, 16);
        row("a ballot by all", "setp.gt.u32 %p1, %r3, 3; vote.sync.ballot.b32 %r5, %p1, 0x7fffffff;\n" + kStoreAll, 32,
            31, 31);
        row("a match by all", "match.any.sync.b32 %r5, %r4, 0xfffffffe;\n" + kStoreAll, 32, 0, 0);
        row("a sum of the warp", "redux.sync.add.u32 %r5, %r4, -1;\n" + kStoreAll, 32, -1, 0);
        row("a mask of its own for each lane",
            "and.b32 %r8, %r3, 16; shl.b32 %r9, 65535, %r8; shfl.sync.bfly.b32 %r5, %r4, 8, 31, %r9;\n" + kStoreAll, 32,
            -1, 0);
        row("by index", branch + "shfl.sync.idx.b32 %r5, %r4, 31, 31, 65535;\n" + kStoreAll + end, 32, 0, 31);
        row("up, kept where there is none", branch + "shfl.sync.up.b32 %r5, %r4, 1, 0, 65535;\n" + kStoreAll + end, 32,
            -1, 0);
        row("segments of eight", branch + "shfl.sync.down.b32 %r5, %r4, 4, 6175, 65535;\n" + kStoreAll + end, 32, -1,
            0);
        row("short block", "shfl.sync.down.b32 %r5, %r4, 8, 31, -1;\n" + kStoreAll, 48, 8, 16);
        row("asked for and not used", branch + "shfl.sync.bfly.b32 %r5, %r4, 16, 31, 65535;\n" + end, 32, -1, 0);
        row("chosen only where it is there",
            branch +
                "shfl.sync.down.b32 %r5|%p2, %r4, 4, 31, 65535; setp.lt.u32 %p2, %r3, 12;\n"
                "selp.u32 %r5, %r5, 0, %p2;\n" +
                kStoreAll + end,
            32, -1, 0);
        // What lanes 8 to 15 get no longer reaches lane 0 …
        row("sum of half a warp", branch + sumOf(8, "65535") + kStoreFirst + end, 32, -1, 0);
        // … but it does here, where the first step asks for lanes that have left.
        row("sum of half a warp, a step too many", branch + sumOf(16, "65535") + kStoreFirst + end, 32, 0, 16);
        row("sum of a warp", sumOf(16, "-1") + kStoreFirst, 32, -1, 0);
        row("passed on once more",
            branch + "shfl.sync.idx.b32 %r5, %r4, 20, 31, 65535; shfl.sync.bfly.b32 %r5, %r5, 1, 31, 65535;\n" +
                kStoreAll + end,
            32, 0, 20);
        row("overwritten", branch + "shfl.sync.bfly.b32 %r5, %r4, 16, 31, 65535; mov.u32 %r5, 1;\n" + kStoreAll + end,
            32, -1, 0);
    }
    void shuffles()
    {
        QFETCH(QString, body);
        QFETCH(int, threads);
        QFETCH(int, lane);
        QFETCH(int, absent);
        Lab lab;
        QVERIFY2(lab.load(kernelOf(body.toStdString())), lab.why());
        const DevicePtr a = lab.put(std::vector<std::uint32_t>(64), "a");
        QVERIFY2(lab.run("k", {1}, {static_cast<std::uint32_t>(threads)}, {a, a, a}, 0, watching()), lab.why());
        QVERIFY2(lab.reports.empty() == (lane < 0), told(lab.reports).c_str());
        if (lane < 0)
            return;
        QCOMPARE(lab.reports.size(), std::size_t{1});
        const Report& report = lab.reports.front();
        QCOMPARE(report.code, std::string("uninitialised-read"));
        QVERIFY2(report.thread && report.thread->lane == static_cast<std::uint32_t>(lane), told(lab.reports).c_str());
        const std::string says =
            absent == lane ? "with a member mask that leaves it out"
                           : "value of lane " + std::to_string(absent) + ", which takes no part in the shuffle";
        QVERIFY2(report.message.find(says) != std::string::npos, told(lab.reports).c_str());
        QVERIFY(report.otherPlace && report.other && !report.access);
        QVERIFY(report.place.ptxLine < report.otherPlace->ptxLine);
    }

    /// A value that a lane read where nobody wrote comes along, and only to who asks for it.
    void undefinedValuesAreHandedOn()
    {
        for (const auto& [from, fires] : {std::pair(0, true), std::pair(1, false)}) {
            Lab lab;
            QVERIFY2(lab.load(kernelOf("setp.ne.u32 %p1, %r3, 0; @%p1 mov.u32 %r9, 7;\n"
                                       "shfl.sync.idx.b32 %r5, %r9, " +
                                       std::to_string(from) + ", 31, -1;\n" + kStoreAll)),
                     lab.why());
            const DevicePtr a = lab.put(std::vector<std::uint32_t>(64), "a");
            QVERIFY2(lab.run("k", {1}, {32}, {a, a, a}, 0, watching()), lab.why());
            QVERIFY2(lab.reports.empty() != fires, told(lab.reports).c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestSimtAbsentLanes)
#include "tst_simt_absent_lanes.moc"
