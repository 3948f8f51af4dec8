// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/store_log.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ridge::gpu::simt {

namespace {

constexpr unsigned kLineShift = 7;

/// Calls `f(line)` for the lines of the lanes, neighbours once, until it returns false.
template<class F>
void forLines(const LaneAddresses& lanes, F f)
{
    const auto range = [&](std::uint64_t begin, std::uint64_t last) {
        for (std::uint64_t line = begin >> kLineShift; line <= last >> kLineShift; ++line) {
            if (!f(line))
                return false;
        }
        return true;
    };
    if (lanes.regular && lanes.rowLanes == kWarpSize && lanes.stride >= -128 && lanes.stride <= 128) {
        range(lanes.least, lanes.greatest + lanes.bytes - 1);
        return;
    }
    std::uint64_t known = ~std::uint64_t{0}; // naturally aligned lanes of at most 32 bytes lie in one line
    for (std::uint32_t mask = lanes.mask; mask != 0; mask &= mask - 1) {
        const std::uint64_t line = lanes.address[static_cast<std::size_t>(std::countr_zero(mask))] >> kLineShift;
        if (line != known && !f(line))
            return;
        known = line;
    }
}

/// Bytes of a part of a line that nothing has been laid over yet.
class Missing {
public:
    explicit Missing(std::size_t bytes) : m_bits(below(bytes)) {}

    bool none() const { return m_bits == 0; }
    /// Whether all `count` from `first` on are missing; they are missing no more then.
    bool takeAll(std::size_t first, std::size_t count)
    {
        const Bits range = below(count) << first;
        const bool all = (m_bits & range) == range;
        if (all)
            m_bits &= ~range;
        return all;
    }

private:
    __extension__ typedef unsigned __int128 Bits;
    static Bits below(std::size_t count) { return count >= 128 ? ~Bits{0} : (Bits{1} << count) - 1; }
    Bits m_bits;
};

} // namespace

void StoreLog::mark(const LaneAddresses& lanes)
{
    m_least = std::min(m_least, lanes.least);
    m_end = std::max(m_end, lanes.greatest + lanes.bytes);
    m_accesses.push_back(static_cast<std::uint32_t>(m_spans.size()));
    forLines(lanes, [this](std::uint64_t line) {
        insert(line);
        return true;
    });
}

bool StoreLog::looksUp(const LaneAddresses& lanes) const
{
    bool found = false;
    forLines(lanes, [&](std::uint64_t line) {
        found = m_lines[placeOf(line)].name >> kLineBits == m_round;
        return !found;
    });
    return found;
}

void StoreLog::overlay(std::uint64_t address, const std::byte* from, std::size_t bytes, std::byte* onto) const
{
    while (bytes != 0) {
        const std::size_t inLine = address & ((std::uint64_t{1} << kLineShift) - 1);
        const std::size_t part = std::min(bytes, (std::size_t{1} << kLineShift) - inLine);
        const Line& line = m_lines[placeOf(address >> kLineShift)];
        if (line.name >> kLineBits == m_round)
            overlayLine(line.newest, from, part, onto);
        address += part;
        from += part;
        onto += part;
        bytes -= part;
    }
}

/// The newest first, and of each access the last lane: what comes later in time stays.
void StoreLog::overlayLine(std::uint32_t newest, const std::byte* from, std::size_t bytes, std::byte* onto) const
{
    Missing missing(bytes);
    for (std::uint32_t at = newest; at != kNone && !missing.none(); at = m_links[at].before) {
        const std::uint32_t access = m_links[at].access;
        std::size_t span = access + 1 < m_accesses.size() ? m_accesses[access + 1] : m_spans.size();
        while (span-- > m_accesses[access]) {
            const Span& store = m_spans[span];
            const std::ptrdiff_t begin = store.to - from;
            const std::ptrdiff_t first = std::max<std::ptrdiff_t>(begin, 0);
            const auto end =
                std::min(begin + static_cast<std::ptrdiff_t>(store.bytes), static_cast<std::ptrdiff_t>(bytes));
            if (first >= end)
                continue;
            const auto count = static_cast<std::size_t>(end - first), place = static_cast<std::size_t>(first);
            const std::byte* stored = m_bytes.data() + store.at + (first - begin);
            if (missing.takeAll(place, count)) {
                std::memcpy(onto + place, stored, count);
                continue;
            }
            for (std::size_t byte = 0; byte < count; ++byte) {
                if (missing.takeAll(place + byte, 1))
                    onto[place + byte] = stored[byte];
            }
        }
    }
}

/// Where the line is, or the free place where it belongs.
std::size_t StoreLog::placeOf(std::uint64_t line) const
{
    const std::uint64_t wanted = m_round << kLineBits | line;
    const std::size_t mask = m_lines.size() - 1;
    std::size_t at = static_cast<std::size_t>((line * 0x9e37'79b9'7f4a'7c15u) >> 32) & mask;
    while (m_lines[at].name != wanted && m_lines[at].name >> kLineBits == m_round)
        at = (at + 1) & mask;
    return at;
}

void StoreLog::insert(std::uint64_t line)
{
    Line* place = &m_lines[placeOf(line)];
    if (place->name >> kLineBits != m_round) {
        if (++m_lineCount * 2 > m_lines.size()) {
            grow();
            place = &m_lines[placeOf(line)];
        }
        *place = {m_round << kLineBits | line, kNone};
    }
    m_links.push_back({static_cast<std::uint32_t>(m_accesses.size() - 1), place->newest});
    place->newest = static_cast<std::uint32_t>(m_links.size() - 1);
}

void StoreLog::grow()
{
    std::vector<Line> old(m_lines.size() * 4);
    old.swap(m_lines);
    for (const Line& entry : old) {
        if (entry.name >> kLineBits == m_round)
            m_lines[placeOf(entry.name & ((std::uint64_t{1} << kLineBits) - 1))] = entry;
    }
}

void StoreLog::commit()
{
    if (empty())
        return;
    for (const Span& span : m_spans)
        std::memcpy(span.to, m_bytes.data() + span.at, span.bytes);
    m_spans.clear();
    m_bytes.clear();
    m_accesses.clear();
    m_links.clear();
    m_lineCount = 0;
    m_least = ~std::uint64_t{0};
    m_end = 0;
    if (++m_round >> (64 - kLineBits) != 0) { // the counter is full: none of the old entries may come back
        std::fill(m_lines.begin(), m_lines.end(), Line{});
        m_round = 1;
    }
}

} // namespace ridge::gpu::simt
