// SPDX-License-Identifier: GPL-3.0-or-later
// Speed of the simulator, in warp instructions per second: functional, by processor time and by the clock, or with
// timing.
//   ninja -C build/release bench_simt && build/release/bin/bench_simt tests/gpu/simt/fixtures/kernels.nvcc.ptx
//   [THREADS] build/release/bin/bench_simt --timing [chip [threads [kernels.ptx [TITLE]]]]     (from the root:
//   assets/chips/timing)
//   build/release/bin/bench_simt --scaling [ROUNDS [TITLE]] one thread and two by turns, without and with a clock
//   build/release/bin/bench_simt --load kernels.ptx …       what it takes until a kernel can run
//   build/release/bin/bench_simt --part FOLDER [chip [TITLE [whole|part|both [threads]]]]     launches timed in part
//   beside the same ones whole; FOLDER has assets/ptx.zip, unpacked
#include "base/json.h"
#include "gpu/simt/machine/listing.h"
#include "gpu/simt/machine/lower_machine.h"
#include "gpu/simt/ptx/module.h"
#include "gpu/simt/simt_device.h"
#include "gpu/simt/simt_program.h"
#include "gpu/simt/timing/chip_file.h"
#include "gpu/swizzled_tiles.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>

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

/// A launch of a shipped kernel, for `--part`.
struct PartCase {
    std::string title, file;
    Launch launch;
    std::vector<std::uint64_t> buffers; ///< bytes; the first arguments
    std::vector<TensorTile> maps;       ///< of the first buffers, in their place
    bool isLarge = false;               ///< too much to be timed whole, unless it is asked for by its title
};

