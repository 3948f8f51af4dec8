// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/memory_system.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ridge::gpu::simt {

namespace {

/// Dirty data that a channel may be behind before stores have to wait for it, in cycles of that channel.
constexpr double kWriteBacklog = 512;
/// What dram.sharpness loses as writes are mixed in. Chosen, as its 1.5 where a chip file says nothing, on nine points
/// of gpu-stream on one chip (docs/chip-timing.md), and used for all.
constexpr double kWritesBlunt = 0.75;

std::uint32_t groupsOf(const ChipTiming& chip)
{
    const auto perPartition = static_cast<std::uint32_t>(chip.l2Slices / chip.l2Partitions);
    return std::max(1u, std::min(perPartition, static_cast<std::uint32_t>(chip.dramChannels)));
}

std::uint32_t countOf(std::uint8_t sectors)
{
    return static_cast<std::uint32_t>(std::popcount(sectors));
}

/// The sectors that DRAM moves for these: a burst is not cut.
std::uint8_t bursts(std::uint8_t sectors, std::uint32_t least)
{
    std::uint8_t all = sectors;
    for (std::uint32_t at = 0; least > 1 && at < 4; at += least) {
        const auto burst = static_cast<std::uint8_t>(((1u << least) - 1) << at & 15);
        all = (sectors & burst) != 0 ? static_cast<std::uint8_t>(all | burst) : all;
    }
    return all;
}

} // namespace

std::uint64_t mixLine(std::uint64_t line)
{
    // A multiplicative hash (Knuth, TAOCP 6.4); its upper half depends on every bit below.
    return (line ^ line >> 17) * 0x9e3779b97f4a7c15u >> 24;
}

std::uint32_t homeOf(std::uint64_t line, std::uint32_t partitions)
{
    return static_cast<std::uint32_t>(mixLine(line) & 1) % partitions;
}

MemoryMap::MemoryMap(const ChipTiming& chip)
    : m_groups(groupsOf(chip)), m_byRun(static_cast<std::uint32_t>(chip.l2RunLines)), m_byGroups(m_groups)
{
}

std::uint32_t MemoryMap::groupOf(std::uint64_t line) const
{
    // By chance, so that no stride stays with one group. Nor are the few lines of a small table spread evenly: atomics
    // on 4096 words go an H200's way as fast as the two or three runs of the busiest slice let them.
    return static_cast<std::uint32_t>(m_byGroups(mixLine(m_byRun(line).quotient) >> 8).rest);
}

MemoryGroup::MemoryGroup(const ChipTiming& chip, std::uint32_t group, std::uint32_t groups)
    : m_partitions(static_cast<std::uint32_t>(chip.l2Partitions)), m_hit(chip.l2HitCycles - kMissOverhead),
      m_far((m_partitions > 1 ? chip.l2FarCycles : chip.l2HitCycles) - kMissOverhead),
      m_dram(chip.dramCycles - kMissOverhead), m_sharpness(chip.dramSharpness), m_joinCycles(chip.l2JoinCycles)
{
    const auto slices = static_cast<std::uint32_t>(chip.l2Slices);
    const auto perPartition = slices / m_partitions;
    m_perPartition = perPartition / groups + (group < perPartition % groups ? 1 : 0);
    const auto linesPerSlice = static_cast<std::uint32_t>(chip.l2Kb * 1024 / 128 / slices);
    for (std::uint32_t at = 0; at < m_partitions * m_perPartition; ++at)
        m_slices.push_back({SectorCache(linesPerSlice, static_cast<std::uint32_t>(chip.l2Ways)), 0});
    const auto channels = static_cast<std::uint32_t>(chip.dramChannels);
    const std::uint32_t own = channels / groups + (group < channels % groups ? 1 : 0);
    m_channel.resize(std::max(own, 1u));
    m_byChannels = Divisor(std::max(own, 1u));
    m_sectorCycles = kSectorBytes / (chip.l2BytesPerCycle / slices);
    m_linkSectorCycles = chip.l2LinkBytesPerCycle > 0 ? kSectorBytes * groups / chip.l2LinkBytesPerCycle : 0;
    m_inByteCycles = chip.l2InBytesPerCycle > 0 ? groups / chip.l2InBytesPerCycle : 0;
    m_byRun = Divisor(static_cast<std::uint32_t>(chip.l2RunLines));
    m_byGroups = Divisor(groups);
    m_bySlices = Divisor(m_perPartition);
    m_readSectors = static_cast<std::uint32_t>(chip.dramReadBytes) / kSectorBytes;
    m_atomicSectorCycles = chip.l2AtomicCycles;
    m_resultBytes = chip.l2ResultBytes;
    m_dramSectorCycles = kSectorBytes / (chip.dramBytesPerCycle() / channels);
    const double pinBytesPerCycle = chip.dramPeakGBs * 1e3 / chip.clockMhz;
    m_crowdSectorCycles = kSectorBytes / (pinBytesPerCycle * static_cast<double>(m_channel.size()) / channels);
    m_atomicsPerCycle = chip.l2AtomicsPerCycle;
    m_atomicCycles =
        std::max(0.0, chip.latency[static_cast<std::size_t>(LatencyClass::GlobalAtomic)] - chip.l2HitCycles);
}

