// SPDX-License-Identifier: GPL-3.0-or-later
// Clusters of several blocks: who is who, shared memory of others, barriers between blocks, and what goes wrong.
#include "simt_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// The kernel "k" of simt_lab.h for sm_90 with attributes such as ".reqnctapercluster 2".
std::string clustered(const std::string& attributes, const std::string& body)
{
    std::string text = handWritten(body);
    text.replace(text.find("sm_80"), 5, "sm_90");
    const auto open = text.find(")\n{");
    return text.substr(0, open + 1) + " " + attributes + text.substr(open + 1);
}

constexpr const char* kSync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";

/// Each thread's own word of buffer pb: %rd10.
constexpr const char* kOwnWord = "mul.wide.u32 %rd10, %r0, 4; add.u64 %rd10, %rd10, %rd1;";

} // namespace

class TestSimtClusters : public QObject {
    Q_OBJECT

    static std::vector<u32> results(Lab& lab, const std::string& ptx, Dim3 grid, u32 threads, std::size_t words)
    {
        const DevicePtr out = lab.put(std::vector<u32>(words));
        if (!lab.load(ptx) || !lab.run("k", grid, {threads}, {out, out, out}))
            return {};
        return lab.get<u32>(out, words);
    }

private Q_SLOTS:
    void blocksKnowWhereTheyAre()
    {
        // 16 words a block: every register there is.
        std::string body = "mov.u32 %r10, %ctaid.y; mov.u32 %r11, %nctaid.x; mad.lo.u32 %r10, %r10, %r11, %r1;"
                           "mul.wide.u32 %rd10, %r10, 64; add.u64 %rd10, %rd10, %rd1;";
        const std::vector<std::string> registers{
            "%clusterid.x",     "%clusterid.y",      "%nclusterid.x",     "%nclusterid.y",    "%cluster_ctaid.x",
            "%cluster_ctaid.y", "%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_ctarank", "%cluster_nctarank"};
        for (std::size_t at = 0; at < registers.size(); ++at)
            body += "mov.u32 %r12, " + registers[at] + "; st.global.u32 [%rd10+" + std::to_string(4 * at) + "], %r12;";
        body += "mov.pred %p1, %is_explicit_cluster; selp.u32 %r12, 7, 8, %p1; st.global.u32 [%rd10+40], %r12;";
        Lab lab;
        const auto got = results(lab, clustered(".reqnctapercluster 2, 3", body), {4, 6}, 1, 24 * 16);
        QVERIFY2(!got.empty(), lab.why());
        for (u32 y = 0; y < 6; ++y) {
            for (u32 x = 0; x < 4; ++x) {
                const std::vector<u32> expected{x / 2, y / 3, 2, 2, x % 2, y % 3, 2, 3, x % 2 + 2 * (y % 3), 6, 7};
                for (std::size_t at = 0; at < expected.size(); ++at)
                    QCOMPARE(got[(y * 4 + x) * 16 + at], expected[at]);
            }
        }
        Lab plain;
        const auto alone = results(plain, clustered("", body), {4, 6}, 1, 24 * 16);
        QVERIFY2(!alone.empty(), plain.why());
        QCOMPARE(alone[16 * 5 + 9], 1u);
        QCOMPARE(alone[16 * 5 + 10], 8u);
    }

    /// Each block reads its right neighbour's memory: by 32-bit addresses, by generic ones, and by an address that the
    /// neighbour itself sent over.
    /// .blocksareclusters, which nvcc writes for __block_size__ with a cluster: the grid of a launch counts clusters.
    void gridsOfClusters()
    {
        const std::string body = "mov.u32 %r9, %ctaid.y; mov.u32 %r10, %nctaid.x; mov.u32 %r12, %nctaid.y;"
                                 "mad.lo.u32 %r0, %r9, %r10, %r1; mad.lo.u32 %r11, %r12, 100, %r10;" +
                                 std::string(kOwnWord) + "st.global.u32 [%rd10], %r11;";
        Lab lab;
        const auto got =
            results(lab, clustered(".blocksareclusters .reqntid 1 .reqnctapercluster 2, 3", body), {3, 2}, 1, 40);
        QVERIFY2(!got.empty(), lab.why());
        for (u32 block = 0; block < 40; ++block)
            QCOMPARE(got[block], block < 36 ? 606u : 0u);
        QVERIFY(results(lab, clustered(".blocksareclusters .reqntid 1 .reqnctapercluster 4", body), {0x60000000}, 1, 1)
                    .empty());
        QVERIFY2(lab.why().contains("grid"), lab.why());
    }

