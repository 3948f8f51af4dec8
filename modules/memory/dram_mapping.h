// SPDX-License-Identifier: GPL-3.0-or-later
// Where a burst lies: which of its address bits choose the channel, the bank, the row, the column.
#pragma once

#include "memory/dram.h"

#include <string>

namespace ridge::memory {

/// Rotate: neighbours lie in different channels, pseudo-channels, bank groups, banks and ranks in turn, then in the
/// next column, then in the next row. Stagger: the same, and banks come to their next row one after another, as in the
/// stream of Ramulator's latency-throughput tests. RoBaRaCoCh, ChRaBaRoCo, Mop4: the orders of those names (highest
/// bits first; Ro row, Ba bank, Ra rank, Co column, Ch channel); Mop4 takes four bursts of a row, then the next bank,
/// with bank bits XORed with column bits (Kaseridis et al., MICRO 2011). XorBank: RoBaRaCoCh whose bank is XORed with
/// the lowest row bits (permutation-based interleaving: Zhang, Zhu, Zhang, MICRO 2000).
enum class DramMapping { Stagger, Rotate, RoBaRaCoCh, ChRaBaRoCo, Mop4, XorBank };

/// Names of them in order, as parameters have them: "stagger", "rotate", "RoBaRaCoCh" …
const std::vector<std::string>& mappingNames();

struct DramAddress {
    std::uint32_t channel = 0;
    DramPlace place;
    bool operator==(const DramAddress&) const = default;
};

/// The place of the burst with that number, over `channels` equal channels (a power of two). Every number below
/// channels x banks x rows x columns has a place of its own; larger ones begin again.
DramAddress placeOf(const DramSpec& spec, std::uint32_t channels, DramMapping mapping, std::uint64_t burst);

} // namespace ridge::memory
