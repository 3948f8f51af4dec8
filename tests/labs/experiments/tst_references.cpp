// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_runs.h"
#include "labs/harness/work.h"
#include "sim_point.h"

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr Regime kFew = Regime::Burst; // 20 samples at most

ParamSet product(const char* precision, std::int64_t n = 64)
{
    return {{"precision", std::string(precision)}, {"n", n}};
}

ParamSet transfer(std::int64_t bytes, const char* direction)
{
    return {{"bytes", bytes},
            {"memory", std::string("pinned")},
            {"direction", std::string(direction)},
            {"reference", std::string("none")}};
}

const CheckResult* checkOf(const Point& point, const char* name)
{
    const auto found = std::ranges::find(point.checks, name, &CheckResult::name);
    return found == point.checks.end() ? nullptr : &*found;
}

void passes(const Point& point, const char* name)
{
    const CheckResult* check = checkOf(point, name);
    QVERIFY2(check != nullptr, name);
    QVERIFY2(check->passed, (check->name + ": " + check->detail).c_str());
}

} // namespace

/// What experiments are held against on a GPU: the vendor's libraries, the driver's copy and its count of blocks, and a
/// second GPU; on stand-ins that really compute and copy.
class TestReferences : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void productsAgainstTheVendor_data();
    void productsAgainstTheVendor();
    void aWrongVendorIsNotTimed();
    void withoutAVendorTheRunGoesOn();
    void copiesAgainstTheDriver();
    void aShareIsTheMedianOfItsPairs();
    void theDriverCountsBlocks();
    void bytesToAnotherGpu();
    void oneGpuSaysWhatIsMissing();
};

void TestReferences::productsAgainstTheVendor_data()
{
    QTest::addColumn<QByteArray>("precision");
    for (const char* precision : {"fp32", "tf32", "fp16", "bf16", "fp8"})
        QTest::newRow(precision) << QByteArray(precision);
}

void TestReferences::productsAgainstTheVendor()
{
    QFETCH(QByteArray, precision);
    // Longer than what this processor multiplies in, and so far apart that load turns none of them round: with 60 and
    // 120 microseconds it did.
    useBlas("lt_us=1500,blas_us=12000");
    const Point point = FakeRuns(makeTensorCores(), "kernel_us=4500", kFew).at(product(precision.constData()));
    passes(point, "matches_reference");
    passes(point, "vendor_matches_reference");
    QVERIFY2(point.logged.find("reference: cuBLASLt 13.1.0, algorithm 2 of 3") != std::string::npos,
             point.logged.c_str());
    QVERIFY(point.provenance.at("reference_rate") == Provenance::Measured);
    const double share = point.metrics.at("reference_share"), rate = point.metrics.at("rate");
    QVERIFY(point.metrics.at("reference_share_pairs") >= 10 && point.metrics.at("reference_share_iqr") >= 0);
    // No launch of the stand-in takes less than it is told to.
    const double operations = 2.0 * 64 * 64 * 64;
    QVERIFY2(rate <= operations / 4.5e-3 && point.metrics.at("reference_rate") <= operations / 1.5e-3,
             qPrintable(QString::number(rate)));
    QVERIFY2(share > 0 && share < 90, qPrintable(QString::number(share)));
}

void TestReferences::aWrongVendorIsNotTimed()
{
    useBlas("wrong=1");
    const Point point = FakeRuns(makeTensorCores(), "kernel_us=100", kFew).at(product("fp16"));
    passes(point, "matches_reference");
    QVERIFY(checkOf(point, "vendor_matches_reference") && !checkOf(point, "vendor_matches_reference")->passed);
    QVERIFY(point.metrics.contains("rate") && !point.metrics.contains("reference_rate"));
    useBlas("");
    const Point own = FakeRuns(makeTensorCores(), "kernel_us=100,wrong=1", kFew).at(product("fp16"));
    QVERIFY(!checkOf(own, "matches_reference")->passed);
    passes(own, "vendor_matches_reference");
}

void TestReferences::withoutAVendorTheRunGoesOn()
{
    useBlas("", "nothing.so");
    const Point point = FakeRuns(makeTensorCores(), "kernel_us=100", kFew).at(product("bf16"));
    passes(point, "matches_reference");
    QVERIFY(!checkOf(point, "vendor_matches_reference"));
    QVERIFY(point.metrics.contains("rate") && !point.metrics.contains("reference_rate"));
    QVERIFY2(point.logged.find("without a vendor's reference") != std::string::npos &&
                 point.logged.find("unset that variable") != std::string::npos,
             point.logged.c_str());
    // A simulator has no vendor, and nothing to say about it.
    SimRuns simulated(makeTensorCores(), "sim:h100-sxm", gpu::CompilerChoice::Shipped);
    const Point quiet = simulated.at(product("fp16"));
    QVERIFY(quiet.logged.find("vendor") == std::string::npos && !quiet.metrics.contains("reference_rate"));
}