    void neighboursRead()
    {
        Lab lab;
        const std::string body =
            std::string(kOwnWord) +
            ".shared .align 8 .b8 s[512]; .shared .align 8 .b64 sent;"
            "mov.u32 %r10, s; mov.u32 %r11, %tid.x; shl.b32 %r12, %r11, 2; add.u32 %r13, %r10, %r12;"
            "mul.lo.u32 %r14, %r1, 1000; add.u32 %r14, %r14, %r11; st.shared.u32 [%r13], %r14;"
            "mov.u32 %r15, %cluster_ctarank; mov.u32 %r16, %cluster_nctarank;"
            "add.u32 %r17, %r15, 1; rem.u32 %r17, %r17, %r16;" +
            kSync +
            // by mapa of a 32-bit address
            "mapa.shared::cluster.u32 %r18, %r13, %r17; ld.shared::cluster.u32 %r20, [%r18];"
            // by a generic address, and its rank
            "mov.u64 %rd3, s; cvta.shared.u64 %rd4, %rd3; mapa.u64 %rd5, %rd4, %r17;"
            "cvt.u64.u32 %rd6, %r12; add.u64 %rd6, %rd6, %rd5; ld.u32 %r21, [%rd6];"
            "getctarank.u64 %r22, %rd6; getctarank.shared::cluster.u32 %r23, %r18;"
            "isspacep.shared::cluster %p1, %rd6; isspacep.shared::cta %p2, %rd6;"
            // the left neighbour is told where this block's memory is
            "add.u32 %r24, %r15, %r16; sub.u32 %r24, %r24, 1; rem.u32 %r24, %r24, %r16;"
            "mov.u32 %r25, sent; mapa.shared::cluster.u32 %r25, %r25, %r24;"
            "setp.eq.u32 %p3, %r11, 0; @%p3 st.shared::cluster.u64 [%r25], %rd4;" +
            kSync +
            "ld.shared.u64 %rd7, [sent]; cvt.u64.u32 %rd8, %r12; add.u64 %rd7, %rd7, %rd8;"
            "ld.u32 %r26, [%rd7];" +
            kSync +
            "selp.u32 %r27, 1, 0, %p1; selp.u32 %r28, 0, 1, %p2; and.b32 %r27, %r27, %r28;"
            "setp.eq.u32 %p4, %r20, %r21; setp.eq.and.u32 %p4, %r20, %r26, %p4;"
            "setp.eq.and.u32 %p4, %r22, %r17, %p4; setp.eq.and.u32 %p4, %r23, %r17, %p4;"
            "setp.eq.and.u32 %p4, %r27, 1, %p4; @!%p4 mov.u32 %r20, 99999;"
            "st.global.u32 [%rd10], %r20;";
        const auto got = results(lab, clustered(".reqnctapercluster 4", body), {8}, 128, 1024);
        QVERIFY2(!got.empty(), lab.why());
        for (u32 block = 0; block < 8; ++block)
            for (u32 thread = 0; thread < 128; ++thread)
                QCOMPARE(got[block * 128 + thread], (block / 4 * 4 + (block + 1) % 4) * 1000 + thread);
        // Three reads a warp of another block's memory, and one store of a lane in warp 0.
        QCOMPARE(lab.counters.clusterRequests, u64{8 * (4 * 3 + 1)});
        QCOMPARE(lab.counters.clusterBytes, u64{8 * (4 * 3 * 128 + 8)});
    }

    void countsInOneBlocksMemory()
    {
        // All 4 x 64 threads add to eight counters of rank 0, some with a result; rank 0 writes them out.
        Lab lab;
        const auto got = results(lab,
                                 clustered(".reqnctapercluster 4",
                                           std::string(".shared .align 4 .b8 s[32]; mov.u32 %r10, s;"
                                                       "mapa.shared::cluster.u32 %r10, %r10, 0; and.b32 %r11, %r0, 7;"
                                                       "shl.b32 %r11, %r11, 2; add.u32 %r10, %r10, %r11;") +
                                               kSync +
                                               "red.shared::cluster.add.u32 [%r10], 2;"
                                               "atom.shared::cluster.add.u32 %r12, [%r10], 1;" +
                                               kSync +
                                               "setp.lt.u32 %p1, %r0, 8; mov.u32 %r13, s; add.u32 %r13, %r13, %r11;"
                                               "mul.wide.u32 %rd4, %r0, 4; add.u64 %rd4, %rd4, %rd1;"
                                               "@%p1 ld.shared.u32 %r14, [%r13]; @%p1 st.global.u32 [%rd4], %r14;"),
                                 {4}, 64, 8);
        QVERIFY2(!got.empty(), lab.why());
        for (const u32 count : got)
            QCOMPARE(count, u32{4 * 64 / 8 * 3});
    }

