// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/state.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

namespace ridge::gpu::simt {

/// One side of a race.
struct RaceSide {
    std::uint32_t pc = kNone;
    std::uint32_t warp = 0;
    std::uint32_t lane = 0;
    std::uint64_t block = 0; ///< linear; races between blocks
    MemoryOp op = MemoryOp::Load;
};

/// Who in a block touched which byte of its shared memory or of device memory, and what is ordered with what: vector
/// clocks of warps, joined at barriers and at atomics and volatile accesses to one address (Flanagan and Freund,
/// FastTrack, PLDI 2009). A lane that synchronises hands on what it did itself and what its warp did before its lanes
/// last met; what other lanes have done since then is theirs.
class SharedRaces {
public:
    SharedRaces(std::size_t warps, std::uint64_t sharedBytes);
    void startBlock();
    /// `waiting` warps go on knowing all that `arrived` ones did; those that only arrive learn nothing.
    void barrier(std::uint32_t arrived, std::uint32_t waiting);
    /// An access of a lane that orders: an atomic, or a volatile one. A block that uses more than kMostKeys addresses
    /// for that has one entry for all the others: they order more than they should, and no race is made up.
    void synchronise(std::uint32_t warp, std::uint32_t lane, std::uint64_t key);
    static constexpr std::size_t kMostKeys = std::size_t{1} << 16;
    std::size_t keys() const { return m_synchronised.size(); }

    /// The lanes of a warp have met: __syncwarp(), a shuffle, a vote.
    void warpSync(std::uint32_t warp);

    /// The earlier access that this one to `byte` races with, if any. Does not note the access. Lanes of one warp race
    /// where different instructions touch the byte and the warp has not met between. Volatile accesses order warps, but
    /// not the lanes of one: those race like others.
    std::optional<RaceSide> conflict(const RaceSide& side, std::uint64_t byte, bool writes,
                                     bool isVolatile = false) const;
    void note(const RaceSide& side, std::uint64_t byte, bool writes, bool isVolatile = false);

    /// The same of device memory: `bytes` from `address` on. What is kept is one access of each kind a word, with the
    /// bytes of it: a race may be missed where threads have bytes of one word each, none is made up.
    std::optional<RaceSide> conflictInMemory(const RaceSide& side, std::uint64_t address, std::uint64_t bytes,
                                             bool writes) const;
    void noteInMemory(const RaceSide& side, std::uint64_t address, std::uint64_t bytes, bool writes);
    /// It was given to a thread anew: nobody has touched it.
    void forgetMemory(std::uint64_t address, std::uint64_t bytes);

private:
    static constexpr std::uint32_t kMostWarps = 32; ///< of a block (CUDA Programming Guide)
    /// What somebody knows of a warp's past: all of it up to `whole`, and what these lanes did up to `until`. Where two
    /// of the latter meet, both lanes count up to the later time: that orders too much, and no race is made up.
    struct Past {
        std::uint32_t whole = 0;
        std::uint32_t lanes = 0;
        std::uint32_t until = 0;
    };
    using Clock = std::array<Past, kMostWarps>;
    struct Touch {
        std::uint32_t clock = 0; ///< 0: never
        std::uint32_t pc = kNone;
        std::uint8_t warp = 0;
        std::uint8_t lane = 0;
    };
    struct Cell {
        Touch write;
        std::array<Touch, 2> reads; ///< the last of two different warps
    };
    struct Word {
        Touch write, read;
        std::uint8_t written = 0, wasRead = 0; ///< bytes, a bit each
    };
    static void join(Past& into, const Past& from);
    bool isOrdered(const Touch& touch, const RaceSide& side) const
    {
        if (touch.clock == 0)
            return true;
        const Past& past = m_clocks[side.warp][touch.warp];
        if (past.whole >= touch.clock || (past.until >= touch.clock && (past.lanes >> touch.lane & 1) != 0))
            return true;
        return touch.warp == side.warp &&
               (touch.lane == side.lane || touch.pc == side.pc || m_met[side.warp] >= touch.clock);
    }
    std::optional<RaceSide> conflictIn(const Cell& cell, const RaceSide& side, bool writes, bool inWarp) const;
    static RaceSide sideOf(const Touch& touch, MemoryOp op);

    std::size_t m_warps;
    std::vector<std::uint32_t> m_times; ///< of each warp, from 1
    std::vector<std::uint32_t> m_met;   ///< when its lanes last met
    std::vector<Clock> m_clocks;        ///< [w][v]: what w knows of v; [w][w]: what its lanes know of each other
    std::vector<Cell> m_cells;          ///< a byte each
    std::vector<Cell> m_volatiles;      ///< the same of volatile accesses; empty until the first
    std::unordered_map<std::uint64_t, Clock> m_synchronised;
    std::unordered_map<std::uint64_t, Word> m_words; ///< of device memory, by address / 4
};

/// Who touched which byte of device memory. Of a word's writers the last one is kept, with the bytes that it wrote,
/// of its readers the first one, and which of its bytes others read, too: a race may be missed where blocks have
/// bytes of one word each, none is made up. Two blocks are ordered only where both used one address with atomics or
/// volatile accesses. What is kept of those grows with the pairs of a block and an address, however often they
/// meet: beyond kMostMeetings pairs the watch ends, for a false report is worse than none. Who watches says so.
class GlobalRaces {
public:
    using Addresses = std::unordered_set<std::uint64_t>;
    static constexpr std::size_t kMostMeetings = std::size_t{1} << 21; ///< about 300 MB where no two share anything

    explicit GlobalRaces(const GlobalMemory& memory) : m_memory(memory) {}
    /// `used`: the addresses by which the block has synchronised so far; kept by the caller, one set a block.
    void synchronise(std::uint64_t block, std::uint64_t address, Addresses& used);
    /// The earlier access that one to `bytes` from `address` on races with, if any. Does not note the access.
    std::optional<RaceSide> conflict(std::uint64_t block, std::uint64_t address, std::uint64_t bytes, bool writes,
                                     const Addresses& used);
    bool hasEnded() const { return m_hasEnded; }
    /// Pairs of a block and an address that are kept.
    std::size_t meetings() const { return m_meetings; }
    void note(const RaceSide& side, std::uint64_t address, std::uint64_t bytes, bool writes);

private:
    struct Cell {
        std::uint32_t writeBlock = 0; ///< + 1; 0: never
        std::uint32_t writePc = kNone;
        std::uint32_t readBlock = 0; ///< the first
        std::uint32_t readPc = kNone;
        std::uint8_t written = 0, read = 0, readByMany = 0; ///< bytes, a bit each
    };
    /// `take(cell, bytes)` for each word that is touched, until it gives something.
    template<class Take>
    std::optional<RaceSide> eachWord(std::uint64_t address, std::uint64_t bytes, Take take);
    bool isOrdered(std::uint64_t earlier, const Addresses& used) const;
    const GlobalMemory& m_memory;
    std::map<std::uint64_t, std::vector<Cell>> m_cells; ///< by start of the allocation, a word each
    /// The blocks of each synchronising address, ascending.
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> m_users;
    std::size_t m_meetings = 0;
    bool m_hasEnded = false;
};

} // namespace ridge::gpu::simt
