// SPDX-License-Identifier: GPL-3.0-or-later
#include "clock_device.h"
#include "sim_point.h"

#include <bit>

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kTarget = "sim:h200-sxm";

std::vector<std::string> rungsOf(const ExperimentInfo& info)
{
    std::vector<std::string> names;
    for (const ParamValue& value : info.parameter("rung")->choices)
        names.push_back(std::get<std::string>(value));
    return names;
}

ParamSet with(const std::string& rung, ParamSet others)
{
    others["rung"] = rung;
    return others;
}

/// Every check of the point passed, and there was one.
void verifyChecked(const Point& point, const std::string& what)
{
    QVERIFY2(!point.checks.empty(), what.c_str());
    for (const CheckResult& check : point.checks)
        QVERIFY2(check.passed, (what + ": " + check.detail).c_str());
    QVERIFY2(point.withinLimits(), what.c_str());
}

template<class T>
std::vector<T> read(gpu::Device& device, const gpu::KernelArg& arg, std::uint64_t count)
{
    std::vector<T> values(count);
    (void)device.copyToHost(std::as_writable_bytes(std::span(values)), std::get<gpu::DevicePtr>(arg));
    return values;
}

template<class T>
void write(gpu::Device& device, const gpu::KernelArg& arg, const std::vector<T>& values)
{
    (void)device.copyToDevice(std::get<gpu::DevicePtr>(arg), std::as_bytes(std::span(values)));
}

Result<void> runOn(const Experiment& experiment, const ParamSet& given, Point& point)
{
    return experiment.run(complete(experiment.info(), given), point);
}

} // namespace

/// The ladders of memory-bound kernels: each rung against the CPU, on sizes that no block divides, and what tells one
/// rung from the next.
class TestMemoryLadders : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The launches are too small for a second thread of the host to help.
    void initTestCase() { qputenv("RIDGE_SIM_THREADS", "1"); }
    void everyReductionIsRight();
    void reductionSurvivesUnkindInput();
    void reductionShowsWhatEachRungFrees();
    void reductionRefusesByName();
    void reductionFindsAWrongSum();
    void reductionTimesAllLaunches();
    void everyTransposeIsRight();
    void transposeShowsWhatEachRungFrees();
    void transposeFindsAWrongElement();
    void transposeTakesTurnsWithTheCopy();
    void everyScanIsRight();
    void scanShowsWhatEachRungFrees();
    void scanFindsAWrongSum();
    void everyHistogramIsRight();
    void histogramKnowsItsContention();
    void histogramFindsAWrongCount();
};

// ---- reduction ------------------------------------------------------------------------------------------------------

void TestMemoryLadders::everyReductionIsRight()
{
    SimRuns runs(makeReduction(), kTarget);
    for (const std::string& rung : rungsOf(runs.info()))
        for (const std::int64_t elements : {1025, 70001})
            for (const char* type : {"int32", "float32"}) {
                if (rung == "redux" && type == std::string("float32"))
                    continue;
                const auto point = runs.at(with(rung, {{"elements", elements}, {"type", std::string(type)}}));
                verifyChecked(point, rung + " " + type + " " + std::to_string(elements));
                QCOMPARE(point.metrics.at("bandwidth"),
                         static_cast<double>(elements) * 4 / point.metrics.at("time") / 1e9);
                QCOMPARE(point.limits.at("time"), static_cast<double>(elements) * 4 / 4.8e12);
            }
}

void TestMemoryLadders::reductionSurvivesUnkindInput()
{
    SimRuns runs(makeReduction(), kTarget);
    for (const std::string& rung : rungsOf(runs.info()))
        for (const char* input : {"integers", "equal", "huge_small"}) {
            const std::string type = rung == "redux" ? "int32" : "float32";
            const auto point =
                runs.at(with(rung, {{"elements", std::int64_t{33333}}, {"type", type}, {"input", std::string(input)}}));
            verifyChecked(point, rung + " " + input);
        }
}

