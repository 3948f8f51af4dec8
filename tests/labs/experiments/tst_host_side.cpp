// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/schedule_trace.h"
#include "fake_runs.h"
#include "gpu/host_model.h"
#include "gpu/targets/target_list.h"
#include "sim_point.h"

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kGen5 = "sim:h100-sxm";
constexpr const char* kGen4 = "sim:a100-sxm-80";

ParamSet transfer(std::int64_t bytes, const char* memory = "pinned", const char* direction = "h2d")
{
    return {{"bytes", bytes}, {"memory", std::string(memory)}, {"direction", std::string(direction)}};
}

ParamSet launches(std::int64_t count, const char* by = "stream", std::int64_t bytes = 8)
{
    return {{"launches", count}, {"by", std::string(by)}, {"argument_bytes", bytes}};
}

ParamSet chunked(std::int64_t chunks, std::int64_t streams, const char* memory = "pinned",
                 std::int64_t elements = 1 << 18, std::int64_t rounds = 64)
{
    return {{"chunks", chunks},
            {"streams", streams},
            {"memory", std::string(memory)},
            {"elements", elements},
            {"rounds", rounds}};
}

void allPass(const Point& point)
{
    QVERIFY(!point.checks.empty());
    for (const CheckResult& check : point.checks)
        QVERIFY2(check.passed, (check.name + ": " + check.detail).c_str());
    QVERIFY(point.withinLimits());
}

bool near(double a, double b, double tolerance)
{
    return std::abs(a - b) <= tolerance * std::abs(b);
}

} // namespace

/// What the host side costs: against the closed forms of the model, the published numbers behind it, and the code of a
/// GPU on a fake driver.
class TestHostSide : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // Threads that wait for each other every 64 cycles of a launch are no help on a machine that is busy with other
    // tests.
    void initTestCase() { qputenv("RIDGE_SIM_THREADS", "1"); }
    void transfersArriveWhole();
    void transfersAreALine();
    void transfersReachWhatIsPublished();
    void pageableTransfersAreStaged();
    void everyLaunchIsCounted();
    void launchesAreALine();
    void pipelinesComputeTheSame();
    void pipelinesOverlapWherePinned();
    void theScheduleIsDrawn();
    void everySimulatedChipRunsThem();
    void onAGpu();
    void onAGpuWrongResultsShow();
};

void TestHostSide::transfersArriveWhole()
{
    SimRuns runs(makeTransfers(), kGen5);
    for (const char* memory : {"pageable", "pinned", "write-combined", "managed"})
        for (const char* direction : {"h2d", "d2h", "both"})
            for (const std::int64_t bytes : {4, 5, 7, 4099, (1 << 20) + 1, (2 << 20) - 2}) {
                const Point point = runs.at(transfer(bytes, memory, direction));
                allPass(point);
                QVERIFY(point.provenance.at("time") == Provenance::Modelled);
                QVERIFY(point.provenance.at("bandwidth") == Provenance::Modelled);
                const int ways = std::string_view(direction) == "both" ? 2 : 1;
                QCOMPARE(point.metrics.at("bytes_moved"), static_cast<double>(bytes * ways));
            }
}

void TestHostSide::transfersAreALine()
{
    SimRuns runs(makeTransfers(), kGen5);
    const double rate = 52e9, latency = gpu::kCopySeconds.value;
    for (std::int64_t bytes = 4; bytes <= 4 << 20; bytes *= 16) {
        const double time = runs.at(transfer(bytes)).metrics.at("time");
        QVERIFY(near(time, latency + static_cast<double>(bytes) / rate, 1e-9));
    }
    // Half of the bandwidth at latency × rate.
    const auto half = static_cast<std::int64_t>(latency * rate);
    QVERIFY(near(runs.at(transfer(half)).metrics.at("bandwidth"), 26, 1e-4));
}

void TestHostSide::transfersReachWhatIsPublished()
{
    SimRuns gen5(makeTransfers(), kGen5), gen4(makeTransfers(), kGen4);
    const std::int64_t large = 16 << 20; // latency is 2 to 3 % of it
    QVERIFY(near(gen5.at(transfer(large)).metrics.at("bandwidth"), 52, 0.03));
    QVERIFY(near(gen4.at(transfer(large)).metrics.at("bandwidth"), 26, 0.02));
    const Point both = gen4.at(transfer(large, "pinned", "both"));
    QVERIFY(near(both.metrics.at("bandwidth"), 18.5, 0.02));
    QVERIFY(near(both.metrics.at("bandwidth_sum"), 37, 0.03));
    QCOMPARE(both.limits.at("bandwidth"), 31.5);
}

