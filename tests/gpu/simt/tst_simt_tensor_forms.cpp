// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor-core instructions one by one: layouts, products of every type, sums that are cut off.
#include "forms_lab.h"
#include "h200_products.h"

#include "gpu/simt/lanes/small_float.h"
#include "gpu/simt/run/tensor_math.h"
#include "gpu/simt/run/wgmma_ops.h"

#include <bit>
#include <cmath>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

std::vector<u64> elementsOf(std::string_view hex, Element element)
{
    const std::size_t digits = bitsOf(element) / 4;
    std::vector<u64> elements(hex.size() / digits);
    for (std::size_t i = 0; i < elements.size(); ++i)
        elements[i] = std::stoull(std::string(hex.substr(i * digits, digits)), nullptr, 16);
    return elements;
}

} // namespace

class TestSimtTensorForms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Rows of eight halves numbered through: where they end up tells the layout.
    void matricesOfRows()
    {
        Lab lab;
        std::vector<u16> in(64);
        for (u16 i = 0; i < 64; ++i)
            in[i] = i;
        const DevicePtr out = lab.put(std::vector<u32>(128));
        QVERIFY2(run(lab,
                     ".shared .align 16 .b8 s[256]; mul.wide.u32 %rd4, %r0, 4; add.u64 %rd5, %rd0, %rd4;"
                     "ld.global.u32 %r9, [%rd5]; mov.u32 %r10, s; shl.b32 %r11, %r0, 2; add.u32 %r11, %r11, %r10;"
                     "st.shared.u32 [%r11], %r9; bar.warp.sync -1; and.b32 %r12, %r0, 7; shl.b32 %r12, %r12, 4;"
                     "add.u32 %r12, %r12, %r10; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r13}, [%r12];"
                     "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r14}, [%r12];"
                     "movmatrix.sync.aligned.m8n8.trans.b16 %r15, %r13;"
                     "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r12], {%r13};"
                     "ld.shared.u32 %r16, [%r11]; add.u64 %rd6, %rd1, %rd4; st.global.u32 [%rd6], %r13;"
                     "st.global.u32 [%rd6+128], %r14; st.global.u32 [%rd6+256], %r15; st.global.u32 [%rd6+384], %r16;",
                     lab.put(in), out),
                 lab.why());
        const auto got = lab.get<u32>(out, 128);
        for (u32 lane = 0; lane < 32; ++lane) {
            const u32 row = lane / 4, column = lane % 4 * 2;
            const u32 plain = (row * 8 + column) | (row * 8 + column + 1) << 16;
            const u32 turned = (column * 8 + row) | ((column + 1) * 8 + row) << 16;
            QCOMPARE(got[lane], plain);
            QCOMPARE(got[32 + lane], turned);
            QCOMPARE(got[64 + lane], turned);
            QCOMPARE(got[96 + lane], turned); // stored turned, read as rows
        }
    }

    void productsOfEveryType_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<u32>("expected");
        // Every element of A and B is the same, so that D = C + k * a * b wherever an element lies.
        const auto real = [](float v) { return std::bit_cast<u32>(v); };
        QTest::newRow("f16, f16") << QByteArray("mov.b32 %r9, 0x40004000; mov.b32 %r10, 0x3c003c00;"
                                                "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r20,%r21}, "
                                                "{%r9,%r9,%r9,%r9}, {%r9,%r9}, {%r10,%r10};")
                                  << (u32{halfNearest(65)} << 16 | halfNearest(65));
        QTest::newRow("bf16") << QByteArray(
                                     "mov.b32 %r9, 0x40004000; mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
                                     "{%r20,%r21,%r22,%r23}, {%r9,%r9}, {%r9}, {%f1,%f1,%f1,%f1};")
                              << real(33.5f);
        QTest::newRow("tf32") << QByteArray(
                                     "mov.b32 %r9, 0x40000000; mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
                                     "{%r20,%r21,%r22,%r23}, {%r9,%r9}, {%r9}, {%f1,%f1,%f1,%f1};")
                              << real(17.5f);
        QTest::newRow("s8 u8") << QByteArray(
                                      "mov.b32 %r9, 0xfefefefe; mov.b32 %r10, 0x03030303; mma.sync.aligned.m16n8k32."
                                      "row.col.s32.s8.u8.s32 {%r20,%r21,%r22,%r23}, {%r9,%r9,%r9,%r9}, {%r10,%r10}, "
                                      "{%r6,%r6,%r6,%r6};")
                               << static_cast<u32>(5 - 6 * 32);
        QTest::newRow("s4") << QByteArray("mov.b32 %r9, 0xeeeeeeee; mov.b32 %r10, 0x33333333; mma.sync.aligned.m8n8k32."
                                          "row.col.s32.s4.s4.s32 {%r20,%r21}, {%r9}, {%r10}, {%r6,%r6};")
                            << static_cast<u32>(5 - 6 * 32);
        QTest::newRow("b1") << QByteArray(
                                   "mov.b32 %r9, 0xffffffff; mov.b32 %r10, 0x0f0f0f0f; mma.sync.aligned.m16n8k256."
                                   "row.col.s32.b1.b1.s32.and.popc {%r20,%r21,%r22,%r23}, {%r9,%r9,%r9,%r9}, "
                                   "{%r10,%r10}, {%r6,%r6,%r6,%r6};")
                            << u32{5 + 128};
        QTest::newRow("saturated") << QByteArray("mov.b32 %r9, 0x7f7f7f7f; mov.b32 %r10, 0x7ffffff0; mma.sync.aligned."
                                                 "m8n8k16.row.col.satfinite.s32.s8.s8.s32 {%r20,%r21}, {%r9}, {%r9}, "
                                                 "{%r10,%r10};")
                                   << 0x7fffffffu;
        QTest::newRow("e4m3 e5m2") << QByteArray("mov.b32 %r9, 0x40404040; mov.b32 %r10, 0x42424242; mma.sync.aligned."
                                                 "m16n8k32.row.col.f32.e4m3.e5m2.f32 {%r20,%r21,%r22,%r23}, "
                                                 "{%r9,%r9,%r9,%r9}, {%r10,%r10}, {%f1,%f1,%f1,%f1};")
                                   << real(1.5f + 32 * 2 * 3);
        // mma.sync of an H200 adds the sum of the products, 3, to 2^24 to nearest, wherever the products lie.
        QTest::newRow("e4m3, then C") << QByteArray("mov.b32 %r9, 0x3c3c3c3c; mov.b32 %r10, 0x18181818; mov.f32 %f1, "
                                                    "0f4b800000; mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
                                                    "{%r20,%r21,%r22,%r23}, {%r9,%r9,%r9,%r9}, {%r10,%r10}, "
                                                    "{%f1,%f1,%f1,%f1};")
                                      << real(16777220.0f);
        // As its SASS has it, every step in halves: 2048 from the lower bytes of each register, 1 from the upper, C
        // = 1.
        QTest::newRow("e4m3 in f16") << QByteArray("mov.b32 %r9, 0x18187070; mov.b32 %r10, 0x38383838; mov.b32 %r8, "
                                                   "0x3c003c00; mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 "
                                                   "{%r20,%r21}, {%r9,%r9,%r9,%r9}, {%r10,%r10}, {%r8,%r8};")
                                     << (u32{halfNearest(2048)} << 16 | halfNearest(2048));
        QTest::newRow("f64") << QByteArray(
                                    "mov.f64 %fd1, 0d4008000000000000; mov.f64 %fd2, 0d3ff0000000000000; mma.sync."
                                    "aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd3,%fd4}, {%fd1}, {%fd1}, "
                                    "{%fd2,%fd2}; cvt.rn.f32.f64 %f3, %fd4; mov.b32 %r20, %f3;")
                             << real(37.0f);
    }

    void productsOfEveryType()
    {
        QFETCH(QByteArray, text);
        QFETCH(u32, expected);
        Lab lab;
        const DevicePtr out = lab.put(std::vector<u32>(32));
        QVERIFY2(
            run(lab,
                text.toStdString() + "mul.wide.u32 %rd4, %r0, 4; add.u64 %rd4, %rd4, %rd1; st.global.b32 [%rd4], %r20;",
                out, out),
            lab.why());
        QCOMPARE(lab.get<u32>(out, 32), std::vector<u32>(32, expected));
    }

    /// An integer product whose result tells every element's place: A[i][k] = (i == k), so that D = B.
    void identityShowsTheLayout()
    {
        Lab lab;
        const DevicePtr out = lab.put(std::vector<int>(16 * 8));
        // B[k][n] = k * 8 + n. Lane 4g + t holds k = 4t … 4t + 3 of column g.
        QVERIFY2(
            run(lab,
                "shr.u32 %r10, %r0, 2; and.b32 %r11, %r0, 3; shl.b32 %r12, %r11, 5; add.u32 %r12, %r12, %r10;"
                "add.u32 %r13, %r12, 8; add.u32 %r14, %r12, 16; add.u32 %r15, %r12, 24; shl.b32 %r13, %r13, 8;"
                "shl.b32 %r14, %r14, 16; shl.b32 %r15, %r15, 24; or.b32 %r12, %r12, %r13; or.b32 %r14, %r14, %r15;"
                "or.b32 %r12, %r12, %r14;"
                // A: register 0 row g, register 1 row g + 8, columns 4t … 4t + 3.
                "shl.b32 %r16, %r11, 2; sub.u32 %r17, %r10, %r16; shl.b32 %r17, %r17, 3; shl.b32 %r18, 1, %r17;"
                "add.u32 %r19, %r10, 8; sub.u32 %r19, %r19, %r16; shl.b32 %r19, %r19, 3; shl.b32 %r20, 1, %r19;"
                "mov.u32 %r5, 0;"
                "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%r21,%r22,%r23,%r24}, {%r18,%r20}, {%r12}, "
                "{%r5,%r5,%r5,%r5};"
                "shl.b32 %r25, %r10, 3; shl.b32 %r26, %r11, 1; add.u32 %r25, %r25, %r26; mul.wide.u32 %rd4, %r25, 4;"
                "add.u64 %rd4, %rd4, %rd1; st.global.u32 [%rd4], %r21; st.global.u32 [%rd4+4], %r22;"
                "st.global.u32 [%rd4+256], %r23; st.global.u32 [%rd4+260], %r24;",
                out, out),
            lab.why());
        const auto got = lab.get<int>(out, 128);
        for (int i = 0; i < 128; ++i)
            QCOMPARE(got[static_cast<std::size_t>(i)], i);
    }

    void productsOfAnH200()
    {
        for (const RecordedProduct& each : kH200Products) {
            MatrixDetail detail;
            detail.a = each.a;
            detail.b = each.b;
            detail.c = detail.d = each.d;
            detail.descriptorB = each.isWarpgroup ? 0 : kNone;
            const std::vector<u64> a = elementsOf(each.rowOfA, each.a), b = elementsOf(each.columnOfB, each.b);
            u64 d = 0;
            multiply({&detail, a.data(), b.data(), &each.c, &d, 1, 1, unsigned(a.size()), tensorRules(90)});
            QVERIFY2(d == each.expected, each.rowOfA);
        }
    }

    void tensorSumsAreCutOff()
    {
        // As an H100: 2^24 + eight products of 0.75: exact would be 2^24 + 6; aligned to 2^24 two bits below the last
        // place each 0.75 loses its lowest bit of three and counts 0.5 … and the sum is cut off to a multiple of two.
        const TensorTerm a = decodeTerm(Element::F16, halfNearest(0.75));
        const TensorTerm one = decodeTerm(Element::F16, halfNearest(1));
        const std::vector<TensorTerm> as(16, a), ones(16, one);
        QCOMPARE(tensorSum(tensorRules(90), Element::F16, as.data(), Element::F16, ones.data(), 8, 16777216.0f),
                 16777220.0f);
        QCOMPARE(tensorSum(tensorRules(90), Element::F16, as.data(), Element::F16, ones.data(), 16, 0.0f), 12.0f);
        const std::vector<TensorTerm> infinite{decodeTerm(Element::F16, 0x7c00), one};
        QCOMPARE(tensorSum(tensorRules(90), Element::F16, infinite.data(), Element::F16, ones.data(), 2, 0.0f),
                 HUGE_VALF);
        QVERIFY(std::isnan(
            tensorSum(tensorRules(90), Element::F16, infinite.data(), Element::F16, ones.data(), 2, -HUGE_VALF)));
        // Denormal halves count.
        const std::vector<TensorTerm> tiny{decodeTerm(Element::F16, 1)};
        QCOMPARE(tensorSum(tensorRules(90), Element::F16, tiny.data(), Element::F16, ones.data(), 1, 0.0f), 0x1p-24f);
    }

    /// 64 x 16 ones times 16 x 8: column j of B holds j, so that D[i][j] = 16 j + what was there, whatever the layout;
    /// then descriptors themselves, against the canonical layouts.
    void warpgroups()
    {
        for (const bool fromRegisters : {false, true}) {
            Lab lab;
            const DevicePtr out = lab.put(std::vector<float>(64 * 8));
            const std::string a = fromRegisters ? "{%r9,%r9,%r9,%r9}" : "%rd5";
            const std::string turn = fromRegisters ? "0" : "0, 0";
            // Core matrices of 8 rows x 16 bytes: A at 0 (LBO 1024, SBO 128), B at 2048 (LBO 128).
            QVERIFY2(
                run(lab,
                    ".shared .align 128 .b8 s[2304]; mov.u32 %r10, s; mov.b32 %r9, 0x3c003c00; mov.u32 %r11, %tid.x;"
                    "shl.b32 %r12, %r11, 4; add.u32 %r12, %r12, %r10; st.shared.v4.u32 [%r12], {%r9,%r9,%r9,%r9};"
                    "setp.lt.u32 %p1, %r11, 16; and.b32 %r13, %r11, 7; cvt.rn.f16.u32 %rs1, %r13;"
                    "mov.b32 %r14, {%rs1, %rs1}; @%p1 st.shared.v4.u32 [%r12+2048], {%r14,%r14,%r14,%r14}; bar.sync 0;"
                    "shr.u32 %r15, %r10, 4; cvt.u64.u32 %rd4, %r15; or.b64 %rd5, %rd4, 0x0000000800400000;"
                    "add.u64 %rd6, %rd4, 128; or.b64 %rd6, %rd6, 0x0000000800080000;"
                    "wgmma.fence.sync.aligned; mov.f32 %f3, %f1; mov.f32 %f4, %f1; mov.f32 %f5, %f1; mov.f32 %f6, %f1;"
                    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f3,%f4,%f5,%f6}, " +
                        a + ", %rd6, 1, 1, 1, " + turn +
                        ";"
                        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f3,%f4,%f5,%f6}, " +
                        a + ", %rd6, 1, -1, 1, " + turn + ";" +
                        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f3,%f4,%f5,%f6}, " + a +
                        ", %rd6, 1, 1, 1, " + turn +
                        "; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
                        "and.b32 %r16, %r11, 31; shr.u32 %r17, %r11, 5; shl.b32 %r17, %r17, 4; shr.u32 %r18, %r16, 2;"
                        "add.u32 %r17, %r17, %r18; shl.b32 %r17, %r17, 3; and.b32 %r16, %r16, 3; shl.b32 %r16, %r16, 1;"
                        "add.u32 %r17, %r17, %r16; mul.wide.u32 %rd7, %r17, 4; add.u64 %rd7, %rd7, %rd1;"
                        "st.global.v2.f32 [%rd7], {%f3,%f4}; st.global.v2.f32 [%rd7+256], {%f5,%f6};",
                    out, out, 128),
                lab.why());
            const auto got = lab.get<float>(out, 64 * 8);
            for (std::size_t i = 0; i < got.size(); ++i)
                QCOMPARE(got[i], 1.5f + 16.0f * float(i % 8));
        }
        const MatrixDescriptor plain = decodeDescriptor(u64{0x10} | u64{0x8} << 16 | u64{0x20} << 32);
        QCOMPARE(elementOffset(plain, false, 2, 9, 11), u64{256 + 512 + 16 + 128 + 6});
        QCOMPARE(elementOffset(plain, true, 2, 9, 11), u64{256 + 512 + 2 + 128 + 48});
        const MatrixDescriptor wide = decodeDescriptor(u64{0x40} | u64{0x80} << 16 | u64{0x40} << 32 | u64{1} << 62);
        QCOMPARE(wide.span, 128u);
        QCOMPARE(elementOffset(wide, false, 2, 9, 3), u64{1024 + 1024 + 128 + (6 ^ 16)});
        QCOMPARE(elementOffset(wide, true, 2, 65, 9), u64{1024 + 2048 + 1024 + 128 + (2 ^ 16)});
    }
};

QTEST_APPLESS_MAIN(TestSimtTensorForms)
#include "tst_simt_tensor_forms.moc"
