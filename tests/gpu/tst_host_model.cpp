// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/host_model.h"

#include <QtTest>
#include <cmath>
#include <cstring>
#include <set>

using namespace ridge::gpu;

namespace {

/// Numbers that make sums easy to follow.
HostModel round()
{
    HostModel model;
    model.copySeconds = 1;
    model.callSeconds = 0;
    model.startSeconds = 0;
    model.streamGapSeconds = 0.5;
    model.graphGapSeconds = 0.25;
    model.graphLaunchSeconds = 2;
    model.graphNodeSeconds = 0.1;
    model.duplexShare = 0.5;
    return model;
}

ModelOperation copy(std::uint32_t stream, double seconds, bool in = true, bool waits = false)
{
    ModelOperation out;
    out.kind = in ? ModelKind::CopyIn : ModelKind::CopyOut;
    out.stream = stream;
    out.seconds = seconds;
    out.rateLimited = 1;
    out.hostWaits = waits;
    return out;
}

ModelOperation kernel(std::uint32_t stream, double seconds, double share = 1, double dram = 0)
{
    ModelOperation out;
    out.stream = stream;
    out.seconds = seconds;
    out.rateLimited = 1;
    out.smShare = out.smTouched = share;
    out.dramShare = dram;
    return out;
}

ModelOperation mark(std::uint32_t stream, ModelKind kind, std::uint32_t number)
{
    ModelOperation out;
    out.kind = kind;
    out.stream = stream;
    out.event = number;
    return out;
}

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-12 * std::max({1.0, std::abs(a), std::abs(b)});
}

} // namespace

/// Courses that can be worked out by hand, and the published numbers that the constants stand for.
class TestHostModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void links();
    void everyConstantSaysWhereItComesFrom();
    void oneCopyIsLatencyAndBytes();
    void oneEngineADirection();
    void bothWaysShareTheLink();
    void kernelsThatFillTheGpuDoNotOverlap();
    void smallKernelsDo();
    void memoryIsShared();
    void oneStreamIsInOrder();
    void eventsOrderStreams();
    void pageableCopiesKeepTheCpu();
    void callsSetThePace();
    void gatesAndGraphsTakeTheCallsAway();
    void aPerfectPipeline();
};

void TestHostModel::links()
{
    QVERIFY(near(pcieBytesPerSecond(1, 16), 4e9));
    QVERIFY(near(pcieBytesPerSecond(2, 16), 8e9));
    QVERIFY(std::abs(pcieBytesPerSecond(3, 16) - 15.75e9) < 0.01e9); // as datasheets round it
    QVERIFY(std::abs(pcieBytesPerSecond(4, 16) - 31.5e9) < 0.02e9);
    QVERIFY(std::abs(pcieBytesPerSecond(5, 16) - 63e9) < 0.05e9);
    QVERIFY(near(pcieBytesPerSecond(4, 8) * 2, pcieBytesPerSecond(4, 16)));
    QCOMPARE(pcieBytesPerSecond(0, 16), 0.0);
    QCOMPARE(pcieBytesPerSecond(4, 0), 0.0);
    QCOMPARE(pcieBytesPerSecond(9, 16), 0.0);
}

void TestHostModel::everyConstantSaysWhereItComesFrom()
{
    std::set<std::string> names, assumed;
    for (const HostConstant* constant : kHostConstants) {
        QVERIFY(names.insert(constant->name).second);
        QVERIFY(std::strlen(constant->meaning) > 20 && std::isfinite(constant->value) && constant->value > 0);
        if (*constant->source == '\0')
            assumed.insert(constant->name);
    }
    QCOMPARE(names.size(), std::size_t{13});
    // Parameters of the experiment `transfers`.
    QVERIFY((assumed == std::set<std::string>{"managed_share", "write_combined_share"}));
    // What was published for generation 4 is what the share of generation 5 gives.
    QVERIFY(std::abs(31.5 * kLinkEfficiency.value - 26) < 0.1);
    QVERIFY(std::abs(31.5 * kLinkEfficiency.value * kDuplexShare.value - 18.5) < 0.1);
    QVERIFY(std::abs(1 / (1 / kStagingRate.value + 1 / 11.5e9) - 5.5e9) < 1);
}

void TestHostModel::oneCopyIsLatencyAndBytes()
{
    const auto times = modelTimes({copy(0, 4)}, round(), false, false);
    QVERIFY(near(times.begin[0], 0) && near(times.end[0], 5) && near(times.lastEnd, 5));
}

void TestHostModel::oneEngineADirection()
{
    const auto times = modelTimes({copy(0, 4), copy(1, 4)}, round(), false, false);
    QVERIFY(near(times.begin[1], 5) && near(times.end[1], 10)); // other streams, same engine
}

