// SPDX-License-Identifier: GPL-3.0-or-later
// The sum of NVIDIA's CUB as a reference: compiled here from the toolkit's headers, executed on simulated chips.
#include "clock_device.h"
#include "fake_runs.h"
#include "sim_point.h"

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

ParamSet summed(std::int64_t elements, const char* type = "int32", const char* input = "uniform")
{
    return {{"rung", std::string("last_block")},
            {"elements", elements},
            {"type", std::string(type)},
            {"input", std::string(input)},
            {"reference", std::string("cub")}};
}

const CheckResult* cubCheck(const Point& point)
{
    const auto found = std::ranges::find(point.checks, "cub_matches_reference", &CheckResult::name);
    return found == point.checks.end() ? nullptr : &*found;
}

/// Why CUB cannot be compiled on this machine; empty where it can.
std::string whyNoCub()
{
    SimRuns runs(makeReduction(), "sim:h100-sxm", gpu::CompilerChoice::Shipped);
    const Point point = runs.at(summed(1024));
    return cubCheck(point) ? std::string() : point.logged;
}

std::vector<std::uint32_t> words(gpu::Device& device, const gpu::KernelArg& arg, std::uint64_t count)
{
    std::vector<std::uint32_t> values(count);
    (void)device.copyToHost(std::as_writable_bytes(std::span(values)), std::get<gpu::DevicePtr>(arg));
    return values;
}

void put(gpu::Device& device, const gpu::KernelArg& arg, const std::vector<std::uint32_t>& values)
{
    (void)device.copyToDevice(std::get<gpu::DevicePtr>(arg), std::as_bytes(std::span(values)));
}

/// Our rung and CUB's kernels of int32, carried out by the processor; CUB's sum is wrong by `off`.
bool addUp(gpu::Device& device, const gpu::Launch& launch, std::uint32_t off)
{
    if (launch.kernel == "cub_facts_i32") {
        put(device, launch.args[0], {300001, 128, 1024, 64, 5}); // version, threads, tile, last threads, factor
        return true;
    }
    const bool ours = launch.kernel == "reduce_last_block_i32";
    const std::uint64_t n =
        ours ? std::get<std::uint64_t>(launch.args.at(2)) : std::get<std::uint32_t>(launch.args.at(2));
    const auto in = words(device, launch.args[0], n);
    std::vector<std::uint32_t> out(ours ? 1 : launch.grid.x);
    out[0] = std::accumulate(in.begin(), in.end(), launch.kernel == "cub_last_i32" ? off : 0u);
    put(device, launch.args[1], out);
    return true;
}

} // namespace