void TestHostSide::pageableTransfersAreStaged()
{
    SimRuns runs(makeTransfers(), kGen5);
    const std::int64_t large = 8 << 20;
    const Point pageable = runs.at(transfer(large, "pageable")), pinned = runs.at(transfer(large));
    const double staged = 1 / (1 / gpu::kStagingRate.value + 1 / 52e9);
    QVERIFY(near(pageable.metrics.at("bandwidth") * 1e9, staged, 0.02));
    QVERIFY(pageable.metrics.at("call_time") >= pageable.metrics.at("time"));
    QVERIFY(pinned.metrics.at("call_time") < pinned.metrics.at("time") / 50);
    // The parameter that stands for a number that nobody has published.
    ParamSet slow = transfer(large, "managed");
    slow["managed_rate"] = std::int64_t{50};
    QVERIFY(near(runs.at(slow).metrics.at("bandwidth"), 26, 0.03));
}

void TestHostSide::everyLaunchIsCounted()
{
    SimRuns runs(makeLaunch(), kGen5);
    for (const char* by : {"stream", "graph"})
        for (const std::int64_t bytes : {0, 8, 64, 256, 1024, 4096})
            for (const std::int64_t count : {1, 7}) {
                const Point point = runs.at(launches(count, by, bytes));
                allPass(point);
                QVERIFY(point.checks[0].detail.find(std::to_string(count) + " launches of") != std::string::npos);
                QVERIFY(point.provenance.at("time_per_launch") == Provenance::Modelled);
            }
}

void TestHostSide::launchesAreALine()
{
    SimRuns runs(makeLaunch(), kGen5);
    const auto at = [&](std::int64_t count, const char* by) { return runs.at(launches(count, by)).metrics; };
    for (const char* by : {"stream", "graph"}) {
        const double first = at(10, by).at("time"), second = at(20, by).at("time"), third = at(40, by).at("time");
        QVERIFY(near(third - second, 2 * (second - first), 1e-6));
    }
    auto stream = at(2000, "stream"), graph = at(2000, "graph");
    QVERIFY(near(stream.at("time_per_launch"), gpu::kCallSeconds.value, 0.01)); // the CPU sets the pace
    QVERIFY(stream.at("device_time_per_launch") < stream.at("time_per_launch"));
    QVERIFY(graph.at("device_time_per_launch") < stream.at("device_time_per_launch"));
    QVERIFY(near(graph.at("call_time_per_launch") * 2000, 2.5e-6 + 2000 * 1e-9, 1e-9));
}

void TestHostSide::pipelinesComputeTheSame()
{
    SimRuns runs(makeStreams(), kGen5);
    for (const char* memory : {"pinned", "pageable"})
        for (const auto& [chunks, streams] : {std::pair{1, 1}, {3, 2}, {7, 8}, {64, 3}})
            for (const std::int64_t elements : {4096, 10007}) {
                const Point point = runs.at(chunked(chunks, streams, memory, elements, 5));
                allPass(point);
                QVERIFY(point.checks[0].detail.find(std::to_string(2 * elements) + " elements") != std::string::npos);
            }
}

void TestHostSide::pipelinesOverlapWherePinned()
{
    SimRuns runs(makeStreams(), kGen5);
    const std::int64_t k = 1 << 20; // copies alone: they overlap as far as the link carries both directions
    const Point one = runs.at(chunked(1, 1, "pinned", k, 1)), piped = runs.at(chunked(4, 4, "pinned", k, 1)),
                queued = runs.at(chunked(4, 1, "pinned", k, 1)), pageable = runs.at(chunked(4, 4, "pageable", k, 1));
    for (const Point* point : {&one, &piped, &queued, &pageable})
        allPass(*point);
    QVERIFY(near(one.metrics.at("gain"), 1, 1e-9));
    QVERIFY2(piped.metrics.at("gain") > 1.05, qPrintable(QString::number(piped.metrics.at("gain"))));
    QVERIFY(queued.metrics.at("gain") <= 1);
    QVERIFY(pageable.metrics.at("gain") <= 1);
    QVERIFY(piped.metrics.at("overlap") > 10 && pageable.metrics.at("overlap") <= 0);
    QCOMPARE(piped.limits.at("time"), piped.metrics.at("longest_stage"));
}

