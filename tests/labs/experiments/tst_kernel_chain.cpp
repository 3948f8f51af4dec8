// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/lane_trace.h"
#include "fake_runs.h"
#include "gpu/host_model.h"
#include "sim_point.h"

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kChip = "sim:h100-sxm";

ParamSet chain(const char* by, std::int64_t operations, std::int64_t elements = 4096, std::int64_t dispatch = 0)
{
    return {{"by", std::string(by)}, {"operations", operations}, {"elements", elements}, {"dispatch", dispatch}};
}

void allPass(const Point& point)
{
    QVERIFY(!point.checks.empty());
    for (const CheckResult& check : point.checks)
        QVERIFY2(check.passed, (check.name + ": " + check.detail).c_str());
    QVERIFY(point.withinLimits());
}

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::abs(b);
}

} // namespace

/// Chains of tiny kernels: bits, the closed forms of the host model, and the code of a GPU on a fake driver.
class TestKernelChain : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void allWaysGiveTheSameBits();
    void stepsFollowTheHostModel();
    void aGraphSavesCallsAndFusionBytes();
    void longKernelsHideTheCalls();
    void dispatchIsPaidForEachCall();
    void lanesShowCallsAndKernels();
    void onAGpu();
};

void TestKernelChain::allWaysGiveTheSameBits()
{
    SimRuns runs(makeKernelChain(), kChip);
    for (const char* by : {"stream", "graph", "fused"})
        for (const std::int64_t operations : {1, 2, 7})
            for (const std::int64_t elements : {32, 33, 1023, 1026, 5003}) {
                const Point point = runs.at(chain(by, operations, elements));
                allPass(point);
                QCOMPARE(point.checks.at(0).name, std::string("matches_reference"));
                QCOMPARE(point.metrics.at("flop"), 2.0 * static_cast<double>(elements * operations));
            }
}

void TestKernelChain::stepsFollowTheHostModel()
{
    SimRuns runs(makeKernelChain(), kChip);
    const gpu::HostModel host;
    for (const std::int64_t n : {1, 10, 300}) {
        const auto count = static_cast<double>(n);
        const Point stream = runs.at(chain("stream", n)), graph = runs.at(chain("graph", n)),
                    fused = runs.at(chain("fused", n));
        // Of each its own: where the arrays lie decides which slices of L2 they meet in.
        const double kernel = stream.metrics.at("kernel_time"), node = graph.metrics.at("kernel_time");
        QVERIFY(kernel + host.streamGapSeconds < host.callSeconds); // so that the calls set the pace
        QVERIFY(near(stream.metrics.at("step_time"), host.startSeconds + (count - 1) * host.callSeconds + kernel));
        QVERIFY(near(graph.metrics.at("step_time"),
                     std::max(host.startSeconds, host.graphLaunchSeconds + count * host.graphNodeSeconds) +
                         count * node + (count - 1) * host.graphGapSeconds));
        QVERIFY(near(fused.metrics.at("step_time"), host.startSeconds + fused.metrics.at("kernel_time")));
        for (const Point* point : {&stream, &graph, &fused}) {
            QVERIFY(point->provenance.at("step_time") == Provenance::Modelled);
            QVERIFY(point->provenance.at("kernel_time") == Provenance::Simulated);
            QVERIFY(near(point->metrics.at("kernel_sum") + point->metrics.at("between_time") +
                             point->metrics.at("start_time"),
                         point->metrics.at("step_time")));
        }
    }
}

void TestKernelChain::aGraphSavesCallsAndFusionBytes()
{
    SimRuns runs(makeKernelChain(), kChip);
    const Point stream = runs.at(chain("stream", 100)), graph = runs.at(chain("graph", 100)),
                fused = runs.at(chain("fused", 100));
    QVERIFY(stream.metrics.at("step_time") > 1.5 * graph.metrics.at("step_time"));
    QVERIFY(graph.metrics.at("step_time") > 10 * fused.metrics.at("step_time"));
    QCOMPARE(stream.metrics.at("bytes_moved"), 100 * 2 * 4 * 4096.0);
    QCOMPARE(graph.metrics.at("bytes_moved"), stream.metrics.at("bytes_moved"));
    QCOMPARE(fused.metrics.at("bytes_moved"), 2 * 4 * 4096.0);
    QCOMPARE(fused.metrics.at("flop"), stream.metrics.at("flop"));
}

