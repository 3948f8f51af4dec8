// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix products in five precisions, and the formats that they round to.
#include "clock_device.h"
#include "labs/1-gpu-architecture/tensor_cores_numbers.h"
#include "labs/harness/small_formats.h"
#include "sim_point.h"

#include <bit>
#include <cmath>
#include <numeric>

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kTarget = "sim:h100-sxm";

ParamSet product(const char* precision, std::int64_t n = 64, const char* data = "uniform", double value = 16)
{
    return {{"precision", std::string(precision)}, {"n", n}, {"data", std::string(data)}, {"value", value}};
}

void allPass(const Point& point)
{
    QVERIFY(!point.checks.empty());
    for (const CheckResult& check : point.checks)
        QVERIFY2(check.passed, (check.name + ": " + check.detail).c_str());
}

/// A GPU whose kernels do nothing: what they should have written stays poisoned.
class IdleDevice : public ClockDevice {
public:
    Result<gpu::LaunchReport> launch(const gpu::LoadedProgram&, const gpu::Launch&, const gpu::LaunchOptions&) override
    {
        return gpu::LaunchReport{};
    }
};

} // namespace

class TestTensorCores : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void formatsRoundToEven();
    void everyNumberComesBack();
    void everyPrecisionIsRight_data();
    void everyPrecisionIsRight();
    void halfTheBytesAreFaster();
    void peaksAreThePublishedOnes();
    void fp16EndsAt65504();
    void cancellingSums();
    void longFp8SumsLoseWhatIsCutOff_data();
    void longFp8SumsLoseWhatIsCutOff();
    void refusesWhatTheChipLacks();
    void wrongResultsAreSeen();
    void stopsWhenAsked();
};

void TestTensorCores::formatsRoundToEven()
{
    QCOMPARE(kFp16.largest(), 65504.0);
    QCOMPARE(kE4m3.largest(), 448.0);
    QCOMPARE(kBf16.largest(), 0x1.fep127);
    const double half = 0x1p-11; // of a unit of 1 in FP16
    QCOMPARE(roundTo(kFp16, 1 + half), 0x3c00u);
    QCOMPARE(roundTo(kFp16, 1 + 3 * half), 0x3c02u);
    QCOMPARE(roundTo(kFp16, 1 + half + 0x1p-40), 0x3c01u);
    QCOMPARE(roundTo(kFp16, 2 - half), 0x4000u); // the carry goes into the exponent
    QCOMPARE(roundTo(kFp16, 65519.99), 0x7bffu);
    QCOMPARE(roundTo(kFp16, 65520), 0x7c00u);
    QCOMPARE(roundTo(kFp16, -1e9), 0xfc00u);
    QCOMPARE(roundTo(kFp16, 0x1p-24), 1u);
    QCOMPARE(roundTo(kFp16, 0x1p-25), 0u);
    QCOMPARE(roundTo(kFp16, 0x1.8p-25), 1u);
    QCOMPARE(roundTo(kFp16, -0.0), 0x8000u);
    QCOMPARE(roundTo(kBf16, 1 + 0x1p-8), 0x3f80u);
    QCOMPARE(roundTo(kBf16, 1 + 3 * 0x1p-8), 0x3f82u);
    QCOMPARE(roundTo(kE4m3, 1.0), 0x38u);
    QCOMPARE(roundTo(kE4m3, 448), 0x7eu);
    QCOMPARE(roundTo(kE4m3, 464), 0x7eu); // the next one up would be NaN
    QCOMPARE(roundTo(kE4m3, -1e30), 0xfeu);
    QCOMPARE(roundTo(kE4m3, 0x1p-9), 1u);
    QCOMPARE(roundTo(kE4m3, 0x1p-10), 0u);
    QCOMPARE(roundTo(kTf32, 1 + 0x1p-10), (127u << 10) + 1);
    for (const float value : {0.1f, -3.25f, 1e-40f, 3.4e38f})
        QCOMPARE(roundTo(kFp32, double{value}), std::bit_cast<std::uint32_t>(value));
    QVERIFY(std::isinf(valueOf(kFp16, 0x7c00)) && std::isnan(valueOf(kFp16, 0x7c01)) &&
            std::isnan(valueOf(kE4m3, 0x7f)));
}

void TestTensorCores::everyNumberComesBack()
{
    for (const SmallFormat& format : {kFp16, kBf16, kE4m3, kTf32})
        for (std::uint32_t bits = 0; bits < 1u << format.bits(); ++bits) {
            const double value = valueOf(format, bits);
            if (std::isfinite(value))
                QCOMPARE(roundTo(format, value), bits);
        }
}

void TestTensorCores::everyPrecisionIsRight_data()
{
    QTest::addColumn<QString>("target");
    for (const char* target : {"sim:h100-sxm", "sim:a100-sxm-80", "sim:l40s", "sim:rtx5090", "sim:t4"})
        QTest::newRow(target) << QString::fromLatin1(target);
}

