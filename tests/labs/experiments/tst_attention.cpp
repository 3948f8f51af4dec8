// SPDX-License-Identifier: GPL-3.0-or-later
#include "clock_device.h"
#include "labs/4-kernel-optimization/attention_info.h"
#include "labs/4-kernel-optimization/online_softmax_row.h"
#include "sim_point.h"

#include <cmath>

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kTarget = "sim:h200-sxm";
constexpr const char* kWithoutClock = "sim:agx-orin-64"; // results and counts alone, in a tenth of the time

ParamSet setting(const std::string& rung, std::int64_t n, std::int64_t heads = 2, std::int64_t headDim = 64,
                 const char* mask = "full", const char* dtype = "fp16", const char* input = "uniform")
{
    return {{"rung", rung},
            {"n", n},
            {"heads", heads},
            {"head_dim", headDim},
            {"mask", std::string(mask)},
            {"dtype", std::string(dtype)},
            {"input", std::string(input)}};
}

void verifyChecked(const Point& point, const std::string& what)
{
    QVERIFY2(point.checks.size() >= 2, what.c_str()); // the reference and the counts
    for (const CheckResult& check : point.checks)
        QVERIFY2(check.passed, (what + ": " + check.name + ": " + check.detail).c_str());
    QVERIFY2(point.withinLimits(), what.c_str());
}

/// Rungs on tensor cores multiply fp16 alone.
bool inFp32(const std::string& rung)
{
    AttentionShape shape;
    shape.rung = rungOf(attentionRungs(), {{"rung", rung}});
    return !shape.usesMma();
}

/// A chip that runs the rung, without a clock where there is one.
const char* targetOf(const std::string& rung)
{
    AttentionShape shape;
    shape.rung = rungOf(attentionRungs(), {{"rung", rung}});
    return shape.usesTensorMaps() ? "sim:h100-sxm" : kWithoutClock;
}

AttentionShape shapeOf(std::size_t rung, std::uint64_t heads, std::uint64_t n, std::uint32_t headDim)
{
    AttentionShape shape;
    shape.rung = rung;
    shape.heads = heads;
    shape.n = n;
    shape.headDim = headDim;
    shape.reach = static_cast<std::uint32_t>(n);
    return shape;
}

/// Carries out the fp32 kernel with tiles from its launch arguments, 64 numbers a row; the last result is `off`.
bool carryOut(ClockDevice& device, const gpu::Launch& launch, float off)
{
    if (launch.kernel != "attention_tiled_fp32_64")
        return false;
    const std::uint64_t n = std::get<std::uint32_t>(launch.args[4]), heads = launch.grid.y, dim = 64;
    const std::uint64_t reach = std::get<std::uint32_t>(launch.args[5]);
    std::vector<float> q(heads * n * dim), k = q, v = q, out = q;
    for (auto* tensor : {&q, &k, &v})
        (void)device.copyToHost(std::as_writable_bytes(std::span(*tensor)),
                                std::get<gpu::DevicePtr>(launch.args[tensor == &q   ? 0
                                                                     : tensor == &k ? 1
                                                                                    : 2]));
    for (std::uint64_t row = 0; row < heads * n; ++row) {
        std::vector<double> sum(dim);
        double below = 0;
        for (std::uint64_t key = 0; key < std::min(n, row % n + reach); ++key) {
            const std::uint64_t at = (row / n * n + key) * dim;
            double dot = 0;
            for (std::uint64_t d = 0; d < dim; ++d)
                dot += static_cast<double>(q[row * dim + d]) * static_cast<double>(k[at + d]);
            const double weight = std::exp(dot / 8);
            below += weight;
            for (std::uint64_t d = 0; d < dim; ++d)
                sum[d] += weight * static_cast<double>(v[at + d]);
        }
        for (std::uint64_t d = 0; d < dim; ++d)
            out[row * dim + d] = below == 0 ? 0 : static_cast<float>(sum[d] / below);
    }
    out.back() += off;
    (void)device.copyToDevice(std::get<gpu::DevicePtr>(launch.args[3]), std::as_bytes(std::span(out)));
    return true;
}

} // namespace

/// Attention, rung by rung: against double precision, what they allocate, move and compute.
class TestAttention : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRungIsRight_data();
    void everyRungIsRight();
    void groupsShareKeys();
    void equalScoresAreExact();
    void survivesUnkindInput();
    void memoryIsWhatIsAllocated();
    void deviceMemoryIsReadAsCounted();
    void turnsGain();
    void publishedShapes();
    void fusedIsMoreExactThanStored();
    void shippedCodeAgreesOnVolta();
    void refusesByName();
    void findsAWrongElement();
    void onePassByHand();
};

