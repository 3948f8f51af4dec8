// SPDX-License-Identifier: GPL-3.0-or-later
// Clusters with the clock running: where blocks go, what another SM's shared memory costs, barriers between SMs.
#include "timing_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

std::string clustered(const std::string& attributes, const std::string& body)
{
    std::string text = handWritten(body);
    text.replace(text.find("sm_80"), 5, "sm_90");
    const auto open = text.find(")\n{");
    return text.substr(0, open + 1) + " " + attributes + text.substr(open + 1);
}

constexpr const char* kSync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";

/// Thread 0 of block 0 follows a pointer that points to itself, in the block of rank `rank`.
std::string chase(int steps, int rank)
{
    return clustered(".reqnctapercluster 2",
                     ".shared .align 4 .b8 s[16]; mov.u32 %r10, s; mapa.shared::cluster.u32 %r11, %r10, " +
                         std::to_string(rank) +
                         "; mov.u32 %r12, %cluster_ctarank; setp.eq.u32 %p1, %r12, 0; @%p1 st.shared::cluster.u32 "
                         "[%r11], %r11;" +
                         kSync + "@!%p1 bra E;" + repeated("ld.shared::cluster.u32 %r11, [%r11];\n", steps) +
                         "st.global.u32 [%rd1], %r11;\nE: " + kSync);
}

} // namespace

class TestTimingClusters : public QObject {
    Q_OBJECT

    static u64 cycles(const std::string& ptx, Dim3 grid, u32 threads, u32 shared = 0)
    {
        TimedLab lab(shippedChip("h100-sxm"));
        const DevicePtr a = lab.put(std::vector<u32>(1 << 16));
        if (!lab.load(ptx) || !lab.time("k", grid, {threads}, {a, a, a}, shared)) {
            qWarning("%s", lab.why().constData());
            return 0;
        }
        return lab.timing.cycles;
    }

private Q_SLOTS:
    void anotherSmIsFarther()
    {
        const ChipTiming chip = shippedChip("h100-sxm");
        const auto perStep = [](int rank) {
            const u64 few = cycles(chase(8, rank), {2}, 1);
            const u64 many = cycles(chase(72, rank), {2}, 1);
            return few == 0 || many == 0 ? 0.0 : double(many - few) / 64;
        };
        const double near = perStep(0);
        const double far = perStep(1);
        QVERIFY2(std::abs(near - chip.latency[std::size_t(LatencyClass::SharedLoad)]) < 4,
                 std::to_string(near).c_str());
        QVERIFY2(std::abs(far - chip.clusterCycles) < 8, std::to_string(far).c_str());
    }

    /// Lanes of a warp that wait for the cluster hold up no other lane of it, which they may be waiting for.
    void aLaneGoesOnBesideLanesThatWait()
    {
        const auto text = [](int steps) {
            return clustered(
                ".reqnctapercluster 2",
                std::string(".shared .align 8 .b8 s[8]; mov.u32 %r10, s; mov.u32 %r11, %tid.x; setp.eq.u32 %p1, %r11, "
                            "0; @%p1 mbarrier.init.shared.b64 [%r10], 1;") +
                    kSync +
                    "@!%p1 bra OTHERS;\n" // thread 0 spins until thread 32 has arrived
                    "SPIN: mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0; @!%p1 bra SPIN;\n"
                    "st.global.u32 [%rd1], %r11; barrier.cluster.arrive; barrier.cluster.wait; ret;\n"
                    "OTHERS: setp.eq.u32 %p1, %r11, 32; @!%p1 bra MEET;\n" +
                    repeated("mul.lo.u32 %r11, %r11, 3;\n", steps) +
                    "st.global.u32 [%rd1+4], %r11; mbarrier.arrive.shared.b64 %rd4, [%r10];\n"
                    "MEET: barrier.cluster.arrive; barrier.cluster.wait;");
        };
        const u64 few = cycles(text(100), {2}, 64), many = cycles(text(1100), {2}, 64);
        QVERIFY(few > 0);
        QVERIFY2(many > few + 2000, std::to_string(many - few).c_str()); // thread 32's work is waited for
    }

