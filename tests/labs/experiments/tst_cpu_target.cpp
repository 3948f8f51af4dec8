// SPDX-License-Identifier: GPL-3.0-or-later
// The target "cpu": what measures this machine's processor, and experiments that run there.
#include "clock_device.h"
#include "host/measure.h"
#include "host/vector_loops.h"
#include "labs/harness/host_time.h"
#include "labs/worker/execute.h"
#include "point.h"

#include <cmath>
#include <fstream>

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

QString text(const std::string& from)
{
    return QString::fromStdString(from);
}

/// Enough for a verdict, not for a good number.
host::Sampling brief()
{
    return {0.005, 0.0002, {}};
}

std::vector<int> threads(unsigned count)
{
    return std::vector<int>(count, host::machine().processors.front());
}

std::vector<const host::Loops*> buildsHere()
{
    std::vector<const host::Loops*> builds{&host::kBaselineLoops};
#ifdef __x86_64__
    if (host::loops().vectorBytes >= 32)
        builds.push_back(&host::kAvx2Loops);
    if (host::loops().vectorBytes >= 64)
        builds.push_back(&host::kAvx512Loops);
#endif
    return builds;
}

/// A tile of small whole numbers, written and then added to once more, in rows that lie apart.
void multipliesATile(const host::Loops& loops, std::size_t k)
{
    const std::size_t rows = loops.tileRows, width = 2 * loops.vectorBytes / 4, apart = width + 3;
    std::vector<float> a(k * rows), b(k * width), c(rows * apart, -1.0f);
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<float>(i % 7) - 3;
    for (std::size_t i = 0; i < b.size(); ++i)
        b[i] = static_cast<float>(i % 11) - 5;
    loops.sgemmTile(a.data(), b.data(), k, c.data(), apart, false);
    loops.sgemmTile(a.data(), b.data(), k, c.data(), apart, true);
    for (std::size_t i = 0; i < c.size(); ++i) {
        float wanted = 0;
        for (std::size_t step = 0; step < k; ++step)
            wanted += 2 * a[step * rows + i / apart] * b[step * width + i % apart % width];
        QCOMPARE(c[i], i % apart < width ? wanted : -1);
    }
}

struct Reply {
    std::vector<Event> events;
    bool finished = false;
    template<class T>
    const T* first() const
    {
        for (const Event& event : events)
            if (const auto* found = std::get_if<T>(&event))
                return found;
        return nullptr;
    }
};

Reply executed(const std::string& experiment, const std::string& target, const ParamSet& point)
{
    RunRequest request;
    request.experiment = experiment;
    request.target = target;
    request.points = {point};
    Reply reply;
    reply.finished = execute(
        makeCatalogue(), request, [&](const Event& event) { reply.events.push_back(event); }, {},
        [] { return Error{}; });
    return reply;
}

} // namespace

class TestCpuTarget : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyBuildOfTheLoopsAgrees();
    void partsCoverEverything();
    void streamsAreRight_data();
    void streamsAreRight();
    void chaseGoesAroundOnce();
    void readsAndMultiplyAddsAreRight();
    void mixesBytesAndOperations();
    void stopsWhenAsked();
    void judgesItsSamples();
    void readsWhatLinuxTells();
    void refusesWhatDoesNotFit();
    void workerRunsExperimentsThere_data();
    void workerRunsExperimentsThere();
    void boundsAreWhatItReads();
    void memoryIsMoreThanTheLastCache();
    void roofsAreMeasuredOnceForARequest();
    void workerSaysWhatDoesNotRunThere();
};