void TestAttention::everyRungIsRight_data()
{
    QTest::addColumn<QString>("rung");
    for (const Rung& rung : attentionRungs())
        QTest::newRow(rung.name) << QString::fromLatin1(rung.name);
}

void TestAttention::everyRungIsRight()
{
    QFETCH(QString, rung);
    const std::string name = rung.toStdString();
    SimRuns runs(makeAttention(), targetOf(name));
    for (const char* dtype : {"fp16", "fp32"}) {
        if (!inFp32(name) && dtype == std::string("fp32"))
            continue;
        const auto sees = [&](std::int64_t n, const char* mask) { // one, and no multiple of any tile
            verifyChecked(runs.at(setting(name, n, 2, n == 67 ? 128 : 64, mask, dtype)),
                          name + " " + dtype + " " + mask + " " + std::to_string(n));
        };
        for (const char* mask : {"full", "causal", "strict"})
            sees(67, mask);
        sees(1, "strict");
        sees(1, "full");
        sees(33, "full");
        sees(130, "causal");
        if (dtype == std::string("fp16") && shapeOf(rungOf(attentionRungs(), {{"rung", name}}), 1, 1, 64).sharesKeys())
            sees(450, "causal"); // stages are used again and again
    }
}

void TestAttention::groupsShareKeys()
{
    // The reference takes K and V from the head that the query's group has: of two, of all heads, of n past a tile.
    for (std::size_t rung = kAttentionAsync; rung < attentionRungs().size(); ++rung) {
        const std::string name = attentionRungs()[rung].name;
        SimRuns runs(makeAttention(), targetOf(name));
        const auto shared = [&](std::int64_t n, std::int64_t heads, std::int64_t group, const char* mask) {
            auto params = setting(name, n, heads, n == 67 ? 128 : 64, mask);
            params["group"] = group;
            const Point point = runs.at(params);
            verifyChecked(point, name + " " + std::to_string(group) + " of " + std::to_string(heads));
            QCOMPARE(point.metrics.at("peak_bytes"),
                     static_cast<double>(heads * n * (n == 67 ? 128 : 64)) * (6 + 4.0 / static_cast<double>(group)));
        };
        shared(67, 4, 2, "causal");
        shared(130, 3, 3, "full");
        auto nan = setting(name, 100, 4, 64, "causal", "fp16", "nan"); // the first two heads see it
        nan["group"] = std::int64_t{2};
        verifyChecked(runs.at(nan), name + ", nan");
    }
}

void TestAttention::equalScoresAreExact()
{
    // All weights are 1, or 1/128 where they are stored, and 128 values of 12 bits add up in fp32 without rounding:
    // every bit of the result is known, whatever the order.
    for (const Rung& rung : attentionRungs()) {
        SimRuns runs(makeAttention(), targetOf(rung.name));
        for (const std::int64_t headDim : {64, 128}) {
            const Point point = runs.at(setting(rung.name, 128, 2, headDim, "full", "fp16", "equal"));
            verifyChecked(point, rung.name);
            QCOMPARE(point.metrics.at("max_error"), 0.0);
        }
    }
}

void TestAttention::survivesUnkindInput()
{
    for (const Rung& rung : attentionRungs()) {
        SimRuns runs(makeAttention(), targetOf(rung.name));
        for (const char* input : {"large", "equal", "nan"})
            for (const char* mask : {"full", "causal"})
                verifyChecked(runs.at(setting(rung.name, 100, 2, 64, mask, "fp16", input)),
                              std::string(rung.name) + " " + input + " " + mask);
    }
    SimRuns runs(makeAttention(), kWithoutClock);
    verifyChecked(runs.at(setting("tiled", 100, 2, 128, "causal", "fp32", "large")), "fp32, large");
}

void TestAttention::memoryIsWhatIsAllocated()
{
    SimRuns runs(makeAttention(), kWithoutClock);
    const auto at = [&](const char* rung, std::int64_t n) { return runs.at(setting(rung, n)).metrics; };
    auto three = at("three_kernels", 128), fused = at("fused_softmax", 128), tiled = at("tiled", 128);
    QCOMPARE(three["extra_bytes"], 2.0 * 2 * 128 * 128 * 2); // scores and weights, two heads, fp16
    QCOMPARE(fused["extra_bytes"], 2.0 * 128 * 128 * 2);
    QCOMPARE(tiled["extra_bytes"], 0.0);
    QCOMPARE(at("three_kernels", 129)["extra_bytes"], 2.0 * 2 * 129 * 136 * 2); // rows are whole vectors of 16 bytes
    QCOMPARE(three["launches"], 3.0);
    QCOMPARE(fused["launches"], 2.0);
    QCOMPARE(tiled["launches"], 1.0);
    // Twice the tokens: twice the memory, a power of 1, and for the scores four times, a power of 2.
    QCOMPARE(at("tiled", 256)["peak_bytes"], 2 * tiled["peak_bytes"]);
    QCOMPARE(at("three_kernels", 256)["extra_bytes"], 4 * three["extra_bytes"]);
}

