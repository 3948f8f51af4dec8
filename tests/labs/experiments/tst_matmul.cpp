// SPDX-License-Identifier: GPL-3.0-or-later
#include "clock_device.h"
#include "labs/4-kernel-optimization/matmul_info.h"
#include "sim_point.h"

#include <cmath>

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kTarget = "sim:rtx4060-laptop"; // 24 SMs: few blocks fill it

ParamSet product(const std::string& rung, std::int64_t m, std::int64_t n, std::int64_t k)
{
    return {{"rung", rung}, {"m", m}, {"n", n}, {"k", k}};
}

ParamSet tiled(const MatmulTile& tile, std::int64_t m, std::int64_t n, std::int64_t k)
{
    auto given = product("tiles", m, n, k);
    given["bm"] = std::int64_t{tile.rows};
    given["bn"] = std::int64_t{tile.columns};
    given["bk"] = std::int64_t{tile.depth};
    given["tm"] = std::int64_t{tile.threadRows};
    given["tn"] = std::int64_t{tile.threadColumns};
    return given;
}

void verifyChecked(const Point& point, const std::string& what)
{
    QVERIFY2(point.checks.size() >= 4, what.c_str()); // bits, bound, written, traffic
    for (const CheckResult& check : point.checks)
        QVERIFY2(check.passed, (what + ": " + check.name + ": " + check.detail).c_str());
    QVERIFY2(point.withinLimits(), what.c_str());
}

std::string textOf(std::int64_t m, std::int64_t n, std::int64_t k)
{
    return " " + std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
}

/// Carries out the product from its launch arguments; what `spoil` names is wrong.
bool carryOut(ClockDevice& device, const gpu::Launch& launch, const std::string& spoil)
{
    const auto size = [&](std::size_t arg) { return std::uint64_t{std::get<std::uint32_t>(launch.args.at(arg))}; };
    const auto read = [&](std::size_t arg, std::uint64_t count) {
        std::vector<float> values(count);
        (void)device.copyToHost(std::as_writable_bytes(std::span(values)), std::get<gpu::DevicePtr>(launch.args[arg]));
        return values;
    };
    if (!launch.kernel.starts_with("matmul_"))
        return false;
    const std::uint64_t m = size(3), n = size(4), k = size(5);
    const auto a = read(0, m * k), b = read(1, k * n);
    auto c = read(2, m * n);
    for (std::uint64_t row = 0; row < m; ++row)
        for (std::uint64_t column = 0; column < n; ++column) {
            float sum = 0;
            for (std::uint64_t i = 0; i < k; ++i)
                sum = std::fmaf(a[row * k + i], b[i * n + column], sum);
            if (spoil != "unwritten" || row + 1 < m || column + 1 < n)
                c[row * n + column] = sum;
        }
    if (spoil == "last bit")
        c.back() = std::nextafter(c.back(), 1000.0f);
    if (spoil == "far off")
        c.front() += 1;
    (void)device.copyToDevice(std::get<gpu::DevicePtr>(launch.args[2]), std::as_bytes(std::span(c)));
    return true;
}

} // namespace

/// The ladder of matrix products: every kernel bit by bit at sizes that no tile divides, the bytes that tile sizes say
/// against the bytes that lanes loaded, and the order of the rungs.
class TestMatmul : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRungIsRight();
    void everyTileIsRight();
    void looksAtSomeOfLargeProducts();
    void showsWhatEachRungFrees();
    void rungsStandInThePublishedOrder();
    void bytesFollowFromTheTile();
    void refusesTilesByName();
    void findsAWrongElement();
    void isTimedOnAGpu();
};

void TestMatmul::everyRungIsRight()
{
    SimRuns runs(makeMatmul(), kTarget);
    constexpr std::tuple<int, int, int> sizes[] = {{1, 1, 1},    {1, 130, 9},   {129, 1, 33},  {37, 41, 13},
                                                   {64, 32, 64}, {130, 68, 20}, {132, 260, 12}};
    for (const Rung& rung : matmulRungs())
        for (const auto& [m, n, k] : sizes)
            for (const char* data : {"uniform", "integers"}) {
                auto given = product(rung.name, m, n, k);
                given["data"] = std::string(data);
                verifyChecked(runs.at(given), rung.name + textOf(m, n, k) + " " + data);
            }
}

