// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels as CUDA C++ writes them (fixtures/clusters.cu, compiled by nvcc): cooperative groups, cuda::barrier and bulk
// copies against sums made on the host.
#include "simt_lab.h"

#include <numeric>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

class TestSimtClusterKernels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void histograms()
    {
        Lab lab;
        QVERIFY2(lab.load(fixture("clusters.nvcc.ptx")), lab.why());
        constexpr int n = 5000, blocks = 8, perBlock = 48;
        for (const std::uint32_t cluster : {1u, 2u, 8u}) {
            const int bins = int(cluster) * perBlock;
            std::vector<std::int32_t> in(n), expected(std::size_t(blocks * perBlock));
            for (int at = 0; at < n; ++at) {
                in[std::size_t(at)] = at * 7919 % bins;
                ++expected[std::size_t(in[std::size_t(at)])];
            }
            const DevicePtr out = lab.put(std::vector<std::int32_t>(std::size_t(blocks * perBlock)));
            Launch launch{"cluster_histogram",
                          {blocks},
                          {96},
                          perBlock * 4,
                          {lab.put(in), std::int32_t{n}, out, std::int32_t{perBlock}}};
            launch.cluster = {cluster, 1, 1};
            LaunchOptions options;
            options.timing = lab.timed;
            const auto report = lab.device->launch(*lab.program, launch, options);
            QVERIFY2(report.ok(), report.ok() ? "" : toText(report.error()).c_str());
            QCOMPARE(lab.get<std::int32_t>(out, expected.size()), expected);
        }
    }

    void sums()
    {
        Lab lab;
        QVERIFY2(lab.load(fixture("clusters.nvcc.ptx")), lab.why());
        constexpr int blocks = 12, perBlock = 333;
        std::vector<float> in(std::size_t(blocks * perBlock));
        for (std::size_t at = 0; at < in.size(); ++at)
            in[at] = float(int(at % 17) - 8);
        const DevicePtr out = lab.put(std::vector<float>(blocks / 4));
        QVERIFY2(lab.run("cluster_sum", {blocks}, {128}, {lab.put(in), out, std::int32_t{perBlock}}), lab.why());
        const auto got = lab.get<float>(out, blocks / 4);
        for (std::size_t at = 0; at < got.size(); ++at) {
            const auto first = in.begin() + std::ptrdiff_t(at) * 4 * perBlock;
            QCOMPARE(got[at], std::accumulate(first, first + 4 * perBlock, 0.0f));
        }
        // The launch must have the cluster that __cluster_dims__ says.
        QVERIFY(!lab.run("cluster_sum", {10}, {128}, {lab.put(in), out, std::int32_t{perBlock}}));
        QVERIFY2(lab.why().contains("not a multiple of the cluster's 4"), lab.why());
    }

    void tilesInABulk()
    {
        Lab lab;
        QVERIFY2(lab.load(fixture("clusters.nvcc.ptx")), lab.why());
        constexpr std::size_t blocks = 3, tiles = 5, count = blocks * tiles * 1024;
        std::vector<float> in(count);
        std::iota(in.begin(), in.end(), -1000.0f);
        const DevicePtr out = lab.put(std::vector<float>(count));
        QVERIFY2(lab.run("bulk_double", {blocks}, {128}, {lab.put(in), out, std::int32_t{tiles}}), lab.why());
        for (float& value : in)
            value *= 2;
        QCOMPARE(lab.get<float>(out, count), in);
        QCOMPARE(lab.counters.bulkLoadBytes, std::uint64_t{count * 4});
        QCOMPARE(lab.counters.bulkStoreBytes, std::uint64_t{count * 4});
        QCOMPARE(lab.counters.bulkCopies, std::uint64_t{2 * blocks * tiles});
    }

    /// What only schedules changes no value; one thread of the warp is elected.
    void hintsOfHopper()
    {
        Lab lab;
        std::string ptx = handWritten("griddepcontrol.wait; setmaxnreg.inc.sync.aligned.u32 232; elect.sync %r9|%p1, "
                                      "0xffffffff; selp.u32 %r10, 1000, 0, %p1; add.u32 %r10, %r10, %r9;"
                                      "mul.wide.u32 %rd4, %r0, 4; add.u64 %rd4, %rd4, %rd1; st.global.u32 [%rd4], "
                                      "%r10; setmaxnreg.dec.sync.aligned.u32 40; griddepcontrol.launch_dependents;");
        ptx.replace(ptx.find("sm_80"), 5, "sm_90a");
        QVERIFY2(lab.load(ptx), lab.why());
        const DevicePtr out = lab.put(std::vector<std::uint32_t>(32, 5));
        QVERIFY2(lab.run("k", {1}, {32}, {out, out, out}), lab.why());
        const auto got = lab.get<std::uint32_t>(out, 32);
        for (std::size_t lane = 0; lane < 32; ++lane)
            QCOMPARE(got[lane], lane == 0 ? 1000u : 0u);
    }
};

QTEST_APPLESS_MAIN(TestSimtClusterKernels)
#include "tst_simt_cluster_kernels.moc"
