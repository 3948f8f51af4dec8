// SPDX-License-Identifier: GPL-3.0-or-later
// The experiments about execution: throughput, occupancy, divergence, roofline, power.
#include "clock_device.h"
#include "sim_point.h"

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kTarget = "sim:h100-sxm";

std::int64_t n(std::int64_t value)
{
    return value;
}

/// A device whose kernels do nothing: what they should have written stays poisoned.
class IdleDevice : public ClockDevice {
public:
    Result<gpu::LaunchReport> launch(const gpu::LoadedProgram&, const gpu::Launch&, const gpu::LaunchOptions&) override
    {
        return gpu::LaunchReport{};
    }
};

/// One that has a counter of energy, too.
class MeteredDevice : public IdleDevice {
public:
    Result<std::vector<gpu::Timing>> timeArms(std::span<const gpu::Arm> arms, const gpu::TimingRequest& asked) override
    {
        budget = asked.budgetSeconds;
        auto timings = IdleDevice::timeArms(arms, asked);
        for (gpu::Timing& timing : *timings) {
            timing.watts = 300;
            timing.joules = 0.5;
        }
        return timings;
    }
    double budget = 0;
};

bool passed(const Point& point)
{
    return !point.checks.empty() &&
           std::all_of(point.checks.begin(), point.checks.end(), [](const CheckResult& check) { return check.passed; });
}

std::string details(const Point& point)
{
    std::string all;
    for (const CheckResult& check : point.checks)
        all += check.name + ": " + check.detail + "; ";
    return all;
}

/// The checks of a run on a device whose kernels do nothing.
std::vector<CheckResult> checksOfIdle(const Experiment& experiment, const ParamSet& given)
{
    IdleDevice device;
    device.about.computeMajor = 9;
    Point point(device, experiment.info(), gpu::CompilerChoice::Automatic);
    (void)experiment.run(complete(experiment.info(), given, "gpu"), point);
    return point.checks;
}

} // namespace

class TestCompute : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyOperationIsRight_data();
    void everyOperationIsRight();
    void latencyThenRate();
    void chainsReplaceWarps();
    void reachesThePeak();
    void refusesWhatTheChipLacks();
    void occupancyNamesItsLimit();
    void littlesLaw();
    void fullMemoriesNeedWhatCubAsksFor();
    void everyLoadIsRight();
    void refusesHalfWarpsInFlight();
    void divergenceEndsAtWholeWarps();
    void everyPathIsRight();
    void wavesAreSteps();
    void rooflineBends();
    void everyRooflineKernelIsRight();
    void bitsOfTheData();
    void energyIsDividedByTheWork();
    void wrongResultsAreSeen();
};

void TestCompute::everyOperationIsRight_data()
{
    QTest::addColumn<QString>("target");
    for (const char* target : {"sim:h100-sxm", "sim:a100-sxm-80", "sim:t4", "sim:v100-sxm2-32"})
        QTest::newRow(target) << QString::fromLatin1(target);
}

void TestCompute::everyOperationIsRight()
{
    QFETCH(QString, target);
    const auto experiment = makeThroughput();
    const auto device = openSim(target.toLatin1().constData());
    const int capability = 10 * device->info().computeMajor + device->info().computeMinor;
    SimRuns runs(makeThroughput(), target.toLatin1().constData());
    for (const ParamValue& choice : experiment->info().parameter("operation")->choices) {
        const auto name = std::get<std::string>(choice);
        if (capability < 80 && (name == "mma_bf16" || name == "mma_tf32"))
            continue;
        if (capability < 75 && name == "mma_int8")
            continue;
        for (const std::int64_t ilp : {1, 8}) {
            const Point point =
                runs.at({{"operation", name}, {"ilp", ilp}, {"warps", n(3)}, {"turns", n(2)}, {"sms", n(2)}});
            QVERIFY2(passed(point), (name + " " + details(point)).c_str());
            QVERIFY2(point.withinLimits(1.0 / (2 * 120 - 1)), name.c_str());
            QVERIFY(point.limits.contains("op_rate"));
            QCOMPARE(point.metrics.at("instructions"), 2.0 * 3 * 2 * 120);
        }
    }
}

