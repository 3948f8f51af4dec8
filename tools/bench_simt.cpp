// SPDX-License-Identifier: GPL-3.0-or-later
// Speed of the simulator, in warp instructions per second: functional, by processor time and by the clock, or with
// timing.
//   ninja -C build/release bench_simt && build/release/bin/bench_simt tests/gpu/simt/fixtures/kernels.nvcc.ptx
//   [THREADS] build/release/bin/bench_simt --timing [chip [threads [kernels.ptx [TITLE]]]]     (from the root:
//   assets/chips/timing)
//   build/release/bin/bench_simt --scaling [ROUNDS [TITLE]] one thread and two by turns, without and with a clock
//   build/release/bin/bench_simt --load kernels.ptx …       what it takes until a kernel can run
#include "base/json.h"
#include "gpu/simt/machine/listing.h"
#include "gpu/simt/machine/lower_machine.h"
#include "gpu/simt/ptx/module.h"
#include "gpu/simt/simt_device.h"
#include "gpu/simt/simt_program.h"
#include "gpu/simt/timing/chip_file.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>

using namespace ridge;
using namespace ridge::gpu;

namespace {

struct Bench {
    std::unique_ptr<Device> device;
    std::unique_ptr<LoadedProgram> program;
    LaunchOptions options;
    std::string_view only; ///< part of the title of those that run
    bool failed = false;

    DevicePtr buffer(std::uint64_t floats, const char* label)
    {
        auto made = device->allocate(floats * sizeof(float), label);
        if (!made) {
            std::fprintf(stderr, "%s\n", toText(made.error()).c_str());
            failed = true;
            return {};
        }
        return *made;
    }