void TestTensorCores::everyPrecisionIsRight()
{
    QFETCH(QString, target);
    const auto name = target.toStdString();
    SimRuns runs(makeTensorCores(), name.c_str(), gpu::CompilerChoice::Shipped);
    for (const char* precision : {"fp32", "tf32", "fp16", "bf16", "fp8"}) {
        const std::string_view which = precision;
        if ((name == "sim:t4" && which != "fp32") || (name == "sim:a100-sxm-80" && which == "fp8"))
            continue; // they refuse it, below
        for (const char* data : {"uniform", "large", "cancel"})
            for (const std::int64_t n : {64, 128}) {
                const Point point = runs.at(product(precision, n, data, 0.7));
                allPass(point);
                QVERIFY2(point.withinLimits(), precision);
                QCOMPARE(point.metrics.at("flop"), 2.0 * static_cast<double>(n * n * n));
                QCOMPARE(point.metrics.at("infinities"), 0.0);
                // Layout, order of the sums and every rounding of the simulated cores, computed a second way.
                QCOMPARE(point.metrics.at("emulation_share"), 100.0);
            }
    }
}

void TestTensorCores::halfTheBytesAreFaster()
{
    SimRuns runs(makeTensorCores(), kTarget, gpu::CompilerChoice::Shipped);
    std::map<std::string, double> rate, error;
    for (const char* precision : {"fp32", "tf32", "fp16", "bf16", "fp8"}) {
        const Point point = runs.at(product(precision, 256));
        rate[precision] = point.metrics.at("rate");
        error[precision] = point.metrics.at("max_rel_error");
        QCOMPARE(point.metrics.at("rate"), 2.0 * 256 * 256 * 256 / point.metrics.at("time") / 1e12);
    }
    QVERIFY(1.5 * rate["fp32"] < rate["tf32"] && 1.5 * rate["tf32"] < rate["fp16"] && 1.4 * rate["bf16"] < rate["fp8"]);
    QVERIFY(std::fabs(rate["fp16"] / rate["bf16"] - 1) < 0.05); // the same bytes
    QVERIFY(error["fp32"] < error["tf32"] && error["tf32"] < error["fp16"] && error["fp16"] < error["bf16"] &&
            error["bf16"] < error["fp8"]);
    QVERIFY(error["fp16"] < 0x1p-10 && error["bf16"] < 0x1p-7); // factors average out, the result is rounded once
}

void TestTensorCores::peaksAreThePublishedOnes()
{
    SimRuns runs(makeTensorCores(), kTarget, gpu::CompilerChoice::Shipped);
    // Dense, TFLOP/s: NVIDIA's figures for the H100 SXM, as the lesson prints them.
    for (const auto& [precision, published] :
         {std::pair{"fp32", 67.0}, {"tf32", 494.5}, {"fp16", 989.0}, {"bf16", 989.0}, {"fp8", 1979.0}}) {
        const Point point = runs.at(product(precision));
        QVERIFY(std::fabs(point.metrics.at("peak") / published - 1) < 0.002);
        QCOMPARE(point.limits.at("rate"), point.metrics.at("peak"));
    }
}

void TestTensorCores::fp16EndsAt65504()
{
    SimRuns runs(makeTensorCores(), kTarget, gpu::CompilerChoice::Shipped);
    const auto at = [&](const char* precision, double value) {
        return runs.at(product(precision, 64, "large", value));
    };
    // 64 × 32^2 is 65536; with 2047/64 it is 65472.0156, which FP16 has as 65472.
    const Point over = at("fp16", 32), under = at("fp16", 2047.0 / 64);
    allPass(over);
    allPass(under);
    QCOMPARE(over.metrics.at("infinities"), 64.0 * 64);
    QVERIFY(!over.metrics.contains("max_output") && !over.metrics.contains("max_rel_error"));
    QCOMPARE(under.metrics.at("infinities"), 0.0);
    QCOMPARE(under.metrics.at("max_output"), 65472.0);
    for (const char* precision : {"fp32", "tf32", "bf16", "fp8"}) {
        const Point point = at(precision, 32);
        QCOMPARE(point.metrics.at("infinities"), 0.0);
        QCOMPARE(point.metrics.at("max_output"), 65536.0);
    }
    // FP8 itself ends at 448 and stays there: e4m3 has no infinity.
    const Point clipped = at("fp8", 1000);
    allPass(clipped);
    QCOMPARE(clipped.metrics.at("max_output"), 64.0 * 448 * 448);
}

void TestTensorCores::cancellingSums()
{
    SimRuns runs(makeTensorCores(), kTarget, gpu::CompilerChoice::Shipped);
    for (const std::int64_t n : {64, 256})
        for (const char* precision : {"fp32", "tf32", "fp16", "bf16", "fp8"}) {
            const Point point = runs.at(product(precision, n, "cancel"));
            allPass(point);
            const std::string_view which = precision;
            if (which == "bf16" || which == "fp8") {
                QVERIFY2(point.metrics.at("max_rel_error") > 0.5, precision); // the difference is in bits it lacks
            } else {
                QCOMPARE(point.metrics.at("max_rel_error"), 0.0);
                QCOMPARE(point.metrics.at("max_output"), static_cast<double>(n) / 2048);
            }
        }
}

