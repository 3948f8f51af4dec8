// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/cache.h"

#include <algorithm>
#include <bit>

namespace ridge::memory {
namespace {

constexpr std::uint64_t kMostLines = std::uint64_t{1} << 24;
constexpr std::uint32_t kLongest = 3; // Srrip: predicted for the distant future
constexpr std::uint32_t kLong = 2;    // Srrip: where a new line begins

Error bad(std::string message, std::string fix)
{
    return {"bad-cache", std::move(message), "cache", std::move(fix)};
}

std::uint32_t bitsOf(std::uint64_t powerOfTwo)
{
    return static_cast<std::uint32_t>(std::countr_zero(powerOfTwo));
}

} // namespace

Result<void> checkShape(const CacheShape& shape)
{
    if (!std::has_single_bit(shape.line) || shape.line < 4 || shape.line > 65536)
        return bad("a line of " + std::to_string(shape.line) + " bytes is not possible",
                   "take a power of two from 4 to 65536, as 64");
    if (!std::has_single_bit(shape.sectors) || shape.sectors > 32 || shape.line / shape.sectors < 4)
        return bad(std::to_string(shape.sectors) + " sectors do not fit a line of " + std::to_string(shape.line) +
                       " bytes",
                   "take a power of two up to 32 that leaves a sector at least 4 bytes");
    if (shape.ways == 0 || shape.ways > 65536)
        return bad(std::to_string(shape.ways) + " ways are not possible", "take 1 to 65536 ways");
    const std::uint64_t step = std::uint64_t{shape.line} * shape.ways;
    if (shape.bytes == 0 || shape.bytes % step != 0)
        return bad(std::to_string(shape.bytes) + " bytes are no whole number of sets of " + std::to_string(shape.ways) +
                       " lines of " + std::to_string(shape.line) + " bytes",
                   "take a multiple of " + std::to_string(step) + " bytes, as " +
                       std::to_string(std::max<std::uint64_t>(1, shape.bytes / step) * step));
    if (shape.lines() > kMostLines)
        return bad("a cache of " + std::to_string(shape.lines()) + " lines is too large to simulate",
                   "take at most " + std::to_string(kMostLines) + " lines");
    if (shape.replacement == Replacement::TreePlru && !std::has_single_bit(shape.ways))
        return bad("a tree over " + std::to_string(shape.ways) + " ways has no even halves",
                   "take a power of two of ways, or another replacement policy");
    return {};
}

Result<Cache> Cache::make(const CacheShape& shape, std::uint64_t seed)
{
    if (auto good = checkShape(shape); !good)
        return good.error();
    return Cache(shape, seed);
}

Cache::Cache(const CacheShape& shape, std::uint64_t seed)
    : m_shape(shape), m_sets(shape.sets()), m_setMask(std::has_single_bit(m_sets) ? m_sets - 1 : 0),
      m_lineBits(bitsOf(shape.line)), m_sectorBits(bitsOf(shape.line / shape.sectors)), m_rng(seed),
      m_tags(shape.lines(), kEmpty), m_ages(shape.lines(), 0), m_valid(shape.lines(), 0), m_dirty(shape.lines(), 0)
{
    if (shape.replacement == Replacement::TreePlru)
        m_trees.assign(m_sets * ((shape.ways + 63) / 64), 0);
}

std::uint32_t Cache::find(std::uint64_t base, std::uint64_t line) const
{
    const std::uint64_t* tags = m_tags.data() + base;
    for (std::uint32_t way = 0; way < m_shape.ways; ++way)
        if (tags[way] == line)
            return way;
    return m_shape.ways;
}

std::uint32_t Cache::victimOf(std::uint64_t set, std::uint64_t base)
{
    if (const std::uint32_t empty = find(base, kEmpty); empty < m_shape.ways)
        return empty;
    std::uint64_t* const ages = m_ages.data() + base;
    switch (m_shape.replacement) {
    case Replacement::Random:
        return static_cast<std::uint32_t>(m_rng.next() % m_shape.ways);
    case Replacement::Lru:
    case Replacement::Fifo:
        return static_cast<std::uint32_t>(std::min_element(ages, ages + m_shape.ways) - ages);
    case Replacement::TreePlru: {
        const std::uint64_t* const tree = m_trees.data() + set * ((m_shape.ways + 63) / 64);
        std::uint32_t node = 1;
        while (node < m_shape.ways)
            node = 2 * node + static_cast<std::uint32_t>(tree[node / 64] >> (node % 64) & 1);
        return node - m_shape.ways;
    }
    case Replacement::Srrip:
        while (true) {
            for (std::uint32_t way = 0; way < m_shape.ways; ++way)
                if (ages[way] == kLongest)
                    return way;
            for (std::uint32_t way = 0; way < m_shape.ways; ++way)
                ++ages[way];
        }
    }
    return 0;
}

void Cache::touch(std::uint64_t set, std::uint64_t slot, std::uint32_t way, bool fill)
{
    switch (m_shape.replacement) {
    case Replacement::Lru:
        m_ages[slot] = ++m_clock;
        break;
    case Replacement::Fifo:
        if (fill)
            m_ages[slot] = ++m_clock;
        break;
    case Replacement::Srrip:
        m_ages[slot] = fill ? kLong : 0;
        break;
    case Replacement::TreePlru: {
        std::uint64_t* const tree = m_trees.data() + set * ((m_shape.ways + 63) / 64);
        for (std::uint32_t node = m_shape.ways + way; node > 1; node /= 2) {
            const std::uint32_t parent = node / 2;
            const std::uint64_t bit = std::uint64_t{1} << (parent % 64);
            if (node % 2 == 0) // used on the left: the right half is older
                tree[parent / 64] |= bit;
            else
                tree[parent / 64] &= ~bit;
        }
        break;
    }
    case Replacement::Random:
        break;
    }
}

AccessResult Cache::access(std::uint64_t address, bool write, std::uint32_t bytes)
{
    const std::uint64_t line = address >> m_lineBits;
    AccessResult result;
    result.set = setOf(line);
    const std::uint64_t base = result.set * m_shape.ways;
    const std::uint32_t sector = std::uint32_t{1} << ((address & (m_shape.line - 1)) >> m_sectorBits);
    const bool through = m_shape.write == WritePolicy::WriteThrough;
    const bool whole = write && !through && bytes >= m_shape.line;
    ++(write ? m_counts.writes : m_counts.reads);
    if (write && through)
        m_counts.bytesOut += bytes;

    result.way = find(base, line);
    std::uint64_t slot = base + result.way;
    if (result.way < m_shape.ways && (m_valid[slot] & sector) != 0) {
        result.outcome = Outcome::Hit;
        ++m_counts.hits;
    } else {
        ++m_counts.misses;
        const bool present = result.way < m_shape.ways;
        result.outcome = present ? Outcome::SectorMiss : Outcome::Miss;
        m_counts.sectorMisses += present ? 1 : 0;
        if (write && through)
            return result;
        if (!present) {
            result.way = victimOf(result.set, base);
            slot = base + result.way;
            if (m_tags[slot] != kEmpty) {
                result.evicted = true;
                result.victim = m_tags[slot] << m_lineBits;
                ++m_counts.evictions;
                if (m_dirty[slot] != 0) {
                    result.wroteBack = true;
                    ++m_counts.writebacks;
                    m_counts.bytesOut += static_cast<std::uint64_t>(std::popcount(m_dirty[slot])) << m_sectorBits;
                }
            }
            m_tags[slot] = line;
            m_valid[slot] = m_dirty[slot] = 0;
        }
        if (!whole) {
            m_valid[slot] |= sector;
            m_counts.bytesIn += std::uint64_t{1} << m_sectorBits;
            result.filled = true;
        }
    }
    if (whole)
        m_valid[slot] = m_dirty[slot] = static_cast<std::uint32_t>((std::uint64_t{1} << m_shape.sectors) - 1);
    else if (write && !through)
        m_dirty[slot] |= sector;
    touch(result.set, slot, result.way, result.outcome == Outcome::Miss);
    return result;
}

bool Cache::invalidate(std::uint64_t address)
{
    const std::uint64_t line = address >> m_lineBits;
    const std::uint64_t base = setOf(line) * m_shape.ways;
    const std::uint32_t way = find(base, line);
    if (way == m_shape.ways)
        return false;
    const bool dirty = m_dirty[base + way] != 0;
    m_tags[base + way] = kEmpty;
    m_valid[base + way] = m_dirty[base + way] = 0;
    return dirty;
}

bool Cache::holds(std::uint64_t address) const
{
    const std::uint64_t line = address >> m_lineBits;
    return find(setOf(line) * m_shape.ways, line) < m_shape.ways;
}

std::uint64_t Cache::lineAt(std::uint64_t set, std::uint32_t way) const
{
    const std::uint64_t line = m_tags[set * m_shape.ways + way];
    return line == kEmpty ? kEmpty : line << m_lineBits;
}

Result<CacheStack> CacheStack::make(std::span<const CacheShape> levels, Inclusion inclusion, std::uint64_t seed)
{
    CacheStack stack;
    stack.m_inclusion = inclusion;
    for (const CacheShape& shape : levels) {
        if (!stack.m_levels.empty() && shape.line < stack.m_levels.back().shape().line)
            return bad("level " + std::to_string(stack.m_levels.size() + 1) + " has lines of " +
                           std::to_string(shape.line) + " bytes, the one above it of " +
                           std::to_string(stack.m_levels.back().shape().line),
                       "give a lower level lines at least as long");
        auto cache = Cache::make(shape, seed + stack.m_levels.size());
        if (!cache)
            return cache.error();
        stack.m_levels.push_back(std::move(*cache));
    }
    if (stack.m_levels.empty())
        return bad("there is no level", "give at least one");
    return stack;
}

std::size_t CacheStack::access(std::uint64_t address, bool write, std::uint32_t bytes)
{
    return accessFrom(0, address, write, bytes);
}

std::size_t CacheStack::accessFrom(std::size_t level, std::uint64_t address, bool write, std::uint32_t bytes)
{
    if (level == m_levels.size())
        return level;
    Cache& cache = m_levels[level];
    const AccessResult result = cache.access(address, write, bytes);
    if (level == 0)
        m_nearest = result;
    bool dirtyAbove = false;
    if (result.evicted && m_inclusion == Inclusion::Inclusive)
        for (std::size_t above = 0; above < level; ++above) {
            const std::uint64_t end = result.victim + cache.shape().line;
            for (std::uint64_t at = result.victim; at < end; at += m_levels[above].shape().line)
                dirtyAbove = m_levels[above].invalidate(at) || dirtyAbove;
        }
    // What was stored to goes down before the line that takes its place comes up,
    // as a write of the level below.
    if (result.wroteBack || dirtyAbove)
        accessFrom(level + 1, result.victim, true, cache.shape().line);
    std::size_t found = level;
    if (result.filled) // the level below is read, also for a store: the rest of
                       // the line has to come from somewhere
        found = accessFrom(level + 1, address, false, cache.shape().line);
    else if (write && cache.shape().write == WritePolicy::WriteThrough) {
        const std::size_t below = accessFrom(level + 1, address, true, bytes);
        found = result.outcome == Outcome::Hit ? level : below;
    }
    return found;
}

MissKinds missKinds(const Cache& cache, const StackDistances& distances)
{
    const std::uint64_t full = distances.missesOf(cache.shape().lines());
    return {distances.firstTouches(), full - distances.firstTouches(),
            static_cast<std::int64_t>(cache.counts().misses) - static_cast<std::int64_t>(full)};
}

StackDistances::StackDistances(std::uint32_t lineBytes)
    : m_lineBits(bitsOf(lineBytes)), m_tree(1 << 16, 0), m_lineAt(1 << 16, Cache::kEmpty), m_slots(1 << 12, kFirst),
      m_slotLines(1 << 12, Cache::kEmpty)
{
}

std::uint64_t* StackDistances::slotOf(std::uint64_t line)
{
    const std::uint64_t mask = m_slots.size() - 1;
    std::uint64_t at = line * 0x9E3779B97F4A7C15ull >> 20 & mask;
    while (m_slotLines[at] != line && m_slotLines[at] != Cache::kEmpty)
        at = (at + 1) & mask;
    m_slotLines[at] = line;
    return &m_slots[at];
}

void StackDistances::growMap()
{
    std::vector<std::uint64_t> slots(m_slots.size() * 2, kFirst), lines(m_slots.size() * 2, Cache::kEmpty);
    slots.swap(m_slots);
    lines.swap(m_slotLines);
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lines[i] != Cache::kEmpty)
            *slotOf(lines[i]) = slots[i];
}

