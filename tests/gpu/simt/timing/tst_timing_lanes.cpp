// SPDX-License-Identifier: GPL-3.0-or-later
// What lanes cost that meet in a word, differ in a value or take different ways. Measured on an H200 (2026-11-27,
// chains of one instruction; clock64 at two numbers of turns), with the instructions between them taken off.
#include "timing_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

double each(const std::string& before, const std::string& body, std::uint32_t warps)
{
    return cyclesOf(shippedChip("h200-sxm"), before, body, "st.global.u32 [%rd0], %r5;", {1}, {32 * warps});
}

bool isNear(double found, double wanted, double share)
{
    return std::fabs(found - wanted) <= share * wanted;
}

std::string told(double found, double wanted)
{
    return std::to_string(found) + " instead of " + std::to_string(wanted);
}

} // namespace

class TestTimingLanes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void atomicsOfSharedMemory_data()
    {
        QTest::addColumn<QString>("operation");
        QTest::addColumn<int>("meeting"); // lanes in a word
        QTest::addColumn<double>("one");  // cycles of one warp, which waits for each
        QTest::addColumn<double>("all");  // of 32 warps
        const auto row = [](const char* operation, int meeting, double one, double all) {
            QTest::addRow("%s %d", operation, meeting) << QString::fromLatin1(operation) << meeting << one << all;
        };
        row("add.u32", 1, 31.63, 36.76);
        row("add.u32", 2, 33.62, 64.01);
        row("add.u32", 4, 37.62, 128.04);
        row("add.u32", 16, 61.63, 512.05);
        row("add.u32", 32, 93.62, 1024.07);
        row("cas.b32", 1, 35.94, 64.02);
        row("cas.b32", 2, 39.94, 128.12);
        row("cas.b32", 4, 47.94, 256.02);
        row("cas.b32", 16, 95.94, 1024.0);
        row("cas.b32", 32, 159.94, 2047.98);
    }
    void atomicsOfSharedMemory()
    {
        QFETCH(QString, operation);
        QFETCH(int, meeting);
        QFETCH(double, one);
        QFETCH(double, all);
        const std::string before = "and.b32 %r3, %r0, " + std::to_string(32 / meeting - 1) +
                                   "; shl.b32 %r3, %r3, 2; ld.global.u32 %r7, [%rd1+4096]; mov.u32 %r5, %r0;\n";
        const std::string name = operation.toStdString();
        const bool swaps = name.starts_with("cas");
        const std::string body = "atom.shared." + name + " %r6, [%r3], %r5" + (swaps ? ", %r0" : "") +
                                 "; lop3.b32 %r5, %r5, %r6, %r7, 0x78;\n";
        const double alone = each(before, body, 1), together = each(before, body, 32);
        QVERIFY2(isNear(alone, one, 0.07), told(alone, one).c_str());
        QVERIFY2(isNear(together, all, 0.15), told(together, all).c_str());
    }

    void valuesThatDiffer_data()
    {
        QTest::addColumn<int>("values");
        QTest::addColumn<double>("one");
        QTest::addColumn<double>("all"); // of 16 warps
        QTest::newRow("1") << 1 << 38.44 << 40.19;
        QTest::newRow("2") << 2 << 49.43 << 64.16;
        QTest::newRow("4") << 4 << 71.43 << 127.99;
        QTest::newRow("8") << 8 << 115.44 << 256.01;
    }
    void valuesThatDiffer()
    {
        QFETCH(int, values);
        QFETCH(double, one);
        QFETCH(double, all);
        const std::string mask = std::to_string(values - 1);
        const std::string before = "ld.global.u32 %r7, [%rd1+4096]; mov.u32 %r5, %r0;\n";
        const std::string body = "and.b32 %r4, %r5, " + mask +
                                 "; match.any.sync.b32 %r6, %r4, 0xffffffff; lop3.b32 %r5, %r5, %r6, %r7, 0x78;\n";
        const double alone = each(before, body, 1), together = each(before, body, 16);
        QVERIFY2(isNear(alone, one, 0.07), told(alone, one).c_str());
        QVERIFY2(isNear(together, all, 0.1), told(together, all).c_str());
    }

    /// What a second way costs beside its own instructions: 24 to 35 cycles.
    void eachWayOfAWarp_data()
    {
        QTest::addColumn<int>("bits"); // of the lane that decide
        QTest::addColumn<double>("most");
        QTest::newRow("2 ways") << 1 << 1.15;
        QTest::newRow("4 ways") << 3 << 1.15;
        QTest::newRow("8 ways") << 7 << 1.15;
    }
    void eachWayOfAWarp()
    {
        QFETCH(int, bits);
        QFETCH(double, most);
        // Measured against the same code in which all lanes go one way: a tree of three branches, eight products a
        // leaf.
        const std::map<int, double> measured{{1, 146.49 - 89.48}, {3, 307.49 - 89.48}, {7, 632.24 - 89.48}};
        const double together = each(before(0), tree(), 1);
        const double apart = each(before(bits), tree(), 1);
        const double wanted = measured.at(bits), found = apart - together;
        QVERIFY2(found <= most * wanted && found >= wanted / most, told(found, wanted).c_str());
    }

    void fences()
    {
        const std::string sum = "add.s32 %r5, %r5, %r0;\n";
        const double block = each("mov.u32 %r5, %r0;", "membar.cta;" + sum, 8);
        const double gpu = each("mov.u32 %r5, %r0;", "membar.gl;" + sum, 1);
        const double stores = each("mov.u32 %r5, %r0;", "st.global.u32 [%rd1+2048], %r5; membar.gl;" + sum, 1);
        QVERIFY2(isNear(block, 27.8, 0.15), told(block, 27.8).c_str());
        QVERIFY2(isNear(gpu, 268, 0.07), told(gpu, 268).c_str());
        QVERIFY2(isNear(stores, 584.67, 0.07), told(stores, 584.67).c_str());
    }

private:
    static std::string before(int bits)
    {
        return "and.b32 %r4, %r0, " + std::to_string(bits) + "; mov.u32 %r5, %r0; mov.u32 %r6, %r0;\n";
    }
    static std::string tree() { return "{\n" + node(2, 0) + "J:\n}\n"; }
    static std::string node(int bit, int path)
    {
        if (bit < 0) {
            std::string leaf;
            for (int at = 0; at < 8; ++at)
                leaf += "mad.lo.s32 %r5, %r5, %r6, " + std::to_string(7 * path + at + 1) + ";";
            return leaf + "bra J;\n";
        }
        const std::string name = "L" + std::to_string(bit) + "_" + std::to_string(path);
        return "and.b32 %r7, %r4, " + std::to_string(1 << bit) + "; setp.ne.s32 %p1, %r7, 0; @%p1 bra " + name + ";\n" +
               node(bit - 1, 2 * path) + name + ":\n" + node(bit - 1, 2 * path + 1);
    }
};

QTEST_GUILESS_MAIN(TestTimingLanes)
#include "tst_timing_lanes.moc"
