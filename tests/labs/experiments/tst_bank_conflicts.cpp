// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/access.h"
#include "gpu/targets/target_list.h"
#include "sim_point.h"

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kTarget = "sim:h100-sxm";

ParamSet setting(std::int64_t stride, std::int64_t bytes = 4, std::int64_t iterations = 4, std::int64_t warps = 1)
{
    return {{"stride", stride}, {"word_bytes", bytes}, {"iterations", iterations}, {"warps", warps}};
}

} // namespace

/// The executed kernel against closed forms, which live here and nowhere else.
class TestBankConflicts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyStride_data();
    void everyStride();
    void countsLoadsAndNotTheFill();
    void traceShowsTheLoadsOfBlockZero();
    void everyWayToCompileCountsTheSame();
    void widestTileFitsEveryChip();
};

void TestBankConflicts::everyStride_data()
{
    QTest::addColumn<int>("bytes");
    for (const int bytes : {4, 8, 16})
        QTest::addRow("%d bytes", bytes) << bytes;
}

void TestBankConflicts::everyStride()
{
    QFETCH(int, bytes);
    SimRuns runs(makeBankConflicts(), kTarget);
    for (std::int64_t stride = 1; stride <= 128; ++stride) {
        const Point point = runs.at(setting(stride, bytes));
        // A phase serves 32, 16 or 8 lanes; as many words meet in a bank as stride and lanes share a factor.
        const int phases = bytes / 4;
        const auto degree = static_cast<double>(std::gcd(stride, std::int64_t{32} / phases));
        QCOMPARE(point.metrics.at("conflict_degree"), degree);
        QCOMPARE(point.metrics.at("wavefronts_per_request"), degree * phases);
        QCOMPARE(point.limits.at("wavefronts_per_request"), static_cast<double>(phases));
        QCOMPARE(point.metrics.at("bank_conflicts"), point.metrics.at("requests") * phases * (degree - 1));
        QCOMPARE(point.metrics.at("load_rate_bound"), 128 / degree);
        QVERIFY(point.withinLimits());
        QVERIFY(point.provenance.at("conflict_degree") == Provenance::Simulated);
        QVERIFY(point.provenance.at("load_rate_bound") == Provenance::Modelled);
        QVERIFY2(point.checks.at(0).passed, point.checks.at(0).detail.c_str());
        QVERIFY(point.metrics.at("time") > 0 && point.provenance.at("time") == Provenance::Simulated);
        QVERIFY(point.metrics.at("cycles") > 0);
        double states = 0;
        for (const auto& [name, value] : point.metrics)
            states += name.starts_with("stall_") ? value : 0;
        QVERIFY2(std::abs(states - 100) < 1e-6, "the warp states do not add up to the warps' time");
    }
}

void TestBankConflicts::countsLoadsAndNotTheFill()
{
    const auto sms = openSim(kTarget)->info().smCount;
    SimRuns runs(makeBankConflicts(), kTarget);
    for (const std::int64_t warps : {1, 3, 8})
        for (const std::int64_t iterations : {1, 2, 5, 64}) {
            const Point point = runs.at(setting(32, 4, iterations, warps));
            QCOMPARE(point.metrics.at("requests"), static_cast<double>(sms * warps * iterations));
            QCOMPARE(point.metrics.at("wavefronts_per_request"), 32.0);
            QVERIFY2(point.checks.at(0).passed, point.checks.at(0).detail.c_str());
        }
}

void TestBankConflicts::traceShowsTheLoadsOfBlockZero()
{
    SimRuns runs(makeBankConflicts(), kTarget);
    for (const std::int64_t bytes : {4, 8, 16})
        for (const std::int64_t stride : {1, 33, 128})
            for (const std::int64_t warps : {1, 8}) {
                const Point point = runs.at(setting(stride, bytes, 16, warps));
                QVERIFY(point.traced.has_value());
                QVERIFY(!point.traced->requests.empty());
                for (const MemoryRequest& request : point.traced->requests) {
                    QCOMPARE(request.block, 0u);
                    QVERIFY(request.op == MemoryOp::Load && request.space == MemorySpace::Shared);
                    const std::uint64_t base = request.addresses[0];
                    for (std::uint64_t lane = 0; lane < 32; ++lane)
                        QCOMPARE(request.addresses[lane] - base, lane * static_cast<std::uint64_t>(stride * bytes));
                    QCOMPARE(static_cast<double>(gpu::serveBanks(request).wavefronts),
                             point.metrics.at("wavefronts_per_request"));
                }
            }
}

void TestBankConflicts::everyWayToCompileCountsTheSame()
{
    const auto ways = waysHere();
    QVERIFY(ways.size() >= 2);
    std::map<std::string, std::vector<std::map<std::string, double>>> seen;
    for (const auto& [name, choice] : ways) {
        SimRuns runs(makeBankConflicts(), kTarget, choice);
        for (const std::int64_t bytes : {4, 8, 16})
            for (const std::int64_t stride : {1, 2, 7, 32, 33}) {
                const Point point = runs.at(setting(stride, bytes, 13, 2));
                QVERIFY2(point.checks.at(0).passed, name.c_str());
                seen[name].push_back(counted(point));
            }
    }
    for (const auto& [name, metrics] : seen)
        QVERIFY2(metrics == seen.begin()->second, name.c_str());
}

void TestBankConflicts::widestTileFitsEveryChip()
{
    for (const auto& target : gpu::listTargets()) {
        if (target.provenance != Provenance::Simulated)
            continue;
        SimRuns runs(makeBankConflicts(), target.id.c_str(), gpu::CompilerChoice::Shipped);
        const Point point = runs.at(setting(128, 16, 1));
        QCOMPARE(point.metrics.at("conflict_degree"), 8.0);
        QVERIFY2(point.checks.at(0).passed, target.id.c_str());
    }
}

QTEST_GUILESS_MAIN(TestBankConflicts)
#include "tst_bank_conflicts.moc"
