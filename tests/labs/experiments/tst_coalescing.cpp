// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/access.h"
#include "gpu/targets/target_list.h"
#include "sim_point.h"

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kTarget = "sim:h100-sxm";

ParamSet setting(std::int64_t stride, std::int64_t bytes = 4, std::int64_t offset = 0, std::int64_t laneXor = 0,
                 std::int64_t elements = 1024)
{
    return {{"stride", stride},
            {"element_bytes", bytes},
            {"offset", offset},
            {"lane_xor", laneXor},
            {"elements", elements}};
}

} // namespace

/// The executed kernel against closed forms, which live here and nowhere else.
class TestCoalescing : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void promisedNumbers();
    void everyStride_data();
    void everyStride();
    void everyOffset();
    void everyLaneShuffle();
    void defaultsShowTheEffect();
    void traceShowsTheLoadsOfBlockZero();
    void launchTraceAgreesWithTheReport();
    void noTraceUnlessWanted();
    void everyWayToCompileCountsTheSame();
    void chipsAgreeOnSectors();
    void refusesWhatTheChipCannotHold();
    void sameSeedSameResult();
};

void TestCoalescing::promisedNumbers()
{
    SimRuns runs(makeCoalescing(), kTarget);
    const std::pair<std::int64_t, double> promised[] = {{1, 4}, {2, 8}, {4, 16}, {8, 32}, {16, 32}, {32, 32}};
    for (const auto& [stride, sectors] : promised)
        QCOMPARE(runs.at(setting(stride)).metrics.at("sectors_per_request"), sectors);
}

void TestCoalescing::everyStride_data()
{
    QTest::addColumn<int>("bytes");
    for (const int bytes : {4, 8, 16})
        QTest::addRow("%d bytes", bytes) << bytes;
}

void TestCoalescing::everyStride()
{
    QFETCH(int, bytes);
    SimRuns runs(makeCoalescing(), kTarget);
    for (std::int64_t stride = 1; stride <= 128; ++stride) {
        const Point point = runs.at(setting(stride, bytes));
        const auto sectors = static_cast<double>(expectedGranules(stride, bytes, 0, 32));
        const auto lines = static_cast<double>(expectedGranules(stride, bytes, 0, 128));
        QCOMPARE(point.metrics.at("sectors_per_request"), sectors);
        QCOMPARE(point.metrics.at("lines_per_request"), lines);
        QCOMPARE(point.metrics.at("load_efficiency"), 100.0 * bytes / sectors);
        QCOMPARE(point.metrics.at("requests"), 32.0);
        QCOMPARE(point.metrics.at("sectors"), 32 * sectors);
        QCOMPARE(point.metrics.at("bytes_useful"), 2.0 * 1024 * bytes);
        QCOMPARE(point.metrics.at("bytes_moved"), 32 * 32 * sectors + 1024.0 * bytes);
        QCOMPARE(point.limits.at("sectors_per_request"), static_cast<double>(bytes));
        QVERIFY(point.withinLimits());
        QVERIFY(point.provenance.at("sectors_per_request") == Provenance::Simulated);
        QVERIFY2(point.checks.at(0).passed, point.checks.at(0).detail.c_str());
        QVERIFY(point.metrics.at("time") > 0 && point.provenance.at("time") == Provenance::Simulated);
        QVERIFY(point.metrics.at("cycles") > 0);
        double states = 0;
        for (const auto& [name, value] : point.metrics)
            states += name.starts_with("stall_") ? value : 0;
        QVERIFY2(std::abs(states - 100) < 1e-6, "the warp states do not add up to the warps' time");
        QVERIFY(point.metrics.at("useful_bandwidth_bound") > 0);
        QVERIFY(point.provenance.at("useful_bandwidth_bound") == Provenance::Modelled);
    }
}

void TestCoalescing::everyOffset()
{
    SimRuns runs(makeCoalescing(), kTarget);
    for (const std::int64_t bytes : {4, 8, 16})
        for (const std::int64_t stride : {1, 3, 8})
            for (std::int64_t offset = 0; offset < 32; ++offset) {
                const Point point = runs.at(setting(stride, bytes, offset));
                QCOMPARE(point.metrics.at("sectors_per_request"),
                         static_cast<double>(expectedGranules(stride, bytes, offset, 32)));
                QCOMPARE(point.metrics.at("lines_per_request"),
                         static_cast<double>(expectedGranules(stride, bytes, offset, 128)));
                QVERIFY2(point.checks.at(0).passed, point.checks.at(0).detail.c_str());
            }
}

void TestCoalescing::everyLaneShuffle()
{
    SimRuns runs(makeCoalescing(), kTarget);
    for (const std::int64_t stride : {1, 5}) {
        const auto straight = counted(runs.at(setting(stride)));
        for (std::int64_t laneXor = 1; laneXor < 32; ++laneXor) {
            const Point shuffled = runs.at(setting(stride, 4, 0, laneXor));
            QCOMPARE(counted(shuffled), straight);
            QVERIFY2(shuffled.checks.at(0).passed, shuffled.checks.at(0).detail.c_str());
        }
    }
}