void TestMatmul::everyTileIsRight()
{
    SimRuns runs(makeMatmul(), kTarget);
    for (const MatmulTile& tile : matmulTiles())
        for (const auto& [m, n, k] : {std::tuple<int, int, int>{131, 67, 37}, {132, 68, 40}}) {
            const auto point = runs.at(tiled(tile, m, n, k));
            verifyChecked(point, tile.name() + textOf(m, n, k));
            QCOMPARE(point.metrics.at("sums"), double(tile.threadRows * tile.threadColumns));
        }
}

void TestMatmul::looksAtSomeOfLargeProducts()
{
    SimRuns runs(makeMatmul(), "sim:agx-orin-64"); // counts and does not time
    const auto point = runs.at(product("vector", 517, 389, 1031));
    verifyChecked(point, "large");
    QVERIFY(!point.metrics.contains("time"));
    QVERIFY(point.metrics.at("max_error") > 0 && point.metrics.at("max_error") < 1031 * 0x1p-24);
}

void TestMatmul::showsWhatEachRungFrees()
{
    SimRuns runs(makeMatmul(), kTarget);
    const auto at = [&](const char* rung) { return runs.at(product(rung, 256, 256, 64)).metrics; };
    // Sectors of global memory and passes through shared memory for each multiply-add of a warp.
    const std::tuple<const char*, double, double> moved[] = {
        {"naive", 32 + 1, 0},                  // a sector for each lane of A, one for all of B
        {"coalesced", 1 + 4, 0},               // one for all of A, four of B
        {"shared_tile", 8.0 / 32, 2},          // two loads of four sectors serve 32 multiply-adds
        {"column_tile", 8.0 / 64, 9.0 / 8},    // nine words for eight
        {"square_tile", 8.0 / 128, 48.0 / 64}, // 8 loads of A in two passes, 8 of B in four
        {"vector", 8.0 / 128, 24.0 / 64},      // 2 of A of 4 passes each, 2 of B of 8
        {"padded", 8.0 / 128, 36.0 / 64},      // 2 of A of 4 passes, 8 of B of 3.5: more than before
        {"tiles", 8.0 / 128, 16.0 / 64},       // four loads of four passes, which is the least
        {"double_buffer", 8.0 / 128, 16.0 / 64}};
    for (const auto& [rung, sectors, passes] : moved) {
        auto metrics = at(rung);
        QVERIFY2(std::fabs(metrics["sectors_per_fma"] - sectors) < 1e-9, rung);
        QVERIFY2(std::fabs(metrics["passes_per_fma"] - passes) < 1e-9,
                 (rung + (" " + std::to_string(metrics["passes_per_fma"]))).c_str());
    }
    QVERIFY(at("padded")["passes_per_fma"] > at("vector")["passes_per_fma"]);
    QCOMPARE(at("tiles")["bank_conflicts"], 0.0);
    QCOMPARE(at("vector")["local_instructions"], 0.0);
}

/// Published on an A6000 at 4096, in per cent of cuBLAS: 1.3, 8.5, 12.8, 36.5, 68.7, 78.4; padded 70.8; tiles 84.8.
/// Small blocks fill the chip with a quarter of the work.
void TestMatmul::rungsStandInThePublishedOrder()
{
    SimRuns runs(makeMatmul(), kTarget);
    const auto rates = [&](std::vector<const char*> rungs, std::int64_t m, std::int64_t n) {
        std::map<std::string, double> rate;
        for (const char* rung : rungs)
            rate[rung] = runs.at(product(rung, m, n, 128)).metrics.at("rate");
        for (std::size_t at = 1; at < rungs.size(); ++at)
            [&] { QVERIFY2(rate[rungs[at]] > rate[rungs[at - 1]], rungs[at]); }();
        return rate;
    };
    auto small = rates({"naive", "coalesced", "shared_tile", "column_tile"}, 512, 384);
    // The jumps: most by coalescing, next by registers, little by shared memory.
    const double coalescing = small["coalesced"] / small["naive"], shared = small["shared_tile"] / small["coalesced"];
    const double registers = small["column_tile"] / small["shared_tile"];
    QVERIFY2(coalescing > 5 && coalescing < 8, std::to_string(coalescing).c_str());
    QVERIFY2(shared > 1.2 && shared < 2, std::to_string(shared).c_str());
    QVERIFY2(registers > 2 && registers < 4.5, std::to_string(registers).c_str());
    auto large = rates({"column_tile", "square_tile", "vector", "tiles"}, 1024, 768);
    const double padded = runs.at(product("padded", 1024, 768, 128)).metrics.at("rate");
    QVERIFY(padded < large["vector"] && padded > large["square_tile"]);
}