std::vector<PartCase> partCases()
{
    std::vector<PartCase> cases;
    const auto word = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
    const auto add = [&](std::string title, const char* file, std::string kernel, Dim3 grid, std::uint32_t block,
                         std::vector<std::uint64_t> buffers, std::vector<KernelArg> rest, bool isLarge) {
        Launch launch;
        launch.kernel = std::move(kernel);
        launch.grid = grid;
        launch.block = {block, 1, 1};
        launch.args = std::move(rest);
        cases.push_back({std::move(title), file, std::move(launch), std::move(buffers), {}, isLarge});
    };
    const auto tensor = [&](std::uint64_t m, std::uint64_t k) {
        struct Rung {
            const char *name, *file;
            std::uint32_t rows, columns, threads;
        };
        for (const Rung& rung : {Rung{"cuda_cores", "01_cuda_cores", 64, 64, 256},
                                 {"global", "02_global.sm_80", 64, 32, 128},
                                 {"shared", "03_shared.sm_80", 64, 64, 128},
                                 {"ldmatrix", "04_ldmatrix.sm_80", 64, 64, 128},
                                 {"async", "05_async.sm_80", 64, 64, 128},
                                 {"large_tile", "06_large_tile.sm_80", 128, 128, 256}})
            add(std::string("tensor ") + rung.name + " " + std::to_string(m) + " x " + std::to_string(m) + " x " +
                    std::to_string(k),
                (std::string("tensor_matmul/") + rung.file + ".ptx").c_str(), std::string(rung.name) + "_fp16_nk",
                {word(m) / rung.columns, word(m) / rung.rows, 1}, rung.threads, {2 * m * k, 2 * m * k, 4 * m * m},
                {word(m), word(m), word(k), std::uint32_t{8}, std::uint32_t{8}}, m * m * k > (1ull << 31));
    };
    const auto plain = [&](std::uint64_t m, std::uint64_t k) {
        add("matmul tiles " + std::to_string(m) + " x " + std::to_string(m) + " x " + std::to_string(k),
            "matmul/08_tiles.ptx", "matmul_tiles_128_128_8_8_8", {word(m) / 128, word(m) / 128, 1}, 256,
            {4 * m * k, 4 * m * k, 4 * m * m}, {word(m), word(m), word(k)}, m * m * k > (1ull << 31));
    };
    const auto attention = [&](std::uint64_t tokens) {
        add("attention " + std::to_string(tokens), "attention/06_tiled_mma.sm_80.ptx", "attention_tiled_mma_fp16_64",
            {word(tokens) / 64, 1, 1}, 128, {128 * tokens, 128 * tokens, 128 * tokens, 256 * tokens},
            {word(tokens), word(tokens), 0.18F}, tokens > 4096);
        add("attention async " + std::to_string(tokens), "attention/07_async.sm_80.ptx", "attention_async_fp16_64",
            {word(tokens) / 64, 1, 1}, 128, {128 * tokens, 128 * tokens, 128 * tokens, 256 * tokens},
            {word(tokens), word(tokens), 0.18F, std::uint32_t{1}}, tokens > 4096);
        cases.back().launch.dynamicSharedBytes = 4 * 64 * 64 * 2;
    };
    const auto hopperAttention = [&](std::uint64_t tokens, std::uint64_t heads) {
        const std::string size = std::to_string(tokens) + " x " + std::to_string(heads);
        for (const bool takesTurns : {false, true}) {
            add((takesTurns ? "hopper pingpong " : "hopper attention ") + size,
                takesTurns ? "attention/09_pingpong.sm_90a.ptx" : "attention/08_hopper.sm_90a.ptx",
                takesTurns ? "attention_pingpong_fp16_64" : "attention_hopper_fp16_64",
                {word(tokens) / 128, word(heads), 1}, 384,
                {128 * tokens * heads, 128 * tokens * heads, 128 * tokens * heads, 256 * tokens * heads},
                {word(tokens), word(tokens), 0.18F, std::uint32_t{1}}, tokens > 4096);
            cases.back().launch.dynamicSharedBytes = 5 * 128 * 64 * 2;
            cases.back().maps.assign(3, {{}, 2, 64, tokens * heads, 128, 64, 128});
        }
    };
    const auto hopper = [&](std::uint64_t m) {
        struct Rung {
            const char *name, *file;
            std::uint32_t cluster, columns, stages, threads; ///< columns of C that a block has at a time
            bool isPersistent, storesByMap;
        };
        for (const Rung& rung : {Rung{"tma", "01_tma", 1, 128, 1, 128, false, false},
                                 {"ring", "02_ring", 1, 128, 4, 128, false, false},
                                 {"specialised", "03_specialised", 1, 256, 4, 384, false, false},
                                 {"persistent", "04_persistent", 1, 256, 4, 384, true, false},
                                 {"multicast", "05_multicast", 2, 256, 4, 384, true, false},
                                 {"stores", "06_stores", 2, 256, 3, 384, true, true}}) {
            const Dim3 tiles{word(m) / rung.columns, word(m) / 128, 1};
            std::vector<KernelArg> rest(rung.storesByMap ? 3 : 4, word(m));
            add(std::string("hopper ") + rung.name + " " + std::to_string(m),
                (std::string("hopper_matmul/") + rung.file + ".sm_90a.ptx").c_str(), std::string(rung.name) + "_fp16",
                rung.isPersistent ? Dim3{std::min(132U, tiles.x * tiles.y), 1, 1} : tiles, rung.threads,
                {2 * m * m, 2 * m * m, 2 * m * m}, std::move(rest), m > 1024);
            PartCase& made = cases.back();
            made.launch.dynamicSharedBytes = rung.stages * (128 * (128 + rung.columns) + 16);
            made.launch.dynamicSharedBytes += rung.storesByMap ? 2 * 128 * rung.columns : 0;
            made.maps = {{{}, 2, m, m, 2 * m, 64, 128}, {{}, 2, m, m, 2 * m, 64, rung.columns / rung.cluster}};
            if (rung.storesByMap)
                made.maps.push_back({{}, 2, m, m, 2 * m, 64, 64});
        }
    };
    const auto clusterNorm = [&](std::uint64_t rows) { // of 16384 columns, four blocks a row
        add("cluster norm " + std::to_string(rows) + " x 16384", "norm/08_cluster.sm_90.ptx", "norm_cluster_rms",
            {4 * word(rows), 1, 1}, 256, {rows * 32768, 32768, rows * 32768}, {word(rows), std::uint32_t{16384}, 1e-5F},
            rows > 2048);
        cases.back().launch.cluster = {4, 1, 1};
    };
    const auto strides = [&](std::uint64_t n, std::uint32_t blocks) { // n elements, blocks of one wave
        const std::string size = " " + std::to_string(n) + " on " + std::to_string(blocks);
        add("stride triad" + size, "stream/02_grid_stride.ptx", "triad_16", {blocks, 1, 1}, 256, {4 * n, 4 * n, 4 * n},
            {n, 3.0F}, n > (1U << 24));
        add("stride reduce" + size, "reduction/06_vector_loads.ptx", "reduce_vector_loads_f32", {blocks, 1, 1}, 256,
            {4 * n, 4 * blocks}, {n}, n > (1U << 24));
    };
    const auto fusion = [&](std::uint64_t rows) {
        const std::uint64_t bytes = rows * 1024 * 4;
        add("fusion elementwise " + std::to_string(rows) + " x 1024", "fusion/02_elementwise.ptx", "fusion_1_4_fp32",
            {word(rows), 1, 1}, 256, {bytes, 4096, bytes, 4096, 4096, bytes},
            {word(rows), std::uint32_t{1024}, std::uint32_t{7}}, rows > 16384);
        add("fusion row " + std::to_string(rows) + " x 1024", "fusion/03_one_kernel.ptx", "fusion_row_fp32",
            {word(rows), 1, 1}, 256, {bytes, 4096, bytes, 4096, 4096, bytes},
            {word(rows), std::uint32_t{1024}, std::uint32_t{7}, std::uint32_t{4}}, rows > 16384);
    };
    tensor(512, 1024);
    tensor(1024, 2048);
    tensor(2048, 1024);
    tensor(4096, 4096);
    plain(512, 2048);
    plain(1024, 1024);
    plain(4096, 4096);
    attention(2048);
    attention(4096);
    attention(8192);
    hopperAttention(2048, 4);
    hopperAttention(8192, 1);
    hopperAttention(8192, 16);
    hopper(1024);
    hopper(4096);
    clusterNorm(2048);
    clusterNorm(16384);
    strides(1U << 24, 528);
    strides(16'000'003, 528);
    strides(1U << 26, 1056);
    fusion(4096);
    fusion(16384);
    fusion(65536);
    return cases;
}