void TestAttention::deviceMemoryIsReadAsCounted()
{
    SimRuns runs(makeAttention(), kTarget);
    for (const Rung& rung : attentionRungs()) {
        const Point point = runs.at(setting(rung.name, 128));
        QCOMPARE(point.metrics.at("dram_read"), point.metrics.at("device_read"));
        QVERIFY(point.metrics.at("time") > 0 && point.withinLimits());
        // Keys are asked for once a query, or once a block of 64.
        const double row = 2 * 64, keys = 2 * 2.0 * 128 * row; // two heads, K and V
        const double rest = 2 * 128.0 * (row + 4 * 64);        // Q in, the result out
        if (rung.name == std::string("online"))
            QCOMPARE(point.metrics.at("lane_bytes"), 128 * keys + rest);
        if (std::string(rung.name).starts_with("tiled") || rung.name == std::string("async"))
            QCOMPARE(point.metrics.at("lane_bytes"), 128.0 / 64 * keys + rest);
    }
}

/// As FlashAttention-3 has it: one group's softmax runs under the other's products, which it has handed on.
void TestAttention::turnsGain()
{
    SimRuns runs(makeAttention(), kTarget);
    const auto time = [&](const char* rung) { return runs.at(setting(rung, 1024)).metrics.at("time"); };
    const double apart = time("hopper"), inTurns = time("pingpong"); // simulated: the same everywhere
    QVERIFY2(inTurns < 0.93 * apart, qPrintable(QString::number(inTurns / apart)));
}

void TestAttention::publishedShapes()
{
    // The README of FlashAttention: memory is saved by about 10x at 2K tokens and 20x at 4K. Ours at head dimension
    // 128: 7.4 and 13.8, as 1 + 0.4 n / D; with a 16-bit result it would be 9 and 17. At 64: 13.8 and 26.6.
    const auto saved = [](std::uint64_t n, std::uint32_t dim) {
        return static_cast<double>(shapeOf(kAttentionThree, 16, n, dim).peakBytes()) /
               static_cast<double>(shapeOf(kAttentionTiled, 16, n, dim).peakBytes());
    };
    for (const std::uint64_t n : {2048, 4096})
        for (const std::uint32_t dim : {64, 128})
            QCOMPARE(saved(n, dim), 1 + 0.4 * static_cast<double>(n) / dim);
    // GPT-2 medium of the FlashAttention paper (1024 tokens, 16 heads of 64, batch 64), forward alone.
    const auto three = shapeOf(kAttentionThree, 1024, 1024, 64), tiled = shapeOf(kAttentionTiled, 1024, 1024, 64);
    QCOMPARE(three.deviceTraffic().all(), 1024 * (10.0 * 1024 * 64 + 8.0 * 1024 * 1024));
    QCOMPARE(tiled.deviceTraffic().all(), 1024 * 10.0 * 1024 * 64);
    QCOMPARE(three.work().products, 4.0 * 1024 * 1024 * 64 * 1024);
    QCOMPARE(tiled.work().products, three.work().products);
    QVERIFY(tiled.work().all() > 0.99 * three.work().all() && tiled.work().all() < three.work().all());
    // Of a causal mask half the pairs are seen, and nearly half the work is left out by the tiles.
    auto causal = tiled;
    causal.reach = 1;
    QCOMPARE(causal.pairs(), 1024 * (std::uint64_t{1024} * 1025 / 2));
    QVERIFY(causal.work().products < 0.54 * tiled.work().products);
}

void TestAttention::fusedIsMoreExactThanStored()
{
    SimRuns runs(makeAttention(), kWithoutClock);
    const auto error = [&](const char* rung) { return runs.at(setting(rung, 256)).metrics.at("max_error"); };
    const double three = error("three_kernels"), tiled = error("tiled"), mma = error("tiled_mma");
    QVERIFY(three > 100 * tiled); // scores and weights in 11 bits, against none of them
    QVERIFY(tiled < 2e-6);
    QVERIFY(mma < three);
}