void TestMatmul::bytesFollowFromTheTile()
{
    MatmulShape shape;
    shape.rung = kMatmulTiles;
    shape.m = 1024;
    shape.n = 768;
    shape.k = 256;
    const double all = 1024.0 * 768 * 256;
    QCOMPARE(shape.loadedBytes(), 8 * all); // no tile: two words a multiply-add
    shape.tile = {128, 64, 8, 8, 4};
    QCOMPARE(shape.loadedBytes(), 4 * all * (1.0 / 128 + 1.0 / 64));
    shape.tile = {256, 256, 8, 16, 16};
    QCOMPARE(shape.loadedBytes(), 4 * all / 128);
    shape.n = 769; // one column more: a fourth block across reads all of A once more
    QCOMPARE(shape.loadedBytes(), 4.0 * 256 * (1024 * 4 + 769 * 4));
    QCOMPARE(shape.launchBlocks().x, 4u);
    QCOMPARE(shape.bytes().read, 4.0 * (1024 * 256 + 256 * 769));
    // A tile of 256 x 256 by 256 threads keeps 256 sums a thread, and 255 registers are all there are.
    SimRuns runs(makeMatmul(), kTarget);
    const auto spilled = runs.at(tiled({256, 256, 8, 16, 16}, 256, 256, 64)).metrics;
    const auto fits = runs.at(tiled({256, 128, 8, 16, 8}, 256, 256, 64)).metrics;
    QVERIFY(spilled.at("local_instructions") > 0);
    QCOMPARE(fits.at("local_instructions"), 0.0);
    QVERIFY(fits.at("registers") > 128 && spilled.at("registers") <= 255);
}

void TestMatmul::refusesTilesByName()
{
    const auto experiment = makeMatmul();
    const auto device = openSim(kTarget);
    const std::tuple<MatmulTile, const char*, const char*> refused[] = {
        {{128, 128, 8, 2, 2}, "4096 threads", "tm=0"},       // too many
        {{32, 32, 8, 16, 16}, "4 threads", "tm=0"},          // no whole warp
        {{256, 256, 32, 16, 16}, "bytes of shared", "bk=8"}, // 66048 of 49152
        {{64, 64, 16, 8, 8}, "no kernel was made", "bk=16 tm=4 tn=4"}};
    for (const auto& [tile, message, fix] : refused) {
        const auto given = complete(experiment->info(), tiled(tile, 64, 64, 64));
        QVERIFY(experiment->kernels(given, device->info()).empty());
        Point point(*device, experiment->info(), gpu::CompilerChoice::Shipped);
        const auto result = experiment->run(given, point);
        QVERIFY2(!result.ok(), tile.name().c_str());
        QCOMPARE(result.error().code, std::string("bad-tile"));
        QVERIFY2(result.error().message.find(message) != std::string::npos, result.error().message.c_str());
        QVERIFY2(result.error().fix.find(fix) != std::string::npos, result.error().fix.c_str());
    }
}

void TestMatmul::findsAWrongElement()
{
    const auto experiment = makeMatmul();
    for (const std::string spoil : {"", "last bit", "far off", "unwritten"}) {
        ClockDevice device;
        device.hasClock = false;
        device.carryOut = [&](const gpu::Launch& launch) { return carryOut(device, launch, spoil); };
        Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
        const auto result = experiment->run(complete(experiment->info(), product("vector", 37, 41, 13)), point);
        QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
        std::map<std::string, bool> passed;
        for (const CheckResult& check : point.checks)
            passed[check.name] = check.passed;
        QCOMPARE(passed.at("matches_reference"), spoil.empty());
        QCOMPARE(passed.at("within_error_bound"), spoil.empty() || spoil == "last bit");
        QCOMPARE(passed.at("all_written"), spoil != "unwritten");
        QVERIFY(device.buffers.empty() && !point.metrics.contains("time"));
    }
}

void TestMatmul::isTimedOnAGpu()
{
    const auto experiment = makeMatmul();
    ClockDevice device;
    device.seconds = 1e-3;
    device.carryOut = [&](const gpu::Launch& launch) { return carryOut(device, launch, ""); };
    Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
    const auto result = experiment->run(complete(experiment->info(), product("tiles", 256, 128, 64)), point);
    QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
    QCOMPARE(point.metrics.at("rate"), 2.0 * 256 * 128 * 64 / 1e-3 / 1e12);
    QVERIFY(point.provenance.at("rate") == Provenance::Measured);
    QCOMPARE(point.metrics.at("share_of_limit"), 100 * point.limits.at("time") / 1e-3);
    QVERIFY(device.buffers.empty());
}

QTEST_GUILESS_MAIN(TestMatmul)
#include "tst_matmul.moc"