void TestCpuTarget::everyBuildOfTheLoopsAgrees()
{
    for (const host::Loops* loops : buildsHere())
        for (const std::size_t n :
             {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{1003}}) {
            std::vector<float> a(n), b(n), c(n + 1, -1.0f);
            std::uint32_t words = 0;
            double products = 0;
            for (std::size_t i = 0; i < n; ++i) {
                a[i] = static_cast<float>(i % 97) - 48;
                b[i] = static_cast<float>(i % 13) - 6;
                words += std::bit_cast<std::uint32_t>(a[i]);
                products += double{a[i]} * double{b[i]}; // whole numbers: exact in any order
            }
            const auto all = [&](auto wanted) {
                for (std::size_t i = 0; i < n; ++i)
                    if (c[i] != wanted(i))
                        return false;
                return c[n] == -1; // and nothing past the end
            };
            loops->copy(c.data(), a.data(), n);
            QVERIFY2(all([&](auto i) { return a[i]; }), loops->name);
            loops->scale(c.data(), a.data(), 3, n);
            QVERIFY2(all([&](auto i) { return 3 * a[i]; }), loops->name);
            loops->add(c.data(), a.data(), b.data(), n);
            QVERIFY2(all([&](auto i) { return a[i] + b[i]; }), loops->name);
            loops->triad(c.data(), a.data(), b.data(), 3, n);
            QVERIFY2(all([&](auto i) { return a[i] + 3 * b[i]; }), loops->name);
            loops->write(c.data(), 7, n);
            QVERIFY2(all([&](auto) { return 7.0f; }), loops->name);
            QCOMPARE(loops->read(a.data(), n), words);
            QCOMPARE(loops->dot(a.data(), b.data(), n), products);
            // x = 1·x + 2 from 0, in each lane of each chain.
            QCOMPARE(loops->fma32(1000, 1, 2), 2000.0 * loops->chains * loops->vectorBytes / 4);
            QCOMPARE(loops->fma64(1000, 1, 2), 2000.0 * loops->chains * loops->vectorBytes / 8);
            multipliesATile(*loops, n % 50);
        }
}

void TestCpuTarget::partsCoverEverything()
{
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{16}, std::uint64_t{1000003}})
        for (const unsigned parts : {1u, 2u, 7u, 64u}) {
            std::uint64_t next = 0;
            for (unsigned part = 0; part < parts; ++part) {
                const host::Part got = host::partOf(n, part, parts);
                QCOMPARE(got.begin, next);
                QVERIFY(got.end >= got.begin && (got.end % 16 == 0 || got.end == n));
                next = got.end;
            }
            QCOMPARE(next, n);
        }
}

void TestCpuTarget::streamsAreRight_data()
{
    QTest::addColumn<QByteArray>("operation");
    for (const char* operation : {"copy", "scale", "add", "triad", "read", "write", "dot"})
        QTest::newRow(operation) << QByteArray(operation);
}

void TestCpuTarget::streamsAreRight()
{
    QFETCH(QByteArray, operation);
    const auto experiment = makeStream();
    for (const std::int64_t bytes : {1024, 100004}) {
        ClockDevice none;
        Point point(none, experiment->info(), gpu::CompilerChoice::Shipped);
        const auto params =
            complete(experiment->info(), {{"operation", operation.toStdString()}, {"bytes", bytes}}, "cpu");
        const auto result = experiment->runOnCpu(params, point);
        QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
        QCOMPARE(point.checks.size(), std::size_t{1});
        QVERIFY2(point.checks.front().passed, point.checks.front().detail.c_str());
        QVERIFY(point.provenance.at("bandwidth") == Provenance::Measured);
        QCOMPARE(point.metrics.at("bandwidth"), point.metrics.at("bytes_moved") / point.metrics.at("time") / 1e9);
        QVERIFY(point.limits.empty());
    }
}

void TestCpuTarget::chaseGoesAroundOnce()
{
    host::Team one(threads(1));
    for (const std::uint64_t slots : {2u, 3u, 100u, 4096u}) {
        Rng rng(slots);
        const auto time = host::timeChase(one, slots * 64 + 63, 64, rng, brief());
        QVERIFY(time.ok());
        QCOMPARE(time->slots, slots);
        QCOMPARE(time->around, slots);
        QVERIFY(time->timing.medianSeconds > 0 && time->timing.minSeconds <= time->timing.medianSeconds &&
                time->timing.medianSeconds <= time->timing.p95Seconds);
    }
    Rng rng(1);
    QCOMPARE(text(host::timeChase(one, 64, 64, rng, brief()).error().code), QStringLiteral("bad-value"));
    QCOMPARE(text(host::timeChase(one, 640, 12, rng, brief()).error().code), QStringLiteral("bad-value"));
}

void TestCpuTarget::readsAndMultiplyAddsAreRight()
{
    host::Team team(threads(2));
    QCOMPARE(team.size(), 2u);
    const auto reads = host::timeReads(team, 10007 * 4, brief());
    QVERIFY(reads.ok() && reads->sumsRight);
    QCOMPARE(reads->bytes, std::uint64_t{2 * 10007 * 4});
    for (const auto precision : {host::HostPrecision::Fp32, host::HostPrecision::Fp64}) {
        const auto fma = host::timeFma(team, precision, brief());
        QVERIFY(fma.ok() && fma->resultRight);
        const double bytes = precision == host::HostPrecision::Fp32 ? 4 : 8;
        QCOMPARE(fma->flops, 2.0 * 16384 * host::loops().chains * host::loops().vectorBytes / bytes * 2);
    }
}