void TestCoalescing::defaultsShowTheEffect()
{
    SimRuns runs(makeCoalescing(), kTarget);
    const double best = runs.at({}).metrics.at("useful_bandwidth_bound");
    const double worst = runs.at({{"stride", std::int64_t{8}}}).metrics.at("useful_bandwidth_bound");
    // 8 useful bytes of 8 moved against 8 of 36.
    QCOMPARE(best / worst, 4.5);
}

void TestCoalescing::launchTraceAgreesWithTheReport()
{
    SimRuns runs(makeCoalescing(), kTarget);
    const Point point = runs.at({{"stride", std::int64_t{8}}, {"elements", std::int64_t{16384}}});
    QVERIFY(point.launch.has_value());
    const LaunchTrace& trace = *point.launch;
    const auto sum = [](const auto& list) { return std::accumulate(list.begin(), list.end(), std::uint64_t{0}); };
    QCOMPARE(sum(trace.stateCycles), trace.counters.warpCycles);
    QCOMPARE(static_cast<double>(trace.cycles), point.metrics.at("cycles"));
    QCOMPARE(static_cast<double>(trace.counters.instructions), point.metrics.at("inst_issued"));
    QCOMPARE(static_cast<double>(trace.counters.dramReadBytes + trace.counters.dramWriteBytes),
             point.metrics.at("dram_bytes"));
    for (std::size_t state = 0; state < trace.states.size(); ++state) {
        const double share =
            100.0 * static_cast<double>(trace.stateCycles[state]) / static_cast<double>(trace.counters.warpCycles);
        QVERIFY(std::abs(share - point.metrics.at("stall_" + trace.states[state])) < 1e-9);
        std::uint64_t byLine = 0;
        for (const TracedLine& line : trace.lines)
            byLine += line.stateCycles[state];
        QCOMPARE(byLine, trace.stateCycles[state]);
    }
    const std::string loads = "in[";
    QVERIFY(std::ranges::any_of(trace.lines, [&](const TracedLine& line) {
        return line.sectors > 0 && line.text.find(loads) != std::string::npos;
    }));
    // Every block once, and every warp of the watched SMs whole, its states without a gap.
    QCOMPARE(trace.blocks.size(), std::size_t{64});
    QCOMPARE(trace.blocksInAll, std::uint64_t{64});
    for (std::size_t block = 0; block < trace.blocks.size(); ++block) {
        QCOMPARE(trace.blocks[block].block, block);
        QVERIFY(trace.blocks[block].begin < trace.blocks[block].end && trace.blocks[block].end <= trace.cycles);
    }
    QVERIFY(trace.watchedSms > 0);
    const std::size_t counters = trace.sms.counters.size();
    for (std::uint32_t sm = 0; sm < trace.watchedSms; ++sm) {
        std::uint64_t living = 0, issued = 0, inGrid = 0, issuedInGrid = 0;
        for (const WarpTrack& warp : trace.warps) {
            if (warp.sm != sm)
                continue;
            QVERIFY(warp.whole);
            for (std::size_t at = 0; at < warp.intervals.size(); ++at) {
                if (at > 0)
                    QCOMPARE(warp.intervals[at].begin, warp.intervals[at - 1].end());
                living += warp.intervals[at].cycles;
                issued += warp.intervals[at].state == 0 ? 1 : 0;
            }
        }
        for (std::size_t bucket = 0; bucket < trace.buckets(); ++bucket) {
            const std::uint32_t* values = trace.sms.values.data() + (bucket * trace.chip.sms + sm) * counters;
            issuedInGrid += values[0];
            inGrid += values[1];
        }
        QCOMPARE(trace.sms.counters[1], std::string("warp_cycles"));
        QCOMPARE(living, inGrid);
        QCOMPARE(issued, issuedInGrid);
    }
    const auto back = decodeLaunchTrace(encodeLaunchTrace(trace));
    QVERIFY2(back.ok(), back.ok() ? "" : toText(back.error()).c_str());
    QVERIFY(*back == trace);
}

