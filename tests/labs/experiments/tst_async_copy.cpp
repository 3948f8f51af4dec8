// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/4-kernel-optimization/async_copy_info.h"
#include "sim_point.h"

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

ParamSet setting(const char* kernel, std::int64_t stages = 4, std::int64_t tileBytes = 4096,
                 std::int64_t columns = 1024, std::int64_t bytes = 1 << 18, std::int64_t blocksPerSm = 1)
{
    return {{"kernel", std::string(kernel)},
            {"stages", stages},
            {"tile_bytes", tileBytes},
            {"columns", columns},
            {"bytes", bytes},
            {"blocks_per_sm", blocksPerSm}};
}

constexpr std::array<const char*, 4> kKernels{"registers", "cp_async", "bulk", "tensor"};

/// A simulator whose copies forget a word, or bring something where zeros belong.
class Forgetful : public gpu::Device {
public:
    explicit Forgetful(std::uint64_t word) : m_device(openSim("sim:h100-sxm")), m_word(word) {}
    const gpu::DeviceInfo& info() const override { return m_device->info(); }
    Result<std::unique_ptr<gpu::LoadedProgram>> load(const gpu::Program& program) override
    {
        return m_device->load(program);
    }
    Result<gpu::DevicePtr> allocate(std::uint64_t bytes, std::string_view label) override
    {
        return m_device->allocate(bytes, label);
    }
    Result<void> free(gpu::DevicePtr ptr) override { return m_device->free(ptr); }
    Result<void> copyToDevice(gpu::DevicePtr to, std::span<const std::byte> from) override
    {
        return m_device->copyToDevice(to, from);
    }
    Result<void> copyToHost(std::span<std::byte> to, gpu::DevicePtr from) override
    {
        return m_device->copyToHost(to, from);
    }
    Result<gpu::LaunchReport> launch(const gpu::LoadedProgram& program, const gpu::Launch& launch,
                                     const gpu::LaunchOptions& options) override
    {
        auto report = m_device->launch(program, launch, options);
        const gpu::DevicePtr at{std::get<gpu::DevicePtr>(launch.args.at(1)).address + 4 * m_word};
        std::uint32_t value = 0;
        (void)m_device->copyToHost(std::as_writable_bytes(std::span(&value, 1)), at);
        value = value == 0 ? 1 : 0;
        (void)m_device->copyToDevice(at, std::as_bytes(std::span(&value, 1)));
        return report;
    }
    Result<std::vector<gpu::Timing>> timeArms(std::span<const gpu::Arm> arms,
                                              const gpu::TimingRequest& request) override
    {
        return m_device->timeArms(arms, request);
    }

private:
    std::unique_ptr<gpu::Device> m_device;
    std::uint64_t m_word;
};

} // namespace

/// Copies into tiles through registers, cp.async, bulk copies and tensor maps.
class TestAsyncCopy : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void shapes();
    void everyKernelPacksRaggedEdges();
    void shippedCodeDoesAsWell();
    void instructionsAndCopies();
    void bytesUnderWayHideLatency();
    void olderChipsAndCompilersAreNamed();
    void refusals();
    void aWrongWordIsFound();
};

void TestAsyncCopy::shapes()
{
    PackShape shape;
    shape.kernel = "bulk";
    shape.stages = 3;
    shape.tileBytes = 8192; // 8 rows
    shape.columns = 260;    // two tiles
    shape.rows = 17;        // three
    QCOMPARE(shape.tiles(), std::uint64_t{6});
    QCOMPARE(shape.movedBytes(), std::uint64_t{17 * 260 * 4 + 6 * 8192});
    QCOMPARE(shape.blocks(132), 6u);
    shape.rows = 100000;
    shape.blocksPerSm = 2;
    QCOMPARE(shape.blocks(132), 264u);
    QCOMPARE(shape.bytesInFlight(), std::uint64_t{3 * 8192 * 2});
    QCOMPARE(shape.loadInstructionsPerTile(), std::uint64_t{8});
    shape.kernel = "tensor";
    QCOMPARE(shape.bytesInFlight(), std::uint64_t{2 * 8192 * 2});
    shape.kernel = "registers";
    QCOMPARE(shape.bytesInFlight(), std::uint64_t{8192 * 2});
    QCOMPARE(shape.loadInstructionsPerTile(), std::uint64_t{16});
}

