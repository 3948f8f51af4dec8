// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/grid_trace.h"
#include "clock_device.h"
#include "labs/4-kernel-optimization/tensor_matmul_fragments.h"
#include "labs/4-kernel-optimization/tensor_matmul_info.h"
#include "sim_point.h"

#include <fmt/core.h>

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kTarget = "sim:a100-sxm-80";

ParamSet product(const std::string& rung, std::int64_t m, std::int64_t n, std::int64_t k)
{
    return {{"rung", rung}, {"m", m}, {"n", n}, {"k", k}};
}

void verifyChecked(const Point& point, const std::string& what)
{
    QVERIFY2(!point.checks.empty(), what.c_str());
    for (const CheckResult& check : point.checks)
        QVERIFY2(check.passed, (what + ": " + check.detail).c_str());
    QVERIFY2(point.withinLimits(), what.c_str());
}

/// A GPU whose kernels do nothing: what they should have written stays poisoned.
class IdleDevice : public ClockDevice {
public:
    Result<gpu::LaunchReport> launch(const gpu::LoadedProgram&, const gpu::Launch&, const gpu::LaunchOptions&) override
    {
        return gpu::LaunchReport{};
    }
};

} // namespace

/// The ladder of tensor-core products: every rung against FP64, or bit for bit, at sizes that no tile divides; the
/// fragments against the PTX ISA; what tells one rung from the next.
class TestTensorMatmul : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRungIsRight();
    void runsOnOtherChips();
    void fragmentsAreThePtxIsas();
    void narrowRowsNeedMoreCopies();
    void showsWhatEachRungFrees();
    void refusesOldChips();
    void wrongResultsAreSeen();
};

void TestTensorMatmul::everyRungIsRight()
{
    SimRuns runs(makeTensorMatmul(), kTarget);
    const std::array<std::int64_t, 3> sizes[] = {{1, 1, 1}, {16, 8, 16}, {65, 70, 33}, {70, 130, 50}, {130, 200, 136}};
    for (const Rung& rung : tensorMatmulRungs())
        for (const char* layout : {"nk", "kn"})
            for (const auto& [m, n, k] : sizes) {
                auto given = product(rung.name, m, n, k);
                given["layout"] = std::string(layout);
                given["data"] = std::string(k < 100 ? "integers" : "uniform");
                given["precision"] = std::string(m % 2 == 0 ? "bf16" : "fp16");
                const Point point = runs.at(given);
                verifyChecked(point, fmt::format("{} {} {} {} {}", rung.name, layout, m, n, k));
                QCOMPARE(point.metrics.at("error_share") == 0, k < 100);
            }
}

void TestTensorMatmul::runsOnOtherChips()
{
    for (const char* target : {"sim:h200-sxm", "sim:rtx4090", "sim:rtx5090"}) {
        SimRuns runs(makeTensorMatmul(), target);
        for (const Rung& rung : tensorMatmulRungs())
            verifyChecked(runs.at(product(rung.name, 70, 67, 72)), std::string(target) + " " + rung.name);
    }
    SimRuns runs(makeTensorMatmul(), "sim:t4");
    const Point point = runs.at(product("cuda_cores", 70, 67, 72));
    verifyChecked(point, "sim:t4");
    QCOMPARE(point.metrics.at("tensor_share"), 0.0);
}

void TestTensorMatmul::fragmentsAreThePtxIsas()
{
    const auto device = openSim(kTarget);
    Point point(*device, tensorMatmulInfo(), gpu::CompilerChoice::Automatic);
    const auto owners = askFragments(point);
    QVERIFY(owners.ok());
    QVERIFY(complete(*owners));
    for (std::uint32_t lane = 0; lane < 32; ++lane) { // PTX ISA, matrix fragments for mma.m16n8k16 with .f16 and .bf16
        const std::uint32_t g = lane / 4, q = lane % 4;
        for (std::uint32_t i = 0; i < 8; ++i) {
            const std::uint32_t row = i < 2 || (i >= 4 && i < 6) ? g : g + 8;
            const std::uint32_t k = 2 * q + i % 2 + (i >= 4 ? 8 : 0);
            QCOMPARE(std::uint32_t{owners->a[lane][i]}, row * 16 + k);
        }
        for (std::uint32_t i = 0; i < 4; ++i) {
            QCOMPARE(std::uint32_t{owners->b[lane][i]}, g * 16 + 2 * q + i % 2 + (i >= 2 ? 8 : 0));
            QCOMPARE(std::uint32_t{owners->c[lane][i]}, (i < 2 ? g : g + 8) * 8 + 2 * q + i % 2);
        }
    }
    const auto picture = decodeGridTrace(fragmentPicture(*owners));
    QVERIFY(picture.ok());
    QCOMPARE(picture->steps.size(), 34u);
    auto broken = *owners;
    broken.c[3][1] = broken.c[4][1];
    QVERIFY(!complete(broken));
}

