// SPDX-License-Identifier: GPL-3.0-or-later
// What a lowered kernel keeps once for a warp, in uniform registers.
#include "machine_lab.h"

#include <QtTest>

using namespace ridge::gpu::simt;

namespace {

MachineKernel ofBody(const std::string& body, int capability)
{
    const std::string text =
        ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
        ".reg .pred %p<9>; .reg .b32 %r<32>; .reg .f32 %f<32>; .reg .b64 %rd<32>;\n"
        "ld.param.u64 %rd0, [p]; cvta.to.global.u64 %rd1, %rd0; mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n];\n"
        "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r9, [%rd3]; mov.f32 %f1, 0f00000000;\n" +
        body + "\nst.global.f32 [%rd3], %f1; st.global.u32 [%rd3+4], %r9;\nret;\n}\n";
    return machineOfPtx(text, capability);
}

/// A loop over %r3 from `from` in steps of 3, with a pointer in %rd4 that moves along; `body` may read both.
std::string loop(const std::string& body, const std::string& from = "0", const std::string& last = "%r2")
{
    return "mov.u32 %r3, " + from + "; mov.u64 %rd4, %rd1;\nL: " + body +
           " add.s64 %rd4, %rd4, 16; add.s32 %r3, %r3, 3; setp.lt.s32 %p1, %r3, " + last + ";\n@%p1 bra L;\n";
}

const std::string kOffset = "mul.wide.u32 %rd5, %r1, 4; add.s64 %rd6, %rd4, %rd5; ld.global.f32 %f2, [%rd6];"
                            "add.f32 %f1, %f1, %f2;";

} // namespace

class TestMachineUniform : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// As ptxas 13.0 has it for sm_75 to sm_90: counter and moving base once a warp, two moves in front of IMAD.WIDE.
    void countersAndMovingBasesAreKeptOnceAWarp()
    {
        const MachineKernel kernel = ofBody(loop(kOffset), 90);
        QCOMPARE(count(kernel, "UIADD3"), 2); // the counter, and the lower half of the base
        QCOMPARE(count(kernel, "UIADD3.X"), 1);
        QCOMPARE(count(kernel, "IADD3"), 0);
        QCOMPARE(count(kernel, "MOV"), 2);
        QCOMPARE(count(kernel, "UMOV"), 3); // where they start
        QVERIFY(kernel.uniformRegisters >= 3);
    }

    /// Below 9.0 the bound stands in the comparison as a constant: there is no place for a uniform register besides.
    void aCounterComparedWithAConstantStaysInTheLanes()
    {
        const MachineKernel kernel = ofBody(loop(kOffset), 80);
        QCOMPARE(count(kernel, "UIADD3"), 1); // the base
        QCOMPARE(count(kernel, "IADD3"), 1);
        QCOMPARE(count(ofBody(loop(kOffset, "0", "4000"), 90), "UIADD3"), 1);
    }

    void theyFreeRegistersOfTheLanes()
    {
        const MachineKernel with = ofBody(loop(kOffset), 80), without = ofBody(loop(kOffset), 70);
        QCOMPARE(count(without, "UIADD3"), 0); // Volta has no uniform pipe
        QCOMPARE(count(without, "UMOV"), 0);
        QVERIFY(count(without, "IADD3") >= 2);
        QVERIFY2(with.registers <= without.registers, qPrintable(QString::number(with.registers)));
    }

    void anAddressOfItsOwnStaysInTheLanes()
    {
        const MachineKernel kernel = ofBody(loop("ld.global.f32 %f2, [%rd4]; add.f32 %f1, %f1, %f2;"), 90);
        QCOMPARE(count(kernel, "UIADD3.X"), 0);
        QCOMPARE(count(kernel, "UIADD3"), 1); // the counter
    }

    void whatFloatingPointReadsStaysInTheLanes()
    {
        const MachineKernel kernel = ofBody(loop("cvt.rn.f32.s32 %f2, %r3; add.f32 %f1, %f1, %f2;" + kOffset), 90);
        QCOMPARE(count(kernel, "UIADD3"), 1); // the base
    }

    void whatDiffersFromLaneToLaneStaysInTheLanes()
    {
        const std::string own = "add.s32 %r4, %r4, 7; xor.b32 %r9, %r9, %r4;"; // begins with the thread number
        QCOMPARE(count(ofBody("mov.u32 %r4, %r1;" + loop(own + kOffset), 90), "UIADD3"), 2);
        // Lanes that leave in different turns have counted differently behind the loop.
        QCOMPARE(count(ofBody(loop(kOffset, "0", "%r9"), 90), "UIADD3"), 0);
    }

    void underAGuardNothingIsUniform()
    {
        const std::string body = "setp.lt.s32 %p2, %r9, 5; @%p2 add.s32 %r4, %r4, 1; xor.b32 %r9, %r9, %r4;" + kOffset;
        QCOMPARE(count(ofBody("mov.u32 %r4, 0;" + loop(body), 90), "UIADD3"), 2); // counter and base as before
    }

    /// The moves are made anew where the base has moved on.
    void aBaseThatHasMovedIsCopiedAgain()
    {
        const std::string again = "add.s64 %rd4, %rd4, 32; mul.wide.u32 %rd7, %r1, 8; add.s64 %rd8, %rd4, %rd7;"
                                  "ld.global.f32 %f3, [%rd8]; add.f32 %f1, %f1, %f3;";
        QCOMPARE(count(ofBody(loop(kOffset + again), 80), "MOV"), 4);
        const std::string twice = "mul.wide.u32 %rd7, %r9, 8; add.s64 %rd8, %rd4, %rd7; ld.global.f32 %f3, [%rd8];"
                                  "add.f32 %f1, %f1, %f3;";
        QCOMPARE(count(ofBody(loop(kOffset + twice), 80), "MOV"), 2);
    }
};

QTEST_APPLESS_MAIN(TestMachineUniform)
#include "tst_machine_uniform.moc"