void TestAsyncCopy::everyKernelPacksRaggedEdges()
{
    SimRuns runs(makeAsyncCopy(), "sim:h100-sxm");
    for (const char* kernel : kKernels) {
        const auto sees = [&](const ParamSet& params) {
            const Point point = runs.at(params);
            QVERIFY2(point.checks.at(0).passed, (kernel + point.checks.at(0).detail).c_str());
            QVERIFY(point.withinLimits());
            QVERIFY(point.metrics.at("bandwidth") > 0);
        };
        for (const std::int64_t stages : {1, 2, 3, 8})
            sees(setting(kernel, stages, 1024, 516, 200'000)); // some blocks have four tiles, some three
        sees(setting(kernel, 2, 32768, 4, 10'000));
        sees(setting(kernel, 4, 4096, 1020, 150'000, 2));
        sees(setting(kernel, 5, 16384, 256, 4096));
    }
}

void TestAsyncCopy::shippedCodeDoesAsWell()
{
    SimRuns runs(makeAsyncCopy(), "sim:h100-sxm", gpu::CompilerChoice::Shipped);
    for (const char* kernel : kKernels) {
        const Point point = runs.at(setting(kernel, 2, 2048, 260, 50'000));
        QVERIFY2(point.checks.at(0).passed, point.checks.at(0).detail.c_str());
    }
}

void TestAsyncCopy::instructionsAndCopies()
{
    SimRuns runs(makeAsyncCopy(), "sim:h100-sxm");
    const Point tensor = runs.at(setting("tensor")), bulk = runs.at(setting("bulk"));
    const Point async = runs.at(setting("cp_async"));
    QCOMPARE(tensor.metrics.at("tiles"), 64.0);
    QCOMPARE(tensor.metrics.at("bulk_copies"), 2 * 64.0); // in and out
    QCOMPARE(bulk.metrics.at("bulk_copies"), 4 * 64.0);   // a row each
    QCOMPARE(async.metrics.at("bulk_copies"), 0.0);
    QVERIFY(tensor.metrics.at("instructions_per_kib") < async.metrics.at("instructions_per_kib") / 4);
    // What is under way needs no registers.
    QVERIFY(async.metrics.at("registers") < runs.at(setting("registers")).metrics.at("registers"));
}

void TestAsyncCopy::bytesUnderWayHideLatency()
{
    SimRuns runs(makeAsyncCopy(), "sim:h100-sxm");
    for (const char* kernel : {"cp_async", "bulk", "tensor"}) {
        const double one = runs.at(setting(kernel, 1, 2048, 1024, 1 << 22)).metrics.at("time");
        const double many = runs.at(setting(kernel, 8, 2048, 1024, 1 << 22)).metrics.at("time");
        QVERIFY2(many < 0.6 * one, kernel);
    }
}

void TestAsyncCopy::olderChipsAndCompilersAreNamed()
{
    const auto experiment = makeAsyncCopy();
    const auto refusal = [&](const char* target, const char* kernel) {
        const auto device = openSim(target);
        Point point(*device, experiment->info(), gpu::CompilerChoice::Automatic);
        const auto params = complete(experiment->info(), setting(kernel));
        const auto result = experiment->run(params, point);
        return result.ok() ? QString() : QString::fromStdString(result.error().code + ": " + result.error().fix);
    };
    QCOMPARE(refusal("sim:t4", "registers"), QString());
    QCOMPARE(refusal("sim:a100-sxm-80", "cp_async"), QString());
    QCOMPARE(refusal("sim:t4", "cp_async"),
             QStringLiteral("needs-newer-chip: choose kernel=registers, or run it on sim:a100-sxm-80"));
    QCOMPARE(refusal("sim:a100-sxm-80", "tensor"),
             QStringLiteral("needs-newer-chip: choose kernel=cp_async, or run it on sim:h100-sxm"));
    // A compiler that does not know the chip would make an empty kernel: it is passed over.
    const auto source = gpu::readKernel("async_copy/04_tensor.cu");
    QVERIFY(source.ok());
    const auto old = gpu::compile(*source, 8, 6, gpu::CompilerChoice::Automatic);
    QCOMPARE(QString::fromStdString(old.error().code), QStringLiteral("no-compiler"));
    QVERIFY2(old.error().message.find("needs sm_90") != std::string::npos, old.error().message.c_str());
}

void TestAsyncCopy::refusals()
{
    const auto experiment = makeAsyncCopy();
    const auto device = openSim("sim:h100-sxm", 64u << 20);
    const auto fix = [&](const ParamSet& params) {
        Point point(*device, experiment->info(), gpu::CompilerChoice::Automatic);
        const auto result = experiment->run(complete(experiment->info(), params), point);
        return result.ok() ? QString() : QString::fromStdString(result.error().fix);
    };
    QCOMPARE(fix(setting("bulk", 4, 4096, 1022)), QStringLiteral("set columns=1024"));
    QCOMPARE(fix(setting("bulk", 8, 32768)), QStringLiteral("set stages=7 or fewer, or smaller tiles"));
    QCOMPARE(fix(setting("bulk", 4, 32768, 1024, 1 << 18, 2)),
             QStringLiteral("set stages=3 or fewer, or smaller tiles"));
    QCOMPARE(fix(setting("bulk", 4, 4096, 1024, 1 << 26)), QStringLiteral("set bytes=33554432 or fewer"));
    QCOMPARE(fix(setting("bulk", 3, 32768, 1024, 1 << 18, 2)), QString());
}

void TestAsyncCopy::aWrongWordIsFound()
{
    const auto experiment = makeAsyncCopy();
    // The first word, the last inside the first row of a matrix of 4 columns, and the zero beside it.
    for (const std::uint64_t word : {0, 3, 4}) {
        Forgetful device(word);
        Point point(device, experiment->info(), gpu::CompilerChoice::Automatic);
        QVERIFY(experiment->run(complete(experiment->info(), setting("registers", 1, 1024, 4, 4096)), point).ok());
        QVERIFY(!point.checks.at(0).passed);
    }
}

QTEST_GUILESS_MAIN(TestAsyncCopy)
#include "tst_async_copy.moc"
