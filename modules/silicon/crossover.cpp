// SPDX-License-Identifier: GPL-3.0-or-later
#include "silicon/crossover.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::silicon {

std::span<const CrossoverConstant* const> crossoverConstants()
{
    static constexpr std::array<const CrossoverConstant*, 8> all = {
        &kCpuFlops, &kCpuBandwidth, &kCpuStart, &kGpuFlops, &kGpuBandwidth, &kGpuLaunch, &kCopyStart, &kCopyRate};
    return all;
}

double CrossoverTime::total() const
{
    return launchSeconds + copySeconds + std::max(memorySeconds, arithmeticSeconds);
}

double crossoverBytes(CrossoverWork work, double n)
{
    return work == CrossoverWork::Saxpy ? 12 * n : 12 * n * n;
}

double crossoverFlop(CrossoverWork work, double n)
{
    return work == CrossoverWork::Saxpy ? 2 * n : 2 * n * n * n;
}

CrossoverTime cpuTime(CrossoverWork work, double n)
{
    return {kCpuStart.value, 0, crossoverBytes(work, n) / kCpuBandwidth.value,
            crossoverFlop(work, n) / kCpuFlops.value};
}

CrossoverTime gpuTime(CrossoverWork work, double n, bool copies)
{
    const double bytes = crossoverBytes(work, n);
    return {kGpuLaunch.value, copies ? 3 * kCopyStart.value + bytes / kCopyRate.value : 0, bytes / kGpuBandwidth.value,
            crossoverFlop(work, n) / kGpuFlops.value};
}

double largestCrossover(CrossoverWork work)
{
    return std::exp2(work == CrossoverWork::Saxpy ? 26 : 14);
}

std::optional<double> crossover(CrossoverWork work, bool copies)
{
    const auto gpuWins = [&](double log2n) {
        const double n = std::exp2(log2n);
        return gpuTime(work, n, copies).total() < cpuTime(work, n).total();
    };
    double low = 0, high = std::log2(largestCrossover(work));
    if (!gpuWins(high))
        return std::nullopt;
    if (gpuWins(low))
        return 1;
    // The GPU's lead grows with n, since every one of its rates that counts at large n is the higher one here.
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (gpuWins(middle) ? high : low) = middle;
    }
    return std::exp2(high);
}

} // namespace ridge::silicon