MemoryGroup::Slice& MemoryGroup::slice(std::uint32_t partition, std::uint64_t line)
{
    const std::uint64_t row = m_byGroups(m_byRun(line).quotient).quotient;
    return m_slices[partition * m_perPartition + m_bySlices(row ^ row >> 3 ^ row >> 7).rest];
}

double& MemoryGroup::channelOf(std::uint64_t line)
{
    return m_channel[m_byChannels(mixLine(line) / 64).rest];
}

/// When a slice is done with the first of these sectors: it is there at once; what follows, and what stood before,
/// delays. `least`: cycles that the slice is busy at any rate.
double MemoryGroup::occupy(Slice& slice, double at, std::uint8_t sectors, double least)
{
    slice.freeAt = std::max(at, slice.freeAt) + std::max(countOf(sectors) * m_sectorCycles, least);
    return slice.freeAt - m_sectorCycles;
}

/// When a request has come in from the network, which all SMs share.
double MemoryGroup::enter(const L2Request& request)
{
    const auto arrived = static_cast<double>(request.cycle);
    if (m_inByteCycles == 0)
        return arrived;
    const double start = std::max(arrived, m_in);
    const double result = request.wantsResult ? countOf(request.sectors) * m_resultBytes : 0;
    m_in = start + (request.bytes + result) * m_inByteCycles;
    return start;
}

/// When the first of these sectors has come from one partition to the other.
double MemoryGroup::cross(double at, std::uint8_t sectors)
{
    if (m_linkSectorCycles == 0)
        return at;
    m_link = std::max(at, m_link) + countOf(sectors) * m_linkSectorCycles;
    return m_link - m_linkSectorCycles;
}

/// Cycles that a request spends behind those that are on the way already. With n on the way, as a share of what the
/// pins move in one idle round trip, a path with a single stage passes min(n, 1) of their rate, one of endless stages
/// of like capacity n / (1 + n) (a balanced closed network: Reiser and Lavenberg 1980). Measured ones lie between. Here
/// it is n / (1 + n^p)^(1 / p), and by Little's law a round trip takes what is on the way over that rate.
double MemoryGroup::crowd(double at)
{
    while (!m_travellers.empty() && m_travellers.front().until <= at) {
        m_travelling[m_travellers.front().isWrite ? 1 : 0] -= m_travellers.front().sectors;
        m_travellers.pop_front();
    }
    const std::uint32_t all = m_travelling[0] + m_travelling[1];
    const std::size_t mix = all == 0 ? 0 : m_travelling[1] * kMixes / all;
    std::vector<double>& waits = m_crowdWait[mix];
    const double sharpness = m_sharpness - kWritesBlunt * static_cast<double>(mix) / kMixes;
    while (waits.size() <= all) {
        const double share = static_cast<double>(waits.size()) * m_crowdSectorCycles / m_dram;
        waits.push_back(m_dram * (std::pow(1 + std::pow(share, sharpness), 1 / sharpness) - 1));
    }
    return waits[all];
}