void TestMemoryLadders::reductionShowsWhatEachRungFrees()
{
    SimRuns runs(makeReduction(), kTarget);
    const auto at = [&](const char* rung) {
        return runs.at(with(rung, {{"elements", std::int64_t{1 << 17}}})).metrics;
    };
    auto divergent = at("tree_divergent"), sequential = at("sequential"), firstAdd = at("first_add");
    auto shuffle = at("shuffle"), vectors = at("vector_loads"), lastBlock = at("last_block");
    // 512 blocks, two of them in the second launch: 256 threads go through the barriers of 8 steps and one before them.
    QCOMPARE(divergent["barrier_waits"], (512 + 2 + 1) * 8.0 * 9);
    // A warp's store before the tree, a load behind it, and two loads and a store in each step for each warp that has a
    // lane to work: 8 warps in five steps, then 4, 2 and 1; packed, 4, 2 and then 1 in the other six.
    QCOMPARE(divergent["shared_requests"], (512 + 2 + 1) * (8 + 3.0 * (5 * 8 + 4 + 2 + 1) + 1));
    QCOMPARE(sequential["shared_requests"], (512 + 2 + 1) * (8 + 3.0 * (4 + 2 + 6) + 1));
    QVERIFY(sequential["instructions"] < divergent["instructions"]);
    QVERIFY(firstAdd["instructions"] < 0.6 * sequential["instructions"]);
    QVERIFY(shuffle["barrier_waits"] < 0.2 * firstAdd["barrier_waits"]);
    QVERIFY(vectors["instructions"] < shuffle["instructions"]);
    QCOMPARE(divergent["launches"], 3.0);
    QCOMPARE(vectors["launches"], 2.0);
    QCOMPARE(lastBlock["launches"], 1.0);
    // The H200 holds 2048 threads on an SM; four blocks of 256 with 64 bytes each are enough for rung 7.
    const auto big = [&](const char* rung) {
        return runs.at(with(rung, {{"elements", std::int64_t{1 << 20}}})).metrics.at("bytes_in_flight");
    };
    QCOMPARE(big("vector_loads"), 32.0 * 1024);
    QCOMPARE(big("unrolled"), 64.0 * 1024);
}

void TestMemoryLadders::reductionRefusesByName()
{
    const auto experiment = makeReduction();
    ClockDevice device;
    Point floats(device, experiment->info(), gpu::CompilerChoice::Shipped);
    auto refused = runOn(*experiment, {{"rung", std::string("redux")}, {"type", std::string("float32")}}, floats);
    QVERIFY(!refused && refused.error().code == "bad-value");
    device.about.computeMajor = 7;
    Point old(device, experiment->info(), gpu::CompilerChoice::Shipped);
    refused = runOn(*experiment, {{"rung", std::string("redux")}}, old);
    QVERIFY(!refused && refused.error().code == "needs-newer-chip" && !refused.error().fix.empty());
    // The worker compiles nothing then, or the compiler's complaint would come first.
    const auto params = complete(experiment->info(), {{"rung", std::string("redux")}});
    QVERIFY(experiment->kernels(params, device.about).empty());
    device.about.computeMajor = 8;
    QCOMPARE(experiment->kernels(params, device.about).size(), std::size_t{1});
    QVERIFY(device.buffers.empty());
}

