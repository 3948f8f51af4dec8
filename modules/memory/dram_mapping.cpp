// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/dram_mapping.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ridge::memory {
namespace {

/// Takes the lowest digit, of `size` values, a power of two, off a number.
std::uint32_t digit(std::uint64_t& number, std::uint32_t size)
{
    const auto low = static_cast<std::uint32_t>(number & (size - 1));
    number >>= std::countr_zero(size);
    return low;
}

/// Bank, row and column where all banks take turns.
DramPlace rotated(const DramSpec& spec, std::uint64_t number, bool stagger)
{
    DramPlace place;
    place.pseudoChannel = digit(number, spec.pseudoChannels);
    place.group = digit(number, spec.groups);
    place.bank = digit(number, spec.banks);
    place.rank = digit(number, spec.ranks);
    if (stagger) {
        const std::uint32_t banks = spec.bankCount();
        const std::uint64_t turn =
            ((place.rank * spec.banks + place.bank) * spec.groups + place.group) * std::uint64_t{spec.pseudoChannels} +
            place.pseudoChannel;
        // offsets are spread evenly over a row (Ramulator 2.1, LatencyThroughputTrace::streaming_addr_vec)
        if (banks <= spec.columns)
            number += turn * spec.columns / banks;
        else
            number += turn / ((banks + spec.columns - 1) / spec.columns) % spec.columns;
    }
    place.column = digit(number, spec.columns);
    place.row = digit(number, spec.rows);
    return place;
}

} // namespace

const std::vector<std::string>& mappingNames()
{
    static const std::vector<std::string> names{"stagger",    "rotate",    "RoBaRaCoCh",
                                                "ChRaBaRoCo", "MOP4CLXOR", "xor_bank"};
    return names;
}

DramAddress placeOf(const DramSpec& spec, std::uint32_t channels, DramMapping mapping, std::uint64_t burst)
{
    DramAddress address;
    DramPlace& place = address.place;
    if (mapping != DramMapping::ChRaBaRoCo)
        address.channel = digit(burst, channels);
    switch (mapping) {
    case DramMapping::Stagger:
    case DramMapping::Rotate:
        place = rotated(spec, burst, mapping == DramMapping::Stagger);
        break;
    case DramMapping::RoBaRaCoCh:
    case DramMapping::XorBank:
        place.column = digit(burst, spec.columns);
        place.pseudoChannel = digit(burst, spec.pseudoChannels);
        place.rank = digit(burst, spec.ranks);
        place.group = digit(burst, spec.groups);
        place.bank = digit(burst, spec.banks);
        place.row = digit(burst, spec.rows);
        if (mapping == DramMapping::XorBank) {
            std::uint64_t row = place.row;
            place.group ^= digit(row, spec.groups);
            place.bank ^= digit(row, spec.banks);
            place.pseudoChannel ^= digit(row, spec.pseudoChannels);
        }
        break;
    case DramMapping::ChRaBaRoCo:
        place.column = digit(burst, spec.columns);
        place.row = digit(burst, spec.rows);
        place.bank = digit(burst, spec.banks);
        place.group = digit(burst, spec.groups);
        place.rank = digit(burst, spec.ranks);
        place.pseudoChannel = digit(burst, spec.pseudoChannels);
        address.channel = digit(burst, channels);
        break;
    case DramMapping::Mop4: {
        const std::uint32_t low = std::min<std::uint32_t>(4, spec.columns);
        place.column = digit(burst, low);
        place.pseudoChannel = digit(burst, spec.pseudoChannels);
        place.rank = digit(burst, spec.ranks);
        place.group = digit(burst, spec.groups);
        place.bank = digit(burst, spec.banks);
        place.column += low * digit(burst, spec.columns / low);
        place.row = digit(burst, spec.rows);
        std::uint64_t column = place.column;
        for (const auto& [part, size] : {std::pair{&place.pseudoChannel, spec.pseudoChannels},
                                         {&place.rank, spec.ranks},
                                         {&place.group, spec.groups},
                                         {&place.bank, spec.banks}})
            *part ^= digit(column, size);
        break;
    }
    }
    return address;
}

} // namespace ridge::memory
