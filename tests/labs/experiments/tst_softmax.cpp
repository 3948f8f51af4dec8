// SPDX-License-Identifier: GPL-3.0-or-later
#include "clock_device.h"
#include "sim_point.h"

#include <bit>
#include <cmath>
#include <map>

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kRungs[] = {"passes", "online", "registers", "vector"};

ParamSet rows(const std::string& rung, std::int64_t columns, std::int64_t elements, const char* input = "uniform")
{
    return {{"rung", rung}, {"columns", columns}, {"elements", elements}, {"input", std::string(input)}};
}

void verifyChecked(const Point& point, const std::string& what)
{
    QVERIFY2(!point.checks.empty(), what.c_str());
    for (const CheckResult& check : point.checks)
        QVERIFY2(check.passed, (what + ": " + check.name + ": " + check.detail).c_str());
    QVERIFY2(point.withinLimits(), what.c_str());
}

/// Carries out the softmax of rows, or their copy, from its launch arguments; one element is larger by so many steps.
void carryOut(ClockDevice& device, const gpu::Launch& launch, std::uint32_t off)
{
    if (launch.kernel == "norm_copy") {
        std::vector<std::uint16_t> halves(std::get<std::uint64_t>(launch.args[2]));
        (void)device.copyToHost(std::as_writable_bytes(std::span(halves)), std::get<gpu::DevicePtr>(launch.args[0]));
        (void)device.copyToDevice(std::get<gpu::DevicePtr>(launch.args[1]), std::as_bytes(std::span(halves)));
        return;
    }
    const std::uint64_t count = std::get<std::uint32_t>(launch.args[2]),
                        columns = std::get<std::uint32_t>(launch.args[3]);
    std::vector<float> x(count * columns);
    (void)device.copyToHost(std::as_writable_bytes(std::span(x)), std::get<gpu::DevicePtr>(launch.args[0]));
    for (std::uint64_t row = 0; row < count; ++row) {
        const std::span<float> each(x.data() + row * columns, columns);
        const double most = static_cast<double>(*std::ranges::max_element(each));
        double sum = 0;
        for (const float v : each)
            sum += std::exp(static_cast<double>(v) - most);
        for (float& v : each)
            v = static_cast<float>(std::exp(static_cast<double>(v) - most) / sum);
    }
    x.back() = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x.back()) + off);
    (void)device.copyToDevice(std::get<gpu::DevicePtr>(launch.args[1]), std::as_bytes(std::span(x)));
}

} // namespace

/// The ladder of softmaxes: each rung against double precision and against exact results, on rows that no block divides
/// and on input that is hard on e^x, and what tells one rung from the next.
class TestSoftmax : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRungIsRight();
    void exactWhereAllAreAlike();
    void survivesUnkindInput();
    void readsAsOftenAsItSays();
    void isHeldAgainstACopy();
    void findsAWrongElement();
};

void TestSoftmax::everyRungIsRight()
{
    SimRuns runs(makeSoftmax(), "sim:h200-sxm");
    for (const char* rung : kRungs)
        for (const std::int64_t columns : {1, 3, 33, 1003, 4096, 20001, 131072})
            verifyChecked(runs.at(rows(rung, columns, columns < 5000 ? 9 * columns : 2 * columns)),
                          std::string(rung) + " " + std::to_string(columns));
}

void TestSoftmax::exactWhereAllAreAlike()
{
    SimRuns runs(makeSoftmax(), "sim:h200-sxm");
    for (const char* rung : kRungs)
        for (const char* input : {"equal", "masked"})
            for (const std::int64_t columns : {7, 1000, 17001}) {
                const auto point = runs.at(rows(rung, columns, 5 * columns, input));
                verifyChecked(point, std::string(rung) + " " + input + " " + std::to_string(columns));
                QVERIFY(point.checks.front().detail.find("bit for bit") != std::string::npos);
            }
}

void TestSoftmax::survivesUnkindInput()
{
    SimRuns runs(makeSoftmax(), "sim:t4");
    for (const char* rung : kRungs)
        for (const char* input : {"outliers", "specials"})
            for (const std::int64_t columns : {33, 2100})
                verifyChecked(runs.at(rows(rung, columns, 8 * columns, input)), std::string(rung) + " " + input);
}

void TestSoftmax::readsAsOftenAsItSays()
{
    SimRuns runs(makeSoftmax(), "sim:h200-sxm");
    const std::pair<const char*, double> bytes[] = {{"passes", 16}, {"online", 12}, {"registers", 8}, {"vector", 8}};
    for (const auto& [rung, each] : bytes) {
        const auto metrics = runs.at(rows(rung, 2048, 65536)).metrics;
        QCOMPARE(metrics.at("bytes_per_element"), each);
        QCOMPARE(metrics.at("row_reads"), each / 4 - 1);
    }
    for (const char* rung : {"registers", "vector"}) { // half of the row has no register
        const auto metrics = runs.at(rows(rung, 32768, 65536)).metrics;
        QCOMPARE(metrics.at("row_reads"), 1.5);
        QCOMPARE(metrics.at("bytes_per_element"), 4 * 1.5 + 4);
    }
}

/// Beside a copy of the same rows: both simulated, or on a GPU in turns; what the copy leaves is no result.
void TestSoftmax::isHeldAgainstACopy()
{
    SimRuns runs(makeSoftmax(), "sim:h200-sxm");
    std::map<std::string, double> shares;
    for (const char* rung : {"passes", "vector"}) {
        const Point point = runs.at(rows(rung, 4096, 1 << 16));
        verifyChecked(point, rung);
        shares[rung] = point.metrics.at("share_of_copy");
    }
    QVERIFY2(shares["passes"] > 5 && shares["passes"] < shares["vector"] && shares["vector"] < 105,
             qPrintable(QStringLiteral("%1 and %2 %").arg(shares["passes"]).arg(shares["vector"])));
    ClockDevice device;
    std::uint64_t copied = 0;
    device.carryOut = [&](const gpu::Launch& launch) {
        copied += launch.kernel == "norm_copy" ? 1 : 0;
        carryOut(device, launch, 0);
        return true;
    };
    const auto experiment = makeSoftmax();
    Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
    const auto result = experiment->run(complete(experiment->info(), rows("vector", 33, 99)), point);
    QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
    verifyChecked(point, "on a clock");
    QVERIFY(copied > 0);
    QCOMPARE(point.metrics.at("share_of_copy"), 100.0); // whose launches all take as long
    QVERIFY(point.provenance.at("share_of_copy") == Provenance::Measured);
}

void TestSoftmax::findsAWrongElement()
{
    const auto experiment = makeSoftmax();
    for (const std::uint32_t off : {0u, 400u}) {
        ClockDevice device;
        device.hasClock = false;
        device.carryOut = [&](const gpu::Launch& launch) {
            carryOut(device, launch, off);
            return true;
        };
        Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
        const auto result = experiment->run(complete(experiment->info(), rows("vector", 1003, 5015)), point);
        QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
        QVERIFY2(point.checks.front().passed == (off == 0), point.checks.front().detail.c_str());
        QVERIFY(device.buffers.empty());
    }
}

QTEST_GUILESS_MAIN(TestSoftmax)
#include "tst_softmax.moc"
