// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/divisor.h"

#include <cstdint>
#include <vector>

namespace ridge::gpu::simt {

inline constexpr std::uint32_t kNoLine = ~std::uint32_t{0};
inline constexpr std::uint32_t kSectorBytes = 32;

/// Tags of a sectored cache of 128-byte lines and 32-byte sectors, least recently used line first out. Tags only: data
/// lives in one functional memory.
class SectorCache {
public:
    SectorCache() = default;
    /// `lines` 0: nothing is ever kept.
    SectorCache(std::uint32_t lines, std::uint32_t ways);

    struct Line {
        std::uint64_t tag = ~std::uint64_t{0}; ///< address / 128
        std::uint32_t waiters = kNoLine;       ///< free for the owner: a list
        std::uint8_t valid = 0;                ///< sectors
        std::uint8_t pending = 0;              ///< sectors on their way
        std::uint8_t dirty = 0;
        std::uint8_t late = 0; ///< sectors that are there at `until` and no earlier
        double until = 0;      ///< cycle, of the latest of them
    };

    /// The line with this tag, or kNoLine.
    std::uint32_t find(std::uint64_t tag) const;
    /// Makes room for `tag` and returns its line, empty; kNoLine where every line of the set has sectors on their way.
    /// `evicted`: what was there.
    std::uint32_t allocate(std::uint64_t tag, Line* evicted = nullptr);
    void touch(std::uint32_t line) { m_used[line] = ++m_clock; }
    Line& line(std::uint32_t at) { return m_lines[at]; }
    /// Asks this computer's memory for what find() will look at.
    void prefetch(std::uint64_t tag) const;

private:
    std::uint32_t setOf(std::uint64_t tag) const;
    bool isOlder(std::uint32_t at, std::uint32_t best) const { return best == kNoLine || m_used[at] < m_used[best]; }

    std::vector<Line> m_lines;
    // Of the lines once more, what is looked at in a whole set: here it lies close.
    std::vector<std::uint64_t> m_tags;
    std::vector<std::uint64_t> m_used; ///< when last; 0: never
    std::uint32_t m_ways = 1;
    std::uint32_t m_sets = 0;
    Divisor m_bySets;
    std::uint64_t m_clock = 0;
};

} // namespace ridge::gpu::simt
