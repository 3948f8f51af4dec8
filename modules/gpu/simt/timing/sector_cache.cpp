// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/sector_cache.h"

#include <algorithm>

namespace ridge::gpu::simt {

SectorCache::SectorCache(std::uint32_t lines, std::uint32_t ways)
    : m_ways(std::clamp(ways, 1u, std::max(lines, 1u))), m_sets(lines / m_ways), m_bySets(m_sets)
{
    m_lines.resize(std::size_t{m_sets} * m_ways);
    m_tags.resize(m_lines.size(), Line{}.tag);
    m_used.resize(m_lines.size());
}

/// Any number of sets. Neighbouring lines lie in neighbouring sets, so that a contiguous working set fills the cache
/// evenly; what repeats from one round of all sets to the next is shifted.
std::uint32_t SectorCache::setOf(std::uint64_t tag) const
{
    const auto [round, place] = m_bySets(tag);
    return static_cast<std::uint32_t>(m_bySets(place + (round ^ round >> 7 ^ round >> 15)).rest);
}

std::uint32_t SectorCache::find(std::uint64_t tag) const
{
    if (m_sets == 0)
        return kNoLine;
    const std::uint32_t first = setOf(tag) * m_ways;
    for (std::uint32_t at = first; at < first + m_ways; ++at) {
        if (m_tags[at] == tag)
            return at;
    }
    return kNoLine;
}

void SectorCache::prefetch(std::uint64_t tag) const
{
    if (m_sets == 0)
        return;
    constexpr std::uint32_t kTogether = 64 / sizeof(std::uint64_t);
    const std::uint32_t first = setOf(tag) * m_ways;
    for (std::uint32_t at = first; at < first + m_ways; at += kTogether)
        __builtin_prefetch(&m_tags[at]);
}

std::uint32_t SectorCache::allocate(std::uint64_t tag, Line* evicted)
{
    if (m_sets == 0)
        return kNoLine;
    const std::uint32_t first = setOf(tag) * m_ways;
    std::uint32_t best = kNoLine;
    for (std::uint32_t at = first; at < first + m_ways; ++at)
        best = isOlder(at, best) ? at : best;
    if (m_lines[best].pending != 0) { // the oldest of those that nothing is on its way to
        best = kNoLine;
        for (std::uint32_t at = first; at < first + m_ways; ++at)
            best = m_lines[at].pending == 0 && isOlder(at, best) ? at : best;
    }
    if (best == kNoLine)
        return kNoLine;
    if (evicted != nullptr)
        *evicted = m_lines[best];
    m_lines[best] = Line{};
    m_lines[best].tag = m_tags[best] = tag;
    touch(best);
    return best;
}

} // namespace ridge::gpu::simt