    /// One port of so many bytes a cycle: 1024 threads that read 16 B each, 32 times.
    void thePortIsNarrow()
    {
        const ChipTiming chip = shippedChip("h100-sxm");
        const auto text = [](int times) {
            return clustered(".reqnctapercluster 2",
                             std::string(".shared .align 16 .b8 s[16384]; mov.u32 %r10, s; mov.u32 %r11, %tid.x;"
                                         "shl.b32 %r11, %r11, 4; add.u32 %r10, %r10, %r11; mov.u32 %r12, "
                                         "%cluster_ctarank; xor.b32 %r12, %r12, 1;"
                                         "mapa.shared::cluster.u32 %r13, %r10, %r12; mov.u32 %r20, 0;") +
                                 kSync +
                                 repeated("ld.shared::cluster.v4.u32 {%r14,%r15,%r16,%r17}, [%r13]; add.u32 %r20, "
                                          "%r20, %r14;\n",
                                          times) +
                                 "mul.wide.u32 %rd4, %r0, 4; add.u64 %rd4, %rd4, %rd1; st.global.u32 [%rd4], %r20;" +
                                 kSync);
        };
        const u64 few = cycles(text(8), {2}, 1024);
        const u64 many = cycles(text(40), {2}, 1024);
        QVERIFY(few != 0 && many != 0);
        const double rate = 32.0 * 1024 * 16 / double(many - few);
        QVERIFY2(std::abs(rate - chip.clusterBytesPerCycle) < 1, std::to_string(rate).c_str());
    }

    void barriersCostAMessage()
    {
        const ChipTiming chip = shippedChip("h100-sxm");
        const u64 few = cycles(clustered(".reqnctapercluster 4", repeated(kSync, 4)), {4}, 128);
        const u64 many = cycles(clustered(".reqnctapercluster 4", repeated(kSync, 36)), {4}, 128);
        const double each = double(many - few) / 32;
        QVERIFY2(each > chip.clusterCycles && each < chip.clusterCycles + 100, std::to_string(each).c_str());
    }

    /// A late block holds the others up, by as much as it is late.
    void theLastOneDecides()
    {
        const auto text = [](int work) {
            return clustered(".reqnctapercluster 2", "mov.u32 %r12, %cluster_ctarank; setp.eq.u32 %p1, %r12, 0; @%p1 "
                                                     "bra N; mov.u32 %r13, 0;" +
                                                         repeated("mad.lo.u32 %r13, %r13, %r13, 1;", work) +
                                                         "st.global.u32 [%rd1], %r13;\nN: " + kSync +
                                                         "@!%p1 bra E; st.global.u32 [%rd1+4], %r12;\nE: ");
        };
        const u64 none = cycles(text(1), {2}, 32);
        const u64 some = cycles(text(501), {2}, 32);
        const u64 more = cycles(text(1001), {2}, 32);
        QVERIFY(none != 0);
        QVERIFY2(some > none + 1500, std::to_string(some).c_str());
        QVERIFY2(std::abs(double(more - some) - double(some - none)) < 700, std::to_string(more).c_str());
    }

    void placement()
    {
        const ChipTiming chip = shippedChip("h100-sxm");
        QCOMPARE(largestGpc(chip), 18u);
        QCOMPARE(gpcRange(chip, 7).end, 132u);
        // A block an SM: a cluster of 16 finds 8 GPCs that hold one each; the ninth waits.
        for (const u32 clusters : {8u, 9u}) {
            TimedLab lab(chip);
            const DevicePtr a = lab.put(std::vector<u32>(64));
            QVERIFY2(lab.load(clustered("", repeated(kSync, 8))), lab.why());
            Launch launch{"k", {16 * clusters}, {32}, 0, {a, a, a}};
            launch.dynamicSharedBytes = 90000;
            launch.cluster = {16, 1, 1};
            launch.nonPortableCluster = true;
            const auto report = lab.device->launch(*lab.program, launch, lab.options);
            QVERIFY2(report.ok(), report.ok() ? "" : toText(report.error()).c_str());
            const TimingReport& timing = *report->timing;
            for (u32 gpc = 0; gpc < 8; ++gpc) {
                const GpcRange range = gpcRange(chip, gpc);
                u64 blocks = 0;
                for (u32 sm = range.first; sm < range.end; ++sm)
                    blocks += timing.sms[sm].blocks;
                QCOMPARE(blocks % 16, u64{0});
                QVERIFY(blocks >= 16);
            }
        }
    }