struct PartRun {
    double seconds = 0; ///< of the processor
    double byClock = 0;
    TimingReport timing;
};

Result<PartRun> runPartCase(const PartCase& one, const simt::ChipTiming& chip, Estimate estimate, unsigned threads)
{
    DeviceInfo info;
    info.computeMajor = 9;
    info.smCount = static_cast<std::uint32_t>(chip.sms);
    DeviceOptions deviceOptions;
    deviceOptions.launchSeconds = 6 * 3600;
    simt::ChipLimits limits;
    limits.sharedBytesPerBlockOptIn = 227 * 1024;
    auto device = simt::openSimtDevice(info, limits, deviceOptions, chip);
    if (!device)
        return device.error();
    const char* folder = std::getenv("RIDGE_BENCH_PTX");
    auto ptx = readFile(std::string(folder != nullptr ? folder : ".") + "/" + one.file);
    if (!ptx)
        return ptx.error();
    Program program;
    program.ptx = *ptx;
    auto loaded = (*device)->load(program);
    if (!loaded)
        return loaded.error();
    Launch launch = one.launch;
    std::vector<KernelArg> arguments;
    for (const std::uint64_t bytes : one.buffers) {
        auto made = (*device)->allocate(bytes, "buffer");
        if (!made)
            return made.error();
        if (arguments.size() >= one.maps.size()) {
            arguments.emplace_back(*made);
            continue;
        }
        TensorTile tile = one.maps[arguments.size()];
        tile.matrix = *made;
        auto map = swizzledMap(**device, tile);
        if (!map)
            return map.error();
        arguments.emplace_back(*map);
    }
    arguments.insert(arguments.end(), launch.args.begin(), launch.args.end());
    launch.args = std::move(arguments);
    LaunchOptions options;
    options.timing = true;
    options.timingOptions.threads = threads;
    options.timingOptions.estimate = estimate;
    options.timingOptions.timeOnly = estimate != Estimate::Never;
    options.timingOptions.budget = estimate == Estimate::Never ? 0 : options.timingOptions.budget;
    const std::clock_t start = std::clock();
    const auto startByClock = std::chrono::steady_clock::now();
    auto report = (*device)->launch(**loaded, launch, options);
    const std::chrono::duration<double> byClock = std::chrono::steady_clock::now() - startByClock;
    if (!report)
        return report.error();
    return PartRun{static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, byClock.count(), *report->timing};
}