void StackDistances::add(std::uint64_t time, std::int32_t delta)
{
    for (std::uint64_t i = time + 1; i <= m_tree.size(); i += i & (~i + 1))
        m_tree[i - 1] += delta;
}

std::uint64_t StackDistances::sumUpTo(std::uint64_t time) const
{
    std::int64_t sum = 0;
    for (std::uint64_t i = time + 1; i > 0; i -= i & (~i + 1))
        sum += m_tree[i - 1];
    return static_cast<std::uint64_t>(sum);
}

/// Times run out: those that are some line's last use move together, in their
/// order.
void StackDistances::compact()
{
    std::vector<std::uint64_t> kept;
    for (std::uint64_t time = 0; time < m_now; ++time)
        if (m_lineAt[time] != Cache::kEmpty && *slotOf(m_lineAt[time]) == time)
            kept.push_back(m_lineAt[time]);
    const std::size_t size = std::max<std::size_t>(m_tree.size(), std::bit_ceil(4 * kept.size()));
    m_tree.assign(size, 0);
    m_lineAt.assign(size, Cache::kEmpty);
    m_now = kept.size();
    for (std::uint64_t time = 0; time < m_now; ++time) {
        m_lineAt[time] = kept[time];
        *slotOf(kept[time]) = time;
        add(time, 1);
    }
}

std::uint64_t StackDistances::access(std::uint64_t address)
{
    const std::uint64_t line = address >> m_lineBits;
    if (m_now == m_tree.size())
        compact();
    if (2 * (m_known + 1) > m_slots.size())
        growMap();
    std::uint64_t& last = *slotOf(line);
    std::uint64_t distance = kFirst;
    if (last == kFirst) {
        ++m_first;
        ++m_known;
    } else {
        distance = m_known - sumUpTo(last); // lines whose last use is later
        add(last, -1);
        if (distance >= m_histogram.size())
            m_histogram.resize(distance + 1, 0);
        ++m_histogram[distance];
    }
    last = m_now;
    m_lineAt[m_now] = line;
    add(m_now, 1);
    ++m_now;
    return distance;
}

std::uint64_t StackDistances::missesOf(std::uint64_t lines) const
{
    std::uint64_t misses = m_first;
    for (std::uint64_t distance = lines; distance < m_histogram.size(); ++distance)
        misses += m_histogram[distance];
    return misses;
}

} // namespace ridge::memory
