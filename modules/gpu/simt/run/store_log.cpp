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

} // namespace

void StoreLog::mark(const LaneAddresses& lanes)
{
    m_least = std::min(m_least, lanes.least);
    m_end = std::max(m_end, lanes.greatest + lanes.bytes);
    forLines(lanes, [this](std::uint64_t line) {
        insert(line);
        return true;
    });
}

bool StoreLog::looksUp(const LaneAddresses& lanes) const
{
    bool found = false;
    forLines(lanes, [&](std::uint64_t line) {
        found = m_lines[placeOf(line)] >> kLineBits == m_round;
        return !found;
    });
    return found;
}

/// Where the line is, or the free place where it belongs.
std::size_t StoreLog::placeOf(std::uint64_t line) const
{
    const std::uint64_t wanted = m_round << kLineBits | line;
    const std::size_t mask = m_lines.size() - 1;
    std::size_t at = static_cast<std::size_t>((line * 0x9e37'79b9'7f4a'7c15u) >> 32) & mask;
    while (m_lines[at] != wanted && m_lines[at] >> kLineBits == m_round)
        at = (at + 1) & mask;
    return at;
}

void StoreLog::insert(std::uint64_t line)
{
    std::uint64_t& place = m_lines[placeOf(line)];
    if (place >> kLineBits == m_round)
        return;
    place = m_round << kLineBits | line;
    if (++m_lineCount * 2 > m_lines.size())
        grow();
}

void StoreLog::grow()
{
    std::vector<std::uint64_t> old(m_lines.size() * 4, 0);
    old.swap(m_lines);
    for (const std::uint64_t entry : old) {
        const std::uint64_t line = entry & ((std::uint64_t{1} << kLineBits) - 1);
        if (entry >> kLineBits == m_round)
            m_lines[placeOf(line)] = entry;
    }
}

void StoreLog::commit()
{
    if (empty())
        return;
    const std::byte* from = m_bytes.data();
    for (const Span& span : m_spans) {
        std::memcpy(span.to, from, span.bytes);
        from += span.bytes;
    }
    m_spans.clear();
    m_bytes.clear();
    m_lineCount = 0;
    m_least = ~std::uint64_t{0};
    m_end = 0;
    if (++m_round >> (64 - kLineBits) != 0) { // the counter is full: none of the old entries may come back
        std::fill(m_lines.begin(), m_lines.end(), 0);
        m_round = 1;
    }
}

} // namespace ridge::gpu::simt