namespace {

/// Carries out a sum from its launch arguments; with an error of `off`.
bool addUp(ClockDevice& device, const gpu::Launch& launch, std::uint32_t off)
{
    if (launch.kernel == "clear_sum")
        write(device, launch.args[0], std::vector<std::uint32_t>{0});
    if (launch.kernel == "clear_sum" || !launch.kernel.starts_with("reduce_"))
        return launch.kernel == "clear_sum";
    const auto n = std::get<std::uint64_t>(launch.args.at(2));
    const bool onePass = launch.kernel.starts_with("reduce_last_block") || launch.kernel.starts_with("reduce_atomic");
    const std::size_t blocks = onePass ? 1 : launch.grid.x;
    if (launch.kernel.ends_with("i32")) {
        const auto in = read<std::uint32_t>(device, launch.args[0], n);
        std::vector<std::uint32_t> out(blocks);
        out[0] = std::accumulate(in.begin(), in.end(), 0u) + off;
        write(device, launch.args[1], out);
    } else {
        const auto in = read<float>(device, launch.args[0], n);
        std::vector<float> out(blocks);
        out[0] = static_cast<float>(std::accumulate(in.begin(), in.end(), 0.0) + off);
        write(device, launch.args[1], out);
    }
    return true;
}

} // namespace

void TestMemoryLadders::reductionFindsAWrongSum()
{
    const auto experiment = makeReduction();
    for (const char* rung : {"atomic", "tree_divergent", "unrolled", "last_block"})
        for (const char* type : {"int32", "float32"})
            for (const std::uint32_t off : {0u, 1u}) {
                ClockDevice device;
                device.hasClock = false;
                device.carryOut = [&](const gpu::Launch& launch) { return addUp(device, launch, off); };
                Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
                // Small integers are exact in floats, too: one too many shows.
                const auto result = runOn(*experiment,
                                          with(rung, {{"elements", std::int64_t{1 << 12}},
                                                      {"type", std::string(type)},
                                                      {"input", std::string("integers")}}),
                                          point);
                QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
                QVERIFY2(point.checks.front().passed == (off == 0), rung);
                QVERIFY(device.buffers.empty() && !point.metrics.contains("time"));
            }
}

void TestMemoryLadders::reductionTimesAllLaunches()
{
    const auto experiment = makeReduction();
    ClockDevice device;
    device.seconds = 1e-5;
    device.carryOut = [&](const gpu::Launch& launch) { return addUp(device, launch, 0); };
    Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
    const auto result = runOn(*experiment, with("atomic", {{"elements", std::int64_t{1 << 20}}}), point);
    QVERIFY(result.ok());
    QCOMPARE(point.metrics.at("bandwidth"), 4.0 * (1 << 20) / 1e-5 / 1e9);
    QCOMPARE(point.metrics.at("share_of_limit"), 100 * 4.0 * (1 << 20) / 1e12 / 1e-5);
    QVERIFY(point.provenance.at("bandwidth") == Provenance::Measured);
    // Clearing the word is part of what is timed, and four sets of 4 MB are twice the cache of 8 MB.
    QCOMPARE(device.timed.size(), std::size_t{1});
    QCOMPARE(device.timed[0].size(), std::size_t{4});
    QCOMPARE(device.timed[0][0].size(), std::size_t{2});
    QCOMPARE(device.timed[0][0][0].launch.kernel, std::string("clear_sum"));
    QVERIFY(point.verdict == "valid" && device.buffers.empty());
}

// ---- transpose ------------------------------------------------------------------------------------------------------

namespace {

ParamSet matrix(std::int64_t width, std::int64_t height, std::int64_t bytes = 4)
{
    return {{"width", width}, {"height", height}, {"element_bytes", bytes}};
}

} // namespace

void TestMemoryLadders::everyTransposeIsRight()
{
    SimRuns runs(makeTranspose(), kTarget);
    for (const std::string& rung : rungsOf(runs.info()))
        for (const std::int64_t bytes : {1, 2, 4, 8})
            for (const auto& [width, height] : {std::pair<int, int>{160, 128}, {67, 133}}) {
                if (width == 160 && rung != "vector" && rung != "copy")
                    continue; // whole tiles: for these a part of the ragged ones
                const auto point = runs.at(with(rung, matrix(width, height, bytes)));
                verifyChecked(point, rung + " " + std::to_string(width) + " x " + std::to_string(bytes));
            }
}