void TestCpuTarget::mixesBytesAndOperations()
{
    host::Team team(threads(2));
    for (const auto precision : {host::HostPrecision::Fp32, host::HostPrecision::Fp64})
        for (const unsigned work : {1u, 2u, 4u, 8u, 16u, 32u, 4096u}) {
            const auto mix = host::timeMix(team, precision, work, 10000, brief());
            QVERIFY(mix.ok());
            QVERIFY2(mix->resultRight, QByteArray::number(work).constData());
            const double element = precision == host::HostPrecision::Fp32 ? 4 : 8;
            QCOMPARE(mix->flops / static_cast<double>(mix->bytes), 2.0 * work / 16 / element);
            QVERIFY(mix->bytes <= 20000 && mix->bytes >= 2 * 16 * host::loops().vectorBytes);
        }
    QCOMPARE(text(host::timeMix(team, host::HostPrecision::Fp32, 3, 1, brief()).error().code),
             QStringLiteral("bad-value"));
}

void TestCpuTarget::stopsWhenAsked()
{
    host::Team team(threads(1));
    int asked = 0;
    host::Sampling how = brief();
    how.stop = [&] { return ++asked > 3; };
    const auto reads = host::timeReads(team, 4096, how);
    QVERIFY(!reads.ok());
    QCOMPARE(text(reads.error().code), QStringLiteral("cancelled"));
    asked = 3;
    Rng rng(1);
    QCOMPARE(text(host::timeChase(team, 1 << 23, 64, rng, how).error().code), QStringLiteral("cancelled"));
    QCOMPARE(text(host::timeFma(team, host::HostPrecision::Fp32, how).error().code), QStringLiteral("cancelled"));
}

void TestCpuTarget::judgesItsSamples()
{
    QCOMPARE(text(host::verdict(10, 1, "unknown")), QStringLiteral("valid"));
    QCOMPARE(text(host::verdict(10, 1, "ac")), QStringLiteral("valid"));
    QCOMPARE(text(host::verdict(4, 1, "battery")), QStringLiteral("too few samples"));
    QCOMPARE(text(host::verdict(10, 0.9, "battery")), QStringLiteral("contended"));
    QCOMPARE(text(host::verdict(10, 1, "battery")), QStringLiteral("on battery"));
    // Two threads on one processor each get half of it.
    host::Team crowded(threads(2));
    host::Sampling how = brief();
    how.sampleSeconds = 0.02;
    const auto fma = host::timeFma(crowded, host::HostPrecision::Fp64, how);
    if (host::machine().processors.size() > 1) // where pinning works, they meet
        QVERIFY(fma->timing.busy < 0.97 || fma->timing.validity == "too few samples");
}

void TestCpuTarget::readsWhatLinuxTells()
{
    QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString();
    const auto put = [&](const std::filesystem::path& file, const char* content) {
        std::filesystem::create_directories((root / file).parent_path());
        std::ofstream(root / file) << content;
    };
    const std::string cpu = "cpus/cpu" + std::to_string(host::machine().processors.front());
    put("cpuinfo", "processor\t: 0\nmodel name\t: Some Processor 9\n");
    put("meminfo", "MemTotal:       1024 kB\nMemFree: 1 kB\nMemAvailable:    512 kB\n");
    const auto cache = [&](int index, const char* level, const char* type, const char* size, const char* shared) {
        const std::string at = cpu + "/cache/index" + std::to_string(index);
        put(at + "/level", level);
        put(at + "/type", type);
        put(at + "/size", size);
        put(at + "/shared_cpu_list", shared);
    };
    cache(0, "1\n", "Data\n", "32K\n", "0\n");
    cache(1, "1\n", "Instruction\n", "64K\n", "0\n");
    cache(2, "3\n", "Unified\n", "32M\n", "0-7,64-71\n");
    put(cpu + "/cpufreq/scaling_governor", "powersave\n");
    const host::Machine machine = host::machine({root / "cpuinfo", root / "meminfo", root / "cpus"});
    QCOMPARE(text(machine.name), QStringLiteral("Some Processor 9"));
    QCOMPARE(machine.memoryBytes, std::uint64_t{1} << 20);
    QCOMPARE(machine.availableBytes, std::uint64_t{1} << 19);
    QCOMPARE(machine.caches.size(), std::size_t{2});
    QCOMPARE(machine.caches[0].bytes, std::uint64_t{32768});
    QCOMPARE(machine.caches[1].bytes, std::uint64_t{32} << 20);
    QCOMPARE(machine.caches[1].sharedBy, 16);
    const Json described = host::describe(machine);
    QCOMPARE(text(described.at("governor").get<std::string>()), QStringLiteral("powersave"));
    QCOMPARE(described.at("caches").at(1).at("level").get<int>(), 3);
}