void TestCoalescing::traceShowsTheLoadsOfBlockZero()
{
    SimRuns runs(makeCoalescing(), kTarget);
    for (const std::int64_t bytes : {4, 8, 16}) {
        const Point point = runs.at(setting(3, bytes, 1, 2));
        QVERIFY(point.traced.has_value());
        const MemoryTrace& trace = *point.traced;
        QCOMPARE(trace.requests.size(), std::size_t{8}); // 256 threads
        const auto in = std::ranges::find(trace.buffers, "in", &TraceBuffer::name);
        QVERIFY(in != trace.buffers.end());
        QCOMPARE(in->address % 256, std::uint64_t{0});
        for (const MemoryRequest& request : trace.requests) {
            QCOMPARE(request.block, 0u);
            QVERIFY(request.op == MemoryOp::Load && request.space == MemorySpace::Global);
            QCOMPARE(request.activeMask, 0xffffffffu);
            QCOMPARE(static_cast<std::int64_t>(request.accessBytes), bytes);
            QVERIFY(request.sourceLine > 0);
            for (std::uint64_t lane = 0; lane < 32; ++lane) {
                const std::uint64_t i = request.warp * 32u + lane;
                QCOMPARE(request.addresses[lane], in->address + ((i ^ 2) * 3 + 1) * static_cast<std::uint64_t>(bytes));
            }
            // Picture and number come from one rule.
            QCOMPARE(static_cast<double>(gpu::touchedGranules(request, trace.sectorBytes).size()),
                     point.metrics.at("sectors_per_request"));
        }
    }
}

void TestCoalescing::noTraceUnlessWanted()
{
    const auto experiment = makeCoalescing();
    const auto device = openSim(kTarget);
    Point point(*device, experiment->info(), gpu::CompilerChoice::Automatic);
    point.wantTrace = false;
    QVERIFY(experiment->run(complete(experiment->info(), setting(1)), point).ok());
    QVERIFY(!point.traced || point.traced->requests.empty());
}

void TestCoalescing::everyWayToCompileCountsTheSame()
{
    const auto ways = waysHere();
    QVERIFY(ways.size() >= 2); // clang and shipped are everywhere
    std::map<std::string, std::vector<std::map<std::string, double>>> seen;
    for (const auto& [name, choice] : ways) {
        SimRuns runs(makeCoalescing(), kTarget, choice);
        for (const std::int64_t bytes : {4, 8, 16})
            for (const std::int64_t stride : {1, 2, 3, 8, 33}) {
                const Point point = runs.at(setting(stride, bytes, 3, 5, 2048));
                QVERIFY2(point.checks.at(0).passed, name.c_str());
                seen[name].push_back(counted(point));
            }
    }
    for (const auto& [name, metrics] : seen)
        QVERIFY2(metrics == seen.begin()->second, name.c_str());
}

void TestCoalescing::chipsAgreeOnSectors()
{
    std::set<std::string> timed, counts;
    const ExperimentInfo info = makeCoalescing()->info();
    // Volta needs PTX that nvcc 13 no longer makes; Blackwell is newer than clang knows.
    for (const auto& target : gpu::listTargets()) {
        if (target.provenance != Provenance::Simulated)
            continue;
        for (const auto choice : {gpu::CompilerChoice::Automatic, gpu::CompilerChoice::Shipped}) {
            SimRuns runs(makeCoalescing(), target.id.c_str(), choice);
            const Point point = runs.at(setting(3));
            QCOMPARE(point.metrics.at("sectors_per_request"), 12.0);
            QVERIFY2(point.checks.at(0).passed, target.id.c_str());
            for (const auto& [name, value] : point.metrics)
                (point.metrics.contains("cycles") ? timed : counts).insert(name);
        }
    }
    // What a chip without a clock lacks is what is told to need one.
    QVERIFY(!counts.empty() && counts.size() < timed.size());
    for (const std::string& name : timed)
        QVERIFY2(needsClock(info, name) == !counts.contains(name), name.c_str());
}

void TestCoalescing::refusesWhatTheChipCannotHold()
{
    const auto experiment = makeCoalescing();
    const auto device = openSim(kTarget, 64u << 20);
    const auto given = complete(experiment->info(), setting(128, 16, 0, 0, 65536));
    Point point(*device, experiment->info(), gpu::CompilerChoice::Automatic);
    const auto result = experiment->run(given, point);
    QVERIFY(!result.ok());
    QCOMPARE(QString::fromStdString(result.error().code), QStringLiteral("out-of-memory"));
    QVERIFY2(QString::fromStdString(result.error().message).contains(QLatin1String("stride=128")),
             result.error().message.c_str());
    // 32768 of them need a little more than 64 MiB.
    QCOMPARE(QString::fromStdString(result.error().fix), QStringLiteral("set elements=16384 or fewer"));
    // The device is as good as new.
    Point next(*device, experiment->info(), gpu::CompilerChoice::Automatic);
    QVERIFY(experiment->run(complete(experiment->info(), setting(1)), next).ok());
}

void TestCoalescing::sameSeedSameResult()
{
    SimRuns first(makeCoalescing(), kTarget), second(makeCoalescing(), kTarget);
    const Point a = first.at(setting(7, 8, 3, 1)), b = second.at(setting(7, 8, 3, 1));
    QCOMPARE(a.metrics, b.metrics);
    QVERIFY(*a.traced == *b.traced);
}

QTEST_GUILESS_MAIN(TestCoalescing)
#include "tst_coalescing.moc"