    void run(const char* title, const Launch& launch)
    {
        if (std::string_view(title).find(only) == std::string_view::npos)
            return;
        double best = 0, bestByClock = 0;
        for (int round = 0; round < 3 && !failed; ++round) {
            const std::clock_t start = std::clock();
            const auto startByClock = std::chrono::steady_clock::now();
            auto report = device->launch(*program, launch, options);
            const std::chrono::duration<double> byClock = std::chrono::steady_clock::now() - startByClock;
            const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
            if (!report) {
                std::fprintf(stderr, "%s\n", toText(report.error()).c_str());
                failed = true;
                return;
            }
            const auto instructions = static_cast<double>(report->counters->instExecuted) / 1e6;
            best = std::max(best, instructions / took);
            bestByClock = std::max(bestByClock, instructions / byClock.count());
        }
        std::printf("%-28s %8.1f M warp instr/s of processor time, %8.1f by the clock (best of 3)\n", title, best,
                    bestByClock);
    }
};

/// The four kernels of the table in docs/benchmarks.md, in the sizes at which GPGPU-Sim was measured.
struct TimedBench : Bench {
    void runTimed(const char* title, const Launch& launch)
    {
        if (std::string_view(title).find(only) == std::string_view::npos)
            return;
        double best = 0;
        TimingReport timing;
        for (int round = 0; round < 3 && !failed; ++round) {
            const auto start = std::chrono::steady_clock::now();
            auto report = device->launch(*program, launch, options);
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
            if (!report) {
                std::fprintf(stderr, "%s\n", toText(report.error()).c_str());
                failed = true;
                return;
            }
            timing = *report->timing;
            best = std::max(best, static_cast<double>(timing.counters.instIssued) / took.count() / 1e6);
        }
        const auto cycles = static_cast<double>(timing.counters.warpCycles);
        std::printf("%-24s %6.2f M machine instr/s  %8llu cycles  %9llu instr  hash %016llx\n   ", title, best,
                    static_cast<unsigned long long>(timing.cycles),
                    static_cast<unsigned long long>(timing.counters.instIssued),
                    static_cast<unsigned long long>(timing.hash));
        for (std::size_t at = 0; at < kStalls; ++at) {
            const double share = static_cast<double>(timing.stalls[at]) / cycles;
            if (share >= 0.01)
                std::printf(" %s %.0f%%", std::string(toText(static_cast<Stall>(at))).c_str(), share * 100);
        }
        std::printf("\n");
    }
};

int benchTiming(int argc, char** argv)
{
    const std::string chipId = argc > 2 ? argv[2] : "v100-sxm2-32";
    auto chip = simt::readChipTiming("assets/chips/timing", chipId);
    auto ptx = readFile(argc > 4 ? argv[4] : "tests/gpu/simt/fixtures/kernels.nvcc.ptx");
    if (!chip || !ptx) {
        std::fprintf(stderr, "%s\n", toText(!chip ? chip.error() : ptx.error()).c_str());
        return 1;
    }
    TimedBench bench;
    bench.only = argc > 5 ? argv[5] : "";
    bench.options.timing = true;
    bench.options.timingOptions.threads = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1;
    DeviceInfo info;
    info.computeMajor = 8;
    info.smCount = static_cast<std::uint32_t>(chip->sms);
    bench.device = std::move(*simt::openSimtDevice(info, {}, {}, *chip));
    Program program;
    program.ptx = *ptx;
    auto loaded = bench.device->load(program);
    if (!loaded) {
        std::fprintf(stderr, "%s\n", toText(loaded.error()).c_str());
        return 1;
    }
    bench.program = std::move(*loaded);
    constexpr std::int32_t n = 262144;
    const DevicePtr a = bench.buffer(n, "a");
    const DevicePtr b = bench.buffer(n, "b");
    const DevicePtr c = bench.buffer(n, "c");
    bench.runTimed("vector add 262144", {"vecadd", {n / 256, 1, 1}, {256, 1, 1}, 0, {a, b, c, n}});
    bench.runTimed("naive matmul 128", {"matmul", {8, 8, 1}, {16, 16, 1}, 0, {a, b, c, std::int32_t{128}}});
    bench.runTimed("tiled matmul 128", {"matmul_tiled", {8, 8, 1}, {16, 16, 1}, 0, {a, b, c, std::int32_t{128}}});
    bench.runTimed("fma loop 65536 x 512", {"fma_loop", {256, 1, 1}, {256, 1, 1}, 0, {c, std::int32_t{512}}});
    bench.runTimed("naive matmul 512", {"matmul", {32, 32, 1}, {16, 16, 1}, 0, {a, b, c, std::int32_t{512}}});
    return bench.failed ? 1 : 0;
}

double medianOf(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Seconds by the clock with one thread and with two, in turns, so that what else the machine does befalls both.
int benchScaling(int argc, char** argv)
{
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
    auto chip = simt::readChipTiming("assets/chips/timing", "v100-sxm2-32");
    auto ptx = readFile("tests/gpu/simt/fixtures/kernels.nvcc.ptx");
    if (!chip || !ptx || rounds < 1) {
        std::fprintf(stderr, "%s\n",
                     !chip  ? toText(chip.error()).c_str()
                     : !ptx ? toText(ptx.error()).c_str()
                            : "no rounds");
        return 1;
    }
    Bench bench;
    DeviceInfo info;
    info.computeMajor = 8;
    info.smCount = static_cast<std::uint32_t>(chip->sms);
    bench.device = std::move(*simt::openSimtDevice(info, {}, {}, *chip));
    Program program;
    program.ptx = *ptx;
    bench.program = std::move(*bench.device->load(program));
    constexpr std::int32_t n = 1 << 24, few = 262144;
    const DevicePtr a = bench.buffer(n, "a");
    const DevicePtr b = bench.buffer(n, "b");
    const DevicePtr c = bench.buffer(n, "c");
    const auto product = [&](const char* name, std::uint32_t size) {
        return Launch{name, {size / 16, size / 16, 1}, {16, 16, 1}, 0, {a, b, c, static_cast<std::int32_t>(size)}};
    };
    const auto sum = [&](std::int32_t count) {
        return Launch{"vecadd", {static_cast<std::uint32_t>(count) / 256, 1, 1}, {256, 1, 1}, 0, {a, b, c, count}};
    };
    const auto chain = [&](std::int32_t steps) { return Launch{"fma_loop", {256, 1, 1}, {256, 1, 1}, 0, {c, steps}}; };
    struct Row {
        const char* title;
        bool timing;
        Launch launch;
    };
    const std::vector<Row> rows{{"vector add 16M", false, sum(n)},
                                {"naive matmul 512", false, product("matmul", 512)},
                                {"tiled matmul 512", false, product("matmul_tiled", 512)},
                                {"fma loop 65536 x 2048", false, chain(2048)},
                                {"vector add 262144", true, sum(few)},
                                {"naive matmul 128", true, product("matmul", 128)},
                                {"tiled matmul 128", true, product("matmul_tiled", 128)},
                                {"fma loop 65536 x 512", true, chain(512)},
                                {"naive matmul 512", true, product("matmul", 512)}};
    std::printf("%-10s %-24s %14s %11s %8s %12s\n", "", "kernel", "least ms with 1", "2 threads", "ratio",
                "of medians");
    const std::string_view only = argc > 3 ? argv[3] : "";
    for (const Row& row : rows) {
        if (std::string_view(row.title).find(only) == std::string_view::npos)
            continue;
        std::array<std::vector<double>, 2> took;
        for (int round = 0; round < 2 * rounds && !bench.failed; ++round) {
            LaunchOptions options;
            options.timing = row.timing;
            options.timingOptions.threads = 1 + static_cast<unsigned>(round % 2);
            const auto start = std::chrono::steady_clock::now();
            bench.failed = !bench.device->launch(*bench.program, row.launch, options);
            const std::chrono::duration<double, std::milli> byClock = std::chrono::steady_clock::now() - start;
            took[static_cast<std::size_t>(round % 2)].push_back(byClock.count());
        }
        const double one = *std::min_element(took[0].begin(), took[0].end());
        const double two = *std::min_element(took[1].begin(), took[1].end());
        std::printf("%-10s %-24s %14.2f %11.2f %8.2f %12.2f\n", row.timing ? "clock" : "functional", row.title, one,
                    two, one / two, medianOf(took[0]) / medianOf(took[1]));
    }
    return bench.failed ? 1 : 0;
}

/// Milliseconds by the clock: the median of nine.
template<class F>
double median(F work)
{
    std::vector<double> took(9);
    for (double& one : took) {
        const auto start = std::chrono::steady_clock::now();
        work();
        one = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    }
    return medianOf(std::move(took));
}

/// Parsing with lowering to micro-ops, which a functional run needs, and to machine instructions, which timing needs.
int benchLoad(int argc, char** argv)
{
    std::printf("%-52s %9s %8s %9s %11s %11s\n", "file", "bytes", "kernels", "machine", "load, ms", "machine, ms");
    for (int at = 2; at < argc; ++at) {
        auto ptx = readFile(argv[at]);
        Program program;
        if (ptx)
            program.ptx = *ptx;
        const auto memory = std::make_shared<simt::GlobalMemory>(std::uint64_t{1} << 30);
        const auto loaded = simt::SimtProgram::load(program, memory, 90);
        const auto module = simt::parsePtx(program.ptx);
        if (!ptx || !loaded || !module) {
            std::fprintf(stderr, "%s\n", toText(!ptx ? ptx.error() : loaded.error()).c_str());
            return 1;
        }
        std::size_t kernels = 0;
        std::size_t machine = 0;
        const auto lowerAll = [&] {
            kernels = machine = 0;
            for (const simt::Function& function : module->functions) {
                const auto image = (*loaded)->kernel(function.name);
                if (!image)
                    continue;
                const auto lowered = simt::lowerToMachine(**image, 90, simt::defaultScheduleLatencies());
                ++kernels;
                machine += lowered ? simt::resourceUse(**image, *lowered, 90).instructions : 0;
            }
        };
        const double load = median([&] { static_cast<void>(simt::SimtProgram::load(program, memory, 90)); });
        const double lower = median(lowerAll);
        std::printf("%-52s %9zu %8zu %9zu %11.2f %11.2f\n", argv[at], program.ptx.size(), kernels, machine, load,
                    lower);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc > 2 && std::string_view(argv[1]) == "--load")
        return benchLoad(argc, argv);
    if (argc > 1 && std::string_view(argv[1]) == "--timing")
        return benchTiming(argc, argv);
    if (argc > 1 && std::string_view(argv[1]) == "--scaling")
        return benchScaling(argc, argv);
    auto ptx = readFile(argc > 1 ? argv[1] : "tests/gpu/simt/fixtures/kernels.nvcc.ptx");
    if (!ptx) {
        std::fprintf(stderr, "%s\n", toText(ptx.error()).c_str());
        return 1;
    }
    Bench bench;
    bench.options.timingOptions.threads = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
    bench.only = argc > 3 ? argv[3] : "";
    bench.device = std::move(*simt::openSimtDevice({}, {}, {}));
    Program program;
    program.ptx = *ptx;
    auto loaded = bench.device->load(program);
    if (!loaded) {
        std::fprintf(stderr, "%s\n", toText(loaded.error()).c_str());
        return 1;
    }
    bench.program = std::move(*loaded);
    constexpr std::int32_t n = 1 << 24;
    const DevicePtr a = bench.buffer(n, "a");
    const DevicePtr b = bench.buffer(n, "b");
    const DevicePtr c = bench.buffer(n, "c");
    bench.run("vector add 16M", {"vecadd", {n / 256, 1, 1}, {256, 1, 1}, 0, {a, b, c, n}});
    for (const std::int32_t size : {512, 768}) {
        const Dim3 grid{static_cast<std::uint32_t>(size) / 16, static_cast<std::uint32_t>(size) / 16, 1};
        const std::string suffix = " " + std::to_string(size);
        bench.run(("naive matmul" + suffix).c_str(), {"matmul", grid, {16, 16, 1}, 0, {a, b, c, size}});
        bench.run(("tiled matmul" + suffix).c_str(), {"matmul_tiled", grid, {16, 16, 1}, 0, {a, b, c, size}});
    }
    bench.run("fma loop 65536 x 2048", {"fma_loop", {256, 1, 1}, {256, 1, 1}, 0, {c, std::int32_t{2048}}});
    return bench.failed ? 1 : 0;
}
