// SPDX-License-Identifier: GPL-3.0-or-later
#include "clock_device.h"
#include "labs/5-memory-systems/kv_decode_reference.h"
#include "sim_point.h"

#include <cmath>

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

ParamSet setting(const char* kernel, std::int64_t context, std::int64_t queryHeads = 8, std::int64_t kvHeads = 2,
                 std::int64_t headDim = 128, const char* dtype = "fp16", std::int64_t batch = 1)
{
    return {{"kernel", std::string(kernel)},
            {"context", context},
            {"query_heads", queryHeads},
            {"kv_heads", kvHeads},
            {"head_dim", headDim},
            {"dtype", std::string(dtype)},
            {"batch", batch}};
}

DecodeShape model(std::uint64_t layers, std::uint32_t kvHeads, std::uint64_t context)
{
    DecodeShape shape;
    shape.layers = layers;
    shape.kvHeads = kvHeads;
    shape.headDim = 128;
    shape.context = context;
    return shape;
}

/// Decode attention by the CPU, in double precision, from the arguments of the first rung.
class DecodeDevice : public ClockDevice {
public:
    Result<gpu::LaunchReport> launch(const gpu::LoadedProgram&, const gpu::Launch& launch,
                                     const gpu::LaunchOptions&) override
    {
        const auto address = [&](std::size_t arg) { return std::get<gpu::DevicePtr>(launch.args.at(arg)); };
        const auto context = std::get<std::uint32_t>(launch.args.at(4));
        const auto kvHeads = std::get<std::uint32_t>(launch.args.at(5));
        const std::uint32_t heads = launch.grid.x, dim = 128;
        std::vector<std::uint16_t> query(dim), key(dim);
        for (std::uint32_t row = 0; row < heads * launch.grid.y; ++row) {
            const std::uint64_t from = row / heads * kvHeads + row % heads / (heads / kvHeads);
            read(query, address(2), row);
            std::vector<double> sum(dim);
            double below = 0;
            for (std::uint32_t token = 0; token + (forgetsTheLastToken ? 1 : 0) < context; ++token) {
                double dot = 0;
                read(key, address(0), from * context + token);
                for (std::uint32_t d = 0; d < dim; ++d)
                    dot += halfToDouble(query[d]) * halfToDouble(key[d]);
                const double weight = std::exp(dot / std::sqrt(dim));
                below += weight;
                read(key, address(1), from * context + token);
                for (std::uint32_t d = 0; d < dim; ++d)
                    sum[d] += weight * halfToDouble(key[d]);
            }
            std::vector<float> out;
            for (const double value : sum)
                out.push_back(static_cast<float>(value / below));
            if (!writesNothing || row > 0)
                (void)copyToDevice({address(3).address + row * dim * 4}, std::as_bytes(std::span(out)));
        }
        return gpu::LaunchReport{};
    }
    bool forgetsTheLastToken = false, writesNothing = false;

private:
    void read(std::vector<std::uint16_t>& to, gpu::DevicePtr from, std::uint64_t row)
    {
        (void)copyToHost(std::as_writable_bytes(std::span(to)), {from.address + row * to.size() * 2});
    }
};

} // namespace

/// Decode attention over a growing KV cache.
class TestDecode : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void publishedSizes();
    void halves();
    void everyKernelAgrees_data();
    void everyKernelAgrees();
    void shippedCodeAgreesOnVolta();
    void bytesAskedFor();
    void piecesFillTheChip();
    void refusals();
    void aDeviceWithAClock();
    void wrongResultsAreFound();
};

