// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/gemmini.h"

#include <algorithm>
#include <cmath>

namespace ridge::accelerator {
namespace {

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b)
{
    return (a + b - 1) / b;
}

} // namespace

GemminiRun runGemmini(const GemminiArray& array, const Gemm& gemm)
{
    const std::uint64_t i = ceilDiv(gemm.m, array.side), j = ceilDiv(gemm.n, array.side),
                        k = ceilDiv(gemm.k, array.side);
    const std::uint64_t inputs = array.scratchpadRows / array.side / 2, sums = array.accumulatorRows / array.side / 2;
    const auto fits = [&](std::uint64_t ti, std::uint64_t tj, std::uint64_t tk) {
        return ti * tj <= sums && (ti + tj) * tk <= inputs;
    };
    std::uint64_t square = 1;
    while ((square + 1) * (square + 1) <= sums)
        ++square;
    std::uint64_t ti = std::min(i, square), tj = std::min(j, square);
    std::uint64_t tk = std::clamp<std::uint64_t>(inputs / (2 * square), 1, k);
    for (bool grown = true; grown;) {
        grown = false;
        for (auto [side, most] : {std::pair{&tj, j}, {&ti, i}, {&tk, k}})
            if (*side < most) {
                ++*side;
                if (fits(ti, tj, tk))
                    grown = true;
                else
                    --*side;
            }
    }
    GemminiRun run;
    run.tileI = static_cast<std::uint32_t>(ti);
    run.tileJ = static_cast<std::uint32_t>(tj);
    run.tileK = static_cast<std::uint32_t>(tk);
    const auto last = [](std::uint64_t all, std::uint64_t tile) { return all % tile == 0 ? tile : all % tile; };
    run.compute = static_cast<double>(i * j * k) * array.tileCycles;
    // A comes once for each outer tile of columns, B once for each of rows; results leave as bytes.
    run.dramBytes = gemm.m * gemm.k * ceilDiv(j, tj) + gemm.k * gemm.n * ceilDiv(i, ti) + gemm.m * gemm.n;
    run.dma = static_cast<double>(run.dramBytes) / array.dmaBytesPerCycle;
    const double stores = static_cast<double>(last(i, ti) * last(j, tj)) * array.storeCycles;
    run.cycles = array.launchCycles + std::max(run.compute, run.dma) + stores;
    return run;
}

} // namespace ridge::accelerator
