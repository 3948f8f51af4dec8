// SPDX-License-Identifier: GPL-3.0-or-later
// What the detectors say about an index that leads out of one array of shared memory into another.
#include "gpu/simt/check/shared_arrays.h"
#include "report_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

/// Two arrays of 32 words each, both written; %r3 is 4 bytes a thread.
std::string kernelOf(const std::string& body)
{
    return handWritten(".shared .align 16 .b8 _ZZ1kE5tileA[128]; .shared .align 16 .b8 tileB[128];\n"
                       "shl.b32 %r3, %r0, 2; mov.u32 %r4, _ZZ1kE5tileA; add.u32 %r5, %r4, %r3; mov.u32 %r6, tileB;\n"
                       "add.u32 %r7, %r6, %r3; st.shared.u32 [%r5], %r0; st.shared.u32 [%r7], %r0; bar.sync 0;\n" +
                       body + "\nst.global.u32 [%rd0], %r8;\n");
}

} // namespace

class TestSimtArrayOverruns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void overruns_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("array"); ///< empty: no report
        QTest::addColumn<int>("lane");
        QTest::addColumn<int>("distance");
        const auto row = [](const char* name, const char* body, const char* array = "", int lane = 0,
                            int distance = 0) {
            QTest::newRow(name) << QString::fromLatin1(body) << QString::fromLatin1(array) << lane << distance;
        };
        row("inside", "ld.shared.u32 %r8, [%r5];");
        row("the next thread's word", "ld.shared.u32 %r8, [%r5+4];", "tileA", 31, 4);
        row("the word before", "ld.shared.u32 %r8, [%r7+-8];", "tileB", 0, -8);
        row("write", "add.u32 %r9, %r5, 8; st.shared.u32 [%r9], %r0; mov.u32 %r8, 0;", "tileA", 30, 4);
        row("update", "atom.shared.add.u32 %r8, [%r5+64], 1;", "tileA", 16, 4);
        row("by name", "ld.shared.u32 %r8, [_ZZ1kE5tileA+128];", "tileA", 0, 4);
        row("by name, the last word", "ld.shared.u32 %r8, [_ZZ1kE5tileA+124];");
        row("half a vector",
            "shl.b32 %r12, %r0, 3; add.u32 %r9, %r4, %r12; and.b32 %r10, %r0, 15; setp.lt.u32 %p1, %r0, 16;\n"
            "@%p1 ld.shared.v2.u32 {%r8, %r11}, [%r9]; @!%p1 mov.u32 %r8, 0;");
        row("half a vector, all threads",
            "shl.b32 %r12, %r0, 3; add.u32 %r9, %r4, %r12; ld.shared.v2.u32 {%r8, %r11}, [%r9];", "tileA", 16, 8);
        row("mad", "mad.lo.u32 %r9, %r0, 8, %r4; ld.shared.u32 %r8, [%r9];", "tileA", 16, 4);
        row("generic address",
            "cvt.u64.u32 %rd4, %r4; cvta.shared.u64 %rd5, %rd4; add.u64 %rd5, %rd5, 132; ld.u32 %r8, [%rd5];", "tileA",
            0, 8);
        row("swizzled inside", "xor.b32 %r12, %r3, 28; add.u32 %r9, %r4, %r12; ld.shared.u32 %r8, [%r9];");
        row("index out of memory",
            "ld.global.u32 %r10, [%rd1]; shl.b32 %r12, %r10, 2; add.u32 %r9, %r4, %r12; "
            "ld.shared.u32 %r8, [%r9];",
            "tileA", 0, 20);
        row("a loop's pointer",
            "mov.u32 %r9, %r5; mov.u32 %r10, 0; L: ld.shared.u32 %r8, [%r9]; add.u32 %r9, %r9, 4; add.u32 %r10, %r10, "
            "1;\n"
            "setp.lt.u32 %p1, %r10, 2; @%p1 bra L;",
            "tileA", 31, 4);
        // One of two arrays, as double buffers are chosen: which one, only the run knows.
        row("either of two", "and.b32 %r9, %r0, 1; setp.eq.u32 %p1, %r9, 0; selp.b32 %r9, %r4, %r6, %p1;\n"
                             "ld.shared.u32 %r8, [%r9+64];");
        row("swapped",
            "mov.u32 %r9, %r4; setp.eq.u32 %p1, %r0, 0; @%p1 mov.u32 %r9, %r6; ld.shared.u32 %r8, [%r9+32];");
        row("a distance between arrays", "sub.u32 %r9, %r6, %r4; add.u32 %r12, %r9, %r4; ld.shared.u32 %r8, [%r12];");
        row("a distance in one array",
            "sub.u32 %r9, %r5, %r4; add.u32 %r12, %r9, %r6; ld.shared.u32 %r8, [%r12];"); // the thread's index, in
                                                                                          // bytes
        row("through memory", "st.shared.u32 [%r5], %r6; ld.shared.u32 %r9, [%r5]; ld.shared.u32 %r8, [%r9+4];");
    }
    void overruns()
    {
        QFETCH(QString, body);
        QFETCH(QString, array);
        QFETCH(int, lane);
        QFETCH(int, distance);
        Lab lab;
        QVERIFY2(lab.load(kernelOf(body.toStdString())), lab.why());
        const DevicePtr out = lab.put(std::vector<std::uint32_t>(64), "out");
        const DevicePtr in = lab.put(std::vector<std::uint32_t>(64, 36), "in");
        QVERIFY2(lab.run("k", {1}, {32}, {out, in, out}, 0, watching()), lab.why());
        const Report* const found = find(lab.reports, "array-overrun");
        QVERIFY2((found == nullptr) == array.isEmpty(), told(lab.reports).c_str());
        if (array.isEmpty())
            return;
        QVERIFY2(found->access && found->access->allocation == array.toStdString() &&
                     found->access->distance == distance && found->access->allocationBytes == 128 &&
                     found->thread->lane == static_cast<std::uint32_t>(lane) && !found->fatal,
                 told(lab.reports).c_str());
        QVERIFY2(found->message.find('\'' + array.toStdString() + '\'') != std::string::npos, found->message.c_str());
    }

    /// Past the last array is past all shared memory: the fault that a GPU has, too, and nothing else.
    void pastTheLastArray()
    {
        Lab lab;
        QVERIFY2(lab.load(kernelOf("ld.shared.u32 %r8, [%r7+4];")), lab.why());
        const DevicePtr out = lab.put(std::vector<std::uint32_t>(64), "out");
        lab.run("k", {1}, {32}, {out, out, out}, 0, watching());
        QVERIFY2(lab.reports.size() == 1 && lab.reports[0].code == "out-of-bounds", told(lab.reports).c_str());
    }

    void dynamicSharedMemory()
    {
        for (const auto& [offset, fires] : {std::pair(0, false), std::pair(124, false), std::pair(-4, true)}) {
            Lab lab;
            QVERIFY2(lab.load(handWritten(
                         ".shared .align 4 .b8 fixed[64]; mov.u32 %r4, fixed; st.shared.u32 [%r4+60], %r0;\n"
                         "mov.u32 %r5, rest; ld.shared.u32 %r6, [%r5+" +
                             std::to_string(offset) + "];",
                         ".extern .shared .align 4 .b8 rest[];")),
                     lab.why());
            const DevicePtr out = lab.put(std::vector<std::uint32_t>(64), "out");
            QVERIFY2(lab.run("k", {1}, {1}, {out, out, out}, 128, watching()), lab.why());
            QVERIFY2(lab.reports.empty() != fires, told(lab.reports).c_str());
            QVERIFY(!fires || lab.reports.front().access->allocation == "rest");
        }
    }

    void names()
    {
        QCOMPARE(plainName("_ZZ9transposedE4tile"), std::string("tile"));
        QCOMPARE(plainName("_ZZN3lab8blockSumEfE12part4ofblock"), std::string("part4ofblock"));
        QCOMPARE(plainName("tile"), std::string("tile"));
        QCOMPARE(plainName("_Z"), std::string("_Z"));
    }
};

QTEST_APPLESS_MAIN(TestSimtArrayOverruns)
#include "tst_simt_array_overruns.moc"
