// SPDX-License-Identifier: GPL-3.0-or-later
// Functional speed of the simulator on one core, in warp instructions per second of processor time.
//   ninja -C build/release bench_simt && build/release/bin/bench_simt tests/gpu/simt/fixtures/kernels.nvcc.ptx
#include "base/json.h"
#include "gpu/simt/simt_device.h"

#include <cstdio>
#include <ctime>

using namespace ridge;
using namespace ridge::gpu;

namespace {

struct Bench {
    std::unique_ptr<Device> device;
    std::unique_ptr<LoadedProgram> program;
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
        double best = 0;
        for (int round = 0; round < 3 && !failed; ++round) {
            const std::clock_t start = std::clock();
            auto report = device->launch(*program, launch, {});
            const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
            if (!report) {
                std::fprintf(stderr, "%s\n", toText(report.error()).c_str());
                failed = true;
                return;
            }
            const double rate = static_cast<double>(report->counters->instExecuted) / took / 1e6;
            best = std::max(best, rate);
        }
        std::printf("%-28s %8.1f M warp instr/s (best of 3)\n", title, best);
    }
};

} // namespace

int main(int argc, char** argv)
{
    auto ptx = readFile(argc > 1 ? argv[1] : "tests/gpu/simt/fixtures/kernels.nvcc.ptx");
    if (!ptx) {
        std::fprintf(stderr, "%s\n", toText(ptx.error()).c_str());
        return 1;
    }
    Bench bench;
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
