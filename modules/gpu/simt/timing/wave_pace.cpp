// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/wave_pace.h"

#include <algorithm>
#include <cmath>

namespace ridge::gpu::simt {

namespace {

constexpr std::size_t kFewestWaves = 3;
constexpr std::size_t kFewestWavesOfDram = 6;
constexpr std::size_t kMostWaves = 16;
constexpr double kBoundByDram = 0.8;  ///< of the bytes that it moves in a cycle
constexpr double kNearlyFull = 0.95;  ///< of the lines of L2
constexpr double kHardlyFills = 0.02; ///< of them, in a wave: sets that few lines belong to

/// The block with whose end waves begin that stand for later ones; nothing: not there yet.
std::size_t steadyFrom(const std::vector<MemorySample>& samples, const WaveGrid& grid, bool& isFilling)
{
    const std::size_t ended = samples.size(), wave = grid.resident;
    isFilling = false;
    if (ended < 2 * wave)
        return ended;
    const auto lines = static_cast<double>(grid.l2Lines);
    const auto filled = [&](std::size_t at) { return static_cast<double>(samples[at].freshLines); };
    const double last = filled(ended - 1), grew = last - filled(ended - 1 - wave);
    const double waves = static_cast<double>(grid.blocks - ended) / static_cast<double>(wave);
    if (last + waves * grew < kNearlyFull * lines)
        return wave; // it never will be full
    std::size_t from = wave;
    const auto isFull = [&](std::size_t at) {
        return filled(at) >= kNearlyFull * lines ||
               (2 * filled(at) >= lines && filled(at) - filled(at - wave) < kHardlyFills * lines);
    };
    while (from < ended && !isFull(from))
        ++from;
    isFilling = from == ended;
    return from;
}

} // namespace

WavePace paceOfWaves(const std::vector<std::uint64_t>& completions, const std::vector<MemorySample>& samples,
                     const WaveGrid& grid)
{
    WavePace pace;
    const std::size_t ended = std::min(completions.size(), samples.size()), wave = grid.resident;
    const std::size_t from = steadyFrom(samples, grid, pace.isFilling);
    const std::size_t waves = ended > from ? std::min((ended - from) / wave, kMostWaves + 1) : 0;
    if (waves < kFewestWaves + 1)
        return pace;
    std::vector<double> periods; // oldest first
    for (std::size_t at = waves - 1; at > 0; --at) {
        double sum = 0;
        for (std::size_t block = ended - at * wave; block < ended - (at - 1) * wave; ++block)
            sum += static_cast<double>(completions[block] - completions[block - wave]);
        periods.push_back(sum / static_cast<double>(wave));
    }
    const auto meanOf = [&](std::size_t first, std::size_t end) {
        double sum = 0;
        for (std::size_t at = first; at < end; ++at)
            sum += periods[at];
        return sum / static_cast<double>(end - first);
    };
    const auto count = static_cast<double>(periods.size());
    pace.period = meanOf(0, periods.size());
    double squares = 0;
    for (const double period : periods)
        squares += (period - pace.period) * (period - pace.period);
    const double drift = meanOf(periods.size() - periods.size() / 2, periods.size()) - meanOf(0, periods.size() / 2);
    pace.doubt = std::hypot(drift, 2 * std::sqrt(squares / (count - 1) / count));
    const MemorySample &first = samples[ended - 1 - (waves - 1) * wave], &last = samples[ended - 1];
    const auto grew = [&](std::uint64_t MemorySample::*what) {
        return std::max(static_cast<double>(last.*what) - static_cast<double>(first.*what), 0.0) / (double(waves) - 1);
    };
    pace.dramReadBytes = grew(&MemorySample::dramReadBytes);
    pace.dramWriteBytes = std::max(grew(&MemorySample::dramBytes) - pace.dramReadBytes, 0.0);
    const bool isBound = grid.dramBytesPerCycle > 0 && pace.dramReadBytes + pace.dramWriteBytes >=
                                                           kBoundByDram * grid.dramBytesPerCycle * pace.period;
    pace.isKnown = !isBound || periods.size() >= kFewestWavesOfDram;
    return pace;
}

} // namespace ridge::gpu::simt