void TestCompute::latencyThenRate()
{
    SimRuns runs(makeThroughput(), kTarget);
    const auto steps = [&](const char* operation) {
        return runs.at({{"operation", std::string(operation)}, {"ilp", n(1)}, {"warps", n(1)}})
            .metrics.at("cycles_per_step");
    };
    // assets/chips/timing: FMA 4 (Huerta 2025), shuffle 24 and shared load 23 cycles (our chains on an H200); the loop
    // adds up to 7 % to the shortest.
    QVERIFY(steps("fma_fp32") >= 4 && steps("fma_fp32") < 4.3);
    QVERIFY(steps("shuffle") >= 24 && steps("shuffle") < 25);
    QVERIFY(steps("shared_load") > 22.9 && steps("shared_load") < 24.5);
}

void TestCompute::chainsReplaceWarps()
{
    SimRuns runs(makeThroughput(), kTarget);
    const auto rate = [&](std::int64_t warps, std::int64_t ilp) {
        return runs.at({{"warps", warps}, {"ilp", ilp}}).metrics.at("op_rate");
    };
    const double one = rate(1, 1);
    QVERIFY(std::abs(rate(1, 4) / (4 * one) - 1) < 0.16); // one warp with four chains …
    QVERIFY(std::abs(rate(4, 1) / (4 * one) - 1) <
            0.1); // … is four warps with one, a scheduler each; alone, a warp waits for its loop
    QVERIFY(std::abs(rate(4, 2) / (8 * one) - 1) < 0.1);

    // The loop of 123 instructions fits into the instruction cache of a sub-core, so that its jump back stays cheap.
    SimRuns ada(makeThroughput(), "sim:rtx4090");
    QVERIFY(ada.at({{"warps", n(4)}, {"ilp", n(4)}}).metrics.at("cycles_per_instruction") < 1.25);
}

void TestCompute::reachesThePeak()
{
    SimRuns runs(makeThroughput(), kTarget);
    const Point fma = runs.at({{"turns", n(32)}});
    QVERIFY(fma.metrics.at("peak_share") > 95);
    QCOMPARE(fma.limits.at("op_rate"), 256.0);
    QCOMPARE(fma.metrics.at("peak"), 132 * 256 * 1.98); // Gop/s at 1.98 GHz: 66.9 TFLOP/s
    QVERIFY(fma.provenance.at("op_rate") == Provenance::Simulated);
    // Luo et al. 2024: mma.sync reaches 62.9 % of the dense peak of Hopper.
    const Point tensor = runs.at({{"operation", std::string("mma_fp16")}, {"turns", n(8)}});
    QVERIFY(std::abs(tensor.metrics.at("peak_share") - 62.9) < 2);
    QCOMPARE(tensor.limits.at("op_rate"), 4096.0);
    // Turing has 64 lanes an SM: an FMA every other clock.
    SimRuns turing(makeThroughput(), "sim:t4");
    const Point half = turing.at({{"turns", n(16)}});
    QCOMPARE(half.limits.at("cycles_per_instruction"), 2.0);
    QVERIFY(half.metrics.at("cycles_per_instruction") < 2.1);
}

void TestCompute::refusesWhatTheChipLacks()
{
    const auto refused = [](const char* target, const ParamSet& given) {
        const auto experiment = makeThroughput();
        const auto device = openSim(target);
        Point point(*device, experiment->info(), gpu::CompilerChoice::Automatic);
        const auto result = experiment->run(complete(experiment->info(), given), point);
        return result ? std::string() : result.error().code + ": " + result.error().message;
    };
    const auto bf16 = refused("sim:t4", {{"operation", std::string("mma_bf16")}});
    QVERIFY2(bf16.starts_with("unsupported-operation: mma_bf16 needs compute capability 8.0"), bf16.c_str());
    const auto warps = refused("sim:t4", {{"warps", n(48)}});
    QVERIFY2(warps.starts_with("bad-launch: an SM of Tesla T4 (simulated) holds 32 warps"), warps.c_str());
}

