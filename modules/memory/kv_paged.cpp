// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/kv.h"

#include <algorithm>

namespace ridge::memory {
namespace {

std::uint64_t blocksFor(std::uint64_t tokens, std::uint32_t block)
{
    return (tokens + block - 1) / block;
}

} // namespace

KvGroups kvGroups(std::uint32_t layers, std::uint32_t windowedLayers, std::uint32_t window)
{
    KvGroups groups;
    const std::uint32_t windowed = window > 0 ? std::min(windowedLayers, layers) : 0, full = layers - windowed;
    const std::uint32_t rarer = std::min(full, windowed), larger = std::max(full, windowed);
    groups.window = windowed > 0 ? window : 0;
    groups.size = std::max(1u, rarer == 0 || 2 * std::uint64_t{larger} < 3 * std::uint64_t{rarer} ? larger : rarer);
    groups.full = (full + groups.size - 1) / groups.size;
    groups.windowed = (windowed + groups.size - 1) / groups.size;
    groups.padded = groups.count() * groups.size - layers;
    return groups;
}

double kvBlocksOfSequence(const KvGroups& groups, std::uint32_t block, std::uint64_t tokens,
                          std::uint64_t tokensOfABatch)
{
    double blocks = groups.full * static_cast<double>(blocksFor(tokens, block));
    if (groups.windowed > 0) {
        const std::uint64_t spanned = std::min<std::uint64_t>(groups.window - 1 + 2 * tokensOfABatch, tokens);
        blocks += groups.windowed * static_cast<double>(blocksFor(spanned, block) + 1);
    }
    return blocks;
}

PagedKv::PagedKv(std::uint32_t blocks, std::uint32_t block, const KvGroups& groups, bool caching, bool nullBlock)
    : m_pool(blocks, nullBlock), m_block(block), m_groups(groups), m_caching(caching), m_fill(blocks)
{
}

PagedKv::Sequence PagedKv::add()
{
    Sequence made = 0;
    if (m_unused.empty()) {
        made = static_cast<Sequence>(m_sequences.size());
        m_sequences.emplace_back();
        m_sequences.back().tables.resize(m_groups.count());
        m_sequences.back().begin.resize(m_groups.count());
    } else {
        made = m_unused.back();
        m_unused.pop_back();
    }
    return made;
}

std::uint32_t PagedKv::takeBlock()
{
    return m_pool.take();
}

void PagedKv::setFill(std::uint32_t block, std::uint32_t tokens)
{
    m_stored += tokens;
    m_stored -= m_fill[block];
    m_fill[block] = tokens;
}

void PagedKv::giveBlock(std::uint32_t block)
{
    if (m_pool.holders(block) == 1)
        m_stored -= m_fill[block]; // what it keeps may be found again and counts then
    const std::uint32_t one[] = {block};
    m_pool.give(one);
}

PagedKv::Sequence PagedKv::fork(Sequence from, std::uint64_t tokens)
{
    const Sequence made = add();
    const Row& source = m_sequences[from];
    Row& row = m_sequences[made];
    row.tokens = std::min(tokens, source.tokens);
    row.named = std::min(source.named, row.tokens / m_block);
    for (std::size_t group = 0; group < source.tables.size(); ++group) {
        const std::uint64_t count = blocksFor(row.tokens, m_block);
        row.tables[group].assign(source.tables[group].begin(),
                                 source.tables[group].begin() + static_cast<std::ptrdiff_t>(count));
        row.begin[group] = std::min(source.begin[group], count);
        for (std::uint64_t i = row.begin[group]; i < count; ++i)
            m_pool.hold(row.tables[group][i]);
    }
    return made;
}

PagedKv::Known PagedKv::known(std::span<const std::uint64_t> names) const
{
    Known known;
    if (m_caching)
        for (const std::uint64_t each : names) {
            const std::uint32_t block = m_pool.find(each);
            if (block == KvBlockPool::kNone)
                break;
            ++known.blocks;
            known.unheld += m_pool.holders(block) == 0;
        }
    return known;
}

std::uint64_t PagedKv::findPrefix(Sequence sequence, std::span<const std::uint64_t> names)
{
    Row& row = m_sequences[sequence];
    if (!m_caching)
        return 0;
    for (const std::uint64_t each : names) {
        const std::uint32_t block = m_pool.find(each);
        if (block == KvBlockPool::kNone)
            break;
        if (m_pool.holders(block) == 0)
            m_stored += m_fill[block];
        m_pool.hold(block);
        row.tables[0].push_back(block);
        ++row.named;
        row.tokens += m_block;
    }
    return row.tokens;
}

bool PagedKv::grow(Sequence sequence, std::uint64_t tokens)
{
    Row& row = m_sequences[sequence];
    if (tokens <= row.tokens)
        return true;
    const std::uint64_t before = row.tokens, have = blocksFor(before, m_block), want = blocksFor(tokens, m_block);
    const bool partial = before % m_block != 0;
    // What the window has left behind goes first: the next token sees `window` tokens with itself.
    for (std::size_t group = m_groups.full; group < row.tables.size(); ++group) {
        const std::uint64_t left = before + 1 > m_groups.window ? (before + 1 - m_groups.window) / m_block : 0;
        auto& table = row.tables[group];
        for (std::uint64_t& at = row.begin[group]; at < std::min<std::uint64_t>(left, table.size()); ++at) {
            giveBlock(table[at]);
            table[at] = kLeft;
        }
    }
    std::uint64_t needed = (want - have) * row.tables.size();
    if (partial)
        for (const auto& table : row.tables)
            needed += m_pool.holders(table.back()) > 1;
    if (needed > m_pool.free())
        return false;
    const auto tail = static_cast<std::uint32_t>(tokens - (want - 1) * m_block);
    for (auto& table : row.tables) {
        if (partial) {
            std::uint32_t& last = table.back();
            if (m_pool.holders(last) > 1) { // others read it as it is: this sequence writes into a copy
                const std::uint32_t copy = takeBlock();
                m_fill[copy] = 0;
                giveBlock(last);
                last = copy;
                ++m_copies;
            }
            setFill(last, want == have ? tail : m_block);
        }
        for (std::uint64_t i = have; i < want; ++i) {
            const std::uint32_t block = takeBlock();
            m_fill[block] = 0; // what it kept before was counted off when it was given back
            setFill(block, i + 1 == want ? tail : m_block);
            table.push_back(block);
        }
    }
    row.tokens = tokens;
    return true;
}

void PagedKv::name(Sequence sequence, std::span<const std::uint64_t> names)
{
    if (!m_caching)
        return;
    Row& row = m_sequences[sequence];
    const std::uint64_t full = std::min<std::uint64_t>(row.tokens / m_block, names.size());
    for (; row.named < full; ++row.named)
        m_pool.name(row.tables[0][row.named], names[row.named]);
}

void PagedKv::release(Sequence sequence)
{
    Row& row = m_sequences[sequence];
    for (std::size_t group = 0; group < row.tables.size(); ++group) {
        auto& table = row.tables[group];
        std::reverse(table.begin(), table.end());
        table.resize(table.size() - row.begin[group]);
        for (const std::uint32_t block : table)
            if (m_pool.holders(block) == 1)
                m_stored -= m_fill[block];
        m_pool.give(table);
        table.clear();
        row.begin[group] = 0;
    }
    row.tokens = row.named = 0;
    m_unused.push_back(sequence);
}

} // namespace ridge::memory
