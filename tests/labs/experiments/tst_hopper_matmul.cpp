// SPDX-License-Identifier: GPL-3.0-or-later
#include "clock_device.h"
#include "gpu/reference.h"
#include "gpu/swizzled_tiles.h"
#include "labs/4-kernel-optimization/hopper_matmul_info.h"
#include "sim_point.h"

#include <fmt/core.h>

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kTarget = "sim:h100-sxm";

ParamSet product(const std::string& rung, std::int64_t m, std::int64_t n, std::int64_t k)
{
    return {{"rung", rung}, {"m", m}, {"n", n}, {"k", k}};
}

void verifyChecked(const Point& point, const std::string& what)
{
    QVERIFY2(!point.checks.empty(), what.c_str());
    for (const CheckResult& check : point.checks)
        QVERIFY2(check.passed, (what + ": " + check.name + ", " + check.detail).c_str());
    QVERIFY2(point.withinLimits(), what.c_str());
}

/// A chip with wgmma whose kernels do nothing: what they should have written stays poisoned.
class IdleHopper : public ClockDevice, public gpu::SwizzledTiles {
public:
    IdleHopper() { about.computeMajor = 9; }
    Result<gpu::TensorMapArg> swizzledMap(const gpu::TensorTile&) override { return gpu::TensorMapArg{}; }
    Result<gpu::LaunchReport> launch(const gpu::LoadedProgram&, const gpu::Launch&, const gpu::LaunchOptions&) override
    {
        return gpu::LaunchReport{};
    }
    Result<std::unique_ptr<gpu::LoadedProgram>> reference(const gpu::ReferenceWork& work) override
    {
        if (const auto* wanted = std::get_if<gpu::MatrixProduct>(&work))
            asked.push_back(*wanted);
        return Error{"no-reference", "nobody multiplies here", "gpu:0", "install a library"};
    }
    std::vector<gpu::MatrixProduct> asked;
};

} // namespace

/// The ladder of Hopper products: every rung bit for bit at sizes that no tile divides, what tells one rung from the
/// next, and what is no place for it.
class TestHopperMatmul : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRungIsRight();
    void stepsGoRoundTheRing();
    void blocksTakeSeveralTiles();
    void showsWhatEachRungFrees();
    void twoLevelsKeepWhatOneLoses();
    void scalesAreAppliedToTheirBlocks();
    void blockScalesKeepWhatAnOutlierTakes();
    void refusesScalesInTheMiddleOfASum();
    void refusesOtherChips();
    void wrongResultsAreSeen();
    void asksCublasForItsFactors();
};

void TestHopperMatmul::everyRungIsRight()
{
    SimRuns runs(makeHopperMatmul(), kTarget);
    const std::array<std::int64_t, 3> sizes[] = {{1, 1, 1}, {64, 8, 16}, {65, 71, 33}, {130, 259, 70}};
    for (const Rung& rung : hopperMatmulRungs())
        for (const auto& [m, n, k] : sizes) {
            auto given = product(rung.name, m, n, k);
            given["data"] = std::string(m == 65 ? "uniform" : "integers");
            given["precision"] = std::string(m % 2 == 0 ? "bf16" : "fp16");
            const Point point = runs.at(given);
            verifyChecked(point, fmt::format("{} {} {} {}", rung.name, m, n, k));
            QCOMPARE(point.metrics.at("error_share") == 0, m != 65);
        }
}

/// Twice round every ring and further: stages are handed back, parities turn.
void TestHopperMatmul::stepsGoRoundTheRing()
{
    SimRuns runs(makeHopperMatmul(), kTarget);
    for (const Rung& rung : hopperMatmulRungs()) {
        auto given = product(rung.name, 40, 33, std::string(rung.name) == "fp8" ? 1200 : 600);
        given["data"] = std::string("integers");
        verifyChecked(runs.at(given), rung.name);
    }
}

/// More tiles than a chip has SMs: a block goes on with the ring where its last tile left it.
void TestHopperMatmul::blocksTakeSeveralTiles()
{
    HopperMatmulShape shape;
    shape.rung = 3;
    shape.m = 128;
    shape.n = 256 * 140;
    QCOMPARE(shape.tiles(), 140u);
    QCOMPARE(shape.grid(132).x, 132u);
    SimRuns runs(makeHopperMatmul(), kTarget);
    for (const char* rung : {"persistent", "multicast", "stores", "fp8"}) {
        auto given = product(rung, std::string(rung) == "fp8" ? 250 : 500, 8953, 80);
        given["data"] = std::string("integers");
        given["scales"] = std::string("block"); // of rung fp8; the others do not ask
        const Point point = runs.at(given);
        QVERIFY(point.metrics.at("tiles") > 132);
        verifyChecked(point, rung);
    }
}