void TestCompute::occupancyNamesItsLimit()
{
    SimRuns runs(makeOccupancy(), kTarget);
    // MG (GPU Glossary): 12 KB a block, the system's 1 KB in it, on an H100: 19 blocks, bound by shared memory.
    const Point point = runs.at({{"shared_bytes", n(11264)}, {"block_threads", n(64)}, {"warps", n(64)}});
    QCOMPARE(point.metrics.at("blocks_per_sm"), 19.0);
    QCOMPARE(point.metrics.at("blocks_by_shared"), 19.0);
    QVERIFY(point.metrics.at("blocks_by_warps") > 19 && point.metrics.at("blocks_by_slots") > 19 &&
            point.metrics.at("blocks_by_registers") > 19);
    QCOMPARE(point.metrics.at("theoretical_occupancy"), 100 * 38.0 / 64);
    const auto rule = std::ranges::find(point.checks, "occupancy_rule", &CheckResult::name);
    QVERIFY(rule != point.checks.end() && rule->passed);
    QVERIFY2(rule->detail.find("bound by shared memory") != std::string::npos, rule->detail.c_str());
    // Padding lets exactly the wanted warps in, on every chip with a clock.
    for (const char* target : {"sim:h100-sxm", "sim:t4", "sim:rtx4090"}) {
        SimRuns chip(makeOccupancy(), target);
        for (const std::int64_t warps : {1, 12, 32}) {
            const Point each = chip.at({{"warps", warps}, {"work", std::string("fma")}, {"rounds", n(1)}});
            QCOMPARE(each.metrics.at("warps_per_sm"), static_cast<double>(warps));
            QVERIFY2(passed(each), details(each).c_str());
        }
    }
}

/// CUB's least bytes in flight of an SM (tuning_transform.cuh) fill the memory of each simulated chip; those of
/// Little's law, with the latency of an idle memory, do not: what is on its way in a full memory waits longer.
void TestCompute::fullMemoriesNeedWhatCubAsksFor()
{
    const std::pair<const char*, std::int64_t> kCub[] = {
        {"sim:v100-sxm2-32", 12}, {"sim:a100-sxm-80", 16}, {"sim:h100-sxm", 32}, {"sim:h200-sxm", 48}};
    for (const auto& [target, kib] : kCub) {
        SimRuns runs(makeOccupancy(), target);
        const auto at = [&](std::int64_t inFlight) {
            const Point point =
                runs.at({{"in_flight", inFlight}, {"ilp", n(2)}, {"load_bytes", n(16)}, {"mebibytes", n(32)}});
            if (!passed(point) || !point.withinLimits())
                qFatal("%s", details(point).c_str());
            return point.metrics;
        };
        const auto full = at(kib);
        const auto little = static_cast<std::int64_t>(full.at("little_bytes") / 1024);
        const auto few = at(little);
        const double most = std::max(full.at("bandwidth"), at(std::min(n(64), 2 * kib)).at("bandwidth"));
        QVERIFY2(full.at("bandwidth") > 0.9 * most, target);
        QVERIFY2(few.at("bandwidth") < 0.85 * most, target);
        QVERIFY2(full.at("effective_latency") > 1.5 * few.at("effective_latency"), target);
        // Little's law, both ways round.
        QVERIFY(std::abs(full.at("little_slope") * full.at("little_bytes") / full.at("pin_bandwidth") - 1) < 1e-12);
    }
}

