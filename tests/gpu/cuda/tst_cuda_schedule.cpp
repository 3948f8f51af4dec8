// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_driver.h"

#include "gpu/cuda/cuda_device.h"
#include "gpu/schedule.h"

#include <cstring>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::cuda;

namespace {

Program ptxProgram()
{
    return Program{"test.cu", kPtx, "sm_80", "nvrtc", "13.0", ""};
}

/// A device with a program, pinned host memory and a buffer of the same size.
struct Bench {
    static constexpr std::uint64_t kBytes = 4096;
    std::unique_ptr<Device> device;
    std::unique_ptr<LoadedProgram> program;
    std::unique_ptr<HostMemory> host;
    DevicePtr buffer;

    explicit Bench(const char* fake, HostKind kind = HostKind::Pinned, const DeviceOptions& options = {})
    {
        useFakes(fake);
        device = std::move(*openCudaDevice(0, options));
        program = std::move(*device->load(ptxProgram()));
        host = std::move(*device->allocateHost(kBytes, kind, "host"));
        buffer = *device->allocate(kBytes, "buffer");
        for (std::size_t i = 0; i < kBytes / 4; ++i)
            word(i) = static_cast<std::int32_t>(i);
    }
    std::int32_t& word(std::size_t i) { return *reinterpret_cast<std::int32_t*>(host->bytes().data() + i * 4); }
    Step add(std::uint32_t count = kBytes / 4) const
    {
        return Step{program.get(), Launch{"add", {8, 1, 1}, {128, 1, 1}, 0, {buffer, count, 7.0f}}};
    }
    Step spin() const { return Step{program.get(), Launch{"spin", {1, 1, 1}, {32, 1, 1}, 0, {}}}; }
    Schedule roundTrip() const
    {
        return {{0, CopyIn{buffer, {host.get(), 0}, kBytes}, "in"},
                {0, add(), "add"},
                {0, CopyOut{{host.get(), 0}, buffer, kBytes}, "out"}};
    }
    Result<ScheduleReport> run(const Schedule& schedule, const ScheduleOptions& options = {}) const
    {
        return device->runSchedule(schedule, options);
    }
};

ScheduleOptions once(bool asGraph = false)
{
    ScheduleOptions options;
    options.warmUps = 0;
    options.asGraph = asGraph;
    return options;
}

} // namespace

class TestCudaSchedule : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyKindOfHostMemory_data();
    void everyKindOfHostMemory();
    void executesAndTimes_data();
    void executesAndTimes();
    void streamsOverlapAndOneStreamDoesNot();
    void eventsOrderStreams_data();
    void eventsOrderStreams();
    void pageableCopiesKeepTheCpu();
    void theGateKeepsTheCpuOut();
    void managedPagesAreMoved();
    void badSchedules_data();
    void badSchedules();
    void copiesStayInTheirBuffers();
    void oldDriversAreNamed_data();
    void oldDriversAreNamed();
    void errorsNameTheOperation();
    void whatCannotBeCapturedSaysSo();
    void aFaultClosesTheDevice();
    void hangAndStopEndASchedule();
    void hostMemoryThatIsNotThere();
    void aGpuThatIsInUseOrAsleep();
    void aLostGpuIsNamed_data();
    void aLostGpuIsNamed();
};

void TestCudaSchedule::everyKindOfHostMemory_data()
{
    QTest::addColumn<int>("kind");
    for (const HostKind kind : {HostKind::Pageable, HostKind::Pinned, HostKind::WriteCombined, HostKind::Managed})
        QTest::newRow(std::string(toText(kind)).c_str()) << static_cast<int>(kind);
}

void TestCudaSchedule::everyKindOfHostMemory()
{
    QFETCH(int, kind);
    Bench bench("kernel_us=1", static_cast<HostKind>(kind));
    QCOMPARE(static_cast<int>(bench.host->kind()), kind);
    QCOMPARE(bench.host->bytes().size(), std::size_t{Bench::kBytes});
    QCOMPARE(bench.host->device().address != 0, static_cast<HostKind>(kind) == HostKind::Managed);
    QVERIFY(*hostKindFromText(toText(bench.host->kind())) == bench.host->kind());
    const auto report = bench.run(bench.roundTrip(), once());
    QVERIFY2(report.ok(), report.ok() ? "" : toText(report.error()).c_str());
    for (std::size_t i = 0; i < Bench::kBytes / 4; ++i)
        QCOMPARE(bench.word(i), static_cast<std::int32_t>(i) + 7);
    QVERIFY(!hostKindFromText("locked").ok());
    QCOMPARE(bench.device->allocateHost(0, HostKind::Pinned, "none").error().code, std::string("bad-allocation"));
}

