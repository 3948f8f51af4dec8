// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_driver.h"

#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/timing_statistics.h"

#include <algorithm>
#include <dlfcn.h>
#include <limits>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::cuda;

namespace {

/// Facts of a good measurement: 20 samples of 10 us.
TimingFacts good()
{
    TimingFacts facts;
    facts.seconds.assign(20, 10e-6);
    facts.eventSeconds = 200e-6;
    facts.wallSeconds = 220e-6;
    facts.boostClockHz = 1980e6;
    GpuState state;
    state.smClockHz = 1980e6;
    facts.before = state;
    facts.during = {state};
    return facts;
}

} // namespace

class TestCudaTiming : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void statistics();
    void ratiosAreOfPairs();
    void verdicts();
    void verdictsAdd();
    void ourOwnProcessIsNoContention();
    void timesAKernel_data();
    void timesAKernel();
    void alternatingLaunchesAverage();
    void armsTakeTurns();
    void aSequenceIsTimedWhole();
    void regimesArePlans();
    void eventsThatOutrunTheWallClock();
    void nvmlFindings_data();
    void nvmlFindings();
    void withoutNvmlTheVerdictSaysSo();
    void stopAndFaultEndATiming();
    void slowCallsDoNotEnterTheTime();
    void withoutAGateTheVerdictSaysSo();
    void anErrorBehindTheGateLetsItGo();
    void nothingToTime();
    void energyOfASequence();
    void aLaunchAlone();
    void aLaunchAloneOnAnOldDriver();

private:
    static Timing measure(const char* cuda, const char* nvml = "");
};

void TestCudaTiming::statistics()
{
    TimingFacts facts = good();
    facts.seconds = {5, 1, 3, 2, 4};
    const Timing timing = summarise(facts);
    QCOMPARE(timing.medianSeconds, 3.0);
    QCOMPARE(timing.minSeconds, 1.0);
    QCOMPARE(timing.iqrSeconds, 2.0);
    QCOMPARE(timing.samples, 5);
    facts.seconds = {1, 2};
    QCOMPARE(summarise(facts).medianSeconds, 1.5);
    facts.seconds = {7};
    QCOMPARE(summarise(facts).iqrSeconds, 0.0);
    const std::array<double, 4> samples{9, 11, 9, 11};
    QVERIFY(std::abs(relativeDeviation(samples) - std::sqrt(4.0 / 3.0) / 10) < 1e-12);
    QCOMPARE(relativeDeviation({}), 0.0);
}

void TestCudaTiming::ratiosAreOfPairs()
{
    // Ratios 2, 1 and 3: their median is 2, half of them lie within 1. The ratio of the medians would be 4 ÷ 3.
    const std::array<double, 3> own{1, 4, 3}, other{2, 4, 9};
    const auto ratio = pairedRatio(other, own);
    QVERIFY(ratio.has_value());
    QCOMPARE(ratio->median, 2.0);
    QCOMPARE(ratio->iqr, 1.0);
    QCOMPARE(ratio->pairs, 3);
    // A chip that gets slower all the while, by powers of two: what is in both times of a pair is not in their ratio.
    std::vector<double> first, second;
    for (int i = 0; i < 9; ++i) {
        first.push_back(std::ldexp(1.0, i));
        second.push_back(1.25 * first.back());
    }
    const auto drift = pairedRatio(second, first);
    QCOMPARE(drift->median, 1.25);
    QCOMPARE(drift->iqr, 0.0);
    QCOMPARE(drift->pairs, 9);
    // Only pairs count, and only those whose first time is one.
    const std::array<double, 4> longer{3, 5, 8, 100}, withZero{2, 0, 2};
    QCOMPARE(pairedRatio(longer, withZero)->pairs, 2);
    QCOMPARE(pairedRatio(longer, withZero)->median, 2.75);
    QVERIFY(!pairedRatio({}, own) && !pairedRatio(own, std::array<double, 1>{0.0}));
}