void TestMemoryLadders::transposeShowsWhatEachRungFrees()
{
    SimRuns runs(makeTranspose(), kTarget);
    const auto at = [&](const char* rung, std::int64_t bytes = 4) {
        return runs.at(with(rung, matrix(256, 256, bytes))).metrics;
    };
    // Sectors of a warp's request: 4 in order, 32 across rows; 16 for vectors.
    const std::tuple<const char*, double, double> sectors[] = {
        {"naive_read", 4, 32}, {"naive_write", 32, 4}, {"tile", 4, 4},     {"padded", 4, 4},
        {"swizzle", 4, 4},     {"diagonal", 4, 4},     {"vector", 16, 16}, {"copy", 16, 16}};
    for (const auto& [rung, loads, stores] : sectors) {
        auto metrics = at(rung);
        QCOMPARE(metrics["load_sectors_per_request"], loads);
        QCOMPARE(metrics["store_sectors_per_request"], stores);
    }
    // Of 2048 warp-wide column reads each takes 32 passes instead of one; rows of 33, or swizzled, take one.
    QCOMPARE(at("tile")["bank_conflicts"], 2048.0 * 31);
    for (const char* rung : {"padded", "swizzle", "diagonal"})
        QCOMPARE(at(rung)["bank_conflicts"], 0.0);
    for (const std::int64_t bytes : {1, 2, 4, 8})
        QCOMPARE(at("vector", bytes)["bank_conflicts"], 0.0);
    QCOMPARE(at("copy")["share_of_copy"], 100.0);
    QVERIFY(at("padded")["time"] < at("tile")["time"]);
}

namespace {

/// Carries out a copy or a transpose of 4-byte elements from its launch arguments; `wrong` elements stay untouched.
bool move(ClockDevice& device, const gpu::Launch& launch, std::uint64_t wrong)
{
    if (!launch.kernel.starts_with("transpose_"))
        return false;
    const std::uint64_t width = std::get<std::uint32_t>(launch.args.at(2)),
                        height = std::get<std::uint32_t>(launch.args.at(3));
    const auto in = read<std::uint32_t>(device, launch.args[0], width * height);
    auto out = read<std::uint32_t>(device, launch.args[1], width * height);
    const bool copies = launch.kernel.starts_with("transpose_copy");
    for (std::uint64_t i = 0; i < width * height - wrong; ++i)
        out[i] = in[copies ? i : i % height * width + i / height];
    write(device, launch.args[1], out);
    return true;
}

} // namespace

void TestMemoryLadders::transposeFindsAWrongElement()
{
    const auto experiment = makeTranspose();
    for (const char* rung : {"copy", "naive_read", "vector"})
        for (const std::uint64_t wrong : {0, 1}) {
            ClockDevice device;
            device.hasClock = false;
            device.carryOut = [&](const gpu::Launch& launch) { return move(device, launch, wrong); };
            Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
            const auto result = runOn(*experiment, with(rung, matrix(37, 40)), point);
            QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
            // The copy that ran before has left its own elements there, the poison after it must have wiped them out.
            QVERIFY2(point.checks.front().passed == (wrong == 0), rung);
            QVERIFY(device.buffers.empty() && !point.metrics.contains("time"));
        }
}

void TestMemoryLadders::transposeTakesTurnsWithTheCopy()
{
    const auto experiment = makeTranspose();
    ClockDevice device;
    device.seconds = 1e-4;
    device.carryOut = [&](const gpu::Launch& launch) { return move(device, launch, 0); };
    Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
    const auto result = runOn(*experiment, with("vector", matrix(1024, 512)), point);
    QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
    QCOMPARE(device.timed.size(), std::size_t{2});
    QCOMPARE(device.timed[0].size(), std::size_t{4}); // 4 MB each, twice a cache of 8 MB
    QCOMPARE(device.timed[1].size(), std::size_t{4});
    QCOMPARE(device.timed[1][3][0].launch.kernel, std::string("transpose_copy_4"));
    QCOMPARE(point.metrics.at("share_of_copy"), 100.0);
    // A measured time is held against all bytes: in the long run every written byte crosses the pins.
    QCOMPARE(point.limits.at("time"), 2.0 * 1024 * 512 * 4 / 1e12);
    QCOMPARE(point.metrics.at("bandwidth"), 2.0 * 1024 * 512 * 4 / 1e-4 / 1e9);
    QVERIFY(point.provenance.at("share_of_copy") == Provenance::Measured);
}