void TestReferences::copiesAgainstTheDriver()
{
    const ParamSet copy{{"operation", std::string("copy")}, {"bytes", std::int64_t{1 << 20}}};
    FakeRuns runs(makeStream(), "kernel_us=200,copy_gbs=5", kFew);
    const Point point = runs.at(copy);
    passes(point, "matches_reference");
    passes(point, "driver_copies");
    const double theirs = point.metrics.at("driver_bandwidth"), share = point.metrics.at("driver_share");
    QVERIFY2(theirs > 0 && theirs <= 10.0, qPrintable(QString::number(theirs))); // 5 GB/s each way
    // No copy of the stand-in is faster than it is told to be; what holds either up is in its pair alone.
    QVERIFY2(share > 0 && point.metrics.at("driver_share_pairs") >= 10, qPrintable(QString::number(share)));
    QVERIFY(point.metrics.at("driver_share_iqr") >= 0);
    ParamSet triad = copy;
    triad["operation"] = std::string("triad");
    QVERIFY(!runs.at(triad).metrics.contains("driver_share"));
}

void TestReferences::aShareIsTheMedianOfItsPairs()
{
    FakeRuns runs(makeStream(), "", kFew);
    Measured own{2.0, Provenance::Measured, 0, gpu::Timing{}}, theirs{3.0, Provenance::Measured, 0, gpu::Timing{}};
    theirs.timing->toFirst = gpu::PairedRatio{1.02, 0.01, 17};
    Point measured(*runs.device, runs.experiment->info(), gpu::CompilerChoice::Shipped);
    reportShare(measured, "driver_share", own, theirs);
    QCOMPARE(measured.metrics.at("driver_share"), 102.0);
    QCOMPARE(measured.metrics.at("driver_share_iqr"), 1.0);
    QCOMPARE(measured.metrics.at("driver_share_pairs"), 17.0);
    // A simulator has one time of each, the same for ever.
    Point simulated(*runs.device, runs.experiment->info(), gpu::CompilerChoice::Shipped);
    reportShare(simulated, "driver_share", {2.0, Provenance::Simulated, 0, {}}, {3.0, Provenance::Simulated, 0, {}});
    QCOMPARE(simulated.metrics.at("driver_share"), 150.0);
    QCOMPARE(simulated.metrics.size(), std::size_t{1});
}

void TestReferences::theDriverCountsBlocks()
{
    const ParamSet point{{"work", std::string("fma")}, {"warps", std::int64_t{16}}, {"ilp", std::int64_t{1}}};
    for (const bool agree : {true, false}) {
        FakeRuns runs(makeOccupancy(), agree ? "kernel_us=50" : "kernel_us=50,resident=3", kFew);
        Point seen(*runs.device, runs.experiment->info(), gpu::CompilerChoice::Shipped);
        // The stand-in does not carry out this kernel: what comes after the count is not looked at.
        (void)runs.run(point, seen);
        const CheckResult* check = checkOf(seen, "occupancy_rule");
        QVERIFY(check != nullptr);
        QVERIFY2(check->passed == agree, check->detail.c_str());
    }
}

void TestReferences::bytesToAnotherGpu()
{
    FakeRuns runs(makeTransfers(), "devices=2,peer_gbs=1", kFew);
    const Point point = runs.at(transfer(1'000'003, "peer"));
    passes(point, "matches_reference");
    QVERIFY(point.provenance.at("bandwidth") == Provenance::Measured);
    QVERIFY2(point.metrics.at("bandwidth") > 0.05 && point.metrics.at("bandwidth") <= 1.0,
             qPrintable(QString::number(point.metrics.at("bandwidth"))));
    QVERIFY(!point.limits.contains("bandwidth") && !point.metrics.contains("link_share"));
    QVERIFY(point.logged.find("to gpu:1, NVIDIA H200") != std::string::npos);
}

void TestReferences::oneGpuSaysWhatIsMissing()
{
    FakeRuns runs(makeTransfers(), "devices=1", kFew);
    Point point(*runs.device, runs.experiment->info(), gpu::CompilerChoice::Shipped);
    const auto result = runs.run(transfer(4096, "peer"), point);
    QVERIFY(!result.ok());
    QCOMPARE(result.error().code, std::string("no-peer"));
    QVERIFY(!result.error().fix.empty());
    const auto device = openSim("sim:h100-sxm");
    Point simulated(*device, runs.experiment->info(), gpu::CompilerChoice::Shipped);
    const auto refused = runs.run(transfer(4096, "peer"), simulated);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, std::string("no-peer"));
    QVERIFY(refused.error().fix.find("another direction") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestReferences)
#include "tst_references.moc"