/// Curves over warps collapse when they are drawn over bytes in flight, and keep below bytes in flight ÷ latency.
void TestCompute::littlesLaw()
{
    SimRuns runs(makeOccupancy(), kTarget);
    const auto at = [&](std::int64_t warps, std::int64_t ilp, std::int64_t bytes) {
        const Point point = runs.at({{"warps", warps}, {"ilp", ilp}, {"load_bytes", bytes}, {"mebibytes", n(4)}});
        if (!passed(point) || !point.withinLimits())
            qFatal("%s", details(point).c_str());
        return point.metrics;
    };
    const double narrow = at(16, 1, 4).at("bandwidth"); // 2 KiB an SM each
    QVERIFY(std::abs(at(4, 1, 16).at("bandwidth") / narrow - 1) < 0.15);
    QVERIFY(std::abs(at(4, 4, 4).at("bandwidth") / narrow - 1) < 0.15);
    // Twice and four times as many: more, but less than in proportion, since the latency grows with them.
    const double twice = at(32, 1, 4).at("bandwidth") / narrow, four = at(16, 1, 16).at("bandwidth") / narrow;
    QVERIFY2(twice > 1.4 && twice < 1.95, qPrintable(QString::number(twice)));
    QVERIFY2(four > 1.5 * twice / 1.4 && four < 3.6, qPrintable(QString::number(four)));
    // The same point, chosen by bytes in flight.
    const auto chosen = runs.at({{"in_flight", n(2)}, {"load_bytes", n(16)}, {"mebibytes", n(4)}});
    QCOMPARE(chosen.metrics.at("warps_per_sm"), 4.0);
    QCOMPARE(chosen.metrics.at("in_flight_bytes"), 2048.0);
    // Volkov: more chains do what more warps do.
    const auto rate = [&](std::int64_t warps, std::int64_t ilp) {
        return runs.at({{"work", std::string("fma")}, {"warps", warps}, {"ilp", ilp}}).metrics.at("flop_rate");
    };
    const double one = rate(4, 1);
    // Of a run of one chain a fifth is its start, and four chains have an ending of their own to each round.
    QVERIFY(rate(4, 4) > 2.1 * one && rate(16, 1) > 2.5 * one);
}

void TestCompute::everyLoadIsRight()
{
    for (const char* target : {"sim:t4", "sim:v100-sxm2-32"}) {
        SimRuns runs(makeOccupancy(), target, gpu::CompilerChoice::Shipped);
        for (const std::int64_t bytes : {4, 8, 16})
            for (const std::int64_t ilp : {2, 8}) {
                const Point point = runs.at({{"load_bytes", bytes}, {"ilp", ilp}, {"mebibytes", n(1)}});
                QVERIFY2(passed(point) && point.withinLimits(), details(point).c_str());
            }
    }
}

void TestCompute::refusesHalfWarpsInFlight()
{
    const auto experiment = makeOccupancy();
    const auto device = openSim(kTarget);
    Point point(*device, experiment->info(), gpu::CompilerChoice::Automatic);
    const ParamSet given{{"in_flight", n(3)}, {"load_bytes", n(16)}, {"ilp", n(4)}};
    const auto result = experiment->run(complete(experiment->info(), given), point);
    QVERIFY(!result.ok());
    QCOMPARE(result.error().fix, std::string("take multiples of 2 up to 128"));
}

void TestCompute::divergenceEndsAtWholeWarps()
{
    SimRuns runs(makeDivergence(), kTarget);
    const auto ratio = [&](const char* arms, std::int64_t group) {
        const Point point = runs.at({{"arms", std::string(arms)}, {"group", group}});
        if (!passed(point) || !point.withinLimits())
            qFatal("%s", details(point).c_str());
        return point.metrics.at("time_ratio");
    };
    // docs/curriculum, lesson 2.5: time(1) >= 1.7 x time(32) for heavy arms, about 1x for short predicated ones.
    const double whole = ratio("heavy", 32);
    QVERIFY(ratio("heavy", 1) / whole >= 1.7 && ratio("heavy", 16) / whole >= 1.7);
    QVERIFY(std::abs(whole - 1) < 0.02 && std::abs(ratio("heavy", 64) - 1) < 0.02);
    QVERIFY(std::abs(ratio("short", 1) / ratio("short", 32) - 1) < 0.02);
    // Closed form: every warp parts once where its lanes disagree, and half of its lanes work on each side.
    const Point parted = runs.at({{"group", n(1)}});
    QCOMPARE(parted.metrics.at("divergent_branches"), 132.0 * 4);
    QCOMPARE(parted.limits.at("active_lanes"), 16.0);
    QVERIFY(parted.metrics.at("active_lanes") < 16.5);
}

