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

std::uint64_t magnitude(std::int64_t value)
{
    return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

/// Rows whose lanes are closer than a granule: each covers one interval of granules; rows come in order.
std::uint32_t countRows(const LaneAddresses& lanes, unsigned shift)
{
    const std::uint32_t rows = kWarpSize / lanes.rowLanes;
    const std::uint64_t width = (lanes.rowLanes - 1) * magnitude(lanes.stride);
    std::uint64_t start = lanes.least;
    std::uint64_t covered = 0; // one past the last granule counted
    std::uint64_t count = 0;
    for (std::uint32_t row = 0; row < rows; ++row, start += magnitude(lanes.rowStride)) {
        const std::uint64_t first = std::max(start >> shift, covered);
        const std::uint64_t end = ((start + width) >> shift) + 1;
        if (end <= first)
            continue;
        count += end - first;
        covered = end;
    }
    return static_cast<std::uint32_t>(count);
}

/// Evenly spaced lanes: lanes of one phase meet as often as their step shares factors with the number of slots.
BankCount countStrided(const LaneAddresses& lanes, std::uint32_t phases)
{
    const std::uint64_t slots = kWarpSize / phases;
    const std::uint64_t step = magnitude(lanes.stride) / lanes.bytes;
    const auto degree = step == 0 ? 1u : static_cast<std::uint32_t>(std::gcd(step, slots));
    return {phases * degree, phases};
}

/// Two rows of sixteen 4-byte lanes that each read one word, or sixteen words in a row. 0: another pattern.
std::uint32_t countTwoRows(const LaneAddresses& lanes)
{
    const std::uint64_t apart = magnitude(lanes.rowStride);
    if (lanes.bytes != 4 || lanes.rowLanes != 16 || apart % 4 != 0)
        return 0;
    const std::uint64_t words = apart / 4;
    const std::uint64_t banks = std::min(words % kWarpSize, kWarpSize - words % kWarpSize);
    if (lanes.stride == 0)
        return words != 0 && words % kWarpSize == 0 ? 2 : 1;
    if (magnitude(lanes.stride) != 4)
        return 0;
    return words < 16 || banks >= 16 ? 1 : 2; // nearer rows share words: one run of up to 31
}

/// As many banks as these bytes take are one slot, and lanes that start there take it whole.
std::uint32_t wavefrontsBySlots(const LaneAddresses& lanes, std::uint32_t mask, std::uint64_t bytes)
{
    const auto slots = static_cast<std::uint32_t>(kWarpSize * 4 / bytes);
    const int shift = std::countr_zero(bytes);
    std::array<std::uint64_t, kWarpSize> known;
    std::uint32_t used = 0;
    bool free = true;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t place = lanes.address[static_cast<std::size_t>(std::countr_zero(rest))] >> shift;
        const std::size_t slot = place % slots;
        free = free && ((used >> slot & 1) == 0 || known[slot] == place);
        known[slot] = place;
        used |= 1u << slot;
    }
    if (free)
        return 1;
    std::array<std::uint8_t, kWarpSize> inSlot{};
    std::array<std::array<std::uint64_t, kWarpSize>, kWarpSize> places;
    std::uint32_t most = 0;
    for (; mask != 0; mask &= mask - 1) {
        const std::uint64_t place = lanes.address[static_cast<std::size_t>(std::countr_zero(mask))] >> shift;
        const std::size_t slot = place % slots;
        const auto end = places[slot].begin() + inSlot[slot];
        if (std::find(places[slot].begin(), end, place) != end)
            continue;
        places[slot][inSlot[slot]++] = place;
        most = std::max<std::uint32_t>(most, inSlot[slot]);
    }
    return most;
}

/// Lanes that start anywhere, word by word.
std::uint32_t wavefrontsByWords(const LaneAddresses& lanes, std::uint32_t mask)
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

