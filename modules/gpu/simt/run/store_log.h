// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"
#include "gpu/simt/run/traffic.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ridge::gpu::simt {

/// Stores to global memory that have run and are not in memory yet, in their order. Whoever loads what touches them
/// lays them over what is in memory.
class StoreLog {
public:
    StoreLog() : m_lines(kFewestPlaces) {}

    bool empty() const { return m_spans.empty(); }
    std::size_t bytes() const { return m_bytes.size(); }
    /// All stores go to addresses from least() to before end(); there are none where it is empty().
    std::uint64_t least() const { return m_least; }
    std::uint64_t end() const { return m_end; }
    /// Holds so much that it should be written before more comes.
    bool full() const { return m_bytes.size() >= kManyBytes; }
    /// Where to put the `bytes` that shall go to `to` on the host; valid until the next call.
    std::byte* add(std::byte* to, std::size_t bytes)
    {
        const std::size_t at = m_bytes.size();
        m_spans.push_back({to, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(bytes)});
        m_bytes.resize(at + bytes);
        return m_bytes.data() + at;
    }
    /// Notes what lanes store to; their bytes are added next.
    void mark(const LaneAddresses& lanes);
    /// Whether a lane's bytes share a line of 128 bytes with any that were noted.
    bool touches(const LaneAddresses& lanes) const
    {
        const bool apart = lanes.greatest + lanes.bytes <= m_least || lanes.least >= m_end;
        return !apart && !empty() && looksUp(lanes);
    }
    /// Lays over `onto`, which holds the `bytes` that are at `address`, on the host at `from`, what is going there.
    void overlay(std::uint64_t address, const std::byte* from, std::size_t bytes, std::byte* onto) const;
    /// Writes everything, in order, and forgets it.
    void commit();

private:
    static constexpr std::size_t kManyBytes = 256u << 10;
    static constexpr std::size_t kFewestPlaces = 32; ///< a power of two
    static constexpr unsigned kLineBits = 44;        ///< addresses lie below 2^47

    struct Span {
        std::byte* to = nullptr;
        std::uint32_t at = 0; ///< in m_bytes
        std::uint32_t bytes = 0;
    };
    /// The accesses that touch a line: the newest, and from each the one before it.
    struct Link {
        std::uint32_t access = 0; ///< in m_accesses
        std::uint32_t before = kNone;
    };
    struct Line {
        std::uint64_t name = 0; ///< its number below the round in which it came: those of other rounds are free places
        std::uint32_t newest = kNone; ///< in m_links
    };

    bool looksUp(const LaneAddresses& lanes) const;
    void overlayLine(std::uint32_t newest, const std::byte* from, std::size_t bytes, std::byte* onto) const;
    std::size_t placeOf(std::uint64_t line) const;
    void insert(std::uint64_t line);
    void grow();

    std::vector<Span> m_spans;
    std::vector<std::byte> m_bytes;        ///< of all spans
    std::vector<std::uint32_t> m_accesses; ///< the first span of each
    std::vector<Link> m_links;
    std::vector<Line> m_lines; ///< a hash table
    std::size_t m_lineCount = 0;
    std::uint64_t m_round = 1;
    std::uint64_t m_least = ~std::uint64_t{0}; ///< of the addresses
    std::uint64_t m_end = 0;
};

} // namespace ridge::gpu::simt