void TestKernelChain::longKernelsHideTheCalls()
{
    SimRuns runs(makeKernelChain(), kChip);
    const Point stream = runs.at(chain("stream", 4, 1 << 20)), graph = runs.at(chain("graph", 4, 1 << 20)),
                fused = runs.at(chain("fused", 4, 1 << 20));
    allPass(stream);
    QVERIFY(stream.metrics.at("step_time") < 1.15 * graph.metrics.at("step_time"));
    QVERIFY(graph.metrics.at("step_time") > 2 * fused.metrics.at("step_time"));
}

void TestKernelChain::dispatchIsPaidForEachCall()
{
    SimRuns runs(makeKernelChain(), kChip);
    const double tenMicroseconds = 1e-5;
    const auto step = [&](const char* by, std::int64_t dispatch) {
        const Point point = runs.at(chain(by, 50, 4096, dispatch));
        const double kernels = std::string_view(by) == "graph" ? 50 : 1; // those that do not run during a call
        return point.metrics.at("step_time") - kernels * point.metrics.at("kernel_time");
    };
    QVERIFY(near(step("stream", 10) - step("stream", 0), 50 * tenMicroseconds));
    QVERIFY(near(step("graph", 10) - step("graph", 0), tenMicroseconds));
    QVERIFY(near(step("fused", 10) - step("fused", 0), tenMicroseconds));
}

void TestKernelChain::lanesShowCallsAndKernels()
{
    class Traced : public Point {
    public:
        using Point::Point;
        void trace(const std::string& kind, std::string bytes) override
        {
            if (kind == LaneTrace::kKind)
                lanes = *decodeLaneTrace(bytes);
        }
        std::optional<LaneTrace> lanes;
    };
    const auto device = openSim(kChip);
    const auto experiment = makeKernelChain();
    for (const char* by : {"stream", "graph"}) {
        Traced point(*device, experiment->info(), gpu::CompilerChoice::Automatic);
        QVERIFY(experiment->run(complete(experiment->info(), chain(by, 5)), point).ok());
        QVERIFY(point.lanes.has_value());
        QCOMPARE(point.lanes->lanes.size(), std::size_t(2));
        QCOMPARE(point.lanes->spans.size(), std::size_t(std::string(by) == "graph" ? 6 : 10));
        QVERIFY(near(point.lanes->spans.back().end, 1e6 * point.metrics.at("step_time")));
    }
}

void TestKernelChain::onAGpu()
{
    FakeRuns runs(makeKernelChain(), "kernel_us=2,enqueue_us=10");
    const Point stream = runs.at(chain("stream", 20, 1001)), graph = runs.at(chain("graph", 20, 1001));
    allPass(stream);
    allPass(graph);
    QVERIFY(stream.provenance.at("step_time") == Provenance::Measured);
    QVERIFY(stream.provenance.at("kernel_time") == Provenance::Measured);
    QVERIFY(stream.metrics.at("time_per_operation") >= 9e-6);
    // The stand-in spends real time: on a busy machine one try says little.
    bool sooner = graph.metrics.at("step_time") < stream.metrics.at("step_time");
    for (int more = 0; !sooner && more < 20; ++more)
        sooner = runs.at(chain("graph", 20, 1001)).metrics.at("step_time") <
                 runs.at(chain("stream", 20, 1001)).metrics.at("step_time");
    QVERIFY(sooner);
    QVERIFY(runs.at(chain("fused", 20, 1001)).checks.at(0).passed);

    Point refused(*runs.device, runs.experiment->info(), gpu::CompilerChoice::Shipped);
    const auto result = runs.run(chain("stream", 20, 1001, 5), refused);
    QVERIFY(!result);
    QCOMPARE(result.error().code, std::string("bad-value"));
    QVERIFY(result.error().message.find("5 µs") != std::string::npos);

    // The last element is not written: the poison shows, in a chain of one kernel, too.
    FakeRuns wrong(makeKernelChain(), "kernel_us=2,wrong=1");
    for (const std::int64_t operations : {1, 20})
        QVERIFY(!wrong.at(chain("stream", operations, 1001)).checks.at(0).passed);
}

QTEST_GUILESS_MAIN(TestKernelChain)
#include "tst_kernel_chain.moc"
