// SPDX-License-Identifier: GPL-3.0-or-later
// A set-associative cache, one access at a time, and a stack of them.
//
// Terminology. A cache holds `sets` x `ways` lines. An address belongs to one
// line (address / line bytes) and its line to one set (line mod sets); the line
// may lie in any way of that set. A line may be split into sectors that are
// fetched one by one, as in a GPU's L1 and L2. Nothing here has a duration: an
// experiment multiplies counts by latencies.
#pragma once

#include "base/result.h"
#include "base/seed.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ridge::memory {

/// Which line of a full set makes room. Lru: least recently used. Fifo: oldest
/// fill. Random: any (SplitMix64). TreePlru: a binary tree of "the other half
/// is older" bits, ways a power of two. Srrip: static re-reference interval
/// prediction with 2 bits and hit priority (Jaleel et al., ISCA 2010).
enum class Replacement { Lru, Fifo, Random, TreePlru, Srrip };

/// WriteBack: a store fetches its line and is written on when the line is
/// evicted. WriteThrough: every store goes on to the next level at once, and a
/// store that misses fetches nothing.
enum class WritePolicy { WriteBack, WriteThrough };

struct CacheShape {
    std::uint64_t bytes = 32768; ///< data, without tags; a multiple of line x ways
    std::uint32_t line = 64;     ///< bytes, a power of two from 4 to 65536
    std::uint32_t ways = 8;      ///< lines of a set, 1 to 65536; bytes / line for a
                                 ///< fully associative cache
    std::uint32_t sectors = 1;   ///< of a line, a power of two up to 32
    Replacement replacement = Replacement::Lru;
    WritePolicy write = WritePolicy::WriteBack;

    std::uint64_t lines() const { return bytes / line; }
    std::uint64_t sets() const { return lines() / ways; }
};

/// Errors: "bad-cache" with what does not fit and the nearest shape that does.
/// At most 2^24 lines.
Result<void> checkShape(const CacheShape& shape);

enum class Outcome : std::uint8_t {
    Hit,
    SectorMiss, ///< the line is there, this sector of it is not
    Miss
};

struct AccessResult {
    Outcome outcome = Outcome::Miss;
    bool filled = false;    ///< a line or a sector was fetched from below
    bool evicted = false;   ///< another line made room
    bool wroteBack = false; ///< the line that made room had been stored to
    std::uint32_t way = 0;  ///< where the line is now; meaningless after a store
                            ///< that fetched nothing
    std::uint64_t set = 0;
    std::uint64_t victim = 0; ///< first byte of the line that made room
};

struct CacheCounts {
    std::uint64_t reads = 0, writes = 0;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0; ///< sector misses included
    std::uint64_t sectorMisses = 0;
    std::uint64_t evictions = 0;
    std::uint64_t writebacks = 0; ///< evicted lines that had been stored to
    std::uint64_t bytesIn = 0;    ///< fetched from the next level
    std::uint64_t bytesOut = 0;   ///< written to the next level

    std::uint64_t accesses() const { return reads + writes; }
    double missRate() const
    {
        return accesses() == 0 ? 0 : static_cast<double>(misses) / static_cast<double>(accesses());
    }
    bool operator==(const CacheCounts&) const = default;
};

class Cache {
public:
    /// `seed` matters to Random only. Errors: those of checkShape.
    static Result<Cache> make(const CacheShape& shape, std::uint64_t seed = 0);

    /// The access to the element at `address`, which must not cross a sector's
    /// end. `bytes` is what a store passes on under WriteThrough. A store of a
    /// whole line (`bytes` a line or more) has nothing to fetch.
    AccessResult access(std::uint64_t address, bool write, std::uint32_t bytes = 4);
    /// Takes the line of `address` away if it is here. Returns whether it was
    /// here and had been stored to.
    bool invalidate(std::uint64_t address);
    bool holds(std::uint64_t address) const;

    const CacheShape& shape() const { return m_shape; }
    const CacheCounts& counts() const { return m_counts; }
    /// First byte of the line in a way, or kEmpty.
    std::uint64_t lineAt(std::uint64_t set, std::uint32_t way) const;
    static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

private:
    Cache(const CacheShape& shape, std::uint64_t seed);
    std::uint64_t setOf(std::uint64_t line) const { return m_setMask ? line & m_setMask : line % m_sets; }
    std::uint32_t find(std::uint64_t base, std::uint64_t line) const;
    std::uint32_t victimOf(std::uint64_t set, std::uint64_t base);
    void touch(std::uint64_t set, std::uint64_t slot, std::uint32_t way, bool fill);

