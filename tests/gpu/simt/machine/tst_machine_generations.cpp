// SPDX-License-Identifier: GPL-3.0-or-later
// What ptxas 13.0 writes for one generation of GPUs only. Blackwell: the distance between two FP64 instructions stands
// in the code, as NOPs. Turing: barrier registers are cleared, and lanes that stay in a loop meet by a vote. Numbers of
// NOPs and stall counts are those of ptxas for the same sequences.
#include "machine_lab.h"

#include <QtTest>

using namespace ridge::gpu::simt;

namespace {

MachineKernel ofBody(const std::string& body, int capability)
{
    return machineOfBody("mul.wide.u32 %rd2, %r1, 8; add.s64 %rd3, %rd1, %rd2; ld.global.f64 %fd1, [%rd3]; "
                         "ld.global.u32 %r2, [%rd3+64];\n" +
                             body + "\nst.global.f64 [%rd3], %fd1; st.global.u32 [%rd3+64], %r2;",
                         capability);
}

std::string chain(int length)
{
    std::string body;
    for (int at = 0; at < length; ++at)
        body += "fma.rn.f64 %fd1, %fd1, %fd1, %fd1;";
    return body;
}

/// Of each pair of FP64 instructions that follow one another in a block: NOPs between them, and cycles from one to the
/// other.
struct Distance {
    int nops = 0;
    int cycles = 0;
};

std::vector<Distance> distances(const MachineKernel& kernel)
{
    std::vector<Distance> all;
    for (const MachineBlock& block : kernel.blocks) {
        bool seen = false;
        Distance since;
        for (std::uint32_t at = block.first; at < block.end; ++at) {
            const MachineOp& op = kernel.ops[at];
            if (op.pipe == Pipe::Fp64) {
                if (seen)
                    all.push_back(since);
                seen = true;
                since = {};
            }
            since.nops += kernel.mnemonics[op.mnemonic] == "NOP" ? 1 : 0;
            since.cycles += op.stall;
        }
    }
    return all;
}

int nops(const MachineKernel& kernel)
{
    return count(kernel, "NOP");
}

/// A loop over %r3 from `start`; %rd3 is a lane's own address.
std::string loop(const std::string& body, const std::string& start)
{
    return "mov.u32 %r3, " + start + ";\nL: " + body +
           " add.s32 %r3, %r3, 32; setp.lt.s32 %p1, %r3, 4096;\n@%p1 bra L;\n";
}

} // namespace

