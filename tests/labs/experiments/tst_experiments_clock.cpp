// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/calibration.h"
#include "clock_device.h"
#include "point.h"

#include <set>

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

struct Outcome {
    Point point;
    Result<void> result;
};

Outcome runOn(ClockDevice& device, const Experiment& experiment, const ParamSet& given)
{
    auto params = complete(experiment.info(), given, "gpu");
    if (params.contains("elements") && !given.contains("elements"))
        params["elements"] = std::int64_t{4096}; // the default is for real GPUs
    Outcome outcome{Point(device, experiment.info(), gpu::CompilerChoice::Shipped), Result<void>()};
    outcome.result = experiment.run(params, outcome.point);
    return outcome;
}

/// Those whose kernels ClockDevice can carry out.
std::vector<std::unique_ptr<Experiment>> knownToTheDevice()
{
    std::vector<std::unique_ptr<Experiment>> known;
    known.push_back(makeCoalescing());
    known.push_back(makeBankConflicts());
    return known;
}

ParamSet coalescingAt(std::int64_t stride, std::int64_t bytes = 4, std::int64_t elements = 4096,
                      std::int64_t offset = 0, std::int64_t laneXor = 0)
{
    return {{"stride", stride},
            {"element_bytes", bytes},
            {"elements", elements},
            {"offset", offset},
            {"lane_xor", laneXor}};
}

} // namespace

/// The experiments on a device that times and does not count, as every GPU without counter permission.
class TestExperimentsClock : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void describesItself();
    void calibrationRunsWhatThereIs();
    void modelsWhatIsNotCounted_data();
    void modelsWhatIsNotCounted();
    void timesAgainstTheBound();
    void boundCountsSharedSectorsOnce();
    void rotatesBuffersPastTheCache();
    void saysWhenTheCacheHoldsTheData();
    void smallLaunchesRotateAtMost256Sets();
    void passesOnTheVerdictOfTheClock();
    void withoutClockReportsNoTime();
    void wrongKernelFailsTheCheck();
    void refusesWhatDoesNotFit();
    void givesMemoryBack();
    void stopsWhenAsked();
    void lastWarpNeedNotBeFull();
    void bankConflictsAreModelled_data();
    void bankConflictsAreModelled();
    void bankConflictsAreTimed();
};

void TestExperimentsClock::describesItself()
{
    std::set<std::string> seen;
    for (const auto& experiment : makeCatalogue()) {
        const ExperimentInfo& info = experiment->info();
        QVERIFY2(seen.insert(info.id).second, info.id.c_str());
        QVERIFY2(!info.limits.empty(), info.id.c_str());
        // It survives the trip to the window.
        const auto back = experimentInfoFromJson(toJson(info));
        QVERIFY2(back.ok(), info.id.c_str());
        QCOMPARE(toJson(*back).dump(), toJson(info).dump());
        for (const auto& spec : info.parameters) {
            QVERIFY2(!spec.help.empty() && !spec.title.empty(), spec.name.c_str());
            QVERIFY2(checkValue(spec, spec.defaultValue).ok(), spec.name.c_str());
            for (const auto& [target, value] : spec.defaultFor)
                QVERIFY2(checkValue(spec, value).ok(), spec.name.c_str());
            for (const auto& [target, range] : spec.sweepFor) {
                const auto axis = parseSweep(info.parameters, spec.name + "=" + range);
                QVERIFY2(axis.ok() && axis->values.size() >= 3, spec.name.c_str());
                QVERIFY2(std::ranges::count(info.targets, target) == 1, spec.name.c_str());
            }
        }
        for (const auto& metric : info.metrics)
            QVERIFY2(metric.help.ends_with('.') && !metric.unit.empty(), metric.name.c_str());
        for (const auto& chart : info.charts)
            // A front and a roofline have a metric on either axis.
            QVERIFY2((info.parameter(chart.x) || (!chart.kind.empty() && info.metric(chart.x))) && info.metric(chart.y),
                     chart.id.c_str());
        for (const auto& limit : info.limits) {
            QVERIFY2(info.metric(limit.metric) && !limit.formula.empty() && !limit.source.empty(),
                     limit.metric.c_str());
            QVERIFY(limit.kind == "lower" || limit.kind == "upper");
        }
        for (const auto& kernel : info.kernels)
            QVERIFY2(gpu::readKernel(kernel).ok(), kernel.c_str());
    }
}

