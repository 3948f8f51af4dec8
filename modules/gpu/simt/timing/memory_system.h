// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/chip_timing.h"
#include "gpu/simt/timing/sector_cache.h"

#include <array>
#include <deque>

namespace ridge::gpu::simt {

/// What an SM asks of the memory behind its L1.
struct L2Request {
    enum class Kind : std::uint8_t { Read, Write, Atomic };
    std::uint64_t cycle = 0; ///< when it leaves the SM; ascending in one SM
    std::uint64_t line = 0;  ///< address / 128
    std::uint32_t order = 0; ///< of the SM's requests, unique
    std::uint32_t transaction = 0;
    std::uint32_t l1Line = kNoLine; ///< that waits for it
    std::uint16_t serial = 1;       ///< atomics: most lanes that meet in one word
    std::uint16_t bytes = 0;        ///< on the way to L2, data and header
    std::uint8_t sectors = 0;
    Kind kind = Kind::Read;
    bool wantsResult = false; ///< of an atomic
};

/// The answer: data for a read or an atomic with a result, or that a store has arrived.
struct L2Reply {
    std::uint64_t cycle = 0; ///< when it reaches the SM
    std::uint32_t order = 0;
    std::uint32_t transaction = 0;
    std::uint32_t l1Line = kNoLine;
    std::uint8_t sectors = 0;
    L2Request::Kind kind = L2Request::Kind::Read;
};

/// Cycles that an SM needs on the way out and in for a load that misses L1, besides what L2Reply::cycle covers.
inline constexpr std::uint32_t kMissOverhead = 6;

struct L2Counters {
    std::uint64_t requests = 0;
    std::uint64_t sectorHits = 0;
    std::uint64_t sectorMisses = 0;
    std::uint64_t readBytes = 0;
    std::uint64_t writeBytes = 0;
    std::uint64_t heldBytes = 0;  ///< written, and not yet to DRAM
    std::uint64_t freshLines = 0; ///< places that are no longer empty
};

/// A part of L2 and DRAM that shares nothing with the others: the slices of one index in all partitions and their
/// channels. Requests to it must come in order.
class MemoryGroup {
public:
    MemoryGroup(const ChipTiming& chip, std::uint32_t group, std::uint32_t groups);

    /// Serves one request of an SM in `partition` and `gpc` and answers when its reply reaches the SM.
    std::uint64_t serve(const L2Request& request, std::uint32_t partition, std::uint32_t gpc);
    /// Asks this computer's memory for what serve() will look at: ahead of time, for it is more than caches hold.
    void prefetch(std::uint64_t line, std::uint32_t partition, std::uint32_t gpc);
    const L2Counters& counters() const { return m_counters; }

private:
    struct Slice {
        SectorCache cache;
        double freeAt = 0;
    };
    /// A read that others may join.
    struct Asked {
        std::uint64_t line = ~std::uint64_t{0};
        double served = 0; ///< when its slice begins with it: until then, and a little longer, others join
        std::uint32_t gpc = 0;
        std::uint8_t sectors = 0;
    };
    std::uint64_t read(const L2Request& request, std::uint32_t home, std::uint32_t partition, std::uint32_t gpc);
    std::uint64_t write(const L2Request& request, std::uint32_t home, std::uint32_t partition);
    double occupy(Slice& slice, double at, std::uint8_t sectors, double least = 0);
    double cross(double at, std::uint8_t sectors);
    double enter(const L2Request& request);
    double move(std::uint64_t line, std::uint8_t sectors, double at, bool isWrite);
    double crowd(double at);
    void writeBack(const SectorCache::Line& line, double at);
    std::uint32_t lineFor(Slice& slice, std::uint64_t tag, double at);
    double fetch(SectorCache::Line& line, std::uint8_t absent, double at);
    static void expect(SectorCache::Line& line, std::uint8_t sectors, double at, double until);
    std::size_t placeOf(std::uint64_t line, std::uint32_t gpc) const;
    bool joins(const Asked& last, std::uint64_t line, std::uint32_t gpc, std::uint8_t sectors, double at) const;
    static double arrival(const SectorCache::Line& line, std::uint8_t sectors, double at);
    Slice& slice(std::uint32_t partition, std::uint64_t line);
    double& channelOf(std::uint64_t line);

    std::vector<Slice> m_slices;   ///< [partition][slice of the group]
    std::vector<double> m_channel; ///< free at
    double m_link = 0;             ///< between the partitions, free at
    double m_in = 0;               ///< from the SMs, free at
    struct Traveller {
        double until = 0;
        std::uint32_t sectors = 0;
        bool isWrite = false;
    };
    static constexpr std::size_t kMixes = 16;    ///< shares of writes that are told apart
    std::deque<Traveller> m_travellers;          ///< sectors on the way to or from DRAM, by the time when they arrive
    std::array<std::uint32_t, 2> m_travelling{}; ///< sums of their sectors: reads, writes
    std::array<std::vector<double>, kMixes + 1> m_crowdWait; ///< cycles, by share of writes and sectors on the way
    Divisor m_byRun, m_byGroups, m_bySlices, m_byChannels;
    std::uint32_t m_partitions;
    std::uint32_t m_perPartition; ///< slices of this group in one partition
    double m_sectorCycles;        ///< of a slice
    double m_linkSectorCycles;    ///< of the group's share of the link; 0: no bound
    double m_inByteCycles;        ///< of the group's share of what all SMs send; 0: no bound
    double m_dramSectorCycles;    ///< of a channel
    std::uint32_t m_readSectors;  ///< that DRAM gives at least
    double m_crowdSectorCycles;   ///< of the group's share of the pins
    double m_atomicsPerCycle;
    double m_atomicSectorCycles; ///< of a slice
    double m_resultBytes;        ///< that a sector counts more where its result goes back
    double m_atomicCycles;       ///< beyond an L2 hit
    double m_hit;
    double m_far;
    double m_dram;      ///< mean of lines that are at home in the SM's partition and in the other
    double m_sharpness; ///< of crowd()
    double m_joinCycles;
    static constexpr std::size_t kAskedPlaces = 1024;
    std::vector<Asked> m_asked = std::vector<Asked>(kAskedPlaces); ///< each in the one place that it can have
    L2Counters m_counters;
};

/// Which group a line belongs to.
class MemoryMap {
public:
    explicit MemoryMap(const ChipTiming& chip);
    std::uint32_t groups() const { return m_groups; }
    std::uint32_t groupOf(std::uint64_t line) const;

private:
    std::uint32_t m_groups;
    Divisor m_byRun, m_byGroups;
};

/// Spreads lines over slices: all bits of the address take part.
std::uint64_t mixLine(std::uint64_t line);

/// The partition of L2 on whose side of the chip a line's memory is.
std::uint32_t homeOf(std::uint64_t line, std::uint32_t partitions);

} // namespace ridge::gpu::simt