void TestHostModel::bothWaysShareTheLink()
{
    // One second of latency each, then both at half the rate until the shorter ends, then the longer alone.
    const auto times = modelTimes({copy(0, 2), copy(1, 4, false)}, round(), false, false);
    QVERIFY(near(times.end[0], 1 + 4));
    QVERIFY(near(times.end[1], 5 + 2));
    ModelOperation staged = copy(0, 2);
    staged.rateLimited = 0.5; // the other half is done by the CPU
    const auto part = modelTimes({staged, copy(1, 40, false)}, round(), false, false);
    QVERIFY(near(part.end[0], 1 + 1 + 2));
}

void TestHostModel::kernelsThatFillTheGpuDoNotOverlap()
{
    const auto times = modelTimes({kernel(0, 3), kernel(1, 3)}, round(), false, false);
    QVERIFY(near(times.begin[1], 3) && near(times.lastEnd, 6));
}

void TestHostModel::smallKernelsDo()
{
    const auto times = modelTimes({kernel(0, 3, 0.5), kernel(1, 3, 0.5), kernel(2, 3, 0.5)}, round(), false, false);
    QVERIFY(near(times.begin[1], 0) && near(times.begin[2], 3) && near(times.lastEnd, 6));
    // Places for both, but on the same SMs: no gain, no loss.
    std::vector<ModelOperation> same{kernel(0, 3), kernel(1, 3)};
    for (ModelOperation& one : same)
        one.smShare = 0.25;
    QVERIFY(near(modelTimes(same, round(), false, false).lastEnd, 6));
}

void TestHostModel::memoryIsShared()
{
    const auto times = modelTimes({kernel(0, 3, 0.2, 0.8), kernel(1, 3, 0.2, 0.8)}, round(), false, false);
    QVERIFY(near(times.lastEnd, 3 * 1.6));
}

void TestHostModel::oneStreamIsInOrder()
{
    const auto times = modelTimes({kernel(0, 3), kernel(0, 3), copy(0, 1), kernel(0, 1)}, round(), false, false);
    QVERIFY(near(times.begin[1], 3.5) && near(times.begin[2], 6.5) && near(times.begin[3], 8.5));
}

void TestHostModel::eventsOrderStreams()
{
    const auto times = modelTimes({kernel(0, 3, 0.1), mark(0, ModelKind::Record, 7), mark(1, ModelKind::Wait, 7),
                                   kernel(1, 1, 0.1), kernel(2, 1, 0.1)},
                                  round(), false, false);
    QVERIFY(near(times.begin[3], 3) && near(times.begin[4], 0));
}

void TestHostModel::pageableCopiesKeepTheCpu()
{
    const auto times = modelTimes({copy(0, 4, true, true), kernel(1, 1)}, round(), false, false);
    QVERIFY(near(times.returned[0], 5) && near(times.called[1], 5) && near(times.begin[1], 5));
    const auto pinned = modelTimes({copy(0, 4), kernel(1, 1)}, round(), false, false);
    QVERIFY(near(pinned.returned[0], 0) && near(pinned.begin[1], 0));
}

void TestHostModel::callsSetThePace()
{
    HostModel model = round();
    model.callSeconds = 2;
    model.startSeconds = 3;
    const std::vector<ModelOperation> kernels(10, kernel(0, 1));
    const auto times = modelTimes(kernels, model, false, false);
    QVERIFY(near(times.enqueueSeconds, 20));
    QVERIFY(near(times.begin[0], 3) && near(times.begin[9], 18 + 3) && near(times.lastEnd, 22));
}

void TestHostModel::gatesAndGraphsTakeTheCallsAway()
{
    HostModel model = round();
    model.callSeconds = 2;
    const std::vector<ModelOperation> kernels(10, kernel(0, 1));
    const auto gated = modelTimes(kernels, model, false, true);
    QVERIFY(near(gated.begin[0], 20) && near(gated.lastEnd, 20 + 10 + 9 * 0.5));
    const auto graph = modelTimes(kernels, model, true, false);
    QVERIFY(near(graph.enqueueSeconds, 2 + 10 * 0.1));
    QVERIFY(near(graph.begin[0], 3) && near(graph.lastEnd, 3 + 10 + 9 * 0.25));
}

void TestHostModel::aPerfectPipeline()
{
    // n chunks through three engines, a stage each second: n + 2 seconds instead of 3 n.
    HostModel model = round();
    model.copySeconds = 0;
    model.duplexShare = 1;
    for (const std::uint32_t chunks : {1u, 2u, 7u, 64u}) {
        std::vector<ModelOperation> operations;
        for (std::uint32_t i = 0; i < chunks; ++i) {
            const std::uint32_t stream = i % 3;
            operations.insert(operations.end(), {copy(stream, 1), kernel(stream, 1), copy(stream, 1, false)});
        }
        QVERIFY(near(modelTimes(operations, model, false, false).lastEnd, chunks + 2.0));
        for (ModelOperation& operation : operations)
            operation.stream = 0;
        QVERIFY(near(modelTimes(operations, model, false, false).lastEnd, 3.0 * chunks));
    }
}

QTEST_GUILESS_MAIN(TestHostModel)
#include "tst_host_model.moc"