    /// Blocks 1 … 3 send a word each with st.async and add one with red.async; block 0 waits on its own mbarrier.
    void storesThatTellABarrier()
    {
        Lab lab;
        const std::string body =
            std::string(
                ".shared .align 16 .b8 s[64]; .shared .align 8 .b64 bar; mov.u32 %r10, s; mov.u32 %r11, bar;"
                "mov.u32 %r12, %cluster_ctarank; setp.eq.u32 %p1, %r12, 0; mapa.shared::cluster.u32 %r13, %r10, 0;"
                "mapa.shared::cluster.u32 %r14, %r11, 0; mov.u32 %r15, 0; st.shared.u32 [s+48], %r15;"
                "@%p1 mbarrier.init.shared.b64 [bar], 4;"
                "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 60;") +
            kSync +
            // 8 + 8 + 4 bytes each
            "@%p1 bra W; shl.b32 %r16, %r12, 4; add.u32 %r17, %r13, %r16; sub.u32 %r17, %r17, 16; add.u32 %r18, %r12, "
            "70;"
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r17], {%r12, %r18}, [%r14];"
            "cvt.u64.u32 %rd3, %r18; shl.b64 %rd3, %rd3, 32;"
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u64 [%r17+8], %rd3, [%r14];"
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r13+48], %r12, [%r14];"
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r14]; bra.uni E;\n"
            "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], 0; @!%p2 bra W;"
            "ld.shared.v4.u32 {%r20,%r21,%r22,%r23}, [s+16]; st.global.v4.u32 [%rd1], {%r20,%r21,%r22,%r23};"
            "ld.shared.u32 %r24, [s+48]; st.global.u32 [%rd1+16], %r24;\nE: " +
            kSync;
        const auto got = results(lab, clustered(".reqnctapercluster 4", body), {4}, 1, 5);
        QVERIFY2(!got.empty(), lab.why());
        QCOMPARE(got, (std::vector<u32>{2, 72, 0, 72, 6}));
        QCOMPARE(lab.counters.clusterRequests, u64{9});
    }

    /// One block fetches for all four: bytes land at the same offset in each, and each one's barrier counts them. Then
    /// block 0 sends its copy on to block 3.
    void copiesForSeveralBlocks()
    {
        Lab lab;
        std::vector<u32> in(64);
        for (u32 at = 0; at < 64; ++at)
            in[at] = 500 + at;
        const DevicePtr source = lab.put(in);
        const DevicePtr out = lab.put(std::vector<u32>(4 * 64));
        const std::string body =
            std::string(".shared .align 128 .b8 s[512]; .shared .align 8 .b64 bar; mov.u32 %r10, s; mov.u32 %r11, bar;"
                        "mov.u32 %r12, %cluster_ctarank; mov.u32 %r13, %tid.x; setp.eq.u32 %p1, %r13, 0;"
                        "@%p1 mbarrier.init.shared.b64 [bar], 1;") +
            kSync +
            "setp.eq.and.u32 %p2, %r12, 0, %p1; setp.ne.u32 %p4, %r12, 2; mov.u16 %rs1, 11;" // ranks 0, 1 and 3
            "and.pred %p5, %p4, %p1; @%p5 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;"
            "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [%rd0], "
            "256, "
            "[bar], %rs1; @!%p4 bra N;\nL: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0; @!%p3 bra L;\nN:"
            "setp.eq.u32 %p6, %r12, 3; and.pred %p6, %p6, %p1;"
            "@%p6 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;" +
            kSync +
            "mapa.shared::cluster.u32 %r14, %r10, 3; mapa.shared::cluster.u32 %r15, %r11, 3;"
            "@%p2 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r14+256], [s], 256, [%r15];"
            "setp.ne.u32 %p7, %r12, 3; @%p7 bra M;\nK: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 1; @!%p3 "
            "bra K;"
            "\nM: shl.b32 %r16, %r13, 2; add.u32 %r16, %r16, %r10; @!%p7 add.u32 %r16, %r16, 256;"
            "ld.shared.u32 %r17, [%r16]; mul.wide.u32 %rd10, %r0, 4; add.u64 %rd10, %rd10, %rd1;"
            "st.global.u32 [%rd10], %r17;" +
            kSync;
        QVERIFY2(lab.load(clustered(".reqnctapercluster 4", body)), lab.why());
        QVERIFY2(lab.run("k", {4}, {64}, {source, out, out}), lab.why());
        const auto got = lab.get<u32>(out, 256);
        for (u32 block = 0; block < 4; ++block)
            for (u32 at = 0; at < 64; ++at)
                QCOMPARE(got[block * 64 + at], block == 2 ? 0u : 500 + at);
        QCOMPARE(lab.counters.bulkCopies, u64{2});
        QCOMPARE(lab.counters.bulkLoadBytes, u64{256});
        QCOMPARE(lab.counters.clusterBytes, u64{256});
    }

    void bulkReductions()
    {
        Lab lab;
        const DevicePtr out = lab.put(std::vector<float>{1.5f, 2, 3, -4});
        const std::string body = ".shared .align 16 .b8 s[32]; mov.f32 %f1, 0f41200000; st.shared.v4.f32 [s], "
                                 "{%f1,%f1,%f1,%f1}; fence.proxy.async;"
                                 "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [s], 16;"
                                 "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
        QVERIFY2(lab.load(clustered("", body)), lab.why());
        QVERIFY2(lab.run("k", {1}, {1}, {out, out, out}), lab.why());
        QCOMPARE(lab.get<float>(out, 4), (std::vector<float>{11.5f, 12, 13, 6}));
        QCOMPARE(lab.counters.bulkStoreBytes, u64{16});
    }

    void mistakes_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char* name, const std::string& body, const char* code, const char* words) {
            QTest::newRow(name) << QByteArray::fromStdString(body) << QByteArray(code) << QByteArray(words);
        };
        const std::string rankZero =
            std::string(".shared .align 4 .b8 s[64]; mov.u32 %r3, s; mapa.shared::cluster.u32 %r3, %r3, 0; ") + kSync;
        const std::string rank = "mov.u32 %r4, %cluster_ctarank;";
        row("a rank too far", "mov.u32 %r3, 4; mapa.shared::cluster.u32 %r2, %r2, %r3;", "launch-failed",
            "block 4 of its cluster, which has 4");
        row("a block that has left",
            rankZero + rank + "setp.eq.u32 %p1, %r4, 0; @%p1 exit; ld.shared::cluster.u32 %r5, [%r3];", "exited-block",
            "the shared memory of block 0 of its cluster, which has exited");
        row("past the end of another block", rankZero + "ld.shared::cluster.u32 %r5, [%r3+64];" + kSync,
            "out-of-bounds", "offset 64 of shared memory, which has 64 bytes");
        row("a block that does not come",
            rank + "setp.eq.u32 %p1, %r4, 1; @%p1 bra N;" + kSync +
                "bra.uni E;\nN: bar.sync 0; barrier.cluster.arrive; bar.sync 1, 128;\nE: ",
            "barrier-deadlock", "bar.sync");
        row("a block that waits alone",
            rank + "setp.eq.u32 %p1, %r4, 1; @%p1 bra N; barrier.cluster.arrive; bra.uni E;\nN: bar.sync 1, 128;\n"
                   "E: barrier.cluster.arrive; barrier.cluster.wait;",
            "launch-failed", "twice without waiting");
        row("arriving twice", "barrier.cluster.arrive; barrier.cluster.arrive;", "launch-failed",
            "twice without waiting");
        row("waiting only", "barrier.cluster.wait;", "launch-failed", "without having arrived");
    }
    void mistakes()
    {
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, code);
        QFETCH(QByteArray, words);
        Lab lab;
        QVERIFY2(lab.load(clustered(".reqnctapercluster 4", body.toStdString())), lab.why());
        const DevicePtr a = lab.put(std::vector<u32>(4));
        QVERIFY(!lab.run("k", {4}, {64}, {a, a, a}));
        QCOMPARE(QByteArray::fromStdString(lab.code()), code);
        QVERIFY2(lab.why().contains(words), lab.why());
    }

    /// Threads that exit are not waited for, and an exit can be what opens the barrier.
    void exitsOpenTheBarrier()
    {
        Lab lab;
        const auto got =
            results(lab,
                    clustered(".reqnctapercluster 2",
                              std::string("mov.u32 %r4, %cluster_ctarank; setp.eq.u32 %p1, %r4, 1; @%p1 exit;") +
                                  kSync + kOwnWord + "st.global.u32 [%rd10], 5;"),
                    {2}, 64, 128);
        QVERIFY2(!got.empty(), lab.why());
        for (u32 at = 0; at < 128; ++at)
            QCOMPARE(got[at], at < 64 ? 5u : 0u);
    }

    void launchLimits_data()
    {
        QTest::addColumn<QByteArray>("attributes");
        QTest::addColumn<u32>("grid");
        QTest::addColumn<u32>("cluster");
        QTest::addColumn<bool>("nonPortable");
        QTest::addColumn<u32>("shared");
        QTest::addColumn<QByteArray>("words"); ///< empty: it runs
        const auto row = [](const char* name, const char* attributes, u32 grid, u32 cluster, bool nonPortable,
                            u32 shared, const char* words) {
            QTest::newRow(name) << QByteArray(attributes) << grid << cluster << nonPortable << shared
                                << QByteArray(words);
        };
        row("portable", "", 16, 8, false, 0, "");
        row("too large", "", 16, 16, false, 0, "8 are allowed without the opt-in");
        row("opted in", "", 16, 16, true, 0, "");
        row("larger than any", "", 32, 32, true, 0, "16 are allowed");
        row("not a multiple", "", 10, 4, false, 0, "grid.x is 10");
        row("not the kernel's", ".reqnctapercluster 2", 8, 4, false, 0, "exactly (2, 1, 1)");
        row("over the kernel's", ".maxclusterrank 2", 8, 4, false, 0, "bounded to clusters of 2");
        row("none given", ".explicitcluster", 8, 0, false, 0, "requires a launch that gives");
        row("never resident", "", 16, 8, false, 60000, "can never be resident");
    }
    void launchLimits()
    {
        QFETCH(QByteArray, attributes);
        QFETCH(u32, grid);
        QFETCH(u32, cluster);
        QFETCH(bool, nonPortable);
        QFETCH(u32, shared);
        QFETCH(QByteArray, words);
        ChipLimits limits;
        limits.smsPerCluster = words.contains("resident") ? 4 : 16;
        Lab lab({}, limits);
        DeviceInfo info;
        info.computeMajor = 9;
        info.smCount = 16;
        lab.device = std::move(*openSimtDevice(info, limits, {}));
        QVERIFY2(lab.load(clustered(attributes.toStdString(), kSync)), lab.why());
        const DevicePtr a = lab.put(std::vector<u32>(4));
        Launch launch{"k", {grid}, {32}, shared, {a, a, a}};
        launch.cluster = cluster == 0 ? Dim3{0, 0, 0} : Dim3{cluster, 1, 1};
        launch.nonPortableCluster = nonPortable;
        const auto report = lab.device->launch(*lab.program, launch, {});
        if (words.isEmpty()) {
            QVERIFY2(report.ok(), report.ok() ? "" : toText(report.error()).c_str());
            return;
        }
        QVERIFY(!report.ok());
        QCOMPARE(report.error().code, std::string("bad-launch"));
        QVERIFY2(QByteArray::fromStdString(report.error().message).contains(words), toText(report.error()).c_str());
    }

    void olderChipsHaveNone()
    {
        DeviceInfo info;
        info.computeMajor = 8;
        info.smCount = 4;
        Lab lab;
        lab.device = std::move(*openSimtDevice(info, {}, {}));
        QVERIFY2(lab.load(handWritten("ret;")), lab.why());
        const DevicePtr a = lab.put(std::vector<u32>(4));
        Launch launch{"k", {4}, {32}, 0, {a, a, a}};
        launch.cluster = {2, 1, 1};
        const auto report = lab.device->launch(*lab.program, launch, {});
        QVERIFY(!report.ok());
        QVERIFY2(report.error().message.find("need compute capability 9.0") != std::string::npos,
                 report.error().message.c_str());
    }

    /// What the detectors know of a cluster: who wrote a word of another block, and that its barrier orders warps.
    void watched()
    {
        Lab lab;
        if (lab.timed)
            QSKIP("detectors watch without the clock");
        const auto text = [](const std::string& store) {
            return clustered(".reqnctapercluster 2",
                             std::string(kOwnWord) +
                                 ".shared .align 4 .b8 s[256]; mov.u32 %r10, s; mov.u32 %r11, %tid.x;"
                                 "shl.b32 %r12, %r11, 2; xor.b32 %r13, %r12, 252; add.u32 %r12, %r12, %r10;"
                                 "add.u32 %r13, %r13, %r10; mov.u32 %r14, %cluster_ctarank; xor.b32 %r14, %r14, 1;"
                                 "mapa.shared::cluster.u32 %r15, %r12, %r14;" +
                                 kSync + store + kSync + "ld.shared.u32 %r16, [%r13]; st.global.u32 [%rd10], %r16;");
        };
        LaunchOptions options;
        options.check = true;
        const DevicePtr out = lab.put(std::vector<u32>(128));
        QVERIFY2(lab.load(text("st.shared::cluster.u32 [%r15], %r11;")), lab.why());
        QVERIFY2(lab.run("k", {2}, {64}, {out, out, out}, 0, options), lab.why());
        QVERIFY2(lab.reports.empty(), lab.reports.empty() ? "" : lab.reports.front().message.c_str());
        QCOMPARE(lab.get<u32>(out, 128)[3], 60u);
        QVERIFY2(lab.load(text("setp.eq.u32 %p1, %r11, 5; @!%p1 st.shared::cluster.u32 [%r15], %r11;")), lab.why());
        QVERIFY2(lab.run("k", {2}, {64}, {out, out, out}, 0, options), lab.why());
        QCOMPARE(lab.reports.size(), std::size_t{1});
        QCOMPARE(lab.reports.front().code, std::string("uninitialised-read"));
    }

    /// A block that ends while another may still read its shared memory, whichever comes first here.
    void blocksThatMayEndTooSoon_data()
    {
        QTest::addColumn<QString>("after");
        QTest::addColumn<bool>("fires");
        QTest::newRow("nobody waits") << QString() << true;
        QTest::newRow("all meet") << QString::fromStdString(kSync) << false;
        QTest::newRow("readers are counted")
            << QStringLiteral("red.release.cluster.shared::cluster.add.u32 [%r15+256], 1;\n"
                              "W: ld.acquire.cluster.shared.u32 %r17, [%r10+256]; setp.ne.u32 %p1, %r17, 64;\n"
                              "@%p1 bra W;\n")
            << false;
    }
    void blocksThatMayEndTooSoon()
    {
        QFETCH(QString, after);
        QFETCH(bool, fires);
        Lab lab;
        if (lab.timed)
            QSKIP("detectors watch without the clock");
        LaunchOptions options;
        options.check = options.faultsAsReports = true;
        const DevicePtr out = lab.put(std::vector<u32>(128));
        // %r15 is the start of the other block's memory: 64 words and a counter.
        QVERIFY2(
            lab.load(clustered(".reqnctapercluster 2",
                               std::string(kOwnWord) +
                                   ".shared .align 4 .b8 s[260]; mov.u32 %r10, s; mov.u32 %r11, %tid.x;"
                                   "shl.b32 %r12, %r11, 2; add.u32 %r12, %r12, %r10; st.shared.u32 [%r12], %r11;"
                                   "mov.u32 %r13, 0; st.shared.u32 [%r10+256], %r13; mov.u32 %r14, %cluster_ctarank;"
                                   "xor.b32 %r14, %r14, 1; mapa.shared::cluster.u32 %r15, %r10, %r14;" +
                                   kSync + "ld.shared::cluster.u32 %r16, [%r15+4]; st.global.u32 [%rd10], %r16;" +
                                   after.toStdString())),
            lab.why());
        QVERIFY2(lab.run("k", {2}, {64}, {out, out, out}, 0, options), lab.why());
        std::string told;
        for (const Report& report : lab.reports)
            told += report.code + ": " + report.message + "\n";
        const bool found = std::any_of(lab.reports.begin(), lab.reports.end(),
                                       [](const Report& report) { return report.code == "exited-block"; });
        QVERIFY2(found == fires && lab.reports.empty() != fires, told.c_str());
    }
};

QTEST_APPLESS_MAIN(TestSimtClusters)
#include "tst_simt_clusters.moc"
