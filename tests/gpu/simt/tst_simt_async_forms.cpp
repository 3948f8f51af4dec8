// SPDX-License-Identifier: GPL-3.0-or-later
// Asynchronous copies, the barriers that count their bytes, tensor maps and clusters.
#include "forms_lab.h"

#include "gpu/simt/image/tensor_map.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

} // namespace

class TestSimtAsyncForms : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
        // What is filled with zeros is not read: half of it lies past the end.
        const DevicePtr few = lab.put(std::vector<u32>{11, 22, 33, 44, 55, 66});
        QVERIFY2(run(lab,
                     ".shared .align 16 .b8 s[16]; mov.u32 %r10, s; mov.u32 %r11, 8;"
                     "cp.async.cg.shared.global [%r10], [%rd0+16], 16, %r11; cp.async.commit_group; cp.async.wait_all;"
                     "ld.shared.v4.u32 {%r12,%r13,%r14,%r15}, [s]; st.global.v4.u32 [%rd1], {%r12,%r13,%r14,%r15};",
                     few, out, 1),
                 lab.why());
        QCOMPARE(lab.get<u32>(out, 4), (std::vector<u32>{55, 66, 0, 0}));
        QVERIFY(!run(lab,
                     ".shared .align 16 .b8 s[16]; mov.u32 %r10, s; mov.u32 %r11, 12;"
                     "cp.async.cg.shared.global [%r10], [%rd0+16], 16, %r11; cp.async.wait_all;",
                     few, out, 1));
        QCOMPARE(lab.code(), std::string("out-of-bounds"));
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

    /// Lanes that would copy the same to the same place copy once, as ptxas has it; what is counted or added goes out
    /// for each.
    void lanesThatCopyTheSame()
    {
        Lab lab;
        const std::string head =
            ".shared .align 16 .b8 s[512]; mov.u32 %r10, s; mad.lo.u32 %r11, %r0, 16, %r10;"
            "st.shared.v4.u32 [%r11], {%r0, %r0, %r0, %r0}; bar.warp.sync -1; and.b32 %r12, %r0, 1;"
            "mad.lo.u32 %r13, %r12, 16, %r10; mul.wide.u32 %rd4, %r12, 16; add.u64 %rd5, %rd1, %rd4;";
        const auto copiesOf = [&](const std::string& copy) -> u64 {
            const DevicePtr out = lab.put(std::vector<u32>(128));
            if (!lab.load(handWritten(kInputs + head + copy)) || !lab.run("k", {1}, {32}, {out, out, out}))
                return 0;
            return lab.counters.bulkCopies;
        };
        QCOMPARE(copiesOf("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 128;"), u64{1});
        QCOMPARE(copiesOf("cp.async.bulk.global.shared::cta.bulk_group [%rd5], [%r13], 16;"), u64{2});
        QCOMPARE(copiesOf("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [s], 128;"), u64{32});
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
};

QTEST_APPLESS_MAIN(TestSimtAsyncForms)
#include "tst_simt_async_forms.moc"