class TestMachineGenerations : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// DFMA 15, NOP 15, 15, 15, 4: 64 cycles.
    void aChainIsFilledWithNops_data()
    {
        QTest::addColumn<int>("capability");
        for (const int capability : {103, 110, 120, 121})
            QTest::addRow("%d", capability) << capability;
    }
    void aChainIsFilledWithNops()
    {
        QFETCH(int, capability);
        const MachineKernel kernel = ofBody(chain(5), capability);
        const auto found = distances(kernel);
        QCOMPARE(found.size(), std::size_t{4});
        for (const Distance& one : found) {
            QCOMPARE(one.nops, 4);
            QCOMPARE(one.cycles, 64);
        }
        QCOMPARE(nops(kernel), 16); // none before the first and none behind the last
        for (std::size_t at = 0; at < kernel.ops.size(); ++at)
            if (kernel.mnemonics[kernel.ops[at].mnemonic] == "NOP") {
                QCOMPARE(kernel.ops[at].waitMask, std::uint8_t{0});
                QVERIFY(kernel.ops[at].covers != kNoMicroOp); // belongs to the line of what it stands in front of
            }
        QVERIFY(kernel.blocks.back().end == kernel.ops.size());
        QCOMPARE(static_cast<std::size_t>(kernel.staticInstructions), kernel.ops.size());
    }

    /// Volta to Hopper have a lock in the pipe, and so has 10.0.
    void otherGpusHaveNone_data()
    {
        QTest::addColumn<int>("capability");
        for (const int capability : {70, 75, 80, 86, 89, 90, 100})
            QTest::addRow("%d", capability) << capability;
    }
    void otherGpusHaveNone()
    {
        QFETCH(int, capability);
        QCOMPARE(nops(ofBody(chain(5), capability)), 0);
    }

    /// Sums, products and comparisons too; and single precision is no part of it.
    void allOfThePipeKeepsItsDistance()
    {
        const MachineKernel kernel = ofBody("add.f64 %fd1, %fd1, %fd1; mul.f64 %fd1, %fd1, %fd1;"
                                            "setp.lt.f64 %p1, %fd1, 0d0000000000000000; selp.u32 %r2, 1, %r2, %p1;",
                                            120);
        QCOMPARE(distances(kernel).size(), std::size_t{2});
        QCOMPARE(nops(kernel), 8);
        QCOMPARE(nops(ofBody("cvt.rn.f32.s32 %r3, %r2; fma.rn.f32 %r3, %r3, %r3, %r3; fma.rn.f32 %r3, %r3, %r3, %r3;"
                             "cvt.rzi.s32.f32 %r2, %r3;",
                             120)),
                 0);
    }

    /// What else there is to do takes the place of NOPs; never fewer cycles, never a stall count that does not exist.
    void otherWorkTakesTheirPlace()
    {
        std::string work;
        for (int at = 0; at < 12; ++at)
            work += "xor.b32 %r2, %r2, %r1; add.s32 %r2, %r2, 7;";
        const MachineKernel kernel =
            ofBody("fma.rn.f64 %fd1, %fd1, %fd1, %fd1;" + work + "fma.rn.f64 %fd1, %fd1, %fd1, %fd1;", 120);
        for (const Distance& one : distances(kernel)) {
            QVERIFY2(one.cycles >= 64, qPrintable(QString::number(one.cycles)));
            QVERIFY2(one.nops <= 4, qPrintable(QString::number(one.nops)));
        }
        for (const MachineOp& op : kernel.ops)
            QVERIFY(op.stall >= 1 && op.stall <= 15);
    }

    /// A block knows nothing of the one before, as in ptxas' code.
    void blocksStartAnew()
    {
        const MachineKernel kernel = ofBody(
            chain(1) + "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra L;\n" + chain(1) + "bar.sync 0;\nL: " + chain(1), 120);
        QVERIFY(kernel.blocks.size() >= 3);
        QCOMPARE(nops(kernel), 0);
    }

    /// Conversions of 64 bits are on the same unit there: ptxas puts NOPs between two of them, and before a DFMA.
    void conversionsOf64BitsKeepTheDistance_data()
    {
        QTest::addColumn<QString>("body");
        const auto row = [](const char* name) { QTest::newRow(name) << QString::fromLatin1(name); };
        row("cvt.rn.f32.f64 %r3, %fd1; cvt.rn.f32.f64 %r2, %fd2;");
        row("cvt.rzi.s32.f64 %r3, %fd1; cvt.rzi.s32.f64 %r2, %fd2;");
        row("cvt.rzi.s64.f64 %rd4, %fd1; cvt.rzi.s64.f64 %rd5, %fd2;");
        row("cvt.rn.f64.s32 %fd3, %r2; cvt.rn.f64.s32 %fd4, %r1;");
        row("cvt.rn.f64.s64 %fd3, %rd3; cvt.rn.f64.s64 %fd4, %rd1;");
        row("cvt.rzi.f64.f64 %fd3, %fd1; cvt.rzi.f64.f64 %fd4, %fd2;");
        row("cvt.rn.f32.s64 %r3, %rd3; cvt.rn.f32.s64 %r4, %rd1;");
    }
    void conversionsOf64BitsKeepTheDistance()
    {
        QFETCH(QString, body);
        const std::string all =
            "ld.global.f64 %fd2, [%rd3+128];" + body.toStdString() +
            "st.global.u32 [%rd3+8], %r3; st.global.u32 [%rd3+16], %r4; st.global.u64 [%rd3+24], %rd4;"
            "st.global.u64 [%rd3+32], %rd5; st.global.f64 [%rd3+40], %fd3; st.global.f64 [%rd3+48], "
            "%fd4;";
        const auto found = distances(ofBody(all, 120));
        QCOMPARE(found.size(), std::size_t{1});
        QVERIFY2(found[0].cycles >= 64 && found[0].nops >= 2, qPrintable(QString::number(found[0].cycles)));
        QCOMPARE(nops(ofBody(all, 100)), 0);
        QCOMPARE(nops(ofBody(all, 90)), 0);
    }

    /// Those of 32 bits are on another, and so is what stands for a quotient of whole numbers.
    void conversionsOf32BitsDoNot()
    {
        QCOMPARE(nops(ofBody("cvt.rn.f32.s32 %r3, %r2; cvt.rzi.s32.f32 %r3, %r3; cvt.rn.f32.s32 %r2, %r3;", 120)), 0);
        QCOMPARE(nops(ofBody("div.u32 %r2, %r2, %r1;", 120)), 0);
    }

    /// Routines that few lanes enter: NOPs in them, counted in ptxas' output (__ddiv_rn for 9.0 and 12.0).
    void routinesAreLonger()
    {
        const auto cold = [](int capability) {
            const MachineKernel kernel = ofBody("div.rn.f64 %fd1, %fd1, 0d4008000000000000;", capability);
            return kernel.staticInstructions - static_cast<std::uint32_t>(kernel.ops.size());
        };
        QCOMPARE(cold(120) - cold(90), 35u);
        QCOMPARE(cold(100), cold(90));
        const int inLine = nops(ofBody("div.rn.f64 %fd1, %fd1, 0d4008000000000000;", 120));
        QVERIFY2(inLine >= 26 && inLine <= 28, qPrintable(QString::number(inLine))); // ptxas 28
    }

    /// ptxas 13.0 for 7.5, 8.0 and 9.0.
    void turingVotesWhereLanesLeaveALoopApart_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("start");
        QTest::addColumn<bool>("votes");
        const QString lane = QStringLiteral("%r1"), all = QStringLiteral("0");
        QTest::newRow("atomic") << QStringLiteral("red.global.add.u32 [%rd3], 1;") << lane << true;
        QTest::newRow("exchange") << QStringLiteral("atom.global.exch.b32 %r2, [%rd3], 1;") << lane << true;
        QTest::newRow("volatile") << QStringLiteral("ld.volatile.global.u32 %r2, [%rd3];") << lane << true;
        QTest::newRow("shuffle") << QStringLiteral("shfl.sync.bfly.b32 %r2, %r2, 1, 31, -1;") << lane << true;
        QTest::newRow("fence") << QStringLiteral("st.global.u32 [%rd3], %r3; membar.gl;") << lane << false;
        QTest::newRow("barrier") << QStringLiteral("st.global.u32 [%rd3], %r3; bar.sync 0;") << lane << false;
        QTest::newRow("load") << QStringLiteral("ld.global.u32 %r2, [%rd3];") << lane << false;
        QTest::newRow("together") << QStringLiteral("red.global.add.u32 [%rd3], 1;") << all << false;
    }
    void turingVotesWhereLanesLeaveALoopApart()
    {
        QFETCH(QString, body);
        QFETCH(QString, start);
        QFETCH(bool, votes);
        const std::string text = loop(body.toStdString(), start.toStdString());
        const MachineKernel turing = ofBody(text, 75);
        QVERIFY(!turing.ops.empty());
        for (const char* name : {"VOTE.ANY", "YIELD", "VOTEU.ANY"})
            QCOMPARE(count(turing, name), votes ? 1 : 0);
        for (const int capability : {70, 80, 90, 120})
            QCOMPARE(count(ofBody(text, capability), "YIELD"), 0);
    }

    void barrierRegistersAreClearedBeforeAmpere()
    {
        const std::string body =
            "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra E;\nred.global.add.u32 [%rd3], 1; bar.warp.sync -1;"
            "atom.global.add.u32 %r2, [%rd3], 3;\nE: bar.sync 0;";
        for (const int capability : {70, 75, 80, 90, 120}) {
            const MachineKernel kernel = ofBody(body, capability);
            QVERIFY(count(kernel, "BSSY") > 0);
            QCOMPARE(count(kernel, "BMOV.32.CLEAR"), capability < 80 ? count(kernel, "BSSY") : 0);
        }
        const MachineKernel inRoutine = ofBody("div.rn.f64 %fd1, %fd1, 0d4008000000000000;", 75);
        QVERIFY(count(inRoutine, "BSSY") > 0);
        QCOMPARE(count(inRoutine, "BMOV.32.CLEAR"), count(inRoutine, "BSSY"));
    }
};

QTEST_APPLESS_MAIN(TestMachineGenerations)
#include "tst_machine_generations.moc"