void TestDecode::publishedSizes()
{
    // LLaMA-13B: 0.82 MB a token, 1.7 GB at 2048 (vLLM, arXiv 2309.06180: 800 KB a token).
    QCOMPARE(model(40, 40, 2048).bytesPerToken(), std::uint64_t{819'200});
    QCOMPARE(model(40, 40, 2048).cacheBytes(), std::uint64_t{1'677'721'600});
    // Llama 3 8B and 70B: 128 KiB and 320 KiB a token.
    QCOMPARE(model(32, 8, 1).bytesPerToken(), std::uint64_t{128} << 10);
    QCOMPARE(model(80, 8, 1).bytesPerToken(), std::uint64_t{320} << 10);
    QCOMPARE(model(80, 8, 131072).cacheBytes(), std::uint64_t{42'949'672'960});
}

void TestDecode::halves()
{
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const double value = halfToDouble(static_cast<std::uint16_t>(bits));
        if (std::isnan(value))
            QVERIFY(std::isnan(halfToDouble(halfFromDouble(value))));
        else
            QCOMPARE(halfFromDouble(value), static_cast<std::uint16_t>(bits));
    }
    QCOMPARE(halfToDouble(0x3c00), 1.0);
    QCOMPARE(halfToDouble(0x7bff), 65504.0);
    QCOMPARE(halfToDouble(0x0001), std::ldexp(1, -24));
    QCOMPARE(halfFromDouble(1 + std::ldexp(1, -11)), std::uint16_t{0x3c00}); // ties go to the even neighbour
    QCOMPARE(halfFromDouble(1 + 3 * std::ldexp(1, -11)), std::uint16_t{0x3c02});
    QCOMPARE(halfFromDouble(65520), std::uint16_t{0x7c00});
    QCOMPARE(halfFromDouble(65519), std::uint16_t{0x7bff});
}

void TestDecode::everyKernelAgrees_data()
{
    QTest::addColumn<QString>("kernel");
    for (const char* kernel : {"per_head", "grouped", "split"})
        QTest::newRow(kernel) << QString::fromLatin1(kernel);
}

void TestDecode::everyKernelAgrees()
{
    QFETCH(QString, kernel);
    const std::string name = kernel.toStdString();
    SimRuns runs(makeKvCacheGrowth(), "sim:h100-sxm");
    const auto sees = [&](const ParamSet& params) {
        const Point point = runs.at(params);
        for (const auto& check : point.checks)
            QVERIFY2(check.passed, check.detail.c_str());
        QVERIFY(!point.checks.empty());
        QVERIFY(point.withinLimits());
        QVERIFY(point.metrics.at("time") > 0);
        QVERIFY(point.provenance.at("tokens_per_second") == Provenance::Modelled);
        QCOMPARE(point.metrics.at("of_limit"), 100 * point.limits.at("time") / point.metrics.at("time"));
    };
    for (const std::int64_t context : {128, 129, 191, 257})
        sees(setting(name.c_str(), context));
    for (const std::int64_t kvHeads : {1, 8, 32})
        sees(setting(name.c_str(), 200, 32, kvHeads, 64));
    for (const std::int64_t headDim : {64, 128})
        sees(setting(name.c_str(), 150, 2, 1, headDim, "fp32", 3));
    sees(setting(name.c_str(), 150, 4, 4, 64, "fp16", 2));
}

void TestDecode::shippedCodeAgreesOnVolta()
{
    SimRuns runs(makeKvCacheGrowth(), "sim:v100-sxm2-32", gpu::CompilerChoice::Shipped);
    for (const char* kernel : {"per_head", "grouped", "split"}) {
        const Point point = runs.at(setting(kernel, 140, 4, 2, 64));
        QVERIFY2(point.checks.at(0).passed, point.checks.at(0).detail.c_str());
    }
}

void TestDecode::bytesAskedFor()
{
    SimRuns runs(makeKvCacheGrowth(), "sim:h100-sxm");
    for (const std::int64_t kvHeads : {1, 2, 8}) {
        const double kv = 2.0 * static_cast<double>(kvHeads) * 128 * 2 * 300;
        const Point apart = runs.at(setting("per_head", 300, 8, kvHeads));
        QCOMPARE(apart.metrics.at("kv_bytes"), kv);
        QCOMPARE(apart.metrics.at("kv_requested"), 8 / static_cast<double>(kvHeads) * kv);
        // Beside K and V each thread loads its 16 bytes of q.
        QCOMPARE(apart.metrics.at("loaded_bytes"), apart.metrics.at("kv_requested") + 8 * 128 * 16);
        const Point together = runs.at(setting("grouped", 300, 8, kvHeads));
        QCOMPARE(together.metrics.at("kv_requested"), kv);
        const double threads = 32 * std::max(4.0, 8 / static_cast<double>(kvHeads));
        QCOMPARE(together.metrics.at("loaded_bytes"), kv + static_cast<double>(kvHeads) * threads * 16);
    }
}

void TestDecode::piecesFillTheChip()
{
    SimRuns runs(makeKvCacheGrowth(), "sim:h100-sxm");
    // 1024 tokens in pieces of 64 at least, two KV heads: 16 pieces each; one piece is what the second rung does.
    const Point split = runs.at(setting("split", 1024)), whole = runs.at(setting("grouped", 1024));
    QCOMPARE(split.metrics.at("blocks"), 32.0);
    QCOMPARE(whole.metrics.at("blocks"), 2.0);
    QVERIFY(split.metrics.at("time") < whole.metrics.at("time") / 4);
    auto one = setting("split", 1024);
    one["pieces"] = std::int64_t{1};
    QCOMPARE(runs.at(one).metrics.at("blocks"), 2.0);
    one["pieces"] = std::int64_t{5}; // 205 tokens, rounded up to 256: four pieces
    QCOMPARE(runs.at(one).metrics.at("blocks"), 8.0);
}

void TestDecode::refusals()
{
    const auto experiment = makeKvCacheGrowth();
    const auto device = openSim("sim:h100-sxm", 64u << 20);
    const auto code = [&](const ParamSet& params) {
        Point point(*device, experiment->info(), gpu::CompilerChoice::Automatic);
        const auto result = experiment->run(complete(experiment->info(), params), point);
        return result.ok() ? QString() : QString::fromStdString(result.error().code + ": " + result.error().fix);
    };
    QCOMPARE(code(setting("grouped", 128, 4, 8)), QStringLiteral("bad-parameters: set kv_heads=4 or fewer"));
    QCOMPARE(code(setting("grouped", 128, 64, 1)), QStringLiteral("bad-parameters: set kv_heads=2 or more"));
    QCOMPARE(code(setting("grouped", 131072, 8, 8)),
             QStringLiteral("out-of-memory: set a shorter context or a smaller batch"));
}

void TestDecode::aDeviceWithAClock()
{
    DecodeDevice device;
    device.about.l2Bytes = 1u << 20;
    const auto experiment = makeKvCacheGrowth();
    Point point(device, experiment->info(), gpu::CompilerChoice::Automatic);
    const auto params = complete(experiment->info(), setting("per_head", 256, 4, 2), "gpu");
    const auto result = experiment->run(params, point);
    QVERIFY2(result.ok(), result ? "" : toText(result.error()).c_str());
    for (const auto& check : point.checks)
        QVERIFY2(check.passed, check.detail.c_str());
    // 2 × 2 × 128 × 2 B × 256 tokens × 1 sequence; eight of them are twice the cache of 1 MiB.
    QCOMPARE(point.metrics.at("kv_bytes"), 262144.0);
    QCOMPARE(device.timed.at(0).size(), std::size_t{8});
    QCOMPARE(point.metrics.at("kv_bandwidth"), 262144.0 / 1e-3 / 1e9);
    QVERIFY(point.provenance.at("kv_bandwidth") == Provenance::Measured);
    QCOMPARE(point.metrics.at("tokens_per_second"), 1 / (32 * 1e-3));
    QVERIFY(!point.metrics.contains("loaded_bytes"));
    QVERIFY(device.buffers.empty());
}

void TestDecode::wrongResultsAreFound()
{
    for (const bool nothing : {false, true}) {
        DecodeDevice device;
        device.forgetsTheLastToken = !nothing;
        device.writesNothing = nothing;
        const auto experiment = makeKvCacheGrowth();
        Point point(device, experiment->info(), gpu::CompilerChoice::Automatic);
        QVERIFY(experiment->run(complete(experiment->info(), setting("per_head", 256, 4, 2), "gpu"), point).ok());
        QVERIFY(!point.checks.at(0).passed);
        QVERIFY2(point.checks.at(0).detail.find(nothing ? "no numbers" : "largest error") != std::string::npos,
                 point.checks.at(0).detail.c_str());
    }
}

QTEST_GUILESS_MAIN(TestDecode)
#include "tst_decode.moc"