void TestExperimentsClock::calibrationRunsWhatThereIs()
{
    const auto plan = CalibrationPlan::shipped();
    QVERIFY2(plan.ok(), plan.ok() ? "" : toText(plan.error()).c_str());
    std::vector<ExperimentInfo> infos;
    for (const auto& experiment : makeCatalogue())
        infos.push_back(experiment->info());
    for (const char* target : {"gpu:0", "sim:h200-sxm", "cpu"}) {
        QVERIFY(plan->steps(target).size() >= 9);
        for (const CalibrationStep& step : plan->steps(target)) {
            const auto info = findExperiment(infos, step.experiment);
            QVERIFY2(info.ok(), step.experiment.c_str());
            QVERIFY2(std::ranges::count(info->targets, targetClassOf(target)) == 1, step.quantity.c_str());
            const auto complete = completeParams(info->parameters, step.set, targetClassOf(target));
            QVERIFY2(complete.ok(), complete.ok() ? "" : toText(complete.error()).c_str());
            QVERIFY2(info->metric(step.metric) && isRunOf(step, info->id, *complete), step.quantity.c_str());
        }
    }
}

void TestExperimentsClock::modelsWhatIsNotCounted_data()
{
    QTest::addColumn<int>("bytes");
    for (const int bytes : {4, 8, 16})
        QTest::addRow("%d bytes", bytes) << bytes;
}

void TestExperimentsClock::modelsWhatIsNotCounted()
{
    QFETCH(int, bytes);
    const auto experiment = makeCoalescing();
    for (const std::int64_t stride : {1, 2, 3, 5, 7, 8, 9, 33, 128})
        for (const std::int64_t offset : {0, 1, 31})
            for (const std::int64_t laneXor : {0, 13}) {
                ClockDevice device;
                device.hasClock = false; // or each point would fill 256 buffer sets
                auto [point, result] = runOn(device, *experiment, coalescingAt(stride, bytes, 1024, offset, laneXor));
                QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
                QCOMPARE(point.metrics.at("sectors_per_request"),
                         static_cast<double>(expectedGranules(stride, bytes, offset, 32)));
                QCOMPARE(point.metrics.at("lines_per_request"),
                         static_cast<double>(expectedGranules(stride, bytes, offset, 128)));
                QVERIFY(point.provenance.at("sectors_per_request") == Provenance::Modelled);
                QCOMPARE(point.metrics.at("requests"), 32.0);
                QCOMPARE(point.checks.size(), std::size_t{1});
                QVERIFY2(point.checks.front().passed, point.checks.front().detail.c_str());
                QVERIFY(!point.traced);
            }
}

void TestExperimentsClock::timesAgainstTheBound()
{
    ClockDevice device;
    device.seconds = 2e-6;
    auto [point, result] = runOn(device, *makeCoalescing(), coalescingAt(8));
    QVERIFY(result.ok());
    // 4096 loads and stores of 4 bytes; each load moves a sector of its own.
    QCOMPARE(point.metrics.at("bytes_useful"), 2.0 * 4096 * 4);
    QCOMPARE(point.metrics.at("bytes_moved"), 4096.0 * 32 + 4096 * 4);
    QCOMPARE(point.metrics.at("time"), 2e-6);
    QCOMPARE(point.metrics.at("useful_bandwidth"), 2.0 * 4096 * 4 / 2e-6 / 1e9);
    QCOMPARE(point.metrics.at("moved_bandwidth"), 36.0 * 4096 / 2e-6 / 1e9);
    QVERIFY(point.provenance.at("useful_bandwidth") == Provenance::Measured);
    QVERIFY(point.provenance.at("moved_bandwidth") == Provenance::Modelled);
    QCOMPARE(point.limits.at("useful_bandwidth"), 1000.0 * 8 / 36);
    QCOMPARE(point.metrics.at("useful_bandwidth_bound"), 1000.0 * 8 / 36);
    QCOMPARE(point.metrics.at("load_efficiency"), 12.5);

    ClockDevice unknown;
    unknown.about.memoryBytesPerSecond = 0;
    const auto without = runOn(unknown, *makeCoalescing(), coalescingAt(8));
    QVERIFY(without.result.ok());
    QVERIFY(!without.point.metrics.contains("useful_bandwidth_bound"));
    QVERIFY(!without.point.limits.contains("useful_bandwidth"));
}

void TestExperimentsClock::boundCountsSharedSectorsOnce()
{
    // Offset 1: each warp touches 5 sectors, but its last is the next warp's first, and a cache keeps it.
    ClockDevice device;
    auto [point, result] = runOn(device, *makeCoalescing(), coalescingAt(1, 4, 4096, 1));
    QVERIFY(result.ok());
    QCOMPARE(point.metrics.at("sectors_per_request"), 5.0);
    QCOMPARE(point.limits.at("useful_bandwidth"), 1000.0 * (2 * 4096 * 4) / (513 * 32 + 4096 * 4));
}

