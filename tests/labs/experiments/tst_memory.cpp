// SPDX-License-Identifier: GPL-3.0-or-later
// The experiments that take memory's measure: stream, latency, level_bandwidth.
#include "clock_device.h"
#include "labs/1-gpu-architecture/stream_info.h"
#include "sim_point.h"

#include <cmath>

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

QString text(const std::string& from)
{
    return QString::fromStdString(from);
}

ParamSet streamAt(const char* operation, const char* grid, std::int64_t width, std::int64_t bytes)
{
    return {{"operation", std::string(operation)},
            {"grid", std::string(grid)},
            {"bytes_per_thread", width},
            {"bytes", bytes}};
}

/// Carries out kernels/stream from the launch arguments alone, as a GPU with a clock would.
class StreamDevice : public ClockDevice {
public:
    bool forgetsLastFloat = false;
    Result<gpu::LaunchReport> launch(const gpu::LoadedProgram&, const gpu::Launch& launch,
                                     const gpu::LaunchOptions&) override
    {
        const auto ptr = [&](std::size_t at) { return std::get<gpu::DevicePtr>(launch.args.at(at)).address; };
        const auto n = std::get<std::uint64_t>(launch.args.at(3));
        const float s = std::get<float>(launch.args.at(4));
        const auto operation = launch.kernel.substr(0, launch.kernel.find('_'));
        std::uint32_t words = 0;
        double products = 0;
        for (std::uint64_t i = 0; i + (forgetsLastFloat ? 1 : 0) < n; ++i) {
            const float a = operation == "write" ? 0 : at<float>(ptr(0), i);
            const bool readsB = operation == "add" || operation == "triad" || operation == "dot";
            const float b = readsB ? at<float>(ptr(1), i) : 0;
            if (operation == "read")
                words += std::bit_cast<std::uint32_t>(a);
            else if (operation == "dot")
                products += double{a} * double{b};
            else
                at<float>(ptr(2), i) = operation == "copy"    ? a
                                       : operation == "scale" ? s * a
                                       : operation == "add"   ? a + b
                                       : operation == "triad" ? std::fma(s, b, a)
                                                              : s;
        }
        for (std::uint64_t block = 0; block < launch.grid.count(); ++block) {
            if (operation == "read")
                at<std::uint32_t>(ptr(2), block) = block == 0 ? words : 0;
            if (operation == "dot")
                at<float>(ptr(2), block) = block == 0 ? static_cast<float>(products) : 0;
        }
        return gpu::LaunchReport{};
    }

private:
    template<class T>
    T& at(std::uint64_t address, std::uint64_t index)
    {
        address += index * sizeof(T);
        auto found = std::prev(buffers.upper_bound(address));
        if (address + sizeof(T) > found->first + found->second.size())
            qFatal("access past the end of a buffer");
        return *reinterpret_cast<T*>(found->second.data() + (address - found->first));
    }
};

Point runOn(gpu::Device& device, const Experiment& experiment, const ParamSet& given)
{
    Point point(device, experiment.info(), gpu::CompilerChoice::Shipped);
    const auto result = experiment.run(complete(experiment.info(), given, "gpu"), point);
    if (!result)
        qFatal("%s", toText(result.error()).c_str());
    return point;
}

bool allPassed(const Point& point);

/// Kernels of one simulated chip, compiled once for all its points.
struct Chip {
    explicit Chip(const char* target) : device(openSim(target)) {}
    std::unique_ptr<gpu::Device> device;
    std::map<std::string, std::unique_ptr<gpu::LoadedProgram>> loaded;
};

/// A point without traces on a chip that keeps its kernels.
class ChipPoint : public Point {
public:
    ChipPoint(Chip& chip, const ExperimentInfo& about)
        : Point(*chip.device, about, gpu::CompilerChoice::Shipped), m_chip(chip)
    {
        wantTrace = false;
    }
    Result<const gpu::LoadedProgram*> kernel(const std::string& name) override
    {
        auto& loaded = m_chip.loaded[name];
        if (!loaded) {
            const auto& about = m_chip.device->info();
            const auto program = gpu::compile(*gpu::readKernel(name), about.computeMajor, about.computeMinor,
                                              gpu::CompilerChoice::Shipped);
            if (!program)
                return program.error();
            loaded = std::move(*m_chip.device->load(*program));
        }
        return loaded.get();
    }

private:
    Chip& m_chip;
};