void TestTensorMatmul::narrowRowsNeedMoreCopies()
{
    QCOMPARE(copyWidth(512), 16u);
    QCOMPARE(copyWidth(516), 8u);
    QCOMPARE(copyWidth(514), 4u);
    QCOMPARE(copyWidth(513), 2u);
    SimRuns runs(makeTensorMatmul(), kTarget);
    std::map<std::int64_t, double> loads, time;
    for (const std::int64_t k : {127, 126, 124, 128}) { // four steps of 32 each
        const Point point = runs.at(product("async", 128, 128, k));
        loads[k] = point.metrics.at("load_requests");
        time[k] = point.metrics.at("time");
    }
    QCOMPARE(loads[124], 2 * loads[128]);
    QCOMPARE(loads[126], 4 * loads[128]);
    QCOMPARE(loads[127], 8 * loads[128]);
    QVERIFY(time[127] > 2 * time[126] && time[126] > time[124] && time[124] > time[128]);
    // Of a matrix, the length of a row in memory matters alone: n is one where B lies row by row.
    QCOMPARE(runs.at(product("async", 128, 127, 128)).metrics.at("copy_bytes"), 16.0);
    auto given = product("async", 128, 127, 128);
    given["layout"] = std::string("kn");
    QCOMPARE(runs.at(given).metrics.at("copy_bytes"), 2.0);
}

void TestTensorMatmul::showsWhatEachRungFrees()
{
    SimRuns runs(makeTensorMatmul(), kTarget);
    std::map<std::string, std::map<std::string, double>> of;
    for (const Rung& rung : tensorMatmulRungs())
        of[rung.name] = runs.at(product(rung.name, 128, 128, 128)).metrics;
    QCOMPARE(of["cuda_cores"].at("tensor_share"), 0.0);
    QCOMPARE(of["cuda_cores"].at("mma_instructions"), 0.0);
    for (const char* rung : {"global", "shared", "ldmatrix", "async", "large_tile"}) {
        QVERIFY(of[rung].at("tensor_share") > 0);
        QCOMPARE(of[rung].at("mma_instructions"), 128.0 * 128 * 128 / 2048);
        QCOMPARE(of[rung].at("tile_use"), 100.0);
    }
    QCOMPARE(of["shared"].at("conflict_degree"), 3.0);
    QCOMPARE(of["ldmatrix"].at("conflict_degree"), 1.0);
    QVERIFY(of["shared"].at("time") < of["global"].at("time"));
    QVERIFY(of["ldmatrix"].at("time") < of["shared"].at("time"));
    QVERIFY(of["async"].at("time") < of["ldmatrix"].at("time"));
    QCOMPARE(2 * of["large_tile"].at("load_requests"), of["async"].at("load_requests"));
}

void TestTensorMatmul::refusesOldChips()
{
    const auto device = openSim("sim:t4");
    const auto experiment = makeTensorMatmul();
    Point point(*device, experiment->info(), gpu::CompilerChoice::Automatic);
    const auto refused = experiment->run(complete(experiment->info(), product("async", 64, 64, 64)), point);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, std::string("needs-newer-chip"));
    QVERIFY(!refused.error().fix.empty());
}

void TestTensorMatmul::wrongResultsAreSeen()
{
    IdleDevice device;
    const auto experiment = makeTensorMatmul();
    Point point(device, experiment->info(), gpu::CompilerChoice::Automatic);
    QVERIFY(experiment->run(complete(experiment->info(), product("cuda_cores", 40, 40, 40), "gpu"), point).ok());
    int failed = 0;
    for (const CheckResult& check : point.checks)
        failed += check.passed ? 0 : 1;
    QCOMPARE(failed, 2); // neither near the reference nor numbers at all
    QVERIFY(point.provenance.at("rate") == Provenance::Measured);
}

QTEST_GUILESS_MAIN(TestTensorMatmul)
#include "tst_tensor_matmul.moc"