// ---- scan -----------------------------------------------------------------------------------------------------------

void TestMemoryLadders::everyScanIsRight()
{
    SimRuns runs(makeScan(), kTarget);
    for (const std::string& rung : rungsOf(runs.info()))
        for (const std::int64_t elements : {1027, 66001}) // 66001: three levels of tiles of 256
            for (const char* kind : {"inclusive", "exclusive"}) {
                const auto point = runs.at(with(rung, {{"elements", elements}, {"kind", std::string(kind)}}));
                verifyChecked(point, rung + " " + kind + " " + std::to_string(elements));
            }
}

void TestMemoryLadders::scanShowsWhatEachRungFrees()
{
    SimRuns runs(makeScan(), kTarget);
    const auto at = [&](const char* rung) {
        return runs.at(with(rung, {{"elements", std::int64_t{1 << 18}}})).metrics;
    };
    auto hillis = at("hillis_steele"), efficient = at("work_efficient"), shuffle = at("shuffle");
    auto reduceFirst = at("reduce_then_scan"), lookBack = at("look_back");
    // Elements of all levels, and sums of tiles: 2^18 elements are 1024 tiles, of which the sums are 4 tiles, then 1.
    // Each element that has offsets: 16 bytes, and the offset; a level of one tile: 8 bytes; each tile: its sum.
    const double three = 262144 * 16 + 262144 * 4.0 + 1024 * 4 + 1024 * 20 + 4 * 4 + 4 * 8 + 4;
    QCOMPARE(hillis["bytes_per_element"], three / 262144);
    QVERIFY(reduceFirst["bytes_per_element"] > 12 && reduceFirst["bytes_per_element"] < 12.5);
    QVERIFY(lookBack["bytes_per_element"] > 8 && lookBack["bytes_per_element"] < 8.5);
    QVERIFY(efficient["bank_conflicts"] > 0 && efficient["barrier_waits"] > hillis["barrier_waits"]);
    QCOMPARE(hillis["bank_conflicts"], 0.0);
    QVERIFY(shuffle["instructions"] < 0.5 * hillis["instructions"]);
    QCOMPARE(hillis["launches"], 5.0);
    QCOMPARE(reduceFirst["launches"], 3.0);
    QCOMPARE(lookBack["launches"], 2.0);
}

void TestMemoryLadders::scanFindsAWrongSum()
{
    const auto experiment = makeScan();
    for (const std::uint32_t off : {0u, 1u}) {
        ClockDevice device;
        device.seconds = 1e-4;
        device.carryOut = [&](const gpu::Launch& launch) {
            if (launch.kernel == "scan_clear_states")
                return true;
            if (launch.kernel != "scan_look_back")
                return false;
            const auto n = std::get<std::uint64_t>(launch.args.at(4));
            auto sums = read<std::uint32_t>(device, launch.args[0], n);
            std::partial_sum(sums.begin(), sums.end(), sums.begin());
            sums.back() += off;
            write(device, launch.args[1], sums);
            return true;
        };
        Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
        const auto result = runOn(*experiment, with("look_back", {{"elements", std::int64_t{1 << 20}}}), point);
        QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
        QCOMPARE(point.checks.front().passed, off == 0);
        QCOMPARE(device.timed[0].size(), std::size_t{2});
        QCOMPARE(device.timed[0][1][0].launch.kernel, std::string("scan_clear_states"));
        QCOMPARE(point.metrics.at("bandwidth"), 8.0 * (1 << 20) / 1e-4 / 1e9);
        QCOMPARE(point.limits.at("time"), 8.0 * (1 << 20) / 1e12);
        QVERIFY(device.buffers.empty());
    }
}

