// SPDX-License-Identifier: GPL-3.0-or-later
#include "clock_device.h"
#include "labs/4-kernel-optimization/norm_info.h"
#include "sim_point.h"

#include <bit>
#include <cmath>

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kTarget = "sim:h200-sxm";

ParamSet rows(const std::string& rung, const char* kind, std::int64_t columns, std::int64_t elements)
{
    return {{"rung", rung}, {"kind", std::string(kind)}, {"columns", columns}, {"elements", elements}};
}

void verifyChecked(const Point& point, const std::string& what)
{
    QVERIFY2(!point.checks.empty(), what.c_str());
    for (const CheckResult& check : point.checks)
        QVERIFY2(check.passed, (what + ": " + check.detail).c_str());
    QVERIFY2(point.withinLimits(), what.c_str());
}

/// Carries out a copy or RMSNorm from its launch arguments; one element is `off` by so many steps of bf16.
bool carryOut(ClockDevice& device, const gpu::Launch& launch, int off)
{
    const auto read = [&](std::size_t arg, std::uint64_t count) {
        std::vector<std::uint16_t> values(count);
        (void)device.copyToHost(std::as_writable_bytes(std::span(values)), std::get<gpu::DevicePtr>(launch.args[arg]));
        return values;
    };
    const auto write = [&](std::size_t arg, const std::vector<std::uint16_t>& values) {
        (void)device.copyToDevice(std::get<gpu::DevicePtr>(launch.args[arg]), std::as_bytes(std::span(values)));
    };
    const auto value = [](std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); };
    if (launch.kernel == "norm_copy") {
        write(1, read(0, std::get<std::uint64_t>(launch.args[2])));
        return true;
    }
    if (!launch.kernel.ends_with("_rms"))
        return false;
    const std::uint64_t count = std::get<std::uint32_t>(launch.args[3]),
                        columns = std::get<std::uint32_t>(launch.args[4]);
    auto x = read(0, count * columns);
    const auto weights = read(1, columns);
    for (std::uint64_t row = 0; row < count; ++row) {
        double squares = 0;
        for (std::uint64_t i = 0; i < columns; ++i)
            squares += std::pow(static_cast<double>(value(x[row * columns + i])), 2);
        const double scale = 1 / std::sqrt(squares / static_cast<double>(columns) + 1e-5);
        for (std::uint64_t i = 0; i < columns; ++i) {
            auto& at = x[row * columns + i];
            const auto bits = std::bit_cast<std::uint32_t>(
                static_cast<float>(static_cast<double>(value(at)) * scale * static_cast<double>(value(weights[i]))));
            at = static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
        }
    }
    x.back() = static_cast<std::uint16_t>(x.back() + off);
    write(2, x);
    return true;
}

} // namespace

/// The ladder of normalisations: each rung against double precision on rows that no block divides and on input that is
/// hard on sums, and what tells one rung from the next.
class TestNorm : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRungIsRight();
    void survivesUnkindInput();
    void longRowsSpillOrCluster();
    void showsWhatEachRungFrees();
    void shapesFollowTheRow();
    void refusesByName();
    void findsAWrongElement();
    void takesTurnsWithTheCopy();
};

void TestNorm::everyRungIsRight()
{
    SimRuns runs(makeNorm(), kTarget);
    for (const Rung& rung : normRungs())
        for (const char* kind : {"rms", "layer"})
            for (const std::int64_t columns : {64, 1003, 1200}) // below a warp's share, ragged, whole vectors
                verifyChecked(runs.at(rows(rung.name, kind, columns, std::max<std::int64_t>(1024, 9 * columns))),
                              std::string(rung.name) + " " + kind + " " + std::to_string(columns));
}

void TestNorm::survivesUnkindInput()
{
    SimRuns runs(makeNorm(), kTarget);
    for (const char* rung : {"passes", "online", "warp", "registers", "vector", "persistent"})
        for (const char* input : {"offset", "outliers", "equal"}) {
            auto given = rows(rung, "layer", 2100, 4200);
            given["input"] = std::string(input);
            verifyChecked(runs.at(given), std::string(rung) + " " + input);
        }
}

void TestNorm::longRowsSpillOrCluster()
{
    SimRuns runs(makeNorm(), kTarget);
    for (const char* rung : {"registers", "vector", "persistent"}) {
        const auto point = runs.at(rows(rung, "layer", 40001, 40001));
        verifyChecked(point, rung);
        const double kept = rung == std::string("persistent") ? 16384 : 32768;
        QCOMPARE(point.metrics.at("row_reads"), 1 + 2 * (40001 - kept) / 40001);
    }
    for (const std::int64_t columns : {40001, 70000, 140008}) { // two, four and eight blocks
        const auto point = runs.at(rows("cluster", "layer", columns, 2 * columns));
        verifyChecked(point, "cluster " + std::to_string(columns));
        QCOMPARE(point.metrics.at("row_reads"), 1.0);
        QVERIFY(point.metrics.at("bytes_per_element") < 10); // weights and biases once a row
    }
}

