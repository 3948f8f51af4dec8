// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of a KV cache cut into blocks of equal size, of which many sequences may hold the same one.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ridge::memory {

/// Blocks with holders, free ones in a queue, and a table of those that keep a known prefix. The order of the queue is
/// vLLM's (0.33, block pool): given back, a block without a name goes to its head, the latest first; one with a name to
/// its end, where it stays findable until its turn comes. All operations take constant time.
class KvBlockPool {
public:
    static constexpr std::uint32_t kNone = 0xffffffff;
    static constexpr std::uint32_t kMostBlocks = 1u << 26;

    /// With `nullBlock` the first block is set aside, as vLLM does for places of a table that point nowhere. `blocks`
    /// is at most kMostBlocks.
    KvBlockPool(std::uint32_t blocks, bool nullBlock);

    std::uint32_t blocks() const { return m_blocks; }
    std::uint32_t usable() const { return m_usable; }
    std::uint32_t free() const { return m_free; } ///< without a holder, those with a name included
    std::uint32_t used() const { return m_usable - m_free; }

    /// The block at the head of the queue, with one holder and no name; kNone where no block is free.
    std::uint32_t take();
    /// One holder more; a free block leaves the queue and keeps its name.
    void hold(std::uint32_t block);
    /// One holder fewer of each; the caller lists the last block of a sequence first, so that the beginning of a prefix
    /// outlives its end.
    void give(std::span<const std::uint32_t> lastFirst);

    /// Says that a held block keeps what `prefix` stands for. A block has one name; several may have the same.
    void name(std::uint32_t block, std::uint64_t prefix);
    /// The block that got this name first, or kNone.
    std::uint32_t find(std::uint64_t prefix) const;

    std::uint32_t holders(std::uint32_t block) const { return m_node[block].holders; }
    bool named(std::uint32_t block) const { return m_node[block].named; }

    /// The free queue from its head.
    std::vector<std::uint32_t> queue() const;

private:
    struct Node {
        std::uint32_t next = 0, previous = 0;
        std::uint32_t holders = 0;
        bool named = false;
    };
    struct Name {
        std::uint64_t prefix = 0;
        std::uint32_t next = 0, previous = 0; ///< a ring of the blocks that have it
    };
    void link(std::uint32_t block, std::uint32_t after);
    void unlink(std::uint32_t block);
    void forget(std::uint32_t block);
    std::size_t slotOf(std::uint64_t prefix) const;

    std::vector<Node> m_node; ///< one a block, then the ends of the queue
    std::vector<Name> m_name;
    std::vector<std::uint32_t> m_table; ///< open addressing: the oldest block of each name; kNone: empty
    std::size_t m_mask = 0;
    std::uint32_t m_blocks, m_usable, m_free;
};

/// The name of a full block: of the block before it and of its tokens (and of nothing else, so that equal tokens behind
/// equal prefixes have equal names). 64 bits; serving programs take SHA-256.
std::uint64_t prefixName(std::uint64_t before, std::span<const std::uint32_t> tokens);

/// Sizes in tokens of ranges that an allocator hands out. Both refuse with kNowhere what does not fit in one piece.
inline constexpr std::uint32_t kNowhere = 0xffffffff;

/// First fit: the lowest free range that is large enough, cut where it is larger; neighbours join again.
class FirstFit {
public:
    explicit FirstFit(std::uint32_t slots);
    std::uint32_t take(std::uint32_t size);
    void give(std::uint32_t at, std::uint32_t size);
    std::uint32_t free() const { return m_free; }
    std::uint32_t largest() const;

private:
    struct Range {
        std::uint32_t at, size;
    };
    std::vector<Range> m_ranges; ///< by address, never touching each other
    std::uint32_t m_free;
};

/// Buddies (Knowlton 1965): ranges of a power of two, halved as long as that is enough, joined with their other half
/// when both are free. Slots that are no power of two are a row of such ranges.
class Buddies {
public:
    explicit Buddies(std::uint32_t slots);
    std::uint32_t take(std::uint32_t size); ///< at least 1; rounded up to a power of two
    void give(std::uint32_t at, std::uint32_t size);
    std::uint32_t free() const { return m_free; }
    std::uint32_t largest() const;
    static std::uint32_t rounded(std::uint32_t size); ///< to the power of two that is taken

private:
    std::vector<std::vector<std::uint32_t>> m_ranges; ///< of each power of two, by address
    std::uint32_t m_slots, m_free;
};

} // namespace ridge::memory