void TestCudaTiming::verdicts()
{
    QCOMPARE(verdict(good()), std::string("valid"));
    TimingFacts facts = good();
    facts.seconds.resize(3);
    QCOMPARE(verdict(facts), std::string("too few samples (3 of 10)"));
    facts = good();
    facts.during[0].throttleReasons = kThrottlePowerCap | 0x40;
    QCOMPARE(verdict(facts), std::string("throttled (temperature, power limit)"));
    facts = good();
    facts.during[0].throttleReasons = 0x1 | 0x2; // idle, application clocks: no throttling
    QCOMPARE(verdict(facts), std::string("valid"));
    facts = good();
    facts.during[0].smClockHz = 900e6;
    QVERIFY(verdict(facts).starts_with("clock low (900 MHz"));
    facts = good();
    facts.eventSeconds = 240e-6;
    QVERIFY(verdict(facts).starts_with("clocks disagree"));
    facts = good();
    facts.onBattery = true;
    QCOMPARE(verdict(facts), std::string("on battery"));
    facts = good();
    facts.batched = true;
    facts.enqueueSeconds = 199e-6;
    QVERIFY(verdict(facts).starts_with("launch-bound"));
    facts = good();
    for (std::size_t i = 0; i < facts.seconds.size(); i += 2)
        facts.seconds[i] = 12e-6;
    QVERIFY2(verdict(facts).starts_with("unsteady"), verdict(facts).c_str());
    facts = good();
    facts.before.reset();
    QVERIFY(verdict(facts).starts_with("unchecked"));
    QVERIFY(verdict(TimingFacts{}).starts_with("too few samples"));
}

void TestCudaTiming::verdictsAdd()
{
    TimingFacts facts = good();
    facts.during[0].throttleReasons = kThrottlePowerCap;
    facts.seconds.resize(2);
    QCOMPARE(verdict(facts), std::string("throttled (power limit); too few samples (2 of 10)"));
}

void TestCudaTiming::ourOwnProcessIsNoContention()
{
    TimingFacts facts = good();
    facts.during[0].computeProcesses = {42};
    QCOMPARE(verdict(facts), std::string("contended (1 other process)"));
    facts.ourProcesses = {42};
    QCOMPARE(verdict(facts), std::string("valid"));
}

Timing TestCudaTiming::measure(const char* cuda, const char* nvml)
{
    useFakes(cuda, nvml);
    const auto device = openCudaDevice(0, {});
    const auto program = (*device)->load(Program{"test.cu", kPtx, "sm_80", "nvrtc", "13.0", ""});
    const std::vector<Launch> launches(2, Launch{"spin", {1, 1, 1}, {32, 1, 1}, 0, {}});
    const auto timing = (*device)->time(**program, launches);
    return timing.ok() && *timing ? **timing : Timing{};
}

void TestCudaTiming::timesAKernel_data()
{
    QTest::addColumn<QByteArray>("fake");
    QTest::addColumn<double>("seconds");
    QTest::newRow("long, one at a time") << QByteArray("kernel_us=3000") << 3e-3;
    QTest::newRow("short, in batches") << QByteArray("kernel_us=20") << 20e-6;
}

void TestCudaTiming::timesAKernel()
{
    QFETCH(QByteArray, fake);
    QFETCH(double, seconds);
    const Timing timing = measure(fake.constData());
    QVERIFY(timing.samples >= 10);
    // The stand-in's time line runs on the wall clock of a busy machine: a stall between two launches stretches a
    // span, nothing shortens one.
    QVERIFY2(timing.minSeconds >= seconds * 0.999, qPrintable(QString::number(timing.minSeconds)));
    QVERIFY2(timing.minSeconds <= seconds * 1.5, qPrintable(QString::number(timing.minSeconds)));
    QVERIFY(timing.medianSeconds >= timing.minSeconds);
    QVERIFY(timing.validity.find("clocks disagree") == std::string::npos);
    QVERIFY(timing.validity.find("unchecked") == std::string::npos);
}

void TestCudaTiming::alternatingLaunchesAverage()
{
    // Launches alternate between 2.5 and 7.5 us. Batches hold whole rounds, so that each sample averages to 5.
    const Timing timing = measure("kernel_us=5,wobble=0.5");
    QVERIFY2(timing.minSeconds >= 4.99e-6, qPrintable(QString::number(timing.minSeconds)));
}