ChipPoint runOn(Chip& chip, const Experiment& experiment, const ParamSet& given)
{
    ChipPoint point(chip, experiment.info());
    const auto result = experiment.run(complete(experiment.info(), given), point);
    if (!result)
        qFatal("%s", toText(result.error()).c_str());
    return point;
}

Chip& h100()
{
    static Chip chip("sim:h100-sxm");
    return chip;
}

void verify(Chip& chip, const Experiment& experiment, const ParamSet& given)
{
    const Point point = runOn(chip, experiment, given);
    QVERIFY2(allPassed(point), point.checks.empty() ? "no check" : point.checks.front().detail.c_str());
    QVERIFY(point.withinLimits());
}

bool allPassed(const Point& point)
{
    return !point.checks.empty() && std::ranges::all_of(point.checks, &CheckResult::passed);
}

} // namespace

class TestMemory : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyStreamKernelAgreesWithTheCpu_data();
    void everyStreamKernelAgreesWithTheCpu();
    void streamCountsItsBytes_data();
    void streamCountsItsBytes();
    void streamKeepsBytesInFlight();
    void streamIsTimedAgainstThePins();
    void streamFindsAWrongKernel();
    void streamSaysWhatFits();
    void latencyIsThatOfTheLevel_data();
    void latencyIsThatOfTheLevel();
    void latencyFollowsTheRing();
    void latencyStepsAtOnce();
    void chasersAddUp();
    void latencyRefusesWhatIsNoRing_data();
    void latencyRefusesWhatIsNoRing();
    void levelsGiveTheirWidth();
    void levelSumsAreRight_data();
    void levelSumsAreRight();
    void idleKernelsFailTheirChecks();
};

void TestMemory::everyStreamKernelAgreesWithTheCpu_data()
{
    QTest::addColumn<QByteArray>("operation");
    QTest::addColumn<QByteArray>("grid");
    for (const char* operation : kStreamOps)
        for (const char* grid : kStreamGrids)
            QTest::addRow("%s %s", operation, grid) << QByteArray(operation) << QByteArray(grid);
}

void TestMemory::everyStreamKernelAgreesWithTheCpu()
{
    QFETCH(QByteArray, operation);
    QFETCH(QByteArray, grid);
    // The shipped PTX for Turing and later, and that for Volta.
    static Chip turing("sim:t4"), volta("sim:v100-sxm2-32");
    const auto experiment = makeStream();
    for (const std::int64_t width : {4, 8, 16, 32, 64}) {
        // Less than a tile, ragged by a float, and enough for loops to go round (40 SMs of 1024 threads).
        for (const std::int64_t bytes : {std::int64_t{1032}, width * 256 * 3 + 4, 2 * 40 * 1024 * width + 12})
            if (bytes < (1 << 19))
                verify(turing, *experiment, streamAt(operation, grid, width, bytes));
        if (width == 16)
            verify(volta, *experiment, streamAt(operation, grid, width, width * 256 * 3 + 4));
    }
}

void TestMemory::streamCountsItsBytes_data()
{
    QTest::addColumn<int>("read");
    QTest::addColumn<int>("written");
    QTest::newRow("copy") << 1 << 1;
    QTest::newRow("scale") << 1 << 1;
    QTest::newRow("add") << 2 << 1;
    QTest::newRow("triad") << 2 << 1;
    QTest::newRow("read") << 1 << 0;
    QTest::newRow("write") << 0 << 1;
    QTest::newRow("dot") << 2 << 0;
}

/// What the memory of the simulated chip moved, against STREAM's way to count.
void TestMemory::streamCountsItsBytes()
{
    QFETCH(int, read);
    QFETCH(int, written);
    const Point point = runOn(h100(), *makeStream(), streamAt(QTest::currentDataTag(), "element", 16, 1 << 20));
    QCOMPARE(point.metrics.at("bytes_moved"), static_cast<double>((read + written) << 20));
    QCOMPARE(point.metrics.at("bandwidth"), point.metrics.at("bytes_moved") / point.metrics.at("time") / 1e9);
    // All that is read comes from DRAM; what is written stays in the L2 cache, which is larger.
    const double tolerance = 0.001 * (1 << 20);
    QVERIFY(std::fabs(point.metrics.at("dram_bytes") - static_cast<double>(read << 20)) <= tolerance);
    if (read == 0)
        QVERIFY(!point.limits.contains("bandwidth"));
    else
        QCOMPARE(point.limits.at("bandwidth"), 3350.0 * (read + written) / read);
}

