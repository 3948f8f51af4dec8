// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions that compilers write seldom or only from intrinsics, one by one, with results found by hand from the PTX
// ISA's own descriptions.
#include "forms_lab.h"

#include "gpu/simt/lanes/small_float.h"

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
        // An element of an array, as tinygrad writes the start of its shared memory: elements are counted, not bytes.
        {".shared .b32 tile[16]; mov.u32 %r10, tile; mov.u32 %r9, tile[1+2]; sub.u32 %r9, %r9, %r10;", 12},
        {".shared .b16 tile[2][8]; mov.u64 %rd5, tile[0]; mov.u64 %rd6, tile[5]; sub.u64 %rd5, %rd6, %rd5;"
         " cvt.u32.u64 %r9, %rd5;",
         10},
        {".shared .b32 tile[4]; st.shared.u32 tile[2], %r4; mov.u32 %r10, tile; ld.shared.u32 %r9, [%r10+8];",
         0x12345678},
        {".shared .align 8 .v2 .b32 tile[4]; mov.u32 %r10, tile; st.shared.u32 [%r10+8], %r5;"
         " ld.shared.v2.u32 {%r9, %r11}, tile[1];",
         0x9abcdef0},
        {".local .b8 own[16]; st.local.u32 own[4], %r4; ld.local.u32 %r9, [own+4];", 0x12345678},
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
        {"vabsdiff2.u32.u32.u32 %r9, 0x01ff0510, 0x02000710, 0;", 0x00010200},
        {"vabsdiff2.u32.u32.u32.add %r9, 0x01ff0510, 0x02000710, 1000;", 1000 + 1 + 512},
        {"mul24.lo.s32 %r9, 0x00ffffff, 3;", 0xfffffffd},
        {"mad24.hi.u32 %r9, 0x00ffffff, 0x00ffffff, 1;", 0xfffffe00 + 1},
        {"setp.eq.s32 %p1, %r6, 4; lop3.or.b32 %r10|%p2, %r4, %r5, %r6, 0x80, %p1; selp.u32 %r9, 1, 2, %p2;", 2},
        {"min.xorsign.abs.f32 %f3, %f1, %f2; mov.b32 %r9, %f3;", 0xbfc00000},
        {"min.f32 %f3, %f1, %f2, 0f3f800000; mov.b32 %r9, %f3;", 0xc0100000},
        {"max.NaN.abs.f32 %f3, %f1, %f2, 0f3f800000; mov.b32 %r9, %f3;", 0x40100000},
        {"isspacep.param::entry %p1, %rd0; selp.u32 %r9, 1, 0, %p1;", 0},
        {"max.relu.s32 %r9, -5, -7;", 0},
        {"add.u16x2 %r9, 0xffff0001, 0x00020003;", 0x00010004},
        {"add.u16x2 %r9, 0x0001ffff, 0x00010001;", 0x00020000},
        {"add.s16x2 %r9, 0x12348000, 0x00018000;", 0x12350000},
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
        {"mov.u32 %r9, (3 + 4) * 2 - 1;", 13},
        {"and.b32 %r9, 0xff, ~3;", 0xfc},
        {"add.u32 %r9, 1 << 4 | 1, 5 > 3 ? 100 : 7;", 117},
        {"add.s32 %r9, -(2 - 7) / 2, -1 >> 40 == -1 && !0;", 3},
        {"ld.global.u32 %r9, [%rd0 + 4]; sub.u32 %r9, %r9, 07 & 0b101;", 72},
    };
    return table;
}

} // namespace

class TestSimtForms : public QObject {
    Q_OBJECT

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
        Lab lab({}, {}, 100); // the oldest that has all of them
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
        Lab lab({}, {}, 100);
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
        // A program that has none at all has no stack either.
        const auto end = text.find(".func"), entry = text.find(".visible .entry");
        QVERIFY2(lab.load(text.substr(0, end) + text.substr(entry)), lab.why());
        QVERIFY(!lab.run("k", {1}, {32}, {a, a, a}));
        QVERIFY2(lab.code() == "launch-failed" && lab.why().contains("is no function"), lab.why());
    }
};

QTEST_APPLESS_MAIN(TestSimtForms)
#include "tst_simt_forms.moc"