void TestAttention::shippedCodeAgreesOnVolta()
{
    SimRuns runs(makeAttention(), "sim:v100-sxm2-32", gpu::CompilerChoice::Shipped);
    for (const char* rung : {"three_kernels", "fused_softmax", "online", "tiled"})
        verifyChecked(runs.at(setting(rung, 70, 1, 64, "causal")), rung);
}

void TestAttention::refusesByName()
{
    const auto experiment = makeAttention();
    const auto code = [&](const char* target, const ParamSet& params) {
        const auto device = openSim(target, 64u << 20);
        const auto given = complete(experiment->info(), params);
        Point point(*device, experiment->info(), gpu::CompilerChoice::Automatic);
        const auto result = experiment->run(given, point);
        return result.ok() ? QString() : QString::fromStdString(result.error().code + ": " + result.error().fix);
    };
    QCOMPARE(code(kTarget, setting("tiled_mma", 64, 1, 64, "full", "fp32")),
             QStringLiteral("bad-parameters: set dtype=fp16, or rung=tiled"));
    QCOMPARE(code("sim:v100-sxm2-32", setting("tiled_mma", 64)),
             QStringLiteral("needs-newer-chip: choose rung=tiled, or run it on sim:a100-sxm-80"));
    QCOMPARE(code("sim:t4", setting("pingpong", 64)), // an A100 would refuse it, too
             QStringLiteral("needs-newer-chip: choose rung=tiled, or run it on sim:h100-sxm"));
    QCOMPARE(code("sim:a100-sxm-80", setting("hopper", 64)),
             QStringLiteral("needs-newer-chip: choose rung=async, or run it on sim:h100-sxm"));
    QCOMPARE(code("sim:b200", setting("pingpong", 64)),
             QStringLiteral("needs-other-chip: choose rung=async, or run it on sim:h100-sxm"));
    auto shared = setting("tiled_mma", 64, 4);
    shared["group"] = std::int64_t{2};
    QCOMPARE(code(kTarget, shared), QStringLiteral("bad-parameters: set group=1, or rung=async"));
    shared["group"] = std::int64_t{3};
    QCOMPARE(code(kTarget, shared), QStringLiteral("bad-parameters: set group to a divisor of heads"));
    QVERIFY(code(kTarget, setting("three_kernels", 16384)).startsWith(QStringLiteral("out-of-memory: set fewer")));
}

void TestAttention::findsAWrongElement()
{
    const auto experiment = makeAttention();
    for (const float off : {0.0f, 1e-3f, std::numeric_limits<float>::quiet_NaN()}) {
        ClockDevice device;
        device.seconds = 1e-3;
        device.carryOut = [&](const gpu::Launch& launch) { return carryOut(device, launch, off); };
        Point point(device, experiment->info(), gpu::CompilerChoice::Shipped);
        const auto params = complete(experiment->info(), setting("tiled", 70, 2, 64, "causal", "fp32"), "gpu");
        const auto result = experiment->run(params, point);
        QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
        QVERIFY2(point.checks.front().passed == (off == 0), point.checks.front().detail.c_str());
        QVERIFY(point.provenance.at("time") == Provenance::Measured);
        QVERIFY(point.provenance.at("lane_bytes") == Provenance::Modelled);
        QCOMPARE(point.metrics.at("rate"), 4.0 * 64 * 2 * 70 * 71 / 2 / 1e-3);
        QVERIFY(device.buffers.empty() && !point.metrics.contains("dram_read"));
    }
}

void TestAttention::onePassByHand()
{
    // Scores ln 1, ln 3 | ln 4 with values 1, 0 | 0.5: weights 1, 3, 4 of 8, so 3/8; the maximum grows once.
    SoftmaxRow row;
    row.scores = {0, std::log(3.0), std::log(4.0)};
    row.values = {1, 0, 0.5};
    const RowFormat wide = rowFormatOf("fp64");
    const RowResult one = onlineAverage(row, 2, wide, wide);
    QCOMPARE(one.rescales, std::uint64_t{1});
    QVERIFY(std::abs(one.average[0] - 0.375) < 1e-15);
    QVERIFY(std::abs(exactAverage(row)[0] - 0.375) < 1e-15);
    QCOMPARE(onlineAverage(row, 3, wide, wide).average[0], averageWith(row, largestScore(row), wide, wide)[0]);
    // e^12 is past 65504, the largest fp16: infinite over infinite is no number.
    row.scores = {12, 12};
    row.values = {1, 0};
    const RowFormat half = rowFormatOf("fp16");
    QVERIFY(std::isnan(averageWith(row, 0, half, half)[0]));
    QCOMPARE(onlineAverage(row, 1, half, half).average[0], 0.5);
}

QTEST_GUILESS_MAIN(TestAttention)
#include "tst_attention.moc"
