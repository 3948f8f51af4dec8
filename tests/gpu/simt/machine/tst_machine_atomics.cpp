// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of an atomic by which a whole warp means one word. All counts are those of ptxas 13.0 for the same PTX:
// instructions of the whole kernel for 7.5, 8.0 and 9.0.
#include "machine_lab.h"

#include <QtTest>

#include <array>

using namespace ridge::gpu::simt;

namespace {

/// %rd3: a lane's own address; %rd5: one for all; %r1: tid.x; %r2: loaded by each lane; %r9: a parameter.
MachineKernel ofBody(const std::string& body, int capability, bool loads = false)
{
    return machineOfBody(".shared .align 4 .b8 sm[64];\nld.param.u64 %rd4, [q]; cvta.to.global.u64 %rd5, %rd4;"
                         "ld.param.u32 %r9, [n]; mov.u32 %r8, %ctaid.x; mul.wide.u32 %rd2, %r1, 4;"
                         "add.s64 %rd3, %rd1, %rd2;\n" +
                             std::string(loads ? "ld.global.u32 %r2, [%rd3];\n" : "") + body,
                         capability);
}

std::array<int, 3> counts(const std::string& body, bool loads = false)
{
    std::array<int, 3> made{};
    constexpr std::array<int, 3> kCapabilities{75, 80, 90};
    for (std::size_t at = 0; at < made.size(); ++at)
        made[at] = static_cast<int>(ofBody(body, kCapabilities[at], loads).staticInstructions);
    return made;
}

int of(const MachineKernel& kernel, WarpPart part)
{
    return static_cast<int>(
        std::count_if(kernel.ops.begin(), kernel.ops.end(), [&](const MachineOp& op) { return op.part == part; }));
}

const std::string kStore = "st.global.u32 [%rd3], %r3;";

} // namespace