void TestCudaSchedule::executesAndTimes_data()
{
    QTest::addColumn<bool>("asGraph");
    QTest::newRow("stream") << false;
    QTest::newRow("graph") << true;
}

void TestCudaSchedule::executesAndTimes()
{
    QFETCH(bool, asGraph);
    Bench bench("kernel_us=3000,copy_us=1000");
    ScheduleOptions options;
    options.asGraph = asGraph;
    options.repeats = 3;
    const auto report = bench.run(bench.roundTrip(), options);
    QVERIFY2(report.ok(), report.ok() ? "" : toText(report.error()).c_str());
    QCOMPARE(report->executions, 4); // one to warm up
    QCOMPARE(bench.word(5), 5 + 4 * 7);
    QVERIFY(report->timed && report->provenance == Provenance::Measured);
    QCOMPARE(report->samples.size(), std::size_t{3});
    QCOMPARE(report->operations.size(), std::size_t{3});
    const auto& [in, add, out] = std::tie(report->operations[0], report->operations[1], report->operations[2]);
    QCOMPARE(in.begin, 0.0);
    QVERIFY(in.end - in.begin >= 0.99e-3 && add.end - add.begin >= 2.99e-3 && out.end - out.begin >= 0.99e-3);
    QVERIFY(add.begin >= in.end - 1e-6 && out.begin >= add.end - 1e-6);
    QVERIFY(report->deviceSeconds >= 4.99e-3 && report->deviceSeconds < 20e-3);
    QVERIFY(report->wallSeconds >= report->deviceSeconds - 1e-4);
    QVERIFY(report->enqueueSeconds < report->wallSeconds);
    options.timeline = false;
    const auto bare = bench.run(bench.roundTrip(), options);
    QVERIFY(bare.ok() && bare->operations.empty() && bare->deviceSeconds >= 4.99e-3);
}

void TestCudaSchedule::streamsOverlapAndOneStreamDoesNot()
{
    Bench bench("kernel_us=4000,copy_us=4000");
    const auto chunks = [&](std::uint32_t streams) {
        Schedule schedule;
        for (std::uint32_t i = 0; i < 4; ++i)
            for (Operation operation : bench.roundTrip()) {
                operation.stream = i % streams;
                schedule.push_back(operation);
            }
        return bench.run(schedule, once());
    };
    const auto alone = chunks(1), piped = chunks(3);
    QVERIFY(alone.ok() && piped.ok());
    QVERIFY2(alone->deviceSeconds >= 47e-3, qPrintable(QString::number(alone->deviceSeconds))); // 12 stages
    QVERIFY2(piped->deviceSeconds >= 23e-3, qPrintable(QString::number(piped->deviceSeconds))); // 4 + 2 stages
    QVERIFY2(piped->deviceSeconds < 40e-3, qPrintable(QString::number(piped->deviceSeconds)));
}

void TestCudaSchedule::eventsOrderStreams_data()
{
    executesAndTimes_data();
}

void TestCudaSchedule::eventsOrderStreams()
{
    QFETCH(bool, asGraph);
    Bench bench("kernel_us=3000,copy_us=10");
    const Schedule schedule{{0, bench.spin(), "first"},
                            {0, RecordEvent{9}, ""},
                            {5, WaitEvent{9}, ""},
                            {5, CopyIn{bench.buffer, {bench.host.get(), 0}, 64}, "after"},
                            {6, CopyOut{{bench.host.get(), 64}, bench.buffer, 64}, "free"}};
    const auto report = bench.run(schedule, once(asGraph));
    QVERIFY2(report.ok(), report.ok() ? "" : toText(report.error()).c_str());
    QVERIFY(report->operations[3].begin >= report->operations[0].end - 1e-6);
    QVERIFY(report->operations[4].end < report->operations[0].end);
    QVERIFY(report->operations[2].end >= report->operations[0].end - 1e-6); // the wait itself
}