class TestCub : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() const
    {
        qunsetenv("RIDGE_NVRTC");
        qunsetenv("RIDGE_NVCC");
    }

    void addsUpAsTheProcessor_data()
    {
        QTest::addColumn<QByteArray>("target");
        for (const char* target : {"sim:t4", "sim:a100-sxm-80", "sim:h200-sxm", "sim:rtx5090"})
            QTest::newRow(target) << QByteArray(target);
    }
    /// Integers bit for bit, floats within what the order of additions allows: one tile, one more, and ragged sizes.
    void addsUpAsTheProcessor()
    {
        if (const std::string why = whyNoCub(); !why.empty())
            QSKIP(why.c_str());
        QFETCH(QByteArray, target);
        SimRuns runs(makeReduction(), target.constData(), gpu::CompilerChoice::Shipped);
        for (const std::int64_t elements : {1025, 4096, 4097, 300007})
            for (const char* type : {"int32", "float32"})
                for (const char* input : {"uniform", "integers"}) {
                    const Point point = runs.at(summed(elements, type, input));
                    const CheckResult* check = cubCheck(point);
                    QVERIFY2(check != nullptr, point.logged.c_str());
                    QVERIFY2(check->passed, check->detail.c_str());
                    QVERIFY(type != std::string("int32") || check->detail.find("bit for bit") != std::string::npos);
                    // One simulated time each: the share is their ratio, and no pair spreads it.
                    const double share = point.metrics.at("cub_share");
                    QVERIFY(std::abs(share - 100 * point.metrics.at("bandwidth") / point.metrics.at("cub_bandwidth")) <
                            1e-9 * share);
                    QVERIFY(point.provenance.at("cub_share") == Provenance::Simulated);
                    QVERIFY(!point.metrics.contains("cub_share_iqr"));
                }
    }

    /// The rung is what it was without the reference beside it, its trace included.
    void theRungIsNotTouched()
    {
        SimRuns runs(makeReduction(), "sim:h100-sxm", gpu::CompilerChoice::Shipped);
        ParamSet alone = summed(70001);
        alone["reference"] = std::string("none");
        const Point without = runs.at(alone), with = runs.at(summed(70001));
        QVERIFY(without.logged.empty() && !cubCheck(without) && !without.metrics.contains("cub_share"));
        QVERIFY(without.launch && with.launch);
        QCOMPARE(with.launch->kernel, without.launch->kernel);
        for (const char* counted : {"instructions", "shared_requests", "barrier_waits", "launches", "inst_issued"})
            QCOMPARE(with.metrics.at(counted), without.metrics.at(counted));
    }

    void withoutHeadersTheRunGoesOn()
    {
        qputenv("RIDGE_NVRTC", "/nowhere/libnvrtc.so");
        qputenv("RIDGE_NVCC", "/nowhere/nvcc");
        SimRuns runs(makeReduction(), "sim:h100-sxm", gpu::CompilerChoice::Shipped);
        const Point point = runs.at(summed(1024));
        QVERIFY(!cubCheck(point) && point.metrics.contains("bandwidth") && !point.metrics.contains("cub_share"));
        for (const char* words : {"without a vendor's reference", "CUB cannot be compiled here", "/nowhere/libnvrtc.so",
                                  "install the CUDA toolkit 13", "reference=none"})
            QVERIFY2(point.logged.find(words) != std::string::npos, point.logged.c_str());
        for (const CheckResult& check : point.checks)
            QVERIFY2(check.passed, check.detail.c_str());
    }

    void itIsTimedInTurnsOnTheSameInput()
    {
        if (const std::string why = whyNoCub(); !why.empty())
            QSKIP(why.c_str());
        const auto experiment = makeReduction();
        for (const std::uint32_t off : {0u, 1u}) {
            ClockDevice device;
            device.seconds = 1e-5;
            device.pairs = gpu::PairedRatio{1.015, 0.004, 40};
            device.carryOut = [&](const gpu::Launch& launch) { return addUp(device, launch, off); };
            Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
            const auto result = experiment->run(complete(experiment->info(), summed(1 << 20)), point);
            QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
            QVERIFY(device.buffers.empty());
            QVERIFY(cubCheck(point) && cubCheck(point)->passed == (off == 0));
            if (off != 0) { // what is wrong is no reference
                QCOMPARE(device.timed.size(), std::size_t{1});
                QVERIFY(!point.metrics.contains("cub_share") && point.metrics.contains("bandwidth"));
                continue;
            }
            QCOMPARE(point.metrics.at("cub_share"), 101.5);
            QCOMPARE(point.metrics.at("cub_share_iqr"), 0.4);
            QCOMPARE(point.metrics.at("cub_share_pairs"), 40.0);
            QCOMPARE(point.metrics.at("cub_bandwidth"), 4.0 * (1 << 20) / 1e-5 / 1e9);
            QVERIFY(point.provenance.at("cub_share") == Provenance::Measured);
            QCOMPARE(device.timed.size(), std::size_t{2});
            const auto &own = device.timed[0], &theirs = device.timed[1];
            QCOMPARE(own.size(), std::size_t{4}); // twice the cache
            QCOMPARE(theirs.size(), own.size());
            for (std::size_t set = 0; set < own.size(); ++set) {
                QCOMPARE(theirs[set].size(), std::size_t{2});
                const gpu::Launch &partial = theirs[set][0].launch, &last = theirs[set][1].launch;
                QCOMPARE(std::get<gpu::DevicePtr>(partial.args[0]).address,
                         std::get<gpu::DevicePtr>(own[set][0].launch.args[0]).address);
                // 16 blocks of 128 threads on each of 4 SMs, five for each of those: fewer than the 1024 tiles.
                QCOMPARE(partial.grid.x, 320u);
                QCOMPARE(partial.block.x, 128u);
                QCOMPARE(last.block.x, 64u);
                QCOMPARE(std::get<std::uint32_t>(last.args[2]), 320u);
            }
        }
    }

    /// Neither CUB nor a copy: what a profiler counts is the rung.
    void whereAProfilerCountsThereIsNoReference()
    {
        for (const bool counts : {false, true}) {
            for (auto* make : {&makeReduction, &makeTranspose, &makeNorm}) {
                const auto experiment = (*make)();
                ClockDevice device;
                device.about.countsOnly = counts;
                device.hasClock = false;
                std::vector<std::string> launched;
                device.carryOut = [&](const gpu::Launch& launch) {
                    launched.push_back(launch.kernel);
                    return true;
                };
                ParamSet given;
                if (experiment->info().id == "reduction")
                    given = summed(4096);
                Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
                const auto result = experiment->run(complete(experiment->info(), given), point);
                QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
                QVERIFY(!launched.empty());
                if (counts)
                    QVERIFY2(launched.size() == 1, launched.front().c_str());
                else if (experiment->info().id != "reduction") // whose CUB this machine may lack
                    QCOMPARE(launched.size(), std::size_t{2});
            }
        }
    }

    /// The stand-in for the driver carries out no kernel of CUB's.
    void whatDoesNotRunIsNoReference()
    {
        if (const std::string why = whyNoCub(); !why.empty())
            QSKIP(why.c_str());
        const Point point = FakeRuns(makeReduction(), "kernel_us=100", Regime::Burst).at(summed(4096));
        QVERIFY(!cubCheck(point) && !point.metrics.contains("cub_share") && point.metrics.contains("bandwidth"));
        QVERIFY2(point.logged.find("CUB's kernels do not run here") != std::string::npos, point.logged.c_str());
    }
};

QTEST_GUILESS_MAIN(TestCub)
#include "tst_cub.moc"
