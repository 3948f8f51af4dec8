// SPDX-License-Identifier: GPL-3.0-or-later
// The experiments about execution: throughput.
#include "clock_device.h"
#include "sim_point.h"

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kTarget = "sim:h100-sxm";

std::int64_t n(std::int64_t value)
{
    return value;
}

/// A device whose kernels do nothing: what they should have written stays poisoned.
class IdleDevice : public ClockDevice {
public:
    Result<gpu::LaunchReport> launch(const gpu::LoadedProgram&, const gpu::Launch&, const gpu::LaunchOptions&) override
    {
        return gpu::LaunchReport{};
    }
};

bool passed(const Point& point)
{
    return !point.checks.empty() &&
           std::all_of(point.checks.begin(), point.checks.end(), [](const CheckResult& check) { return check.passed; });
}

std::string details(const Point& point)
{
    std::string all;
    for (const CheckResult& check : point.checks)
        all += check.name + ": " + check.detail + "; ";
    return all;
}

/// The checks of a run on a device whose kernels do nothing.
std::vector<CheckResult> checksOfIdle(const Experiment& experiment, const ParamSet& given)
{
    IdleDevice device;
    device.about.computeMajor = 9;
    Point point(device, experiment.info(), gpu::CompilerChoice::Automatic);
    (void)experiment.run(complete(experiment.info(), given, "gpu"), point);
    return point.checks;
}

} // namespace

class TestCompute : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyOperationIsRight_data();
    void everyOperationIsRight();
    void latencyThenRate();
    void chainsReplaceWarps();
    void reachesThePeak();
    void refusesWhatTheChipLacks();
    void wrongResultsAreSeen();
};

void TestCompute::everyOperationIsRight_data()
{
    QTest::addColumn<QString>("target");
    for (const char* target : {"sim:h100-sxm", "sim:a100-sxm-80", "sim:t4", "sim:v100-sxm2-32"})
        QTest::newRow(target) << QString::fromLatin1(target);
}

void TestCompute::everyOperationIsRight()
{
    QFETCH(QString, target);
    const auto experiment = makeThroughput();
    const auto device = openSim(target.toLatin1().constData());
    const int capability = 10 * device->info().computeMajor + device->info().computeMinor;
    SimRuns runs(makeThroughput(), target.toLatin1().constData());
    for (const ParamValue& choice : experiment->info().parameter("operation")->choices) {
        const auto name = std::get<std::string>(choice);
        if (capability < 80 && (name == "mma_bf16" || name == "mma_tf32"))
            continue;
        if (capability < 75 && name == "mma_int8")
            continue;
        for (const std::int64_t ilp : {1, 8}) {
            const Point point = runs.at({{"operation", name}, {"ilp", ilp}, {"warps", n(3)}, {"turns", n(2)}});
            QVERIFY2(passed(point), (name + " " + details(point)).c_str());
            QVERIFY2(point.withinLimits(), name.c_str());
            QVERIFY(point.limits.contains("op_rate"));
            QCOMPARE(point.metrics.at("instructions"), 2.0 * 3 * 2 * 120);
        }
    }
}

void TestCompute::latencyThenRate()
{
    SimRuns runs(makeThroughput(), kTarget);
    const auto steps = [&](const char* operation) {
        return runs.at({{"operation", std::string(operation)}, {"ilp", n(1)}, {"warps", n(1)}})
            .metrics.at("cycles_per_step");
    };
    // assets/chips/timing: FMA 4 (Huerta 2025), shuffle 26 (Huerta 2025), shared load 29 cycles (RRZE); the loop adds
    // up to 7 % to the shortest.
    QVERIFY(steps("fma_fp32") >= 4 && steps("fma_fp32") < 4.3);
    QVERIFY(steps("shuffle") >= 26 && steps("shuffle") < 26.5);
    QVERIFY(steps("shared_load") >= 29 && steps("shared_load") < 29.5);
}

void TestCompute::chainsReplaceWarps()
{
    SimRuns runs(makeThroughput(), kTarget);
    const auto rate = [&](std::int64_t warps, std::int64_t ilp) {
        return runs.at({{"warps", warps}, {"ilp", ilp}}).metrics.at("op_rate");
    };
    const double one = rate(1, 1);
    QVERIFY(std::abs(rate(1, 4) / (4 * one) - 1) < 0.1); // one warp with four chains …
    QVERIFY(std::abs(rate(4, 1) / (4 * one) - 1) <
            0.1); // … is four warps with one, a scheduler each; the loop itself takes up to 7 %
    QVERIFY(std::abs(rate(4, 2) / (8 * one) - 1) < 0.1);
}

void TestCompute::reachesThePeak()
{
    SimRuns runs(makeThroughput(), kTarget);
    const Point fma = runs.at({{"turns", n(64)}});
    QVERIFY(fma.metrics.at("peak_share") > 96);
    QCOMPARE(fma.limits.at("op_rate"), 256.0);
    QCOMPARE(fma.metrics.at("peak"), 132 * 256 * 1.98); // Gop/s at 1.98 GHz: 66.9 TFLOP/s
    QVERIFY(fma.provenance.at("op_rate") == Provenance::Simulated);
    // Luo et al. 2024: mma.sync reaches 62.9 % of the dense peak of Hopper.
    const Point tensor = runs.at({{"operation", std::string("mma_fp16")}});
    QVERIFY(std::abs(tensor.metrics.at("peak_share") - 62.9) < 2);
    QCOMPARE(tensor.limits.at("op_rate"), 4096.0);
    // Turing has 64 lanes an SM: an FMA every other clock.
    SimRuns turing(makeThroughput(), "sim:t4");
    const Point half = turing.at({{"turns", n(16)}});
    QCOMPARE(half.limits.at("cycles_per_instruction"), 2.0);
    QVERIFY(half.metrics.at("cycles_per_instruction") < 2.1);
}

void TestCompute::refusesWhatTheChipLacks()
{
    const auto refused = [](const char* target, const ParamSet& given) {
        const auto experiment = makeThroughput();
        const auto device = openSim(target);
        Point point(*device, experiment->info(), gpu::CompilerChoice::Automatic);
        const auto result = experiment->run(complete(experiment->info(), given), point);
        return result ? std::string() : result.error().code + ": " + result.error().message;
    };
    const auto bf16 = refused("sim:t4", {{"operation", std::string("mma_bf16")}});
    QVERIFY2(bf16.starts_with("unsupported-operation: mma_bf16 needs compute capability 8.0"), bf16.c_str());
    const auto warps = refused("sim:t4", {{"warps", n(48)}});
    QVERIFY2(warps.starts_with("bad-launch: an SM of Tesla T4 (simulated) holds 32 warps"), warps.c_str());
}

void TestCompute::wrongResultsAreSeen()
{
    const auto throughput = makeThroughput();
    for (const char* operation : {"fma_fp32", "mufu_rcp", "mma_fp16"}) {
        const auto checks = checksOfIdle(*throughput, {{"operation", std::string(operation)}, {"turns", n(1)}});
        QVERIFY(!checks.empty());
        QVERIFY2(!checks.front().passed, operation);
    }
}

QTEST_GUILESS_MAIN(TestCompute)
#include "tst_compute.moc"