    CacheShape m_shape;
    CacheCounts m_counts;
    std::uint64_t m_sets = 1, m_setMask = 0;
    std::uint32_t m_lineBits = 6, m_sectorBits = 6;
    std::uint64_t m_clock = 0;
    Rng m_rng;
    std::vector<std::uint64_t> m_tags;  ///< line numbers, set by set; kEmpty where there is none
    std::vector<std::uint64_t> m_ages;  ///< Lru, Fifo: when last used or filled;
                                        ///< Srrip: the predicted interval
    std::vector<std::uint32_t> m_valid; ///< a bit a sector
    std::vector<std::uint32_t> m_dirty; ///< a bit a sector
    std::vector<std::uint64_t> m_trees; ///< TreePlru: ways / 64 words a set, bit n is node n
};

/// How the levels of a stack relate. NonInclusive: a line may lie in any of
/// them, and evictions do not reach upwards. Inclusive: a line that leaves a
/// lower level leaves those above it too.
enum class Inclusion { NonInclusive, Inclusive };

/// Levels from the one nearest to the processor to the last. A miss asks the
/// next level for the line; a line that was stored to is written to the next
/// level when it is evicted.
class CacheStack {
public:
    /// Errors: those of checkShape; "bad-cache" where a lower level has shorter
    /// lines than the one above it.
    static Result<CacheStack> make(std::span<const CacheShape> levels, Inclusion inclusion, std::uint64_t seed = 0);

    /// The level that had it, 0 the nearest; levels().size() where memory had to
    /// answer.
    std::size_t access(std::uint64_t address, bool write, std::uint32_t bytes = 4);
    const std::vector<Cache>& levels() const { return m_levels; }
    /// What the nearest level said of the last access.
    const AccessResult& nearest() const { return m_nearest; }

private:
    std::size_t accessFrom(std::size_t level, std::uint64_t address, bool write, std::uint32_t bytes);
    std::vector<Cache> m_levels;
    Inclusion m_inclusion = Inclusion::NonInclusive;
    AccessResult m_nearest;
};

/// Hill's three kinds of misses: a first touch of a line; one that a fully
/// associative LRU cache of the same size has too; the rest, which come from
/// the sets. `conflict` may be negative: LRU is not always best (Hill 1987).
struct MissKinds {
    std::uint64_t compulsory = 0, capacity = 0;
    std::int64_t conflict = 0;
};

class StackDistances;

/// `distances` has seen the same accesses as `cache`, whose lines have one
/// sector and which fetches on stores.
MissKinds missKinds(const Cache& cache, const StackDistances& distances);

/// LRU stack distances (Mattson et al. 1970): for each access the number of
/// different lines since the last one to the same line. A fully associative LRU
/// cache of c lines misses where the distance is c or more. One pass gives all
/// sizes.
class StackDistances {
public:
    explicit StackDistances(std::uint32_t lineBytes);
    /// The distance, or kFirst for the first touch of a line. O(log n).
    std::uint64_t access(std::uint64_t address);
    static constexpr std::uint64_t kFirst = ~std::uint64_t{0};
    std::uint64_t firstTouches() const { return m_first; }
    /// Misses of a fully associative LRU cache of `lines` lines so far.
    std::uint64_t missesOf(std::uint64_t lines) const;

private:
    void add(std::uint64_t time, std::int32_t delta);
    std::uint64_t sumUpTo(std::uint64_t time) const;
    void compact();

    std::uint32_t m_lineBits;
    std::uint64_t m_now = 0, m_first = 0;
    std::vector<std::int32_t> m_tree;    ///< Fenwick tree over times: 1 where a line was used last
    std::vector<std::uint64_t> m_lineAt; ///< line used at a time
    std::vector<std::uint64_t> m_slots;  ///< open-addressed map line -> time
    std::vector<std::uint64_t> m_slotLines;
    std::uint64_t m_known = 0;
    std::vector<std::uint64_t> m_histogram; ///< of distances
    std::uint64_t* slotOf(std::uint64_t line);
    void growMap();
};

} // namespace ridge::memory
