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

    /// ptxas branches around a slow path: what is before it, beside it and behind it is ordered apart, so that two
    /// square roots that know nothing of each other follow each other (an H200 takes half as long again for them).
    void slowPathsPartABlock()
    {
        const auto placesOf = [](const std::string& root) {
            const MachineKernel kernel =
                ofBody("ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];" + root + " %f3, %f1; " + root +
                           " %f4, %f2; st.global.f32 [%rd1+8], %f3; st.global.f32 [%rd1+12], %f4;",
                       90);
            std::vector<std::size_t> roots, joins;
            for (std::size_t at = 0; at < kernel.ops.size(); ++at) {
                const std::string& name = kernel.mnemonics[kernel.ops[at].mnemonic];
                if (name.rfind("MUFU", 0) == 0)
                    roots.push_back(at);
                if (name == "BSYNC" || name == "FMUL.FTZ")
                    joins.push_back(at);
            }
            return std::pair(roots, joins);
        };
        const auto [exact, joins] = placesOf("sqrt.rn.f32");
        QCOMPARE(exact.size(), std::size_t{2});
        QCOMPARE(joins.size(), std::size_t{6});
        QVERIFY(exact[1] > joins[2]); // behind the whole first one
        const auto [quick, none] = placesOf("sqrt.approx.ftz.f32");
        QCOMPARE(none.size(), std::size_t{0});
        QVERIFY(quick[1] - quick[0] < 8);
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
