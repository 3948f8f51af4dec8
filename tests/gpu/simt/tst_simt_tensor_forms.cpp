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

constexpr u32 kRoomBytes = 7168; ///< A, B from 4096 on, scales of A from 6144 and of B from 6656 on

/// A matrix descriptor of rows 16 bytes apart, without swizzle; `leading` bytes between the halves of 32 bytes.
u64 described(u32 begin, u32 leading)
{
    return u64{begin / 16} | u64{leading / 16} << 16 | u64{8} << 32 | u64{1} << 46;
}

/// Each block brings its kRoomBytes of pa into shared memory; one thread of the first block executes `body` with the
/// address of 64 columns in %r9 and the descriptor of the room's start in %rd10; each thread writes 32 columns of its
/// lane. `stores`: every lane's first 32 columns begin as 1000 * lane + column.
std::string onTensorMemory(const std::string& body, bool isPair, bool stores = false)
{
    const std::string group = isPair ? "cta_group::2" : "cta_group::1";
    std::string text =
        ".version 8.6\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 pa, .param .u64 pc)\n{\n"
        ".shared .align 1024 .b8 room[7168]; .shared .align 8 .b8 gate[8]; .shared .align 4 .b8 where[4];\n"
        ".reg .pred %p<8>; .reg .b16 %rs<4>; .reg .b32 %r<90>; .reg .b64 %rd<40>;\n"
        "ld.param.u64 %rd0, [pa]; ld.param.u64 %rd2, [pc];\n"
        "mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5; mov.u32 %r14, %cluster_ctarank; or.b32 %r15, %r0, %r14;\n"
        "setp.ne.u32 %p0, %r15, 0; setp.ne.u32 %p6, %r0, 0;\n"
        "mul.wide.u32 %rd3, %r14, 7168; add.u64 %rd0, %rd0, %rd3;\n"
        "mad.lo.u32 %r15, %r14, 128, %r0; mul.wide.u32 %rd4, %r15, 128; add.u64 %rd2, %rd2, %rd4;\n"
        "mov.u32 %r2, room; mov.u32 %r3, %r0;\n"
        "COPY: shl.b32 %r4, %r3, 4; cvt.u64.u32 %rd3, %r4; add.u64 %rd3, %rd0, %rd3;\n"
        "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd3]; add.u32 %r4, %r2, %r4;\n"
        "st.shared.v4.u32 [%r4], {%r5, %r6, %r7, %r8}; add.u32 %r3, %r3, 128; setp.lt.u32 %p1, %r3, 448;\n"
        "@%p1 bra COPY;\n"
        "@!%p6 mbarrier.init.shared::cta.b64 [gate], 1;\n"
        "setp.ne.u32 %p2, %r1, 0;\n@%p2 bra MADE;\n"
        "tcgen05.alloc." +
        group + ".sync.aligned.shared::cta.b32 [where], 64;\ntcgen05.relinquish_alloc_permit." + group +
        ".sync.aligned;\nMADE: fence.proxy.async.shared::cta;\nbar.sync 0;\n"
        "ld.shared.u32 %r9, [where]; shl.b32 %r12, %r1, 21; add.u32 %r12, %r9, %r12;\n"
        "shr.u32 %r13, %r2, 4; and.b32 %r13, %r13, 16383; cvt.u64.u32 %rd10, %r13;\n";
    std::string words;
    for (int at = 0; at < 32; ++at)
        words += (at == 0 ? "%r" : ", %r") + std::to_string(30 + at);
    if (stores) {
        for (int at = 0; at < 32; ++at)
            text += "mad.lo.u32 %r" + std::to_string(30 + at) + ", %r0, 1000, " + std::to_string(at) + ";";
        text += "\ntcgen05.st.sync.aligned.32x32b.x32.b32 [%r12], {" + words + "};\ntcgen05.wait::st.sync.aligned;\n";
    }
    text += "barrier.cluster.arrive;\nbarrier.cluster.wait;\nmov.u16 %rs1, 3;\n@%p0 bra WAIT;\n" + body +
            "tcgen05.commit." + group + ".mbarrier::arrive::one.shared::cluster" +
            (isPair ? ".multicast::cluster.b64 [gate], %rs1;\n" : ".b64 [gate];\n") +
            "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p5, [gate], 0;\n@!%p5 bra WAIT;\n"
            "tcgen05.fence::after_thread_sync;\nbar.sync 0;\n"
            "tcgen05.ld.sync.aligned.32x32b.x32.b32 {" +
            words + "}, [%r12];\ntcgen05.wait::ld.sync.aligned;\n";
    for (int at = 0; at < 32; ++at)
        text += "st.global.u32 [%rd2+" + std::to_string(4 * at) + "], %r" + std::to_string(30 + at) + ";";
    return text + "\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n@%p2 bra END;\ntcgen05.dealloc." + group +
           ".sync.aligned.b32 %r9, 64;\nEND: ret;\n}\n";
}

