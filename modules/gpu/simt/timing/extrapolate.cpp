// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/extrapolate.h"

#include <algorithm>
#include <cmath>

namespace ridge::gpu::simt {

Steady steadyState(const std::vector<std::uint64_t>& completions, std::uint64_t resident)
{
    Steady steady;
    if (resident == 0 || completions.size() < 2 * resident)
        return steady;
    auto first = static_cast<std::size_t>(resident) - 1;
    // While L2 fills, what is written costs no memory traffic yet: of a long run only the second half is steady.
    if (completions.size() - 1 - first >= 4 * resident)
        first += (completions.size() - 1 - first) / 2;
    steady.first = first;
    const std::size_t blocks = completions.size() - 1 - first;
    steady.cyclesPerBlock = static_cast<double>(completions.back() - completions[first]) / static_cast<double>(blocks);
    // Whole waves where there are several, else halves and quarters of the one there is.
    const std::size_t parts = std::clamp<std::size_t>(blocks / resident, 4, 16);
    double sum = 0;
    for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t from = first + blocks * part / parts;
        const std::size_t to = first + blocks * (part + 1) / parts;
        if (to == from)
            return steady;
        const double rate = static_cast<double>(completions[to] - completions[from]) / static_cast<double>(to - from);
        sum += (rate - steady.cyclesPerBlock) * (rate - steady.cyclesPerBlock);
    }
    steady.known = true;
    steady.deviation = std::sqrt(sum / static_cast<double>(parts - 1) / static_cast<double>(parts));
    return steady;
}

namespace {

/// Warp instructions of one of the rest over those of a block of the steady state.
double workOf(const Steady& steady, const std::vector<MemorySample>& samples, const Rest& rest)
{
    if (samples.size() < steady.first + 2 || rest.blocks == 0)
        return 1;
    const auto blocks = static_cast<double>(samples.size() - 1 - steady.first);
    const double timed = static_cast<double>(samples.back().executed - samples[steady.first].executed) / blocks;
    const double work = timed > 0 ? rest.executed / rest.blocks / timed : 1;
    constexpr double kNoise = 0.02; // blocks that were under way at both ends of the window
    return std::abs(work - 1) < kNoise ? 1 : work;
}

} // namespace

double restDoubt(const Steady& steady, const std::vector<MemorySample>& samples, const Rest& rest)
{
    const double work = workOf(steady, samples, rest);
    return rest.blocks * std::hypot(1.96 * steady.deviation * work, 0.5 * (work - 1) * steady.cyclesPerBlock);
}

double restCycles(const Steady& steady, const std::vector<MemorySample>& samples, const MemoryBounds& bounds,
                  const Rest& rest)
{
    const double work = workOf(steady, samples, rest);
    const double soFar = rest.blocks * steady.cyclesPerBlock;
    if (samples.size() < steady.first + 2)
        return work * soFar;
    const MemorySample& from = samples[steady.first];
    const MemorySample& to = samples.back();
    const auto blocks = static_cast<double>(samples.size() - 1 - steady.first);
    const double moved = static_cast<double>(to.dramBytes - from.dramBytes) / blocks;
    const double swallowed = (static_cast<double>(to.heldBytes) - static_cast<double>(from.heldBytes)) / blocks;
    const double onceFull = (moved + std::max(swallowed, 0.0)) / bounds.dramBytesPerCycle;
    if (onceFull <= steady.cyclesPerBlock)
        return work * soFar;
    const double filled = static_cast<double>(to.freshLines - from.freshLines) / blocks;
    const auto room = static_cast<double>(bounds.l2Lines - std::min(to.freshLines, bounds.l2Lines));
    const double untilFull = filled > 0 ? std::min(rest.blocks, room / filled) : 0;
    return work * (untilFull * steady.cyclesPerBlock + (rest.blocks - untilFull) * onceFull);
}

} // namespace ridge::gpu::simt