// ---- histogram ------------------------------------------------------------------------------------------------------

void TestMemoryLadders::everyHistogramIsRight()
{
    SimRuns runs(makeHistogram(), kTarget);
    for (const std::string& rung : rungsOf(runs.info()))
        for (const std::int64_t bins : {16, 1000, 9001}) // 9001: two windows of shared memory, nine of a warp
            for (const char* skew : {"uniform", "zipf", "one_value"}) {
                const auto point = runs.at(
                    with(rung, {{"elements", std::int64_t{10007}}, {"bins", bins}, {"skew", std::string(skew)}}));
                verifyChecked(point, rung + " " + skew + " " + std::to_string(bins));
                const double windows = rung == "global_atomics" || bins == 16 ? 1
                                       : rung == "shared"                     ? bins / 8192 + 1
                                                                              : bins / 1024 + 1;
                QCOMPARE(point.metrics.at("reads_per_key"), static_cast<double>(static_cast<int>(windows)));
            }
}

void TestMemoryLadders::histogramKnowsItsContention()
{
    SimRuns runs(makeHistogram(), kTarget);
    const auto at = [&](std::int64_t bins, const char* skew) {
        return runs
            .at(with("shared", {{"elements", std::int64_t{1 << 15}}, {"bins", bins}, {"skew", std::string(skew)}}))
            .metrics;
    };
    QCOMPARE(at(256, "one_value")["contention"], 32.0);
    QCOMPARE(at(256, "one_value")["hottest_bin"], 100.0);
    // Of zipf over b bins the first holds 1 / H(b) of all keys: 16.3 % of 256.
    const double first = at(256, "zipf")["hottest_bin"];
    QVERIFY2(first > 15.5 && first < 17.1, QByteArray::number(first).constData());
    // 32 balls in 65536 bins hardly ever meet; in 16 bins two are always together.
    QVERIFY(at(65536, "uniform")["contention"] < 1.02);
    QVERIFY(at(16, "uniform")["contention"] > 4 && at(16, "uniform")["contention"] < 6);
    QVERIFY(at(256, "zipf")["contention"] > at(256, "uniform")["contention"]);
}

void TestMemoryLadders::histogramFindsAWrongCount()
{
    const auto experiment = makeHistogram();
    for (const char* rung : {"global_atomics", "per_warp"})
        for (const std::uint32_t off : {0u, 1u}) {
            ClockDevice device;
            device.seconds = 1e-4;
            device.carryOut = [&](const gpu::Launch& launch) {
                if (launch.kernel == "histogram_clear") {
                    write(device, launch.args[0],
                          std::vector<std::uint32_t>(std::get<std::uint32_t>(launch.args.at(1))));
                    return true;
                }
                auto bins = read<std::uint32_t>(device, launch.args[1], 300);
                for (const auto key :
                     read<std::uint32_t>(device, launch.args[0], std::get<std::uint64_t>(launch.args.at(2))))
                    ++bins.at(key);
                bins[299] += off;
                write(device, launch.args[1], bins);
                return true;
            };
            Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
            const auto result = runOn(
                *experiment, with(rung, {{"elements", std::int64_t{1 << 20}}, {"bins", std::int64_t{300}}}), point);
            QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
            QVERIFY(point.checks.front().passed == (off == 0));
            QCOMPARE(device.timed[0][3].size(), std::size_t{2}); // clearing is timed, too
            QCOMPARE(point.metrics.at("update_rate"), (1 << 20) / 1e-4);
            QCOMPARE(point.limits.at("time"), 4.0 * (1 << 20) / 1e12);
            QVERIFY(device.buffers.empty());
        }
}

QTEST_GUILESS_MAIN(TestMemoryLadders)
#include "tst_memory_ladders.moc"