void TestTensorCores::longFp8SumsLoseWhatIsCutOff_data()
{
    QTest::addColumn<int>("n");
    QTest::addColumn<double>("least");
    QTest::addColumn<double>("most");
    // An H200's own results of order 4096 are 6.6 % low in the mean (assets/baselines/h200-sxm.json, mean_rel_error).
    QTest::newRow("256") << 256 << 0.0 << 0.02;
    QTest::newRow("4096") << 4096 << 0.06 << 0.072;
    QTest::newRow("8192") << 8192 << 0.11 << 0.15;
    QTest::newRow("16384") << 16384 << 0.2 << 0.3;
}

void TestTensorCores::longFp8SumsLoseWhatIsCutOff()
{
    QFETCH(int, n);
    QFETCH(double, least);
    QFETCH(double, most);
    const MatrixPrecision& fp8 = matrixPrecision("fp8");
    const MatrixInputs inputs{MatrixData::Uniform, static_cast<std::uint64_t>(n), 16, 7};
    const int elements = 16;
    double low = 0;
    for (std::uint64_t at = 0; at < elements; ++at) {
        std::vector<double> products;
        for (std::uint64_t k = 0; k < inputs.n; ++k)
            products.push_back(valueOf(fp8.in, roundTo(fp8.in, inputs.a(at, k))) *
                               valueOf(fp8.in, roundTo(fp8.in, inputs.b(k, 3 * at)))); // none is negative
        const double exact = std::accumulate(products.begin(), products.end(), 0.0);
        const double missing = exact - std::bit_cast<float>(emulated(inputs, fp8, 90, at, 3 * at));
        QVERIFY(missing >= 0); // cut off, not rounded
        QVERIFY2(missing <= lostByFp8(products), qPrintable(QString::number(missing / exact)));
        QVERIFY(lostByFp8(products) < 0.7 * exact); // else a result of nothing would pass
        low += missing / exact / elements;
    }
    QVERIFY2(low >= least && low <= most, qPrintable(QString::number(low)));
}

void TestTensorCores::refusesWhatTheChipLacks()
{
    const auto experiment = makeTensorCores();
    const auto refusal = [&](const char* target, const ParamSet& given) {
        const auto device = openSim(target);
        Point point(*device, experiment->info(), gpu::CompilerChoice::Shipped);
        const ParamSet params = complete(experiment->info(), given);
        const auto result = experiment->run(params, point);
        if (!result && !point.metrics.empty())
            qFatal("reported before it refused");
        if (!result && result.error().code == "unsupported-precision" &&
            !experiment->kernels(params, device->info()).empty())
            qFatal("would compile what the chip cannot run");
        return result ? std::string() : result.error().code;
    };
    QCOMPARE(refusal("sim:a100-sxm-80", product("fp8")), std::string("unsupported-precision"));
    QCOMPARE(refusal("sim:t4", product("fp16")), std::string("unsupported-precision"));
    QCOMPARE(refusal("sim:v100-sxm2-32", product("tf32")), std::string("unsupported-precision"));
    QCOMPARE(refusal("sim:v100-sxm2-32", product("fp32")), std::string());
    QCOMPARE(refusal(kTarget, product("fp16", 100)), std::string("bad-value"));
    QVERIFY(!completeParams(experiment->info().parameters, product("fp64"), "sim").ok());
    QVERIFY(!completeParams(experiment->info().parameters, product("fp16", 32), "sim").ok());
    QVERIFY(!completeParams(experiment->info().parameters, product("fp16", 64, "large", -1), "sim").ok());
}

void TestTensorCores::wrongResultsAreSeen()
{
    for (const char* precision : {"fp32", "fp16", "fp8"}) {
        IdleDevice device;
        device.about.computeMajor = 9;
        const auto experiment = makeTensorCores();
        Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
        QVERIFY(experiment->run(complete(experiment->info(), product(precision), "gpu"), point).ok());
        int failed = 0;
        for (const CheckResult& check : point.checks)
            failed += check.passed ? 0 : 1;
        QCOMPARE(failed, 2); // neither near the reference nor numbers at all
        QCOMPARE(point.metrics.at("emulation_share"), 0.0);
        QVERIFY(point.provenance.at("rate") == Provenance::Measured);
        QVERIFY(!point.metrics.contains("peak")); // nobody knows this chip
    }
}

void TestTensorCores::stopsWhenAsked()
{
    const auto device = openSim(kTarget);
    const auto experiment = makeTensorCores();
    for (const int after : {0, 30}) {
        Point point(*device, experiment->info(), gpu::CompilerChoice::Shipped);
        point.cancelAfter = after;
        const auto result = experiment->run(complete(experiment->info(), product("fp16")), point);
        QVERIFY(!result.ok() && result.error().code == "cancelled");
    }
}

QTEST_GUILESS_MAIN(TestTensorCores)
#include "tst_tensor_cores.moc"
