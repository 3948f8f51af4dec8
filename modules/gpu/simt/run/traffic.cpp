// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/traffic.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint32_t kFull = ~std::uint32_t{0};

/// Lanes below 64 * 64 granules apart: one bit each.
std::uint32_t countByBitmap(const LaneAddresses& lanes, unsigned shift, std::uint64_t first, std::uint64_t span)
{
    std::array<std::uint64_t, 64> bits;
    const std::size_t words = static_cast<std::size_t>(span / 64) + 1;
    std::fill_n(bits.begin(), words, 0);
    for (std::uint32_t mask = lanes.mask; mask != 0; mask &= mask - 1) {
        const std::uint64_t at = (lanes.address[static_cast<std::size_t>(std::countr_zero(mask))] >> shift) - first;
        bits[at / 64] |= std::uint64_t{1} << (at % 64);
    }
    int count = 0;
    for (std::size_t word = 0; word < words; ++word)
        count += std::popcount(bits[word]);
    return static_cast<std::uint32_t>(count);
}

std::uint32_t countBySorting(const LaneAddresses& lanes, unsigned shift)
{
    std::array<std::uint64_t, kWarpSize> granules;
    std::size_t count = 0;
    for (std::uint32_t mask = lanes.mask; mask != 0; mask &= mask - 1)
        granules[count++] = lanes.address[static_cast<std::size_t>(std::countr_zero(mask))] >> shift;
    std::sort(granules.begin(), granules.begin() + static_cast<std::ptrdiff_t>(count));
    const auto end = std::unique(granules.begin(), granules.begin() + static_cast<std::ptrdiff_t>(count));
    return static_cast<std::uint32_t>(end - granules.begin());
}

/// Evenly spaced lanes: lanes of one phase meet as often as their step shares factors with the number of slots.
BankCount countStrided(const LaneAddresses& lanes, std::uint32_t phases)
{
    const std::uint64_t slots = kWarpSize / phases;
    const std::uint64_t step = static_cast<std::uint64_t>(std::abs(lanes.stride)) / lanes.bytes;
    const auto degree = step == 0 ? 1u : static_cast<std::uint32_t>(std::gcd(step, slots));
    return {phases * degree, phases};
}

std::uint32_t phaseWavefronts(const LaneAddresses& lanes, std::uint32_t mask)
{
    std::array<std::uint8_t, kWarpSize> used{};
    std::array<std::array<std::uint64_t, kWarpSize>, kWarpSize> words;
    std::uint32_t most = 0;
    for (; mask != 0; mask &= mask - 1) {
        const std::uint64_t address = lanes.address[static_cast<std::size_t>(std::countr_zero(mask))];
        const std::uint64_t last = (address + lanes.bytes - 1) / 4;
        for (std::uint64_t word = address / 4; word <= last; ++word) {
            const std::size_t bank = word % kWarpSize;
            auto& known = words[bank];
            const auto end = known.begin() + used[bank];
            if (std::find(known.begin(), end, word) != end)
                continue;
            known[used[bank]++] = word;
            most = std::max<std::uint32_t>(most, used[bank]);
        }
    }
    return most;
}

} // namespace

void analyse(LaneAddresses& lanes)
{
    const auto& address = lanes.address;
    lanes.strided = false;
    if (lanes.mask == kFull) {
        const std::uint64_t step = address[1] - address[0];
        std::uint64_t uneven = 0;
        for (std::size_t lane = 1; lane < kWarpSize; ++lane)
            uneven |= (address[lane] - address[lane - 1]) ^ step;
        if (uneven == 0) {
            lanes.stride = static_cast<std::int64_t>(step);
            lanes.least = std::min(address[0], address[kWarpSize - 1]);
            lanes.greatest = std::max(address[0], address[kWarpSize - 1]);
            // Steps so large that addresses wrap around are left to the general case.
            lanes.strided = lanes.greatest - lanes.least == 31 * static_cast<std::uint64_t>(std::abs(lanes.stride)) &&
                            std::abs(lanes.stride) < (std::int64_t{1} << 48);
            if (lanes.strided)
                return;
        }
    }
    lanes.least = ~std::uint64_t{0};
    lanes.greatest = 0;
    for (std::uint32_t mask = lanes.mask; mask != 0; mask &= mask - 1) {
        const std::uint64_t at = address[static_cast<std::size_t>(std::countr_zero(mask))];
        lanes.least = std::min(lanes.least, at);
        lanes.greatest = std::max(lanes.greatest, at);
    }
}

std::uint32_t countGranules(const LaneAddresses& lanes, unsigned shift)
{
    if (lanes.mask == 0)
        return 0;
    const std::uint64_t first = lanes.least >> shift;
    const std::uint64_t span = (lanes.greatest >> shift) - first;
    if (lanes.strided) {
        const auto step = static_cast<std::uint64_t>(std::abs(lanes.stride));
        return step >> shift != 0 ? kWarpSize : static_cast<std::uint32_t>(span + 1);
    }
    if (span == 0)
        return 1;
    return span < 64 * 64 ? countByBitmap(lanes, shift, first, span) : countBySorting(lanes, shift);
}

BankCount countBanks(const LaneAddresses& lanes)
{
    const std::uint32_t phases = lanes.bytes <= 4 ? 1 : lanes.bytes / 4;
    if (lanes.strided && lanes.bytes >= 4 && lanes.stride % static_cast<std::int64_t>(lanes.bytes) == 0)
        return countStrided(lanes, phases);
    BankCount count;
    const std::uint32_t width = kWarpSize / phases;
    const std::uint32_t ones = width == kWarpSize ? kFull : (1u << width) - 1;
    for (std::uint32_t phase = 0; phase < phases; ++phase) {
        const std::uint32_t wavefronts = phaseWavefronts(lanes, lanes.mask & ones << (phase * width));
        count.wavefronts += wavefronts;
        count.minimum += wavefronts != 0 ? 1 : 0;
    }
    return count;
}

} // namespace ridge::gpu::simt