void TestCpuTarget::refusesWhatDoesNotFit()
{
    const auto pages = host::Pages::allocate(std::uint64_t{1} << 50);
    QVERIFY(!pages.ok());
    QCOMPARE(text(pages.error().code), QStringLiteral("out-of-memory"));
    QVERIFY(!pages.error().fix.empty());
}

void TestCpuTarget::workerRunsExperimentsThere_data()
{
    QTest::addColumn<QByteArray>("experiment");
    for (const char* experiment : {"stream", "latency", "level_bandwidth", "roofline"})
        QTest::newRow(experiment) << QByteArray(experiment);
}

void TestCpuTarget::workerRunsExperimentsThere()
{
    QFETCH(QByteArray, experiment);
    ParamSet small;
    if (experiment == "stream")
        small = {{"bytes", std::int64_t{1 << 20}}};
    if (experiment == "roofline")
        small = {{"level", std::string("shared")}};
    const Reply reply = executed(experiment.toStdString(), "cpu", small);
    const auto* failed = reply.first<FailedEvent>();
    QVERIFY2(reply.finished, failed ? toText(failed->error).c_str() : "");
    const auto* started = reply.first<StartedEvent>();
    QVERIFY(started && started->provenance == Provenance::Measured);
    QVERIFY(started->fingerprint->at("target").at("processors").get<std::size_t>() >= 1);
    const auto* sample = reply.first<SampleEvent>();
    QVERIFY(sample && sample->metrics.contains("time"));
    QVERIFY(sample->metrics.at("time").provenance == Provenance::Measured && sample->metrics.at("time").value > 0);
    for (const CheckResult& check : sample->checks)
        QVERIFY2(check.passed, check.detail.c_str());
    QVERIFY(!sample->checks.empty());
}

/// Bounds that this machine's own reads set; where they would be none, none is drawn.
void TestCpuTarget::boundsAreWhatItReads()
{
    ClockDevice none;
    const auto limitOf = [&](const std::unique_ptr<GpuExperiment>& experiment, const ParamSet& set, const char* metric,
                             const std::map<std::string, double>& told) {
        Point point(none, experiment->info(), gpu::CompilerChoice::Shipped);
        point.common = told;
        const auto result = experiment->runOnCpu(complete(experiment->info(), set, "cpu"), point);
        const auto limit = point.limits.find(metric);
        return !result.ok() ? -1.0 : limit == point.limits.end() ? 0.0 : limit->second / point.metrics.at(metric);
    };
    // A core that reads 32 KiB in order moves several times as much as one that chases through them.
    const double chase = limitOf(makeLatency(), {{"working_set", std::int64_t{32768}}}, "chase_bandwidth", {});
    QVERIFY2(chase > 2, qPrintable(QString::number(chase)));
    const ParamSet small{{"bytes", std::int64_t{1 << 20}}};
    QCOMPARE(limitOf(makeStream(), small, "bandwidth", {}), 0.0); // in the caches
    const std::uint64_t memory = hostMemoryBytes(0, host::machine());
    if (memory == 0 || memory > 512u << 20)
        QSKIP("the last cache of this processor is too large for arrays of a test, or nobody tells its size");
    const ParamSet large{{"bytes", std::int64_t(memory)}, {"operation", std::string("read")}};
    const std::string roof = "reads of " + std::to_string(memory / host::machine().processors.size()) + " B";
    QVERIFY(limitOf(makeStream(), large, "bandwidth", {{roof, 1e18}, {roof + ", settled", 1}}) > 1e3);
    QVERIFY(limitOf(makeStream(), large, "bandwidth", {{roof, 1}, {roof + ", settled", 1}}) >= 1); // raised to it
}