void TestMemory::streamKeepsBytesInFlight()
{
    const auto experiment = makeStream();
    const auto inFlight = [&](const char* operation, const char* grid, std::int64_t width, std::int64_t bytes) {
        StreamDevice device;
        device.hasClock = false;
        device.about.computeMajor = 9;
        device.about.smCount = 132;
        device.about.l2Bytes = 1;
        return runOn(device, *experiment, streamAt(operation, grid, width, bytes)).metrics.at("bytes_in_flight");
    };
    // 2048 threads an SM; 1024 in all where the array is smaller than the chip.
    QCOMPARE(inFlight("copy", "element", 4, 1 << 21), 2048.0 * 4);
    QCOMPARE(inFlight("copy", "element", 4, 4096), 1024.0 * 4 / 132);
    QCOMPARE(inFlight("triad", "element", 4, 1 << 21), 2048.0 * 4 * 2);
    QCOMPARE(inFlight("write", "grid_stride", 4, 1 << 21), 2048.0 * 4);
    // The persistent kernels want 64 KiB with 64 bytes a thread, whatever the operation.
    QCOMPARE(inFlight("copy", "persistent", 64, 132 << 16), 65536.0);
    QCOMPARE(inFlight("dot", "persistent", 64, 132 << 16), 65536.0);
}

void TestMemory::streamIsTimedAgainstThePins()
{
    StreamDevice device;
    device.seconds = 1e-4;
    const Point point = runOn(device, *makeStream(), streamAt("triad", "grid_stride", 16, 1 << 20));
    QVERIFY(allPassed(point));
    QCOMPARE(point.metrics.at("bandwidth"), 3.0 * (1 << 20) / 1e-4 / 1e9);
    QCOMPARE(point.metrics.at("pin_share"), 100 * 3.0 * (1 << 20) / 1e-4 / 1000e9);
    QCOMPARE(point.limits.at("bandwidth"), 1000.0);
    QVERIFY(point.provenance.at("bandwidth") == Provenance::Measured);
    QVERIFY(point.provenance.at("bytes_in_flight") == Provenance::Modelled);
    // 3 MiB a pass, 8 MiB of cache: six sets are more than twice as much.
    QCOMPARE(device.timed.back().size(), std::size_t{6});
    QVERIFY(device.buffers.empty());

    // Memory for one set alone: the cache holds it, and the pins bound nothing.
    device.maxBuffers = 4;
    const Point cached = runOn(device, *makeStream(), streamAt("triad", "grid_stride", 16, 1 << 20));
    QCOMPARE(text(cached.verdict), QStringLiteral("resident in L2"));
    QVERIFY(!cached.limits.contains("bandwidth"));
}

void TestMemory::streamFindsAWrongKernel()
{
    for (const char* operation : kStreamOps) {
        StreamDevice device;
        QVERIFY(allPassed(runOn(device, *makeStream(), streamAt(operation, "element", 4, 4100))));
        device.forgetsLastFloat = true;
        for (int run = 0; run < 2; ++run)
            QVERIFY2(!allPassed(runOn(device, *makeStream(), streamAt(operation, "element", 4, 4100))), operation);
    }
}

void TestMemory::streamSaysWhatFits()
{
    StreamDevice device;
    device.about.globalBytes = 10 << 20;
    const auto experiment = makeStream();
    Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
    const auto params = complete(experiment->info(), streamAt("triad", "element", 16, 8 << 20), "gpu");
    const auto result = experiment->run(params, point);
    QVERIFY(!result.ok());
    QCOMPARE(text(result.error().code), QStringLiteral("out-of-memory"));
    QCOMPARE(text(result.error().fix), QStringLiteral("set bytes=2097152 or fewer"));
    QVERIFY(allPassed(runOn(device, *experiment, streamAt("triad", "element", 16, 2 << 20))));
}

/// Published plateaus, RRZE gpu-latency (docs/validation.md), and of shared memory what this experiment gave on an
/// H200; the simulator's chip files were made from the same ones.
void TestMemory::latencyIsThatOfTheLevel_data()
{
    QTest::addColumn<QByteArray>("load");
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<double>("cycles");
    QTest::newRow("L1") << QByteArray("ca") << qint64{16384} << 32.0;
    QTest::newRow("past L1") << QByteArray("cg") << qint64{16384} << 281.0;
    QTest::newRow("L2") << QByteArray("ca") << qint64{8 << 20} << 281.0;
    QTest::newRow("shared memory") << QByteArray("shared") << qint64{16384} << 23.2;
}