void TestExperimentsClock::rotatesBuffersPastTheCache()
{
    ClockDevice device;
    auto [point, result] = runOn(device, *makeCoalescing(), coalescingAt(2, 4, 65536));
    QVERIFY(result.ok());
    QCOMPARE(device.timed.size(), std::size_t{2});
    const auto& launches = device.timed.back();
    // A set touches 65536 × (8 + 4) bytes; twice the 8 MiB cache needs 22 of them.
    QCOMPARE(launches.size(), std::size_t{22});
    std::set<std::uint64_t> inputs, outputs;
    for (const auto& launch : launches) {
        inputs.insert(std::get<gpu::DevicePtr>(launch.front().launch.args[0]).address);
        outputs.insert(std::get<gpu::DevicePtr>(launch.front().launch.args[1]).address);
    }
    QCOMPARE(inputs.size(), launches.size());
    QCOMPARE(outputs.size(), launches.size());
    QCOMPARE(QString::fromStdString(point.verdict), QStringLiteral("valid"));

    // A launch that already touches more than twice the cache is timed once, as it is.
    ClockDevice small;
    small.about.l2Bytes = 64 << 10;
    QVERIFY(runOn(small, *makeCoalescing(), coalescingAt(2, 4, 65536)).result.ok());
    QCOMPARE(small.timed.size(), std::size_t{1});
    QCOMPARE(small.timed.front().size(), std::size_t{1});
}

void TestExperimentsClock::saysWhenTheCacheHoldsTheData()
{
    ClockDevice device;
    device.maxBuffers = 6; // someone else holds the rest
    auto [point, result] = runOn(device, *makeCoalescing(), coalescingAt(2, 4, 65536));
    QVERIFY(result.ok());
    QCOMPARE(device.timed.back().size(), std::size_t{3});
    QCOMPARE(QString::fromStdString(point.verdict), QStringLiteral("resident in L2"));
}

void TestExperimentsClock::smallLaunchesRotateAtMost256Sets()
{
    ClockDevice device;
    auto [point, result] = runOn(device, *makeCoalescing(), coalescingAt(1, 4, 1024));
    QVERIFY(result.ok());
    QCOMPARE(device.timed.back().size(), std::size_t{256});
    QCOMPARE(QString::fromStdString(point.verdict), QStringLiteral("resident in L2"));
}

void TestExperimentsClock::passesOnTheVerdictOfTheClock()
{
    for (const auto& experiment : knownToTheDevice()) {
        ClockDevice device;
        device.clockVerdict = "throttled";
        const auto [point, result] = runOn(device, *experiment, {});
        QVERIFY(result.ok());
        QCOMPARE(QString::fromStdString(point.verdict), QStringLiteral("throttled"));
        ClockDevice broken;
        broken.seconds = 0;
        const auto failed = runOn(broken, *experiment, {{"stride", std::int64_t{8}}});
        QVERIFY(!failed.result.ok());
        QCOMPARE(QString::fromStdString(failed.result.error().code), QStringLiteral("bad-timing"));
    }
}

void TestExperimentsClock::withoutClockReportsNoTime()
{
    for (const auto& experiment : knownToTheDevice()) {
        ClockDevice device;
        device.hasClock = false;
        const auto [point, result] = runOn(device, *experiment, {});
        QVERIFY(result.ok());
        for (const char* name : {"time", "useful_bandwidth", "moved_bandwidth", "load_bandwidth", "load_rate"})
            QVERIFY2(!point.metrics.contains(name), name);
        QVERIFY(!point.limits.contains("useful_bandwidth") && !point.limits.contains("load_rate"));
        QVERIFY(device.buffers.empty());
    }
}

void TestExperimentsClock::wrongKernelFailsTheCheck()
{
    for (const auto& experiment : knownToTheDevice()) {
        ClockDevice device;
        device.dropsLastThread = true;
        // Twice on one device: the second launch finds what the first one left in memory.
        for (int run = 0; run < 2; ++run) {
            const auto [point, result] = runOn(device, *experiment, {});
            QVERIFY(result.ok());
            QVERIFY(!point.checks.front().passed);
            QVERIFY(QString::fromStdString(point.checks.front().detail).contains(QLatin1String("first at")));
        }
    }
}

