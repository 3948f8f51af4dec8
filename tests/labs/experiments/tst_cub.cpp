// SPDX-License-Identifier: GPL-3.0-or-later
// The sum of NVIDIA's CUB as a reference: compiled here from the toolkit's headers, executed on simulated chips.
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
        for (const std::int64_t elements : {1024, 1025, 4096, 4097, 300007})
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
                    QVERIFY(!point.metrics.contains("cub_share_spread"));
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