void TestCudaSchedule::pageableCopiesKeepTheCpu()
{
    for (const HostKind kind : {HostKind::Pageable, HostKind::Pinned}) {
        Bench bench("kernel_us=5000,copy_us=5000", kind);
        const auto report = bench.run(bench.roundTrip(), once());
        QVERIFY(report.ok());
        const double call = report->operations[2].returned - report->operations[2].called;
        QVERIFY2((call > 4e-3) == (kind == HostKind::Pageable), qPrintable(QString::number(call)));
    }
}

void TestCudaSchedule::theGateKeepsTheCpuOut()
{
    Bench bench("kernel_us=10,enqueue_us=200");
    const Schedule schedule(40, Operation{0, bench.spin(), ""});
    ScheduleOptions options;
    options.timeline = false;
    const auto open = bench.run(schedule, options);
    options.gated = true;
    const auto gated = bench.run(schedule, options);
    QVERIFY(open.ok() && gated.ok());
    QVERIFY2(open->deviceSeconds >= 39 * 200e-6, qPrintable(QString::number(open->deviceSeconds)));
    QVERIFY2(gated->deviceSeconds >= 399e-6, qPrintable(QString::number(gated->deviceSeconds)));
    QVERIFY2(gated->deviceSeconds < 2e-3, qPrintable(QString::number(gated->deviceSeconds)));
    QVERIFY(gated->enqueueSeconds >= 40 * 200e-6);
    // An error while the stream is held lets it go: what comes next runs.
    qputenv("RIDGE_FAKE_CUDA", "kernel_us=10,fail_gated=1");
    QVERIFY(!bench.run(schedule, options).ok());
    qputenv("RIDGE_FAKE_CUDA", "kernel_us=10");
    QVERIFY(bench.device->launch(*bench.program, bench.spin().launch, {}).ok());
    QVERIFY(bench.run(schedule, options).ok());
}

void TestCudaSchedule::managedPagesAreMoved()
{
    Bench bench("copy_us=2000", HostKind::Managed);
    const Schedule there{{0, Migrate{{bench.host.get(), 0}, Bench::kBytes, true}, ""},
                         {0, Migrate{{bench.host.get(), 0}, Bench::kBytes, false}, ""}};
    const auto report = bench.run(there, once());
    QVERIFY2(report.ok(), report.ok() ? "" : toText(report.error()).c_str());
    QVERIFY(report->operations[1].begin >= report->operations[0].end - 1e-6);
    QVERIFY(report->operations[1].end >= 3.99e-3);
    QCOMPARE(bench.word(9), 9);
}

void TestCudaSchedule::badSchedules_data()
{
    QTest::addColumn<int>("which");
    QTest::addColumn<QString>("words");
    QTest::newRow("empty") << 0 << "a schedule has 0 operations";
    QTest::newRow("stream") << 1 << "is on stream 64";
    QTest::newRow("wait") << 2 << "operation 0 (wait for event 3) waits for event 3, which nothing before it records";
    QTest::newRow("host") << 3 << "leaves host memory 'host' of 4096 B at offset 4000";
    QTest::newRow("no memory") << 4 << "names no host memory";
    QTest::newRow("no program") << 5 << "has no program";
    QTest::newRow("not managed") << 6 << "moves pages of memory that is not managed";
    QTest::newRow("no repeat") << 7 << "is to run 0 times";
    QTest::newRow("gate") << 8 << "501 operations cannot wait behind a gate";
    QTest::newRow("event") << 9 << "records event 65536";
}

void TestCudaSchedule::badSchedules()
{
    QFETCH(int, which);
    QFETCH(QString, words);
    Bench bench("");
    HostMemory* host = bench.host.get();
    ScheduleOptions options;
    options.repeats = which == 7 ? 0 : 1;
    options.gated = which == 8;
    const std::array<Schedule, 10> bad{
        Schedule{},
        {{64, bench.spin(), ""}},
        {{0, WaitEvent{3}, ""}, {1, RecordEvent{3}, ""}},
        {{0, CopyIn{bench.buffer, {host, 4000}, 97}, ""}},
        {{0, CopyOut{{}, bench.buffer, 4}, ""}},
        {{0, Step{}, ""}},
        {{0, Migrate{{host, 0}, 4, true}, ""}},
        {{0, bench.spin(), ""}},
        Schedule(501, Operation{0, bench.spin(), ""}),
        {{0, RecordEvent{1u << 16}, ""}},
    };
    const auto report = bench.run(bad[static_cast<std::size_t>(which)], options);
    QVERIFY(!report.ok());
    QCOMPARE(report.error().code, std::string("bad-schedule"));
    QVERIFY2(report.error().message.find(words.toStdString()) != std::string::npos, report.error().message.c_str());
    QVERIFY(!report.error().fix.empty());
    // Pageable copies behind a gate would wait for each other.
    Bench pageable("", HostKind::Pageable);
    options = {};
    options.gated = true;
    QCOMPARE(pageable.run(pageable.roundTrip(), options).error().code, std::string("bad-schedule"));
}

