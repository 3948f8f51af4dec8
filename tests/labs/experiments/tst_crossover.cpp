// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment that lets a processor and a GPU race, and the processor's side of it.
#include "gpu/schedule.h"
#include "host/machine.h"
#include "host/measure.h"
#include "host/products.h"
#include "sim_point.h"

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kTarget = "sim:h100-sxm";

ParamSet race(const char* work, std::int64_t n, const char* memory = "pinned")
{
    return {{"work", std::string(work)}, {"n", n}, {"memory", std::string(memory)}};
}

bool near(double a, double b, double relative)
{
    return std::fabs(a - b) <= relative * std::fabs(b);
}

void allPass(const Point& point)
{
    QVERIFY(!point.checks.empty());
    for (const CheckResult& check : point.checks)
        QVERIFY2(check.passed, (check.name + ": " + check.detail).c_str());
}

/// A simulated chip whose kernels do nothing.
class IdleChip : public gpu::Device {
public:
    IdleChip() : m_real(openSim(kTarget)) {}
    const gpu::DeviceInfo& info() const override { return m_real->info(); }
    Result<std::unique_ptr<gpu::LoadedProgram>> load(const gpu::Program& program) override
    {
        return m_real->load(program);
    }
    Result<gpu::DevicePtr> allocate(std::uint64_t bytes, std::string_view label) override
    {
        return m_real->allocate(bytes, label);
    }
    Result<void> free(gpu::DevicePtr ptr) override { return m_real->free(ptr); }
    Result<void> copyToDevice(gpu::DevicePtr to, std::span<const std::byte> from) override
    {
        return m_real->copyToDevice(to, from);
    }
    Result<void> copyToHost(std::span<std::byte> to, gpu::DevicePtr from) override
    {
        return m_real->copyToHost(to, from);
    }
    Result<gpu::LaunchReport> launch(const gpu::LoadedProgram&, const gpu::Launch&, const gpu::LaunchOptions&) override
    {
        return gpu::LaunchReport{};
    }
    Result<std::vector<gpu::Timing>> timeArms(std::span<const gpu::Arm>, const gpu::TimingRequest&) override
    {
        return std::vector<gpu::Timing>();
    }
    Result<std::unique_ptr<gpu::HostMemory>> allocateHost(std::uint64_t bytes, gpu::HostKind kind,
                                                          std::string_view label) override
    {
        return m_real->allocateHost(bytes, kind, label);
    }
    Result<gpu::ScheduleReport> runSchedule(const gpu::Schedule& schedule, const gpu::ScheduleOptions& options) override
    {
        return gpu::simulateSchedule(*this, schedule, options, false);
    }

private:
    std::unique_ptr<gpu::Device> m_real;
};

} // namespace

class TestCrossover : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyResultIsRight();
    void smallWorkIsTheProcessors();
    void copiesAreALine();
    void sgemmIsNoStrawMan();
    void refusesWhatItCannot();
    void aKernelThatDoesNothingIsSeen();
    void stopsWhenAsked();
};

void TestCrossover::everyResultIsRight()
{
    for (const char* target : {kTarget, "sim:a100-sxm-80", "sim:v100-sxm2-32"}) {
        SimRuns runs(makeCrossover(), target, gpu::CompilerChoice::Shipped);
        for (const auto& params : {race("saxpy", 64), race("saxpy", 10007, "pageable"), race("sgemm", 64),
                                   race("sgemm", 128, "pageable"), race("sgemm", 192)}) {
            const Point point = runs.at(params);
            allPass(point);
            QVERIFY(point.metrics.at("kernel_time") >= point.limits.at("kernel_time"));
            QVERIFY(point.metrics.at("gpu_copy_time") >= point.limits.at("gpu_copy_time"));
            QVERIFY(point.provenance.at("cpu_one_time") == Provenance::Measured);
            QVERIFY(point.provenance.at("kernel_time") == Provenance::Simulated);
            QVERIFY(point.provenance.at("gain_with_copies") == Provenance::Modelled);
            const double best = std::min(point.metrics.at("cpu_one_time"), point.metrics.at("cpu_all_time"));
            QCOMPARE(point.metrics.at("gain_resident"), best / point.metrics.at("gpu_time"));
            QCOMPARE(point.metrics.at("gain_with_copies"), best / point.metrics.at("gpu_copy_time"));
        }
    }
}

void TestCrossover::smallWorkIsTheProcessors()
{
    SimRuns runs(makeCrossover(), kTarget);
    const Point small = runs.at(race("saxpy", 64)), large = runs.at(race("saxpy", 1 << 20));
    QVERIFY(small.metrics.at("gain_resident") < 1);
    QVERIFY(large.metrics.at("gain_resident") > 1);
    // A launch alone takes what the host model says; the kernel is added to it.
    QVERIFY(near(small.metrics.at("gpu_time"), gpu::kStartSeconds.value + small.metrics.at("kernel_time"), 1e-9));
    QVERIFY(small.metrics.at("gain_with_copies") < small.metrics.at("gain_resident"));
}