void TestMemory::latencyIsThatOfTheLevel()
{
    QFETCH(QByteArray, load);
    QFETCH(qint64, bytes);
    QFETCH(double, cycles);
    Chip fresh("sim:h100-sxm"); // as the worker starts each point: nothing of an earlier run is in the second cache
    const Point point =
        runOn(fresh, *makeLatency(), {{"load", load.toStdString()}, {"working_set", std::int64_t{bytes}}});
    QVERIFY2(allPassed(point), point.checks.front().detail.c_str());
    const double got = point.metrics.at("cycles_per_load");
    QVERIFY2(std::fabs(got - cycles) < 0.05 * cycles, QByteArray::number(got).constData());
    QCOMPARE(point.metrics.at("ns_per_load"), got / point.metrics.at("sm_clock") * 1e9);
    QCOMPARE(point.metrics.at("bytes_to_fill"), got / point.metrics.at("sm_clock") * 3350e9);
    QCOMPARE(point.metrics.at("slots"), static_cast<double>(bytes / 128));
    QCOMPARE(point.metrics.at("first_cache"), 256.0 * 1024);
    QCOMPARE(point.metrics.at("second_cache"), static_cast<double>(h100().device->info().l2Bytes));
    QVERIFY(point.withinLimits());
}

/// The check itself follows the ring: as many loads as slots lead back to the start, in every kind of memory.
void TestMemory::latencyFollowsTheRing()
{
    for (Chip* chip : {&h100()})
        for (const char* load : {"ca", "cg", "shared"})
            for (const std::int64_t stride : {8, 24, 136})
                verify(*chip, *makeLatency(),
                       {{"load", std::string(load)},
                        {"stride", stride},
                        {"working_set", stride * 131},
                        {"loads", std::int64_t{131}}});
}

/// A ring that is walked round in a cache that drops the oldest line misses each time, however little it is too large:
/// a cliff where the first cache (256 KiB) is full, and no slope behind it. RRZE measured one on V100 and GH200.
void TestMemory::latencyStepsAtOnce()
{
    const auto at = [](std::int64_t bytes) {
        return runOn(h100(), *makeLatency(), {{"working_set", bytes}}).metrics.at("cycles_per_load");
    };
    const double before = at(192 << 10), after = at(384 << 10), later = at(1 << 20);
    QVERIFY2(std::fabs(before - 32) < 0.05 * 32, QByteArray::number(before).constData());
    QVERIFY2(std::fabs(after - 281) < 0.05 * 281, QByteArray::number(after).constData());
    QVERIFY2(std::fabs(later - 281) < 0.05 * 281, QByteArray::number(later).constData());
}

/// Chains that do not wait for each other: the trip stays as long, and each brings a sector.
void TestMemory::chasersAddUp()
{
    const auto at = [](std::int64_t chasers) {
        const Point point =
            runOn(h100(), *makeLatency(), {{"working_set", std::int64_t{1 << 20}}, {"chasers", chasers}});
        return std::pair(allPassed(point), point.metrics);
    };
    const auto [oneRight, one] = at(1);
    const auto [manyRight, many] = at(8);
    QVERIFY(oneRight && manyRight);
    const double gain = many.at("chase_bandwidth") / one.at("chase_bandwidth");
    QVERIFY2(std::fabs(gain - 8) < 0.4, QByteArray::number(gain).constData());
    QVERIFY(std::fabs(many.at("chase_bandwidth") * many.at("ns_per_load") - 8 * 32) < 1e-6);
}

void TestMemory::latencyRefusesWhatIsNoRing_data()
{
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<qint64>("stride");
    QTest::addColumn<QByteArray>("fix");
    QTest::newRow("half a pointer") << qint64{4096} << qint64{12} << QByteArray("8 divides");
    QTest::newRow("one slot") << qint64{4096} << qint64{4096} << QByteArray("working_set=8192");
}

void TestMemory::latencyRefusesWhatIsNoRing()
{
    QFETCH(qint64, bytes);
    QFETCH(qint64, stride);
    QFETCH(QByteArray, fix);
    const auto experiment = makeLatency();
    ChipPoint point(h100(), experiment->info());
    const auto params =
        complete(experiment->info(), {{"working_set", std::int64_t{bytes}}, {"stride", std::int64_t{stride}}});
    for (const auto& result : {experiment->run(params, point), experiment->runOnCpu(params, point)}) {
        QVERIFY(!result.ok());
        QCOMPARE(text(result.error().code), QStringLiteral("bad-value"));
        QVERIFY2(result.error().fix.find(fix.toStdString()) != std::string::npos, result.error().fix.c_str());
    }
}

