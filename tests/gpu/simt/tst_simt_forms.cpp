// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions that compilers write seldom or only from intrinsics, one by one, with results found by hand from the PTX
// ISA's own descriptions.
#include "simt_lab.h"

#include "gpu/simt/lanes/small_float.h"
#include "gpu/simt/run/tensor_math.h"
#include "gpu/simt/run/wgmma_ops.h"
#include "gpu/simt/tensor_map.h"

#include <cmath>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct Row {
    const char* text; ///< leaves its result in %r9
    u32 expected;
};

/// Inputs: %r4 0x12345678, %r5 0x9abcdef0, %r6 5, %f1 1.5, %f2 -2.25; halves 1.5 and -2 in %r7, NaN and 3 in %r8.
const std::vector<Row>& rows()
{
    static const std::vector<Row> table{
        {"slct.b32.s32 %r9, %r4, %r5, %r6;", 0x12345678},
        {"slct.ftz.u32.f32 %r9, %r4, %r5, %f2;", 0x9abcdef0},
        {"testp.finite.f32 %p1, %f1; selp.u32 %r9, 1, 0, %p1;", 1},
        {"mov.b32 %f3, 0x00000001; testp.subnormal.f32 %p1, %f3; selp.u32 %r9, 1, 0, %p1;", 1},
        {"mov.b32 %f3, 0x7fc00000; testp.number.f32 %p1, %f3; selp.u32 %r9, 1, 0, %p1;", 0},
        {"set.gt.u32.f32 %r9, %f1, %f2;", 0xffffffff},
        {"set.lt.f32.s32 %f3, %r5, %r6; mov.b32 %r9, %f3;", 0x3f800000},
        {"setp.eq.s32 %p1, %r6, 5; set.gt.and.u32.s32 %r9, %r6, 4, !%p1;", 0},
        {"set.gt.f16x2.f16x2 %r9, %r7, %r8;", 0x00000000},
        {"set.neu.f16x2.f16x2 %r9, %r7, %r8;", 0x3c003c00},
        {"setp.lt.f16x2 %p1|%p2, %r7, %r8; selp.u32 %r9, 1, 0, %p1; selp.u32 %r10, 2, 0, %p2; add.u32 %r9, %r9, %r10;",
         2},
        {"bmsk.clamp.b32 %r9, 4, 8;", 0x00000ff0},
        {"bmsk.wrap.b32 %r9, 36, 8;", 0x00000ff0},
        {"bmsk.clamp.b32 %r9, 36, 8;", 0},
        {"szext.clamp.s32 %r9, 0xf5, 4;", 5},
        {"szext.wrap.s32 %r9, 0xfa, 4;", 0xfffffffa},
        {"fns.b32 %r9, 0x000000aa, 0, 3;", 5},
        {"fns.b32 %r9, 0x000000aa, 6, -2;", 3},
        {"fns.b32 %r9, 0x000000aa, 0, 9;", 0xffffffff},
        {"dp2a.lo.u32.u32 %r9, 0x00030002, 0x07060504, 1;", 2 * 4 + 3 * 5 + 1},
        {"dp2a.hi.s32.s32 %r9, 0xffff0002, 0x07060504, 0;", 2 * 6 - 7},
        {"sub.cc.u32 %r9, 5, 7; addc.u32 %r10, 0, 0; sub.cc.u32 %r9, 7, 5; addc.u32 %r11, 0, 0; shl.b32 %r11, %r11, 4;"
         "or.b32 %r9, %r10, %r11;",
         0x10}, // the carry is set where nothing was borrowed
        {"vabsdiff4.u32.u32.u32 %r9, 0x01ff0510, 0x02000710, 0;", 0x01ff0200},
        {"vabsdiff4.u32.u32.u32.add %r9, 0x01ff0510, 0x02000710, 1000;", 1000 + 1 + 255 + 2},
        {"mul24.lo.s32 %r9, 0x00ffffff, 3;", 0xfffffffd},
        {"mad24.hi.u32 %r9, 0x00ffffff, 0x00ffffff, 1;", 0xfffffe00 + 1},
        {"setp.eq.s32 %p1, %r6, 4; lop3.or.b32 %r10|%p2, %r4, %r5, %r6, 0x80, %p1; selp.u32 %r9, 1, 2, %p2;", 2},
        {"min.xorsign.abs.f32 %f3, %f1, %f2; mov.b32 %r9, %f3;", 0xbfc00000},
        {"max.relu.s32 %r9, -5, -7;", 0},
        {"add.u16x2 %r9, 0xffff0001, 0x00020003;", 0x00010004},
        {"max.s16x2 %r9, 0xffff0001, 0x00020003;", 0x00020003},
        {"min.relu.s16x2 %r9, 0xfff00001, 0x00020003;", 0x00000001},
        {"add.f16x2 %r9, %r7, %r7;", 0xc4004200},
        {"fma.rn.relu.f16x2 %r9, %r7, %r7, %r7;", 0x40004380},
        {"neg.f16x2 %r9, %r7;", 0x4000be00},
        {"mul.bf16x2 %r9, 0x3fc0bf80, 0x40004000;", 0x4040c000},
        {"fma.rn.bf16x2 %r9, 0x3fc0bf80, 0x40004000, 0x3f803f80;", 0x4080bf80},
        {"mov.b32 {%rs1, %rs2}, %r8; max.NaN.f16 %rs3, %rs1, %rs2; cvt.u32.u16 %r9, %rs3;", 0x7fff},
        {"mov.b32 {%rs1, %rs2}, %r8; max.f16 %rs3, %rs1, %rs2; cvt.u32.u16 %r9, %rs3;", 0x4200},
        {"ex2.approx.f16x2 %r9, 0x40003c00;", 0x44004000},
        {"tanh.approx.f16 %rs1, %rs2; cvt.u32.u16 %r9, %rs1;", 0},
        {"cvt.rn.f16x2.f32 %r9, %f2, %f1;", 0xc0803e00},
        {"cvt.rn.relu.bf16x2.f32 %r9, %f2, %f1;", 0x00003fc0},
        {"cvt.rn.satfinite.e4m3x2.f32 %rs1, %f2, %f1; cvt.u32.u16 %r9, %rs1;", 0xc13c},
        {"mov.f32 %f3, 0f47000000; cvt.rn.satfinite.e4m3x2.f32 %rs1, %f3, %f1; cvt.u32.u16 %r9, %rs1;", 0x7e3c},
        {"cvt.rn.satfinite.e5m2x2.f32 %rs1, %f2, %f1; cvt.u32.u16 %r9, %rs1;", 0xc03e},
        {"mov.b16 %rs1, 0x3cc1; cvt.rn.f16x2.e4m3x2 %r9, %rs1;", 0x3e00c080},
        {"mov.b16 %rs1, 0x3ec0; cvt.rn.f16x2.e5m2x2 %r9, %rs1;", 0x3e00c000},
        {"cvt.rn.satfinite.e4m3x2.f16x2 %rs1, %r7; cvt.u32.u16 %r9, %rs1;", 0xc03c},
        {"mov.b32 %f3, 0x3f801000; cvt.rna.tf32.f32 %r9, %f3;", 0x3f802000},
        {"cvt.rn.bf16.s32 %rs1, 257; cvt.u32.u16 %r9, %rs1;", 0x4380},
        {"cvt.rn.f16.u32 %rs1, 2049; cvt.u32.u16 %r9, %rs1;", 0x6800},
        {"mov.b128 %rq1, {%rd0, %rd1}; mov.b128 {%rd4, %rd5}, %rq1; sub.u64 %rd4, %rd4, %rd0; cvt.u32.u64 %r9, %rd4;",
         0},
        {"cvta.local.u64 %rd4, 0; isspacep.local %p1, %rd4; isspacep.global %p2, %rd0; selp.u32 %r9, 1, 0, %p1;"
         "@!%p2 mov.u32 %r9, 7;",
         1},
        {"elect.sync %r9|%p1, 0xffffffff; @%p1 add.u32 %r9, %r9, 64;", 64},
        {"mapa.shared::cluster.u32 %r9, %r4, 0;", 0x345678},
        {"mov.u32 %r9, %cluster_nctarank;", 1},
        {"createpolicy.fractional.L2::evict_last.b64 %rd4, 1.0; ld.global.L1::evict_last.L2::cache_hint.u32 %r9, "
         "[%rd0], "
         "%rd4;",
         77},
        {"prefetch.global.L2 [%rd0]; discard.global.L2 [%rd0], 128; applypriority.global.L2::evict_normal [%rd0], 128;"
         "ldu.global.u32 %r9, [%rd0];",
         77},
        {"ld.relaxed.gpu.global.u32 %r9, [%rd0]; fence.proxy.async; fence.acq_rel.cluster; griddepcontrol.wait;", 77},
        {"ld.mmio.relaxed.sys.global.u32 %r9, [%rd0];", 77},
    };
    return table;
}

} // namespace