std::uint32_t phaseWavefronts(const LaneAddresses& lanes, std::uint32_t mask)
{
    if (mask == 0)
        return 0;
    if (lanes.bytes <= 4)
        return wavefrontsBySlots(lanes, mask, 4);
    std::uint64_t any = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
        any |= lanes.address[static_cast<std::size_t>(std::countr_zero(rest))];
    const bool isSlot = (lanes.bytes == 8 || lanes.bytes == 16) && any % lanes.bytes == 0;
    return isSlot ? wavefrontsBySlots(lanes, mask, lanes.bytes) : wavefrontsByWords(lanes, mask);
}

/// Whether all rows of Width lanes have the same step inside.
template<std::size_t Width>
bool rowsAreEven(const std::array<std::uint64_t, kWarpSize>& address, std::uint64_t step)
{
    std::uint64_t uneven = 0;
    for (std::size_t row = 0; row < kWarpSize; row += Width) {
        for (std::size_t lane = 1; lane < Width; ++lane)
            uneven |= (address[row + lane] - address[row + lane - 1]) ^ step;
    }
    return uneven == 0;
}

bool isRegular(LaneAddresses& lanes)
{
    const auto& address = lanes.address;
    const std::uint64_t step = address[1] - address[0];
    std::uint64_t rowStep = 0;
    if (rowsAreEven<16>(address, step)) {
        const bool oneRow = address[16] - address[15] == step;
        lanes.rowLanes = oneRow ? 32 : 16;
        rowStep = oneRow ? 0 : address[16] - address[0];
    } else if (rowsAreEven<8>(address, step)) {
        lanes.rowLanes = 8;
        rowStep = address[8] - address[0];
        if (address[16] - address[8] != rowStep || address[24] - address[16] != rowStep)
            return false;
    } else {
        return false;
    }
    lanes.stride = static_cast<std::int64_t>(step);
    lanes.rowStride = static_cast<std::int64_t>(rowStep);
    const std::uint64_t width = (lanes.rowLanes - 1) * magnitude(lanes.stride);
    const std::uint64_t height = (kWarpSize / lanes.rowLanes - 1) * magnitude(lanes.rowStride);
    lanes.least = address[0] - (lanes.stride < 0 ? width : 0) - (lanes.rowStride < 0 ? height : 0);
    lanes.greatest = lanes.least + width + height;
    // Steps or addresses so large that they wrap around are left to the general case.
    constexpr std::uint64_t far = std::uint64_t{1} << 50;
    return magnitude(lanes.stride) < far && magnitude(lanes.rowStride) < far && address[0] < 16 * far &&
           lanes.least < 16 * far;
}

} // namespace

// A third of the time of a kernel that loads goes into this: two builds, the loader takes the one for the processor.
// Not under a sanitizer, whose run time is not up when the loader asks.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&               \
    !defined(__SANITIZE_THREAD__)
__attribute__((target_clones("avx2", "default"), flatten))
#endif
void analyse(LaneAddresses& lanes)
{
    lanes.regular = lanes.mask == kFull && isRegular(lanes);
    if (lanes.regular)
        return;
    lanes.least = ~std::uint64_t{0};
    lanes.greatest = 0;
    for (std::uint32_t mask = lanes.mask; mask != 0; mask &= mask - 1) {
        const std::uint64_t at = lanes.address[static_cast<std::size_t>(std::countr_zero(mask))];
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
    if (lanes.regular && magnitude(lanes.stride) >> shift == 0)
        return lanes.rowLanes == kWarpSize ? static_cast<std::uint32_t>(span + 1) : countRows(lanes, shift);
    if (lanes.regular && lanes.rowLanes == kWarpSize)
        return kWarpSize;
    if (span == 0)
        return 1;
    return span < 64 * 64 ? countByBitmap(lanes, shift, first, span) : countBySorting(lanes, shift);
}

BankCount countBanks(const LaneAddresses& lanes)
{
    const std::uint32_t phases = lanes.bytes <= 4 ? 1 : lanes.bytes / 4;
    if (lanes.regular && lanes.rowLanes == kWarpSize && lanes.bytes >= 4 && magnitude(lanes.stride) % lanes.bytes == 0)
        return countStrided(lanes, phases);
    if (const std::uint32_t wavefronts = lanes.regular ? countTwoRows(lanes) : 0; wavefronts != 0)
        return {wavefronts, 1};
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