/// When the first of these sectors has left DRAM, the idle latency not counted.
double MemoryGroup::move(std::uint64_t line, std::uint8_t sectors, double at, bool isWrite)
{
    double& channel = channelOf(line);
    const double start = std::max(at, channel);
    const std::uint32_t count = countOf(sectors);
    channel = start + count * m_dramSectorCycles;
    const double left = std::max(channel - m_dramSectorCycles, at + crowd(at));
    const double until = left + m_dram;
    m_travellers.push_back({m_travellers.empty() ? until : std::max(until, m_travellers.back().until), count, isWrite});
    m_travelling[isWrite ? 1 : 0] += count;
    return left;
}

void MemoryGroup::writeBack(const SectorCache::Line& line, double at)
{
    if (line.dirty == 0)
        return;
    m_counters.writeBytes += countOf(line.dirty) * std::uint64_t{kSectorBytes};
    m_counters.heldBytes -= countOf(line.dirty) * std::uint64_t{kSectorBytes};
    move(line.tag, bursts(line.dirty, m_readSectors), at, true); // nobody waits for an answer
}

std::uint32_t MemoryGroup::lineFor(Slice& slice, std::uint64_t tag, double at)
{
    std::uint32_t found = slice.cache.find(tag);
    if (found == kNoLine) {
        SectorCache::Line evicted;
        found = slice.cache.allocate(tag, &evicted);
        m_counters.freshLines += evicted.tag == SectorCache::Line{}.tag ? 1 : 0;
        writeBack(evicted, at);
    }
    slice.cache.touch(found);
    return found;
}

/// Notes at `at` that these sectors of a line are on their way; who asks for them before `until` waits for it.
void MemoryGroup::expect(SectorCache::Line& line, std::uint8_t sectors, double at, double until)
{
    const bool others = line.until > at;
    line.late = others ? static_cast<std::uint8_t>(line.late | sectors) : sectors;
    line.until = others ? std::max(line.until, until) : until;
}

/// When sectors that a request could have at `at` reach it: what one SM has asked for and DRAM has not sent yet comes
/// to all others no sooner.
double MemoryGroup::arrival(const SectorCache::Line& line, std::uint8_t sectors, double at)
{
    return (line.late & sectors) != 0 ? std::max(at, line.until) : at;
}

/// Reads what DRAM gives for these sectors into their home. When they reach an SM of that partition.
double MemoryGroup::fetch(SectorCache::Line& line, std::uint8_t absent, double at)
{
    const auto fetched = static_cast<std::uint8_t>(bursts(absent, m_readSectors) & (absent | ~line.valid));
    line.valid |= fetched;
    m_counters.sectorMisses += countOf(absent);
    m_counters.readBytes += countOf(fetched) * std::uint64_t{kSectorBytes};
    const double done = move(line.tag, fetched, at, false) + m_dram - (m_far - m_hit) / 2; // m_dram: mean of both homes
    expect(line, fetched, at, done);
    return done;
}

std::size_t MemoryGroup::placeOf(std::uint64_t line, std::uint32_t gpc) const
{
    return mixLine(line * 32 + gpc) % kAskedPlaces;
}

/// Whether another SM of the GPC has just asked for the same: requests for one line that are under way together are
/// served once (from the A100 on "L2 request coalescing"). On an H200 132 SMs get the same four lines 70 cycles later
/// than one SM alone does, and sets that several SMs of a GPC read come at up to 2.3 times the rate of the slices.
bool MemoryGroup::joins(const Asked& last, std::uint64_t line, std::uint32_t gpc, std::uint8_t sectors, double at) const
{
    return m_joinCycles > 0 && last.line == line && last.gpc == gpc && (sectors & ~last.sectors) == 0 &&
           at < last.served + m_joinCycles;
}