void TestCudaSchedule::copiesStayInTheirBuffers()
{
    Bench bench("");
    const auto report =
        bench.run({{0, bench.spin(), ""}, {0, CopyIn{{bench.buffer.address + 8}, {bench.host.get(), 0}, 4096}, ""}});
    QVERIFY(!report.ok());
    QCOMPARE(report.error().code, std::string("out-of-bounds"));
    QVERIFY2(report.error().message.starts_with("operation 1 (copy in of 4096 B)"), report.error().message.c_str());
    QVERIFY(report.error().message.find("'buffer'") != std::string::npos);
    Bench other("");
    QCOMPARE(bench.run({{0, other.spin(), ""}}).error().code, std::string("bad-launch"));
}

void TestCudaSchedule::oldDriversAreNamed_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("symbol");
    QTest::addColumn<QString>("driver");
    QTest::newRow("graph") << "graph"
                           << "cuStreamBeginCapture_v2"
                           << "driver 418";
    QTest::newRow("gate") << "gate"
                          << "cuStreamWaitValue32_v2"
                          << "driver 515";
    QTest::newRow("managed") << "managed"
                             << "cuMemAllocManaged"
                             << "driver 340";
}

void TestCudaSchedule::oldDriversAreNamed()
{
    QFETCH(QString, what);
    QFETCH(QString, symbol);
    QFETCH(QString, driver);
    useFakes("");
    qputenv("RIDGE_LIBCUDA", QCoreApplication::applicationDirPath().toUtf8() + "/fake_cuda_old.so");
    const auto device = openCudaDevice(0, {});
    QVERIFY(device.ok());
    const auto program = (*device)->load(ptxProgram());
    ScheduleOptions options = once(what == QLatin1String("graph"));
    options.gated = what == QLatin1String("gate");
    const Schedule schedule{{0, Step{program->get(), Launch{"spin", {1, 1, 1}, {32, 1, 1}, 0, {}}}, ""}};
    const Error error = what == QLatin1String("managed")
                            ? (*device)->allocateHost(64, HostKind::Managed, "host").error()
                            : (*device)->runSchedule(schedule, options).error();
    QCOMPARE(error.code, std::string("driver-too-old"));
    QVERIFY2(error.message.find(symbol.toStdString()) != std::string::npos, error.message.c_str());
    QVERIFY2(error.fix.find(driver.toStdString()) != std::string::npos, error.fix.c_str());
    QVERIFY((*device)->runSchedule(schedule, once()).ok()); // streams alone need none of them
}

void TestCudaSchedule::errorsNameTheOperation()
{
    Bench bench("");
    Operation big{0, bench.spin(), ""};
    std::get<Step>(big.what).launch.block.x = 5000;
    const auto report = bench.run({{0, bench.spin(), ""}, big});
    QVERIFY(!report.ok());
    QVERIFY2(report.error().message.starts_with("operation 1 (kernel 'spin'): kernel 'spin': block.x is 5000"),
             report.error().message.c_str());
    qputenv("RIDGE_FAKE_CUDA", "lost=46");
    const auto copy = bench.run({{0, CopyIn{bench.buffer, {bench.host.get(), 0}, 64}, ""}}, once());
    QVERIFY(!copy.ok());
    QCOMPARE(copy.error().code, std::string("gpu-lost"));
    QVERIFY2(copy.error().message.find("operation 0 (copy in of 64 B) cannot be queued") != std::string::npos,
             copy.error().message.c_str());
}

void TestCudaSchedule::whatCannotBeCapturedSaysSo()
{
    Bench bench("capture=900");
    const auto report = bench.run(bench.roundTrip(), once(true));
    QVERIFY(!report.ok());
    QVERIFY2(report.error().message.find("operation 0 (copy in of 4096 B)") != std::string::npos,
             report.error().message.c_str());
    QVERIFY2(report.error().fix.find("without a graph") != std::string::npos, report.error().fix.c_str());
    qputenv("RIDGE_FAKE_CUDA", "");
    QVERIFY(bench.run(bench.roundTrip(), once()).ok()); // the stream is out of capture
}