void TestCudaTiming::armsTakeTurns()
{
    // Launches alternate between 1 and 3 ms. Two arms of one launch each, one sample of each in turn: one arm meets the
    // short launches, the other the long ones. Sampled one after the other, both would see a mixture.
    useFakes("kernel_us=2000,wobble=0.5");
    const auto device = openCudaDevice(0, {});
    const auto program = (*device)->load(Program{"test.cu", kPtx, "sm_80", "nvrtc", "13.0", ""});
    const Sequence one{Step{program->get(), Launch{"spin", {1, 1, 1}, {32, 1, 1}, 0, {}}}};
    const std::array<Arm, 2> arms{Arm{"candidate", {one}}, Arm{"reference", {one}}};
    const auto timings = (*device)->timeArms(arms, {});
    QVERIFY(timings.ok());
    QCOMPARE(timings->size(), std::size_t{2});
    const auto [shorter, longer] = std::minmax((*timings)[0].minSeconds, (*timings)[1].minSeconds);
    QVERIFY2(shorter >= 0.999e-3 && shorter < 1.9e-3, qPrintable(QString::number(shorter)));
    QVERIFY2(longer >= 2.999e-3, qPrintable(QString::number(longer)));
    QVERIFY((*timings)[0].p95Seconds >= (*timings)[0].medianSeconds);
    // As many pairs as samples, each of a short and a long launch: 3 or 1 ÷ 3, as far as nothing was held up.
    QVERIFY(!(*timings)[0].toFirst && (*timings)[1].toFirst);
    const PairedRatio pairs = *(*timings)[1].toFirst;
    QCOMPARE(pairs.pairs, (*timings)[1].samples);
    QVERIFY2((pairs.median > 1) == ((*timings)[1].minSeconds > (*timings)[0].minSeconds),
             qPrintable(QString::number(pairs.median)));
}

void TestCudaTiming::aSequenceIsTimedWhole()
{
    useFakes("kernel_us=500");
    const auto device = openCudaDevice(0, {});
    const auto program = (*device)->load(Program{"test.cu", kPtx, "sm_80", "nvrtc", "13.0", ""});
    const Step step{program->get(), Launch{"spin", {1, 1, 1}, {32, 1, 1}, 0, {}}};
    const std::array<Arm, 1> arms{Arm{"three launches", {Sequence(3, step)}}};
    const auto timings = (*device)->timeArms(arms, {});
    QVERIFY(timings.ok());
    QVERIFY2(timings->front().minSeconds >= 1.499e-3, qPrintable(QString::number(timings->front().minSeconds)));
    const std::array<Arm, 1> empty{Arm{"nothing", {Sequence{}}}};
    QCOMPARE((*device)->timeArms(empty, {}).error().code, std::string("bad-launch"));
}

void TestCudaTiming::regimesArePlans()
{
    const TimingPlan burst = planFor(Regime::Burst, 0), settled = planFor(Regime::Settled, 0);
    QCOMPARE(burst.restSeconds, 1.0);
    QCOMPARE(burst.warmUpRounds, 3);
    QVERIFY(burst.minSamples >= 10 && burst.maxSamples <= 20);
    QVERIFY(settled.warmUpSeconds >= 3 && settled.settleSeconds > settled.warmUpSeconds);
    QCOMPARE(planFor(Regime::Quick, 2.5).budgetSeconds, 2.5);
    for (const Regime regime : {Regime::Quick, Regime::Burst, Regime::Settled})
        QVERIFY(regimeFromText(toText(regime)) == regime);
    QVERIFY(!regimeFromText("lukewarm"));

    // A device opened for a burst rests first.
    useFakes("kernel_us=1000");
    DeviceOptions options;
    options.regime = Regime::Burst;
    const auto device = openCudaDevice(0, options);
    const auto program = (*device)->load(Program{"test.cu", kPtx, "sm_80", "nvrtc", "13.0", ""});
    const std::vector<Launch> launches{Launch{"spin", {1, 1, 1}, {32, 1, 1}, 0, {}}};
    QElapsedTimer watch;
    watch.start();
    const auto timing = (*device)->time(**program, launches);
    QVERIFY(timing.ok() && timing->has_value());
    QVERIFY(watch.elapsed() >= 1000);
    QVERIFY((*timing)->samples <= 20);
}

void TestCudaTiming::eventsThatOutrunTheWallClock()
{
    const Timing timing = measure("kernel_us=2000,skew=50");
    QVERIFY2(timing.validity.find("clocks disagree") != std::string::npos, timing.validity.c_str());
}

void TestCudaTiming::nvmlFindings_data()
{
    QTest::addColumn<QByteArray>("nvml");
    QTest::addColumn<QString>("finding");
    QTest::newRow("power") << QByteArray("reasons=4") << "throttled (power limit)";
    QTest::newRow("slow clock") << QByteArray("clock=345") << "clock low (345 MHz";
    QTest::newRow("others") << QByteArray("others=2") << "contended (2 other processes)";
}

void TestCudaTiming::nvmlFindings()
{
    QFETCH(QByteArray, nvml);
    QFETCH(QString, finding);
    const Timing timing = measure("kernel_us=1000", nvml.constData());
    QVERIFY2(timing.validity.find(finding.toStdString()) != std::string::npos, timing.validity.c_str());
}

void TestCudaTiming::withoutNvmlTheVerdictSaysSo()
{
    const Timing timing = measure("kernel_us=1000", "init=9");
    QVERIFY(timing.validity != "valid");
}

