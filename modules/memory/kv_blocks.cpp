// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/kv_blocks.h"

#include <algorithm>
#include <bit>

namespace ridge::memory {
namespace {

constexpr int kOrders = 32;

std::uint64_t mixed(std::uint64_t x)
{
    // The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

} // namespace

KvBlockPool::KvBlockPool(std::uint32_t blocks, bool nullBlock)
    : m_node(std::size_t{blocks} + 1), m_name(blocks), m_blocks(blocks), m_usable(0), m_free(0)
{
    m_table.assign(std::bit_ceil(2 * std::size_t{blocks} + 2), kNone);
    m_mask = m_table.size() - 1;
    m_node[blocks].next = m_node[blocks].previous = blocks;
    for (std::uint32_t block = nullBlock ? 1 : 0; block < blocks; ++block) {
        link(block, m_node[blocks].previous);
        ++m_usable;
    }
    m_free = m_usable;
}

void KvBlockPool::link(std::uint32_t block, std::uint32_t after)
{
    const std::uint32_t next = m_node[after].next;
    m_node[block].next = next;
    m_node[block].previous = after;
    m_node[after].next = m_node[next].previous = block;
}

void KvBlockPool::unlink(std::uint32_t block)
{
    const Node& node = m_node[block];
    m_node[node.previous].next = node.next;
    m_node[node.next].previous = node.previous;
}

std::uint32_t KvBlockPool::take()
{
    const std::uint32_t block = m_node[m_blocks].next;
    if (block == m_blocks)
        return kNone;
    unlink(block);
    if (m_node[block].named)
        forget(block);
    m_node[block].holders = 1;
    --m_free;
    return block;
}

void KvBlockPool::hold(std::uint32_t block)
{
    if (m_node[block].holders++ == 0) {
        unlink(block);
        --m_free;
    }
}

void KvBlockPool::give(std::span<const std::uint32_t> lastFirst)
{
    std::uint32_t head = m_blocks; // behind which the next one without a name goes
    for (const std::uint32_t block : lastFirst) {
        if (--m_node[block].holders > 0)
            continue;
        ++m_free;
        if (m_node[block].named) {
            link(block, m_node[m_blocks].previous);
        } else {
            link(block, head);
            head = block;
        }
    }
}

std::size_t KvBlockPool::slotOf(std::uint64_t prefix) const
{
    std::size_t slot = mixed(prefix) & m_mask;
    while (m_table[slot] != kNone && m_name[m_table[slot]].prefix != prefix)
        slot = (slot + 1) & m_mask;
    return slot;
}

void KvBlockPool::name(std::uint32_t block, std::uint64_t prefix)
{
    if (m_node[block].named)
        forget(block);
    m_node[block].named = true;
    Name& made = m_name[block];
    made.prefix = prefix;
    made.next = made.previous = block;
    const std::size_t slot = slotOf(prefix);
    const std::uint32_t oldest = m_table[slot];
    if (oldest == kNone) {
        m_table[slot] = block;
        return;
    }
    const std::uint32_t latest = m_name[oldest].previous;
    made.next = oldest;
    made.previous = latest;
    m_name[latest].next = m_name[oldest].previous = block;
}

void KvBlockPool::forget(std::uint32_t block)
{
    Name& gone = m_name[block];
    m_node[block].named = false;
    std::size_t slot = slotOf(gone.prefix);
    if (gone.next != block) {
        m_name[gone.previous].next = gone.next;
        m_name[gone.next].previous = gone.previous;
        if (m_table[slot] == block)
            m_table[slot] = gone.next;
        return;
    }
    // Later entries that were pushed on by this one move up (Knuth 6.4, algorithm R).
    for (std::size_t from = slot;;) {
        from = (from + 1) & m_mask;
        if (m_table[from] == kNone)
            break;
        const std::size_t home = mixed(m_name[m_table[from]].prefix) & m_mask;
        if (((from - home) & m_mask) >= ((from - slot) & m_mask)) {
            m_table[slot] = m_table[from];
            slot = from;
        }
    }
    m_table[slot] = kNone;
}

std::uint32_t KvBlockPool::find(std::uint64_t prefix) const
{
    return m_table[slotOf(prefix)];
}

std::vector<std::uint32_t> KvBlockPool::queue() const
{
    std::vector<std::uint32_t> all;
    for (std::uint32_t block = m_node[m_blocks].next; block != m_blocks; block = m_node[block].next)
        all.push_back(block);
    return all;
}

std::uint64_t prefixName(std::uint64_t before, std::span<const std::uint32_t> tokens)
{
    std::uint64_t name = before + 0x9e3779b97f4a7c15ULL;
    for (const std::uint32_t token : tokens)
        name = mixed(name ^ (token + 0x9e3779b97f4a7c15ULL)) + 0x9e3779b97f4a7c15ULL;
    return name;
}

FirstFit::FirstFit(std::uint32_t slots) : m_free(slots)
{
    if (slots > 0)
        m_ranges.push_back({0, slots});
}

std::uint32_t FirstFit::take(std::uint32_t size)
{
    for (auto range = m_ranges.begin(); range != m_ranges.end(); ++range) {
        if (range->size < size)
            continue;
        const std::uint32_t at = range->at;
        range->at += size;
        range->size -= size;
        if (range->size == 0)
            m_ranges.erase(range);
        m_free -= size;
        return at;
    }
    return kNowhere;
}

void FirstFit::give(std::uint32_t at, std::uint32_t size)
{
    m_free += size;
    auto next = std::lower_bound(m_ranges.begin(), m_ranges.end(), at,
                                 [](const Range& range, std::uint32_t place) { return range.at < place; });
    if (next != m_ranges.begin() && (next - 1)->at + (next - 1)->size == at) {
        (next - 1)->size += size;
        if (next != m_ranges.end() && at + size == next->at) {
            (next - 1)->size += next->size;
            m_ranges.erase(next);
        }
        return;
    }
    if (next != m_ranges.end() && at + size == next->at) {
        next->at = at;
        next->size += size;
        return;
    }
    m_ranges.insert(next, {at, size});
}

std::uint32_t FirstFit::largest() const
{
    std::uint32_t most = 0;
    for (const Range& range : m_ranges)
        most = std::max(most, range.size);
    return most;
}

Buddies::Buddies(std::uint32_t slots) : m_ranges(kOrders), m_slots(slots), m_free(slots)
{
    std::uint32_t at = 0;
    for (int order = kOrders - 1; order >= 0; --order)
        if (slots >> order & 1u) {
            m_ranges[static_cast<std::size_t>(order)].push_back(at);
            at += 1u << order;
        }
}

std::uint32_t Buddies::rounded(std::uint32_t size)
{
    return size > (1u << (kOrders - 1)) ? 0 : std::bit_ceil(std::max(size, 1u));
}

std::uint32_t Buddies::take(std::uint32_t size)
{
    const std::uint32_t whole = rounded(size);
    if (whole == 0 || whole > m_free)
        return kNowhere;
    const auto wanted = static_cast<std::size_t>(std::countr_zero(whole));
    std::size_t order = wanted;
    while (order < m_ranges.size() && m_ranges[order].empty())
        ++order;
    if (order == m_ranges.size())
        return kNowhere;
    const std::uint32_t at = m_ranges[order].front();
    m_ranges[order].erase(m_ranges[order].begin());
    while (order > wanted) { // the upper half stays free
        --order;
        auto& halves = m_ranges[order];
        const std::uint32_t upper = at + (1u << order);
        halves.insert(std::lower_bound(halves.begin(), halves.end(), upper), upper);
    }
    m_free -= whole;
    return at;
}

void Buddies::give(std::uint32_t at, std::uint32_t size)
{
    std::uint32_t whole = rounded(size);
    m_free += whole;
    for (auto order = static_cast<std::size_t>(std::countr_zero(whole));; ++order, whole *= 2) {
        auto& ranges = m_ranges[order];
        const std::uint32_t other = at ^ whole;
        const auto found = std::lower_bound(ranges.begin(), ranges.end(), other);
        const bool joins = order + 1 < m_ranges.size() && found != ranges.end() && *found == other &&
                           std::uint64_t{std::min(at, other)} + 2 * std::uint64_t{whole} <= m_slots;
        if (!joins) {
            ranges.insert(std::lower_bound(ranges.begin(), ranges.end(), at), at);
            return;
        }
        ranges.erase(found);
        at = std::min(at, other);
    }
}

std::uint32_t Buddies::largest() const
{
    for (int order = kOrders - 1; order >= 0; --order)
        if (!m_ranges[static_cast<std::size_t>(order)].empty())
            return 1u << order;
    return 0;
}

} // namespace ridge::memory