    /// Only the timing model knows how many registers a block takes.
    void registersCanKeepAClusterOut()
    {
        ChipTiming chip = shippedChip("h100-sxm");
        chip.registersPerSm = 8192;
        chip.gpcs = 66;
        TimedLab lab(chip);
        const DevicePtr a = lab.put(std::vector<u32>(4));
        QVERIFY2(lab.load(clustered(".reqnctapercluster 8", kSync)), lab.why());
        QVERIFY(!lab.time("k", {8}, {512}, {a, a, a}));
        QCOMPARE(lab.code(), std::string("bad-launch"));
        QVERIFY2(lab.why().contains("can never be resident") && lab.why().contains("registers"), lab.why());
    }

    void sameForAnyNumberOfThreads()
    {
        u64 hash = 0;
        for (const unsigned threads : {1u, 2u, 5u}) {
            TimedLab lab(shippedChip("h100-sxm"));
            lab.options.timingOptions.threads = threads;
            const DevicePtr out = lab.put(std::vector<u32>(64 * 128));
            const std::string body =
                std::string(".shared .align 4 .b8 s[512]; mov.u32 %r10, s; mov.u32 %r11, %tid.x; shl.b32 %r12, %r11, 2;"
                            "add.u32 %r13, %r10, %r12; st.shared.u32 [%r13], %r0; mov.u32 %r15, %cluster_ctarank;") +
                kSync +
                repeated("add.u32 %r15, %r15, 1; and.b32 %r15, %r15, 3; mapa.shared::cluster.u32 %r16, %r13, %r15;"
                         "atom.shared::cluster.add.u32 %r17, [%r16], %r15;" +
                             std::string(kSync),
                         6) +
                "ld.shared.u32 %r18, [%r13]; mul.wide.u32 %rd4, %r0, 4; add.u64 %rd4, %rd4, %rd1;"
                "st.global.u32 [%rd4], %r18;";
            QVERIFY2(lab.load(clustered(".reqnctapercluster 4", body)), lab.why());
            QVERIFY2(lab.time("k", {64}, {128}, {out, out, out}), lab.why());
            hash = hash == 0 ? lab.timing.hash : hash;
            QCOMPARE(lab.timing.hash, hash);
            const auto got = lab.get<u32>(out, 64 * 128);
            for (u32 at = 0; at < got.size(); ++at) {
                const u32 rank = at / 128 % 4;
                QCOMPARE(got[at], at + 6 * rank); // once a step from one of the four
            }
        }
    }

    void deadlocksAreSeenWithTheClock()
    {
        TimedLab lab(shippedChip("h100-sxm"));
        const DevicePtr a = lab.put(std::vector<u32>(4));
        QVERIFY2(lab.load(clustered(".reqnctapercluster 2",
                                    std::string("mov.u32 %r4, %cluster_ctarank; setp.eq.u32 %p1, %r4, 1; @%p1 bra N;") +
                                        kSync + "bra.uni E;\nN: bar.sync 1, 128;\nE: ")),
                 lab.why());
        QVERIFY(!lab.time("k", {4}, {64}, {a, a, a}));
        QCOMPARE(lab.code(), std::string("barrier-deadlock"));
        QVERIFY2(lab.why().contains("the cluster has 2 blocks"), lab.why());
    }
};

QTEST_APPLESS_MAIN(TestTimingClusters)
#include "tst_timing_clusters.moc"