void TestNorm::showsWhatEachRungFrees()
{
    SimRuns runs(makeNorm(), kTarget);
    const auto at = [&](const char* rung, const char* kind) {
        return runs.at(rows(rung, kind, 2048, 1 << 19)).metrics;
    };
    // Bytes that lanes move for an element: reads of the row, weight (and bias), result, 2 each.
    const std::tuple<const char*, double, double> moved[] = {{"passes", 8, 12},   {"online", 8, 10}, {"warp", 8, 12},
                                                             {"registers", 6, 8}, {"vector", 6, 8},  {"copy", 4, 4}};
    for (const auto& [rung, rms, layer] : moved) {
        QCOMPARE(at(rung, "rms")["bytes_per_element"], rms);
        QCOMPARE(at(rung, "layer")["bytes_per_element"], layer);
    }
    // 256 rows on 132 SMs with 8 blocks each: a block has one row. 2^20 elements of 64 columns: 16384 rows.
    auto stay = runs.at(rows("persistent", "rms", 64, 1 << 20)).metrics;
    const double blocks = 132 * 16; // of 32 threads
    QCOMPARE(stay["bytes_per_element"], 4 + 2 * blocks * 64 / (1 << 20));
    auto warp = at("warp", "layer"), passes = at("passes", "layer"), vector = at("vector", "layer");
    QCOMPARE(warp["barrier_waits"], 0.0);
    QCOMPARE(passes["barrier_waits"], 256.0 * 8 * 4); // rows, warps, two sums of two barriers
    QVERIFY(vector["instructions_per_element"] < 0.7 * passes["instructions_per_element"]);
    QVERIFY(vector["time"] < passes["time"]);
    QCOMPARE(at("copy", "rms")["share_of_copy"], 100.0);
}

void TestNorm::shapesFollowTheRow()
{
    NormShape shape;
    shape.smCount = 132;
    shape.rows = 8192;
    const auto like = [&](std::size_t rung, std::uint64_t columns) {
        shape.rung = rung;
        shape.columns = columns;
        return std::array<std::uint64_t, 3>{shape.blocks(), shape.threads(), shape.cluster()};
    };
    using Shape = std::array<std::uint64_t, 3>;
    QCOMPARE(like(kNormVector, 8192), (Shape{8192, 256, 1}));
    QCOMPARE(like(kNormVector, 65), (Shape{8192, 32, 1}));
    QCOMPARE(like(kNormVector, 262144), (Shape{8192, 1024, 1}));
    QCOMPARE(like(kNormPersistent, 8192), (Shape{264, 256, 1}));
    QCOMPARE(like(kNormPersistent, 65536), (Shape{132, 512, 1}));
    QCOMPARE(like(kNormWarp, 8192), (Shape{1024, 256, 1}));
    QCOMPARE(like(kNormCluster, 8192), (Shape{8192, 256, 1}));
    QCOMPARE(like(kNormCluster, 32769), (Shape{2 * 8192, 544, 2}));
    QCOMPARE(like(kNormCluster, 262144), (Shape{8 * 8192, 1024, 8}));
    shape.rows = 100;
    QCOMPARE(like(kNormPersistent, 8192), (Shape{100, 256, 1}));
}

void TestNorm::refusesByName()
{
    const auto experiment = makeNorm();
    const auto device = openSim("sim:a100-sxm-80");
    const auto given = complete(experiment->info(), rows("cluster", "rms", 64, 1024));
    QVERIFY(experiment->kernels(given, device->info()).empty());
    Point point(*device, experiment->info(), gpu::CompilerChoice::Shipped);
    const auto refused = experiment->run(given, point);
    QVERIFY(!refused.ok() && refused.error().code == "needs-newer-chip");
    QVERIFY(refused.error().message.find("9.0") != std::string::npos && !refused.error().fix.empty());
}

void TestNorm::findsAWrongElement()
{
    const auto experiment = makeNorm();
    for (const char* rung : {"passes", "persistent"})
        for (const int off : {0, 4}) {
            ClockDevice device;
            device.hasClock = false;
            device.carryOut = [&](const gpu::Launch& launch) { return carryOut(device, launch, off); };
            Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
            const auto result = experiment->run(complete(experiment->info(), rows(rung, "rms", 1003, 5000)), point);
            QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
            QVERIFY2(point.checks.front().passed == (off == 0), point.checks.front().detail.c_str());
            QVERIFY(device.buffers.empty() && !point.metrics.contains("time"));
        }
}

void TestNorm::takesTurnsWithTheCopy()
{
    const auto experiment = makeNorm();
    ClockDevice device;
    device.seconds = 1e-4;
    device.carryOut = [&](const gpu::Launch& launch) { return carryOut(device, launch, 0); };
    Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
    const auto result = experiment->run(complete(experiment->info(), rows("vector", "rms", 1024, 1 << 20)), point);
    QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
    QCOMPARE(device.timed.size(), std::size_t{2});
    QCOMPARE(device.timed[0].size(), std::size_t{4}); // 4 MB each, twice a cache of 8 MB
    QCOMPARE(device.timed[1].size(), std::size_t{4});
    QCOMPARE(device.timed[1][3][0].launch.kernel, std::string("norm_copy"));
    QCOMPARE(point.metrics.at("share_of_copy"), 100.0);
    QCOMPARE(point.limits.at("time"), (2.0 * 2 * (1 << 20) + 2 * 1024) / 1e12);
    QVERIFY(point.provenance.at("share_of_copy") == Provenance::Measured);
}

QTEST_GUILESS_MAIN(TestNorm)
#include "tst_norm.moc"