void TestCudaSchedule::aFaultClosesTheDevice()
{
    Bench bench("fault=700");
    const auto report = bench.run(bench.roundTrip(), once());
    QVERIFY(!report.ok());
    QCOMPARE(report.error().code, std::string("out-of-bounds"));
    QVERIFY(report.error().message.find("'add'") != std::string::npos);
    qputenv("RIDGE_FAKE_CUDA", "");
    QVERIFY(bench.run(bench.roundTrip(), once()).error().message.find("closed") != std::string::npos);
    QVERIFY(!bench.device->allocateHost(64, HostKind::Pinned, "more").ok());
}

void TestCudaSchedule::hangAndStopEndASchedule()
{
    DeviceOptions options;
    options.launchSeconds = 0.05;
    Bench bench("hang=1", HostKind::Pinned, options);
    QCOMPARE(bench.run(bench.roundTrip(), once()).error().code, std::string("time-limit"));
    int asked = 0;
    DeviceOptions stopping;
    stopping.stop = [&asked] { return ++asked > 2; };
    Bench stopped("hang=1", HostKind::Pinned, stopping);
    QCOMPARE(stopped.run(stopped.roundTrip(), once()).error().code, std::string("cancelled"));
}

void TestCudaSchedule::hostMemoryThatIsNotThere()
{
    Bench bench("");
    qputenv("RIDGE_FAKE_CUDA", "hostalloc=2");
    const auto pinned = bench.device->allocateHost(std::uint64_t{1} << 40, HostKind::Pinned, "weights");
    QCOMPARE(pinned.error().code, std::string("out-of-memory"));
    QVERIFY2(pinned.error().message.find("pinned host memory 'weights'") != std::string::npos,
             pinned.error().message.c_str());
    QVERIFY(pinned.error().fix.find("pageable") != std::string::npos);
    qputenv("RIDGE_FAKE_CUDA", "");
    QVERIFY(bench.device->allocateHost(64, HostKind::Pinned, "small").ok());
}

void TestCudaSchedule::aGpuThatIsInUseOrAsleep()
{
    useFakes("context=46");
    const auto busy = openCudaDevice(0, {});
    QVERIFY(!busy.ok());
    QVERIFY2(busy.error().message.find("in use by another process in exclusive mode") != std::string::npos,
             busy.error().message.c_str());
    QVERIFY(busy.error().fix.find("nvidia-smi -c DEFAULT") != std::string::npos);
    useFakes("context=999");
    const auto asleep = openCudaDevice(0, {});
    QVERIFY2(asleep.error().fix.find("suspend") != std::string::npos, asleep.error().fix.c_str());
}

void TestCudaSchedule::aLostGpuIsNamed_data()
{
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("kind");
    QTest::newRow("not available") << 46 << "gpu-lost";
    QTest::newRow("launch failed") << 719 << "launch-failed";
    QTest::newRow("unknown") << 999 << "gpu-lost";
}

void TestCudaSchedule::aLostGpuIsNamed()
{
    QFETCH(int, code);
    QFETCH(QString, kind);
    for (const bool scheduled : {false, true}) {
        Bench bench("");
        qputenv("RIDGE_FAKE_CUDA", QByteArray("lost=") + QByteArray::number(code));
        const Error error = scheduled ? bench.run({{0, bench.spin(), ""}}, once()).error()
                                      : bench.device->launch(*bench.program, bench.spin().launch, {}).error();
        QCOMPARE(error.code, kind.toStdString());
        QVERIFY2(error.message.find("(" + std::to_string(code) + ")") != std::string::npos, error.message.c_str());
        QVERIFY2(error.fix.find("NVRM: Xid") != std::string::npos && error.fix.find("bus") != std::string::npos,
                 error.fix.c_str());
        // Nothing more goes to a driver that has lost its GPU.
        qputenv("RIDGE_FAKE_CUDA", "");
        QVERIFY(bench.device->allocate(64, "more").error().message.find("closed") != std::string::npos);
    }
}

QTEST_GUILESS_MAIN(TestCudaSchedule)
#include "tst_cuda_schedule.moc"
