// SPDX-License-Identifier: GPL-3.0-or-later
// Products and sums that become one operation. Counts are those of ptxas 13.0 for the same PTX: instructions of the
// whole kernel for 8.0.
#include "machine_lab.h"

#include <QtTest>

using namespace ridge::gpu::simt;

namespace {

MachineKernel ofBody(const std::string& body)
{
    return machineOfBody("ld.param.u32 %r9, [n]; ld.param.f32 %f9, [x]; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd3, %rd1, "
                         "%rd2; ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+4096];\n" +
                             body,
                         80);
}

} // namespace

class TestMachineContract : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countsAreThoseOfPtxas_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<int>("instructions");
        QTest::addColumn<int>("fused");
        const auto row = [](const char* name, const std::string& body, int instructions, int fused) {
            QTest::newRow(name) << QString::fromStdString(body) << instructions << fused;
        };
        const std::string store = "st.global.f32 [%rd3], %f5;", product = "mul.f32 %f3, %f1, %f2;";
        row("sum", product + "add.f32 %f5, %f3, %f9;" + store, 10, 1);
        row("difference", product + "sub.f32 %f5, %f3, %f9;" + store, 10, 1);
        row("taken away", product + "sub.f32 %f5, %f9, %f3;" + store, 10, 1);
        row("negated", product + "neg.f32 %f4, %f3; add.f32 %f5, %f4, %f9;" + store, 10, 1);
        row("clamped sum", product + "add.sat.f32 %f5, %f3, %f9;" + store, 10, 1);
        row("flushed", "mul.ftz.f32 %f3, %f1, %f2; add.ftz.f32 %f5, %f3, %f9;" + store, 10, 1);
        row("in two sums",
            product + "add.f32 %f5, %f3, %f9; add.f32 %f6, %f3, %f1; st.global.f32 [%rd3+64], %f6;" + store, 12, 2);
        row("two products", product + "mul.f32 %f4, %f1, %f9; add.f32 %f5, %f3, %f4;" + store, 11, 1);
        row("double",
            "cvt.f64.f32 %fd1, %f1; cvt.f64.f32 %fd2, %f2; mul.f64 %fd3, %fd1, %fd2; add.f64 %fd4, %fd3, %fd1;"
            "st.global.f64 [%rd3], %fd4;",
            12, 1);
        row("halves",
            "mov.b32 %r3, %f1; mov.b32 %r4, %f2; mul.f16x2 %r5, %r3, %r4; add.f16x2 %r6, %r5, %r3;"
            "st.global.u32 [%rd3], %r6;",
            10, 1);
        // A rounding that is named happens; so does what somebody else needs.
        row("rounded product", "mul.rn.f32 %f3, %f1, %f2; add.f32 %f5, %f3, %f9;" + store, 11, 0);
        row("rounded sum", product + "add.rn.f32 %f5, %f3, %f9;" + store, 11, 0);
        row("product stored", product + "add.f32 %f5, %f3, %f9; st.global.f32 [%rd3+64], %f3;" + store, 12, 0);
        row("clamped product", "mul.sat.f32 %f3, %f1, %f2; add.f32 %f5, %f3, %f9;" + store, 11, 0);
        row("product flushed", "mul.ftz.f32 %f3, %f1, %f2; add.f32 %f5, %f3, %f9;" + store, 11, 0);
        row("sum flushed", product + "add.ftz.f32 %f5, %f3, %f9;" + store, 11, 0);
        row("between them", product + "max.f32 %f4, %f3, %f9; add.f32 %f5, %f4, %f9;" + store, 12, 0);
    }
    void countsAreThoseOfPtxas()
    {
        QFETCH(QString, body);
        QFETCH(int, instructions);
        QFETCH(int, fused);
        const MachineKernel kernel = ofBody(body.toStdString());
        QCOMPARE(static_cast<int>(kernel.staticInstructions), instructions);
        QCOMPARE(count(kernel, "FFMA") + count(kernel, "DFMA") + count(kernel, "HFMA2"), fused);
    }

    /// What ptxas 13.0 has one instruction for; `there` of 9.0, `before` of 8.0.
    void onesAreThoseOfPtxas_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("before");
        QTest::addColumn<int>("there");
        const auto row = [](const char* what, const std::string& body, const char* name, int before, int there) {
            QTest::newRow(what) << QString::fromStdString(body) << name << before << there;
        };
        const std::string words =
            "ld.global.u32 %r3, [%rd1]; ld.global.u32 %r4, [%rd1+64]; ld.global.u32 %r5, [%rd1+128];";
        const std::string store = "st.global.u32 [%rd1+256], %r7;", sum = "add.s32 %r6, %r3, %r4;";
        row("sum compared", words + sum + "min.s32 %r7, %r6, %r5;" + store, "VIADDMNMX", 0, 1);
        row("compared with a sum", words + sum + "max.s32 %r7, %r5, %r6;" + store, "VIADDMNMX", 0, 1);
        row("difference", words + "sub.s32 %r6, %r3, %r4; min.u32 %r7, %r6, %r5;" + store, "VIADDMNMX", 0, 1);
        row("two sums", words + sum + "add.s32 %r8, %r5, 1; min.s32 %r7, %r6, %r8;" + store, "VIADDMNMX", 0, 1);
        row("sum stored", words + sum + "st.global.u32 [%rd1+512], %r6; min.s32 %r7, %r6, %r5;" + store, "VIADDMNMX", 0,
            0);
        row("compared first", words + "min.s32 %r6, %r3, %r4; add.s32 %r7, %r6, %r5;" + store, "VIADDMNMX", 0, 0);
        const std::string both = "xor.b32 %r7, %r6, %r8;" + store;
        row("both halves", words + "mul.hi.u32 %r6, %r3, %r4; mul.lo.u32 %r8, %r3, %r4;" + both, "IMAD.WIDE.U32", 1, 1);
        row("turned", words + "mul.lo.u32 %r6, %r3, %r4; mul.hi.u32 %r8, %r4, %r3;" + both, "IMAD.WIDE.U32", 1, 1);
        row("with a sign", words + "mul.lo.s32 %r6, %r3, %r4; mul.hi.s32 %r8, %r3, %r4;" + both, "IMAD.WIDE", 1, 1);
        row("by one number", words + "mul.hi.u32 %r6, %r3, 3528531795; mul.lo.s32 %r8, %r3, -766435501;" + both,
            "IMAD.WIDE.U32", 1, 1);
        row("of others", words + "mul.hi.u32 %r6, %r3, %r4; mul.lo.u32 %r8, %r3, %r5;" + both, "IMAD.WIDE.U32", 0, 0);
        const std::string single = "st.global.f32 [%rd1+256], %f1;";
        row("byte", "ld.global.u8 %r3, [%rd1]; cvt.rn.f32.u8 %f1, %r3;" + single, "I2FP.F32", 0, 1);
        row("signed byte", "ld.global.s8 %r3, [%rd1]; cvt.rn.f32.s8 %f1, %r3;" + single, "I2FP.F32", 0, 0);
        row("two halves",
            "{ .reg .b16 %h<3>; ld.global.v2.u16 {%h1, %h2}, [%rd1]; cvt.rn.f32.u16 %f1, %h1; cvt.rn.f32.u16 %f2, %h2; "
            "add.f32 %f1, %f1, %f2; }" +
                single,
            "I2FP.F32", 0, 0);
        row("half", "{ .reg .b16 %h<2>; ld.global.u16 %h1, [%rd1]; cvt.rn.f32.u16 %f1, %h1; }" + single, "I2FP.F32", 0,
            1);
    }
    void onesAreThoseOfPtxas()
    {
        QFETCH(QString, body);
        QFETCH(QString, name);
        QFETCH(int, before);
        QFETCH(int, there);
        QCOMPARE(count(machineOfBody(body.toStdString(), 80), name.toStdString()), before);
        QCOMPARE(count(machineOfBody(body.toStdString(), 90), name.toStdString()), there);
    }
};

QTEST_APPLESS_MAIN(TestMachineContract)
#include "tst_machine_contract.moc"