void TestExperimentsClock::refusesWhatDoesNotFit()
{
    ClockDevice device;
    device.about.globalBytes = 10 << 20;
    const auto experiment = makeCoalescing();
    const auto big = runOn(device, *experiment, coalescingAt(128, 16, 1 << 24));
    QVERIFY(!big.result.ok());
    const Error& error = big.result.error();
    QCOMPARE(QString::fromStdString(error.code), QStringLiteral("out-of-memory"));
    for (const char* named : {"stride=128", "elements=16777216", "10 MB"})
        QVERIFY2(QString::fromStdString(error.message).contains(QLatin1String(named)), error.message.c_str());
    // What it suggests does fit, and twice as much does not.
    const QString fix = QString::fromStdString(error.fix);
    QVERIFY2(fix.startsWith(QLatin1String("set elements=")), error.fix.c_str());
    const std::int64_t elements = fix.mid(13).section(QLatin1Char(' '), 0, 0).toLongLong();
    QVERIFY(elements >= 1024);
    QVERIFY(runOn(device, *experiment, coalescingAt(128, 16, elements)).result.ok());
    QVERIFY(!runOn(device, *experiment, coalescingAt(128, 16, 2 * elements)).result.ok());

    device.about.globalBytes = 1 << 20;
    const auto tiny = runOn(device, *experiment, coalescingAt(128, 16, 4096));
    QVERIFY(!tiny.result.ok());
    QCOMPARE(QString::fromStdString(tiny.result.error().fix), QStringLiteral("set elements=1024 and stride=32"));
    QVERIFY(runOn(device, *experiment, coalescingAt(32, 16, 1024)).result.ok());
    QVERIFY(device.buffers.empty());
}

void TestExperimentsClock::givesMemoryBack()
{
    for (const auto& experiment : knownToTheDevice()) {
        ClockDevice device;
        QVERIFY(runOn(device, *experiment, {}).result.ok());
        QVERIFY(device.mostInUse > 0);
        QVERIFY(device.buffers.empty());
    }
}

void TestExperimentsClock::stopsWhenAsked()
{
    const auto experiment = makeCoalescing();
    const auto params = complete(experiment->info(), coalescingAt(64, 16, 16384));
    for (const int polls : {0, 1, 5, 17}) {
        ClockDevice device;
        Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
        point.cancelAfter = polls;
        const auto result = experiment->run(params, point);
        QVERIFY2(!result.ok(), QByteArray::number(polls).constData());
        QCOMPARE(QString::fromStdString(result.error().code), QStringLiteral("cancelled"));
        QVERIFY(device.buffers.empty());
    }
}

void TestExperimentsClock::lastWarpNeedNotBeFull()
{
    for (const std::int64_t elements : {1025, 1032, 1040})
        for (const std::int64_t laneXor : {0, 31}) {
            ClockDevice device;
            auto [point, result] = runOn(device, *makeCoalescing(), coalescingAt(1, 4, elements, 0, laneXor));
            QVERIFY(result.ok());
            QVERIFY2(point.checks.front().passed, point.checks.front().detail.c_str());
            QCOMPARE(point.metrics.at("requests"), 33.0);
            QVERIFY(point.metrics.at("sectors_per_request") < 4);
            QVERIFY(point.withinLimits());
        }
}

void TestExperimentsClock::bankConflictsAreModelled_data()
{
    modelsWhatIsNotCounted_data();
}

void TestExperimentsClock::bankConflictsAreModelled()
{
    QFETCH(int, bytes);
    const auto experiment = makeBankConflicts();
    for (std::int64_t stride = 1; stride <= 128; ++stride) {
        ClockDevice device;
        auto [point, result] =
            runOn(device, *experiment,
                  {{"stride", stride}, {"word_bytes", std::int64_t{bytes}}, {"iterations", std::int64_t{4}}});
        QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
        QVERIFY2(point.checks.front().passed, point.checks.front().detail.c_str());
        QVERIFY(point.provenance.at("conflict_degree") == Provenance::Modelled);
        // Words of 4 × k bytes in 32 banks: a phase of 32 / k lanes meets gcd(stride, 32 / k) times.
        const std::int64_t lanes = 32 / (bytes / 4);
        QCOMPARE(point.metrics.at("conflict_degree"), static_cast<double>(std::gcd(stride, lanes)));
        QCOMPARE(point.limits.at("wavefronts_per_request"), bytes / 4.0);
        QVERIFY(point.withinLimits());
    }
}

void TestExperimentsClock::bankConflictsAreTimed()
{
    ClockDevice device;
    device.seconds = 1e-5; // 10 000 clocks
    auto [point, result] =
        runOn(device, *makeBankConflicts(),
              {{"stride", std::int64_t{2}}, {"iterations", std::int64_t{64}}, {"warps", std::int64_t{8}}});
    QVERIFY(result.ok());
    QCOMPARE(point.metrics.at("requests"), 4.0 * 8 * 64);
    QCOMPARE(point.metrics.at("bank_conflicts"), 4.0 * 8 * 64);
    QCOMPARE(point.metrics.at("load_bandwidth"), 4.0 * 8 * 64 * 128 / 1e-5 / 1e9);
    QCOMPARE(point.metrics.at("load_rate"), 8.0 * 64 * 128 / 10000);
    QCOMPARE(point.limits.at("load_rate"), 64.0);
    QCOMPARE(point.metrics.at("load_rate_bound"), 64.0);
}

QTEST_GUILESS_MAIN(TestExperimentsClock)
#include "tst_experiments_clock.moc"