void TestMemory::levelsGiveTheirWidth()
{
    static Chip turing("sim:t4"), ada("sim:rtx4060-laptop"); // small chips
    const auto experiment = makeLevelBandwidth();
    const auto at = [&](Chip& chip, const char* scope, std::int64_t bytes, std::int64_t read) {
        return runOn(chip, *experiment, {{"scope", std::string(scope)}, {"working_set", bytes}, {"read_bytes", read}});
    };
    // RRZE gpu-cache: 126 of 128 B/clk, half the width on Turing.
    const Point wide = at(ada, "sm", 32768, 1 << 20);
    QVERIFY(allPassed(wide) && wide.withinLimits());
    QCOMPARE(wide.limits.at("bytes_per_clock"), 128.0);
    QVERIFY2(wide.metrics.at("bytes_per_clock") > 0.93 * 128,
             QByteArray::number(wide.metrics.at("bytes_per_clock")).constData());
    const Point narrow = at(turing, "sm", 32768, 1 << 19);
    QVERIFY(allPassed(narrow) && narrow.withinLimits());
    QCOMPARE(narrow.limits.at("bytes_per_clock"), 64.0);
    QVERIFY2(narrow.metrics.at("bytes_per_clock") > 0.93 * 64,
             QByteArray::number(narrow.metrics.at("bytes_per_clock")).constData());
    // The same 32 KiB past L1: all SMs share what L2 gives.
    const Point shared = at(ada, "chip", 32768, 1 << 18);
    QVERIFY(allPassed(shared));
    QVERIFY(shared.metrics.at("bytes_per_clock") < 0.5 * wide.metrics.at("bytes_per_clock"));
    QCOMPARE(shared.metrics.at("l1_hit_rate"), 0.0);
    QCOMPARE(shared.metrics.at("bandwidth"),
             shared.metrics.at("bytes_per_clock") * 24 * shared.metrics.at("sm_clock") / 1e9);
}

void TestMemory::levelSumsAreRight_data()
{
    QTest::addColumn<QByteArray>("scope");
    QTest::newRow("sm") << QByteArray("sm");
    QTest::newRow("chip") << QByteArray("chip");
}

/// Every kernel of the family, and sets that are no whole ring.
void TestMemory::levelSumsAreRight()
{
    QFETCH(QByteArray, scope);
    static Chip turing("sim:t4");
    for (const std::int64_t bytes : {8192, 16384, 49152, 65536, 400000})
        verify(turing, *makeLevelBandwidth(),
               {{"scope", scope.toStdString()}, {"working_set", bytes}, {"read_bytes", std::int64_t{131072}}});
    const auto big = std::int64_t{41 << 17} + 5;
    if (scope == "chip") // more steps than blocks: each begins in a place of its own
        verify(turing, *makeLevelBandwidth(),
               {{"scope", scope.toStdString()}, {"working_set", big}, {"read_bytes", std::int64_t{131072}}});
}

/// A kernel that does nothing leaves what was there before, and no check may pass for it.
void TestMemory::idleKernelsFailTheirChecks()
{
    struct Idle : ClockDevice {
        Result<gpu::LaunchReport> launch(const gpu::LoadedProgram&, const gpu::Launch&,
                                         const gpu::LaunchOptions&) override
        {
            return gpu::LaunchReport{};
        }
    };
    for (const auto& make : {makeStream, makeLatency, makeLevelBandwidth}) {
        Idle device;
        ParamSet given;
        const auto experiment = make();
        if (experiment->info().id == "stream")
            given = {{"bytes", std::int64_t{65536}}};
        for (int run = 0; run < 2; ++run) {
            Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
            const auto result = experiment->run(complete(experiment->info(), given, "gpu"), point);
            QVERIFY(result.ok() || result.error().code == "bad-timing"); // nor did a clock run
            QVERIFY2(!point.checks.empty() && !allPassed(point), experiment->info().id.c_str());
        }
        QVERIFY(device.buffers.empty());
    }
}

QTEST_GUILESS_MAIN(TestMemory)
#include "tst_memory.moc"