int benchPart(int argc, char** argv)
{
    ::setenv("RIDGE_BENCH_PTX", argv[2], 1);
    auto chip = simt::readChipTiming("assets/chips/timing", argc > 3 ? argv[3] : "h100-sxm");
    if (!chip) {
        std::fprintf(stderr, "%s\n", toText(chip.error()).c_str());
        return 1;
    }
    const std::string_view only = argc > 4 ? argv[4] : "", way = argc > 5 ? argv[5] : "both";
    const unsigned threads = argc > 6 ? static_cast<unsigned>(std::atoi(argv[6])) : 1;
    std::printf("%-36s %8s %11s %9s %9s %8s %7s %8s %8s %7s\n", "launch", "blocks", "turns", "whole", "estimate",
                "error", "doubt", "whole s", "part s", "ratio");
    const std::vector<PartCase> cases = partCases();
    const auto hasName = [only](const PartCase& one) { return only == one.title; };
    const bool isOne = std::any_of(cases.begin(), cases.end(), hasName);
    for (const PartCase& one : cases) {
        const bool isNamed = hasName(one);
        if (isOne ? !isNamed : std::string_view(one.title).find(only) == std::string_view::npos)
            continue;
        std::optional<PartRun> whole, part;
        for (const Estimate estimate : {Estimate::Never, Estimate::Always}) {
            const bool isWhole = estimate == Estimate::Never;
            if (way == (isWhole ? "part" : "whole") || (isWhole && one.isLarge && !isNamed))
                continue;
            auto run = runPartCase(one, *chip, estimate, threads);
            if (!run)
                std::printf("%-36s %s\n", one.title.c_str(), run.error().message.c_str());
            else
                (isWhole ? whole : part) = std::move(*run);
        }
        if (!whole && !part)
            continue;
        const Extrapolation none, &e = part ? part->timing.extrapolation : none;
        const auto text = [](bool isThere, const char* format, double value) {
            char buffer[40] = "-";
            if (isThere)
                std::snprintf(buffer, sizeof buffer, format, value);
            return std::string(buffer);
        };
        const double is = whole ? static_cast<double>(whole->timing.cycles) : 0;
        const double said = part ? static_cast<double>(part->timing.cycles) : 0;
        const std::string turns = std::to_string(e.simulatedTurns) + "/" + std::to_string(e.turns);
        std::printf("%-36s %8s %11s %9s %9s %8s %7s %8s %8s %7s\n", one.title.c_str(),
                    (std::to_string(e.simulatedBlocks) + "/" + std::to_string(e.blocks)).c_str(), turns.c_str(),
                    text(is > 0, "%.0f", is).c_str(), text(said > 0, "%.0f", said).c_str(),
                    text(is > 0 && said > 0, "%+.2f%%", is > 0 ? (said / is - 1) * 100 : 0).c_str(),
                    text(said > 0, "%.2f%%", e.relativeError * 100).c_str(),
                    text(whole.has_value(), "%.2f", whole ? whole->seconds : 0).c_str(),
                    text(part.has_value(), "%.2f", part ? part->seconds : 0).c_str(),
                    text(whole && part, "%.1f", whole && part ? whole->seconds / part->seconds : 0).c_str());
        std::fflush(stdout);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc > 2 && std::string_view(argv[1]) == "--load")
        return benchLoad(argc, argv);
    if (argc > 2 && std::string_view(argv[1]) == "--part")
        return benchPart(argc, argv);
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