/// A size that is enough for a simulator would lie in the cache of a processor and be called memory.
void TestCpuTarget::memoryIsMoreThanTheLastCache()
{
    const auto experiment = makeRoofline();
    ClockDevice none;
    Point point(none, experiment->info(), gpu::CompilerChoice::Shipped);
    const auto params =
        complete(experiment->info(), {{"fma_per_16", std::int64_t{1}}, {"mebibytes", std::int64_t{1}}}, "cpu");
    const auto result = experiment->runOnCpu(params, point);
    QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
    const host::Machine machine = host::machine();
    const double last = machine.caches.empty() ? 0 : static_cast<double>(machine.caches.back().bytes);
    const double least = std::max(1048576.0, std::min(4 * last, 1073741824.0));
    QVERIFY(point.metrics.at("dram_bytes") > 0.98 * least); // threads take whole pieces
    QVERIFY(point.metrics.at("dram_bytes") <= 1.02 * least);
}

void TestCpuTarget::roofsAreMeasuredOnceForARequest()
{
    const auto experiment = makeRoofline();
    ClockDevice none;
    std::map<std::string, double> told;
    const auto ran = [&](std::int64_t work, const char* level) {
        Point point(none, experiment->info(), gpu::CompilerChoice::Shipped);
        point.common = told;
        const auto params = complete(experiment->info(), {{"fma_per_16", work}, {"level", std::string(level)}}, "cpu");
        const auto result = experiment->runOnCpu(params, point);
        told = point.common;
        return result.ok() ? point.limits.at("bandwidth") * point.metrics.at("ridge") / point.metrics.at("peak") : 0;
    };
    const std::string peak = "peak of fp32", first = "reads of 16384 B", second = "reads of 262144 B";
    QVERIFY(std::abs(ran(16, "shared") - 1) < 1e-9); // ridge = peak / bandwidth
    QVERIFY(told.at(peak) > 0 && told.at(first) > 0 && !told.contains(second));
    // Far above what any processor does: only what was told can be the roof now, and the ridge follows it.
    told = {{peak, 1e18}, {peak + ", settled", 1}, {first, 1e17}, {first + ", settled", 1}};
    const auto before = told;
    QVERIFY(std::abs(ran(1024, "shared") - 1) < 1e-9);
    QCOMPARE(told, before);
    QVERIFY(std::abs(ran(1024, "l2") - 1) < 1e-9); // another level has a roof of its own, the same peak
    QVERIFY(told.at(peak) == 1e18 && told.at(second) > 0 && told.at(second) < 1e17);
    // A roof that the work itself passes is raised to it.
    told = {{peak, 1}, {peak + ", settled", 1}, {first, 1}, {first + ", settled", 1}};
    ran(4096, "shared");
    const double raised = told.at(first);
    QVERIFY(told.at(peak) > 1e6 && raised > 1e6);
    // One that was measured beside others is measured again, and not forgotten. Work with 128 operations a byte reads
    // far less than the cache gives.
    told = {{peak, 1e18}, {peak + ", settled", 0}, {first, 1}, {first + ", settled", 0}};
    ran(4096, "shared");
    QVERIFY(told.at(peak) == 1e18 && told.at(first) > 2 * raised);
}

void TestCpuTarget::workerSaysWhatDoesNotRunThere()
{
    const Reply halves = executed("roofline", "cpu", {{"type", std::string("half2")}});
    QVERIFY(!halves.finished);
    QCOMPARE(text(halves.first<FailedEvent>()->error.code), QStringLiteral("bad-value"));
    const Reply reply = executed("coalescing", "cpu", {});
    QVERIFY(!reply.finished);
    const Error& error = reply.first<FailedEvent>()->error;
    QCOMPARE(text(error.code), QStringLiteral("unsupported-target"));
    QVERIFY2(error.fix.find("gpu, sim") != std::string::npos, error.fix.c_str());
    QCOMPARE(text(executed("stream", "cpu:1", {}).first<FailedEvent>()->error.code), QStringLiteral("unknown-target"));
    QCOMPARE(text(openTarget("cpu", {}, {}).error().code), QStringLiteral("unsupported-target"));
}

QTEST_GUILESS_MAIN(TestCpuTarget)
#include "tst_cpu_target.moc"
