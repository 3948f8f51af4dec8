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
};

QTEST_APPLESS_MAIN(TestMachineContract)
#include "tst_machine_contract.moc"