/// What the lanes of one block, or of the two of a pair, have in 32 columns afterwards; nothing where it did not run.
std::vector<u32> tensorLanes(Lab& lab, const std::string& ptx, const std::vector<std::uint8_t>& rooms)
{
    if (!lab.load(ptx))
        return {};
    const u32 blocks = u32(rooms.size() / kRoomBytes);
    const DevicePtr out = lab.put(std::vector<u32>(blocks * 128 * 32));
    Launch launch{"k", {blocks}, {128}, 0, {lab.put(rooms), out}};
    launch.cluster = {blocks, 1, 1};
    auto report = lab.device->launch(*lab.program, launch, {});
    if (!report) {
        lab.problem = report.error();
        return {};
    }
    return lab.get<u32>(out, blocks * 128 * 32);
}

void putByte(std::vector<std::uint8_t>& rooms, u32 block, u32 begin, u32 leading, u32 row, u32 byte, u32 value)
{
    rooms[block * kRoomBytes + begin + row * 16 + byte / 16 * leading + byte % 16] |= std::uint8_t(value);
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

    /// Which lane and column of tensor memory each register of lanes 5 and 30 has.
    void shapesOfTensorMemory_data()
    {
        using Cells = std::vector<std::pair<int, int>>;
        QTest::addColumn<QByteArray>("shape");
        QTest::addColumn<QByteArray>("half");
        QTest::addColumn<Cells>("five");
        QTest::addColumn<Cells>("thirty");
        QTest::newRow("16x64b") << QByteArray("16x64b.x4") << QByteArray() << Cells{{9, 0}, {9, 2}, {9, 4}, {9, 6}}
                                << Cells{{7, 1}, {7, 3}, {7, 5}, {7, 7}};
        QTest::newRow("16x128b") << QByteArray("16x128b.x2") << QByteArray() << Cells{{1, 1}, {9, 1}, {1, 5}, {9, 5}}
                                 << Cells{{7, 2}, {15, 2}, {7, 6}, {15, 6}};
        QTest::newRow("16x256b") << QByteArray("16x256b.x1") << QByteArray() << Cells{{1, 2}, {1, 3}, {9, 2}, {9, 3}}
                                 << Cells{{7, 4}, {7, 5}, {15, 4}, {15, 5}};
        QTest::newRow("16x32bx2") << QByteArray("16x32bx2.x4") << QByteArray(", 16")
                                  << Cells{{5, 0}, {5, 1}, {5, 2}, {5, 3}}
                                  << Cells{{14, 16}, {14, 17}, {14, 18}, {14, 19}};
    }
    void shapesOfTensorMemory()
    {
        using Cells = std::vector<std::pair<int, int>>;
        QFETCH(QByteArray, shape);
        QFETCH(QByteArray, half);
        QFETCH(Cells, five);
        QFETCH(Cells, thirty);
        // Stored whole, loaded in the shape from the upper half of the lanes on, stored in it again and loaded once
        // more.
        const std::string given = shape.toStdString(), other = half.toStdString();
        std::string body =
            ".shared .align 4 .b8 where[4]; .reg .b32 %t<40>;\n"
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 64; ld.shared.u32 %r9, [where];"
            "mul.lo.u32 %r4, %r0, 1000;\n";
        std::string words;
        for (int at = 0; at < 32; ++at) {
            body += "add.u32 %t" + std::to_string(at) + ", %r4, " + std::to_string(at) + ";";
            words += (at == 0 ? "%t" : ", %t") + std::to_string(at);
        }
        const std::string four = "{%r10, %r11, %r12, %r13}", up = "[%r9+1048576]";
        body += "tcgen05.st.sync.aligned.32x32b.x32.b32 [%r9], {" + words + "}; tcgen05.wait::st.sync.aligned;\n" +
                "tcgen05.ld.sync.aligned." + given + ".b32 " + four + ", " + up + other +
                "; tcgen05.wait::ld.sync.aligned; mul.wide.u32 %rd4, %r0, 32; add.u64 %rd4, %rd4, %rd1;"
                "st.global.v4.u32 [%rd4], " +
                four + ";add.u32 %r9, %r9, 32; tcgen05.st.sync.aligned." + given + ".b32 [%r9]" + other + ", " + four +
                "; tcgen05.wait::st.sync.aligned;\n"
                "tcgen05.ld.sync.aligned.32x32b.x4.b32 " +
                four + ", [%r9]; tcgen05.wait::ld.sync.aligned; st.global.v4.u32 [%rd4+16], " + four + ";";
        Lab lab({}, {}, 100);
        QVERIFY2(lab.load(handWritten(body)), lab.why());
        const DevicePtr out = lab.put(std::vector<u32>(256));
        QVERIFY2(lab.run("k", {1}, {32}, {out, out, out}), lab.why());
        const auto got = lab.get<u32>(out, 256);
        for (std::size_t at = 0; at < 4; ++at) {
            QCOMPARE(got[5 * 8 + at], u32((five[at].first + 16) * 1000 + five[at].second));
            QCOMPARE(got[30 * 8 + at], u32((thirty[at].first + 16) * 1000 + thirty[at].second));
        }
        for (u32 lane = 0; lane < 16; ++lane) // what was stored lies in lanes 0 to 15 as it had lain in 16 to 31
            for (u32 at = 0; at < 4; ++at)
                QCOMPARE(got[lane * 8 + 4 + at], (lane + 16) * 1000 + at);
        QCOMPARE(got[16 * 8 + 4], 0x7fffffffu);
    }

    void packedHalvesOfTensorMemory()
    {
        const std::string four = "{%r10, %r11, %r12, %r13}", eight = "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}";
        std::string body =
            ".shared .align 4 .b8 where[4];\n"
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 32; ld.shared.u32 %r9, [where];\n";
        for (int at = 0; at < 4; ++at)
            body += "mad.lo.u32 %r1" + std::to_string(at) + ", %r0, 65537, " + std::to_string(at * 0x200000 + at) + ";";
        body += "tcgen05.st.sync.aligned.32x32b.x4.unpack::16b.b32 [%r9], " + four +
                "; tcgen05.ld.sync.aligned.32x32b.x8.b32 " + eight +
                ", [%r9]; mul.wide.u32 %rd4, %r0, 48; add.u64 %rd4, %rd4, %rd1;\n";
        for (int at = 0; at < 8; ++at)
            body += "st.global.u32 [%rd4+" + std::to_string(4 * at) + "], %r1" + std::to_string(at) + ";";
        body += "tcgen05.ld.sync.aligned.32x32b.x4.pack::16b.b32 " + four + ", [%r9];";
        for (int at = 0; at < 4; ++at)
            body += "st.global.u32 [%rd4+" + std::to_string(32 + 4 * at) + "], %r1" + std::to_string(at) + ";";
        Lab lab({}, {}, 100);
        QVERIFY2(lab.load(handWritten(body)), lab.why());
        const DevicePtr out = lab.put(std::vector<u32>(384));
        QVERIFY2(lab.run("k", {1}, {32}, {out, out, out}), lab.why());
        const auto got = lab.get<u32>(out, 384);
        for (u32 lane = 0; lane < 32; ++lane)
            for (u32 at = 0; at < 4; ++at) {
                QCOMPARE(got[lane * 12 + 2 * at], lane + at);
                QCOMPARE(got[lane * 12 + 2 * at + 1], lane + 32 * at);
                QCOMPARE(got[lane * 12 + 8 + at], lane + at + (lane + 32 * at) * 65536);
            }
    }

    /// Rows of shared memory, numbered word by word, in the lanes of tensor memory; of a pair each block has its own.
    void copiesIntoTensorMemory_data()
    {
        QTest::addColumn<QByteArray>("form");
        QTest::addColumn<int>("words");
        QTest::addColumn<bool>("isPair");
        QTest::addColumn<std::vector<int>>("rows"); // of lanes 0, 1, 32, 64, 97; -1: none
        using Rows = std::vector<int>;
        QTest::newRow("128x256b") << QByteArray("128x256b") << 8 << false << Rows{0, 1, 32, 64, 97};
        QTest::newRow("128x128b, pair") << QByteArray("128x128b") << 4 << true << Rows{0, 1, 32, 64, 97};
        QTest::newRow("4x256b") << QByteArray("4x256b") << 8 << false << Rows{0, -1, 1, 2, -1};
        QTest::newRow("64, apart") << QByteArray("64x128b.warpx2::02_13") << 4 << false << Rows{0, 1, 32, 0, 33};
        QTest::newRow("64, beside") << QByteArray("64x128b.warpx2::01_23") << 4 << false << Rows{0, 1, 0, 32, 33};
        QTest::newRow("32, pair") << QByteArray("32x128b.warpx4") << 4 << true << Rows{0, 1, 0, 0, 1};
    }
    void copiesIntoTensorMemory()
    {
        QFETCH(QByteArray, form);
        QFETCH(int, words);
        QFETCH(bool, isPair);
        QFETCH(std::vector<int>, rows);
        std::vector<std::uint8_t> rooms(kRoomBytes * (isPair ? 2 : 1));
        for (u32 at = 0; at < rooms.size(); at += 4)
            std::memcpy(&rooms[at], &at, 4);
        Lab lab({}, {}, 100);
        const auto got = tensorLanes(lab,
                                     onTensorMemory("add.u64 %rd11, %rd10, " + std::to_string(described(0, 2048)) +
                                                        ";\ntcgen05.cp.cta_group::" + (isPair ? "2." : "1.") +
                                                        form.toStdString() + " [%r9+4], %rd11;\n",
                                                    isPair),
                                     rooms);
        QVERIFY2(!got.empty(), lab.why());
        constexpr std::array<u32, 5> kLooked{0, 1, 32, 64, 97};
        for (u32 block = 0; block < (isPair ? 2 : 1); ++block)
            for (std::size_t at = 0; at < kLooked.size(); ++at) {
                const u32* const lane = &got[(block * 128 + kLooked[at]) * 32];
                for (int word = 0; word < words; ++word)
                    QCOMPARE(lane[4 + word], rows[at] < 0 ? 0x7fffffffu
                                                          : block * kRoomBytes + u32(rows[at]) * 16 +
                                                                u32(word % 4 * 4) + u32(word / 4 * 2048));
                QCOMPARE(lane[3], 0x7fffffffu);
                QCOMPARE(lane[4 + words], 0x7fffffffu);
            }
    }

    /// 16 elements of 4 or 6 bits become 16 bytes.
    void copiesThatUnpack()
    {
        std::vector<std::uint8_t> rooms(kRoomBytes);
        for (u32 at = 0; at < 16; ++at)
            rooms[at] = std::uint8_t(0x21 + 0x22 * at);
        Lab lab({}, {}, 100);
        const std::string source = "add.u64 %rd11, %rd10, " + std::to_string(described(0, 2048)) + ";\n";
        const std::string copy = "tcgen05.cp.cta_group::1.128x128b.b8x16.";
        const auto got = tensorLanes(
            lab,
            onTensorMemory(source + copy + "b4x16_p64 [%r9], %rd11;\n" + copy + "b6x16_p32 [%r9+4], %rd11;\n", false),
            rooms);
        QVERIFY2(!got.empty(), lab.why());
        QCOMPARE(got[0], 0x100c0804u); // 1, 2, 3, 4 two places up: 0x21, 0x43 …
        // 0x21, 0x43, 0x65: six bits at a time from the bottom.
        const u32 bits = 0x654321;
        QCOMPARE(got[4], (bits & 63) | (bits >> 6 & 63) << 8 | (bits >> 12 & 63) << 16 | (bits >> 18 & 63) << 24);
    }

    void shiftsInTensorMemory()
    {
        Lab lab({}, {}, 100);
        const auto got = tensorLanes(
            lab, onTensorMemory("add.u32 %r10, %r9, 2097160;\ntcgen05.shift.cta_group::1.down [%r10];\n", false, true),
            std::vector<std::uint8_t>(kRoomBytes));
        QVERIFY2(!got.empty(), lab.why());
        for (u32 lane = 0; lane < 128; ++lane)
            for (u32 column = 0; column < 32; ++column) {
                const bool moves = lane > 32 && lane < 64 && column >= 8 && column < 16;
                QCOMPARE(got[lane * 32 + column], (moves ? lane - 1 : lane) * 1000 + column);
            }
    }

    /// f16 products of all layouts: pairs of blocks, weights that stay, lanes that are left alone, sums that are
    /// divided.
    void productsOfPairs_data()
    {
        QTest::addColumn<int>("m");
        QTest::addColumn<int>("n");
        QTest::addColumn<QByteArray>("form"); // .cta_group and .ws
        QTest::addColumn<QByteArray>("end");  // what follows the instruction descriptor
        QTest::newRow("pair, 256 rows") << 256 << 32 << QByteArray("cta_group::2") << QByteArray("%p3");
        QTest::newRow("pair, 128 rows") << 128 << 32 << QByteArray("cta_group::2") << QByteArray("%p3");
        QTest::newRow("stationary, 64 rows") << 64 << 64 << QByteArray("ws.cta_group::1") << QByteArray("%p3");
        QTest::newRow("stationary, 32 rows") << 32 << 64 << QByteArray("ws.cta_group::1") << QByteArray("%p3");
        QTest::newRow("all columns") << 64 << 64 << QByteArray("ws.cta_group::1") << QByteArray("%p3, 0");
        QTest::newRow("all columns by a register")
            << 32 << 64 << QByteArray("ws.cta_group::1") << QByteArray("%p3, %rd20");
        QTest::newRow("divided") << 128 << 32 << QByteArray("cta_group::1") << QByteArray("%p4, 3");
        QTest::newRow("lanes off") << 128 << 32 << QByteArray("cta_group::1")
                                   << QByteArray("{%r20, %r20, %r21, %r20}, %p3");
        QTest::newRow("halves") << 128 << 32 << QByteArray("cta_group::1") << QByteArray("%p3 ");
        QTest::newRow("kept") << 128 << 32 << QByteArray("cta_group::1.collector") << QByteArray("%p3");
    }
    void productsOfPairs()
    {
        QFETCH(int, m);
        QFETCH(int, n);
        QFETCH(QByteArray, form);
        QFETCH(QByteArray, end);
        const bool isPair = form.contains("::2"), isHalf = end.endsWith(' '), isDivided = end.contains("%p4");
        const bool keepsLanes = end.startsWith('{');
        const int blocks = isPair ? 2 : 1, rows = m / blocks, columns = n / blocks;
        std::vector<std::uint8_t> rooms(kRoomBytes * u32(blocks));
        const auto valueA = [](int row, int k) { return (row * 3 + k * 5) % 7 - 3; };
        const auto valueB = [](int column, int k) { return (column * 5 + k * 2) % 9 - 4; };
        const auto put = [&](u32 block, u32 begin, u32 leading, int row, int k, int value) {
            const u32 bits = halfNearest(value);
            putByte(rooms, block, begin, leading, u32(row), u32(2 * k), bits & 255);
            putByte(rooms, block, begin, leading, u32(row), u32(2 * k + 1), bits >> 8);
        };
        for (int block = 0; block < blocks; ++block)
            for (int k = 0; k < 16; ++k) {
                for (int row = 0; row < rows; ++row)
                    put(u32(block), 0, 2048, row, k, valueA(block * rows + row, k));
                for (int column = 0; column < columns; ++column)
                    put(u32(block), 4096, 1024, column, k, valueB(block * columns + column, k));
            }
        const u32 wanted = u32(m / 16) << 24 | u32(n / 8) << 17 | (isHalf ? 0u : 1u << 4);
        const bool isKept = form.contains(".collector");
        const std::string group = QByteArray(form).replace(".collector", "").toStdString();
        const std::string product = "tcgen05.mma." + group + ".kind::f16" + (isKept ? ".collector::a::fill" : "");
        const std::string operands = " [%r9], %rd11, %rd12, %r11, ";
        std::string body = "add.u64 %rd11, %rd10, " + std::to_string(described(0, 2048)) + "; add.u64 %rd12, %rd10, " +
                           std::to_string(described(4096, 1024)) + "; mov.u32 %r11, " + std::to_string(wanted) +
                           "; setp.eq.u32 %p3, %r0, 999; setp.eq.u32 %p4, %r0, 0; mov.u32 %r20, 0; mov.u32 %r21, 2;\n"
                           "mov.u64 %rd20, 0x0003020000000101;\n"; // spans of a mask that is not to be made
        if (isDivided)
            body += product + operands + "%p3;\n";
        body += product + operands + end.toStdString() + ";\n";
        Lab lab({}, {}, 100);
        const auto got = tensorLanes(lab, onTensorMemory(body, isPair), rooms);
        QVERIFY2(!got.empty(), lab.why());
        for (int block = 0; block < blocks; ++block)
            for (int row = 0; row < rows; ++row)
                for (int column = 0; column < n; ++column) {
                    int sum = 0;
                    for (int k = 0; k < 16; ++k)
                        sum += valueA(block * rows + row, k) * valueB(column, k);
                    const int share = 128 / rows, width = n / share; // columns that lie in one range of lanes
                    const u32 word =
                        got[std::size_t((block * 128 + row + column / width * rows) * 32 + column % width)];
                    if (keepsLanes && row == 65)
                        QCOMPARE(word, 0x7fffffffu);
                    else
                        QCOMPARE(isHalf ? halfToSingle(u16(word)) : std::bit_cast<float>(word),
                                 isDivided ? float(sum) * 1.125f : float(sum));
                }
    }

    /// Small floats with scales, which a copy brings from shared memory.
    void scaledProducts_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<int>("typeA");
        QTest::addColumn<int>("typeB");
        QTest::addColumn<int>("scales");
        QTest::addColumn<bool>("isFine");
        QTest::addColumn<int>("byte");
        QTest::newRow("bytes") << QByteArray("mxf8f6f4.block_scale") << 0 << 0 << 1 << false << 2;
        QTest::newRow("4 bits and bytes")
            << QByteArray("mxf8f6f4.block_scale.scale_vec::1X") << 5 << 0 << 1 << false << 0;
        QTest::newRow("4 bits") << QByteArray("mxf4.block_scale.scale_vec::2X") << 1 << 1 << 2 << false << 2;
        QTest::newRow("4 bits, fine") << QByteArray("mxf4nvf4.block_scale.scale_vec::4X") << 1 << 1 << 4 << true << 0;
        QTest::newRow("4 bits, no scales") << QByteArray("f8f6f4") << 5 << 0 << 0 << false << 0;
    }
    void scaledProducts()
    {
        QFETCH(QByteArray, kind);
        QFETCH(int, typeA);
        QFETCH(int, typeB);
        QFETCH(int, scales);
        QFETCH(bool, isFine);
        QFETCH(int, byte);
        constexpr int kRows = 128, kColumns = 16;
        const bool isNarrow = kind.startsWith("mxf4");
        const int depth = isNarrow ? 64 : 32;
        constexpr std::array<double, 8> kFour{0, 0.5, 1, 1.5, 2, 3, 4, 6};
        constexpr std::array<int, 4> kBytes{0x38, 0x40, 0xbc, 0x30};
        constexpr std::array<double, 4> kByteValues{1, 2, -1.5, 0.5};
        const auto code = [](int row, int k, int salt) { return (row * 7 + k * 3 + salt) % 16; };
        const auto value = [&](bool isFour, int c) {
            return isFour ? (c < 8 ? 1 : -1) * kFour[std::size_t(c % 8)] : kByteValues[std::size_t(c % 4)];
        };
        const auto scaleCode = [](int row, int at) { return (row + 2 * at) % 4; };
        const auto scaleBits = [&](int c) { return isFine ? kBytes[std::size_t(c)] & 0x7f : 126 + c; };
        const auto scaleValue = [&](int c) {
            return scales == 0 ? 1.0 : isFine ? std::abs(kByteValues[std::size_t(c)]) : std::ldexp(1.0, c - 1);
        };
        std::vector<std::uint8_t> rooms(kRoomBytes);
        const auto put = [&](u32 begin, u32 leading, int row, int k, bool isFour, int c) {
            if (isNarrow) // two a byte
                putByte(rooms, 0, begin, leading, u32(row), u32(k / 2), u32(c) << (k % 2 * 4));
            else if (isFour) // sixteen in the first eight of sixteen bytes
                putByte(rooms, 0, begin, leading, u32(row), u32(k / 16 * 16 + k % 16 / 2), u32(c) << (k % 2 * 4));
            else
                putByte(rooms, 0, begin, leading, u32(row), u32(k), u32(kBytes[std::size_t(c % 4)]));
        };
        const bool isFourA = isNarrow || typeA == 5, isFourB = isNarrow || typeB == 5;
        for (int k = 0; k < depth; ++k) {
            for (int row = 0; row < kRows; ++row)
                put(0, 2048, row, k, isFourA, code(row, k, 0));
            for (int column = 0; column < kColumns; ++column)
                put(4096, 1024, column, k, isFourB, code(column, k, 5));
        }
        for (int row = 0; row < kRows; ++row) // row i in lane i % 32, word i / 32
            for (int at = 0; at < scales; ++at) {
                rooms[std::size_t(6144 + row % 32 * 16 + row / 32 * 4 + byte + at)] =
                    std::uint8_t(scaleBits(scaleCode(row, at)));
                if (row < kColumns)
                    rooms[std::size_t(6656 + row * 16 + byte + at)] = std::uint8_t(scaleBits(scaleCode(row + 1, at)));
            }
        u32 wanted = u32(kRows / 16) << 24 | u32(kColumns / 8) << 17 | u32(typeA) << 7 | u32(typeB) << 10;
        wanted |= scales == 0 ? 1u << 4 : u32(byte) << 29 | u32(byte) << 4 | (isFine ? 0u : 1u << 23);
        const auto descriptor = [](int reg, u32 begin, u32 leading) {
            return "add.u64 %rd" + std::to_string(reg) + ", %rd10, " + std::to_string(described(begin, leading)) +
                   ";\n";
        };
        const std::string copy = "tcgen05.cp.cta_group::1.32x128b.warpx4 ";
        const std::string body = descriptor(11, 0, 2048) + descriptor(12, 4096, 1024) + descriptor(13, 6144, 1024) +
                                 descriptor(14, 6656, 1024) + copy + "[%r9+32], %rd13;\n" + copy +
                                 "[%r9+36], %rd14;\nadd.u32 %r21, %r9, 32; add.u32 %r22, %r9, 36; mov.u32 %r11, " +
                                 std::to_string(wanted) +
                                 "; setp.eq.u32 %p3, %r0, 999;\ntcgen05.mma.cta_group::1.kind::" + kind.toStdString() +
                                 " [%r9], %rd11, %rd12, %r11, " + (scales == 0 ? "" : "[%r21], [%r22], ") + "%p3;\n";
        Lab lab({}, {}, 100);
        const auto got = tensorLanes(lab, onTensorMemory(body, false), rooms);
        QVERIFY2(!got.empty(), lab.why());
        for (int row = 0; row < kRows; ++row)
            for (int column = 0; column < kColumns; ++column) {
                double sum = 0;
                for (int k = 0; k < depth; ++k) {
                    const int at = scales == 0 ? 0 : k / (depth / scales);
                    sum += value(isFourA, code(row, k, 0)) * value(isFourB, code(column, k, 5)) *
                           scaleValue(scaleCode(row, at)) * scaleValue(scaleCode(column + 1, at));
                }
                QCOMPARE(std::bit_cast<float>(got[std::size_t(row * 32 + column)]), float(sum));
            }
    }

    /// Both blocks of a pair bring a row of a tensor in, and the even one's barrier hears of both: its address without
    /// the tag's lowest bit, as kernels for pairs have it.
    void copiesThatTellTheEvenBlock()
    {
        const std::string text =
            ".version 8.6\n.target sm_90\n.address_size 64\n"
            ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 pc)\n{\n"
            ".shared .align 128 .b8 room[128]; .shared .align 8 .b8 gate[8];\n"
            ".reg .pred %p<8>; .reg .b16 %rs<4>; .reg .b32 %r<20>; .reg .b64 %rd<8>;\n"
            "mov.b64 %rd0, map; cvta.param.u64 %rd0, %rd0; ld.param.u64 %rd2, [pc]; mov.u32 %r0, %tid.x;\n"
            "mov.u32 %r1, %cluster_ctarank; setp.ne.u32 %p0, %r0, 0; setp.ne.u32 %p1, %r1, 0; mov.u32 %r2, gate;\n"
            "and.b32 %r3, %r2, -16777217; mov.u32 %r4, 0; mov.u32 %r5, 1; shl.b32 %r5, %r5, %r1; cvt.u16.u32 %rs1, "
            "%r5;\n"
            "@!%p0 mbarrier.init.shared::cta.b64 [gate], 1;\n"
            "barrier.cluster.arrive; barrier.cluster.wait;\n@%p0 bra WAIT;\n"
            "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [gate], 256;\n"
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
            ".cta_group::2 [room], [%rd0, {%r4, %r1}], [%r3], %rs1;\n"
            "WAIT: @%p1 bra MET;\nAGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p5, [gate], 0;\n@!%p5 bra AGAIN;\n"
            "MET: barrier.cluster.arrive; barrier.cluster.wait;\n"
            "shl.b32 %r6, %r0, 2; mov.u32 %r7, room; add.u32 %r7, %r7, %r6; ld.shared.u32 %r8, [%r7];\n"
            "shl.b32 %r9, %r1, 7; add.u32 %r9, %r9, %r6; cvt.u64.u32 %rd3, %r9; add.u64 %rd2, %rd2, %rd3;\n"
            "st.global.u32 [%rd2], %r8; ret;\n}\n";
        Lab lab({}, {}, 100);
        QVERIFY2(lab.load(text), lab.why());
        std::vector<u32> rows(64);
        for (u32 at = 0; at < 64; ++at)
            rows[at] = 100 + at;
        TensorTile tile;
        tile.matrix = lab.put(rows);
        tile.columns = tile.tileColumns = 32;
        tile.rows = 2;
        tile.tileRows = 1;
        tile.rowBytes = 128;
        const auto map = lab.device->tensorMap(tile);
        QVERIFY(map.ok());
        const DevicePtr out = lab.put(std::vector<u32>(64));
        Launch launch{"k", {2}, {32}, 0, {*map, out}};
        launch.cluster = {2, 1, 1};
        auto report = lab.device->launch(*lab.program, launch, {});
        if (!report)
            lab.problem = report.error();
        QVERIFY2(report.ok(), lab.why());
        QCOMPARE(lab.get<u32>(out, 64), rows);
    }

    /// Instructions that no chip takes so: refused with the reason.
    void pairsThatAreMisused()
    {
        Lab lab({}, {}, 100);
        const std::vector<std::uint8_t> room(kRoomBytes);
        QVERIFY(tensorLanes(lab, onTensorMemory("", true), room).empty());
        QVERIFY2(lab.why().contains("clusters of an even number of blocks"), lab.why());
        const auto why = [&](const std::string& body) {
            return tensorLanes(lab, onTensorMemory(body, false), room).empty() ? lab.why() : QByteArray("it ran");
        };
        QVERIFY2(why("add.u32 %r10, %r9, 65536;\ntcgen05.shift.cta_group::1.down [%r10];\n").contains("names lane 1"),
                 lab.why());
        QVERIFY2(why("tcgen05.cp.cta_group::1.128x256b [%r9+60], %rd10;\n").contains("a copy writes columns 60 to 67"),
                 lab.why());
        QVERIFY2(why("or.b64 %rd11, %rd10, 2305843009213693952;\ntcgen05.cp.cta_group::1.128x256b [%r9], %rd11;\n")
                     .contains("in steps of 32"),
                 lab.why());
        const std::string masked = "setp.eq.u32 %p3, %r0, 999; mov.u32 %r11, " +
                                   std::to_string(64u / 16 << 24 | 64u / 8 << 17 | 1u << 4) +
                                   ";\ntcgen05.mma.ws.cta_group::1.kind::f16 [%r9], %rd10, %rd10, %r11, %p3, ";
        QVERIFY2(why(masked + std::to_string(u64{1} << 39) + ";\n").contains("contradict each other"), lab.why());
        QVERIFY2(why(masked + std::to_string(u64{2} << 56) + ";\n").contains("shifts columns"), lab.why());
    }
};

QTEST_APPLESS_MAIN(TestSimtTensorForms)
#include "tst_simt_tensor_forms.moc"