void TestCompute::wavesAreSteps()
{
    SimRuns runs(makeWaves(), "sim:h100-sxm");
    const auto metric = [&](std::int64_t blocks, const char* name) {
        const Point point = runs.at({{"blocks", blocks}, {"shared_bytes", n(102400)}, {"work", n(1024)}});
        if (!passed(point) || !point.withinLimits())
            qFatal("%s", details(point).c_str());
        return point.metrics.at(name);
    };
    // By hand: 228 KiB an SM, 100 + 1 KiB a block, so two blocks on each of 132 SMs.
    QCOMPARE(metric(264, "blocks_per_sm"), 2.0);
    QCOMPARE(metric(264, "waves"), 1.0);
    QCOMPARE(metric(396, "wave_efficiency"), 75.0);
    const double one = metric(264, "cycles");
    QVERIFY(std::abs(metric(1, "cycles") / one - 1) < 0.1);
    QVERIFY(metric(265, "cycles") >= 1.7 * one);
    QVERIFY(std::abs(metric(528, "cycles") / metric(265, "cycles") - 1) < 0.1);
}

void TestCompute::everyPathIsRight()
{
    SimRuns runs(makeDivergence(), "sim:t4", gpu::CompilerChoice::Shipped);
    double before = 0;
    for (const std::int64_t paths : {1, 2, 3, 5, 8, 17, 32}) {
        const Point point = runs.at({{"paths", paths}, {"group", n(1)}, {"work", n(64)}});
        QVERIFY2(passed(point) && point.withinLimits(), details(point).c_str());
        QCOMPARE(point.metrics.at("paths_per_warp"), static_cast<double>(paths));
        QVERIFY(point.metrics.at("time") > before);
        before = point.metrics.at("time");
    }
    const Point ragged = runs.at({{"paths", n(7)}, {"group", n(9)}, {"work", n(64)}});
    QVERIFY2(passed(ragged) && ragged.withinLimits(), details(ragged).c_str());
}

void TestCompute::rooflineBends()
{
    SimRuns runs(makeRoofline(), kTarget);
    const auto at = [&](std::int64_t per16, const char* level) {
        Point point = runs.at({{"fma_per_16", per16}, {"level", std::string(level)}});
        if (!passed(point) || !point.withinLimits())
            qFatal("%s", details(point).c_str());
        return point;
    };
    const Point left = at(16, "hbm"), right = at(1024, "hbm"); // 0.5 and 32 FLOP/B
    // 2 FLOP for 4 bytes; the ridge of an H100 at 1.98 GHz: 66.9 TFLOP/s over 3.35 TB/s.
    QCOMPARE(left.metrics.at("intensity"), 0.5);
    QVERIFY(std::abs(left.metrics.at("ridge") - 132 * 256 * 1.98 / 3350) < 1e-9);
    QCOMPARE(left.limits.at("rate"), 1675.0);
    QCOMPARE(right.limits.at("rate"), 132 * 256 * 1.98);
    // Left of the ridge the rate doubles with the work, the bandwidth stays; right of it the rate stays.
    QVERIFY(std::abs(at(32, "hbm").metrics.at("rate") / left.metrics.at("rate") - 2) < 0.1);
    QVERIFY(left.metrics.at("bandwidth") > 0.55 * 3350);
    QVERIFY(right.metrics.at("bandwidth") < 0.5 * left.metrics.at("bandwidth"));
    // What the roofline of the Lab needs: operations in FLOP, a time, and bytes of the level under its name.
    const auto* flop = left.info.metric("flop");
    QVERIFY(flop && flop->unit == "FLOP" && left.metrics.contains("time") && left.metrics.contains("dram_bytes"));
    const Point cached = at(16, "l2");
    QVERIFY(cached.metrics.at("l2_bytes") > 10 * cached.metrics.at("dram_bytes"));
    QVERIFY(cached.metrics.at("bandwidth") > 2 * left.metrics.at("bandwidth"));
    QVERIFY(at(16, "shared").metrics.at("bandwidth") > 2 * cached.metrics.at("bandwidth"));
}

