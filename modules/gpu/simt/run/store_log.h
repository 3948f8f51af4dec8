// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/traffic.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ridge::gpu::simt {

/// Stores to global memory that have run and are not in memory yet, in their order. Whoever loads what is in here has
/// to wait until it has been written.
class StoreLog {
public:
    StoreLog() : m_lines(kFewestPlaces, 0) {}

    bool empty() const { return m_spans.empty(); }
    /// Holds so much that it should be written before more comes.
    bool full() const { return m_bytes.size() >= kManyBytes; }
    /// Where to put the `bytes` that shall go to `to` on the host; valid until the next call.
    std::byte* add(std::byte* to, std::size_t bytes)
    {
        const std::size_t at = m_bytes.size();
        m_spans.push_back({to, bytes});
        m_bytes.resize(at + bytes);
        return m_bytes.data() + at;
    }
    /// Notes what lanes store to.
    void mark(const LaneAddresses& lanes);
    /// Whether a lane's bytes share a line of 128 bytes with any that were noted.
    bool touches(const LaneAddresses& lanes) const
    {
        const bool apart = lanes.greatest + lanes.bytes <= m_least || lanes.least >= m_end;
        return !apart && !empty() && looksUp(lanes);
    }
    /// Writes everything, in order, and forgets it.
    void commit();

private:
    static constexpr std::size_t kManyBytes = 256u << 10;
    static constexpr std::size_t kFewestPlaces = 256; ///< a power of two
    static constexpr unsigned kLineBits = 44;         ///< addresses lie below 2^47

    struct Span {
        std::byte* to = nullptr;
        std::size_t bytes = 0;
    };

    bool looksUp(const LaneAddresses& lanes) const;
    std::size_t placeOf(std::uint64_t line) const;
    void insert(std::uint64_t line);
    void grow();

    std::vector<Span> m_spans;
    std::vector<std::byte> m_bytes; ///< of all spans
    /// A hash table of line numbers below the round in which they came: those of other rounds are free places.
    std::vector<std::uint64_t> m_lines;
    std::size_t m_lineCount = 0;
    std::uint64_t m_round = 1;
    std::uint64_t m_least = ~std::uint64_t{0}; ///< of the addresses
    std::uint64_t m_end = 0;
};

} // namespace ridge::gpu::simt