void TestCudaTiming::stopAndFaultEndATiming()
{
    useFakes("kernel_us=100");
    int asked = 0;
    DeviceOptions options;
    options.stop = [&asked] { return ++asked > 5; };
    const auto device = openCudaDevice(0, options);
    const auto program = (*device)->load(Program{"test.cu", kPtx, "sm_80", "nvrtc", "13.0", ""});
    const std::vector<Launch> launches{Launch{"spin", {1, 1, 1}, {32, 1, 1}, 0, {}}};
    const auto stopped = (*device)->time(**program, launches);
    QVERIFY(!stopped.ok());
    QCOMPARE(stopped.error().code, std::string("cancelled"));
    asked = -1000000;
    qputenv("RIDGE_FAKE_CUDA", "fault=700");
    const auto fault = (*device)->time(**program, launches);
    QVERIFY(!fault.ok());
    QCOMPARE(fault.error().code, std::string("out-of-bounds"));
}

void TestCudaTiming::slowCallsDoNotEnterTheTime()
{
    // Calls of 40 us, kernels of 5 us: without the gate the GPU would wait for the CPU.
    const Timing timing = measure("kernel_us=5,enqueue_us=40");
    QVERIFY2(timing.minSeconds >= 4.99e-6, qPrintable(QString::number(timing.minSeconds)));
    QVERIFY2(timing.minSeconds < 8e-6, qPrintable(QString::number(timing.minSeconds)));
    QVERIFY2(timing.validity.find("launch-bound") == std::string::npos, timing.validity.c_str());
    QVERIFY2(timing.validity.find("clocks disagree") == std::string::npos, timing.validity.c_str());
}

void TestCudaTiming::withoutAGateTheVerdictSaysSo()
{
    const Timing refused = measure("kernel_us=5,enqueue_us=40,nogate=1");
    QVERIFY2(refused.minSeconds >= 20e-6, qPrintable(QString::number(refused.minSeconds)));
    QVERIFY2(refused.validity.find("launch-bound") != std::string::npos, refused.validity.c_str());
    useFakes("kernel_us=5,enqueue_us=40");
    qputenv("RIDGE_LIBCUDA", QCoreApplication::applicationDirPath().toUtf8() + "/fake_cuda_old.so");
    const auto device = openCudaDevice(0, {});
    const auto program = (*device)->load(Program{"test.cu", kPtx, "sm_80", "nvrtc", "13.0", ""});
    const std::vector<Launch> launches(2, Launch{"spin", {1, 1, 1}, {32, 1, 1}, 0, {}});
    const auto old = (*device)->time(**program, launches);
    QVERIFY(old.ok() && *old);
    QVERIFY2((*old)->validity.find("launch-bound") != std::string::npos, (*old)->validity.c_str());
}

void TestCudaTiming::anErrorBehindTheGateLetsItGo()
{
    useFakes("kernel_us=5");
    const auto device = openCudaDevice(0, {});
    const auto program = (*device)->load(Program{"test.cu", kPtx, "sm_80", "nvrtc", "13.0", ""});
    const std::vector<Launch> launches(2, Launch{"spin", {1, 1, 1}, {32, 1, 1}, 0, {}});
    // A gate that opens by itself takes a second each time; a slow machine takes as long only now and then.
    qint64 least = std::numeric_limits<qint64>::max();
    for (int attempt = 0; attempt < 8 && least >= 900; ++attempt) {
        // Warming up goes without the gate; the first batch behind it fails in its middle.
        qputenv("RIDGE_FAKE_CUDA", "kernel_us=5,fail_gated=1");
        const auto failed = (*device)->time(**program, launches);
        QVERIFY(!failed.ok());
        QCOMPARE(failed.error().code, std::string("bad-launch"));
        qputenv("RIDGE_FAKE_CUDA", "kernel_us=5");
        QElapsedTimer timer;
        timer.start();
        const auto launched = (*device)->launch(**program, launches[0], {});
        QVERIFY2(launched.ok(), launched.ok() ? "" : toText(launched.error()).c_str());
        least = std::min(least, timer.elapsed());
    }
    QVERIFY2(least < 900, "the gate opened by itself, which takes a second, and not with the error");
    QVERIFY((*device)->time(**program, launches).ok());
}

void TestCudaTiming::nothingToTime()
{
    useFakes("");
    const auto device = openCudaDevice(0, {});
    const auto program = (*device)->load(Program{"test.cu", kPtx, "sm_80", "nvrtc", "13.0", ""});
    QCOMPARE((*device)->time(**program, {}).error().code, std::string("bad-launch"));
}