void TestCrossover::copiesAreALine()
{
    SimRuns runs(makeCrossover(), kTarget);
    const auto copied = [&](std::int64_t n, const char* memory) {
        const Point point = runs.at(race("saxpy", n, memory));
        return point.metrics.at("gpu_copy_time") - point.metrics.at("kernel_time");
    };
    // Three arrays at 52 GB/s, the published best of PCIe 5 x16.
    const double step = copied(1 << 19, "pinned") - copied(1 << 18, "pinned");
    QVERIFY(near(step, 12.0 * (1 << 18) / 52e9, 1e-3));
    QVERIFY(copied(1 << 19, "pageable") > 2 * copied(1 << 19, "pinned"));
}

void TestCrossover::sgemmIsNoStrawMan()
{
    const std::vector<int> processors = host::machine().processors;
    for (const unsigned threads : {1u, 3u}) {
        host::Team team(std::vector<int>(threads, processors.front()));
        for (const std::size_t n : {std::size_t{64}, std::size_t{320}}) {
            std::vector<float> a(n * n), b(n * n), c(n * n);
            for (std::size_t i = 0; i < n * n; ++i) {
                a[i] = static_cast<float>(i * 7 % 19) - 9;
                b[i] = static_cast<float>(i * 5 % 23) - 11;
            }
            QVERIFY(host::timeSgemm(team, {n, a.data(), b.data(), c.data()}, {0.002, 0.0002, {}}).ok());
            for (const std::size_t i : {std::size_t{0}, n - 1, n * n / 2 + 5, n * n - 1}) {
                float wanted = 0;
                for (std::size_t k = 0; k < n; ++k)
                    wanted += a[i / n * n + k] * b[k * n + i % n];
                QCOMPARE(c[i], wanted);
            }
        }
    }
    host::Team one({processors.front()});
    const auto refused = host::timeSgemm(one, {100, nullptr, nullptr, nullptr}, {});
    QVERIFY(!refused.ok() && refused.error().code == "bad-value");

    // What shares this machine may spoil a sample; it cannot make the loop better than it is.
    double best = 0;
    for (int tries = 0; tries < 5 && best < 50; ++tries) {
        SimRuns runs(makeCrossover(), kTarget);
        const double share = runs.at(race("sgemm", 256)).metrics.at("cpu_peak_share");
        QVERIFY2(share < 115, qPrintable(QString::number(share))); // or the peak is none
        best = std::max(best, share);
    }
    QVERIFY2(best >= 50, qPrintable(QString::number(best)));
}

void TestCrossover::refusesWhatItCannot()
{
    const auto device = openSim(kTarget);
    const auto experiment = makeCrossover();
    for (const std::int64_t n : {100, 8192, 1 << 20}) {
        Point point(*device, experiment->info(), gpu::CompilerChoice::Shipped);
        const auto result = experiment->run(complete(experiment->info(), race("sgemm", n)), point);
        QVERIFY(!result.ok() && result.error().code == "bad-value" && !result.error().fix.empty());
        QVERIFY(point.metrics.empty());
    }
    QVERIFY(!completeParams(experiment->info().parameters, race("saxpy", 32), "sim").ok());
    QVERIFY(!completeParams(experiment->info().parameters, race("dot", 64), "sim").ok());
}

void TestCrossover::aKernelThatDoesNothingIsSeen()
{
    for (const char* work : {"saxpy", "sgemm"}) {
        IdleChip chip;
        const auto experiment = makeCrossover();
        Point point(chip, experiment->info(), gpu::CompilerChoice::Shipped);
        QVERIFY(experiment->run(complete(experiment->info(), race(work, 64)), point).ok());
        QVERIFY(!point.checks.front().passed && point.checks.front().name == "gpu_matches_reference");
        QVERIFY(!point.metrics.contains("kernel_time") && !point.metrics.contains("gain_resident"));
    }
}

void TestCrossover::stopsWhenAsked()
{
    const auto device = openSim(kTarget);
    const auto experiment = makeCrossover();
    for (const int after : {0, 3}) {
        Point point(*device, experiment->info(), gpu::CompilerChoice::Shipped);
        point.cancelAfter = after;
        const auto result = experiment->run(complete(experiment->info(), race("saxpy", 4096)), point);
        QVERIFY(!result.ok() && result.error().code == "cancelled");
    }
}

QTEST_GUILESS_MAIN(TestCrossover)
#include "tst_crossover.moc"