void TestHostSide::theScheduleIsDrawn()
{
    SimRuns runs(makeStreams(), kGen5);
    const Point point = runs.at(chunked(6, 3, "pinned", 1 << 16));
    QVERIFY(point.scheduled.has_value());
    const ScheduleTrace& trace = *point.scheduled;
    QCOMPARE(trace.operations.size(), std::size_t{18});
    QCOMPARE(trace.provenance, std::string("MODELLED"));
    QVERIFY(*decodeScheduleTrace(encodeScheduleTrace(trace)) == trace);
    double last = 0;
    std::map<std::uint32_t, double> streamEnd;
    std::map<std::string, std::vector<std::pair<double, double>>> engines;
    for (const TracedOperation& operation : trace.operations) {
        QVERIFY(operation.begin >= streamEnd[operation.stream]); // a stream does one thing after the other
        streamEnd[operation.stream] = operation.end;
        engines[operation.lane].emplace_back(operation.begin, operation.end);
        last = std::max(last, operation.end);
    }
    QCOMPARE(last, point.metrics.at("time"));
    QCOMPARE(engines.size(), std::size_t{3});
    for (const char* lane : {"copy in", "copy out"}) { // and so does a copy engine
        auto& spans = engines.at(lane);
        std::sort(spans.begin(), spans.end());
        for (std::size_t i = 1; i < spans.size(); ++i)
            QVERIFY(spans[i].first >= spans[i - 1].second);
    }
    QCOMPARE(trace.operations[0].label, std::string("in 0"));
    QCOMPARE(trace.operations[1].lane, std::string("kernel"));
}

void TestHostSide::everySimulatedChipRunsThem()
{
    for (const auto& target : gpu::listTargets()) {
        if (target.provenance != Provenance::Simulated)
            continue;
        allPass(SimRuns(makeTransfers(), target.id.c_str()).at(transfer(1000, "pageable", "both")));
        allPass(SimRuns(makeLaunch(), target.id.c_str(), gpu::CompilerChoice::Shipped).at(launches(3, "graph", 64)));
        allPass(SimRuns(makeStreams(), target.id.c_str(), gpu::CompilerChoice::Shipped)
                    .at(chunked(2, 2, "pinned", 4096, 2)));
    }
}

void TestHostSide::onAGpu()
{
    FakeRuns transfers(makeTransfers(), "copy_gbs=10,copy_us=5");
    for (const char* memory : {"pageable", "pinned", "write-combined", "managed"})
        for (const char* direction : {"h2d", "d2h", "both"}) {
            const Point point = transfers.at(transfer(1'000'003, memory, direction));
            allPass(point);
            QVERIFY(point.provenance.at("time") == Provenance::Measured);
            QVERIFY2(point.metrics.at("bandwidth") <= 10, memory);
            QVERIFY(point.limits.contains("bandwidth"));
        }
    FakeRuns launch(makeLaunch(), "kernel_us=2,enqueue_us=10");
    const Point stream = launch.at(launches(300)), graph = launch.at(launches(300, "graph", 4096));
    allPass(stream);
    allPass(graph);
    QVERIFY(stream.provenance.at("time") == Provenance::Measured);
    QVERIFY(stream.metrics.at("time_per_launch") >= 9e-6);
    QVERIFY(stream.metrics.at("device_time_per_launch") < 6e-6);
    QVERIFY(graph.metrics.at("time_per_launch") < 6e-6);
    const Point ungated = FakeRuns(makeLaunch(), "kernel_us=2,nogate=1").at(launches(20));
    allPass(ungated);
    QVERIFY(ungated.metrics.contains("time_per_launch") && !ungated.metrics.contains("device_time_per_launch"));
    FakeRuns pipeline(makeStreams(), "kernel_us=1000,copy_us=1000");
    const Point piped = pipeline.at(chunked(8, 4, "pinned", 10007, 9));
    QVERIFY(piped.checks.at(0).passed && piped.checks.at(1).passed);
    QVERIFY(piped.provenance.at("time") == Provenance::Measured);
    QVERIFY(piped.metrics.at("time") >= 9.9e-3 && piped.metrics.at("time") < 20e-3); // 24 stages of 1 ms
    QCOMPARE(piped.scheduled->provenance, std::string("MEASURED"));
}

void TestHostSide::onAGpuWrongResultsShow()
{
    FakeRuns launch(makeLaunch(), "kernel_us=1,wrong=1");
    QVERIFY(!launch.at(launches(10)).checks.at(0).passed);
    FakeRuns pipeline(makeStreams(), "kernel_us=1,wrong=1");
    const Point point = pipeline.at(chunked(4, 2, "pinned", 5000, 3));
    QVERIFY(!point.checks.at(0).passed);
    QVERIFY2(point.checks[0].detail.find("differ, first at element") != std::string::npos,
             point.checks[0].detail.c_str());
}

QTEST_GUILESS_MAIN(TestHostSide)
#include "tst_host_side.moc"