class TestSimtForms : public QObject {
    Q_OBJECT

    static constexpr const char* kInputs =
        ".reg .b128 %rq<4>;\nmov.b32 %r4, 0x12345678; mov.b32 %r5, 0x9abcdef0; mov.u32 %r6, 5; mov.f32 %f1, 0f3fc00000;"
        "mov.f32 %f2, 0fc0100000; mov.b32 %r7, 0xc0003e00; mov.b32 %r8, 0x42007e00; mov.b16 %rs2, 0;\n";

    static bool run(Lab& lab, const std::string& body, DevicePtr a, DevicePtr b, u32 threads = 32, u32 shared = 0)
    {
        return lab.load(handWritten(kInputs + body)) && lab.run("k", {1}, {threads}, {a, b, b}, shared);
    }

private Q_SLOTS:
    void byHand_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < rows().size(); ++i)
            QTest::newRow(rows()[i].text) << int(i);
    }

    void byHand()
    {
        QFETCH(int, index);
        const Row& row = rows()[static_cast<std::size_t>(index)];
        Lab lab;
        const DevicePtr in = lab.put(std::vector<u32>(64, 77));
        const DevicePtr out = lab.put(std::vector<u32>(64));
        QVERIFY2(run(lab, std::string(row.text) + "\nst.global.u32 [%rd1], %r9;", in, out, 1), lab.why());
        const u32 got = lab.get<u32>(out, 1)[0];
        QVERIFY2(got == row.expected,
                 qPrintable(QStringLiteral("got %1, expected %2").arg(got, 0, 16).arg(row.expected, 0, 16)));
    }

    void pairsSwapOnce()
    {
        Lab lab;
        const DevicePtr at = lab.put(std::vector<u64>(8));
        QVERIFY2(
            run(lab,
                "cvt.u64.u32 %rd6, 0; mov.b128 %rq2, {%rd6, %rd6}; cvt.u64.u32 %rd7, %r0; mov.b128 %rq1, {%rd7, %rd0};"
                "atom.global.cas.b128 %rq3, [%rd0], %rq2, %rq1;",
                at, at),
            lab.why());
        // Lane 0 swaps {0, address}; the second word is no longer zero, so that nobody else does.
        QCOMPARE(lab.get<u64>(at, 2), (std::vector<u64>{0, at.address}));
        const DevicePtr halves = lab.put(std::vector<u32>(4));
        QVERIFY2(run(lab,
                     "mov.b16 %rs1, 0x3c00; red.global.add.noftz.f16 [%rd0], %rs1; cvt.rn.f16.u32 %rs3, %r0;"
                     "atom.global.max.noftz.f16 %rs4, [%rd0+2], %rs3; mov.b32 %r9, 0x3f803f80;"
                     "red.global.add.noftz.bf16x2 [%rd0+4], %r9; red.global.add.v2.f32 [%rd0+8], {%f1, %f2};",
                     halves, halves),
                 lab.why());
        QCOMPARE(lab.get<u32>(halves, 4), (std::vector<u32>{u32{halfNearest(31)} << 16 | halfNearest(32), 0x42004200u,
                                                            std::bit_cast<u32>(48.0f), std::bit_cast<u32>(-72.0f)}));
    }

    void wideLoads()
    {
        Lab lab;
        std::vector<u32> in(32 * 8);
        for (u32 i = 0; i < in.size(); ++i)
            in[i] = i * 3;
        const DevicePtr out = lab.put(std::vector<u32>(32 * 8));
        QVERIFY2(run(lab,
                     "mul.wide.u32 %rd4, %r0, 32; add.u64 %rd5, %rd0, %rd4; add.u64 %rd6, %rd1, %rd4;"
                     "ld.global.v8.b32 {%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, [%rd5];"
                     "st.global.v8.b32 [%rd6], {%r17,%r16,%r15,%r14,%r13,%r12,%r11,%r10};",
                     lab.put(in), out),
                 lab.why());
        const auto got = lab.get<u32>(out, in.size());
        for (u32 i = 0; i < in.size(); ++i)
            QCOMPARE(got[i], in[i / 8 * 8 + 7 - i % 8]);
    }

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

    void copiesFillWithZero()
    {
        Lab lab;
        const DevicePtr in = lab.put(std::vector<u32>{11, 22, 33, 44});
        const DevicePtr out = lab.put(std::vector<u32>(8));
        QVERIFY2(
            run(lab,
                ".shared .align 16 .b8 s[32]; mov.u32 %r10, s; mov.u32 %r11, 8; setp.eq.u32 %p1, %r0, 0;"
                "cp.async.cg.shared.global [%r10], [%rd0], 16, %r11; cp.async.ca.shared.global.L2::128B [s+16], "
                "[%rd0+8], 8;"
                "cp.async.ca.shared.global [%r10+24], [%rd0], 4, %p1; cp.async.commit_group; cp.async.wait_all;"
                "ld.shared.v4.u32 {%r12,%r13,%r14,%r15}, [s]; ld.shared.v4.u32 {%r16,%r17,%r18,%r19}, [s+16];"
                "st.global.v4.u32 [%rd1], {%r12,%r13,%r14,%r15}; st.global.v4.u32 [%rd1+16], {%r16,%r17,%r18,%r19};",
                in, out, 1),
            lab.why());
        QCOMPARE(lab.get<u32>(out, 8), (std::vector<u32>{11, 22, 0, 0, 33, 44, 0, 0}));
        QVERIFY(!run(lab, ".shared .align 16 .b8 s[32]; cp.async.cg.shared.global [s], [%rd0+8], 16;", in, out, 1));
        QCOMPARE(lab.code(), std::string("misaligned"));
        QVERIFY(!run(lab, ".shared .align 16 .b8 s[32]; cp.async.cg.shared.global [s], [%rd0+16], 16;", in, out, 1));
        QCOMPARE(lab.code(), std::string("out-of-bounds"));
    }

    void barriersCountArrivalsAndBytes()
    {
        Lab lab;
        std::vector<u32> in(64);
        for (u32 i = 0; i < 64; ++i)
            in[i] = 1000 + i;
        const DevicePtr out = lab.put(std::vector<u32>(64));
        // Thread 0 expects and copies 256 bytes; all 64 threads arrive and wait for phase 0.
        QVERIFY2(run(lab,
                     ".shared .align 16 .b8 s[256]; .shared .align 8 .b64 bar; setp.eq.u32 %p1, %r0, 0;"
                     "@%p1 mbarrier.init.shared.b64 [bar], 65; bar.sync 0; mbarrier.arrive.shared.b64 %rd4, [bar];"
                     "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;"
                     "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd0], 256, [bar];\n"
                     "L: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra L;"
                     "mbarrier.test_wait.shared.b64 %p3, [bar], %rd4; shl.b32 %r10, %r0, 2; mov.u32 %r11, s;"
                     "add.u32 %r10, %r10, %r11; ld.shared.u32 %r12, [%r10]; @!%p3 mov.u32 %r12, 0;"
                     "add.u32 %r12, %r12, 1; st.shared.u32 [%r10], %r12; fence.proxy.async; bar.sync 0;"
                     "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256; cp.async.bulk.commit_group;"
                     "cp.async.bulk.wait_group.read 0;",
                     lab.put(in), out, 64),
                 lab.why());
        const auto got = lab.get<u32>(out, 64);
        for (u32 i = 0; i < 64; ++i)
            QCOMPARE(got[i], 1001 + i);
        // A barrier that nobody completes: a loop without end is stopped, not taken for done.
        DeviceOptions options;
        options.launchSeconds = 0.2;
        Lab waiting(options);
        const DevicePtr a = waiting.put(std::vector<u32>(4));
        QVERIFY(
            !run(waiting,
                 ".shared .align 8 .b64 bar; mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 _, [bar];\n"
                 "L: mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra L;",
                 a, a, 1));
        QVERIFY2(waiting.code() == "time-limit" || waiting.code() == "no-progress", waiting.why());
    }

    void boxesOfTensors()
    {
        // A 6 x 8 tensor of u32; a box of 4 x 8 from (4, 3): two columns and five rows lie outside.
        Lab lab;
        std::vector<u32> in(8 * 8);
        for (u32 i = 0; i < 64; ++i)
            in[i] = 100 + i;
        const DevicePtr tensor = lab.put(in);
        TensorMap map;
        map.address = tensor.address;
        map.rank = 2;
        map.size = {6, 6, 1, 1, 1};
        map.stride = {32, 0, 0, 0};
        map.box = {4, 8, 1, 1, 1};
        const auto bytes = encodeTensorMap(map);
        QVERIFY2(bytes.ok(), bytes.ok() ? "" : toText(bytes.error()).c_str());
        const DevicePtr at = lab.put(std::vector<std::byte>(bytes->begin(), bytes->end()));
        const DevicePtr out = lab.put(std::vector<u32>(32));
        QVERIFY2(
            run(lab,
                ".shared .align 128 .b8 s[128]; .shared .align 8 .b64 bar; mbarrier.init.shared.b64 [bar], 1;"
                "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;"
                "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [%rd0, {4, 3}], "
                "[bar];\nL: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra L;"
                "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 128;",
                at, out, 1),
            lab.why());
        const auto got = lab.get<u32>(out, 32);
        for (u32 row = 0; row < 8; ++row)
            for (u32 column = 0; column < 4; ++column)
                QCOMPARE(got[row * 4 + column], column < 2 && row < 3 ? 100 + (row + 3) * 8 + column + 4 : 0u);
        map.box[0] = 300;
        QVERIFY(!encodeTensorMap(map).ok());
        // Bits 4 to 6 of an address change with bits 7 to 9.
        QCOMPARE(swizzled(TensorSwizzle::Bytes128, 0x3f4), u64{0x384});
        QCOMPARE(swizzled(TensorSwizzle::Bytes32, 0x3f4), u64{0x3e4});
        QCOMPARE(swizzled(TensorSwizzle::None, 0x3f4), u64{0x3f4});
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

    void clustersOfOneBlock()
    {
        Lab lab;
        const DevicePtr out = lab.put(std::vector<u32>(64));
        QVERIFY2(
            run(lab,
                ".shared .align 4 .b8 s[256]; shl.b32 %r10, %r0, 2; st.shared.u32 [%r10], %r0;"
                "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned; xor.b32 %r11, %r10, 252;"
                "mapa.shared::cluster.u32 %r11, %r11, %cluster_ctarank; ld.shared::cluster.u32 %r12, [%r11];"
                "mul.wide.u32 %rd4, %r0, 4; add.u64 %rd4, %rd4, %rd1; st.global.u32 [%rd4], %r12;",
                out, out, 64),
            lab.why());
        for (u32 i = 0; i < 64; ++i)
            QCOMPARE(lab.get<u32>(out, 64)[i], 63 - i);
    }

    void addressesOf32BitsWrapAround()
    {
        Lab lab;
        const DevicePtr out = lab.put(std::vector<u32>(1));
        QVERIFY2(run(lab,
                     ".shared .align 4 .b8 s[64]; mov.u32 %r10, s; st.shared.u32 [%r10+8], %r6; sub.u32 %r11, %r10, 16;"
                     "ld.shared.u32 %r12, [%r11+24]; st.global.u32 [%rd1], %r12;",
                     out, out, 1),
                 lab.why());
        QCOMPARE(lab.get<u32>(out, 1)[0], 5u);
    }

    void pointersToNothing()
    {
        Lab lab;
        const DevicePtr a = lab.put(std::vector<u64>{0});
        const std::string text =
            handWritten("ld.global.u64 %rd4, [%rd0]; P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                        "{ .param .b32 in; .param .b32 back; st.param.b32 [in], %r0;\n"
                        "call (back), %rd4, (in), P; ld.param.b32 %r5, [back]; }",
                        ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<2>; ld.param.b32 %r0, "
                        "[a]; add.u32 %r0, %r0, 1; st.param.b32 [r], %r0; ret; }\n"
                        ".global .align 8 .u64 table[1] = {f};");
        QVERIFY2(lab.load(text), lab.why());
        QVERIFY(!lab.run("k", {1}, {32}, {a, a, a}));
        QVERIFY2(lab.code() == "launch-failed" && lab.why().contains("is no function"), lab.why());
    }
};

QTEST_APPLESS_MAIN(TestSimtForms)
#include "tst_simt_forms.moc"