/// The fake counter runs at 500 W here whatever the GPU does, the fake power is 350 W; the fake GPU's kernels take the
/// time that they are told.
void TestCudaTiming::energyOfASequence()
{
    const auto timed = [](const char* nvml, double seconds) {
        useFakes("kernel_us=1000", nvml);
        const auto device = openCudaDevice(0, {});
        const auto program = (*device)->load(Program{"test.cu", kPtx, "sm_80", "nvrtc", "13.0", ""});
        const Launch launch{"spin", {1, 1, 1}, {32, 1, 1}, 0, {}};
        const Sequence twice{{program->get(), launch}, {program->get(), launch}};
        const Arm arm{"spin", {twice}};
        const auto timing = (*device)->timeArms(std::span(&arm, 1), TimingRequest{seconds});
        return timing.ok() ? timing->front() : Timing();
    };
    const Timing counted = timed("energy=500", kEnergySeconds);
    const auto spent = counted.joules;
    QVERIFY(spent.has_value());
    QVERIFY2(*spent > 0.93 && *spent < 1.7, std::to_string(*spent).c_str()); // two launches of 1 ms: 1 J and pauses
    // Power is that of the time in which energy was counted, not what NVML says between short samples.
    QVERIFY2(counted.watts && std::fabs(*counted.watts - 500) < 10, std::to_string(counted.watts.value_or(0)).c_str());
    const Timing quick = timed("", 0);
    QVERIFY(!quick.joules.has_value()); // not asked for
    QVERIFY(quick.watts && std::fabs(*quick.watts - 350) < 1);
    QVERIFY(!timed("energy=0", kEnergySeconds).joules.has_value()); // a GPU without a counter
}

namespace {

std::string quietCalls()
{
    void* fake = dlopen((QCoreApplication::applicationDirPath() + QStringLiteral("/fake_cuda.so")).toUtf8().constData(),
                        RTLD_NOW | RTLD_NOLOAD);
    const auto calls = fake ? reinterpret_cast<const char* (*)()>(dlsym(fake, "fakeQuietCalls")) : nullptr;
    return calls ? calls() : "the stand-in is not loaded";
}

Result<LaunchReport> launchedAlone(Device& device)
{
    const auto program = device.load(Program{"test.cu", kPtx, "sm_80", "nvrtc", "13.0", ""});
    LaunchOptions options;
    options.timeAlone = true;
    return device.launch(**program, Launch{"spin", {1, 1, 1}, {32, 1, 1}, 0, {}}, options);
}

} // namespace

void TestCudaTiming::aLaunchAlone()
{
    useFakes("kernel_us=2000");
    const auto device = openCudaDevice(0, {});
    quietCalls();
    const auto report = launchedAlone(**device);
    QVERIFY2(report.ok() && report->alone, report.ok() ? "no time" : toText(report.error()).c_str());
    QVERIFY(report->alone->seconds >= 2e-3 * 0.999);
    QVERIFY(report->alone->wallSeconds && *report->alone->wallSeconds >= report->alone->seconds * 0.999);
    // The kernel is loaded before all, however late a driver does it. Twice the L2 cache of 60 MiB, before the device
    // rests and the clocks start; and it rests again at the end.
    QCOMPARE(quietCalls(), std::string("function spin\nlimit 6 0\nreset\nfill 125829120\nrest\nrest\n"));
    // GPUs without persisting lines refuse to have a limit of them.
    qputenv("RIDGE_FAKE_CUDA", "kernel_us=2000,limit=215");
    QVERIFY(launchedAlone(**device).ok());
    // What works on another stream is not in the events, and is in the time of the host.
    qputenv("RIDGE_FAKE_CUDA", "kernel_us=2000,late_us=20000");
    const auto late = launchedAlone(**device);
    QVERIFY(late.ok() && late->alone);
    QVERIFY(*late->alone->wallSeconds >= late->alone->seconds + 19e-3);
}

void TestCudaTiming::aLaunchAloneOnAnOldDriver()
{
    useFakes("");
    qputenv("RIDGE_LIBCUDA", QCoreApplication::applicationDirPath().toUtf8() + "/fake_cuda_old.so");
    const auto device = openCudaDevice(0, {});
    QVERIFY2(device.ok(), device.ok() ? "" : toText(device.error()).c_str());
    QCOMPARE(launchedAlone(**device).error().code, std::string("driver-too-old"));
}

QTEST_GUILESS_MAIN(TestCudaTiming)
#include "tst_cuda_timing.moc"
