// SPDX-License-Identifier: GPL-3.0-or-later
#include "clock_device.h"
#include "sim_point.h"

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kTarget = "sim:h200-sxm";

ParamSet selection(const std::string& rung, std::int64_t elements, std::int64_t k, const char* keys = "uniform")
{
    return {{"rung", rung}, {"elements", elements}, {"k", k}, {"keys", std::string(keys)}};
}

void verifyChecked(const Point& point, const std::string& what)
{
    QVERIFY2(point.checks.size() >= 2, what.c_str());
    for (const CheckResult& check : point.checks)
        QVERIFY2(check.passed, (what + ": " + check.name + ": " + check.detail).c_str());
    QVERIFY2(point.withinLimits(), what.c_str());
}

constexpr const char* kRungs[] = {"rounds", "sorted_tiles", "radix", "filter", "threshold"};

} // namespace

/// The ladder of selections: each rung against the CPU on sizes that no block divides and on keys that are hard on one
/// of them, and what tells one rung from the next.
class TestTopK : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRungIsRight();
    void hardKeys();
    void showsWhatEachRungFrees();
    void findsWhatIsWrong_data();
    void findsWhatIsWrong();
};

void TestTopK::everyRungIsRight()
{
    SimRuns runs(makeTopK(), kTarget);
    for (const char* rung : kRungs)
        for (const auto& [elements, k] : {std::pair<int, int>{1024, 1}, {10007, 33}, {30001, 7}})
            verifyChecked(runs.at(selection(rung, elements, k)), std::string(rung) + " " + std::to_string(elements));
    for (const char* rung : kRungs)
        if (rung != std::string("rounds")) // a thousand launches
            verifyChecked(runs.at(selection(rung, 5003, 1024)), std::string(rung) + " of 1024");
}

void TestTopK::hardKeys()
{
    SimRuns runs(makeTopK(), kTarget);
    for (const char* rung : kRungs)
        for (const char* keys : {"alike", "rising", "one_value"})
            verifyChecked(runs.at(selection(rung, 9001, 20, keys)), std::string(rung) + " " + keys);
}

void TestTopK::showsWhatEachRungFrees()
{
    SimRuns runs(makeTopK(), kTarget);
    const auto at = [&](const char* rung, const char* keys = "uniform") {
        return runs.at(selection(rung, 1 << 17, 16, keys)).metrics;
    };
    auto rounds = at("rounds"), tiles = at("sorted_tiles"), radix = at("radix"), filter = at("filter"),
         threshold = at("threshold");
    QCOMPARE(rounds["launches"], 17.0);
    QCOMPARE(tiles["launches"], 2.0); // 64 tiles leave 1024 pairs
    QCOMPARE(radix["launches"], 11.0);
    QCOMPARE(filter["launches"], 12.0);
    QCOMPARE(rounds["reads_per_key"], 16.0);
    QCOMPARE(radix["reads_per_key"], 5.0);
    QVERIFY(filter["reads_per_key"] > 2.03 && filter["reads_per_key"] < 2.05); // one key in 256 is put aside
    QCOMPARE(at("filter", "alike")["reads_per_key"], 12.0);
    QVERIFY(rounds["bytes_per_key"] > 64 && rounds["bytes_per_key"] < 69);
    QVERIFY(radix["bytes_per_key"] > 20 && radix["bytes_per_key"] < 23);
    QVERIFY(filter["bytes_per_key"] > 8 && filter["bytes_per_key"] < 10);
    QVERIFY(threshold["bytes_per_key"] > 4 && threshold["bytes_per_key"] < 5);
    QVERIFY(tiles["barrier_waits"] > 3 * radix["barrier_waits"]);
    QVERIFY(at("threshold", "rising")["barrier_waits"] > threshold["barrier_waits"]);
}

void TestTopK::findsWhatIsWrong_data()
{
    QTest::addColumn<int>("fault");
    QTest::newRow("nothing") << 0;
    QTest::newRow("a key is one too large") << 1;
    QTest::newRow("an index is that of another key") << 2;
    QTest::newRow("an element is named twice") << 3;
}

void TestTopK::findsWhatIsWrong()
{
    QFETCH(const int, fault);
    const auto experiment = makeTopK();
    ClockDevice device;
    device.seconds = 1e-4;
    gpu::DevicePtr keysAt;
    device.carryOut = [&](const gpu::Launch& launch) {
        if (launch.kernel == "topk_collect")
            keysAt = std::get<gpu::DevicePtr>(launch.args.at(0));
        if (launch.kernel != "topk_order") // the last launch does it all
            return launch.kernel.starts_with("topk_");
        const auto k = std::get<std::uint32_t>(launch.args.at(1));
        std::vector<std::uint32_t> keys(1 << 20);
        (void)device.copyToHost(std::as_writable_bytes(std::span(keys)), keysAt);
        std::vector<std::uint64_t> pairs(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i)
            pairs[i] = std::uint64_t{keys[i]} << 32 | (0xFFFFFFFFu - i);
        std::ranges::sort(pairs, std::greater<>());
        pairs.resize(k);
        if (fault == 1)
            pairs[k - 1] += std::uint64_t{1} << 32;
        if (fault == 2)
            pairs[0] = (pairs[0] & ~0xFFFFFFFFull) | (pairs[1] & 0xFFFFFFFFull);
        if (fault == 3)
            pairs[1] = pairs[0]; // its key is equal only where all are
        (void)device.copyToDevice(std::get<gpu::DevicePtr>(launch.args.at(0)), std::as_bytes(std::span(pairs)));
        return true;
    };
    Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
    const auto given =
        complete(experiment->info(), selection("radix", 1 << 20, 8, fault == 3 ? "one_value" : "uniform"), "gpu");
    const auto result = experiment->run(given, point);
    QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
    const auto passed = [&](const char* name) {
        return std::ranges::find(point.checks, std::string(name), &CheckResult::name)->passed;
    };
    QCOMPARE(passed("matches_reference"), fault != 1);
    QCOMPARE(passed("indices"), fault == 0);
    QCOMPARE(device.timed[0].size(), std::size_t{4}); // 4 MB each, twice a cache of 8 MB
    QCOMPARE(device.timed[0][3].size(), std::size_t{11});
    QCOMPARE(point.limits.at("time"), (4.0 * (1 << 20) + 64) / 1e12);
    QVERIFY(device.buffers.empty());
}

QTEST_GUILESS_MAIN(TestTopK)
#include "tst_topk.moc"