void TestCompute::everyRooflineKernelIsRight()
{
    SimRuns runs(makeRoofline(), "sim:t4", gpu::CompilerChoice::Shipped);
    for (const ParamValue& type : runs.info().parameter("type")->choices)
        for (const char* level : {"hbm", "l2", "shared"})
            for (const std::int64_t per16 : {2, 16, 128}) {
                ParamSet given{{"fma_per_16", per16}, {"mebibytes", n(1)}, {"max_mop", n(2)}};
                given["type"] = type;
                given["level"] = std::string(level);
                const Point point = runs.at(given);
                QVERIFY2(passed(point) && point.withinLimits(),
                         (std::get<std::string>(type) + " " + level + " " + details(point)).c_str());
            }
}

void TestCompute::bitsOfTheData()
{
    SimRuns runs(makePower(), "sim:t4");
    std::map<std::string, double> changed;
    for (const ParamValue& fill : runs.info().parameter("fill")->choices)
        for (const char* work : {"copy", "fma"}) {
            ParamSet given{{"mebibytes", n(1)}, {"turns", n(1)}};
            given["fill"] = fill;
            given["work"] = std::string(work);
            const Point point = runs.at(given);
            const auto name = std::get<std::string>(fill);
            QVERIFY2(passed(point) && point.withinLimits(), (name + " " + work + " " + details(point)).c_str());
            changed[name] = point.metrics.at("bits_changed");
            QVERIFY(!point.metrics.contains("power") && !point.metrics.contains("energy")); // nothing invented
            if (name == "zeros")
                QCOMPARE(point.metrics.at("bits_set"), 0.0);
            if (name == "ones")
                QCOMPARE(point.metrics.at("bits_set"), 7.0 / 4); // 0x3f800000
        }
    QVERIFY(changed.at("zeros") == 0 && changed.at("ones") == 0);
    QVERIFY(changed.at("sparse_90") < changed.at("sparse_50") && changed.at("sparse_50") < changed.at("uniform"));
    QVERIFY(changed.at("sorted") < changed.at("uniform"));
    // Of two random words half of the bits differ; the exponent of numbers in [-1, 1) is less than random.
    QVERIFY(changed.at("uniform") > 3 && changed.at("uniform") < 4);
}

void TestCompute::energyIsDividedByTheWork()
{
    const auto experiment = makePower();
    const auto metrics = [&](const char* work, std::int64_t seconds) {
        MeteredDevice device;
        device.about.computeMajor = 9;
        Point point(device, experiment->info(), gpu::CompilerChoice::Automatic);
        const ParamSet given{{"work", std::string(work)}, {"mebibytes", n(1)}, {"turns", n(2)}, {"seconds", seconds}};
        if (!experiment->run(complete(experiment->info(), given, "gpu"), point) ||
            device.budget != static_cast<double>(seconds))
            qFatal("power did not run");
        return point.metrics;
    };
    const auto copied = metrics("copy", 3);
    QCOMPARE(copied.at("energy"), 0.5);
    QCOMPARE(copied.at("power"), 300.0);
    QCOMPARE(copied.at("energy_per_byte"), 0.5e12 / (2 << 20));
    QCOMPARE(metrics("fma", 5).at("energy_per_flop"), 0.5e12 / ((1 << 20) / 64 * 2 * 64 * 2.0));
}

void TestCompute::wrongResultsAreSeen()
{
    const auto throughput = makeThroughput();
    for (const char* operation : {"fma_fp32", "mufu_rcp", "mma_fp16"}) {
        const auto checks = checksOfIdle(*throughput, {{"operation", std::string(operation)}, {"turns", n(1)}});
        QVERIFY(!checks.empty());
        QVERIFY2(!checks.front().passed, operation);
    }
    const auto seen = [](std::unique_ptr<Experiment> experiment, const ParamSet& given) {
        const auto checks = checksOfIdle(*experiment, given);
        QVERIFY2(!checks.empty() && !checks.front().passed, experiment->info().id.c_str());
    };
    seen(makeOccupancy(), {{"mebibytes", n(1)}});
    seen(makeOccupancy(), {{"work", std::string("fma")}, {"rounds", n(1)}});
    seen(makeDivergence(), {{"work", n(8)}});
    seen(makeRoofline(), {{"mebibytes", n(1)}});
    seen(makePower(), {{"mebibytes", n(1)}});
}

QTEST_GUILESS_MAIN(TestCompute)
#include "tst_compute.moc"