class TestMachineAtomics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countsAreThoseOfPtxas_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<bool>("loads");
        QTest::addColumn<int>("turing");
        QTest::addColumn<int>("ampere");
        QTest::addColumn<int>("hopper");
        const auto row = [](const char* name, const std::string& body, bool loads, std::array<int, 3> all) {
            QTest::newRow(name) << QString::fromStdString(body) << loads << all[0] << all[1] << all[2];
        };
        const std::string add = "atom.global.add.u32 %r3, [%rd5], ";
        // Lanes are counted where all bring one value, and one vote serves all atomics of a block.
        row("one", "red.global.add.u32 [%rd5], 1;", false, {9, 11, 10});
        row("seven", "red.global.add.u32 [%rd5], 7;", false, {10, 12, 11});
        row("parameter", "red.global.add.u32 [%rd5], %r9;", false, {10, 12, 12});
        row("block", "red.global.add.u32 [%rd5], %r8;", false, {11, 13, 12});
        row("loaded by all from one place", "ld.global.u32 %r2, [%rd1]; red.global.add.u32 [%rd5], %r2;", false,
            {12, 15, 13});
        row("one, used", add + "1;" + kStore, false, {18, 20, 19});
        row("seven, used", add + "7;" + kStore, false, {19, 21, 20});
        row("parameter, used", add + "%r9;" + kStore, false, {19, 21, 21});
        // Each brings its own: REDUX, or all lanes exchange; a scan where the old value is used.
        row("own", "red.global.add.u32 [%rd5], %r2;", true, {24, 16, 15});
        row("least", "red.global.min.s32 [%rd5], %r2;", true, {24, 16, 15});
        row("bits", "red.global.and.b32 [%rd5], %r2;", true, {24, 16, 15});
        row("least of one value", "red.global.min.s32 [%rd5], 7;", false, {11, 13, 12});
        row("own, used", add + "%r2;" + kStore, true, {33, 36, 35});
        // Not combined at all.
        row("least, used", "atom.global.min.s32 %r3, [%rd5], %r2;" + kStore, true, {9, 11, 10});
        row("bits, used", "atom.global.xor.b32 %r3, [%rd5], 1;" + kStore, false, {9, 11, 10});
        row("exchange", "atom.global.exch.b32 %r3, [%rd5], %r2;" + kStore, true, {9, 11, 10});
        row("increment", "red.global.inc.u32 [%rd5], 7;", false, {5, 7, 6});
        // One lane alone.
        const auto only = [](const std::string& test) {
            return test + "@%p1 bra D; red.global.add.u32 [%rd5], %r9;\nD:";
        };
        row("first thread", only("setp.ne.u32 %p1, %r1, 0;"), false, {8, 10, 9});
        row("a thread", only("setp.ne.u32 %p1, %r1, 5;"), false, {8, 10, 9});
        row("first of the grid", only("mov.u32 %r5, %ntid.x; mad.lo.s32 %r7, %r8, %r5, %r1; setp.ne.u32 %p1, %r7, 0;"),
            false, {10, 12, 12});
        row("lane zero of each warp", only("and.b32 %r7, %r1, 31; setp.ne.u32 %p1, %r7, 0;"), false, {13, 15, 15});
        row("two lanes", only("setp.gt.u32 %p1, %r1, 1;"), false, {13, 15, 15});
        row("all but the first thread", only("setp.eq.u32 %p1, %r1, 0;"), false, {13, 15, 15});
    }
    void countsAreThoseOfPtxas()
    {
        QFETCH(QString, body);
        QFETCH(bool, loads);
        QFETCH(int, turing);
        QFETCH(int, ampere);
        QFETCH(int, hopper);
        const auto found = counts(body.toStdString(), loads);
        QCOMPARE(found[0], turing);
        QCOMPARE(found[1], ampere);
        QCOMPARE(found[2], hopper);
    }

    /// Each further one takes the access, the exchange, the sum and the store of this kernel.
    void oneVoteServesABlock()
    {
        std::string body;
        for (int at = 0; at < 3; ++at)
            body += "atom.global.add.u32 %r3, [%rd5+" + std::to_string(4 * at) + "], %r9; st.global.u32 [%rd3+" +
                    std::to_string(128 * at) + "], %r3;";
        QCOMPARE(counts(body), (std::array<int, 3>{27, 29, 29}));
        QCOMPARE(count(ofBody(body, 80), "VOTEU.ANY"), 1);
        // Not over a branch: other lanes may be there.
        const std::string apart = "red.global.add.u32 [%rd5], 1; setp.lt.u32 %p1, %r1, %r9; @%p1 bra D;"
                                  "red.global.add.u32 [%rd5+4], 1;\nD: red.global.add.u32 [%rd5+8], 1;";
        QCOMPARE(count(ofBody(apart, 80), "VOTEU.ANY"), 3);
    }

    /// The scan is for a full warp: timing leaves it out where a lane is missing, and has each lane go for itself.
    void aScanIsForAFullWarp()
    {
        const std::string used = "atom.global.add.u32 %r3, [%rd5], %r2;" + kStore;
        for (const int capability : {75, 80, 90, 120}) {
            const MachineKernel kernel = ofBody(used, capability, true);
            QCOMPARE(of(kernel, WarpPart::Partial), 1);
            QCOMPARE(of(kernel, WarpPart::One), 0);
            QCOMPARE(of(kernel, WarpPart::Full), capability == 75 ? 21 : 22);
        }
        const MachineKernel reduced = ofBody("red.global.add.u32 [%rd5], %r2;", 80, true);
        QCOMPARE(of(reduced, WarpPart::One), 1); // REDUX takes any lanes
        QCOMPARE(of(reduced, WarpPart::Full), 0);
        QCOMPARE(of(ofBody("red.global.add.u32 [%rd5], %r2;", 75, true), WarpPart::Partial), 1);
    }

    /// Not asked of ptxas, which makes no code for it any more: the same, without registers of the warp.
    void voltaHasNoUniformRegisters()
    {
        const MachineKernel kernel = ofBody("red.global.add.u32 [%rd5], 7;", 70);
        QCOMPARE(of(kernel, WarpPart::One), 1);
        QCOMPARE(count(kernel, "VOTE.ANY"), 1);
        for (const MachineOp& op : kernel.ops)
            QVERIFY2(op.pipe != Pipe::Uniform, kernel.mnemonics[op.mnemonic].c_str());
    }

    /// Reductions, and atomics that one lane does.
    void whatIsReducedAndWhatIsCounted()
    {
        const auto reductions = [](const std::string& body) {
            const MachineKernel kernel = ofBody("mov.u32 %r20, sm;" + body, 90, true);
            return std::pair(count(kernel, "REDUX"), of(kernel, WarpPart::One));
        };
        QCOMPARE(reductions("red.global.add.u32 [%rd5], %r1;"), std::pair(1, 1));
        QCOMPARE(reductions("red.global.max.s32 [%rd5], %r1;"), std::pair(1, 1));
        QCOMPARE(reductions("red.shared.xor.b32 [%r20], %r1;"), std::pair(1, 1));
        QCOMPARE(reductions("red.global.add.u32 [%rd5], 1;"), std::pair(0, 1)); // counted instead
        QCOMPARE(reductions("red.global.inc.u32 [%rd5], %r1;"), std::pair(0, 0));
        QCOMPARE(reductions("red.global.add.f32 [%rd5], %r2;"), std::pair(0, 0));
        QCOMPARE(reductions("red.global.add.u64 [%rd5], %rd1;"), std::pair(0, 0));
        QCOMPARE(reductions("red.global.add.u32 [%rd3], %r1;"), std::pair(0, 0));
    }

    void othersGoEachForItself()
    {
        for (const std::string body : {"red.global.add.f32 [%rd5], %r2;", "red.global.add.u64 [%rd5], %rd3;",
                                       "red.global.add.u32 [%rd3], %r2;", "red.global.inc.u32 [%rd5], %r2;",
                                       "atom.global.cas.b32 %r3, [%rd5], %r2, %r9; st.global.u32 [%rd3], %r3;"}) {
            const MachineKernel kernel = ofBody(body, 90, true);
            QVERIFY(!kernel.ops.empty());
            QVERIFY2(of(kernel, WarpPart::All) == static_cast<int>(kernel.ops.size()), body.c_str());
        }
        const MachineKernel shared = ofBody("mov.u32 %r20, sm; red.shared.xor.b32 [%r20], %r2;", 90, true);
        QCOMPARE(of(shared, WarpPart::One), 1);
    }
};

QTEST_APPLESS_MAIN(TestMachineAtomics)
#include "tst_machine_atomics.moc"