/// What the SM's own partition does not have costs no time of its data stage: tags say so.
std::uint64_t MemoryGroup::read(const L2Request& request, std::uint32_t home, std::uint32_t partition,
                                std::uint32_t gpc)
{
    const double arrived = enter(request);
    Slice& near = slice(partition, request.line);
    SectorCache::Line& copy = near.cache.line(lineFor(near, request.line, arrived));
    const auto missing = static_cast<std::uint8_t>(request.sectors & ~copy.valid);
    const auto here = home == partition ? request.sectors : static_cast<std::uint8_t>(request.sectors & copy.valid);
    m_counters.sectorHits += countOf(request.sectors) - countOf(missing);
    copy.valid |= request.sectors;
    double start = arrived;
    if (here != 0) {
        Asked& last = m_asked[placeOf(request.line, gpc)];
        if (joins(last, request.line, gpc, here, arrived))
            start = std::max(arrived, last.served);
        else
            last = {request.line, start = occupy(near, arrived, here), gpc, here};
    }
    const double present = arrival(copy, static_cast<std::uint8_t>(request.sectors & ~missing), start + m_hit);
    if (missing == 0)
        return static_cast<std::uint64_t>(present);
    if (home == partition)
        return static_cast<std::uint64_t>(std::max(present, fetch(copy, missing, start)));
    Slice& far = slice(home, request.line);
    start = std::max(start, cross(occupy(far, arrived, missing), missing));
    SectorCache::Line& original = far.cache.line(lineFor(far, request.line, start));
    const auto absent = static_cast<std::uint8_t>(missing & ~original.valid);
    m_counters.sectorHits += countOf(missing) - countOf(absent);
    double done = arrival(original, static_cast<std::uint8_t>(missing & ~absent), start + m_hit);
    if (absent != 0)
        done = std::max(done, fetch(original, absent, start));
    done += m_far - m_hit; // as long as it is from the other partition to its slice here
    expect(copy, missing, arrived, done);
    return static_cast<std::uint64_t>(std::max(present, done));
}

/// Stores and atomics go to the home of the line and make the copy in the other partition stale.
std::uint64_t MemoryGroup::write(const L2Request& request, std::uint32_t home, std::uint32_t partition)
{
    const double arrived = enter(request);
    Slice& own = slice(home, request.line);
    const bool isAtomic = request.kind == L2Request::Kind::Atomic;
    const double least = std::max(request.serial / m_atomicsPerCycle, countOf(request.sectors) * m_atomicSectorCycles);
    const double start = occupy(own, home == partition ? arrived : cross(arrived, request.sectors), request.sectors,
                                isAtomic ? least : 0);
    SectorCache::Line& line = own.cache.line(lineFor(own, request.line, start));
    for (std::uint32_t other = 0; other < m_partitions; ++other) {
        if (other == home)
            continue;
        SectorCache& cache = slice(other, request.line).cache;
        if (const std::uint32_t stale = cache.find(request.line); stale != kNoLine)
            cache.line(stale).valid = static_cast<std::uint8_t>(cache.line(stale).valid & ~request.sectors);
    }
    const auto missing = static_cast<std::uint8_t>(request.sectors & ~line.valid);
    // Nothing is fetched for a store: it hits, as Nsight Compute counts.
    m_counters.sectorHits += countOf(request.sectors) - (isAtomic ? countOf(missing) : 0);
    line.valid |= request.sectors;
    m_counters.heldBytes +=
        countOf(static_cast<std::uint8_t>(request.sectors & ~line.dirty)) * std::uint64_t{kSectorBytes};
    line.dirty |= request.sectors;
    double done = start + m_hit;
    if (isAtomic)
        done = arrival(line, request.sectors, done);
    if (isAtomic && missing != 0) {
        m_counters.sectorMisses += countOf(missing);
        m_counters.readBytes += countOf(missing) * std::uint64_t{32};
        const double there = move(request.line, missing, start, false) + m_dram;
        expect(line, missing, start, there);
        done = std::max(done, there);
    } else if (missing != 0) {
        // Written without being fetched; the channel takes it later, but not endlessly later.
        const double behind = channelOf(request.line) - start;
        done += std::max(0.0, behind - kWriteBacklog);
    }
    if (isAtomic)
        done += m_atomicCycles;
    return static_cast<std::uint64_t>(done);
}

void MemoryGroup::prefetch(std::uint64_t line, std::uint32_t partition, std::uint32_t gpc)
{
    slice(partition, line).cache.prefetch(line);
    if (const std::uint32_t home = homeOf(line, m_partitions); home != partition)
        slice(home, line).cache.prefetch(line);
    __builtin_prefetch(&m_asked[placeOf(line, gpc)], 1);
}

std::uint64_t MemoryGroup::serve(const L2Request& request, std::uint32_t partition, std::uint32_t gpc)
{
    ++m_counters.requests;
    const std::uint32_t home = homeOf(request.line, m_partitions);
    return request.kind == L2Request::Kind::Read ? read(request, home, partition, gpc)
                                                 : write(request, home, partition);
}

} // namespace ridge::gpu::simt
