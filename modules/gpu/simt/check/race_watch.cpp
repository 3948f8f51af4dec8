// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/check/race_watch.h"

#include <algorithm>

namespace ridge::gpu::simt {

SharedRaces::SharedRaces(std::size_t warps, std::uint64_t sharedBytes)
    : m_warps(std::min<std::size_t>(warps, kMostWarps)), m_clocks(m_warps), m_cells(sharedBytes)
{
    for (std::size_t warp = 0; warp < m_warps; ++warp)
        m_clocks[warp][warp] = 1;
}

void SharedRaces::startBlock()
{
    // Times go on growing, so that what the last block did is past for everybody and no cell must be cleared.
    std::uint32_t latest = 0;
    for (std::size_t warp = 0; warp < m_warps; ++warp)
        latest = std::max(latest, m_clocks[warp][warp]);
    for (std::size_t warp = 0; warp < m_warps; ++warp) {
        m_clocks[warp].fill(latest);
        m_clocks[warp][warp] = latest + 1;
    }
    m_synchronised.clear();
}

void SharedRaces::barrier(std::uint32_t arrived, std::uint32_t waiting)
{
    Clock all{};
    for (std::size_t warp = 0; warp < m_warps; ++warp) {
        if ((arrived >> warp & 1) == 0)
            continue;
        for (std::size_t at = 0; at < m_warps; ++at)
            all[at] = std::max(all[at], m_clocks[warp][at]);
    }
    for (std::size_t warp = 0; warp < m_warps; ++warp) {
        if ((arrived >> warp & 1) == 0)
            continue;
        const std::uint32_t own = m_clocks[warp][warp];
        if ((waiting >> warp & 1) != 0)
            m_clocks[warp] = all;
        m_clocks[warp][warp] = own + 1;
    }
}

void SharedRaces::synchronise(std::uint32_t warp, std::uint64_t key)
{
    constexpr std::uint64_t others = ~std::uint64_t{0}; // no address: nothing can lie there
    const bool isFull = m_synchronised.size() >= kMostKeys && !m_synchronised.contains(key);
    Clock& meeting = m_synchronised[isFull ? others : key];
    Clock& mine = m_clocks[warp];
    for (std::size_t at = 0; at < m_warps; ++at)
        mine[at] = meeting[at] = std::max(mine[at], meeting[at]);
    ++mine[warp];
}

RaceSide SharedRaces::sideOf(const Touch& touch, MemoryOp op)
{
    return {touch.pc, touch.warp, touch.lane, 0, op};
}

void SharedRaces::warpSync(std::uint32_t warp)
{
    if (warp < m_warps)
        ++m_clocks[warp][warp];
}

std::optional<RaceSide> SharedRaces::conflict(const RaceSide& side, std::uint64_t byte, bool writes) const
{
    if (byte >= m_cells.size() || side.warp >= m_warps)
        return std::nullopt;
    const Cell& cell = m_cells[byte];
    if (!isOrdered(cell.write, side))
        return sideOf(cell.write, MemoryOp::Store);
    if (!writes)
        return std::nullopt;
    for (const Touch& read : cell.reads)
        if (!isOrdered(read, side))
            return sideOf(read, MemoryOp::Load);
    return std::nullopt;
}

void SharedRaces::note(const RaceSide& side, std::uint64_t byte, bool writes)
{
    if (byte >= m_cells.size() || side.warp >= m_warps)
        return;
    Cell& cell = m_cells[byte];
    const Touch touch{m_clocks[side.warp][side.warp], side.pc, static_cast<std::uint8_t>(side.warp),
                      static_cast<std::uint8_t>(side.lane)};
    if (writes) {
        cell.write = touch;
        return;
    }
    if (cell.reads[0].clock != 0 && cell.reads[0].warp != touch.warp)
        cell.reads[1] = cell.reads[0];
    cell.reads[0] = touch;
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

GlobalRaces::Cell* GlobalRaces::cell(std::uint64_t address)
{
    const Allocation* allocation = m_memory.find(address, 1);
    if (allocation == nullptr)
        return nullptr;
    auto& cells = m_cells[allocation->begin];
    if (cells.empty())
        cells.resize((allocation->bytes + 3) / 4);
    return &cells[(address - allocation->begin) / 4];
}

std::optional<RaceSide> GlobalRaces::conflict(std::uint64_t block, std::uint64_t address, bool writes,
                                              const Addresses& used)
{
    const Cell* found = m_hasEnded ? nullptr : cell(address);
    if (found == nullptr)
        return std::nullopt;
    const auto differs = [&](std::uint32_t other) {
        return other != 0 && other - 1 != block && !isOrdered(other - 1, used);
    };
    if (differs(found->writeBlock))
        return RaceSide{found->writePc, 0, 0, found->writeBlock - 1u, MemoryOp::Store};
    if (writes && found->readBlock != 0 && (differs(found->readBlock) || (found->readByMany && used.empty())))
        return RaceSide{found->readPc, 0, 0, found->readBlock - 1u, MemoryOp::Load};
    return std::nullopt;
}

void GlobalRaces::note(const RaceSide& side, std::uint64_t address, bool writes)
{
    Cell* found = m_hasEnded ? nullptr : cell(address);
    if (found == nullptr)
        return;
    const auto block = static_cast<std::uint32_t>(side.block + 1);
    if (writes) {
        found->writeBlock = block;
        found->writePc = side.pc;
    } else if (found->readBlock == 0) {
        found->readBlock = block;
        found->readPc = side.pc;
    } else {
        found->readByMany = found->readByMany || found->readBlock != block;
    }
}

} // namespace ridge::gpu::simt
