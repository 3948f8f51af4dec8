// SPDX-License-Identifier: GPL-3.0-or-later
// Where numbers stand that an instruction reads. Counts are those of ptxas 13.0 for the same PTX: instructions of the
// whole kernel for 7.5, 8.0 and 9.0.
#include "machine_lab.h"

#include <QtTest>

#include <array>

using namespace ridge::gpu::simt;

namespace {

MachineKernel ofBody(const std::string& body, int capability)
{
    return machineOfBody("ld.param.u32 %r9, [n]; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd3, %rd1, %rd2;\n" + body,
                         capability);
}

} // namespace

class TestMachineConstants : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A literal of 64 bits lies in a constant bank before 9.0 and in registers of the warp from there on; one whose
    /// lower word is zero fits the instruction. Only one of an instruction's sources can be either.
    void doubles_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<int>("turing");
        QTest::addColumn<int>("ampere");
        QTest::addColumn<int>("hopper");
        QTest::newRow("sum with a long literal") << "add.rn.f64 %fd2, %fd1, 0d3FC999999999999A;" << 8 << 9 << 11;
        QTest::newRow("sum with a short literal") << "add.rn.f64 %fd2, %fd1, 0d4000000000000000;" << 8 << 9 << 9;
        QTest::newRow("two long literals")
            << "fma.rn.f64 %fd2, %fd1, 0d3FC999999999999A, 0d3FD5555555555555;" << 10 << 11 << 13;
        QTest::newRow("short, then long")
            << "fma.rn.f64 %fd2, %fd1, 0d4000000000000000, 0d3FC999999999999A;" << 10 << 11 << 13;
        QTest::newRow("long, then short")
            << "fma.rn.f64 %fd2, %fd1, 0d3FC999999999999A, 0d4000000000000000;" << 10 << 11 << 11;
        QTest::newRow("two short literals")
            << "fma.rn.f64 %fd2, %fd1, 0d4000000000000000, 0d4008000000000000;" << 10 << 11 << 11;
        QTest::newRow("factor") << "mul.rn.f64 %fd2, %fd1, 0d3FC999999999999A;" << 8 << 9 << 11;
        QTest::newRow("comparison")
            << "setp.lt.f64 %p1, %fd1, 0d3FC999999999999A; selp.f64 %fd2, %fd1, 0d0000000000000000, %p1;" << 10 << 11
            << 13;
    }
    void doubles()
    {
        QFETCH(QString, body);
        QFETCH(int, turing);
        QFETCH(int, ampere);
        QFETCH(int, hopper);
        const std::string text = "ld.global.f64 %fd1, [%rd3];" + body.toStdString() + "st.global.f64 [%rd3], %fd2;";
        QCOMPARE(static_cast<int>(ofBody(text, 75).staticInstructions), turing);
        QCOMPARE(static_cast<int>(ofBody(text, 80).staticInstructions), ampere);
        QCOMPARE(static_cast<int>(ofBody(text, 90).staticInstructions), hopper);
    }

    /// The step of a loop over the grid is made anew in every turn before 9.0: constants cost a multiply-add nothing.
    void theStepOfAGridIsNoRegister()
    {
        const std::string loop = "mov.u32 %r2, %ntid.x; mov.u32 %r3, %nctaid.x; mul.lo.s32 %r4, %r2, %r3;"
                                 "mov.u32 %r5, %ctaid.x; mad.lo.s32 %r6, %r5, %r2, %r1;\n$L:\n.pragma \"nounroll\";\n"
                                 "mul.wide.u32 %rd4, %r6, 4; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r6;"
                                 "add.s32 %r6, %r6, %r4; setp.lt.s32 %p1, %r6, %r9; @%p1 bra $L;";
        const auto inLoop = [&](int capability, std::string_view name) {
            const MachineKernel kernel = ofBody(loop, capability);
            int found = 0;
            for (std::size_t block = 1; block < kernel.blocks.size(); ++block)
                for (std::uint32_t at = kernel.blocks[block].first; at < kernel.blocks[block].end; ++at)
                    found += kernel.mnemonics[kernel.ops[at].mnemonic] == name ? 1 : 0;
            return found;
        };
        QCOMPARE(inLoop(80, "IMAD"), 1);
        QCOMPARE(inLoop(80, "IADD3"), 0);
        QCOMPARE(inLoop(90, "IMAD"), 0);
        QCOMPARE(inLoop(90, "IADD3"), 1);
    }
};

QTEST_APPLESS_MAIN(TestMachineConstants)
#include "tst_machine_constants.moc"