void TestHopperMatmul::showsWhatEachRungFrees()
{
    SimRuns runs(makeHopperMatmul(), kTarget);
    std::map<std::string, std::map<std::string, double>> of;
    for (const Rung& rung : hopperMatmulRungs()) {
        auto given = product(rung.name, 256, 256, 512);
        of[rung.name] = runs.at(given).metrics;
        QCOMPARE(of[rung.name].at("tile_use"), 100.0);
    }
    const double a = 2.0 * 256 * 512, b = a;
    QCOMPARE(of["ring"].at("copied_bytes"), 2 * a + 2 * b); // each twice
    QCOMPARE(of["specialised"].at("copied_bytes"), a + 2 * b);
    QCOMPARE(of["multicast"].at("copied_bytes"), a + b);
    QCOMPARE(of["stores"].at("bulk_copies"), of["multicast"].at("bulk_copies") + 16);
    QCOMPARE(of["fp8"].at("copied_bytes"), (2 * a + b) / 2); // of one byte each, tiles half as wide
    QCOMPARE(of["fp8"].at("wgmma_instructions"), of["stores"].at("wgmma_instructions"));
    QVERIFY(of["ring"].at("time") < of["tma"].at("time"));
}

/// Of a sum of positive numbers the tensor cores drop what lies 13 bits below it: more, the longer it gets.
void TestHopperMatmul::twoLevelsKeepWhatOneLoses()
{
    SimRuns runs(makeHopperMatmul(), kTarget);
    const auto error = [&](const char* accumulate, std::int64_t k, const char* data) {
        auto given = product("fp8", 9, 17, k);
        given["accumulate"] = std::string(accumulate);
        given["data"] = std::string(data);
        const Point point = runs.at(given);
        verifyChecked(point, fmt::format("{} {} {}", accumulate, k, data));
        return point.metrics.at("error_rms");
    };
    QCOMPARE(error("tensor", 128, "positive"), error("two_level", 128, "positive")); // one block
    const double shorter = error("tensor", 1024, "positive"), longer = error("tensor", 4096, "positive");
    const double kept = error("two_level", 4096, "positive");
    QVERIFY2(longer > 2 * shorter, fmt::format("{} {}", shorter, longer).c_str());
    QVERIFY2(longer > 5 * kept && kept < 1, fmt::format("{} {}", longer, kept).c_str());
    QVERIFY(error("tensor", 1030, "integers") == error("two_level", 1030, "integers")); // both exact, but for bf16
}

/// Whole numbers whose size differs from block to block, divided by powers of two: a scale that is left out, or is of
/// another row, column or block of k, changes bits.
void TestHopperMatmul::scalesAreAppliedToTheirBlocks()
{
    SimRuns runs(makeHopperMatmul(), kTarget);
    const std::array<std::int64_t, 3> sizes[] = {{1, 1, 1}, {9, 131, 257}, {133, 17, 300}};
    for (const auto& [m, n, k] : sizes)
        for (const auto& [scales, accumulate, data] :
             std::initializer_list<std::array<const char*, 3>>{{"tensor", "two_level", "integers"},
                                                               {"tensor", "tensor", "integers"},
                                                               {"block", "two_level", "integers"},
                                                               {"block", "two_level", "outliers"}}) {
            auto given = product("fp8", m, n, k);
            given["scales"] = std::string(scales);
            given["accumulate"] = std::string(accumulate);
            given["data"] = std::string(data);
            given["precision"] = std::string(m == 9 ? "fp16" : "bf16");
            const Point point = runs.at(given);
            const std::string what = fmt::format("{} {} {} {} {} {}", scales, accumulate, data, m, n, k);
            verifyChecked(point, what);
            const bool block = std::string(scales) == "block";
            const auto steps = static_cast<double>((k + 127) / 128);
            const double blocks = steps * static_cast<double>(m + (n + 127) / 128);
            QCOMPARE(point.metrics.at("scale_bytes"), block ? 4 * blocks : 8);
            if (std::string(data) == "integers")
                QCOMPARE(point.metrics.at("error_share"), 0.0);
        }
}

