// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/check/race_watch.h"

#include <algorithm>

namespace ridge::gpu::simt {
namespace {

constexpr std::uint64_t kWord = 4; ///< bytes

/// Which bytes of a word lie in a range, a bit each.
std::uint8_t bytesIn(std::uint64_t word, std::uint64_t begin, std::uint64_t end)
{
    const std::uint64_t first = std::max(begin, word * kWord) - word * kWord;
    const std::uint64_t last = std::min(end, (word + 1) * kWord) - word * kWord;
    return static_cast<std::uint8_t>((1u << last) - (1u << first));
}

} // namespace

SharedRaces::SharedRaces(std::size_t warps, std::uint64_t sharedBytes)
    : m_warps(std::min<std::size_t>(warps, kMostWarps)), m_times(m_warps, 1), m_met(m_warps), m_clocks(m_warps),
      m_cells(sharedBytes)
{
}

void SharedRaces::startBlock()
{
    // Times go on growing, so that what the last block did is past for everybody and no cell must be cleared.
    std::uint32_t latest = 0;
    for (const std::uint32_t time : m_times)
        latest = std::max(latest, time);
    for (Clock& clock : m_clocks)
        clock.fill({latest, 0, 0});
    std::ranges::fill(m_times, latest + 1);
    std::ranges::fill(m_met, latest);
    m_synchronised.clear();
    m_words.clear();
}

void SharedRaces::join(Past& into, const Past& from)
{
    into.whole = std::max(into.whole, from.whole);
    if ((into.lanes | from.lanes) == 0)
        return;
    if (into.until <= into.whole)
        into.lanes = into.until = 0;
    if (from.until <= into.whole)
        return;
    into.lanes |= from.lanes;
    into.until = std::max(into.until, from.until);
}

void SharedRaces::barrier(std::uint32_t arrived, std::uint32_t waiting)
{
    Clock all{};
    for (std::size_t warp = 0; warp < m_warps; ++warp) {
        if ((arrived >> warp & 1) == 0)
            continue;
        for (std::size_t at = 0; at < m_warps; ++at)
            join(all[at], m_clocks[warp][at]);
        join(all[warp], {m_times[warp], 0, 0});
    }
    for (std::size_t warp = 0; warp < m_warps; ++warp) {
        if ((arrived >> warp & 1) == 0)
            continue;
        if ((waiting >> warp & 1) != 0)
            m_clocks[warp] = all;
        warpSync(static_cast<std::uint32_t>(warp));
    }
}

void SharedRaces::synchronise(std::uint32_t warp, std::uint32_t lane, std::uint64_t key)
{
    constexpr std::uint64_t others = ~std::uint64_t{0}; // no address: nothing can lie there
    const bool isFull = m_synchronised.size() >= kMostKeys && !m_synchronised.contains(key);
    Clock& meeting = m_synchronised[isFull ? others : key];
    Clock& mine = m_clocks[warp];
    for (std::size_t at = 0; at < m_warps; ++at) {
        join(mine[at], meeting[at]);
        meeting[at] = mine[at];
    }
    join(meeting[warp], {m_met[warp], 0, 0});
    join(meeting[warp], {0, 1u << lane, m_times[warp]});
    ++m_times[warp];
}

RaceSide SharedRaces::sideOf(const Touch& touch, MemoryOp op)
{
    return {touch.pc, touch.warp, touch.lane, 0, op};
}

void SharedRaces::warpSync(std::uint32_t warp)
{
    if (warp >= m_warps)
        return;
    m_met[warp] = m_times[warp];
    ++m_times[warp];
}

std::optional<RaceSide> SharedRaces::conflictIn(const Cell& cell, const RaceSide& side, bool writes, bool inWarp) const
{
    const auto races = [&](const Touch& touch) {
        return !isOrdered(touch, side) && (!inWarp || touch.warp == side.warp);
    };
    if (races(cell.write))
        return sideOf(cell.write, MemoryOp::Store);
    if (!writes)
        return std::nullopt;
    for (const Touch& read : cell.reads)
        if (races(read))
            return sideOf(read, MemoryOp::Load);
    return std::nullopt;
}

std::optional<RaceSide> SharedRaces::conflict(const RaceSide& side, std::uint64_t byte, bool writes,
                                              bool isVolatile) const
{
    if (byte >= m_cells.size() || side.warp >= m_warps)
        return std::nullopt;
    auto found = conflictIn(m_cells[byte], side, writes, isVolatile);
    if (!found && !m_volatiles.empty())
        found = conflictIn(m_volatiles[byte], side, writes, true);
    return found;
}

void SharedRaces::note(const RaceSide& side, std::uint64_t byte, bool writes, bool isVolatile)
{
    if (byte >= m_cells.size() || side.warp >= m_warps)
        return;
    if (isVolatile && m_volatiles.empty())
        m_volatiles.resize(m_cells.size());
    Cell& cell = isVolatile ? m_volatiles[byte] : m_cells[byte];
    const Touch touch{m_times[side.warp], side.pc, static_cast<std::uint8_t>(side.warp),
                      static_cast<std::uint8_t>(side.lane)};
    if (writes) {
        cell.write = touch;
        return;
    }
    if (cell.reads[0].clock != 0 && cell.reads[0].warp != touch.warp)
        cell.reads[1] = cell.reads[0];
    cell.reads[0] = touch;
}

std::optional<RaceSide> SharedRaces::conflictInMemory(const RaceSide& side, std::uint64_t address, std::uint64_t bytes,
                                                      bool writes) const
{
    if (side.warp >= m_warps)
        return std::nullopt;
    const std::uint64_t end = address + bytes;
    for (std::uint64_t word = address / kWord; word * kWord < end; ++word) {
        const auto found = m_words.find(word);
        if (found == m_words.end())
            continue;
        const Word& known = found->second;
        const std::uint8_t touched = bytesIn(word, address, end);
        if ((known.written & touched) != 0 && !isOrdered(known.write, side))
            return sideOf(known.write, MemoryOp::Store);
        if (writes && (known.wasRead & touched) != 0 && !isOrdered(known.read, side))
            return sideOf(known.read, MemoryOp::Load);
    }
    return std::nullopt;
}

void SharedRaces::noteInMemory(const RaceSide& side, std::uint64_t address, std::uint64_t bytes, bool writes)
{
    if (side.warp >= m_warps)
        return;
    const std::uint64_t end = address + bytes;
    for (std::uint64_t word = address / kWord; word * kWord < end; ++word) {
        Word& known = m_words[word];
        (writes ? known.write : known.read) = {m_times[side.warp], side.pc, static_cast<std::uint8_t>(side.warp),
                                               static_cast<std::uint8_t>(side.lane)};
        (writes ? known.written : known.wasRead) = bytesIn(word, address, end);
    }
}

void SharedRaces::forgetMemory(std::uint64_t address, std::uint64_t bytes)
{
    for (auto known = m_words.begin(); known != m_words.end();)
        known = known->first >= address / kWord && known->first * kWord < address + bytes ? m_words.erase(known)
                                                                                          : std::next(known);
}

void GlobalRaces::synchronise(std::uint64_t block, std::uint64_t address, Addresses& used)
{
    if (m_hasEnded || !used.insert(address).second)
        return;
    auto& users = m_users[address];
    const auto place = std::ranges::lower_bound(users, block);
    if (place != users.end() && *place == block)
        return;
    users.insert(place, block);
    if (++m_meetings < kMostMeetings)
        return;
    m_hasEnded = true;
    m_users = {};
    m_cells.clear();
    m_meetings = 0;
}

bool GlobalRaces::isOrdered(std::uint64_t earlier, const Addresses& used) const
{
    return std::ranges::any_of(used, [&](std::uint64_t address) {
        const auto users = m_users.find(address);
        return users != m_users.end() && std::ranges::binary_search(users->second, earlier);
    });
}

template<class Take>
std::optional<RaceSide> GlobalRaces::eachWord(std::uint64_t address, std::uint64_t bytes, Take take)
{
    const Allocation* allocation = m_hasEnded ? nullptr : m_memory.find(address, bytes);
    if (allocation == nullptr)
        return std::nullopt;
    auto& cells = m_cells[allocation->begin];
    if (cells.empty())
        cells.resize((allocation->bytes + kWord - 1) / kWord);
    const std::uint64_t begin = address - allocation->begin, end = begin + bytes;
    for (std::uint64_t word = begin / kWord; word * kWord < end; ++word) {
        if (const std::optional<RaceSide> given = take(cells[word], bytesIn(word, begin, end)))
            return given;
    }
    return std::nullopt;
}

std::optional<RaceSide> GlobalRaces::conflict(std::uint64_t block, std::uint64_t address, std::uint64_t bytes,
                                              bool writes, const Addresses& used)
{
    const auto differs = [&](std::uint32_t other) {
        return other != 0 && other - 1 != block && !isOrdered(other - 1, used);
    };
    return eachWord(address, bytes, [&](const Cell& cell, std::uint8_t touched) -> std::optional<RaceSide> {
        if ((cell.written & touched) != 0 && differs(cell.writeBlock))
            return RaceSide{cell.writePc, 0, 0, cell.writeBlock - 1u, MemoryOp::Store};
        if (writes && (((cell.read & touched) != 0 && differs(cell.readBlock)) ||
                       ((cell.readByMany & touched) != 0 && used.empty())))
            return RaceSide{cell.readPc, 0, 0, cell.readBlock - 1u, MemoryOp::Load};
        return std::nullopt;
    });
}

void GlobalRaces::note(const RaceSide& side, std::uint64_t address, std::uint64_t bytes, bool writes)
{
    const auto block = static_cast<std::uint32_t>(side.block + 1);
    eachWord(address, bytes, [&](Cell& cell, std::uint8_t touched) -> std::optional<RaceSide> {
        if (writes) {
            cell.written = static_cast<std::uint8_t>(cell.writeBlock == block ? cell.written | touched : touched);
            cell.writeBlock = block;
            cell.writePc = side.pc;
        } else if (cell.readBlock == 0 || cell.readBlock == block) {
            cell.read = static_cast<std::uint8_t>(cell.read | touched);
            cell.readPc = cell.readBlock == 0 ? side.pc : cell.readPc;
            cell.readBlock = block;
        } else {
            cell.readByMany = static_cast<std::uint8_t>(cell.readByMany | (cell.read & touched));
        }
        return std::nullopt;
    });
}

} // namespace ridge::gpu::simt
