// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/tpu.h"

#include <algorithm>
#include <cmath>

namespace ridge::accelerator {
namespace {

double ceilDiv(std::uint64_t a, std::uint64_t b)
{
    return static_cast<double>((a + b - 1) / b);
}

// Batches and intensities: table 1; shares of mlp0, lstm0, cnn0: table 3. The other three have no share here that the
// project may fit: theirs are those of their like.
constexpr Tpu1Workload kWorkloads[] = {
    {"mlp0", 200, 20e6, 200, 1, 0.984, 0.175, 0.033, 0.061, 0.919, true},
    {"mlp1", 168, 5e6, 168, 1, 0.984, 0.175, 0.033, 0.061, 0.919, false},
    {"lstm0", 64, 52e6, 64, 2, 1, 0.179, 0.146, 0.051, 0.85, true},
    {"lstm1", 96, 34e6, 96, 2, 360000.0 / (9 * 65536), 0.179, 0.146, 0.051, 0.85, false}, // 600 x 600: 9 tiles
    {"cnn0", 8, 8e6, 2888, 1, 1, 0.218, 0.035, 0.034, 0.937, true},
    {"cnn1", 32, 100e6, 1750, 1, 1, 0.218, 0.035, 0.034, 0.937, false},
};

} // namespace

std::optional<Tpu1Workload> tpu1Workload(const std::string& name)
{
    for (const Tpu1Workload& workload : kWorkloads)
        if (name == workload.name)
            return workload;
    return std::nullopt;
}

Tpu1Run runTpu1(const Tpu1Machine& machine, Tpu1Workload workload, double batch)
{
    if (batch > 0) {
        workload.intensity *= batch / workload.batch;
        workload.batch = batch;
    }
    Tpu1Run run;
    const double tileBytes = double(machine.side) * machine.side;
    const double fetch = tileBytes / machine.weightBytesPerS * machine.clock; // cycles of a tile
    const double active = workload.intensity * workload.rate;
    const double matrix = 1 - workload.nonMatrix;
    run.nonMatrix = workload.nonMatrix;
    run.rawStall = workload.rawStall;
    run.inputStall = workload.inputStall;
    if (active >= fetch) { // the next tile is there before this one's rows are through, and its shift is hidden
        run.arrayActive = matrix;
    } else {
        run.arrayActive = active / fetch * matrix;
        run.weightShift = std::min(machine.side / fetch, 1 - active / fetch) * matrix;
        run.weightStall = matrix - run.arrayActive - run.weightShift;
    }
    run.usefulMacs = run.arrayActive * workload.use;
    run.unusedMacs = run.arrayActive - run.usefulMacs;
    const double peak = 2 * tileBytes * machine.clock * workload.use;
    const double bound = std::min(peak, 2 * workload.intensity * machine.weightBytesPerS * workload.use);
    run.opsPerS = bound * workload.efficiency;
    run.dramBytes = workload.weights;
    run.time = 2 * workload.intensity * workload.weights * workload.use / run.opsPerS;
    return run;
}

double tpu1Product(const Tpu1Machine& machine, const Gemm& gemm, double rate)
{
    const double tiles = ceilDiv(gemm.k, machine.side) * ceilDiv(gemm.n, machine.side);
    const double fetch = double(machine.side) * machine.side / machine.weightBytesPerS;
    const double each = std::max(static_cast<double>(gemm.m) * rate, double(machine.side)) / machine.clock;
    return fetch + (tiles - 1) * std::max(fetch, each) + each + 2.0 * machine.side / machine.clock;
}

TpuRun tpuProduct(const TpuMachine& machine, const Gemm& gemm, double word)
{
    TpuRun run;
    const double tiles = ceilDiv(gemm.k, machine.side) * ceilDiv(gemm.n, machine.side);
    const double rows = std::max<double>(static_cast<double>(gemm.m), machine.side);
    run.compute = tiles * rows / machine.arrays / machine.clock / machine.efficiency;
    const double m = static_cast<double>(gemm.m), n = static_cast<double>(gemm.n), k = static_cast<double>(gemm.k);
    run.bytes = (m * k + k * n + m * n) * word;
    // What fits the memory on the chip comes from there.
    const double near = machine.onChip > 0 ? std::min(run.bytes, machine.onChipBytes) : 0;
    run.memory = (run.bytes - near) / machine.hbm + (near > 0 ? near / machine.onChip : 0);
    run.time = machine.dispatch + std::max(run.compute, run.memory);
    return run;
}

Result<TpuRun> tpuBlocks(const TpuMachine& machine, const Gemm& gemm, double word, const Gemm& block)
{
    if (block.m == 0 || block.n == 0 || block.k == 0)
        return Error{"bad-value", "a block of 0 rows or columns moves nothing", "parameters block_m, block_n, block_k",
                     "give all three, or none"};
    TpuRun run;
    const double bm = static_cast<double>(std::min(block.m, gemm.m)),
                 bn = static_cast<double>(std::min(block.n, gemm.n)),
                 bk = static_cast<double>(std::min(block.k, gemm.k));
    const double outer = ceilDiv(gemm.m, block.m) * ceilDiv(gemm.n, block.n), depth = ceilDiv(gemm.k, block.k);
    const double steps = outer * depth;
    TpuMachine ideal = machine;
    ideal.efficiency = 1;
    const double compute =
        tpuProduct(ideal,
                   {static_cast<std::uint64_t>(bm), static_cast<std::uint64_t>(bn), static_cast<std::uint64_t>(bk)},
                   word)
            .compute;
    const double fetched = (bm * bk + bk * bn) * word, written = bm * bn * word;
    const double memory = (fetched + written / depth) / machine.hbm;
    run.compute = steps * compute;
    run.memory = steps * memory;
    run.bytes = steps * fetched + outer * written;
    run.time =
        machine.dispatch + steps * (std::max(compute, memory) + machine.step) + (fetched + written) / machine.hbm;
    return run;
}

double tpu4Kernel(const Gemm& gemm, const Tpu4Law& law)
{
    const double m = static_cast<double>(gemm.m), n = static_cast<double>(gemm.n), k = static_cast<double>(gemm.k);
    constexpr double kWord = 2;
    return m * n * k * law.mac +
           kWord * (k * std::min(m, n) * law.shorter + k * std::max(m, n) * law.longer + m * n * law.result) +
           law.launch;
}

double tpu4iPerformance(double megabytes, const std::vector<double>& sizes, const std::vector<double>& shares)
{
    if (sizes.empty() || sizes.size() != shares.size())
        return 1;
    if (megabytes <= sizes.front())
        return shares.front();
    for (std::size_t i = 1; i < sizes.size(); ++i)
        if (megabytes <= sizes[i]) {
            const double part = (megabytes - sizes[i - 1]) / (sizes[i] - sizes[i - 1]);
            return 1 / ((1 - part) / shares[i - 1] + part / shares[i]);
        }
    return shares.back();
}

} // namespace ridge::accelerator