/// An outlier takes the scale of all of A, so that what is small has few bits left; of blocks, it takes that of its
/// own.
void TestHopperMatmul::blockScalesKeepWhatAnOutlierTakes()
{
    SimRuns runs(makeHopperMatmul(), kTarget);
    const auto error = [&](const char* scales, const char* data) {
        auto given = product("fp8", 32, 24, 1024);
        given["scales"] = std::string(scales);
        given["data"] = std::string(data);
        const Point point = runs.at(given);
        verifyChecked(point, fmt::format("{} {}", scales, data));
        return point.metrics.at("error_drawn");
    };
    const double none = error("none", "outliers"), one = error("tensor", "outliers"), many = error("block", "outliers");
    QVERIFY2(many < 5 && one > 2.5 * many, fmt::format("{} {}", one, many).c_str());
    QVERIFY2(none > one, fmt::format("{} {}", none, one).c_str()); // 4096 is beyond e4m3, and becomes 448
    const double even = error("tensor", "uniform"), evenBlocks = error("block", "uniform");
    QVERIFY2(std::abs(even - evenBlocks) < 0.5, fmt::format("{} {}", even, evenBlocks).c_str()); // nothing to save
}

void TestHopperMatmul::refusesScalesInTheMiddleOfASum()
{
    const auto device = openSim(kTarget);
    const auto experiment = makeHopperMatmul();
    Point point(*device, experiment->info(), gpu::CompilerChoice::Automatic);
    auto given = product("fp8", 64, 64, 256);
    given["scales"] = std::string("block");
    given["accumulate"] = std::string("tensor");
    const auto refused = experiment->run(complete(experiment->info(), given), point);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, std::string("bad-parameters"));
    QVERIFY(refused.error().place.find("scales=block") != std::string::npos);
    QVERIFY(refused.error().fix.find("two_level") != std::string::npos);
    given["rung"] = std::string("stores"); // which has no scales to refuse
    QVERIFY(experiment->run(complete(experiment->info(), given), point).ok());
}

void TestHopperMatmul::refusesOtherChips()
{
    for (const char* target : {"sim:a100-sxm-80", "sim:rtx5090"}) {
        const auto device = openSim(target);
        const auto experiment = makeHopperMatmul();
        Point point(*device, experiment->info(), gpu::CompilerChoice::Automatic);
        const auto refused = experiment->run(complete(experiment->info(), product("tma", 64, 64, 64)), point);
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().code, std::string("needs-other-chip"));
        QVERIFY(refused.error().fix.find("sim:h100-sxm") != std::string::npos);
    }
}

void TestHopperMatmul::wrongResultsAreSeen()
{
    IdleHopper device;
    const auto experiment = makeHopperMatmul();
    Point point(device, experiment->info(), gpu::CompilerChoice::Automatic);
    const auto ran = experiment->run(complete(experiment->info(), product("stores", 40, 40, 40), "gpu"), point);
    QVERIFY2(ran.ok(), ran.ok() ? "" : toText(ran.error()).c_str());
    int failed = 0;
    for (const CheckResult& check : point.checks)
        failed += check.passed ? 0 : 1;
    QCOMPARE(failed, 2); // neither near the reference nor numbers at all
}

/// The vendor multiplies the very factors, in eight bits, too; it is not asked for what it would do otherwise.
void TestHopperMatmul::asksCublasForItsFactors()
{
    const auto experiment = makeHopperMatmul();
    const auto of = [&](const char* rung, std::int64_t k, const char* scales, std::string& logged) {
        IdleHopper device;
        auto given = product(rung, 40, 40, k);
        given["scales"] = std::string(scales);
        given["reference"] = std::string("cublas");
        Point point(device, experiment->info(), gpu::CompilerChoice::Automatic);
        const auto ran = experiment->run(complete(experiment->info(), given, "gpu"), point);
        logged = point.logged;
        return ran.ok() ? device.asked : std::vector<gpu::MatrixProduct>{};
    };
    std::string logged;
    for (const auto& [rung, in] :
         {std::pair("stores", gpu::MatrixFormat::Bf16), std::pair("fp8", gpu::MatrixFormat::E4m3)}) {
        const auto asked = of(rung, 48, "none", logged);
        QCOMPARE(asked.size(), std::size_t(1));
        QVERIFY(asked[0].in == in && asked[0].out == gpu::MatrixFormat::Bf16);
        QVERIFY(asked[0].m == 40 && asked[0].n == 40 && asked[0].k == 48);
        QVERIFY2(logged.find("nobody multiplies here") != std::string::npos, logged.c_str());
    }
    QVERIFY(of("fp8", 40, "none", logged).empty()); // rows of 40 bytes are padded to 48
    QVERIFY2(logged.find("k to one of 16") != std::string::npos, logged.c_str());
    QVERIFY(of("fp8", 48, "tensor", logged).empty());
    QVERIFY2(logged.find("scales=none") != std::string::npos, logged.c_str());
}

QTEST_GUILESS_MAIN(TestHopperMatmul)
#include "tst_hopper_matmul.moc"
