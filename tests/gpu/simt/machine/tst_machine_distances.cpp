// SPDX-License-Identifier: GPL-3.0-or-later
// Cycles between instructions of one warp, as the control fields of what ptxas 13.0 makes have them, and how many loads
// an order has under way in few registers.
#include "machine_lab.h"

#include "base/json.h"

#include <QtTest>

using namespace ridge::gpu::simt;

namespace {

/// From the issue of the first `from` to that of the first `to` behind it in the same block; -1: there is none.
int distance(const MachineKernel& kernel, std::string_view from, std::string_view to)
{
    for (const MachineBlock& block : kernel.blocks) {
        int cycles = -1;
        for (std::uint32_t at = block.first; at < block.end; ++at) {
            const MachineOp& op = kernel.ops[at];
            const std::string& name = kernel.mnemonics[op.mnemonic];
            if (cycles >= 0 && name.starts_with(to))
                return cycles;
            if (cycles >= 0 || name.starts_with(from))
                cycles = std::max(cycles, 0) + op.stall;
        }
    }
    return -1;
}

} // namespace

class TestMachineDistances : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void areThoseOfPtxas_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<int>("turing");
        QTest::addColumn<int>("later");
        const auto row = [](const char* name, const char* body, const char* from, const char* to, int turing,
                            int later) {
            QTest::newRow(name) << QString::fromLatin1(body) << QString::fromLatin1(from) << QString::fromLatin1(to)
                                << turing << later;
        };
        row("a predicate and its branch",
            "setp.eq.s32 %p1, %r1, 7;\n@%p1 bra L;\nbar.sync 0;\nL: st.global.u32 [%rd1], %r1;", "ISETP", "BRA", 12,
            13);
        row("a predicate that is an operand",
            "setp.eq.s32 %p1, %r1, 7; selp.u32 %r2, 5, %r1, %p1; st.global.u32 [%rd1], %r2;", "ISETP", "SEL", 4, 4);
        row("within a pipe", "fma.rn.f32 %f2, %f1, %f1, %f1; fma.rn.f32 %f3, %f2, %f2, %f2; st.global.f32 [%rd1], %f3;",
            "FFMA", "FFMA", 4, 4);
        row("from one pipe to the other",
            "fma.rn.f32 %f2, %f1, %f1, %f1; mov.b32 %r2, %f2; xor.b32 %r3, %r2, 5; st.global.u32 [%rd1], %r3;", "FFMA",
            "LOP3", 5, 5);
        row("to what is stored", "xor.b32 %r3, %r1, 5; st.global.u32 [%rd1], %r3;", "LOP3", "STG", 8, 5);
        row("stores", "st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+64], %r1;", "STG", "STG", 4, 4);
        row("loads", "ld.global.u32 %r2, [%rd1]; ld.global.u32 %r3, [%rd1+64]; st.global.v2.u32 [%rd1], {%r2, %r3};",
            "LDG", "LDG", 4, 4);
        row("special functions",
            "ex2.approx.ftz.f32 %f2, %f1; lg2.approx.ftz.f32 %f3, %f1; st.global.v2.f32 [%rd1], {%f2, %f3};", "MUFU",
            "MUFU", 8, 8);
    }
    void areThoseOfPtxas()
    {
        QFETCH(QString, body);
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(int, turing);
        QFETCH(int, later);
        const std::string all = "cvt.rn.f32.u32 %f1, %r1;" + body.toStdString();
        for (const int capability : {75, 80, 90, 120})
            QCOMPARE(distance(machineOfBody(all, capability), from.toStdString(), to.toStdString()),
                     capability < 80 ? turing : later);
    }

    /// A block that falls out of its branch starts five cycles later.
    void aBranchThatIsNotTakenTakesFive()
    {
        const MachineKernel kernel =
            machineOfBody("setp.eq.s32 %p1, %r1, 7;\n@%p1 bra L;\nbar.sync 0;\nL: st.global.u32 [%rd1], %r1;", 90);
        for (const MachineOp& op : kernel.ops) {
            if (kernel.mnemonics[op.mnemonic] == "BRA")
                QCOMPARE(op.stall, std::uint8_t{5});
        }
        QCOMPARE(count(kernel, "BRA"), 1);
    }

    /// ptxas has the four loads of 16 bytes of a turn under way before the first is used, in 32 registers.
    void loadsOfATurnGoOutTogether_data()
    {
        QTest::addColumn<QString>("entry");
        QTest::addColumn<int>("loads");
        QTest::newRow("layer normalisation") << "layernorm_warp" << 4;
        QTest::newRow("product with a vector") << "gemv_dp4a" << 4;
    }
    void loadsOfATurnGoOutTogether()
    {
        QFETCH(QString, entry);
        QFETCH(int, loads);
        const auto ptx = ridge::readFile(std::filesystem::path(RIDGE_CYCLE_SETS) / "dev/dev.ptx");
        QVERIFY(ptx.ok());
        const MachineKernel kernel = machineOfPtx(*ptx, 90, entry.toStdString());
        QVERIFY(!kernel.ops.empty());
        QVERIFY2(kernel.registers <= 32, qPrintable(QString::number(kernel.registers)));
        int most = 0;
        for (const MachineBlock& block : kernel.blocks) {
            int started = 0;
            for (std::uint32_t at = block.first; at < block.end; ++at) {
                const MachineOp& op = kernel.ops[at];
                const bool isLoad = kernel.mnemonics[op.mnemonic].starts_with("LDG");
                started = isLoad ? started + 1 : op.waitMask != 0 ? 0 : started;
                most = std::max(most, started);
            }
        }
        QVERIFY2(most >= loads, qPrintable(QString::number(most)));
    }
};

QTEST_APPLESS_MAIN(TestMachineDistances)
#include "tst_machine_distances.moc"
